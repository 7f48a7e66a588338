/* mb_qp_delta and the QP of macroblocks without one (clause 7.4.5). The wavefront stores in each
 * record the QP that the macroblock was coded with; decoders know it only of macroblocks that have
 * mb_qp_delta. The others, I_PCM and I_NxN without levels, have the QP of the macroblock before in
 * decoding order, which their neighbours in the wavefront cannot know yet. */
#ifndef H264INTRA_ENTROPY_QP_DELTA_H
#define H264INTRA_ENTROPY_QP_DELTA_H

#include "h264intra/core/mb.h"

/* 1 if the macroblock has mb_qp_delta. */
LSCHED_FN int h264i_has_qp_delta(const h264i_mb *mb)
{
	return mb->type == H264I_MB_I16X16 || (mb->type == H264I_MB_I4X4 && mb->cbp != 0);
}

/* mb_qp_delta from QP `before` to QP qp: with 8 bits -26..25, and decoders add it modulo 52. */
LSCHED_FN int h264i_qp_delta(int qp, int before)
{
	int d = qp - before;

	return d > H264I_QPS / 2 - 1 ? d - H264I_QPS : d < -H264I_QPS / 2 ? d + H264I_QPS : d;
}

#endif
