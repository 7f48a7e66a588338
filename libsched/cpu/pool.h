/* Data that the files of the CPU backend share: the pool of threads, and the CPU part of a run. */
#ifndef LIBSCHED_CPU_POOL_H
#define LIBSCHED_CPU_POOL_H

#include <pthread.h>
#include "libsched/core/backend.h"

typedef struct cpu_run cpu_run;

/* Memory that is freed with the pool. */
typedef struct cpu_deferred_free {
	struct cpu_deferred_free *next;
	void *memory;
} cpu_deferred_free;

/* The threads of a context. Its lock protects all members of the pool and of its runs that are not
 * accessed by atomics. */
typedef struct cpu_pool {
	pthread_mutex_t lock;
	pthread_cond_t run_added, run_ended, round_begun;
	cpu_run *first, *last;  /* runs with remaining workers, in order of start */
	int stop;               /* the context is closed: idle threads end */
	int lost;               /* the context is lost: no thread enters a further run */
	uint64_t next_check_ns; /* time at which lsched_run_done() checks for hangs again */
	uint32_t detached;      /* detached threads that have not ended */
	cpu_deferred_free *deferred;
	int may_sleep; /* idle workers sleep */
	uint32_t thread_count;
	pthread_t threads[];
} cpu_pool;

/* The CPU part of a run, lsched_run.impl. */
struct cpu_run {
	lsched_run *run;
	cpu_run *next;
	uint32_t assigned;  /* workers that threads have become */
	uint32_t remaining; /* workers that have not left the execution; 0: it has ended */
	uint64_t arrived;   /* ROUNDS: workers that have left a round, of all rounds together */
	uint32_t active;    /* workers that have entered and not left */
	uint64_t begun_ns;  /* when the first one entered; 0: none yet */
	int abandoned;      /* the caller has destroyed the run: its last active worker frees it */
	lsched_i_result result;
	unsigned char *program_ctx;
	unsigned char *locals;
	size_t local_stride;
};

static inline cpu_pool *pool_of(const lsched_ctx *ctx)
{
	return (cpu_pool *)ctx->impl;
}

/* cpu/pool.c: lsched_i_backend.open and .close. */
lsched_status lsched_i_cpu_open(lsched_ctx *ctx);
void lsched_i_cpu_close(lsched_ctx *ctx);

/* cpu/pool.c. add: appends a run to those that the threads execute. remove: removes it. Both need
 * the lock. */
void lsched_i_cpu_add_run(cpu_pool *p, cpu_run *r);
void lsched_i_cpu_remove_run(cpu_pool *p, cpu_run *r);

/* cpu/sleep.c: whether idle workers can sleep. The first call in a process prepares it. */
int lsched_i_cpu_may_sleep(void);

/* cpu/backend_cpu.c: frees what create allocated. */
void lsched_i_cpu_free_run_memory(lsched_run *run);

/* cpu/wait_cpu.c: lsched_i_backend.done, .wait, .cancel and
 * .snapshot. */
int lsched_i_cpu_done(lsched_run *run);
lsched_status lsched_i_cpu_wait(lsched_run *run);
lsched_status lsched_i_cpu_cancel(lsched_run *run);
void lsched_i_cpu_snapshot(lsched_run *run, lsched_i_snapshot *s);

/* cpu/memory_cpu.c: memory aligned to a cache line, and lsched_i_backend.mem_... */
void *lsched_i_cpu_alloc_zeroed(size_t bytes);
void lsched_i_cpu_free_zeroed(void *memory);
lsched_status lsched_i_cpu_mem_alloc(lsched_ctx *ctx, void **out, size_t bytes);
void lsched_i_cpu_mem_free(lsched_ctx *ctx, void *memory);
lsched_status lsched_i_cpu_mem_copy(lsched_ctx *ctx, void *to, const void *from, size_t bytes);
lsched_status lsched_i_cpu_mem_zero(lsched_ctx *ctx, void *memory, size_t bytes);

#endif
