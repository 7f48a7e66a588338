/* Rules of a macroblock: the types that it may have, the choice among them, and when it becomes
 * I_PCM. Both backends decide by them; the result does not depend on the order of trials. */
#ifndef H264INTRA_DECIDE_MACROBLOCK_H
#define H264INTRA_DECIDE_MACROBLOCK_H

#include <h264intra/h264intra.h>
#include "h264intra/decide/cost.h"
#include "h264intra/entropy/mb_layer.h"

/* Types of luma; of equal costs the first one is chosen. */
typedef enum h264i_type { H264I_TYPE_16X16, H264I_TYPE_8X8, H264I_TYPE_4X4 } h264i_type;

LSCHED_FN int h264i_type_allowed(const h264i_qparams *q, h264i_type type)
{
	if (type == H264I_TYPE_8X8)
		return (q->syntax & H264I_SYNTAX_8X8) != 0;
	return !(q->disable &
		 (type == H264I_TYPE_16X16 ? H264I_DISABLE_I16_ALL : H264I_DISABLE_I4_ALL));
}

/* The type of the lowest cost. UINT32_MAX: the type is not allowed, or its trial stopped because
 * another type has a lower cost. */
LSCHED_FN h264i_type h264i_choose_type(uint32_t cost16, uint32_t cost8, uint32_t cost4)
{
	if (cost16 <= cost8 && cost16 <= cost4)
		return H264I_TYPE_16X16;
	return cost8 <= cost4 ? H264I_TYPE_8X8 : H264I_TYPE_4X4;
}

/* Most bits of CAVLC of a macroblock that does not become I_PCM. */
LSCHED_FN int h264i_pcm_most(const h264i_qparams *q)
{
	return h264i_pcm_bits(q->syntax) - q->pcm_margin;
}

/* What decides on I_PCM. */
typedef struct h264i_mb_totals {
	int exceeds;             /* a value inside the inverse transform exceeds H264I_IDCT_PEAK */
	uint32_t bound, abs_max; /* h264i_bits_bound(), the largest level; if not exceeds */
} h264i_mb_totals;

/* 1: a macroblock with this bound of its bits and this largest level may have more than `most`, so
 * that its bits are counted. */
LSCHED_FN int h264i_pcm_suspect(uint32_t bound, uint32_t abs_max, int most)
{
	return bound > (uint32_t)most || abs_max > H264I_LEVEL_SAFE;
}

/* 1: the macroblock becomes I_PCM. exceeds: of h264i_mb_totals; bits: as from h264i_mb_bits(), 0 if
 * they were not counted. */
LSCHED_FN int h264i_is_pcm(int exceeds, int bits, int most)
{
	return exceeds || bits < 0 || bits > most;
}

#endif
