/* Creation of a library's threads. For all libraries of the tree; host code. */
#ifndef LIBSCHED_CORE_THREAD_H
#define LIBSCHED_CORE_THREAD_H

#include <pthread.h>
#include <signal.h>

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

#endif
