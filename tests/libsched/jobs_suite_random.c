/* Jobs of several threads: random posts and cancels, posts to a member that is leaving; bad
 * calls. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "libsched/core/jobs.h"
#include "libsched/core/shared.h"
#include "tests/common/text.h"
#include "tests/libsched/jobs_suite.h"

/* ROOTS_EACH: numbers for each post, more than the mean of the roots. */
enum { THREADS = 4, OPEN = 8, ROOTS_MOST = 200, ROOTS_EACH = 60 };

/* A thread's own generator, because that of rng.h is global. */
static uint32_t next(uint64_t *state, uint32_t below)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint32_t)(((*state * 0x2545f4914f6cdd1du >> 32) * below) >> 32);
}

/* A job that was posted, and what became of it. */
typedef struct posted {
	lsched_job job;
	uint32_t base, roots, depth, cancelled;
	lsched_status status;
} posted;

typedef struct poster {
	jobs_service *s;
	pthread_t thread;
	posted *all;                              /* [posts] */
	uint32_t posts, base, end, wrong, waited; /* waited: jobs that were collected */
	uint64_t seed;
} poster;

/* Waits for a job, by polls or not, and checks what it returns. */
static void collect(poster *p, posted *q)
{
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	const uint64_t leaves = (uint64_t)q->roots << q->depth;

	if (next(&p->seed, 4) == 0)
		while ((q->status = lsched_job_wait(p->s->jobs, q->job, next(&p->seed, 2), &r)) ==
			LSCHED_ERR_TIMEOUT)
			;
	else
		q->status = lsched_job_wait(p->s->jobs, q->job, LSCHED_NO_LIMIT_MS, &r);
	if (q->status == LSCHED_OK)
		p->wrong += r.value != leaves || r.done != leaves;
	else
		p->wrong += q->status != LSCHED_ERR_CANCELLED || !q->cancelled || r.value > leaves;
	p->wrong += lsched_job_wait(p->s->jobs, q->job, 0, NULL) != LSCHED_ERR_STATE;
}

/* Posts job number k; collects others while the service is full. */
static void post_one(poster *p, uint32_t k)
{
	posted *q = p->all + k;
	const uint32_t random = next(&p->seed, 100);
	lsched_job_desc d = JOB(1, .priority = next(&p->seed, 3));

	q->base = p->base;
	q->roots = random < 60 ? next(&p->seed, 4) : next(&p->seed, ROOTS_MOST);
	if (p->base + q->roots > p->end)
		q->roots = 0;
	q->depth = next(&p->seed, 4);
	p->base += q->roots;
	d.roots = q->roots;
	d.deadline_ns = next(&p->seed, 5);
	d.limit_ms = random == 7 ? 1 : 0;
	q->cancelled = d.limit_ms != 0;
	while (service_post(p->s, d, JOB_TREE, q->base, q->depth, &q->job) == LSCHED_ERR_OVERFLOW)
		if (p->waited < k)
			collect(p, p->all + p->waited++);
		else
			lsched_i_cpu_relax(100);
	p->wrong += q->job.id == 0;
	if (random % 10 == 5)
		p->wrong += lsched_job_change(p->s->jobs, q->job, next(&p->seed, 4),
				    next(&p->seed, 5), 0) != LSCHED_OK;
	if (random % 10 == 6) /* with a member that may leave in between */
		p->wrong += lsched_job_change(p->s->jobs, q->job, d.priority, 0, 1) != LSCHED_OK ||
			    lsched_job_change(p->s->jobs, q->job, d.priority, 0, 0) != LSCHED_OK;
	if (random % 10 == 3) {
		q->cancelled = 1;
		p->wrong += lsched_job_cancel(p->s->jobs, q->job) != LSCHED_OK;
	}
}

