/* A macroblock of random decisions: its record, its levels, and its samples as a decoder computes
 * them. */
#ifndef TESTS_H264INTRA_RANDOM_MB_H
#define TESTS_H264INTRA_RANDOM_MB_H

#include "h264intra/cpu/mb_residual.h"
#include "h264intra/decide/cost.h"
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/predict/edge8x8.h"
#include "h264intra/transform/dct8x8.h"
#include "h264intra/transform/quant8x8.h"
#include "tests/common/rng.h"

#include <stdlib.h>

/* Where it is, and what it is made with. */
typedef struct random_mb_at {
	uint32_t x, y, width, height; /* of the picture in samples */
	const h264i_mb *left, *up;    /* in the slice */
	int has_upright, syntax, qp;
	const h264i_qparams *q;
} random_mb_at;

/* How many levels of a macroblock are not 0, and how large they are. */
typedef struct random_density {
	uint32_t one_in; /* 0: none */
	int limit;
} random_density;

static inline random_density random_density_of(int try)
{
	static const int limits[] = { 1, 1, 1, 2, 4, 20, 200, 2000 };
	random_density d;

	d.one_in = rng_below(8) ? 1 + rng_below(24) : 0;
	d.limit = limits[rng_below(8)] >> try;
	if (try > 4 || d.limit == 0)
		d.one_in = 0;
	return d;
}

static inline int random_block(random_density d, int16_t *level, int first, int last)
{
	int n = 0;

	memset(level, 0, (size_t)last * sizeof(*level));
	for (int i = first; i < last; i++)
		if (d.one_in && rng_below(d.one_in) == 0) {
			level[i] = (int16_t)rng_around(rng_below(3) ? 1 : d.limit);
			n += level[i] != 0;
		}
	return n;
}

/* A mode of those in the mask. */
static inline int random_mode(uint32_t mask)
{
	for (;;) {
		int m = (int)rng_below(16);

		if (mask >> m & 1)
			return m;
	}
}

/* Loads the neighbouring samples from the picture, as load_neighbours() of mb_work.h does from
 * records. */
static inline void random_load(mb_work *w, const random_mb_at *r, const uint8_t *pixels)
{
	const uint8_t *chroma = pixels + (size_t)r->width * r->height;
	const uint8_t *luma = pixels + (size_t)r->y * 16 * r->width + r->x * 16;
	size_t pitch = r->width / 2, plane = pitch * r->height / 2;

	w->avail = (r->left ? H264I_LEFT : 0) | (r->up ? H264I_UP : 0) |
		   (r->has_upright ? H264I_UPRIGHT : 0) | (r->left && r->up ? H264I_UPLEFT : 0);
	for (int i = 0; r->left && i < 16; i++)
		PX(w, -1, i) = luma[(size_t)i * r->width - 1];
	if (r->up)
		memcpy(&PX(w, 0, -1), luma - r->width, 16);
	if (r->has_upright)
		memcpy(&PX(w, 16, -1), luma - r->width + 16, 8);
	if (r->left && r->up)
		PX(w, -1, -1) = luma[-(long)r->width - 1];
	for (int pl = 0; pl < 2; pl++) {
		const uint8_t *c = chroma + pl * plane + (size_t)r->y * 8 * pitch + r->x * 8;

		for (int i = 0; r->left && i < 8; i++)
			w->edge_c.left[pl][i] = c[(size_t)i * pitch - 1];
		if (r->up)
			memcpy(w->edge_c.top[pl] + 8, c - pitch, 8);
		if (r->left && r->up)
			w->edge_c.top[pl][7] = c[-(long)pitch - 1];
	}
}

static inline void random_store(const mb_work *w, const random_mb_at *r, uint8_t *pixels)
{
	uint8_t *chroma = pixels + (size_t)r->width * r->height;
	size_t pitch = r->width / 2, plane = pitch * r->height / 2;

	for (size_t i = 0; i < 16; i++)
		memcpy(pixels + (r->y * 16 + i) * r->width + r->x * 16, &PX(w, 0, i), 16);
	for (size_t b = 0; b < 8; b++)
		for (size_t i = 0; i < 4; i++)
			memcpy(chroma + (b >> 2) * plane +
					(r->y * 8 + 4 * (b >> 1 & 1) + i) * pitch + r->x * 8 +
					4 * (b & 1),
				w->rec_c[b] + 4 * i, 4);
}

