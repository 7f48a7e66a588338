/* Trees and contacts of libcollide, on the backend of setup_backend. */
#include "tests/collide/pairs_suite.h"
#include "tests/collide/setup.h"
#include "tests/common/check.h"
#include "tests/common/rng.h"

#include <stdlib.h>
#include <string.h>

static void *copy(collide_ctx *c, const void *from, size_t bytes)
{
	void *to = malloc(bytes + 1);

	CU_ASSERT_FATAL(to != NULL);
	CU_ASSERT_EQUAL_FATAL(collide_mem_read(c, to, from, bytes), COLLIDE_OK);
	return to;
}

/* A tree in host memory. */
typedef struct host_tree {
	collide_tree tree;
	collide_node *node;
	collide_leaf *leaf;
	uint32_t *order;
	const collide_box *box; /* of the primitives */
	uint8_t *seen;
	uint32_t most; /* primitives of a leaf */
} host_tree;

static void extend(collide_box *a, const collide_box *b)
{
	for (int k = 0; k < 3; k++) {
		a->lo[k] = b->lo[k] < a->lo[k] ? b->lo[k] : a->lo[k];
		a->hi[k] = b->hi[k] > a->hi[k] ? b->hi[k] : a->hi[k];
	}
}

/* Each primitive is in one leaf; each box is that of what is below. */
static collide_box check_below(host_tree *t, uint32_t name)
{
	collide_box all = { { 1e30f, 1e30f, 1e30f }, { -1e30f, -1e30f, -1e30f } };

	if (name & COLLIDE_LEAF) {
		const uint32_t at = name & ~COLLIDE_LEAF;
		const collide_leaf *leaf = &t->leaf[at];

		CU_ASSERT_FATAL(at < t->tree.primitives && leaf->count >= 1 &&
				leaf->count <= t->most && at + leaf->count <= t->tree.primitives);
		CU_ASSERT_EQUAL(leaf->primitive, t->order[at]);
		for (uint32_t k = 0; k < leaf->count; k++) {
			const uint32_t p = t->order[at + k];

			CU_ASSERT_TRUE(k == 0 || p > t->order[at + k - 1]);
			CU_ASSERT_EQUAL_FATAL(t->seen[p]++, 0);
			extend(&all, &t->box[p]);
		}
		CU_ASSERT_EQUAL(memcmp(&all, &leaf->box, sizeof(all)), 0);
		return all;
	}
	for (int k = 0; k < 2; k++) {
		const collide_box below = check_below(t, t->node[name].child[k]);

		CU_ASSERT_EQUAL(memcmp(&below, &t->node[name].box[k], sizeof(below)), 0);
		extend(&all, &below);
	}
	return all;
}

static void check_tree(
	collide_ctx *c, const collide_tree *tree, const collide_box *box, uint32_t n, uint32_t most)
{
	host_tree t = { .tree = *tree, .box = box, .most = most };

	CU_ASSERT_EQUAL_FATAL(tree->primitives, n);
	if (n == 0) {
		CU_ASSERT_EQUAL(tree->root, COLLIDE_NONE);
		return;
	}
	t.node = copy(c, tree->node, n * sizeof(*t.node));
	t.leaf = copy(c, tree->leaf, n * sizeof(*t.leaf));
	t.order = copy(c, tree->order, n * sizeof(*t.order));
	t.seen = calloc(n, 1);
	CU_ASSERT_FATAL(t.seen != NULL);
	CU_ASSERT_TRUE(tree->root == (n == 1 ? COLLIDE_LEAF : 0) ||
		       (n <= most && tree->root == COLLIDE_LEAF));
	(void)check_below(&t, tree->root);
	for (uint32_t i = 0; i < n; i++)
		CU_ASSERT_EQUAL(t.seen[i], 1);
	free(t.node);
	free(t.leaf);
	free(t.order);
	free(t.seen);
}

static collide_box *random_boxes(uint32_t n)
{
	collide_box *box = malloc((n + 1) * sizeof(*box));

	CU_ASSERT_FATAL(box != NULL);
	for (uint32_t i = 0; i < n; i++)
		for (int k = 0; k < 3; k++) {
			box[i].lo[k] = (float)rng_around(1000) / 8;
			box[i].hi[k] = box[i].lo[k] + (float)rng_below(20) / 8;
		}
	return box;
}

/* In device memory the boxes are those of a copy. */
static collide_status give(collide_ctx *c, collide_bvh *b, const collide_box *box, uint32_t n,
	int is_device, int is_refit)
{
	void *place = NULL;
	collide_status st;

	if (!is_device)
		return is_refit ? collide_bvh_refit(b, box, n, COLLIDE_HOST)
				: collide_bvh_build(b, box, n, COLLIDE_HOST);
	CU_ASSERT_EQUAL_FATAL(collide_mem_alloc(c, &place, n * sizeof(*box)), COLLIDE_OK);
	CU_ASSERT_EQUAL(collide_mem_write(c, place, box, n * sizeof(*box)), COLLIDE_OK);
	st = is_refit ? collide_bvh_refit(b, place, n, COLLIDE_DEVICE)
		      : collide_bvh_build(b, place, n, COLLIDE_DEVICE);
	collide_mem_free(c, place);
	return st;
}

