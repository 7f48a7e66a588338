/* Statistics and timelines of jobs. */
#include <string.h>
#include "tests/apps/xml_check.h"
#include "tests/common/json.h"
#include "tests/common/text.h"
#include "tests/libsched/jobs_suite.h"

enum { TREES = 3, STOPPED = 5, SENDERS = 9, DETACHED = LSCHED_JOB_KINDS - 1 };

static lsched_job_stats stats_of(const jobs_service *s, uint32_t kind)
{
	lsched_job_stats of = { .struct_bytes = sizeof(of) };

	if (lsched_jobs_stats(s->jobs, kind, &of) != LSCHED_OK)
		CU_FAIL("no statistics");
	return of;
}

/* Posts a job and waits for it; returns the status of the wait. */
static lsched_status run_job(jobs_service *s, lsched_job_desc d, uint32_t what, uint32_t depth)
{
	lsched_job job;
	const lsched_status st = service_post(s, d, what, 0, depth, &job);

	return st ? st : lsched_job_wait(s->jobs, job, LSCHED_NO_LIMIT_MS, NULL);
}

static void every_kind_has_its_counts_and_times(void)
{
	lsched_job_result r = { .struct_bytes = sizeof(r) };
	uint64_t wait_ns = 0, run_ns = 0, wait_max_ns = 0, run_max_ns = 0;
	lsched_job_stats t;
	lsched_job job;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 2, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	for (uint32_t k = 0; k < 10; k++) {
		const uint64_t begin = k % 3 == 2 ? lsched_i_cpu_now_ns() + 300000 : 0;
		uint64_t due, waited, ran;

		CHECK(service_post(&s,
			      JOB(2, .kind = TREES, .deadline_ns = k < 4, .start_ns = begin),
			      JOB_TREE, 0, k, &job) == LSCHED_OK &&
				lsched_job_wait(s.jobs, job, LSCHED_NO_LIMIT_MS, &r) == LSCHED_OK,
			"%s", service_error(&s));
		due = begin > r.post_ns ? begin : r.post_ns;
		waited = r.start_ns > due ? r.start_ns - due : 0;
		ran = r.end_ns > r.start_ns ? r.end_ns - r.start_ns : 0;
		wait_ns += waited;
		run_ns += ran;
		wait_max_ns = waited > wait_max_ns ? waited : wait_max_ns;
		run_max_ns = ran > run_max_ns ? ran : run_max_ns;
	}
	t = stats_of(&s, TREES);
	CHECK(t.posted == 10 && t.done == 10 && t.late == 4 && t.begun == 10 &&
			t.cancelled + t.failed + t.messages + t.messages_lost == 0,
		"%u posted, %u done, %u late", (unsigned)t.posted, (unsigned)t.done,
		(unsigned)t.late);
	CHECK(t.wait_ns == wait_ns && t.run_ns == run_ns && t.wait_max_ns == wait_max_ns &&
			t.run_max_ns == run_max_ns,
		"waited %u ns, not %u; ran %u, not %u", (unsigned)t.wait_ns, (unsigned)wait_ns,
		(unsigned)t.run_ns, (unsigned)run_ns);
	t = stats_of(&s, STOPPED);
	CHECK(t.posted + t.begun + t.wait_ns + t.run_max_ns == 0, "another kind has counts");
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

static void jobs_that_do_not_end_well_are_counted_apart(void)
{
	lsched_job_stats t;
	lsched_job gate, never;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 1, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	CHECK(service_post(&s, JOB(1, .kind = STOPPED), JOB_GATE, 0, 0, &gate) == LSCHED_OK &&
			service_post(&s, JOB(1, .kind = STOPPED, .start_ns = UINT64_MAX / 4),
				JOB_GATE, 0, 0, &never) == LSCHED_OK,
		"%s", service_error(&s));
	CHECK(stats_of(&s, STOPPED).posted == 2 && stats_of(&s, STOPPED).cancelled == 0, "open");
	service_wait_begun(&s, gate);
	/* the last deadline counts */
	CHECK(lsched_job_change(s.jobs, gate, 1, 1, 0) == LSCHED_OK &&
			lsched_job_cancel(s.jobs, gate) == LSCHED_OK &&
			lsched_job_cancel(s.jobs, never) == LSCHED_OK &&
			lsched_job_wait(s.jobs, gate, LSCHED_NO_LIMIT_MS, NULL) ==
				LSCHED_ERR_CANCELLED &&
			lsched_job_wait(s.jobs, never, LSCHED_NO_LIMIT_MS, NULL) ==
				LSCHED_ERR_CANCELLED,
		"%s", service_error(&s));
	CHECK(run_job(&s, JOB(3, .kind = STOPPED), JOB_FAIL, 1) == LSCHED_ERR_TASK_FAILED,
		"no failure");
	CHECK(run_job(&s, JOB(1, .kind = STOPPED, .limit_ms = 200), JOB_GATE, 0) ==
			LSCHED_ERR_CANCELLED,
		"no limit");
	CHECK(run_job(&s, JOB(1, .kind = STOPPED), JOB_BREAK, 0) == LSCHED_ERR_TASK_FAILED,
		"no broken execution");
	t = stats_of(&s, STOPPED);
	CHECK(t.posted == 5 && t.done == 0 && t.cancelled == 3 && t.failed == 2 && t.late == 1 &&
			t.begun == 3 && t.wait_ns < UINT32_MAX,
		"%u posted, %u cancelled, %u failed, %u late, %u begun", (unsigned)t.posted,
		(unsigned)t.cancelled, (unsigned)t.failed, (unsigned)t.late, (unsigned)t.begun);
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

static void messages_and_detached_jobs_are_counted(void)
{
	lsched_job_message m = { .struct_bytes = sizeof(m) };
	lsched_job_stats t;
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 40, 0,
		      JOBS_OPTIONS(.max_jobs = 2, .messages = 64)) == LSCHED_OK,
		"open");
	for (uint32_t k = 0; k < 3; k++) {
		CHECK(run_job(&s, JOB(2, .kind = SENDERS), JOB_SEND, 5) == LSCHED_OK, "%s",
			service_error(&s));
		/* a job of another kind has its place when they are received */
		CHECK(run_job(&s, JOB(1, .kind = TREES), JOB_TREE, 1) == LSCHED_OK, "%s",
			service_error(&s));
	}
	for (uint32_t k = 0; k < 12; k++)
		CHECK(lsched_jobs_receive(s.jobs, &m), "%u messages", k);
	t = stats_of(&s, SENDERS);
	CHECK(t.messages == 30 && t.messages_lost == 0, "%u sent, %u lost", (unsigned)t.messages,
		(unsigned)t.messages_lost);
	CHECK(run_job(&s, JOB(1, .kind = TREES), JOB_BREAK, 0) == LSCHED_ERR_TASK_FAILED,
		"no broken execution");
	CHECK(!lsched_jobs_receive(s.jobs, &m), "a lost message was received");
	CHECK(run_job(&s, JOB(1, .kind = SENDERS), JOB_SEND, 1) == LSCHED_OK, "%s",
		service_error(&s));
	t = stats_of(&s, SENDERS);
	CHECK(t.messages == 31 && t.messages_lost == 18, "%u sent, %u lost", (unsigned)t.messages,
		(unsigned)t.messages_lost);
	CHECK(stats_of(&s, TREES).messages == 0, "messages of another kind");
	CHECK(service_post(&s, JOB(1, .kind = DETACHED, .detached = 1), JOB_TREE, 0, 1, NULL) ==
			LSCHED_OK,
		"%s", service_error(&s));
	while (stats_of(&s, DETACHED).done == 0)
		lsched_i_cpu_relax(40);
	t = stats_of(&s, LSCHED_JOB_KINDS);
	CHECK(t.posted == 9 && t.done == 8 && t.failed == 1 && t.messages == 31 &&
			t.messages_lost == 18 && t.begun == 8 &&
			t.run_max_ns >= stats_of(&s, DETACHED).run_max_ns,
		"%u posted, %u done, %u failed", (unsigned)t.posted, (unsigned)t.done,
		(unsigned)t.failed);
	CHECK(lsched_jobs_stats(NULL, 0, &t) == LSCHED_ERR_ARG &&
			lsched_jobs_stats(s.jobs, 0, NULL) == LSCHED_ERR_ARG &&
			lsched_jobs_stats(s.jobs, LSCHED_JOB_KINDS + 1, &t) == LSCHED_ERR_ARG &&
			t.posted == 0,
		"wrong arguments");
	t.struct_bytes = 8;
	CHECK(lsched_jobs_stats(s.jobs, 0, &t) == LSCHED_ERR_ARG, "not initialised");
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
}

