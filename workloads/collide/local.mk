# Collisions of deforming meshes.
workloads_libworkloads_a_SOURCES += \
	%D%/check.c %D%/front.c %D%/host.h %D%/make.c %D%/plain.c %D%/tree.c %D%/tree.h %D%/trees.c
workloads_cu += %D%/plain_cuda.cu
