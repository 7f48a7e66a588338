/* The join with sorted patterns on a CUDA device, compared with the CPU's unit by unit, with
 * backtracking and with published counts. Skipped without a device; SCHED_REQUIRE_GPU=1 makes that
 * a failure. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif
#include <libsched/sched.h>
#include <nqueens/nqueens.h>
#include "tests/common/check.h"
#include "tests/common/testmain.h"
#include "tests/nqueens/setup.h"

#ifdef HAVE_CUDA
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "nqueens/plan/plan.h"
#include "nqueens/run/backend.h"
#include "tests/nqueens/sieve_tasks.h"

/* Counts every step-th unit of n queens on the device with a memory limit; returns the number of
 * units that the CPU counts differently, or SIZE_MAX if the device failed or took more memory. */
static size_t wrong_units(uint32_t n, size_t step, uint64_t memory_bytes)
{
	nq_plan *plan = plan_of(n, NQ_METHOD_JOIN);
	const nq_i_join *t = plan->join;
	const nq_run_options o =
		COUNT_OPTIONS(.backend = NQ_BACKEND_CUDA, .memory_bytes = memory_bytes);
	nq_i_sieve_task *tasks = room_for_units(t, plan->unit_count / step + 1);
	uint64_t *counts = (uint64_t *)calloc(plan->unit_count, sizeof(*counts));
	nq_i_sieve_report report = { 0, 0, "" };
	uint32_t count = 0;
	size_t wrong = 0;
	nq_status st;

	CU_ASSERT_PTR_NOT_NULL_FATAL(counts);
	for (size_t i = 0; i < plan->unit_count; i += step)
		count += put_unit(t, &plan->units[i], (uint32_t)i, tasks + count);
	st = nq_i_sieve_cuda(t, &o, tasks, count, counts, (uint32_t)plan->unit_count, &report);
	if (st != NQ_OK)
		printf(" n %u: %s: %s;", n, nq_strstatus(st), report.message);
	if (memory_bytes && report.bytes > memory_bytes) {
		printf(" n %u: %llu of %llu bytes;", n, (unsigned long long)report.bytes,
			(unsigned long long)memory_bytes);
		st = NQ_ERR_NOMEM;
	}
	for (size_t i = 0; i < plan->unit_count && st == NQ_OK; i += step) {
		uint64_t expected;

		wrong += nq_run_unit(plan, i, NQ_SIMD_AUTO, &expected, NULL) != NQ_OK ||
			 expected != counts[i];
	}
	free(tasks);
	free(counts);
	nq_plan_destroy(&plan);
	return st == NQ_OK ? wrong : SIZE_MAX;
}

static void each_unit_has_the_count_of_the_cpu(void)
{
	for (uint32_t n = 4; n <= 14; n++) {
		const size_t wrong = wrong_units(n, 1, 1u << 30);

		CHECK(wrong == 0, "n %u: %zu units are wrong", n, wrong);
	}
	CHECK(wrong_units(17, 53, 0) == 0, "n 17: units are wrong");
	CHECK(wrong_units(18, 37, 0) == 0, "n 18: units are wrong");
}

/* Small boards by the choice of images of large ones. */
static void the_chosen_images_are_the_published_count(void)
{
	const nq_run_options o =
		COUNT_OPTIONS(.backend = NQ_BACKEND_CUDA, .memory_bytes = 1u << 30);

	for (uint32_t n = 4; n <= 18; n++) {
		nq_i_sieve_report report = { 0, 0, "" };
		nq_i_sieve_task *tasks;
		uint64_t total = 0;
		uint32_t count;
		nq_count known;
		nq_i_join *t;
		nq_status st;

		CU_ASSERT_EQUAL_FATAL(nq_i_join_create_by(&t, n, 1), NQ_OK);
		tasks = put_all(t, &count);
		st = nq_i_sieve_cuda(t, &o, tasks, count, &total, 1, &report);
		CU_ASSERT_EQUAL(nq_known_count(n, &known), NQ_OK);
		CHECK(st == NQ_OK && nq_count_cmp(nq_count_of(total), known) == 0,
			"n %u: %s, %s: %llu", n, nq_strstatus(st), report.message,
			(unsigned long long)total);
		free(tasks);
		nq_i_join_destroy(t);
	}
}

