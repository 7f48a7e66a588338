#include <libsched/sched.h>
#include "apps/gqueens/output.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

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

/* 0 instead of what is too short for a clock. */
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
		snprintf(work, sizeof(work), ", %s on %" PRIu32 " threads",
			nq_method_name(r->method), run->workers);
	if (r->verified)
		snprintf(checked, sizeof(checked), ", %zu units counted twice", r->verified);
	if (r->parts)
		log_print(log, LOG_LEVEL_INFO,
			"%" PRIu32 " queens, part %" PRIu32 "/%" PRIu32
			": %.3f s%s%s; a share of the count%s",
			r->n, r->part, r->parts, seconds(r), work, checked,
			o->checkpoint ? ", kept for --merge"
				      : ": --checkpoint FILE keeps it for --merge");
	else
		log_print(log, LOG_LEVEL_INFO, "%" PRIu32 " queens: %s, %.3f s%s%s", r->n,
			comparison(r), seconds(r), work, checked);
}

/* ---- JSON ---- */

void output_json_text(FILE *f, const char *key, const char *text)
{
	fprintf(f, "\"%s\": \"", key);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(f, "\\%c", *c);
		else if (*c < 0x20 || *c >= 0x7f) /* a file's name may be no UTF-8 */
			fprintf(f, "\\u%04x", *c);
		else
			fputc(*c, f);
	}
	fputc('"', f);
}

void output_json_begin(FILE *f, const char *what)
{
	fprintf(f, "{\n \"program\": \"gqueens\", \"version\": \"%s\",\n \"%s\": [",
		lsched_version_string(), what);
}

void output_json_end(FILE *f)
{
	fprintf(f, "\n ]\n}\n");
}

static void put_counts(FILE *f, const gq_row *r, const gq_options *o)
{
	char text[NQ_COUNT_TEXT_BYTES];

	fprintf(f, ",\n   \"complete\": %s", r->complete ? "true" : "false");
	if (!r->counted)
		return;
	fprintf(f, ", \"solutions\": %s", nq_count_text(r->count, text));
	if (o->unique)
		fprintf(f, ", \"unique\": %s", nq_count_text(r->unique, text));
	if (r->published == GQ_UNPUBLISHED)
		fprintf(f, ", \"published\": null, \"agrees\": null");
	else
		fprintf(f, ", \"published\": %s, \"agrees\": %s",
			nq_count_text(r->published_count, text),
			r->published == GQ_AGREES ? "true" : "false");
}

static void put_run(FILE *f, const gq_row *r)
{
	const nq_result *run = &r->result;

	fprintf(f,
		",\n   \"units\": %zu, \"units_done\": %zu, \"units_before\": %zu, \"nodes\": "
		"%" PRIu64 ", \"seconds\": %.6f, \"run_seconds\": %.6f",
		r->units, r->units_done, r->units_before, run->nodes, seconds(r),
		(double)run->elapsed_ns * 1e-9);
	if (run->workers) {
		fprintf(f, ",\n   \"backend\": \"%s\", \"workers\": %" PRIu32 ", ",
			nq_backend_name(run->backend), run->workers);
		output_json_text(f, "simd", nq_simd_name(run->simd));
	}
	if (run->backend == NQ_BACKEND_CUDA) {
		fprintf(f, ", \"kernel_seconds\": %.6f, \"devices\": %" PRIu32 ", ",
			(double)run->kernel_ns * 1e-9, run->devices);
		output_json_text(f, "device", run->device);
	}
	fprintf(f, ", \"verified\": %zu, \"verify_wrong\": %zu", r->verified, r->verify_wrong);
}

void output_json_row(FILE *f, const gq_row *r, const gq_options *o, int first)
{
	fprintf(f, "%s\n  { \"n\": %" PRIu32 ", ", first ? "" : ",", r->n);
	output_json_text(f, "method", nq_method_name(r->method));
	fprintf(f, ", ");
	output_json_text(f, "queue", gq_queue_word(o));
	fprintf(f, ", \"toroidal\": %s, \"given\": [", r->toroidal ? "true" : "false");
	for (size_t i = 0; i < r->given_count; i++)
		fprintf(f, "%s[%" PRIu32 ", %" PRIu32 "]", i ? ", " : "", r->given[i].row,
			r->given[i].col);
	fprintf(f, "]");
	if (r->parts)
		fprintf(f, ", \"part\": %" PRIu32 ", \"parts\": %" PRIu32, r->part, r->parts);
	put_counts(f, r, o);
	put_run(f, r);
	if (r->exit_code) {
		fprintf(f, ",\n   ");
		output_json_text(f, "error", r->why);
	}
	fprintf(f, " }");
}

/* ---- files ---- */

int output_open(outfile *f, const char *path, const gq_options *o, logger *log)
{
	char why[OUTFILE_WHY_BYTES];

	if (outfile_open(f, path, o->overwrite, why) == 0)
		return 0;
	log_print(log, LOG_LEVEL_ERROR, "%s", why);
	return -1;
}

int output_close(outfile *f, const char *lost, logger *log)
{
	char why[OUTFILE_WHY_BYTES];

	if (outfile_close(f, 1, why) == 0)
		return 0;
	log_print(log, LOG_LEVEL_ERROR, "%s%s%s", why, lost ? "; what should stand there: " : "",
		lost ? lost : "");
	return -1;
}

int output_close_stdout(const char *lost, logger *log)
{
	char why[OUTFILE_WHY_BYTES];
	outfile f;

	return outfile_open(&f, "-", 1, why) || output_close(&f, lost, log) ? -1 : 0;
}
