/* Requests of polygons. All four become one kind of shape. */
#include <stdlib.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/draw.h"
#include "reyes/scene/primvars.h"

/* The arrays of a request; NULL: all ones (loops), or 0, 1, 2, .. (vertices). */
typedef struct polygons {
	size_t polygon_count, loop_count, vertex_count;
	const int32_t *loop_counts, *vertex_counts, *vertices;
} polygons;

/* The sum of counts, all at least `least`, or SIZE_MAX if one is less or they are too many. */
static size_t sum_of(const int32_t *counts, size_t n, int32_t least)
{
	size_t sum = 0, i;

	for (i = 0; i < n; i++) {
		if (counts[i] < least || sum > INT32_MAX)
			return SIZE_MAX;
		sum += (size_t)counts[i];
	}
	return sum;
}

/* Checks the arrays against each other. Faces that are wrong in themselves are left out when they
 * are drawn. */
static reyes_status check(reyes_renderer *r, const polygons *g, size_t points)
{
	size_t sum;

	if (g->polygon_count == 0 || g->loop_count == 0)
		return reyes_i_error(r, "has no polygon");
	if (g->loop_counts && sum_of(g->loop_counts, g->polygon_count, 1) != g->loop_count)
		return reyes_i_error(r,
			"the loop counts are not positive or do not sum to the %zu "
			"vertex counts",
			g->loop_count);
	if (points == 0)
		return reyes_i_error(r, "has no points: \"P\" is missing or has an error");
	sum = sum_of(g->vertex_counts, g->loop_count, 0);
	if (sum == SIZE_MAX || sum != g->vertex_count)
		return reyes_i_error(
			r, "the vertex counts do not sum to the %zu vertices", g->vertex_count);
	if (!g->vertices && g->vertex_count > points)
		return reyes_i_error(r, "the loops have %zu vertices, but \"P\" has %zu",
			g->vertex_count, points);
	return REYES_OK;
}

/* Marks the polygons with a vertex that does not exist: all their vertices become the first one,
 * so that they have no area. Polygons keep their numbers, which select values of variables. */
static void mark_bad(reyes_i_shape *s, size_t points)
{
	const int32_t *counts = s->ints + s->counts[0];
	int32_t *vertices = s->ints + s->counts[0] + s->counts[1];
	size_t i, k;

	for (i = 0; i < s->counts[0]; i++) {
		size_t n = 0;
		int is_bad = 0;

		for (k = 0; k < (size_t)s->ints[i]; k++)
			n += (size_t)counts[k];
		for (k = 0; k < n; k++)
			is_bad |= vertices[k] < 0 || (size_t)vertices[k] >= points;
		for (k = 0; is_bad && k < n; k++)
			vertices[k] = 0;
		counts += s->ints[i];
		vertices += n;
	}
}

/* Copies the arrays into a shape. Returns 0 if there is no memory. */
static int copy(reyes_i_shape *s, const polygons *g, size_t points)
{
	size_t n, i;

	/* All counts are below 2^31 after the check. */
	n = g->polygon_count + g->loop_count + g->vertex_count;
	s->ints = n <= SIZE_MAX / sizeof(*s->ints) ? malloc(n * sizeof(*s->ints)) : NULL;
	if (!s->ints)
		return 0;
	s->int_count = n;
	s->counts[0] = g->polygon_count;
	s->counts[1] = g->loop_count;
	s->counts[2] = g->vertex_count;
	for (i = 0; i < g->polygon_count; i++)
		s->ints[i] = g->loop_counts ? g->loop_counts[i] : 1;
	memcpy(s->ints + g->polygon_count, g->vertex_counts, g->loop_count * sizeof(*s->ints));
	for (i = 0; i < g->vertex_count; i++)
		s->ints[g->polygon_count + g->loop_count + i] =
			g->vertices ? g->vertices[i] : (int32_t)i;
	mark_bad(s, points);
	return 1;
}

/* Reads the variables, checks and draws. A NULL vertex_counts is one loop of all points. */
static reyes_status draw(reyes_renderer *r, const char *request, polygons g, const reyes_params *p)
{
	int32_t all;
	reyes_i_shape s;
	reyes_status status;

	if (!reyes_i_shape_init(&s, REYES_I_SHAPE_POLYGONS, request))
		return reyes_i_no_memory(r);
	status = reyes_i_primvars_read(r, &s, p, 0, 0);
	if (!g.vertex_counts) {
		const size_t points = reyes_i_vertex_count(&s);

		all = points > INT32_MAX ? INT32_MAX : (int32_t)points;
		g.vertex_counts = &all;
		g.vertex_count = points;
	}
	if (status == REYES_OK)
		status = check(r, &g, reyes_i_vertex_count(&s));
	if (status == REYES_OK && !copy(&s, &g, reyes_i_vertex_count(&s)))
		status = reyes_i_no_memory(r);
	return reyes_i_draw(r, &s, status);
}

reyes_status reyes_polygon(reyes_renderer *r, const reyes_params *p)
{
	const polygons g = { 1, 1, 0, NULL, NULL, NULL };

	REYES_I_ENTER(r, "Polygon", REYES_I_GEOMETRY, REYES_I_KEYS);
	return draw(r, "Polygon", g, p);
}

reyes_status reyes_general_polygon(
	reyes_renderer *r, size_t loop_count, const int32_t *vertex_counts, const reyes_params *p)
{
	int32_t loops = loop_count > INT32_MAX ? INT32_MAX : (int32_t)loop_count;
	polygons g = { 1, loop_count, 0, NULL, vertex_counts, NULL };

	REYES_I_ENTER(r, "GeneralPolygon", REYES_I_GEOMETRY, REYES_I_KEYS);
	if (loop_count == 0 || !vertex_counts)
		return reyes_i_error(r, "has no loop");
	g.loop_counts = &loops;
	g.vertex_count = sum_of(vertex_counts, loop_count, 0);
	return draw(r, "GeneralPolygon", g, p);
}

reyes_status reyes_points_polygons(reyes_renderer *r, size_t polygon_count,
	const int32_t *vertex_counts, size_t vertex_count, const int32_t *vertices,
	const reyes_params *p)
{
	const polygons g = { polygon_count, polygon_count, vertex_count, NULL, vertex_counts,
		vertices };

	REYES_I_ENTER(r, "PointsPolygons", REYES_I_GEOMETRY, REYES_I_KEYS);
	if (polygon_count == 0 && vertex_count == 0)
		return REYES_OK; /* exporters write empty objects */
	if (!vertex_counts || !vertices)
		return reyes_i_error(r, "needs vertex counts and vertices");
	return draw(r, "PointsPolygons", g, p);
}

reyes_status reyes_points_general_polygons(reyes_renderer *r, size_t polygon_count,
	const int32_t *loop_counts, size_t loop_count, const int32_t *vertex_counts,
	size_t vertex_count, const int32_t *vertices, const reyes_params *p)
{
	const polygons g = { polygon_count, loop_count, vertex_count, loop_counts, vertex_counts,
		vertices };

	REYES_I_ENTER(r, "PointsGeneralPolygons", REYES_I_GEOMETRY, REYES_I_KEYS);
	if (polygon_count == 0 && loop_count == 0 && vertex_count == 0)
		return REYES_OK;
	if (!loop_counts || !vertex_counts || !vertices)
		return reyes_i_error(r, "needs loop counts, vertex counts and vertices");
	return draw(r, "PointsGeneralPolygons", g, p);
}
