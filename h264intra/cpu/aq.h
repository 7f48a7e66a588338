/* Adaptive quantisation of a picture in host memory. */
#ifndef H264INTRA_CPU_AQ_H
#define H264INTRA_CPU_AQ_H

#include "h264intra/core/work.h"
#include "h264intra/transform/aq.h"

/* Writes the QP of each macroblock of p to mb_qp[mbs]; root[mbs] is memory for mode 2. */
void h264i_i_aq_picture(const h264i_aq *aq, const h264i_geom *g, const h264i_picture *p,
	uint8_t *mb_qp, uint32_t *root);

#endif
