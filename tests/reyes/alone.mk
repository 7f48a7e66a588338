# Split and dice alone. All is compiled as the library, without contraction of a * b + c.
alone_suite = %D%/alone_suite.c %D%/alone_suite.h
alone_ldadd = reyes/alone/libalone.a $(reyes_ldadd)
reyes_alone_tests = %D%/alone_test %D%/alone_lanes_test %D%/alone_gpu_test
check_PROGRAMS += $(reyes_alone_tests)
TESTS += $(reyes_alone_tests)
SERIAL_TESTS += %D%/alone_test
%C%_alone_test_SOURCES = %D%/alone_test.c $(alone_suite)
%C%_alone_test_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
%C%_alone_test_LDADD = $(alone_ldadd)
%C%_alone_lanes_test_SOURCES = %D%/alone_lanes_test.c %D%/alone_lanes_instances.c \
	tests/libsched/lanes.h tests/libsched/lanes_cuda.h tests/libsched/lanes_program.h \
	$(alone_suite)
%C%_alone_lanes_test_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
%C%_alone_lanes_test_LDADD = $(alone_ldadd)
%C%_alone_gpu_test_SOURCES = %D%/alone_gpu_test.c $(alone_suite)
%C%_alone_gpu_test_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
%C%_alone_gpu_test_LDADD = $(alone_ldadd)
