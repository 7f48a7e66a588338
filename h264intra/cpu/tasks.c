/* Tasks of the CPU backend: a macroblock, a slice to write, and with options.sse a macroblock row
 * to deblock and measure. */
#include "h264intra/bitstream/slice_hdr.h"
#include "h264intra/cpu/group.h"
#include "h264intra/entropy/cabac.h"
#include "h264intra/entropy/cabac_mb.h"
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/entropy/qp_delta.h"
#include "h264intra/filter/deblock.h"
#include "h264intra/filter/sse.h"
#include "h264intra/order/rows.h"

#include <string.h>

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

/* Slice `slice` of frame `f`, and the memory for its RBSP. */
typedef struct slice_work {
	const h264i_wave_ctx *c;
	const h264i_picture *p;
	const h264i_params *params;
	uint32_t first, end, width; /* rows, and macroblocks of a row */
	uint32_t *word;             /* [words] */
	uint8_t *bytes;             /* [4 * words] */
	uint32_t words;
	uint64_t bins; /* coded with CABAC */
} slice_work;

/* Sets mb_qp_delta of the slice's macroblocks. Not their QPs: finish_row() may be doing that. */
static void set_qp_deltas(const slice_work *s)
{
	int before = (int)s->p->qp;

	for (uint32_t at = s->first * s->width; at < s->end * s->width; at++) {
		h264i_mb *mb = &s->p->mb[at];

		if (!h264i_has_qp_delta(mb))
			continue;
		mb->qp_delta = (int8_t)h264i_qp_delta(mb->qp, before);
		before = mb->qp;
	}
}

/* Writes slice_data() after the header with CAVLC. Returns the bytes of the RBSP, 0 on overflow. */
static size_t code_cavlc(slice_work *s, h264i_bits *out)
{
	uint8_t pcm[H264I_PCM_BYTES];
	size_t n;

	for (uint32_t y = s->first; y < s->end; y++)
		for (uint32_t x = 0; x < s->width; x++) {
			uint32_t at = y * s->width + x;
			const h264i_mb *mb = &s->p->mb[at];

			if (mb->type == H264I_MB_PCM)
				pcm_samples(&s->c->geom, s->p, x, y, pcm);
			if (h264i_mb_put(out, &h264i_i_cavlc, mb, &s->p->levels[at],
				    x ? mb - 1 : NULL, y > s->first ? mb - s->width : NULL,
				    s->params->transform8x8, pcm) != 0)
				return 0;
		}
	h264i_bits_trailing(out);
	h264i_bits_flush(out);
	if (h264i_bits_overflow(out))
		return 0;
	n = (size_t)(h264i_bits_position(out) / 8);
	h264i_i_bits_to_bytes(s->bytes, s->word, n);
	return n;
}

/* Codes macroblock (x, y) and end_of_slice_flag. */
static void code_mb_cabac(slice_work *s, h264i_cabac *coder, uint8_t *state, uint32_t x, uint32_t y)
{
	uint32_t at = y * s->width + x, last = x + 1 == s->width && y + 1 == s->end;
	const h264i_mb *mb = &s->p->mb[at], *left = x ? mb - 1 : NULL;
	const h264i_mb *up = y > s->first ? mb - s->width : NULL;
	const h264i_mb *prev = x || up ? mb - 1 : NULL;
	uint16_t record[2 * H264I_ITEM_BINS_MAX];
	h264i_bins bins = { record, 0, 2 * H264I_ITEM_BINS_MAX };

	for (uint32_t items = h264i_mb_bin_items(mb); items; items &= items - 1) {
		h264i_mb_item_bins(&bins, mb, &s->p->levels[at], left, up, prev,
			s->params->transform8x8, (int)lsched_i_lowest_bit(items));
		if (bins.count >= H264I_ITEM_BINS_MAX) { /* the next may not fit */
			h264i_i_cabac_code(coder, state, record, bins.count);
			bins.count = 0;
		}
	}
	if (mb->type == H264I_MB_PCM) {
		uint8_t pcm[H264I_PCM_BYTES];

		pcm_samples(&s->c->geom, s->p, x, y, pcm);
		h264i_i_cabac_code(coder, state, record, bins.count);
		h264i_i_cabac_end(coder);
		h264i_i_cabac_pcm(coder, pcm, sizeof(pcm));
		bins.count = 0;
	}
	h264i_bin(&bins, H264I_CTX_TERMINATE, (int)last);
	h264i_i_cabac_code(coder, state, record, bins.count);
}

