/* Host side of libsched: contexts, runs, statistics, timelines. C11 and C++.
 *
 * A *program* (made by <libsched/generate.h>) defines what a task does and its dependencies. A
 * *run* holds the memory for any number of executions of a program: start, finish, start again. A
 * *context* owns the workers: CPU threads, or the warps of persistent kernels on one CUDA device.
 *
 *	lsched_options o;  lsched_options_init(&o);
 *	lsched_ctx *ctx;   if (lsched_open(&ctx, &o, msg, sizeof(msg)) != LSCHED_OK) ...
 *	lsched_run_options ro;  lsched_run_options_init(&ro);  ro.max_tasks = n;
 *	lsched_run *run;   lsched_run_create(&run, ctx, &foo_cpu_program, &ro);
 *	lsched_run_start(run, &foo, n, NULL);
 *	lsched_run_finish(run, &stats);
 *	lsched_run_destroy(&run);  lsched_close(&ctx);
 *
 * Threads: one thread at a time may use a context and its runs, except that any thread may call
 * lsched_run_cancel() and lsched_run_progress() at any time; different contexts are independent. A
 * child process (fork) has neither the threads nor the device of a context: there all calls on it
 * and its runs return LSCHED_ERR_STATE, destroying and closing free memory of the process only, and
 * the child opens a context of its own. Threads of the library
 * block asynchronous signals, which the application handles, but neither SIGPROF nor those that
 * they cause themselves, such as SIGSEGV. No function prints, exits or reads the environment.
 *
 * Errors: functions return a status; out pointers are NULL or zero on failure. lsched_last_error()
 * and lsched_run_error() return one line of detail without a newline. When the call has no object
 * that could store this line, lsched_strstatus() returns the text of the status.
 *
 * Structs: the first member of options, statistics and other structs is their size, struct_bytes.
 * X_init() sets it from the header that the caller was compiled with. So a library with more
 * members accepts an older program, and a library with fewer members accepts a newer program that
 * leaves the new ones zero. A struct that was not initialised is LSCHED_ERR_ARG. */
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

/* X(name, number, text): 0 is success, errors are negative. A number never changes; new ones may be
 * added. */
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

/* The text of a status; "unknown status" for any other number, never NULL. From any thread. */
const char *lsched_strstatus(lsched_status status);

/* Backends. X(ENUM, name): enumerators, names and the library's table of backends are generated
 * from this list. AUTO, which is 0, opens the last backend of the list that has a usable device. */
#define LSCHED_BACKENDS(X) \
	X(CPU, cpu)        \
	X(CUDA, cuda)

typedef enum lsched_backend {
	LSCHED_BACKEND_AUTO,
#define LSCHED_X(ENUM, name) LSCHED_BACKEND_##ENUM,
	LSCHED_BACKENDS(LSCHED_X)
#undef LSCHED_X
} lsched_backend;

/* Dependency schemes: the rule by which a task becomes ready (Tzeng, Lloyd, Owens 2012, section 5).
 * X(ENUM, name); the code of a scheme is in libsched/deps/NAME.h.
 * DYNAMIC counts the arrivals at each task and enqueues it at the last one. STATIC assigns chains
 * of tasks in a fixed order and waits for the flags of predecessors. SYNC puts a barrier after each
 * wavefront. EPOCH is STATIC for programs whose tasks pass one word each to their successors
 * (LSCHED_WORD_BODY), with a much lower latency from task to task. */
#define LSCHED_SCHEMES(X)   \
	X(DYNAMIC, dynamic) \
	X(STATIC, static)   \
	X(SYNC, sync)       \
	X(EPOCH, epoch)

typedef enum lsched_scheme {
#define LSCHED_X(ENUM, name) LSCHED_SCHEME_##ENUM,
	LSCHED_SCHEMES(LSCHED_X)
#undef LSCHED_X
		LSCHED_SCHEME_COUNT
} lsched_scheme;

