/* Levels: limits on what a stream requires of a decoder (ITU-T H.264 Annex A.3, table A-1). */
#ifndef H264INTRA_BITSTREAM_LEVEL_H
#define H264INTRA_BITSTREAM_LEVEL_H

#include "h264intra/core/mb.h"
#include <h264intra/h264intra.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Estimated bits of a macroblock at this QP, for the choice of a level: 360 at QP 22, halved
 * every 8 QP. It is the upper quartile of 11 clips from 352x288 to 3840x2160 (six frames of
 * each, QP 12 to 42, fitted to the logarithm of the bits); the largest, a raw CIF clip, takes
 * 1.6 to 2.9 times as many. No bound: that would be 3,200 at every QP. */
uint32_t h264i_i_level_mb_bits(int qp);

/* Chooses the level, or checks the one requested.
 *
 * fps_num / fps_den: frames per second, 0 if unknown; rates are not checked then. `level` 0:
 * chooses the lowest that allows size, macroblock rate and slice rate, raised to 5.2 at most for
 * the bits estimated from the QP (most hardware decoders support no higher level). Otherwise a
 * level_idc (9: level 1b) that must allow the size; it is kept even if a rate exceeds it, because
 * the rates of bits are estimates. *out is a level_idc or 9. `profile` is the profile_idc: MaxBR
 * and MaxCPB of High are 1.25 times those of Baseline and Main (table A-2).
 *
 * `why` (why_bytes > 0, always terminated) is one sentence: the reason of a failure, or, with OK, a
 * warning that the macroblock rate, the slice rate or, if a level was requested, the estimated bits
 * exceed the level; else "". ERR_ARG: no such level. ERR_LIMIT: the picture is too large for the
 * level, or for all. */
h264i_status h264i_i_choose_level(const h264i_geom *g, uint32_t fps_num, uint32_t fps_den, int qp,
	int profile, int level, int *out, char *why, size_t why_bytes);

/* Number of levels, 1b included. */
#define H264I_LEVELS 20

/* Compares coded pictures with MaxBR and MaxCPB: one buffer for each level, in bits. */
typedef struct h264i_level_meter {
	double frame_s; /* at the frame rate; 0: unknown */
	int chosen;     /* index of the stream's level */
	double scale;   /* bits of a unit of MaxBR and MaxCPB, by the profile */
	uint8_t exceeded[H264I_LEVELS];
	double fill[H264I_LEVELS];
	double largest_bits;
	double busy_bits, busy_s; /* since the stream's buffer was empty */
	double peak_fill, peak_bits, peak_s;
} h264i_level_meter;

/* Starts with an empty buffer; `level` is a result of h264i_i_choose_level(). */
void h264i_i_level_meter_init(h264i_level_meter *m, const h264i_geom *g, int profile, int level,
	uint32_t fps_num, uint32_t fps_den);

/* Adds the next picture in coding order, so long after the one before; 0: unknown. */
void h264i_i_level_meter_add(h264i_level_meter *m, size_t packet_bytes, double seconds);

/* Raises what `to` has found to that of another stream of the same level. */
void h264i_i_level_meter_join(h264i_level_meter *to, const h264i_level_meter *from);

/* Writes the level_* and peak_* fields and largest_picture_kbit, which the caller has zeroed. */
void h264i_i_level_meter_read(const h264i_level_meter *m, h264i_stats *out);

#ifdef __cplusplus
}
#endif
#endif
