/* bvh: sizes and shapes against the tree by one thread, its cost against that of all planes, lines
 * by the tree against all boxes, and block items by several threads. */
#include "tests/common/effort.h"
#include "tests/common/testmain.h"
#include "tests/workloads/bvh_planes.h"
#include "tests/workloads/harness.h"
#include "workloads/bvh/host.h"
#include "workloads/common/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const wl_type wl_bvh_type;
extern const lsched_program bvhteam_cpu_program;
extern uint32_t team_size;

static bvh_options options(uint64_t n, uint32_t leaf, int shape)
{
	const bvh_options o = { NULL, n, leaf, 1, shape, BVH_BUILD_ALL, BVH_BOXES_AABB };

	return o;
}

/* Makes a tree and checks it; the caller closes *h. `team`: threads of an item; 0: as on a CPU. */
static void make(harness *h, const bvh_options *o, uint32_t team, uint32_t workers)
{
	int bad = harness_open(h, &wl_bvh_type, o, workers);

	if (!bad && team) {
		team_size = team;
		h->w.cpu = &bvhteam_cpu_program;
	}
	bad = bad ? bad : harness_run(h, LSCHED_QUEUE_STEAL, workers);
	if (bad)
		fprintf(stderr, "n %d leaf %u shape %d team %u: %s\n", (int)o->n, o->leaf, o->shape,
			team, h->why);
	CU_ASSERT_EQUAL_FATAL(bad, 0);
}

static void try_tree(const bvh_options *o, uint32_t team, uint32_t workers)
{
	harness h;

	make(&h, o, team, workers);
	harness_close(&h);
}

static void test_sizes(void)
{
	static const uint32_t sizes[] = { 0, 1, 2, 3, 5, 31, 32, 33, 63, 64, 65, 511, 512, 513,
		4096, 8200, BVH_BLOCK, BVH_BLOCK + 1, 30000 };
	const size_t step = (size_t)test_effort(1, 2, 2);

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k += step)
		for (int shape = BVH_CLOTH; shape <= BVH_SAME; shape++) {
			const bvh_options o =
				options(sizes[k], 1 + (uint32_t)(k + (size_t)shape) % 5, shape);

			try_tree(&o, 0, 1 + (uint32_t)k % 3);
		}
}

static void test_teams(void)
{
	static const uint32_t sizes[] = { 1, 2, 17, 32, 33, 500, 513, 4097, BVH_BLOCK,
		BVH_BLOCK + 1, 40000 };
	const size_t step = (size_t)test_effort(1, 2, 2);

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k += step)
		for (int shape = BVH_SPHERE; shape <= BVH_SAME; shape++) {
			const bvh_options o =
				options(sizes[k], 1 + (uint32_t)(k + (size_t)shape) % 4, shape);

			try_tree(&o, 2 + 5 * (uint32_t)(k % 3), 1 + k % 2);
		}
}

static void test_refit(void)
{
	for (int shape = BVH_CLOTH; shape <= BVH_SAME; shape++) {
		bvh_options o = options(10000, 3, shape);

		o.phase = BVH_REFIT_ALL;
		try_tree(&o, 0, 3);
		try_tree(&o, shape == BVH_TORI ? 7 : 0, 1);
	}
}

/* Within 3 % of the tree by all planes, which knows neither bins nor a grid. */
static void test_cost(void)
{
	const uint32_t step = (uint32_t)test_effort(3, 3, 6);

	for (int shape = BVH_CLOTH; shape <= BVH_RANDOM; shape++)
		for (uint32_t leaf = 1; leaf <= 4; leaf += step) {
			const bvh_options o = options(30000, leaf, shape);
			const bvh_host *s;
			harness h;

			make(&h, &o, 0, 2);
			s = h.w.host_data;
			CU_ASSERT_TRUE(s->sweep_cost > 10);
			CU_ASSERT_TRUE(s->facts.cost < 1.03 * s->sweep_cost);
			CU_ASSERT_TRUE(s->facts.cost > 0.97 * s->sweep_cost);
			harness_close(&h);
		}
}

