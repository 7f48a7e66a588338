/* The CPU executor: macroblock tasks, a task a slice that writes it, and with options.sse a task a
 * macroblock row that deblocks and measures it, on libsched's threads. */
#include "h264intra/bitstream/slice_hdr.h"
#include "h264intra/core/backend.h"
#include "h264intra/cpu/encode_mb.h"
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/filter/deblock.h"
#include "h264intra/filter/sse.h"
#include "h264intra/order/rows.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SLICE_WORDS_A_MB = 100, SLICE_EXTRA_WORDS = 8, TRACE_EVENTS = 1 << 16 };

/* A frame's memory. */
typedef struct cpu_frame {
	uint8_t *copy; /* the source, where it must be copied; made when first needed */
	uint8_t *recon;
	uint32_t *rbsp; /* bits of all slices before escaping, a fixed place each */
	uint8_t *rbsp_bytes;
	h264i_buf *slice; /* [slices]: finished NAL units */
	h264i_buf packet;
	uint32_t picture; /* its number in the stream */
	uint64_t sse[3];
} cpu_frame;

typedef struct cpu_group {
	const h264i_encoder *enc;
	h264i_encode_mb_fn encode_mb;
	h264i_picture *pic; /* [capacity] */
	cpu_frame *frame;   /* [capacity] */
	lsched_run *run;
} cpu_group;

static uint32_t slice_word(const h264i_geom *g, uint32_t slice)
{
	return h264i_slice_first_row(g, slice) * g->mb_width * SLICE_WORDS_A_MB +
	       slice * SLICE_EXTRA_WORDS;
}

/* I_PCM samples of a macroblock as the stream carries them. */
static void pcm_samples(const h264i_geom *g, const h264i_picture *p, uint32_t mx, uint32_t my,
	uint8_t out[H264I_PCM_BYTES])
{
	for (int pl = 0; pl < 3; pl++) {
		uint32_t n = pl ? 8 : 16, w = g->width >> (pl > 0), h = g->height >> (pl > 0);
		size_t step = pl ? p->chroma_step : 1;

		for (uint32_t y = 0; y < n; y++)
			for (uint32_t x = 0; x < n; x++) {
				uint32_t sx = mx * n + x, sy = my * n + y;
				uint8_t v;

				sx = sx < w ? sx : w - 1;
				sy = sy < h ? sy : h - 1;
				v = p->src[pl][(size_t)sy * p->src_pitch[pl] + sx * step];
				*out++ = v ? v : 1;
			}
	}
}

/* Writes slice `slice` of frame `f` as a NAL unit; 0 or -1. */
static int write_slice(const h264i_wave_ctx *c, const cpu_group *cg, uint32_t f, uint32_t slice)
{
	const h264i_geom *g = &c->geom;
	const h264i_picture *p = &cg->pic[f];
	cpu_frame *fr = &cg->frame[f];
	uint32_t first = h264i_slice_first_row(g, slice), end = h264i_slice_first_row(g, slice + 1);
	uint32_t at = slice_word(g, slice), w = g->mb_width;
	uint8_t *bytes = fr->rbsp_bytes + 4 * (size_t)at, pcm[H264I_PCM_BYTES];
	size_t n;
	h264i_bits out;

	h264i_bits_init(&out, fr->rbsp + at, 1, slice_word(g, slice + 1) - at);
	h264i_slice_hdr_put(&out, first * w, fr->picture, cg->enc->params.deblock);
	for (uint32_t y = first; y < end; y++)
		for (uint32_t x = 0; x < w; x++) {
			const h264i_mb *mb = &p->mb[y * w + x];

			if (mb->type == H264I_MB_PCM)
				pcm_samples(g, p, x, y, pcm);
			if (h264i_mb_put(&out, &h264i_cavlc, mb, &p->levels[y * w + x],
				    x ? mb - 1 : NULL, y > first ? mb - w : NULL, pcm) != 0)
				return -1;
		}
	h264i_bits_trailing(&out);
	h264i_bits_flush(&out);
	if (h264i_bits_overflow(&out))
		return -1;
	n = (size_t)(h264i_bits_position(&out) / 8);
	h264i_bits_to_bytes(bytes, fr->rbsp + at, n);
	fr->slice[slice].bytes = 0;
	return h264i_buf_nal(&fr->slice[slice], 1, H264I_NAL_IDR, bytes, n);
}

/* Deblocks macroblock row `row` if decoders will, and measures the rows of samples that are final then:
 * the row below changes the last three of luma and the last one of chroma. The row above is finished. */
