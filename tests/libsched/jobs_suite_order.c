/* The order of jobs: by priority, deadline and post, with changes, and beside jobs that do not
 * end. */
#include <stdlib.h>
#include <string.h>
#include "libsched/core/jobs.h"
#include "tests/common/rng.h"
#include "tests/libsched/jobs_suite.h"

typedef struct ordered {
	uint32_t priority, number;
	uint64_t deadline_ns;
} ordered;

static int compare_ordered(const void *a, const void *b)
{
	const ordered *x = (const ordered *)a, *y = (const ordered *)b;

	if (x->priority != y->priority)
		return x->priority > y->priority ? -1 : 1;
	if (x->deadline_ns != y->deadline_ns)
		return x->deadline_ns - 1 < y->deadline_ns - 1 ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

/* Posts jobs behind a gate, the only worker's; the log has them in the order of the list. */
static void check_order(const ordered *list, uint32_t n, const uint32_t *wanted)
{
	uint32_t log[512];
	lsched_job gate, job[512];
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 512, 2, JOBS_OPTIONS(.max_jobs = 512)) == LSCHED_OK,
		"open");
	CHECK(service_post(&s, JOB(1, .priority = 100), JOB_GATE, 0, 0, &gate) == LSCHED_OK, "%s",
		service_error(&s));
	service_wait_begun(&s, gate);
	for (uint32_t k = 0; k < n; k++)
		CHECK(service_post(&s,
			      JOB(1, .priority = list[k].priority,
				      .deadline_ns = list[k].deadline_ns),
			      JOB_LOG, list[k].number, 0, job + k) == LSCHED_OK,
			"%s", service_error(&s));
	/* the controller has sorted all posts when it reads this command */
	CHECK(lsched_job_cancel(s.jobs, gate) == LSCHED_OK, "%s", service_error(&s));
	CHECK(lsched_job_wait(s.jobs, gate, LSCHED_NO_LIMIT_MS, NULL) == LSCHED_ERR_CANCELLED, "%s",
		service_error(&s));
	for (uint32_t k = 0; k < n; k++)
		CHECK(lsched_job_wait(s.jobs, job[k], LSCHED_NO_LIMIT_MS, NULL) == LSCHED_OK, "%s",
			service_error(&s));
	(void)lsched_mem_read(jobs_place.ctx, log, s.c.log, n * sizeof(log[0]));
	for (uint32_t k = 0; k < n; k++)
		CHECK(log[k] == wanted[k], "place %u of %u: job %u, not %u", k, n, log[k],
			wanted[k]);
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

static void one_worker_runs_jobs_in_the_order_of_the_hand_list(void)
{
	static const ordered list[] = { { 1, 0, 500 }, { 1, 1, 0 }, { 2, 2, 900 }, { 1, 3, 300 },
		{ 2, 4, 100 }, { 0, 5, 1 }, { 1, 6, 500 }, { 2, 7, 0 }, { 1, 8, 0 } };
	static const uint32_t wanted[] = { 4, 2, 7, 3, 0, 6, 1, 8, 5 };

	check_order(list, 9, wanted);
}

static void one_worker_runs_jobs_in_the_order_of_a_sort(void)
{
	for (uint32_t n = 20; n <= 240; n += 44) {
		ordered list[240], sorted[240];
		uint32_t wanted[240];

		for (uint32_t k = 0; k < n; k++) {
			list[k].priority = rng_below(4);
			list[k].number = k;
			list[k].deadline_ns = rng_below(10);
		}
		memcpy(sorted, list, n * sizeof(list[0]));
		qsort(sorted, n, sizeof(sorted[0]), compare_ordered);
		for (uint32_t k = 0; k < n; k++)
			wanted[k] = sorted[k].number;
		check_order(list, n, wanted);
	}
}