/* Queues: storage and order of ready tasks. One line for each queue: ENUM, name. Its code and its
 * capabilities are in libsched/queue/NAME.h, its contract in libsched/queue/queue.h; enumerators,
 * names, kernels and dispatch are generated from this table. */
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
	Y(X, PRIO, prio)         \
	Y(X, BUFFER, buffer)

typedef enum lsched_queue {
#define LSCHED_Y(X, ENUM, name) LSCHED_QUEUE_##ENUM,
	LSCHED_QUEUES(LSCHED_Y, 0)
#undef LSCHED_Y
		LSCHED_QUEUE_COUNT
} lsched_queue;

/* Overflow policies: handling of ready work when the queue is full. FAIL: the run ends with
 * LSCHED_ERR_OVERFLOW. INLINE: the worker keeps the item in its spill list and runs it itself,
 * counted in lsched_stats.inlined. A spill list of spawned items holds
 * lsched_run_options.inline_depth items; beyond that INLINE is an overflow too. */
typedef enum lsched_overflow { LSCHED_OVERFLOW_FAIL, LSCHED_OVERFLOW_INLINE } lsched_overflow;

/* Names as on command lines ("dynamic", "ring", "cuda", "inline"). X_name returns NULL for a value
 * out of range, so that a caller can list all names from 0 on; X_parse returns 0 and sets *out, or
 * returns -1. */
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
/* Fills an initialised struct. ARG: it is not initialised; NO_DEVICE: there is no such device;
 * UNSUPPORTED: CUDA is not built in. */
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

/* A timeout of LSCHED_NO_LIMIT_MS means no limit. */
#define LSCHED_NO_LIMIT_MS UINT32_MAX

typedef struct lsched_options {
	size_t struct_bytes;
	lsched_backend backend; /* AUTO: CUDA if it is built in and a device is usable, else CPU */
	int device;             /* CUDA device; -1: the calling thread's current one */
	/* CPU: threads, 0: lsched_processor_count(). CUDA: warps, 0: all resident at once */
	uint32_t workers;
	uint32_t timeout_ms; /* see lsched_run_options; 0: 10,000 */
	/* NULL: no messages. Called only during calls of the application; must not call libsched,
	 * which may hold a lock */
	lsched_log_fn log;
	void *log_opaque;
	lsched_log_level log_level;
} lsched_options;

void lsched_options_init_sized(lsched_options *o, size_t struct_bytes);
#define lsched_options_init(o) lsched_options_init_sized((o), sizeof(*(o)))

/* o may be NULL (all defaults). msg (may be NULL) receives the cause of a failure. NO_DEVICE: CUDA
 * is built in, but there is no device; UNSUPPORTED: CUDA is not built in. */
lsched_status lsched_open(lsched_ctx **out, const lsched_options *o, char *msg, size_t msg_bytes);
/* Destroy the context's runs first. NULL and pointer to NULL are ignored; *ctx becomes NULL. */
void lsched_close(lsched_ctx **ctx);

const char *lsched_last_error(const lsched_ctx *ctx);
lsched_backend lsched_ctx_backend(const lsched_ctx *ctx); /* CPU or CUDA, never AUTO */
int lsched_ctx_device(const lsched_ctx *ctx);             /* CUDA device number; -1 on the CPU */
const char *lsched_ctx_device_name(const lsched_ctx *ctx);
uint32_t lsched_ctx_workers(const lsched_ctx *ctx); /* CPU: threads in the pool; CUDA: the option */

/* Returns the processors that this process may use, at least 1: those of the calling thread's
 * affinity, and no more than the CPU quotas of the control groups allow (cpu.max, or
 * cpu.cfs_quota_us of version 1), rounded up. Reads them at each call. From any thread. */
uint32_t lsched_processor_count(void);

/* ---- memory of the tasks ---- */