static void *post_many(void *arg)
{
	poster *p = (poster *)arg;

	for (uint32_t k = 0; k < p->posts; k++) {
		post_one(p, k);
		while (p->waited <= k && (k + 1 - p->waited == OPEN || next(&p->seed, 3) == 0))
			collect(p, p->all + p->waited++);
	}
	while (p->waited < p->posts)
		collect(p, p->all + p->waited++);
	return NULL;
}

/* Returns the roots of the thread's jobs that did not run as they should have. */
static uint32_t wrong_roots(const poster *p, const uint32_t *runs)
{
	uint32_t wrong = 0;

	for (uint32_t k = 0; k < p->posts; k++)
		for (uint32_t i = 0; i < p->all[k].roots; i++)
			wrong += p->all[k].status == LSCHED_OK ? runs[p->all[k].base + i] != 1
							       : runs[p->all[k].base + i] > 1;
	return wrong;
}

/* Reads statistics and writes timelines while the threads post. Returns how many were wrong. */
static uint32_t observe(const jobs_service *s, uint32_t posts)
{
	lsched_job_stats now = { .struct_bytes = sizeof(now) };
	uint32_t wrong = 0;

	for (uint32_t k = 0; k < 20; k++) {
		const uint64_t ended = now.done + now.cancelled + now.failed;
		size_t room = 8u << 20;

		wrong += lsched_jobs_stats(s->jobs, LSCHED_JOB_KINDS, &now) != LSCHED_OK ||
			 now.done + now.cancelled + now.failed < ended || now.posted > posts;
		wrong += lsched_jobs_trace_write(s->jobs, NULL, test_text_refuse, &room) !=
			 LSCHED_OK;
	}
	return wrong;
}

/* Posts from several threads at once. Returns how many results and roots are wrong. */
static uint32_t post_randomly(jobs_service *s, uint32_t posts)
{
	uint32_t *runs = (uint32_t *)malloc(s->numbers * sizeof(*runs)), wrong = 0;
	lsched_job_stats all = { .struct_bytes = sizeof(all) };
	poster p[THREADS];

	memset(p, 0, sizeof(p));
	for (uint32_t t = 0; t < THREADS; t++) {
		p[t].s = s;
		p[t].posts = posts;
		p[t].base = t * (s->numbers / THREADS);
		p[t].end = p[t].base + s->numbers / THREADS;
		p[t].seed = 0x9e3779b97f4a7c15u * (t + 1);
		p[t].all = (posted *)calloc(posts, sizeof(*p[t].all));
		wrong += !runs || !p[t].all ||
			 pthread_create(&p[t].thread, NULL, post_many, p + t) != 0;
	}
	wrong += observe(s, THREADS * posts);
	for (uint32_t t = 0; t < THREADS; t++)
		(void)pthread_join(p[t].thread, NULL);
	(void)lsched_jobs_stats(s->jobs, LSCHED_JOB_KINDS, &all);
	wrong += all.posted != THREADS * posts || all.done + all.cancelled != THREADS * posts;
	(void)lsched_mem_read(jobs_place.ctx, runs, s->c.runs, s->numbers * sizeof(*runs));
	for (uint32_t t = 0; t < THREADS; t++) {
		wrong += p[t].wrong + wrong_roots(p + t, runs);
		free(p[t].all);
	}
	free(runs);
	return wrong;
}

static void random_jobs_of_four_threads_run_once_or_are_cancelled(void)
{
	static const uint32_t workers[] = { 2, 3, 0 };

	for (size_t k = 0; k < sizeof(workers) / sizeof(workers[0]); k++) {
		const uint32_t posts = jobs_place.posts;
		uint32_t wrong, units;
		lsched_status st;
		jobs_service s;

		CHECK(service_open(&s, jobs_place.work, THREADS * posts * ROOTS_EACH, workers[k],
			      JOBS_OPTIONS(.max_jobs = k == 1 ? 20 : 0, .trace = 1000,
				      .linger_us = k == 2 ? 1 : 0)) == LSCHED_OK,
			"open");
		wrong = post_randomly(&s, posts);
		units = service_units(&s);
		st = service_close(&s, NULL); /* fails if a join is open */
		CHECK(wrong == 0 && units == 0 && st == LSCHED_OK,
			"%u workers: %u wrong, %u jobs with units, %s", workers[k], wrong, units,
			lsched_strstatus(st));
	}
}

