# Counting N-Queens boards.
if HAVE_CUNIT
queens_tests = %D%/api_test %D%/boards_test %D%/checkpoint_test %D%/join_estimate_test \
	%D%/join_lists_test %D%/plan_test %D%/queens_test %D%/run_test %D%/sieve_test \
	%D%/values_test
queens_ldadd = nqueens/libnqueens.a nqueens/libnqknown.a libsched/libsched.a $(testmain_ldadd) \
	$(CUDA_LIBS)
check_PROGRAMS += $(queens_tests)
TESTS += $(queens_tests)
DIST_TESTS += %D%/queens_test
SERIAL_TESTS += %D%/join_estimate_test %D%/sieve_test
%C%_api_test_SOURCES = %D%/api_test.c %D%/setup.h
%C%_api_test_LDADD = $(queens_ldadd)
%C%_boards_test_SOURCES = %D%/boards_test.c %D%/brute.h %D%/setup.h tests/common/rng.h
%C%_boards_test_LDADD = $(queens_ldadd)
%C%_checkpoint_test_SOURCES = %D%/checkpoint_test.c %D%/setup.h %D%/slow_crc.h \
	tests/common/rng.h tests/common/text.h
%C%_checkpoint_test_LDADD = $(queens_ldadd)
%C%_join_estimate_test_SOURCES = %D%/join_estimate_test.c %D%/setup.h
%C%_join_estimate_test_LDADD = $(queens_ldadd)
%C%_join_lists_test_SOURCES = %D%/join_lists_test.c %D%/setup.h
%C%_join_lists_test_LDADD = $(queens_ldadd)
%C%_plan_test_SOURCES = %D%/plan_test.c %D%/setup.h
%C%_plan_test_LDADD = $(queens_ldadd)
%C%_queens_test_SOURCES = %D%/queens_test.c %D%/brute.h %D%/setup.h
%C%_queens_test_LDADD = $(queens_ldadd)
%C%_run_test_SOURCES = %D%/run_test.c %D%/setup.h tests/common/rng.h
%C%_run_test_LDADD = $(queens_ldadd)
%C%_sieve_test_SOURCES = %D%/sieve_test.c %D%/setup.h
%C%_sieve_test_LDADD = $(queens_ldadd)
%C%_values_test_SOURCES = %D%/values_test.c %D%/setup.h
%C%_values_test_LDADD = $(queens_ldadd)

# The join on a device.
check_PROGRAMS += %D%/join_gpu_test %D%/sieve_device_gpu_test %D%/sieve_gpu_test
TESTS += %D%/join_gpu_test %D%/sieve_device_gpu_test %D%/sieve_gpu_test
%C%_join_gpu_test_SOURCES = %D%/join_gpu_test.c %D%/setup.h
%C%_join_gpu_test_LDADD = $(queens_ldadd)
%C%_sieve_device_gpu_test_SOURCES = %D%/sieve_device_gpu_test.c %D%/setup.h %D%/sieve_tasks.h
%C%_sieve_device_gpu_test_CPPFLAGS = $(AM_CPPFLAGS) $(CUDA_CPPFLAGS)
%C%_sieve_device_gpu_test_LDADD = $(queens_ldadd)
%C%_sieve_gpu_test_SOURCES = %D%/sieve_gpu_test.c %D%/setup.h %D%/sieve_tasks.h
%C%_sieve_gpu_test_LDADD = $(queens_ldadd)

# The shared device code on the CPU, and on the device; without CUDA the second still builds, and
# is skipped.
check_PROGRAMS += %D%/subtree_test %D%/queens_gpu_test
TESTS += %D%/subtree_test %D%/queens_gpu_test
%C%_subtree_test_SOURCES = %D%/subtree_test.c tests/common/rng.h
%C%_subtree_test_LDADD = $(queens_ldadd)
%C%_queens_gpu_test_SOURCES = %D%/queens_gpu_test.c tests/common/rng.h
%C%_queens_gpu_test_LDADD = $(queens_ldadd)
endif