/* Memory that the context's tasks can access: host memory on the CPU, device memory on CUDA; for
 * programs without CUDA calls of their own. Zeroed, aligned to 128 bytes; 0 bytes return an address
 * too. On CUDA, allocating and freeing may wait for running kernels: allocate before a start. NOMEM
 * if memory is short or the product overflows; *out is NULL then. Free all of it before closing the
 * context. */
lsched_status lsched_mem_alloc(lsched_ctx *ctx, void **out, size_t bytes);
lsched_status lsched_mem_alloc_array(lsched_ctx *ctx, void **out, size_t count, size_t item_bytes);
void lsched_mem_free(lsched_ctx *ctx, void *memory); /* NULL is ignored */
/* Copy and clear; complete on return. They do not wait for runs, so first finish runs that access
 * the same bytes. memory may point into an allocation. */
lsched_status lsched_mem_write(lsched_ctx *ctx, void *memory, const void *from, size_t bytes);
lsched_status lsched_mem_read(lsched_ctx *ctx, void *to, const void *memory, size_t bytes);
lsched_status lsched_mem_zero(lsched_ctx *ctx, void *memory, size_t bytes);

/* ---- runs ---- */

typedef struct lsched_program lsched_program;
typedef struct lsched_run lsched_run;

/* Largest number of procedures of an item program. */
#define LSCHED_MAX_PROCEDURES 8

typedef struct lsched_run_options {
	size_t struct_bytes;
	lsched_scheme scheme;
	lsched_queue queue; /* used by DYNAMIC */
	lsched_overflow overflow;
	uint32_t max_tasks; /* largest task count of a start, 1 to LSCHED_MAX_TASKS; no default */
	/* Items; 0: max_tasks rounded up to a power of two, twice that for PRIO without a rule,
	 * where roots are enqueued too. Item programs: 0: 65,536, or 2,048 per worker if that is
	 * more; rounded up to full chunks of 32. */
	uint32_t queue_capacity;
	/* Items of each worker's deque, for queues that have deques; rounded up to a power of two,
	 * at least 2; 0: queue_capacity, at most 1,024. Item programs: chunks; 0: 256. */
	uint32_t bin_size;
	uint32_t workers; /* 0: the context's. CPU: at most the context's threads */
	/* item programs that fork: joins in use at once; 0: 65,536, or 2,048 per worker */
	uint32_t max_joins;
	uint32_t all_resident; /* nonzero: all workers of a start are resident at once, for tasks
			        * that wait for each other; see lsched_run_resident_workers() */
	uint32_t inline_depth; /* spawned items in a worker's spill list (INLINE); 0: 256 */
	uint32_t never_keep;   /* nonzero: every ready task goes through the queue, as in the
			        * papers; 0: a worker keeps one of them to run next. Item programs:
			        * all items on a worker's stacks go through the queue after each
			        * batch, see <libsched/generate_items.h> */
	uint32_t idle_percent; /* queue balance: redistributes all work when this percentage of the
			        * workers is idle, 1 to 100; 0: 50 */
	uint32_t worker_stats; /* nonzero: record statistics for lsched_run_worker_stats() */
	uint32_t trace;        /* events recorded per worker (the first ones); 0: none */
	uint32_t timeout_ms; /* a run without progress for this time fails; must exceed the longest
			      * task, or its time between two calls of lsched_progress(). 0: the
			      * context's. See "Hangs" */
	/* Limit of an execution, from its first worker's begin; 0: none. Workers check it after
	 * each task or batch of items and while they wait, and the thread in lsched_run_finish()
	 * or lsched_run_done() for bodies that poll lsched_cancelled(). The run fails with
	 * LSCHED_ERR_TIMEOUT. */
	uint32_t run_limit_ms;
	/* LSCHED_PROCEDURES: most items of each procedure in the run, in fast memory, chunks and
	 * queue together; 0: none. <libsched/generate_items.h> states what it bounds. */
	uint32_t procedure_capacity[LSCHED_MAX_PROCEDURES];
} lsched_run_options;

