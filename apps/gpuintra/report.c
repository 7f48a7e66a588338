#include "apps/gpuintra/report.h"
#include "apps/common/outfile.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

double report_psnr(uint64_t sse, uint64_t samples)
{
	if (sse == 0)
		return INFINITY;
	return 10 * log10(255.0 * 255.0 * (double)samples / (double)sse);
}

/* Y, U, V and all samples together; from the squared error of all frames, as ffmpeg's "average". */
static void psnr_of(const report *r, double out[4])
{
	uint64_t luma = (uint64_t)r->info->width * r->info->height * r->result->frames;
	const uint64_t *sse = r->result->sse;

	out[0] = report_psnr(sse[0], luma);
	out[1] = report_psnr(sse[1], luma / 4);
	out[2] = report_psnr(sse[2], luma / 4);
	out[3] = report_psnr(sse[0] + sse[1] + sse[2], luma + luma / 2);
}

static double encode_seconds(const encode_result *e)
{
	return (double)(e->end_ns - e->begin_ns) * 1e-9;
}

static double frames_per_s(const encode_result *e)
{
	double s = encode_seconds(e);

	return s > 0 ? (double)e->frames / s : 0;
}

static double kbit_per_s(const encode_result *e)
{
	return e->seconds > 0 ? (double)e->bytes * 8e-3 / e->seconds : 0;
}

void report_summary(const report *r, logger *log)
{
	const encode_result *e = r->result;
	char psnr[96] = "";
	double size = (double)r->file_bytes;
	const char *unit = "bytes";

	if (r->options->psnr) {
		double p[4];

		psnr_of(r, p);
		snprintf(psnr, sizeof(psnr), ", PSNR Y %.2f U %.2f V %.2f all %.2f dB", p[0], p[1],
			p[2], p[3]);
	}
	if (size >= 1e6) {
		size *= 1e-6;
		unit = "MB";
	} else if (size >= 1e3) {
		size *= 1e-3;
		unit = "kB";
	}
	log_print(log, LOG_LEVEL_INFO,
		"%" PRIu64 " frame%s, %.1f frames/s (%s), %.0f kbit/s, %.*f %s%s -> %s", e->frames,
		e->frames == 1 ? "" : "s", frames_per_s(e), options_backend_name(r->stats.backend),
		kbit_per_s(e), size == floor(size) ? 0 : 2, size, unit, psnr,
		strcmp(r->file, "-") == 0 ? "standard output" : r->file);
}

/* "4.1" of level_idc 41; 9 is level 1b. */
static const char *level_name(int idc, char name[8])
{
	if (idc == 9)
		snprintf(name, 8, "1b");
	else
		snprintf(name, 8, idc % 10 ? "%d.%d" : "%d", idc / 10, idc % 10);
	return name;
}

void report_level(const report *r, logger *log)
{
	const h264i_stats *s = &r->stats;
	const double buffer_mbit = s->level_buffer_kbit * 1e-3;
	char what[120], level[8], needed[8], use[24] = "";

	if (!s->level_exceeded)
		return;
	if (s->largest_picture_kbit > s->level_buffer_kbit)
		snprintf(what, sizeof(what),
			"a picture of %.4g Mbit, the limit is a buffer of %.4g Mbit",
			s->largest_picture_kbit * 1e-3, buffer_mbit);
	else
		snprintf(what, sizeof(what),
			"%.4g Mbit/s over %.3g s, the limit is %.4g Mbit/s with a buffer of %.4g "
			"Mbit",
			s->peak_kbit_per_s * 1e-3, s->peak_s, s->level_kbit_per_s * 1e-3,
			buffer_mbit);
	if (s->level_needed)
		snprintf(use, sizeof(use), "--level %s or ", level_name(s->level_needed, needed));
	log_print(log, LOG_LEVEL_WARN,
		"the stream exceeds level %s: %s; decoders may refuse it, use %sa higher --qp",
		level_name(r->level_idc, level), what, use);
}

