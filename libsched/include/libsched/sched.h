/* Host side of libsched: contexts, runs, statistics, timelines. C11 and C++.
 *
 * A *program* (made by <libsched/generate.h>) says what a task does and what it waits for. A *run*
 * holds the memory to execute a program many times: start, finish, start again. A *context* owns the
 * workers: CPU threads, or the warps of persistent kernels on one CUDA device.
 *
 *	lsched_options o;  lsched_options_init(&o);
 *	lsched_ctx *ctx;   if (lsched_open(&ctx, &o, msg, sizeof(msg)) != LSCHED_OK) ...
 *	lsched_run_options ro;  lsched_run_options_init(&ro);  ro.max_tasks = n;
 *	lsched_run *run;   lsched_run_create(&run, ctx, &foo_cpu_program, &ro);
 *	lsched_run_start(run, &foo, n, NULL);
 *	lsched_run_finish(run, &stats);
 *	lsched_run_destroy(&run);  lsched_close(&ctx);
 *
 * Threads: a context and its runs may be used by one thread at a time, but for lsched_run_cancel() and
 * lsched_run_progress(), which any thread may call meanwhile; different contexts are independent. No function prints, exits or reads the environment.
 * Errors: functions return a status; out pointers are NULL or zero on failure; lsched_last_error() or
 * lsched_run_error() say more in one line without a newline. Where there is no object to keep the line, as
 * the call was given NULL for it or has none, lsched_strstatus() has the sentence.
 * Structs: the first member of options, statistics and other structs is their size, struct_bytes, which their
 * X_init() sets from the header that the caller was compiled with. So a library with more members
 * serves an older program, and one with fewer serves a newer program that leaves the new ones zero.
 * A struct that was not initialised is LSCHED_ERR_ARG. */
#ifndef LIBSCHED_SCHED_H
#define LIBSCHED_SCHED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <libsched/version.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* X(name, number, text): 0 is success, errors are negative. A number never changes; new ones are added. */
#define LSCHED_STATUSES(X)                                                \
	X(OK, 0, "success")                                               \
	X(ERR_ARG, -1, "invalid argument")                                \
	X(ERR_NOMEM, -2, "out of memory")                                 \
	X(ERR_UNSUPPORTED, -3, "not supported by this build or program")  \
	X(ERR_NO_DEVICE, -4, "no usable CUDA device")                     \
	X(ERR_DEVICE, -5, "the CUDA device reported an error")            \
	X(ERR_OVERFLOW, -6, "a queue overflowed")                         \
	X(ERR_TIMEOUT, -7, "no progress within the time limit")           \
	X(ERR_TASK_FAILED, -8, "a task failed")                           \
	X(ERR_STATE, -9, "the call does not fit the state of the object") \
	X(ERR_CANCELLED, -10, "the run was cancelled")

typedef enum lsched_status {
#define LSCHED_X(name, number, text) LSCHED_##name = (number),
	LSCHED_STATUSES(LSCHED_X)
#undef LSCHED_X
} lsched_status;

/* The sentence of a status; "unknown status" for any other number, never NULL. From any thread. */
const char *lsched_strstatus(lsched_status status);

typedef enum lsched_backend {
	LSCHED_BACKEND_AUTO,
	LSCHED_BACKEND_CPU,
	LSCHED_BACKEND_CUDA
} lsched_backend;

/* When is work ready? The dependency schemes (Tzeng, Lloyd, Owens 2012, section 5).
 * DYNAMIC counts arrivals at each task and queues it at the last one; STATIC takes chains of tasks in
 * a fixed order and waits for flags; SYNC puts a barrier after each wavefront. WORDS is STATIC for
 * programs whose tasks hand on one word each (LSCHED_WORD_BODY), with a much shorter hand-over. */
typedef enum lsched_scheme {
	LSCHED_SCHEME_DYNAMIC,
	LSCHED_SCHEME_STATIC,
	LSCHED_SCHEME_SYNC,
	LSCHED_SCHEME_WORDS
} lsched_scheme;