/* Hangs. Waiting workers detect that for timeout_ms no task has finished, none was spawned (item
 * programs: no batch), and none has called lsched_progress(). When all workers are busy, the
 * thread in lsched_run_finish() detects it, a little later. Time in which the process was stopped
 * (SIGSTOP, a debugger, a frozen container) does not count, apart from a sixteenth of timeout_ms or
 * 0.2 s. The run then fails with LSCHED_ERR_TIMEOUT; once the running tasks have returned
 * (lsched_cancelled() is true in them), the run and its context are usable again.
 *
 * A task that does not return within timeout_ms after that cannot be stopped: neither a thread nor
 * a kernel can be. lsched_run_finish() then returns LSCHED_ERR_TIMEOUT too, the message names the
 * task and its worker where they are known (CPU; CUDA: with a timeline), and the context is lost:
 * all further calls on it and its runs return at once, with LSCHED_ERR_STATE on the CPU and
 * LSCHED_ERR_DEVICE on CUDA. Destroying and closing work and never wait, but memory that the task
 * may still access is not freed: on the CPU until the task returns, on CUDA never; this includes
 * memory from lsched_mem_alloc(). The caller must keep its own memory that the task uses. Another
 * context on the same CPU works; one on the same device shares it with the hanging kernel. Without
 * a limit (LSCHED_NO_LIMIT_MS) lsched_run_finish() waits for ever.
 *
 * A task that traps or accesses invalid memory corrupts the CUDA context of the whole process:
 * lsched_run_finish() returns LSCHED_ERR_DEVICE with CUDA's message, and the context is lost
 * likewise. */

/* Largest number of tasks of a start. */
#define LSCHED_MAX_TASKS 0x40000000u

void lsched_run_options_init_sized(lsched_run_options *o, size_t struct_bytes);
#define lsched_run_options_init(o) lsched_run_options_init_sized((o), sizeof(*(o)))

/* Allocates all memory and loads the kernels, so that a start allocates nothing. The program must
 * be of the context's backend and outlive the run. */
lsched_status lsched_run_create(lsched_run **out, lsched_ctx *ctx, const lsched_program *program,
	const lsched_run_options *o);

/* Starts one execution and returns. program_ctx points to the program's LSCHED_CTX, which is
 * copied. tasks: 0..max_tasks; task numbers are 0..tasks-1. Neither synchronises nor allocates. A
 * run has one execution at a time (LSCHED_ERR_STATE), but several runs of a context may be
 * executing: on the CPU threads become workers of the runs in the order of the starts, so runs
 * overlap while there are threads for them. Finish a run before starting one that uses its results.
 *
 * cuda_stream: ignored on the CPU; on CUDA a cudaStream_t or NULL.
 * - A stream of the caller's: the whole execution is ordered in this stream. It observes the
 *   results of work enqueued before it, and work enqueued on the stream after this call observes
 *   all writes of the tasks, without lsched_run_finish(), which must still be called before the
 *   next start. The stream must be of the context's device and live until then. The queues that
 *   work in rounds (relaunch, compact, balance) need the host between their launches and refuse a
 *   stream (LSCHED_ERR_UNSUPPORTED); so does a stream that is being captured into a CUDA graph.
 *   Captures of other streams, by any thread and in any mode, are not disturbed by any call.
 * - NULL: a non-blocking stream owned by the context, on which its runs are executed in the order
 *   of their starts (a run that works in rounds may be overtaken between two of them). It is not
 *   synchronised with any other stream, not even the default one: data that other streams write
 *   must be complete before the start, and results are complete after lsched_run_finish().
 *   cudaStreamLegacy and cudaStreamPerThread name the default streams. */
lsched_status lsched_run_start(
	lsched_run *run, const void *program_ctx, uint32_t tasks, void *cuda_stream);

/* Sets the largest number of workers of the following executions, 1..lsched_run_max_workers(); 0:
 * all. */
lsched_status lsched_run_set_workers(lsched_run *run, uint32_t workers);

