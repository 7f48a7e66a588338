/* abp: one lock-free deque per worker: Arora, Blumofe, Plaxton (SPAA 1998), in the form of Cederman
 * and Tsigas for GPUs ("Dynamic load balancing using work-stealing", 2011, section 35.3.3).
 *
 * The owner pushes and pops at the tail; thieves steal at the top, one item by one compare-and-swap
 * on {tag, top} in one 64-bit word. Owner and thieves conflict on the last item only, where the
 * owner uses the compare-and-swap too. An owner that finds its deque empty resets both ends to 0
 * and increments the tag, so that a thief delayed since before the reset fails. The chapter's tag
 * has 16 bits and wraps after 65,536 resets, some ten milliseconds; this one has 32.
 *
 * Differences from the chapter:
 * - Its listings assume sequential consistency. Owner: lower the tail, then read the top. Thief:
 *   read the top, then the tail. Each needs sequential consistency between its two accesses (see
 *   lsched_i_fence_sc); without the owner's fence, or without the thief's, an item can be popped
 *   twice.
 * - The array is circular (Chase, Lev, SPAA 2005); otherwise the slots below the top are unusable
 *   until the owner has emptied the deque, and a deque with many steals becomes full without items.
 * - The owner pushes up to 32 items with one store of the tail and pops up to 32 with one load of
 *   the top: thieves get at most one item beyond the top that this load returned.
 * - An idle warp reads up to 128 victims at once, not one. To make this four cache lines instead of
 *   128, each owner has a hint in one dense array: it is set before other workers can find items,
 *   and cleared when the owner has found its deque empty. A hint only selects victims; the thief
 *   then reads the deque itself.
 *
 * Callers: push_n and pop_n, all lanes of a worker, for the worker's own deque and, in pop_n, as
 * thief. Order: the owner pops the newest, thieves steal the oldest. Bounds: bin_size items a
 * worker. Full: push_n enqueues as many of the first items as fit and leaves the rest to the
 * overflow policy, though other deques may have free slots. Empty: pop_n examines 128 victims (32
 * on the CPU) and returns nothing when other thieves were faster, or when the items are elsewhere;
 * the next call examines further victims. Full is exact but for concurrent steals; empty means "not
 * now". Progress: lock-free. Each call takes a bounded number of steps, and a compare-and-swap
 * fails only because another one took the item.
 *
 * Choose it for trees of short tasks of which every worker gets a branch: then nearly all
 * operations are the owner's, without contention. It is slow where one worker produces all items:
 * every item then costs a compare-and-swap on one word, and with thousands of thieves most of these
 * fail; `steal` moves several items at a time, `ring` has no such word. It does not keep the order
 * in which tasks become ready.
 *
 * Memory order: a push publishes by a release store of the tail, which thieves acquire. The claims
 * of owner and thief use the orders fnc, fna and fnb with a fence between (core/target.h).
 * models/abp.pml checks the algorithm. */
#ifndef LIBSCHED_QUEUE_ABP_H
#define LIBSCHED_QUEUE_ABP_H

#include "libsched/core/worker.h"

/* Capabilities, see queue.h. */
#define LSCHED_I_ABP_KEEPS       1
#define LSCHED_I_ABP_TICKET_WAIT 0
#define LSCHED_I_ABP_ROUNDS      0
#define LSCHED_I_ABP_SORTED      0
#define LSCHED_I_ABP_SCRATCH     0

/* A deque's indices, on a cache line of their own; `bin` items follow. */
typedef struct lsched_i_abp {
	uint64_t top; /* {tag, index}: tag in the upper half */
	uint32_t tail;
	uint32_t pad[LSCHED_I_LINE / 4 - 3];
} lsched_i_abp;

/* The owner's private variables in lsched_i_worker_private.queue; the leader writes them, except
 * the cursor. */
enum {
	LSCHED_I_ABP_LOADED, /* the others have been loaded from memory */
	LSCHED_I_ABP_TAIL,   /* value of lsched_i_abp.tail */
	LSCHED_I_ABP_TOP,    /* lower bound of top since the last reset */
	LSCHED_I_ABP_HINT,   /* value of the owner's hint */
	LSCHED_I_ABP_CURSOR, /* first victim to examine, counted from the next worker on */
};

