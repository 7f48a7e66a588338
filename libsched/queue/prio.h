/* prio: one ring that is sorted by priority while it is used. Softshell's queue (Steinberger et
 * al., "Softshell: dynamic scheduling on GPUs", 2012, section 5).
 *
 * Workers push at the back and pop at the front, as in ring.h: tickets by fetch-and-add after
 * counts. A controller repeatedly passes over the ring from the back to the front in windows of two
 * segments, and sorts each window by the current results of the program's priority function
 * (queue/prio_controller.h, which is compiled with this function). The window moves by one segment,
 * so a pass carries the best segment of all to the front.
 *
 * Sorting takes no lock. First a window is read, its priorities are evaluated and sorted in
 * registers. Then the controller claims each slot from the first to the last that has to change by
 * compare-and-swap, {filled, item} to {claimed, item}, and writes the claimed items to the claimed
 * slots in order. A compare-and-swap fails where a worker has popped the item; the rest are then
 * ranked without it. So items are permuted, never lost or duplicated, and any number of controllers
 * may run at once. A worker whose ticket is for a claimed slot waits from claim to write: a few
 * memory round trips, in which no code of the program runs.
 *
 * Differences from the paper:
 * - The paper marks two segments, then sorts them; here slots are claimed for the writes only.
 * - The paper estimates from run times when the front will reach a segment, and does not sort a
 *   segment that it will reach too soon. Here the front is read after the sort: a window of which
 *   more than half has been popped is dropped, and the controller starts again at the back.
 * - The paper has one controller block; here one warp of each 64 is a controller, since a warp has
 *   fewer registers and lanes for sorting than a block.
 *
 * Callers: any worker. Full and empty: as in ring.h. Overflow: handled by the policy; an item that
 * runs INLINE overtakes all that are queued. Bound: the capacity, roots included. Order: see
 * <libsched/generate.h>, LSCHED_PRIORITY. Progress: blocking; a ticket holder waits for the
 * previous owner of its slot, and for a controller's few writes. Memory: 8 bytes an item. Choose it
 * where the order of execution saves more time than a sorted queue costs per item, as in a search
 * or with deadlines. GPU: sorting uses some 110 registers a lane, or 80 where LSCHED_MIN_BLOCKS
 * requires more warps. */
#ifndef LIBSCHED_QUEUE_PRIO_H
#define LIBSCHED_QUEUE_PRIO_H

#include "libsched/queue/ring.h"

/* Capabilities, see queue.h. */
#define LSCHED_I_PRIO_KEEPS       0
#define LSCHED_I_PRIO_TICKET_WAIT 0
#define LSCHED_I_PRIO_ROUNDS      0
#define LSCHED_I_PRIO_SORTED      1
#define LSCHED_I_PRIO_SCRATCH     LSCHED_I_PRIO_WINDOW

/* Eight elements a lane of a warp. */
#define LSCHED_I_PRIO_SEGMENT 128u
#define LSCHED_I_PRIO_WINDOW  256u
#define LSCHED_I_PRIO_REGS    (LSCHED_I_PRIO_WINDOW / LSCHED_LANES)

/* A run with at least PRIO_MIN_WORKERS workers has one controller for each
 * PRIO_WORKERS_PER_CONTROLLER of them, in the order of their arrival. */
#define LSCHED_I_PRIO_MIN_WORKERS            (LSCHED_LANES > 1 ? 2u : 4u)
#define LSCHED_I_PRIO_WORKERS_PER_CONTROLLER 64u
#define LSCHED_I_PRIO_MAX_SORTED_ROOTS \
	65536u /* with more roots, workers start before the first pass */

/* Variables of a worker in a run without controllers, in lsched_i_worker_private.queue. */
enum {
	LSCHED_I_PRIO_VALID,     /* the others are valid */
	LSCHED_I_PRIO_BEST_END,  /* end ticket of the best segment, which is sorted */
	LSCHED_I_PRIO_PASS_END,  /* end ticket of the items that the last pass covered */
	LSCHED_I_PRIO_MERGED_END /* end ticket of the items merged since */
};

