/* Mode decision and coding of one macroblock. The functions of w->dsp (cpu/dsp.h) do the work. */
#ifndef H264INTRA_CPU_MB_INTRA_H
#define H264INTRA_CPU_MB_INTRA_H

#include "h264intra/cpu/mb_chroma.h"
#include "h264intra/cpu/mb_intra16x16.h"
#include "h264intra/cpu/mb_intra4x4.h"
#include "h264intra/cpu/mb_intra8x8.h"
#include "h264intra/cpu/mb_rd_blocks.h"
#include "h264intra/cpu/mb_rd_planes.h"
#include "h264intra/decide/drive_mb.h"

/* Codes the macroblock as I_PCM. A pcm_sample of 0 is not legal in Baseline and Main (clauses
 * A.2.1, A.2.2); 1 replaces it. In High, where 0 is legal, too: one rule for all profiles on all
 * backends, which keeps the bytes, at an error of 1 in samples of 0. */
MB_FN void mb_code_pcm(mb_work *w)
{
	w->mb.type = H264I_MB_PCM;
	w->mb.cbp = 0x2f;
	w->mb.flags = H264I_MB_DC_ALL;
	w->mb.chroma_mode = 0;
	memset(w->mb.i4_mode, I4_DC, sizeof(w->mb.i4_mode));
	memset(w->mb.total, 16, sizeof(w->mb.total));
	for (int b = 0; b < 16 + 2 * H264I_CHROMA_BLOCKS; b++) {
		h264i_px rec[16];

		for (int i = 0; i < 16; i++)
			rec[i] = w->src[b][i] ? w->src[b][i] : 1;
		if (b < 16)
			store_luma(w, b, rec);
		else
			memcpy(w->rec_c[b - 16], rec, sizeof(rec));
	}
}

/* Adds the levels of the macroblock. All of a part that is not in the pattern are 0. */
MB_FN void sum_mb_levels(const mb_work *w, h264i_level_sums *s)
{
	int16_t dc[2][16] = { { 0 }, { 0 } };

	memset(s, 0, sizeof(*s));
	for (int b = 0; b < 4; b++)
		if (w->mb.cbp >> b & 1)
			w->dsp->sum_levels(w->lev->luma[4 * b], 4, s);
	if (w->mb.flags & H264I_MB_DC_Y)
		w->dsp->sum_levels(w->lev->luma_dc, 1, s);
	if (w->mb.cbp >> 5)
		w->dsp->sum_levels(w->lev->chroma_ac[0][0], 8, s);
	if (!(w->mb.cbp >> 4))
		return;
	memcpy(dc[0], w->lev->chroma_dc[0], sizeof(w->lev->chroma_dc[0]));
	memcpy(dc[1], w->lev->chroma_dc[1], sizeof(w->lev->chroma_dc[1]));
	w->dsp->sum_levels(dc[0], 2, s);
}

/* ---- the operations of decide/drive_mb.h ---- */

MB_FN int mb_allows(const mb_job *w, h264i_type type)
{
	return h264i_type_allowed(w->q, type);
}

MB_FN void mb_load(mb_job *w)
{
	load_source(w, w->p, w->x, w->y);
	load_neighbours(w, w->p, w->x, w->y);
	w->best.cost = UINT32_MAX;
}

MB_FN void mb_store(mb_job *w)
{
	store_results(w, w->p, w->x, w->y);
}

MB_FN h264i_mb_totals mb_join(mb_job *w)
{
	h264i_mb_totals t = { w->exceeds, 0, 0 };
	h264i_level_sums s;

	if (t.exceeds)
		return t;
	sum_mb_levels(w, &s);
	t.bound = h264i_bits_bound(s.coded_blocks, s.nonzero, s.abs_sum);
	t.abs_max = s.abs_max;
	return t;
}

MB_FN int mb_exact_bits(mb_job *w)
{
	return h264i_mb_bits(&h264i_i_cavlc, &w->mb, w->lev, w->left, w->up, w->q->syntax);
}

MB_FN uint32_t mb_decide16(mb_job *w)
{
	uint32_t keys[H264I_KEYS], key = decide_intra16x16(w, keys);

	w->cost[H264I_TYPE_16X16] = mb_allows(w, H264I_TYPE_16X16) ? key >> 4 : UINT32_MAX;
	return key;
}

MB_FN uint32_t mb_try8(mb_job *w)
{
	return try_intra8x8(w, w->cost[H264I_TYPE_16X16]);
}

MB_FN void mb_keep8(mb_job *w)
{
	keep_luma(w, &w->best);
}

MB_FN void mb_restore8(mb_job *w)
{
	restore_luma(w, &w->best);
}

MB_FN uint32_t mb_try4(mb_job *w, uint32_t cost8)
{
	const uint32_t cost16 = w->cost[H264I_TYPE_16X16];

	return try_intra4x4(w, cost8 < cost16 ? cost8 : cost16);
}

/* w->best has the best type so far; Intra4x4, the last one, is never kept there. */
MB_FN void mb_rd_code(mb_job *w, h264i_type type)
{
	uint32_t key[H264I_KEYS], cost;

	switch (type) {
	case H264I_TYPE_16X16:
		decide_intra16x16(w, key);
		rd_intra16x16(w, key, &w->best);
		w->cost[type] = w->best.cost;
		return;
	case H264I_TYPE_8X8:
		w->cost[type] = cost = rd_intra8x8(w, w->best.cost);
		if (cost >= w->best.cost)
			return;
		keep_luma(w, &w->best);
		w->best.cost = cost;
		return;
	case H264I_TYPE_4X4:
		w->cost[type] = rd_intra4x4(w, w->best.cost);
	}
}

MB_FN uint32_t mb_rd_cost(const mb_job *w, h264i_type type)
{
	return w->cost[type];
}

MB_FN void mb_rd_take(mb_job *w, h264i_type type)
{
	if (type != H264I_TYPE_4X4)
		restore_luma(w, &w->best);
}

/* Encodes a macroblock. The order follows the decoder: Intra4x4 predicts each block from
 * reconstructed samples, so it decides, transforms and reconstructs block by block. */
MB_FN void encode_mb(mb_work *w)
{
	if (w->scan)
		mb_drive_rd(w);
	else
		mb_drive_satd(w);
}

#endif