/* Sets lsched_run_options.run_limit_ms of the following executions, of a program that divides the
 * time of a call among several of them, say; 0 or LSCHED_NO_LIMIT_MS: none. STATE: the run is
 * started and not finished. */
lsched_status lsched_run_set_limit(lsched_run *run, uint32_t run_limit_ms);

/* ---- from other threads ---- */

/* Both may be called from any thread, but not from a signal handler, at any time between
 * lsched_run_create() and lsched_run_destroy(), also while another thread is inside a call on the
 * run or its context. They wait neither for tasks nor for the device, and do not change
 * lsched_run_error(). */

/* Ends the execution early. Each worker begins at most 128 further tasks (1,100 without a rule, and
 * under the scheme epoch on CUDA; item programs: 64 batches of up to 32 items), lsched_cancelled()
 * becomes true in bodies, and once the running bodies have returned lsched_run_finish() returns
 * LSCHED_ERR_CANCELLED, with the statistics of the tasks executed. Then the run may be started
 * again. On CUDA a copy on a stream owned by the run notifies the workers, also when the kernel has
 * not begun or another round is due; work that the caller has enqueued after the start is not
 * ended. OK: lsched_run_finish() will return CANCELLED, or the error of an earlier failure. STATE:
 * nothing is executing, and nothing was changed. So a cancel before the start has no effect on it:
 * a program sets a flag of its own before it calls this, and reads the flag after each start.
 * DEVICE: CUDA refused the copy. */
lsched_status lsched_run_cancel(lsched_run *run);

/* lsched_run_progress_info.finished where the count is unknown. */
#define LSCHED_NOT_KNOWN UINT64_MAX

typedef struct lsched_run_progress_info {
	size_t struct_bytes;
	/* Tasks whose bodies have returned and that their workers have reported: a worker reports
	 * after 64 short tasks, or one of about a millisecond. LSCHED_NOT_KNOWN while a program
	 * without a rule executes. */
	uint64_t finished;
	/* Tasks that are queued, running or announced. Without a rule: of those spawned so far;
	 * item programs: roots and chunks of items. */
	uint64_t outstanding;
	uint64_t elapsed_ns; /* since the start; after the end: of the whole execution */
	uint32_t executing;  /* nonzero: started, and not ended yet */
	uint32_t cancelled;  /* nonzero: lsched_run_cancel() returned OK */
} lsched_run_progress_info;

static inline void lsched_run_progress_info_init(lsched_run_progress_info *info)
{
	memset(info, 0, sizeof(*info));
	info->struct_bytes = sizeof(*info);
}

/* Fills an initialised struct with the progress of the latest start; all members are 0 before the
 * first. ARG: the struct is not initialised. On CUDA each call enqueues a copy of the workers'
 * state, and returns the numbers of the latest completed copy. */
lsched_status lsched_run_progress(lsched_run *run, lsched_run_progress_info *info);

/* Returns nonzero once the started execution has ended (then lsched_run_finish() will not block)
 * and when none is started. Never blocks. */
int lsched_run_done(lsched_run *run);

typedef struct lsched_stats {
	size_t struct_bytes;
	uint64_t tasks;       /* bodies that returned LSCHED_DONE */
	uint64_t kept;        /* of these: ready successors or children that a worker kept */
	uint64_t pushes;      /* items enqueued */
	uint64_t pops;        /* items dequeued */
	uint64_t failed_pops; /* pops that found the queue empty */
	uint64_t spawned;     /* items passed to lsched_spawn */
	uint64_t inlined;     /* items run by their producer because the queue was full */
	uint64_t steals;      /* items removed from another worker's deque */
	uint64_t donated;     /* items added to another worker's deque, BUFFER: to the buffer */
	uint64_t value;       /* item programs: value returned to the root join */
	uint64_t idle_ns;     /* waiting for work or predecessors, summed over workers; also from
			       * the end of a worker's round to the next round */
	uint64_t busy_ns;     /* the remaining time, summed over workers */
	uint64_t elapsed_ns;  /* from the first worker's start to the last one's end */
	/* High-water mark of waiting items: of a common queue, as observed by consumers; with one
	 * deque per worker, of the fullest deque (BUFFER: or of the buffer), as observed by its
	 * owner's pushes. This and the other counts of 32 bits stop at UINT32_MAX. */
	uint32_t queue_high_water;
	uint32_t queue_capacity;
	uint32_t workers;       /* that executed */
	uint32_t rounds;        /* queues in rounds: launches (on the CPU: barriers); else 1 */
	uint32_t trace_dropped; /* events beyond lsched_run_options.trace */
	/* item programs, of grain lane: batches executed, and the items in them, at most 32 (on the
	 * CPU LSCHED_CPU_LANES) in each; items that were run again count each time */
	uint64_t batches, batch_items;
} lsched_stats;

