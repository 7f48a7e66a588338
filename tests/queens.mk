# Counting N-Queens boards on the CPU.
queens_tests = %D%/queens_test %D%/queens_plan_test %D%/queens_more_test
queens_ldadd = nqueens/libnqueens.a nqueens/libnqknown.a libsched/libsched.a $(testmain_ldadd) \
	$(CUDA_LIBS)
check_PROGRAMS += $(queens_tests)
TESTS += $(queens_tests)
%C%_queens_test_SOURCES = %D%/queens_test.c %D%/queens_brute.h
%C%_queens_test_LDADD = $(queens_ldadd)
%C%_queens_plan_test_SOURCES = %D%/queens_plan_test.c
%C%_queens_plan_test_LDADD = $(queens_ldadd)
%C%_queens_more_test_SOURCES = %D%/queens_more_test.c %D%/queens_brute.h
%C%_queens_more_test_LDADD = $(queens_ldadd)
