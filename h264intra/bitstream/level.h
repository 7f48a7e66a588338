/* Levels: what a decoder is promised not to be asked for (ITU-T H.264 Annex A.3, table A-1). */
#ifndef H264INTRA_BITSTREAM_LEVEL_H
#define H264INTRA_BITSTREAM_LEVEL_H

#include "h264intra/core/mb.h"
#include <h264intra/h264intra.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The bits of a macroblock at this QP that a level is chosen for. It is no bound, which would be
 * 3,200 at every QP and would put nearly every stream at the highest levels, but what the most
 * demanding natural pictures take: 1080p at QP 22 and 30 frames a second runs from 15 to 230
 * Mbit/s, all-intra with CAVLC; 230 are 940 bits a macroblock, and six QP double or halve it. */
uint32_t h264i_level_mb_bits(int qp);

/* Chooses the level, or checks the one asked for.
 *
 * fps_num / fps_den are frames a second, 0 when unknown: rates are not looked at then. `level` is 0
 * to choose the lowest that holds size, macroblock rate, slice rate and the bit rate reckoned from
 * the QP, or a level_idc (9: level 1b), which must hold the size; it stays even if a rate is
 * beyond it, since the stream may turn out smaller than reckoned. *out is a level_idc or 9.
 *
 * `why` (why_bytes > 0, always ended) is one sentence: the reason of a failure, or, with OK, a warning
 * that a rate is beyond the level; "" if there is none. ERR_ARG: no such level. ERR_LIMIT: the
 * picture is too large for the level, or for any. */
h264i_status h264i_choose_level(const h264i_geom *g, uint32_t fps_num, uint32_t fps_den, int qp,
	int level, int *out, char *why, size_t why_bytes);

#ifdef __cplusplus
}
#endif
#endif
