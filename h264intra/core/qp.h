/* The chroma quantiser parameter QPc of a luma QP (clause 8.5.8, table 8-15: equal below 30, then
 * ever slower, 39 at most). offset: chroma_qp_index_offset. */
#ifndef H264INTRA_CORE_QP_H
#define H264INTRA_CORE_QP_H

#include <libsched/fn.h>

LSCHED_FN int h264i_chroma_qp(int qp, int offset)
{
	qp += offset;
	qp = qp < 0 ? 0 : qp > 51 ? 51 : qp;
	/* qp - QPc, four bits each from QP 30 up: 1 1 1 1 2 2 2 3, 3 4 4 5 5 6 7 7, 8 9 9 10 11 12.
	 * Constants in registers: a table in a lane's local memory is slower. */
	if (qp < 30)
		return qp;
	if (qp < 38)
		return qp - (int)(0x32221111u >> 4 * (qp - 30) & 15);
	if (qp < 46)
		return qp - (int)(0x77655443u >> 4 * (qp - 38) & 15);
	return qp - (int)(0xcba998u >> 4 * (qp - 46) & 15);
}

#endif
