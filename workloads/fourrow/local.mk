# Connect four.
workloads_libworkloads_a_SOURCES += \
	%D%/board.h %D%/check.c %D%/follow.h %D%/fourrow.h %D%/grid.c %D%/group.h %D%/host.h \
	%D%/make.c %D%/nodes.h %D%/plain.c %D%/plies.c %D%/plies.h %D%/search.h \
	%D%/solve.c %D%/solve.h %D%/subtree.h %D%/table.h
workloads_cu += %D%/plain_cuda.cu %D%/plies_cuda.cu %D%/solve_cuda.cu
