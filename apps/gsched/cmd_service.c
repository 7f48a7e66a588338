/* gsched service: requests to a service of jobs, as text, JSON, a picture or a timeline. */
#include "apps/common/chart.h"
#include "apps/common/outfile.h"
#include "apps/gsched/commands.h"
#include "apps/gsched/device.h"
#include "libsched/core/json.h"
#include "workloads/service/service.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* What the progress line needs. */
typedef struct progress_of {
	logger *log;
	uint32_t all; /* requests */
} progress_of;

static const double percents[] = { 50, 90, 99, 99.9, 100 };

enum {
	PERCENTS = sizeof(percents) / sizeof(percents[0]),
	BINS_A_DECADE = 8,
	BINS = 7 * BINS_A_DECADE + 1,
	BAR_COLUMNS = 50
};

/* The histogram of sorted times: bins whose bounds are in a geometric series, from 1 us on. */
static void count_bins(const double *us, uint32_t n, uint32_t count[BINS])
{
	for (int b = 0; b < BINS; b++)
		count[b] = 0;
	for (uint32_t i = 0; i < n; i++) {
		const double at = us[i] > 1 ? log10(us[i]) * BINS_A_DECADE : 0;

		count[at < BINS - 1 ? (int)at : BINS - 1]++;
	}
}

static double bin_us(int bin)
{
	return pow(10, (double)bin / BINS_A_DECADE);
}

static void print_row(const char *what, const double *us, uint32_t n, FILE *f)
{
	fprintf(f, "%-28s", what);
	for (int i = 0; i < PERCENTS; i++)
		fprintf(f, " %11.2f", svc_rank(us, n, percents[i]));
	fprintf(f, " us\n");
}

static void print_bars(const svc_result *r, FILE *f)
{
	uint32_t count[BINS], most = 1;
	int first = BINS, last = -1;

	count_bins(r->total_us, r->requests, count);
	for (int b = 0; b < BINS; b++) {
		most = count[b] > most ? count[b] : most;
		first = count[b] && b < first ? b : first;
		last = count[b] ? b : last;
	}
	for (int b = first; b <= last; b++) {
		const int columns = (int)((uint64_t)count[b] * BAR_COLUMNS / most);

		fprintf(f, "from %9.1f us %8u %.*s\n", bin_us(b), (unsigned)count[b],
			columns ? columns : count[b] != 0,
			"##################################################");
	}
}

static double mean_us(uint64_t ns, uint64_t count)
{
	return count ? (double)ns / (double)count * 1e-3 : 0;
}

static void print_stats(const svc_result *r, FILE *f)
{
	const lsched_stats *i = &r->items;

	fprintf(f, "%-8s %8s %8s %9s %6s %6s  %23s  %25s %8s %6s\n", "jobs", "posted", "done",
		"cancelled", "failed", "late", "waiting us: mean, most", "executing us: mean, most",
		"messages", "lost");
	for (int k = 0; k <= SVC_KINDS; k++) {
		const lsched_job_stats *s = r->jobs + k;

		fprintf(f,
			"%-8s %8" PRIu64 " %8" PRIu64 " %9" PRIu64 " %6" PRIu64 " %6" PRIu64
			"  %11.2f %11.2f  %12.2f %12.2f %8" PRIu64 " %6" PRIu64 "\n",
			k < SVC_KINDS ? svc_kinds[k] : "all", s->posted, s->done, s->cancelled,
			s->failed, s->late, mean_us(s->wait_ns, s->begun),
			(double)s->wait_max_ns * 1e-3, mean_us(s->run_ns, s->begun),
			(double)s->run_max_ns * 1e-3, s->messages, s->messages_lost);
	}
	fprintf(f, "procedures: %" PRIu64 " items, %.2f us of a worker each", i->tasks,
		mean_us(i->busy_ns, i->tasks));
	if (i->batches)
		fprintf(f, ", %.2f in a batch", (double)i->batch_items / (double)i->batches);
	fprintf(f, "\n");
}

static void print_text(
	const svc_load *l, const svc_result *r, const char *name, int interrupted, FILE *f)
{
	fprintf(f, "requests on %s\n%-28s", name, "");
	for (int i = 0; i < PERCENTS; i++)
		fprintf(f, " %10g%%", percents[i]);
	fprintf(f, "\n");
	print_row("due to its first root", r->start_us, r->requests, f);
	print_row("due to the end of its wait", r->total_us, r->requests, f);
	print_bars(r, f);
	fprintf(f, "%u requests in %.3f s%s, %u wrong", (unsigned)r->requests, r->seconds,
		interrupted ? ", then interrupted" : "", (unsigned)r->wrong);
	if (l->deadline_us)
		fprintf(f, ", %u after more than %u us", (unsigned)r->late,
			(unsigned)l->deadline_us);
	fprintf(f, "\n");
	if (r->alone > 0)
		fprintf(f, "the long job: %.4g bodies/s alone, %.4g beside requests, %.1f %%\n",
			r->alone, r->beside, r->beside / r->alone * 100);
}

