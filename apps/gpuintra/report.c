#include "apps/gpuintra/report.h"
#include "apps/common/outfile.h"
#include "libsched/core/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* PSNR in dB of `samples` samples; infinite if sse is 0. */
static double plane_psnr(uint64_t sse, uint64_t samples)
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

	out[0] = plane_psnr(sse[0], luma);
	out[1] = plane_psnr(sse[1], luma / 4);
	out[2] = plane_psnr(sse[2], luma / 4);
	out[3] = plane_psnr(sse[0] + sse[1] + sse[2],
		r->options->coding.chroma == H264I_CHROMA_400 ? luma : luma + luma / 2);
}

/* Y, U, V, and all by their samples: means of the frames. */
static void ssim_of(const report *r, double out[4])
{
	const double frames = (double)r->result->frames;

	for (int i = 0; i < 3; i++)
		out[i] = r->result->ssim[i] / (frames > 0 ? frames : 1);
	out[3] = r->options->coding.chroma == H264I_CHROMA_400 ? out[0]
							       : (4 * out[0] + out[1] + out[2]) / 6;
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

/* Rate with a full pipeline; of all frames if there are too few. */
static double steady_frames_per_s(const encode_result *e)
{
	double s = (double)(e->end_ns - e->steady_ns) * 1e-9;

	if (!e->steady_ns || e->frames < 2 * e->steady_frames || s <= 0)
		return frames_per_s(e);
	return (double)(e->frames - e->steady_frames) / s;
}

/* Time from the start of the program to the first packet. */
static double startup_ms(const report *r)
{
	const encode_result *e = r->result;

	return (double)((e->first_packet_ns ? e->first_packet_ns : e->end_ns) - r->begin_ns) * 1e-6;
}

static double kbit_per_s(const encode_result *e)
{
	return e->seconds > 0 ? (double)e->bytes * 8e-3 / e->seconds : 0;
}

void report_summary(const report *r, logger *log)
{
	const encode_result *e = r->result;
	char qp[16] = "", psnr[96] = "", ssim[96] = "";
	double size = (double)r->file_bytes;
	const char *unit = "bytes";

	if (r->options->psnr) {
		double p[4];

		psnr_of(r, p);
		if (r->options->coding.chroma == H264I_CHROMA_400)
			snprintf(psnr, sizeof(psnr), ", PSNR Y %.2f dB", p[0]);
		else
			snprintf(psnr, sizeof(psnr), ", PSNR Y %.2f U %.2f V %.2f all %.2f dB",
				p[0], p[1], p[2], p[3]);
	}
	if (r->options->ssim) {
		double p[4];

		ssim_of(r, p);
		if (r->options->coding.chroma == H264I_CHROMA_400)
			snprintf(ssim, sizeof(ssim), ", SSIM Y %.5f", p[0]);
		else
			snprintf(ssim, sizeof(ssim), ", SSIM Y %.5f U %.5f V %.5f all %.5f", p[0],
				p[1], p[2], p[3]);
	}
	if (r->options->coding.rate_mode != H264I_RATE_QP || r->options->coding.frame_bytes_max)
		snprintf(qp, sizeof(qp), "QP %.1f, ", r->stats.mean_qp);
	if (size >= 1e6) {
		size *= 1e-6;
		unit = "MB";
	} else if (size >= 1e3) {
		size *= 1e-3;
		unit = "kB";
	}
	log_print(log, LOG_LEVEL_INFO,
		"%" PRIu64 " frame%s, %.1f frames/s (%s) after %.0f ms of start-up, %s%.0f kbit/s, "
		"%.*f %s%s%s -> %s",
		e->frames, e->frames == 1 ? "" : "s", steady_frames_per_s(e),
		options_value_name("backend", (int)r->stats.backend), startup_ms(r), qp,
		kbit_per_s(e), size == floor(size) ? 0 : 2, size, unit, psnr, ssim,
		strcmp(r->file, "-") == 0 ? "standard output" : r->file);
}

void report_limits(const report *r, logger *log)
{
	if (r->stats.over_limit)
		log_print(log, LOG_LEVEL_WARN,
			"%" PRIu64 " picture%s larger than --frame-size-max or the buffer allows, "
			"even at QP 51: allow more, or encode smaller pictures",
			r->stats.over_limit, r->stats.over_limit == 1 ? " is" : "s are");
}

/* Name of a level_idc: "4.1" for 41, "1b" for 9. */
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

static void put_counts(lsched_i_json *j, const char *key, const uint64_t *counts, int n)
{
	char percent[48];
	uint64_t sum = 0;

	lsched_i_json_line_array(j, key);
	for (int i = 0; i < n; i++) {
		lsched_i_json_uint(j, NULL, counts[i]);
		sum += counts[i];
	}
	lsched_i_json_close(j);
	snprintf(percent, sizeof(percent), "%.31s_percent", key);
	lsched_i_json_line_array(j, percent);
	for (int i = 0; i < n; i++)
		lsched_i_json_fixed(j, NULL, sum ? 100.0 * (double)counts[i] / (double)sum : 0, 3);
	lsched_i_json_close(j);
}

static void put_what(lsched_i_json *j, const report *r)
{
	const gpuintra_options *o = r->options;
	const h264i_options *c = &o->coding;
	const char *cqm = options_encoder_text(o, "cqm");
	const int cr = c->cr_qp_offset == H264I_CR_AS_CB ? c->chroma_qp_offset : c->cr_qp_offset;

	lsched_i_json_line(j);
	lsched_i_json_text(j, "program", "gpuintra");
	lsched_i_json_text(j, "version", h264i_version());
	lsched_i_json_line(j);
	lsched_i_json_text(j, "input", o->input);
	lsched_i_json_text(j, "output", o->output);
	lsched_i_json_line(j);
	lsched_i_json_uint(j, "width", r->info->width);
	lsched_i_json_uint(j, "height", r->info->height);
	lsched_i_json_array(j, "frame_rate");
	lsched_i_json_uint(j, NULL, r->info->vui.fps_num);
	lsched_i_json_uint(j, NULL, r->info->vui.fps_den);
	lsched_i_json_close(j);
	lsched_i_json_line(j);
	lsched_i_json_uint(j, "qp", (uint64_t)c->qp);
	lsched_i_json_fixed(j, "crf", c->rate_mode == H264I_RATE_QUALITY ? c->crf : -1, 3);
	lsched_i_json_uint(j, "bitrate", c->bitrate);
	lsched_i_json_uint(j, "vbv_maxrate", c->vbv_maxrate);
	lsched_i_json_uint(j, "vbv_bufsize", c->vbv_bufsize);
	lsched_i_json_uint(j, "frame_size_max", c->frame_bytes_max);
	lsched_i_json_fixed(j, "mean_qp", r->stats.mean_qp, 3);
	lsched_i_json_uint(j, "coded_again", r->stats.coded_again);
	lsched_i_json_uint(j, "over_limit", r->stats.over_limit);
	lsched_i_json_line(j);
	lsched_i_json_uint(j, "slices", c->slices);
	lsched_i_json_text(j, "sched", options_value_name("sched", (int)c->sched));
	lsched_i_json_sint(j, "deblock", c->deblock);
	lsched_i_json_sint(j, "deblock_alpha", c->deblock_alpha);
	lsched_i_json_sint(j, "deblock_beta", c->deblock_beta);
	lsched_i_json_sint(j, "chroma_qp_offset", c->chroma_qp_offset);
	lsched_i_json_sint(j, "cr_qp_offset", cr);
	lsched_i_json_text(j, "cqm", cqm ? cqm : "flat");
	lsched_i_json_text(j, "output_csp", options_value_name("output-csp", (int)c->chroma));
	lsched_i_json_sint(j, "level_idc", r->level_idc);
	lsched_i_json_uint(j, "disable_modes", c->disable_modes);
	lsched_i_json_line(j);
	lsched_i_json_text(j, "profile", options_value_name("profile", (int)c->profile));
	lsched_i_json_bool(j, "cabac", r->flags.cabac);
	lsched_i_json_bool(j, "transform8x8", r->flags.transform8x8);
	lsched_i_json_line(j);
	lsched_i_json_sint(j, "rd", c->rd);
	lsched_i_json_sint(j, "trellis", c->trellis);
	lsched_i_json_sint(j, "aq_mode", c->aq_mode);
	lsched_i_json_fixed(j, "aq_strength", c->aq_strength, 3);
	lsched_i_json_line(j);
	lsched_i_json_text(j, "backend", options_value_name("backend", (int)r->stats.backend));
	lsched_i_json_text(j, "device", r->stats.device_name);
}

static void put_size(lsched_i_json *j, const report *r)
{
	const encode_result *e = r->result;
	const h264i_stats *s = &r->stats;

	lsched_i_json_line(j);
	lsched_i_json_uint(j, "frames", e->frames);
	lsched_i_json_uint(j, "bytes", e->bytes);
	lsched_i_json_uint(j, "file_bytes", r->file_bytes);
	lsched_i_json_fixed(j, "duration_s", e->seconds, 6);
	lsched_i_json_fixed(j, "kbit_per_s", kbit_per_s(e), 3);
	lsched_i_json_line(j);
	lsched_i_json_bool(j, "level_exceeded", s->level_exceeded);
	lsched_i_json_sint(j, "level_needed", s->level_needed);
	lsched_i_json_fixed(j, "peak_kbit_per_s", s->peak_kbit_per_s, 3);
	lsched_i_json_fixed(j, "largest_picture_kbit", s->largest_picture_kbit, 3);
}

static void put_speed(lsched_i_json *j, const report *r)
{
	const encode_result *e = r->result;
	const h264i_stats *s = &r->stats;

	lsched_i_json_line(j);
	lsched_i_json_fixed(j, "startup_ms", startup_ms(r), 3);
	lsched_i_json_fixed(j, "encode_ms", encode_seconds(e) * 1e3, 3);
	lsched_i_json_fixed(j, "total_ms", (double)(r->end_ns - r->begin_ns) * 1e-6, 3);
	lsched_i_json_fixed(j, "frames_per_s", frames_per_s(e), 2);
	lsched_i_json_fixed(j, "steady_frames_per_s", steady_frames_per_s(e), 2);
	lsched_i_json_line_object(j, "stage_ms");
	lsched_i_json_fixed(j, "upload", s->upload_ms, 3);
	lsched_i_json_fixed(j, "wavefront", s->wavefront_ms, 3);
	lsched_i_json_fixed(j, "entropy", s->entropy_ms, 3);
	lsched_i_json_close(j);
	lsched_i_json_line_object(j, "latency_ms");
	lsched_i_json_fixed(j, "median", e->latency_ms[0], 4);
	lsched_i_json_fixed(j, "p99", e->latency_ms[1], 4);
	lsched_i_json_fixed(j, "max", e->latency_ms[2], 4);
	lsched_i_json_close(j);
	lsched_i_json_line(j);
	lsched_i_json_uint(j, "workers", s->workers);
	lsched_i_json_uint(j, "frames_in_flight", s->frames_in_flight);
	lsched_i_json_fixed(j, "idle_share", s->idle_share, 4);
	lsched_i_json_uint(j, "tasks", s->tasks);
	lsched_i_json_uint(j, "queue_high_water", s->queue_high_water);
}

/* An infinite PSNR becomes null. */
static void put_quality(lsched_i_json *j, const report *r)
{
	static const char *const keys[4] = { "y", "u", "v", "all" };
	double p[4];

	psnr_of(r, p);
	lsched_i_json_line_object(j, "psnr");
	for (int i = 0; i < 4; i++)
		lsched_i_json_fixed(j, keys[i], p[i], 4);
	lsched_i_json_close(j);
	lsched_i_json_line_array(j, "sse");
	for (int i = 0; i < 3; i++)
		lsched_i_json_uint(j, NULL, r->result->sse[i]);
	lsched_i_json_close(j);
}

static void put_ssim(lsched_i_json *j, const report *r)
{
	static const char *const keys[4] = { "y", "u", "v", "all" };
	double p[4];

	ssim_of(r, p);
	lsched_i_json_line_object(j, "ssim");
	for (int i = 0; i < 4; i++)
		lsched_i_json_fixed(j, keys[i], p[i], 6);
	lsched_i_json_close(j);
}

static int is_type(const h264i_tool *t)
{
	return t->mode < 0;
}

/* Writes the names and the counts of the tools first, first + 1, .. that are of one kind, or types
 * of macroblocks. Returns the first tool behind them. */
static unsigned put_kind(lsched_i_json *j, const report *r, unsigned first)
{
	const h264i_tool *head = h264i_get_tool(first), *t;
	char key[32];
	unsigned end = first;

	while ((t = h264i_get_tool(end)) != NULL && is_type(t) == is_type(head) &&
		(is_type(t) || strcmp(t->kind, head->kind) == 0))
		end++;
	snprintf(key, sizeof(key), "%s_%ss", is_type(head) ? "mb" : head->kind,
		is_type(head) ? "type" : "mode");
	lsched_i_json_line_array(j, key);
	for (unsigned i = first; i < end; i++) {
		t = h264i_get_tool(i);
		lsched_i_json_text(j, NULL, is_type(t) ? t->kind : t->name);
	}
	lsched_i_json_close(j);
	key[strlen(key) - 1] = '\0';
	put_counts(j, key, r->tools + first, (int)(end - first));
	return end;
}

static void put_choices(lsched_i_json *j, const report *r)
{
	unsigned i = 0;

	while (h264i_get_tool(i))
		i = put_kind(j, r, i);
}

static void print_json(const report *r, FILE *f)
{
	lsched_i_json j;

	lsched_i_json_begin(&j, outfile_put, f);
	lsched_i_json_object(&j, NULL);
	put_what(&j, r);
	put_size(&j, r);
	put_speed(&j, r);
	if (r->options->psnr || r->options->recon)
		put_quality(&j, r);
	if (r->options->ssim)
		put_ssim(&j, r);
	put_choices(&j, r);
	lsched_i_json_line_close(&j);
	(void)lsched_i_json_end(&j); /* closing the file reports its errors */
}

/* Closes a report. After a failed run it does not replace an older one, and a warning is logged. */
static int close_report(outfile *f, int whole, int failed, logger *log)
{
	const outfile_end end = failed ? OUTFILE_KEEP_PART : OUTFILE_KEEP;
	char why[OUTFILE_WHY_BYTES];
	const int bad = outfile_close(f, whole ? end : OUTFILE_DROP, why);

	if (bad)
		log_print(log, bad > 0 ? LOG_LEVEL_WARN : LOG_LEVEL_ERROR, "%s", why);
	return bad < 0 ? -1 : 0;
}

int report_write_json(const report *r, logger *log)
{
	outfile f;

	if (outfile_open_log(&f, r->options->stats, r->options->overwrite, log))
		return -1;
	print_json(r, f.to);
	return close_report(&f, 1, r->failed, log);
}

/* Writes the timeline as a picture. Returns NULL, or the error. */
static const char *draw_trace(h264i_encoder *enc, FILE *f)
{
	lsched_run *runs[1024]; /* more than a machine's; the picture states how many it hides */
	const size_t n = h264i_trace_runs(enc, runs, sizeof(runs) / sizeof(runs[0]));
	const lsched_status st = lsched_trace_write_svg(runs, n, NULL, outfile_put, f);

	return st == LSCHED_OK ? NULL : lsched_strstatus(st);
}

/* Writes the timeline as JSON. Returns NULL, or the error. */
static const char *list_trace(h264i_encoder *enc, FILE *f)
{
	return h264i_write_trace(enc, outfile_put, f) == H264I_OK ? NULL : h264i_last_error(enc);
}

int report_write_trace(const report *r, h264i_encoder *enc, logger *log)
{
	const char *path = r->options->trace, *why;
	outfile f;

	if (outfile_open_log(&f, path, r->options->overwrite, log))
		return -1;
	why = outfile_is_svg(path) ? draw_trace(enc, f.to) : list_trace(enc, f.to);
	/* The error of the file, such as a full disk, has precedence. */
	if (close_report(&f, !why, r->failed, log))
		return -1;
	if (!why)
		return 0;
	log_print(log, LOG_LEVEL_ERROR, "%s: %s", path, why);
	return -1;
}
