/* The parts of collide: primitives of meshes, trees against all pairs, contacts whose time is known
 * by formula. */
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/workloads/harness.h"
#include "workloads/collide/host.h"
#include "workloads/common/memory.h"
#include "collide/pairs/primitives.h"
#include "collide/pairs/query.h"
#include "workloads/collide/tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const wl_type wl_collide_type;

static void test_primitives(void)
{
	/* two triangles with a common edge, and one with two equal corners */
	static const uint32_t index[] = { 2, 1, 0, 1, 2, 3, 4, 4, 3 };
	static const uint32_t edges[] = { 0, 1, 0, 2, 1, 2, 1, 3, 2, 3, 3, 4 };
	static const double start[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 5, 5, 5 };
	static const double end[] = { 0, 0, 2, 1, 0, 0, 0, 1, 0, 1, 1, 0, 5, 5, 5 };
	const col_poll never = { NULL, NULL };
	col_prims p[COL_PRIMS];
	col_box b;

	CU_ASSERT_EQUAL_FATAL(collide_i_prims_make(p, 5, 3, index, &never), 0);
	CU_ASSERT_EQUAL(p[COL_PRIM_VERTEX].count, 5);
	CU_ASSERT_EQUAL(p[COL_PRIM_FACE].count, 3);
	CU_ASSERT_EQUAL(p[COL_PRIM_EDGE].count, 6);
	CU_ASSERT_EQUAL(memcmp(p[COL_PRIM_EDGE].vertex, edges, sizeof(edges)), 0);
	collide_i_prims_box(&p[COL_PRIM_FACE], 0, start, end, &b);
	CU_ASSERT_TRUE(b.lo[0] == 0 && b.hi[0] == 1 && b.lo[1] == 0 && b.hi[1] == 1);
	CU_ASSERT_TRUE(b.lo[2] == 0 && b.hi[2] == 2);
	collide_i_prims_free(p);
}

/* Leaves of the subtree below `depth` nodes; each inner box contains what is below, and touches it.
 */
static uint32_t check_node(const col_node *node, const col_leaf *leaf, uint32_t name,
	uint32_t depth, col_box *box, uint8_t *seen)
{
	col_box below;
	uint32_t leaves = 0;

	if (name & COL_LEAF) {
		*box = leaf[name & ~COL_LEAF].box;
		CU_ASSERT_EQUAL(seen[leaf[name & ~COL_LEAF].primitive]++, 0);
		CU_ASSERT_TRUE(depth <= 96);
		return 1;
	}
	for (int k = 0; k < 2; k++) {
		leaves += check_node(node, leaf, node[name].child[k], depth + 1, &below, seen);
		CU_ASSERT_EQUAL(memcmp(&below, &node[name].box[k], sizeof(below)), 0);
	}
	*box = node[name].box[0];
	for (int axis = 0; axis < 3; axis++) {
		const col_box *other = &node[name].box[1];

		box->lo[axis] = other->lo[axis] < box->lo[axis] ? other->lo[axis] : box->lo[axis];
		box->hi[axis] = other->hi[axis] > box->hi[axis] ? other->hi[axis] : box->hi[axis];
	}
	return leaves;
}

/* Trees of random boxes, some of them equal: each leaf once, tight boxes. */
static void test_trees(void)
{
	enum { MOST = 700 };
	static col_box box[MOST];
	static col_node node[MOST];
	static col_leaf leaf[MOST];

	for (uint32_t n = 2; n <= MOST; n = n < 20 ? n + 1 : n * 3 / 2) {
		uint8_t seen[MOST] = { 0 };
		col_box all;

		for (uint32_t i = 0; i < n; i++)
			for (int axis = 0; axis < 3; axis++) {
				box[i].lo[axis] = (float)(n & 1 ? 1 : rng_below(50));
				box[i].hi[axis] = box[i].lo[axis] + (float)rng_below(9);
			}
		CU_ASSERT_EQUAL_FATAL(col_tree_make(box, n, node, leaf), 0);
		CU_ASSERT_EQUAL(check_node(node, leaf, 0, 0, &all, seen), n);
	}
	CU_ASSERT_EQUAL(col_tree_make(box, 1, node, leaf), 0);
	CU_ASSERT_EQUAL(leaf[0].primitive, 0);
	CU_ASSERT_EQUAL(col_tree_make(box, 0, node, leaf), 0);
}

