/* The threads of the CPU backend. They execute the started runs in order: worker k of every run is
 * thread k of the pool; a run with fewer workers uses the first threads.
 *
 * A task that never returns occupies its thread. When the context is lost to such a task, close
 * detaches the threads instead of joining them. The last thread to end frees the pool, and the last
 * active worker of a destroyed run frees the run. Until then their memory stays allocated. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "libsched/core/shared.h"
#include "libsched/cpu/pool.h"

enum { MAX_THREADS = 4096, BARRIER_SPINS = 100 };

/* Returns the next run of a thread that has finished its part of all runs up to `serial`. */
static cpu_run *next_run(const cpu_pool *p, uint64_t serial, uint32_t index)
{
	for (cpu_run *r = p->first; r; r = r->next)
		if (r->serial > serial && index < r->run->args.workers)
			return r;
	return NULL;
}

void lsched_i_cpu_add_run(cpu_pool *p, cpu_run *r)
{
	r->next = NULL;
	r->serial = ++p->serial;
	r->remaining = r->run->args.workers;
	if (p->last)
		p->last->next = r;
	else
		p->first = r;
	p->last = r;
	pthread_cond_broadcast(&p->run_added);
}

void lsched_i_cpu_remove_run(cpu_pool *p, cpu_run *r)
{
	cpu_run **link = &p->first, *before = NULL;

	while (*link != r) {
		before = *link;
		link = &before->next;
	}
	*link = r->next;
	if (p->last == r)
		p->last = before;
}

/* Barrier of all workers at the end of a round; returns nonzero if another round follows. Rounds
 * may be short, so a worker polls before it sleeps. */
static int wait_for_round(cpu_pool *p, cpu_run *r)
{
	const uint64_t round = lsched_ld(&r->round, rlx, dev);

	if (lsched_add(&r->arrived, 1u, ar, dev) == r->run->args.workers - 1) {
		lsched_st(&r->arrived, 0u, rlx, dev);
		pthread_mutex_lock(&p->lock);
		lsched_st(&r->round, round + 1, rel, dev);
		pthread_cond_broadcast(&p->round_begun);
		pthread_mutex_unlock(&p->lock);
	} else {
		for (uint32_t spins = 0;
			spins < BARRIER_SPINS && lsched_ld(&r->round, acq, dev) == round; spins++)
			lsched_i_cpu_relax(spins);
		if (lsched_ld(&r->round, acq, dev) == round) {
			pthread_mutex_lock(&p->lock);
			while (lsched_ld(&r->round, acq, dev) == round && !p->lost)
				pthread_cond_wait(&p->round_begun, &p->lock);
			pthread_mutex_unlock(&p->lock);
			if (lsched_ld(&r->round, acq, dev) == round)
				return 0; /* lost: a worker will not arrive */
		}
	}
	return r->result.again != 0;
}

static void free_pool(cpu_pool *p)
{
	cpu_deferred_free *d = p->deferred;

	while (d) {
		cpu_deferred_free *next = d->next;

		free(d->memory);
		free(d);
		d = next;
	}
	pthread_cond_destroy(&p->run_added);
	pthread_cond_destroy(&p->run_ended);
	pthread_cond_destroy(&p->round_begun);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* Records that a worker has left a run, and frees an abandoned run after its last active worker.
 * Under the lock. */
static void leave_run(cpu_pool *p, cpu_run *r)
{
	lsched_run *run = r->run;

	r->active--;
	if (--r->remaining == 0) {
		lsched_i_cpu_remove_run(p, r);
		pthread_cond_broadcast(&p->run_ended);
	}
	if (!r->abandoned || r->active)
		return;
	if (r->remaining)
		lsched_i_cpu_remove_run(p, r);
	lsched_i_cpu_free_run_memory(run);
	lsched_i_run_free(run);
}

static void *thread_main(void *arg)
{
	const struct cpu_thread *self = (const struct cpu_thread *)arg;
	cpu_pool *p = self->pool;
	uint64_t serial = 0;
	int last;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		cpu_run *r = p->lost ? NULL : next_run(p, serial, self->index);

		if (!r) {
			if (p->stop)
				break;
			pthread_cond_wait(&p->run_added, &p->lock);
			continue;
		}
		serial = r->serial;
		r->active++;
		pthread_mutex_unlock(&p->lock);
		do
			r->run->entry->work(&r->run->args, r->program_ctx,
				r->locals ? r->locals + self->index * r->local_stride : NULL,
				self->index);
		while (r->run->entry->rounds && wait_for_round(p, r));
		pthread_mutex_lock(&p->lock);
		leave_run(p, r);
	}
	last = p->detached != 0 && --p->detached == 0;
	pthread_mutex_unlock(&p->lock);
	if (last)
		free_pool(p);
	return NULL;
}

