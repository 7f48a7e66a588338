/* Table 1 of Tzeng, Lloyd, Owens 2012, upper part: frames by the H.264 encoder itself. */
#include "apps/gsched/repro_encoder.h"
#include "apps/common/progress.h"
#include "apps/common/stop.h"
#include "apps/gsched/repro.h"
#include "workloads/common/random.h"

#include <h264intra/h264intra.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES = 2, COUNTS = 3, FRAMES = 8, STATIC = 0, DYNAMIC = 1 };

static const uint32_t slice_counts[COUNTS] = { 1, 2, 4 };

/* The videos of the paper: frame and milliseconds by x264, static, dynamic with 1, 2, 4 slices. */
static const struct {
	uint32_t width, height;
	double ms[COUNTS][3];
} paper[SIZES] = {
	{ 720, 480, { { 85.3, 26.5, 20.4 }, { 75.4, 22.1, 15.7 }, { 60.7, 20.5, 11.4 } } },
	{ 1280, 720, { { 194.0, 72.6, 74.3 }, { 159.7, 60.3, 65.2 }, { 133.8, 54.1, 59.4 } } },
};

/* Times of a frame in milliseconds, NaN: not measured. idle: part of the workers' time. */
typedef struct cell {
	double ms[2], x264_ms, idle[2];
} cell;

/* A line from 0 to 255 and back. */
static uint32_t wave(uint32_t v, uint32_t period)
{
	const uint32_t at = v % period * 510 / period;

	return at < 256 ? at : 510 - at;
}

/* A sample: waves and detail that move in other directions, so that macroblocks are plain, edges
 * or texture. */
static uint8_t sample(uint32_t x, uint32_t y, uint32_t frame, uint32_t plane)
{
	const uint32_t u = x + 3 * frame, v = y + 2 * frame;
	const uint32_t plain = (wave(u, 230) + wave(v, 150)) / 2;
	const uint32_t stripes = wave(2 * u + v, 24) * wave(x + 3 * y + 5 * frame, 400) / 255;
	const uint32_t grain = wl_hash(u * 4099 + v + plane * 7) >> 28;

	if (plane)
		return (uint8_t)(96 + wave(u * plane + v, 190) / 4);
	return (uint8_t)(16 + plain / 2 + (wave(u + v, 330) > 128 ? stripes / 3 : 0) + grain / 2);
}

/* Makes the frames of a size; tiny loads have an eighth of its width and height. Returns 0, or -1
 * without memory. */
static int make_clip(const repro *r, int size, repro_clip *c)
{
	const uint32_t part = r->scale == REPRO_TINY ? 8 : 1;
	uint8_t *to;

	*c = (repro_clip){ paper[size].width / part & ~1u, paper[size].height / part & ~1u, FRAMES,
		NULL };
	to = c->pixels = malloc((size_t)c->width * c->height * 3 / 2 * FRAMES);
	for (uint32_t k = 0; to && k < FRAMES; k++)
		for (uint32_t plane = 0; plane < 3; plane++)
			for (uint32_t y = 0; y < c->height >> (plane > 0); y++)
				for (uint32_t x = 0; x < c->width >> (plane > 0); x++)
					*to++ = sample(x, y, k, plane);
	return to ? 0 : -1;
}

static int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double ms[REPRO_FRAMES_MAX], uint32_t count)
{
	qsort(ms, count, sizeof(*ms), by_value);
	return ms[count / 2];
}

/* Opens an encoder of one frame at a time, and copies the clip to memory that its device reads. */
static h264i_status open_encoder(const repro *r, const repro_clip *c, uint32_t slices, int scheme,
	h264i_encoder **enc, repro_clip *copy, char *msg, size_t msg_bytes)
{
	const size_t bytes = (size_t)c->width * c->height * 3 / 2 * c->frames;
	h264i_status st;
	h264i_options o;
	void *memory;

	h264i_options_init(&o);
	o.width = c->width;
	o.height = c->height;
	o.qp = REPRO_QP;
	o.slices = slices;
	o.sched = scheme == STATIC ? H264I_SCHED_STATIC : H264I_SCHED_DYNAMIC;
	o.frames_in_flight = 1;
	o.backend = r->backend == LSCHED_BACKEND_CUDA ? H264I_BACKEND_CUDA : H264I_BACKEND_CPU;
	o.device = r->o->device;
	o.threads = r->backend == LSCHED_BACKEND_CUDA ? 0 : r->few_workers;
	st = h264i_open(enc, &o, msg, msg_bytes);
	if (st == H264I_OK)
		st = h264i_host_alloc(*enc, &memory, bytes);
	if (st == H264I_OK) {
		*copy = *c;
		copy->pixels = memcpy(memory, c->pixels, bytes);
	}
	return st;
}

