# Bounding volume hierarchies.
workloads_libworkloads_a_SOURCES += \
	%D%/check.c %D%/host.h %D%/make.c %D%/memory.c %D%/plain.c %D%/sweep.c
workloads_cu += %D%/plain_cuda.cu
