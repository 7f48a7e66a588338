/* Estimated bits of CABAC for rate-distortion decisions.
 *
 * The states of the contexts are not known where macroblocks are decided in another order than they
 * are coded, so a bin's bits are those of a probability that depends on its context and the QP only
 * (decide/rates.c). decide/cavlc_rates.h has the bits of CAVLC.
 *
 * Rates are in 1/256 bit. A cost is 64 times a squared error with 8 bits plus lambda times bits.
 * Integers only, so that all backends decide alike. */
#ifndef H264INTRA_DECIDE_RATES_H
#define H264INTRA_DECIDE_RATES_H

#include "h264intra/core/qp.h"
#include "h264intra/entropy/cabac_mb.h"
#include "h264intra/transform/quant.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Tables of one luma QP. */
typedef struct h264i_rates {
	uint16_t bin[H264I_CTX][2]; /* rate of a bin of value 0 and 1 */
	uint32_t lambda;            /* cost of a bit */
	/* Of 1/256 bit in quantisation (decide/rdoq.h), in 1/16 of 2^-16 of the squared quantiser
	 * step of luma and of Cb and Cr. */
	int32_t quant_luma, quant_chroma[2];
} h264i_rates;

/* Fills the tables for qp 0 to H264I_QPS - 1 (decide/rates.c).
 * w: scaling matrices, NULL: flat ones; chroma_qp_offset: of Cb and Cr, NULL: 0. */
void h264i_i_rates_init(
	h264i_rates *r, int qp, const h264i_weights *w, const int chroma_qp_offset[2]);

#ifdef __cplusplus
}
#endif

/* Below 2^32: a macroblock's squared error with 8 bits is below 2^24, its rate at most 2^20. */
LSCHED_FN uint32_t h264i_rd_cost(const h264i_rates *r, uint32_t squared_error, uint32_t rate)
{
	return (squared_error << (6 - 2 * H264I_DEPTH_SHIFT)) +
	       (uint32_t)((uint64_t)r->lambda * rate >> 8);
}

/* coeff_abs_level_minus1 and coeff_sign_flag of a level of magnitude `level` > 0; first, more: the
 * contexts of the first and of the other bins, as offsets in abs. */
LSCHED_FN uint32_t h264i_rate_level(const uint16_t (*abs)[2], int level, int first, int more)
{
	uint32_t rest = (uint32_t)level - 1, rate = 256 + abs[first][rest != 0];

	if (!rest)
		return rate;
	rate += ((rest < 14 ? rest : 14) - 1) * abs[more][1];
	if (rest < 14)
		return rate + abs[more][0];
	return rate + 256 * (2 * h264i_top_bit(rest - 13) + 1);
}

/* These contexts of a level, behind which in the scan `ones` levels are 1 or -1 and `larger` are of
 * larger magnitude (clause 9.3.3.1.3). */
LSCHED_FN int h264i_first_of(int ones, int larger)
{
	return larger ? 0 : (ones < 3 ? ones : 3) + 1;
}

LSCHED_FN int h264i_more_of(int larger)
{
	return 5 + (larger < 4 ? larger : 4);
}

/* The mode of a block of I_NxN. */
LSCHED_FN uint32_t h264i_rate_mode(const h264i_rates *r, int mode, int predicted)
{
	int rem = mode - (mode > predicted);
	const uint16_t *bit = r->bin[H264I_CTX_REM_MODE];
	uint32_t rate = r->bin[H264I_CTX_PREV_MODE][mode == predicted];

	return mode == predicted ? rate : rate + bit[rem & 1] + bit[rem >> 1 & 1] + bit[rem >> 2];
}

/* mb_type without what it says of chroma, transform_size_8x8_flag and an mb_qp_delta of 0. syntax:
 * transform_8x8_mode_flag. */
LSCHED_FN uint32_t h264i_rate_type(const h264i_rates *r, const h264i_mb *mb, const h264i_mb *left,
	const h264i_mb *up, int syntax)
{
	const uint16_t(*bin)[2] = r->bin;
	int n_by_n = mb->type == H264I_MB_I4X4;
	int inc = (left && left->type != H264I_MB_I4X4) + (up && up->type != H264I_MB_I4X4);
	int inc8 = (left && (left->flags & H264I_MB_T8X8)) + (up && (up->flags & H264I_MB_T8X8));
	uint32_t rate = bin[H264I_CTX_MB_TYPE + inc][!n_by_n];

	if (n_by_n && (syntax & H264I_SYNTAX_8X8))
		rate += bin[H264I_CTX_T8X8 + inc8][mb->flags & H264I_MB_T8X8];
	if (!n_by_n)
		rate += (uint32_t)bin[H264I_CTX_MB_TYPE + 3][(mb->cbp & 15) != 0] +
			bin[H264I_CTX_MB_TYPE + 6][mb->i16_mode >> 1 & 1] +
			bin[H264I_CTX_MB_TYPE + 7][mb->i16_mode & 1];
	return h264i_has_qp_delta(mb) ? rate + bin[H264I_CTX_QP_DELTA][0] : rate;
}

/* Context of the bit of 8x8 block b in coded_block_pattern; mb has the bits of those before it. */
LSCHED_FN int h264i_cbp_luma_ctx(
	const h264i_mb *mb, const h264i_mb *left, const h264i_mb *up, int b)
{
	int beside = b & 1 ? mb->cbp : left ? left->cbp : 0x0f;
	int above = b & 2 ? mb->cbp : up ? up->cbp : 0x0f;

	return H264I_CTX_CBP_LUMA + (~beside >> (b ^ 1) & 1) + 2 * (~above >> (b ^ 2) & 1);
}

/* intra_chroma_pred_mode. */
LSCHED_FN uint32_t h264i_rate_chroma_mode(
	const h264i_rates *r, int mode, const h264i_mb *left, const h264i_mb *up)
{
	int inc = (left && left->chroma_mode != 0) + (up && up->chroma_mode != 0);
	const uint16_t *more = r->bin[H264I_CTX_CHROMA_MODE + 3];
	uint32_t rate = r->bin[H264I_CTX_CHROMA_MODE + inc][mode != 0];

	if (mode > 0)
		rate += more[mode > 1];
	return mode > 1 ? rate + more[mode > 2] : rate;
}

/* The part of coded_block_pattern for chroma, 0..2. */
LSCHED_FN uint32_t h264i_rate_cbp_chroma(
	const h264i_rates *r, int chroma, const h264i_mb *left, const h264i_mb *up)
{
	int a = left ? left->cbp >> 4 : 0, b = up ? up->cbp >> 4 : 0;
	const uint16_t(*bin)[2] = r->bin + H264I_CTX_CBP_CHROMA;
	uint32_t rate = bin[(a != 0) + 2 * (b != 0)][chroma != 0];

	return chroma ? rate + bin[4 + (a == 2) + 2 * (b == 2)][chroma == 2] : rate;
}

#endif
