/* balance: private queues; when too many workers are idle the launch ends and the next one
 * redistributes the work (Lauterbach, Mo, Manocha 2009, section 3.3).
 *
 * A worker pushes to and pops from its own queue. The top of the queue is in the worker's scratch
 * words (shared memory on the GPU), the rest in its region of memory; no other worker reads it
 * during a launch. A worker without items counts itself idle and leaves. When idle_percent (half)
 * of the workers are idle and some worker has two items or more, all workers leave, each after at
 * least one item. Each worker writes its queue to its region; the last one computes the prefix sum
 * of the counts. In the next launch worker k reads the k-th even share of the concatenated queues
 * and finds the queue of each item by binary search in the prefix sum.
 *
 * Differences from the paper: there balancing is a separate kernel; here the work launch reads its
 * share at its start, which saves a launch. There idle workers alone end the launch, so that with
 * fewer items than half the workers each launch runs one item of each; here this also needs a
 * worker with two items (REBALANCE below), because otherwise there is nothing to redistribute.
 * There a full queue ends its worker's launch; here the overflow policy applies, and under INLINE a
 * worker with a full queue counts as idle when another worker is idle, so that balancing frees
 * slots.
 *
 * Callers: each worker, at any time of its launch. Order: last in, first out in a launch; balancing
 * keeps the order inside a queue. Full: the private queue holds bin items, in scratch and region
 * together; full and empty are exact. Progress: no operation waits; a pop reads one word that
 * others write, and a worker writes such words at most three times in a launch. Memory: two regions
 * of bin items a worker.
 *
 * Choose it for trees that grow wide, with short items, where pops of the other queues would
 * dominate. Not for narrow graphs, where every second step would be a launch. */
#ifndef LIBSCHED_QUEUE_BALANCE_H
#define LIBSCHED_QUEUE_BALANCE_H

#include "libsched/queue/rounds.h"

/* Capabilities, see queue.h. */
#define LSCHED_I_BALANCE_KEEPS       0
#define LSCHED_I_BALANCE_TICKET_WAIT 0
#define LSCHED_I_BALANCE_ROUNDS      1
#define LSCHED_I_BALANCE_SORTED      0

/* State: items in all queues at the start of the launch; which of the two regions is written;
 * number of idle workers; rebalance state: 0 none, 1 requested by the worker whose idle count
 * passes the limit, 2 confirmed by a worker that has two items or more; then all leave. */
enum {
	LSCHED_I_BALANCE_ITEMS,
	LSCHED_I_BALANCE_SIDE,
	LSCHED_I_BALANCE_IDLE,
	LSCHED_I_BALANCE_REBALANCE
};

/* Private variables: items in the scratch words, index of the lowest of them, items in the region,
 * whether an item was popped in this launch, whether this worker was counted idle. */
enum {
	LSCHED_I_BALANCE_TOP,
	LSCHED_I_BALANCE_BASE,
	LSCHED_I_BALANCE_DEEP,
	LSCHED_I_BALANCE_RAN,
	LSCHED_I_BALANCE_COUNTED
};

/* Scratch words: a ring of the top items. Half of it moves to or from the region in one access of
 * all lanes, so that not every push and pop around the boundary goes to memory. */
#define LSCHED_I_BALANCE_SCRATCH 64u
#define LSCHED_I_BALANCE_MOVE    32u

LSCHED_FN uint64_t lsched_balance_words(const lsched_i_shape *s)
{
	return lsched_i_regions_words(s);
}

/* Returns the region that a worker writes in this launch (other = 0), or wrote in the previous one
 * (1). */
LSCHED_WORKER_FN uint32_t *lsched_i_balance_region(
	const lsched_i_args *a, uint32_t worker, uint32_t other)
{
	const uint32_t side = a->state->queue[LSCHED_I_BALANCE_SIDE].v ^ other;

	return lsched_i_regions(a) +
	       ((size_t)side * a->queue_max_workers + worker) * a->queue_deque_capacity;
}

LSCHED_WORKER_FN uint32_t *lsched_i_balance_scratch(const lsched_worker *w, uint32_t i)
{
	return &w->scratch[(w->priv->queue[LSCHED_I_BALANCE_BASE] + i) % LSCHED_I_BALANCE_SCRATCH];
}