/* The earliest contact in units of 2^-20; UINT32_MAX: none. */
static uint32_t earliest(const col_query *q, col_cell c, double tolerance, uint32_t best)
{
	int parameter = 0;
	col_cell half;

	if (col_cell_time(&c) >= best)
		return best;
	switch (col_judge(q, &c, tolerance, &parameter)) {
	case COL_APART:
		return best;
	case COL_TOUCH:
		return col_cell_time(&c);
	default:
		half = col_half(&c, parameter, 0);
		best = earliest(q, half, tolerance, best);
		half = col_half(&c, parameter, 1);
		return earliest(q, half, tolerance, best);
	}
}

static uint32_t contact(const col_query *q)
{
	return earliest(q, col_cell_decode(COL_CELL_ALL), 1e-6, UINT32_MAX);
}

/* A vertex that moves along z through a triangle at rest, at a known time and place. */
static void test_vertex_face(void)
{
	for (int i = 0; i < 200; i++) {
		const double x = (double)rng_below(1000) / 500 - 0.5;
		const double y = (double)rng_below(1000) / 500 - 0.5;
		const double t = (double)rng_below(1000) / 1000;
		const int inside = x >= 0.001 && y >= 0.001 && x + y <= 0.999;
		const int outside = x < -0.001 || y < -0.001 || x + y > 1.001;
		col_query q = { .start = { { x, y, -t }, { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
			.end = { { x, y, 1 - t }, { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } } };
		const uint32_t got = contact(&q);

		if (inside)
			CU_ASSERT_TRUE(got != UINT32_MAX && (double)got * 0x1p-20 <= t &&
				       (double)got * 0x1p-20 >= t - 4e-6);
		if (outside)
			CU_ASSERT_EQUAL(got, UINT32_MAX);
	}
}

/* An edge along x that moves along z through an edge along y. */
static void test_edges(void)
{
	for (int i = 0; i < 200; i++) {
		const double x = (double)rng_below(3000) / 1000 - 1;
		const double y = (double)rng_below(3000) / 1000 - 1;
		const double t = (double)rng_below(1500) / 1000;
		const int meet = x > 0.001 && x < 0.999 && y > 0.001 && y < 0.999 && t < 0.999;
		const int miss = x < -0.001 || x > 1.001 || y < -0.001 || y > 1.001 || t > 1.001;
		col_query q = { .start = { { 0, y, -t }, { 1, y, -t }, { x, 0, 0 }, { x, 1, 0 } },
			.end = { { 0, y, 1 - t }, { 1, y, 1 - t }, { x, 0, 0 }, { x, 1, 0 } },
			.is_edges = 1 };
		const uint32_t got = contact(&q);

		if (meet)
			CU_ASSERT_TRUE(got != UINT32_MAX && (double)got * 0x1p-20 <= t &&
				       (double)got * 0x1p-20 >= t - 4e-6);
		if (miss)
			CU_ASSERT_EQUAL(got, UINT32_MAX);
	}
}

/* Nothing moves: points on the triangle touch from the beginning; a degenerate triangle, too. */
static void test_rest(void)
{
	col_query q = { .start = { { .25, .25, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } },
		.end = { { .25, .25, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } } };

	CU_ASSERT_EQUAL(contact(&q), 0);
	q.start[0][2] = q.end[0][2] = 0.001;
	CU_ASSERT_EQUAL(contact(&q), UINT32_MAX);
	memset(q.start, 0, sizeof(q.start));
	memset(q.end, 0, sizeof(q.end));
	CU_ASSERT_EQUAL(contact(&q), 0);
	q.end[0][0] = q.start[0][0] = 1;
	CU_ASSERT_EQUAL(contact(&q), UINT32_MAX);
}

static void test_cells(void)
{
	for (int i = 0; i < 2000; i++) {
		col_cell c, d;

		for (int k = 0; k < COL_PARAMETERS; k++) {
			c.level[k] = rng_below(COL_MAX_LEVEL + 1);
			c.at[k] = rng_below(1u << c.level[k]);
		}
		d = col_cell_decode(col_cell_code(&c));
		CU_ASSERT_EQUAL(memcmp(&c, &d, sizeof(c)), 0);
	}
}

/* ---- pairs do not depend on the order of faces and vertices ---- */

static void shuffle(uint32_t *order, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	for (uint32_t i = n; i > 1; i--) {
		const uint32_t j = rng_below(i), was = order[i - 1];

		order[i - 1] = order[j];
		order[j] = was;
	}
}

/* Writes a mesh as OBJ, vertex v at place place[v] and the faces in the order `face`, their corners
 * turned. */
static void write_mesh(
	const char *path, const wl_mesh *m, const uint32_t *place, const uint32_t *face)
{
	FILE *f = fopen(path, "w");
	uint32_t *vertex_at = malloc(m->vertices * sizeof(*vertex_at));

	CU_ASSERT_FATAL(f != NULL && vertex_at != NULL);
	for (uint32_t v = 0; v < m->vertices; v++)
		vertex_at[place[v]] = v;
	for (uint32_t i = 0; i < m->vertices; i++) {
		const double *p = m->xyz + (size_t)vertex_at[i] * 3;

		fprintf(f, "v %.17g %.17g %.17g\n", p[0], p[1], p[2]);
	}
	for (uint32_t i = 0; i < m->triangles; i++) {
		const uint32_t *t = m->index + (size_t)face[i] * 3;

		fprintf(f, "f %u %u %u\n", place[t[i % 3]] + 1, place[t[(i + 1) % 3]] + 1,
			place[t[(i + 2) % 3]] + 1);
	}
	free(vertex_at);
	CU_ASSERT_EQUAL(fclose(f), 0);
}

/* A pair by the vertices of both primitives, in the numbers of the first mesh. */
typedef struct named_pair {
	uint32_t v[6];
} named_pair;

static int by_name(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(named_pair));
}

static void name_primitive(const col_prims *p, uint32_t i, const uint32_t *vertex_at, uint32_t v[3])
{
	for (uint32_t k = 0; k < 3; k++) {
		uint32_t j = k, next = UINT32_MAX;

		if (k < p->corners)
			next = vertex_at[p->vertex[(size_t)i * p->corners + k]];
		for (; j > 0 && v[j - 1] > next; j--)
			v[j] = v[j - 1];
		v[j] = next;
	}
}

/* The pairs of a mesh in two files, sorted by their names; *n: their number. */
static named_pair *pairs_of_files(
	const char *files, int kind, const uint32_t *vertex_at, uint64_t *n)
{
	const col_options o = { .input = files, .pairs = kind };
	const int self = kind != COL_VERTEX_FACE;
	named_pair *named = NULL;
	harness h;
	const collide *c;

	CU_ASSERT_EQUAL_FATAL(harness_open(&h, &wl_collide_type, &o, 2), 0);
	CU_ASSERT_EQUAL_FATAL(harness_run(&h, LSCHED_QUEUE_ABP, 2), 0);
	c = h.w.host_data;
	*n = c->found[kind];
	named = malloc((*n + 1) * sizeof(*named));
	CU_ASSERT_FATAL(named != NULL);
	for (uint64_t i = 0; i < *n; i++) {
		const col_pair p = col_pairs_elements(&c->ctx.out[kind])[i];
		const col_prims *a = &c->prims[collide_i_prims_of[kind][0]];
		const col_prims *b = &c->prims[collide_i_prims_of[kind][1]];

		name_primitive(a, p.a, vertex_at, named[i].v);
		name_primitive(b, p.b, vertex_at, named[i].v + 3);
		if (self && memcmp(named[i].v, named[i].v + 3, 12) > 0) {
			uint32_t first[3];

			memcpy(first, named[i].v, 12);
			memcpy(named[i].v, named[i].v + 3, 12);
			memcpy(named[i].v + 3, first, 12);
		}
	}
	qsort(named, *n, sizeof(*named), by_name);
	harness_close(&h);
	return named;
}

/* Two positions of a mesh in the files NAME0.obj and NAME1.obj. */
static void write_step(const char *name, const wl_mesh m[2], const uint32_t *place,
	const uint32_t *face, char files[80])
{
	char path[2][32];

	for (int k = 0; k < 2; k++) {
		snprintf(path[k], sizeof(path[k]), "%s%d.obj", name, k);
		write_mesh(path[k], &m[k], place, face);
	}
	snprintf(files, 80, "%s,%s", path[0], path[1]);
}

static void test_order(void)
{
	char msg[WL_MESH_MESSAGE_BYTES], files[2][80];
	wl_mesh m[2];
	uint32_t *place[2], *face[2], *vertex_at[2];

	CU_ASSERT_EQUAL_FATAL(wl_mesh_cloth(&m[0], 1500, 0.8, msg, sizeof(msg)), 0);
	CU_ASSERT_EQUAL_FATAL(wl_mesh_cloth(&m[1], 1500, 0.7, msg, sizeof(msg)), 0);
	for (int k = 0; k < 2; k++) {
		place[k] = malloc(m[0].vertices * sizeof(uint32_t));
		vertex_at[k] = malloc(m[0].vertices * sizeof(uint32_t));
		face[k] = malloc(m[0].triangles * sizeof(uint32_t));
		CU_ASSERT_FATAL(place[k] && vertex_at[k] && face[k]);
		for (uint32_t i = 0; i < m[0].vertices; i++)
			place[k][i] = i;
		for (uint32_t i = 0; i < m[0].triangles; i++)
			face[k][i] = i;
		if (k == 1) {
			shuffle(place[k], m[0].vertices);
			shuffle(face[k], m[0].triangles);
		}
		for (uint32_t i = 0; i < m[0].vertices; i++)
			vertex_at[k][place[k][i]] = i;
		write_step(
			k ? "collide_shuffled" : "collide_plain", m, place[k], face[k], files[k]);
	}
	for (int kind = 0; kind < COL_KINDS; kind++) {
		uint64_t n[2];
		named_pair *named[2];

		for (int k = 0; k < 2; k++)
			named[k] = pairs_of_files(files[k], kind, vertex_at[k], &n[k]);
		CU_ASSERT_TRUE(n[0] > 100);
		CU_ASSERT_EQUAL_FATAL(n[0], n[1]);
		CU_ASSERT_EQUAL(memcmp(named[0], named[1], n[0] * sizeof(*named[0])), 0);
		free(named[0]);
		free(named[1]);
	}
	for (int k = 0; k < 2; k++) {
		free(place[k]);
		free(vertex_at[k]);
		free(face[k]);
		wl_mesh_free(&m[k]);
	}
	remove("collide_plain0.obj");
	remove("collide_plain1.obj");
	remove("collide_shuffled0.obj");
	remove("collide_shuffled1.obj");
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "vertices, edges and faces of a mesh", test_primitives },
		{ "trees", test_trees },
		{ "cells and their codes", test_cells },
		{ "a vertex through a face", test_vertex_face },
		{ "an edge through an edge", test_edges },
		{ "nothing moves", test_rest },
		{ "pairs do not depend on the order of faces and vertices", test_order },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("collide", tests);
}
