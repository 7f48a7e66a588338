/* The CPU backend: creates, starts and destroys runs. Files: pool.c the threads, wait_cpu.c the end
 * of an execution, memory_cpu.c memory of the tasks. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "libsched/core/shared.h"
#include "libsched/cpu/pool.h"

enum { LOCAL_ALIGN_BYTES = 64 };

static int cpu_device_count(void)
{
	return 1;
}

static size_t align_local(size_t bytes)
{
	return (bytes + LOCAL_ALIGN_BYTES - 1) / LOCAL_ALIGN_BYTES * LOCAL_ALIGN_BYTES;
}

void lsched_i_cpu_free_run_memory(lsched_run *run)
{
	cpu_run *r = (cpu_run *)run->impl;

	if (r) {
		lsched_i_cpu_free_zeroed(r->program_ctx);
		lsched_i_cpu_free_zeroed(r->locals);
		free(r);
	}
	lsched_i_cpu_free_zeroed(run->memory);
	free(run->events_raw);
	run->impl = NULL;
	run->memory = NULL;
	run->events_raw = NULL;
}

static lsched_status cpu_destroy(lsched_run *run)
{
	cpu_pool *p = pool_of(run->ctx);
	cpu_run *r = (cpu_run *)run->impl;

	if (run->ctx->lost == LSCHED_I_LOST_FORK) { /* no thread uses it, none may hold the lock */
		lsched_i_cpu_free_run_memory(run);
		return LSCHED_OK;
	}
	pthread_mutex_lock(&p->lock);
	if (r && r->remaining) { /* the context is lost */
		if (r->active) {
			r->abandoned = 1;
			pthread_mutex_unlock(&p->lock);
			return LSCHED_ERR_STATE;
		}
		lsched_i_cpu_remove_run(p, r);
	}
	pthread_mutex_unlock(&p->lock);
	lsched_i_cpu_free_run_memory(run);
	return LSCHED_OK;
}

static lsched_status no_memory(const lsched_run *run)
{
	const uint64_t bytes =
		run->plan.bytes +
		(uint64_t)run->max_workers * (align_local(run->program->local_bytes) +
						     run->o.trace * sizeof(lsched_event));

	return lsched_i_error(run->ctx, NULL, LSCHED_ERR_NOMEM,
		"%s: out of memory: %" PRIu64
		" bytes for the run; smaller capacities or a smaller timeline take less",
		run->program->name, bytes);
}

/* The longest sleep of an idle worker: a step of its watchdog, or 100 ms without time limits. */
static uint64_t longest_idle_sleep_ns(const lsched_run *run)
{
	const uint64_t most = UINT64_C(100000000), every = lsched_i_watchdog_check_every_ns(run);

	return every ? every : most;
}

static lsched_status cpu_create(lsched_run *run)
{
	const lsched_program *p = run->program;
	lsched_status st;
	cpu_run *r;

	run->max_workers = run->o.workers < run->ctx->workers ? run->o.workers : run->ctx->workers;
	run->resident = run->max_workers;
	st = lsched_i_plan_memory(run);
	if (st != LSCHED_OK)
		return st;
	r = (cpu_run *)calloc(1, sizeof(*r));
	run->impl = r;
	run->memory = (unsigned char *)lsched_i_cpu_alloc_zeroed(run->plan.bytes);
	if (r) {
		r->run = run;
		r->local_stride = align_local(p->local_bytes);
		r->program_ctx = (unsigned char *)lsched_i_cpu_alloc_zeroed(p->ctx_bytes);
		if (p->local_bytes)
			r->locals = (unsigned char *)lsched_i_cpu_alloc_zeroed(
				r->local_stride * run->max_workers);
		run->args.result = &r->result;
	}
	if (run->o.trace)
		run->events_raw = (lsched_event *)calloc(
			(size_t)run->max_workers * run->o.trace, sizeof(lsched_event));
	if (!r || !run->memory || !r->program_ctx || (p->local_bytes && !r->locals) ||
		(run->o.trace && !run->events_raw))
		return no_memory(run);
	run->args.events = run->events_raw;
	return LSCHED_OK;
}

static lsched_status cpu_start(lsched_run *run, const void *program_ctx, void *stream)
{
	cpu_pool *p = pool_of(run->ctx);
	cpu_run *r = (cpu_run *)run->impl;

	(void)stream;
	if (p->may_sleep && !run->args.idle_sleep_ns)
		run->args.idle_sleep_ns = longest_idle_sleep_ns(run);
	if (run->must_clear)
		memset(run->memory, 0, run->plan.bytes);
	if (run->o.trace)
		memset(run->events_raw, 0,
			(size_t)run->max_workers * run->o.trace * sizeof(lsched_event));
	if (run->o.worker_stats)
		memset(run->args.worker_stats, 0,
			(size_t)run->max_workers * sizeof(*run->args.worker_stats));
	memset(&r->result, 0, sizeof(r->result));
	memcpy(r->program_ctx, program_ctx, run->program->ctx_bytes);
	pthread_mutex_lock(&p->lock);
	lsched_i_cpu_add_run(p, r);
	pthread_mutex_unlock(&p->lock);
	return LSCHED_OK;
}

const lsched_i_backend lsched_i_backend_cpu = {
	.kind = LSCHED_BACKEND_CPU,
	.lanes = 1,
	.host_memory = 1,
	.lost_status = LSCHED_ERR_STATE,
	.device_count = cpu_device_count,
	.open = lsched_i_cpu_open,
	.close = lsched_i_cpu_close,
	.create = cpu_create,
	.destroy = cpu_destroy,
	.start = cpu_start,
	.done = lsched_i_cpu_done,
	.wait = lsched_i_cpu_wait,
	.cancel = lsched_i_cpu_cancel,
	.snapshot = lsched_i_cpu_snapshot,
	.mem_alloc = lsched_i_cpu_mem_alloc,
	.mem_free = lsched_i_cpu_mem_free,
	.mem_write = lsched_i_cpu_mem_copy,
	.mem_read = lsched_i_cpu_mem_copy,
	.mem_zero = lsched_i_cpu_mem_zero,
	.shared_alloc = lsched_i_cpu_mem_alloc,
	.shared_free = lsched_i_cpu_mem_free,
};
