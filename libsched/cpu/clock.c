/* The clock of CPU workers. A file of its own, so that a test can replace it. */
#include "libsched/core/clock.h"
#include "libsched/cpu/relax.h"

uint64_t lsched_i_cpu_now_ns(void)
{
	return lsched_i_clock_ns();
}
