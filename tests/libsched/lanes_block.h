/* Blocks of several warps of 32 emulated lanes (lanes.h), a thread each: their barrier. The file
 * that includes it sets block_barrier in each thread. */
#ifndef TESTS_LIBSCHED_LANES_BLOCK_H
#define TESTS_LIBSCHED_LANES_BLOCK_H

#include "tests/libsched/lanes.h"

static _Thread_local pthread_barrier_t *block_barrier;

/* The warps meet in their lane 0. */
#undef LSCHED_I_BARRIER
#define LSCHED_I_BARRIER(number, threads)                          \
	do {                                                       \
		(void)(number), (void)(threads);                   \
		if (lsched_lane() == 0)                            \
			(void)pthread_barrier_wait(block_barrier); \
		(void)lanes_meet(0, LANES_PLACE);                  \
	} while (0)

#endif
