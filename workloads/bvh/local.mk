# Bounding volume hierarchies.
workloads_libworkloads_a_SOURCES += \
	%D%/check.c %D%/host.h %D%/make.c %D%/memory.c %D%/obb.c %D%/obb.h %D%/obb_axes.h \
	%D%/obb_body.h %D%/obb_check.c %D%/obb_part.h %D%/obb_serial.c \
	%D%/obb_spans.h %D%/obb_upper.h %D%/plain.c %D%/sweep.c
workloads_cu += %D%/obb_cuda.cu %D%/plain_cuda.cu
