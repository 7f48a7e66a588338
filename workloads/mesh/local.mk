# Triangle meshes for workloads.
workloads_libworkloads_a_SOURCES += \
	%D%/mesh.c %D%/mesh.h %D%/obj.c %D%/ply.c %D%/polygon.c %D%/shapes.c %D%/text.c \
	%D%/text.h $(triangulate_sources)
