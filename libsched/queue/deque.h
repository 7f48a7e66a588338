/* A worker's deque in its bin, for the queues in which others may take from it (Tzeng, Patney, Owens
 * 2010, section 4.2, task stealing).
 *
 * The owner pushes and pops at the tail without a lock, newest first; thieves take at the head, oldest
 * first, under the bin's lock. When few items are left the two may want the same one. That is settled
 * by the THE protocol of Cilk (Frigo, Leiserson, Randall, PLDI 1998, section 5): each says first what it
 * takes (the owner lowers the tail, the thief raises the head) and looks at the other's word after, in
 * sequential consistency (lsched_i_fence_sc), so at least one of the two sees the other; the thief then
 * draws back, and the owner takes the lock and looks again. The owner lowers the tail by an addition
 * though nobody else writes it: a thief that reads the tail after it still acquires what the store in
 * the last push released, which a plain store would end.
 *
 * Cilk's array never wraps, this one does: a thief has raised the head before it has read the items, so
 * the owner may not go by the head when it looks for room. `freed` follows the head when the thief has
 * read; the owner keeps a copy of it and looks again only when the bin seems full, and knows by the same
 * copy that the bin is empty, without any access to memory.
 *
 * The owner's sign (queue/bin.h) is set from its first push until it has found its deque empty.
 *
 * Indices are free-running modulo 2^32, the size is a power of two up to 2^30. Tail, head and freed are
 * equal when a run has ended well, so the next start goes on from there. */
#ifndef LIBSCHED_QUEUE_DEQUE_H
#define LIBSCHED_QUEUE_DEQUE_H

#include "libsched/queue/bin.h"
#include "libsched/queue/lock.h"

/* lsched_i_worker_private.q of the queues that use this; from LSCHED_I_DEQUE_Q on the words are theirs. */
enum {
	LSCHED_I_DEQUE_LOADED,
	LSCHED_I_DEQUE_TAIL,
	LSCHED_I_DEQUE_FREED,
	LSCHED_I_DEQUE_SIGN,
	LSCHED_I_DEQUE_Q
};

/* Leader: the owner's copies, at its first operation in a launch. */
LSCHED_WORKER_FN void lsched_i_deque_load(lsched_worker *w, uint32_t *bin)
{
	uint32_t *q = w->priv->queue;

	if (q[LSCHED_I_DEQUE_LOADED])
		return;
	q[LSCHED_I_DEQUE_TAIL] = lsched_ld(&bin[LSCHED_I_BIN_TAIL], rlx, dev);
	q[LSCHED_I_DEQUE_FREED] = lsched_ld(&bin[LSCHED_I_BIN_FREED], acq, dev);
	q[LSCHED_I_DEQUE_SIGN] = lsched_ld(lsched_i_bin_sign(w, w->index), rlx, dev);
	q[LSCHED_I_DEQUE_LOADED] = 1;
}

/* Leader of the owner: says whether there may be something to take. */
LSCHED_WORKER_FN void lsched_i_deque_show(lsched_worker *w, uint32_t sign)
{
	if (w->priv->queue[LSCHED_I_DEQUE_SIGN] == sign)
		return;
	w->priv->queue[LSCHED_I_DEQUE_SIGN] = sign;
	lsched_st(lsched_i_bin_sign(w, w->index), sign, rlx, dev);
}

/* Leader of the owner: room for how many, if more than `enough` is known only that. Others can only make
 * it more. */
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

/* Owner: puts the batch's items from place `first` on in, as many as there is room for; returns how
 * many. Wait-free. */
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
		lsched_i_deque_show(w, 1);
		if (tail - q[LSCHED_I_DEQUE_FREED] > w->priv->count[LSCHED_I_N_HIGH_WATER])
			w->priv->count[LSCHED_I_N_HIGH_WATER] = tail - q[LSCHED_I_DEQUE_FREED];
	}
	return got;
}

/* Leader of the owner: a thief may have what was asked for. `got` items below `tail` are wanted; returns
 * how many are had. */
LSCHED_WORKER_FN uint32_t lsched_i_deque_settle(
	lsched_worker *w, uint32_t *bin, uint32_t tail, uint32_t got)
{
	uint32_t head;

	if (!lsched_i_lock(w, &bin[LSCHED_I_BIN_LOCK]))
		return 0;
	head = lsched_ld(&bin[LSCHED_I_BIN_HEAD], rlx, dev);
	got = got < tail - head ? got : tail - head;
	lsched_st(&bin[LSCHED_I_BIN_TAIL], tail - got, rlx, dev);
	w->priv->queue[LSCHED_I_DEQUE_FREED] = head; /* nobody is between the two: they are equal */
	lsched_i_unlock(&bin[LSCHED_I_BIN_LOCK]);
	return got;
}

/* Owner: takes up to `want` items, newest first. Waits only for a thief that is about to take the last
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
			lsched_i_deque_show(w, 0);
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

/* Thief: takes half of what is in the bin of `victim`, at least one and at most `most` items, oldest
 * first; 0 when there is nothing, or its lock is taken. Never waits. */
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

/* Any lane: does that worker's deque look as if something were in it? */
LSCHED_WORKER_FN int lsched_i_deque_looks_full(const lsched_worker *w, uint32_t owner)
{
	uint32_t *bin = lsched_i_bin(w, owner);

	return lsched_ld(lsched_i_bin_sign(w, owner), rlx, dev) != 0 &&
	       (int32_t)(lsched_ld(&bin[LSCHED_I_BIN_TAIL], rlx, dev) -
			 lsched_ld(&bin[LSCHED_I_BIN_HEAD], rlx, dev)) > 0;
}

#endif
