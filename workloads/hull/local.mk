# The visual hull under a time limit.
workloads_libworkloads_a_SOURCES += \
	%D%/body.h %D%/check.c %D%/frame.c %D%/host.h %D%/hull.c %D%/hull.h %D%/make.c \
	%D%/plain.c %D%/scene.c %D%/silhouette.c
workloads_cu += %D%/hull_cuda.cu %D%/plain_cuda.cu
