/* Polygons: triangles and convex quadrilaterals directly, all others by triangulation. */
#include <math.h>
#include <stdlib.h>
#include "reyes/geom/lower.h"
#include "reyes/polygon/triangulate.h"

typedef struct polygons {
	reyes_i_lowering *l;
	const double *net;
	const float *object; /* positions in object space */
	/* The current polygon: its loops, its first corner in the list of vertex numbers. */
	size_t polygon, first;
	const int32_t *counts, *vertices;
	size_t loop_count, corner_count;
	uint32_t axis[2]; /* coordinates of the plane in which it is triangulated */
	double normal[3]; /* twice the area is its length */
	double (*points)[2];
	size_t point_room;
	reyes_i_triangulator triangulator;
	/* For the report: polygons that are not drawn, the first of them, ignored holes. */
	size_t bad_loops, first_bad, flat, first_flat, bad_holes;
} polygons;

/* Appends the surface over four corners of the polygon, (u,v) = 00, 10, 01, 11. */
static int emit_quad(polygons *m, const uint32_t corner[4], int flat)
{
	reyes_i_lowering *l = m->l;
	reyes_i_corners c;
	reyes_i_prim *p;
	float *floats;
	uint32_t k, i, d;

	p = reyes_i_emit(l, REYES_I_BILINEAR, 12, &floats);
	if (!p)
		return 0;
	p->flags = flat ? REYES_I_FLAT : 0;
	c.uniform = m->polygon;
	for (i = 0; i < 4; i++) {
		c.face[i] = m->first + corner[i];
		c.vertex[i] = c.varying[i] = (size_t)m->vertices[c.face[i]];
	}
	for (k = 0; k < l->key_count; k++)
		for (i = 0; i < 4; i++) {
			const double *v = m->net + c.vertex[i] * l->channels + (size_t)k * 3;

			for (d = 0; d < 3; d++)
				*floats++ = (float)v[d];
		}
	return reyes_i_settle(l) && reyes_i_emit_vars(l, &c, NULL);
}

static const float *corner_point(const polygons *m, size_t corner)
{
	return m->object + 3 * (size_t)m->vertices[m->first + corner];
}

/* Computes the normal of the outer loop by Newell's method and the plane of the projection, in
 * which the loop is counterclockwise. */
static void find_plane(polygons *m)
{
	size_t n = (size_t)m->counts[0], i;
	const float *o = corner_point(m, 0);
	uint32_t k, most = 0;

	m->normal[0] = m->normal[1] = m->normal[2] = 0;
	for (i = 1; i + 1 < n; i++) {
		const float *a = corner_point(m, i), *b = corner_point(m, i + 1);
		double p[3], q[3];

		for (k = 0; k < 3; k++) {
			p[k] = (double)a[k] - o[k];
			q[k] = (double)b[k] - o[k];
		}
		for (k = 0; k < 3; k++)
			m->normal[k] +=
				p[(k + 1) % 3] * q[(k + 2) % 3] - p[(k + 2) % 3] * q[(k + 1) % 3];
	}
	for (k = 1; k < 3; k++)
		if (fabs(m->normal[k]) > fabs(m->normal[most]))
			most = k;
	m->axis[0] = (most + 1) % 3;
	m->axis[1] = (most + 2) % 3;
	if (m->normal[most] < 0) {
		uint32_t first = m->axis[0];

		m->axis[0] = m->axis[1];
		m->axis[1] = first;
	}
}

/* Decides if all four corners of a quadrilateral are convex in its plane. */
static int is_convex_quad(const polygons *m)
{
	double size = fabs(m->normal[0]) + fabs(m->normal[1]) + fabs(m->normal[2]);
	size_t i;

	for (i = 0; i < 4; i++) {
		const float *a = corner_point(m, i), *b = corner_point(m, (i + 1) % 4);
		const float *c = corner_point(m, (i + 2) % 4);
		uint32_t x = m->axis[0], y = m->axis[1];
		double turn = ((double)b[x] - a[x]) * ((double)c[y] - b[y]) -
			      ((double)b[y] - a[y]) * ((double)c[x] - b[x]);

		if (!(turn > 1e-6 * size))
			return 0;
	}
	return 1;
}

