reyes_sources += %D%/bezier_rows.c %D%/bezier_rows.h %D%/bezier_tensor.c %D%/eval.h \
	%D%/eval_bezier.h %D%/eval_quadric.h %D%/lower.c %D%/lower.h \
	%D%/lower_curve.c %D%/lower_emit.c %D%/lower_nupatch.c %D%/lower_patch.c \
	%D%/lower_patch.h %D%/lower_polygon.c %D%/lower_quadric.c %D%/lower_subdiv.c \
	%D%/lower_vars.c %D%/subdiv_corners.c %D%/subdiv_corners.h %D%/subdiv_local.c \
	%D%/subdiv_local.h %D%/subdiv_mesh.c %D%/subdiv_mesh.h %D%/subdiv_patch.c \
	%D%/subdiv_rules.c %D%/subdiv_tags.c
