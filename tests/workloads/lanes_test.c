/* The device text of the applications on emulated warps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/common/effort.h"
#include "tests/common/testmain.h"
#include "tests/workloads/bvh_warps.h"
#include "tests/workloads/harness.h"
#include "tests/workloads/lod_mesh.h"
#include "tests/workloads/octree_codes.h"
#include "workloads/bvh/host.h"
#include "workloads/collide/host.h"
#include "workloads/fourrow/host.h"
#include "workloads/hull/host.h"
#include "workloads/lod/host.h"
#include "workloads/octree/host.h"
#include "workloads/sort/host.h"
#include "workloads/trace/host.h"
#include "workloads/x3d/host.h"

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)

int main(void)
{
	puts("skipped: sanitizers do not follow from lane to lane");
	return TEST_EXIT_SKIP;
}

#else

extern const wl_type wl_sort_type, wl_octree_type, wl_bvh_type, wl_collide_type, wl_fourrow_type,
	wl_hull_type, wl_lod_type, wl_trace_type, wl_x3d_type;
extern const lsched_program sort4_lanes_program, sort8_lanes_program, octree_lanes_program,
	bvh_lanes_program, bvh_obb_lanes_program, col_lanes_program, cont_lanes_program,
	fourrow_plies_lanes_program, fourrow_solve_lanes_program, lod_lanes_program,
	hull_lanes_program, trace_lanes_program, trace_mesh_lanes_program, x3d_lanes_program;

/* Whether a load is left out of the short run: of the long ones each shape has some. */
static int is_left_out(uint32_t n, size_t k, int shape)
{
	return n > 4000 && !test_full() && (k + (size_t)shape) % (n > 20000 ? 6 : 3) != 0;
}

/* One worker: joins of the CPU backend serve lane 0 of the first worker. */
static void run(const wl_type *type, const void *options, const lsched_program *program, int small)
{
	harness h;
	int bad = harness_open(&h, type, options, 1);

	if (!bad) {
		h.w.cpu = program;
		if (small) {
			sort_host *s = h.w.host_data;

			s->ctx.small = (uint32_t)small;
			s->ctx.most_ways = 8;
			bad = sort_alloc_ways(s, &h.d, h.why, sizeof(h.why));
		}
		bad = bad ? bad : harness_run(&h, LSCHED_QUEUE_RING, 1);
	}
	if (bad)
		fprintf(stderr, "%s: %s\n", type->name, h.why);
	CU_ASSERT_EQUAL(bad, 0);
	harness_close(&h);
}

static void test_sort(void)
{
	static const uint32_t sizes[] = { 0, 1, 15, 16, 17, 500, 4096, 4097, 8192, 8193, 40001 };

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
		for (int keys = SORT_U32; keys <= SORT_PAIRS; keys++) {
			const sort_options o = { sizes[k], 1, 1, keys, ((int)k + keys) % 7, 0 };

			run(&wl_sort_type, &o,
				keys == SORT_U32 ? &sort4_lanes_program : &sort8_lanes_program,
				keys == SORT_U32 ? 8192 : 4096);
		}
}

static void test_lists(void)
{
	const sort_options o = { 20000, 300, 1, SORT_U32, SORT_GAUSS, SORT_ZIPF };

	run(&wl_sort_type, &o, &sort4_lanes_program, 8192);
}

static void test_octree(void)
{
	static const uint32_t sizes[] = { 0, 1, 2, 17, 4096, 4097, 20000, 32769, 90000 };

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
		for (int law = OCT_UNIFORM; law <= OCT_CLUMPS; law++) {
			const octree_options o = { sizes[k], 1 + 20 * (uint32_t)(k % 3), 1, law };

			run(&wl_octree_type, &o, &octree_lanes_program, 0);
		}
}

static void test_octree_codes(void)
{
	static const uint32_t sizes[] = { 65, 700, 4096, 9000, 40000 };

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
		for (int codes = 0; codes < OCTREE_CODES; codes++) {
			const octree_options o = { sizes[k], 1 + 63 * (uint32_t)(k % 2), 1,
				OCT_UNIFORM };
			harness h;
			int bad = harness_open(&h, &wl_octree_type, &o, 1);

			bad = bad ? bad : octree_codes_fill(h.w.host_data, (octree_codes)codes);
			h.w.cpu = &octree_lanes_program;
			bad = bad ? bad : harness_run(&h, LSCHED_QUEUE_RING, 1);
			if (bad)
				fprintf(stderr, "codes %d: %s\n", codes, h.why);
			CU_ASSERT_EQUAL(bad, 0);
			harness_close(&h);
		}
}

