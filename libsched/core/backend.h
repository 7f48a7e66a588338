/* Contexts and runs as the library sees them, and what an executor must do. */
#ifndef LIBSCHED_CORE_BACKEND_H
#define LIBSCHED_CORE_BACKEND_H

#include <pthread.h>
#include <stdarg.h>
#include "libsched/core/layout.h"
#include "libsched/core/sized.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_I_TEXT_BYTES 512

/* The most workers of a context or a run. */
#define LSCHED_I_MAX_WORKERS (1u << 20)

/* What can be seen of an execution from outside. */
typedef struct lsched_i_glance {
	int over;             /* all workers have left */
	uint32_t outstanding; /* not over: the outstanding count */
	uint64_t finished;    /* over: tasks that ran */
} lsched_i_glance;

typedef struct lsched_i_backend {
	lsched_backend kind;
	/* Fill ctx->workers, device, device_name and impl, or say why not in ctx->error. */
	lsched_status (*open)(lsched_ctx *ctx);
	void (*close)(lsched_ctx *ctx);
	/* Set run->max_workers and resident, call lsched_i_plan_memory(), then allocate
	 * run->plan.bytes zeroed at run->memory and the events. */
	lsched_status (*create)(lsched_run *run);
	/* Also of a half created run; never while it executes, unless the context is lost. Not OK:
	 * the run's memory is still in use, and it is not for the caller to free it. */
	lsched_status (*destroy)(lsched_run *run);
	/* run->args is complete; run->clear asks for the memory to be zeroed before. */
	lsched_status (*start)(lsched_run *run, const void *program_ctx, void *stream);
	int (*done)(lsched_run *run);
	/* Waits; then *run->args.result and run->events_raw are readable on the host. */
	lsched_status (*wait)(lsched_run *run);
	/* By any thread, with run->lock held and the run started and not finished. cancel: sets the
	 * workers' `failed` to LSCHED_I_FAIL_CANCELLED unless it says something else already;
	 * STATE: the execution is over. glance: what can be seen of it. Neither waits for the
	 * workers. */
	lsched_status (*cancel)(lsched_run *run);
	void (*glance)(lsched_run *run, lsched_i_glance *g);
	/* Memory of the tasks; core/memory.c has checked the arguments. bytes > 0. */
	lsched_status (*mem_alloc)(lsched_ctx *ctx, void **out, size_t bytes);
	void (*mem_free)(lsched_ctx *ctx, void *memory);
	lsched_status (*mem_write)(lsched_ctx *ctx, void *memory, const void *from, size_t bytes);
	lsched_status (*mem_read)(lsched_ctx *ctx, void *to, const void *memory, size_t bytes);
	lsched_status (*mem_zero)(lsched_ctx *ctx, void *memory, size_t bytes);
} lsched_i_backend;

struct lsched_ctx {
	const lsched_i_backend *b;
	lsched_options o;
	uint32_t workers; /* 0: as many as are resident (CUDA) */
	int device;
	char device_name[256];
	char error[LSCHED_I_TEXT_BYTES];
	int lost; /* LSCHED_I_LOST_...: no call but the last ones works any more */
	char lost_why[LSCHED_I_TEXT_BYTES];
	void *impl;
};

/* HANG: a task that will not return still uses the memory, so none is freed now. ERROR: the
 * device's context is broken, and freeing does nothing. */
enum { LSCHED_I_LOST_HANG = 1, LSCHED_I_LOST_ERROR };

/* State of the host's watchdog, see core/watchdog.c. */
typedef struct lsched_i_host_watchdog {
	uint64_t last_ns;   /* the last check; 0: none since the start */
	uint64_t waited_ns; /* time checked without progress */
	uint32_t seen;
	int stopped; /* 1: the host has set the failure flag; -1: the run has failed by itself */
} lsched_i_host_watchdog;

/* A hash that nearly always changes with any progress. */
static inline uint32_t lsched_i_progress(
	uint32_t outstanding, uint32_t next_root, uint32_t heartbeat)
{
	return outstanding + next_root * 0x9e3779b1u + heartbeat * 0x85ebca6bu;
}

/* What other threads see and change of an execution, under lsched_run.lock; see core/control.c. */
typedef struct lsched_i_control {
	int cancelled;
	uint64_t start_ns, end_ns; /* end: when it was first seen to be over; 0: not yet */
	uint64_t finished, outstanding;
} lsched_i_control;

