# Quicksort.
workloads_libworkloads_a_SOURCES += \
	%D%/body.h %D%/check.c %D%/generate.c %D%/host.h %D%/make.c %D%/plain.c %D%/serial.h \
	%D%/sort.h %D%/sort4.c %D%/sort8.c
workloads_cu += %D%/sort4_cuda.cu %D%/sort8_cuda.cu %D%/plain_cuda.cu