/* Encodes frame i; adds its bytes to the hash. */
static h264i_status encode(
	h264i_encoder *enc, const repro_clip *c, uint32_t i, uint64_t *hash, int64_t *ns)
{
	const int64_t begin = progress_now_ns();
	h264i_packet packet;
	h264i_frame frame;
	h264i_status st;

	h264i_frame_init(&frame);
	h264i_packet_init(&packet);
	frame.memory = H264I_MEM_HOST_PINNED;
	frame.format = H264I_I420;
	frame.plane[0] = repro_clip_frame(c, i);
	frame.plane[1] = repro_clip_frame(c, i) + (size_t)c->width * c->height;
	frame.plane[2] = repro_clip_frame(c, i) + (size_t)c->width * c->height / 4 * 5;
	frame.pitch_bytes[0] = c->width;
	frame.pitch_bytes[1] = frame.pitch_bytes[2] = c->width / 2;
	frame.pts = i;
	st = h264i_send_frame(enc, &frame);
	if (st == H264I_OK)
		st = h264i_receive_packet(enc, &packet);
	*ns = progress_now_ns() - begin;
	if (st != H264I_OK)
		return st;
	for (size_t k = 0; k < packet.data_bytes; k++)
		*hash = (*hash ^ packet.data[k]) * UINT64_C(0x100000001b3);
	st = h264i_receive_packet(enc, &packet); /* releases the packet */
	return st == H264I_AGAIN ? H264I_OK : st;
}

/* Measures one scheme. Returns a hash of the stream, or 0 after a message. */
static uint64_t measure_scheme(
	repro *r, const repro_clip *c, uint32_t slices, int scheme, uint32_t count, cell *to)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	repro_clip copy = { 0, 0, 0, NULL };
	double ms[REPRO_FRAMES_MAX];
	h264i_encoder *enc = NULL;
	h264i_status st;
	h264i_stats stats;
	char msg[600] = "";

	st = open_encoder(r, c, slices, scheme, &enc, &copy, msg, sizeof(msg));
	for (uint32_t i = 0; st == H264I_OK && i < REPRO_WARM_FRAMES + count; i++) {
		int64_t ns;

		st = encode(enc, &copy, i, &hash, &ns);
		if (i >= REPRO_WARM_FRAMES)
			ms[i - REPRO_WARM_FRAMES] = (double)ns * 1e-6;
	}
	h264i_stats_init(&stats);
	if (st == H264I_OK)
		st = h264i_get_stats(enc, &stats);
	if (st == H264I_OK) {
		to->ms[scheme] = median(ms, count);
		to->idle[scheme] = stats.idle_share;
	} else {
		log_print(r->log, LOG_LEVEL_ERROR, "encoder, %" PRIu32 "x%" PRIu32 ": %s", c->width,
			c->height, enc && !*msg ? h264i_last_error(enc) : msg);
		r->failed = 1;
	}
	h264i_host_free(copy.pixels);
	h264i_close(&enc);
	return st == H264I_OK ? hash : 0;
}

/* Measures both schemes, whose streams must be the same, and x264. */
static void measure_cell(repro *r, const repro_clip *c, uint32_t slices, cell *to)
{
	const uint32_t count = repro_pick(r, 2, 15, REPRO_FRAMES_MAX);
	double ms[REPRO_FRAMES_MAX];
	uint64_t hash[2];

	*to = (cell){ { NAN, NAN }, NAN, { NAN, NAN } };
	if (stop_signal())
		return;
	log_print(r->log, LOG_LEVEL_INFO, "frames of %" PRIu32 "x%" PRIu32 ", %" PRIu32 " slices",
		c->width, c->height, slices);
	for (int scheme = 0; scheme < 2; scheme++)
		hash[scheme] = measure_scheme(r, c, slices, scheme, count, to);
	if (hash[0] && hash[1] && hash[0] != hash[1]) {
		log_print(r->log, LOG_LEVEL_ERROR,
			"encoder, %" PRIu32 "x%" PRIu32 ", %" PRIu32
			" slices: static and dynamic have different streams",
			c->width, c->height, slices);
		r->failed = 1;
		to->ms[STATIC] = to->ms[DYNAMIC] = NAN;
	}
	if (repro_x264(c, slices, count, ms) == 0)
		to->x264_ms = median(ms, count);
}

static void add_row(repro *r, repro_cells *t, const repro_clip *c, int size, int k, const cell *y)
{
	repro_cell(r, t, "%" PRIu32 "x%" PRIu32, c->width, c->height);
	repro_cell(r, t, "%" PRIu32, slice_counts[k]);
	repro_cell(r, t, "%.3f", y->ms[STATIC]);
	repro_cell(r, t, "%.3f", y->ms[DYNAMIC]);
	repro_cell(r, t, "%s", isfinite(y->x264_ms) ? repro_text(r, "%.3f", y->x264_ms) : "-");
	for (int column = 1; column < 4; column++)
		repro_cell(r, t, "%.1f", paper[size].ms[k][column % 3]);
}

