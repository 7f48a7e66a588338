/* A worker's deque in its bin, for the queues in which others may take from it (Tzeng, Patney, Owens
 * 2010, section 4.2, task stealing).
 *
 * The owner pushes and pops at the tail without a lock, newest first; thieves take at the head, oldest
 * first, under the bin's lock. When few items are left the two may want the same one. That is settled
 * by the THE protocol of Cilk (Frigo, Leiserson, Randall, PLDI 1998, section 5): each says first what it
 * takes (the owner lowers the tail, the thief raises the head) and looks at the other's word after, in
 * sequential consistency (sched__fence_sc), so at least one of the two sees the other; the thief then
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

/* sched__desk.q of the queues that use this; from SCHED__DEQUE_Q on the words are theirs. */
enum {
	SCHED__DEQUE_LOADED,
	SCHED__DEQUE_TAIL,
	SCHED__DEQUE_FREED,
	SCHED__DEQUE_SIGN,
	SCHED__DEQUE_Q
};

/* Leader: the owner's copies, at its first operation in a launch. */
SCHED_WORKER_FN void sched__deque_load(sched_worker *w, uint32_t *bin)
{
	uint32_t *q = w->desk->q;

	if (q[SCHED__DEQUE_LOADED])
		return;
	q[SCHED__DEQUE_TAIL] = sched_ld(&bin[SCHED__BIN_TAIL], rlx, dev);
	q[SCHED__DEQUE_FREED] = sched_ld(&bin[SCHED__BIN_FREED], acq, dev);
	q[SCHED__DEQUE_SIGN] = sched_ld(sched__bin_sign(w, w->index), rlx, dev);
	q[SCHED__DEQUE_LOADED] = 1;
}

/* Leader of the owner: says whether there may be something to take. */
SCHED_WORKER_FN void sched__deque_show(sched_worker *w, uint32_t sign)
{
	if (w->desk->q[SCHED__DEQUE_SIGN] == sign)
		return;
	w->desk->q[SCHED__DEQUE_SIGN] = sign;
	sched_st(sched__bin_sign(w, w->index), sign, rlx, dev);
}

/* Leader of the owner: room for how many, if more than `enough` is known only that. Others can only make
 * it more. */
SCHED_WORKER_FN uint32_t sched__deque_room(sched_worker *w, uint32_t size, uint32_t enough)
{
	uint32_t *bin = sched__bin(w, w->index), *q = w->desk->q;
	uint32_t room;

	sched__deque_load(w, bin);
	room = size - (q[SCHED__DEQUE_TAIL] - q[SCHED__DEQUE_FREED]);
	if (room < enough) {
		q[SCHED__DEQUE_FREED] = sched_ld(&bin[SCHED__BIN_FREED], acq, dev);
		room = size - (q[SCHED__DEQUE_TAIL] - q[SCHED__DEQUE_FREED]);
	}
	return room;
}

/* Owner: puts the batch's items from place `first` on in, as many as there is room for; returns how
 * many. Wait-free. */
SCHED_WORKER_FN uint32_t sched__deque_push(
	sched_worker *w, uint32_t size, const sched__batch *b, uint32_t first)
{
	uint32_t *bin = sched__bin(w, w->index), *items = sched__bin_items(bin);
	uint32_t *q = w->desk->q;
	uint32_t got = 0, tail = 0;

	if (sched_lane() == 0) {
		const uint32_t room = sched__deque_room(w, size, b->n - first);

		got = b->n - first < room ? b->n - first : room;
		tail = q[SCHED__DEQUE_TAIL];
	}
	got = sched_bcast(got);
	tail = sched_bcast(tail);
	SCHED__EACH_ITEM(b, i)
	{
		if (i >= first && i - first < got)
			sched_st(&items[(tail + i - first) & (size - 1)], SCHED__ITEM(b, i), rlx,
				dev);
	}
	sched_sync_worker();
	if (sched_lane() == 0 && got) {
		tail += got;
		sched_st(&bin[SCHED__BIN_TAIL], tail, rel, dev);
		q[SCHED__DEQUE_TAIL] = tail;
		sched__deque_show(w, 1);
		if (tail - q[SCHED__DEQUE_FREED] > w->desk->n[SCHED__N_HIGH_WATER])
			w->desk->n[SCHED__N_HIGH_WATER] = tail - q[SCHED__DEQUE_FREED];
	}
	return got;
}

/* Leader of the owner: a thief may have what was asked for. `got` items below `tail` are wanted; returns
 * how many are had. */
