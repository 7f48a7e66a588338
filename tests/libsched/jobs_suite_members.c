/* Services of two members: the second is a context of CPU threads. */
#include <string.h>
#include "tests/libsched/jobs_suite.h"

enum { ROOTS = 200, JOBS = 120 };

/* The memory of a program on a member. */
static lsched_status open_memory(lsched_ctx *ctx, work_ctx *c)
{
	memset(c, 0, sizeof(*c));
	return lsched_mem_alloc(ctx, (void **)&c->runs, (size_t)ROOTS * JOBS * sizeof(uint32_t));
}

/* Returns how many roots of the jobs did not run once on the members together. */
static uint32_t wrong_runs(const lsched_job_member *m, const work_ctx *c)
{
	static uint32_t runs[2][ROOTS * JOBS];
	uint32_t wrong = 0;

	for (int k = 0; k < 2; k++)
		(void)lsched_mem_read(m[k].ctx, runs[k], c[k].runs, sizeof(runs[k]));
	for (uint32_t k = 0; k < ROOTS * JOBS; k++)
		wrong += runs[0][k] + runs[1][k] != 1;
	return wrong;
}

static lsched_job_desc on_member(lsched_job_desc d, int32_t member)
{
	d.member = member;
	return d;
}

static void two_members_share_the_jobs(void)
{
	lsched_run_options ro = RUN_OPTIONS(.queue = LSCHED_QUEUE_PRIO);
	const lsched_jobs_options o = JOBS_OPTIONS(.max_jobs = JOBS);
	work_ctx c[2];
	lsched_job_member m[2] = { { jobs_place.ctx, jobs_place.work, c, NULL, jobs_place.workers },
		{ jobs_place.other, jobs_place.other_work, c + 1, NULL, 3 } };
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	uint32_t used[2] = { 0, 0 };
	lsched_job job[JOBS];
	jobs_service s = { 0 };
	char msg[512];

	CHECK(open_memory(m[0].ctx, c) == LSCHED_OK && open_memory(m[1].ctx, c + 1) == LSCHED_OK,
		"memory");
	CHECK(lsched_jobs_open(&s.jobs, m, 2, &ro, &o, msg, sizeof(msg)) == LSCHED_OK, "%s", msg);
	for (uint32_t k = 0; k < JOBS; k++)
		CHECK(service_post(&s, on_member(JOB(ROOTS, .kind = k % 3), k % 10 == 9 ? 1 : -1),
			      JOB_TREE, k * ROOTS, k % 3, job + k) == LSCHED_OK,
			"%s", service_error(&s));
	for (uint32_t k = 0; k < JOBS; k++) {
		CHECK(lsched_job_wait(s.jobs, job[k], LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK &&
				r.value == (uint64_t)ROOTS << k % 3 && r.member < 2,
			"job %u: %s", k, service_error(&s));
		CHECK(k % 10 != 9 || r.member == 1, "job %u ran on member %u", k, r.member);
		used[r.member]++;
	}
	CHECK(used[0] && used[1], "%u jobs on one member, %u on the other", used[0], used[1]);
	CHECK(wrong_runs(m, c) == 0, "%u roots did not run once", wrong_runs(m, c));
	CHECK(lsched_jobs_close(&s.jobs, NULL) == LSCHED_OK, "close");
	lsched_mem_free(m[0].ctx, c[0].runs);
	lsched_mem_free(m[1].ctx, c[1].runs);
}

/* A failure of one member does not touch the jobs of the other. */
static void a_broken_member_leaves_the_other_alone(void)
{
	lsched_run_options ro = RUN_OPTIONS(.queue = LSCHED_QUEUE_PRIO);
	work_ctx c[2];
	lsched_job_member m[2] = { { jobs_place.ctx, jobs_place.work, c, NULL, jobs_place.workers },
		{ jobs_place.other, jobs_place.other_work, c + 1, NULL, 2 } };
	lsched_job gate, bad;
	jobs_service s = { 0 };
	char msg[512];

	CHECK(open_memory(m[0].ctx, c) == LSCHED_OK && open_memory(m[1].ctx, c + 1) == LSCHED_OK,
		"memory");
	CHECK(lsched_jobs_open(&s.jobs, m, 2, &ro, NULL, msg, sizeof(msg)) == LSCHED_OK, "%s", msg);
	for (int k = 0; k < 2; k++) {
		CHECK(service_post(&s, on_member(JOB(1), k), JOB_GATE, 0, 0, &gate) == LSCHED_OK &&
				service_post(&s, on_member(JOB(1), !k), JOB_BREAK, 0, 0, &bad) ==
					LSCHED_OK,
			"%s", service_error(&s));
		CHECK(lsched_job_wait(s.jobs, bad, LSCHED_NO_LIMIT_MS, NULL) ==
				LSCHED_ERR_TASK_FAILED,
			"%s", service_error(&s));
		CHECK(lsched_job_wait(s.jobs, gate, 1, NULL) == LSCHED_ERR_TIMEOUT &&
				lsched_job_cancel(s.jobs, gate) == LSCHED_OK &&
				lsched_job_wait(s.jobs, gate, LSCHED_NO_LIMIT_MS, NULL) ==
					LSCHED_ERR_CANCELLED,
			"%s", service_error(&s));
	}
	CHECK(lsched_jobs_close(&s.jobs, NULL) == LSCHED_OK, "close");
	m[1].ctx = m[0].ctx;
	CHECK(lsched_jobs_open(&s.jobs, m, 2, &ro, NULL, msg, sizeof(msg)) == LSCHED_ERR_ARG &&
			strstr(msg, "same context"),
		"%s", msg);
	lsched_mem_free(jobs_place.ctx, c[0].runs);
	lsched_mem_free(jobs_place.other, c[1].runs);
}

/* Two members of CPU threads; one has jobs whose roots take 100 times as long. Without a difference
 * between the members that is chance, so later jobs of the kind are divided equally. */
static void members_that_are_alike_get_equal_shares(void)
{
	enum { SHARES = 16 };
	lsched_run_options ro = RUN_OPTIONS(.queue = LSCHED_QUEUE_PRIO);
	const lsched_jobs_options o = JOBS_OPTIONS(.max_jobs = SHARES);
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	lsched_job_member m[2];
	lsched_job job[SHARES];
	work_ctx c[2];
	uint32_t used[2] = { 0, 0 };
	jobs_service s = { 0 };
	char msg[512];

	for (int k = 0; k < 2; k++) {
		m[k] = (lsched_job_member){ NULL, jobs_place.other_work, c + k, NULL, 3 };
		CHECK(test_open(&m[k].ctx, LSCHED_BACKEND_CPU, 3) == 0 &&
				open_memory(m[k].ctx, c + k) == LSCHED_OK,
			"member %d", k);
	}
	CHECK(lsched_jobs_open(&s.jobs, m, 2, &ro, &o, msg, sizeof(msg)) == LSCHED_OK, "%s", msg);
	for (uint32_t k = 0; k < 8; k++)
		CHECK(service_post(&s, on_member(JOB(1), k % 2), JOB_TREE, k, k % 2 ? 12 : 4,
			      job) == LSCHED_OK &&
				lsched_job_wait(s.jobs, job[0], LSCHED_NO_LIMIT_MS, &r) ==
					LSCHED_OK,
			"%s", service_error(&s));
	for (uint32_t k = 0; k < SHARES; k++) /* none of them ends before all are posted */
		CHECK(service_post(&s, JOB(1, .paused = 1), JOB_TREE, 8 + k, 4, job + k) ==
				LSCHED_OK,
			"%s", service_error(&s));
	for (uint32_t k = 0; k < SHARES; k++) {
		CHECK(lsched_job_change(s.jobs, job[k], 0, 0, 0) == LSCHED_OK &&
				lsched_job_wait(s.jobs, job[k], LSCHED_NO_LIMIT_MS, &r) ==
					LSCHED_OK,
			"%s", service_error(&s));
		used[r.member]++;
	}
	CHECK(used[0] == SHARES / 2, "%u jobs on one member, %u on the other", used[0], used[1]);
	CHECK(lsched_jobs_close(&s.jobs, NULL) == LSCHED_OK, "close");
	for (int k = 0; k < 2; k++) {
		lsched_mem_free(m[k].ctx, c[k].runs);
		lsched_close(&m[k].ctx);
	}
}

CU_TestInfo jobs_member_tests[] = { { "two members share the jobs", two_members_share_the_jobs },
	{ "a broken member leaves the other alone", a_broken_member_leaves_the_other_alone },
	{ "members that are alike get equal shares", members_that_are_alike_get_equal_shares },
	CU_TEST_INFO_NULL };
