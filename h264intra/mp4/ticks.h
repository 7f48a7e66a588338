/* Conversion of the caller's times into ticks of the file's timescale. */
#ifndef H264INTRA_MP4_TICKS_H
#define H264INTRA_MP4_TICKS_H

#include <stdint.h>

typedef struct mp4_ticks {
	uint32_t timescale; /* ticks a second */
	uint32_t mul, div;  /* ticks of one unit of the caller; lowest terms */
} mp4_ticks;

/* For a unit of num / den seconds; timescale `given`, or if that is 0 the smallest that
 * is exact and, where 32 bits allow it, at least 1,000.
 * Returns 0, or -1 if mul or div needs more than 32 bits. */
int h264i_i_mp4_ticks_init(mp4_ticks *t, uint32_t num, uint32_t den, uint32_t given);

/* Sets *out to the time in ticks, rounded to the nearest. Returns 0, or -1 if it is beyond
 * +-2^61. */
int h264i_i_mp4_ticks(const mp4_ticks *t, int64_t time, int64_t *out);

#endif
