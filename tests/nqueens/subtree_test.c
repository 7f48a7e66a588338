/* The shared device code of the counting kernels, on the CPU: tasks are split by items, cut into
 * subtrees, and these are walked step by step. Each unit must have the count of the
 * specification. */
#include <stdlib.h>
#include <string.h>
#include <nqueens/nqueens.h>
#include "nqueens/plan/plan.h"
#include "nqueens/cuda/spread.h"
#include "tests/common/rng.h"
#include "tests/common/sched_setup.h"
#include "tests/common/testmain.h"
#include "tests/nqueens/setup.h"

#define LSCHED_NAME                 spread
#define LSCHED_CTX                  nq_i_spread
#define LSCHED_ITEMS                nq_i_spread_items
#define LSCHED_ROOT                 nq_i_spread_root
#define LSCHED_BODY                 nq_i_spread_body
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>

enum { ROOM = 1 << 20, WORKERS = 3 };

/* ---- walking ---- */

/* As in walk.cuh: one node a level; `blocked` holds the columns that have been tried. */
static uint64_t walk(const nq_i_subtree *s, uint32_t wide)
{
	uint32_t node[NQ_I_LEAF_ROWS_MAX + 1][4], cols[NQ_I_LEAF_ROWS_MAX + 1];
	uint32_t blocked[NQ_I_LEAF_ROWS_MAX + 1];
	const uint64_t order = (uint64_t)s->order[1] << 32 | s->order[0];
	uint64_t found = 0;
	int top = 0;

	memcpy(node[0], s->node, sizeof(node[0]));
	cols[0] = s->cols;
	blocked[0] = nq_i_subtree_blocked(s, wide);
	while (top >= 0) {
		const uint32_t bit = ~blocked[top] & (blocked[top] + 1);
		uint32_t child[4], child_cols = cols[top], shut;
		uint32_t last;

		if (!bit) {
			top--;
			continue;
		}
		blocked[top] |= bit;
		memcpy(child, node[top], sizeof(child));
		last = child[wide ? 3 : 2] >> NQ_I_PLACE_SHIFT == NQ_I_LAST_BUT_ONE;
		shut = wide ? nq_i_step_wide(child, &child_cols, bit, order)
			    : nq_i_step_narrow(child, bit, order);
		if (shut == ~0u)
			continue;
		if (last) {
			found++;
			continue;
		}
		top++;
		CU_ASSERT_FATAL(top <= NQ_I_LEAF_ROWS_MAX);
		memcpy(node[top], child, sizeof(child));
		cols[top] = child_cols;
		blocked[top] = shut;
	}
	return found;
}

/* As cut.cuh, but by recursion. */
static uint64_t cut(nq_i_open b, uint32_t n, uint32_t rows)
{
	uint64_t found = 0;

	for (; b.free_cols; b.free_cols &= b.free_cols - 1) {
		nq_i_open child = nq_i_open_child(&b, n);
		const uint32_t left = lsched_popcount(child.rows);
		uint32_t key[NQ_I_KEYS], least = nq_i_row_keys(&child, n, key);

		if (left == 0 || (left == 1 && !nq_i_key_is_dead(least))) {
			found++;
		} else if (nq_i_key_is_dead(least)) {
			continue;
		} else if (left <= rows) {
			nq_i_subtree s;

			nq_i_sort_keys(key);
			CU_ASSERT_EQUAL(key[0], least);
			s = nq_i_subtree_of(&child, n, key);
			found += walk(&s, n > NQ_I_NARROW_MAX_N);
		} else {
			nq_i_choose_row(&child, n, least);
			found += cut(child, n, rows);
		}
	}
	return found;
}

/* ---- plans ---- */

static lsched_run *make_run(lsched_ctx **ctx)
{
	lsched_run_options ro;
	lsched_run *run = NULL;

	CU_ASSERT_EQUAL_FATAL(test_open(ctx, LSCHED_BACKEND_CPU, WORKERS), 0);
	ro = RUN_OPTIONS(.max_tasks = ROOM);
	CU_ASSERT_EQUAL_FATAL(lsched_run_create(&run, *ctx, &spread_cpu_program, &ro), LSCHED_OK);
	return run;
}

