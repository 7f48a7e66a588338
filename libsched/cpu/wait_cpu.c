/* The end of an execution on the CPU: waiting for it with the host's watchdog, cancel, progress. */
#include <string.h>
#include "libsched/core/thread.h"
#include "libsched/core/wake.h"
#include "libsched/cpu/pool.h"

/* Marks the context as lost: no thread enters a further run, and workers that wait at the end of a
 * round leave. Under the lock. */
static void mark_lost(cpu_pool *p)
{
	p->lost = 1;
	pthread_cond_broadcast(&p->round_begun);
}

static void wait_for(cpu_pool *p, uint64_t ns)
{
	const struct timespec until = lsched_i_deadline(ns);

	(void)pthread_cond_timedwait(&p->run_ended, &p->lock, &until);
}

/* Checks the watchdogs of all started runs, because a run may wait for the workers of a run before
 * it. Returns a run that hangs, or NULL. Under the lock. */
static lsched_run *find_hang(cpu_pool *p)
{
	const uint64_t now = lsched_i_cpu_now_ns();

	for (cpu_run *r = p->first; r; r = r->next) {
		const lsched_i_args *a = &r->run->args;
		lsched_i_state *s = a->state;
		uint32_t none = LSCHED_I_FAIL_NONE;

		/* no worker executes tasks: those that this run waits for are in a run before it,
		 * or have not been scheduled yet */
		if (r->active == lsched_ld(&r->arrived, rlx, dev) % a->workers)
			continue;
		switch (lsched_i_watchdog_check(r->run, now, r->begun_ns,
			lsched_i_progress(a->marks, a->mark_words, a->workers,
				lsched_ld(&s->launches.v, rlx, sys)),
			lsched_i_wait_steps(a->marks, a->mark_words, a->workers),
			lsched_ld(&s->failed.v, rlx, sys) != 0)) {
		case LSCHED_I_STOP_WORKERS:
			(void)lsched_cas(&s->failed.v, &none, LSCHED_I_FAIL_HOST, ar, sys);
			lsched_i_wake_all(a);
			break;
		case LSCHED_I_ABANDON:
			return r->run;
		default:
			break;
		}
	}
	return NULL;
}

/* Also detects hangs, for callers that poll and never wait. */
int lsched_i_cpu_done(lsched_run *run)
{
	cpu_pool *p = pool_of(run->ctx);
	const uint64_t every_ns = lsched_i_watchdog_check_every_ns(run);
	lsched_run *hang = NULL;
	int done;

	pthread_mutex_lock(&p->lock);
	done = ((const cpu_run *)run->impl)->remaining == 0;
	if (!done && every_ns) {
		const uint64_t now = lsched_i_cpu_now_ns();

		if (now >= p->next_check_ns) {
			p->next_check_ns = now + every_ns;
			hang = find_hang(p);
		}
	}
	if (hang)
		mark_lost(p);
	pthread_mutex_unlock(&p->lock);
	if (hang)
		(void)lsched_i_explain_hang(hang, hang->args.current_task);
	return done || hang;
}

lsched_status lsched_i_cpu_wait(lsched_run *run)
{
	cpu_pool *p = pool_of(run->ctx);
	const cpu_run *r = (const cpu_run *)run->impl;
	const uint64_t every_ns = lsched_i_watchdog_check_every_ns(run);
	lsched_run *hang = NULL;

	pthread_mutex_lock(&p->lock);
	while (r->remaining && !hang) {
		if (every_ns == 0) {
			pthread_cond_wait(&p->run_ended, &p->lock);
			continue;
		}
		wait_for(p, every_ns);
		hang = find_hang(p);
	}
	if (hang)
		mark_lost(p);
	pthread_mutex_unlock(&p->lock);
	if (hang) {
		const lsched_status st = lsched_i_explain_hang(hang, hang->args.current_task);

		return hang == run ? st : lsched_i_lost_error(run->ctx, run);
	}
	if (run->o.worker_stats)
		memcpy(run->worker_stats, run->args.worker_stats,
			(size_t)run->max_workers * sizeof(*run->worker_stats));
	return LSCHED_OK;
}

lsched_status lsched_i_cpu_cancel(lsched_run *run)
{
	cpu_pool *p = pool_of(run->ctx);
	uint32_t none = LSCHED_I_FAIL_NONE;
	lsched_status st = LSCHED_ERR_STATE;

	pthread_mutex_lock(&p->lock);
	if (((const cpu_run *)run->impl)->remaining) {
		(void)lsched_cas(
			&run->args.state->failed.v, &none, LSCHED_I_FAIL_CANCELLED, ar, sys);
		lsched_i_wake_all(&run->args);
		st = LSCHED_OK;
	}
	pthread_mutex_unlock(&p->lock);
	return st;
}

void lsched_i_cpu_snapshot(lsched_run *run, lsched_i_snapshot *s)
{
	cpu_pool *p = pool_of(run->ctx);
	const cpu_run *r = (const cpu_run *)run->impl;

	pthread_mutex_lock(&p->lock);
	s->ended = r->remaining == 0;
	if (s->ended)
		s->finished = r->result.count[LSCHED_I_N_TASKS];
	else
		s->outstanding =
			lsched_ld(&run->args.state->outstanding.v, rlx, sys) + run->args.tasks;
	pthread_mutex_unlock(&p->lock);
}
