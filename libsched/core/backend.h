/* Contexts and runs as the library stores them, and the interface of a backend. */
#ifndef LIBSCHED_CORE_BACKEND_H
#define LIBSCHED_CORE_BACKEND_H

#include <pthread.h>
#include <stdarg.h>
#include <sys/types.h>
#include "libsched/core/layout.h"
#include "libsched/core/sized.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_I_TEXT_BYTES 512

/* The largest number of workers of a context or a run. */
#define LSCHED_I_MAX_WORKERS (1u << 20)

/* State of an execution, as the host can observe it. */
typedef struct lsched_i_snapshot {
	int ended;            /* all workers have left */
	uint32_t outstanding; /* not ended: the outstanding count */
	uint64_t finished;    /* ended: tasks that ran */
} lsched_i_snapshot;

/* A backend: the executor of runs on one kind of processor. The lines of LSCHED_BACKENDS in
 * <libsched/sched.h> generate the declarations below and the table in core/backends.c. */
typedef struct lsched_i_backend {
	lsched_backend kind;
	uint32_t lanes;            /* of a worker, as LSCHED_LANES of its target */
	int host_memory;           /* the host can access memory of the tasks by its address */
	lsched_status lost_status; /* of calls on a lost context */
	/* Returns the number of usable devices; 0: none, or the backend is not compiled in. */
	int (*device_count)(void);
	/* Describes a device; NULL: devices of this backend have no numbers. */
	lsched_status (*device_info)(int device, lsched_device_info *info);
	/* Sets ctx->workers, device, device_name and impl, or the cause of the failure in
	 * ctx->error. */
	lsched_status (*open)(lsched_ctx *ctx);
	void (*close)(lsched_ctx *ctx);
	/* Sets run->max_workers and resident, calls lsched_i_plan_memory(), then allocates
	 * run->plan.bytes zeroed bytes at run->memory, and the events. */
	lsched_status (*create)(lsched_run *run);
	/* Frees what create allocated, also after create has failed. Precondition: the run does not
	 * execute, or the context is lost. Not OK: a worker still uses the memory of the run, which
	 * the caller must not free. */
	lsched_status (*destroy)(lsched_run *run);
	/* Starts an execution with run->args, after zeroing the memory if run->must_clear is
	 * set. */
	lsched_status (*start)(lsched_run *run, const void *program_ctx, void *stream);
	int (*done)(lsched_run *run);
	/* Waits; then *run->args.result and run->events_raw are readable on the host. */
	lsched_status (*wait)(lsched_run *run);
	/* Both are called by any thread, with run->lock held and the run started and not finished,
	 * and do not wait for the workers. cancel: sets the workers' `failed` to
	 * LSCHED_I_FAIL_CANCELLED if it is zero; STATE: the execution has ended. */
	lsched_status (*cancel)(lsched_run *run);
	void (*snapshot)(lsched_run *run, lsched_i_snapshot *s);
	/* Memory of the tasks; core/memory.c has checked the arguments. bytes > 0. */
	lsched_status (*mem_alloc)(lsched_ctx *ctx, void **out, size_t bytes);
	void (*mem_free)(lsched_ctx *ctx, void *memory);
	lsched_status (*mem_write)(lsched_ctx *ctx, void *memory, const void *from, size_t bytes);
	lsched_status (*mem_read)(lsched_ctx *ctx, void *to, const void *memory, size_t bytes);
	lsched_status (*mem_zero)(lsched_ctx *ctx, void *memory, size_t bytes);
	/* Zeroed host memory that workers access by the same address; aligned to LSCHED_I_LINE. */
	lsched_status (*shared_alloc)(lsched_ctx *ctx, void **out, size_t bytes);
	void (*shared_free)(lsched_ctx *ctx, void *memory);
} lsched_i_backend;

/* A backend that is not compiled in has a table entry, too: its open returns UNSUPPORTED
 * (cuda/none.c). */
#define LSCHED_X(ENUM, name) extern const lsched_i_backend lsched_i_backend_##name;
LSCHED_BACKENDS(LSCHED_X)
#undef LSCHED_X

/* core/backends.c: returns the backend; AUTO: the last one of the table that has a usable device;
 * NULL for any other value. */
const lsched_i_backend *lsched_i_find_backend(lsched_backend kind);

