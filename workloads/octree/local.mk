# Octrees of particles.
workloads_libworkloads_a_SOURCES += \
	%D%/body.h %D%/check.c %D%/generate.c %D%/host.h %D%/levels.h %D%/make.c %D%/octree.c \
	%D%/octree.h %D%/order.h %D%/serial.h %D%/subtree.h %D%/tiles.h %D%/truth.c
workloads_cu += %D%/octree_cuda.cu %D%/plain_cuda.cu