/* Groups of LSCHED_LANES victims that a worker examines in one pop. */
#define LSCHED_I_ABP_GROUPS (LSCHED_LANES > 1 ? 4u : 32u)

/* Sizes in 64-bit words of the dense array of hints and of a deque: multiples of a cache line. */
LSCHED_FN uint64_t lsched_i_abp_hint_words(uint32_t workers)
{
	return ((uint64_t)workers + LSCHED_I_LINE / 4 - 1) / (LSCHED_I_LINE / 4) *
	       (LSCHED_I_LINE / 8);
}

LSCHED_FN uint64_t lsched_i_abp_deque_words(uint32_t bin)
{
	return LSCHED_I_LINE / 8 + lsched_i_abp_hint_words(bin);
}

LSCHED_FN uint64_t lsched_abp_words(const lsched_i_shape *s)
{
	return lsched_i_abp_hint_words(s->workers) + s->workers * lsched_i_abp_deque_words(s->bin);
}

LSCHED_WORKER_FN uint32_t *lsched_i_abp_hint(const lsched_i_args *a, uint32_t worker)
{
	return (uint32_t *)a->queue_slots + worker;
}

LSCHED_WORKER_FN lsched_i_abp *lsched_i_abp_deque(const lsched_i_args *a, uint32_t worker)
{
	return (lsched_i_abp *)(a->queue_slots + lsched_i_abp_hint_words(a->queue_max_workers) +
				worker * lsched_i_abp_deque_words(a->queue_deque_capacity));
}

LSCHED_WORKER_FN uint32_t *lsched_i_abp_item(
	const lsched_i_args *a, lsched_i_abp *d, uint32_t index)
{
	return (uint32_t *)(d + 1) + (index & (a->queue_deque_capacity - 1u));
}

/* Leader. Loads the private variables once a launch. Top and tail are where the previous start left
 * them: equal, because it succeeded. */
LSCHED_WORKER_FN void lsched_i_abp_load(lsched_worker *w, lsched_i_abp *d)
{
	uint32_t *q = w->priv->queue;

	if (q[LSCHED_I_ABP_LOADED])
		return;
	q[LSCHED_I_ABP_LOADED] = 1;
	q[LSCHED_I_ABP_TAIL] = lsched_ld(&d->tail, rlx, dev);
	q[LSCHED_I_ABP_TOP] = (uint32_t)lsched_ld(&d->top, rlx, dev);
	q[LSCHED_I_ABP_HINT] = lsched_ld(lsched_i_abp_hint(w->a, w->index), rlx, dev);
}

/* Leader. Sets or clears the hint, if it changes. */
LSCHED_WORKER_FN void lsched_i_abp_set_hint(lsched_worker *w, uint32_t hint)
{
	if (w->priv->queue[LSCHED_I_ABP_HINT] == hint)
		return;
	w->priv->queue[LSCHED_I_ABP_HINT] = hint;
	lsched_st(lsched_i_abp_hint(w->a, w->index), hint, rlx, dev);
}

/* Enqueues the first items of the batch; returns how many. One store publishes them all. */
LSCHED_WORKER_FN uint32_t lsched_abp_push_n(lsched_worker *w, const lsched_i_batch *b)
{
	const lsched_i_args *a = w->a;
	lsched_i_abp *d = lsched_i_abp_deque(a, w->index);
	uint32_t *q = w->priv->queue;
	uint32_t got = 0, tail = 0;

	if (lsched_lane() == 0) {
		lsched_i_abp_load(w, d);
		tail = q[LSCHED_I_ABP_TAIL];
		/* Acquire: the thief that moved the top has read the slots that are
		 * now free. */
		if (a->queue_deque_capacity - (tail - q[LSCHED_I_ABP_TOP]) < b->n)
			q[LSCHED_I_ABP_TOP] = (uint32_t)lsched_ld(&d->top, acq, dev);
		got = a->queue_deque_capacity - (tail - q[LSCHED_I_ABP_TOP]);
		got = got < b->n ? got : b->n;
	}
	got = lsched_bcast(got);
	tail = lsched_bcast(tail);
	LSCHED_I_EACH_ITEM(b, i)
	{
		if (i < got)
			lsched_st(lsched_i_abp_item(a, d, tail + i), LSCHED_I_ITEM(b, i), rlx, dev);
	}
	lsched_sync_worker();
	if (lsched_lane() == 0 && got) {
		q[LSCHED_I_ABP_TAIL] = tail + got;
		lsched_st(&d->tail, tail + got, rel, dev);
		lsched_i_abp_set_hint(w, 1);
		w->priv->count[LSCHED_I_N_PUSHES] += got;
	}
	return got;
}