enum { LSCHED_I_KEEP_WAITING, LSCHED_I_STOP_WORKERS, LSCHED_I_ABANDON };

/* Offsets of the parts of a run's memory. */
typedef struct lsched_i_plan {
	size_t bytes;
	size_t slots, task_words, spill, worker_stats, current_task;
	size_t chunk_items, chunk_headers, chunk_bitmap, local_chunks, joins, join_bitmap,
		continuations;
} lsched_i_plan;

struct lsched_run {
	lsched_ctx *ctx;
	const lsched_program *program;
	const lsched_i_entry *entry;
	lsched_run_options o; /* with the defaults filled in */
	lsched_i_plan plan;
	uint32_t max_workers;
	uint32_t resident; /* workers that are sure to run side by side */
	lsched_i_args args;
	unsigned char *memory;    /* host or device */
	lsched_event *events_raw; /* host: max_workers x o.trace; end_ns 0 = unused */
	lsched_event *events;     /* sorted; what the user sees */
	size_t event_count;
	lsched_i_worker_stats *worker_stats; /* host, max_workers; NULL: not wanted */
	pthread_mutex_t lock;
	lsched_i_control control;
	int started; /* between start and finish; changed under the lock by the thread of both */
	int no_work; /* started with nothing to do */
	int clear;   /* memory is not as a start needs it */
	lsched_i_host_watchdog watchdog;
	int stuck; /* it is what the context was lost to; error says so */
	char error[LSCHED_I_TEXT_BYTES];
	uint32_t error_task;
	int error_code;
	void *impl;
};

extern const lsched_i_backend lsched_i_backend_cpu;
/* Always linked; without CUDA it says UNSUPPORTED (cuda/none.c). */
extern const lsched_i_backend lsched_i_backend_cuda;
int lsched_i_cuda_device_count(void);
lsched_status lsched_i_cuda_device_info(int device, lsched_device_info *info);

/* core/plan.c: what the run needs in memory, now that the number of workers is known; all of it in
 * one block, so that one memset puts it back after a failure. Then, with the block at run->memory,
 * where the workers find it. */
lsched_status lsched_i_plan_memory(lsched_run *run);
void lsched_i_lay_out(lsched_run *run);

/* core/run.c: frees what is the host's of a run, when the executor has let go of it. */
void lsched_i_run_free(lsched_run *run);

/* core/control.c: begin and end of an execution for other threads. end: nonzero if it was
 * cancelled; complete: all workers have left, and run->args.result is readable. */
void lsched_i_control_begin(lsched_run *run, uint64_t start_ns);
int lsched_i_control_end(lsched_run *run, int complete);

/* core/finish.c: writes a caller's statistics. Returns as lsched_i_sized_out(). */
const char *lsched_i_stats_out(lsched_stats *to, const lsched_stats *from);

/* core/failure.c: the text goes to the buffer of LSCHED_I_TEXT_BYTES and, as an error, to the
 * log. */
void lsched_i_log(const lsched_ctx *ctx, lsched_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
lsched_status lsched_i_error(lsched_ctx *ctx, lsched_run *run, lsched_status status,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* core/failure.c: turns the workers' record into a status and a sentence. */
lsched_status lsched_i_explain(lsched_run *run, const lsched_i_failure *f);
lsched_status lsched_i_explain_cancelled(lsched_run *run, uint64_t tasks);

/* core/watchdog.c. begin: at each start. check: what to do now; begun, progress and failed are read
 * from the workers' state. check_every_ns: the interval of checks; 0: none. */
void lsched_i_watchdog_begin(lsched_run *run);
uint64_t lsched_i_watchdog_check_every_ns(const lsched_run *run);
int lsched_i_watchdog_check(
	lsched_run *run, uint64_t now_ns, int begun, uint32_t progress, int failed);
/* The messages: the workers left after the host had set the failure flag; one did not, so the
 * context is lost. now[]: the task of each worker, plus one; NULL: not known. */
lsched_status lsched_i_explain_stopped(lsched_run *run);
lsched_status lsched_i_explain_stuck(lsched_run *run, const uint32_t *now);
/* What a call on a lost context returns. run may be NULL. */
lsched_status lsched_i_refuse(lsched_ctx *ctx, lsched_run *run);

/* core/trace.c: from events_raw to events. */
void lsched_i_collect_events(lsched_run *run);

#ifdef __cplusplus
}
#endif
#endif