/* Boxes that make splits uneven: each is half as far from the corner as the one before, in
 * clumps; the tree must end and stay within its depth. Zeros, subnormal and huge numbers. The last
 * law: nearly all are in a place that is small in the scene, and the tree is good nevertheless. */
static void test_uneven(void)
{
	enum { N = 9000 };
	harness h;
	const bvh_options o = options(N, 2, BVH_RANDOM);

	for (int law = 0; law < 5; law++) {
		bvh_box *box;
		bvh_host *s;
		bvh_facts f;

		CU_ASSERT_EQUAL_FATAL(harness_open(&h, &wl_bvh_type, &o, 2), 0);
		s = h.w.host_data;
		box = s->box[0];
		for (uint32_t i = 0; i < N; i++)
			for (int k = 0; k < 3; k++) {
				const float at = law == 0   ? ldexpf(1, -(int)(i % 140))
						 : law == 1 ? ldexpf(1, -(int)(i / 64))
						 : law == 2 ? (i % 7 ? 3e38f : -3e38f)
							    : (float)(i < 20 ? i : 7);

				if (law == 4 && i >= 20) {
					box[i].lo[k] *= 1e-4f;
					box[i].hi[k] *= 1e-4f;
				} else if (law < 4) {
					box[i].lo[k] = law == 3 && i % 2 ? -at : at;
					box[i].hi[k] = k == 0 && law < 2 ? 2 * at : at;
				}
			}
		CU_ASSERT_EQUAL(
			wl_write(&h.d, s->d_box[0], box, N * sizeof(*box), h.why, sizeof(h.why)),
			0);
		CU_ASSERT_EQUAL_FATAL(bvh_build_truth(&h.d, &s->truth, h.why, sizeof(h.why)), 0);
		CU_ASSERT_EQUAL(bvh_check_tree(&s->truth, box, &f, h.why, sizeof(h.why)), 0);
		CU_ASSERT_TRUE(f.depth < BVH_MAX_DEPTH);
		CU_ASSERT_TRUE(law < 4 || f.cost < 1.03 * bvh_sweep_cost(box, N, o.leaf));
		CU_ASSERT_EQUAL(harness_run(&h, LSCHED_QUEUE_RING, 2), 0);
		team_size = 5;
		h.w.cpu = &bvhteam_cpu_program;
		CU_ASSERT_EQUAL(harness_run(&h, LSCHED_QUEUE_RING, 1), 0);
		harness_close(&h);
	}
}

/* Boxes that a segment of the x axis' direction meets: by the tree, and all. */
static void by_tree(const bvh_ctx *c, uint32_t name, float y, float z, uint64_t *sum)
{
	if (name & BVH_LEAF) {
		const bvh_leaf *leaf = &c->leaf[name & ~BVH_LEAF];

		for (uint32_t k = 0; k < leaf->count; k++) {
			const uint32_t number = c->order[(name & ~BVH_LEAF) + k];
			const bvh_box *b = &c->box[number];

			if (b->lo[1] <= y && y <= b->hi[1] && b->lo[2] <= z && z <= b->hi[2])
				*sum += 1 + (uint64_t)number * number;
		}
		return;
	}
	for (int k = 0; k < 2; k++) {
		const bvh_box *b = &c->node[name].box[k];

		if (b->lo[1] <= y && y <= b->hi[1] && b->lo[2] <= z && z <= b->hi[2])
			by_tree(c, c->node[name].child[k], y, z, sum);
	}
}

