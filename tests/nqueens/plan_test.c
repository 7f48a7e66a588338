/* Plans and ledgers: tasks and work units of a plan, its hash, arguments that are refused. */
#include <libsched/sched.h>
#include <nqueens/nqueens.h>
#include "tests/common/testmain.h"
#include "tests/nqueens/setup.h"

static void the_cross_of_16_queens_has_the_derived_number_of_placements(void)
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

/* A class of weight w has w placements. */
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
static void a_plan_has_one_task_for_each_symmetry_class(void)
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

static void a_work_unit_is_a_sequence_of_tasks_of_equal_weight_and_depth(void)
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

static void a_ledger_refuses_wrong_units_counts_twice_and_other_plans(void)
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

/* ---- arguments that are refused ---- */

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
static void the_method_auto_selects_the_join_where_it_is_faster(void)
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

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the cross of 16 queens has the derived number of placements",
			the_cross_of_16_queens_has_the_derived_number_of_placements },
		{ "classes of placements add up", classes_of_placements_add_up },
		{ "a plan has one task for each symmetry class",
			a_plan_has_one_task_for_each_symmetry_class },
		{ "a work unit is a sequence of tasks of equal weight and depth",
			a_work_unit_is_a_sequence_of_tasks_of_equal_weight_and_depth },
		{ "the hash of a plan is the same everywhere",
			the_hash_of_a_plan_is_the_same_everywhere },
		{ "a ledger refuses wrong units, counts twice and other plans",
			a_ledger_refuses_wrong_units_counts_twice_and_other_plans },
		{ "bad plans are refused", bad_plans_are_refused },
		{ "the method auto selects the join where it is faster",
			the_method_auto_selects_the_join_where_it_is_faster },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { TEST_SUITE("plan", tests), CU_SUITE_INFO_NULL };

	return test_run(suites);
}