/* A gate during two jobs that send two messages each, and a job that breaks the execution. */
static lsched_status run_traced(jobs_service *s)
{
	lsched_job_message m = { .struct_bytes = sizeof(m) };
	lsched_status st;
	lsched_job gate;

	st = service_post(s, JOB(1, .kind = STOPPED), JOB_GATE, 0, 0, &gate);
	for (int k = 0; k < 2 && st == LSCHED_OK; k++) {
		st = run_job(s, JOB(1, .kind = SENDERS, .priority = 1), JOB_SEND, 2);
		if (!lsched_jobs_receive(s->jobs, &m) || !lsched_jobs_receive(s->jobs, &m))
			CU_FAIL("no message");
	}
	st = st ? st : lsched_job_cancel(s->jobs, gate);
	if (st || lsched_job_wait(s->jobs, gate, LSCHED_NO_LIMIT_MS, NULL) != LSCHED_ERR_CANCELLED)
		return st ? st : LSCHED_ERR_STATE;
	st = run_job(s, JOB(1, .kind = TREES, .deadline_ns = 1), JOB_BREAK, 0);
	return st == LSCHED_ERR_TASK_FAILED ? LSCHED_OK : LSCHED_ERR_STATE;
}

static void the_timeline_has_every_job_and_message(void)
{
	static const char *const kinds[LSCHED_JOB_KINDS] = { [SENDERS] = "a <\"sender\">" };
	lsched_svg_options o;
	const char *end;
	jobs_service s;

	lsched_svg_options_init(&o);
	o.labels = kinds;
	for (uint32_t most = 3; most < 6; most += 2) {
		const size_t jobs = most < 4 ? 3 : 4, messages = most < 4 ? 3 : 4;
		test_text t = { 0 };

		CHECK(service_open(&s, jobs_place.work, 1, 0, JOBS_OPTIONS(.trace = most)) ==
				LSCHED_OK,
			"open");
		CHECK(run_traced(&s) == LSCHED_OK, "%s", service_error(&s));
		CHECK(lsched_jobs_trace_write(s.jobs, kinds, test_text_append, &t) == LSCHED_OK,
			"JSON");
		end = json_value(t.s);
		CHECK(end && *json_space(end) == '\0', "not JSON: %s", t.s);
		CHECK(occurrences(t.s, "\"name\":\"waiting\"") == jobs &&
				occurrences(t.s, "\"ph\":\"X\"") == 2 * jobs + messages &&
				occurrences(t.s, "\"ph\":\"s\"") == messages &&
				occurrences(t.s, "\"ph\":\"f\"") == messages &&
				occurrences(t.s, "a <\\\"sender\\\">") == 2 &&
				occurrences(t.s, "\"kind 5\"") == 1 &&
				occurrences(t.s, "\"kind 3\"") == jobs - 3 &&
				occurrences(t.s, "\"late\":1") == jobs - 3,
			"%s", t.s);
		CHECK(strstr(t.s, "\"jobs 1\"") && !strstr(t.s, "\"jobs 2\""), "rows: %s", t.s);
		free(t.s);
		memset(&t, 0, sizeof(t));
		CHECK(lsched_jobs_trace_write_svg(s.jobs, &o, test_text_append, &t) == LSCHED_OK,
			"SVG");
		CHECK(xml_check(t.s) == NULL, "%s", t.s);
		CHECK(occurrences(t.s, "<title>") == jobs &&
				occurrences(t.s, "l-2.5 6h5z") == messages &&
				occurrences(t.s, "2 later jobs and messages") == (most < 4) &&
				!strstr(t.s, "nan") && !strstr(t.s, "inf"),
			"%s", t.s);
		t.limit = t.bytes = 100;
		CHECK(lsched_jobs_trace_write(s.jobs, NULL, test_text_append, &t) ==
					LSCHED_ERR_ARG &&
				lsched_jobs_trace_write_svg(s.jobs, NULL, test_text_append, &t) ==
					LSCHED_ERR_ARG,
			"a writer that refuses");
		free(t.s);
		CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
	}
}

