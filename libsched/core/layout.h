/* Memory that host and workers share, with the same layout in C and CUDA. It starts as zero bytes,
 * and the last worker to leave zeroes it again, so a start needs neither an initialising kernel nor
 * a memset. */
#ifndef LIBSCHED_CORE_LAYOUT_H
#define LIBSCHED_CORE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <libsched/sched.h>

/* Contended words have cache lines of their own: 128 bytes, a GPU's line and two of a CPU. */
#define LSCHED_I_LINE 128

/* A word with a cache line of its own. */
typedef struct lsched_i_line_word {
	uint32_t v;
	uint32_t pad[LSCHED_I_LINE / 4 - 1];
} lsched_i_line_word;

/* A word of a queue that thousands of workers add to. The throughput of atomics in one slice of a
 * GPU's L2 cache bounds a queue, and neighbouring lines may be in the same slice, so these words
 * are 4 KiB apart. */
typedef struct lsched_i_spread_word {
	uint32_t v;
	uint32_t pad[1024 - 1];
} lsched_i_spread_word;

/* Counters of a worker, added to those of the run when it leaves. The last three are maxima. */
enum lsched_i_counter {
	LSCHED_I_N_TASKS,
	LSCHED_I_N_KEPT,
	LSCHED_I_N_PUSHES,
	LSCHED_I_N_POPS,
	LSCHED_I_N_FAILED_POPS,
	LSCHED_I_N_SPAWNED,
	LSCHED_I_N_INLINED,
	LSCHED_I_N_STEALS,
	LSCHED_I_N_DONATED,
	LSCHED_I_N_ROUNDS,
	LSCHED_I_N_EXCESS, /* dynamic: arrivals minus those that ready tasks needed; 0 at the end.
			    * Items: joins made minus joins freed, the low 32 bits count */
	LSCHED_I_N_IDLE_NS,
	LSCHED_I_N_BUSY_NS,
	LSCHED_I_N_TRACE_DROPPED,
	LSCHED_I_N_BATCHES, /* of lane items, and the items in them */
	LSCHED_I_N_BATCH_ITEMS,
	LSCHED_I_N_SUMS,
	LSCHED_I_N_HIGH_WATER = LSCHED_I_N_SUMS,
	LSCHED_I_N_NOT_START, /* ~start_ns: the maximum is the first start; 0: none */
	LSCHED_I_N_END_NS,
	LSCHED_I_N_COUNT
};

/* Cause of a failure. A run keeps the first one. */
enum lsched_i_why {
	LSCHED_I_FAIL_NONE,
	LSCHED_I_FAIL_TASK,        /* by a body; detail = its code */
	LSCHED_I_FAIL_QUEUE_FULL,  /* detail unused */
	LSCHED_I_FAIL_INLINE_FULL, /* a worker's spill list is full */
	LSCHED_I_FAIL_IDLE,    /* an idle worker observed no progress; task = a partly ready one */
	LSCHED_I_FAIL_WAIT,    /* no progress, waiting for task `detail`; task = the blocking one */
	LSCHED_I_FAIL_BARRIER, /* no progress while waiting for the end of wavefront `detail` */
	LSCHED_I_FAIL_SLOT,    /* no progress inside the queue */
	LSCHED_I_FAIL_LIMIT,   /* run_limit_ms has passed */
	LSCHED_I_FAIL_ITEM,    /* by the body of an item; task = its procedure, detail = its code */
	LSCHED_I_FAIL_PREDS,   /* epoch: more than LSCHED_WORD_PREDS predecessors */
	LSCHED_I_FAIL_SPAWN,   /* an item of procedure `task` spawned more than LSCHED_MAX_SPAWN, or
			        * with detail 1 than its outputs in LSCHED_PROCEDURES */
	LSCHED_I_FAIL_CHUNKS,  /* no chunk is free */
	LSCHED_I_FAIL_JOINS,   /* no join is free */
	LSCHED_I_FAIL_STUCK,   /* a round is over, no task left is ready; task, detail: as IDLE */
	LSCHED_I_FAIL_HOST,    /* by the host, which keeps the record */
	LSCHED_I_FAIL_COUNT,   /* outstanding count below zero: more tasks ran than there are */
	LSCHED_I_FAIL_CANCELLED, /* by lsched_run_cancel(), which leaves no record */
	LSCHED_I_FAIL_FULL,      /* items have no room for their outputs; task: cause */
	LSCHED_I_FAIL_MESSAGE, /* no progress; `task` waits for a word that `detail` has not sent */
	LSCHED_I_FAIL_RETURNS, /* an item of procedure `detail` returned to a join without children
				* left */
	LSCHED_I_FAIL_STREAM   /* a body appended to a stream that is not open */
};

