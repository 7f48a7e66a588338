/* bvh with oriented boxes: sizes and shapes under all queues, degenerate triangles, block items by
 * several threads, the arithmetic of the axes at its bounds, and what the check must find. */
#include "tests/common/effort.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/workloads/harness.h"
#include "workloads/bvh/host.h"
#include "workloads/bvh/obb_axes.h"
#include "workloads/common/memory.h"

#include <stdio.h>
#include <stdlib.h>

extern const wl_type wl_bvh_type;
extern const lsched_program obbteam_cpu_program;
extern uint32_t team_size;

static bvh_options options(uint64_t n, uint32_t leaf, int shape, int phase)
{
	const bvh_options o = { NULL, n, leaf, 1, shape, phase, BVH_BOXES_OBB };

	return o;
}

/* Runs it under `queue` and checks it; the caller closes *h. `team`: threads of an item; 0: as on a
 * CPU. */
static void make(
	harness *h, const bvh_options *o, lsched_queue queue, uint32_t team, uint32_t workers)
{
	int bad = harness_open(h, &wl_bvh_type, o, workers);

	if (!bad && team) {
		team_size = team;
		h->w.cpu = &obbteam_cpu_program;
	}
	bad = bad ? bad : harness_run(h, queue, workers);
	if (bad)
		fprintf(stderr, "n %d leaf %u shape %d phase %d team %u: %s\n", (int)o->n, o->leaf,
			o->shape, o->phase, team, h->why);
	CU_ASSERT_EQUAL_FATAL(bad, 0);
}

static void try_boxes(const bvh_options *o, lsched_queue queue, uint32_t team, uint32_t workers)
{
	harness h;

	make(&h, o, queue, team, workers);
	harness_close(&h);
}

static void test_sizes(void)
{
	static const uint32_t sizes[] = { 0, 1, 2, 3, 31, 33, 513, 4096, 4097, 20000 };

	for (uint32_t k = 0; k < (uint32_t)test_effort(10, 9, 8); k++)
		for (int shape = BVH_CLOTH; shape <= BVH_SAME; shape++)
			for (int phase = BVH_BUILD_ALL; phase <= BVH_REFIT_ALL; phase++) {
				const bvh_options o = options(
					sizes[k], 1 + (k + (uint32_t)shape) % 5, shape, phase);

				try_boxes(&o, LSCHED_QUEUE_STEAL, 0, 1 + k % 3);
			}
}

static void test_queues(void)
{
	for (int q = 0; lsched_queue_name((lsched_queue)q); q++)
		for (int phase = BVH_BUILD_ALL; phase <= BVH_REFIT_ALL; phase++) {
			const bvh_options o = options(9000, 2, BVH_TORI, phase);

			try_boxes(&o, (lsched_queue)q, 0, 3);
		}
}

static void test_teams(void)
{
	static const uint32_t sizes[] = { 1, 2, 33, 513, 4097, 20000 };

	for (uint32_t k = 0; k < (uint32_t)test_effort(6, 5, 4); k++)
		for (int shape = BVH_SPHERE; shape <= BVH_SAME; shape++) {
			const bvh_options o = options(sizes[k], 1 + (k + (uint32_t)shape) % 4,
				shape, (int)(k + (uint32_t)shape) % 2);

			try_boxes(&o, LSCHED_QUEUE_RING, 2 + 5 * (k % 3), 1 + k % 2);
		}
}

/* Replaces the triangles of *h by t, and the truth. */
static void replace(harness *h, const obb_triangle *t)
{
	bvh_host *s = h->w.host_data;
	const uint32_t n = s->ctx.n;

	memcpy(s->triangle[0], t, n * sizeof(*t));
	for (uint32_t i = 0; i < n; i++)
		for (int k = 0; k < 3; k++) {
			const float a = t[i].at[0][k], b = t[i].at[1][k], c = t[i].at[2][k];
			const float lo = a < b ? a : b, hi = a > b ? a : b;

			s->box[0][i].lo[k] = lo < c ? lo : c;
			s->box[0][i].hi[k] = hi > c ? hi : c;
		}
	CU_ASSERT_EQUAL(wl_write(&h->d, s->d_box[0], s->box[0], n * sizeof(bvh_box), h->why,
				sizeof(h->why)),
		0);
	CU_ASSERT_EQUAL(
		wl_write(&h->d, s->d_triangle[0], t, n * sizeof(*t), h->why, sizeof(h->why)), 0);
	CU_ASSERT_EQUAL_FATAL(bvh_build_truth(&h->d, &s->truth, h->why, sizeof(h->why)), 0);
	CU_ASSERT_EQUAL_FATAL(obb_make_truth(&h->d, s, h->why, sizeof(h->why)), 0);
}