static void a_timeline_must_be_requested(void)
{
	test_text t = { 0 };
	jobs_service s;

	CHECK(service_open(&s, jobs_place.work, 1, 0, JOBS_OPTIONS(0)) == LSCHED_OK, "open");
	CHECK(lsched_jobs_trace_write(s.jobs, NULL, test_text_append, &t) == LSCHED_ERR_STATE &&
			lsched_jobs_trace_write_svg(s.jobs, NULL, test_text_append, &t) ==
				LSCHED_ERR_STATE &&
			strstr(service_error(&s), "trace") && t.bytes == 0,
		"%s", service_error(&s));
	CHECK(lsched_jobs_trace_write(NULL, NULL, test_text_append, &t) == LSCHED_ERR_ARG &&
			lsched_jobs_trace_write(s.jobs, NULL, NULL, &t) == LSCHED_ERR_ARG,
		"wrong arguments");
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
	/* without jobs; then with a detached one */
	CHECK(service_open(&s, jobs_place.work, 1, 0, JOBS_OPTIONS(.trace = 1)) == LSCHED_OK,
		"open");
	CHECK(lsched_jobs_trace_write_svg(s.jobs, NULL, test_text_append, &t) == LSCHED_OK &&
			xml_check(t.s) == NULL && occurrences(t.s, "<title>") == 0,
		"%s", t.s);
	CHECK(service_post(&s, JOB(1, .detached = 1), JOB_TREE, 0, 1, NULL) == LSCHED_OK, "%s",
		service_error(&s));
	do {
		t.bytes = 0;
		CHECK(lsched_jobs_trace_write_svg(s.jobs, NULL, test_text_append, &t) == LSCHED_OK,
			"SVG");
	} while (occurrences(t.s, "<title>") == 0);
	CHECK(service_close(&s, NULL) == LSCHED_OK, "close");
	free(t.s);
}

CU_TestInfo jobs_stats_tests[] = { { "every kind has its counts and times",
					   every_kind_has_its_counts_and_times },
	{ "jobs that do not end well are counted apart",
		jobs_that_do_not_end_well_are_counted_apart },
	{ "messages and detached jobs are counted", messages_and_detached_jobs_are_counted },
	{ "the timeline has every job and message", the_timeline_has_every_job_and_message },
	{ "a timeline must be requested", a_timeline_must_be_requested }, CU_TEST_INFO_NULL };
