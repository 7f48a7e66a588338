/* Runs: parts, runs that continue from a ledger, cancellation and time limits. */
#include "tests/common/rng.h"
#include <nqueens/nqueens.h>
#include "tests/common/testmain.h"
#include "tests/nqueens/setup.h"

/* ---- parts ---- */

static void parts_add_up(nq_method method, uint32_t n, uint32_t parts)
{
	nq_plan *plan = plan_of(n, method);
	nq_ledger *sum = ledger_of(plan);
	nq_run_options ro;
	nq_count total;

	ro = COUNT_OPTIONS(.workers = 2, .parts = parts);
	for (ro.part = 1; ro.part <= parts; ro.part++) {
		nq_ledger *part = ledger_of(plan);
		nq_result result = { .struct_bytes = sizeof(result) };

		CU_ASSERT_EQUAL(nq_ledger_total(sum, plan, &total), NQ_ERR_MISSING);
		CU_ASSERT_EQUAL(nq_run(plan, part, &ro, &result), NQ_OK);
		CU_ASSERT_EQUAL(result.units, nq_ledger_done_count(part));
		CU_ASSERT_EQUAL(nq_ledger_merge(sum, part), NQ_OK);
		if (result.units)
			CU_ASSERT_EQUAL(nq_ledger_merge(sum, part), NQ_ERR_TWICE);
		nq_ledger_destroy(&part);
	}
	CU_ASSERT_TRUE(total_is_published(plan, sum));
	nq_ledger_destroy(&sum);
	nq_plan_destroy(&plan);
}

static void parts_of_every_method_add_up(void)
{
	parts_add_up(NQ_METHOD_BACKTRACK, 12, 1);
	parts_add_up(NQ_METHOD_BACKTRACK, 13, 7);
	parts_add_up(NQ_METHOD_TASKS, 10, 5);
	parts_add_up(NQ_METHOD_JOIN, 12, 5);
	parts_add_up(NQ_METHOD_JOIN, 11, 3);
}

static void with_more_parts_than_units_some_parts_are_empty(void)
{
	nq_plan *plan = plan_of(8, NQ_METHOD_BACKTRACK);
	nq_ledger *ledger = ledger_of(plan);
	nq_run_options ro;
	nq_result result = { .struct_bytes = sizeof(result) };

	ro = COUNT_OPTIONS();
	ro.parts = ro.part = (uint32_t)nq_plan_units(plan, NULL) + 1;
	CU_ASSERT_EQUAL(nq_run(plan, ledger, &ro, &result), NQ_OK);
	CU_ASSERT_EQUAL(result.units, 0);
	CU_ASSERT_EQUAL(nq_ledger_done_count(ledger), 0);
	nq_ledger_destroy(&ledger);
	nq_plan_destroy(&plan);
}

/* ---- ledgers with finished units ---- */

/* Finished units of a ledger are not counted again, all others are. */
static void a_run_continues_from_any_set_of_finished_units(void)
{
	for (nq_method m = NQ_METHOD_TASKS; m <= NQ_METHOD_JOIN; m++) {
		nq_plan *plan = plan_of(10, m);
		nq_ledger *whole = ledger_of(plan);
		nq_run_options ro;

		ro = COUNT_OPTIONS(.workers = 2);
		CU_ASSERT_EQUAL(nq_run(plan, whole, &ro, NULL), NQ_OK);
		for (int round = 0; round < 10; round++) {
			nq_ledger *some = ledger_of(plan);
			nq_result result = { .struct_bytes = sizeof(result) };

			for (size_t i = 0; i < nq_ledger_units(whole); i++)
				if (rng_below(10) < (uint32_t)round)
					nq_ledger_set(some, i, nq_ledger_unit_count(whole, i));
			CU_ASSERT_EQUAL(nq_run(plan, some, &ro, &result), NQ_OK);
			CU_ASSERT_EQUAL(result.units_done, result.units);
			for (size_t i = 0; i < nq_ledger_units(whole); i++)
				CU_ASSERT_EQUAL(nq_ledger_unit_count(some, i),
					nq_ledger_unit_count(whole, i));
			CU_ASSERT_TRUE(total_is_published(plan, some));
			nq_ledger_destroy(&some);
		}
		nq_ledger_destroy(&whole);
		nq_plan_destroy(&plan);
	}
}

