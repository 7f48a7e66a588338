/* Plans, ledgers and runs: units, storage, sums, cancel and resume. */
#include <pthread.h>
#include <string.h>
#include <libsched/sched.h>
#include <nqueens/nqueens.h>
#include "nqueens/join/join.h"
#include "nqueens/plan/plan.h"
#include "nqueens/known.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/nqueens/setup.h"

static nq_plan *plan_of(uint32_t n, nq_method method)
{
	nq_plan_options o;
	nq_plan *plan = NULL;

	o = PLAN_OPTIONS(.n = n, .method = method);
	CU_ASSERT_EQUAL_FATAL(nq_plan_create(&plan, &o), NQ_OK);
	return plan;
}

static nq_ledger *ledger_of(const nq_plan *plan)
{
	nq_ledger *ledger = NULL;

	CU_ASSERT_EQUAL_FATAL(nq_ledger_create(&ledger, plan), NQ_OK);
	return ledger;
}

static int is_known(const nq_plan *plan, const nq_ledger *ledger)
{
	nq_count total, right;

	return nq_ledger_total(ledger, plan, &total) == NQ_OK &&
	       nq_known_count(nq_plan_n(plan), &right) == NQ_OK && nq_count_cmp(total, right) == 0;
}

static void the_cross_of_sixteen_has_as_many_placements_as_derived(void)
{
	nq_cross_counts c = { .struct_bytes = sizeof(c) };

	CU_ASSERT_EQUAL(nq_cross_count(16, 2, &c), NQ_OK);
	CU_ASSERT_EQUAL(c.raw, 14326);
	CU_ASSERT_EQUAL(c.canonical, 1814);
	CU_ASSERT_EQUAL(c.weight_8, 1771);
	CU_ASSERT_EQUAL(c.weight_4, 36);
	CU_ASSERT_EQUAL(c.weight_2, 7);
	CU_ASSERT_EQUAL(c.weight_1, 0);
}

/* Each class has as many placements as its weight says. */
static void classes_of_placements_add_up(void)
{
	for (uint32_t n = 1; n <= 13; n++)
		for (uint32_t w = 1; w <= 4 && w <= n; w++) {
			nq_cross_counts c = { .struct_bytes = sizeof(c) };

			if ((n - w) % 2) {
				CU_ASSERT_EQUAL(nq_cross_count(n, w, &c), NQ_ERR_ARG);
				continue;
			}
			CU_ASSERT_EQUAL(nq_cross_count(n, w, &c), NQ_OK);
			CU_ASSERT_EQUAL(
				c.weight_8 + c.weight_4 + c.weight_2 + c.weight_1, c.canonical);
			CU_ASSERT_EQUAL(
				8 * c.weight_8 + 4 * c.weight_4 + 2 * c.weight_2 + c.weight_1,
				c.raw);
			CU_ASSERT_TRUE(n < 4 || c.raw > 0);
		}
}

/* The plan skips placements early that cannot be minimal; this counts all placements. */
static void a_plan_has_one_task_a_class(void)
{
	for (uint32_t n = 4; n <= 13; n++) {
		nq_plan *plan = plan_of(n, NQ_METHOD_BACKTRACK);
		const nq_task *tasks;
		const size_t count = nq_plan_tasks(plan, &tasks);
		nq_cross_counts c = { .struct_bytes = sizeof(c) };
		uint64_t eights = 0;

		CU_ASSERT_EQUAL(nq_cross_count(n, n % 2 ? 3 : 2, &c), NQ_OK);
		CU_ASSERT_EQUAL(count, c.canonical);
		for (size_t i = 0; i < count; i++)
			eights += tasks[i].weight == 8;
		CU_ASSERT_EQUAL(eights, c.weight_8);
		nq_plan_destroy(&plan);
	}
}

static void units_are_runs_of_like_tasks(void)
{
	nq_plan *plan = plan_of(13, NQ_METHOD_BACKTRACK);
	const nq_task *tasks;
	const nq_unit *units;
	const size_t n_tasks = nq_plan_tasks(plan, &tasks), n = nq_plan_units(plan, &units);
	size_t next = 0;

	for (size_t i = 0; i < n; i++) {
		CU_ASSERT_EQUAL(units[i].first, next);
		CU_ASSERT_TRUE(units[i].count > 0);
		for (uint32_t k = 0; k < units[i].count; k++, next++) {
			CU_ASSERT_EQUAL(tasks[next].unit, i);
			CU_ASSERT_EQUAL(tasks[next].weight, units[i].weight);
			CU_ASSERT_EQUAL(tasks[next].rows, tasks[units[i].first].rows);
		}
	}
	CU_ASSERT_EQUAL(next, n_tasks);
	nq_plan_destroy(&plan);
}

