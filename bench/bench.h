/* What benchmark programs share: the clock, the end with a message, raw frames. A file that uses
 * die() defines BENCH_NAME. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include "libsched/core/clock.h"

static inline double now_s(void)
{
	return 1e-9 * (double)lsched_i_clock_ns();
}

static inline int by_value(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

#ifdef BENCH_NAME
static inline void die(const char *what, const char *why)
{
	fprintf(stderr, BENCH_NAME ": %s: %s\n", what, why);
	exit(1);
}

/* Opens a file of raw frames and counts them. */
static inline FILE *open_frames(const char *path, size_t frame_bytes, uint32_t *frames)
{
	FILE *f = fopen(path, "rb");

	if (!f)
		die(path, "cannot be opened");
	fseek(f, 0, SEEK_END);
	*frames = (uint32_t)((size_t)ftell(f) / frame_bytes);
	rewind(f);
	if (!*frames)
		die(path, "is shorter than one frame");
	return f;
}
#endif
#endif