static void one_unit_can_be_counted_again(void)
{
	for (nq_method m = NQ_METHOD_BACKTRACK; m <= NQ_METHOD_JOIN; m++) {
		nq_plan *plan = plan_of(11, m);
		nq_ledger *ledger = ledger_of(plan);
		nq_run_options ro;
		uint64_t count, sum = 0;

		ro = COUNT_OPTIONS();
		CU_ASSERT_EQUAL(nq_run(plan, ledger, &ro, NULL), NQ_OK);
		for (size_t i = 0; i < nq_ledger_units(ledger); i += 5) {
			CU_ASSERT_EQUAL(nq_run_unit(plan, i, NQ_SIMD_SCALAR, &count, NULL), NQ_OK);
			CU_ASSERT_EQUAL(count, nq_ledger_unit_count(ledger, i));
			sum += count;
		}
		CU_ASSERT_TRUE(sum > 0);
		CU_ASSERT_EQUAL(
			nq_run_unit(plan, nq_ledger_units(ledger), NQ_SIMD_AUTO, &count, NULL),
			NQ_ERR_ARG);
		nq_ledger_destroy(&ledger);
		nq_plan_destroy(&plan);
	}
}

/* ---- cancellation and time limits ---- */

typedef struct stopper {
	size_t at; /* cancels when so many units are done */
	size_t calls, last;
	uint64_t work; /* done, at the last call */
	int in_order, all_done;
} stopper;

static int stop_at(void *opaque, const nq_progress *p)
{
	stopper *s = (stopper *)opaque;

	s->in_order &= p->units_done >= s->last && p->units_done <= p->units;
	s->in_order &= p->work_done >= s->work && p->work_done <= p->work;
	s->all_done = p->units_done == p->units && p->work_done == p->work;
	s->work = p->work_done;
	s->last = p->units_done;
	s->calls++;
	return p->units_done >= s->at;
}

/* A run that is stopped again and again, at any place, has the same count at the end. */
static void a_run_that_is_cancelled_repeatedly_has_the_same_count(void)
{
	for (nq_method m = NQ_METHOD_TASKS; m <= NQ_METHOD_JOIN; m++) {
		nq_plan *plan = plan_of(m == NQ_METHOD_TASKS ? 11 : 14, m);
		nq_ledger *ledger = ledger_of(plan);
		size_t stops = 0;
		nq_run_options ro;
		stopper s = { 0, 0, 0, 0, 1, 0 };
		nq_status st;

		ro = COUNT_OPTIONS(.simd = NQ_SIMD_SCALAR, .workers = 2, .progress = stop_at,
			.progress_opaque = &s, .progress_ms = 1);
		while ((st = nq_run(plan, ledger, &ro, NULL)) == NQ_CANCELLED) {
			const size_t done = nq_ledger_done_count(ledger);

			CU_ASSERT_TRUE(done >= s.last || m == NQ_METHOD_TASKS);
			s.at = done + 1;
			/* so few boards as tasks are done all at once */
			if (++stops == 20 || m == NQ_METHOD_TASKS)
				s.at = SIZE_MAX;
		}
		CU_ASSERT_EQUAL(st, NQ_OK);
		CU_ASSERT_TRUE(stops >= 1);
		CU_ASSERT_TRUE(s.in_order && s.all_done && s.calls > stops);
		CU_ASSERT_TRUE(total_is_published(plan, ledger));
		nq_ledger_destroy(&ledger);
		nq_plan_destroy(&plan);
	}
}

/* With boards as tasks, units are stored in batches, each with its right count. */
static void a_run_with_boards_as_tasks_is_cancelled_between_its_batches(void)
{
	nq_plan *plan = plan_of(16, NQ_METHOD_TASKS);
	nq_ledger *ledger = ledger_of(plan);
	nq_run_options ro;
	stopper s = { 17, 0, 0, 0, 1, 0 }; /* more than the first batch has */
	size_t done;

	ro = COUNT_OPTIONS(.backend = NQ_BACKEND_CPU, .workers = 2, .progress = stop_at,
		.progress_opaque = &s, .progress_ms = 1);
	CU_ASSERT_EQUAL(nq_run(plan, ledger, &ro, NULL), NQ_CANCELLED);
	done = nq_ledger_done_count(ledger);
	CU_ASSERT_TRUE(done >= 17 && done < nq_ledger_units(ledger));
	for (size_t i = 0; i < nq_ledger_units(ledger); i++) {
		uint64_t count;

		if (!nq_ledger_done(ledger, i))
			continue;
		CU_ASSERT_EQUAL(nq_run_unit(plan, i, NQ_SIMD_AUTO, &count, NULL), NQ_OK);
		CU_ASSERT_EQUAL(nq_ledger_unit_count(ledger, i), count);
	}
	nq_ledger_destroy(&ledger);
	nq_plan_destroy(&plan);
}

