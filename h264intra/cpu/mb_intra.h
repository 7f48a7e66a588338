/* Mode decision and coding of one macroblock. The functions of w->dsp (cpu/dsp.h) do the work. */
#ifndef H264INTRA_CPU_MB_INTRA_H
#define H264INTRA_CPU_MB_INTRA_H

#include "h264intra/cpu/mb_chroma.h"
#include "h264intra/cpu/mb_intra16x16.h"
#include "h264intra/cpu/mb_intra4x4.h"
#include "h264intra/cpu/mb_intra8x8.h"
#include "h264intra/cpu/mb_rd_blocks.h"
#include "h264intra/cpu/mb_rd_planes.h"
#include "h264intra/decide/macroblock.h"

/* Codes the macroblock as I_PCM. A pcm_sample of 0 is not legal in Baseline and Main (clauses
 * A.2.1, A.2.2); 1 replaces it. In High, where 0 is legal, too: one rule for all profiles on all
 * backends, which keeps the bytes, at an error of 1 in samples of 0. */
MB_FN void do_pcm(mb_work *w)
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

/* 1: the macroblock exceeds a bound of the standard, or has more bits than I_PCM, or with CABAC
 * possibly more than the standard allows. */
MB_FN int must_be_pcm(const mb_work *w)
{
	int bits = 0, most = h264i_pcm_most(w->q);
	h264i_level_sums s;

	if (w->exceeds)
		return 1;
	sum_mb_levels(w, &s);
	if (h264i_pcm_suspect(
		    h264i_bits_bound(s.coded_blocks, s.nonzero, s.abs_sum), s.abs_max, most))
		bits = h264i_mb_bits(&h264i_i_cavlc, &w->mb, w->lev, w->left, w->up, w->q->syntax);
	return h264i_is_pcm(w->exceeds, bits, most);
}

/* Codes the luma blocks in the type of the lowest cost; of equal ones Intra16x16 comes before
 * Intra8x8 and that before Intra4x4. Intra16x16 is judged first, which needs no coding; the others
 * stop when their cost reaches that of the best so far. */
MB_FN void do_luma(mb_work *w)
{
	uint32_t keys[H264I_KEYS], key = judge_intra16x16(w, keys);
	uint32_t limit = h264i_type_allowed(w->q, H264I_TYPE_16X16) ? key >> 4 : UINT32_MAX;
	mb_candidate best = { .cost = UINT32_MAX };

	if (h264i_type_allowed(w->q, H264I_TYPE_8X8))
		best.cost = try_intra8x8(w, limit);
	if (best.cost != UINT32_MAX) {
		limit = best.cost;
		keep_luma(w, &best);
	}
	if (h264i_type_allowed(w->q, H264I_TYPE_4X4) && try_intra4x4(w, limit))
		return;
	if (best.cost != UINT32_MAX)
		restore_luma(w, &best);
	else
		do_intra16x16(w, (int)(key & 15));
}

/* The same by rate and distortion, or with options.rd 0 by SATD, of types whose levels were chosen
 * by rate and distortion. */
MB_FN void do_luma_rd(mb_work *w)
{
	uint32_t key[H264I_KEYS], cost;
	mb_candidate best = { .cost = UINT32_MAX };

	judge_intra16x16(w, key);
	if (h264i_type_allowed(w->q, H264I_TYPE_16X16))
		rd_intra16x16(w, key, &best);
	if (h264i_type_allowed(w->q, H264I_TYPE_8X8)) {
		cost = rd_intra8x8(w, best.cost);
		if (cost < best.cost) {
			keep_luma(w, &best);
			best.cost = cost;
		}
	}
	if (!h264i_type_allowed(w->q, H264I_TYPE_4X4) || rd_intra4x4(w, best.cost) >= best.cost)
		restore_luma(w, &best);
}

/* Encodes macroblock (mx, my). The order follows the decoder: Intra4x4 predicts each block from
 * reconstructed samples, so it decides, transforms and reconstructs block by block. */
MB_FN void encode_mb(mb_work *w, const h264i_picture *p, uint32_t mx, uint32_t my)
{
	load_source(w, p, mx, my);
	load_neighbours(w, p, mx, my);
	if (w->scan) {
		do_luma_rd(w);
		rd_chroma(w);
	} else {
		do_luma(w);
		do_chroma(w);
	}
	if (must_be_pcm(w))
		do_pcm(w);
	store_results(w, p, mx, my);
}

#endif