/* A slot's sequence, where the slot bits of its ticket are zero: 0 free, 1 filled, 3 claimed by a
 * controller. This needs at least four slots. */
#define LSCHED_I_PRIO_CLAIMED 3u

LSCHED_FN uint64_t lsched_prio_words(const lsched_i_shape *s)
{
	return lsched_i_pow2(s->capacity < 4 ? 4 : s->capacity);
}

LSCHED_WORKER_FN uint32_t lsched_i_prio_mask(const lsched_i_args *a)
{
	return a->queue_slot_mask | 3u;
}

/* Enqueues the first `got` items of the batch, for which slots have been reserved. */
LSCHED_WORKER_FN void lsched_i_prio_fill(lsched_worker *w, const lsched_i_batch *b, uint32_t got)
{
	lsched_i_spread_word *q = w->a->state->queue;
	uint32_t tail = 0;

	if (lsched_lane() == 0 && got)
		tail = lsched_add(&q[LSCHED_I_RING_TAIL].v, got, rlx, dev);
	lsched_i_fence_rel();
	tail = lsched_bcast(tail);
	lsched_i_ring_fill(w, b, tail, got, lsched_i_prio_mask(w->a), 1);
	if (lsched_lane() == 0 && got) {
		(void)lsched_add(&q[LSCHED_I_RING_AVAIL].v, got, rlx, dev);
		w->priv->count[LSCHED_I_N_PUSHES] += got;
	}
}

LSCHED_WORKER_FN uint32_t lsched_prio_push_n(lsched_worker *w, const lsched_i_batch *b)
{
	const lsched_i_args *a = w->a;
	uint32_t got = b->n;

	if (lsched_lane() == 0 && a->queue_limit)
		got = lsched_i_ring_reserve(
			&a->state->queue[LSCHED_I_RING_USED].v, a->queue_limit, got);
	got = lsched_bcast(got);
	lsched_i_prio_fill(w, b, got);
	return got;
}

LSCHED_WORKER_FN uint32_t lsched_prio_pop_n(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	const lsched_i_args *a = w->a;
	const uint32_t mask = lsched_i_prio_mask(a);
	lsched_i_spread_word *q = a->state->queue;
	uint32_t got = 0, head = 0;

	if (lsched_lane() == 0) {
		if ((int32_t)lsched_ld(&q[LSCHED_I_RING_AVAIL].v, rlx, dev) > 0)
			got = lsched_i_ring_claim(w, &q[LSCHED_I_RING_AVAIL].v, want);
		if (got)
			head = lsched_add(&q[LSCHED_I_RING_HEAD].v, got, rlx, dev);
	}
	got = lsched_bcast(got);
	head = lsched_bcast(head);
	lsched_i_batch_open(b, got);
	LSCHED_I_EACH_ITEM(b, i)
	{
		uint32_t ticket = head + i, seq = ticket & ~mask;
		uint64_t *slot = a->queue_slots + (ticket & mask);
		const uint64_t next = (uint64_t)(seq + mask + 1u) << 32;
		uint64_t v, t0 = 0;

		/* compare-and-swap, because a controller may claim the slot after
		 * the load */
		for (uint32_t spins = 0;; spins++) {
			v = lsched_ld(slot, acq, dev);
			if ((uint32_t)(v >> 32) == (seq | 1u) &&
				lsched_cas(slot, &v, next, rlx, dev))
				break;
			if (lsched_i_spin_expired(w, spins, &t0)) {
				v = LSCHED_NONE; /* the run has failed: no item */
				break;
			}
		}
		LSCHED_I_ITEM(b, i) = (uint32_t)v;
	}
	lsched_sync_worker();
	if (lsched_lane() == 0 && got) {
		w->priv->count[LSCHED_I_N_POPS] += got;
		if (a->queue_limit)
			(void)lsched_add(&q[LSCHED_I_RING_USED].v, 0u - got, rlx, dev);
	}
	return got;
}

#include "libsched/queue/prio_window.h"

#endif
