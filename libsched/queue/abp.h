/* abp: a deque for each worker, without locks: Arora, Blumofe, Plaxton (SPAA 1998), as Cederman and
 * Tsigas brought it to GPUs ("Dynamic load balancing using work-stealing", 2011, section 35.3.3).
 *
 * The owner puts in and takes out at the tail; thieves take at the top, one item by one compare-and-
 * swap on {tag, top} in one 64-bit word. Owner and thieves meet on the last item only, and there the
 * owner uses the compare-and-swap too. When it finds the deque empty it puts both ends back to 0 and
 * adds one to the tag, so that a thief that slept in between cannot take what it saw before. The
 * chapter's tag has 16 bits and wraps after 65,536 resets, some ten milliseconds; this one has 32.
 *
 * Where this differs from the chapter:
 * - Its listings assume sequential consistency. Owner: lower the tail, then read the top. Thief: read
 *   the top, then the tail. Each needs the full order between its two (see lsched_i_fence_sc); without
 *   the owner's, or without the thief's, an item can be taken twice.
 * - Items stand in a circle (Chase, Lev, SPAA 2005), for otherwise the room below the top is lost until
 *   the owner has emptied the deque, and a deque of which much is stolen fills up with nothing.
 * - The owner puts in up to 32 items with one store of the tail and takes out up to 32 with one look
 *   at the top: thieves get no further than one item beyond where that look saw them.
 * - An idle warp looks at up to 128 victims at once, not at one. So that this costs four lines and not
 *   128, each owner keeps a sign of its own in one dense array: nonzero from before others may find
 *   items until it has seen its deque empty. A sign says where to look and nothing else: a thief that
 *   sees one reads the deque itself.
 *
 * Who may call: push_n and pop_n, all lanes of a worker, for the worker's own deque and, in pop_n, as
 * thief of the others'. Order: the owner's newest first, thieves take the oldest. Bounds: bin items a
 * worker. Full: push_n takes in as many of the first items as fit and leaves the rest to the overflow
 * policy, though other workers may have room. Empty: pop_n looks at 128 victims (32 on the CPU) and
 * comes back with nothing when their items were taken before its eyes, or when they stand elsewhere;
 * the next call looks further on. Full is exact but for steals going on; empty means "not now".
 * Progress: lock-free. Each call ends after a bounded number of steps, whatever others do, and a
 * compare-and-swap fails only because another one took the item.
 *
 * Choose it for trees of short tasks that every worker gets a branch of: then nearly all work is the
 * owner's, without any atomic that others wait for. It is weak where one worker makes all the work:
 * every item then costs a compare-and-swap on one word, and with thousands of thieves these fail one
 * another; `steal` takes several items at a time, `ring` has no such word. It reorders, so it is
 * no queue for work that should be done in the order in which it became ready. */
#ifndef LIBSCHED_QUEUE_ABP_H
#define LIBSCHED_QUEUE_ABP_H

#include "libsched/core/worker.h"

/* Capabilities, see queue.h. */
#define LSCHED_I_ABP_KEEPS       1
#define LSCHED_I_ABP_TICKET_WAIT 0
#define LSCHED_I_ABP_ROUNDS      0
#define LSCHED_I_ABP_SORTED      0
#define LSCHED_I_ABP_SCRATCH     0

/* A deque's head, on a line of its own; `bin` items follow. */
typedef struct lsched_i_abp {
	uint64_t top; /* {tag, index}: tag in the upper half */
	uint32_t tail;
	uint32_t pad[LSCHED_I_LINE / 4 - 3];
} lsched_i_abp;

/* The owner's own words in lsched_i_worker_private.q; the leader writes them, but for the cursor. */
enum {
	LSCHED_I_ABP_READY,  /* the others have been read from memory */
	LSCHED_I_ABP_TAIL,   /* what is in lsched_i_abp.tail */
	LSCHED_I_ABP_TOP,    /* an index that top has reached, no later than the last reset */
	LSCHED_I_ABP_SIGN,   /* what the sign says */
	LSCHED_I_ABP_CURSOR, /* victim to look at first, counted from the one after this worker */
};

/* Groups of LSCHED_LANES victims that a worker looks at in one pop. */
#define LSCHED_I_ABP_GROUPS (LSCHED_LANES > 1 ? 4u : 32u)

/* The dense array of signs, and then a deque, in 64-bit words: multiples of a line. */
LSCHED_FN uint64_t lsched_i_abp_sign_words(uint32_t workers)
{
	return ((uint64_t)workers + LSCHED_I_LINE / 4 - 1) / (LSCHED_I_LINE / 4) *
	       (LSCHED_I_LINE / 8);
}