static void finish_row(const h264i_wave_ctx *c, const cpu_group *cg, uint32_t f, uint32_t row)
{
	const h264i_geom *g = &c->geom;
	const h264i_picture *p = &cg->pic[f];
	uint64_t *sse = cg->frame[f].sse;

	if (cg->enc->params.deblock) {
		size_t pitch[3] = { p->recon_pitch[0], p->recon_pitch[1], p->recon_pitch[2] };

		h264i_deblock_rows(p->recon, pitch, g->mb_width, row, row + 1, p->mb, c->q.qp);
	}
	for (int k = 0; k < 3; k++) {
		uint32_t size = k ? 8 : 16, pending = k ? 1 : 3;
		uint32_t end =
			row + 1 < g->mb_height ? (row + 1) * size - pending : g->height >> (k > 0);
		h264i_plane a = { p->src[k], p->src_pitch[k], k ? p->chroma_step : 1 };
		h264i_plane b = { p->recon[k], p->recon_pitch[k], 1 };

		if (row == 0)
			sse[k] = 0;
		sse[k] += h264i_i_sse_rows(
			&a, &b, g->width >> (k > 0), row ? row * size - pending : 0, end);
	}
}

typedef struct mbcpu_local {
	int unused;
} mbcpu_local;

static lsched_result mbcpu_body(
	lsched_worker *w, const h264i_wave_ctx *c, mbcpu_local *l, uint32_t task)
{
	const cpu_group *cg = c->backend;
	uint32_t row = rowrule_row(c, task);
	mbrule_at a;

	(void)w;
	(void)l;
	if (row != LSCHED_NONE) {
		finish_row(c, cg, row / c->geom.mb_height, row % c->geom.mb_height);
		return LSCHED_DONE;
	}
	if (task >= c->frames * mbrule_mbs(c)) {
		task -= c->frames * mbrule_mbs(c);
		return write_slice(c, cg, task / c->geom.slices, task % c->geom.slices)
			       ? LSCHED_FAIL
			       : LSCHED_DONE;
	}
	a = mbrule_place(c, task);
	cg->encode_mb(c, &c->pic[a.frame], a.x, a.y);
	return LSCHED_DONE;
}

#define LSCHED_NAME                 mbcpu
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                mbcpu_local
#define LSCHED_BODY                 mbcpu_body
#define LSCHED_RULE                 rowrule
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring, lines, 0)
#include <libsched/generate.h>

static h264i_status nomem(h264i_encoder *enc)
{
	return h264i_fail(enc, H264I_ERR_NOMEM, "out of memory for %u frames of %ux%u",
		enc->stats.frames_in_flight, enc->o.width, enc->o.height);
}

static h264i_status open_frame(h264i_encoder *enc, h264i_picture *p, cpu_frame *fr)
{
	const h264i_geom *g = &enc->geom;
	size_t mbs = (size_t)g->mb_width * g->mb_height;
	size_t words = slice_word(g, g->slices);

	p->mb = calloc(mbs, sizeof(*p->mb));
	p->levels = malloc(mbs * sizeof(*p->levels));
	p->edge = malloc(mbs * sizeof(*p->edge));
	fr->rbsp = malloc(words * 4);
	fr->rbsp_bytes = malloc(words * 4);
	fr->slice = calloc(g->slices, sizeof(*fr->slice));
	if (!p->mb || !p->levels || !p->edge || !fr->rbsp || !fr->rbsp_bytes || !fr->slice)
		return nomem(enc);
	if (enc->o.sse) {
		fr->recon = malloc(mbs * 384);
		if (!fr->recon)
			return nomem(enc);
		p->recon[0] = fr->recon;
		p->recon[1] = fr->recon + mbs * 256;
		p->recon[2] = fr->recon + mbs * 320;
		p->recon_pitch[0] = g->mb_width * 16;
		p->recon_pitch[1] = p->recon_pitch[2] = g->mb_width * 8;
	}
	return H264I_OK;
}

