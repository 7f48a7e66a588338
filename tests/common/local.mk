# The runner of the suites, time limits, sizes of loads, and what shell tests share.
dist_check_SCRIPTS += %D%/busy_weekly.sh %D%/clock_long.sh %D%/full_long.sh \
	%D%/full_weekly.sh %D%/limit %D%/sanitizer_gpu_long.sh %D%/time_limit_test.sh
EXTRA_DIST += %D%/clock.sh %D%/effort.sh %D%/shell.sh
if HAVE_CUNIT
check_LIBRARIES += %D%/libtestmain.a
%C%_libtestmain_a_SOURCES = %D%/testmain.c %D%/testmain.h %D%/check.h \
	%D%/effort.h %D%/host_memory.h %D%/sched_setup.h %D%/seconds.h
%C%_libtestmain_a_CPPFLAGS = $(AM_CPPFLAGS) $(CUNIT_CFLAGS)
testmain_ldadd = %D%/libtestmain.a $(CUNIT_LIBS)
check_PROGRAMS += %D%/hang
%C%_hang_SOURCES = %D%/hang.c
%C%_hang_LDADD = $(testmain_ldadd)
TESTS += %D%/time_limit_test.sh
DIST_TESTS += %D%/time_limit_test.sh
# The suites with more than one size, at full size.
LONG_TESTS += %D%/clock_long.sh %D%/full_long.sh
WEEKLY_TESTS += %D%/busy_weekly.sh %D%/full_weekly.sh
# The programs under compute-sanitizer, on a device.
LONG_TESTS += %D%/sanitizer_gpu_long.sh
endif
