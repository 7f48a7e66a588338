# A parser of X3D.
workloads_libworkloads_a_SOURCES += \
	%D%/body.h %D%/check.c %D%/digits.h %D%/generate.c %D%/host.h %D%/lexer.h %D%/link.h \
	%D%/make.c \
	%D%/names.c %D%/number.h %D%/plain.c %D%/prolog.c %D%/reader.h %D%/serial.c \
	%D%/walk.h %D%/x3d.c %D%/x3d.h
workloads_cu += %D%/plain_cuda.cu %D%/x3d_cuda.cu