typedef struct lsched_i_failure {
	uint32_t why;
	uint32_t task;
	uint32_t worker;
	uint32_t detail;
	uint32_t left; /* outstanding count at that time */
} lsched_i_failure;

typedef struct lsched_i_result {
	uint64_t count[LSCHED_I_N_COUNT];
	lsched_i_failure failure;
	uint32_t again; /* ROUNDS: nonzero: another round follows */
	uint64_t value; /* of item programs */
} lsched_i_result;

/* Parameters of a queue's memory layout. */
typedef struct lsched_i_shape {
	uint32_t capacity; /* items, as in the caller's options */
	uint32_t bin;      /* items of a worker's deque: a power of two, at least 2 */
	uint32_t workers;  /* largest number of a start */
	uint32_t max_tasks;
	uint32_t has_rule;
} lsched_i_shape;

/* Number of words of a queue; the header of each queue defines their meaning. */
#define LSCHED_I_QUEUE_WORDS 4

/* The words of a run with contention between workers: one cache line each. */
typedef struct lsched_i_state {
	lsched_i_spread_word queue[LSCHED_I_QUEUE_WORDS];
	lsched_i_line_word outstanding; /* outstanding count minus the start's task count */
	lsched_i_line_word next_root;   /* static: next chain; sync: next task of the wavefront */
	lsched_i_line_word failed;      /* nonzero: workers leave. Set by CAS, once */
	lsched_i_line_word exits;       /* workers that left */
	lsched_i_line_word launches;    /* launches that have ended; not reset */
	union {                         /* a run has one of them */
		struct {
			lsched_i_line_word arrivals;   /* workers at the wavefront's barrier */
			lsched_i_line_word generation; /* barriers completed */
		} sync;                                /* CPU only */
		struct {
			lsched_i_line_word watchdog_claimed; /* a worker stays as watchdog */
		} rounds;
		struct {
			lsched_i_line_word
				arrivals;        /* workers that began: selects the controllers */
			lsched_i_line_word open; /* nonzero: workers may dequeue */
		} prio;
		lsched_i_line_word scheme[2]; /* the words of each of them, for the reset */
	};
	struct {
		struct {
			uint32_t v; /* by idle workers, minus chunks enqueued */
			uint32_t pad0;
			uint64_t jobs_best; /* LSCHED_JOBS, see core/job_layout.h */
			uint32_t pad[LSCHED_I_LINE / 4 - 4];
		} chunk_requests;
	} items;
	struct {
		lsched_i_line_word sleepers;  /* workers that sleep, or poll once more before */
		lsched_i_line_word wakes;     /* the word that they sleep on */
		lsched_i_line_word searching; /* nonzero: a woken worker has not found an item */
	} idle;                               /* CPU only, see core/idle.h */
	lsched_i_failure failure;
	uint32_t pad0[LSCHED_I_LINE / 4 - sizeof(lsched_i_failure) / 4];
	uint64_t total[2 * LSCHED_I_LINE / 8]; /* LSCHED_I_N_... */
	uint64_t value;                        /* item programs: returned to the root */
	uint64_t pad1[LSCHED_I_LINE / 8 - 1];
	/* LSCHED_PROCEDURES: items of each procedure with a capacity; zero at the end of a run */
	lsched_i_line_word procedure_items[LSCHED_MAX_PROCEDURES];
	lsched_i_line_word blocked; /* lsched_i_pressure.cause of a worker that waits for room */
} lsched_i_state;