/* A checkpoint must fit the plan of a later version, on another machine too. */
static void the_hash_of_a_plan_is_the_same_everywhere(void)
{
	nq_plan *plan = plan_of(16, NQ_METHOD_BACKTRACK), *tasks = plan_of(16, NQ_METHOD_TASKS),
		*join = plan_of(16, NQ_METHOD_JOIN), *other = plan_of(15, NQ_METHOD_BACKTRACK);

	CU_ASSERT_EQUAL(nq_plan_hash(plan), UINT64_C(0x3f6dad61ec2b3691));
	CU_ASSERT_EQUAL(nq_plan_hash(join), UINT64_C(0xed0ff77fdfe3cf9c));
	CU_ASSERT_EQUAL(nq_plan_hash(plan), nq_plan_hash(tasks));
	CU_ASSERT_NOT_EQUAL(nq_plan_hash(plan), nq_plan_hash(other));
	nq_plan_destroy(&plan);
	nq_plan_destroy(&tasks);
	nq_plan_destroy(&join);
	nq_plan_destroy(&other);
}

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
	CU_ASSERT_TRUE(is_known(plan, sum));
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

static void more_parts_than_units_leave_some_empty(void)
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

/* ---- ledgers ---- */

static void a_ledger_refuses_what_is_wrong(void)
{
	nq_plan *plan = plan_of(10, NQ_METHOD_BACKTRACK), *other = plan_of(11, NQ_METHOD_BACKTRACK);
	nq_ledger *a = ledger_of(plan), *b = ledger_of(plan), *foreign = ledger_of(other);
	const size_t units = nq_plan_units(plan, NULL);
	nq_run_options ro;
	nq_count total;

	ro = COUNT_OPTIONS();
	CU_ASSERT_EQUAL(nq_ledger_units(a), units);
	CU_ASSERT_EQUAL(nq_ledger_hash(a), nq_plan_hash(plan));
	CU_ASSERT_EQUAL(nq_ledger_set(a, units, 1), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(nq_ledger_set(a, 3, 17), NQ_OK);
	CU_ASSERT_EQUAL(nq_ledger_set(a, 3, 17), NQ_ERR_TWICE);
	CU_ASSERT_EQUAL(nq_ledger_unit_count(a, 3), 17);
	CU_ASSERT_TRUE(nq_ledger_done(a, 3));
	CU_ASSERT_FALSE(nq_ledger_done(a, 4));
	CU_ASSERT_FALSE(nq_ledger_done(a, units));
	CU_ASSERT_EQUAL(nq_ledger_set(b, 4, 5), NQ_OK);
	CU_ASSERT_EQUAL(nq_ledger_set(b, 3, 5), NQ_OK);
	CU_ASSERT_EQUAL(nq_ledger_merge(a, b), NQ_ERR_TWICE);
	CU_ASSERT_FALSE(nq_ledger_done(a, 4));
	CU_ASSERT_EQUAL(nq_ledger_merge(a, foreign), NQ_ERR_FOREIGN);
	CU_ASSERT_EQUAL(nq_ledger_total(foreign, plan, &total), NQ_ERR_FOREIGN);
	CU_ASSERT_EQUAL(nq_run(plan, foreign, &ro, NULL), NQ_ERR_FOREIGN);
	nq_ledger_destroy(&a);
	nq_ledger_destroy(&b);
	nq_ledger_destroy(&foreign);
	nq_plan_destroy(&plan);
	nq_plan_destroy(&other);
}

/* Units in a checkpoint are not counted again, all others are. */
static void a_run_goes_on_from_any_set_of_units(void)
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
			CU_ASSERT_TRUE(is_known(plan, some));
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

/* ---- stopping ---- */

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
static void a_run_that_is_stopped_loses_nothing(void)
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
		CU_ASSERT_TRUE(is_known(plan, ledger));
		nq_ledger_destroy(&ledger);
		nq_plan_destroy(&plan);
	}
}