/* Returns the completions. */
static uint64_t check_plan(const nq_plan_options *po, uint32_t open_rows, uint32_t rows)
{
	nq_plan *plan = NULL;
	nq_i_counts counts = { 0, 0, 0, 0, 0 };
	nq_i_open *opens = (nq_i_open *)malloc(ROOM * sizeof(*opens));
	nq_task *tasks;
	uint64_t *found;
	lsched_ctx *ctx = NULL;
	lsched_run *run = make_run(&ctx);
	uint64_t all = 0;
	uint32_t open_tasks = 0;

	CU_ASSERT_EQUAL_FATAL(nq_plan_create(&plan, po), NQ_OK);
	tasks = (nq_task *)malloc((plan->task_count + 1) * sizeof(*tasks));
	found = (uint64_t *)calloc(plan->unit_count + 1, sizeof(*found));
	CU_ASSERT_FATAL(opens && tasks && found);
	for (size_t i = 0; i < plan->task_count; i++)
		if (plan->tasks[i].rows)
			tasks[open_tasks++] = plan->tasks[i];
		else
			found[plan->tasks[i].unit]++;
	if (open_tasks) {
		const nq_i_spread s = { tasks, opens, &counts, plan->n, open_rows, ROOM };

		CU_ASSERT_EQUAL(lsched_run_start(run, &s, open_tasks, NULL), LSCHED_OK);
		CU_ASSERT_EQUAL(lsched_run_finish(run, NULL), LSCHED_OK);
		CU_ASSERT_FATAL(counts.opens <= ROOM);
	}
	for (uint32_t i = 0; i < counts.opens; i++)
		found[nq_i_open_unit(&opens[i])] += cut(opens[i], plan->n, rows);
	for (size_t i = 0; i < plan->unit_count; i++) {
		uint64_t right = 0;

		CU_ASSERT_EQUAL(nq_run_unit(plan, i, NQ_SIMD_SCALAR, &right, NULL), NQ_OK);
		CU_ASSERT_EQUAL(found[i], right);
		all += right;
	}
	free(found);
	free(tasks);
	nq_plan_destroy(&plan);
	lsched_run_destroy(&run);
	lsched_close(&ctx);
	free(opens);
	return all;
}

static void small_boards_have_the_same_count(void)
{
	for (uint32_t n = 1; n <= 11; n++)
		for (uint32_t plain = 0; plain < 2; plain++) {
			const uint32_t rows = 2 + rng_below(NQ_I_LEAF_ROWS_MAX - 1);
			nq_plan_options po;

			po = PLAN_OPTIONS(.n = n, .method = NQ_METHOD_BACKTRACK, .plain = plain,
				.min_tasks = rng_below(100));
			(void)check_plan(&po, rows + 1 + rng_below(4), rows);
		}
}

/* Given rows, at any place, keep the counts small. */
static void large_boards_have_the_same_count(void)
{
	uint32_t with_some = 0;

	for (uint32_t n = 17; n <= NQ_I_WIDE_MAX_N; n++) {
		nq_square given[NQ_MAX_N];
		const uint32_t rows = 4 + rng_below(NQ_I_LEAF_ROWS_MAX - 3);
		nq_plan_options po;
		size_t count = 0;

		while (count < n - 14) {
			const nq_square s = { rng_below(n), rng_below(n) };
			int bad = rng_below(2000) == 0;

			/* restarts from time to time, since the search may be at a dead end */
			if (bad)
				count = 0;
			for (size_t i = 0; i < count; i++)
				bad |= given[i].row == s.row || given[i].col == s.col ||
				       given[i].row + given[i].col == s.row + s.col ||
				       given[i].row + s.col == s.row + given[i].col;
			if (!bad)
				given[count++] = s;
		}
		po = PLAN_OPTIONS(.n = n, .method = NQ_METHOD_BACKTRACK, .given = given,
			.given_count = count, .min_tasks = 1);
		with_some += check_plan(&po, rows + 1, rows) > 0;
	}
	CU_ASSERT_TRUE(with_some > 6);
}

static CU_TestInfo tests[] = {
	{ "small boards have the same count", small_boards_have_the_same_count },
	{ "large boards have the same count", large_boards_have_the_same_count }, CU_TEST_INFO_NULL
};

int main(void)
{

	return test_run_one("subtrees of a GPU", tests);
}