/* Leader: removes up to `want` items from the own tail; these are *first .. *first + returned - 1.
 *
 * The tail is lowered by an addition though only its owner writes it: an addition continues the
 * release sequence of the store in push_n, which another plain store would end. */
LSCHED_WORKER_FN uint32_t lsched_i_abp_claim(
	lsched_worker *w, lsched_i_abp *d, uint32_t want, uint32_t *first)
{
	uint32_t *q = w->priv->queue;
	uint32_t tail, low, left;
	uint64_t top, reset;

	lsched_i_abp_load(w, d);
	tail = q[LSCHED_I_ABP_TAIL];
	if (tail == q[LSCHED_I_ABP_TOP]) {
		lsched_i_abp_set_hint(w, 0);
		return 0;
	}
	if (want > tail - q[LSCHED_I_ABP_TOP])
		want = tail - q[LSCHED_I_ABP_TOP];
	low = tail - want;
	(void)lsched_add(&d->tail, 0u - want, fnc, dev);
	lsched_i_fence_sc();
	top = lsched_ld(&d->top, fnc, dev);
	left = tail - (uint32_t)top;
	if (left > w->priv->count[LSCHED_I_N_HIGH_WATER])
		w->priv->count[LSCHED_I_N_HIGH_WATER] = left;
	*first = low;
	if (left > want) { /* a concurrent thief gets item `top`; later thieves see the tail */
		q[LSCHED_I_ABP_TAIL] = low;
		return want;
	}
	/* All remaining items are claimed. A thief may still get the first of them. The new
	 * top must not be visible before the tail is 0. */
	reset = ((top >> 32) + 1) << 32;
	lsched_st(&d->tail, 0u, rlx, dev);
	*first = (uint32_t)top;
	if (left == 0 || !lsched_cas(&d->top, &top, reset, fnb, dev)) {
		/* Acquire, as in push_n. No thief moves the top of an empty
		 * deque. */
		(void)lsched_ld(&d->top, acq, dev);
		lsched_st(&d->top, reset, rel, dev);
		++*first;
		left -= left > 0;
	}
	q[LSCHED_I_ABP_TAIL] = 0;
	q[LSCHED_I_ABP_TOP] = 0;
	lsched_i_abp_set_hint(w, 0);
	return left;
}

/* Any lane: steals one item at the top of another worker's deque; returns it or LSCHED_NONE. */
LSCHED_WORKER_FN uint32_t lsched_i_abp_steal(const lsched_i_args *a, lsched_i_abp *d)
{
	uint64_t top = lsched_ld(&d->top, fnc, dev);
	uint32_t tail, item;

	lsched_i_fence_sc();
	tail = lsched_ld(&d->tail, fna, dev);
	if ((int32_t)(tail - (uint32_t)top) <= 0)
		return LSCHED_NONE;
	/* may be stale, but then the top has moved and the compare-and-swap fails */
	item = lsched_ld(lsched_i_abp_item(a, d, (uint32_t)top), rlx, dev);
	/* increments the lower half only */
	return lsched_cas(&d->top, &top, (top & ~0xffffffffull) | (uint32_t)(top + 1), fnb, dev)
		       ? item
		       : LSCHED_NONE;
}

/* Returns the worker at *place among the others, which are counted cyclically from the next worker
 * on; reduces *place below their number. */
LSCHED_WORKER_FN uint32_t lsched_i_abp_victim(const lsched_worker *w, uint32_t *place)
{
	const uint32_t workers = w->a->workers;
	uint32_t victim;

	*place -= *place >= workers - 1 ? workers - 1 : 0;
	victim = *place + w->index + 1;
	return victim - (victim >= workers ? workers : 0);
}

