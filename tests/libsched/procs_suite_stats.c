/* Statistics of procedures: the sums of a run with a timeline. */
#include <stdlib.h>
#include <string.h>
#include "tests/common/text.h"
#include "tests/libsched/items_suite.h"

enum { NODES = 500, PROCS_MOST = 3 };

/* The statistics of a run, and of each of its procedures. */
typedef struct measured {
	lsched_run *run;
	lsched_stats s;
	lsched_procedure_stats of[PROCS_MOST];
} measured;

/* Executes the run once and reads the statistics of so many procedures. */
static void measure(measured *m, const void *ctx, uint32_t roots, uint32_t procedures)
{
	lsched_stats_init(&m->s);
	CHECK(lsched_run_start(m->run, ctx, roots, NULL) == LSCHED_OK &&
			lsched_run_finish(m->run, &m->s) == LSCHED_OK,
		"%s", lsched_run_error(m->run));
	CHECK(m->s.trace_dropped == 0, "%u dropped", m->s.trace_dropped);
	for (uint32_t i = 0; i < procedures; i++) {
		lsched_procedure_stats *p = &m->of[i];

		lsched_procedure_stats_init(p);
		CHECK(lsched_run_procedure_stats(m->run, i, p) == LSCHED_OK, "%s",
			lsched_run_error(m->run));
		CHECK(p->min_ns * p->batches <= p->time_ns && p->time_ns <= p->max_ns * p->batches,
			"%s: %llu batches, %llu ns", p->name, (unsigned long long)p->batches,
			(unsigned long long)p->time_ns);
	}
}

static void check_procedure(const lsched_procedure_stats *p, const char *name, uint64_t items)
{
	CHECK(p->name && strcmp(p->name, name) == 0, "%s", name);
	CHECK(p->items == items, "%s: %llu items, not %llu", name, (unsigned long long)p->items,
		(unsigned long long)items);
}

/* The timeline names the procedure of each batch. */
static void check_timeline(const measured *m, uint32_t procedures)
{
	test_text t = { 0 };
	char name[32];

	CHECK(lsched_trace_write(&m->run, 1, test_text_append, &t) == LSCHED_OK, "%s",
		lsched_run_error(m->run));
	for (uint32_t i = 0; i < procedures; i++) {
		snprintf(name, sizeof(name), "\"name\":\"%s\"", m->of[i].name);
		CHECK(occurrences(t.s, name) == m->of[i].batches, "%s", name);
	}
	free(t.s);
}

/* Node i of mixed is an item of procedure i % 3; warp and block items are batches by themselves. */
static void statistics_have_the_items_of_each_procedure(void)
{
	for (size_t k = 0; k < iplace.worker_counts; k++) {
		mixed_ctx c = { NODES, 3, LSCHED_NONE, NULL };
		const lsched_run_options o = RUN_OPTIONS(.workers = iplace.workers[k],
			.max_tasks = c.roots, .trace = NODES);
		measured m = { 0 };

		c.runs = (uint32_t *)iplace.alloc(NODES * sizeof(*c.runs));
		CHECK(c.runs, "memory");
		CREATE(&m.run, iplace.ctx, iplace.mixed, &o);
		measure(&m, &c, c.roots, 3);
		check_procedure(&m.of[mixed_proc_lane], "lane", (NODES + 2) / 3);
		check_procedure(&m.of[mixed_proc_warp], "warp", (NODES + 1) / 3);
		check_procedure(&m.of[mixed_proc_block], "block", NODES / 3);
		CHECK(m.of[mixed_proc_lane].batches == m.s.batches &&
				m.of[mixed_proc_lane].items == m.s.batch_items &&
				m.of[mixed_proc_warp].batches == m.of[mixed_proc_warp].items &&
				m.of[mixed_proc_block].batches == m.of[mixed_proc_block].items,
			"%u workers: batches", o.workers);
		check_timeline(&m, 3);
		lsched_run_destroy(&m.run);
		iplace.release(c.runs);
	}
}

/* Adds the items of a walk, whose procedures are the top bits of a sequence. */
static void add_walk(uint32_t root, uint32_t steps, uint64_t items[2])
{
	uint32_t bits = root * 2654435761u;

	while (steps--) {
		bits = bits * 1664525u + 1013904223u;
		items[bits >> 31]++;
	}
}

