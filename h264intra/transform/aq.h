/* Adaptive quantisation: the QP of a macroblock from its energy, the sum over the planes of the
 * squared deviation of its source samples from their mean. Modes and strength mean what they do in
 * x264. Integers only, so that all backends agree; fractions have 16 bits. */
#ifndef H264INTRA_TRANSFORM_AQ_H
#define H264INTRA_TRANSFORM_AQ_H

#include "h264intra/core/language.h"

/* Of a sum of 256 samples. */
#if H264I_BIT_DEPTH == 8
typedef uint32_t h264i_square;
#else
typedef uint64_t h264i_square;
#endif

typedef struct h264i_aq {
	int32_t mode;     /* options.aq_mode */
	int32_t strength; /* of options.aq_strength, with fraction */
} h264i_aq;

/* Of a picture in mode 2: sums of h264i_aq_root() and of its square. */
typedef struct h264i_aq_sums {
	uint64_t root, square;
} h264i_aq_sums;

/* What the QP of a macroblock of mode 2 depends on besides its energy. */
typedef struct h264i_aq_scale {
	int32_t centre, slope;
} h264i_aq_scale;

/* Squared deviation of 1 << shift samples, at most 256, from their mean. */
LSCHED_FN uint32_t h264i_deviation(uint32_t squares, uint32_t sum, int shift)
{
	return squares - (uint32_t)((h264i_square)sum * sum >> shift);
}

/* log2(v), v > 0, digit by digit: squaring a number doubles its logarithm. */
LSCHED_FN int32_t h264i_log2(uint32_t v)
{
	uint32_t top = 31 - lsched_i_leading_zeros(v), r = top;
	uint64_t m = (uint64_t)v << (31 - top); /* 1 to 2, 31 bits of fraction */

	LSCHED_UNROLL
	for (int i = 0; i < 16; i++) {
		m = m * m >> 31;
		r = r << 1 | (uint32_t)(m >> 32);
		m >>= m >> 32;
	}
	return (int32_t)r;
}

/* 2^x, 0 <= x < 16, rounded down. */
LSCHED_FN uint32_t h264i_exp2(uint32_t x)
{
	/* 2^(1/2), 2^(1/4), ..., 30 bits of fraction */
	const uint32_t factor[16] = { 1518500250, 1276901417, 1170923762, 1121280436, 1097253708,
		1085434106, 1079572136, 1076653033, 1075196443, 1074468888, 1074105294, 1073923544,
		1073832680, 1073787251, 1073764537, 1073753181 };
	uint64_t v = 1 << 30;

	LSCHED_UNROLL
	for (int i = 0; i < 16; i++)
		v = x >> (15 - i) & 1 ? v * factor[i] >> 30 : v;
	return (uint32_t)(v << (x >> 16) >> 14);
}

/* Mode 1: how far the QP is from that of the picture. */
LSCHED_FN int32_t h264i_aq_offset(const h264i_aq *aq, uint32_t energy)
{
	/* strength * 1.0397 * (log2(energy) - 14.427), of energy with 8 bits */
	const int32_t centre = 945488 + (2 * H264I_DEPTH_SHIFT << 16);
	int64_t slope = (int64_t)aq->strength * 68138 >> 16;

	return (int32_t)(slope * (h264i_log2(energy ? energy : 1) - centre) >> 16);
}

/* Mode 2: the eighth root of energy with 8 bits + 1. */
LSCHED_FN uint32_t h264i_aq_root(uint32_t energy)
{
	return h264i_exp2((uint32_t)h264i_log2((energy >> 2 * H264I_DEPTH_SHIFT) + 1) >> 3);
}

LSCHED_FN void h264i_aq_add(h264i_aq_sums *s, uint32_t root)
{
	s->root += root;
	s->square += (uint64_t)root * root >> 16;
}

/* Of a picture of `mbs` macroblocks. The mean root is at least 1. */
LSCHED_FN h264i_aq_scale h264i_aq_scale_of(const h264i_aq *aq, const h264i_aq_sums *s, uint32_t mbs)
{
	int64_t mean = (int64_t)(s->root / mbs), square = (int64_t)(s->square / mbs);
	h264i_aq_scale r;

	r.slope = (int32_t)(aq->strength * mean >> 16);
	r.centre = (int32_t)(mean - (square - (14 << 16)) * 65536 / (2 * mean));
	return r;
}

LSCHED_FN int32_t h264i_aq_offset_of_root(h264i_aq_scale s, uint32_t root)
{
	return (int32_t)((int64_t)s.slope * ((int32_t)root - s.centre) >> 16);
}

/* The QP at an offset from that of the picture, rounded. */
LSCHED_FN uint8_t h264i_aq_qp(uint32_t picture_qp, int32_t offset)
{
	int qp = (int)picture_qp + ((offset + 32768) >> 16);

	return (uint8_t)(qp < 0 ? 0 : qp > H264I_QPS - 1 ? H264I_QPS - 1 : qp);
}

#endif
