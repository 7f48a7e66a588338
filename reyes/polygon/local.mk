# Triangulation of polygons, for the renderer and for the workloads' meshes.
triangulate_sources = %D%/triangulate.c %D%/triangulate.h %D%/triangulate_holes.c \
	%D%/triangulate_node.h
reyes_sources += $(triangulate_sources)
