# Suites about the house as a whole: the streams as FFmpeg sees them, the headers as a user sees them.
check_PROGRAMS += %D%/picgen
%C%_picgen_SOURCES = %D%/picgen.c

dist_check_SCRIPTS += %D%/conformance.sh %D%/header_test.sh
if HAVE_FFMPEG
TESTS += %D%/conformance.sh
endif
TESTS += %D%/header_test.sh

# `make installcheck`: a program of someone else, built against what `make install` put in place.
EXTRA_DIST += %D%/installed.c
CLEANFILES += %D%/installed
installcheck-local:
	$(MKDIR_P) %D%
	PKG_CONFIG_PATH='$(DESTDIR)$(pkgconfigdir)' \
		sh -c '$(CC) $(CFLAGS) $(LDFLAGS) -o %D%/installed $(srcdir)/%D%/installed.c \
		$$($(PKG_CONFIG) --define-variable=prefix="$(DESTDIR)$(prefix)" --cflags --libs h264intra)'
	%D%/installed