static h264i_status cpu_open(h264i_encoder *enc)
{
	lsched_run_options ro;
	lsched_status st;

	lsched_run_options_init(&ro);
	ro.scheme = enc->o.sched == H264I_SCHED_STATIC ? LSCHED_SCHEME_STATIC
		    : enc->o.sched == H264I_SCHED_SYNC ? LSCHED_SCHEME_SYNC
						       : LSCHED_SCHEME_DYNAMIC;
	ro.trace = enc->o.trace ? TRACE_EVENTS : 0;
	for (uint32_t i = 0; i < enc->group_count; i++) {
		cpu_group *cg = calloc(1, sizeof(*cg));
		h264i_group *g = &enc->group[i];

		g->backend = cg;
		if (!cg)
			return nomem(enc);
		cg->enc = enc;
		cg->encode_mb = h264i_i_encode_mb_best();
		cg->pic = calloc(g->capacity, sizeof(*cg->pic));
		cg->frame = calloc(g->capacity, sizeof(*cg->frame));
		if (!cg->pic || !cg->frame)
			return nomem(enc);
		for (uint32_t k = 0; k < g->capacity; k++) {
			h264i_status s = open_frame(enc, &cg->pic[k], &cg->frame[k]);

			if (s != H264I_OK)
				return s;
		}
		ro.max_tasks =
			g->capacity * (enc->geom.mb_width * enc->geom.mb_height + enc->geom.slices +
					      (enc->o.sse ? enc->geom.mb_height : 0));
		st = lsched_run_create(&cg->run, enc->sched, &mbcpu_cpu_program, &ro);
		if (st != LSCHED_OK)
			return h264i_fail(enc, h264i_status_of_sched(st), "%s",
				lsched_last_error(enc->sched));
	}
	return H264I_OK;
}

static void cpu_close(h264i_encoder *enc)
{
	for (uint32_t i = 0; enc->group && i < enc->group_count; i++) {
		cpu_group *cg = enc->group[i].backend;

		if (!cg)
			continue;
		(void)lsched_run_cancel(cg->run); /* its packets cannot be received any more */
		lsched_run_destroy(&cg->run);
		for (uint32_t k = 0; cg->pic && cg->frame && k < enc->group[i].capacity; k++) {
			cpu_frame *fr = &cg->frame[k];

			free(cg->pic[k].mb);
			free(cg->pic[k].levels);
			free(cg->pic[k].edge);
			free(fr->copy);
			free(fr->recon);
			free(fr->rbsp);
			free(fr->rbsp_bytes);
			for (uint32_t s = 0; fr->slice && s < enc->geom.slices; s++)
				h264i_buf_free(&fr->slice[s]);
			free(fr->slice);
			h264i_buf_free(&fr->packet);
		}
		free(cg->pic);
		free(cg->frame);
		free(cg);
		enc->group[i].backend = NULL;
	}
}

/* Frames in plain host memory are copied, since the caller may reuse them at once. */
static h264i_status copy_frame(
	h264i_encoder *enc, cpu_frame *fr, const h264i_frame *f, h264i_picture *p)
{
	uint32_t w = enc->o.width, h = enc->o.height;
	uint8_t *to;

	if (!fr->copy)
		fr->copy = malloc((size_t)w * h * 3 / 2);
	if (!fr->copy)
		return nomem(enc);
	to = fr->copy;
	for (int i = 0; i < (f->format == H264I_NV12 ? 2 : 3); i++) {
		uint32_t row = i && f->format == H264I_I420 ? w / 2 : w, rows = i ? h / 2 : h;

		p->src[i] = to;
		p->src_pitch[i] = row;
		for (uint32_t y = 0; y < rows; y++, to += row)
			memcpy(to, f->plane[i] + y * f->pitch_bytes[i], row);
	}
	return H264I_OK;
}

static h264i_status cpu_upload(h264i_encoder *enc, h264i_group *g, uint32_t i)
{
	cpu_group *cg = g->backend;
	const h264i_frame *f = &g->slot[i].frame;
	h264i_picture *p = &cg->pic[i];

	if (f->memory == H264I_MEM_CUDA)
		return h264i_fail(
			enc, H264I_ERR_ARG, "a frame in device memory needs the CUDA backend");
	cg->frame[i].picture = (uint32_t)(g->slot[i].index & 1);
	p->chroma_step = f->format == H264I_NV12 ? 2 : 1;
	if (f->memory == H264I_MEM_HOST) {
		h264i_status s = copy_frame(enc, &cg->frame[i], f, p);

		if (s != H264I_OK)
			return s;
	} else {
		for (int k = 0; k < 3; k++) {
			p->src[k] = f->plane[k];
			p->src_pitch[k] = (uint32_t)f->pitch_bytes[k];
		}
	}
	if (f->format == H264I_NV12) {
		p->src[2] = p->src[1] + 1;
		p->src_pitch[2] = p->src_pitch[1];
	}
	return H264I_OK;
}

