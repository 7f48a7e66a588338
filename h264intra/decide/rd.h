/* How thorough rate-distortion decisions are: what options.rd stands for. */
#ifndef H264INTRA_DECIDE_RD_H
#define H264INTRA_DECIDE_RD_H

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

#endif
