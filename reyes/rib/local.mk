# The RIB reader. zlib reads compressed files; the file that includes its header is compiled with
# its flags in an archive of its own, whose object becomes a member of libreyes.a.
reyes_sources += %D%/archive.c %D%/archive.h %D%/args.c %D%/args.h %D%/args_resolve.c \
	%D%/condition.c \
	%D%/control.c %D%/control.h %D%/execute.c %D%/execute.h %D%/geometry.c %D%/geometry.h \
	%D%/gzip.h %D%/input.c %D%/input.h %D%/lex.c %D%/lex.h %D%/lex_binary.c \
	%D%/lex_parts.h %D%/lex_string.c %D%/link.h %D%/messages.c %D%/number.h \
	%D%/pool.h %D%/program.c %D%/reader.h %D%/requests.h %D%/rib.c %D%/rib.h %D%/source.c \
	%D%/variables.c
if HAVE_ZLIB
noinst_LIBRARIES += %D%/libgzip.a
%C%_libgzip_a_SOURCES = %D%/gzip.c
%C%_libgzip_a_CPPFLAGS = $(AM_CPPFLAGS) $(ZLIB_CFLAGS)
reyes_objects += $(%C%_libgzip_a_OBJECTS)
reyes_libs += $(ZLIB_LIBS)
else
reyes_sources += %D%/gzip_none.c
endif
EXTRA_DIST += %D%/gzip.c %D%/gzip_none.c