LSCHED_FN uint64_t lsched_i_abp_deque_words(uint32_t bin)
{
	return LSCHED_I_LINE / 8 + lsched_i_abp_sign_words(bin);
}

LSCHED_FN uint64_t lsched_abp_words(const lsched_i_shape *s)
{
	return lsched_i_abp_sign_words(s->workers) + s->workers * lsched_i_abp_deque_words(s->bin);
}

LSCHED_WORKER_FN uint32_t *lsched_i_abp_sign(const lsched_i_args *a, uint32_t worker)
{
	return (uint32_t *)a->queue_slots + worker;
}

LSCHED_WORKER_FN lsched_i_abp *lsched_i_abp_deque(const lsched_i_args *a, uint32_t worker)
{
	return (lsched_i_abp *)(a->queue_slots + lsched_i_abp_sign_words(a->queue_max_workers) +
				worker * lsched_i_abp_deque_words(a->queue_deque_capacity));
}

LSCHED_WORKER_FN uint32_t *lsched_i_abp_item(
	const lsched_i_args *a, lsched_i_abp *d, uint32_t index)
{
	return (uint32_t *)(d + 1) + (index & (a->queue_deque_capacity - 1u));
}

/* Leader. The ends stand wherever the start before left them: together, for it ended well. */
LSCHED_WORKER_FN void lsched_i_abp_ready(lsched_worker *w, lsched_i_abp *d)
{
	uint32_t *q = w->priv->queue;

	if (q[LSCHED_I_ABP_READY])
		return;
	q[LSCHED_I_ABP_READY] = 1;
	q[LSCHED_I_ABP_TAIL] = lsched_ld(&d->tail, rlx, dev);
	q[LSCHED_I_ABP_TOP] = (uint32_t)lsched_ld(&d->top, rlx, dev);
	q[LSCHED_I_ABP_SIGN] = lsched_ld(lsched_i_abp_sign(w->a, w->index), rlx, dev);
}

/* Leader. */
LSCHED_WORKER_FN void lsched_i_abp_show(lsched_worker *w, uint32_t sign)
{
	if (w->priv->queue[LSCHED_I_ABP_SIGN] == sign)
		return;
	w->priv->queue[LSCHED_I_ABP_SIGN] = sign;
	lsched_st(lsched_i_abp_sign(w->a, w->index), sign, rlx, dev);
}

/* Puts the first items of the batch in; returns how many. One store publishes them all. */
LSCHED_WORKER_FN uint32_t lsched_abp_push_n(lsched_worker *w, const lsched_i_batch *b)
{
	const lsched_i_args *a = w->a;
	lsched_i_abp *d = lsched_i_abp_deque(a, w->index);
	uint32_t *q = w->priv->queue;
	uint32_t got = 0, tail = 0;

	if (lsched_lane() == 0) {
		lsched_i_abp_ready(w, d);
		tail = q[LSCHED_I_ABP_TAIL];
		/* Acquire: whoever moved the top has read the places that are now free. */
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
		lsched_i_abp_show(w, 1);
		w->priv->count[LSCHED_I_N_PUSHES] += got;
	}
	return got;
}

/* Leader: takes up to `want` items off the own tail; these are *first .. *first + returned - 1.
 *
 * The tail goes down by an addition though only its owner writes it: an addition carries on what the
 * store in push_n released, which another plain store would not. */
