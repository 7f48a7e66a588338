/* Functions of the queues with the capability ROUNDS: even shares of an array, and a prefix sum
 * over the workers' counts by all lanes of one worker. */
#ifndef LIBSCHED_QUEUE_ROUNDS_H
#define LIBSCHED_QUEUE_ROUNDS_H

#include "libsched/core/worker.h"

/* Returns the start of worker k's share of n items; worker k + 1's start is its end. Shares differ
 * by one at most. */
LSCHED_FN uint32_t lsched_i_share(uint32_t n, uint32_t k, uint32_t workers)
{
	return (uint32_t)((uint64_t)n * k / workers);
}

/* Dequeues from the worker's share of an array; priv.queue[next] and priv.queue[end] are the rest
 * of the share. */
LSCHED_WORKER_FN uint32_t lsched_i_share_pop(lsched_worker *w, lsched_i_batch *b, uint32_t want,
	const uint32_t *in, uint32_t next, uint32_t end)
{
	uint32_t got = 0, at = 0;

	if (lsched_lane() == 0) {
		uint32_t left;

		at = w->priv->queue[next];
		left = w->priv->queue[end] - at;
		got = left < want ? left : want;
		w->priv->queue[next] = at + got;
		w->priv->count[LSCHED_I_N_POPS] += got;
		w->priv->rounds_over = got == 0;
	}
	got = lsched_bcast(got);
	at = lsched_bcast(at);
	lsched_i_batch_open(b, got);
	LSCHED_I_EACH_ITEM(b, i)
	LSCHED_I_ITEM(b, i) = in[at + i];
	return got;
}

/* Returns the 64-bit words of one number per worker, in whole cache lines. */
LSCHED_FN uint64_t lsched_i_per_worker_words(uint32_t workers)
{
	return ((uint64_t)workers + 31) / 32 * 16;
}

/* Memory of the queues whose workers write regions: a count per worker, the prefix sums of these
 * counts, two regions of bin items per worker. */
LSCHED_FN uint64_t lsched_i_regions_words(const lsched_i_shape *s)
{
	return 2 * lsched_i_per_worker_words(s->workers) + (uint64_t)s->workers * s->bin;
}

LSCHED_WORKER_FN uint32_t *lsched_i_region_counts(const lsched_i_args *a)
{
	return (uint32_t *)a->queue_slots;
}

LSCHED_WORKER_FN uint32_t *lsched_i_region_offsets(const lsched_i_args *a)
{
	return (uint32_t *)(a->queue_slots + lsched_i_per_worker_words(a->queue_max_workers));
}

LSCHED_WORKER_FN uint32_t *lsched_i_regions(const lsched_i_args *a)
{
	return (uint32_t *)(a->queue_slots + 2 * lsched_i_per_worker_words(a->queue_max_workers));
}

/* Returns the sum over the lanes below this one; *sum: over all lanes. */
LSCHED_WORKER_FN uint32_t lsched_i_lane_prefix_sum(uint32_t v, uint32_t *sum)
{
	uint32_t up_to = v;

	for (uint32_t d = 1; d < LSCHED_LANES; d *= 2) {
		const uint32_t below = lsched_i_shfl_up(up_to, d);

		if (lsched_lane() >= d)
			up_to += below;
	}
	*sum = lsched_i_shfl(up_to, LSCHED_LANES - 1);
	return up_to - v;
}

/* Computes offset[k] = count[0] + .. + count[k - 1]; returns the sum of all n. All lanes of a
 * worker that has exclusive access to both arrays; each lane has a run of the counts. They are read
 * twice, the second time from the cache, because keeping them in registers would halve the
 * occupancy. */
LSCHED_WORKER_FN uint32_t lsched_i_prefix_sum(const uint32_t *count, uint32_t *offset, uint32_t n)
{
	const uint32_t first = lsched_i_share(n, lsched_lane(), LSCHED_LANES);
	const uint32_t end = lsched_i_share(n, lsched_lane() + 1, LSCHED_LANES);
	uint32_t mine = 0, all, at;

	for (uint32_t k = first; k < end; k++)
		mine += count[k];
	at = lsched_i_lane_prefix_sum(mine, &all);
	for (uint32_t k = first; k < end; k++) {
		offset[k] = at;
		at += count[k];
	}
	lsched_sync_worker();
	return all;
}

#endif