struct lsched_ctx {
	const lsched_i_backend *b;
	lsched_options o;
	uint32_t workers; /* 0: as many as are resident (CUDA) */
	int device;
	char device_name[256];
	char error[LSCHED_I_TEXT_BYTES];
	int lost;      /* LSCHED_I_LOST_...: all calls but destroy and close return an error */
	pid_t process; /* that has opened it */
	char lost_reason[LSCHED_I_TEXT_BYTES];
	void *impl;
};

/* HANG: a task that does not return still uses the memory, so none is freed now. ERROR: the
 * device's context is corrupt, and freeing has no effect. FORK: this is a child process, which has
 * neither the threads nor the device; locks may be held by threads of the parent process. */
enum { LSCHED_I_LOST_HANG = 1, LSCHED_I_LOST_ERROR, LSCHED_I_LOST_FORK };

/* Returns nonzero if device memory and streams of a lost context must not be freed. */
static inline int lsched_i_keeps_device(const lsched_ctx *ctx)
{
	return ctx->lost == LSCHED_I_LOST_HANG || ctx->lost == LSCHED_I_LOST_FORK;
}

/* State of the host's watchdog, see core/watchdog.c. */
typedef struct lsched_i_host_watchdog {
	uint64_t last_ns;         /* time of the last check; 0: none since the start */
	uint64_t waited_ns;       /* sum of the intervals without progress */
	uint64_t alone_ns;        /* the same since the last step of a worker's wait */
	uint32_t progress, steps; /* at the last check */
	int stopped; /* 1: the host has set the failure flag; -1: the run has failed by itself */
	int limited; /* the host has set it because of run_limit_ms */
} lsched_i_host_watchdog;

/* The part of an execution that other threads read and change, under lsched_run.lock; see
 * core/control.c. */
typedef struct lsched_i_control {
	int cancelled;
	uint64_t start_ns, end_ns; /* end: time at which its end was first observed; 0: not yet */
	uint64_t finished, outstanding;
} lsched_i_control;

enum { LSCHED_I_KEEP_WAITING, LSCHED_I_STOP_WORKERS, LSCHED_I_ABANDON };

/* Offsets of the parts of a run's memory. */
typedef struct lsched_i_plan {
	size_t bytes;
	size_t slots, task_words, messages, spill, worker_stats, current_task, marks;
	size_t chunk_items, chunk_headers, chunk_bitmap, local_chunks, joins, join_bitmap,
		continuations, chunk_priority, jobs;
} lsched_i_plan;

struct lsched_run {
	lsched_ctx *ctx;
	const lsched_program *program;
	const lsched_i_entry *entry;
	lsched_run_options o; /* with the defaults filled in */
	lsched_i_plan plan;
	uint32_t max_workers;
	uint32_t resident; /* workers that can be resident at once */
	int all_at_once;   /* all workers of a start must be: CUDA launches are cooperative */
	lsched_i_args args;
	unsigned char *memory;    /* host or device */
	lsched_event *events_raw; /* host: max_workers x o.trace; end_ns 0 = unused */
	lsched_event *events;     /* sorted, for the caller */
	size_t event_count;
	lsched_i_worker_stats *worker_stats; /* host, max_workers; NULL: not requested */
	pthread_mutex_t lock;
	lsched_i_control control;
	int started;            /* from start to finish; that thread changes it, under the lock */
	int no_work;            /* the start has no tasks to execute */
	int must_clear;         /* the memory must be zeroed before the next start */
	uint32_t start_workers; /* lsched_run_set_workers(); 0: all */
	uint32_t jobs_max;      /* places for jobs of a program with LSCHED_JOBS; 0: another one */
	/* item programs: open joins after the last start; of a member of jobs, after all starts */
	uint32_t joins_open;
	lsched_i_host_watchdog watchdog;
	int hangs; /* the context is lost because of this run; `error` has the reason */
	char error[LSCHED_I_TEXT_BYTES];
	uint32_t error_task;
	int error_code;
	void *impl;
};

/* core/plan.c. plan: computes the size and the parts of the run's memory from max_workers. It is
 * one block, which one memset zeroes after a failure. lay_out: sets the workers' pointers into the
 * block at run->memory. */
lsched_status lsched_i_plan_memory(lsched_run *run);
void lsched_i_lay_out(lsched_run *run);