static inline void lsched_stats_init(lsched_stats *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}

/* Waits for the started execution. stats may be NULL, else must be initialised (if it is not, the
 * call returns LSCHED_ERR_ARG at once, and the execution continues). Returns how the execution
 * ended; after an error lsched_run_error() names task, worker and queue, and the run may be started
 * again. */
lsched_status lsched_run_finish(lsched_run *run, lsched_stats *stats);

/* Opens a context of the program's backend, runs `tasks` tasks or roots with default options, and
 * closes it. Opening takes longer than most runs (some 0.2 s on a GPU), so programs that run
 * repeatedly should keep a context. stats and msg (receives the error message) may be NULL.
 * NO_DEVICE: the program is for CUDA, and there is no device. */
lsched_status lsched_run_once(const lsched_program *program, const void *program_ctx,
	uint32_t tasks, lsched_stats *stats, char *msg, size_t msg_bytes);

/* Host memory of a lsched_run_once_with(), and the member of the program's context by which the
 * tasks access it. IN: the member is a pointer to a copy of the memory. INOUT: the same, and its
 * contents are copied back. STREAM: the member is a stream of <libsched/stream.h> with room for
 * `count` elements; the memory receives those appended. */
typedef enum lsched_array_kind {
	LSCHED_ARRAY_IN,
	LSCHED_ARRAY_INOUT,
	LSCHED_ARRAY_STREAM
} lsched_array_kind;

typedef struct lsched_array {
	size_t member; /* its offset in the context */
	void *memory;
	size_t element_bytes;
	uint64_t count;  /* elements of the memory */
	uint32_t kind;   /* lsched_array_kind */
	uint64_t stored; /* set by the call: elements in the memory */
	uint64_t needed; /* set by the call: elements appended, with or without room */
} lsched_array;

/* An initialiser of a lsched_array: member of LSCHED_CTX, pointer to n elements. */
#define LSCHED_IN(ctx, member, memory, n) LSCHED_I_ARRAY(ctx, member, memory, n, LSCHED_ARRAY_IN)
#define LSCHED_INOUT(ctx, member, memory, n) \
	LSCHED_I_ARRAY(ctx, member, memory, n, LSCHED_ARRAY_INOUT)
#define LSCHED_STREAM(ctx, member, memory, n) \
	LSCHED_I_ARRAY(ctx, member, memory, n, LSCHED_ARRAY_STREAM)
#define LSCHED_I_ARRAY(ctx, member, memory, n, kind)                                       \
	{                                                                                  \
		offsetof(ctx, member), (void *)(memory), sizeof(*(memory)), (uint64_t)(n), \
			(uint32_t)(kind), 0, 0                                             \
	}

typedef struct lsched_once {
	size_t struct_bytes;
	size_t array_bytes;                    /* of a lsched_array, set by lsched_once_init */
	const lsched_run_options *run_options; /* NULL: defaults; max_tasks 0: `tasks` */
	lsched_array *arrays;
	uint32_t array_count;
} lsched_once;