/* Returns the worker whose queue has the i-th item of all: the last with an offset <= i. */
LSCHED_WORKER_FN uint32_t lsched_i_balance_owner(
	const uint32_t *offset, uint32_t workers, uint32_t i)
{
	uint32_t low = 0, high = workers;

	while (high - low > 1) {
		const uint32_t mid = (low + high) / 2;

		if (offset[mid] <= i)
			low = mid;
		else
			high = mid;
	}
	return low;
}

LSCHED_WORKER_FN void lsched_balance_enter(lsched_worker *w)
{
	const lsched_i_args *a = w->a;
	const uint32_t *offset = lsched_i_region_offsets(a);
	const uint32_t items = a->state->queue[LSCHED_I_BALANCE_ITEMS].v;
	const uint32_t first = lsched_i_share(items, w->index, a->workers);
	const uint32_t n = lsched_i_share(items, w->index + 1, a->workers) - first;
	const uint32_t deep = n > LSCHED_I_BALANCE_SCRATCH ? n - LSCHED_I_BALANCE_SCRATCH : 0;
	uint32_t *region = lsched_i_balance_region(a, w->index, 0);

	for (uint32_t base = 0; base < n; base += LSCHED_LANES) {
		const uint32_t i = base + lsched_lane();
		uint32_t others = 0;

		if (i < n) {
			const uint32_t owner =
				lsched_i_balance_owner(offset, a->workers, first + i);
			const uint32_t item =
				lsched_i_balance_region(a, owner, 1)[first + i - offset[owner]];

			*(i < deep ? &region[i] : &w->scratch[i - deep]) = item;
			others = owner != w->index;
		}
		others = lsched_ballot(others != 0);
		LSCHED_I_COUNT(w, STEALS, lsched_popcount(others));
	}
	if (lsched_lane() == 0) {
		w->priv->queue[LSCHED_I_BALANCE_TOP] = n - deep;
		w->priv->queue[LSCHED_I_BALANCE_DEEP] = deep;
	}
	lsched_sync_worker();
}

/* Leader: counts the worker idle, once in a launch. */
LSCHED_WORKER_FN void lsched_i_balance_count_idle(lsched_worker *w)
{
	lsched_i_spread_word *q = w->a->state->queue;

	if (w->priv->queue[LSCHED_I_BALANCE_COUNTED])
		return;
	w->priv->queue[LSCHED_I_BALANCE_COUNTED] = 1;
	if (lsched_add(&q[LSCHED_I_BALANCE_IDLE].v, 1u, rlx, dev) == w->a->rounds_idle_limit)
		lsched_st(&q[LSCHED_I_BALANCE_REBALANCE].v, 1u, rlx, dev);
}

/* Leader, with `have` items: returns whether this worker must leave the launch. */
LSCHED_WORKER_FN uint32_t lsched_i_balance_is_over(lsched_worker *w, uint32_t have)
{
	uint32_t *rebalance = &w->a->state->queue[LSCHED_I_BALANCE_REBALANCE].v;
	uint32_t state;

	if (w->priv->rounds_over)
		return 1;
	if (have == 0) {
		lsched_i_balance_count_idle(w);
		return 1;
	}
	if (!w->priv->queue[LSCHED_I_BALANCE_RAN])
		return 0; /* so that each launch makes progress */
	state = lsched_ld(rebalance, rlx, dev);
	if (state == 1 && have >= 2) {
		lsched_st(rebalance, 2u, rlx, dev);
		state = 2;
	}
	return state == 2;
}

