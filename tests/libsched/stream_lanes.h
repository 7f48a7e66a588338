/* Appends to streams by lanes of an emulated warp; see stream_lanes.c. */
#ifndef TESTS_LIBSCHED_STREAM_LANES_H
#define TESTS_LIBSCHED_STREAM_LANES_H

#include <stdint.h>

typedef struct stream_lanes_call {
	uint32_t active;    /* lanes that append */
	uint32_t count[32]; /* 0, 1 or 2 */
	uint32_t n[32];
} stream_lanes_call;

/* Appends once. Returns whether the places are right; *additions: to the counts. */
int stream_lanes_append(const stream_lanes_call *c, uint32_t *additions);
#endif
