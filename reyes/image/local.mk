# Picture files and textures. Each image library is optional and has files of its own. The files
# that include a library's headers are compiled with its flags in an archive of their own, whose
# objects become members of libreyes.a.
reyes_sources += %D%/bytes.c %D%/bytes.h \
	%D%/display.c %D%/display.h %D%/display_write.c \
	%D%/file.c %D%/file.h \
	%D%/formats.c %D%/formats.h \
	%D%/make_cube.c %D%/make_texture.c %D%/mipmap.c %D%/mipmap.h \
	%D%/picture.c %D%/picture.h \
	%D%/quantize.c %D%/quantize.h \
	%D%/rules.c %D%/rules.h \
	%D%/samples.h \
	%D%/texture.c %D%/texture.h
noinst_LIBRARIES += %D%/libformats.a
%C%_libformats_a_SOURCES =
if HAVE_PNG
%C%_libformats_a_SOURCES += %D%/png.c
endif
if HAVE_TIFF
%C%_libformats_a_SOURCES += %D%/tiff_memory.c %D%/tiff_memory.h %D%/tiff_read.c %D%/tiff_write.c
endif
if HAVE_OPENEXR
%C%_libformats_a_SOURCES += %D%/exr_read.c %D%/exr_write.c
endif
%C%_libformats_a_CPPFLAGS = $(AM_CPPFLAGS) $(PNG_CFLAGS) $(TIFF_CFLAGS) $(OPENEXR_CFLAGS)
reyes_objects += $(%C%_libformats_a_OBJECTS)
reyes_libs += $(PNG_LIBS) $(TIFF_LIBS) $(OPENEXR_LIBS)
