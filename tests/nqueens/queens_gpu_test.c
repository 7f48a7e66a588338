/* Counting on a CUDA device: unit by unit what the CPU counts, and the published totals. Skipped
 * without a device; SCHED_REQUIRE_GPU=1 makes that a failure. */
#include <stdio.h>
#include <string.h>
#include <libsched/sched.h>
#include <nqueens/nqueens.h>
#include "nqueens/known.h"
#include "tests/common/rng.h"
#include "tests/common/sched_setup.h"
#include "tests/common/testmain.h"
#include "tests/nqueens/setup.h"

typedef struct counted {
	nq_plan *plan;
	nq_ledger *ledger;
	nq_result result;
	nq_status status;
} counted;

static nq_run_options cuda_options(void)
{
	nq_run_options o;

	o = COUNT_OPTIONS(.backend = NQ_BACKEND_CUDA);
	return o;
}

static counted count_with(const nq_plan_options *po, const nq_run_options *ro)
{
	counted c;

	memset(&c, 0, sizeof(c));
	CU_ASSERT_EQUAL_FATAL(nq_plan_create(&c.plan, po), NQ_OK);
	CU_ASSERT_EQUAL_FATAL(nq_ledger_create(&c.ledger, c.plan), NQ_OK);
	nq_result_init(&c.result);
	c.status = nq_run(c.plan, c.ledger, ro, &c.result);
	if (c.status != NQ_OK && *c.result.message)
		printf("\n    n %u: %s\n", (unsigned)po->n, c.result.message);
	return c;
}

static void forget(counted *c)
{
	nq_ledger_destroy(&c->ledger);
	nq_plan_destroy(&c->plan);
}

/* Units that differ from the CPU's, or are not done. */
static size_t wrong_units(const counted *c)
{
	const size_t units = nq_plan_units(c->plan, NULL);
	size_t wrong = 0;

	for (size_t i = 0; i < units; i++) {
		uint64_t right = 0;

		CU_ASSERT_EQUAL(nq_run_unit(c->plan, i, NQ_SIMD_AUTO, &right, NULL), NQ_OK);
		wrong += !nq_ledger_done(c->ledger, i) ||
			 nq_ledger_unit_count(c->ledger, i) != right;
	}
	return wrong;
}

static void all_units_are_right(const nq_plan_options *po, const nq_run_options *ro)
{
	counted c = count_with(po, ro);

	CU_ASSERT_EQUAL(c.status, NQ_OK);
	/* given queens may attack each other: then there is nothing to count */
	if (nq_plan_units(c.plan, NULL)) {
		CU_ASSERT_EQUAL(c.result.backend, NQ_BACKEND_CUDA);
		CU_ASSERT_EQUAL(c.result.devices, 1);
		CU_ASSERT_TRUE(*c.result.device != '\0');
	}
	CU_ASSERT_EQUAL(c.result.units_done, nq_plan_units(c.plan, NULL));
	CU_ASSERT_EQUAL(wrong_units(&c), 0);
	forget(&c);
}

static int is_known(uint32_t n, nq_method method, lsched_queue queue)
{
	nq_plan_options po;
	nq_run_options ro = cuda_options();
	nq_count total = { 0, 0 }, right;
	counted c;

	po = PLAN_OPTIONS(.n = n, .method = method);
	ro.queue = lsched_queue_name(queue);
	c = count_with(&po, &ro);
	CU_ASSERT_EQUAL(c.status, NQ_OK);
	CU_ASSERT_EQUAL(nq_ledger_total(c.ledger, c.plan, &total), NQ_OK);
	CU_ASSERT_EQUAL(nq_known_count(n, &right), NQ_OK);
	CU_ASSERT_TRUE(n < 12 || c.result.nodes > 0);
	CU_ASSERT_TRUE(n < 12 || c.result.kernel_ns > 0);
	forget(&c);
	return nq_count_cmp(total, right) == 0;
}

static void backtracking_counts_to_17(void)
{
	for (uint32_t n = 1; n <= 17; n++)
		CU_ASSERT_TRUE(is_known(n, NQ_METHOD_BACKTRACK, LSCHED_QUEUE_RING));
}

static void boards_as_tasks_count_under_every_queue(void)
{
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++)
		for (uint32_t n = 1; n <= 11; n += q ? 5 : 1)
			CU_ASSERT_TRUE(is_known(n, NQ_METHOD_TASKS, (lsched_queue)q));
	CU_ASSERT_TRUE(is_known(14, NQ_METHOD_TASKS, LSCHED_QUEUE_RING));
}