/* Decides if a quadrilateral is planar up to the rounding of its coordinates. */
static int is_planar_quad(const polygons *m)
{
	const float *o = corner_point(m, 0);
	double largest = 0, length = 0;
	size_t i, k;

	for (k = 0; k < 3; k++)
		length += m->normal[k] * m->normal[k];
	length = sqrt(length);
	for (i = 1; i < 4; i++) {
		const float *a = corner_point(m, i);
		double height = 0, extent = 0;

		for (k = 0; k < 3; k++) {
			height += m->normal[k] * ((double)a[k] - o[k]);
			extent = fmax(extent, fabs((double)a[k] - o[k]));
		}
		largest = fmax(largest, fabs(height) / fmax(extent, 1e-300));
	}
	return largest <= 1e-5 * length;
}

static void count_flat(polygons *m)
{
	if (!m->flat++)
		m->first_flat = m->polygon;
}

static int triangulate(polygons *m)
{
	reyes_i_triangulator *t = &m->triangulator;
	size_t i;

	if (m->corner_count > m->point_room) {
		size_t room = m->corner_count + m->corner_count / 2;

		free(m->points);
		m->points = calloc(room, sizeof(*m->points));
		m->point_room = m->points ? room : 0;
		if (!m->points) {
			m->l->no_memory = 1;
			return 0;
		}
	}
	for (i = 0; i < m->corner_count; i++) {
		m->points[i][0] = corner_point(m, i)[m->axis[0]];
		m->points[i][1] = corner_point(m, i)[m->axis[1]];
	}
	if (!reyes_i_triangulate(t, m->counts, m->loop_count, (const double(*)[2])m->points)) {
		m->l->no_memory = 1;
		return 0;
	}
	m->bad_holes += t->bad_holes;
	if (!t->triangle_count)
		count_flat(m);
	for (i = 0; i < t->triangle_count; i++) {
		const uint32_t *a = t->triangles[i];

		if (!emit_quad(m, (uint32_t[4]){ a[0], a[1], a[2], a[2] }, 1))
			return 0;
	}
	return 1;
}

/* Whether the polygon has too few corners, or its corners are one vertex: so the scene marks those
 * whose vertices do not exist. */
static int is_bad(const polygons *m)
{
	size_t i;

	for (i = 0; i < m->loop_count; i++)
		if (m->counts[i] < 3)
			return 1;
	for (i = 1; i < m->corner_count; i++)
		if (m->vertices[m->first + i] != m->vertices[m->first])
			return 0;
	return 1;
}

static int emit_polygon(polygons *m)
{
	if (is_bad(m)) {
		if (!m->bad_loops++)
			m->first_bad = m->polygon;
		return 1;
	}
	find_plane(m);
	if (m->corner_count == 3) {
		/* a moving one may have an area later */
		if (m->l->s->key_count > 1 || m->normal[0] != 0 || m->normal[1] != 0 ||
			m->normal[2] != 0)
			return emit_quad(m, (const uint32_t[4]){ 0, 1, 2, 2 }, 1);
		count_flat(m);
		return 1;
	}
	if (m->corner_count == 4 && is_convex_quad(m))
		return emit_quad(m, (const uint32_t[4]){ 0, 1, 3, 2 },
			m->l->s->key_count == 1 && is_planar_quad(m));
	return triangulate(m);
}