/* Queues: storage and order of ready tasks. A line for each: ENUM, name. Its code and capabilities are in
 * libsched/queue/name.h, whose contract libsched/queue/queue.h states; enumerators, names, kernels and
 * dispatch are made from this table. */
#define LSCHED_QUEUES(Y, X)      \
	Y(X, RING, ring)         \
	Y(X, BLOCK, block)       \
	Y(X, DIST, dist)         \
	Y(X, STEAL, steal)       \
	Y(X, ABP, abp)           \
	Y(X, DONATE, donate)     \
	Y(X, RELAUNCH, relaunch) \
	Y(X, COMPACT, compact)   \
	Y(X, BALANCE, balance)   \
	Y(X, PRIO, prio)

typedef enum lsched_queue {
#define LSCHED_Y(X, ENUM, name) LSCHED_QUEUE_##ENUM,
	LSCHED_QUEUES(LSCHED_Y, 0)
#undef LSCHED_Y
		LSCHED_QUEUE_COUNT
} lsched_queue;

/* What happens to ready work that finds the queue full. FAIL: the run ends with
 * LSCHED_ERR_OVERFLOW. INLINE: the worker keeps it and runs it itself, visible in lsched_stats.inlined;
 * spawned items are kept up to lsched_run_options.inline_depth a worker, then it is an overflow too. */
typedef enum lsched_overflow { LSCHED_OVERFLOW_FAIL, LSCHED_OVERFLOW_INLINE } lsched_overflow;

/* Names as on command lines ("dynamic", "ring", "cuda", "inline"). The first returns NULL for a value
 * out of range, so that a list can be walked from 0; the second returns 0 and sets *out, or -1. */
const char *lsched_scheme_name(lsched_scheme s);
const char *lsched_queue_name(lsched_queue q);
const char *lsched_backend_name(lsched_backend b);
const char *lsched_overflow_name(lsched_overflow o);
int lsched_scheme_parse(const char *name, lsched_scheme *out);
int lsched_queue_parse(const char *name, lsched_queue *out);
int lsched_backend_parse(const char *name, lsched_backend *out);
int lsched_overflow_parse(const char *name, lsched_overflow *out);

/* ---- devices ---- */

typedef struct lsched_device_info {
	size_t struct_bytes;
	char name[256];
	int sm_count;
	int cc_major, cc_minor;
	uint64_t memory_bytes;
	int clock_khz;
} lsched_device_info;

static inline void lsched_device_info_init(lsched_device_info *info)
{
	memset(info, 0, sizeof(*info));
	info->struct_bytes = sizeof(*info);
}

/* CUDA devices; 0 without CUDA, driver or device. */
int lsched_device_count(void);
/* Fills an initialised struct. ARG: it is not initialised; NO_DEVICE: there is no such device; UNSUPPORTED:
 * CUDA is not built in. */
lsched_status lsched_device_get_info(int device, lsched_device_info *info);

/* ---- contexts ---- */

typedef struct lsched_ctx lsched_ctx;

typedef enum lsched_log_level {
	LSCHED_LOG_ERROR,
	LSCHED_LOG_WARN,
	LSCHED_LOG_INFO,
	LSCHED_LOG_DEBUG
} lsched_log_level;
typedef void (*lsched_log_fn)(void *opaque, lsched_log_level level, const char *message);

/* A limit of LSCHED_NO_LIMIT_MS is no limit. */
#define LSCHED_NO_LIMIT_MS UINT32_MAX

typedef struct lsched_options {
	size_t struct_bytes;
	lsched_backend backend; /* AUTO: CUDA if it is built in and a device answers, else CPU */
	int device;             /* CUDA device; -1: the calling thread's current one */
	uint32_t workers; /* CPU: threads, 0 = all processors. CUDA: warps, 0 = all resident ones */
	uint32_t timeout_ms; /* see lsched_run_options; 0: 10,000 */
	/* NULL: silence. Called only from inside the caller's own calls; must not call libsched, which
	 * may hold a lock */
	lsched_log_fn log;
	void *log_opaque;
	lsched_log_level log_level;
} lsched_options;