/* A join's number, plus one, leaves two bits of lsched_i_join.up. */
#define LSCHED_I_JOINS_MAX 0x3fffffe0u

/* A join of an item program, see items/join.h. */
typedef struct lsched_i_join {
	uint64_t value;
	uint32_t pending; /* children that have not returned; above them its maker's procedure */
	uint32_t up;      /* the join above it, or LSCHED_I_JOIN_THEN and a procedure */
} lsched_i_join;

/* Bits of lsched_i_join. */
#define LSCHED_I_JOIN_CHILDREN_MAX 0x1fffffffu /* pending */
#define LSCHED_I_JOIN_PROC_SHIFT   29
#define LSCHED_I_JOIN_THEN         0x80000000u /* up: the procedure of a continuation */
#define LSCHED_I_JOIN_NOT          0x40000000u /* up: the value goes up complemented */

/* Statistics of a worker, as lsched_worker_stats, in the workers' memory. */
typedef struct lsched_i_worker_stats {
	uint64_t tasks, steals, donated;
	uint64_t idle_ns, busy_ns;
} lsched_i_worker_stats;

/* Arguments of one start, passed by value to every worker. The members of a part have a common
 * prefix; their order is fixed: with a struct for each part, or in another order, kernels have up
 * to fifteen registers more (nvcc 13.0). */
typedef struct lsched_i_args {
	lsched_i_state *state;
	uint64_t *queue_slots;
	uint32_t *task_words; /* dynamic: arrivals; static: flags; epoch: 64 bits each */
	uint32_t *spill;      /* spill_capacity words a worker: programs without rule, INLINE */
	lsched_event *events;
	lsched_i_worker_stats *worker_stats; /* NULL: not recorded */
	uint32_t *current_task;              /* of each worker, plus one; NULL: not recorded */
	lsched_i_result *result;             /* host memory */
	uint64_t timeout_ns;                 /* 0: none */
	uint64_t limit_ns;                   /* 0: none */
	uint32_t tasks;
	uint32_t workers;
	uint32_t epoch; /* number of the start, never 0 */

	uint32_t queue_limit;     /* largest number of items; 0: it cannot overflow, no check */
	uint32_t queue_slot_mask; /* its capacity, a power of two, minus one */
	uint32_t queue_deque_capacity; /* items of a worker's own deque */
	uint32_t queue_max_workers;    /* largest number in a start: determines the layout */

	uint32_t never_keep;
	uint32_t rounds_idle_limit; /* a round ends with more idle workers than this */
	uint32_t overflow;          /* lsched_overflow */
	uint32_t spill_capacity;    /* words of a worker in `spill` */
	uint32_t trace;             /* capacity for events of a worker */

	/* Item programs. Bitmaps: one bit per slot, 1: in use; see items/bitmap.h. */
	uint32_t *items_chunks;        /* [chunk][word][32] */
	uint32_t *items_chunk_headers; /* procedure << 8 | items */
	uint32_t *items_chunk_bitmap;
	uint32_t *items_local_chunks; /* [worker][items_local_chunk_slots] */
	lsched_i_join *items_joins;
	uint32_t *items_join_bitmap;
	uint32_t *items_continuations;                        /* [join][word] */
	uint32_t items_worker_chunk_words, items_chunk_words; /* of the bitmap: a worker's, all */
	uint32_t items_local_chunk_slots;                     /* a power of two */
	uint32_t items_thread_join_words, items_join_words;   /* of the bitmap: a thread's, all */

	uint32_t sync_wave,
		sync_wave_end; /* wavefronts of this launch: first, and one past the last */
	uint32_t last_launch; /* 1: the last launch of a start; its last worker writes the result */
	uint32_t items_capped; /* LSCHED_PROCEDURES: 1: some procedure has a capacity */
	uint32_t items_capacity[LSCHED_MAX_PROCEDURES]; /* 0: none */

	/* LSCHED_JOBS, see core/job_layout.h: the messages' number minus one; the member's jobs,
	 * what it shares with the host, the messages in it; places for jobs; the linger time. */
	uint32_t jobs_mask;
	struct lsched_i_jobs_state *jobs;
	struct lsched_i_jobs_shared *jobs_shared;
	uint64_t *jobs_messages;
	uint32_t jobs_places, jobs_linger_us;

	/* queue prio: of each chunk, with LSCHED_ITEM_PRIORITY its priority, with LSCHED_JOBS the
	 * number of its job */
	uint32_t *items_chunk_priority;

	uint64_t *messages; /* LSCHED_MESSAGES: {epoch, value}, the words of each task */

	/* Of each worker mark_words words, of which it alone writes the first four: tasks or
	 * turns finished, and items spawned, in this launch, and calls of lsched_progress(), which
	 * are the progress that watchdogs observe; and steps of its waits, by which the host sees
	 * that a worker observes the run. */
	uint32_t *marks;
	uint32_t mark_words;

	uint64_t idle_sleep_ns; /* CPU: longest sleep of an idle worker; 0: it polls */
} lsched_i_args;

