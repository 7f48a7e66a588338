/* Prediction and its cost in scalar C: text of the tables of cpu/dsp.h. The includer defines
 * mb_satd(src, pred) and mb_satd8(src, pred), the SATD of two 4x4 and of two 8x8 blocks. */
#ifndef H264INTRA_CPU_DSP_PREDICT_H
#define H264INTRA_CPU_DSP_PREDICT_H

#include "h264intra/cpu/dsp.h"
#include "h264intra/decide/cost.h"
#include "h264intra/predict/edge8x8.h"
#include "h264intra/predict/intra16x16.h"

#include <string.h>

static const uint8_t e4_table[I4_MODES][16] = H264I_E4_TABLE_INIT;
static const uint8_t e8_table[I4_MODES][64] = H264I_E8_TABLE_INIT;

static inline void copy_px(h264i_px *to, const h264i_px *from, int n)
{
	memcpy(to, from, (size_t)n * sizeof(*to));
}

static inline void fill_px(h264i_px *to, h264i_px v, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = v;
}

/* The sample (x, y) from the upper left one of a block. */
static inline int rec_at(const h264i_px *rec, int x, int y)
{
	return rec[y * H264I_REC_PITCH + x];
}

static void load16(h264i_px block[16][16], const h264i_px *src, size_t pitch)
{
	for (int b = 0; b < 16; b++)
		for (int i = 0; i < 4; i++)
			copy_px(block[b] + 4 * i,
				src + (size_t)(4 * h264i_blk_y(b) + i) * pitch + 4 * h264i_blk_x(b),
				4);
}

static void load8(h264i_px block[4][16], const h264i_px *src, size_t pitch)
{
	for (int b = 0; b < 4; b++)
		for (int i = 0; i < 4; i++)
			copy_px(block[b] + 4 * i,
				src + (size_t)(4 * (b >> 1) + i) * pitch + 4 * (b & 1), 4);
}

static void load_pairs(h264i_px block[8][16], const h264i_px *src, size_t pitch)
{
	for (int b = 0; b < 8; b++)
		for (int i = 0; i < 16; i++) {
			size_t y = (size_t)(4 * (b >> 1 & 1) + (i >> 2));

			block[b][i] =
				src[y * pitch + (size_t)(8 * (b & 1) + 2 * (i & 3) + (b >> 2))];
		}
}

/* Writes the neighbouring samples of a 4x4 block and their filtered forms (predict/edge4x4.h). */
static void edge4_of(const h264i_px *rec, int avail, h264i_px s[E4_EDGE])
{
	int sum = 0;
	h264i_px e[15]; /* P with its first and last sample repeated */

	fill_px(e, H264I_PX_MID, 15);
	if (avail & H264I_LEFT)
		for (int i = 0; i < 4; i++)
			e[4 - i] = (h264i_px)rec_at(rec, -1, i);
	if (avail & H264I_UPLEFT)
		e[5] = (h264i_px)rec_at(rec, -1, -1);
	if (avail & H264I_UP) {
		copy_px(e + 6, rec - H264I_REC_PITCH, 4);
		if (avail & H264I_UPRIGHT)
			copy_px(e + 10, rec - H264I_REC_PITCH + 4, 4);
		else
			fill_px(e + 10, e[9], 4);
	}
	e[0] = e[1];
	e[14] = e[13];
	copy_px(s + E4_P, e + 1, 13);
	for (int i = 0; i < 12; i++)
		s[E4_F2 + i] = (h264i_px)((e[i + 1] + e[i + 2] + 1) >> 1);
	for (int i = 0; i < 13; i++)
		s[E4_F3 + i] = (h264i_px)((e[i] + 2 * e[i + 1] + e[i + 2] + 2) >> 2);
	if (avail & H264I_LEFT)
		sum += e[1] + e[2] + e[3] + e[4];
	if (avail & H264I_UP)
		sum += e[6] + e[7] + e[8] + e[9];
	if ((avail & H264I_LEFT) && (avail & H264I_UP))
		s[E4_DC] = (h264i_px)((sum + 4) >> 3);
	else
		s[E4_DC] = (avail & (H264I_LEFT | H264I_UP)) ? (h264i_px)((sum + 2) >> 2)
							     : H264I_PX_MID;
}

