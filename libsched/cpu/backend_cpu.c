/* The CPU executor: a pool of threads that works through the started runs in order. Worker k of every
 * run is thread k of the pool; a run with fewer workers uses the first threads.
 *
 * A task that never returns keeps its thread. When the context is lost to one, closing lets go of the
 * threads that are inside runs (orphans); the last of them frees the pool, and whoever is the last
 * worker in a run that was destroyed frees the run. Until then they are left alone. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "libsched/core/backend.h"
#include "libsched/core/shared.h"

enum { ALIGN = 64, MAX_THREADS = 4096, MEET_SPINS = 100 };

typedef struct job job;

/* Memory to be freed with the pool. */
typedef struct late {
	struct late *next;
	void *memory;
} late;

typedef struct pool {
	pthread_mutex_t lock;
	pthread_cond_t work, done, round;
	job *first, *last; /* started and not finished, in order of start */
	uint64_t serial;   /* of the latest start */
	int stop;
	int lost;            /* no further run is begun */
	uint64_t look_at_ns; /* when cpu_done() looks for hangs again */
	uint32_t orphans;
	late *late;
	uint32_t thread_count;
	struct thread {
		struct pool *pool;
		uint32_t index;
		pthread_t id;
	} threads[];
} pool;

/* The CPU part of a run. */
struct job {
	lsched_run *run;
	job *next;
	uint64_t serial;
	uint32_t left; /* workers still in it or to come */
	uint32_t met;  /* kind rounds: workers at the end of this round */
	uint64_t round;
	uint32_t inside; /* workers in it now */
	int deserted;    /* the caller has destroyed the run: the last worker frees it */
	lsched_i_result result;
	unsigned char *program_ctx;
	unsigned char *locals;
	size_t local_stride;
};

static size_t align_up(size_t n)
{
	return (n + ALIGN - 1) / ALIGN * ALIGN;
}

/* The next run for a thread that has done its part of all runs up to `serial`. */
static job *next_job(const pool *p, uint64_t serial, uint32_t index)
{
	for (job *j = p->first; j; j = j->next)
		if (j->serial > serial && index < j->run->args.workers)
			return j;
	return NULL;
}

static void unlink_job(pool *p, job *gone)
{
	job **link = &p->first, *before = NULL;

	while (*link != gone) {
		before = *link;
		link = &before->next;
	}
	*link = gone->next;
	if (p->last == gone)
		p->last = before;
}

/* The end of a round: all its workers wait here; nonzero when there is another one. Rounds may be short,
 * so they look for a while before they sleep. */
static int meet(pool *p, job *j)
{
	const uint64_t round = lsched_ld(&j->round, rlx, dev);

	if (lsched_add(&j->met, 1u, ar, dev) == j->run->args.workers - 1) {
		lsched_st(&j->met, 0u, rlx, dev);
		pthread_mutex_lock(&p->lock);
		lsched_st(&j->round, round + 1, rel, dev);
		pthread_cond_broadcast(&p->round);
		pthread_mutex_unlock(&p->lock);
	} else {
		for (uint32_t spins = 0;
			spins < MEET_SPINS && lsched_ld(&j->round, acq, dev) == round; spins++)
			lsched_i_cpu_relax(spins);
		if (lsched_ld(&j->round, acq, dev) == round) {
			pthread_mutex_lock(&p->lock);
			while (lsched_ld(&j->round, acq, dev) == round && !p->lost)
				pthread_cond_wait(&p->round, &p->lock);
			pthread_mutex_unlock(&p->lock);
			if (lsched_ld(&j->round, acq, dev) == round)
				return 0; /* lost: somebody will not come */
		}
	}
	return j->result.again != 0;
}

static void free_parts(lsched_run *run)
{
	job *j = (job *)run->impl;

	if (j) {
		free(j->program_ctx);
		free(j->locals);
		free(j);
	}
	free(run->memory);
	free(run->events_raw);
	run->impl = NULL;
	run->memory = NULL;
	run->events_raw = NULL;
}

