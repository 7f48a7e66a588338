/* Intra4x4 prediction (clause 8.3.1.2) from the edge of a block, its neighbouring samples.
 *
 * With the 13 neighbours in one row P = L K J I M A B C D E F G H (left column from the bottom
 * up, corner, top row, top right), every predicted sample of the directional modes is P[i], F2[i] =
 * (P[i] + P[i+1] + 1) >> 1 or F3[i] = (P[i-1] + 2 P[i] + P[i+1] + 2) >> 2, where the first and the
 * last sample of P are repeated. So a mode is a table of 16 positions in this edge; CPU and GPU
 * use the same table. */
#ifndef H264INTRA_PREDICT_EDGE4X4_H
#define H264INTRA_PREDICT_EDGE4X4_H

#include "h264intra/core/mb.h"

/* Positions of P, F2, F3 and the DC value in the edge of a block. */
enum {
	E4_P = 0,   /* P[0..12]: L K J I M A B C D E F G H */
	E4_F2 = 13, /* F2[0..11] */
	E4_F3 = 25, /* F3[0..12] */
	E4_DC = 38,
	E4_EDGE = 40 /* samples */
};

enum { E4_L = 0, E4_I = 3, E4_M = 4, E4_A = 5, E4_D = 8, E4_E = 9, E4_H = 12 };

#define E4_p(i) (E4_P + (i))
#define E4_a(i) (E4_F2 + (i))
#define E4_f(i) (E4_F3 + (i))

/* [mode][4 * y + x] -> position in the edge; p, f2, f3: those of P, F2 and F3, dc: that of DC. */
/* clang-format off */
#define H264I_E4_TABLE_OF(p, f2, f3, dc)                                                \
	{                                                                               \
		/* vertical */                                                          \
		{ p(5), p(6), p(7), p(8), p(5), p(6), p(7), p(8),                       \
		  p(5), p(6), p(7), p(8), p(5), p(6), p(7), p(8) },                     \
		/* horizontal */                                                        \
		{ p(3), p(3), p(3), p(3), p(2), p(2), p(2), p(2),                       \
		  p(1), p(1), p(1), p(1), p(0), p(0), p(0), p(0) },                     \
		/* DC */                                                                \
		{ dc, dc, dc, dc, dc, dc, dc, dc,                                       \
		  dc, dc, dc, dc, dc, dc, dc, dc },                                     \
		/* diagonal down left: F3 from B on */                                  \
		{ f3(6), f3(7), f3(8), f3(9), f3(7), f3(8), f3(9), f3(10),              \
		  f3(8), f3(9), f3(10), f3(11), f3(9), f3(10), f3(11), f3(12) },        \
		/* diagonal down right: F3 around M */                                  \
		{ f3(4), f3(5), f3(6), f3(7), f3(3), f3(4), f3(5), f3(6),               \
		  f3(2), f3(3), f3(4), f3(5), f3(1), f3(2), f3(3), f3(4) },             \
		/* vertical right */                                                    \
		{ f2(4), f2(5), f2(6), f2(7), f3(4), f3(5), f3(6), f3(7),               \
		  f3(3), f2(4), f2(5), f2(6), f3(2), f3(4), f3(5), f3(6) },             \
		/* horizontal down */                                                   \
		{ f2(3), f3(4), f3(5), f3(6), f2(2), f3(3), f2(3), f3(4),               \
		  f2(1), f3(2), f2(2), f3(3), f2(0), f3(1), f2(1), f3(2) },             \
		/* vertical left */                                                     \
		{ f2(5), f2(6), f2(7), f2(8), f3(6), f3(7), f3(8), f3(9),               \
		  f2(6), f2(7), f2(8), f2(9), f3(7), f3(8), f3(9), f3(10) },            \
		/* horizontal up */                                                     \
		{ f2(2), f3(2), f2(1), f3(1), f2(1), f3(1), f2(0), f3(0),               \
		  f2(0), f3(0), p(0), p(0), p(0), p(0), p(0), p(0) },                   \
	}
/* clang-format on */

#define H264I_E4_TABLE_INIT H264I_E4_TABLE_OF(E4_p, E4_a, E4_f, E4_DC)

/* Available neighbours of a macroblock or of a block. */
enum { H264I_LEFT = 1, H264I_UP = 2, H264I_UPRIGHT = 4, H264I_UPLEFT = 8 };

/* Bit mask of the modes that a block with these neighbours may use. */
LSCHED_FN uint32_t h264i_i4_allowed(int avail)
{
	uint32_t m = 1u << I4_DC;

	if (avail & H264I_UP)
		m |= 1u << I4_V | 1u << I4_DDL | 1u << I4_VL;
	if (avail & H264I_LEFT)
		m |= 1u << I4_H | 1u << I4_HU;
	if ((avail & (H264I_LEFT | H264I_UP | H264I_UPLEFT)) ==
		(H264I_LEFT | H264I_UP | H264I_UPLEFT))
		m |= 1u << I4_DDR | 1u << I4_VR | 1u << I4_HD;
	return m;
}

/* Available neighbours of block b, from those of its macroblock (clause 6.4.11.4). Blocks 3, 7, 11,
 * 13 and 15 have no upper right neighbour that is decoded before them; that of block 5 is in
 * UP-RIGHT. */
LSCHED_FN int h264i_i4_avail(int b, int mb_avail)
{
	int x = h264i_blk_x(b), y = h264i_blk_y(b), a;
	int left = x > 0 || (mb_avail & H264I_LEFT), up = y > 0 || (mb_avail & H264I_UP);
	int upleft, upright;

	if (x > 0 && y > 0)
		upleft = 1;
	else if (x > 0)
		upleft = mb_avail & H264I_UP;
	else if (y > 0)
		upleft = mb_avail & H264I_LEFT;
	else
		upleft = mb_avail & H264I_UPLEFT;
	if (b == 5)
		upright = mb_avail & H264I_UPRIGHT;
	else if (y == 0)
		upright = mb_avail & H264I_UP;
	else
		upright = !(0xa888 >> b & 1); /* 3, 7, 11, 13, 15 */
	a = (left ? H264I_LEFT : 0) | (up ? H264I_UP : 0) | (upright ? H264I_UPRIGHT : 0) |
	    (upleft ? H264I_UPLEFT : 0);
	return a;
}

#endif