void lsched_options_init_sized(lsched_options *o, size_t struct_bytes);
#define lsched_options_init(o) lsched_options_init_sized((o), sizeof(*(o)))

/* o may be NULL (all defaults). msg (may be NULL) receives why it failed. NO_DEVICE: built in, but no
 * device here; UNSUPPORTED: not built in. */
lsched_status lsched_open(lsched_ctx **out, const lsched_options *o, char *msg, size_t msg_bytes);
/* Destroy the context's runs first. NULL and pointer to NULL are fine; *ctx becomes NULL. */
void lsched_close(lsched_ctx **ctx);

const char *lsched_last_error(const lsched_ctx *ctx);
lsched_backend lsched_ctx_backend(const lsched_ctx *ctx); /* CPU or CUDA, never AUTO */
int lsched_ctx_device(const lsched_ctx *ctx);             /* CUDA device number; -1 on the CPU */
const char *lsched_ctx_device_name(const lsched_ctx *ctx);
uint32_t lsched_ctx_workers(const lsched_ctx *ctx); /* CPU: threads in the pool; CUDA: the option */

/* ---- memory of the tasks ---- */

/* For programs that need no CUDA call of their own: memory that the context's tasks can reach, which is
 * the host's on the CPU and the device's on CUDA. Zeroed, aligned to 128 bytes; 0 bytes give an address
 * too. On CUDA, allocating and freeing may wait for kernels that are running: do it before a start.
 * NOMEM if there is not so much, or if the product overflows; *out is NULL then. Free it before the
 * context is closed. */
lsched_status lsched_mem_alloc(lsched_ctx *ctx, void **out, size_t bytes);
lsched_status lsched_mem_alloc_array(lsched_ctx *ctx, void **out, size_t count, size_t item_bytes);
void lsched_mem_free(lsched_ctx *ctx, void *memory); /* NULL is fine */

/* Copy and clear; done when they return. They do not wait for runs, so finish those first that touch
 * the same bytes. memory may point into a block. */
lsched_status lsched_mem_write(lsched_ctx *ctx, void *memory, const void *from, size_t bytes);
lsched_status lsched_mem_read(lsched_ctx *ctx, void *to, const void *memory, size_t bytes);
lsched_status lsched_mem_zero(lsched_ctx *ctx, void *memory, size_t bytes);

/* ---- runs ---- */

typedef struct lsched_program lsched_program;
typedef struct lsched_run lsched_run;

typedef struct lsched_run_options {
	size_t struct_bytes;
	lsched_scheme scheme;
	lsched_queue queue; /* used by DYNAMIC */
	lsched_overflow overflow;
	uint32_t max_tasks; /* largest task count of a start; needed, at most LSCHED_MAX_TASKS */
	/* Items; 0: max_tasks rounded up to a power of two, twice that for PRIO without a rule, where roots
	 * take places too. Item programs: 0: 2,048 a worker, and rounded up to full chunks of 32. */
	uint32_t queue_capacity;
	/* Items of each private bin, where a queue has such; rounded up to a power of two, at least 2; 0:
	 * queue_capacity, at most 1,024. Item programs: chunks; 0: 256. */
	uint32_t bin_size;
	uint32_t workers;      /* 0: the context's. CPU: at most the context's threads */
	uint32_t max_joins;    /* item programs that fork: joins open at once; 0: 2,048 a worker */
	uint32_t all_resident; /* nonzero: refuse more workers than are sure to run side by side (on
				* the CPU, than threads); for tasks that wait for each other */
	uint32_t inline_depth; /* spawned items a worker may keep under INLINE; 0: 256 */
	uint32_t never_keep;   /* nonzero: all that becomes ready goes through the queue, as in the
				  * papers; else a worker keeps one item to run next */
	uint32_t idle_percent; /* queue balance: all work is dealt out anew when this part of the
				  * workers is without any, 1 to 100; 0: 50 */
	uint32_t worker_stats; /* nonzero: lsched_run_worker_stats() has something to tell */
	uint32_t trace;        /* events to keep of each worker (the first ones); 0: none */
	uint32_t timeout_ms; /* no progress for so long fails the run; longer than any task! 0: the
			     * context's. See "Hangs" */
	uint32_t run_limit_ms; /* the whole execution, checked where workers wait; 0: no limit */
} lsched_run_options;

