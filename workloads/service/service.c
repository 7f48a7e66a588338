/* The client of the service. */
#include "workloads/service/service.h"
#include "workloads/common/memory.h"
#include "workloads/common/random.h"
#include "workloads/service/service_task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

WL_PROGRAM(gsservice);

enum {
	ALONE_MS = 300, /* the long job's rate is measured so long before the first request */
	WAIT_MS = 100,  /* between two looks for a signal */
	RECEIVE_MS = 1, /* and for messages, if they are received */
	LINGER_US = 1000000,
	TRACE_LEAST = 4000,
	URGENT = 1 /* the priority of a request; that of the long job is 0 */
};

const char *const svc_kinds[LSCHED_JOB_KINDS] = { "request", "long job" };

/* Sleeps of threads may end so much later; the client polls the clock at the end of a pause. */
static const uint64_t SLEEP_ERROR_NS = 500000;

typedef struct client {
	const wl_device *d;
	const svc_load *load;
	lsched_jobs *jobs;
	lsched_job longer; /* the long job */
	svc_result *r;
	char *msg;
	size_t n;
} client;

static int failed(client *k)
{
	lsched_jobs_error(k->jobs, k->msg, k->n);
	return -1;
}

double svc_rank(const double *sorted, uint32_t n, double percent)
{
	const double rank = ceil(n * percent / 100);

	return n == 0 ? 0 : sorted[rank < 1 ? 0 : (uint32_t)rank - 1];
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void svc_free(svc_result *r)
{
	free(r->start_us);
	free(r->total_us);
	r->start_us = r->total_us = NULL;
}

static int open_service(client *k)
{
	static const gsservice_ctx c;
	lsched_job_member m = { k->d->ctx, &gsservice_cpu_program, &c, NULL, 0 };
	lsched_jobs_options jo;
	lsched_run_options o;

	if (wl_is_cuda(k->d))
		m.program = WL_CUDA(gsservice_cuda_program);
	lsched_run_options_init(&o);
	o.queue = LSCHED_QUEUE_PRIO;
	lsched_jobs_options_init(&jo);
	jo.linger_us = LINGER_US;
	if (k->load->write) /* all jobs, and some messages */
		jo.trace = k->load->requests + TRACE_LEAST;
	return lsched_jobs_open(&k->jobs, &m, 1, &o, &jo, k->msg, k->n) == LSCHED_OK ? 0 : -1;
}

static int post(client *k, lsched_job_desc *d, const gsservice_args *args, lsched_job *job)
{
	d->args = args;
	d->arg_bytes = sizeof(*args);
	return lsched_job_post(k->jobs, d, job) == LSCHED_OK ? 0 : failed(k);
}

/* The long job's bodies until now, and the time. Returns 0, or -1. */
static int read_progress(client *k, uint64_t *done, uint64_t *ns)
{
	lsched_job_info info;

	lsched_job_info_init(&info);
	if (lsched_job_progress(k->jobs, k->longer, &info) != LSCHED_OK)
		return failed(k);
	*done = info.done;
	*ns = wl_now_ns();
	return 0;
}

/* Receives the messages, which are for the timeline. */
static void receive(const client *k)
{
	lsched_job_message m;

	lsched_job_message_init(&m);
	while (k->load->write && lsched_jobs_receive(k->jobs, &m))
		;
}

static void pause_until(const client *k, uint64_t ns)
{
	/* threads that execute jobs may need the client's processor */
	const uint64_t polled = wl_is_cuda(k->d) ? SLEEP_ERROR_NS : 0;
	const uint64_t most = k->load->write ? RECEIVE_MS * UINT64_C(1000000) : UINT64_MAX;
	uint64_t now = wl_now_ns();

	while (now + polled < ns && !wl_stopped(k->d)) {
		const uint64_t left = ns - polled - now < most ? ns - polled - now : most;
		const struct timespec t = { (time_t)(left / 1000000000u),
			(long)(left % 1000000000u) };

		(void)nanosleep(&t, NULL); /* a signal ends it */
		receive(k);
		now = wl_now_ns();
	}
	while (now < ns && !wl_stopped(k->d))
		now = wl_now_ns();
}

/* Posts the long job, and measures its rate while nothing else runs. */
static int begin_long_job(client *k, uint64_t *done, uint64_t *ns)
{
	const gsservice_args args = { k->load->body_us, k->load->write ? 2 : 1, 0 };
	lsched_job_desc d;
	uint64_t begun = 0, begun_ns;

	lsched_job_desc_init(&d);
	d.roots = k->d->max_workers;
	d.kind = SVC_LONG;
	if (post(k, &d, &args, &k->longer))
		return -1;
	while (begun == 0 && !wl_stopped(k->d))
		if (read_progress(k, &begun, &begun_ns))
			return -1;
	pause_until(k, wl_now_ns() + ALONE_MS * UINT64_C(1000000)); /* all workers have begun */
	if (read_progress(k, &begun, &begun_ns))
		return -1;
	pause_until(k, begun_ns + ALONE_MS * UINT64_C(1000000));
	if (read_progress(k, done, ns))
		return -1;
	k->r->alone = (double)(*done - begun) / (double)(*ns - begun_ns) * 1e9;
	return 0;
}

/* Waits for a request; a signal ends it, 1 is returned then. */
static int await(client *k, lsched_job job, lsched_job_result *result)
{
	lsched_status st = LSCHED_ERR_TIMEOUT;

	while (st == LSCHED_ERR_TIMEOUT && !wl_stopped(k->d)) {
		st = lsched_job_wait(k->jobs, job, k->load->write ? RECEIVE_MS : WAIT_MS, result);
		receive(k);
		if (k->load->show && st == LSCHED_ERR_TIMEOUT)
			k->load->show(k->load->opaque, k->jobs, k->r->requests);
	}
	return st == LSCHED_OK ? 0 : wl_stopped(k->d) ? WL_STOPPED : failed(k);
}

/* A request that is due at a time. */
static int request(client *k, uint32_t number, uint64_t due_ns)
{
	const gsservice_args args = { k->load->work_us, 0, number };
	svc_result *r = k->r;
	lsched_job_result result;
	lsched_job_desc d;
	lsched_job job;
	double total_us;
	int bad;

	lsched_job_desc_init(&d);
	lsched_job_result_init(&result);
	d.priority = URGENT;
	d.kind = SVC_REQUEST;
	d.deadline_ns = k->load->deadline_us ? due_ns + k->load->deadline_us * UINT64_C(1000) : 0;
	bad = post(k, &d, &args, &job);
	bad = bad ? bad : await(k, job, &result);
	if (bad)
		return bad;
	total_us = (double)(wl_now_ns() - due_ns) * 1e-3;
	r->start_us[r->requests] = (double)(int64_t)(result.start_ns - due_ns) * 1e-3;
	r->total_us[r->requests++] = total_us;
	r->late += k->load->deadline_us && total_us > k->load->deadline_us;
	r->wrong += result.value != gsservice_answer(number);
	if (k->load->show)
		k->load->show(k->load->opaque, k->jobs, r->requests);
	return 0;
}

/* The time from one request to the next: exponentially distributed. */
static uint64_t gap_ns(const svc_load *l, uint32_t number)
{
	const double unit = wl_unit(wl_hash64(((uint64_t)l->seed << 32) + number + 1));

	return l->rate > 0 ? (uint64_t)(-log(1 - unit) / l->rate * 1e9) : 0;
}

static int all_requests(client *k)
{
	uint64_t due = wl_now_ns();
	const uint64_t begin = due;
	int bad = 0;

	for (uint32_t i = 0; i < k->load->requests && !bad && !wl_stopped(k->d); i++) {
		due = k->load->rate > 0 ? due + gap_ns(k->load, i) : wl_now_ns();
		pause_until(k, due);
		if (!wl_stopped(k->d))
			bad = request(k, i, due);
	}
	k->r->seconds = (double)(wl_now_ns() - begin) * 1e-9;
	return bad ? bad : wl_stopped(k->d) ? WL_STOPPED : 0;
}

/* The requests beside the long job. */
static int beside_long_job(client *k)
{
	uint64_t begun, begin_ns, done, ns;
	int bad;

	if (begin_long_job(k, &begun, &begin_ns))
		return -1;
	bad = all_requests(k);
	if (bad >= 0 && read_progress(k, &done, &ns) == 0)
		k->r->beside = (double)(done - begun) / (double)(ns - begin_ns) * 1e9;
	/* of an error the requests have the text */
	(void)lsched_job_cancel(k->jobs, k->longer);
	(void)lsched_job_wait(k->jobs, k->longer, LSCHED_NO_LIMIT_MS, NULL);
	return bad;
}

/* Writes the timeline. Returns 0, or -1. */
static int write_timeline(client *k)
{
	const svc_load *l = k->load;
	lsched_svg_options o;
	lsched_status st;

	lsched_svg_options_init(&o);
	o.title = "Requests to a service";
	o.labels = svc_kinds;
	st = l->as_svg ? lsched_jobs_trace_write_svg(k->jobs, &o, l->write, l->file)
		       : lsched_jobs_trace_write(k->jobs, svc_kinds, l->write, l->file);
	if (st != LSCHED_OK)
		snprintf(k->msg, k->n, "the timeline cannot be written: %s", lsched_strstatus(st));
	return st == LSCHED_OK ? 0 : -1;
}

int svc_measure(const wl_device *d, const svc_load *load, svc_result *r, char *msg, size_t n)
{
	client k = { d, load, NULL, { 0 }, r, msg, n };
	int bad;

	memset(r, 0, sizeof(*r));
	r->start_us = wl_host_alloc(load->requests * sizeof(double), msg, n);
	r->total_us = r->start_us ? wl_host_alloc(load->requests * sizeof(double), msg, n) : NULL;
	if (!r->total_us || open_service(&k))
		return -1;
	bad = load->body_us ? beside_long_job(&k) : all_requests(&k);
	receive(&k);
	for (uint32_t kind = 0; kind <= SVC_KINDS; kind++) {
		lsched_job_stats_init(r->jobs + kind);
		(void)lsched_jobs_stats(
			k.jobs, kind < SVC_KINDS ? kind : LSCHED_JOB_KINDS, r->jobs + kind);
	}
	if (bad >= 0 && load->write && write_timeline(&k))
		bad = -1;
	lsched_stats_init(&r->items);
	(void)lsched_jobs_close(&k.jobs, &r->items); /* a wait has reported an error */
	qsort(r->start_us, r->requests, sizeof(double), by_value);
	qsort(r->total_us, r->requests, sizeof(double), by_value);
	return bad;
}