/* A count of 24 queens lasts hours, and so does the first batch of their boards. */
static void a_time_limit_ends_a_long_run(void)
{
	for (nq_method m = NQ_METHOD_TASKS; m <= NQ_METHOD_BACKTRACK; m++) {
		nq_plan *plan = plan_of(24, m);
		nq_ledger *ledger = ledger_of(plan);
		nq_run_options ro;
		nq_result result = { .struct_bytes = sizeof(result) };

		ro = COUNT_OPTIONS();
		if (m == NQ_METHOD_TASKS)
			ro.backend = NQ_BACKEND_CPU;
		ro.workers = 2;
		ro.time_limit_ms = 50;
		CU_ASSERT_EQUAL(nq_run(plan, ledger, &ro, &result), NQ_TIME_LIMIT);
		CU_ASSERT_EQUAL(result.units_done, nq_ledger_done_count(ledger));
		CU_ASSERT_TRUE(result.units_done < result.units);
		nq_ledger_destroy(&ledger);
		nq_plan_destroy(&plan);
	}
}

static void a_cancel_flag_that_is_set_ends_a_run(void)
{
	nq_plan *plan = plan_of(12, NQ_METHOD_JOIN);
	nq_ledger *ledger = ledger_of(plan);
	volatile int cancel = 1;
	nq_run_options ro;

	ro = COUNT_OPTIONS(.cancel = &cancel);
	CU_ASSERT_EQUAL(nq_run(plan, ledger, &ro, NULL), NQ_CANCELLED);
	CU_ASSERT_EQUAL(nq_ledger_done_count(ledger), 0);
	cancel = 0;
	CU_ASSERT_EQUAL(nq_run(plan, ledger, &ro, NULL), NQ_OK);
	CU_ASSERT_TRUE(total_is_published(plan, ledger));
	nq_ledger_destroy(&ledger);
	nq_plan_destroy(&plan);
}

/* ---- arguments that are refused ---- */

static void bad_runs_are_refused(void)
{
	nq_plan *plan = plan_of(8, NQ_METHOD_BACKTRACK);
	nq_ledger *ledger = ledger_of(plan);
	nq_run_options ro;

	ro = COUNT_OPTIONS(.part = 2);
	CU_ASSERT_EQUAL(nq_run(plan, ledger, &ro, NULL), NQ_ERR_ARG);
	ro.parts = 1;
	CU_ASSERT_EQUAL(nq_run(plan, ledger, &ro, NULL), NQ_ERR_ARG);
	ro.parts = 2;
	ro.part = 0;
	CU_ASSERT_EQUAL(nq_run(plan, ledger, &ro, NULL), NQ_ERR_ARG);
	ro = COUNT_OPTIONS(.queue = "none");
	CU_ASSERT_EQUAL(nq_run(plan, ledger, &ro, NULL), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(nq_run(NULL, ledger, &ro, NULL), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(nq_ledger_done_count(ledger), 0);
	nq_ledger_destroy(&ledger);
	nq_plan_destroy(&plan);
	nq_ledger_destroy(&ledger);
	nq_ledger_destroy(NULL);
	nq_plan_destroy(NULL);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "parts of every method add up", parts_of_every_method_add_up },
		{ "with more parts than units some parts are empty",
			with_more_parts_than_units_some_parts_are_empty },
		{ "a run continues from any set of finished units",
			a_run_continues_from_any_set_of_finished_units },
		{ "one unit can be counted again", one_unit_can_be_counted_again },
		{ "a run that is cancelled repeatedly has the same count",
			a_run_that_is_cancelled_repeatedly_has_the_same_count },
		{ "a run with boards as tasks is cancelled between its batches",
			a_run_with_boards_as_tasks_is_cancelled_between_its_batches },
		{ "a time limit ends a long run", a_time_limit_ends_a_long_run },
		{ "a cancel flag that is set ends a run", a_cancel_flag_that_is_set_ends_a_run },
		{ "bad runs are refused", bad_runs_are_refused },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("run", tests);
}
