/* The worker's loop of an item program. Template text: generate_items.h includes it for each
 * program.
 *
 * A turn pops up to 32 items of the procedure with the most items on its stack, newest first, and
 * runs them. When an idle worker has requested a chunk, the oldest items are enqueued. Before a
 * turn the worker makes room on every stack for all items that the turn may emit, so that emitting
 * an item is one addition in fast memory and cannot fail. */

#if LSCHED_LANES > 1
#define LSCHED_I_AT_ONCE_LANE LSCHED_LANES
#else
#define LSCHED_I_AT_ONCE_LANE ((uint32_t)LSCHED_CPU_LANES)
#endif
/* Items of a procedure that a turn runs at most, and the same of any procedure. */
#if LSCHED_I_TABLE
#define LSCHED_I_AT_ONCE_OF(proc) LSCHED_I_N(_items_at_once)(proc)
#define LSCHED_I_AT_ONCE          LSCHED_I_AT_ONCE_LANE
#elif LSCHED_I_IS_LANE
#define LSCHED_I_AT_ONCE_OF(proc) LSCHED_I_AT_ONCE_LANE
#define LSCHED_I_AT_ONCE          LSCHED_I_AT_ONCE_LANE
#else
#define LSCHED_I_AT_ONCE_OF(proc) 1u
#define LSCHED_I_AT_ONCE          1u
#endif
/* Items of a procedure that are a batch: a worker with fewer takes further ones first. */
#define LSCHED_I_BATCH_LEAST(proc)                                       \
	(LSCHED_MIN_BATCH < LSCHED_I_AT_ONCE_OF(proc) ? LSCHED_MIN_BATCH \
						      : LSCHED_I_AT_ONCE_OF(proc))
/* Whether workers enqueue items one by one for all idle workers after each turn (sharing.h): items
 * of a block are few and long. */
#if !LSCHED_I_TABLE && !LSCHED_I_IS_LANE && LSCHED_GROUP_WARPS > 1 && !defined(LSCHED_ITEM_PRIORITY)
#define LSCHED_I_SPREADS 1
#else
#define LSCHED_I_SPREADS 0
#endif
/* A CPU thread has few items, and its oldest ones are large subtrees. */
#define LSCHED_I_SHARE_MIN(proc) (LSCHED_I_AT_ONCE_OF(proc) > 1u ? 8u : 1u)

/* An enqueue that took more than SLOW ticks (some 20 us) was slow: after it a worker serves no
 * request for PAUSE times as long. */
#define LSCHED_I_SHARE_SLOW  40000u
#define LSCHED_I_SHARE_PAUSE 8u

#if LSCHED_I_REPEATS
#define LSCHED_I_REPEATED(p, n)    LSCHED_I_N(_items_repeated)(p, n)
#define LSCHED_I_PROGRESSED(p)     ((p)->progress)
#define LSCHED_I_PROGRESS_CLEAR(p) ((p)->progress = 0)
#else
#define LSCHED_I_REPEATED(p, n)    0u
#define LSCHED_I_PROGRESSED(p)     1
#define LSCHED_I_PROGRESS_CLEAR(p) ((void)(p))
#endif

/* Counts a batch of lane items. The sum of n is that of finished items, if none is run again. */
#if LSCHED_I_TABLE
#define LSCHED_I_COUNT_FILL(w, proc, n)            \
	if (LSCHED_I_N(_items_is_lane)(proc)) {    \
		LSCHED_I_COUNT(w, BATCHES, 1);     \
		LSCHED_I_COUNT(w, BATCH_ITEMS, n); \
	}
#elif LSCHED_I_IS_LANE && LSCHED_I_REPEATS
#define LSCHED_I_COUNT_FILL(w, proc, n) \
	LSCHED_I_COUNT(w, BATCHES, 1);  \
	LSCHED_I_COUNT(w, BATCH_ITEMS, n)
#elif LSCHED_I_IS_LANE
#define LSCHED_I_COUNT_FILL(w, proc, n) LSCHED_I_COUNT(w, BATCHES, 1)
#else
#define LSCHED_I_COUNT_FILL(w, proc, n) ((void)0)
#endif