static inline void random_luma_blocks(mb_work *w, const random_mb_at *r, random_density d, int i8)
{
	for (int b = 0; b < 16; b += i8 ? 4 : 1) {
		const uint8_t *at = &PX(w, 4 * h264i_blk_x(b), 4 * h264i_blk_y(b));
		int avail = i8 ? h264i_i8_avail(b / 4, w->avail) : h264i_i4_avail(b, w->avail);
		int mode = random_mode(h264i_i4_allowed(avail)), n;
		h264i_candidates cand = { avail, 1u << mode, 0, 0 };
		uint8_t pred[I4_MODES][64], pred4[I4_MODES][16], rec[64];
		static const uint8_t none[64];
		uint32_t key[H264I_KEYS];
		int16_t level[64];

		memset(w->mb.i4_mode + b, mode, i8 ? 4 : 1);
		n = random_block(d, level, 0, i8 ? 64 : 16);
		w->mb.cbp |= (uint8_t)((n != 0) << (b >> 2));
		if (i8) {
			w->dsp->decide8(none, at, &cand, pred, key);
			w->exceeds |= w->dsp->reconstruct8(level, &r->q->luma8, pred[mode], rec);
			w->dsp->divide8(level, w->lev->luma + b, w->mb.total + b);
			for (int y = 0; y < 8; y++)
				memcpy(&PX(w, 4 * h264i_blk_x(b), 4 * h264i_blk_y(b) + y),
					rec + 8 * y, 8);
		} else {
			w->dsp->decide4(none, at, &cand, pred4, key);
			w->exceeds |=
				w->dsp->reconstruct4(level, &r->q->luma, 0, 0, pred4[mode], rec);
			memcpy(w->lev->luma[b], level, sizeof(w->lev->luma[b]));
			w->mb.total[b] = (uint8_t)n;
			store_luma(w, b, rec);
		}
	}
	/* A pattern may have bits of blocks without levels, but of the 8x8 transform with CABAC. */
	if (!i8 && rng_below(4) == 0)
		w->mb.cbp |= (uint8_t)rng_below(16);
}

static inline void random_luma16(mb_work *w, const random_mb_at *r, random_density d)
{
	int32_t dc[16];
	int ac = 0;

	w->mb.i16_mode = (uint8_t)random_mode(h264i_i16_allowed(w->avail, 0));
	memset(w->mb.i4_mode, I4_DC, sizeof(w->mb.i4_mode));
	w->dsp->predict16(w->pred16, &PX(w, 0, 0), w->avail, w->mb.i16_mode);
	if (random_block(d, w->lev->luma_dc, 0, 16))
		w->mb.flags |= H264I_MB_DC_Y;
	for (int i = 0; i < 16; i++)
		dc[scan4[i]] = w->lev->luma_dc[i];
	h264i_hadamard4x4(dc);
	if (rng() & 1)
		d.one_in = 0;
	for (int b = 0; b < 16; b++) {
		int32_t v =
			h264i_dequant_luma_dc(dc[4 * h264i_blk_y(b) + h264i_blk_x(b)], &r->q->luma);
		uint8_t rec[16];

		w->mb.total[b] = (uint8_t)random_block(d, w->lev->luma[b], 1, 16);
		ac |= w->mb.total[b];
		w->exceeds |=
			w->dsp->reconstruct4(w->lev->luma[b], &r->q->luma, 1, v, w->pred16[b], rec);
		store_luma(w, b, rec);
	}
	w->mb.cbp = ac || rng_below(4) == 0 ? 15 : 0;
}

