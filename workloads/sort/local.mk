# Quicksort.
workloads_libworkloads_a_SOURCES += \
	%D%/body.h %D%/check.c %D%/generate.c %D%/host.h %D%/leaves.c %D%/leaves.h %D%/make.c \
	%D%/many.h %D%/network.h %D%/plain.c %D%/quick.h %D%/serial.h %D%/sort.h %D%/sort4.c \
	%D%/sort8.c %D%/tile.h %D%/two.h %D%/vector.h %D%/vector_avx2.c \
	%D%/vector_avx512.c %D%/vector_avx512.h
workloads_cu += %D%/sort4_cuda.cu %D%/sort8_cuda.cu %D%/plain_cuda.cu
