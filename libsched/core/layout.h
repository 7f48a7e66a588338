/* Memory that host and workers share, the same bytes in C and CUDA. Everything starts as zero bytes
 * and the last worker to leave puts it back so: a start needs no initialising kernel and no memset. */
#ifndef LIBSCHED_CORE_LAYOUT_H
#define LIBSCHED_CORE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include <libsched/sched.h>

/* Hot words stand on lines of their own: 128 bytes is what an L2 and two CPU lines share. */
#define SCHED__LINE 128

/* A word alone on its line. */
typedef struct sched__hot {
	uint32_t v;
	uint32_t pad[SCHED__LINE / 4 - 1];
} sched__hot;

/* A word of a queue that thousands of workers add to: neighbouring lines may lie in the same slice of a
 * GPU's cache, whose atomics are what bounds a queue, so they stand further apart. */
typedef struct sched__apart {
	uint32_t v;
	uint32_t pad[1024 - 1];
} sched__apart;

/* Counters of a worker, added to the run's once, when it leaves. The last three are maxima. */
enum {
	SCHED__N_TASKS,
	SCHED__N_KEPT,
	SCHED__N_PUSHES,
	SCHED__N_POPS,
	SCHED__N_FAILED_POPS,
	SCHED__N_SPAWNED,
	SCHED__N_INLINED,
	SCHED__N_STEALS,
	SCHED__N_DONATED,
	SCHED__N_ROUNDS,
	SCHED__N_EXCESS, /* dynamic: arrivals less those that the tasks made ready wanted; 0 in the end */
	SCHED__N_IDLE_NS,
	SCHED__N_BUSY_NS,
	SCHED__N_TRACE_DROPPED,
	SCHED__N_SUMS,
	SCHED__N_HIGH_WATER = SCHED__N_SUMS,
	SCHED__N_NOT_START, /* ~start_ns, so that the maximum is the first start and zero is nothing */
	SCHED__N_END_NS,
	SCHED__N_COUNT
};

/* Why a run failed: the first to fail writes it, and nobody after. */
enum {
	SCHED__FAIL_NONE,
	SCHED__FAIL_TASK,        /* a body said so; detail = its code */
	SCHED__FAIL_QUEUE_FULL,  /* detail unused */
	SCHED__FAIL_INLINE_FULL, /* a worker's own list of spawned items is full */
	SCHED__FAIL_IDLE, /* no progress, an idle worker noticed; task = a half-resolved one or NONE */
	SCHED__FAIL_WAIT, /* no progress while waiting for task `detail`; task = what it comes down to */
	SCHED__FAIL_BARRIER, /* no progress while waiting for the end of wavefront `detail` */
	SCHED__FAIL_SLOT,    /* no progress inside the queue */
	SCHED__FAIL_LIMIT,   /* run_limit_ms is over */
	SCHED__FAIL_ITEM, /* the body of an item said so; task = its procedure, detail = its code */
	SCHED__FAIL_PREDS,  /* words: more than SCHED_WORD_PREDS predecessors */
	SCHED__FAIL_SPAWN,  /* an item of procedure `task` made more than SCHED_MAX_SPAWN */
	SCHED__FAIL_CHUNKS, /* no chunk is free */
	SCHED__FAIL_JOINS,  /* no join is free */
	SCHED__FAIL_STUCK, /* a round is over, tasks are left, none is ready; task, detail: as for IDLE */
	SCHED__FAIL_TOLD, /* the host said so; it keeps the record itself */
	SCHED__FAIL_COUNT /* the live count fell below zero: more tasks ran than there are */
};

typedef struct sched__failure {
	uint32_t why;
	uint32_t task;
	uint32_t worker;
	uint32_t detail;
	uint32_t left; /* tasks not settled at that moment */
} sched__failure;

typedef struct sched__result {
	uint64_t count[SCHED__N_COUNT];
	sched__failure failure;
	uint32_t again; /* kind rounds: launch once more */
	uint64_t value; /* of item programs */
} sched__result;

/* What a queue needs to know to lay out its memory. */
typedef struct sched__shape {
	uint32_t capacity; /* items that the caller asked room for */
	uint32_t bin;      /* items of a worker's private bin: a power of two, at least 2 */
	uint32_t workers;  /* the most workers of a start */
	uint32_t max_tasks;
	uint32_t has_rule;
} sched__shape;

/* Words of a queue; what each means is its own header's business. */
#define SCHED__QUEUE_HOT 4

