/* Pairs of libcollide against all pairs, on the backend of setup_backend. */
#include "tests/collide/pairs_suite.h"
#include "tests/collide/setup.h"
#include "tests/common/check.h"
#include "tests/common/rng.h"

#include <stdlib.h>
#include <string.h>
#include <CUnit/CUnit.h>

enum { KINDS = 3 };

/* Finds the pairs of a kind and compares them with all pairs. */
static void compare(collide_ctx *c, const setup_mesh *a, collide_mesh *ma, const setup_mesh *b,
	collide_mesh *mb, collide_kind kind, const collide_find_options *o)
{
	uint64_t want, got, bytes;
	collide_pair *truth = setup_brute(a, ma, b, mb, kind, &want);
	collide_pair *pair = malloc((want + 1) * sizeof(*pair));
	void *place = pair;
	collide_status st;

	CU_ASSERT_FATAL(pair != NULL);
	bytes = want * sizeof(*pair);
	if (o && o->memory == COLLIDE_DEVICE)
		CU_ASSERT_EQUAL_FATAL(collide_mem_alloc(c, &place, bytes), COLLIDE_OK);
	st = collide_find(c, ma, mb, kind, o, place, want, &got);
	if (st == COLLIDE_OK && place != pair)
		CU_ASSERT_EQUAL(collide_mem_read(c, pair, place, bytes), COLLIDE_OK);
	if (place != pair)
		collide_mem_free(c, place);
	if (!o || o->order != COLLIDE_SORTED)
		setup_sort(pair, got < want ? got : want);
	test_check(st == COLLIDE_OK && got == want, "pairs", __FILE__, __LINE__,
		"kind %d: %s; %llu pairs, not %llu", (int)kind, collide_last_error(),
		(unsigned long long)got, (unsigned long long)want);
	test_check(memcmp(pair, truth, bytes) == 0, "pairs", __FILE__, __LINE__,
		"kind %d: other pairs", (int)kind);
	free(truth);
	free(pair);
}

static void compare_all(collide_ctx *c, const setup_mesh *a, collide_mesh *ma, const setup_mesh *b,
	collide_mesh *mb)
{
	for (int kind = 0; kind < KINDS; kind++)
		for (int k = 0; k < 4; k++) {
			collide_find_options o;

			collide_find_options_init(&o);
			o.memory = k & 1 ? COLLIDE_DEVICE : COLLIDE_HOST;
			o.order = k & 2 ? COLLIDE_SORTED : COLLIDE_ANY;
			o.front = k == 3 ? 500 : 0;
			compare(c, a, ma, b, mb, (collide_kind)kind, k ? &o : NULL);
		}
}

void pairs_are_those_of_all_pairs(void)
{
	static const uint32_t sizes[][2] = { { 1, 0 }, { 3, 1 }, { 4, 2 }, { 9, 3 }, { 60, 31 },
		{ 700, 650 }, { 1500, 1100 } };
	collide_ctx *c = setup_open();

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]) - (setup_is_slow ? 1 : 0); k++) {
		setup_mesh m;
		collide_mesh *mesh;

		setup_random(&m, sizes[k][0], sizes[k][1], 2 + sizes[k][1] / 200);
		mesh = setup_mesh_of(c, &m);
		compare_all(c, &m, mesh, &m, mesh);
		collide_mesh_destroy(&mesh);
		setup_free(&m);
	}
	collide_close(&c);
}

void two_meshes_are_paired_with_each_other(void)
{
	static const uint32_t sizes[][2] = { { 3, 1 }, { 40, 30 }, { 5, 0 }, { 500, 400 } };
	collide_ctx *c = setup_open();

	for (size_t i = 0; i < 4; i++)
		for (size_t j = 0; j < (setup_is_slow && i == 3 ? 1 : 4); j++) {
			setup_mesh a, b;
			collide_mesh *ma, *mb;

			setup_random(&a, sizes[i][0], sizes[i][1], 3);
			setup_random(&b, sizes[j][0], sizes[j][1], 3);
			ma = setup_mesh_of(c, &a);
			mb = setup_mesh_of(c, &b);
			compare_all(c, &a, ma, &b, mb);
			collide_mesh_destroy(&ma);
			collide_mesh_destroy(&mb);
			setup_free(&a);
			setup_free(&b);
		}
	collide_close(&c);
}

