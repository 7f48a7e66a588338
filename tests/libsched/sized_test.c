/* Structs that carry their size: shorter ones of older programs, longer ones of newer programs,
 * uninitialised ones. */
#include <stdio.h>
#include <string.h>
#include "libsched/core/sized.h"
#define GRAPH_PROGRAMS
#include "tests/libsched/graph.h"
#include "tests/common/sched_setup.h"
#include "tests/common/testmain.h"

/* Room for a struct and members that this version lacks. */
#define LONGER(type)                                         \
	union {                                              \
		type now;                                    \
		unsigned char all[LSCHED_I_SIZED_MAX_BYTES]; \
	}
enum { MORE_BYTES = 24 };

/* ---- the rule itself ---- */

typedef struct thing {
	size_t struct_bytes;
	uint32_t first, second, third;
} thing;

#define THING_LEAST_BYTES LSCHED_I_SIZE_TO(thing, second)

static void a_shorter_struct_has_the_defaults_of_the_missing_members(void)
{
	const thing from = { THING_LEAST_BYTES, 10, 20, 30 };
	thing to = { 0, 1, 2, 3 };

	CU_ASSERT_PTR_NULL(lsched_i_sized_in(&to, sizeof(to), THING_LEAST_BYTES, &from));
	CU_ASSERT_EQUAL(to.struct_bytes, sizeof(to));
	CU_ASSERT_TRUE(to.first == 10 && to.second == 20 && to.third == 3);
}

static void a_longer_struct_is_accepted_if_its_additional_bytes_are_zero(void)
{
	LONGER(thing) from;
	thing to = { 0, 1, 2, 3 };

	memset(&from, 0, sizeof(from));
	from.now = (thing){ sizeof(thing) + MORE_BYTES, 10, 20, 30 };
	CU_ASSERT_PTR_NULL(lsched_i_sized_in(&to, sizeof(to), THING_LEAST_BYTES, &from));
	CU_ASSERT_TRUE(to.struct_bytes == sizeof(to) && to.third == 30);
	for (size_t i = 0; i <= MORE_BYTES; i++) {
		thing kept = { 0, 1, 2, 3 };
		const char *why;

		from.all[sizeof(thing) + i] = 1;
		why = lsched_i_sized_in(&kept, sizeof(kept), THING_LEAST_BYTES, &from);
		from.all[sizeof(thing) + i] = 0;
		if (i == MORE_BYTES) { /* behind the struct */
			CU_ASSERT_PTR_NULL(why);
			continue;
		}
		CU_ASSERT_PTR_NOT_NULL_FATAL(why);
		CU_ASSERT_PTR_NOT_NULL(strstr(why, "does not have"));
		CU_ASSERT_TRUE(kept.struct_bytes == 0 && kept.first == 1);
	}
}

static void a_struct_without_a_size_is_refused(void)
{
	static const size_t sizes[] = { 0, 1, THING_LEAST_BYTES - 1, LSCHED_I_SIZED_MAX_BYTES + 1,
		(size_t)-1, (size_t)0xcccccccccccccccc };
	const thing known = { sizeof(known), 1, 2, 3 };

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		LONGER(thing) other;
		thing to = known;
		const char *why;

		memset(&other, 0, sizeof(other));
		other.now = (thing){ sizes[i], 10, 20, 30 };
		why = lsched_i_sized_in(&to, sizeof(to), THING_LEAST_BYTES, &other);

		CU_ASSERT_PTR_NOT_NULL_FATAL(why);
		CU_ASSERT_PTR_NOT_NULL(strstr(why, "call its init function first"));
		CU_ASSERT_EQUAL(memcmp(&to, &known, sizeof(to)), 0);
		why = lsched_i_sized_out(&other, sizeof(known), THING_LEAST_BYTES, &known);
		CU_ASSERT_PTR_NOT_NULL_FATAL(why);
		CU_ASSERT_TRUE(other.now.struct_bytes == sizes[i] && other.now.first == 10);
	}
}