/* Up to `most` queens that do not attack each other, or a few at random, which then mostly do. */
static size_t random_queens(uint32_t n, size_t most, int legal, nq_square *at)
{
	size_t count = 0;

	for (size_t tries = 0; tries < 40 * most && count < most; tries++) {
		const nq_square s = { rng_below(n), rng_below(n) };
		int bad = 0;

		for (size_t i = 0; i < count; i++)
			bad |= at[i].row == s.row || at[i].col == s.col ||
			       at[i].row + at[i].col == s.row + s.col ||
			       at[i].row + s.col == s.row + at[i].col;
		if (!legal || !bad)
			at[count++] = s;
	}
	return count;
}

static void units_are_the_same_as_on_the_cpu(void)
{
	for (uint32_t n = 4; n <= 14; n++)
		for (uint32_t kind = 0; kind < 5; kind++) {
			nq_square given[3];
			nq_run_options ro = cuda_options();
			nq_plan_options po;

			po = PLAN_OPTIONS(.n = n, .method = NQ_METHOD_BACKTRACK,
				.min_tasks = rng_below(2) ? rng_below(3000) : 0, .given = given);
			po.unit_tasks = rng_below(2) ? 1 + rng_below(100) : 0;
			switch (kind) {
			case 0: /* another cross */
				po.cross = 1 + (n + 1) % 2 + 2 * rng_below(2);
				po.cross -= po.cross > n ? 2 : 0;
				break;
			case 1:
				po.plain = 1;
				break;
			case 2:
				po.toroidal = 1;
				break;
			default:
				po.given_count = random_queens(n, 3, kind == 3, given);
			}
			if (kind != 3 && kind != 4)
				po.given = NULL;
			ro.workers = rng_below(2) ? 1 + rng_below(300) : 0;
			all_units_are_right(&po, &ro);
			if (kind != 2) {
				po.method = NQ_METHOD_TASKS;
				all_units_are_right(&po, &ro);
			}
		}
}

/* Subtrees as tasks of libsched, on boards of both widths. */
static void subtrees_are_counted_through_every_queue(void)
{
	for (int q = 0; q < LSCHED_QUEUE_COUNT; q++)
		for (uint32_t wide = 0; wide < 2; wide++) {
			static const nq_square given[] = { { 0, 18 }, { 1, 21 }, { 2, 8 }, { 3, 6 },
				{ 4, 9 }, { 5, 0 }, { 6, 19 }, { 7, 7 } };
			nq_run_options ro = cuda_options();
			nq_plan_options po;

			po = PLAN_OPTIONS(.n = wide ? 22 : 13, .method = NQ_METHOD_BACKTRACK,
				.given = given, .given_count = wide ? 8 : 0);
			ro.by_queue = 1;
			ro.queue = lsched_queue_name((lsched_queue)q);
			all_units_are_right(&po, &ro);
		}
}

/* Larger boards use wider words for their diagonals. Some rows are given, to keep the counts
 * small. */
static void large_boards_are_the_same_as_on_the_cpu(void)
{
	for (uint32_t n = 18; n <= NQ_MAX_N; n++)
		for (uint32_t times = 0; times < 3; times++) {
			nq_square given[NQ_MAX_N];
			const nq_run_options ro = cuda_options();
			nq_plan_options po;

			po = PLAN_OPTIONS(.n = n, .method = NQ_METHOD_BACKTRACK, .given = given,
				.min_tasks = 1 + rng_below(500));
			do {
				po.given_count = random_queens(n, n - 14, 1, given);
			} while (po.given_count < n - 14);
			all_units_are_right(&po, &ro);
		}
}

