# Bounding volume hierarchies.
workloads_libworkloads_a_SOURCES += \
	%D%/body.h %D%/boxes.h %D%/bins.h %D%/bvh.c %D%/bvh.h %D%/check.c %D%/group.h %D%/host.h \
	%D%/large.h %D%/local.h %D%/make.c %D%/memory.c %D%/plain.c %D%/serial.h %D%/small.h \
	%D%/sweep.c
workloads_cu += %D%/bvh_cuda.cu %D%/plain_cuda.cu