static void test_bvh(void)
{
	static const uint32_t sizes[] = { 1, 2, 17, 33, 64, 300, 512, 513, 4097, BVH_BLOCK + 1,
		40000 };

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]) - (test_full() ? 0 : 1); k++)
		for (int shape = BVH_CLOTH; shape <= BVH_SAME; shape++) {
			const bvh_options o = { NULL, sizes[k], 1 + (uint32_t)k % 4, 1, shape,
				(int)(k + (size_t)shape) % 5 == 0 ? BVH_REFIT_ALL : BVH_BUILD_ALL,
				BVH_BOXES_AABB };

			if (!is_left_out(sizes[k], k, shape))
				run(&wl_bvh_type, &o, &bvh_lanes_program, 0);
		}
}

/* The boxes have changed: makes the tree of one thread again. */
static void remake_truth(harness *h)
{
	bvh_host *s = (bvh_host *)h->w.host_data;

	memcpy(s->d_box[0], s->box[0], s->ctx.n * sizeof(bvh_box));
	CU_ASSERT_EQUAL_FATAL(bvh_build_truth(&h->d, &s->truth, h->why, sizeof(h->why)), 0);
}

/* Nearly all boxes are in a place that is small in the scene: their ranges have frames of their
 * own. */
static void shrink(harness *h)
{
	const bvh_host *s = (bvh_host *)h->w.host_data;

	for (uint32_t i = 20; i < s->ctx.n; i++)
		for (int k = 0; k < 3; k++) {
			s->box[0][i].lo[k] *= 1e-4f;
			s->box[0][i].hi[k] *= 1e-4f;
		}
	remake_truth(h);
}

/* Seven boxes each at distances that are halved: planes by cost would make a tree of more levels
 * than BVH_EVEN_DEPTH, below which ranges are halved. */
static void chain(harness *h)
{
	const bvh_host *s = (bvh_host *)h->w.host_data;

	for (uint32_t i = 0; i < s->ctx.n; i++)
		for (int k = 0; k < 3; k++)
			s->box[0][i].lo[k] = s->box[0][i].hi[k] =
				ldexpf(1, 100 - (int)(i / 7 % 250));
	remake_truth(h);
}

static void test_shrunk(void)
{
	for (uint32_t n = 700; n < 20000; n *= 5) {
		const bvh_options o = { NULL, n, 2, 1, BVH_RANDOM, BVH_BUILD_ALL, BVH_BOXES_AABB };
		harness h;

		CU_ASSERT_EQUAL_FATAL(harness_open(&h, &wl_bvh_type, &o, 1), 0);
		shrink(&h);
		h.w.cpu = &bvh_lanes_program;
		CU_ASSERT_EQUAL(harness_run(&h, LSCHED_QUEUE_RING, 1), 0);
		harness_close(&h);
	}
}

/* Blocks of several warps, which share bricks of cells. */
/* The tree by blocks of so many warps is that of one thread. */
static void compare_block(harness *h, bvh_host *host, uint32_t warps)
{
	int bad;

	memset(host->ctx.arrived, 0, host->ctx.n * sizeof(uint32_t));
	bvh_warps_build(&host->ctx, warps);
	bad = bvh_check_same(&host->ctx, &host->truth, h->why, sizeof(h->why));
	if (bad)
		fprintf(stderr, "%u of shape %d, %u warps: %s\n", (unsigned)host->ctx.n,
			host->o.shape, (unsigned)warps, h->why);
	CU_ASSERT_EQUAL(bad, 0);
}

static void test_bvh_chains(void)
{
	static const struct {
		uint32_t n, leaf;
	} cases[] = { { 1500, 16 }, { 12289, 1 } };

	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++) {
		const bvh_options o = { NULL, cases[k].n, cases[k].leaf, 1, BVH_SAME, BVH_BUILD_ALL,
			BVH_BOXES_AABB };
		harness h;

		CU_ASSERT_EQUAL_FATAL(harness_open(&h, &wl_bvh_type, &o, 1), 0);
		chain(&h);
		compare_block(&h, h.w.host_data, 12);
		harness_close(&h);
	}
}

