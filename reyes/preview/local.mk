# The window of greyes, in an archive of its own: programs that use libreyes.a do not need SDL.
noinst_LIBRARIES += %D%/libpreview.a
%C%_libpreview_a_SOURCES = %D%/pan_zoom.c %D%/pan_zoom.h %D%/window.h
if HAVE_SDL
%C%_libpreview_a_SOURCES += %D%/sdl.c
else
%C%_libpreview_a_SOURCES += %D%/none.c
endif
%C%_libpreview_a_CPPFLAGS = $(AM_CPPFLAGS) $(SDL_CFLAGS)
EXTRA_DIST += %D%/none.c %D%/sdl.c
