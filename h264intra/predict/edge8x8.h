/* Intra8x8 prediction (clause 8.3.2) from the edge of a block, its neighbouring samples.
 *
 * The 25 neighbours are one row P: the left column from the bottom up (0..7), the corner (8),
 * the row above and that above the next block (9..24). Clause 8.3.2.2.1 filters them: P'[i] =
 * (P[lo] + 2 P[i] + P[hi] + 2) >> 2, where lo and hi are i - 1 and i + 1, or i itself where that
 * sample is not available. Every predicted sample is then P'[i], F2[i] = (P'[i] + P'[i+1] + 1) >> 1
 * or F3[i] = (P'[i-1] + 2 P'[i] + P'[i+1] + 2) >> 2, where the first and the last sample of P' are
 * repeated, or the DC of P'. So a mode is a table of 64 positions in this edge; CPU and GPU use
 * the same table.
 *
 * The modes have the numbers of Intra4x4, and h264i_i4_allowed() is right for them too.
 * predIntra8x8PredMode of block b is h264i_predicted_mode() of 4x4 block 4 * b: clause 8.3.2.1
 * reads of an I4x4 neighbour the 4x4 block next to the upper left sample of the 8x8 block, and of
 * an I8x8 neighbour the mode that stands in all four 4x4 blocks of its record. */
#ifndef H264INTRA_PREDICT_EDGE8X8_H
#define H264INTRA_PREDICT_EDGE8X8_H

#include "h264intra/predict/edge4x4.h"

/* Positions of P', F2, F3 and the DC value in the edge of a block. */
enum {
	E8_P = 0,   /* P'[0..24] */
	E8_F2 = 25, /* F2[0..23] */
	E8_F3 = 49, /* F3[0..24] */
	E8_DC = 74,
	E8_EDGE = 80 /* samples */
};

enum { E8_M = 8, E8_A = 9, E8_SAMPLES = 25 };

/* The position of the sample at (x, y) in each mode (clauses 8.3.2.2.2 to 8.3.2.2.10). */
#define E8_V_AT(x, y)   (E8_P + 9 + (x))
#define E8_H_AT(x, y)   (E8_P + 7 - (y))
#define E8_DC_AT(x, y)  (E8_DC)
#define E8_DDL_AT(x, y) (E8_F3 + 10 + (x) + (y))
#define E8_DDR_AT(x, y) (E8_F3 + 8 + (x) - (y))
/* y > 2 x + 1: down the left column, else between the samples above, by turns F2 and F3. */
#define E8_VR_AT(x, y)                                 \
	((y) > 2 * (x) + 1 ? E8_F3 + 9 + 2 * (x) - (y) \
			   : ((y)&1 ? E8_F3 : E8_F2) + 8 + (x) - (y) / 2)
#define E8_HD_AT(x, y)                               \
	((x) > 2 * (y) + 1 ? E8_F3 + 7 + (x)-2 * (y) \
			   : ((x)&1 ? E8_F3 + 8 : E8_F2 + 7) - (y) + (x) / 2)
#define E8_VL_AT(x, y) (((y)&1 ? E8_F3 + 10 : E8_F2 + 9) + (x) + (y) / 2)
#define E8_HU_AT(x, y) ((x) + 2 * (y) > 13 ? E8_P : ((x)&1 ? E8_F3 : E8_F2) + 6 - (y) - (x) / 2)

#define E8_ROW(at, y) at(0, y), at(1, y), at(2, y), at(3, y), at(4, y), at(5, y), at(6, y), at(7, y)
#define E8_MODE(at)                                                                        \
	{                                                                                  \
		E8_ROW(at, 0), E8_ROW(at, 1), E8_ROW(at, 2), E8_ROW(at, 3), E8_ROW(at, 4), \
			E8_ROW(at, 5), E8_ROW(at, 6), E8_ROW(at, 7)                        \
	}

