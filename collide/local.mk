# Collision candidates of triangle meshes. The workloads bvh and collide run its programs.
%D%/libcollide.so.$(SHLIB_VERSION): SHLIB_LIBS = libsched/libsched.a $(CUDA_LIBS) -lm
%D%/libcollide.so.$(SHLIB_VERSION): libsched/libsched.a
EXTRA_DIST += %D%/libcollide.map
%C%_libcollide_a_SOURCES = \
	%D%/bvh/arrays.c %D%/bvh/arrays.h %D%/bvh/bins.h %D%/bvh/body.h %D%/bvh/boxes.h \
	%D%/bvh/bricks.h %D%/bvh/bvh.c %D%/bvh/bvh.h %D%/bvh/cells.h %D%/bvh/follow.h \
	%D%/bvh/grid.h %D%/bvh/group.h %D%/bvh/lists.h %D%/bvh/local.h %D%/bvh/order.h \
	%D%/bvh/passes.h %D%/bvh/programs.h %D%/bvh/scan.h %D%/bvh/serial.h %D%/bvh/serial_small.h \
	%D%/bvh/slabs.h %D%/bvh/small.h %D%/bvh/sweep.h \
	%D%/core/bvh.c \
	%D%/core/contacts.c \
	%D%/core/context.c %D%/core/context.h \
	%D%/core/control.c \
	%D%/core/error.c %D%/core/error.h \
	%D%/core/find.c \
	%D%/core/mesh.c %D%/core/mesh.h \
	%D%/core/order.c %D%/core/order.h \
	%D%/core/sort.c %D%/core/sort.h \
	%D%/core/steps.c %D%/core/steps.h \
	%D%/core/tree.c %D%/core/tree.h \
	%D%/pairs/contacts.c %D%/pairs/contacts.h \
	%D%/pairs/front.c %D%/pairs/front.h \
	%D%/pairs/pairs.c %D%/pairs/pairs.h \
	%D%/pairs/primitives.c %D%/pairs/primitives.h \
	%D%/pairs/point.h %D%/pairs/programs.h %D%/pairs/query.h %D%/pairs/search.h \
	%D%/pairs/swept.h
collide_cu = %D%/bvh/bvh_cuda.cu %D%/core/order_cuda.cu %D%/core/steps_cuda.cu \
	%D%/pairs/contacts_cuda.cu %D%/pairs/pairs_cuda.cu
if HAVE_CUDA
%C%_libcollide_a_SOURCES += $(collide_cu)
CUFILES += $(collide_cu)
endif

collideincludedir = $(includedir)/collide
collideinclude_HEADERS = %D%/include/collide/collide.h
pkgconfig_DATA += %D%/collide.pc
