/* The variables of a worker. */
#ifndef LIBSCHED_CORE_WORKER_STATE_H
#define LIBSCHED_CORE_WORKER_STATE_H

#include "libsched/core/shared.h"
#include "libsched/core/layout.h"
#include "libsched/core/batch.h"
#include "libsched/core/wake.h"

/* Rarely used variables of a worker, kept out of its registers: shared memory on the GPU. Only the
 * leader (lane 0) writes them. */
typedef struct lsched_i_worker_private {
	uint64_t count[LSCHED_I_N_COUNT];
	uint64_t start_ns, start_ticks; /* of this launch */
	uint64_t run_start_ns;          /* of the run's first launch */
	uint64_t idle_ticks;
	uint64_t watched_ns; /* the last step of the watchdog in this wait; 0: none yet */
	uint64_t
		waited_ns; /* sum of the steps without progress; NOT_WATCHED: no step has read it */
	uint64_t spin_ns;  /* the last step of a wait inside the queue */
	uint32_t watched;  /* the progress at the last step */
	/* Of lsched_i_args, for the watchdog: read from here, they take no registers of the tasks
	 * (a wavefront under epoch, H200: 7 % of its time). */
	uint32_t watched_workers;
	uint32_t *watched_marks;
	uint64_t watch_timeout_ns;
	uint32_t flushed;         /* of `finished`: those subtracted from the outstanding count */
	uint32_t settled;         /* ... those added to count[] */
	uint32_t reported;        /* `finished` at the last report */
	uint32_t report_interval; /* tasks from one read of the clock to the next */
	uint64_t checked_ticks;   /* the last read of the clock */
	uint32_t event_count;
#if !LSCHED_I_GPU
	/* of this wait for an item (idle.h): `spins` at the last wake, wakes before the sleep,
	 * polls left before it; LSCHED_I_AWAKE, ... */
	uint32_t idle_from, idle_wakes, idle_polls, idle_state;
#endif
	uint32_t queue[8]; /* variables of the queue, zero when a launch begins */

	uint32_t rounds_over;        /* this worker executes no more tasks in this launch */
	uint32_t rounds_is_watchdog; /* it stays until all others have left */

	uint32_t items_free_chunks,
		items_free_chunk_word; /* reserved slots, and their bitmap word */
	uint64_t items_share_after_ticks;

	uint32_t helper_task, helper_prev; /* for the helper warp; task LSCHED_NONE ends it */

	/* of a receive that ended without its words: the result of the watchdog, and the sender */
	uint32_t message_stalled, message_from;
} lsched_i_worker_private;

#define LSCHED_I_NOT_WATCHED UINT64_MAX

/* lsched_i_worker_private.idle_state: it has not slept in this wait; it has; it is counted in
 * state.idle.sleepers. */
enum { LSCHED_I_AWAKE, LSCHED_I_HAS_SLEPT, LSCHED_I_ANNOUNCED };

/* Largest number of predecessors of a task under the scheme epoch. */
#define LSCHED_WORD_PREDS 32

/* Scheme epoch on a GPU: scratch words of a worker for the table of words of its block, of which
 * the last LSCHED_I_NEAR_EXTRA have another use; and the largest power of two that is at most n. */
#if LSCHED_I_GPU
#define LSCHED_I_NEAR_SCRATCH 264u
#else
#define LSCHED_I_NEAR_SCRATCH 0u
#endif
#define LSCHED_I_NEAR_EXTRA 2u
#define LSCHED_I_NEAR_FLOOR(n)         \
	((n) >= 4096u          ? 4096u \
		: (n) >= 2048u ? 2048u \
		: (n) >= 1024u ? 1024u \
		: (n) >= 512u  ? 512u  \
		: (n) >= 256u  ? 256u  \
			       : 128u)

typedef struct lsched_worker {
	const lsched_i_args *a;
	lsched_i_worker_private *priv;
	uint32_t *scratch; /* LSCHED_I_NAME_SCRATCH words of the queue; NULL: none */
	uint32_t *marks;   /* the worker's words of lsched_i_args.marks */
	uint32_t index;
	uint32_t queue;    /* lsched_queue, a constant in each instance: no dispatch at run time */
	uint32_t has_rule; /* a constant too */
	uint32_t ticket_wait; /* a constant too, see lsched_i_waits_on_ticket */
	uint32_t is_items;    /* a constant too, LSCHED_I_IS_...: an item program; set after
			       * lsched_i_begin */
	uint32_t prev;        /* the previous task, or NONE */
	uint32_t next_task;   /* the task kept to run next, or NONE */
	uint32_t spill_top; /* INLINE: with a rule the list's first task or NONE; else its length */
	uint32_t finished;  /* tasks */
	uint32_t next_report_at; /* value of `finished` at the next read of the clock */
	uint32_t kept;           /* tasks that the worker had kept, since the last report */
	uint32_t excess;         /* each lane's part of LSCHED_I_N_EXCESS */
	int32_t fail_code;
	/* scheme epoch: the words of the task's predecessors; one in each lane, or an array */
#if LSCHED_LANES > 1
	uint32_t word;         /* lane k: word of the k-th predecessor */
	uint32_t word0, word1; /* words of the first two, in all lanes */
#else
	uint32_t words[LSCHED_WORD_PREDS];
#endif
	uint32_t pair;          /* CUDA, with LSCHED_HELPER: see lsched_pair_sync */
	uint32_t message_words; /* a constant too: of a task, LSCHED_MESSAGES */
	uint32_t has_flags;     /* a constant too: scheme static, task_words are flags */
} lsched_worker;

/* Bits of lsched_worker.is_items: an item program; with LSCHED_PROCEDURES. */
#define LSCHED_I_IS_ITEMS_BIT 1u
#define LSCHED_I_IS_TABLE_BIT 2u

#endif