static void json_stats(lsched_i_json *j, const svc_result *r)
{
	const lsched_stats *i = &r->items;

	lsched_i_json_line_object(j, "jobs");
	for (int k = 0; k <= SVC_KINDS; k++) {
		const lsched_job_stats *s = r->jobs + k;

		lsched_i_json_line_object(j, k < SVC_KINDS ? svc_kinds[k] : "all");
		lsched_i_json_uint(j, "posted", s->posted);
		lsched_i_json_uint(j, "done", s->done);
		lsched_i_json_uint(j, "cancelled", s->cancelled);
		lsched_i_json_uint(j, "failed", s->failed);
		lsched_i_json_uint(j, "late", s->late);
		lsched_i_json_uint(j, "begun", s->begun);
		lsched_i_json_uint(j, "wait_ns", s->wait_ns);
		lsched_i_json_uint(j, "wait_max_ns", s->wait_max_ns);
		lsched_i_json_uint(j, "run_ns", s->run_ns);
		lsched_i_json_uint(j, "run_max_ns", s->run_max_ns);
		lsched_i_json_uint(j, "messages", s->messages);
		lsched_i_json_uint(j, "messages_lost", s->messages_lost);
		lsched_i_json_close(j);
	}
	lsched_i_json_close(j);
	lsched_i_json_line_object(j, "procedures");
	lsched_i_json_uint(j, "items", i->tasks);
	lsched_i_json_uint(j, "busy_ns", i->busy_ns);
	lsched_i_json_uint(j, "idle_ns", i->idle_ns);
	lsched_i_json_uint(j, "batches", i->batches);
	lsched_i_json_uint(j, "batch_items", i->batch_items);
	lsched_i_json_close(j);
}

static void json_ranks(lsched_i_json *j, const char *name, const double *us, uint32_t n)
{
	static const char *const names[] = { "p50", "p90", "p99", "p99.9", "most" };

	lsched_i_json_line_object(j, name);
	for (int i = 0; i < PERCENTS; i++)
		lsched_i_json_fixed(j, names[i], svc_rank(us, n, percents[i]), 3);
	lsched_i_json_close(j);
}

static void print_json(const svc_load *l, const svc_result *r, const char *name, int interrupted,
	int stats, FILE *f)
{
	lsched_i_json j;

	lsched_i_json_begin(&j, lsched_i_json_to_file, f);
	j.padded = 1;
	lsched_i_json_object(&j, NULL);
	lsched_i_json_text(&j, "device", name);
	lsched_i_json_bool(&j, "interrupted", interrupted);
	lsched_i_json_line(&j);
	lsched_i_json_fixed(&j, "rate", l->rate, 3);
	lsched_i_json_uint(&j, "work_us", l->work_us);
	lsched_i_json_uint(&j, "beside_us", l->body_us);
	lsched_i_json_uint(&j, "deadline_us", l->deadline_us);
	lsched_i_json_line(&j);
	lsched_i_json_uint(&j, "requests", r->requests);
	lsched_i_json_uint(&j, "wrong", r->wrong);
	lsched_i_json_uint(&j, "late", r->late);
	lsched_i_json_fixed(&j, "seconds", r->seconds, 6);
	lsched_i_json_fixed(&j, "bodies_alone", r->alone, 1);
	lsched_i_json_fixed(&j, "bodies_beside", r->beside, 1);
	json_ranks(&j, "start_us", r->start_us, r->requests);
	json_ranks(&j, "total_us", r->total_us, r->requests);
	if (stats)
		json_stats(&j, r);
	lsched_i_json_line_close(&j);
	(void)lsched_i_json_end(&j); /* closing the file reports its errors */
}

/* The histogram of both times. */
static int draw(const svc_load *l, const svc_result *r, const char *name, FILE *f)
{
	double x[BINS], start[BINS], total[BINS];
	uint32_t starts[BINS], totals[BINS];
	char subtitle[OUTFILE_WHY_BYTES + 100];
	const chart_series series[] = {
		{ .name = "to the first root", .x = x, .y = start, .count = BINS, .no_markers = 1 },
		{ .name = "to the end of the wait",
			.x = x,
			.y = total,
			.count = BINS,
			.no_markers = 1 },
	};
	const chart c = { .title = "Requests to a service",
		.subtitle = subtitle,
		.x = { .label = "time from when the request is due (us)", .scale = CHART_LOG10 },
		.y = { .label = "requests" },
		.series = series,
		.series_count = 2 };

	count_bins(r->start_us, r->requests, starts);
	count_bins(r->total_us, r->requests, totals);
	for (int b = 0; b < BINS; b++) {
		x[b] = bin_us(b);
		start[b] = starts[b];
		total[b] = totals[b];
	}
	snprintf(subtitle, sizeof(subtitle), "%s, work of %u us, beside bodies of %u us", name,
		(unsigned)l->work_us, (unsigned)l->body_us);
	return chart_write(&c, outfile_put, f);
}