/* The variables of a worker's loop. Items top - bottom of a procedure are on its stack. */
typedef struct LSCHED_I_N(_items_loop) {
	uint32_t bottom[LSCHED_PROCS];
	uint32_t local_bottom, local_top; /* the worker's own chunks */
	uint32_t more_roots;
	uint32_t waits;     /* polls of the queue for a fuller batch, since the last one */
	uint32_t published; /* args.current_task's value */
#if LSCHED_I_TABLE || LSCHED_I_REPEATS
	/* bits: procedures whose items had no room for their outputs lately, or returned
	 * LSCHED_AGAIN */
	uint32_t blocked;
#endif
#if LSCHED_I_TABLE
	uint32_t waiting; /* nonzero: no item can run (pressure.h) */
#endif
#if LSCHED_I_REPEATS       /* again.h */
	uint32_t again;    /* items that the current turn has put back */
	uint32_t progress; /* items have finished in this turn */
#endif
#ifdef LSCHED_ITEM_PRIORITY /* priority.h */
	uint32_t fresh;     /* the items on the stacks are to be run, not enqueued */
	uint32_t closed;    /* until a controller has opened the queue */
#endif
#ifdef LSCHED_JOBS          /* job_work.h */
	uint32_t job;       /* that the items belong to; LSCHED_NONE: the worker has no unit */
	uint32_t ticket;    /* the worker draws roots of it */
	uint32_t held;      /* an item of the queue that it could not enqueue again; or NONE */
	uint32_t frames;    /* jobs whose items wait in the local chunks for the end of this one */
	uint32_t base;      /* with frames: the first entry of all of them in the local chunks, */
	uint32_t floor;     /* and the first one after them */
	uint32_t best;      /* leader: LSCHED_I_JOBS_BEST, as last loaded */
	uint32_t looked;    /* leader, on a GPU: when it looked for more urgent work, in ticks */
	uint32_t each_turn; /* it looks after each turn */
#endif
} LSCHED_I_N(_items_loop);

#if LSCHED_I_TABLE || LSCHED_I_REPEATS
#define LSCHED_I_ANY_BLOCKED(p) ((p)->blocked != 0)
#else
#define LSCHED_I_ANY_BLOCKED(p) 0
#endif
#ifdef LSCHED_ITEM_PRIORITY
/* Whether items pass through the queue by priority. */
#define LSCHED_I_SORTED(w) lsched_i_queue_has((w)->queue, LSCHED_I_CAP_SORTED)
#endif

/* Enqueues a chunk for an idle worker; returns 0 if the queue is full. */
#ifdef LSCHED_JOBS
#include "libsched/items/job_sweep.h"
#define LSCHED_I_CHUNK_SHARE(x, chunk) LSCHED_I_N(_jobs_push_chunk)(x, chunk)
/* Entries of the local chunks. */
#define LSCHED_I_LOCAL_CHUNKS(p) ((p)->local_top - ((p)->frames ? (p)->base : (p)->local_bottom))
#else
#define LSCHED_I_CHUNK_SHARE(x, chunk) lsched_i_chunk_push(x, chunk, 0)
#define LSCHED_I_LOCAL_CHUNKS(p)       p->local_top - p->local_bottom
#endif

/* The bottom of a stack whose number is no constant, and its increase: loops over constants,
 * because another index would move the struct from registers to memory. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_bottom)(
	const LSCHED_I_N(_items_loop) * p, uint32_t proc)
{
	uint32_t bottom = 0;

	LSCHED_UNROLL
	for (uint32_t q = 0; q < LSCHED_PROCS; q++)
		bottom = q == proc ? p->bottom[q] : bottom;
	return bottom;
}

LSCHED_WORKER_FN void LSCHED_I_N(_items_raise_bottom)(
	LSCHED_I_N(_items_loop) * p, uint32_t proc, uint32_t n)
{
	LSCHED_UNROLL
	for (uint32_t q = 0; q < LSCHED_PROCS; q++)
		p->bottom[q] += q == proc ? n : 0;
}

#if LSCHED_I_REPEATS
#include "libsched/items/again.h"
#endif
#if LSCHED_I_TABLE
#include "libsched/items/table.h"
#include "libsched/items/pressure.h"
#include "libsched/items/procedures.h"
#else
#include "libsched/items/uniform.h"
#endif
#ifdef LSCHED_JOBS
#include "libsched/items/job_work.h"
#endif
#include "libsched/items/sharing.h"
#include "libsched/items/pass_on.h"
#include "libsched/items/choose.h"
#if LSCHED_I_REPEATS && !LSCHED_I_TABLE
#include "libsched/items/unblock.h"
#endif
#include "libsched/items/threads.h"
#include "libsched/items/roots.h"
#ifdef LSCHED_ITEM_PRIORITY
#include "libsched/items/priority.h"
#endif
#ifdef LSCHED_JOBS
#include "libsched/items/job_control.h"
#endif
#include "libsched/items/refill.h"

/* After n items of `proc`: failures and the timeline. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_check)(
	lsched_i_items *x, uint32_t proc, uint32_t n, uint32_t bad, uint64_t start_ns)
{
	lsched_worker *w = x->w;

	if (bad) {
		if ((bad & (0u - bad)) == 1u << lsched_lane())
			lsched_i_fail(w, LSCHED_I_FAIL_ITEM, proc, (uint32_t)w->fail_code);
		return 0;
	}
	if (w->a->trace && lsched_lane() == 0)
		lsched_i_trace_add(w, n, proc, start_ns);
#if LSCHED_I_TABLE
	return LSCHED_I_N(_items_made)(x, proc, n);
#else
	return 1;
#endif
}

#include "libsched/items/report.h"

/* After a turn of `proc`: enqueues items for other workers; requests: of idle workers, as last read
 * by the leader. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_distribute)(lsched_i_items *x,
	LSCHED_I_N(_items_loop) * p, uint32_t proc, uint32_t turn, uint32_t requests)
{
#ifdef LSCHED_JOBS
	if (LSCHED_I_N(_jobs_look)(x, p, turn))
		LSCHED_I_N(_jobs_yield)(x, p);
#endif
	if (LSCHED_I_UNLIKELY(x->w->a->never_keep))
		return LSCHED_I_N(_items_pass_on)(x, p);
#if LSCHED_I_SPREADS
	(void)proc, (void)turn, (void)requests;
	LSCHED_I_N(_items_spread)(x, p);
#else
	/* with rounds no worker requests chunks, but each needs items in the next round */
	if (turn % 4 == 0 && (lsched_i_queue_has(x->w->queue, LSCHED_I_CAP_ROUNDS)
					     ? LSCHED_I_SHARES_IN_ROUNDS(x, p)
					     : lsched_bcast((int32_t)requests > 0)))
		LSCHED_I_N(_items_serve)(x, p, proc);
