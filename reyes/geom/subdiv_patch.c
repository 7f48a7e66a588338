/* Patches of the limit surface: a bicubic B-spline patch where the face and its surroundings are
 * regular, approximations elsewhere. A boundary or an infinitely sharp crease is the end of a
 * B-spline surface: its outer control points are mirrored at the edge. */
#include <string.h>
#include "reyes/geom/subdiv_local.h"

#define NONE REYES_I_NONE

static uint32_t corner_of(const reyes_i_local *a, uint32_t face, uint32_t vertex)
{
	uint32_t c;

	for (c = a->face_first[face]; c < a->face_first[face + 1]; c++)
		if (a->corner_vertex[c] == vertex)
			return c;
	return NONE;
}

/* Returns the corner `steps` after c in its quadrilateral. */
static uint32_t around(const reyes_i_local *a, uint32_t face, uint32_t c, uint32_t steps)
{
	uint32_t first = a->face_first[face];

	return first + (c - first + steps) % 4;
}

static int is_sharp(const reyes_i_local *a, uint32_t edge)
{
	return a->edge_sharp[edge] >= REYES_I_EXTREME;
}

static uint32_t beyond(const reyes_i_local *a, uint32_t edge)
{
	return a->edge_face[edge][0] == 0 ? a->edge_face[edge][1] : a->edge_face[edge][0];
}

static int is_quad(const reyes_i_local *a, uint32_t face)
{
	return a->face_first[face + 1] - a->face_first[face] == 4;
}

/* Decides if the face beyond the smooth edge of a corner ends at the crease: then two faces lie on
 * this side of it, as at the border of a B-spline surface. */
static int crease_goes_on(const reyes_i_local *a, uint32_t smooth_edge, uint32_t vertex)
{
	uint32_t g = beyond(a, smooth_edge), c, e0, e1;

	if (g == NONE || g == 0 || !is_quad(a, g))
		return 0;
	c = corner_of(a, g, vertex);
	if (c == NONE)
		return 0;
	e0 = a->corner_edge[c];
	e1 = a->corner_edge[around(a, g, c, 3)];
	return is_sharp(a, e0 == smooth_edge ? e1 : e0);
}

static int is_regular_corner(const reyes_i_local *a, uint32_t i)
{
	const reyes_i_survey *s = &a->survey[i];
	uint32_t after = a->corner_edge[i], before = a->corner_edge[(i + 3) % 4];
	int sharp = is_sharp(a, after) + is_sharp(a, before);

	if (s->semi_sharp)
		return 0;
	if (s->rule == REYES_I_CORNER)
		return sharp == 2;
	if (s->rule == REYES_I_CREASE)
		return sharp == 1 &&
		       crease_goes_on(a, is_sharp(a, after) ? before : after, a->corner_vertex[i]);
	return s->sharp == 0 && s->edges == 4 && s->faces == 4 && !s->other_faces;
}

/* The grid of control points: [row along v][column along u]; the face's corners are inside. The
 * same numbers are those of Bezier points: inside of the patch, on its edges, its corners. */
static const uint8_t inner[4] = { 5, 6, 10, 9 };
static const uint8_t outer[4][2] = { { 1, 2 }, { 7, 11 }, { 14, 13 }, { 8, 4 } };
static const uint8_t diagonal[4] = { 0, 3, 15, 12 };

static void copy(const reyes_i_local *a, uint32_t vertex, uint32_t channels, double *grid, int at)
{
	memcpy(grid + (size_t)at * channels, a->values + (size_t)vertex * channels,
		channels * sizeof(*grid));
}

/* Writes point `at` as the mirror image of point `from` in point `edge`. */
static void mirror(double *grid, uint32_t channels, int at, int edge, int from)
{
	uint32_t k;

	for (k = 0; k < channels; k++)
		grid[(size_t)at * channels + k] =
			2 * grid[(size_t)edge * channels + k] - grid[(size_t)from * channels + k];
}

