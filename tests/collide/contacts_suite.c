/* Contacts against the search on the host, on the backend of setup_backend. */
#include "collide/pairs/point.h"
#include "tests/collide/pairs_suite.h"
#include "tests/collide/setup.h"
#include "tests/common/check.h"
#include "tests/common/rng.h"

#include <stdlib.h>
#include <string.h>
#include <CUnit/CUnit.h>

/* The vertices of a pair as the search has them. */
static void load(const setup_mesh *m, const collide_mesh *mesh, collide_kind kind, collide_pair p,
	col_query *q)
{
	const int is_edges = kind == COLLIDE_EDGE_EDGE;
	uint32_t v[4], n;

	n = setup_corners(m, mesh, is_edges ? COLLIDE_EDGE : COLLIDE_VERTEX, p.a, v);
	(void)setup_corners(m, mesh, is_edges ? COLLIDE_EDGE : COLLIDE_FACE, p.b, v + n);
	q->is_edges = is_edges;
	for (int k = 0; k < 4; k++)
		for (int axis = 0; axis < 3; axis++) {
			q->start[k][axis] = (double)m->start[3 * v[k] + (uint32_t)axis];
			q->end[k][axis] = (double)m->end[3 * v[k] + (uint32_t)axis];
		}
}

/* Compares a contact with its definition; the cell that touches is within the tolerance, or as
 * small as cells are: 2^-20 of each parameter. */
static void check_point(const col_query *q, const collide_contact *k, double tolerance)
{
	const int n = q->is_edges ? 2 : 1;
	const double t = (double)k->time * 0x1p-20;
	double a[3], b[3], side[3], sum_a = 0, sum_b = 0, length = 0, most = 0;
	int ok = 1;

	for (int i = 0; i < 3; i++) {
		sum_a += k->weight_a[i];
		sum_b += k->weight_b[i];
		ok &= k->weight_a[i] >= 0 && k->weight_b[i] >= 0;
	}
	for (int axis = 0; axis < 3; axis++) {
		a[axis] = b[axis] = 0;
		for (int i = 0; i < 4; i++) {
			const double at = q->start[i][axis] * (1 - t) + q->end[i][axis] * t;

			most = fmax(most, fmax(fabs(q->start[i][axis]), fabs(q->end[i][axis])));
			if (i < n)
				a[axis] += k->weight_a[i] * at;
			else
				b[axis] += k->weight_b[i - n] * at;
		}
		ok &= fabs(a[axis] - b[axis]) <=
		      fmax(2 * tolerance, 6 * most * 0x1p-20) + 1e-12 * most;
		ok &= fabs(b[axis] - k->point[axis]) <= 1e-12 * most;
		length += k->normal[axis] * k->normal[axis];
	}
	ok &= fabs(sum_a - 1) < 1e-12 && fabs(sum_b - 1) < 1e-12;
	ok &= length == 0 || fabs(length - 1) < 1e-12;
	test_check(ok, "point", __FILE__, __LINE__, "time %u, weights %g %g %g, %g %g %g", k->time,
		k->weight_a[0], k->weight_a[1], k->weight_a[2], k->weight_b[0], k->weight_b[1],
		k->weight_b[2]);
	/* a normal of sides that are not parallel is orthogonal to them */
	for (int i = 0; i < 2; i++) {
		double u[3], v[3], cross[3];

		col_side_of(q, q->is_edges ? 0 : 1, q->is_edges ? 1 : 2, t, u);
		col_side_of(q, q->is_edges ? 2 : 1, 3, t, v);
		for (int c = 0; c < 3; c++) {
			cross[c] =
				u[(c + 1) % 3] * v[(c + 2) % 3] - u[(c + 2) % 3] * v[(c + 1) % 3];
			side[c] = i ? v[c] : u[c];
		}
		if (most < 10 && col_dot(cross, cross) > 1e-6)
			CU_ASSERT_TRUE(fabs(col_dot(side, k->normal)) < 1e-9);
	}
}

