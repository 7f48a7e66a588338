# Exit codes: 0 pass, 77 skip, anything else fail. Each area lists its suites in a file of its own.
include %D%/house.mk
if HAVE_CUNIT
check_LIBRARIES += %D%/libtestmain.a
%C%_libtestmain_a_SOURCES = %D%/testmain.c %D%/testmain.h
%C%_libtestmain_a_CPPFLAGS = $(AM_CPPFLAGS) $(CUNIT_CFLAGS)
testmain_ldadd = tests/libtestmain.a $(CUNIT_LIBS)
check_PROGRAMS += %D%/hang
%C%_hang_SOURCES = %D%/hang.c
%C%_hang_LDADD = $(testmain_ldadd)
dist_check_SCRIPTS += %D%/limit %D%/stress_long.sh %D%/time_limit_test.sh
LONG_TESTS += %D%/stress_long.sh
TESTS += %D%/time_limit_test.sh
include %D%/sched.mk
include %D%/csr.mk
include %D%/prio.mk
include %D%/h264.mk
include %D%/app.mk
include %D%/queens.mk
endif