/* If a thread is inside a run, detaches all threads and returns nonzero. Idle threads end by
 * themselves, but they still access the pool. Under the lock. */
static int detach_threads(cpu_pool *p)
{
	uint32_t active = 0;

	for (const cpu_run *r = p->first; r; r = r->next)
		active += r->active;
	if (active == 0)
		return 0;
	for (uint32_t i = 0; i < p->thread_count; i++)
		pthread_detach(p->threads[i].id);
	p->detached = p->thread_count;
	return 1;
}

void lsched_i_cpu_close(lsched_ctx *ctx)
{
	cpu_pool *p = pool_of(ctx);
	int detached = 0;

	ctx->impl = NULL;
	pthread_mutex_lock(&p->lock);
	p->stop = 1;
	pthread_cond_broadcast(&p->run_added);
	if (p->lost)
		detached = detach_threads(p);
	pthread_mutex_unlock(&p->lock);
	if (detached)
		return;
	for (uint32_t i = 0; i < p->thread_count; i++)
		pthread_join(p->threads[i].id, NULL);
	free_pool(p);
}

static void init_locks(cpu_pool *p)
{
	pthread_condattr_t clock;

	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->run_added, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&p->run_ended, &clock);
	pthread_condattr_destroy(&clock);
	pthread_cond_init(&p->round_begun, NULL);
}

/* Starts n threads; returns 0 or the error of pthread_create(). The application handles its signals
 * in its own threads, so these block all signals. */
static int start_threads(cpu_pool *p, uint32_t n)
{
	sigset_t all, old;
	int err = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &old);
	for (uint32_t i = 0; i < n && !err; i++) {
		p->threads[i].pool = p;
		p->threads[i].index = i;
		err = pthread_create(&p->threads[i].id, NULL, thread_main, &p->threads[i]);
		if (!err)
			p->thread_count++;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return err;
}

lsched_status lsched_i_cpu_open(lsched_ctx *ctx)
{
	const long processors = sysconf(_SC_NPROCESSORS_ONLN);
	const uint32_t n = ctx->o.workers   ? ctx->o.workers
			   : processors > 0 ? (uint32_t)processors
					    : 1;
	cpu_pool *p;
	int err;

	if (n > MAX_THREADS)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_ARG,
			"%u CPU workers requested, at most %d are possible", (unsigned)n,
			MAX_THREADS);
	p = (cpu_pool *)calloc(1, sizeof(*p) + n * sizeof(p->threads[0]));
	if (!p)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_NOMEM,
			"out of memory for %u CPU workers", (unsigned)n);
	init_locks(p);
	ctx->impl = p;
	ctx->workers = n;
	snprintf(ctx->device_name, sizeof(ctx->device_name), "CPU, %u thread%s", (unsigned)n,
		n == 1 ? "" : "s");
	err = start_threads(p, n);
	if (err) {
		lsched_i_cpu_close(ctx);
		return lsched_i_error(ctx, NULL, LSCHED_ERR_NOMEM,
			"cannot start CPU worker thread: %s", strerror(err));
	}
	return LSCHED_OK;
}
