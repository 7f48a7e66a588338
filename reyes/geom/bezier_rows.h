/* Conversion of splines to Bezier segments, one parametric direction at a time: each Bezier point
 * is a weighted sum of control points. The weights of a point that two segments share are the same
 * doubles, so that both segments get the same bits. */
#ifndef REYES_GEOM_BEZIER_ROWS_H
#define REYES_GEOM_BEZIER_ROWS_H

#include "reyes/geom/lower.h"

#define REYES_I_ORDER_MAX 16

typedef struct reyes_i_segment {
	size_t first; /* the sums' first control point; the others follow it, modulo rows.count */
	size_t span;  /* number of the segment in the request, empty ones included */
	double range[2];  /* part of the request's parameter, 0..1 */
	double inside[2]; /* part of the span: 0 and 1 unless the domain is trimmed */
	double (*weight)[REYES_I_ORDER_MAX]; /* [Bezier point][control point]; may be shared */
} reyes_i_segment;

typedef struct reyes_i_rows {
	size_t count, segments, spans;
	uint32_t points, width; /* Bezier points of a segment; control points in a sum */
	reyes_i_segment *list;
} reyes_i_rows;

/* Segments of a piecewise linear curve: 2 points each. Returns 0: no memory. */
int reyes_i_linear_rows(reyes_i_lowering *l, size_t count, int periodic, reyes_i_rows *rows);
/* Cubic segments by a basis matrix and its step; `what` names the direction in messages. */
int reyes_i_basis_rows(reyes_i_lowering *l, const char *what, size_t count, int periodic,
	const float basis[4][4], uint32_t step, reyes_i_rows *rows);
/* Segments of a B-spline of the given order between two parameters; knots: count + order. */
int reyes_i_knot_rows(reyes_i_lowering *l, const char *what, size_t count, uint32_t order,
	const float *knots, float min, float max, reyes_i_rows *rows);
/* Elevates segments of degree 1 or 2 to cubic ones. */
void reyes_i_elevate(reyes_i_rows *rows);

/* Writes the Bezier points of a patch, [v][u][channels], from the net, whose rows along u have
 * u->count vertices. */
void reyes_i_tensor(const reyes_i_rows *u, size_t i, const reyes_i_rows *v, size_t j,
	const double *net, uint32_t channels, double *out);
/* Corrects the points of a patch for control points that are vectors: the weights of a Bezier point
 * do not sum to 1 then (Hermite tangents), and the translation to camera space, which every control
 * point has, counts too often or not often enough. Homogeneous points need no correction. */
void reyes_i_correct_origin(const reyes_i_lowering *l, const reyes_i_rows *u, size_t i,
	const reyes_i_rows *v, size_t j, double *out);
/* Writes the value of a Bezier patch of orders nu and nv, points [v][u][channels]. */
void reyes_i_bezier_value(const double *points, uint32_t nu, uint32_t nv, uint32_t channels,
	double u, double v, double *out);
/* Replaces 4 x 4 values at u, v in {0, 1/4, 3/4, 1} by the Bezier points of the bicubic polynomial
 * through them. */
void reyes_i_fit_bicubic(double *values, uint32_t channels);

#endif