static int write_reports(const svc_load *l, const svc_result *r, const gs_options *o,
	const char *name, int interrupted, FILE *svg, logger *log)
{
	const int bad = svg ? draw(l, r, name, svg) : 0;

	if (svg == stdout || l->file == stdout)
		return bad;
	if (o->as_json) {
		print_json(l, r, name, interrupted, o->stats, stdout);
	} else if (!o->quiet) {
		print_text(l, r, name, interrupted, stdout);
		if (o->stats)
			print_stats(r, stdout);
	}
	return bad | outfile_flush_stdout(log);
}

/* Shows the progress line. */
static void show(void *opaque, lsched_jobs *jobs, uint32_t requests)
{
	const int64_t now = progress_now_ns();
	progress_of *p = opaque;
	lsched_job_stats s;
	char extra[80];

	if (!log_progress_due(p->log, now))
		return;
	lsched_job_stats_init(&s);
	(void)lsched_jobs_stats(jobs, LSCHED_JOB_KINDS, &s);
	snprintf(extra, sizeof(extra), ", %" PRIu64 " jobs open, %" PRIu64 " late",
		s.posted - s.done - s.cancelled - s.failed, s.late);
	log_progress(p->log, now, requests, p->all, extra);
}

/* As svc_measure(), on the device of the options. */
static int measure_requests(const gs_options *o, const svc_load *l, svc_result *r, char *name,
	size_t name_bytes, char *msg, size_t msg_bytes)
{
	gs_options all = *o;
	wl_device d;
	int bad;

	all.workers = "0";
	bad = device_open(&d, &all, msg, msg_bytes);
	if (!bad && d.max_workers < 2) { /* one executes, one controls */
		device_close(&d);
		all.workers = "2";
		bad = device_open(&d, &all, msg, msg_bytes);
	}
	if (!bad) {
		snprintf(name, name_bytes, "%s", lsched_ctx_device_name(d.ctx));
		bad = svc_measure(&d, l, r, msg, msg_bytes);
	}
	device_close(&d);
	return bad;
}

/* Measures and writes; the files are open. Returns the exit code, or -1: nothing was measured. */
static int run_service(const gs_options *o, const svc_load *l, FILE *svg, logger *log)
{
	enum { TIMEOUT_MS = 10000 };
	char msg[600] = "", name[OUTFILE_WHY_BYTES];
	gs_options limited = *o;
	svc_result r = { 0 };
	int bad, rc = CLI_EXIT_OK;

	limited.timeout_ms =
		TIMEOUT_MS + 2 * ((o->work_us > o->body_us ? o->work_us : o->body_us) / 1000);
	bad = measure_requests(&limited, l, &r, name, sizeof(name), msg, sizeof(msg));
	log_progress_clear(log);
	if (bad < 0)
		rc = log_fail(log, CLI_EXIT_FAILED, msg);
	else if (write_reports(l, &r, o, name, bad == WL_STOPPED, svg, log) || bad || r.wrong)
		rc = CLI_EXIT_FAILED;
	svc_free(&r);
	return bad < 0 ? -1 : rc;
}

int command_service(const gs_options *o, logger *log)
{
	progress_of p = { log, o->requests };
	svc_load l = { .requests = o->requests,
		.rate = o->rate,
		.work_us = o->work_us,
		.body_us = o->body_us,
		.deadline_us = o->deadline_us,
		.seed = o->seed,
		.show = log->progress.on ? show : NULL,
		.opaque = &p };
	outfile svg = { 0 }, trace = { 0 };
	int rc = -1, failed;
	outfile_end end;

	if ((!o->svg || outfile_open_log(&svg, o->svg, o->overwrite, log) == 0) &&
		(!o->trace || outfile_open_log(&trace, o->trace, o->overwrite, log) == 0)) {
		l.write = trace.to ? outfile_put : NULL;
		l.file = trace.to;
		l.as_svg = o->trace && outfile_is_svg(o->trace);
		rc = run_service(o, &l, svg.to, log);
	}
	end = rc < 0 ? OUTFILE_DROP : OUTFILE_KEEP;
	failed = outfile_close_log(&svg, end, log) | outfile_close_log(&trace, end, log);
	return failed || rc < 0 ? CLI_EXIT_FAILED : rc;
}