void pairs_follow_the_motion(void)
{
	collide_ctx *c = setup_open();
	collide_mesh *mesh;
	setup_mesh m;

	setup_random(&m, setup_is_slow ? 100 : 600, setup_is_slow ? 80 : 500, 4);
	mesh = setup_mesh_of(c, &m);
	for (int step = 0; step < (setup_is_slow ? 6 : 8); step++) {
		compare_all(c, &m, mesh, &m, mesh);
		setup_move(&m);
		CU_ASSERT_EQUAL(setup_update(mesh, &m, step == 4 ? COLLIDE_REBUILD : COLLIDE_AUTO),
			COLLIDE_OK);
	}
	collide_mesh_destroy(&mesh);
	setup_free(&m);
	collide_close(&c);
}

/* A permutation of n numbers. */
static uint32_t *shuffled(uint32_t n)
{
	uint32_t *p = malloc((n + 1) * sizeof(*p));

	CU_ASSERT_FATAL(p != NULL);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t j = rng_below(i + 1);

		p[i] = p[j];
		p[j] = i;
	}
	return p;
}

/* The same mesh with other numbers: vertex v is vertex[v], face f is face[f]; the corners of faces
 * begin elsewhere. */
static void renumber(
	const setup_mesh *m, setup_mesh *to, const uint32_t *vertex, const uint32_t *face)
{
	setup_random(to, m->vertices, m->triangles, 1);
	for (uint32_t v = 0; v < m->vertices; v++) {
		memcpy(to->start + vertex[v] * 3, m->start + v * 3, 3 * sizeof(float));
		memcpy(to->end + vertex[v] * 3, m->end + v * 3, 3 * sizeof(float));
	}
	for (uint32_t f = 0; f < m->triangles; f++) {
		const uint32_t turn = rng_below(3);

		for (uint32_t k = 0; k < 3; k++)
			to->index[face[f] * 3 + (k + turn) % 3] = vertex[m->index[f * 3 + k]];
	}
}

/* The number of the edge of two vertices. */
static uint32_t edge_of(const collide_mesh *mesh, uint32_t a, uint32_t b)
{
	const uint32_t *edge = collide_mesh_edges(mesh);
	const uint32_t small = a < b ? a : b, large = a < b ? b : a;
	uint32_t lo = 0, hi = collide_mesh_count(mesh, COLLIDE_EDGE);

	while (lo < hi) {
		const uint32_t at = lo + (hi - lo) / 2;
		const uint32_t *e = edge + (size_t)at * 2;

		if (e[1] < large || (e[1] == large && e[0] < small))
			lo = at + 1;
		else
			hi = at;
	}
	return lo;
}

/* Translates pairs of `from` to the numbers of `to`. */
static void translate(const collide_mesh *from, const collide_mesh *to, const uint32_t *vertex,
	const uint32_t *face, collide_kind kind, collide_pair *pair, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++) {
		uint32_t n[2] = { pair[i].a, pair[i].b };

		for (int k = 0; k < 2; k++) {
			const uint32_t *e = collide_mesh_edges(from) + (size_t)n[k] * 2;

			if (kind == COLLIDE_EDGE_EDGE)
				n[k] = edge_of(to, vertex[e[0]], vertex[e[1]]);
			else if (kind == COLLIDE_VERTEX_FACE && k == 0)
				n[k] = vertex[n[k]];
			else
				n[k] = face[n[k]];
		}
		if (kind != COLLIDE_VERTEX_FACE && n[0] > n[1])
			pair[i] = (collide_pair){ n[1], n[0] };
		else
			pair[i] = (collide_pair){ n[0], n[1] };
	}
	setup_sort(pair, count);
}

static collide_pair *found(collide_ctx *c, collide_mesh *mesh, collide_kind kind, uint64_t *count)
{
	const collide_pair *pair;
	collide_find_options o;
	collide_pair *copy;

	collide_find_options_init(&o);
	o.order = COLLIDE_SORTED;
	CU_ASSERT_EQUAL_FATAL(collide_find_all(c, mesh, mesh, kind, &o, &pair, count), COLLIDE_OK);
	copy = malloc((*count + 1) * sizeof(*copy));
	CU_ASSERT_FATAL(copy != NULL);
	CU_ASSERT_EQUAL(collide_mem_read(c, copy, pair, *count * sizeof(*copy)), COLLIDE_OK);
	return copy;
}

