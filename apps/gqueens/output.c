#include <libsched/sched.h>
#include "apps/gqueens/output.h"

#include <inttypes.h>

int output_good(const gq_row *r)
{
	return r->counted && r->published != GQ_DIFFERS && r->verify_wrong == 0;
}

static const nq_count *wanted(const gq_row *r, const gq_options *o)
{
	return o->unique ? &r->unique : &r->count;
}

void output_count(const gq_row *r, const gq_options *o, FILE *f)
{
	char text[NQ_COUNT_TEXT_BYTES];

	fprintf(f, "%s\n", nq_count_text(*wanted(r, o), text));
}

static double seconds(const gq_row *r)
{
	return (double)r->wall_ns * 1e-9;
}

static const char *comparison(const gq_row *r)
{
	switch (r->published) {
	case GQ_AGREES:
		return "as published";
	case GQ_DIFFERS:
		return "NOT AS PUBLISHED";
	default:
		return "nothing published to compare with";
	}
}

void output_table_head(const gq_options *o, FILE *f)
{
	fprintf(f, "%3s %20s", "N", o->toroidal ? "on the torus" : "solutions");
	if (o->unique)
		fprintf(f, " %19s", "unique");
	fprintf(f, " %10s  %-9s  %s\n", "seconds", "method", "compared");
}

void output_table_row(const gq_row *r, const gq_options *o, FILE *f)
{
	char text[NQ_COUNT_TEXT_BYTES];

	if (!r->counted) {
		fprintf(f, "%3" PRIu32 " %20s  %s\n", r->n, "-", r->why);
		return;
	}
	fprintf(f, "%3" PRIu32 " %20s", r->n, nq_count_text(r->count, text));
	if (o->unique)
		fprintf(f, " %19s", nq_count_text(r->unique, text));
	fprintf(f, " %10.*f  %-9s  %s\n", seconds(r) < 1 ? 4 : 1, seconds(r),
		nq_method_name(r->method), comparison(r));
}

void output_remark(const gq_row *r, const gq_options *o, logger *log)
{
	char work[400] = "", checked[64] = "", more[32] = "";
	const nq_result *run = &r->result;

	if (!r->counted)
		return;
	if (run->devices > 1)
		snprintf(more, sizeof(more), " and %" PRIu32 " more", run->devices - 1);
	if (run->backend == NQ_BACKEND_CUDA)
		snprintf(work, sizeof(work), ", %s on %s%s, %.3f s in kernels",
			nq_method_name(r->method), run->device, more,
			(double)run->kernel_ns * 1e-9);
	else if (run->workers)
		snprintf(work, sizeof(work), ", %s on %" PRIu32 " thread%s",
			nq_method_name(r->method), run->workers, run->workers == 1 ? "" : "s");
	if (r->verified)
		snprintf(checked, sizeof(checked), ", %zu units verified", r->verified);
	if (r->parts)
		log_print(log, LOG_LEVEL_INFO,
			"%" PRIu32 " queens, part %" PRIu32 "/%" PRIu32
			": %.3f s%s%s; count of this part%s",
			r->n, r->part, r->parts, seconds(r), work, checked,
			r->unsaved      ? ", which is not saved"
			: o->checkpoint ? ", saved for --merge"
					: "; save it with --checkpoint FILE for --merge");
	else
		log_print(log, LOG_LEVEL_INFO, "%" PRIu32 " queens: %s, %.3f s%s%s", r->n,
			comparison(r), seconds(r), work, checked);
}

/* ---- JSON ---- */

void output_json_begin(lsched_i_json *j, FILE *f, const char *what)
{
	lsched_i_json_begin(j, lsched_i_json_to_file, f);
	j->padded = 1;
	lsched_i_json_object(j, NULL);
	lsched_i_json_line(j);
	lsched_i_json_text(j, "program", "gqueens");
	lsched_i_json_text(j, "version", lsched_version_string());
	lsched_i_json_line_array(j, what);
}

void output_json_end(lsched_i_json *j)
{
	lsched_i_json_line_close(j);
	lsched_i_json_line_close(j);
	(void)lsched_i_json_end(j); /* closing the file reports its errors */
}

