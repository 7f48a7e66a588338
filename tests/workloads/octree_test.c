/* octree: sizes and inputs against the tree by recursion, neighbours by the tree against all pairs,
 * and block items by several threads. */
#include "tests/common/effort.h"
#include "tests/common/testmain.h"
#include "tests/workloads/harness.h"
#include "tests/workloads/octree_codes.h"
#include "workloads/common/memory.h"
#include "workloads/octree/host.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const wl_type wl_octree_type;
extern const lsched_program octteam_cpu_program;
extern uint32_t team_size;

/* Makes a tree of particles of o->law, or of `codes` unless these are OCTREE_CODES, and checks it;
 * the caller closes *h. `team`: threads of an item; 0: as on a CPU. */
static void make_of(
	harness *h, const octree_options *o, octree_codes codes, uint32_t team, uint32_t workers)
{
	int bad = harness_open(h, &wl_octree_type, o, workers);

	if (!bad && codes != OCTREE_CODES)
		bad = octree_codes_fill(h->w.host_data, codes);
	if (!bad && team) {
		team_size = team;
		h->w.cpu = &octteam_cpu_program;
	}
	bad = bad ? bad : harness_run(h, LSCHED_QUEUE_STEAL, workers);
	if (bad)
		fprintf(stderr, "n %d bound %u law %d codes %d team %u: %s\n", (int)o->n, o->bound,
			o->law, (int)codes, team, h->why);
	CU_ASSERT_EQUAL_FATAL(bad, 0);
}

static void make(harness *h, const octree_options *o, uint32_t team, uint32_t workers)
{
	make_of(h, o, OCTREE_CODES, team, workers);
}

static void try_tree(const octree_options *o, uint32_t team, uint32_t workers)
{
	harness h;

	make(&h, o, team, workers);
	harness_close(&h);
}

static void test_sizes(void)
{
	static const uint32_t sizes[] = { 0, 1, 2, 3, 64, 65, 100, 4095, 4096, 4097, 8192, 8193,
		32768, 32769, 60000 };
	static const uint32_t bounds[] = { 1, 2, 64, 5000 };

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
		for (size_t b = 0; b < sizeof(bounds) / sizeof(bounds[0]); b++)
			for (int law = OCT_UNIFORM; law <= OCT_CLUMPS; law++) {
				const octree_options o = { sizes[k], bounds[b], 1, law };

				try_tree(&o, 0, 1 + (uint32_t)(k + b) % 3);
			}
}

static void test_teams(void)
{
	static const uint32_t sizes[] = { 0, 1, 2, 17, 1000, 4095, 4096, 4097, 30000, 32768, 32769,
		32770, 100000 };
	static const uint32_t bounds[] = { 64, 1, 5, 6000 };
	/* odd: an even one would leave out the teams of two workers */
	const size_t step = (size_t)test_effort(1, 2, 3);

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k += step)
		for (int law = OCT_UNIFORM; law <= OCT_CLUMPS; law++) {
			const octree_options o = { sizes[k], bounds[(k + (size_t)law) % 4], 1,
				law };

			try_tree(&o, 2 + 5 * ((uint32_t)k % 4), 1 + k % 2);
		}
}

/* Equal, clustered and nearly equal particles, by one thread and by several. */
static void test_codes(void)
{
	static const uint32_t sizes[] = { 2, 64, 65, 66, 130, 2000, 4096, 4097, 20000, 40000,
		70000 };
	static const uint32_t bounds[] = { 1, 64, 300, 9000 };
	const size_t step = (size_t)test_effort(1, 2, 3);

	for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k += step)
		for (int codes = 0; codes < OCTREE_CODES; codes++)
			for (uint32_t team = 0; team < 9; team += 4) {
				const octree_options o = { sizes[k],
					bounds[(k + (size_t)codes) % 4], 1, OCT_UNIFORM };
				harness h;

				/* most of the time is the start of a team's threads */
				if (sizes[k] > 50000 && !test_full())
					continue;
				if (sizes[k] > 20000 && team != 4 + 4 * (uint32_t)(codes % 2))
					continue;
				if (sizes[k] > 1000 && sizes[k] <= 20000 && !test_full() &&
					team != 4 * ((uint32_t)k + (uint32_t)codes) % 12)
					continue;
				make_of(&h, &o, (octree_codes)codes, team, 1);
				harness_close(&h);
			}
}

