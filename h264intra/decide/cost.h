/* Rate-distortion cost of a prediction mode: SATD of the residual + lambda x estimated bits, in
 * 1/16 of a unit of SATD. Integers only, so that all backends decide alike. The minimum of the keys
 * (cost << 4 | mode) resolves ties in favour of the lower mode number. */
#ifndef H264INTRA_DECIDE_COST_H
#define H264INTRA_DECIDE_COST_H

#include <h264intra/h264intra.h>
#include "h264intra/predict/edge4x4.h"
#include "h264intra/transform/quant.h"

/* SATD here is half the sum of the absolute 4x4 Hadamard coefficients (always an integer). */
LSCHED_FN uint32_t h264i_cost(uint32_t satd, int lambda, int bits)
{
	return satd * 16 + (uint32_t)(lambda * bits);
}

/* prev_intra4x4_pred_mode_flag, and rem_intra4x4_pred_mode where it differs. */
LSCHED_FN int h264i_i4_mode_bits(int mode, int predicted)
{
	return mode == predicted ? 1 : 4;
}

/* Bits of I_NxN beyond those of Intra16x16, without the modes: the coded block pattern, sixteen
 * coeff_tokens against one more. Tuned, see bench/notes/decisions.md. */
#define H264I_I4_BASE_BITS 12

/* The same of Intra8x8, tuned together with h264i_satd8_scale(), see bench/notes/decisions.md. */
#define H264I_I8_BASE_BITS 12

/* mb_type by Intra16x16PredMode, and ue(intra_chroma_pred_mode). */
LSCHED_FN int h264i_i16_mode_bits(int mode)
{
	return mode == I16_V ? 1 : mode == I16_PLANE ? 5 : 3;
}

LSCHED_FN int h264i_chroma_mode_bits(int mode)
{
	return mode == IC_DC ? 1 : mode == IC_PLANE ? 5 : 3;
}

/* Bit masks of the Intra16x16 and of the chroma modes that availability and disable_modes allow. */
LSCHED_FN uint32_t h264i_i16_allowed(int avail, uint32_t disable)
{
	uint32_t m = 1u << I16_DC;

	if (avail & H264I_UP)
		m |= 1u << I16_V;
	if (avail & H264I_LEFT)
		m |= 1u << I16_H;
	if ((avail & H264I_LEFT) && (avail & H264I_UP) && (avail & H264I_UPLEFT))
		m |= 1u << I16_PLANE;
	return m & ~(disable >> 9 & 0xbu);
}

LSCHED_FN uint32_t h264i_chroma_allowed(int avail, uint32_t disable)
{
	uint32_t m = 1u << IC_DC;

	if (avail & H264I_UP)
		m |= 1u << IC_V;
	if (avail & H264I_LEFT)
		m |= 1u << IC_H;
	if ((avail & H264I_LEFT) && (avail & H264I_UP) && (avail & H264I_UPLEFT))
		m |= 1u << IC_PLANE;
	return m & ~(disable >> 13 & 0xeu);
}

LSCHED_FN uint32_t h264i_i4_mask(uint32_t disable)
{
	return ~(disable & 0x1fbu);
}

/* The modes of 4x4 block b that would read UP-RIGHT and with H264I_DISABLE_UPRIGHT may not. avail:
 * of the macroblock. */
LSCHED_FN uint32_t h264i_i4_upright(int b, int avail, uint32_t disable)
{
	return disable & H264I_DISABLE_UPRIGHT && avail & H264I_UPRIGHT && b == H264I_UPRIGHT_BLOCK
		       ? (uint32_t)H264I_UPRIGHT_MODES
		       : 0;
}

/* Upper bound of the bits of macroblock_layer(), from cheap sums: coded blocks (coeff_token 16,
 * total_zeros 9), non-zero levels (run_before 11 at most; a level of magnitude m at most 2m + 7
 * bits while level_prefix <= 15: 2m at suffixLength 0, else prefix < m, stop bit, suffix <= 6,
 * first-level offset 1), and the header (81). If it is above h264i_pcm_bits(), the exact count
 * decides. */
LSCHED_FN uint32_t h264i_bits_bound(uint32_t coded_blocks, uint32_t nonzero, uint32_t abs_sum)
{
	return 81 + 28 + 25 * coded_blocks + 18 * nonzero + 2 * abs_sum;
}

/* A level above this may need more than level_prefix 15 (clause 9.2.2.1 with 15 + 12 bits): then
 * the bits are counted exactly. */
#define H264I_LEVEL_SAFE 2000

#endif
