/* A thread that shows the progress of long executions and cancels them after a signal, while the
 * measuring thread is in lsched_run_finish(). */
#ifndef APPS_GSCHED_WATCH_H
#define APPS_GSCHED_WATCH_H

#include <libsched/sched.h>
#include <pthread.h>
#include "apps/common/log.h"

typedef struct run_watch {
	logger *log;        /* NULL: shows no progress */
	uint64_t done, all; /* executions; written only while `run` is NULL */
	lsched_run *run;    /* with the lock held: the executing run; NULL: none */
	int64_t since_ns;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t closing;
	int close;      /* with the lock held */
	int has_thread; /* 0: it could not be created; no execution is cancelled */
} run_watch;

/* `all` is the number of executions to come. */
void watch_open(run_watch *w, logger *log, uint64_t all);
void watch_close(run_watch *w);

/* Mark the start and the end of an execution. */
void watch_begin(run_watch *w, lsched_run *run);
void watch_end(run_watch *w);
/* Counts a finished execution and shows the progress. Called after watch_end(). */
void watch_count(run_watch *w);

#endif