void lsched_once_init_sized(lsched_once *with, size_t struct_bytes, size_t array_bytes);
#define lsched_once_init(with) lsched_once_init_sized((with), sizeof(*(with)), sizeof(lsched_array))

/* lsched_run_once() with options, and with arrays that the tasks read and write:
 *	foo_ctx c = { .n = n };
 *	lsched_array arrays[] = { LSCHED_IN(foo_ctx, weight, weight, n),
 *		LSCHED_INOUT(foo_ctx, sum, sum, 64), LSCHED_STREAM(foo_ctx, hits, hits, 1000) };
 *	lsched_once with;
 *	lsched_once_init(&with);  with.arrays = arrays;  with.array_count = 3;
 *	lsched_run_once_with(&with, &LSCHED_PROGRAM(foo), &c, 1, &stats, why, sizeof(why));
 * *program_ctx does not change, and the members that arrays name are not read. A stream with needed
 * > stored was too small, which is no failure. After a failure the memory is unchanged. */
lsched_status lsched_run_once_with(const lsched_once *with, const lsched_program *program,
	const void *program_ctx, uint32_t tasks, lsched_stats *stats, char *msg, size_t msg_bytes);

/* Waits for a started execution (not in a lost context), frees the run; *run becomes NULL. */
void lsched_run_destroy(lsched_run **run);

const char *lsched_run_error(const lsched_run *run);

/* The largest number of workers of a start, and how many of them can be resident at once: tasks
 * that wait for each other need all workers resident. 0 for NULL. On the CPU each worker has a
 * thread, but begins only when the runs before it leave one. On CUDA the number is the occupancy of
 * an otherwise idle device: while another kernel runs, some workers may begin only when it has
 * ended. With lsched_run_options.all_resident, with the queue donate, and with LSCHED_PROCEDURES
 * and queues in rounds, more workers than this are refused, and the launch is cooperative: CUDA
 * begins it when all its blocks fit, and fails it if they never can. Other launches are not. */
uint32_t lsched_run_max_workers(const lsched_run *run);
uint32_t lsched_run_resident_workers(const lsched_run *run);

/* Statistics of worker 0 .. lsched_stats.workers - 1 in the last finished execution; the struct
 * must be initialised. ARG: no such worker executed. STATE: the run was created without
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

/* The task that the last execution's error names, or LSCHED_NO_TASK; and the code passed to
 * lsched_fail(). */
#define LSCHED_NO_TASK 0xffffffffu
uint32_t lsched_run_error_task(const lsched_run *run);
int lsched_run_error_code(const lsched_run *run);

/* ---- timelines ---- */

/* One executed task, or batch of an item program; the layout is fixed. CUDA: %globaltimer; CPU:
 * CLOCK_MONOTONIC. */
typedef struct lsched_event {
	uint64_t start_ns, end_ns;
	uint32_t task; /* item programs: number of items */
	uint32_t worker;
	uint32_t sm;        /* SM number; on the CPU the worker's number */
	uint32_t procedure; /* of the items; 0 for tasks */
} lsched_event;

/* The events of the last finished execution, sorted by start; owned by the run, valid until its
 * next start. Returns their number. */
size_t lsched_run_events(const lsched_run *run, const lsched_event **events);

/* Statistics of a procedure of an item program: sums of the recorded events. The events that were
 * not recorded (lsched_run_info.trace_dropped) are missing. The mean fill is items / batches; the
 * time that items wait is not recorded. */
typedef struct lsched_procedure_stats {
	size_t struct_bytes;
	const char *name; /* in LSCHED_PROCEDURES, owned by the program; NULL: it has no name */
	uint64_t batches;
	uint64_t items;   /* in them; items that were run again count each time */
	uint64_t time_ns; /* from the removal of a batch's items to the end of their bodies, sum */
	uint64_t min_ns, max_ns; /* the same time of one batch; 0 without batches */
} lsched_procedure_stats;

