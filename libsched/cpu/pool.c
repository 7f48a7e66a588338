/* The threads of the CPU backend. A free thread becomes the next worker of the first started run
 * that lacks one. So runs that together have no more workers than the pool has threads are executed
 * at the same time, and no run waits for a later one: its workers are assigned before theirs.
 *
 * A task that never returns occupies its thread. When the context is lost to such a task, close
 * detaches the threads instead of joining them. The last thread to end frees the pool, and the last
 * active worker of a destroyed run frees the run. Until then their memory stays allocated. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "libsched/core/shared.h"
#include "libsched/core/thread.h"
#include "libsched/cpu/pool.h"

enum { MAX_THREADS = 4096, BARRIER_SPINS = 100 };

/* Returns the first run that lacks a worker. */
static cpu_run *next_run(const cpu_pool *p)
{
	for (cpu_run *r = p->first; r; r = r->next)
		if (r->assigned < r->run->args.workers)
			return r;
	return NULL;
}

void lsched_i_cpu_add_run(cpu_pool *p, cpu_run *r)
{
	r->next = NULL;
	r->assigned = 0;
	r->remaining = r->run->args.workers;
	r->begun_ns = r->arrived = 0;
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
	const uint64_t workers = r->run->args.workers;
	const uint64_t before = lsched_add(&r->arrived, (uint64_t)1, ar, dev);
	const uint64_t end = (before / workers + 1) * workers;

	for (uint32_t spins = 0; spins < BARRIER_SPINS && lsched_ld(&r->arrived, acq, dev) < end;
		spins++)
		lsched_i_cpu_relax(spins);
	if (before == end - 1 || lsched_ld(&r->arrived, acq, dev) < end) {
		pthread_mutex_lock(&p->lock);
		if (before == end - 1)
			pthread_cond_broadcast(&p->round_begun);
		while (lsched_ld(&r->arrived, acq, dev) < end && !p->lost)
			pthread_cond_wait(&p->round_begun, &p->lock);
		pthread_mutex_unlock(&p->lock);
	}
	/* not all have arrived: the context is lost */
	return lsched_ld(&r->arrived, acq, dev) >= end && r->result.again != 0;
}

static void free_pool_memory(cpu_pool *p)
{
	cpu_deferred_free *d = p->deferred;

	while (d) {
		cpu_deferred_free *next = d->next;

		lsched_i_cpu_free_zeroed(d->memory);
		free(d);
		d = next;
	}
	free(p);
}

static void free_pool(cpu_pool *p)
{
	pthread_cond_destroy(&p->run_added);
	pthread_cond_destroy(&p->run_ended);
	pthread_cond_destroy(&p->round_begun);
	pthread_mutex_destroy(&p->lock);
	free_pool_memory(p);
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
	cpu_pool *p = (cpu_pool *)arg;
	int last;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		cpu_run *r = p->lost ? NULL : next_run(p);
		uint32_t worker;

		if (!r) {
			if (p->stop)
				break;
			pthread_cond_wait(&p->run_added, &p->lock);
			continue;
		}
		worker = r->assigned++;
		r->active++;
		if (r->begun_ns == 0)
			r->begun_ns = lsched_i_cpu_now_ns();
		pthread_mutex_unlock(&p->lock);
		do
			r->run->entry->work(&r->run->args, r->program_ctx,
				r->locals ? r->locals + worker * r->local_stride : NULL, worker);
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
		pthread_detach(p->threads[i]);
	p->detached = p->thread_count;
	return 1;
}

void lsched_i_cpu_close(lsched_ctx *ctx)
{
	cpu_pool *p = pool_of(ctx);
	int detached = 0;

	ctx->impl = NULL;
	if (ctx->lost == LSCHED_I_LOST_FORK) { /* its threads are in the parent process */
		free_pool_memory(p);
		return;
	}
	pthread_mutex_lock(&p->lock);
	p->stop = 1;
	pthread_cond_broadcast(&p->run_added);
	if (p->lost)
		detached = detach_threads(p);
	pthread_mutex_unlock(&p->lock);
	if (detached)
		return;
	for (uint32_t i = 0; i < p->thread_count; i++)
		pthread_join(p->threads[i], NULL);
	free_pool(p);
}

static void init_locks(cpu_pool *p)
{
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->run_added, NULL);
	lsched_i_cond_init(&p->run_ended);
	pthread_cond_init(&p->round_begun, NULL);
}

/* Starts n threads; returns 0 or the error of pthread_create(). */
static int start_threads(cpu_pool *p, uint32_t n)
{
	int err = 0;

	pthread_mutex_lock(&p->lock); /* of thread_count */
	while (p->thread_count < n && !err) {
		err = lsched_i_thread_create(&p->threads[p->thread_count], thread_main, p);
		p->thread_count += !err;
	}
	pthread_mutex_unlock(&p->lock);
	return err;
}

lsched_status lsched_i_cpu_open(lsched_ctx *ctx)
{
	const uint32_t n = ctx->o.workers ? ctx->o.workers : lsched_processor_count();
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
	p->may_sleep = lsched_i_cpu_may_sleep();
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