/* The part of a run's memory whose words are hot. */
typedef struct sched__state {
	sched__apart queue[SCHED__QUEUE_HOT];
	sched__hot live; /* tasks queued, running or known to come, minus the start's task count */
	sched__hot ticket;  /* next root (dynamic), chain (static), task of the wavefront (sync) */
	sched__hot failed;  /* nonzero: leave. Set by CAS, once */
	sched__hot exits;   /* workers that left */
	sched__hot arrived; /* at the barrier of a wavefront (CPU); rounds: somebody is watching */
	sched__hot passed;  /* barriers passed (CPU) */
	sched__hot hungry;  /* item programs: chunks asked for, less those given */
	sched__hot beat;    /* item programs: changes while work goes on */
	sched__failure failure;
	uint32_t pad0[SCHED__LINE / 4 - sizeof(sched__failure) / 4];
	uint64_t total[2 * SCHED__LINE / 8];
	uint64_t value; /* item programs: what was returned to the root */
	uint64_t pad1[SCHED__LINE / 8 - 1];
} sched__state;

/* A join of an item program, see items/join.h. */
typedef struct sched__join {
	uint64_t value;
	uint32_t pending;
	uint32_t up;
} sched__join;

/* Arguments of one start, by value to every worker. */
typedef struct sched__args {
	sched__state *state;
	uint64_t *slots;     /* the queue's array */
	uint32_t *task_word; /* dynamic: arrivals at each task; static: its flag */
	uint32_t *spill;     /* inline_depth words a worker, programs without rule under INLINE */
	sched_event *events;
	sched_worker_stats *worker_stats; /* NULL: not wanted */
	uint32_t *now;         /* the task each worker is in, plus one; NULL: not wanted */
	sched__result *result; /* host memory */
	uint64_t timeout_ns;   /* 0: none */
	uint64_t limit_ns;     /* 0: none */
	uint32_t tasks;
	uint32_t workers;
	uint32_t epoch;         /* never 0 */
	uint32_t queue_limit;   /* items the queue may hold; 0: it cannot overflow, do not count */
	uint32_t slot_mask;     /* queue capacity, a power of two, less one */
	uint32_t bin;           /* items of a private bin */
	uint32_t shape_workers; /* the most workers of a start: what the queue's layout goes by */
	uint32_t never_keep;
	uint32_t idle_limit; /* idle workers that do not end a round yet */
	uint32_t overflow;
	uint32_t inline_depth;
	uint32_t trace; /* events a worker may write */
	/* Item programs. Words of 32 places: chunks of a worker, of all; joins of a thread, of all. */
	uint32_t *chunk_items; /* [chunk][word][32] */
	uint32_t *chunk_head;  /* procedure << 8 | items */
	uint32_t *chunk_busy;
	uint32_t *chunk_own; /* [worker][own_places] */
	sched__join *joins;
	uint32_t *join_busy;
	uint32_t *join_then; /* [join][word]: the continuation */
	uint32_t chunks_each, chunk_words;
	uint32_t own_places; /* a power of two */
	uint32_t joins_each, join_words;
	uint32_t wave, waves; /* sync: this call runs wave .. waves-1 */
	uint32_t last;        /* the last call of the start: its last worker publishes */
} sched__args;

/* Numbers the host asks a program's rule for. */
enum { SCHED__COUNT_ROOTS, SCHED__COUNT_CHAINS, SCHED__COUNT_WAVES, SCHED__COUNT_WAVE_SIZE };

/* One instance: the worker for a scheme and a queue. */
typedef struct sched__entry {
	sched_scheme scheme;
	sched_queue queue;
	void (*work)(const sched__args *a, const void *ctx, void *local, uint32_t worker); /* CPU */
	const void *kernel; /* CUDA */
	uint32_t rounds;    /* the queue's kind */
} sched__entry;

struct sched_program {
	uint32_t abi;
	sched_backend backend;
	const char *name;
	uint32_t ctx_bytes;
	uint32_t local_bytes;     /* 0: none */
	uint32_t warps_per_block; /* workers of a block */
	uint32_t helpers;         /* helper warps of each */
	uint32_t has_rule;
	uint32_t entry_count;
	const sched__entry *entries;
	uint32_t (*count)(
		const void *ctx, int what, uint32_t wave); /* host side; NULL without rule */
	/* item programs; 0 else */
	uint32_t item_words;
	uint32_t has_joins;
	uint32_t reduce_op;
};

#define SCHED__CTX_MAX_BYTES 2048

#endif
