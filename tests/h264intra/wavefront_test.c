/* The index rules of order/wavefront.h and order/rows.h against the graph that they describe, by
 * brute force on small pictures. */
#include "h264intra/order/rows.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

#include <stdio.h>
#include <stdlib.h>

enum { MAX_TASKS = 1024, WORDS = MAX_TASKS / 64 };

/* Sets of tasks, with one bit for each task. */
typedef struct {
	uint64_t bit[WORDS];
} task_set;

static task_set before[MAX_TASKS]; /* predecessors and their predecessors, by the rule */
static task_set needed[MAX_TASKS]; /* the same by the four neighbours */

static void add(task_set *s, uint32_t task)
{
	s->bit[task / 64] |= UINT64_C(1) << task % 64;
}

static int has(const task_set *s, uint32_t task)
{
	return (int)(s->bit[task / 64] >> task % 64 & 1);
}

static void add_with_past(task_set *all, uint32_t task, uint32_t pred)
{
	for (int i = 0; i < WORDS; i++)
		all[task].bit[i] |= all[pred].bit[i];
	add(&all[task], pred);
}

/* The slice of a row, by distributing the rows one by one. */
static uint32_t slice_of(const h264i_geom *g, uint32_t row)
{
	uint32_t slice = 0, left = 0;

	for (uint32_t y = 0; y <= row; y++) {
		if (left == 0)
			left = g->mb_height / g->slices + (slice++ < g->mb_height % g->slices);
		left--;
	}
	return slice - 1;
}

static void require(const h264i_geom *g, uint32_t frame, uint32_t x, uint32_t y, int dx, int dy)
{
	uint32_t mbs = g->mb_width * g->mb_height, w = g->mb_width;
	uint32_t nx = x + (uint32_t)dx, ny = y + (uint32_t)dy; /* -1 wraps beyond every size */

	if (nx < w && ny < g->mb_height && slice_of(g, ny) == slice_of(g, y))
		add_with_past(needed, frame * mbs + y * w + x, frame * mbs + ny * w + nx);
}

/* Fills `needed` for a kind of row tasks, `first` and those behind it: all of the row, and the task
 * of the row above, for bits in the same slice. */
static void build_rows(const h264i_wave_ctx *c, uint32_t first, int bits)
{
	const h264i_geom *g = &c->geom;
	uint32_t w = g->mb_width;

	for (uint32_t row = 0; row < c->frames * g->mb_height; row++) {
		uint32_t y = row % g->mb_height;

		for (uint32_t x = 0; x < w; x++)
			add_with_past(needed, first + row, row * w + x);
		if (y && (!bits || slice_of(g, y) == slice_of(g, y - 1)))
			add_with_past(needed, first + row, first + row - 1);
	}
}

/* Fills `needed` from LEFT, UP-LEFT, UP, UP-RIGHT and row ends. */
static void build_needed(const h264i_wave_ctx *c)
{
	const h264i_geom *g = &c->geom;
	uint32_t mbs = g->mb_width * g->mb_height;

	memset(needed, 0, sizeof(needed));
	for (uint32_t f = 0; f < c->frames; f++)
		for (uint32_t y = 0; y < g->mb_height; y++)
			for (uint32_t x = 0; x < g->mb_width; x++) {
				require(g, f, x, y, -1, 0);
				require(g, f, x, y, -1, -1);
				require(g, f, x, y, 0, -1);
				require(g, f, x, y, 1, -1);
			}
	if (c->entropy_tasks)
		build_rows(c, c->frames * mbs, 1);
	if (c->row_tasks)
		build_rows(c, c->frames * (mbs + (c->entropy_tasks ? g->mb_height : 0)), 0);
}

static int links_agree(const h264i_wave_ctx *c, uint32_t tasks)
{
	int bad = 0;

	for (uint32_t t = 0; t < tasks; t++) {
		for (uint32_t k = 0; k < rowrule_pred_count(c, t); k++) {
			uint32_t p = rowrule_pred(c, t, k), found = 0;

			if (p >= t) {
				bad++;
				continue;
			}
			for (uint32_t j = 0; j < rowrule_succ_count(c, p); j++)
				found += rowrule_succ(c, p, j) == t;
			bad += found != 1;
		}
		for (uint32_t k = 0; k < rowrule_succ_count(c, t); k++) {
			uint32_t s = rowrule_succ(c, t, k), found = 0;

			if (s <= t || s >= tasks) {
				bad++;
				continue;
			}
			for (uint32_t j = 0; j < rowrule_pred_count(c, s); j++)
				found += rowrule_pred(c, s, j) == t;
			bad += found != 1;
		}
	}
	return bad == 0;
}

