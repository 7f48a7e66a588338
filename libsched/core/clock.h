/* The monotonic clock of the host. */
#ifndef LIBSCHED_CORE_CLOCK_H
#define LIBSCHED_CORE_CLOCK_H

#include <stdint.h>
#include <time.h>

static inline uint64_t lsched_i_clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