typedef struct returner {
	jobs_service *s;
	pthread_t thread;
	uint32_t posts, wrong;
	uint64_t seed;
} returner;

static int is_leaving(const jobs_service *s)
{
	return __atomic_load_n(&s->jobs->member[0].shared->leaving.v, __ATOMIC_RELAXED) != 0;
}

/* Posts a job, waits, pauses for about the time after which the member leaves. */
static void *post_and_pause(void *arg)
{
	returner *p = (returner *)arg;
	lsched_job_result r = { .struct_bytes = sizeof(r) };

	for (uint32_t k = 0; k < p->posts; k++) {
		const uint32_t roots = 1 + next(&p->seed, 3), pause = next(&p->seed, 2000);
		lsched_job job;

		if (service_post(p->s, JOB(roots), JOB_TREE, 0, 0, &job) != LSCHED_OK ||
			lsched_job_wait(p->s->jobs, job, LSCHED_NO_LIMIT_MS, &r) != LSCHED_OK ||
			r.value != roots)
			p->wrong++;
		for (uint32_t n = 0; n < pause; n++)
			__atomic_signal_fence(__ATOMIC_SEQ_CST);
		/* now and then until it leaves; a slow one may not, beside the other thread */
		for (uint32_t n = 0; k % 16 == 0 && n < 2000 && !is_leaving(p->s); n++)
			lsched_i_cpu_relax(40);
	}
	return NULL;
}

static void posts_at_the_moment_of_leaving_are_not_lost(void)
{
	lsched_stats stats = { .struct_bytes = sizeof(stats) };
	returner p[2];
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 4, 0, JOBS_OPTIONS(.linger_us = 1)) == LSCHED_OK,
		"open");
	memset(p, 0, sizeof(p));
	for (uint32_t t = 0; t < 2; t++) {
		p[t].s = &s;
		p[t].posts = jobs_place.returns / 2;
		p[t].seed = t + 1;
		CHECK(pthread_create(&p[t].thread, NULL, post_and_pause, p + t) == 0, "thread");
	}
	for (uint32_t t = 0; t < 2; t++)
		(void)pthread_join(p[t].thread, NULL);
	CHECK(p[0].wrong + p[1].wrong == 0, "%u wrong", p[0].wrong + p[1].wrong);
	CHECK(service_close(&s, &stats) == LSCHED_OK, "close");
	CHECK(stats.rounds > 1, "%u executions for %u jobs", stats.rounds, jobs_place.returns);
}

