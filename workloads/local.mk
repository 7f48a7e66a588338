# Applications of libsched that gsched runs and measures: a folder each, entries of table.h.
noinst_LIBRARIES += %D%/libworkloads.a
workloads_libworkloads_a_SOURCES = \
	%D%/common/block_sort.h \
	%D%/common/length.h \
	%D%/common/memory.c %D%/common/memory.h \
	%D%/common/picture.c %D%/common/picture.h \
	%D%/common/radix.cuh \
	%D%/common/random.h \
	%D%/common/work.h \
	%D%/common/workload.c %D%/common/workload.h \
	%D%/table.c %D%/table.h
workloads_cu =

include %D%/bvh/local.mk
include %D%/collide/local.mk
include %D%/fourrow/local.mk
include %D%/hull/local.mk
include %D%/latency/local.mk
include %D%/lod/local.mk
include %D%/mesh/local.mk
include %D%/octree/local.mk
include %D%/service/local.mk
include %D%/sort/local.mk
include %D%/trace/local.mk
include %D%/x3d/local.mk
include %D%/synthetic.mk

if HAVE_CUDA
workloads_libworkloads_a_SOURCES += $(workloads_cu)
CUFILES += $(workloads_cu)
endif
EXTRA_DIST += $(workloads_cu)
