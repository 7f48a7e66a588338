# Graphs given as data, and the memory of tasks. The GPU's half builds without CUDA too, and is skipped.
csr_suite = %D%/csr_program.h %D%/csr_shape.h %D%/csr_shape.c %D%/csr_suite.h %D%/csr_suite.c \
	%D%/sched_graph.h %D%/sched_suite.h \
	%D%/sched_suite.c

check_PROGRAMS += %D%/csr_test %D%/csr_gpu_test
TESTS += %D%/csr_test %D%/csr_gpu_test
%C%_csr_test_SOURCES = %D%/csr_test.c $(csr_suite)
%C%_csr_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)
%C%_csr_gpu_test_SOURCES = %D%/csr_gpu_test.c %D%/stress.h $(csr_suite)
if HAVE_CUDA
%C%_csr_gpu_test_SOURCES += %D%/csr_gpu.cu
CUFILES += %D%/csr_gpu.cu
endif
%C%_csr_gpu_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)

# Bad use: an error, never a hang. On the GPU each case is a process of its own.
bad_common = %D%/bad_program.h %D%/bad_common.h %D%/bad_common.c %D%/sched_graph.h %D%/sched_suite.h \
	%D%/sched_suite.c

check_PROGRAMS += %D%/bad_use_test %D%/sched_lost_test
TESTS += %D%/bad_use_test %D%/sched_lost_test
%C%_bad_use_test_SOURCES = %D%/bad_use_test.c $(bad_common)
%C%_bad_use_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)
%C%_sched_lost_test_SOURCES = %D%/sched_lost_test.c $(bad_common)
if HAVE_CUDA
%C%_sched_lost_test_SOURCES += %D%/bad_gpu.cu
CUFILES += %D%/bad_gpu.cu
endif
%C%_sched_lost_test_LDADD = libsched/libsched.a $(testmain_ldadd) $(CUDA_LIBS)
