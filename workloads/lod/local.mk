# View-dependent simplification of meshes.
workloads_libworkloads_a_SOURCES += \
	%D%/body.h %D%/check.c %D%/host.h %D%/lod.c %D%/lod.h %D%/make.c %D%/plain.c %D%/tree.c
workloads_cu += %D%/graph_cuda.cu %D%/lod_cuda.cu %D%/plain_cuda.cu