/* The same with CABAC. */
static size_t code_cabac(slice_work *s, h264i_bits *out)
{
	uint8_t state[H264I_CTX_STATES];
	h264i_cabac coder;
	size_t header;

	h264i_slice_hdr_align(out);
	h264i_bits_flush(out);
	header = (size_t)(h264i_bits_position(out) / 8);
	h264i_i_bits_to_bytes(s->bytes, s->word, header);
	h264i_i_cabac_states(state, (int)s->p->qp);
	h264i_i_cabac_begin(&coder, s->bytes + header, 4 * (size_t)s->words - header);
	for (uint32_t y = s->first; y < s->end; y++)
		for (uint32_t x = 0; x < s->width; x++)
			code_mb_cabac(s, &coder, state, x, y);
	h264i_i_cabac_end(&coder);
	s->bins = coder.bins;
	return coder.overflow ? 0 : (size_t)(coder.at - s->bytes);
}

/* Appends the cabac_zero_words of a slice of `mbs` macroblocks. */
static int pad_cabac(h264i_buf *nal, uint64_t bins, uint32_t mbs)
{
	uint32_t words = h264i_cabac_zero_words(bins, nal->bytes - 4, mbs);

	if (h264i_i_buf_reserve(nal, (size_t)words * 3) != 0)
		return -1;
	for (; words; words--) {
		memcpy(nal->data + nal->bytes, "\0\0\3", 3);
		nal->bytes += 3;
	}
	return 0;
}

/* Writes slice `slice` of frame `f` as a NAL unit. Returns 0, or -1 on overflow or without
 * memory. */
static int write_slice(const h264i_wave_ctx *c, const cpu_group *cg, uint32_t f, uint32_t slice)
{
	const h264i_geom *g = &c->geom;
	cpu_frame *fr = &cg->frame[f];
	uint32_t at = slice_word(g, slice);
	h264i_buf *nal = &fr->slice[slice];
	slice_work s = { .c = c,
		.p = &cg->pic[f],
		.params = &cg->enc->params,
		.first = h264i_slice_first_row(g, slice),
		.end = h264i_slice_first_row(g, slice + 1),
		.width = g->mb_width,
		.word = fr->rbsp + at,
		.bytes = fr->rbsp_bytes + 4 * (size_t)at,
		.words = slice_word(g, slice + 1) - at };
	h264i_bits out;
	size_t n;

	h264i_bits_init(&out, s.word, 1, s.words);
	h264i_slice_hdr_put(&out, s.first * s.width, fr->picture, (int)s.p->qp - s.params->qp,
		s.params->deblock);
	if (s.p->mb_qp)
		set_qp_deltas(&s);
	n = s.params->cabac ? code_cabac(&s, &out) : code_cavlc(&s, &out);
	nal->bytes = 0;
	if (n == 0 || h264i_i_buf_nal(nal, 1, H264I_NAL_IDR, s.bytes, n) != 0)
		return -1;
	return pad_cabac(nal, s.bins, (s.end - s.first) * s.width);
}

/* Sets the QP of macroblocks without mb_qp_delta in a row; that of the row above is set. */
static void inherit_qps(const h264i_geom *g, const h264i_picture *p, uint32_t row)
{
	uint32_t first = h264i_slice_first_row(g, h264i_slice_of_row(g, row));
	h264i_mb *mb = p->mb + (size_t)row * g->mb_width;
	uint8_t before = row == first ? (uint8_t)p->qp : mb[-1].qp;

	for (uint32_t x = 0; x < g->mb_width; x++, mb++) {
		if (!h264i_has_qp_delta(mb))
			mb->qp = before;
		before = mb->qp;
	}
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

		if (p->mb_qp)
			inherit_qps(g, p, row);
		h264i_i_deblock_rows(
			p->recon, pitch, g->mb_width, row, row + 1, p->mb, &cg->strengths);
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
	h264i_i_encode_mb(cg->dsp, c, cg->enc->be, &c->pic[a.frame], a.x, a.y);
	return LSCHED_DONE;
}

#define LSCHED_NAME                 mbcpu
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                mbcpu_local
#define LSCHED_BODY                 mbcpu_body
#define LSCHED_RULE                 rowrule
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate.h>
