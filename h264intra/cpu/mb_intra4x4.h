/* Intra4x4 macroblocks, in scalar C. The includer of cpu/mb_intra.h defines mb_satd(src, pred), the
 * SATD of two 4x4 blocks. */
#ifndef H264INTRA_CPU_MB_INTRA4X4_H
#define H264INTRA_CPU_MB_INTRA4X4_H

#include "h264intra/cpu/mb_residual.h"
#include "h264intra/decide/cost.h"
#include "h264intra/entropy/mb_layer.h"

static const uint8_t e4_table[I4_MODES][16] = H264I_E4_TABLE_INIT;

/* Writes the neighbouring samples of luma block b and their filtered forms (predict/edge4x4.h). */
MB_FN void edge_string(const mb_work *w, int b, int avail, uint8_t s[E4_BYTES])
{
	int x = 4 * h264i_blk_x(b), y = 4 * h264i_blk_y(b), sum = 0;
	uint8_t e[15]; /* P with its first and last sample repeated */

	memset(e, 128, sizeof(e));
	if (avail & H264I_LEFT)
		for (int i = 0; i < 4; i++)
			e[4 - i] = PX(w, x - 1, y + i);
	if (avail & H264I_UPLEFT)
		e[5] = PX(w, x - 1, y - 1);
	if (avail & H264I_UP) {
		memcpy(e + 6, &PX(w, x, y - 1), 4);
		if (avail & H264I_UPRIGHT)
			memcpy(e + 10, &PX(w, x + 4, y - 1), 4);
		else
			memset(e + 10, e[9], 4);
	}
	e[0] = e[1];
	e[14] = e[13];
	memcpy(s + E4_P, e + 1, 13);
	for (int i = 0; i < 12; i++)
		s[E4_F2 + i] = (uint8_t)((e[i + 1] + e[i + 2] + 1) >> 1);
	for (int i = 0; i < 13; i++)
		s[E4_F3 + i] = (uint8_t)((e[i] + 2 * e[i + 1] + e[i + 2] + 2) >> 2);
	if (avail & H264I_LEFT)
		sum += e[1] + e[2] + e[3] + e[4];
	if (avail & H264I_UP)
		sum += e[6] + e[7] + e[8] + e[9];
	if ((avail & H264I_LEFT) && (avail & H264I_UP))
		s[E4_DC] = (uint8_t)((sum + 4) >> 3);
	else
		s[E4_DC] = (avail & (H264I_LEFT | H264I_UP)) ? (uint8_t)((sum + 2) >> 2) : 128;
}

/* Predicts luma block b in all allowed modes. key[]: (cost << 4 | mode) of each, UINT32_MAX of
 * those that are not. Returns the lowest. */
MB_FN uint32_t judge_intra4x4(
	const mb_work *w, int b, uint8_t pred[I4_MODES][16], uint32_t key[I4_MODES])
{
	const h264i_qparams *q = w->q;
	int avail = h264i_i4_avail(b, w->avail);
	int predicted = h264i_predicted_mode(&w->mb, w->left, w->up, b);
	uint32_t allowed = h264i_i4_allowed(avail) & h264i_i4_mask(q->disable);
	uint32_t best = UINT32_MAX;
	uint8_t s[E4_BYTES];

	edge_string(w, b, avail, s);
	for (int m = 0; m < I4_MODES; m++) {
		key[m] = UINT32_MAX;
		if (!(allowed >> m & 1))
			continue;
		for (int i = 0; i < 16; i++)
			pred[m][i] = s[e4_table[m][i]];
		key[m] = h264i_cost(mb_satd(w->src[b], pred[m]), q->lambda,
				 h264i_i4_mode_bits(m, predicted))
				 << 4 |
			 (uint32_t)m;
		best = key[m] < best ? key[m] : best;
	}
	return best;
}

/* Codes the luma blocks as Intra4x4, each predicted from the reconstruction of those before it.
 * Returns 0 when the cost reaches `limit`; levels and reconstruction are then incomplete. */
MB_FN int try_intra4x4(mb_work *w, uint32_t limit)
{
	const h264i_qparams *q = w->q;
	uint32_t cost = h264i_cost(0, q->lambda, H264I_I4_BASE_BITS);

	begin_luma(w, H264I_MB_I4X4, 0);
	for (int b = 0; b < 16; b++) {
		uint8_t pred[I4_MODES][16], rec[16], *total = &w->mb.total[b];
		uint32_t key[I4_MODES], best = judge_intra4x4(w, b, pred, key);
		int mode = (int)(best & 15);

		cost += best >> 4;
		if (cost >= limit)
			return 0;
		w->mb.i4_mode[b] = (uint8_t)mode;
		quantise_block(w, &q->luma, w->src[b], pred[mode], 0, w->lev.luma[b], total);
		w->mb.cbp |= (uint8_t)((*total != 0) << (b >> 2));
		reconstruct(w, &q->luma, w->lev.luma[b], *total, 0, 0, pred[mode], rec);
		store_luma(w, b, rec);
	}
	memset(w->lev.luma_dc, 0, sizeof(w->lev.luma_dc));
	return 1;
}

#endif
