# The synthetic loads of the papers.
workloads_libworkloads_a_SOURCES += \
	%D%/fib/fib.c %D%/fib/fib.h %D%/fib/make.c \
	%D%/priority/make.c %D%/priority/priority.c %D%/priority/priority.h \
	%D%/queue/make.c %D%/queue/queue.c %D%/queue/queue.h \
	%D%/tree/make.c %D%/tree/options.c %D%/tree/options.h \
	%D%/tree/tree.c %D%/tree/tree.h %D%/tree/tree_items.c %D%/tree/tree_items.h \
	%D%/wavefront/make.c %D%/wavefront/wavefront.c %D%/wavefront/wavefront.h
workloads_cu += %D%/fib/fib_cuda.cu %D%/priority/priority_cuda.cu %D%/queue/queue_cuda.cu \
	%D%/tree/tree_cuda.cu %D%/tree/tree_items_cuda.cu %D%/wavefront/wavefront_cuda.cu