/* Sets the key of a mode. Returns the lower one of it and `best`. */
static inline uint32_t set_key(
	uint32_t key[], int mode, uint32_t satd, int bits, int lambda, uint32_t best)
{
	key[mode] = h264i_cost(satd, lambda, bits) << 4 | (uint32_t)mode;
	return key[mode] < best ? key[mode] : best;
}

static void no_keys(uint32_t key[H264I_KEYS])
{
	memset(key, 0xff, H264I_KEYS * sizeof(*key));
}

/* Predicts a block of n samples in all modes allowed from its neighbours s, by a table of positions
 * in them, and sets the keys. Returns the lowest one. */
H264I_INLINE_FN uint32_t decide_block(const h264i_px src[], const h264i_px s[], int n,
	const uint8_t table[], const h264i_candidates *cand, h264i_px pred[],
	uint32_t satd(const h264i_px *, const h264i_px *), uint32_t key[H264I_KEYS])
{
	uint32_t best = UINT32_MAX;

	no_keys(key);
	for (int m = 0; m < I4_MODES; m++) {
		if (!(cand->allowed >> m & 1))
			continue;
		for (int i = 0; i < n; i++)
			pred[n * m + i] = s[table[n * m + i]];
		best = set_key(key, m, satd(src, pred + n * m),
			h264i_i4_mode_bits(m, cand->predicted), cand->lambda, best);
	}
	return best;
}

static uint32_t decide4(const h264i_px src[16], const h264i_px *rec, const h264i_candidates *cand,
	h264i_px pred[I4_MODES][16], uint32_t key[H264I_KEYS])
{
	h264i_px s[E4_EDGE];

	edge4_of(rec, cand->avail, s);
	return decide_block(src, s, 16, e4_table[0], cand, pred[0], mb_satd, key);
}

/* Writes the filtered neighbouring samples of an 8x8 block and their means (predict/edge8x8.h). */
static void edge8_of(const h264i_px *rec, int avail, h264i_px s[E8_EDGE])
{
	h264i_px p[E8_SAMPLES];

	fill_px(p, H264I_PX_MID, E8_SAMPLES);
	if (avail & H264I_LEFT)
		for (int i = 0; i < 8; i++)
			p[7 - i] = (h264i_px)rec_at(rec, -1, i);
	if (avail & H264I_UPLEFT)
		p[E8_M] = (h264i_px)rec_at(rec, -1, -1);
	if (avail & H264I_UP) {
		copy_px(p + E8_A, rec - H264I_REC_PITCH, 8);
		if (avail & H264I_UPRIGHT)
			copy_px(p + E8_A + 8, rec - H264I_REC_PITCH + 8, 8);
		else
			fill_px(p + E8_A + 8, p[E8_A + 7], 8);
	}
	h264i_e8_edge(p, avail, s);
}

static uint32_t decide8(const h264i_px src[64], const h264i_px *rec, const h264i_candidates *cand,
	h264i_px pred[I4_MODES][64], uint32_t key[H264I_KEYS])
{
	h264i_px s[E8_EDGE];

	edge8_of(rec, cand->avail, s);
	return decide_block(src, s, 64, e8_table[0], cand, pred[0], mb_satd8, key);
}

