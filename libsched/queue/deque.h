/* A worker's deque in its bin, for the queues with work stealing (Tzeng, Patney, Owens 2010,
 * section 4.2, task stealing).
 *
 * The owner pushes and pops at the tail without a lock, newest first; thieves steal at the head,
 * oldest first, under the bin's lock. When few items are left, owner and thief may claim the same
 * one. The THE protocol of Cilk (Frigo, Leiserson, Randall, PLDI 1998, section 5) resolves this:
 * each first announces its claim (the owner lowers the tail, the thief raises the head) and then
 * reads the other's index, in sequential consistency (lsched_i_fence_sc), so at least one of the
 * two sees the other's claim. The thief then withdraws; the owner acquires the lock and reads
 * again. The owner lowers the tail by an addition though no other worker writes it: a thief that
 * reads the tail afterwards still acquires the release of the last push, whose release sequence a
 * plain store would end.
 *
 * Cilk's array never wraps; this one does. A thief raises the head before it has read the items, so
 * the owner must not compute free slots from the head. `freed` follows the head when the thief has
 * read; the owner caches it and reloads it only when the bin seems full, and detects an empty deque
 * from the cached value, without any access to memory.
 *
 * The owner's hint (queue/bin.h) is set from its first push until it finds its deque empty.
 *
 * Indices are free-running modulo 2^32, the size is a power of two up to 2^30. Tail, head and freed
 * are equal after a successful run, so the next start continues from there.
 *
 * Memory order: a push publishes by a release store of the tail, which thieves acquire; a steal
 * releases its slots by a store of `freed`, which the owner acquires. The claims of owner and thief
 * use the orders fnc and fna with a fence between store and load (core/target.h). models/steal.pml
 * checks the algorithm. */
#ifndef LIBSCHED_QUEUE_DEQUE_H
#define LIBSCHED_QUEUE_DEQUE_H

#include "libsched/queue/bin.h"
#include "libsched/queue/lock.h"

/* lsched_i_worker_private.queue of the queues with this deque; words from LSCHED_I_DEQUE_Q on are
 * theirs. */
enum {
	LSCHED_I_DEQUE_LOADED,
	LSCHED_I_DEQUE_TAIL,
	LSCHED_I_DEQUE_FREED,
	LSCHED_I_DEQUE_HINT,
	LSCHED_I_DEQUE_Q
};

/* Leader: loads the owner's private copies, at its first operation in a launch. */
LSCHED_WORKER_FN void lsched_i_deque_load(lsched_worker *w, uint32_t *bin)
{
	uint32_t *q = w->priv->queue;

	if (q[LSCHED_I_DEQUE_LOADED])
		return;
	q[LSCHED_I_DEQUE_TAIL] = lsched_ld(&bin[LSCHED_I_BIN_TAIL], rlx, dev);
	q[LSCHED_I_DEQUE_FREED] = lsched_ld(&bin[LSCHED_I_BIN_FREED], acq, dev);
	q[LSCHED_I_DEQUE_HINT] = lsched_ld(lsched_i_bin_hint(w, w->index), rlx, dev);
	q[LSCHED_I_DEQUE_LOADED] = 1;
}

/* Leader of the owner: sets or clears the hint, if it changes. */
LSCHED_WORKER_FN void lsched_i_deque_set_hint(lsched_worker *w, uint32_t hint)
{
	if (w->priv->queue[LSCHED_I_DEQUE_HINT] == hint)
		return;
	w->priv->queue[LSCHED_I_DEQUE_HINT] = hint;
	lsched_st(lsched_i_bin_hint(w, w->index), hint, rlx, dev);
}

/* Leader of the owner: returns the free slots, or a lower bound of at least `enough`. Concurrent
 * steals only increase them. */
LSCHED_WORKER_FN uint32_t lsched_i_deque_room(lsched_worker *w, uint32_t size, uint32_t enough)
{
	uint32_t *bin = lsched_i_bin(w, w->index), *q = w->priv->queue;
	uint32_t room;

	lsched_i_deque_load(w, bin);
	room = size - (q[LSCHED_I_DEQUE_TAIL] - q[LSCHED_I_DEQUE_FREED]);
	if (room < enough) {
		q[LSCHED_I_DEQUE_FREED] = lsched_ld(&bin[LSCHED_I_BIN_FREED], acq, dev);
		room = size - (q[LSCHED_I_DEQUE_TAIL] - q[LSCHED_I_DEQUE_FREED]);
	}
	return room;
}

/* Owner: enqueues the batch's items from index `first` on, as many as fit; returns how many.
 * Wait-free. */
LSCHED_WORKER_FN uint32_t lsched_i_deque_push(
	lsched_worker *w, uint32_t size, const lsched_i_batch *b, uint32_t first)
{
	uint32_t *bin = lsched_i_bin(w, w->index), *items = lsched_i_bin_items(bin);
	uint32_t *q = w->priv->queue;
	uint32_t got = 0, tail = 0;

	if (lsched_lane() == 0) {
		const uint32_t room = lsched_i_deque_room(w, size, b->n - first);

		got = b->n - first < room ? b->n - first : room;
		tail = q[LSCHED_I_DEQUE_TAIL];
	}
	got = lsched_bcast(got);
	tail = lsched_bcast(tail);
	LSCHED_I_EACH_ITEM(b, i)
	{
		if (i >= first && i - first < got)
			lsched_st(&items[(tail + i - first) & (size - 1)], LSCHED_I_ITEM(b, i), rlx,
				dev);
	}
	lsched_sync_worker();
	if (lsched_lane() == 0 && got) {
		tail += got;
		lsched_st(&bin[LSCHED_I_BIN_TAIL], tail, rel, dev);
		q[LSCHED_I_DEQUE_TAIL] = tail;
		lsched_i_deque_set_hint(w, 1);
		if (tail - q[LSCHED_I_DEQUE_FREED] > w->priv->count[LSCHED_I_N_HIGH_WATER])
			w->priv->count[LSCHED_I_N_HIGH_WATER] = tail - q[LSCHED_I_DEQUE_FREED];
	}
	return got;
}

