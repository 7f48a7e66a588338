/* gsched reproduce: measures the figures of all papers and writes them as one HTML page. */
#include "apps/gsched/commands.h"
#include "apps/gsched/repro_record.h"
#include "apps/common/outfile.h"
#include "apps/common/stop.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

/* Opens the page, and creates its folder if that is missing, but not the parents of the folder.
 * Returns 0 or -1. */
static int open_report(outfile *f, const gs_options *o, logger *log)
{
	char folder[1024];
	const char *slash = strrchr(o->out, '/');

	if (slash && slash != o->out && (size_t)(slash - o->out) < sizeof(folder)) {
		snprintf(folder, sizeof(folder), "%.*s", (int)(slash - o->out), o->out);
		(void)mkdir(folder, 0777);
	}
	return outfile_open_log(f, o->out, o->overwrite, log);
}

static int write_page(const report_page *page, outfile *f, logger *log)
{
	const int bad = report_write(page, outfile_put, f->to);
	const char *path = f->path;

	if (outfile_close_log(f, !bad, log))
		return -1;
	if (bad)
		log_print(log, LOG_LEVEL_ERROR, "%s: out of memory for the page", path);
	return bad ? -1 : 0;
}

/* Writes the page and its record. */
static int write_report(
	repro *r, outfile *html, outfile *record, const report_fact *facts, size_t fact_count)
{
	const report_page page = {
		.title = "Schedulers of five papers, measured on this machine",
		.intro = "This page repeats figures and tables about scheduling from five papers "
			 "with libsched. Each section shows the measurement, one claim of the "
			 "paper, and the verdict on this claim, which the program computes from "
			 "the measured numbers.\n\n"
			 "Each number is the median of several runs after one warm-up run. The "
			 "result of each run was compared with the one that the host computes from "
			 "the seed, or with the published one. A claim whose load is smaller here "
			 "than its size, or that needs files which were not given, is not "
			 "measured.",
		.facts = facts,
		.fact_count = fact_count,
		.sections = r->sections,
		.section_count = r->section_count,
	};

	if (record->to)
		record_write(&page, record->to);
	return outfile_close_log(record, OUTFILE_KEEP, r->log) | write_page(&page, html, r->log);
}

static void print_verdicts(const repro *r)
{
	size_t count[3] = { 0 };

	for (size_t i = 0; i < r->section_count; i++) {
		const report_section *s = &r->sections[i];

		if (!s->claim)
			continue;
		count[s->verdict]++;
		if (!r->o->quiet && strcmp(r->o->out, "-") != 0 &&
			!(r->o->json && strcmp(r->o->json, "-") == 0))
			printf("%-14s %s%s%s\n               %s\n", report_verdict_name(s->verdict),
				s->source ? s->source : "", s->source ? ": " : "", s->claim,
				s->reason ? s->reason : "");
	}
	log_print(r->log, LOG_LEVEL_INFO,
		"%zu claims hold here, %zu do not hold, %zu were not measured: %s",
		count[REPORT_HOLDS], count[REPORT_DOES_NOT_HOLD], count[REPORT_NOT_MEASURED],
		r->o->out);
}

/* Selects the backend and the two numbers of workers of the report. Few workers are one per
 * processor or SM, at least two, because one worker shares nothing. Returns 0 or -1. */
static int find_device(repro *r, char *device, size_t device_bytes)
{
	lsched_device_info info = { .struct_bytes = sizeof(info) };
	char msg[600];
	gs_options o = *r->o;
	wl_device d;

	o.workers = "0";
	if (device_open(&d, &o, msg, sizeof(msg)))
		return log_fail(r->log, -1, msg);
	r->backend = d.backend;
	r->few_workers = d.max_workers;
	snprintf(device, device_bytes, "%s", lsched_ctx_device_name(d.ctx));
	if (d.backend == LSCHED_BACKEND_CUDA &&
		lsched_device_get_info(lsched_ctx_device(d.ctx), &info) == LSCHED_OK) {
		r->few_workers = (uint32_t)info.sm_count;
		snprintf(device, device_bytes, "%s, %d SMs, %.2f GHz", info.name, info.sm_count,
			(double)info.clock_khz * 1e-6);
	}
	if (r->few_workers < 2)
		r->few_workers = 2;
	r->all_workers = d.backend == LSCHED_BACKEND_CUDA ? 0 : r->few_workers;
	device_close(&d);
	return 0;
}