static void parts_add_up(void)
{
	nq_plan_options po;
	nq_count total, right;
	nq_plan *plan = NULL;
	nq_ledger *sum = NULL;

	po = PLAN_OPTIONS(.n = 13, .method = NQ_METHOD_BACKTRACK);
	CU_ASSERT_EQUAL_FATAL(nq_plan_create(&plan, &po), NQ_OK);
	CU_ASSERT_EQUAL_FATAL(nq_ledger_create(&sum, plan), NQ_OK);
	for (uint32_t part = 1; part <= 3; part++) {
		nq_run_options ro = cuda_options();
		nq_ledger *one = NULL;

		/* the second part goes through the CPU */
		ro.backend = part == 2 ? NQ_BACKEND_CPU : NQ_BACKEND_CUDA;
		ro.part = part;
		ro.parts = 3;
		CU_ASSERT_EQUAL_FATAL(nq_ledger_create(&one, plan), NQ_OK);
		CU_ASSERT_EQUAL(nq_run(plan, one, &ro, NULL), NQ_OK);
		CU_ASSERT_EQUAL(nq_ledger_merge(sum, one), NQ_OK);
		nq_ledger_destroy(&one);
	}
	CU_ASSERT_EQUAL(nq_ledger_total(sum, plan, &total), NQ_OK);
	CU_ASSERT_EQUAL(nq_known_count(13, &right), NQ_OK);
	CU_ASSERT_EQUAL(nq_count_cmp(total, right), 0);
	nq_ledger_destroy(&sum);
	nq_plan_destroy(&plan);
}

/* All devices together, or the only one, count what one device counts. */
static void all_devices_count_together(void)
{
	nq_plan_options po;
	nq_run_options ro = cuda_options();
	counted c;

	po = PLAN_OPTIONS(.n = 14, .method = NQ_METHOD_BACKTRACK);
	ro.device = NQ_ALL_DEVICES;
	c = count_with(&po, &ro);
	CU_ASSERT_EQUAL(c.status, NQ_OK);
	CU_ASSERT_EQUAL(c.result.devices, (uint32_t)lsched_device_count());
	CU_ASSERT_EQUAL(wrong_units(&c), 0);
	forget(&c);
	ro.device = lsched_device_count();
	c = count_with(&po, &ro);
	CU_ASSERT_EQUAL(c.status, NQ_ERR_NO_DEVICE);
	CU_ASSERT_EQUAL(c.result.units_done, 0);
	CU_ASSERT_PTR_NOT_NULL(strstr(c.result.message, "does not exist"));
	forget(&c);
}

static int end_it(void *opaque, const nq_progress *p)
{
	/* the first call reports no finished unit */
	return (*(int *)opaque)++ > 0 && p->elapsed_ns > 0;
}

/* A count of 23 queens lasts minutes: a limit ends it early, and the finished units are right. */
static void a_run_on_the_device_is_cancelled_and_resumes(void)
{
	static const nq_method methods[] = { NQ_METHOD_BACKTRACK, NQ_METHOD_TASKS };

	for (size_t i = 0; i < 2; i++) {
		volatile int flag = 1;
		int calls = 0;
		nq_plan_options po;
		nq_run_options ro = cuda_options();
		counted c;

		po = PLAN_OPTIONS(.n = 23, .method = methods[i], .min_tasks = 1);
		ro.time_limit_ms = 300;
		c = count_with(&po, &ro);
		CU_ASSERT_EQUAL(c.status, NQ_TIME_LIMIT);
		CU_ASSERT_TRUE(c.result.units_done < c.result.units);
		forget(&c);
		ro.time_limit_ms = 0;
		ro.progress = end_it;
		ro.progress_opaque = &calls;
		ro.progress_ms = 300;
		c = count_with(&po, &ro);
		CU_ASSERT_EQUAL(c.status, NQ_CANCELLED);
		CU_ASSERT_TRUE(calls >= 2);
		forget(&c);
		ro.progress = NULL;
		ro.cancel = &flag;
		c = count_with(&po, &ro);
		CU_ASSERT_EQUAL(c.status, NQ_CANCELLED);
		CU_ASSERT_EQUAL(c.result.units_done, 0);
		forget(&c);
	}
}

static CU_TestInfo tests[] = { { "backtracking counts to 17", backtracking_counts_to_17 },
	{ "boards as tasks count under every queue", boards_as_tasks_count_under_every_queue },
	{ "units are the same as on the CPU", units_are_the_same_as_on_the_cpu },
	{ "subtrees are counted through every queue", subtrees_are_counted_through_every_queue },
	{ "large boards are the same as on the CPU", large_boards_are_the_same_as_on_the_cpu },
	{ "parts add up", parts_add_up },
	{ "all devices count together", all_devices_count_together },
	{ "a run on the device is cancelled, and resumes",
		a_run_on_the_device_is_cancelled_and_resumes },
	CU_TEST_INFO_NULL };

int main(void)
{
	lsched_ctx *ctx = NULL;
	const int skip = test_open_gpu(&ctx);

	if (skip)
		return skip;
	lsched_close(&ctx);
	return test_run_one("queens on a device", tests);
}