static h264i_status cpu_start(h264i_encoder *enc, h264i_group *g)
{
	cpu_group *cg = g->backend;
	h264i_wave_ctx c = h264i_wave_ctx_of(enc, cg->pic, g->frames);

	c.entropy_tasks = 1;
	c.row_tasks = (uint32_t)enc->o.sse;
	c.backend = cg;
	if (lsched_run_start(cg->run, &c, rowrule_tasks(&c), NULL) != LSCHED_OK)
		return h264i_fail(enc, H264I_ERR_SCHED, "%s", lsched_run_error(cg->run));
	return H264I_OK;
}

/* What did not start reads nothing. */
static void cpu_wait_input(h264i_encoder *enc, h264i_group *g, uint32_t i)
{
	(void)enc;
	(void)g;
	(void)i;
}

static int cpu_done(h264i_encoder *enc, h264i_group *g)
{
	(void)enc;
	return lsched_run_done(((cpu_group *)g->backend)->run);
}

static h264i_status join_packet(h264i_encoder *enc, cpu_frame *fr, h264i_slot *slot)
{
	size_t n = enc->headers.bytes;

	for (uint32_t s = 0; s < enc->geom.slices; s++)
		n += fr->slice[s].bytes;
	fr->packet.bytes = 0;
	if (h264i_buf_reserve(&fr->packet, n) != 0)
		return nomem(enc);
	memcpy(fr->packet.data, enc->headers.data, enc->headers.bytes);
	fr->packet.bytes = enc->headers.bytes;
	for (uint32_t s = 0; s < enc->geom.slices; s++) {
		memcpy(fr->packet.data + fr->packet.bytes, fr->slice[s].data, fr->slice[s].bytes);
		fr->packet.bytes += fr->slice[s].bytes;
	}
	slot->packet = fr->packet.data;
	slot->packet_bytes = fr->packet.bytes;
	return H264I_OK;
}

static h264i_status cpu_finish(h264i_encoder *enc, h264i_group *g)
{
	cpu_group *cg = g->backend;
	lsched_stats st = { .struct_bytes = sizeof(st) };

	if (lsched_run_finish(cg->run, &st) != LSCHED_OK)
		return h264i_fail(enc, H264I_ERR_SCHED, "%s", lsched_run_error(cg->run));
	enc->stats.tasks += st.tasks;
	enc->stats.workers = st.workers;
	enc->stats.wavefront_ms += (double)st.busy_ns * 1e-6;
	if (st.queue_high_water > enc->stats.queue_high_water)
		enc->stats.queue_high_water = st.queue_high_water;
	enc->idle_ns += st.idle_ns;
	enc->busy_ns += st.busy_ns;
	for (uint32_t i = 0; i < g->frames; i++) {
		const h264i_picture *p = &cg->pic[i];
		h264i_slot *slot = &g->slot[i];
		h264i_status s = join_packet(enc, &cg->frame[i], slot);

		if (s != H264I_OK)
			return s;
		if (enc->o.stats)
			h264i_count_modes(
				&enc->counts, p->mb, enc->geom.mb_width * enc->geom.mb_height);
		for (int k = 0; k < 3; k++) {
			slot->recon[k] = p->recon[k];
			slot->recon_pitch[k] = p->recon_pitch[k];
			slot->sse[k] = cg->frame[i].sse[k];
		}
	}
	return H264I_OK;
}

/* Frames in the caller's memory are read until the group is done. */
static int cpu_input_free(h264i_encoder *enc, h264i_group *g, uint32_t i)
{
	(void)enc;
	return g->slot[i].frame.memory == H264I_MEM_HOST;
}

static size_t cpu_runs(h264i_encoder *enc, lsched_run **runs, size_t room)
{
	size_t n = 0;

	for (uint32_t i = 0; i < enc->group_count && n < room; i++)
		runs[n++] = ((cpu_group *)enc->group[i].backend)->run;
	return n;
}

static void release_host(h264i_host_head *head)
{
	free(head);
}

static void *cpu_host_alloc(h264i_encoder *enc, size_t bytes)
{
	void *p = NULL;

	(void)enc;
	if (posix_memalign(&p, H264I_HOST_HEAD_BYTES, bytes) != 0)
		return NULL;
	((h264i_host_head *)p)->release = release_host;
	return p;
}

const h264i_backend_ops h264i_backend_cpu = { cpu_open, cpu_close, cpu_upload, cpu_start,
	cpu_wait_input, cpu_done, cpu_finish, cpu_input_free, cpu_runs, cpu_host_alloc };