static void test_bvh_blocks(void)
{
	static const uint32_t sizes[] = { 513, 700, 3000, 9000, 40000, 110000 };

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
		for (int shape = BVH_CLOTH; shape <= BVH_SAME; shape++) {
			const bvh_options o = { NULL, sizes[k], 1 + (uint32_t)k % 4, 1, shape,
				BVH_BUILD_ALL, BVH_BOXES_AABB };
			const int is_small = (k + (size_t)shape) % 4 == 0;
			const uint32_t warps = !is_small ? 12 : k % 2 ? 3 : 1;
			harness h;
			bvh_host *host;
			int bad;

			if (sizes[k] > 40000 ? shape != BVH_RANDOM || !test_full() /* seconds */
					     : is_left_out(sizes[k], k, shape))
				continue;
			bad = harness_open(&h, &wl_bvh_type, &o, 1);
			host = h.w.host_data;
			if (!bad && k % 3 == 2)
				shrink(&h);
			if (!bad)
				compare_block(&h, host, warps);
			CU_ASSERT_EQUAL(bad, 0);
			harness_close(&h);
		}
	CU_ASSERT_TRUE(bvh_warps_ready > 100);
	CU_ASSERT_TRUE(bvh_warps_pairs > 50);
}

static void test_oriented(void)
{
	static const uint32_t sizes[] = { 1, 2, 33, 512, 4097, 20000 };

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
		for (int shape = BVH_TORI; shape <= BVH_SAME; shape++) {
			const bvh_options o = { NULL, sizes[k], 1 + (uint32_t)k % 4, 1, shape,
				(int)(k + (size_t)shape) % 2, BVH_BOXES_OBB };

			if (!is_left_out(sizes[k], k, shape))
				run(&wl_bvh_type, &o, &bvh_obb_lanes_program, 0);
		}
}

/* Any number of warps: the walk has no joins. */
static void run_collide(const col_options *o, const lsched_program *program)
{
	for (int q = 0; lsched_queue_name((lsched_queue)q); q++)
		for (uint32_t workers = 1; workers <= 3; workers += 2) {
			harness h;
			int bad;

			/* each queue in one large scene */
			if (o->n > 1000 && ((q + o->scene) % 3 || (workers == 1 && !test_full())))
				continue;
			bad = harness_open(&h, &wl_collide_type, o, workers);
			if (q > 0 && o->phase == COL_PHASE_CONTACTS) {
				harness_close(&h);
				return;
			}
			if (!bad) {
				h.w.cpu = program;
				h.w.capacity = 1 << 20;
				h.w.bin_size = 4096;
				bad = harness_run(&h, (lsched_queue)q, workers);
			}
			if (bad)
				fprintf(stderr, "collide, %s: %s\n",
					lsched_queue_name((lsched_queue)q), h.why);
			CU_ASSERT_EQUAL(bad, 0);
			harness_close(&h);
		}
}

static void test_pairs(void)
{
	const uint64_t sizes[] = { 0, 1, 2, 3, 50, (uint64_t)test_effort(2001, 700, 700) };

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
		for (int scene = COL_SCENE_CLOTH; scene <= COL_SCENE_RANDOM; scene++) {
			const col_options o = { .n = sizes[k],
				.seed = 1,
				.scene = scene,
				.pairs = COL_ALL,
				.front = k % 2 ? 300 : 1 };

			if (scene == COL_SCENE_RANDOM || sizes[k] >= 2)
				run_collide(&o, &col_lanes_program);
		}
}

static void test_contacts(void)
{
	for (int pairs = COL_VERTEX_FACE; pairs <= COL_EDGES; pairs++) {
		const col_options o = { .n = 400,
			.seed = 3,
			.scene = COL_SCENE_SPHERE,
			.pairs = pairs,
			.phase = COL_PHASE_CONTACTS,
			.tolerance = 1e-6 };

		run_collide(&o, &cont_lanes_program);
	}
}

/* Runs it with 32 lanes of `workers`. */
static void run_fourrow(const fourrow_options *o, uint32_t workers)
{
	harness h;
	int bad = harness_open(&h, &wl_fourrow_type, o, 32 * workers);

	if (!bad) {
		h.w.cpu = o->solve ? &fourrow_solve_lanes_program : &fourrow_plies_lanes_program;
		h.lanes = 32;
		bad = harness_run(&h, LSCHED_QUEUE_RING, workers);
	}
	if (bad)
		fprintf(stderr, "fourrow: %s\n", h.why);
	CU_ASSERT_EQUAL(bad, 0);
	harness_close(&h);
}

static void test_fourrow(void)
{
	static const wl_size boards[] = { { 4, 4 }, { 5, 4 }, { 4, 5 }, { 6, 4 } };

	for (uint32_t k = 0; k < (uint32_t)test_effort(8, 5, 2); k++) {
		fourrow_options o = { .board = { 7, 6 },
			.plies = k % 6,
			.bounds = k % 2,
			.serial = k % 6 > 2 ? 2 : 0,
			.table = 1 << 18,
			.moves = k > 3 ? "44353" : NULL };

		run_fourrow(&o, 1 + k % 2);
		o.bounds = 0;
		o.moves = NULL;
		o.solve = "-";
		o.budget = k < 4 ? 20 : 500;
		o.walkers = k % 3 * 50;
		o.board = boards[k % (test_full() ? 4 : 3)]; /* the last takes most of the time */
		run_fourrow(&o, 1 + k % 2);
	}
}

