/* The steps of a macroblock in their order, once for both backends. One thread or one warp codes a
 * macroblock by mb_drive_satd() or mb_drive_rd(). Workers of several warps divide the steps:
 *
 *   step                three warps, by SATD         four warps, by rate and distortion
 *   luma of mb_load     body: UP-RIGHT; warp of      body
 *                       Intra16x16: the rest
 *   chroma of mb_load   warp of chroma               warp of chroma
 *   -- barrier --
 *   mb_decide16          warp of Intra16x16
 *   mb_drive_blocks     body
 *   mb_code16           warp of Intra16x16, ahead
 *   mb_rd_type                                       a warp for each; body: Intra4x4
 *   chroma              warp of chroma               warp of chroma
 *   -- barrier --
 *   mb_rd_choose                                     body
 *   mb_finish           body                         body
 *   mb_store            body; levels: warp of        body
 *                       Intra16x16
 *
 * The includer defines MB_FN, how a function is declared, and the type mb_job: the macroblock and
 * what it is coded with, of which this text reads q. Then, before or after, it defines the
 * operations. */
#ifndef H264INTRA_DECIDE_DRIVE_MB_H
#define H264INTRA_DECIDE_DRIVE_MB_H

#include "h264intra/decide/macroblock.h"

/* ---- operations ---- */

MB_FN int mb_allows(const mb_job *j, h264i_type type);

/* Loads source and borders. */
MB_FN void mb_load(mb_job *j);

/* Stores what neighbours, the entropy coder and the caller read. */
MB_FN void mb_store(mb_job *j);

/* Joins the results of luma and chroma. */
MB_FN h264i_mb_totals mb_join(mb_job *j);

/* The bits as from h264i_mb_bits(). */
MB_FN int mb_exact_bits(mb_job *j);
MB_FN void mb_code_pcm(mb_job *j);

/* By SATD: selects the mode of Intra16x16 without coding it, and sets its cost, which the
 * trials read. Returns the lowest key. */
MB_FN uint32_t mb_decide16(mb_job *j);

/* Codes luma as Intra8x8. Returns the cost, or UINT32_MAX when it reaches that of Intra16x16. */
MB_FN uint32_t mb_try8(mb_job *j);

/* Keeps the result of mb_try8(), and makes it that of the macroblock again. */
MB_FN void mb_keep8(mb_job *j);
MB_FN void mb_restore8(mb_job *j);

/* The same as Intra4x4, which also stops at cost8. */
MB_FN uint32_t mb_try4(mb_job *j, uint32_t cost8);
MB_FN void mb_code16(mb_job *j, int mode);
MB_FN void mb_code_chroma(mb_job *j);

/* By rate and distortion: codes luma in a type. Its result and its cost are kept, at least if the
 * cost is lower than that of the types before. */
MB_FN void mb_rd_code(mb_job *j, h264i_type type);
MB_FN uint32_t mb_rd_cost(const mb_job *j, h264i_type type);

/* Makes the type's result that of the macroblock. */
MB_FN void mb_rd_take(mb_job *j, h264i_type type);
MB_FN void mb_rd_chroma(mb_job *j);

/* ---- the sequence ---- */

/* Recodes the macroblock as I_PCM if it exceeds a bound of the standard, or has more bits than
 * I_PCM, or with CABAC possibly more than the standard allows. */
MB_FN void mb_finish(mb_job *j)
{
	const h264i_mb_totals t = mb_join(j);
	const int most = h264i_pcm_most(j->q);
	int bits = 0;

	if (!t.exceeds && h264i_pcm_suspect(t.bound, t.abs_max, most))
		bits = mb_exact_bits(j);
	if (h264i_is_pcm(t.exceeds, bits, most))
		mb_code_pcm(j);
}

/* Codes luma as Intra8x8 or Intra4x4, which stop when their cost reaches that of the best so far.
 * Returns the lower cost, or UINT32_MAX when both reach that of Intra16x16. */
MB_FN uint32_t mb_drive_blocks(mb_job *j)
{
	uint32_t cost8 = UINT32_MAX, cost4 = UINT32_MAX;

	if (mb_allows(j, H264I_TYPE_8X8)) {
		cost8 = mb_try8(j);
		if (cost8 != UINT32_MAX)
			mb_keep8(j);
	}
	if (mb_allows(j, H264I_TYPE_4X4))
		cost4 = mb_try4(j, cost8);
	if (h264i_choose_type(UINT32_MAX, cost8, cost4) != H264I_TYPE_8X8)
		return cost4;
	mb_restore8(j);
	return cost8;
}

/* The mode of Intra16x16 is selected first, which needs no coding, and coded last. */
MB_FN void mb_drive_satd(mb_job *j)
{
	uint32_t key;

	mb_load(j);
	key = mb_decide16(j);
	if (mb_drive_blocks(j) == UINT32_MAX)
		mb_code16(j, (int)(key & 15));
	mb_code_chroma(j);
	mb_finish(j);
	mb_store(j);
}

MB_FN void mb_rd_type(mb_job *j, h264i_type type)
{
	if (mb_allows(j, type))
		mb_rd_code(j, type);
}

/* Takes the type of the lowest cost. */
MB_FN void mb_rd_choose(mb_job *j)
{
	uint32_t cost[3] = { UINT32_MAX, UINT32_MAX, UINT32_MAX };

	LSCHED_UNROLL
	for (int type = H264I_TYPE_16X16; type <= H264I_TYPE_4X4; type++)
		if (mb_allows(j, (h264i_type)type))
			cost[type] = mb_rd_cost(j, (h264i_type)type);
	mb_rd_take(j, h264i_choose_type(cost[0], cost[1], cost[2]));
}

/* All types are coded, with levels chosen by rate and distortion, and compared by both, or with
 * options.rd 0 by SATD. */
MB_FN void mb_drive_rd(mb_job *j)
{
	mb_load(j);
	mb_rd_type(j, H264I_TYPE_16X16);
	mb_rd_type(j, H264I_TYPE_8X8);
	mb_rd_type(j, H264I_TYPE_4X4);
	mb_rd_choose(j);
	mb_rd_chroma(j);
	mb_finish(j);
	mb_store(j);
}

#endif