/* Compares the times and contacts of all pairs of a kind. Returns the searches that ended early. */
static uint64_t compare(collide_ctx *c, const setup_mesh *m, collide_kind kind, double tolerance)
{
	collide_mesh *mesh = setup_mesh_of(c, m);
	collide_contact_options o;
	uint64_t count, touching, want = 0, limited = 0;
	collide_pair *pair = setup_brute(m, mesh, m, mesh, kind, &count);
	uint32_t *time = malloc((count + 1) * sizeof(*time));
	collide_contact *contact = malloc((count + 1) * sizeof(*contact));

	CU_ASSERT_FATAL(time && contact);
	collide_contact_options_init(&o);
	o.tolerance = tolerance;
	CU_ASSERT_EQUAL(collide_contacts(c, mesh, mesh, kind, &o, pair, count, time, &touching),
		COLLIDE_OK);
	CU_ASSERT_EQUAL(
		collide_contact_points(c, mesh, mesh, kind, &o, pair, count, contact, &want),
		COLLIDE_OK);
	CU_ASSERT_EQUAL(want, touching);
	want = 0;
	for (uint64_t i = 0; i < count; i++) {
		collide_contact k;
		col_search s;
		col_query q;

		load(m, mesh, kind, pair[i], &q);
		col_search_begin(&s);
		CU_ASSERT_TRUE(col_search_run(&s, &q, tolerance, COL_MOST_CELLS));
		test_check(time[i] == s.best, "times", __FILE__, __LINE__, "pair %llu: %u, not %u",
			(unsigned long long)i, time[i], s.best);
		col_contact_point(&s, &q, &k);
		CU_ASSERT_EQUAL(memcmp(&k, &contact[i], sizeof(k)), 0);
		if (s.best != COLLIDE_NEVER && !k.is_limited)
			check_point(&q, &k, tolerance);
		want += s.best != COLLIDE_NEVER;
		limited += s.cells > COL_MOST_CELLS;
	}
	CU_ASSERT_EQUAL(touching, want);
	free(contact);
	free(time);
	free(pair);
	collide_mesh_destroy(&mesh);
	return limited;
}

void contacts_have_the_times_of_one_thread(void)
{
	collide_ctx *c = setup_open();
	setup_mesh m;

	setup_random(&m, 60, 50, 2);
	CU_ASSERT_EQUAL(compare(c, &m, COLLIDE_VERTEX_FACE, 1e-4), 0);
	CU_ASSERT_EQUAL(compare(c, &m, COLLIDE_EDGE_EDGE, 1e-4), 0);
	setup_free(&m);
	collide_close(&c);
}

/* A vertex that falls on a face, and an edge on an edge, at known places and times. */
void contacts_have_points_and_normals(void)
{
	static const float start[] = { 0.25f, 0.5f, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0 };
	static const float end[] = { 0.25f, 0.5f, -1, 0, 0, 0, 1, 0, 0, 0, 1, 0 };
	static const uint32_t index[] = { 1, 2, 3 };
	static const collide_pair pair = { 0, 0 };
	collide_ctx *c = setup_open();
	collide_mesh *mesh;
	setup_mesh m = { 4, 1, (uint32_t[3]){ 1, 2, 3 }, (float[12]){ 0 }, (float[12]){ 0 } };
	collide_contact k;
	uint64_t touching;

	memcpy(m.index, index, sizeof(index));
	memcpy(m.start, start, sizeof(start));
	memcpy(m.end, end, sizeof(end));
	mesh = setup_mesh_of(c, &m);
	CU_ASSERT_EQUAL(collide_contact_points(
				c, mesh, mesh, COLLIDE_VERTEX_FACE, NULL, &pair, 1, &k, &touching),
		COLLIDE_OK);
	CU_ASSERT_EQUAL(touching, 1);
	CU_ASSERT_TRUE(k.time <= COLLIDE_TIME_STEP / 2 && k.time > COLLIDE_TIME_STEP / 2 - 8);
	CU_ASSERT_EQUAL(k.weight_a[0], 1);
	CU_ASSERT_DOUBLE_EQUAL(k.weight_b[0], 0.25, 1e-5);
	CU_ASSERT_DOUBLE_EQUAL(k.weight_b[1], 0.25, 1e-5);
	CU_ASSERT_DOUBLE_EQUAL(k.weight_b[2], 0.5, 1e-5);
	CU_ASSERT_DOUBLE_EQUAL(k.point[0], 0.25, 1e-5);
	CU_ASSERT_DOUBLE_EQUAL(k.point[1], 0.5, 1e-5);
	CU_ASSERT_TRUE(k.normal[0] == 0 && k.normal[1] == 0 && k.normal[2] == 1);
	CU_ASSERT_EQUAL(k.is_limited, 0);
	collide_mesh_destroy(&mesh);
	collide_close(&c);
}

