# Counting N-Queens boards.
if HAVE_CUNIT
queens_tests = %D%/queens_test %D%/plan_test %D%/more_test %D%/checkpoint_test \
	%D%/api_test
queens_ldadd = nqueens/libnqueens.a nqueens/libnqknown.a libsched/libsched.a $(testmain_ldadd) \
	$(CUDA_LIBS)
check_PROGRAMS += $(queens_tests)
TESTS += $(queens_tests)
%C%_queens_test_SOURCES = %D%/queens_test.c %D%/brute.h %D%/setup.h
%C%_queens_test_LDADD = $(queens_ldadd)
%C%_plan_test_SOURCES = %D%/plan_test.c
%C%_plan_test_LDADD = $(queens_ldadd)
%C%_api_test_SOURCES = %D%/api_test.c
%C%_api_test_LDADD = $(queens_ldadd)
%C%_more_test_SOURCES = %D%/more_test.c %D%/brute.h
%C%_more_test_LDADD = $(queens_ldadd)
%C%_checkpoint_test_SOURCES = %D%/checkpoint_test.c %D%/slow_crc.h
%C%_checkpoint_test_LDADD = $(queens_ldadd)

# The join on a device.
check_PROGRAMS += %D%/join_gpu_test
TESTS += %D%/join_gpu_test
%C%_join_gpu_test_SOURCES = %D%/join_gpu_test.c
%C%_join_gpu_test_LDADD = $(queens_ldadd)

# The GPU's text on the CPU, and on the device; without CUDA the second still builds, and is
# skipped.
check_PROGRAMS += %D%/subtree_test %D%/queens_gpu_test
TESTS += %D%/subtree_test %D%/queens_gpu_test
%C%_subtree_test_SOURCES = %D%/subtree_test.c tests/common/rng.h
%C%_subtree_test_LDADD = $(queens_ldadd)
%C%_queens_gpu_test_SOURCES = %D%/queens_gpu_test.c tests/common/rng.h
%C%_queens_gpu_test_LDADD = $(queens_ldadd)
endif
