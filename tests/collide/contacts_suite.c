/* Contacts against the search on the host, on the backend of setup_backend. */
#include "collide/pairs/search.h"
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

/* Compares the times of all pairs of a kind. Returns the searches that ended early. */
static uint64_t compare(collide_ctx *c, const setup_mesh *m, collide_kind kind, double tolerance)
{
	collide_mesh *mesh = setup_mesh_of(c, m);
	collide_contact_options o;
	uint64_t count, touching, want = 0, limited = 0;
	collide_pair *pair = setup_brute(m, mesh, m, mesh, kind, &count);
	uint32_t *time = malloc((count + 1) * sizeof(*time));

	CU_ASSERT_FATAL(time != NULL);
	collide_contact_options_init(&o);
	o.tolerance = tolerance;
	CU_ASSERT_EQUAL(collide_contacts(c, mesh, mesh, kind, &o, pair, count, time, &touching),
		COLLIDE_OK);
	for (uint64_t i = 0; i < count; i++) {
		col_search s;
		col_query q;

		load(m, mesh, kind, pair[i], &q);
		col_search_begin(&s);
		CU_ASSERT_TRUE(col_search_run(&s, &q, tolerance, COL_MOST_CELLS));
		test_check(time[i] == s.best, "times", __FILE__, __LINE__, "pair %llu: %u, not %u",
			(unsigned long long)i, time[i], s.best);
		want += s.best != COLLIDE_NEVER;
		limited += s.cells > COL_MOST_CELLS;
	}
	CU_ASSERT_EQUAL(touching, want);
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
		CU_ASSERT_TRUE(compare(c, &m, COLLIDE_VERTEX_FACE, 6.8e-6 * (double)unit) > 0);
		(void)compare(c, &m, COLLIDE_EDGE_EDGE, 6.8e-6 * (double)unit);
	}
	setup_free(&m);
	collide_close(&c);
}