/* Fits the boxes of n triangles by a thread and by a team, and returns what they are like. */
static obb_facts fit(const obb_triangle *t, uint32_t n, uint32_t leaf, const char *name)
{
	const bvh_options o = options(n, leaf, BVH_RANDOM, BVH_BUILD_ALL);
	obb_facts f;
	harness h;

	CU_ASSERT_EQUAL_FATAL(harness_open(&h, &wl_bvh_type, &o, 2), 0);
	replace(&h, t);
	for (uint32_t team = 0; team < 2; team++) {
		int bad;

		team_size = 5;
		h.w.cpu = team ? &obbteam_cpu_program : h.w.cpu;
		bad = harness_run(&h, LSCHED_QUEUE_RING, 1 + !team);
		if (bad)
			fprintf(stderr, "%s, %u triangles: %s\n", name, n, h.why);
		CU_ASSERT_EQUAL(bad, 0);
	}
	f = ((bvh_host *)h.w.host_data)->obb_facts;
	harness_close(&h);
	return f;
}

enum { POINT, LINE, SLANTED_LINE, PLANE, SLANTED_PLANE, ALIGNED, THIN, FAR, HUGE, TINY, MESHES };

static const char *const names[] = { "a point", "a line", "a slanted line", "a plane",
	"a slanted plane", "aligned slabs", "thin slanted triangles", "a far triangle",
	"huge numbers", "subnormal numbers" };

/* 0 .. 1 */
static double part(void)
{
	return rng() / 4294967296.0;
}

static obb_triangle triangle_of(int mesh, uint32_t i)
{
	const double u = part(), v = part(), w = part();
	obb_triangle t;

	for (int k = 0; k < 3; k++) {
		const double a = part(), b = part();
		double x = u + 0.1 * a, y = v + 0.1 * b, z = w + 0.1 * (a + b);

		if (mesh == POINT)
			x = y = z = 7;
		if (mesh == LINE)
			y = z = 0;
		if (mesh == SLANTED_LINE)
			y = z = x;
		if (mesh == PLANE)
			z = -1;
		if (mesh == SLANTED_PLANE)
			z = x + y;
		if (mesh == THIN) { /* along a diagonal of the cube */
			x = u + 0.3 * k + 0.002 * a;
			y = v + 0.3 * k + 0.002 * b;
			z = w + 0.3 * k;
		}
		if (mesh == FAR && i == 0) /* the others have a few steps of the grid */
			x += 200;
		if (mesh == ALIGNED) { /* three corners of a box, so that no turned box is better */
			x = u + (k == 1);
			y = v + (k == 2) * 0.1;
			z = w;
		}
		t.at[k][0] = (float)(mesh == HUGE   ? 6e38 * x - 3.3e38
				     : mesh == TINY ? 1e-41 * x
						    : x);
		t.at[k][1] = (float)(mesh == HUGE   ? 6e38 * y - 3.3e38
				     : mesh == TINY ? 1e-41 * y
						    : y);
		t.at[k][2] = (float)(mesh == HUGE ? 3e38 * z - 3e38 : mesh == TINY ? 1e-41 * z : z);
	}
	return t;
}

static void test_degenerate(void)
{
	static const uint32_t sizes[] = { 1, 2, 40, 6000 };
	static obb_triangle t[6000];

	for (int mesh = POINT; mesh < MESHES; mesh++)
		for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++) {
			obb_facts f;

			for (uint32_t i = 0; i < sizes[k]; i++)
				t[i] = triangle_of(mesh, i);
			f = fit(t, sizes[k], 1 + 3 * (k & 1), names[mesh]);
			CU_ASSERT_TRUE(f.area <= 1.0002 && f.leaves <= 1.0002);
			if (mesh == POINT || mesh == LINE)
				CU_ASSERT_EQUAL(f.oriented, 0);
			if (mesh == ALIGNED && !(k & 1))
				CU_ASSERT_TRUE(f.leaves > 0.9998);
			if (mesh == SLANTED_LINE)
				CU_ASSERT_TRUE(f.area < 0.3 || sizes[k] == 1);
			if (mesh == THIN) /* a leaf of one triangle has less than a tenth */
				CU_ASSERT_TRUE(f.leaves < (k & 1 ? 0.6 : 0.1));
		}
}