static void results_fill_the_callers_struct(void)
{
	const thing from = { sizeof(from), 10, 20, 30 };
	LONGER(thing) to;
	thing short_one = { THING_LEAST_BYTES, 1, 2, 3 };

	CU_ASSERT_PTR_NULL(lsched_i_sized_out(&short_one, sizeof(from), THING_LEAST_BYTES, &from));
	CU_ASSERT_EQUAL(short_one.struct_bytes, THING_LEAST_BYTES);
	CU_ASSERT_TRUE(short_one.first == 10 && short_one.second == 20 && short_one.third == 3);
	memset(&to, 0xee, sizeof(to));
	to.now.struct_bytes = sizeof(thing) + MORE_BYTES;
	CU_ASSERT_PTR_NULL(lsched_i_sized_out(&to, sizeof(from), THING_LEAST_BYTES, &from));
	CU_ASSERT_TRUE(to.now.struct_bytes == sizeof(thing) + MORE_BYTES && to.now.third == 30);
	for (size_t i = 0; i <= MORE_BYTES; i++)
		CU_ASSERT_EQUAL(to.all[sizeof(thing) + i], i < MORE_BYTES ? 0 : 0xee);
}

/* ---- libsched's structs ---- */

static int says(const char *text, const char *name)
{
	return strstr(text, name) && strstr(text, "call its init function first");
}

static void options_of_contexts_may_have_other_sizes(void)
{
	LONGER(lsched_options) o;
	lsched_ctx *ctx;
	char msg[256];

	/* members that an older program lacks have their defaults */
	memset(&o, 0xee, sizeof(o));
	lsched_options_init_sized(&o.now, sizeof(lsched_options));
	o.now.backend = LSCHED_BACKEND_CPU;
	o.now.workers = 2;
	o.now.struct_bytes = LSCHED_I_SIZE_TO(lsched_options, log_level);
	CU_ASSERT_EQUAL(lsched_open(&ctx, &o.now, msg, sizeof(msg)), LSCHED_OK);
	lsched_close(&ctx);

	/* a newer program's init fills its whole struct */
	memset(&o, 0xee, sizeof(o));
	lsched_options_init_sized(&o.now, sizeof(lsched_options) + MORE_BYTES);
	CU_ASSERT_TRUE(o.now.struct_bytes == sizeof(lsched_options) + MORE_BYTES &&
		       o.now.device == -1 && o.now.log_level == LSCHED_LOG_WARN);
	for (size_t i = 0; i <= MORE_BYTES; i++)
		CU_ASSERT_EQUAL(o.all[sizeof(lsched_options) + i], i < MORE_BYTES ? 0 : 0xee);
	o.now.backend = LSCHED_BACKEND_CPU;
	o.now.workers = 2;
	CU_ASSERT_EQUAL(lsched_open(&ctx, &o.now, msg, sizeof(msg)), LSCHED_OK);
	lsched_close(&ctx);
	o.all[sizeof(lsched_options) + 3] = 1;
	CU_ASSERT_EQUAL(lsched_open(&ctx, &o.now, msg, sizeof(msg)), LSCHED_ERR_ARG);
	CU_ASSERT_PTR_NULL(ctx);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "lsched_options sets a member"));

	memset(&o, 0, sizeof(o));
	o.now.device = -1;
	CU_ASSERT_EQUAL(lsched_open(&ctx, &o.now, msg, sizeof(msg)), LSCHED_ERR_ARG);
	CU_ASSERT_TRUE(says(msg, "lsched_options"));
	memset(&o, 0xcc, sizeof(o));
	CU_ASSERT_EQUAL(lsched_open(&ctx, &o.now, msg, sizeof(msg)), LSCHED_ERR_ARG);
	CU_ASSERT_TRUE(says(msg, "lsched_options"));
}

/* RUN_OPTIONS() of the suites does not call the library. */
static void the_default_of_each_run_option_is_0(void)
{
	lsched_run_options o, zero;

	memset(&o, 0xee, sizeof(o));
	memset(&zero, 0, sizeof(zero));
	zero.struct_bytes = sizeof(zero);
	lsched_run_options_init(&o);
	CU_ASSERT_EQUAL(memcmp(&o, &zero, sizeof(o)), 0);
}

/* The program of the tests below. */
typedef struct bench {
	lsched_ctx *ctx;
	lsched_run *run;
	graph_ctx c;
	uint32_t memory[2 * 16 + 1];
} bench;

enum { TASKS = 16 };

static void bench_open(bench *b)
{
	lsched_run_options ro;

	memset(b, 0, sizeof(*b));
	CU_ASSERT_EQUAL_FATAL(test_open(&b->ctx, LSCHED_BACKEND_CPU, 2), 0);
	ro = RUN_OPTIONS(.max_tasks = TASKS, .worker_stats = 1);
	CU_ASSERT_EQUAL_FATAL(
		lsched_run_create(&b->run, b->ctx, &graph_cpu_program, &ro), LSCHED_OK);
	b->c.w = b->c.h = 4;
	b->c.slices = b->c.frames = 1;
	b->c.fail_task = b->c.hang_task = LSCHED_NONE;
	b->c.value = b->memory;
	b->c.runs = b->memory + TASKS;
	b->c.sink = b->memory + 2 * TASKS;
}

