#include "apps/gsched/watch.h"
#include "apps/common/stop.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "libsched/core/thread.h"

/* Polling interval, and the age from which on the progress within an execution is shown. */
enum { POLL_MS = 20, SHOW_AFTER_MS = 200 };

/* Shows the progress line; run: the executing run or NULL. */
static void show(const run_watch *w, lsched_run *run, int64_t now_ns)
{
	lsched_run_progress_info p;
	char extra[96] = "";

	lsched_run_progress_info_init(&p);
	if (run && lsched_run_progress(run, &p) == LSCHED_OK && p.executing) {
		if (p.finished == LSCHED_NOT_KNOWN)
			snprintf(extra, sizeof(extra),
				", %.0f s in this run, %" PRIu64 " tasks outstanding",
				(double)p.elapsed_ns * 1e-9, p.outstanding);
		else
			snprintf(extra, sizeof(extra), ", %" PRIu64 " of %" PRIu64 " tasks",
				p.finished, p.finished + p.outstanding);
	}
	log_progress(w->log, now_ns, w->done, (int64_t)w->all, extra);
}

/* Cancels the run after a signal, and shows its progress. Called with the lock held. */
static void poll_run(run_watch *w)
{
	const int64_t now = progress_now_ns();

	if (stop_signal())
		(void)lsched_run_cancel(w->run);
	if (w->log && now - w->since_ns >= SHOW_AFTER_MS * INT64_C(1000000) &&
		log_progress_due(w->log, now))
		show(w, w->run, now);
}

static void *watch_main(void *arg)
{
	run_watch *w = arg;
	struct timespec until;

	pthread_mutex_lock(&w->lock);
	while (!w->close) {
		until = lsched_i_deadline_ms(POLL_MS);
		(void)pthread_cond_timedwait(&w->closing, &w->lock, &until);
		if (w->run)
			poll_run(w);
	}
	pthread_mutex_unlock(&w->lock);
	return NULL;
}

void watch_open(run_watch *w, logger *log, uint64_t all)
{

	memset(w, 0, sizeof(*w));
	w->log = log;
	w->all = all;
	pthread_mutex_init(&w->lock, NULL);
	lsched_i_cond_init(&w->closing);
	w->has_thread = lsched_i_thread_create(&w->thread, watch_main, w) == 0;
}

void watch_close(run_watch *w)
{
	pthread_mutex_lock(&w->lock);
	w->close = 1;
	pthread_cond_signal(&w->closing);
	pthread_mutex_unlock(&w->lock);
	if (w->has_thread)
		pthread_join(w->thread, NULL);
	pthread_cond_destroy(&w->closing);
	pthread_mutex_destroy(&w->lock);
}

void watch_begin(run_watch *w, lsched_run *run)
{
	pthread_mutex_lock(&w->lock);
	w->run = run;
	w->since_ns = progress_now_ns();
	pthread_mutex_unlock(&w->lock);
}

void watch_end(run_watch *w)
{
	pthread_mutex_lock(&w->lock);
	w->run = NULL;
	pthread_mutex_unlock(&w->lock);
}

void watch_count(run_watch *w)
{
	const int64_t now = progress_now_ns();

	w->done++;
	if (w->log && log_progress_due(w->log, now))
		show(w, NULL, now);
}