static void judge_schemes(repro *r, report_section *s, cell y[SIZES][COUNTS], int whole)
{
	double ratio[SIZES][COUNTS];

	for (int size = 0; size < SIZES; size++)
		for (int k = 0; k < COUNTS; k++)
			ratio[size][k] = y[size][k].ms[DYNAMIC] / y[size][k].ms[STATIC];
	repro_judge(r, s,
		"Dynamic is faster with the small frame; static and dynamic are nearly equal with "
		"the large one.",
		whole && isfinite(ratio[0][0]) && isfinite(ratio[0][2]) && isfinite(ratio[1][0]),
		ratio[0][0] < 1 && ratio[0][2] < 1 && fabs(ratio[1][0] - 1) <= 0.1,
		repro_text(r,
			"Static assigns whole rows of macroblocks by tickets, so that its workers "
			"wait only for the row above: they are idle %.1f %% of the time with the "
			"small frame in one slice, those of dynamic %.1f %%.",
			y[0][0].idle[STATIC] * 100, y[0][0].idle[DYNAMIC] * 100),
		"dynamic divided by static: small frame %.2f with one slice, %.2f with four; large "
		"frame %.2f and %.2f (criterion: below 1, and 0.9 to 1.1 with one slice; frames of "
		"the paper's sizes)",
		ratio[0][0], ratio[0][2], ratio[1][0], ratio[1][2]);
}

static void judge_slices(repro *r, cell y[SIZES][COUNTS], int whole)
{
	report_section *s = repro_claim(r, "Slices of a frame", NULL);
	double gain[SIZES][2];
	int measured = whole, holds = 1;

	for (int size = 0; size < SIZES; size++)
		for (int scheme = 0; scheme < 2; scheme++) {
			gain[size][scheme] = y[size][0].ms[scheme] / y[size][COUNTS - 1].ms[scheme];
			measured &= isfinite(gain[size][scheme]) != 0;
			holds &= gain[size][scheme] > 1.02;
		}
	repro_judge(r, s, "More slices shorten the time of a frame with both schemes.", measured,
		holds,
		repro_text(r,
			"A slice is more parallelism only where workers have no ready macroblock: "
			"with one slice they are idle %.1f %% (static) and %.1f %% (dynamic) of "
			"the time with the large frame.",
			y[1][0].idle[STATIC] * 100, y[1][0].idle[DYNAMIC] * 100),
		"one slice divided by four: small frame %.2f static, %.2f dynamic; large frame "
		"%.2f and %.2f (criterion: above 1.02; frames of the paper's sizes)",
		gain[0][STATIC], gain[0][DYNAMIC], gain[1][STATIC], gain[1][DYNAMIC]);
}

static void judge_x264(repro *r, cell y[SIZES][COUNTS], int whole)
{
	report_section *s = repro_claim(r, "Encoder on the GPU and x264", NULL);
	double least = INFINITY, x264 = NAN, ours = NAN;
	int measured = whole && r->backend == LSCHED_BACKEND_CUDA;

	for (int size = 0; size < SIZES; size++)
		for (int k = 0; k < COUNTS; k++) {
			const cell *c = &y[size][k];
			const double slower = fmax(c->ms[STATIC], c->ms[DYNAMIC]);

			if (!isfinite(c->x264_ms / slower))
				measured = 0;
			else if (c->x264_ms / slower < least) {
				least = c->x264_ms / slower;
				x264 = c->x264_ms;
				ours = slower;
			}
		}
	repro_judge(r, s, "Both schemes on the GPU take less time than x264 on a CPU.", measured,
		least > 1,
		repro_text(r,
			"A single frame does not fill the device: x264 takes %.2f ms for it, the "
			"encoder %.2f ms.",
			x264, ours),
		"x264 divided by the slower scheme: at least %.2f (criterion: above 1; libx264, a "
		"GPU, and frames of the paper's sizes)",
		isfinite(least) ? least : NAN);
}

void repro_encoder(repro *r)
{
	report_section *s = repro_section(r, "Frames of two sizes in 1, 2 and 4 slices",
		"Tzeng, Lloyd, Owens 2012, table 1 (H.264 encoder)");
	repro_cells *t = repro_table(r, s, "Time of a frame, ms",
		"frame|slices|static|dynamic|x264|paper: static|paper: dynamic|paper: x264");
	const int whole = r->scale != REPRO_TINY;
	cell y[SIZES][COUNTS];

	for (int size = 0; size < SIZES; size++) {
		repro_clip c;
		const int bad = make_clip(r, size, &c);

		if (bad) {
			log_print(r->log, LOG_LEVEL_ERROR, "out of memory for frames");
			r->failed = 1;
		}
		for (int k = 0; k < COUNTS; k++) {
			y[size][k] = (cell){ { NAN, NAN }, NAN, { NAN, NAN } };
			if (!bad)
				measure_cell(r, &c, slice_counts[k], &y[size][k]);
			add_row(r, t, &c, size, k, &y[size][k]);
		}
		free(c.pixels);
	}
	s->text = repro_text(r,
		"Generated frames by libh264intra, one at a time as in the paper: from the frame "
		"in memory to the packet, the median over frames of an open encoder; Constrained "
		"Baseline, QP %d. Both schemes must give the same bytes. x264: libx264, %s, the "
		"same QP "
		"and slices, all frames intra; - where libavcodec has no libx264. The paper "
		"encodes videos.",
		REPRO_QP, REPRO_X264);
	judge_schemes(r, s, y, whole);
	judge_slices(r, y, whole);
	judge_x264(r, y, whole);
}