static int closure_agrees(const h264i_wave_ctx *c, uint32_t tasks)
{
	int bad = 0;

	memset(before, 0, sizeof(before));
	for (uint32_t t = 0; t < tasks; t++)
		for (uint32_t k = 0; k < rowrule_pred_count(c, t); k++)
			add_with_past(before, t, rowrule_pred(c, t, k));
	build_needed(c);
	for (uint32_t t = 0; t < tasks; t++) {
		bad += memcmp(&before[t], &needed[t], sizeof(before[t])) != 0;
		/* Reduced: no predecessor precedes another one. */
		for (uint32_t k = 0; k < rowrule_pred_count(c, t); k++)
			for (uint32_t j = 0; j < rowrule_pred_count(c, t); j++)
				bad += has(&before[rowrule_pred(c, t, k)], rowrule_pred(c, t, j));
	}
	return bad == 0;
}

static int roots_agree(const h264i_wave_ctx *c, uint32_t tasks)
{
	task_set roots = { { 0 } };
	uint32_t n = 0;
	int bad = 0;

	for (uint32_t i = 0; i < rowrule_root_count(c); i++) {
		uint32_t t = rowrule_root(c, i);

		bad += t >= tasks || has(&roots, t);
		add(&roots, t < tasks ? t : 0);
	}
	for (uint32_t t = 0; t < tasks; t++) {
		bad += has(&roots, t) != (rowrule_pred_count(c, t) == 0);
		n += rowrule_pred_count(c, t) == 0;
	}
	return bad == 0 && n == rowrule_root_count(c);
}

/* A worker that draws a ticket for a chain and waits deadlocks unless all predecessors of a task
 * have smaller tickets or come before it in its chain. */
static int chains_cover(const h264i_wave_ctx *c, uint32_t tasks)
{
	task_set done = { { 0 } };
	uint32_t count = 0;

	for (uint32_t i = 0; i < rowrule_chain_count(c); i++)
		for (uint32_t t = rowrule_chain_head(c, i); t != LSCHED_NONE;
			t = rowrule_chain_next(c, t)) {
			if (t >= tasks || has(&done, t) || count++ > tasks)
				return 0;
			for (uint32_t k = 0; k < rowrule_pred_count(c, t); k++)
				if (!has(&done, rowrule_pred(c, t, k)))
					return 0;
			add(&done, t);
		}
	return count == tasks;
}

static int waves_cover(const h264i_wave_ctx *c, uint32_t tasks)
{
	task_set done = { { 0 } };
	uint32_t count = 0;

	for (uint32_t d = 0; d < rowrule_wave_count(c); d++) {
		uint32_t n = rowrule_wave_size(c, d);
		task_set earlier = done;

		for (uint32_t i = 0; i < n; i++) {
			uint32_t t = rowrule_wave_task(c, d, i);

			if (t >= tasks || has(&done, t))
				return 0;
			for (uint32_t k = 0; k < rowrule_pred_count(c, t); k++)
				if (!has(&earlier, rowrule_pred(c, t, k)))
					return 0;
			add(&done, t);
			count++;
		}
	}
	return count == tasks;
}

static int rows_agree(const h264i_wave_ctx *c)
{
	const h264i_geom *g = &c->geom;
	int bad = h264i_slice_first_row(g, g->slices) != g->mb_height;

	for (uint32_t y = 0; y < g->mb_height; y++) {
		uint32_t s = slice_of(g, y);

		bad += h264i_slice_of_row(g, y) != s;
		bad += y < h264i_slice_first_row(g, s) || y >= h264i_slice_first_row(g, s + 1);
		bad += mbrule_has_up(c, y) != (y > 0 && slice_of(g, y - 1) == s);
		bad += mbrule_has_down(c, y) != (y + 1 < g->mb_height && slice_of(g, y + 1) == s);
	}
	return bad == 0;
}

static int places_agree(const h264i_wave_ctx *c)
{
	uint32_t w = c->geom.mb_width, mbs = w * c->geom.mb_height;
	int bad = 0;

	for (uint32_t t = 0; t < c->frames * mbs; t++) {
		mbrule_at a = mbrule_place(c, t);

		bad += a.frame != t / mbs || a.mb != t % mbs || a.x != t % mbs % w ||
		       a.y != t % mbs / w;
	}
	return bad == 0;
}

typedef int (*check_fn)(const h264i_wave_ctx *c, uint32_t tasks);