/* Rounding and sums without meaning: the run ends, boxes have any values. */
static void test_not_numbers(void)
{
	const bvh_options o = options(6000, 4, BVH_RANDOM, BVH_BUILD_ALL);
	bvh_host *s;
	harness h;

	CU_ASSERT_EQUAL_FATAL(harness_open(&h, &wl_bvh_type, &o, 2), 0);
	s = h.w.host_data;
	for (uint32_t i = 0; i < s->ctx.n; i += 3) {
		s->d_box[0][i].lo[i % 2] = i % 5 ? NAN : INFINITY;
		s->d_triangle[0][i].at[i % 3][i % 2] = i % 5 ? NAN : -INFINITY;
	}
	for (uint32_t team = 0; team < 2; team++) {
		team_size = 4;
		h.w.cpu = team ? &obbteam_cpu_program : h.w.cpu;
		CU_ASSERT_EQUAL(harness_run(&h, LSCHED_QUEUE_RING, 1), -1);
		CU_ASSERT_PTR_NULL(strstr(h.why, "end within"));
	}
	harness_close(&h);
}

static void test_cosine(void)
{
	for (uint32_t i = 0; i < 200000; i++) {
		const int32_t small = (int32_t)i * (i % 2 ? 1 : 1 << 20);
		const int32_t t = i < 1000 ? small : (int32_t)(rng() >> (2 + i % 30));
		const double tangent = t / 1073741824.0, exact = 1 / sqrt(1 + tangent * tangent);

		CU_ASSERT_DOUBLE_EQUAL(obb_cosine(t) / 1073741824.0, exact, 4.0 / 1073741824.0);
	}
	/* the largest one that rounding leaves */
	CU_ASSERT_DOUBLE_EQUAL(obb_cosine((1 << 30) + 128) / 1073741824.0, sqrt(0.5), 1e-7);
}

static void test_top_bit(void)
{
	for (uint32_t bit = 0; bit < 64; bit++) {
		CU_ASSERT_EQUAL(obb_top_bit(UINT64_C(1) << bit), bit);
		CU_ASSERT_EQUAL(obb_top_bit((UINT64_C(1) << bit) * 2 - 1), bit);
	}
	for (int power = -126; power <= 127; power++)
		CU_ASSERT_EQUAL(obb_power(power), ldexpf(1, power));
}

/* Adds n equal corners. */
static void add(obb_sums *s, int64_t n, int64_t x, int64_t y, int64_t z)
{
	const int64_t v[3] = { x, y, z }, p[6] = { x * x, y * y, z * z, x * y, x * z, y * z };

	for (int k = 0; k < 3; k++)
		s->sum[k] += n * v[k];
	for (int k = 0; k < 6; k++)
		s->product[k] += n * p[k];
}

/* The largest scene, with all corners at the ends of two diagonals of the grid: the axes are known,
 * and no sum overflows (under -fsanitize=undefined). */
static void test_largest(void)
{
	const uint32_t most = BVH_MAX_BOXES;

	for (int turn = 0; turn < 4; turn++) {
		const int64_t side = turn & 1 ? -32768 : 32767, other = turn & 2 ? 32767 : -32768;
		obb_sums s = { .end = most };
		int32_t axis[3][3];
		int found = 0;

		add(&s, 3 * (int64_t)(most / 4), 32767, side, 32767);
		add(&s, 3 * (int64_t)(most / 4), -32768, other, -32768);
		add(&s, 3 * (int64_t)(most / 2), 0, 0, 0);
		obb_axes(&s, axis);
		for (int k = 0; k < 3; k++) {
			const int64_t slope = side == other ? 0 : side > other ? 1 : -1;
			const int64_t d = (int64_t)axis[k][0] + slope * axis[k][1] + axis[k][2];
			const int64_t length = (int64_t)axis[k][0] * axis[k][0] +
					       (int64_t)axis[k][1] * axis[k][1] +
					       (int64_t)axis[k][2] * axis[k][2];

			CU_ASSERT_TRUE(length > 32766 * 32766 && length < INT64_C(32768) * 32768);
			/* along the line, or at right angles to it */
			found += d > 46000 || d < -46000;
			CU_ASSERT_TRUE(d > 46000 || d < -46000 || turn == 0 || turn == 3 ||
				       (d < 200 && d > -200));
		}
		CU_ASSERT_EQUAL(found, 1);
	}
}