/* With boards as tasks, units are stored in batches, each with its right count. */
static void a_long_run_of_boards_is_stopped_between_its_batches(void)
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

/* 24 queens take hours, and so does the first batch of their boards. */
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

static void a_flag_that_is_set_ends_a_run(void)
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
	CU_ASSERT_TRUE(is_known(plan, ledger));
	nq_ledger_destroy(&ledger);
	nq_plan_destroy(&plan);
}

/* ---- bad use ---- */

static nq_status try_plan(const nq_plan_options *o)
{
	nq_plan *plan = (nq_plan *)&plan;
	const nq_status st = nq_plan_create(&plan, o);

	CU_ASSERT_TRUE(st == NQ_OK || plan == NULL);
	nq_plan_destroy(&plan);
	return st;
}

static void bad_plans_are_refused(void)
{
	const nq_square out = { 8, 0 }, in = { 0, 0 };
	nq_plan_options o;

	o = PLAN_OPTIONS();
	CU_ASSERT_EQUAL(try_plan(NULL), NQ_ERR_ARG);
	CU_ASSERT_EQUAL(try_plan(&o), NQ_ERR_ARG);
	o.n = 33;
	CU_ASSERT_EQUAL(try_plan(&o), NQ_ERR_ARG);
	o.n = 8;
	CU_ASSERT_EQUAL(try_plan(&o), NQ_OK);
	o.method = (nq_method)4;
	CU_ASSERT_EQUAL(try_plan(&o), NQ_ERR_ARG);
	o.method = NQ_METHOD_AUTO;
	o.min_tasks = NQ_MIN_TASKS_MAX;
	CU_ASSERT_EQUAL(try_plan(&o), NQ_OK);
	o.min_tasks = NQ_MIN_TASKS_MAX + 1;
	CU_ASSERT_EQUAL(try_plan(&o), NQ_ERR_ARG);
	o.min_tasks = 0;
	o.cross = 3;
	CU_ASSERT_EQUAL(try_plan(&o), NQ_ERR_ARG);
	o.cross = 6;
	CU_ASSERT_EQUAL(try_plan(&o), NQ_ERR_ARG);
	o.cross = 2;
	o.plain = 1;
	CU_ASSERT_EQUAL(try_plan(&o), NQ_ERR_ARG);
	o.cross = 0;
	o.method = NQ_METHOD_JOIN;
	CU_ASSERT_EQUAL(try_plan(&o), NQ_ERR_UNSUPPORTED);
	o.plain = 0;
	o.n = NQ_JOIN_MAX_N + 1;
	CU_ASSERT_EQUAL(try_plan(&o), NQ_ERR_UNSUPPORTED);
	o.n = 8;
	o.method = NQ_METHOD_AUTO;
	o.given = &out;
	o.given_count = 1;
	CU_ASSERT_EQUAL(try_plan(&o), NQ_ERR_ARG);
	o.given = &in;
	CU_ASSERT_EQUAL(try_plan(&o), NQ_OK);
	o.toroidal = 1;
	CU_ASSERT_EQUAL(try_plan(&o), NQ_ERR_ARG);
}

/* A join of 20 queens needs more shared memory than many devices have. */
static void auto_joins_where_it_can(void)
{
	nq_plan_options o;
	nq_plan *plan;

	o = PLAN_OPTIONS(.backend = NQ_BACKEND_CPU);
	for (o.n = 15; o.n <= 20; o.n++) {
		/* odd boards have many crosses, so there the join wins later */
		const int joins = o.n >= 18 || o.n == 16;

		CU_ASSERT_EQUAL_FATAL(nq_plan_create(&plan, &o), NQ_OK);
		CU_ASSERT_EQUAL(nq_plan_method(plan), joins ? NQ_METHOD_JOIN : NQ_METHOD_BACKTRACK);
		nq_plan_destroy(&plan);
	}
	o.n = 20;
	o.backend = NQ_BACKEND_CUDA;
	CU_ASSERT_EQUAL_FATAL(nq_plan_create(&plan, &o), NQ_OK);
	/* what a device can count is tested by the suites with a device */
	if (lsched_device_count() == 0)
		CU_ASSERT_EQUAL(nq_plan_method(plan), NQ_METHOD_BACKTRACK);
	nq_plan_destroy(&plan);
}

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

/* ---- the join's lists ---- */