/* Counts as published for a bound of 64: a full tree for 10^6 uniform particles. */
static void test_known_counts(void)
{
	const octree_options o = { 1000000, 64, 1, OCT_UNIFORM };
	const octree_options p = { 1000000, 64, 1, OCT_PLUMMER };
	harness h;
	const oct_truth *t;

	make(&h, &o, 0, 2);
	t = &((const oct_host *)h.w.host_data)->truth;
	CU_ASSERT_TRUE(t->inner == 4681 && t->leaves == 32768 && t->depth == 5);
	harness_close(&h);
	make(&h, &p, 0, 2);
	t = &((const oct_host *)h.w.host_data)->truth; /* other particles: within 1 % */
	CU_ASSERT_TRUE(fabs((double)t->inner / 7745 - 1) < 0.01);
	CU_ASSERT_TRUE(fabs((double)t->leaves / 54207 - 1) < 0.01);
	CU_ASSERT_TRUE(t->depth >= 9 && t->depth <= 11);
	harness_close(&h);
}

static uint32_t gather(uint64_t code, uint32_t axis)
{
	uint32_t v = 0;

	for (uint32_t bit = 0; bit < OCT_LEVELS; bit++)
		v |= (uint32_t)(code >> (3 * bit + 2 - axis) & 1u) << bit;
	return v;
}

static int64_t squared(int64_t a)
{
	return a * a;
}

/* The square of the distance of a point to the box of a cell. */
static int64_t box_distance(const oct_cell *p, const int64_t at[3])
{
	const int64_t side = INT64_C(1) << (OCT_LEVELS - p->level);
	int64_t sum = 0;

	for (uint32_t axis = 0; axis < 3; axis++) {
		const int64_t lo = gather(p->code, axis), hi = lo + side - 1;

		sum += at[axis] < lo   ? squared(lo - at[axis])
		       : at[axis] > hi ? squared(at[axis] - hi)
				       : 0;
	}
	return sum;
}

static void place_of(uint64_t code, int64_t at[3])
{
	for (uint32_t axis = 0; axis < 3; axis++)
		at[axis] = (int64_t)gather(code, axis);
}

static int64_t distance(const int64_t a[3], const int64_t b[3])
{
	return squared(a[0] - b[0]) + squared(a[1] - b[1]) + squared(a[2] - b[2]);
}

typedef struct found {
	uint64_t count, sum;
} found;

static void neighbours(const oct_ctx *c, uint32_t cell, const int64_t at[3], int64_t r2, found *f)
{
	const oct_cell *p = &c->cell[cell];

	if (box_distance(p, at) > r2)
		return;
	for (uint32_t k = 0; p->child != OCT_NONE && k < lsched_popcount(p->octants); k++)
		neighbours(c, p->child + k, at, r2, f);
	for (uint32_t k = p->first; p->child == OCT_NONE && k < p->first + p->count; k++) {
		int64_t place[3];

		place_of(c->code[OCT_OUTPUT][k], place);
		if (distance(place, at) <= r2) {
			f->count++;
			f->sum += c->name[OCT_OUTPUT][k];
		}
	}
}

static void test_neighbours(void)
{
	enum { N = 5000 };
	static int64_t place[N][3];

	for (int law = OCT_UNIFORM; law <= OCT_PLUMMER; law++) {
		const octree_options o = { N, 16, 5, law };
		const int64_t r2 = squared(law == OCT_UNIFORM ? 140000 : 20000);
		uint64_t pairs = 0, wrong = 0;
		harness h;
		const oct_host *s;

		make(&h, &o, 0, 2);
		s = h.w.host_data;
		for (uint32_t i = 0; i < N; i++)
			place_of(s->code[i], place[i]);
		for (uint32_t i = 0; i < N; i++) {
			found tree = { 0, 0 }, all = { 0, 0 };

			neighbours(&s->ctx, 0, place[i], r2, &tree);
			for (uint32_t k = 0; k < N; k++)
				if (distance(place[k], place[i]) <= r2) {
					all.count++;
					all.sum += k;
				}
			wrong += tree.count != all.count || tree.sum != all.sum;
			pairs += all.count;
		}
		CU_ASSERT_EQUAL(wrong, 0);
		CU_ASSERT_TRUE(pairs > 3 * N && pairs < 200 * N);
		harness_close(&h);
	}
}