/* ---- pairs with a margin ---- */

static collide_box box_of(
	const setup_mesh *m, const collide_mesh *mesh, collide_primitive p, uint32_t i)
{
	uint32_t v[3];
	const uint32_t n = setup_corners(m, mesh, p, i, v);
	collide_box b;

	for (uint32_t axis = 0; axis < 3; axis++) {
		b.lo[axis] = b.hi[axis] = m->start[3 * v[0] + axis];
		for (uint32_t k = 0; k < n; k++) {
			const float s = m->start[3 * v[k] + axis], e = m->end[3 * v[k] + axis];

			b.lo[axis] = fminf(b.lo[axis], fminf(s, e));
			b.hi[axis] = fmaxf(b.hi[axis], fmaxf(s, e));
		}
	}
	return b;
}

/* Whether two primitives are a pair. */
static int is_pair(const setup_mesh *m, const collide_mesh *mesh, collide_primitive p, uint32_t i,
	collide_primitive q, uint32_t j, float margin)
{
	const collide_box a = box_of(m, mesh, p, i), b = box_of(m, mesh, q, j);
	uint32_t v[3], w[3];
	const uint32_t n = setup_corners(m, mesh, p, i, v), k = setup_corners(m, mesh, q, j, w);
	int near = 1;

	for (uint32_t x = 0; x < n; x++)
		for (uint32_t y = 0; y < k; y++)
			near &= v[x] != w[y];
	for (int axis = 0; axis < 3; axis++)
		near &= a.lo[axis] - b.hi[axis] <= margin && b.lo[axis] - a.hi[axis] <= margin;
	return near;
}

void pairs_within_a_margin_are_those_of_all_pairs(void)
{
	static const double margins[] = { 0, 0.0625, 0.3, 1e30 };
	static const collide_primitive of[3][2] = { { COLLIDE_FACE, COLLIDE_FACE },
		{ COLLIDE_VERTEX, COLLIDE_FACE }, { COLLIDE_EDGE, COLLIDE_EDGE } };
	collide_ctx *c = setup_open();
	collide_mesh *mesh;
	setup_mesh m;

	setup_random(&m, 60, 40, 6);
	mesh = setup_mesh_of(c, &m);
	for (int round = 0; round < 12; round++) {
		const collide_primitive p = of[round % 3][0], q = of[round % 3][1];
		const double margin = margins[round / 3];
		const collide_pair *got;
		collide_find_options o;
		collide_pair *copy;
		uint64_t count, at = 0;

		collide_find_options_init(&o);
		o.order = COLLIDE_SORTED;
		o.margin = margin;
		CU_ASSERT_EQUAL_FATAL(collide_find_all(c, mesh, mesh, (collide_kind)(round % 3), &o,
					      &got, &count),
			COLLIDE_OK);
		copy = malloc((count + 1) * sizeof(*copy));
		CU_ASSERT_FATAL(copy != NULL);
		CU_ASSERT_EQUAL(collide_mem_read(c, copy, got, count * sizeof(*copy)), COLLIDE_OK);
		for (uint32_t i = 0; i < collide_mesh_count(mesh, p); i++)
			for (uint32_t j = p == q ? i + 1 : 0; j < collide_mesh_count(mesh, q); j++)
				if (is_pair(&m, mesh, p, i, q, j, (float)margin)) {
					CU_ASSERT_TRUE(
						at < count && copy[at].a == i && copy[at].b == j);
					at++;
				}
		CU_ASSERT_EQUAL(at, count);
		free(copy);
	}
	collide_mesh_destroy(&mesh);
	setup_free(&m);
	collide_close(&c);
}