/* Large enough that the tree has ranges of tiles. */
void pairs_do_not_depend_on_the_order_of_faces_and_vertices(void)
{
	collide_ctx *c = setup_open();
	setup_mesh m, other;

	setup_random(&m, 7000, setup_is_slow ? 4200 : 6500, setup_is_slow ? 60 : 24);
	for (int round = 0; round < (setup_is_slow ? 1 : 3); round++) {
		uint32_t *vertex = shuffled(m.vertices), *face = shuffled(m.triangles);
		collide_mesh *mesh, *turned;

		renumber(&m, &other, vertex, face);
		mesh = setup_mesh_of(c, &m);
		turned = setup_mesh_of(c, &other);
		for (int kind = 0; kind < KINDS; kind++) {
			uint64_t n, o;
			collide_pair *p = found(c, mesh, (collide_kind)kind, &n);
			collide_pair *q = found(c, turned, (collide_kind)kind, &o);

			translate(mesh, turned, vertex, face, (collide_kind)kind, p, n);
			test_check(n > 1000 && n == o && memcmp(p, q, n * sizeof(*p)) == 0, "order",
				__FILE__, __LINE__, "kind %d: %llu and %llu pairs", kind,
				(unsigned long long)n, (unsigned long long)o);
			free(p);
			free(q);
		}
		collide_mesh_destroy(&mesh);
		collide_mesh_destroy(&turned);
		setup_free(&other);
		free(vertex);
		free(face);
	}
	setup_free(&m);
	collide_close(&c);
}

void nothing_is_written_beyond_the_room(void)
{
	enum { MOST = 30000 };
	static collide_pair pair[MOST + 16];
	collide_ctx *c = setup_open();
	collide_mesh *mesh;
	setup_mesh m;
	uint64_t all = 0, count, step;

	setup_random(&m, 300, 250, 3);
	mesh = setup_mesh_of(c, &m);
	CU_ASSERT_EQUAL(collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, NULL, NULL, 0, &all),
		COLLIDE_ERR_ROOM);
	CU_ASSERT_FATAL(all > 100 && all < MOST);
	step = all / (setup_is_slow ? 20 : 90);
	for (uint64_t room = 0; room <= all + 1; room += room + step < all ? step : 1) {
		memset(pair, 0xa5, sizeof(pair));
		CU_ASSERT_EQUAL(
			collide_find(c, mesh, mesh, COLLIDE_FACE_FACE, NULL, pair, room, &count),
			room < all ? COLLIDE_ERR_ROOM : COLLIDE_OK);
		CU_ASSERT_EQUAL(count, all);
		for (uint64_t i = room; i < MOST + 16; i++)
			CU_ASSERT_TRUE(pair[i].a == 0xa5a5a5a5u && pair[i].b == 0xa5a5a5a5u);
	}
	collide_mesh_destroy(&mesh);
	setup_free(&m);
	collide_close(&c);
}

/* Every pair of 400 long triangles, sorted: more than a tile of the sort. */
void all_pairs_of_a_bundle_are_found(void)
{
	enum { N = 400 };
	collide_ctx *c = setup_open();
	collide_mesh *mesh;
	setup_mesh m;
	uint64_t n;
	collide_pair *p;

	setup_random(&m, 3 * N, N, 1);
	for (uint32_t i = 0; i < 3 * N; i++) {
		m.index[i] = i;
		for (uint32_t k = 0; k < 3; k++)
			m.start[i * 3 + k] = m.end[i * 3 + k] = (float)(i % 3 == k);
	}
	mesh = setup_mesh_of(c, &m);
	p = found(c, mesh, COLLIDE_FACE_FACE, &n);
	CU_ASSERT_EQUAL(n, (uint64_t)N * (N - 1) / 2);
	for (uint64_t i = 0, a = 0, b = 1; i < n; i++) {
		CU_ASSERT_TRUE(p[i].a == a && p[i].b == b);
		if (++b == N)
			b = ++a + 1;
	}
	free(p);
	collide_mesh_destroy(&mesh);
	setup_free(&m);
	collide_close(&c);
}