/* Hangs. Workers that wait notice when nothing is finished for timeout_ms; when all are busy, the thread
 * in lsched_run_finish() does, a little later. The run then fails with LSCHED_ERR_TIMEOUT, and as soon as
 * the tasks that are still running have returned (lsched_cancelled() tells them) all is usable again.
 *
 * A task that does not return within timeout_ms after that cannot be stopped: no thread can be, and no
 * kernel. finish returns LSCHED_ERR_TIMEOUT then too, the text names the task and its worker where that is
 * known (CPU; CUDA: with a timeline), and the context is lost: all further calls on it and its runs
 * return at once, with LSCHED_ERR_STATE on the CPU and LSCHED_ERR_DEVICE on CUDA. Destroying and closing
 * work and never wait, but what the task may still touch is not freed: on the CPU not before the task
 * returns after all, on CUDA never, nor is what lsched_mem_alloc() gave. Memory of the caller's that the
 * task uses must stay. Another context on the same CPU works; one on the same device shares it with the
 * kernel that hangs. Without a limit (LSCHED_NO_LIMIT_MS) finish waits for ever.
 *
 * A task that traps, or touches memory that is not there, breaks CUDA's context of the whole process:
 * finish returns LSCHED_ERR_DEVICE with CUDA's words, and the context is lost likewise. */

/* The most tasks of a start. */
#define LSCHED_MAX_TASKS 0x40000000u

void lsched_run_options_init_sized(lsched_run_options *o, size_t struct_bytes);
#define lsched_run_options_init(o) lsched_run_options_init_sized((o), sizeof(*(o)))

/* Allocates everything (memory, kernels loaded), so that starting allocates nothing. The program must
 * be of the context's backend and outlive the run. */
lsched_status lsched_run_create(lsched_run **out, lsched_ctx *ctx, const lsched_program *program,
	const lsched_run_options *o);

/* Starts one execution and returns. program_ctx points to the program's LSCHED_CTX; it is copied.
 * tasks: 0..max_tasks; task numbers are 0..tasks-1. Nothing is synchronised or allocated. CPU runs of one
 * context are executed in the order of their starts. A run has one execution at a time
 * (LSCHED_ERR_STATE), but several runs of a context may be in flight.
 *
 * cuda_stream: ignored on the CPU; on CUDA a cudaStream_t or NULL.
 * - A stream of the caller's: the whole execution takes its turn there. It sees what was enqueued before,
 *   and work enqueued on the stream after this call sees all that the tasks wrote, without
 *   lsched_run_finish(), which is still to be called before the next start. The stream must be of the
 *   context's device and live until then. The queues of kind rounds (relaunch, compact, balance) need
 *   the host between their launches and refuse a stream (LSCHED_ERR_UNSUPPORTED); so does a stream
 *   that is being captured into a CUDA graph.
 * - NULL: a non-blocking stream of the context's own, on which its runs are executed in the order of their
 *   starts (those of kind rounds may be overtaken between two rounds). It waits for no other stream, not
 *   even for the default one: what other streams write must be there before the start, and results
 *   are there after lsched_run_finish(). cudaStreamLegacy and cudaStreamPerThread name the default
 *   streams. */
lsched_status lsched_run_start(
	lsched_run *run, const void *program_ctx, uint32_t tasks, void *cuda_stream);

/* ---- from other threads ---- */

/* Both may be called from any thread, but not from a signal handler, at any time between lsched_run_create()
 * and lsched_run_destroy(), also while another thread is inside a call on the run or its context. They
 * wait neither for tasks nor for the device, and do not change lsched_run_error(). */