static void print_text(FILE *f, const char *key, const char *text)
{
	fprintf(f, "\"%s\": \"", key);
	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c == '"' || *c == '\\')
			fprintf(f, "\\%c", *c);
		else if (*c < 0x20)
			fprintf(f, "\\u%04x", *c);
		else
			fputc(*c, f);
	}
	fputc('"', f);
}

static void print_counts(FILE *f, const char *key, const uint64_t *counts, int n, const char *end)
{
	uint64_t sum = 0;

	for (int i = 0; i < n; i++)
		sum += counts[i];
	fprintf(f, " \"%s\": [", key);
	for (int i = 0; i < n; i++)
		fprintf(f, "%s%" PRIu64, i ? ", " : "", counts[i]);
	fprintf(f, "],\n \"%s_percent\": [", key);
	for (int i = 0; i < n; i++)
		fprintf(f, "%s%.3f", i ? ", " : "",
			sum ? 100.0 * (double)counts[i] / (double)sum : 0);
	fprintf(f, "]%s\n", end);
}

/* JSON has no infinity. */
static void print_db(FILE *f, const char *key, double db, const char *end)
{
	if (isfinite(db))
		fprintf(f, "\"%s\": %.4f%s", key, db, end);
	else
		fprintf(f, "\"%s\": null%s", key, end);
}

static void print_what(FILE *f, const report *r)
{
	const gpuintra_options *o = r->options;

	fprintf(f, "{\n \"program\": \"gpuintra\", \"version\": \"%s\",\n ", h264i_version());
	print_text(f, "input", o->input);
	fprintf(f, ", ");
	print_text(f, "output", o->output);
	fprintf(f,
		",\n \"width\": %" PRIu32 ", \"height\": %" PRIu32 ", \"frame_rate\": [%" PRIu32
		", %" PRIu32 "],\n",
		r->info->width, r->info->height, r->info->vui.fps_num, r->info->vui.fps_den);
	fprintf(f,
		" \"qp\": %" PRIu32 ", \"slices\": %" PRIu32
		", \"sched\": \"%s\", \"deblock\": %d, \"level_idc\": %d, \"disable_modes\": "
		"%" PRIu32 ",\n",
		o->qp, o->slices, options_sched_name((h264i_sched)o->sched), o->deblock,
		r->level_idc, o->disable_modes);
	fprintf(f, " \"backend\": \"%s\", ", options_backend_name(r->stats.backend));
	print_text(f, "device", r->stats.device_name);
	fprintf(f, ",\n");
}

static void print_speed(FILE *f, const report *r)
{
	const encode_result *e = r->result;
	const h264i_stats *s = &r->stats;

	fprintf(f,
		" \"frames\": %" PRIu64 ", \"bytes\": %" PRIu64 ", \"file_bytes\": %" PRIu64
		", \"duration_s\": %.6f, \"kbit_per_s\": %.3f,\n",
		e->frames, e->bytes, r->file_bytes, e->seconds, kbit_per_s(e));
	fprintf(f,
		" \"level_exceeded\": %s, \"level_needed\": %d, \"peak_kbit_per_s\": %.3f, "
		"\"largest_picture_kbit\": %.3f,\n",
		s->level_exceeded ? "true" : "false", s->level_needed, s->peak_kbit_per_s,
		s->largest_picture_kbit);
	fprintf(f,
		" \"start_ms\": %.3f, \"encode_ms\": %.3f, \"total_ms\": %.3f, \"frames_per_s\": "
		"%.2f,\n",
		(double)(e->begin_ns - r->begin_ns) * 1e-6, encode_seconds(e) * 1e3,
		(double)(r->end_ns - r->begin_ns) * 1e-6, frames_per_s(e));
	fprintf(f, " \"stage_ms\": {\"upload\": %.3f, \"wavefront\": %.3f, \"entropy\": %.3f},\n",
		s->upload_ms, s->wavefront_ms, s->entropy_ms);
	fprintf(f, " \"latency_ms\": {\"median\": %.4f, \"p99\": %.4f, \"max\": %.4f},\n",
		e->latency_ms[0], e->latency_ms[1], e->latency_ms[2]);
	fprintf(f,
		" \"workers\": %" PRIu32 ", \"frames_in_flight\": %" PRIu32
		", \"idle_share\": %.4f, \"tasks\": %" PRIu64 ", \"queue_high_water\": %" PRIu32
		",\n",
		s->workers, s->frames_in_flight, s->idle_share, s->tasks, s->queue_high_water);
}