static void test_lines(void)
{
	const bvh_options o = options(20000, 4, BVH_TORI);
	const bvh_ctx *c;
	harness h;
	uint64_t found = 0;

	make(&h, &o, 0, 2);
	c = &((bvh_host *)h.w.host_data)->ctx;
	for (uint32_t i = 0; i < 400; i++) {
		const float y = -1.4f + 0.007f * (float)i, z = 0.003f * (float)(i % 100);
		uint64_t tree = 0, all = 0;

		by_tree(c, 0, y, z, &tree);
		for (uint32_t k = 0; k < c->n; k++)
			if (c->box[k].lo[1] <= y && y <= c->box[k].hi[1] && c->box[k].lo[2] <= z &&
				z <= c->box[k].hi[2])
				all += 1 + (uint64_t)k * k;
		CU_ASSERT_EQUAL(tree, all);
		found += all != 0;
	}
	CU_ASSERT_TRUE(found > 100);
	harness_close(&h);
}

/* The tree is the same whatever the schedule. */
static void test_same(void)
{
	const bvh_options o = options(50000, 1, BVH_RANDOM);
	bvh_node *first = NULL;
	harness h;

	for (uint32_t run = 0; run < 4; run++) {
		const bvh_ctx *c;

		make(&h, &o, run == 3 ? 6 : 0, 1 + run % 3);
		c = &((bvh_host *)h.w.host_data)->ctx;
		if (run == 0) {
			first = malloc(c->n * sizeof(*first));
			CU_ASSERT_PTR_NOT_NULL_FATAL(first);
			memcpy(first, c->node, c->n * sizeof(*first));
		}
		CU_ASSERT_EQUAL(memcmp(first, c->node, c->n * sizeof(*first)), 0);
		harness_close(&h);
	}
	free(first);
}

/* The check finds what is wrong. */
static void test_check(void)
{
	const bvh_options o = options(3000, 3, BVH_SPHERE);
	bvh_facts f;
	bvh_host *s;
	harness h;
	bvh_ctx *c;
	uint32_t saved;
	float side;

	make(&h, &o, 0, 1);
	s = h.w.host_data;
	c = &s->ctx;
#define TREE() bvh_check_tree(c, s->box[0], &f, h.why, sizeof(h.why))
#define SAME() bvh_check_same(c, &s->truth, h.why, sizeof(h.why))
	CU_ASSERT_EQUAL(TREE(), 0);
	CU_ASSERT_EQUAL(SAME(), 0);
	saved = c->order[5];
	c->order[5] = c->order[60];
	CU_ASSERT_EQUAL(TREE(), -1);
	CU_ASSERT_EQUAL(SAME(), -1);
	c->order[5] = saved;
	side = c->node[c->top->root].box[1].hi[1];
	c->node[c->top->root].box[1].hi[1] = nextafterf(side, 9);
	CU_ASSERT_EQUAL(TREE(), -1);
	c->node[c->top->root].box[1].hi[1] = side;
	saved = c->node[c->top->root].child[1];
	c->node[c->top->root].child[1] = c->node[c->top->root].child[0];
	CU_ASSERT_EQUAL(TREE(), -1);
	CU_ASSERT_EQUAL(SAME(), -1);
	c->node[c->top->root].child[1] = saved;
	c->leaf[0].box.lo[0] -= 1;
	CU_ASSERT_EQUAL(TREE(), -1);
	c->leaf[0].box.lo[0] += 1;
	c->node[0].child[0] ^= 1;
	CU_ASSERT_EQUAL(TREE(), -1);
	harness_close(&h);
}

static void test_coordinates(void)
{
	const double bad[] = { (double)NAN, (double)INFINITY, -(double)INFINITY, 1e300 };
	const uint32_t index[6] = { 0, 1, 2, 0, 2, 2 };
	double xyz[9] = { 0, 1, 2, 1, 5, 7, -1, 0, -0.0 };
	bvh_box box[2];
	char msg[300];

	CU_ASSERT_EQUAL(bvh_triangle_boxes(box, xyz, index, 2, 1, msg, sizeof(msg)), 0);
	CU_ASSERT_TRUE(box[0].lo[0] == -1 && box[0].hi[1] == 5 && box[1].hi[2] == 2);
	CU_ASSERT_TRUE(!signbit(box[1].lo[2]));
	for (int k = 0; k < 4; k++) {
		xyz[7] = bad[k];
		CU_ASSERT_EQUAL(bvh_triangle_boxes(box, xyz, index, 2, 1, msg, sizeof(msg)), -1);
		CU_ASSERT_PTR_NOT_NULL(strstr(msg, "triangle 0: coordinate y"));
	}
}