/* Ends the execution early: workers begin no further tasks but some short ones (128 each at most; without
 * a rule, and under the scheme words on CUDA, 1,100; item programs 64 batches of up to 32 items), bodies
 * find lsched_cancelled() true, and as soon as those that are running have returned lsched_run_finish() returns LSCHED_ERR_CANCELLED,
 * with the statistics of what was done. Then the run may be started again. On CUDA the workers are
 * reached by a copy on a stream of the run's own, also when the kernel has not begun or another round is
 * due; what the caller has enqueued behind the start is not ended. OK: lsched_run_finish() will return
 * CANCELLED, or the error of a failure that came before. STATE: nothing is executing, and nothing was
 * changed. A cancel before the start therefore has no effect on it: a program sets a flag of its own
 * before it calls this, and reads the flag after each start. DEVICE: CUDA refused the copy. */
lsched_status lsched_run_cancel(lsched_run *run);

/* lsched_run_progress_info.finished where it cannot be seen. */
#define LSCHED_NOT_KNOWN UINT64_MAX

typedef struct lsched_run_progress_info {
	size_t struct_bytes;
	/* Tasks whose bodies have returned and that their workers have reported: a worker reports after 64
	 * short tasks, or one of about a millisecond. LSCHED_NOT_KNOWN while a program without a rule
	 * executes. */
	uint64_t finished;
	/* Tasks that are queued, running or announced. Without a rule those that exist so far; item programs:
	 * roots and chunks of items. */
	uint64_t outstanding;
	uint64_t elapsed_ns; /* since the start; when it is over, of the whole execution */
	uint32_t executing;  /* nonzero: started, and not over yet */
	uint32_t cancelled;  /* nonzero: lsched_run_cancel() was in time */
} lsched_run_progress_info;

static inline void lsched_run_progress_info_init(lsched_run_progress_info *info)
{
	memset(info, 0, sizeof(*info));
	info->struct_bytes = sizeof(*info);
}

/* Fills an initialised struct with the progress of the latest start; all members are 0 before the first.
 * ARG: the struct is not initialised. On CUDA each call enqueues a copy of the workers' state, and
 * returns the numbers of the latest copy that has arrived. */
lsched_status lsched_run_progress(lsched_run *run, lsched_run_progress_info *info);

/* Nonzero once the started execution is over (then finish will not block) and when none is started.
 * Never blocks. */
int lsched_run_done(lsched_run *run);

typedef struct lsched_stats {
	size_t struct_bytes;
	uint64_t tasks;       /* bodies that returned LSCHED_DONE */
	uint64_t kept;        /* of these: ready successors or children a worker kept for itself */
	uint64_t pushes;      /* items put into the queue */
	uint64_t pops;        /* items taken out of the queue */
	uint64_t failed_pops; /* looks at an empty queue */
	uint64_t spawned;     /* items given to lsched_spawn */
	uint64_t inlined;     /* items that found the queue full and were run by their finder */
	uint64_t steals;      /* items taken out of another worker's bin */
	uint64_t donated;     /* items put into another worker's bin */
	uint64_t value;       /* item programs: what was returned to the root join */
	uint64_t idle_ns;     /* waiting for work or predecessors, summed over workers; also from a
			       * worker's end of a round to the next round */
	uint64_t busy_ns;     /* the rest of the workers' time, summed over workers */
	uint64_t elapsed_ns;  /* first worker in to last worker out */
	/* Most items that somebody saw waiting: in a queue for all, who took one; where each worker has its
	 * own, in the fullest of them, who put one in. */
	uint32_t queue_high_water;
	uint32_t queue_capacity;
	uint32_t workers;       /* that took part */
	uint32_t rounds;        /* launches, or times that all workers met: 1 but for some queues */
	uint32_t trace_dropped; /* events beyond lsched_run_options.trace */
} lsched_stats;

static inline void lsched_stats_init(lsched_stats *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}

/* Waits for the started execution. stats may be NULL, and is initialised else (if it is not, the call
 * returns LSCHED_ERR_ARG at once, and the execution goes on). Returns how it ended; lsched_run_error() then
 * names task, worker and queue. After a failure the run may be started again. */