/* With little memory the placements are made again and again, and patterns in several rounds. */
static void a_memory_limit_changes_no_count(void)
{
	CHECK(wrong_units(16, 5, 360u << 20) == 0, "n 16: units are wrong");
	CHECK(wrong_units(22, 1200, (uint64_t)3 << 30) == 0, "n 22: units are wrong");
	CHECK(wrong_units(16, 5, 1u << 20) == SIZE_MAX, "1 MB are not too little");
}

static void parts_of_large_boards_have_the_counts_of_backtracking(void)
{
	const nq_run_options o =
		COUNT_OPTIONS(.backend = NQ_BACKEND_CUDA, .memory_bytes = (uint64_t)12 << 30);

	for (uint32_t n = 22; n <= NQ_JOIN_MAX_N; n++) {
		nq_plan *plan = plan_of(n, NQ_METHOD_JOIN);
		nq_verification v;
		nq_status st;

		nq_verification_init(&v);
		st = nq_verify_join(plan, &o, 64, n, &v);
		nq_plan_destroy(&plan);
		CHECK(st == NQ_OK, "n %u: %s, %s", n, nq_strstatus(st), v.message);
		CHECK(v.wrong == 0, "n %u: %u of %u wrong: %s", n, v.wrong, v.samples, v.message);
		CHECK(v.with_solutions > v.samples / 4, "n %u: too few with solutions", n);
	}
}

static void random_sets_of_rows_predict_the_total(void)
{
	const nq_run_options o = COUNT_OPTIONS(.backend = NQ_BACKEND_CUDA);

	for (uint32_t n = 22; n <= 24; n++) {
		nq_plan *plan = plan_of(n, NQ_METHOD_JOIN);
		nq_join_sample s;
		nq_count known;
		nq_status st;

		nq_join_sample_init(&s);
		st = nq_sample_join(plan, &o, 512, 0, n, &s);
		nq_plan_destroy(&plan);
		CU_ASSERT_EQUAL(nq_known_count(n, &known), NQ_OK);
		CHECK(st == NQ_OK, "n %u: %s, %s", n, nq_strstatus(st), s.message);
		CHECK(s.samples == 512 && s.device_bytes > 0 && s.seconds > 0 &&
				s.seconds_error > 0 && s.seconds_error < 0.5 * s.seconds &&
				s.solutions_error < 0.15 * s.solutions &&
				fabs(s.solutions - nq_count_double(known)) < 5 * s.solutions_error,
			"n %u: %g +- %g from %u samples, %g s, %llu bytes", n, s.solutions,
			s.solutions_error, s.samples, s.seconds,
			(unsigned long long)s.device_bytes);
	}
}

static void the_total_of_22_queens_is_the_published_one(void)
{
	nq_plan *plan = plan_of(22, NQ_METHOD_JOIN);
	nq_ledger *ledger = ledger_of(plan);
	const nq_run_options o = COUNT_OPTIONS(.backend = NQ_BACKEND_CUDA);
	nq_result r;
	nq_status st;
	int right;

	nq_result_init(&r);
	st = nq_run(plan, ledger, &o, &r);
	right = total_is_published(plan, ledger);
	printf(" n 22: %.2f s in kernels;", (double)r.kernel_ns / 1e9);
	nq_ledger_destroy(&ledger);
	nq_plan_destroy(&plan);
	CHECK(st == NQ_OK, "%s, %s", nq_strstatus(st), r.message);
	CHECK(right, "another total");
}

static int cancel_at_a_tenth(void *opaque, const nq_progress *p)
{
	(void)opaque;
	return p->work_done > p->work / 10;
}