/* Writes the two points beyond side i of the face. Returns 0 if the faces are no grid. */
static int fill_side(const reyes_i_local *a, uint32_t i, uint32_t channels, double *grid)
{
	uint32_t next = (i + 1) % 4, edge = a->corner_edge[i], g, c, k;

	if (is_sharp(a, edge)) {
		mirror(grid, channels, outer[i][0], inner[i], inner[(i + 3) % 4]);
		mirror(grid, channels, outer[i][1], inner[next], inner[(i + 2) % 4]);
		return 1;
	}
	g = beyond(a, edge);
	if (g == NONE || g == 0 || !is_quad(a, g))
		return 0;
	for (k = 0; k < 2; k++) {
		uint32_t at = a->corner_vertex[k ? next : i],
			 other = a->corner_vertex[k ? i : next];
		uint32_t vertex;

		c = corner_of(a, g, at);
		if (c == NONE)
			return 0;
		vertex = a->corner_vertex[around(a, g, c, 1)];
		if (vertex == other)
			vertex = a->corner_vertex[around(a, g, c, 3)];
		copy(a, vertex, channels, grid, outer[i][k]);
	}
	return 1;
}

/* Writes the point diagonally beyond corner i. */
static int fill_diagonal(const reyes_i_local *a, uint32_t i, uint32_t channels, double *grid)
{
	uint32_t before = (i + 3) % 4, f, c;
	uint32_t side[2] = { beyond(a, a->corner_edge[i]), beyond(a, a->corner_edge[before]) };

	if (is_sharp(a, a->corner_edge[i])) {
		mirror(grid, channels, diagonal[i], outer[before][1], outer[before][0]);
		return 1;
	}
	if (is_sharp(a, a->corner_edge[before])) {
		mirror(grid, channels, diagonal[i], outer[i][0], outer[i][1]);
		return 1;
	}
	for (f = 1; f < a->face_count; f++) {
		if (f == side[0] || f == side[1])
			continue;
		c = corner_of(a, f, a->corner_vertex[i]);
		if (c == NONE)
			continue;
		copy(a, a->corner_vertex[around(a, f, c, 2)], channels, grid, diagonal[i]);
		return 1;
	}
	return 0;
}

/* Converts four points, `step` doubles apart. The sums are symmetric: a neighbour that has the
 * points in the opposite order computes the same bits. */
static void convert_four(double *p, size_t step)
{
	double a = p[0], b = p[step], c = p[2 * step], d = p[3 * step];

	p[0] = ((a + c) + 4 * b) / 6;
	p[step] = (2 * b + c) / 3;
	p[2 * step] = (b + 2 * c) / 3;
	p[3 * step] = ((b + d) + 4 * c) / 6;
}

void reyes_i_b_spline_to_bezier(double *points, uint32_t channels)
{
	size_t n = channels, i, k;

	for (k = 0; k < n; k++) {
		for (i = 0; i < 4; i++)
			convert_four(points + i * 4 * n + k, n);
		for (i = 0; i < 4; i++)
			convert_four(points + i * n + k, 4 * n);
	}
}

int reyes_i_local_patch(const reyes_i_local *a, uint32_t channels, double *bezier)
{
	uint32_t i;

	if (a->face_first[1] != 4)
		return 0;
	for (i = 0; i < 4; i++)
		if (!is_regular_corner(a, i))
			return 0;
	for (i = 0; i < 4; i++)
		copy(a, a->corner_vertex[i], channels, bezier, inner[i]);
	for (i = 0; i < 4; i++)
		if (!fill_side(a, i, channels, bezier))
			return 0;
	for (i = 0; i < 4; i++)
		if (!fill_diagonal(a, i, channels, bezier))
			return 0;
	reyes_i_b_spline_to_bezier(bezier, channels);
	return 1;
}

