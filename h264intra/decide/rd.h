/* How thorough rate-distortion decisions are: what options.rd stands for. */
#ifndef H264INTRA_DECIDE_RD_H
#define H264INTRA_DECIDE_RD_H

#include "h264intra/decide/cavlc_rates.h"
#include "h264intra/decide/cost.h"
#include "h264intra/decide/rates.h"
#include "h264intra/decide/rdoq.h"

/* Modes of a 4x4 or 8x8 block that are coded and compared: those of the lowest SATD. */
LSCHED_FN int h264i_rd_block_modes(int rd)
{
	return rd > 1 ? rd : 1;
}

/* The same of Intra16x16 and of chroma. */
LSCHED_FN int h264i_rd_plane_modes(int rd)
{
	return rd > 8 ? 4 : rd / 3 + 1;
}

/* Weight of a bit in the quantisation of luma. With CAVLC and the whole of it the BD-rate is 0.3 %
 * higher; chroma keeps its weight. */
LSCHED_FN int32_t h264i_rd_luma_weight(const h264i_rates *r, int cavlc)
{
	return cavlc ? r->quant_luma * 7 / 8 : r->quant_luma;
}

/* The mode of a block of I_NxN. */
LSCHED_FN uint32_t h264i_rd_mode_rate(const h264i_rates *r, int cavlc, int mode, int predicted)
{
	return cavlc ? h264i_cavlc_rate_mode(mode, predicted) : h264i_rate_mode(r, mode, predicted);
}

/* mb_type to mb_qp_delta, without the modes. t: tables of CAVLC. */
LSCHED_FN uint32_t h264i_rd_type_rate(const h264i_rates *r, const h264i_cavlc_tables *t,
	const h264i_mb *mb, const h264i_mb *left, const h264i_mb *up, int syntax)
{
	uint32_t rate;
	int b;

	if (syntax & H264I_SYNTAX_CAVLC)
		return h264i_cavlc_rate_type(t, mb, left, up, syntax);
	rate = h264i_rate_type(r, mb, left, up, syntax);
	/* Of Intra8x8 the bits of the pattern are the flags of the blocks. */
	if (mb->type == H264I_MB_I4X4 && !(mb->flags & H264I_MB_T8X8))
		for (b = 0; b < 4; b++)
			rate += r->bin[h264i_cbp_luma_ctx(mb, left, up, b)][mb->cbp >> b & 1];
	return rate;
}

/* Mode and pattern of chroma. 4:0:0 has neither: all modes tie, and DC, the first, is kept. */
LSCHED_FN uint32_t h264i_rd_chroma_rate(const h264i_rates *r, const h264i_cavlc_tables *t, int mode,
	int pattern, const h264i_mb *left, const h264i_mb *up, int syntax)
{
	if (syntax & H264I_SYNTAX_GRAY)
		return 0;
	return syntax & H264I_SYNTAX_CAVLC
		       ? h264i_cavlc_rate_chroma(t, mode, pattern, left, up, syntax)
		       : h264i_rate_chroma_mode(r, mode, left, up) +
				 h264i_rate_cbp_chroma(r, pattern, left, up);
}

#endif