static void a_cancelled_run_keeps_its_finished_units(void)
{
	nq_plan *plan = plan_of(22, NQ_METHOD_JOIN);
	nq_ledger *ledger = ledger_of(plan);
	const nq_run_options o = COUNT_OPTIONS(.backend = NQ_BACKEND_CUDA,
		.progress = cancel_at_a_tenth, .progress_ms = 10, .part = 1, .parts = 40);
	nq_status st = nq_run(plan, ledger, &o, NULL);
	const size_t done = nq_ledger_done_count(ledger);

	nq_ledger_destroy(&ledger);
	nq_plan_destroy(&plan);
	CHECK(st == NQ_CANCELLED || st == NQ_OK, "%s", nq_strstatus(st));
	CHECK(done > 0, "nothing was recorded");
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

/* When to cancel, and when it was done. */
typedef struct timed_cancel {
	uint64_t after_ms, at_ms;
} timed_cancel;

static int cancel_then(void *opaque, const nq_progress *p)
{
	timed_cancel *c = (timed_cancel *)opaque;

	if (!c->at_ms && p->elapsed_ns / 1000000 >= c->after_ms)
		c->at_ms = now_ms();
	return c->at_ms != 0;
}

/* A bound for hangs, not a measurement: a unit of 28 queens takes a minute. Some cancels are within
 * the first batch, some later. */
static void a_cancel_does_not_wait_for_the_batch(void)
{
	enum { MOST_MS = 1500 };
	static const struct {
		uint32_t n, after_ms;
	} cases[] = { { 25, 300 }, { 25, 2500 }, { 28, 300 }, { 28, 2500 }, { 28, 9000 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		nq_plan *plan = plan_of(cases[i].n, NQ_METHOD_JOIN);
		nq_ledger *ledger = ledger_of(plan);
		timed_cancel c = { cases[i].after_ms, 0 };
		const nq_run_options o = COUNT_OPTIONS(.backend = NQ_BACKEND_CUDA,
			.progress = cancel_then, .progress_opaque = &c, .progress_ms = 10);
		const nq_status st = nq_run(plan, ledger, &o, NULL);
		const uint64_t waited_ms = now_ms() - c.at_ms;

		nq_ledger_destroy(&ledger);
		nq_plan_destroy(&plan);
		printf(" n %u, %u ms: %llu ms;", cases[i].n, cases[i].after_ms,
			(unsigned long long)waited_ms);
		CHECK(st == NQ_CANCELLED, "n %u: %s", cases[i].n, nq_strstatus(st));
		CHECK(waited_ms < MOST_MS, "n %u, cancelled after %u ms: it took %llu ms more",
			cases[i].n, cases[i].after_ms, (unsigned long long)waited_ms);
	}
	CHECK(wrong_units(18, 37, 0) == 0, "n 18: units are wrong after a cancel");
}

int main(void)
{
	static CU_TestInfo tests[] = {
		{ "each unit has the count of the CPU", each_unit_has_the_count_of_the_cpu },
		{ "the chosen images are the published count",
			the_chosen_images_are_the_published_count },
		{ "a memory limit changes no count", a_memory_limit_changes_no_count },
		{ "parts of large boards have the counts of backtracking",
			parts_of_large_boards_have_the_counts_of_backtracking },
		{ "random sets of rows predict the total", random_sets_of_rows_predict_the_total },
		{ "a cancelled run keeps its finished units",
			a_cancelled_run_keeps_its_finished_units },
		{ "a cancel does not wait for the batch", a_cancel_does_not_wait_for_the_batch },
		{ "the total of 22 queens is the published one",
			the_total_of_22_queens_is_the_published_one },
		CU_TEST_INFO_NULL,
	};

	if (lsched_device_count() < 1)
		return test_skip_gpu("no usable CUDA device");
	return test_run_one("join with sorted patterns on the device", tests);
}

#else
TEST_WITHOUT_CUDA
#endif