/* The expected work of a join is computed from these numbers, before the lists exist. */
static void quarters_have_as_many_placements_as_expected(void)
{
	for (uint32_t n = 4; n <= 18; n += 2) {
		nq_i_join *t;

		CU_ASSERT_EQUAL_FATAL(nq_i_join_create(&t, n), NQ_OK);
		CU_ASSERT_EQUAL_FATAL(nq_i_join_fill(t, NULL, NULL), NQ_OK);
		for (uint32_t k = 0; k <= t->h; k++) {
			double sum = 0;

			for (uint32_t i = t->size_at[k]; i < t->size_at[k + 1]; i++)
				for (uint32_t j = t->size_at[k]; j < t->size_at[k + 1]; j++)
					sum += nq_i_join_list(t, t->sets[i], t->sets[j]).count;
			CU_ASSERT_EQUAL(sum, nq_i_join_placements(t->h, k));
		}
		nq_i_join_destroy(t);
	}
}

typedef struct poll_count {
	uint64_t calls, last; /* cancels at call number `last` */
} poll_count;

static int cancel_at(void *opaque)
{
	poll_count *p = (poll_count *)opaque;

	return ++p->calls >= p->last;
}

static void a_cancelled_filling_of_the_lists_leaves_none(void)
{
	poll_count all = { 0, UINT64_MAX }, again = { 0, UINT64_MAX };
	nq_i_join *t;
	double sum = 0;

	CU_ASSERT_EQUAL_FATAL(nq_i_join_create(&t, 18), NQ_OK);
	CU_ASSERT_EQUAL(nq_i_join_fill(t, cancel_at, &all), NQ_OK);
	CU_ASSERT_TRUE_FATAL(all.calls > 8);
	CU_ASSERT_EQUAL(nq_i_join_fill(t, cancel_at, &again), NQ_OK);
	CU_ASSERT_EQUAL(again.calls, 0); /* they are there already */
	nq_i_join_destroy(t);
	CU_ASSERT_EQUAL_FATAL(nq_i_join_create(&t, 18), NQ_OK);
	/* at the first poll, in the first pass, in the second, at the last poll */
	for (uint64_t k = 0; k < 4; k++) {
		poll_count p = { 0, k == 0 ? 1 : all.calls * k / 3 };

		CU_ASSERT_EQUAL(nq_i_join_fill(t, cancel_at, &p), NQ_CANCELLED);
		CU_ASSERT_EQUAL(p.calls, p.last);
		CU_ASSERT_TRUE(!t->filled && !t->first && !t->off_main && !t->placements);
	}
	CU_ASSERT_EQUAL(nq_i_join_fill(t, NULL, NULL), NQ_OK);
	for (uint32_t i = t->size_at[4]; i < t->size_at[5]; i++)
		for (uint32_t j = t->size_at[4]; j < t->size_at[5]; j++)
			sum += nq_i_join_list(t, t->sets[i], t->sets[j]).count;
	CU_ASSERT_EQUAL(sum, nq_i_join_placements(9, 4));
	nq_i_join_destroy(t);
}

typedef struct waiter {
	nq_i_join *t;
	poll_count poll;
	nq_status status;
	int begun;
} waiter;

static void *wait_for_lists(void *opaque)
{
	waiter *w = (waiter *)opaque;

	w->status = nq_i_join_fill(w->t, cancel_at, &w->poll);
	return NULL;
}

/* Called while the lists are being filled: a second thread requests them, too, and is cancelled. */
static int let_another_wait(void *opaque)
{
	waiter *w = (waiter *)opaque;
	pthread_t thread;

	if (!w->begun++ && pthread_create(&thread, NULL, wait_for_lists, w) == 0)
		pthread_join(thread, NULL);
	return 0;
}

static void waiting_for_the_lists_of_another_thread_is_cancelled(void)
{
	waiter w = { .poll = { 0, 3 } };

	CU_ASSERT_EQUAL_FATAL(nq_i_join_create(&w.t, 16), NQ_OK);
	CU_ASSERT_EQUAL(nq_i_join_fill(w.t, let_another_wait, &w), NQ_OK);
	CU_ASSERT_EQUAL(w.status, NQ_CANCELLED);
	CU_ASSERT_EQUAL(w.poll.calls, 3);
	CU_ASSERT_TRUE(w.t->filled);
	nq_i_join_destroy(w.t);
}

static int cancel_at_second_call(void *opaque, const nq_progress *p)
{
	(void)p;
	return ++*(int *)opaque == 2;
}

