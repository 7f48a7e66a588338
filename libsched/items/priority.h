/* Priorities of items under the queue prio. Template text: engine.h includes it for programs with
 * LSCHED_ITEM_PRIORITY; with other queues its functions are not called.
 *
 * All items pass through the queue, in chunks of at most one batch: before a turn the worker
 * enqueues the items on its stacks, and dequeues the most urgent chunk. A chunk has the priority of
 * its most urgent item, which is computed when the chunk is filled, so it does not change while the
 * chunk is queued. The controllers and the sort before a pop are those of queue/prio_controller.h,
 * where an item is a chunk.
 *
 * Roots are enqueued while less than half of the queue is in use. Items for which no chunk or slot
 * is free stay on their stack, and run at once. So do, in the usual order, the items of a worker
 * while one of its procedures is blocked: an urgent item that waits for room must not overtake
 * those that make it. */

/* The item of the queue is a chunk. Relaxed: the priority was stored before the chunk was enqueued,
 * and only the order depends on it. */
#define LSCHED_PRIORITY(c, chunk) \
	((void)(c), lsched_ld(&w->a->items_chunk_priority[chunk], rlx, dev))
#include "libsched/queue/prio_controller.h"

/* Returns the largest priority of the n oldest items of a stack. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_priority)(
	lsched_i_items *x, const LSCHED_CTX *c, uint32_t proc, uint32_t bottom, uint32_t n)
{
	uint32_t best = 0;

	for (uint32_t k = lsched_lane(); k < n; k += LSCHED_LANES) {
		uint32_t v[LSCHED_I_ITEM_WORDS_MAX], priority;

		memset(v, 0, sizeof(v));
		lsched_i_level_get(x, LSCHED_I_TABLE, proc, bottom + k, v);
		priority = LSCHED_ITEM_PRIORITY(c, proc, v);
		best = priority > best ? priority : best;
	}
	for (uint32_t d = LSCHED_LANES / 2; d; d /= 2) {
		const uint32_t other = lsched_i_shfl_xor(best, d);

		best = other > best ? other : best;
	}
	return best;
}

/* Enqueues the n oldest items of a stack as a chunk. Returns 0 if there is no room. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_enqueue_chunk)(
	lsched_i_items *x, const LSCHED_CTX *c, uint32_t proc, uint32_t bottom, uint32_t n)
{
	const lsched_i_args *a = x->w->a;
	const uint32_t priority = LSCHED_I_N(_items_priority)(x, c, proc, bottom, n);
	const uint32_t chunk = lsched_i_chunk_fill(x, LSCHED_I_TABLE, proc, bottom, n, 1);

	if (chunk == LSCHED_NONE)
		return 0;
	if (lsched_lane() == 0)
		lsched_st(&a->items_chunk_priority[chunk], priority, rlx, dev);
	lsched_sync_worker();
	if (lsched_i_chunk_push(x, chunk, 0))
		return 1;
	if (lsched_lane() == 0)
		lsched_i_chunk_release(a, chunk);
	return 0;
}

/* Before a turn: enqueues all items on the stacks, except those of a chunk that the worker has just
 * dequeued. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_enqueue_sorted)(
	lsched_i_items *x, const LSCHED_CTX *c, LSCHED_I_N(_items_loop) * p)
{
	if (p->fresh || LSCHED_I_ANY_BLOCKED(p))
		return;
	LSCHED_UNROLL
	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		uint32_t count;

		while ((count = x->level->top[q] - p->bottom[q]) != 0) {
			const uint32_t most = LSCHED_I_AT_ONCE_OF(q);
			const uint32_t n = count < most ? count : most;

			if (!LSCHED_I_N(_items_enqueue_chunk)(x, c, q, p->bottom[q], n)) {
				p->fresh = 1;
				return;
			}
			p->bottom[q] += n;
		}
	}
}

/* Whether less than half of the queue is in use, so that roots may enter. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_roots_fit)(const lsched_worker *w)
{
	const lsched_i_args *a = w->a;

	return lsched_bcast(lsched_ld(&a->state->queue[LSCHED_I_RING_USED].v, rlx, dev)) <
	       a->queue_limit / 2;
}

/* Pushes roots, or the most urgent chunk, on the empty stacks. Returns 0 when all items are
 * finished or the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_refill_sorted)(
	LSCHED_ITEMS *items, const LSCHED_CTX *c, LSCHED_I_N(_items_loop) * p)
{
	lsched_i_items *x = &items->any;
	uint32_t chunk, none = 0;

	if (p->more_roots && LSCHED_I_N(_items_roots_fit)(x->w) &&
		LSCHED_I_N(_items_roots)(items, c, p)) {
		p->fresh = 0;
		return 1;
	}
#if LSCHED_I_TABLE
	LSCHED_I_N(_items_settle)(x);
#endif
	chunk = LSCHED_I_N(_prio_dequeue)(x->w, c, 0, &none, &p->closed);
	if (chunk == LSCHED_NONE)
		return 0;
	x->w->finished++;
	lsched_i_chunk_unpack(x, LSCHED_I_TABLE, chunk);
	p->fresh = 1;
	return 1;
}
