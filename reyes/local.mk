# Reyes renderer. Each folder lists its sources in a local.mk of its own.
reyes_sources =
# Objects from other archives, and libraries that libreyes.so or a program with libreyes.a is linked
# with.
reyes_objects =
reyes_libs =
%D%/libreyes.so.$(SHLIB_VERSION): SHLIB_LIBS = libsched/libsched.a $(reyes_libs) $(CUDA_LIBS)
%D%/libreyes.so.$(SHLIB_VERSION): libsched/libsched.a
EXTRA_DIST += %D%/libreyes.map
include %D%/scene/local.mk
include %D%/rib/local.mk
include %D%/geom/local.mk
include %D%/polygon/local.mk
include %D%/shade/local.mk
include %D%/image/local.mk
include %D%/render/local.mk
include %D%/preview/local.mk
include %D%/alone/local.mk
%C%_libreyes_a_SOURCES = $(reyes_sources)
%C%_libreyes_a_LIBADD = $(reyes_objects)
EXTRA_%C%_libreyes_a_DEPENDENCIES = $(reyes_objects)
%C%_libreyes_a_CFLAGS = $(AM_CFLAGS) -ffp-contract=off

reyesincludedir = $(includedir)/reyes
reyesinclude_HEADERS = %D%/include/reyes/reyes.h %D%/include/reyes/ri.h
pkgconfig_DATA += %D%/reyes.pc