SCHED_WORKER_FN uint32_t sched__deque_settle(
	sched_worker *w, uint32_t *bin, uint32_t tail, uint32_t got)
{
	uint32_t head;

	if (!sched__lock(w, &bin[SCHED__BIN_LOCK]))
		return 0;
	head = sched_ld(&bin[SCHED__BIN_HEAD], rlx, dev);
	got = got < tail - head ? got : tail - head;
	sched_st(&bin[SCHED__BIN_TAIL], tail - got, rlx, dev);
	w->desk->q[SCHED__DEQUE_FREED] = head; /* nobody is between the two: they are equal */
	sched__unlock(&bin[SCHED__BIN_LOCK]);
	return got;
}

/* Owner: takes up to `want` items, newest first. Waits only for a thief that is about to take the last
 * ones. */
SCHED_WORKER_FN uint32_t sched__deque_pop(
	sched_worker *w, uint32_t size, sched__batch *b, uint32_t want)
{
	uint32_t *bin = sched__bin(w, w->index), *q = w->desk->q;
	uint32_t *items = sched__bin_items(bin);
	uint32_t got = 0, tail = 0;

	if (sched_lane() == 0) {
		sched__deque_load(w, bin);
		tail = q[SCHED__DEQUE_TAIL];
		got = tail - q[SCHED__DEQUE_FREED];
		got = got < want ? got : want;
		if (got) {
			(void)sched_add(&bin[SCHED__BIN_TAIL], 0u - got, fnc, dev);
			sched__fence_sc();
			if ((int32_t)(tail - got - sched_ld(&bin[SCHED__BIN_HEAD], fnc, dev)) < 0)
				got = sched__deque_settle(w, bin, tail, got);
			q[SCHED__DEQUE_TAIL] = tail - got;
		}
		if (got == 0)
			sched__deque_show(w, 0);
	}
	got = sched_bcast(got);
	tail = sched_bcast(tail);
	sched_sync_worker();
	sched__batch_open(b, got);
	SCHED__EACH_ITEM(b, i)
	{
		SCHED__ITEM(b, i) = sched_ld(&items[(tail - 1 - i) & (size - 1)], rlx, dev);
	}
	sched_sync_worker();
	return got;
}

/* Thief: takes half of what is in the bin of `victim`, at least one and at most `most` items, oldest
 * first; 0 when there is nothing, or its lock is taken. Never waits. */
SCHED_WORKER_FN uint32_t sched__deque_steal(
	sched_worker *w, uint32_t victim, uint32_t size, sched__batch *b, uint32_t most)
{
	uint32_t *bin = sched__bin(w, victim);
	uint32_t *items = sched__bin_items(bin);
	uint32_t got = 0, head = 0;

	if (sched_lane() == 0 && sched__lock_try(&bin[SCHED__BIN_LOCK])) {
		int32_t have;

		head = sched_ld(&bin[SCHED__BIN_HEAD], rlx, dev);
		have = (int32_t)(sched_ld(&bin[SCHED__BIN_TAIL], rlx, dev) - head);
		if (have > 0) {
			got = ((uint32_t)have + 1) / 2;
			got = got < most ? got : most;
			sched_st(&bin[SCHED__BIN_HEAD], head + got, fnc, dev);
			sched__fence_sc();
			if ((int32_t)(sched_ld(&bin[SCHED__BIN_TAIL], fna, dev) - head - got) < 0) {
				sched_st(&bin[SCHED__BIN_HEAD], head, rlx, dev);
				got = 0;
			}
		}
		if (got == 0)
			sched__unlock(&bin[SCHED__BIN_LOCK]);
	}
	got = sched_bcast(got);
	head = sched_bcast(head);
	sched_sync_worker();
	sched__batch_open(b, got);
	SCHED__EACH_ITEM(b, i)
	{
		SCHED__ITEM(b, i) = sched_ld(&items[(head + i) & (size - 1)], rlx, dev);
	}
	sched_sync_worker();
	if (sched_lane() == 0 && got) {
		sched_st(&bin[SCHED__BIN_FREED], head + got, rel, dev);
		sched__unlock(&bin[SCHED__BIN_LOCK]);
		w->desk->n[SCHED__N_STEALS] += got;
	}
	return got;
}

/* Any lane: does that worker's deque look as if something were in it? */
SCHED_WORKER_FN int sched__deque_looks_full(const sched_worker *w, uint32_t owner)
{
	uint32_t *bin = sched__bin(w, owner);

	return sched_ld(sched__bin_sign(w, owner), rlx, dev) != 0 &&
	       (int32_t)(sched_ld(&bin[SCHED__BIN_TAIL], rlx, dev) -
			 sched_ld(&bin[SCHED__BIN_HEAD], rlx, dev)) > 0;
}

#endif