/* Words of a worker in lsched_i_args.marks: a cache line of a CPU; packed where the host copies
 * them from a device. */
#define LSCHED_I_MARK_LINE_WORDS 16u
#define LSCHED_I_MARK_USED_WORDS 4u
#define LSCHED_I_PROGRESS_WORDS  3u /* the first words of them */

/* Numbers that the host reads from a program's rule. */
enum lsched_i_question {
	LSCHED_I_COUNT_ROOTS,
	LSCHED_I_COUNT_CHAINS,
	LSCHED_I_COUNT_WAVES,
	LSCHED_I_COUNT_WAVE_SIZE
};

/* One instance: the worker for a scheme and a queue. With neither work nor kernel there is none. */
typedef struct lsched_i_entry {
	lsched_scheme scheme;
	lsched_queue queue;
	void (*work)(
		const lsched_i_args *a, const void *ctx, void *local, uint32_t worker); /* CPU */
	const void *kernel;                                                             /* CUDA */
	uint32_t rounds; /* nonzero: the queue has LSCHED_I_CAP_ROUNDS */
} lsched_i_entry;

/* A procedure of a program with LSCHED_PROCEDURES or LSCHED_PROC_NAMES; least_capacity of the
 * latter is LSCHED_I_NO_CAPACITY. */
#define LSCHED_I_NO_CAPACITY UINT32_MAX
typedef struct lsched_i_procedure {
	const char *name;
	uint32_t least_capacity; /* items that one item of a lower procedure emits to it */
} lsched_i_procedure;

/* lsched_program.has_priority of a program with LSCHED_JOBS. */
#define LSCHED_I_IS_JOBS 2u

struct lsched_program {
	uint32_t abi;
	lsched_backend backend;
	const char *name;
	uint32_t ctx_bytes;
	uint32_t local_bytes;     /* 0: none */
	uint32_t warps_per_block; /* workers of a block */
	uint32_t helpers;         /* helper warps of each */
	uint32_t has_rule;
	uint32_t entry_count;
	const lsched_i_entry *entries;
	uint32_t (*count)(
		const void *ctx, int what, uint32_t wave); /* host side; NULL without rule */
	/* item programs; 0 else */
	uint32_t item_words;
	uint32_t has_joins;
	uint32_t reduce_op;
	const lsched_i_procedure *procedures; /* NULL: they have no names */
	uint32_t procedure_count;             /* LSCHED_PROCS */
	uint32_t has_priority; /* 1: LSCHED_ITEM_PRIORITY; LSCHED_I_IS_JOBS: LSCHED_JOBS */
	/* CUDA: returns an entry's kernel as a handle that is valid in every instance of the CUDA
	 * runtime; NULL: an error of the runtime. libsched.so and the program each contain an
	 * instance. */
	const void *(*kernel_handle)(const void *kernel);
	uint32_t message_words; /* LSCHED_MESSAGES; 0: none */
};

#define LSCHED_I_CTX_MAX_BYTES 2048

#endif