LSCHED_WORKER_FN uint32_t lsched_balance_push_n(lsched_worker *w, const lsched_i_batch *b)
{
	const lsched_i_args *a = w->a;
	const uint32_t top = w->priv->queue[LSCHED_I_BALANCE_TOP],
		       deep = w->priv->queue[LSCHED_I_BALANCE_DEEP];
	const uint32_t room = a->queue_deque_capacity - top - deep, got = b->n < room ? b->n : room;
	const uint32_t move = top + got > LSCHED_I_BALANCE_SCRATCH ? LSCHED_I_BALANCE_MOVE : 0;

	if (move) {
		uint32_t *region = lsched_i_balance_region(a, w->index, 0) + deep;

		for (uint32_t i = lsched_lane(); i < move; i += LSCHED_LANES)
			region[i] = *lsched_i_balance_scratch(w, i);
		lsched_sync_worker();
	}
	LSCHED_I_EACH_ITEM(b, i)
	{
		if (i < got)
			*lsched_i_balance_scratch(w, top + i) = LSCHED_I_ITEM(b, i);
	}
	lsched_sync_worker();
	if (lsched_lane() == 0) {
		w->priv->queue[LSCHED_I_BALANCE_BASE] += move;
		w->priv->queue[LSCHED_I_BALANCE_TOP] = top + got - move;
		w->priv->queue[LSCHED_I_BALANCE_DEEP] = deep + move;
		w->priv->count[LSCHED_I_N_PUSHES] += got;
		if (top + deep + got > w->priv->count[LSCHED_I_N_HIGH_WATER])
			w->priv->count[LSCHED_I_N_HIGH_WATER] = top + deep + got;
		if (got < b->n && lsched_ld(&a->state->queue[LSCHED_I_BALANCE_IDLE].v, rlx, dev))
			lsched_i_balance_count_idle(w);
	}
	lsched_sync_worker();
	return got;
}

LSCHED_WORKER_FN uint32_t lsched_balance_pop_n(lsched_worker *w, lsched_i_batch *b, uint32_t want)
{
	uint32_t top = w->priv->queue[LSCHED_I_BALANCE_TOP],
		 deep = w->priv->queue[LSCHED_I_BALANCE_DEEP];
	uint32_t got = 0, move = 0;

	if (lsched_lane() == 0) {
		w->priv->rounds_over = lsched_i_balance_is_over(w, top + deep);
		if (!w->priv->rounds_over)
			got = top + deep < want ? top + deep : want;
	}
	got = lsched_bcast(got);
	if (got > top) {
		const uint32_t *region = lsched_i_balance_region(w->a, w->index, 0);

		move = deep < LSCHED_I_BALANCE_MOVE ? deep : LSCHED_I_BALANCE_MOVE;
		deep -= move;
		for (uint32_t i = lsched_lane(); i < move; i += LSCHED_LANES)
			*lsched_i_balance_scratch(w, i - move) = region[deep + i];
		lsched_sync_worker();
	}
	lsched_i_batch_open(b, got);
	LSCHED_I_EACH_ITEM(b, i)
	LSCHED_I_ITEM(b, i) = *lsched_i_balance_scratch(w, top - 1 - i);
	lsched_sync_worker();
	if (lsched_lane() == 0 && got) {
		w->priv->queue[LSCHED_I_BALANCE_RAN] = 1;
		w->priv->queue[LSCHED_I_BALANCE_BASE] -= move;
		w->priv->queue[LSCHED_I_BALANCE_TOP] = top + move - got;
		w->priv->queue[LSCHED_I_BALANCE_DEEP] = deep;
		w->priv->count[LSCHED_I_N_POPS] += got;
	}
	lsched_sync_worker();
	return got;
}

LSCHED_WORKER_FN void lsched_balance_leave(lsched_worker *w)
{
	const uint32_t top = w->priv->queue[LSCHED_I_BALANCE_TOP],
		       deep = w->priv->queue[LSCHED_I_BALANCE_DEEP];
	uint32_t *region = lsched_i_balance_region(w->a, w->index, 0) + deep;

	for (uint32_t i = lsched_lane(); i < top; i += LSCHED_LANES)
		region[i] = *lsched_i_balance_scratch(w, i);
	if (lsched_lane() == 0)
		lsched_i_region_counts(w->a)[w->index] = top + deep;
}

LSCHED_WORKER_FN uint32_t lsched_balance_round(const lsched_i_args *a)
{
	lsched_i_spread_word *q = a->state->queue;
	const uint32_t items = lsched_i_prefix_sum(
		lsched_i_region_counts(a), lsched_i_region_offsets(a), a->workers);

	if (lsched_lane() == 0) {
		q[LSCHED_I_BALANCE_ITEMS].v = items;
		q[LSCHED_I_BALANCE_SIDE].v ^= 1u;
		q[LSCHED_I_BALANCE_IDLE].v = 0;
		q[LSCHED_I_BALANCE_REBALANCE].v = 0;
	}
	lsched_sync_worker();
	return items;
}

#endif