/* Boxes without meaning make a tree without meaning, but the run ends, and each primitive is in one
 * leaf. */
static void test_not_numbers(void)
{
	const bvh_options o = options(6000, 4, BVH_RANDOM);
	bvh_host *s;
	harness h;

	CU_ASSERT_EQUAL_FATAL(harness_open(&h, &wl_bvh_type, &o, 2), 0);
	s = h.w.host_data;
	for (uint32_t i = 0; i < s->ctx.n; i += 3)
		s->d_box[0][i].lo[i % 2] = i % 5 ? NAN : INFINITY;
	for (uint32_t team = 0; team < 2; team++) {
		unsigned char seen[6000] = { 0 };
		uint32_t found = 0;

		team_size = 4;
		h.w.cpu = team ? &bvhteam_cpu_program : h.w.cpu;
		CU_ASSERT_EQUAL(harness_run(&h, LSCHED_QUEUE_RING, 1), -1);
		for (uint32_t i = 0; i < s->ctx.n; i++) {
			CU_ASSERT_TRUE_FATAL(s->ctx.order[i] < 6000);
			found += !seen[s->ctx.order[i]]++;
		}
		CU_ASSERT_EQUAL(found, s->ctx.n);
	}
	harness_close(&h);
}

static void test_files(void)
{
	bvh_options o = options(10, 4, BVH_CLOTH);
	const char *const bad[][2] = { { "v 0 0 0\nv 1 0 0\nf 1 2 3\n", "vertex" },
		{ "v 0 0 nan\n", "nan" }, { "", "empty" },
		{ "ply\nformat ascii 1.0\nelement vertex 2\n", "end_header" } };
	const char *const name = "bvh_test.tmp";
	harness h;

	for (size_t k = 0; k < sizeof(bad) / sizeof(bad[0]); k++) {
		FILE *f = fopen(name, "w");

		CU_ASSERT_PTR_NOT_NULL_FATAL(f);
		fputs(bad[k][0], f);
		fclose(f);
		o.input = name;
		CU_ASSERT_EQUAL(harness_open(&h, &wl_bvh_type, &o, 1), -1);
		CU_ASSERT_PTR_NOT_NULL(strstr(h.why, bad[k][1]));
		harness_close(&h);
	}
	remove(name);
	CU_ASSERT_EQUAL(harness_open(&h, &wl_bvh_type, &o, 1), -1);
	harness_close(&h);
}

static void test_memory(void)
{
	for (int shape = BVH_CLOTH; shape <= BVH_SAME; shape++) {
		const bvh_options o = options(UINT64_C(1) << 40, 4, shape);
		harness h;

		CU_ASSERT_EQUAL(harness_open(&h, &wl_bvh_type, &o, 1), -1);
		CU_ASSERT_PTR_NOT_NULL(strstr(h.why, "more than 268,435,456"));
		harness_close(&h);
	}
}

int main(void)
{
	CU_TestInfo tests[] = { { "trees are those of one thread", test_sizes },
		{ "several threads run block items", test_teams },
		{ "boxes follow moved triangles", test_refit },
		{ "the cost is that of all planes", test_cost },
		{ "first splits of small trees", bvh_planes_test },
		{ "splits of larger ranges", bvh_cells_test }, { "uneven splits end", test_uneven },
		{ "lines by the tree and by all boxes", test_lines },
		{ "the tree does not depend on the schedule", test_same },
		{ "the check finds wrong trees", test_check },
		{ "coordinates must be finite", test_coordinates },
		{ "boxes that are no numbers end", test_not_numbers },
		{ "bad files are errors", test_files },
		{ "too many triangles are an error", test_memory }, CU_TEST_INFO_NULL };

	return test_run_one("bvh", tests);
}