/* core/run.c: lsched_run_create() for a program with LSCHED_JOBS, with places for jobs_max jobs; 0:
 * for other programs. */
lsched_status lsched_i_run_create_jobs(lsched_run **out, lsched_ctx *ctx,
	const lsched_program *program, const lsched_run_options *options, uint32_t jobs_max);

/* core/run.c: frees the host's part of a run, after lsched_i_backend.destroy. */
void lsched_i_run_free(lsched_run *run);

/* core/finish.c: the memory has to be cleared before the next start. */
void lsched_i_run_forget(lsched_run *run);

/* core/control.c: record begin and end of an execution for other threads. end: nonzero if it was
 * cancelled; complete: all workers have left, and run->args.result is readable. */
void lsched_i_control_begin(lsched_run *run, uint64_t start_ns);
int lsched_i_control_end(lsched_run *run, int complete);

/* Size of the options of a run in the first version that stores their size. */
#define LSCHED_I_RUN_OPTIONS_LEAST LSCHED_I_SIZE_TO(lsched_run_options, run_limit_ms)

/* core/finish.c: writes a caller's statistics. Returns as lsched_i_sized_out(). */
const char *lsched_i_stats_out(lsched_stats *to, const lsched_stats *from);

/* core/failure.c: the text goes to the buffer of LSCHED_I_TEXT_BYTES and, as an error, to the
 * log. */
void lsched_i_log(const lsched_ctx *ctx, lsched_log_level level, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
lsched_status lsched_i_error(lsched_ctx *ctx, lsched_run *run, lsched_status status,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* core/joins.c: the outcome of a finished start of an item program with so many open joins. */
lsched_status lsched_i_check_joins_closed(lsched_run *run, uint32_t open);

/* core/failure.c: writes a procedure's name, or its number. */
void lsched_i_procedure_text(const lsched_program *p, uint32_t proc, char *text, size_t bytes);

/* Returns whether a program has LSCHED_PROCEDURES. */
static inline int lsched_i_has_table(const lsched_program *p)
{
	return p->procedures && p->procedures[0].least_capacity != LSCHED_I_NO_CAPACITY;
}

/* core/procedure_stats.c: returns a procedure's name for pictures, perhaps in `text`. */
const char *lsched_i_procedure_label(
	const lsched_program *program, uint32_t procedure, char *text, size_t bytes);

/* core/failure.c: turns the workers' record into a status and a message. */
lsched_status lsched_i_explain(lsched_run *run, const lsched_i_failure *f);
lsched_status lsched_i_explain_cancelled(lsched_run *run, uint64_t tasks);

/* core/watchdog.c. begin: resets it, at each start. check: returns LSCHED_I_KEEP_WAITING, ...;
 * begun_ns (0: not yet), progress, steps (lsched_i_progress(), lsched_i_wait_steps()) and failed
 * are read from the workers' state. check_every_ns: returns the interval of checks; 0: none. */
void lsched_i_watchdog_begin(lsched_run *run);
uint64_t lsched_i_watchdog_check_every_ns(const lsched_run *run);
int lsched_i_watchdog_check(lsched_run *run, uint64_t now_ns, uint64_t begun_ns, uint32_t progress,
	uint32_t steps, int failed);
/* Errors. stopped: all workers have left after the host had set the failure flag. hang: one has
 * not, so the context is lost; current_task[]: the task of each worker, plus one; NULL: unknown. */
lsched_status lsched_i_explain_stopped(lsched_run *run);
lsched_status lsched_i_explain_hang(lsched_run *run, const uint32_t *current_task);
/* Returns ctx->lost. Also detects that this is a child process of the one that has opened the
 * context. Each call that waits for the workers, or takes a lock, calls one of these first. run
 * makes the lock of a run usable in a child. forked: for other threads than the one that uses the
 * context; changes nothing. */
int lsched_i_ctx_lost(lsched_ctx *ctx);
int lsched_i_run_lost(lsched_run *run);
int lsched_i_forked(const lsched_ctx *ctx);
/* Returns the error of a call on a lost context. run may be NULL. */
lsched_status lsched_i_lost_error(lsched_ctx *ctx, lsched_run *run);

/* core/trace.c: sorts the used entries of events_raw into events. */
void lsched_i_collect_events(lsched_run *run);

#ifdef __cplusplus
}
#endif
#endif
