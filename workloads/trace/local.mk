# Path tracing.
workloads_libworkloads_a_SOURCES += \
	%D%/body.h %D%/check.c %D%/hit.h %D%/host.h %D%/image.c %D%/make.c %D%/mesh.c \
	%D%/patch.c %D%/patch.h %D%/plain.c %D%/scene.c %D%/step.h %D%/trace.c %D%/trace.h \
	%D%/triangles.c %D%/truth.c %D%/work.c
workloads_cu += %D%/mesh_cuda.cu %D%/patch_cuda.cu %D%/plain_cuda.cu %D%/trace_cuda.cu
