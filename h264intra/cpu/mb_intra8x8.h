/* Intra 8x8 macroblocks, in scalar C. The includer of cpu/mb_intra.h defines mb_satd8(src, pred),
 * the SATD of two 8x8 blocks. */
#ifndef H264INTRA_CPU_MB_INTRA8X8_H
#define H264INTRA_CPU_MB_INTRA8X8_H

#include "h264intra/cpu/mb_residual.h"
#include "h264intra/decide/cost.h"
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/predict/edge8x8.h"
#include "h264intra/transform/dct8x8.h"
#include "h264intra/transform/quant8x8.h"

static const uint8_t e8_table[I4_MODES][64] = H264I_E8_TABLE_INIT;
static const uint8_t zigzag8[64] = H264I_ZIGZAG8_INIT;

/* Writes the filtered neighbouring samples of 8x8 block b and their means (predict/edge8x8.h). */
MB_FN void edge_string8(const mb_work *w, int b, int avail, uint8_t s[E8_BYTES])
{
	int x = 8 * (b & 1), y = 8 * (b >> 1);
	uint8_t p[E8_SAMPLES];

	memset(p, 128, sizeof(p));
	if (avail & H264I_LEFT)
		for (int i = 0; i < 8; i++)
			p[7 - i] = PX(w, x - 1, y + i);
	if (avail & H264I_UPLEFT)
		p[E8_M] = PX(w, x - 1, y - 1);
	if (avail & H264I_UP) {
		memcpy(p + E8_A, &PX(w, x, y - 1), 8);
		if (avail & H264I_UPRIGHT)
			memcpy(p + E8_A + 8, &PX(w, x + 8, y - 1), 8);
		else
			memset(p + E8_A + 8, p[E8_A + 7], 8);
	}
	h264i_e8_strings(p, avail, s);
}

/* Copies the source of 8x8 block b, which is stored as 4x4 blocks, to raster order. */
MB_FN void gather_source8(const mb_work *w, int b, uint8_t src[64])
{
	for (int y = 0; y < 8; y++)
		for (int x = 0; x < 8; x += 4)
			memcpy(src + 8 * y + x,
				w->src[4 * b + (y >> 2) * 2 + (x >> 2)] + 4 * (y & 3), 4);
}

/* Predicts 8x8 block b in all allowed modes. key[]: (cost << 4 | mode) of each, UINT32_MAX of those
 * that are not. Returns the lowest. */
MB_FN uint32_t judge_intra8x8(const mb_work *w, int b, const uint8_t src[64],
	uint8_t pred[I4_MODES][64], uint32_t key[I4_MODES])
{
	const h264i_qparams *q = w->q;
	int avail = h264i_i8_avail(b, w->avail);
	int predicted = h264i_predicted_mode(&w->mb, w->left, w->up, 4 * b);
	uint32_t allowed = h264i_i4_allowed(avail) & h264i_i4_mask(q->disable);
	uint32_t best = UINT32_MAX;
	uint8_t s[E8_BYTES];

	edge_string8(w, b, avail, s);
	for (int m = 0; m < I4_MODES; m++) {
		key[m] = UINT32_MAX;
		if (!(allowed >> m & 1))
			continue;
		for (int i = 0; i < 64; i++)
			pred[m][i] = s[e8_table[m][i]];
		key[m] = h264i_cost(mb_satd8(src, pred[m]), q->lambda,
				 h264i_i4_mode_bits(m, predicted))
				 << 4 |
			 (uint32_t)m;
		best = key[m] < best ? key[m] : best;
	}
	return best;
}

/* Transforms and quantises the residual of 8x8 block b into the levels and totals of its four
 * interleaved parts, and adds them to the sums of the bound. Returns 1 if any is not 0. */
MB_FN int quantise_block8(mb_work *w, int b, const uint8_t src[64], const uint8_t pred[64])
{
	const h264i_quant8 *q = &w->q->luma8;
	uint8_t *total = w->mb.total + 4 * b;
	uint32_t nz = 0;
	int32_t d[64];

	for (int i = 0; i < 64; i++)
		d[i] = src[i] - pred[i];
	h264i_fdct8x8(d);
	for (int i = 0; i < 64; i++)
		d[i] = h264i_quantise8(d[i], h264i_pos_class8(i >> 3, i & 7), q);
	for (int k = 0; k < 4; k++) {
		int n = 0;

		for (int i = 0; i < 16; i++) {
			int32_t v = d[zigzag8[4 * i + k]];

			w->lev.luma[4 * b + k][i] = (int16_t)v;
			n += v != 0;
		}
		total[k] = (uint8_t)n;
		nz += (uint32_t)n;
		w->sums.coded_blocks += n != 0;
	}
	if (nz)
		add_levels(&w->sums, d, 64);
	w->sums.nonzero += nz;
	return nz != 0;
}

/* Adds the decoded residual to the prediction and stores the reconstruction. */
MB_FN void reconstruct8(mb_work *w, int b, int coded, const uint8_t pred[64])
{
	const h264i_quant8 *q = &w->q->luma8;
	int32_t r[64] = { 0 }, r_peak;

	if (coded) {
		for (int i = 0; i < 64; i++) {
			int z = zigzag8[i];

			r[z] = h264i_dequant8(w->lev.luma[4 * b + (i & 3)][i >> 2],
				h264i_pos_class8(z >> 3, z & 7), q);
		}
		r_peak = h264i_idct8x8(r);
		w->sums.peak = r_peak > w->sums.peak ? r_peak : w->sums.peak;
	}
	for (int y = 0; y < 8; y++)
		for (int x = 0; x < 8; x++)
			PX(w, 8 * (b & 1) + x, 8 * (b >> 1) + y) =
				h264i_clip_u8(pred[8 * y + x] + r[8 * y + x]);
}

/* Codes the luma blocks as Intra8x8, each predicted from the reconstruction of those before it.
 * Returns the cost, or UINT32_MAX when it reaches `limit`; levels and reconstruction are then
 * incomplete. */
MB_FN uint32_t try_intra8x8(mb_work *w, uint32_t limit)
{
	const h264i_qparams *q = w->q;
	uint32_t cost = h264i_cost(0, q->lambda, H264I_I8_BASE_BITS);

	begin_luma(w, H264I_MB_I4X4, H264I_MB_T8X8);
	for (int b = 0; b < 4; b++) {
		uint8_t src[64], pred[I4_MODES][64];
		uint32_t key[I4_MODES], best;
		int mode, coded;

		gather_source8(w, b, src);
		best = judge_intra8x8(w, b, src, pred, key);
		mode = (int)(best & 15);
		cost += best >> 4;
		if (cost >= limit)
			return UINT32_MAX;
		memset(w->mb.i4_mode + 4 * b, mode, 4);
		coded = quantise_block8(w, b, src, pred[mode]);
		w->mb.cbp |= (uint8_t)(coded << b);
		reconstruct8(w, b, coded, pred[mode]);
	}
	memset(w->lev.luma_dc, 0, sizeof(w->lev.luma_dc));
	return cost;
}

#endif