static void the_mean_fill_is_items_by_batches(void)
{
	const walk_ctx c = { 20 };
	const uint32_t roots = 2000;
	const lsched_run_options o =
		RUN_OPTIONS(.workers = 1, .max_tasks = roots, .trace = roots * c.steps);
	uint64_t items[2] = { 0, 0 };
	measured m = { 0 };

	for (uint32_t i = 0; i < roots; i++)
		add_walk(i, c.steps, items);
	CREATE(&m.run, iplace.ctx, iplace.walkfull, &o);
	for (int start = 0; start < 2; start++) { /* a start does not add to the one before */
		measure(&m, &c, roots, 2);
		check_procedure(&m.of[walk_proc_even], "even", items[0]);
		check_procedure(&m.of[walk_proc_odd], "odd", items[1]);
		CHECK(m.of[0].batches + m.of[1].batches == m.s.batches, "batches");
		for (int i = 0; i < 2; i++)
			CHECK(m.of[i].items > 28 * m.of[i].batches, "%s: %llu items in %llu",
				m.of[i].name, (unsigned long long)m.of[i].items,
				(unsigned long long)m.of[i].batches);
	}
	lsched_run_destroy(&m.run);
}

static void a_short_timeline_has_the_first_batches(void)
{
	const walk_ctx c = { 20 };
	const lsched_run_options o = RUN_OPTIONS(.workers = 1, .max_tasks = 200, .trace = 5);
	lsched_procedure_stats p[2];
	lsched_stats s;
	lsched_run *run;

	lsched_stats_init(&s);
	CREATE(&run, iplace.ctx, iplace.walkfull, &o);
	CHECK(lsched_run_start(run, &c, 200, NULL) == LSCHED_OK &&
			lsched_run_finish(run, &s) == LSCHED_OK,
		"%s", lsched_run_error(run));
	for (uint32_t i = 0; i < 2; i++) {
		lsched_procedure_stats_init(&p[i]);
		CHECK(lsched_run_procedure_stats(run, i, &p[i]) == LSCHED_OK, "%s",
			lsched_run_error(run));
	}
	CHECK(p[0].batches + p[1].batches == 5 && s.trace_dropped == s.batches - 5,
		"%llu and %llu batches, %u dropped", (unsigned long long)p[0].batches,
		(unsigned long long)p[1].batches, s.trace_dropped);
	lsched_run_destroy(&run);
}

/* Names of LSCHED_PROC_NAMES, and none. */
static void procedures_with_one_grain_may_have_names(void)
{
	const lsched_run_options o = RUN_OPTIONS(.max_tasks = 1, .trace = 1);
	lsched_procedure_stats p;
	lsched_run *run;

	lsched_procedure_stats_init(&p);
	CREATE(&run, iplace.ctx, iplace.mprocs, &o);
	CHECK(lsched_run_procedure_stats(run, 2, &p) == LSCHED_OK, "%s", lsched_run_error(run));
	check_procedure(&p, "third", 0);
	lsched_run_destroy(&run);
	CREATE(&run, iplace.ctx, iplace.mlane, &o);
	CHECK(lsched_run_procedure_stats(run, 0, &p) == LSCHED_OK && !p.name && p.batches == 0,
		"%s", lsched_run_error(run));
	lsched_run_destroy(&run);
}

static void statistics_without_a_timeline_are_refused(void)
{
	lsched_run_options o = RUN_OPTIONS(.max_tasks = 1);
	lsched_procedure_stats p;
	lsched_run *run;

	lsched_procedure_stats_init(&p);
	CREATE(&run, iplace.ctx, iplace.mixed, &o);
	CHECK(lsched_run_procedure_stats(run, 0, &p) == LSCHED_ERR_STATE &&
			strstr(lsched_run_error(run), "lsched_run_options.trace is 0"),
		"%s", lsched_run_error(run));
	lsched_run_destroy(&run);
	o.trace = 1;
	CREATE(&run, iplace.ctx, iplace.mixed, &o);
	CHECK(lsched_run_procedure_stats(run, mixed_procs, &p) == LSCHED_ERR_ARG &&
			strstr(lsched_run_error(run), "no procedure 3: the program has 3"),
		"%s", lsched_run_error(run));
	p.struct_bytes = 0;
	CHECK(lsched_run_procedure_stats(run, 0, &p) == LSCHED_ERR_ARG, "not initialised");
	CHECK(lsched_run_procedure_stats(run, 0, NULL) == LSCHED_ERR_ARG, "NULL");
	CHECK(lsched_run_procedure_stats(NULL, 0, &p) == LSCHED_ERR_ARG, "no run");
	lsched_run_destroy(&run);
}

CU_TestInfo procs_stats_tests[] = { { "statistics have the items of each procedure",
					    statistics_have_the_items_of_each_procedure },
	{ "the mean fill is items by batches", the_mean_fill_is_items_by_batches },
	{ "a short timeline has the first batches", a_short_timeline_has_the_first_batches },
	{ "procedures with one grain may have names", procedures_with_one_grain_may_have_names },
	{ "statistics without a timeline are refused", statistics_without_a_timeline_are_refused },
	CU_TEST_INFO_NULL };
