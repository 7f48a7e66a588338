# The queue prio. The GPU's half builds without CUDA too, and is skipped.
prio_suite = %D%/prio_program.h %D%/prio_suite.h %D%/prio_suite.c %D%/sched_graph.h \
	%D%/sched_suite.h %D%/sched_suite.c

check_PROGRAMS += %D%/prio_test %D%/prio_gpu_test
TESTS += %D%/prio_test %D%/prio_gpu_test
%C%_prio_test_SOURCES = %D%/prio_test.c $(prio_suite)
%C%_prio_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)
%C%_prio_gpu_test_SOURCES = %D%/prio_gpu_test.c $(prio_suite)
if HAVE_CUDA
%C%_prio_gpu_test_SOURCES += %D%/prio_gpu.cu
CUFILES += %D%/prio_gpu.cu
endif
%C%_prio_gpu_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)