/* The order of the particles and all cells are those of one worker, whatever the schedule. */
static void test_same(void)
{
	const octree_options o = { 50000, 20, 3, OCT_PLUMMER };
	const size_t bytes = o.n * sizeof(uint32_t);
	uint32_t *first = malloc(bytes);
	harness h;

	CU_ASSERT_PTR_NOT_NULL_FATAL(first);
	for (uint32_t run = 0; run < 4; run++) {
		const oct_host *s;

		make(&h, &o, run == 3 ? 6 : 0, 1 + run % 3);
		s = h.w.host_data;
		if (run == 0)
			memcpy(first, s->ctx.name[OCT_OUTPUT], bytes);
		CU_ASSERT_EQUAL(memcmp(first, s->ctx.name[OCT_OUTPUT], bytes), 0);
		harness_close(&h);
	}
	free(first);
}

static void test_positions(void)
{
	const double bad[] = { -0.001, 1.0, (double)NAN, (double)INFINITY };
	double xyz[3] = { 0, 0.5, 0.9999999 };
	uint64_t code;
	char msg[200];

	CU_ASSERT_EQUAL(oct_quantise(0, xyz, &code, msg, sizeof(msg)), 0);
	CU_ASSERT_TRUE(gather(code, 0) == 0 && gather(code, 1) == 1 << 20);
	CU_ASSERT_TRUE(gather(code, 2) == (1 << 21) - 1);
	CU_ASSERT_EQUAL(oct_octant(code, 0), 3);
	for (int k = 0; k < 4; k++) {
		xyz[1] = bad[k];
		CU_ASSERT_EQUAL(oct_quantise(17, xyz, &code, msg, sizeof(msg)), -1);
		CU_ASSERT_PTR_NOT_NULL(strstr(msg, "particle 17: coordinate y"));
	}
}

/* The check finds a cell, a particle and a link that are wrong. */
static void test_check(void)
{
	const octree_options o = { 3000, 20, 3, OCT_UNIFORM };
	harness h;
	oct_host *s;
	uint32_t cells, *name;
	oct_cell saved;

	make(&h, &o, 0, 1);
	s = h.w.host_data;
	cells = *s->ctx.cells;
	name = s->ctx.name[OCT_OUTPUT];
#define CELLS() oct_check_cells(s, s->ctx.cell, cells, h.why, sizeof(h.why))
#define PARTICLES()          \
	oct_check_particles( \
		s, s->ctx.cell, cells, s->ctx.code[OCT_OUTPUT], name, h.why, sizeof(h.why))
	CU_ASSERT_EQUAL(CELLS(), 0);
	CU_ASSERT_EQUAL(PARTICLES(), 0);
	saved = s->ctx.cell[3];
	s->ctx.cell[3].count--;
	CU_ASSERT_EQUAL(CELLS(), -1);
	s->ctx.cell[3] = saved;
	s->ctx.cell[3].parent = 1;
	CU_ASSERT_EQUAL(CELLS(), -1);
	s->ctx.cell[3] = saved;
	name[5] = name[4];
	CU_ASSERT_EQUAL(PARTICLES(), -1);
	harness_close(&h);
}

/* Output without room is counted, enlarged, and made again. */
static void test_room(void)
{
	const octree_options o = { 20000, 3, 3, OCT_PLUMMER };
	harness h;
	oct_host *s;

	CU_ASSERT_EQUAL_FATAL(harness_open(&h, &wl_octree_type, &o, 2), 0);
	s = h.w.host_data;
	s->ctx.room = 10;
	CU_ASSERT_EQUAL(harness_run(&h, LSCHED_QUEUE_RING, 2), 0);
	CU_ASSERT_TRUE(s->ctx.room > 10000);
	harness_close(&h);
}

int main(void)
{
	CU_TestInfo tests[] = { { "trees are those of recursion", test_sizes },
		{ "several threads run block items", test_teams },
		{ "equal and nearly equal particles", test_codes },
		{ "counts of a million particles", test_known_counts },
		{ "neighbours by the tree and by all pairs", test_neighbours },
		{ "the order does not depend on the schedule", test_same },
		{ "positions outside the cube are errors", test_positions },
		{ "the check finds wrong trees", test_check },
		{ "cells without room are made again", test_room }, CU_TEST_INFO_NULL };

	return test_run_one("octree", tests);
}