/* Any number of warps, as the pairs. */
static void test_lod(void)
{
	static const char mesh[] = "lod_lanes_test.obj";

	CU_ASSERT_EQUAL_FATAL(lod_write_mesh(mesh, 3000), 0);
	for (uint32_t k = 0; k < 20; k++) {
		const lod_options o = { .input = k % 4 == 0 ? mesh : NULL,
			.direction = "1,2,-1",
			.n = k % 4 == 1 ? k / 4 : 20000,
			.front = k % 5 * 300,
			.level = k % 3 * 4,
			.scene = k % 4 == 3 ? LOD_FIELD : LOD_SPHERE,
			.distance = 0.4,
			.pixels = 30 };
		const uint32_t workers = k % 2 ? 3 : 1;
		harness h;
		int bad = harness_open(&h, &wl_lod_type, &o, workers);

		h.w.cpu = &lod_lanes_program;
		bad = bad ? bad : harness_run(&h, (lsched_queue)(k / 2), workers);
		if (bad)
			fprintf(stderr, "lod, case %u: %s\n", k, h.why);
		CU_ASSERT_EQUAL(bad, 0);
		harness_close(&h);
	}
	remove(mesh);
}

static void test_trace(void)
{
	for (uint32_t k = 0; k < (uint32_t)test_effort(6, 4, 2); k++) {
		const trc_options o = { .size = { 20 + k, 9 },
			.samples = 1 + 7 * k,
			.spheres = 2 * k,
			.turn = 1 + k,
			.paths = 64,
			.visit = 1,
			.seed = k,
			.end = (int)k % 2,
			.regroup = (int)k % 3 };

		run(&wl_trace_type, &o, &trace_lanes_program, 0);
	}
}

static void test_x3d(void)
{
	for (uint32_t k = 0; k < (uint32_t)test_effort(8, 5, 2); k++) {
		const x3d_options o = { .n = 40000 * k, .seed = k };

		run(&wl_x3d_type, &o, &x3d_lanes_program, 0);
	}
}

static void test_trace_mesh(void)
{
	const char *const name = "lanes_test.obj";
	const trc_options o = { .size = { 20, 15 },
		.samples = 20,
		.turn = 3,
		.paths = 64,
		.visit = 1,
		.regroup = TRC_REGROUP_LANES,
		.input = name };
	FILE *f = fopen(name, "w");

	CU_ASSERT_FATAL(f != NULL);
	for (int k = 0; k < 8; k++)
		fprintf(f, "v %d %d %d\n", k >> 2, k >> 1 & 1, k & 1);
	fputs("f 1 2 4 3\nf 5 7 8 6\nf 1 5 6 2\nf 3 4 8 7\nf 1 3 7 5\nf 2 6 8 4\n", f);
	fclose(f);
	run(&wl_trace_type, &o, &trace_mesh_lanes_program, 0);
	remove(name);
}

static void test_hull(void)
{
	for (int method = HULL_FULL; method <= HULL_CLOCK; method++) {
		const hull_options o = { .n = 500,
			.size = { 40, 33 },
			.cameras = 4,
			.side = 50,
			.frames = 3,
			.limit_us = 1000000,
			.method = method,
			.speed = 2 };

		run(&wl_hull_type, &o, &hull_lanes_program, 0);
	}
}

int main(void)
{
	CU_TestInfo tests[] = { { "keys are sorted", test_sort },
		{ "lists are sorted apart", test_lists },
		{ "octrees are those of recursion", test_octree },
		{ "octrees of equal and nearly equal particles", test_octree_codes },
		{ "hierarchies are those of one thread", test_bvh },
		{ "hierarchies of a small place are those of one thread", test_shrunk },
		{ "hierarchies of blocks are those of one thread", test_bvh_blocks },
		{ "those of chains are halved below a depth", test_bvh_chains },
		{ "oriented boxes are those of one thread", test_oriented },
		{ "pairs are those of a sweep", test_pairs },
		{ "contacts are those of one thread", test_contacts },
		{ "connect four has its values", test_fourrow },
		{ "meshes are simplified", test_lod },
		{ "hulls are those of one thread", test_hull },
		{ "paths are those of one thread", test_trace },
		{ "paths among triangles are those of one thread", test_trace_mesh },
		{ "scenes are parsed", test_x3d }, CU_TEST_INFO_NULL };

	return test_run_one("workloads on emulated warps", tests);
}

#endif
