# Collisions of deforming meshes.
workloads_libworkloads_a_SOURCES += \
	%D%/check.c %D%/contacts.c %D%/contacts.h %D%/front.c %D%/host.h %D%/make.c \
	%D%/pairs.c %D%/pairs.h \
	%D%/plain.c %D%/primitives.c %D%/primitives.h %D%/query.h %D%/tree.c %D%/tree.h \
	%D%/trees.c
workloads_cu += %D%/contacts_cuda.cu %D%/pairs_cuda.cu %D%/plain_cuda.cu