lsched_status lsched_run_finish(lsched_run *run, lsched_stats *stats);

/* All of it in one call, with defaults for what is not said: opens a context of the program's backend, runs
 * `tasks` tasks or roots, closes. Opening costs more than most runs (on a GPU some 0.2 s), so what runs
 * again does it by itself. stats and msg (room for the sentence that says more) may be NULL. */
lsched_status lsched_run_once(const lsched_program *program, const void *program_ctx,
	uint32_t tasks, lsched_stats *stats, char *msg, size_t msg_bytes);

/* Waits for a started execution (not in a lost context), frees; *run becomes NULL. */
void lsched_run_destroy(lsched_run **run);

const char *lsched_run_error(const lsched_run *run);

/* The most workers that a start of the run can have, and how many of them are sure to run side by side:
 * tasks that wait for each other need as many. Of NULL 0. */
uint32_t lsched_run_max_workers(const lsched_run *run);
uint32_t lsched_run_resident_workers(const lsched_run *run);

/* What worker 0 .. lsched_stats.workers - 1 did in the last finished execution; the struct is an
 * initialised one. ARG: no such worker took part. STATE: the run was created without
 * lsched_run_options.worker_stats, or is not finished. */
typedef struct lsched_worker_stats {
	size_t struct_bytes;
	uint64_t tasks, steals, donated; /* as in lsched_stats */
	uint64_t idle_ns, busy_ns;
} lsched_worker_stats;

static inline void lsched_worker_stats_init(lsched_worker_stats *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}

lsched_status lsched_run_worker_stats(lsched_run *run, uint32_t worker, lsched_worker_stats *stats);

/* Task of the last execution's error, LSCHED_NO_TASK if it names none; the code a body failed with. */
#define LSCHED_NO_TASK 0xffffffffu
uint32_t lsched_run_error_task(const lsched_run *run);
int lsched_run_error_code(const lsched_run *run);

/* ---- timelines ---- */

/* One executed task; the layout is fixed. CUDA: %globaltimer; CPU: CLOCK_MONOTONIC. */
typedef struct lsched_event {
	uint64_t start_ns, end_ns;
	uint32_t task;
	uint32_t worker;
	uint32_t sm; /* SM number; on the CPU the worker's number */
	uint32_t reserved;
} lsched_event;

/* The events of the last finished execution, sorted by start; owned by the run, valid until its next
 * start. Returns their number. */
size_t lsched_run_events(const lsched_run *run, const lsched_event **events);

/* What the events belong to; texts are owned by the run. */
typedef struct lsched_run_info {
	size_t struct_bytes;
	const char *program;     /* the program's name */
	const char *device_name; /* as lsched_ctx_device_name */
	lsched_backend backend;
	int items;   /* 1: an item program; an event is a batch, and its task the number of items */
	int started; /* 1: an execution is not finished; the following members are 0 then */
	uint32_t workers;       /* of the last execution */
	uint64_t trace_dropped; /* its events beyond lsched_run_options.trace */
} lsched_run_info;

static inline void lsched_run_info_init(lsched_run_info *info)
{
	const lsched_run_info empty = { sizeof(lsched_run_info), NULL, NULL, LSCHED_BACKEND_CPU, 0,
		0, 0, 0 };

	*info = empty;
}

/* LSCHED_ERR_ARG: NULL, or no lsched_run_info_init. */
lsched_status lsched_run_get_info(const lsched_run *run, lsched_run_info *info);

/* Receives text in pieces; nonzero stops the writing. */
typedef int (*lsched_write_fn)(void *opaque, const char *text, size_t bytes);

/* Chrome/Perfetto JSON ("traceEvents") of finished runs: process = device, thread = worker, name =
 * program, args = task and SM. Times count from the first event of each clock. */
lsched_status lsched_trace_write(
	lsched_run *const *runs, size_t run_count, lsched_write_fn write, void *opaque);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
