/* Data of a coded macroblock: the wavefront (prediction, decision, transform) writes it and the
 * entropy coder reads it. The bytes are the same in host and in device memory.
 *
 * Block numbers are those of the standard (clause 6.4.3, figure 6-10): 4x4 luma block b covers
 * x = 4 * h264i_blk_x(b), y = 4 * h264i_blk_y(b); chroma 4x4 blocks are in raster order, 0..3. */
#ifndef H264INTRA_CORE_MB_H
#define H264INTRA_CORE_MB_H

#include "h264intra/core/format.h"

#include <stdint.h>

/* gcc compiles this text for the CPU backend, nvcc for the CUDA backend. */
#include <libsched/fn.h>

enum { H264I_MB_I4X4 = 0, H264I_MB_I16X16 = 1, H264I_MB_PCM = 2 };

/* h264i_mb.flags. DC: a level of this block of DCs is not 0, which CABAC reads of neighbours
 * (clause 9.3.3.1.1.9); of I_PCM all three are set. */
enum {
	H264I_MB_T8X8 = 1, /* transform_size_8x8_flag */
	H264I_MB_DC_Y = 2,
	H264I_MB_DC_CB = 4,
	H264I_MB_DC_CR = 8,
	H264I_MB_DC_ALL = 14
};

/* Intra4x4PredMode (table 8-2), Intra16x16PredMode (8-4), intra_chroma_pred_mode (8-5). */
enum { I4_V = 0, I4_H, I4_DC, I4_DDL, I4_DDR, I4_VR, I4_HD, I4_VL, I4_HU, I4_MODES };
enum { I16_V = 0, I16_H, I16_DC, I16_PLANE, I16_MODES };
enum { IC_DC = 0, IC_H, IC_V, IC_PLANE, IC_MODES };

/* The one 4x4 block that may predict from UP-RIGHT, the macroblock to the upper right, and the
 * modes that do. */
enum { H264I_UPRIGHT_BLOCK = 5, H264I_UPRIGHT_MODES = 1 << I4_DDL | 1 << I4_VL };

typedef struct h264i_mb {
	uint8_t type; /* H264I_MB_* */
	uint8_t i16_mode;
	uint8_t chroma_mode;
	/* Coded block pattern. Bits 0..3: 8x8 luma blocks; bits 4..5: chroma 0, 1 (DC), 2 (DC and
	 * AC). I16x16: luma is 0 or 15. PCM: 0x2f. */
	uint8_t cbp;
	uint8_t i4_mode[16]; /* by block; 2 (DC) for the other types (clause 8.3.1.1) */
	/* total_coeff: luma blocks 0..15 (I16x16: AC only), Cb 0..3, Cr 0..3; 16 for PCM
	 * (clause 9.2.1). */
	uint8_t total[16 + 2 * H264I_CHROMA_BLOCKS];
	/* QP, 0 to H264I_QPS - 1. Without mb_qp_delta it is that of the macroblock before (clause
	 * 7.4.5): set after the wavefront, see entropy/qp_delta.h. */
	uint8_t qp;
	int8_t qp_delta; /* mb_qp_delta; 0 where there is none */
	uint8_t flags;   /* H264I_MB_T8X8, H264I_MB_DC_* */
	uint8_t pad;     /* to 48 bytes, three 16-byte words */
} h264i_mb;

/* The QP that the deblocking filter takes: of I_PCM qPp is 0 (clause 8.7.2.2). */
LSCHED_FN int h264i_filter_qp(const h264i_mb *mb)
{
	return mb->type == H264I_MB_PCM ? (int)H264I_QP_OFFSET : mb->qp;
}

/* Quantised levels in zigzag order (table 8-12, frame scan). */
typedef struct h264i_levels {
	int16_t luma[16][16]; /* by block. I16x16: [0] unused and 0, AC at 1..15.
				 * Coefficient i of 8x8 block b: [4 * b + i % 4][i / 4] */
	int16_t luma_dc[16];  /* I16x16 only: in zigzag order over the 4x4 matrix of DCs */
	/* Cb, Cr; raster order c[0..3] (clause 8.5.11.1) */
	int16_t chroma_dc[2][H264I_CHROMA_BLOCKS];
	int16_t chroma_ac[2][H264I_CHROMA_BLOCKS][16]; /* [0] unused and 0, AC at 1..15 */
} h264i_levels;

LSCHED_FN int h264i_blk_x(int b)
{
	return (b & 1) | (b >> 1 & 2);
}

LSCHED_FN int h264i_blk_y(int b)
{
	return (b >> 1 & 1) | (b >> 2 & 2);
}

/* Block number at column x, row y (0..3). */
LSCHED_FN int h264i_blk_at(int x, int y)
{
	return (x & 1) | (y & 1) << 1 | (x & 2) << 1 | (y & 2) << 2;
}

/* Geometry of a picture in macroblocks and slices: rows are split evenly, the first
 * mb_height % slices slices have one row more. */
typedef struct h264i_geom {
	uint32_t width, height; /* luma samples of the source; may be odd with options.odd_size */
	uint32_t mb_width, mb_height;
	uint32_t slices;
} h264i_geom;

/* What the syntax of macroblocks depends on: transform_8x8_mode_flag, chroma_format_idc 0 (4:0:0,
 * luma alone), and for decisions by rate and distortion entropy_coding_mode_flag 0. */
enum { H264I_SYNTAX_8X8 = 1, H264I_SYNTAX_GRAY = 2, H264I_SYNTAX_CAVLC = 4 };

/* What the slice headers say of the deblocking filter (clause 7.4.3). */
typedef struct h264i_filter {
	int on;          /* 0: disable_deblocking_filter_idc 1; 1: it is 0 */
	int alpha, beta; /* slice_alpha_c0_offset_div2, slice_beta_offset_div2, -6..6 */
} h264i_filter;

/* Columns and rows of a chroma plane, of those of luma. */
LSCHED_FN uint32_t h264i_chroma_width(uint32_t luma)
{
	return luma / (16 / H264I_CHROMA_W) + (luma % (16 / H264I_CHROMA_W) != 0);
}

LSCHED_FN uint32_t h264i_chroma_height(uint32_t luma)
{
	return luma / (16 / H264I_CHROMA_H) + (luma % (16 / H264I_CHROMA_H) != 0);
}

LSCHED_FN uint32_t h264i_slice_first_row(const h264i_geom *g, uint32_t slice)
{
	uint32_t base = g->mb_height / g->slices, more = g->mb_height % g->slices;

	return slice * base + (slice < more ? slice : more);
}

LSCHED_FN uint32_t h264i_slice_of_row(const h264i_geom *g, uint32_t row)
{
	uint32_t base = g->mb_height / g->slices, more = g->mb_height % g->slices;
	uint32_t tall = more * (base + 1);

	return row < tall ? row / (base + 1) : more + (row - tall) / base;
}

#endif