/* A worker in the middle of many roots of one job executes an urgent job before the next ones. */
static void an_urgent_job_overtakes_the_roots_of_another(void)
{
	lsched_job_info info = { .struct_bytes = sizeof(info) };
	lsched_job slow, urgent;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 1u << 20, 2, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	CHECK(service_post(&s, JOB(1u << 20), JOB_TREE, 0, 3, &slow) == LSCHED_OK, "%s",
		service_error(&s));
	service_wait_begun(&s, slow);
	CHECK(service_post(&s, JOB(1, .priority = 1), JOB_TREE, 0, 2, &urgent) == LSCHED_OK, "%s",
		service_error(&s));
	CHECK(lsched_job_wait(s.jobs, urgent, LSCHED_NO_LIMIT_MS, NULL) == LSCHED_OK, "%s",
		service_error(&s));
	CHECK(lsched_job_progress(s.jobs, slow, &info) == LSCHED_OK && !info.ended,
		"the other job ended first");
	CHECK(lsched_job_cancel(s.jobs, slow) == LSCHED_OK, "%s", service_error(&s));
	CHECK(lsched_job_wait(s.jobs, slow, LSCHED_NO_LIMIT_MS, NULL) == LSCHED_ERR_CANCELLED, "%s",
		service_error(&s));
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

/* The only worker executes jobs that do not end; each more urgent one is executed at once, and when
 * it is cancelled the one before goes on. */
static void jobs_without_end_make_way(void)
{
	static const uint32_t kinds[] = { JOB_GATE, JOB_SPIN, JOB_GATE, JOB_SPIN };
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_job_info before = { .struct_bytes = sizeof(before) };
	lsched_job endless[4], job;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 100, 2, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	for (uint32_t k = 0; k < 4; k++) {
		CHECK(service_post(&s, JOB(1, .priority = 2 * k), kinds[k], 0, 0, endless + k) ==
				LSCHED_OK,
			"%s", service_error(&s));
		service_wait_begun(&s, endless[k]);
		CHECK(service_post(&s, JOB(40, .priority = 2 * k + 1), JOB_TREE, 0, 5, &job) ==
				LSCHED_OK,
			"%s", service_error(&s));
		CHECK(lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK &&
				r.value == 40 * 32,
			"%s", service_error(&s));
	}
	for (uint32_t k = 4; k-- > 0;) {
		CHECK(lsched_job_progress(s.jobs, endless[k], &before) == LSCHED_OK &&
				!before.ended,
			"job %u has ended", k);
		CHECK(lsched_job_cancel(s.jobs, endless[k]) == LSCHED_OK &&
				lsched_job_wait(s.jobs, endless[k], LSCHED_NO_LIMIT_MS, NULL) ==
					LSCHED_ERR_CANCELLED,
			"%s", service_error(&s));
	}
	CHECK(service_units(&s) == 0, "%u jobs have units", service_units(&s));
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

/* All chunks are in use but those for switches, and the only worker executes a job without end. */
static void an_urgent_job_needs_no_free_chunk(void)
{
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_job gate, job;
	jobs_service s;
	const lsched_i_args *a;

	if (!jobs_place.ctx->b->host_memory)
		return; /* the test writes to the memory of the member */
	CHECK(service_open(&s, jobs_place.work, 10, 2, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	a = &s.jobs->member[0].run->args;
	CHECK(service_post(&s, JOB(1), JOB_GATE, 0, 0, &gate) == LSCHED_OK, "%s",
		service_error(&s));
	service_wait_begun(&s, gate);
	for (uint32_t k = 0; k < a->items_chunk_words; k++)
		__atomic_store_n(&a->items_chunk_bitmap[k], UINT32_MAX, __ATOMIC_RELAXED);
	for (uint32_t k = 0; k < 10; k++)
		CHECK(service_post(&s, JOB(1, .priority = 1 + k), JOB_TREE, 0, 4, &job) ==
					LSCHED_OK &&
				lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK &&
				r.value == 16,
			"%s", service_error(&s));
	for (uint32_t k = 0; k < a->items_chunk_words; k++)
		__atomic_store_n(&a->items_chunk_bitmap[k], 0, __ATOMIC_RELAXED);
	CHECK(lsched_job_cancel(s.jobs, gate) == LSCHED_OK &&
			lsched_job_wait(s.jobs, gate, LSCHED_NO_LIMIT_MS, NULL) ==
				LSCHED_ERR_CANCELLED,
		"%s", service_error(&s));
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

/* Changes of rank while the only worker is at a gate. */
static void a_change_moves_a_job_in_the_order(void)
{
	static const uint32_t wanted[] = { 3, 0, 2, 1 };
	uint32_t log[4];
	lsched_job gate, job[4];
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 4, 2, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	CHECK(service_post(&s, JOB(1, .priority = 9), JOB_GATE, 0, 0, &gate) == LSCHED_OK, "%s",
		service_error(&s));
	service_wait_begun(&s, gate);
	for (uint32_t k = 0; k < 4; k++)
		CHECK(service_post(&s, JOB(1, .priority = 4 - k), JOB_LOG, k, 0, job + k) ==
				LSCHED_OK,
			"%s", service_error(&s));
	CHECK(lsched_job_change(s.jobs, job[3], 5, 0, 0) == LSCHED_OK &&
			lsched_job_change(s.jobs, job[1], 2, 100, 0) == LSCHED_OK &&
			lsched_job_change(s.jobs, job[2], 2, 50, 0) == LSCHED_OK,
		"%s", service_error(&s));
	CHECK(lsched_job_cancel(s.jobs, gate) == LSCHED_OK &&
			lsched_job_wait(s.jobs, gate, LSCHED_NO_LIMIT_MS, NULL) ==
				LSCHED_ERR_CANCELLED,
		"%s", service_error(&s));
	for (uint32_t k = 0; k < 4; k++)
		CHECK(lsched_job_wait(s.jobs, job[k], LSCHED_NO_LIMIT_MS, NULL) == LSCHED_OK, "%s",
			service_error(&s));
	(void)lsched_mem_read(jobs_place.ctx, log, s.c.log, sizeof(log));
	for (uint32_t k = 0; k < 4; k++)
		CHECK(log[k] == wanted[k], "place %u: job %u", k, log[k]);
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

/* The member's count, because that of the host is out of date by 0.1 ms. */
static uint64_t progress_of(const jobs_service *s, lsched_job job)
{
	const lsched_run *run = s->jobs->member[0].run;

	return service_read(&run->args.jobs->job[job.id & 0xffff].done, 8);
}

/* Executes a job of the lowest priority, which the only worker does when all others are paused. */
static lsched_status run_least(jobs_service *s)
{
	lsched_job job;
	lsched_status st = service_post(s, JOB(3), JOB_TREE, 0, 3, &job);

	return st ? st : lsched_job_wait(s->jobs, job, LSCHED_NO_LIMIT_MS, NULL);
}

/* Waits until the member has left. */
static void wait_left(jobs_service *s)
{
	while (!lsched_run_done(s->jobs->member[0].run))
		lsched_i_cpu_relax(100);
}

static void a_paused_job_waits_and_goes_on(void)
{
	const uint32_t roots = 20000;
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_job tree, gate;
	uint64_t done;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, roots, 2, JOBS_OPTIONS(.linger_us = 50)) ==
			LSCHED_OK,
		"open");
	CHECK(service_post(&s, JOB(roots, .priority = 2), JOB_TREE, 0, 6, &tree) == LSCHED_OK &&
			service_post(&s, JOB(1, .priority = 1), JOB_GATE, 0, 0, &gate) == LSCHED_OK,
		"%s", service_error(&s));
	service_wait_begun(&s, tree);
	for (uint32_t k = 0; k < 5; k++) {
		CHECK(lsched_job_change(s.jobs, tree, 2, 0, 1) == LSCHED_OK &&
				lsched_job_change(s.jobs, gate, 1, 0, 1) == LSCHED_OK &&
				run_least(&s) == LSCHED_OK,
			"%s", service_error(&s));
		done = progress_of(&s, tree);
		CHECK(run_least(&s) == LSCHED_OK, "%s", service_error(&s));
		CHECK(progress_of(&s, tree) == done && done < (uint64_t)roots * 64,
			"%u of %u leaves before, %u after", (unsigned)done, roots * 64,
			(unsigned)progress_of(&s, tree));
		if (k % 2)
			wait_left(&s);
		CHECK(lsched_job_change(s.jobs, tree, 2, 0, 0) == LSCHED_OK, "%s",
			service_error(&s));
		while (k < 4 && progress_of(&s, tree) == done)
			lsched_i_cpu_relax(100);
	}
	CHECK(lsched_job_wait(s.jobs, tree, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK &&
			r.value == (uint64_t)roots * 64,
		"value %u: %s", (unsigned)r.value, service_error(&s));
	wait_left(&s);
	CHECK(lsched_job_cancel(s.jobs, gate) == LSCHED_OK &&
			lsched_job_wait(s.jobs, gate, LSCHED_NO_LIMIT_MS, NULL) ==
				LSCHED_ERR_CANCELLED,
		"%s", service_error(&s));
	CHECK(service_units(&s) == 0, "%u jobs have units", service_units(&s));
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

static void close_cancels_paused_jobs(void)
{
	lsched_job job[8];
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 80000, 0, JOBS_OPTIONS(.linger_us = 50)) ==
			LSCHED_OK,
		"open");
	for (uint32_t k = 0; k < 8; k++)
		CHECK(service_post(&s, JOB(10000, .priority = k), k % 2 ? JOB_TREE : JOB_GATE,
			      10000 * k, 4, job + k) == LSCHED_OK &&
				lsched_job_change(s.jobs, job[k], k, 0, 1) == LSCHED_OK,
			"%s", service_error(&s));
	wait_left(&s);
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

CU_TestInfo jobs_order_tests[] = { { "one worker runs jobs in the order of the hand list",
					   one_worker_runs_jobs_in_the_order_of_the_hand_list },
	{ "one worker runs jobs in the order of a sort",
		one_worker_runs_jobs_in_the_order_of_a_sort },
	{ "an urgent job overtakes the roots of another",
		an_urgent_job_overtakes_the_roots_of_another },
	{ "jobs without end make way", jobs_without_end_make_way },
	{ "an urgent job needs no free chunk", an_urgent_job_needs_no_free_chunk },
	{ "a change moves a job in the order", a_change_moves_a_job_in_the_order },
	{ "a paused job waits and goes on", a_paused_job_waits_and_goes_on },
	{ "close cancels paused jobs", close_cancels_paused_jobs }, CU_TEST_INFO_NULL };