static void free_pool(pool *p)
{
	late *l = p->late;

	while (l) {
		late *next = l->next;

		free(l->memory);
		free(l);
		l = next;
	}
	pthread_cond_destroy(&p->work);
	pthread_cond_destroy(&p->done);
	pthread_cond_destroy(&p->round);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

/* A worker is out of a run. Under the lock. */
static void leave_job(pool *p, job *j)
{
	lsched_run *run = j->run;

	j->inside--;
	if (--j->left == 0) {
		unlink_job(p, j);
		pthread_cond_broadcast(&p->done);
	}
	if (!j->deserted || j->inside)
		return;
	if (j->left)
		unlink_job(p, j);
	free_parts(run);
	lsched_i_run_free(run);
}

static void *thread_main(void *arg)
{
	const struct thread *self = (const struct thread *)arg;
	pool *p = self->pool;
	uint64_t serial = 0;
	int last;

	pthread_mutex_lock(&p->lock);
	for (;;) {
		job *j = p->lost ? NULL : next_job(p, serial, self->index);

		if (!j) {
			if (p->stop)
				break;
			pthread_cond_wait(&p->work, &p->lock);
			continue;
		}
		serial = j->serial;
		j->inside++;
		pthread_mutex_unlock(&p->lock);
		do
			j->run->entry->work(&j->run->args, j->program_ctx,
				j->locals ? j->locals + self->index * j->local_stride : NULL,
				self->index);
		while (j->run->entry->rounds && meet(p, j));
		pthread_mutex_lock(&p->lock);
		leave_job(p, j);
	}
	last = p->orphans != 0 && --p->orphans == 0;
	pthread_mutex_unlock(&p->lock);
	if (last)
		free_pool(p);
	return NULL;
}

/* Detaches all threads if one of them is inside a run, and returns whether. Those that are idle end by
 * themselves, but they too still look at the pool. Under the lock. */
static int let_go(pool *p)
{
	uint32_t inside = 0;

	for (const job *j = p->first; j; j = j->next)
		inside += j->inside;
	if (inside == 0)
		return 0;
	for (uint32_t i = 0; i < p->thread_count; i++)
		pthread_detach(p->threads[i].id);
	p->orphans = p->thread_count;
	return 1;
}

static void cpu_close(lsched_ctx *ctx)
{
	pool *p = (pool *)ctx->impl;
	int orphans = 0;

	ctx->impl = NULL;
	pthread_mutex_lock(&p->lock);
	p->stop = 1;
	pthread_cond_broadcast(&p->work);
	if (p->lost)
		orphans = let_go(p);
	pthread_mutex_unlock(&p->lock);
	if (orphans)
		return;
	for (uint32_t i = 0; i < p->thread_count; i++)
		pthread_join(p->threads[i].id, NULL);
	free_pool(p);
}

static lsched_status cpu_open(lsched_ctx *ctx)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint32_t n = ctx->o.workers ? ctx->o.workers : processors > 0 ? (uint32_t)processors : 1;
	pthread_condattr_t clock;
	sigset_t all, old;
	int err = 0;
	pool *p;

	if (n > MAX_THREADS)
		return lsched_i_error(
			ctx, NULL, LSCHED_ERR_ARG, "at most %d CPU workers", MAX_THREADS);
	p = (pool *)calloc(1, sizeof(*p) + n * sizeof(p->threads[0]));
	if (!p)
		return lsched_i_error(ctx, NULL, LSCHED_ERR_NOMEM, "out of memory");
	pthread_mutex_init(&p->lock, NULL);
	pthread_cond_init(&p->work, NULL);
	pthread_condattr_init(&clock);
	pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
	pthread_cond_init(&p->done, &clock);
	pthread_condattr_destroy(&clock);
	pthread_cond_init(&p->round, NULL);
	ctx->impl = p;
	ctx->workers = n;
	snprintf(ctx->device_name, sizeof(ctx->device_name), "CPU, %u thread%s", (unsigned)n,
		n == 1 ? "" : "s");
	/* signals are the caller's business */
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
	if (err) {
		cpu_close(ctx);
		return lsched_i_error(ctx, NULL, LSCHED_ERR_NOMEM,
			"cannot start CPU worker thread: %s", strerror(err));
	}
	return LSCHED_OK;
}

static void *alloc_zeroed(size_t bytes)
{
	void *m = NULL;

	if (posix_memalign(&m, LSCHED_I_LINE, bytes ? bytes : 1))
		return NULL;
	memset(m, 0, bytes);
	return m;
}

static lsched_status cpu_destroy(lsched_run *run)
{
	pool *p = (pool *)run->ctx->impl;
	job *j = (job *)run->impl;

	pthread_mutex_lock(&p->lock);
	if (j && j->left) { /* the context is lost */
		if (j->inside) {
			j->deserted = 1;
			pthread_mutex_unlock(&p->lock);
			return LSCHED_ERR_STATE;
		}
		unlink_job(p, j);
	}
	pthread_mutex_unlock(&p->lock);
	free_parts(run);
	return LSCHED_OK;
}