static void bench_start(bench *b)
{
	memset(b->memory, 0, sizeof(b->memory));
	CU_ASSERT_EQUAL_FATAL(lsched_run_start(b->run, &b->c, TASKS, NULL), LSCHED_OK);
}

static void bench_close(bench *b)
{
	lsched_run_destroy(&b->run);
	lsched_close(&b->ctx);
}

static void options_of_runs_may_have_other_sizes(void)
{
	LONGER(lsched_run_options) o;
	lsched_run *run;
	bench b;

	bench_open(&b);
	for (size_t more = 0; more <= MORE_BYTES; more += MORE_BYTES) {
		memset(&o, 0xee, sizeof(o));
		lsched_run_options_init_sized(&o.now, sizeof(lsched_run_options) + more);
		o.now.max_tasks = 5;
		CU_ASSERT_EQUAL(
			lsched_run_create(&run, b.ctx, &graph_cpu_program, &o.now), LSCHED_OK);
		lsched_run_destroy(&run);
	}
	o.all[sizeof(lsched_run_options) + MORE_BYTES - 1] = 1;
	CU_ASSERT_EQUAL(lsched_run_create(&run, b.ctx, &graph_cpu_program, &o.now), LSCHED_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(
		strstr(lsched_last_error(b.ctx), "lsched_run_options sets a member"));
	memset(&o, 0, sizeof(o));
	o.now.max_tasks = 5;
	CU_ASSERT_EQUAL(lsched_run_create(&run, b.ctx, &graph_cpu_program, &o.now), LSCHED_ERR_ARG);
	CU_ASSERT_PTR_NULL(run);
	CU_ASSERT_TRUE(says(lsched_last_error(b.ctx), "lsched_run_options"));
	bench_close(&b);
}

/* A refused struct has no effect: the execution continues, and the next call waits for it. */
static void statistics(void)
{
	LONGER(lsched_stats) s;
	lsched_stats none;
	char msg[256];
	bench b;

	bench_open(&b);
	bench_start(&b);
	memset(&none, 0, sizeof(none));
	CU_ASSERT_EQUAL(lsched_run_finish(b.run, &none), LSCHED_ERR_ARG);
	CU_ASSERT_TRUE(says(lsched_run_error(b.run), "lsched_stats"));
	memset(&s, 0xee, sizeof(s));
	s.now.struct_bytes = sizeof(lsched_stats) + MORE_BYTES;
	CU_ASSERT_EQUAL(lsched_run_finish(b.run, &s.now), LSCHED_OK);
	CU_ASSERT_TRUE(
		s.now.tasks == TASKS && s.now.struct_bytes == sizeof(lsched_stats) + MORE_BYTES);
	for (size_t i = 0; i <= MORE_BYTES; i++)
		CU_ASSERT_EQUAL(s.all[sizeof(lsched_stats) + i], i < MORE_BYTES ? 0 : 0xee);
	s.now.tasks = 7;
	CU_ASSERT_EQUAL(lsched_run_finish(b.run, &s.now), LSCHED_ERR_STATE);
	CU_ASSERT_EQUAL(s.now.tasks, 0);
	CU_ASSERT_EQUAL(lsched_run_once(&graph_cpu_program, &b.c, TASKS, &none, msg, sizeof(msg)),
		LSCHED_ERR_ARG);
	CU_ASSERT_TRUE(says(msg, "lsched_stats"));
	bench_close(&b);
}

static void statistics_of_workers_may_have_other_sizes(void)
{
	LONGER(lsched_worker_stats) w;
	lsched_worker_stats none;
	lsched_stats s;
	uint64_t tasks = 0;
	bench b;

	lsched_stats_init(&s);
	bench_open(&b);
	bench_start(&b);
	lsched_worker_stats_init(&w.now);
	CU_ASSERT_EQUAL(lsched_run_worker_stats(b.run, 0, &w.now), LSCHED_ERR_STATE);
	CU_ASSERT_PTR_NOT_NULL(strstr(lsched_run_error(b.run), "not finished"));
	CU_ASSERT_EQUAL(lsched_run_finish(b.run, &s), LSCHED_OK);
	for (uint32_t k = 0; k < s.workers; k++) {
		memset(&w, 0xee, sizeof(w));
		w.now.struct_bytes = sizeof(lsched_worker_stats) + 8 * k;
		CU_ASSERT_EQUAL(lsched_run_worker_stats(b.run, k, &w.now), LSCHED_OK);
		CU_ASSERT_EQUAL(w.all[sizeof(lsched_worker_stats) + 8 * k], 0xee);
		tasks += w.now.tasks;
	}
	CU_ASSERT_EQUAL(tasks, TASKS);
	CU_ASSERT_EQUAL(lsched_run_worker_stats(b.run, s.workers, &w.now), LSCHED_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(lsched_run_error(b.run), "of worker 2: the execution had 2"));
	memset(&none, 0, sizeof(none));
	CU_ASSERT_EQUAL(lsched_run_worker_stats(b.run, 0, &none), LSCHED_ERR_ARG);
	CU_ASSERT_TRUE(says(lsched_run_error(b.run), "lsched_worker_stats"));
	CU_ASSERT_EQUAL(lsched_run_worker_stats(NULL, 0, &w.now), LSCHED_ERR_ARG);
	bench_close(&b);
}

static void progress_and_device_structs_may_have_other_sizes(void)
{
	LONGER(lsched_run_progress_info) p;
	lsched_device_info info;
	bench b;

	bench_open(&b);
	memset(&p, 0, sizeof(p));
	CU_ASSERT_EQUAL(lsched_run_progress(b.run, &p.now), LSCHED_ERR_ARG);
	memset(&p, 0xee, sizeof(p));
	p.now.struct_bytes = sizeof(p.now) + MORE_BYTES;
	CU_ASSERT_EQUAL(lsched_run_progress(b.run, &p.now), LSCHED_OK);
	CU_ASSERT_TRUE(p.now.executing == 0 && p.all[sizeof(p.now) + MORE_BYTES - 1] == 0 &&
		       p.all[sizeof(p.now) + MORE_BYTES] == 0xee);
	bench_close(&b);
	memset(&info, 0, sizeof(info));
	CU_ASSERT_EQUAL(lsched_device_get_info(-1, &info), LSCHED_ERR_ARG);
	lsched_device_info_init(&info);
	CU_ASSERT_TRUE(lsched_device_get_info(-1, &info) == LSCHED_ERR_NO_DEVICE ||
		       lsched_device_get_info(-1, &info) == LSCHED_ERR_UNSUPPORTED);
	CU_ASSERT_EQUAL(lsched_device_get_info(0, NULL), LSCHED_ERR_ARG);
}

static void the_description_of_a_run_may_have_other_sizes(void)
{
	lsched_run_info info;
	bench b;

	bench_open(&b);
	memset(&info, 0, sizeof(info));
	CU_ASSERT_EQUAL(lsched_run_get_info(b.run, &info), LSCHED_ERR_ARG);
	lsched_run_info_init(&info);
	CU_ASSERT_EQUAL(lsched_run_get_info(b.run, &info), LSCHED_OK);
	CU_ASSERT_EQUAL(info.struct_bytes, sizeof(info));
	CU_ASSERT_PTR_NOT_NULL(info.program);
	bench_close(&b);
}

static CU_TestInfo rule_tests[] = {
	{ "a shorter struct has the defaults of the missing members",
		a_shorter_struct_has_the_defaults_of_the_missing_members },
	{ "a longer struct is accepted if its additional bytes are zero",
		a_longer_struct_is_accepted_if_its_additional_bytes_are_zero },
	{ "a struct without a size is refused", a_struct_without_a_size_is_refused },
	{ "results fill the caller's struct", results_fill_the_callers_struct }, CU_TEST_INFO_NULL
};

static CU_TestInfo struct_tests[] = { { "options of contexts may have other sizes",
					      options_of_contexts_may_have_other_sizes },
	{ "options of runs may have other sizes", options_of_runs_may_have_other_sizes },
	{ "the default of each run option is 0", the_default_of_each_run_option_is_0 },
	{ "statistics", statistics },
	{ "statistics of workers may have other sizes",
		statistics_of_workers_may_have_other_sizes },
	{ "progress and device structs may have other sizes",
		progress_and_device_structs_may_have_other_sizes },
	{ "the description of a run may have other sizes",
		the_description_of_a_run_may_have_other_sizes },
	CU_TEST_INFO_NULL };

int main(void)
{
	CU_SuiteInfo suites[] = { TEST_SUITE("structs that carry their size", rule_tests),
		TEST_SUITE("the structs of libsched", struct_tests), CU_SUITE_INFO_NULL };

	return test_run(suites);
}
