/* Frames for table 1 of the paper of 2012, and their encoding by libx264. */
#ifndef APPS_GSCHED_REPRO_ENCODER_H
#define APPS_GSCHED_REPRO_ENCODER_H

#include <stdint.h>

/* A generated moving picture: I420 frames one behind the other. */
typedef struct repro_clip {
	uint32_t width, height, frames;
	uint8_t *pixels;
} repro_clip;

/* A measurement encodes `count` frames, the clip repeatedly, after REPRO_WARM_FRAMES others. */
enum { REPRO_FRAMES_MAX = 64, REPRO_WARM_FRAMES = 4 };
#define REPRO_QP 27

/* Returns the address of frame i of the clip, repeated without end. */
static inline uint8_t *repro_clip_frame(const repro_clip *c, uint32_t i)
{
	return c->pixels + (uint64_t)(i % c->frames) * c->width * c->height * 3 / 2;
}

/* Encodes one frame at a time by libx264 in one thread, all frames intra, with the options of
 * REPRO_X264. Writes the time of each frame in milliseconds. Returns 0, or -1 if there is no
 * libx264. */
#define REPRO_X264 "profile baseline, preset superfast, one thread"
int repro_x264(const repro_clip *c, uint32_t slices, uint32_t count, double ms[REPRO_FRAMES_MAX]);

#endif
