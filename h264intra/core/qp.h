/* The quantiser parameter of chroma of that of luma (clause 8.5.8, table 8-15: QPc is QPI below 30,
 * then ever less, 39 at most). offset: chroma_qp_index_offset. */
#ifndef H264INTRA_CORE_QP_H
#define H264INTRA_CORE_QP_H

#include "h264intra/core/format.h"

#include <libsched/fn.h>

LSCHED_FN int h264i_chroma_qp(int qp, int offset)
{
	int index;

	qp += offset;
	qp = qp < 0 ? 0 : qp > H264I_QPS - 1 ? H264I_QPS - 1 : qp;
	index = qp - H264I_QP_OFFSET; /* qPI */
	/* qPI - QPc, four bits each from qPI 30 up: 1 1 1 1 2 2 2 3, 3 4 4 5 5 6 7 7, 8 9 9 10 11
	 * 12. Constants in registers: a table in a lane's local memory is slower. */
	if (index < 30)
		return qp;
	if (index < 38)
		return qp - (int)(0x32221111u >> 4 * (index - 30) & 15);
	if (index < 46)
		return qp - (int)(0x77655443u >> 4 * (index - 38) & 15);
	return qp - (int)(0xcba998u >> 4 * (index - 46) & 15);
}

#endif
