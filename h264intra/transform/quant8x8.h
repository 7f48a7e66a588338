/* Quantisation of 8x8 blocks (clauses 8.5.9 and 8.5.13), integers only.
 *
 * The decoder scales a level c at (i, j) by LevelScale8x8 = weight * norm: c * weight * norm <<
 * (qp/6 - 6) from QP 36 on, below with rounding by >> (6 - qp/6). With step = weight * norm << qp/6
 * both are (c * step + 32) >> 6. */
#ifndef H264INTRA_TRANSFORM_QUANT8X8_H
#define H264INTRA_TRANSFORM_QUANT8X8_H

#include "h264intra/transform/quant.h"

/* Position class of (i, j), the index of normAdjust8x8 (equation 8-318): both multiples of 4: 0,
 * both odd: 1, both 2 mod 4: 2, a multiple of 4 with an odd one: 3, with 2 mod 4: 4, odd with 2 mod
 * 4: 5. By (i % 4 as 0, 2 or odd) and likewise j, in nibbles: rows 0 3 4 3, 3 1 5 1, 4 5 2 5, 3 1 5
 * 1. */
LSCHED_FN int h264i_pos_class8(int i, int j)
{
	return (int)(0x1513525415133430ull >> (16 * (i & 3) + 4 * (j & 3)) & 15);
}

/* A coefficient of h264i_fdct8x8() at position 8 * i + j. The product is below 2^32: the largest
 * coefficient is 64 * H264I_PX_MAX in class 0, and the multipliers of the other classes are smaller
 * in proportion. */
LSCHED_FN int h264i_quantise8(int c, int at, const h264i_quant8 *q)
{
	return h264i_quantise(c, q->mul[at], q->bias, q->qbits);
}

/* step: of the level's position */
LSCHED_FN int h264i_dequant8(int level, int step)
{
	return (level * step + 32) >> 6;
}

#endif