/* Writes the limit position of a corner of the central face; all faces are quadrilaterals. */
static void limit_position(const reyes_i_local *a, uint32_t i, uint32_t channels, double *out)
{
	const reyes_i_survey *s = &a->survey[i];
	uint32_t v = a->corner_vertex[i], f, c, k;
	const double *at = a->values + (size_t)v * channels;
	double n = s->edges, total = n * (n + 5);

	if (s->rule != REYES_I_SMOOTH) {
		for (k = 0; k < channels; k++) {
			const double *p = a->values + (size_t)s->ends[0] * channels;
			const double *q = a->values + (size_t)s->ends[1] * channels;

			out[k] = s->rule == REYES_I_CORNER ? at[k] : (p[k] + q[k] + 4 * at[k]) / 6;
		}
		return;
	}
	for (k = 0; k < channels; k++)
		out[k] = (n * n * at[k] + 4 * a->edge_sum[(size_t)i * channels + k]) / total;
	for (f = 0; f < a->face_count; f++) {
		c = corner_of(a, f, v);
		if (c == NONE)
			continue;
		c = a->corner_vertex[around(a, f, c, 2)];
		for (k = 0; k < channels; k++)
			out[k] += a->values[(size_t)c * channels + k] / total;
	}
}

/* Writes a channel of the Bezier point inside of a face next to its corner, of n edges, by the
 * method of C. Loop and S. Schaefer 2008. */
static double inside_value(double n, double corner, double beside0, double beside1, double opposite)
{
	return (n * corner + 2 * (beside0 + beside1) + opposite) / (n + 5);
}

int reyes_i_local_approximate(
	const reyes_i_local *a, uint32_t channels, double *grid, double *bezier)
{
	const size_t ch = channels;
	uint32_t i, k, c;

	for (i = 0; i < 4; i++) {
		const reyes_i_survey *s = &a->survey[i];

		if (s->sharp || s->rule != REYES_I_SMOOTH || s->other_faces || s->edges != s->faces)
			return 0;
		copy(a, a->corner_vertex[i], channels, grid, inner[i]);
	}
	for (i = 0; i < 4; i++)
		if (!fill_side(a, i, channels, grid))
			return 0;
	for (i = 0; i < 4; i++) {
		uint32_t next = (i + 1) % 4, before = (i + 3) % 4, opposite = (i + 2) % 4;

		limit_position(a, i, channels, bezier + diagonal[i] * ch);
		for (c = 0; c < channels; c++)
			bezier[inner[i] * ch + c] = inside_value(a->survey[i].edges,
				grid[inner[i] * ch + c], grid[inner[next] * ch + c],
				grid[inner[before] * ch + c], grid[inner[opposite] * ch + c]);
	}
	/* A point on an edge is the middle of the points inside of both faces. */
	for (i = 0; i < 4; i++)
		for (k = 0; k < 2; k++) {
			uint32_t at = k ? (i + 1) % 4 : i, other = k ? i : (i + 1) % 4;

			for (c = 0; c < channels; c++) {
				double beyond_edge = inside_value(a->survey[at].edges,
					grid[inner[at] * ch + c], grid[inner[other] * ch + c],
					grid[outer[i][k] * ch + c], grid[outer[i][1 - k] * ch + c]);

				bezier[outer[i][k] * ch + c] =
					(bezier[inner[at] * ch + c] + beyond_edge) / 2;
			}
		}
	return 1;
}

void reyes_i_local_limit(const reyes_i_local *a, uint32_t channels, double *bezier)
{
	static const uint8_t place[4] = { 0, 3, 15, 12 };
	uint32_t i, k, c;

	for (i = 0; i < 4; i++)
		limit_position(a, i, channels, bezier + (size_t)place[i] * channels);
	for (c = 0; c < channels; c++) {
		const size_t n = channels;
		double p[4] = { bezier[c], bezier[3 * n + c], bezier[12 * n + c],
			bezier[15 * n + c] };

		for (i = 0; i < 4; i++)
			for (k = 0; k < 4; k++) {
				double u = k / 3.0, v = i / 3.0;

				bezier[(4 * i + k) * n + c] =
					(1 - v) * ((1 - u) * p[0] + u * p[1]) +
					v * ((1 - u) * p[2] + u * p[3]);
			}
	}
}
