/* Primitives of a rectangular mesh of patches. */
#ifndef REYES_GEOM_LOWER_PATCH_H
#define REYES_GEOM_LOWER_PATCH_H

#include "reyes/geom/bezier_rows.h"

/* Appends the patches of a mesh: bilinear, bicubic or rational by the points of the rows and by
 * l->rational. Columns of values of class varying: u_columns. Returns 0 if the shape is dropped or
 * memory is missing. */
int reyes_i_emit_patches(reyes_i_lowering *l, const reyes_i_rows *u, const reyes_i_rows *v,
	const double *net, size_t varying_columns, size_t varying_rows);

#endif
