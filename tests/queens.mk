# Counting N-Queens boards.
queens_tests = %D%/queens_test %D%/queens_plan_test %D%/queens_more_test %D%/queens_checkpoint_test \
	%D%/queens_api_test
queens_ldadd = nqueens/libnqueens.a nqueens/libnqknown.a libsched/libsched.a $(testmain_ldadd) \
	$(CUDA_LIBS)
check_PROGRAMS += $(queens_tests)
TESTS += $(queens_tests)
%C%_queens_test_SOURCES = %D%/queens_test.c %D%/queens_brute.h
%C%_queens_test_LDADD = $(queens_ldadd)
%C%_queens_plan_test_SOURCES = %D%/queens_plan_test.c
%C%_queens_plan_test_LDADD = $(queens_ldadd)
%C%_queens_api_test_SOURCES = %D%/queens_api_test.c
%C%_queens_api_test_LDADD = $(queens_ldadd)
%C%_queens_more_test_SOURCES = %D%/queens_more_test.c %D%/queens_brute.h
%C%_queens_more_test_LDADD = $(queens_ldadd)
%C%_queens_checkpoint_test_SOURCES = %D%/queens_checkpoint_test.c %D%/slow_crc.h
%C%_queens_checkpoint_test_LDADD = $(queens_ldadd)

# The join on a device.
check_PROGRAMS += %D%/queens_join_gpu_test
TESTS += %D%/queens_join_gpu_test
%C%_queens_join_gpu_test_SOURCES = %D%/queens_join_gpu_test.c
%C%_queens_join_gpu_test_LDADD = $(queens_ldadd)

# The GPU's text on the CPU, and on the device; without CUDA the second still builds, and is skipped.
check_PROGRAMS += %D%/queens_subtree_test %D%/queens_gpu_test
TESTS += %D%/queens_subtree_test %D%/queens_gpu_test
%C%_queens_subtree_test_SOURCES = %D%/queens_subtree_test.c %D%/rng.h
%C%_queens_subtree_test_LDADD = $(queens_ldadd)
%C%_queens_gpu_test_SOURCES = %D%/queens_gpu_test.c %D%/rng.h
%C%_queens_gpu_test_LDADD = $(queens_ldadd)

# gqueens as a user meets it; queens_forge makes checkpoints that lie.
check_PROGRAMS += %D%/queens_forge
%C%_queens_forge_SOURCES = %D%/queens_forge.c
%C%_queens_forge_LDADD = nqueens/libnqueens.a libsched/libsched.a $(CUDA_LIBS)
dist_check_SCRIPTS += %D%/gqueens_test.sh %D%/gqueens_gpu_test.sh %D%/gqueens_mpi_test.sh
TESTS += %D%/gqueens_test.sh %D%/gqueens_gpu_test.sh %D%/gqueens_mpi_test.sh
