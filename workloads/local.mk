# Applications of libsched that gsched runs and measures: a folder each, entries of table.h.
noinst_LIBRARIES += %D%/libworkloads.a
%C%_libworkloads_a_SOURCES = \
	%D%/common/memory.c %D%/common/memory.h \
	%D%/common/random.h \
	%D%/common/workload.h \
	%D%/table.c %D%/table.h

workloads_cu =
EXTRA_DIST += $(workloads_cu)
if HAVE_CUDA
%C%_libworkloads_a_SOURCES += $(workloads_cu)
CUFILES += $(workloads_cu)
endif
