/* A thread that shows the progress of long starts and cancels them after a signal, while the
 * measuring thread is in lsched_run_finish(), which launches the next round of queues with
 * rounds. */
#ifndef APPS_GSCHED_WATCH_H
#define APPS_GSCHED_WATCH_H

#include <libsched/sched.h>
#include <pthread.h>
#include "apps/common/log.h"

typedef struct start_watch {
	logger *log;        /* NULL: no progress is shown */
	uint64_t done, all; /* starts; the caller's, between watch_end and watch_begin */
	lsched_run *run;    /* under the lock: what executes; NULL: nothing */
	int64_t since_ns;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t closing;
	int close;      /* under the lock */
	int has_thread; /* 0: it could not be started, and nothing is watched */
} start_watch;

void watch_open(start_watch *w, logger *log, uint64_t all);
void watch_close(start_watch *w);

/* Around a start, from before it to after its end. */
void watch_begin(start_watch *w, lsched_run *run);
void watch_end(start_watch *w);
/* Counts a start as done, and shows that. */
void watch_count(start_watch *w);

#endif
