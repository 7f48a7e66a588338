/* The clock of CPU workers. A file of its own, so that a test can replace it. */
#include <time.h>
#include "libsched/cpu/relax.h"

uint64_t lsched_i_cpu_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}