static void wrong_posts_are_refused(void)
{
	const uint64_t word = 0;
	lsched_job_desc d[8];
	lsched_job_info info = { .struct_bytes = sizeof(info) };
	lsched_job job = { 1 }, none = { UINT64_MAX };
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 4, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	for (size_t k = 0; k < 8; k++)
		lsched_job_desc_init(d + k);
	d[0].struct_bytes = 0;
	d[1].roots = LSCHED_MAX_TASKS + 1;
	d[2].first = UINT32_MAX;
	d[2].roots = 2;
	d[3].arg_bytes = 4;
	d[4].args = &word;
	d[4].arg_bytes = LSCHED_JOB_ARG_BYTES + 1;
	d[5].member = 1;
	d[6].member = -2;
	for (size_t k = 0; k < 7; k++)
		CHECK(lsched_job_post(s.jobs, d + k, &job) == LSCHED_ERR_ARG && job.id == 0 &&
				service_error(&s)[0],
			"description %u: %s", (unsigned)k, service_error(&s));
	CHECK(lsched_job_post(s.jobs, d + 7, NULL) == LSCHED_ERR_ARG, "no job");
	CHECK(lsched_job_post(s.jobs, NULL, &job) == LSCHED_ERR_ARG, "no description");
	CHECK(lsched_job_post(NULL, d + 7, &job) == LSCHED_ERR_ARG, "no service");
	CHECK(lsched_job_wait(s.jobs, none, 0, NULL) == LSCHED_ERR_STATE, "no job to wait for");
	CHECK(lsched_job_wait(s.jobs, job, 0, NULL) == LSCHED_ERR_STATE, "job 0");
	CHECK(lsched_job_cancel(s.jobs, none) == LSCHED_ERR_STATE, "no job to cancel");
	CHECK(lsched_job_progress(s.jobs, none, &info) == LSCHED_ERR_STATE, "no progress");
	CHECK(lsched_job_progress(s.jobs, none, NULL) == LSCHED_ERR_ARG, "no info");
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

static void wrong_services_are_refused(void)
{
	work_ctx c = { NULL, NULL, NULL };
	const lsched_run_options good = RUN_OPTIONS(.queue = LSCHED_QUEUE_PRIO);
	lsched_run_options o[7];
	lsched_jobs_options jo = JOBS_OPTIONS(.max_jobs = 1025);
	lsched_job_member m = { jobs_place.ctx, jobs_place.work, &c, NULL, 2 }, bad;
	lsched_jobs *jobs;
	lsched_run *run;
	char msg[512];

	for (size_t k = 0; k < 7; k++)
		o[k] = good;
	o[0].queue = LSCHED_QUEUE_RING;
	o[1].scheme = LSCHED_SCHEME_STATIC;
	o[2].never_keep = 1;
	o[3].procedure_capacity[1] = 100;
	o[4].trace = 10;
	o[5].run_limit_ms = 10;
	o[6].struct_bytes = 0;
	for (size_t k = 0; k < 7; k++)
		CHECK(lsched_jobs_open(&jobs, &m, 1, o + k, NULL, msg, sizeof(msg)) ==
					(k == 6 ? LSCHED_ERR_ARG : LSCHED_ERR_UNSUPPORTED) &&
				!jobs && msg[0],
			"options %u: %s", (unsigned)k, msg);
	CHECK(lsched_jobs_open(&jobs, &m, 1, NULL, NULL, NULL, 0) == LSCHED_ERR_ARG, "no options");
	CHECK(lsched_jobs_open(&jobs, &m, 0, &good, NULL, NULL, 0) == LSCHED_ERR_ARG, "no member");
	CHECK(lsched_jobs_open(&jobs, &m, 1, &good, &jo, NULL, 0) == LSCHED_ERR_ARG, "max_jobs");
	bad = m;
	bad.workers = 1;
	CHECK(lsched_jobs_open(&jobs, &bad, 1, &good, NULL, msg, sizeof(msg)) == LSCHED_ERR_ARG &&
			strstr(msg, "controller"),
		"%s", msg);
	bad = m;
	bad.program_ctx = NULL;
	CHECK(lsched_jobs_open(&jobs, &bad, 1, &good, NULL, NULL, 0) == LSCHED_ERR_ARG, "no ctx");
	o[0] = good;
	o[0].max_tasks = 1;
	CHECK(lsched_run_create(&run, jobs_place.ctx, jobs_place.work, o) ==
				LSCHED_ERR_UNSUPPORTED &&
			strstr(lsched_last_error(jobs_place.ctx), "lsched_jobs_open"),
		"%s", lsched_last_error(jobs_place.ctx));
	CHECK(lsched_jobs_close(NULL, NULL) == LSCHED_OK, "close nothing");
}

CU_TestInfo jobs_random_tests[] = { { "random jobs of four threads run once or are cancelled",
					    random_jobs_of_four_threads_run_once_or_are_cancelled },
	{ "posts at the moment of leaving are not lost",
		posts_at_the_moment_of_leaving_are_not_lost },
	{ "wrong posts are refused", wrong_posts_are_refused },
	{ "wrong services are refused", wrong_services_are_refused }, CU_TEST_INFO_NULL };
