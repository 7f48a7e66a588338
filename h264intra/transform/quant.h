/* Quantisation with flat scaling matrices (clauses 8.5.9, 8.5.11, 8.5.12), integers only.
 *
 * The decoder's side is fixed by the standard: a level c at position (i, j) stands for c * norm(qp
 * % 6, i, j) << (qp / 6). The encoder multiplies by the reciprocal, adds a rounding offset below
 * one half (a dead zone) and shifts. */
#ifndef H264INTRA_TRANSFORM_QUANT_H
#define H264INTRA_TRANSFORM_QUANT_H

#include "h264intra/core/mb.h"

/* Constants of one plane type at one QP. Index: position class, see h264i_pos_class. */
typedef struct h264i_quant {
	int32_t mf[3]; /* 2^(15 + qp/6) / (norm << qp/6), transform gain folded in */
	int32_t v[3];  /* norm << qp/6 */
	int32_t qbits; /* 15 + qp/6 */
	int32_t bias;  /* rounding offset of AC and plain 4x4 coefficients */
	int32_t shift; /* qp/6 */
} h264i_quant;

/* The same of 8x8 luma blocks (transform/quant8x8.h). Index: h264i_pos_class8(). */
typedef struct h264i_quant8 {
	int32_t mf[6]; /* 2^(20 + qp/6) / (norm << qp/6), transform gain folded in */
	int32_t v[6];  /* norm << qp/6 */
	int32_t qbits; /* 20 + qp/6 */
	int32_t bias;
} h264i_quant8;

/* A macroblock must not have more than 3,200 bits (clause A.3.1), but the wavefront, which decides
 * on I_PCM, counts those of CAVLC. Where both took over 2,000 bits, CABAC took up to 19 % more (6
 * clips, QP 0 to 18): 2,600 bits, which are 488 less than those of I_PCM, leave it 23 %. */
enum { H264I_CABAC_MARGIN = 488 };

enum { H264I_QPS = 52 };

/* What macroblocks of one QP are coded with; constant for an encoder. */
typedef struct h264i_qparams {
	int32_t qp;
	int32_t lambda;   /* of one bit, in 1/16 of a unit of SATD */
	uint32_t disable; /* H264I_DISABLE_* */
	/* How many bits of CAVLC below those of I_PCM a macroblock must have, or I_PCM codes it: 0,
	 * or H264I_CABAC_MARGIN. */
	int32_t pcm_margin;
	int32_t transform8x8; /* transform_8x8_mode_flag: 1 with Intra8x8 macroblocks */
	h264i_quant luma, chroma;
	h264i_quant8 luma8;
} h264i_qparams;

/* Fills q for qp 0..51, with transform8x8 0 (transform/quant.c). */
void h264i_i_qparams_init(h264i_qparams *q, int qp, uint32_t disable_modes);

/* (even, even) 0, (odd, odd) 1, mixed 2: the three norms of the core transform. */
LSCHED_FN int h264i_pos_class(int i, int j)
{
	return (i & j & 1) ? 1 : ((i | j) & 1) ? 2 : 0;
}

LSCHED_FN int h264i_quantise(int c, int mf, int bias, int qbits)
{
	int a = c < 0 ? -c : c;
	int l = (int)(((uint32_t)a * (uint32_t)mf + (uint32_t)bias) >> qbits);

	return c < 0 ? -l : l;
}

/* A DC has one more bit of gain, from the Hadamard transform of the DCs. */
LSCHED_FN int h264i_quantise_dc(int c, const h264i_quant *q)
{
	return h264i_quantise(c, q->mf[0], 2 * q->bias, q->qbits + 1);
}

/* Luma DC of Intra16x16 after the inverse Hadamard (8.5.10). */
LSCHED_FN int h264i_dequant_luma_dc(int f, const h264i_quant *q)
{
	return (f * q->v[0] * 16 + 32) >> 6;
}

/* Chroma DC after the inverse 2x2 transform (8.5.11.2). */
LSCHED_FN int h264i_dequant_chroma_dc(int f, const h264i_quant *q)
{
	return f * q->v[0] >> 1;
}

#endif