/* Checks the three lists of numbers; writes the number of vertices. */
static int check_numbers(reyes_i_lowering *l, size_t *vertex_count)
{
	const reyes_i_shape *s = l->s;
	size_t loops = 0, corners = 0, i;
	int32_t largest = -1;

	if (s->counts[0] > s->int_count || s->counts[1] > s->int_count - s->counts[0] ||
		s->counts[2] > s->int_count - s->counts[0] - s->counts[1])
		return reyes_i_drop(l, "it has %zu integers, %zu polygons need more", s->int_count,
			s->counts[0]);
	for (i = 0; i < s->counts[0]; i++) {
		if (s->ints[i] < 1)
			return reyes_i_drop(l, "polygon %zu has %d loops, at least 1 is needed", i,
				(int)s->ints[i]);
		loops += (size_t)s->ints[i];
	}
	if (loops != s->counts[1])
		return reyes_i_drop(l,
			"the polygons have %zu loops, but there are %zu counts of "
			"vertices",
			loops, s->counts[1]);
	for (i = 0; i < loops; i++) {
		int32_t n = s->ints[s->counts[0] + i];

		if (n < 0)
			return reyes_i_drop(l, "loop %zu has %d vertices", i, (int)n);
		corners += (size_t)n;
	}
	if (corners != s->counts[2])
		return reyes_i_drop(l,
			"the loops have %zu vertices, but there are %zu vertex "
			"numbers",
			corners, s->counts[2]);
	for (i = 0; i < corners; i++) {
		int32_t v = s->ints[s->counts[0] + s->counts[1] + i];

		if (v < 0)
			return reyes_i_drop(l, "vertex number %zu is %d", i, (int)v);
		largest = v > largest ? v : largest;
	}
	*vertex_count = (size_t)largest + 1;
	return 1;
}

static int emit_all(polygons *m)
{
	const reyes_i_shape *s = m->l->s;
	size_t i;

	m->counts = s->ints + s->counts[0];
	m->vertices = m->counts + s->counts[1];
	for (m->polygon = 0; m->polygon < s->counts[0]; m->polygon++) {
		m->loop_count = (size_t)s->ints[m->polygon];
		m->corner_count = 0;
		for (i = 0; i < m->loop_count; i++)
			m->corner_count += (size_t)m->counts[i];
		if (!emit_polygon(m))
			return 0;
		m->counts += m->loop_count;
		m->first += m->corner_count;
	}
	if (m->bad_loops)
		reyes_i_defect(m->l, REYES_LEVEL_WARN,
			"%zu of %zu polygons have a loop of fewer than 3 vertices, or a vertex "
			"that does not exist, and are not drawn; the first is polygon %zu",
			m->bad_loops, s->counts[0], m->first_bad);
	if (m->flat)
		reyes_i_defect(m->l, REYES_LEVEL_WARN,
			"%zu of %zu polygons have no area, or intersect themselves so that parts "
			"cancel, and are not drawn; the first is polygon %zu",
			m->flat, s->counts[0], m->first_flat);
	if (m->bad_holes)
		reyes_i_defect(m->l, REYES_LEVEL_WARN,
			"%zu holes are outside of their polygon and are ignored", m->bad_holes);
	return 1;
}

int reyes_i_lower_polygons(reyes_i_lowering *l)
{
	const reyes_i_shape *s = l->s;
	polygons m = { .l = l };
	reyes_i_needs needs;
	size_t vertices = 0;
	int done;

	if (!check_numbers(l, &vertices) || !reyes_i_has_points(l, vertices))
		return 0;
	needs = (reyes_i_needs){ { 1, s->counts[0], vertices, vertices, s->counts[2],
		s->counts[2] } };
	if (!reyes_i_read_vars(l, &needs))
		return 0;
	m.net = reyes_i_make_net(l, vertices, 0);
	if (!m.net)
		return 0;
	m.object = reyes_i_object_points(l, vertices);
	if (!m.object)
		return 0;
	reyes_i_default_st(l, m.object);
	done = emit_all(&m);
	free(m.points);
	reyes_i_triangulator_free(&m.triangulator);
	return done;
}