#endif
	return 1;
}

/* Selects the procedure of the next turn; returns the number of its items, 0: there are none. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_select)(lsched_i_items *x, const LSCHED_CTX *c,
	LSCHED_I_N(_items_loop) * p, uint32_t *proc, uint32_t *first)
{
	(void)c;
#ifdef LSCHED_ITEM_PRIORITY
	if (LSCHED_I_SORTED(x->w))
		LSCHED_I_N(_items_enqueue_sorted)(x, c, p);
#endif
#if LSCHED_I_CHOICE == 2
	return LSCHED_I_N(_items_choose_by)(x, c, p, proc, first);
#else
	return LSCHED_I_N(_items_choose)(x, p, proc, first);
#endif
}

/* Before the bodies of a turn. Returns the requests of idle workers. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_before)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p,
	uint32_t proc, uint32_t turn, uint64_t *start_ns)
{
	lsched_worker *const w = x->w;
	const lsched_i_args *a = w->a;
	uint32_t requests = 0;

	/* loaded before the body and used after it: the load's latency is hidden */
	if (!LSCHED_I_SPREADS && turn % 4 == 0 && lsched_lane() == 0 &&
		lsched_i_ticks() >= w->priv->items_share_after_ticks)
		requests = lsched_ld(&a->state->items.chunk_requests.v, rlx, dev);
#ifdef LSCHED_JOBS
	LSCHED_I_N(_jobs_look_ahead)(x, p, turn);
#endif
	if (a->trace)
		*start_ns = lsched_now_ns();
	/* the words of all workers share lines, but they are rarely written */
	if (a->current_task && p->published != proc + 1 && lsched_lane() == 0)
		lsched_st(&a->current_task[w->index], proc + 1, rlx, sys);
	p->published = proc + 1;
#ifdef LSCHED_ITEM_PRIORITY
	p->fresh = 0;
#endif
	return requests;
}

/* Executes turns until all items are finished or the run has failed. Returns the number of
 * items. */
LSCHED_WORKER_FN uint64_t LSCHED_I_N(_items_turns)(
	LSCHED_ITEMS *items, const LSCHED_CTX *c, LSCHED_LOCAL *l, LSCHED_I_N(_items_loop) * p)
{
	lsched_i_items *const x = &items->any;
	uint64_t done = 0;

	for (uint32_t turn = 1;; turn++) {
		uint32_t proc = 0, first = 0, n, requests, bad;
		const uint32_t most = LSCHED_I_N(_items_select)(x, c, p, &proc, &first);
		uint64_t start_ns = 0;

		if (LSCHED_MIN_BATCH > 1u && most && LSCHED_I_N(_items_accumulate)(items, c, p))
			continue;
#if LSCHED_I_TABLE || LSCHED_I_REPEATS
		if (most == 0 && p->blocked) {
			if (!LSCHED_I_N(_items_unblock)(x, p))
				break;
			continue;
		}
#endif
		p->waits = 0;
		if (most == 0) {
			if (!LSCHED_I_N(_items_refill)(items, c, p))
				break;
			continue;
		}
		n = most < LSCHED_I_AT_ONCE_OF(proc) ? most : LSCHED_I_AT_ONCE_OF(proc);
#if LSCHED_I_TABLE
		n = LSCHED_I_N(_items_fit)(x, p, proc, n);
		if (n == 0) {
			p->blocked |= 1u << proc;
			continue;
		}
#else
		if (!LSCHED_I_N(_items_reserve)(x, p, proc, n))
			break;
#endif
		requests = LSCHED_I_N(_items_before)(x, p, proc, turn, &start_ns);
		bad = LSCHED_I_N(_items_run)(items, c, l, p, proc, first - n, n);
		if (!LSCHED_I_N(_items_check)(x, proc, n, bad, start_ns))
			break;
		LSCHED_I_COUNT_FILL(x->w, proc, n);
		n -= LSCHED_I_REPEATED(p, n);
		done += n;
		LSCHED_I_COUNT_TURN(x, p, proc, turn, n);
		if (!LSCHED_I_N(_items_report)(x->w, p, turn))
			break;
		if (!LSCHED_I_N(_items_distribute)(x, p, proc, turn, requests))
			break;
	}
	return done;
}

#include "libsched/items/worker.h"
