/* Creation of a library's threads, and waits that end at a time of CLOCK_MONOTONIC, which is never
 * set. For all libraries and programs of the tree; host code. */
#ifndef LIBSCHED_CORE_THREAD_H
#define LIBSCHED_CORE_THREAD_H

#include <pthread.h>
#include <signal.h>
#include "libsched/core/clock.h"

/* Starts a thread that blocks asynchronous signals, because the application handles them in its own
 * threads. Signals that the thread itself causes reach the application's handler for crashes, and
 * SIGPROF reaches its profiler. Returns 0 or the error of pthread_create(). */
static inline int lsched_i_thread_create(pthread_t *id, void *(*main)(void *), void *arg)
{
	static const int open[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT,
		SIGPROF };
	sigset_t blocked, old;
	int err;

	sigfillset(&blocked);
	for (size_t k = 0; k < sizeof(open) / sizeof(open[0]); k++)
		sigdelset(&blocked, open[k]);
	pthread_sigmask(SIG_BLOCK, &blocked, &old);
	err = pthread_create(id, NULL, main, arg);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

/* Initialises a condition variable for pthread_cond_timedwait() with lsched_i_deadline(). */
static inline void lsched_i_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t clock;

	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &clock);
	pthread_condattr_destroy(&clock);
}

/* Returns the time `ns` from now. */
static inline struct timespec lsched_i_deadline(uint64_t ns)
{
	const uint64_t at = lsched_i_clock_ns() + ns;
	struct timespec t;

	t.tv_sec = (time_t)(at / 1000000000u);
	t.tv_nsec = (long)(at % 1000000000u);
	return t;
}

static inline struct timespec lsched_i_deadline_ms(int ms)
{
	return lsched_i_deadline((uint64_t)ms * 1000000u);
}

#endif