void trees_contain_their_boxes_also_after_a_refit(void)
{
	static const uint32_t sizes[] = { 5000, 0, 1, 2, 3, 33, 600, 4097, 20000 };
	collide_ctx *c = setup_open();

	for (uint32_t most = 1; most <= COLLIDE_MAX_LEAF; most += setup_is_slow ? 15 : 5) {
		collide_bvh *b = NULL;

		CU_ASSERT_EQUAL_FATAL(collide_bvh_create(&b, c, most), COLLIDE_OK);
		for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
			for (int refit = 0; refit < 3; refit++) {
				collide_box *box = random_boxes(sizes[k]);
				collide_tree t;

				collide_tree_init(&t);
				CU_ASSERT_EQUAL(
					give(c, b, box, sizes[k], (int)k % 2, refit), COLLIDE_OK);
				CU_ASSERT_EQUAL_FATAL(collide_bvh_tree(b, &t), COLLIDE_OK);
				check_tree(c, &t, box, sizes[k], most);
				free(box);
			}
		collide_bvh_destroy(&b);
	}
	collide_close(&c);
}

void a_mesh_has_trees_of_its_primitives(void)
{
	collide_ctx *c = setup_open();
	collide_mesh *mesh;
	setup_mesh m;

	setup_random(&m, 900, 800, 9);
	mesh = setup_mesh_of(c, &m);
	for (int step = 0; step < 3; step++) {
		for (int p = COLLIDE_VERTEX; p <= COLLIDE_FACE; p++) {
			const uint32_t n = collide_mesh_count(mesh, (collide_primitive)p);
			collide_box *box = malloc(n * sizeof(*box));
			collide_tree t;

			CU_ASSERT_FATAL(box != NULL);
			for (uint32_t i = 0; i < n; i++) {
				uint32_t v[3];
				const uint32_t corners =
					setup_corners(&m, mesh, (collide_primitive)p, i, v);

				memcpy(box[i].lo, m.start + v[0] * 3, sizeof(box[i].lo));
				memcpy(box[i].hi, m.start + v[0] * 3, sizeof(box[i].hi));
				for (uint32_t k = 0; k < 2 * corners; k++) {
					const float *at = (k & 1 ? m.end : m.start) + v[k / 2] * 3;
					collide_box point;

					memcpy(point.lo, at, sizeof(point.lo));
					memcpy(point.hi, at, sizeof(point.hi));
					extend(&box[i], &point);
				}
				for (int k = 0; k < 3; k++) { /* no negative zeros */
					box[i].lo[k] += 0.0f;
					box[i].hi[k] += 0.0f;
				}
			}
			collide_tree_init(&t);
			CU_ASSERT_EQUAL(
				collide_mesh_tree(mesh, (collide_primitive)p, &t), COLLIDE_OK);
			check_tree(c, &t, box, n, 1);
			free(box);
		}
		setup_move(&m);
		CU_ASSERT_EQUAL(setup_update(mesh, &m, COLLIDE_AUTO), COLLIDE_OK);
	}
	collide_mesh_destroy(&mesh);
	setup_free(&m);
	collide_close(&c);
}

/* ---- contacts ---- */

enum { FALLING = 60 };

/* Vertices that fall by 1 on a triangle in the plane z = 0: vertex i begins at height i / 50, so
 * that it arrives at this part of the step, those from 50 on never; odd ones are beside it. */
static void make_rain(float *start, float *end)
{
	for (uint32_t i = 0; i < FALLING; i++) {
		start[i * 3] = i & 1 ? 5 : 0.25f;
		start[i * 3 + 1] = 0.25f;
		start[i * 3 + 2] = (float)i / 50;
		memcpy(end + i * 3, start + i * 3, 3 * sizeof(float));
		end[i * 3 + 2] -= 1;
	}
}

static collide_mesh *make(collide_ctx *c, const void *start, const void *end, uint32_t vertices,
	const uint32_t *index, uint32_t triangles, collide_number number, size_t stride)
{
	collide_mesh_options o;
	collide_positions p;
	collide_mesh *mesh = NULL;

	collide_mesh_options_init(&o);
	o.vertices = vertices;
	o.triangles = triangles;
	o.index = index;
	CU_ASSERT_EQUAL_FATAL(collide_mesh_create(&mesh, c, &o), COLLIDE_OK);
	collide_positions_init(&p);
	p.start = start;
	p.end = end;
	p.number = number;
	p.stride_bytes = stride;
	CU_ASSERT_EQUAL_FATAL(collide_mesh_update(mesh, &p), COLLIDE_OK);
	return mesh;
}

