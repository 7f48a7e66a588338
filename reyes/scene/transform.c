/* Requests that change the current transform. */
#include <math.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/matrix.h"
#include "reyes/scene/motion.h"
#include "reyes/scene/params.h"

/* Reads a matrix of a request. Its last column must be 0 0 0 w: the matrix is divided by w. */
static reyes_status read_matrix(reyes_renderer *r, reyes_matrix from, double m[16])
{
	float given[16];
	double most = 0, w;
	int i;

	if (!from)
		return reyes_i_error(r, "needs a matrix");
	memcpy(given, from, sizeof(given));
	if (!reyes_i_all_finite(given, 16))
		return reyes_i_error(r, "the matrix has an element that is not finite");
	/* Not by fmax: GCC 12 for aarch64 fails with an internal error. */
	for (i = 0; i < 16; i++)
		most = fabs((double)given[i]) > most ? fabs((double)given[i]) : most;
	w = given[15];
	/* Exporters leave rounding errors in the last column. */
	if (!(fabs(w) > 1e-9 * most) ||
		fmax(fabs((double)given[3]),
			fmax(fabs((double)given[7]), fabs((double)given[11]))) > 1e-4 * fabs(w))
		return reyes_i_error(r,
			"the last column of the matrix is %g %g %g %g; projections other than "
			"Projection are not supported",
			(double)given[3], (double)given[7], (double)given[11], w);
	for (i = 0; i < 16; i++)
		m[i] = i % 4 == 3 ? i == 15 : given[i] / w;
	return REYES_OK;
}

reyes_status reyes_identity(reyes_renderer *r)
{
	reyes_i_move move = { .replace = 1 };

	REYES_I_ENTER(r, "Identity", REYES_I_ANYWHERE, REYES_I_KEYS);
	reyes_i_matrix_identity(move.matrix);
	return reyes_i_move_apply(r, &move);
}

reyes_status reyes_transform(reyes_renderer *r, reyes_matrix m)
{
	reyes_i_move move = { .replace = 1 };
	reyes_status s;

	REYES_I_ENTER(r, "Transform", REYES_I_ANYWHERE, REYES_I_KEYS);
	s = read_matrix(r, m, move.matrix);
	return s == REYES_OK ? reyes_i_move_apply(r, &move) : s;
}

reyes_status reyes_concat_transform(reyes_renderer *r, reyes_matrix m)
{
	reyes_i_move move = { .replace = 0 };
	reyes_status s;

	REYES_I_ENTER(r, "ConcatTransform", REYES_I_ANYWHERE, REYES_I_KEYS);
	s = read_matrix(r, m, move.matrix);
	return s == REYES_OK ? reyes_i_move_apply(r, &move) : s;
}

reyes_status reyes_perspective(reyes_renderer *r, float fov_degrees)
{
	const double *m;
	double identity[16];

	REYES_I_ENTER(r, "Perspective", REYES_I_OPTION, REYES_I_STATIC);
	if (!(fov_degrees > 0 && fov_degrees < 180))
		return reyes_i_error(r, "angle %g is not between 0 and 180", (double)fov_degrees);
	m = r->ctm->matrix[0];
	reyes_i_matrix_identity(identity);
	if (r->settings->perspective || r->ctm->count > 1 ||
		memcmp(m, identity, sizeof(identity)) != 0)
		return reyes_i_error(r, "only allowed as the first transform of an orthographic "
					"camera; use Projection");
	r->settings->perspective = 1;
	r->settings->fov_degrees = fov_degrees;
	return REYES_OK;
}

reyes_status reyes_translate(reyes_renderer *r, float dx, float dy, float dz)
{
	reyes_i_move move = { .replace = 0 };

	REYES_I_ENTER(r, "Translate", REYES_I_ANYWHERE, REYES_I_KEYS);
	reyes_i_matrix_translate(move.matrix, dx, dy, dz);
	return reyes_i_move_apply(r, &move);
}

reyes_status reyes_rotate(reyes_renderer *r, float degrees, float dx, float dy, float dz)
{
	reyes_i_move move = { .is_rotation = 1, .degrees = degrees, .axis = { dx, dy, dz } };

	REYES_I_ENTER(r, "Rotate", REYES_I_ANYWHERE, REYES_I_KEYS);
	if (!isfinite(degrees))
		return reyes_i_error(r, "the angle is not finite");
	if (!reyes_i_matrix_rotate(move.matrix, degrees, move.axis)) {
		if (degrees == 0)
			move.is_rotation = 0;
		else
			return reyes_i_error(r, "axis %g %g %g has no direction", (double)dx,
				(double)dy, (double)dz);
	}
	return reyes_i_move_apply(r, &move);
}

reyes_status reyes_scale(reyes_renderer *r, float sx, float sy, float sz)
{
	reyes_i_move move = { .replace = 0 };

	REYES_I_ENTER(r, "Scale", REYES_I_ANYWHERE, REYES_I_KEYS);
	reyes_i_matrix_scale(move.matrix, sx, sy, sz);
	return reyes_i_move_apply(r, &move);
}

reyes_status reyes_skew(reyes_renderer *r, float degrees, float dx1, float dy1, float dz1,
	float dx2, float dy2, float dz2)
{
	const float d1[3] = { dx1, dy1, dz1 }, d2[3] = { dx2, dy2, dz2 };
	reyes_i_move move = { .replace = 0 };

	REYES_I_ENTER(r, "Skew", REYES_I_ANYWHERE, REYES_I_KEYS);
	if (!isfinite(degrees))
		return reyes_i_error(r, "the angle is not finite");
	if (!reyes_i_matrix_skew(move.matrix, degrees, d1, d2))
		return reyes_i_error(r,
			"angle %g is not less than the angle between the axes, or an axis has no "
			"direction",
			(double)degrees);
	return reyes_i_move_apply(r, &move);
}