/* Leader of the owner: resolves a conflict with a thief over `got` items below `tail`, under the
 * lock; returns how many the owner gets. */
LSCHED_WORKER_FN uint32_t lsched_i_deque_settle(
	lsched_worker *w, uint32_t *bin, uint32_t tail, uint32_t got)
{
	uint32_t head;

	if (!lsched_i_lock(w, &bin[LSCHED_I_BIN_LOCK]))
		return 0;
	head = lsched_ld(&bin[LSCHED_I_BIN_HEAD], rlx, dev);
	got = got < tail - head ? got : tail - head;
	lsched_st(&bin[LSCHED_I_BIN_TAIL], tail - got, rlx, dev);
	w->priv->queue[LSCHED_I_DEQUE_FREED] = head; /* no thief holds the lock: both are equal */
	lsched_i_unlock(&bin[LSCHED_I_BIN_LOCK]);
	return got;
}

/* Owner: pops up to `want` items, newest first. Waits only for a thief that claims the last
 * ones. */
LSCHED_WORKER_FN uint32_t lsched_i_deque_pop(
	lsched_worker *w, uint32_t size, lsched_i_batch *b, uint32_t want)
{
	uint32_t *bin = lsched_i_bin(w, w->index), *q = w->priv->queue;
	uint32_t *items = lsched_i_bin_items(bin);
	uint32_t got = 0, tail = 0;

	if (lsched_lane() == 0) {
		lsched_i_deque_load(w, bin);
		tail = q[LSCHED_I_DEQUE_TAIL];
		got = tail - q[LSCHED_I_DEQUE_FREED];
		got = got < want ? got : want;
		if (got) {
			(void)lsched_add(&bin[LSCHED_I_BIN_TAIL], 0u - got, fnc, dev);
			lsched_i_fence_sc();
			if ((int32_t)(tail - got - lsched_ld(&bin[LSCHED_I_BIN_HEAD], fnc, dev)) <
				0)
				got = lsched_i_deque_settle(w, bin, tail, got);
			q[LSCHED_I_DEQUE_TAIL] = tail - got;
		}
		if (got == 0)
			lsched_i_deque_set_hint(w, 0);
	}
	got = lsched_bcast(got);
	tail = lsched_bcast(tail);
	lsched_sync_worker();
	lsched_i_batch_open(b, got);
	LSCHED_I_EACH_ITEM(b, i)
	{
		LSCHED_I_ITEM(b, i) = lsched_ld(&items[(tail - 1 - i) & (size - 1)], rlx, dev);
	}
	lsched_sync_worker();
	return got;
}

/* Thief: steals half of the items of `victim`, at least one and at most `most`, oldest first; 0
 * when there are none, or when the lock is taken. Never waits. */
LSCHED_WORKER_FN uint32_t lsched_i_deque_steal(
	lsched_worker *w, uint32_t victim, uint32_t size, lsched_i_batch *b, uint32_t most)
{
	uint32_t *bin = lsched_i_bin(w, victim);
	uint32_t *items = lsched_i_bin_items(bin);
	uint32_t got = 0, head = 0;

	if (lsched_lane() == 0 && lsched_i_lock_try(&bin[LSCHED_I_BIN_LOCK])) {
		int32_t have;

		head = lsched_ld(&bin[LSCHED_I_BIN_HEAD], rlx, dev);
		have = (int32_t)(lsched_ld(&bin[LSCHED_I_BIN_TAIL], rlx, dev) - head);
		if (have > 0) {
			got = ((uint32_t)have + 1) / 2;
			got = got < most ? got : most;
			lsched_st(&bin[LSCHED_I_BIN_HEAD], head + got, fnc, dev);
			lsched_i_fence_sc();
			if ((int32_t)(lsched_ld(&bin[LSCHED_I_BIN_TAIL], fna, dev) - head - got) <
				0) {
				lsched_st(&bin[LSCHED_I_BIN_HEAD], head, rlx, dev);
				got = 0;
			}
		}
		if (got == 0)
			lsched_i_unlock(&bin[LSCHED_I_BIN_LOCK]);
	}
	got = lsched_bcast(got);
	head = lsched_bcast(head);
	lsched_sync_worker();
	lsched_i_batch_open(b, got);
	LSCHED_I_EACH_ITEM(b, i)
	{
		LSCHED_I_ITEM(b, i) = lsched_ld(&items[(head + i) & (size - 1)], rlx, dev);
	}
	lsched_sync_worker();
	if (lsched_lane() == 0 && got) {
		lsched_st(&bin[LSCHED_I_BIN_FREED], head + got, rel, dev);
		lsched_i_unlock(&bin[LSCHED_I_BIN_LOCK]);
		w->priv->count[LSCHED_I_N_STEALS] += got;
	}
	return got;
}

/* Any lane: returns whether that worker's deque seems to have items. */
LSCHED_WORKER_FN int lsched_i_deque_looks_nonempty(const lsched_worker *w, uint32_t owner)
{
	uint32_t *bin = lsched_i_bin(w, owner);

	return lsched_ld(lsched_i_bin_hint(w, owner), rlx, dev) != 0 &&
	       (int32_t)(lsched_ld(&bin[LSCHED_I_BIN_TAIL], rlx, dev) -
			 lsched_ld(&bin[LSCHED_I_BIN_HEAD], rlx, dev)) > 0;
}

#endif