/* All pairs as candidates, so that boxes select none. `memory` of pairs and times. */
static void check_rain(collide_ctx *c, collide_mesh *rain, collide_mesh *face, int is_device)
{
	collide_contact_options o;
	collide_pair pair[FALLING];
	uint32_t time[FALLING];
	void *pairs = pair, *times = time;
	uint64_t touching;

	for (uint32_t i = 0; i < FALLING; i++)
		pair[i] = (collide_pair){ FALLING - 1 - i, 0 };
	memset(time, 0x11, sizeof(time));
	collide_contact_options_init(&o);
	if (is_device) {
		o.memory = COLLIDE_DEVICE;
		CU_ASSERT_EQUAL_FATAL(collide_mem_alloc(c, &pairs, sizeof(pair)), COLLIDE_OK);
		CU_ASSERT_EQUAL_FATAL(collide_mem_alloc(c, &times, sizeof(time)), COLLIDE_OK);
		CU_ASSERT_EQUAL(collide_mem_write(c, pairs, pair, sizeof(pair)), COLLIDE_OK);
	}
	CU_ASSERT_EQUAL(collide_contacts(c, rain, face, COLLIDE_VERTEX_FACE, &o, pairs, FALLING,
				times, &touching),
		COLLIDE_OK);
	if (is_device) {
		CU_ASSERT_EQUAL(collide_mem_read(c, time, times, sizeof(time)), COLLIDE_OK);
		collide_mem_free(c, pairs);
		collide_mem_free(c, times);
	}
	CU_ASSERT_EQUAL(touching, 26); /* 0, 2 .. 50 */
	for (uint32_t i = 0; i < FALLING; i++) {
		const uint32_t vertex = pair[i].a;
		const double want = vertex / 50.0, got = (double)time[i] / COLLIDE_TIME_STEP;

		if (vertex & 1 || vertex > 50)
			test_check(time[i] == COLLIDE_NEVER, "time", __FILE__, __LINE__,
				"vertex %u at %g", vertex, got);
		else
			test_check(got <= want && got >= want - 2e-5, "time", __FILE__, __LINE__,
				"vertex %u at %g, not %g", vertex, got, want);
	}
}

void vertices_that_fall_on_a_face_arrive_in_time(void)
{
	static const float corner[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
	/* the same as doubles with a fourth number */
	static const double wide[] = { 0, 0, 0, 9, 1, 0, 0, 9, 0, 1, 0, 9 };
	static const uint32_t index[] = { 0, 1, 2 };
	float start[FALLING * 3], end[FALLING * 3];
	collide_ctx *c = setup_open();
	collide_mesh *rain, *face;

	make_rain(start, end);
	rain = make(c, start, end, FALLING, NULL, 0, COLLIDE_FLOAT, 0);
	for (int k = 0; k < 4; k++) {
		face = k & 1 ? make(c, wide, NULL, 3, index, 1, COLLIDE_DOUBLE, 32)
			     : make(c, corner, NULL, 3, index, 1, COLLIDE_FLOAT, 0);
		check_rain(c, rain, face, k / 2);
		collide_mesh_destroy(&face);
	}
	collide_mesh_destroy(&rain);
	collide_close(&c);
}

/* An edge that falls by 1 through other ones, which lie across it at heights i / 50 - 1. */
void edges_that_cross_meet_in_time(void)
{
	enum { N = 40 };
	float lying[N * 9], end[9];
	float falling[9] = { -1, 0, 0, 1, 0, 0, 1, 0, 0 };
	uint32_t index[N * 3], time[N];
	static const uint32_t one[] = { 0, 1, 2 };
	collide_ctx *c = setup_open();
	collide_mesh *a, *b;
	collide_pair pair[N];
	uint64_t count, touching;

	for (uint32_t i = 0; i < N; i++) {
		const float z = -(float)i / 30, x = (float)i / 100;
		const float corner[9] = { x, -1, z, x, 1, z, x, 1, z };

		memcpy(lying + i * 9, corner, sizeof(corner));
		for (uint32_t k = 0; k < 3; k++)
			index[i * 3 + k] = i * 3 + (k == 2 ? 1 : k); /* two equal corners */
	}
	for (int k = 0; k < 9; k++)
		end[k] = falling[k] - (k % 3 == 2);
	a = make(c, falling, end, 3, one, 1, COLLIDE_FLOAT, 0);
	b = make(c, lying, NULL, N * 3, index, N, COLLIDE_FLOAT, 0);
	CU_ASSERT_EQUAL(collide_mesh_count(b, COLLIDE_EDGE), N);
	/* edge 0 of the falling triangle is (0, 1); the vertices 1 and 2 are at one place */
	for (uint32_t i = 0; i < N; i++)
		pair[i] = (collide_pair){ 0, i };
	count = N;
	CU_ASSERT_EQUAL(
		collide_contacts(c, a, b, COLLIDE_EDGE_EDGE, NULL, pair, count, time, &touching),
		COLLIDE_OK);
	CU_ASSERT_EQUAL(touching, 31);
	for (uint32_t i = 0; i < N; i++)
		test_check(i > 30 ? time[i] == COLLIDE_NEVER
				  : (double)time[i] / COLLIDE_TIME_STEP <= i / 30.0 + 1e-7 &&
					    (double)time[i] / COLLIDE_TIME_STEP >= i / 30.0 - 2e-5,
			"time", __FILE__, __LINE__, "edge %u at %u", i, time[i]);
	collide_mesh_destroy(&a);
	collide_mesh_destroy(&b);
	collide_close(&c);
}