/* [mode][8 * y + x] -> position in the edge. */
#define H264I_E8_TABLE_INIT                                                                \
	{                                                                                  \
		E8_MODE(E8_V_AT), E8_MODE(E8_H_AT), E8_MODE(E8_DC_AT), E8_MODE(E8_DDL_AT), \
			E8_MODE(E8_DDR_AT), E8_MODE(E8_VR_AT), E8_MODE(E8_HD_AT),          \
			E8_MODE(E8_VL_AT), E8_MODE(E8_HU_AT)                               \
	}

/* Available neighbours of 8x8 block b, 0..3, from those of its macroblock (clause 6.4.11.2). The
 * upper right neighbour of block 1 is in UP-RIGHT, that of block 3 is decoded later. */
LSCHED_FN int h264i_i8_avail(int b, int mb_avail)
{
	int left = mb_avail & H264I_LEFT, up = mb_avail & H264I_UP;
	int upright = mb_avail & H264I_UPRIGHT;

	switch (b) {
	case 0:
		return left | up | (up ? H264I_UPRIGHT : 0) | (mb_avail & H264I_UPLEFT);
	case 1:
		return H264I_LEFT | up | upright | (up ? H264I_UPLEFT : 0);
	case 2:
		return left | H264I_UP | H264I_UPRIGHT | (left ? H264I_UPLEFT : 0);
	default:
		return H264I_LEFT | H264I_UP | H264I_UPLEFT;
	}
}

/* 1: position i of P is available. Without UP-RIGHT the samples 17..24 repeat sample 16, which
 * makes them available (clause 8.3.2.2). */
LSCHED_FN int h264i_e8_has(int i, int avail)
{
	int of = i < E8_M ? H264I_LEFT : i == E8_M ? H264I_UPLEFT : H264I_UP;

	return i >= 0 && i < E8_SAMPLES && (avail & of);
}

/* P'[i], i = 0..24. Its value is of use only where P[i] is available. */
LSCHED_FN int h264i_e8_filter(const h264i_px *p, int i, int avail)
{
	int lo = h264i_e8_has(i - 1, avail) ? i - 1 : i;
	int hi = h264i_e8_has(i + 1, avail) ? i + 1 : i;

	return (p[lo] + 2 * p[i] + p[hi] + 2) >> 2;
}

/* The DC value, from the sums of the 8 filtered samples to the left and of those above. */
LSCHED_FN int h264i_e8_dc(int avail, int left_sum, int up_sum)
{
	const int left = (avail & H264I_LEFT) != 0, up = (avail & H264I_UP) != 0;
	const int sum = (left ? left_sum : 0) + (up ? up_sum : 0);

	return left | up ? (sum + (4 << (left & up))) >> (3 + (left & up)) : H264I_PX_MID;
}

/* Position i of F2 (0..23) and of F3 (0..24), from P'. */
LSCHED_FN h264i_px h264i_e8_f2(const h264i_px *s, int i)
{
	return (h264i_px)((s[E8_P + i] + s[E8_P + i + 1] + 1) >> 1);
}

LSCHED_FN h264i_px h264i_e8_f3(const h264i_px *s, int i)
{
	int lo = i ? i - 1 : 0, hi = i < E8_SAMPLES - 1 ? i + 1 : i;

	return (h264i_px)((s[E8_P + lo] + 2 * s[E8_P + i] + s[E8_P + hi] + 2) >> 2);
}

/* The whole edge of a block from P, for one thread. All of P is read; what is not available may
 * have any value. */
LSCHED_FN void h264i_e8_edge(const h264i_px p[E8_SAMPLES], int avail, h264i_px s[E8_EDGE])
{
	int left = 0, up = 0;

	for (int i = 0; i < E8_SAMPLES; i++)
		s[E8_P + i] = (h264i_px)h264i_e8_filter(p, i, avail);
	for (int i = 0; i < E8_SAMPLES - 1; i++)
		s[E8_F2 + i] = h264i_e8_f2(s, i);
	for (int i = 0; i < E8_SAMPLES; i++)
		s[E8_F3 + i] = h264i_e8_f3(s, i);
	for (int i = 0; i < 8; i++) {
		left += s[E8_P + i];
		up += s[E8_P + E8_A + i];
	}
	s[E8_DC] = (h264i_px)h264i_e8_dc(avail, left, up);
}

#endif