/* Calls a check with all geometries that fit, with and without each kind of tasks a row. */
static void for_geometries(check_fn check)
{
	static const uint32_t frame_counts[] = { 1, 2, 3, 5 };

	for (uint32_t w = 1; w <= 9; w += w < 5 ? 1 : 2)
		for (uint32_t h = 1; h <= 11; h++)
			for (uint32_t slices = 1; slices <= h; slices++)
				for (int i = 0; i < 16; i++) {
					h264i_geom g = { 16 * w, 16 * h, w, h, slices };
					h264i_wave_ctx c;

					c = h264i_wave_ctx_make(&g, NULL);
					c.frames = frame_counts[i / 4];
					c.entropy_tasks = i % 2;
					c.row_tasks = i / 2 % 2;
					if (rowrule_tasks(&c) > MAX_TASKS)
						continue;
					if (check(&c, rowrule_tasks(&c)))
						continue;
					CU_FAIL("a geometry fails");
					printf("\n  %ux%u macroblocks, %u slices, %u frames, "
					       "entropy %u, rows %u\n",
						w, h, slices, c.frames, c.entropy_tasks,
						c.row_tasks);
				}
	CU_PASS("all geometries");
}

static int check_places(const h264i_wave_ctx *c, uint32_t tasks)
{
	uint32_t want = c->geom.mb_width * c->geom.mb_height +
			(c->entropy_tasks ? c->geom.mb_height : 0) +
			(c->row_tasks ? c->geom.mb_height : 0);

	return tasks == c->frames * want && rows_agree(c) && places_agree(c);
}

static void test_places(void)
{
	for_geometries(check_places);
}

static void test_links(void)
{
	for_geometries(links_agree);
}

static void test_closure(void)
{
	for_geometries(closure_agrees);
}

static void test_roots(void)
{
	for_geometries(roots_agree);
}

static void test_chains(void)
{
	for_geometries(chains_cover);
}

static void test_waves(void)
{
	for_geometries(waves_cover);
}

/* The sizes of real video: positions only, since sets of tasks would be large. */
static void test_real_sizes(void)
{
	static const uint32_t sizes[][3] = { { 120, 68, 1 }, { 120, 68, 8 }, { 80, 45, 4 },
		{ 240, 135, 7 }, { 1, 1055, 1055 }, { 1055, 1, 1 }, { 512, 272, 17 },
		{ 132, 1055, 3 } };

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		h264i_geom g = { 16 * sizes[i][0], 16 * sizes[i][1], sizes[i][0], sizes[i][1],
			sizes[i][2] };
		h264i_wave_ctx c;
		uint64_t in_waves = 0;

		c = h264i_wave_ctx_make(&g, NULL);
		c.frames = 3;
		c.entropy_tasks = c.row_tasks = 1;
		CU_ASSERT_TRUE(places_agree(&c));
		CU_ASSERT_TRUE(rows_agree(&c));
		for (uint32_t d = 0; d < rowrule_wave_count(&c); d++)
			in_waves += rowrule_wave_size(&c, d);
		CU_ASSERT_EQUAL(in_waves, rowrule_tasks(&c));
	}
}

static void test_division(void)
{
	static const uint32_t edges[] = { 0, 1, 2, 3, 0x7fffffff, 0x80000000, 0x80000001,
		0xfffffffe, 0xffffffff };
	int bad = 0;

	for (uint32_t d = 1; d < 3000; d++) {
		lsched_div v = lsched_div_make(d);

		for (uint32_t n = 0; n < 300; n++)
			bad += lsched_div_by(&v, n) != n / d;
		for (unsigned e = 0; e < sizeof(edges) / sizeof(edges[0]); e++)
			bad += lsched_div_by(&v, edges[e]) != edges[e] / d;
		for (int i = 0; i < 100; i++) {
			uint32_t n = rng(), multiple = n / d * d;

			bad += lsched_div_by(&v, n) != n / d;
			bad += lsched_div_by(&v, multiple) != multiple / d;
			bad += multiple && lsched_div_by(&v, multiple - 1) != (multiple - 1) / d;
		}
	}
	for (int i = 0; i < 200000; i++) {
		uint32_t d = rng() >> rng_below(32), n = rng() >> rng_below(32);
		lsched_div v = lsched_div_make(d ? d : 1);

		bad += lsched_div_by(&v, n) != n / (d ? d : 1);
	}
	CU_ASSERT_EQUAL(bad, 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "division by a reciprocal is exact", test_division },
		{ "tasks, rows and slices have the expected positions", test_places },
		{ "positions are correct at the sizes of real video", test_real_sizes },
		{ "predecessors and successors are each other's inverse", test_links },
		{ "predecessors cover what prediction reads, and none is redundant", test_closure },
		{ "roots are the tasks without predecessors", test_roots },
		{ "chains contain every task once, after its predecessors", test_chains },
		{ "waves contain every task once, after its predecessors", test_waves },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("wavefront", tests);
}
