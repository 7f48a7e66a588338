/* Backoff of a CPU worker. With more workers than processors the thread that ends the
 * wait may not be scheduled, so a worker polls a few times, then yields its processor, then
 * sleeps. */
#include <sched.h>
#include <time.h>
#include "libsched/core/shared.h"

enum { PAUSES = 32, YIELDS = 64, SLEEP_MIN_NS = 10000, SLEEP_MAX_NS = 160000 };

void lsched_i_cpu_relax(uint32_t spins)
{
	struct timespec t = { 0, SLEEP_MIN_NS };

	if (spins < PAUSES) {
#if defined(__x86_64__) || defined(__i386__)
		__builtin_ia32_pause();
#elif defined(__aarch64__)
		__asm__ volatile("yield");
#endif
		return;
	}
	if (spins < PAUSES + YIELDS) {
		sched_yield();
		return;
	}
	for (spins -= PAUSES + YIELDS; spins && t.tv_nsec < SLEEP_MAX_NS; spins--)
		t.tv_nsec *= 2;
	nanosleep(&t, NULL);
}