static lsched_status cpu_create(lsched_run *run)
{
	const lsched_program *p = run->program;
	lsched_status st;
	job *j;

	run->max_workers = run->o.workers < run->ctx->workers ? run->o.workers : run->ctx->workers;
	run->resident = run->max_workers;
	st = lsched_i_plan_memory(run);
	if (st != LSCHED_OK)
		return st;
	j = (job *)calloc(1, sizeof(*j));
	run->impl = j;
	run->memory = (unsigned char *)alloc_zeroed(run->plan.bytes);
	if (j) {
		j->run = run;
		j->local_stride = align_up(p->local_bytes);
		j->program_ctx = (unsigned char *)alloc_zeroed(p->ctx_bytes);
		if (p->local_bytes)
			j->locals =
				(unsigned char *)alloc_zeroed(j->local_stride * run->max_workers);
		run->args.result = &j->result;
	}
	if (run->o.trace)
		run->events_raw = (lsched_event *)calloc(
			(size_t)run->max_workers * run->o.trace, sizeof(lsched_event));
	if (!j || !run->memory || !j->program_ctx || (p->local_bytes && !j->locals) ||
		(run->o.trace && !run->events_raw))
		return lsched_i_error(
			run->ctx, NULL, LSCHED_ERR_NOMEM, "%s: out of memory", p->name);
	run->args.events = run->events_raw;
	return LSCHED_OK;
}

static lsched_status cpu_start(lsched_run *run, const void *program_ctx, void *stream)
{
	pool *p = (pool *)run->ctx->impl;
	job *j = (job *)run->impl;

	(void)stream;
	if (run->clear)
		memset(run->memory, 0, run->plan.bytes);
	if (run->o.trace)
		memset(run->events_raw, 0,
			(size_t)run->max_workers * run->o.trace * sizeof(lsched_event));
	if (run->o.worker_stats)
		memset(run->args.worker_stats, 0,
			(size_t)run->max_workers * sizeof(*run->args.worker_stats));
	memset(&j->result, 0, sizeof(j->result));
	memcpy(j->program_ctx, program_ctx, run->program->ctx_bytes);
	pthread_mutex_lock(&p->lock);
	j->next = NULL;
	j->serial = ++p->serial;
	j->left = run->args.workers;
	if (p->last)
		p->last->next = j;
	else
		p->first = j;
	p->last = j;
	pthread_cond_broadcast(&p->work);
	pthread_mutex_unlock(&p->lock);
	return LSCHED_OK;
}

/* Nobody begins a run any more, and those who wait for others in one leave it. Under the lock. */
static void lose(pool *p)
{
	p->lost = 1;
	pthread_cond_broadcast(&p->round);
}

static void wait_until(pool *p, uint64_t ns)
{
	struct timespec t;

	t.tv_sec = (time_t)(ns / 1000000000u);
	t.tv_nsec = (long)(ns % 1000000000u);
	(void)pthread_cond_timedwait(&p->done, &p->lock, &t);
}

/* Whether a run hangs: also another one, for this one may be waiting for its workers. Under the lock. */
static lsched_run *look_at_all(pool *p)
{
	const uint64_t now = lsched_i_cpu_now_ns();

	for (job *j = p->first; j; j = j->next) {
		lsched_i_state *s = j->run->args.state;
		const uint32_t progress = lsched_i_progress(lsched_ld(&s->outstanding.v, rlx, sys),
			lsched_ld(&s->next_root.v, rlx, sys),
			lsched_ld(&s->items.heartbeat.v, rlx, sys));
		uint32_t none = LSCHED_I_FAIL_NONE;

		if (j->inside ==
			lsched_ld(&j->met, rlx,
				dev)) /* those it waits for are in a run before, or to come */
			continue;
		switch (lsched_i_watchdog_check(
			j->run, now, 1, progress, lsched_ld(&s->failed.v, rlx, sys) != 0)) {
		case LSCHED_I_STOP_WORKERS:
			(void)lsched_cas(&s->failed.v, &none, LSCHED_I_FAIL_HOST, ar, sys);
			break;
		case LSCHED_I_ABANDON:
			return j->run;
		default:
			break;
		}
	}
	return NULL;
}