/* Reads the others' hints, all lanes at once, and fills the batch with up to `want` items of as
 * many victims: one compare-and-swap each, on different deques. Returns how many. */
LSCHED_WORKER_FN uint32_t lsched_i_abp_steal_scan(
	lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	const lsched_i_args *a = w->a;
	const uint32_t others = a->workers - 1;
	uint32_t cursor = 0, hints = 0;

	if (lsched_lane() == 0)
		cursor = w->priv->queue[LSCHED_I_ABP_CURSOR];
	cursor = lsched_bcast(cursor);
	for (uint32_t g = 0; g < LSCHED_I_ABP_GROUPS; g++) {
		const uint32_t k = g * LSCHED_LANES + lsched_lane();
		uint32_t at = cursor + k, *hint;

		if (k >= others)
			break;
		hint = lsched_i_abp_hint(a, lsched_i_abp_victim(w, &at));
		hints |= (uint32_t)(lsched_ld(hint, rlx, dev) != 0) << g;
	}
	lsched_i_batch_clear(b);
	LSCHED_NO_UNROLL /* the body is long, and mostly runs once */
		for (uint32_t g = 0; g < LSCHED_I_ABP_GROUPS; g++)
	{
		uint32_t at = cursor + g * LSCHED_LANES + lsched_lane(), item = LSCHED_NONE;
		uint32_t likely = 0, won;
		lsched_i_abp *d;

		if (!lsched_ballot(hints >> g & 1u))
			continue;
		d = lsched_i_abp_deque(a, lsched_i_abp_victim(w, &at));
		/* A hint stays set while its owner runs a task, though thieves may have emptied the
		 * deque: so the lanes compare top and tail before one of them attempts a steal. */
		if (hints >> g & 1u)
			likely = (int32_t)(lsched_ld(&d->tail, rlx, dev) -
					   (uint32_t)lsched_ld(&d->top, rlx, dev)) > 0;
		won = lsched_ballot(likely != 0);
		if (likely && lsched_popcount(won & LSCHED_I_LANES_BELOW()) < want - b->n)
			item = lsched_i_abp_steal(a, d);
		won = lsched_ballot(item != LSCHED_NONE);
		if (!won)
			continue;
		lsched_i_batch_add(b, item, item != LSCHED_NONE);
		/* a victim with one item may have more: start with it next time */
		if ((won & (0u - won)) == 1u << lsched_lane())
			w->priv->queue[LSCHED_I_ABP_CURSOR] = at;
		if (LSCHED_LANES > 1 || b->n == want)
			break;
	}
	if (b->n == 0 && lsched_lane() == 0 && others > LSCHED_I_ABP_GROUPS * LSCHED_LANES) {
		cursor += LSCHED_I_ABP_GROUPS * LSCHED_LANES;
		w->priv->queue[LSCHED_I_ABP_CURSOR] = cursor - (cursor >= others ? others : 0);
	}
	lsched_sync_worker();
	if (b->n && lsched_lane() == 0) {
		w->priv->count[LSCHED_I_N_POPS] += b->n;
		w->priv->count[LSCHED_I_N_STEALS] += b->n;
	}
	return b->n;
}

/* Dequeues up to `want` (at most 32) items into a batch: the newest of its own, else stolen
 * ones. */
LSCHED_WORKER_FN uint32_t lsched_abp_pop_n(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	const lsched_i_args *a = w->a;
	lsched_i_abp *d = lsched_i_abp_deque(a, w->index);
	uint32_t got = 0, first = 0;

	if (lsched_lane() == 0)
		got = lsched_i_abp_claim(w, d, want, &first);
	got = lsched_bcast(got);
	if (got == 0)
		return lsched_i_abp_steal_scan(w, b, want);
	first = lsched_bcast(first);
	lsched_i_batch_open(b, got);
	LSCHED_I_EACH_ITEM(b, i)
	{
		LSCHED_I_ITEM(b, i) =
			lsched_ld(lsched_i_abp_item(a, d, first + got - 1 - i), rlx, dev);
	}
	if (lsched_lane() == 0)
		w->priv->count[LSCHED_I_N_POPS] += got;
	return got;
}

#endif