static void print_quality(FILE *f, const report *r)
{
	double p[4];

	psnr_of(r, p);
	fprintf(f, " \"psnr\": {");
	print_db(f, "y", p[0], ", ");
	print_db(f, "u", p[1], ", ");
	print_db(f, "v", p[2], ", ");
	print_db(f, "all", p[3], "},\n");
	fprintf(f, " \"sse\": [%" PRIu64 ", %" PRIu64 ", %" PRIu64 "],\n", r->result->sse[0],
		r->result->sse[1], r->result->sse[2]);
}

static void print_choices(FILE *f, const report *r)
{
	const uint64_t mb[3] = { r->stats.mb_i4x4, r->stats.mb_i16x16, r->stats.mb_pcm };

	fprintf(f, " \"mb_types\": [\"i4x4\", \"i16x16\", \"pcm\"],\n");
	print_counts(f, "mb_type", mb, 3, ",");
	print_counts(f, "i4_mode", r->stats.i4_mode, 9, ",");
	print_counts(f, "i16_mode", r->stats.i16_mode, 4, ",");
	print_counts(f, "chroma_mode", r->stats.chroma_mode, 4, "");
}

static void print_json(const report *r, FILE *f)
{
	print_what(f, r);
	print_speed(f, r);
	if (r->options->psnr || r->options->recon)
		print_quality(f, r);
	print_choices(f, r);
	fprintf(f, "}\n");
}

/* Closes a report. After a failed run it does not replace an older one, and a warning says so. */
static int close_report(outfile *f, int whole, int failed, logger *log)
{
	const outfile_end end = failed ? OUTFILE_KEEP_BESIDE : OUTFILE_KEEP;
	char why[OUTFILE_WHY_BYTES];
	const int bad = outfile_close(f, whole ? end : OUTFILE_DROP, why);

	if (bad)
		log_print(log, bad > 0 ? LOG_LEVEL_WARN : LOG_LEVEL_ERROR, "%s", why);
	return bad < 0 ? -1 : 0;
}

static int open_report(outfile *f, const report *r, const char *path, logger *log)
{
	char why[OUTFILE_WHY_BYTES];

	if (outfile_open(f, path, r->options->overwrite, why) == 0)
		return 0;
	log_print(log, LOG_LEVEL_ERROR, "%s", why);
	return -1;
}

int report_write_json(const report *r, logger *log)
{
	outfile f;

	if (open_report(&f, r, r->options->stats, log))
		return -1;
	print_json(r, f.to);
	return close_report(&f, 1, r->failed, log);
}

static int is_picture(const char *path)
{
	const size_t n = strlen(path);

	return n > 4 && strcasecmp(path + n - 4, ".svg") == 0;
}

int report_write_trace(const report *r, h264i_encoder *enc, logger *log)
{
	const char *path = r->options->trace;
	h264i_status s;
	outfile f;

	if (open_report(&f, r, path, log))
		return -1;
	if (is_picture(path))
		s = h264i_write_trace_svg(enc, outfile_put, f.to);
	else
		s = h264i_write_trace(enc, outfile_put, f.to);
	/* The error of a full disk says more than that of the function that could not write to
	 * it. */
	if (close_report(&f, s == H264I_OK, r->failed, log))
		return -1;
	if (s == H264I_OK)
		return 0;
	log_print(log, LOG_LEVEL_ERROR, "%s: %s", path, h264i_last_error(enc));
	return -1;
}
