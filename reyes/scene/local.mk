# Graphics state of the RI calls, and the frame.
reyes_sources += %D%/attr_index.c %D%/attribute_named.c %D%/attributes.c %D%/blocks.c \
	%D%/blocks.h %D%/camera.c %D%/camera.h %D%/declare.c %D%/declare.h %D%/draw.c %D%/draw.h \
	%D%/enter.c %D%/frame.h %D%/frame_arrays.c %D%/frame_arrays.h %D%/light_set.c \
	%D%/light_set.h %D%/lights.c %D%/log.c %D%/matrix.c %D%/matrix.h %D%/meshes.c \
	%D%/message_counts.h %D%/motion.c %D%/motion.h %D%/move_floats.c %D%/move_floats.h \
	%D%/move_frame.c %D%/names.c %D%/names.h %D%/object.c %D%/object.h %D%/options_camera.c \
	%D%/options_named.c %D%/options_output.c %D%/orientation.c %D%/params.c %D%/params.h \
	%D%/patches.c %D%/polygons.c %D%/primvars.c %D%/primvars.h %D%/quadrics.c %D%/renderer.c \
	%D%/renderer.h %D%/rib_seam.h %D%/settings.c %D%/settings.h %D%/shader_table.c \
	%D%/shader_table.h %D%/shaders.c %D%/shape.h %D%/shape_keys.c %D%/shape_keys.h %D%/solid.c \
	%D%/spaces.c %D%/spaces.h %D%/state.c %D%/state.h %D%/status.c %D%/textures.c \
	%D%/transform.c %D%/view.h %D%/world.c %D%/xform.c %D%/xform.h