static void predict16(h264i_px pred[16][16], const h264i_px *rec, int avail, int mode)
{
	int top = 0, left = 0, h = 0, v = 0;
	h264i_plane plane = { 0, 0, 0 };

	for (int i = 0; mode == I16_DC && i < 16; i++) {
		top += avail & H264I_UP ? rec_at(rec, i, -1) : 0;
		left += avail & H264I_LEFT ? rec_at(rec, -1, i) : 0;
	}
	if (mode == I16_PLANE) {
		for (int i = 1; i <= 8; i++) {
			h += i * (rec_at(rec, 7 + i, -1) - rec_at(rec, 7 - i, -1));
			v += i * (rec_at(rec, -1, 7 + i) - rec_at(rec, -1, 7 - i));
		}
		plane = h264i_plane16(h, v, rec_at(rec, -1, 15), rec_at(rec, 15, -1));
	}
	for (int b = 0; b < 16; b++)
		for (int i = 0; i < 16; i++) {
			int x = 4 * h264i_blk_x(b) + (i & 3), y = 4 * h264i_blk_y(b) + (i >> 2);

			pred[b][i] = mode == I16_V    ? (h264i_px)rec_at(rec, x, -1)
				     : mode == I16_H  ? (h264i_px)rec_at(rec, -1, y)
				     : mode == I16_DC ? (h264i_px)h264i_dc16(avail, top, left)
						      : h264i_plane_at(&plane, x, y, 7);
		}
}

static uint32_t decide16(const h264i_px src[16][16], const h264i_px *rec,
	const h264i_candidates *cand, uint32_t key[H264I_KEYS])
{
	uint32_t best = UINT32_MAX;
	h264i_px pred[16][16];

	no_keys(key);
	for (int m = 0; m < I16_MODES; m++) {
		uint32_t satd = 0;

		if (!(cand->allowed >> m & 1))
			continue;
		predict16(pred, rec, cand->avail, m);
		for (int b = 0; b < 16; b++)
			satd += mb_satd(src[b], pred[b]);
		best = set_key(key, m, satd, h264i_i16_mode_bits(m), cand->lambda, best);
	}
	return best;
}

static void predict_chroma(h264i_px pred[8][16], const h264i_chroma_edge *e, int avail, int mode)
{
	for (int b = 0; b < 8; b++) {
		int pl = b >> 2, x = 4 * (b & 1), y = 4 * (b >> 1 & 1);
		int top = 0, left = 0, dc, h = 0, v = 0;
		const h264i_px *t = e->top[pl] + 8, *l = e->left[pl];
		h264i_plane plane;

		for (int i = 0; i < 4; i++) {
			top += avail & H264I_UP ? t[x + i] : 0;
			left += avail & H264I_LEFT ? l[y + i] : 0;
		}
		dc = h264i_dc_chroma(avail, b & 3, top, left);
		for (int i = 1; mode == IC_PLANE && i <= 4; i++) {
			h += i * (t[3 + i] - t[3 - i]);
			v += i * (l[3 + i] - (i == 4 ? t[-1] : l[3 - i]));
		}
		plane = h264i_plane8(h, v, l[7], t[7]);
		for (int i = 0; i < 16; i++)
			pred[b][i] = mode == IC_DC  ? (h264i_px)dc
				     : mode == IC_H ? l[y + (i >> 2)]
				     : mode == IC_V
					     ? t[x + (i & 3)]
					     : h264i_plane_at(&plane, x + (i & 3), y + (i >> 2), 3);
	}
}

static uint32_t decide_chroma(const h264i_px src[8][16], const h264i_chroma_edge *e,
	const h264i_candidates *cand, uint32_t key[H264I_KEYS])
{
	uint32_t best = UINT32_MAX;
	h264i_px pred[8][16];

	no_keys(key);
	for (int m = 0; m < IC_MODES; m++) {
		uint32_t satd = 0;

		if (!(cand->allowed >> m & 1))
			continue;
		predict_chroma(pred, e, cand->avail, m);
		for (int b = 0; b < 8; b++)
			satd += mb_satd(src[b], pred[b]);
		best = set_key(key, m, satd, h264i_chroma_mode_bits(m), cand->lambda, best);
	}
	return best;
}

#endif