/* The digits of a count, which may have 128 bits. */
static void put_count(lsched_i_json *j, const char *key, nq_count count)
{
	char text[NQ_COUNT_TEXT_BYTES];

	lsched_i_json_digits(j, key, nq_count_text(count, text));
}

static void put_counts(lsched_i_json *j, const gq_row *r, const gq_options *o)
{
	lsched_i_json_line(j);
	lsched_i_json_bool(j, "complete", r->complete);
	if (!r->counted)
		return;
	put_count(j, "solutions", r->count);
	if (o->unique)
		put_count(j, "unique", r->unique);
	if (r->published == GQ_UNPUBLISHED) {
		lsched_i_json_null(j, "published");
		lsched_i_json_null(j, "agrees");
	} else {
		put_count(j, "published", r->published_count);
		lsched_i_json_bool(j, "agrees", r->published == GQ_AGREES);
	}
}

static void put_run(lsched_i_json *j, const gq_row *r)
{
	const nq_result *run = &r->result;

	lsched_i_json_line(j);
	lsched_i_json_uint(j, "units", r->units);
	lsched_i_json_uint(j, "units_done", r->units_done);
	lsched_i_json_uint(j, "units_before", r->units_before);
	lsched_i_json_uint(j, "nodes", run->nodes);
	lsched_i_json_fixed(j, "seconds", seconds(r), 6);
	lsched_i_json_fixed(j, "run_seconds", (double)run->elapsed_ns * 1e-9, 6);
	if (run->workers) {
		lsched_i_json_line(j);
		lsched_i_json_text(j, "backend", nq_backend_name(run->backend));
		lsched_i_json_uint(j, "workers", run->workers);
		lsched_i_json_text(j, "simd", nq_simd_name(run->simd));
	}
	if (run->backend == NQ_BACKEND_CUDA) {
		lsched_i_json_fixed(j, "kernel_seconds", (double)run->kernel_ns * 1e-9, 6);
		lsched_i_json_uint(j, "devices", run->devices);
		lsched_i_json_text(j, "device", run->device);
	}
	lsched_i_json_uint(j, "verified", r->verified);
	lsched_i_json_uint(j, "verify_wrong", r->verify_wrong);
}

void output_json_row(lsched_i_json *j, const gq_row *r, const gq_options *o)
{
	lsched_i_json_line_object(j, NULL);
	lsched_i_json_uint(j, "n", r->n);
	lsched_i_json_text(j, "method", nq_method_name(r->method));
	lsched_i_json_text(j, "queue", gq_queue_name(o));
	lsched_i_json_bool(j, "toroidal", r->toroidal);
	lsched_i_json_array(j, "given");
	for (size_t i = 0; i < r->given_count; i++) {
		lsched_i_json_array(j, NULL);
		lsched_i_json_uint(j, NULL, r->given[i].row);
		lsched_i_json_uint(j, NULL, r->given[i].col);
		lsched_i_json_close(j);
	}
	lsched_i_json_close(j);
	if (r->parts) {
		lsched_i_json_uint(j, "part", r->part);
		lsched_i_json_uint(j, "parts", r->parts);
	}
	put_counts(j, r, o);
	put_run(j, r);
	if (r->exit_code) {
		lsched_i_json_line(j);
		lsched_i_json_text(j, "error", r->why);
	}
	lsched_i_json_close(j);
	(void)lsched_i_json_flush(j); /* a row may take days */
}

/* ---- files ---- */

int output_close(outfile *f, const char *lost, logger *log)
{
	char why[OUTFILE_WHY_BYTES];

	if (outfile_close(f, 1, why) == 0)
		return 0;
	log_print(log, LOG_LEVEL_ERROR, "%s%s%s", why, lost ? "; unwritten output: " : "",
		lost ? lost : "");
	return -1;
}

int output_close_stdout(const char *lost, logger *log)
{
	char why[OUTFILE_WHY_BYTES];
	outfile f;

	return outfile_open(&f, "-", 1, why) || output_close(&f, lost, log) ? -1 : 0;
}