static inline void random_chroma(mb_work *w, const random_mb_at *r, random_density d)
{
	int pattern = (int)rng_below(3);
	random_density ac = d, none = { 0, 0 };

	w->mb.chroma_mode = (uint8_t)random_mode(h264i_chroma_allowed(w->avail, 0));
	w->mb.cbp |= (uint8_t)(pattern << 4);
	w->dsp->predict_chroma(w->pred_c, &w->edge_c, w->avail, w->mb.chroma_mode);
	for (int k = 0; k < 8; k++) {
		const h264i_quant *q = h264i_chroma_quant(r->q, k >> 2);
		int16_t *c = w->lev->chroma_dc[k >> 2];
		int32_t f[4];

		if (k % 4 == 0 && random_block(pattern ? d : none, c, 0, 4))
			w->mb.flags |= (uint8_t)(H264I_MB_DC_CB << (k >> 2));
		for (int i = 0; i < 4; i++)
			f[i] = c[i];
		h264i_hadamard2x2(f);
		w->mb.total[16 + k] = (uint8_t)random_block(
			pattern == 2 ? ac : none, w->lev->chroma_ac[k >> 2][k & 3], 1, 16);
		w->exceeds |= w->dsp->reconstruct4(w->lev->chroma_ac[k >> 2][k & 3], q, 1,
			h264i_dequant_chroma_dc(f[k & 3], q), w->pred_c[k], w->rec_c[k]);
	}
}

/* I_PCM with samples from 1 to 255, as the encoder writes them. */
static inline void random_pcm(mb_work *w)
{
	w->mb.type = H264I_MB_PCM;
	w->mb.cbp = 0x2f;
	w->mb.flags = H264I_MB_DC_ALL;
	memset(w->mb.i4_mode, I4_DC, sizeof(w->mb.i4_mode));
	memset(w->mb.total, 16, sizeof(w->mb.total));
	for (int b = 0; b < 24; b++)
		for (int i = 0; i < 16; i++) {
			uint8_t v = (uint8_t)(1 + rng_below(255));

			if (b < 16)
				PX(w, 4 * h264i_blk_x(b) + (i & 3), 4 * h264i_blk_y(b) + (i >> 2)) =
					v;
			else
				w->rec_c[b - 16][i] = v;
		}
}

/* Makes the macroblock, and its samples in the picture of r->width x r->height in 4:2:0; of 4:0:0
 * chroma has no meaning. No value inside its decoding exceeds a bound of the standard, nor do its
 * bits. */
static inline void random_mb_make(
	const random_mb_at *r, h264i_mb *mb, h264i_levels *levels, uint8_t *pixels)
{
	mb_work w;

	memset(&w, 0, sizeof(w));
	w.dsp = h264i_i_dsp(H264I_SIMD_SCALAR);
	w.q = r->q;
	w.lev = levels;
	random_load(&w, r, pixels);
	for (int try = 0;; try++) {
		random_density d = random_density_of(try);
		uint32_t kind = rng_below(32);
		int i8 = r->syntax & H264I_SYNTAX_8X8 && kind % 3 == 0, bits;

		memset(&w.mb, 0, sizeof(w.mb));
		memset(levels, 0, sizeof(*levels));
		w.exceeds = 0;
		if (kind == 31) {
			random_pcm(&w);
			break;
		}
		if (kind < 10) {
			w.mb.type = H264I_MB_I16X16;
			random_luma16(&w, r, d);
		} else {
			w.mb.type = H264I_MB_I4X4;
			w.mb.flags = i8 ? H264I_MB_T8X8 : 0;
			random_luma_blocks(&w, r, d, i8);
		}
		if (!(r->syntax & H264I_SYNTAX_GRAY))
			random_chroma(&w, r, d);
		else /* not written, so that decoders do not see it */
			w.mb.chroma_mode = (uint8_t)rng_below(4);
		bits = h264i_mb_bits(&h264i_i_cavlc, &w.mb, levels, r->left, r->up, r->syntax);
		if (!w.exceeds && bits >= 0 && bits <= 2400)
			break;
	}
	*mb = w.mb;
	random_store(&w, r, pixels);
}

#endif