/* Two triangles that shrink to a point, along the diagonal of the largest floats and of smaller
 * ones: without a limit their contacts take minutes. */
void contacts_take_a_bounded_number_of_cells(void)
{
	static const float a[18] = { 3.39999995f, 1.85809548f, 3.39999995f, 3.39999995f,
		3.39999995f, 3.39999995f, 3.4005711f, 3.39999995f, 3.39999995f, 3.18732347f,
		3.39999995f, 3.39999995f, 3.39999995f, 3.39999995f, 3.39999995f, 3.39999995f,
		3.39999995f, 3.39999995f };
	collide_ctx *c = setup_open();
	setup_mesh m;

	setup_random(&m, 6, 2, 1);
	for (uint32_t scale = 0; scale < 2; scale++) {
		const float unit = scale ? 1e38f : 1;

		for (uint32_t i = 0; i < 6; i++)
			m.index[i] = i;
		for (uint32_t i = 0; i < 18; i++) {
			m.start[i] = a[i] * unit;
			m.end[i] = i ? -3.39999995f * unit : -3.39996872f * unit;
		}
		for (uint32_t k = 0; k < 2; k++) {
			const double tolerance = k ? 1e30 : 6.8e-6 * (double)unit;

			/* 1e30 is more than the small triangles: one cell a candidate */
			CU_ASSERT_EQUAL(compare(c, &m, COLLIDE_VERTEX_FACE, tolerance) > 0,
				scale || k == 0);
			(void)compare(c, &m, COLLIDE_EDGE_EDGE, tolerance);
		}
	}
	setup_free(&m);
	collide_close(&c);
}

/* Edges from a common vertex in almost the same direction touch in many cells. In the plain order
 * alone the search takes 41,139 cells where they touch from the start. Else one of them arrives
 * from aside, in each window of time. */
void contacts_of_edges_with_a_common_vertex_take_few_cells(void)
{
	static const uint32_t arrival[] = { 0, 20, 1000, 50000, 200000, 900000 };
	static const col_query still = { { { -0.0061, -0.0054, -0.997 }, { 0, 0, -1 },
						 { -0.006, -0.0055, -0.997 }, { 0, 0, -1 } },
		{ { -0.0061, -0.0054, -0.9985 }, { 0, 0, -1 }, { -0.006, -0.0055, -0.9989 },
			{ 0, 0, -1 } },
		1 };

	for (size_t i = 0; i < sizeof(arrival) / sizeof(*arrival); i++) {
		const double at = (double)arrival[i] * 0x1p-20;
		col_query q = still;
		col_search s;

		for (int k = 2; i && k < 4; k++) {
			q.start[k][0] += at;
			q.end[k][0] -= 1 - at;
		}
		col_search_begin(&s);
		CU_ASSERT_TRUE(col_search_run(&s, &q, 2e-6, COL_MOST_CELLS));
		test_check(s.cells < (arrival[i] ? 12000u : 4096u) && s.best <= arrival[i] &&
				   s.best + 8 >= arrival[i],
			"common vertex", __FILE__, __LINE__, "%u: %u cells, time %u", arrival[i],
			s.cells, s.best);
	}
}
