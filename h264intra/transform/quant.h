/* Quantisation (clauses 8.5.9, 8.5.11, 8.5.12), integers only.
 *
 * The decoder's side is fixed by the standard: a level c at position (i, j) stands for c times
 * weight(i, j) * norm(qp % 6, i, j) << (qp / 6), in 16ths and rounded, where weight is the scaling
 * matrix: 16 everywhere if it is flat. The encoder multiplies by the reciprocal, adds a rounding
 * offset below one half (a dead zone) and shifts. */
#ifndef H264INTRA_TRANSFORM_QUANT_H
#define H264INTRA_TRANSFORM_QUANT_H

#include "h264intra/core/mb.h"

/* Scaling matrices: weights by position 4 * i + j or 8 * i + j, i the row. */
typedef struct h264i_weights {
	uint8_t luma4[16], chroma4[16], luma8[64];
} h264i_weights;

/* With 8 bits a weight of 4 makes levels of 8x8 blocks of up to 13,056 and of DCs of up to 26,112;
 * smaller ones could exceed 16 bits. */
enum { H264I_WEIGHT_MIN = 4 << H264I_DEPTH_SHIFT, H264I_WEIGHT_FLAT = 16 };

/* Constants of one plane type at one QP. */
typedef struct h264i_quant {
	int32_t mul[16];  /* by position: 16 * 2^qbits / step, transform gain folded in */
	int32_t step[16]; /* by position: weight * norm << qp/6 */
	/* With flat matrices, by position class (h264i_pos_class): mul, and step / 16. */
	int32_t mf[3], v[3];
	int32_t qbits; /* 15 + qp/6, less with weights below 16: products have 32 bits */
	int32_t bias;  /* rounding offset of AC and plain 4x4 coefficients */
	int32_t shift; /* qp/6 */
} h264i_quant;

/* Coefficients have a bit more for each bit of a sample, and products 32 bits. */
enum { H264I_QUANT8_BITS = 20 - H264I_DEPTH_SHIFT };

/* The same of 8x8 luma blocks (transform/quant8x8.h). */
typedef struct h264i_quant8 {
	int32_t mul[64];
	int32_t step[64];
	int32_t mf[6], v[6]; /* class: h264i_pos_class8() */
	int32_t qbits;       /* H264I_QUANT8_BITS + qp/6, or less */
	int32_t bias;
} h264i_quant8;

/* A macroblock must not have more than 3,200 bits (clause A.3.1), but the wavefront, which decides
 * on I_PCM, counts those of CAVLC. Where both took over 2,000 bits, CABAC took up to 19 % more (6
 * clips, QP 0 to 18): 2,600 bits, which are 488 less than those of I_PCM, leave it 23 %. */
enum { H264I_CABAC_MARGIN = 488 };

/* What macroblocks of one QP are coded with; constant for an encoder. */
typedef struct h264i_qparams {
	int32_t qp;
	int32_t lambda;   /* of one bit, in 1/16 of a unit of SATD */
	uint32_t disable; /* H264I_DISABLE_* */
	/* How many bits of CAVLC below those of I_PCM a macroblock must have, or I_PCM codes it: 0,
	 * or H264I_CABAC_MARGIN. */
	int32_t pcm_margin;
	int32_t syntax; /* of H264I_SYNTAX_8X8, with Intra8x8 macroblocks, _GRAY and _CAVLC */
	/* Index in chroma[] of what Cr has: 0 if that is the same as Cb's, so that the lanes of Cr
	 * read the same constants as those of Cb. */
	int32_t cr;
	h264i_quant luma, chroma[2]; /* Cb and Cr */
	h264i_quant8 luma8;
} h264i_qparams;

/* Fills q for qp 0 to H264I_QPS - 1, with syntax 0, flat matrices and chroma QP offsets of 0. */
void h264i_i_qparams_init(h264i_qparams *q, int qp, uint32_t disable_modes);

/* Changes q to scaling matrices w, NULL: flat ones, and offsets of -12 to 12 for Cb and Cr, NULL:
 * 0. */
void h264i_i_qparams_set(h264i_qparams *q, const h264i_weights *w, const int chroma_qp_offset[2]);

/* The scaling matrices that the standard has for intra blocks (tables 7-3 and 7-4). */
void h264i_i_weights_default(h264i_weights *w);

/* (even, even) 0, (odd, odd) 1, mixed 2: the three norms of the core transform. */
LSCHED_FN int h264i_pos_class(int i, int j)
{
	return (i & j & 1) ? 1 : ((i | j) & 1) ? 2 : 0;
}

/* What plane 0 (Cb) or 1 (Cr) is quantised with. */
LSCHED_FN const h264i_quant *h264i_chroma_quant(const h264i_qparams *q, int plane)
{
	return &q->chroma[plane & q->cr];
}

LSCHED_FN int h264i_quantise(int c, int mf, int bias, int qbits)
{
	int a = c < 0 ? -c : c;
	int l = (int)(((uint32_t)a * (uint32_t)mf + (uint32_t)bias) >> qbits);

	return c < 0 ? -l : l;
}

/* The coefficient of a level; step: of its position (8.5.12.1: both of its cases). */
LSCHED_FN int h264i_dequant(int level, int step)
{
	return (level * step + 8) >> 4;
}

/* A DC has one more bit of gain, from the Hadamard transform of the DCs. */
LSCHED_FN int h264i_quantise_dc(int c, const h264i_quant *q)
{
	return h264i_quantise(c, q->mul[0], 2 * q->bias, q->qbits + 1);
}

/* Luma DC of Intra16x16 after the inverse Hadamard (8.5.10). */
LSCHED_FN int h264i_dequant_luma_dc(int f, const h264i_quant *q)
{
	return (f * q->step[0] + 32) >> 6;
}

/* Chroma DC after the inverse 2x2 transform (8.5.11.2). */
LSCHED_FN int h264i_dequant_chroma_dc(int f, const h264i_quant *q)
{
	return f * q->step[0] >> 5;
}

#endif
