/* Blocks whose DC is coded apart: those of Intra16x16 and of chroma. */
#ifndef H264INTRA_CPU_MB_RESIDUAL_H
#define H264INTRA_CPU_MB_RESIDUAL_H

#include "h264intra/cpu/mb_work.h"
#include "h264intra/transform/dct.h"
#include "h264intra/transform/quant.h"

static const uint8_t scan4[16] = H264I_ZIGZAG_INIT;

/* Decodes a block with `total` AC levels that are not 0 and the dequantised DC coefficient `dc`. */
MB_FN void decode_block(mb_work *w, const h264i_quant *q, const int16_t level[16], int total,
	int32_t dc, const h264i_px pred[16], h264i_px rec[16])
{
	if (total || dc)
		w->exceeds |= w->dsp->reconstruct4(level, q, 1, dc, pred, rec);
	else
		memcpy(rec, pred, 16 * sizeof(*pred));
}

#endif
