/* Tasks of the CPU backend: a macroblock, a slice to write, and with options.sse a macroblock row
 * to deblock and measure. */
#include "h264intra/bitstream/slice_hdr.h"
#include "h264intra/cpu/group.h"
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/filter/deblock.h"
#include "h264intra/filter/sse.h"
#include "h264intra/order/rows.h"

/* Writes the I_PCM samples of a macroblock as the stream carries them. */
static void pcm_samples(const h264i_geom *g, const h264i_picture *p, uint32_t mx, uint32_t my,
	uint8_t out[H264I_PCM_BYTES])
{
	for (int pl = 0; pl < 3; pl++) {
		uint32_t n = pl ? 8 : 16, w = pl ? h264i_chroma_size(g->width) : g->width;
		uint32_t h = pl ? h264i_chroma_size(g->height) : g->height;
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

/* Writes slice `slice` of frame `f` as a NAL unit. Returns 0, or -1 on overflow or without
 * memory. */
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
			if (h264i_mb_put(&out, &h264i_i_cavlc, mb, &p->levels[y * w + x],
				    x ? mb - 1 : NULL, y > first ? mb - w : NULL, pcm) != 0)
				return -1;
		}
	h264i_bits_trailing(&out);
	h264i_bits_flush(&out);
	if (h264i_bits_overflow(&out))
		return -1;
	n = (size_t)(h264i_bits_position(&out) / 8);
	h264i_i_bits_to_bytes(bytes, fr->rbsp + at, n);
	fr->slice[slice].bytes = 0;
	return h264i_i_buf_nal(&fr->slice[slice], 1, H264I_NAL_IDR, bytes, n);
}

/* Deblocks macroblock row `row` of frame `f`, with options.deblock, and adds the squared errors of
 * the sample rows that are final then: deblocking the next row still changes the last three rows of
 * luma and the last one of chroma. The row above is finished. */
static void finish_row(const h264i_wave_ctx *c, const cpu_group *cg, uint32_t f, uint32_t row)
{
	const h264i_geom *g = &c->geom;
	const h264i_picture *p = &cg->pic[f];
	uint64_t *sse = cg->frame[f].sse;

	if (cg->enc->params.deblock) {
		size_t pitch[3] = { p->recon_pitch[0], p->recon_pitch[1], p->recon_pitch[2] };

		h264i_i_deblock_rows(p->recon, pitch, g->mb_width, row, row + 1, p->mb, c->q.qp);
	}
	for (int k = 0; k < 3; k++) {
		uint32_t size = k ? 8 : 16, pending = k ? 1 : 3;
		uint32_t width = k ? h264i_chroma_size(g->width) : g->width;
		uint32_t height = k ? h264i_chroma_size(g->height) : g->height;
		uint32_t end = row + 1 < g->mb_height ? (row + 1) * size - pending : height;
		h264i_samples a = { p->src[k], p->src_pitch[k], k ? p->chroma_step : 1 };
		h264i_samples b = { p->recon[k], p->recon_pitch[k], 1 };

		if (row == 0)
			sse[k] = 0;
		sse[k] += h264i_i_sse_rows(&a, &b, width, row ? row * size - pending : 0, end);
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
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate.h>