/* Compares the two records of --compare. */
static int compare(const gs_options *o, logger *log)
{
	const char *comma = strchr(o->compare, ',');
	repro r = { .o = o, .log = log };
	const char *const names[2] = {
		repro_text(&r, "%.*s", (int)(comma - o->compare), o->compare), comma + 1
	};
	report_page records[2];
	outfile html;
	int bad = record_read(&r, names[0], &records[0]) ||
		  record_read(&r, names[1], &records[1]) || open_report(&html, o, log);

	if (!bad) {
		repro_compare(&r, records, names);
		bad = write_page(
			&(report_page){
				.title = "Schedulers of five papers, measured on two machines",
				.intro = "Numbers are those of A / those of B, behind them B "
					 "divided by A.",
				.sections = r.sections,
				.section_count = r.section_count,
			},
			&html, log);
	}
	repro_free(&r);
	return bad ? CLI_EXIT_FAILED : CLI_EXIT_OK;
}

/* Opens the outputs, after a check of the inputs. Returns 0 or -1. */
static int open_outputs(repro *r, outfile *html, outfile *record)
{
	char why[OUTFILE_WHY_BYTES];

	memset(record, 0, sizeof(*record));
	if (repro_check_scenes(r) || repro_check_meshes(r) || open_report(html, r->o, r->log))
		return -1;
	if (!r->o->json || outfile_open_log(record, r->o->json, r->o->overwrite, r->log) == 0)
		return 0;
	(void)outfile_close(html, OUTFILE_DROP, why);
	return -1;
}

/* All papers, in the order of the page. */
static void measure_all(repro *r)
{
	repro_2009(r);
	repro_2010(r);
	repro_2011(r);
	repro_2012(r);
	repro_queens(r);
	repro_softshell(r);
}

int command_reproduce(const gs_options *o, logger *log)
{
	static const char *const scales[] = { "tiny", "small", "full" };
	char device[OUTFILE_WHY_BYTES], day[32], duration[32];
	report_fact facts[7];
	const time_t now = time(NULL);
	const int64_t begin_ns = progress_now_ns();
	outfile page, record;
	struct tm tm;
	repro r = { .o = o, .log = log };
	int bad;

	if (o->compare)
		return compare(o, log);
	if (open_outputs(&r, &page, &record)) {
		repro_free(&r);
		return CLI_EXIT_FAILED;
	}
	if (find_device(&r, device, sizeof(device))) {
		(void)outfile_close(&page, OUTFILE_DROP, device);
		(void)outfile_close(&record, OUTFILE_DROP, device);
		repro_free(&r);
		return CLI_EXIT_FAILED;
	}
	r.scale = o->scale > 0                       ? o->scale - 1
		  : r.backend == LSCHED_BACKEND_CUDA ? REPRO_FULL
						     : REPRO_SMALL;
	measure_all(&r);
	strftime(day, sizeof(day), "%Y-%m-%d", gmtime_r(&now, &tm));
	snprintf(duration, sizeof(duration), "%.0f s",
		(double)(progress_now_ns() - begin_ns) * 1e-9);
	facts[0] = (report_fact){ "device", device };
	facts[1] = (report_fact){ "backend", lsched_backend_name(r.backend) };
	facts[2] = (report_fact){ "size of the loads", scales[r.scale] };
	facts[3] = (report_fact){ "date", day };
	facts[4] = (report_fact){ "duration", duration };
	facts[5] = (report_fact){ "program", repro_text(&r, "gsched %s", lsched_version_string()) };
	facts[6] = (report_fact){ "interrupted", "what is missing was not measured" };
	bad = write_report(&r, &page, &record, facts, stop_signal() ? 7 : 6);
	if (!bad)
		print_verdicts(&r);
	if (r.failed)
		log_print(log, LOG_LEVEL_ERROR,
			"some runs failed or gave a wrong result; the messages above name them");
	bad |= r.failed || stop_signal();
	repro_free(&r);
	return bad ? CLI_EXIT_FAILED : CLI_EXIT_OK;
}