/* The check finds what is wrong. */
static void test_check(void)
{
	const bvh_options o = options(3000, 3, BVH_SPHERE, BVH_BUILD_ALL);
	obb_facts f;
	bvh_host *s;
	harness h;
	obb_ctx c;
	obb_box *b, saved;
	uint32_t found = 0;

	make(&h, &o, LSCHED_QUEUE_RING, 0, 1);
	s = h.w.host_data;
	c = s->obb;
	c.triangle = s->triangle[0];
#define BOXES() obb_check_boxes(&c, &f, h.why, sizeof(h.why))
#define WRONG(text)                                    \
	CU_ASSERT_EQUAL(BOXES(), -1);                  \
	CU_ASSERT_PTR_NOT_NULL(strstr(h.why, (text))); \
	*b = saved
	CU_ASSERT_EQUAL(BOXES(), 0);
	CU_ASSERT_TRUE(f.area < 0.9 && f.leaves < 0.8 && f.oriented > 0.5);
	for (int k = 0; k < 2; k++) {
		b = &c.box[k ? 2 * 1800 : obb_at(c.tree.top->root)];
		while (k && (!c.tree.leaf[(b - c.box) / 2].count || !b->is_oriented))
			b += 2;
		saved = *b;
		b->lo[1] += 60000;
		WRONG("contain");
		b->hi[2] -= 60000;
		WRONG("contain");
		b->hi[0] += 60000;
		WRONG("too large");
		b->axis[0][0] = (int16_t)(b->axis[0][0] + (b->axis[0][0] > 0 ? 90 : -90));
		CU_ASSERT_EQUAL(BOXES(), -1);
		*b = saved;
		memcpy(b->axis[0], b->axis[1], sizeof(b->axis[0]));
		WRONG("orthogonal");
	}
	/* boxes that fit, but are turned: where the principal axes are unique */
	for (uint32_t at = 0; at < 60; at += 2) {
		static const int32_t turned[3][3] = { { 19660, 26214, 0 }, { -26214, 19660, 0 },
			{ 0, 0, OBB_UNIT } };
		obb_extent e = obb_no_extent();

		b = &c.box[at];
		saved = *b;
		for (uint32_t i = c.sums[at].first; i < c.sums[at].end; i++)
			obb_extend(&e, turned, &c.corners[i]);
		*b = obb_finish(c.sums[at].word, turned, e);
		if (c.tree.leaf[at / 2].count && BOXES())
			found += strstr(h.why, "principal axes") != NULL;
		*b = saved;
	}
	CU_ASSERT_TRUE(found > 4);
	CU_ASSERT_EQUAL(obb_check_same(&c, s->obb_truth[0], h.why, sizeof(h.why)), 0);
	b->is_oriented ^= 1;
	CU_ASSERT_EQUAL(obb_check_same(&c, s->obb_truth[0], h.why, sizeof(h.why)), -1);
	harness_close(&h);
}

int main(void)
{
	CU_TestInfo tests[] = { { "boxes are those of one thread and contain", test_sizes },
		{ "every queue makes the same boxes", test_queues },
		{ "several threads run block items", test_teams },
		{ "degenerate triangles have boxes", test_degenerate },
		{ "corners that are no numbers end", test_not_numbers },
		{ "cosines are those of double precision", test_cosine },
		{ "powers of two", test_top_bit },
		{ "sums of the largest scene fit", test_largest },
		{ "the check finds wrong boxes", test_check }, CU_TEST_INFO_NULL };

	return test_run_one("oriented boxes", tests);
}
