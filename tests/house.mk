# Suites about the house as a whole: the streams as FFmpeg sees them, the headers as a user sees them.
check_PROGRAMS += %D%/picgen
%C%_picgen_SOURCES = %D%/picgen.c

dist_check_SCRIPTS += %D%/conformance.sh %D%/header_test.sh %D%/libsched_doc_test.sh \
	%D%/new_queue_test.sh %D%/queues_doc_test.sh
if HAVE_FFMPEG
TESTS += %D%/conformance.sh
endif
TESTS += %D%/header_test.sh %D%/libsched_doc_test.sh %D%/new_queue_test.sh %D%/queues_doc_test.sh

# `make installcheck`: programs of someone else, built against what `make install` put in place.
EXTRA_DIST += %D%/installed.c %D%/installed_sched.c
CLEANFILES += %D%/installed %D%/installed_sched
installed_pkg_config = PKG_CONFIG_PATH='$(DESTDIR)$(pkgconfigdir)' $(PKG_CONFIG) \
	--define-variable=prefix='$(DESTDIR)$(prefix)'
installcheck-local:
	$(MKDIR_P) %D%
	$(CC) $(CFLAGS) $(LDFLAGS) -o %D%/installed $(srcdir)/%D%/installed.c \
		`$(installed_pkg_config) --cflags --libs h264intra`
	%D%/installed
	$(CC) $(CFLAGS) $(LDFLAGS) -o %D%/installed_sched $(srcdir)/%D%/installed_sched.c \
		`$(installed_pkg_config) --cflags --libs libsched`
	%D%/installed_sched