LSCHED_WORKER_FN uint32_t lsched_i_abp_claim(
	lsched_worker *w, lsched_i_abp *d, uint32_t want, uint32_t *first)
{
	uint32_t *q = w->priv->queue;
	uint32_t tail, low, left;
	uint64_t top, reset;

	lsched_i_abp_ready(w, d);
	tail = q[LSCHED_I_ABP_TAIL];
	if (tail == q[LSCHED_I_ABP_TOP]) {
		lsched_i_abp_show(w, 0);
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
	if (left > want) { /* a thief on its way takes item `top`, and the next one sees the tail */
		q[LSCHED_I_ABP_TAIL] = low;
		return want;
	}
	/* All that is left, if anything, is claimed. The first of it may still be any thief's. The new
	 * top must not be seen before the tail is 0. */
	reset = ((top >> 32) + 1) << 32;
	lsched_st(&d->tail, 0u, rlx, dev);
	*first = (uint32_t)top;
	if (left == 0 || !lsched_cas(&d->top, &top, reset, fnb, dev)) {
		/* Acquire, as in push_n. Nobody moves the top of an empty deque. */
		(void)lsched_ld(&d->top, acq, dev);
		lsched_st(&d->top, reset, rel, dev);
		++*first;
		left -= left > 0;
	}
	q[LSCHED_I_ABP_TAIL] = 0;
	q[LSCHED_I_ABP_TOP] = 0;
	lsched_i_abp_show(w, 0);
	return left;
}

/* Any lane: one item off the top of another worker's deque, or LSCHED_NONE. */
LSCHED_WORKER_FN uint32_t lsched_i_abp_steal(const lsched_i_args *a, lsched_i_abp *d)
{
	uint64_t top = lsched_ld(&d->top, fnc, dev);
	uint32_t tail, item;

	lsched_i_fence_sc();
	tail = lsched_ld(&d->tail, fna, dev);
	if ((int32_t)(tail - (uint32_t)top) <= 0)
		return LSCHED_NONE;
	/* perhaps not the item any more, but then the top has moved on */
	item = lsched_ld(lsched_i_abp_item(a, d, (uint32_t)top), rlx, dev);
	/* only the lower half counts up */
	return lsched_cas(&d->top, &top, (top & ~0xffffffffull) | (uint32_t)(top + 1), fnb, dev)
		       ? item
		       : LSCHED_NONE;
}

/* The worker at a place among the others, which are counted from the one after this worker, round and
 * round: the place comes back below their number. */
LSCHED_WORKER_FN uint32_t lsched_i_abp_victim(const lsched_worker *w, uint32_t *place)
{
	const uint32_t workers = w->a->workers;
	uint32_t victim;

	*place -= *place >= workers - 1 ? workers - 1 : 0;
	victim = *place + w->index + 1;
	return victim - (victim >= workers ? workers : 0);
}

/* Looks at the others' signs, all lanes at once, and fills the batch with up to `want` items of as many
 * victims: one compare-and-swap each, on different deques. Returns how many. */
LSCHED_WORKER_FN uint32_t lsched_i_abp_rob(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	const lsched_i_args *a = w->a;
	const uint32_t others = a->workers - 1;
	uint32_t cursor = 0, signs = 0;

	if (lsched_lane() == 0)
		cursor = w->priv->queue[LSCHED_I_ABP_CURSOR];
	cursor = lsched_bcast(cursor);
	for (uint32_t g = 0; g < LSCHED_I_ABP_GROUPS; g++) {
		const uint32_t k = g * LSCHED_LANES + lsched_lane();
		uint32_t at = cursor + k, *sign;

		if (k >= others)
			break;
		sign = lsched_i_abp_sign(a, lsched_i_abp_victim(w, &at));
		signs |= (uint32_t)(lsched_ld(sign, rlx, dev) != 0) << g;
	}
	lsched_i_batch_clear(b);
	LSCHED_NO_UNROLL /* the body is long, and the first group is mostly the last */
		for (uint32_t g = 0; g < LSCHED_I_ABP_GROUPS; g++)
	{
		uint32_t at = cursor + g * LSCHED_LANES + lsched_lane(), item = LSCHED_NONE;
		uint32_t likely = 0, won;
		lsched_i_abp *d;

		if (!lsched_ballot(signs >> g & 1u))
			continue;
		d = lsched_i_abp_deque(a, lsched_i_abp_victim(w, &at));
		/* a sign stays up while its owner runs a task, though others have taken all: so a
		 * quick look at all of them before the first is tried in earnest */
		if (signs >> g & 1u)
			likely = (int32_t)(lsched_ld(&d->tail, rlx, dev) -
					   (uint32_t)lsched_ld(&d->top, rlx, dev)) > 0;
		won = lsched_ballot(likely != 0);
		if (likely && lsched_popcount(won & LSCHED_I_LANES_BELOW()) < want - b->n)
			item = lsched_i_abp_steal(a, d);
		won = lsched_ballot(item != LSCHED_NONE);
		if (!won)
			continue;
		lsched_i_batch_add(b, item, item != LSCHED_NONE);
		/* where there was something there may be more: look there first next time */
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

/* Fills a batch with up to `want` (at most 32) items: the newest of its own, else stolen ones. */
LSCHED_WORKER_FN uint32_t lsched_abp_pop_n(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	const lsched_i_args *a = w->a;
	lsched_i_abp *d = lsched_i_abp_deque(a, w->index);
	uint32_t got = 0, first = 0;

	if (lsched_lane() == 0)
		got = lsched_i_abp_claim(w, d, want, &first);
	got = lsched_bcast(got);
	if (got == 0)
		return lsched_i_abp_rob(w, b, want);
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
