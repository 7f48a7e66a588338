/* Backoff of a CPU worker. With more workers than processors the thread that ends the
 * wait may not be scheduled, so a worker polls a few times, then yields its processor, then
 * sleeps: at first shortly, later for 1/64 of the time waited so far, at most SLEEP_MAX_NS. */
#include <sched.h>
#include <time.h>
#include "libsched/core/shared.h"

enum { PAUSES = 32, YIELDS = 64, SLEEP_MIN_NS = 10000, DOUBLINGS = 4, SLEEP_MAX_NS = 2000000 };

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
	spins -= PAUSES + YIELDS;
	for (uint32_t k = 0; k < spins && t.tv_nsec < SLEEP_MAX_NS; k++)
		t.tv_nsec += k < DOUBLINGS ? t.tv_nsec : t.tv_nsec / 64;
	nanosleep(&t, NULL);
}
