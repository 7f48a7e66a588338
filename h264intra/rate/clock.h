/* Times of pictures: for rate control the time since the picture before, from its timestamp.
 *
 * Timestamps have the unit of a file, in which a frame rate such as 30 may have no exact number. A
 * time that is within a unit of a multiple of 1/fps counts as that multiple: streams of constant
 * rate have the same bytes whatever the unit. */
#ifndef H264INTRA_RATE_CLOCK_H
#define H264INTRA_RATE_CLOCK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* From a picture to the next. */
typedef struct h264i_rate_time {
	uint32_t frames; /* 1/fps each; 0: no multiple of that */
	uint32_t ticks;  /* of an HRD, which are half of that: the nearest number, at least 1 */
	uint64_t span;   /* seconds, 32 bits of fraction; at most H264I_SPAN_MAX */
} h264i_rate_time;

#define H264I_SPAN_MAX ((uint64_t)1 << 47)

typedef struct h264i_clock {
	uint32_t unit_num, unit_den; /* of timestamps, in seconds */
	uint32_t fps_num, fps_den;   /* nominal */
	int started;
	int64_t first, last; /* timestamps; last: the largest */
	int on_grid;         /* 1: the last picture is at a multiple of 1/fps, `frame` */
	uint64_t frame, tick;
	uint64_t at; /* time of the last picture since the first, 32 bits of fraction */
} h264i_clock;

/* A picture's time at the nominal rate. */
h264i_rate_time h264i_i_clock_nominal(const h264i_clock *c);

/* The time between the picture before and this one; of the first picture the nominal one. A
 * timestamp that is not above those before counts as the last one. */
h264i_rate_time h264i_i_clock_next(h264i_clock *c, int64_t timestamp);

/* The time since the first picture, in nanoseconds. */
uint64_t h264i_i_clock_ns(const h264i_clock *c);

#ifdef __cplusplus
}
#endif
#endif