static inline void lsched_procedure_stats_init(lsched_procedure_stats *s)
{
	const lsched_procedure_stats empty = { sizeof(lsched_procedure_stats), NULL, 0, 0, 0, 0,
		0 };

	*s = empty;
}

/* Fills an initialised struct with the statistics of procedure 0, 1, .. in the last finished
 * execution. ARG: there is no such procedure (tasks have none), or the struct is not initialised.
 * STATE: the run was created without lsched_run_options.trace, or is not finished. */
lsched_status lsched_run_procedure_stats(
	lsched_run *run, uint32_t procedure, lsched_procedure_stats *stats);

/* The execution that the events belong to; strings are owned by the run. */
typedef struct lsched_run_info {
	size_t struct_bytes;
	const char *program;     /* the program's name */
	const char *device_name; /* as lsched_ctx_device_name */
	lsched_backend backend;
	int items;   /* 1: an item program; an event is a batch, its task the number of items */
	int started; /* 1: an execution is not finished; the members below are 0 */
	uint32_t workers;       /* of the last execution */
	uint64_t trace_dropped; /* its events beyond lsched_run_options.trace */
} lsched_run_info;

static inline void lsched_run_info_init(lsched_run_info *info)
{
	const lsched_run_info empty = { sizeof(lsched_run_info), NULL, NULL, LSCHED_BACKEND_CPU, 0,
		0, 0, 0 };

	*info = empty;
}

/* Returns LSCHED_ERR_ARG for NULL and for a struct that was not initialised. */
lsched_status lsched_run_get_info(const lsched_run *run, lsched_run_info *info);

/* Receives text in pieces; a nonzero return value ends the writing. */
typedef int (*lsched_write_fn)(void *opaque, const char *text, size_t bytes);

/* Chrome/Perfetto JSON ("traceEvents") of finished runs: process = device, thread = worker, name =
 * program, or procedure where it has several; args = task and SM. Times count from the first event
 * of each clock. */
lsched_status lsched_trace_write(
	lsched_run *const *runs, size_t run_count, lsched_write_fn write, void *opaque);

typedef struct lsched_svg_options {
	size_t struct_bytes;
	const char *title;         /* NULL: the device and the programs */
	const char *const *labels; /* names of the runs; NULL, or a NULL: the program's name */
	/* 1: the time of each run begins at its first task, to compare runs; 0: at the first task
	 * of all runs of its clock. */
	int aligned;
} lsched_svg_options;

static inline void lsched_svg_options_init(lsched_svg_options *o)
{
	memset(o, 0, sizeof(*o));
	o->struct_bytes = sizeof(*o);
}

/* Writes finished runs that have recorded events (lsched_run_options.trace) as SVG, after figures 2
 * and 3 of Tzeng, Lloyd, Owens 2012: time to the right, one lane per worker (on CUDA ordered by the
 * SM of the worker's first task), one rectangle per task (item programs: per batch), coloured by
 * its number (its procedure, or its size if there is one procedure only); idle time is white. A
 * graph below each run shows the number of busy workers, a line above it tasks, time and
 * utilisation: the part of workers x time, from the first start to the last end, that task bodies
 * use. With several procedures another line has the part of this time that each uses, and the mean
 * number of items in its batches. The result is one <svg> element of at most 4 MiB without XML
 * declaration or ids: a file, or a part of an HTML page.
 *
 * Up to 4,000 tasks on lanes that are high enough have one rectangle with a tooltip each. Otherwise
 * tasks within a pixel are drawn together, several workers share a row, and the colour is paler the
 * more idle time a pixel has. Only the first 16 runs are drawn; a run without events is left out
 * beside others. The picture states the number of tasks that were not recorded.
 *
 * `options` may be NULL. ARG: arguments are missing or not initialised, or `write` failed; STATE: a
 * run is not finished; NOMEM. */
lsched_status lsched_trace_write_svg(lsched_run *const *runs, size_t run_count,
	const lsched_svg_options *options, lsched_write_fn write, void *opaque);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
