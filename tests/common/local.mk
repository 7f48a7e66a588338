# The runner of the suites, time limits, and what shell tests share.
dist_check_SCRIPTS += %D%/limit %D%/time_limit_test.sh
EXTRA_DIST += %D%/shell.sh
if HAVE_CUNIT
check_LIBRARIES += %D%/libtestmain.a
%C%_libtestmain_a_SOURCES = %D%/testmain.c %D%/testmain.h %D%/check.h \
	%D%/host_memory.h %D%/sched_setup.h
%C%_libtestmain_a_CPPFLAGS = $(AM_CPPFLAGS) $(CUNIT_CFLAGS)
testmain_ldadd = %D%/libtestmain.a $(CUNIT_LIBS)
check_PROGRAMS += %D%/hang
%C%_hang_SOURCES = %D%/hang.c
%C%_hang_LDADD = $(testmain_ldadd)
TESTS += %D%/time_limit_test.sh
endif