/* A caller who only asks must hear of a hang as well. */
static int cpu_done(lsched_run *run)
{
	pool *p = (pool *)run->ctx->impl;
	const uint64_t every_ns = lsched_i_watchdog_check_every_ns(run);
	lsched_run *stuck = NULL;
	int done;

	pthread_mutex_lock(&p->lock);
	done = ((job *)run->impl)->left == 0;
	if (!done && every_ns) {
		const uint64_t now = lsched_i_cpu_now_ns();

		if (now >= p->look_at_ns) {
			p->look_at_ns = now + every_ns;
			stuck = look_at_all(p);
		}
	}
	if (stuck)
		lose(p);
	pthread_mutex_unlock(&p->lock);
	if (stuck)
		(void)lsched_i_explain_stuck(stuck, stuck->args.current_task);
	return done || stuck;
}

static lsched_status cpu_wait(lsched_run *run)
{
	pool *p = (pool *)run->ctx->impl;
	const job *j = (const job *)run->impl;
	const uint64_t every_ns = lsched_i_watchdog_check_every_ns(run);
	lsched_run *stuck = NULL;

	pthread_mutex_lock(&p->lock);
	while (j->left && !stuck) {
		if (every_ns == 0) {
			pthread_cond_wait(&p->done, &p->lock);
			continue;
		}
		wait_until(p, lsched_i_cpu_now_ns() + every_ns);
		stuck = look_at_all(p);
	}
	if (stuck)
		lose(p);
	pthread_mutex_unlock(&p->lock);
	if (stuck) {
		const lsched_status st = lsched_i_explain_stuck(stuck, stuck->args.current_task);

		return stuck == run ? st : lsched_i_refuse(run->ctx, run);
	}
	if (run->o.worker_stats)
		memcpy(run->worker_stats, run->args.worker_stats,
			(size_t)run->max_workers * sizeof(*run->worker_stats));
	return LSCHED_OK;
}

static lsched_status cpu_cancel(lsched_run *run)
{
	pool *p = (pool *)run->ctx->impl;
	uint32_t none = LSCHED_I_FAIL_NONE;
	lsched_status st = LSCHED_ERR_STATE;

	pthread_mutex_lock(&p->lock);
	if (((const job *)run->impl)->left) {
		(void)lsched_cas(
			&run->args.state->failed.v, &none, LSCHED_I_FAIL_CANCELLED, ar, sys);
		st = LSCHED_OK;
	}
	pthread_mutex_unlock(&p->lock);
	return st;
}

static void cpu_glance(lsched_run *run, lsched_i_glance *g)
{
	pool *p = (pool *)run->ctx->impl;
	const job *j = (const job *)run->impl;

	pthread_mutex_lock(&p->lock);
	g->over = j->left == 0;
	if (g->over)
		g->finished = j->result.count[LSCHED_I_N_TASKS];
	else
		g->outstanding =
			lsched_ld(&run->args.state->outstanding.v, rlx, sys) + run->args.tasks;
	pthread_mutex_unlock(&p->lock);
}

static lsched_status cpu_mem_alloc(lsched_ctx *ctx, void **out, size_t bytes)
{
	*out = alloc_zeroed(bytes);
	if (!*out)
		return lsched_i_error(
			ctx, NULL, LSCHED_ERR_NOMEM, "out of memory: %zu bytes", bytes);
	return LSCHED_OK;
}

/* What a task that never returned may still touch waits until all have left. */
static void cpu_mem_free(lsched_ctx *ctx, void *memory)
{
	pool *p = (pool *)ctx->impl;
	late *l;

	if (!p->lost) {
		free(memory);
		return;
	}
	l = (late *)malloc(sizeof(*l)); /* without, it stays for ever */
	if (!l)
		return;
	l->memory = memory;
	l->next = p->late;
	p->late = l;
}

/* Writing and reading alike. */
static lsched_status cpu_mem_copy(lsched_ctx *ctx, void *to, const void *from, size_t bytes)
{
	(void)ctx;
	memmove(to, from, bytes);
	return LSCHED_OK;
}

static lsched_status cpu_mem_zero(lsched_ctx *ctx, void *memory, size_t bytes)
{
	(void)ctx;
	memset(memory, 0, bytes);
	return LSCHED_OK;
}

const lsched_i_backend lsched_i_backend_cpu = {
	LSCHED_BACKEND_CPU,
	cpu_open,
	cpu_close,
	cpu_create,
	cpu_destroy,
	cpu_start,
	cpu_done,
	cpu_wait,
	cpu_cancel,
	cpu_glance,
	cpu_mem_alloc,
	cpu_mem_free,
	cpu_mem_copy,
	cpu_mem_copy,
	cpu_mem_zero,
};
