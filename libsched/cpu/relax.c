/* Backoff of all waits of CPU threads: idle workers, queues, schemes, barriers, the host's wait for
 * a GPU. An idle worker usually sleeps before its backoff sleeps long: core/idle.h. With more
 * workers than processors the thread that ends the wait may not be scheduled, so a worker polls a
 * few times, then yields its processor, then sleeps: at first shortly, later for 1/64 of the time
 * waited so far, at most SLEEP_MAX_NS.
 *
 * On a loaded machine a yield takes the turns of all other threads, while a thread that sleeps gets
 * the processor soon after it wakes: after a slow yield, waits have none for some time. Linux 6.18,
 * 2 processors, 6 threads in turn, beside 8 busy processes: 550 turns a second with all yields,
 * 7,500 with this rule; undisturbed 480,000 with both, 9,000 without yields.
 */
#include <sched.h>
#include <time.h>
#include "libsched/core/clock.h"
#include "libsched/core/shared.h"

enum {
	YIELDS = 64,
	SLOW_YIELD_NS = 4000000,
	PAUSES = 32,               /* a pause of yields lasts as long as so many slow ones, */
	LONG_YIELD_NS = 100000000, /* but of this length: the process may have been stopped */
	SLEEP_MIN_NS = 10000,
	DOUBLINGS = 4,
	SLEEP_MAX_NS = 2000000
};

/* Yields the processor; returns 0 instead where that would take long. Its clock is not
 * lsched_i_cpu_now_ns(), which tests replace and count. */
static int yield(void)
{
	static _Thread_local uint64_t pause_end;
	const uint64_t begin = lsched_i_clock_ns();
	uint64_t took;

	if (begin < pause_end)
		return 0;
	sched_yield();
	took = lsched_i_clock_ns() - begin;
	if (took > SLOW_YIELD_NS)
		pause_end = begin + PAUSES * (took < LONG_YIELD_NS ? took : LONG_YIELD_NS);
	return 1;
}

void lsched_i_cpu_relax(uint32_t spins)
{
	static _Thread_local uint32_t yields = YIELDS; /* of this wait */
	struct timespec t = { 0, SLEEP_MIN_NS };

	if (spins < LSCHED_I_FAST_POLLS) {
#if defined(__x86_64__) || defined(__i386__)
		__builtin_ia32_pause();
#elif defined(__aarch64__)
		__asm__ volatile("yield");
#endif
		yields = YIELDS;
		return;
	}
	spins -= LSCHED_I_FAST_POLLS;
	if (spins < yields) {
		if (yield())
			return;
		yields = spins;
	}
	spins -= yields;
	for (uint32_t k = 0; k < spins && t.tv_nsec < SLEEP_MAX_NS; k++)
		t.tv_nsec += k < DOUBLINGS ? t.tv_nsec : t.tv_nsec / 64;
	nanosleep(&t, NULL);
}