/* The lists of 20 queens take far longer than the interval of the progress. */
static void a_run_is_stopped_while_the_lists_are_filled(void)
{
	nq_plan *plan = plan_of(20, NQ_METHOD_JOIN);
	nq_ledger *ledger = ledger_of(plan);
	nq_run_options ro;
	int calls = 0;

	nq_run_options_init(&ro);
	ro.backend = NQ_BACKEND_CPU;
	ro.progress = cancel_at_second_call;
	ro.progress_opaque = &calls;
	ro.progress_ms = 1;
	CU_ASSERT_EQUAL(nq_run(plan, ledger, &ro, NULL), NQ_CANCELLED);
	CU_ASSERT_EQUAL(calls, 2);
	CU_ASSERT_FALSE(plan->join->filled);
	ro.progress = NULL;
	ro.time_limit_ms = 1;
	CU_ASSERT_EQUAL(nq_run(plan, ledger, &ro, NULL), NQ_TIME_LIMIT);
	CU_ASSERT_FALSE(plan->join->filled);
	CU_ASSERT_EQUAL(nq_ledger_done_count(ledger), 0);
	nq_ledger_destroy(&ledger);
	nq_plan_destroy(&plan);
}

static void *count_first_unit(void *opaque)
{
	uint64_t count = 0;

	if (nq_run_unit((const nq_plan *)opaque, 5, NQ_SIMD_SCALAR, &count, NULL) != NQ_OK)
		count = UINT64_MAX;
	return (void *)(uintptr_t)count;
}

static void threads_may_ask_for_the_lists_at_once(void)
{
	enum { THREADS = 3 };
	nq_plan *plan = plan_of(12, NQ_METHOD_JOIN);
	pthread_t threads[THREADS];
	void *counts[THREADS];

	for (int i = 0; i < THREADS; i++)
		CU_ASSERT_EQUAL_FATAL(pthread_create(&threads[i], NULL, count_first_unit, plan), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], &counts[i]);
	CU_ASSERT_NOT_EQUAL((uintptr_t)counts[0], (uintptr_t)UINT64_MAX);
	CU_ASSERT_EQUAL(counts[0], counts[1]);
	CU_ASSERT_EQUAL(counts[0], counts[2]);
	nq_plan_destroy(&plan);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the cross of sixteen has as many placements as derived",
			the_cross_of_sixteen_has_as_many_placements_as_derived },
		{ "classes of placements add up", classes_of_placements_add_up },
		{ "a plan has one task a class", a_plan_has_one_task_a_class },
		{ "units are runs of like tasks", units_are_runs_of_like_tasks },
		{ "the hash of a plan is the same everywhere",
			the_hash_of_a_plan_is_the_same_everywhere },
		{ "parts of every method add up", parts_of_every_method_add_up },
		{ "more parts than units leave some empty",
			more_parts_than_units_leave_some_empty },
		{ "a ledger refuses what is wrong", a_ledger_refuses_what_is_wrong },
		{ "a run goes on from any set of units", a_run_goes_on_from_any_set_of_units },
		{ "one unit can be counted again", one_unit_can_be_counted_again },
		{ "a run that is stopped loses nothing", a_run_that_is_stopped_loses_nothing },
		{ "a long run of boards is stopped between its batches",
			a_long_run_of_boards_is_stopped_between_its_batches },
		{ "a time limit ends a long run", a_time_limit_ends_a_long_run },
		{ "a flag that is set ends a run", a_flag_that_is_set_ends_a_run },
		{ "bad plans are refused", bad_plans_are_refused },
		{ "auto joins where it can", auto_joins_where_it_can },
		{ "bad runs are refused", bad_runs_are_refused },
		{ "quarters have as many placements as expected",
			quarters_have_as_many_placements_as_expected },
		{ "a cancelled filling of the lists leaves none",
			a_cancelled_filling_of_the_lists_leaves_none },
		{ "waiting for the lists of another thread is cancelled",
			waiting_for_the_lists_of_another_thread_is_cancelled },
		{ "a run is stopped while the lists are filled",
			a_run_is_stopped_while_the_lists_are_filled },
		{ "threads may ask for the lists at once", threads_may_ask_for_the_lists_at_once },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "plan", NULL, NULL, NULL, NULL, tests }, CU_SUITE_INFO_NULL };

	return test_run(suites);
}
