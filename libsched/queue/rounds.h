/* What the queues of kind rounds share: even shares of an array, and a prefix sum over the workers'
 * counts by all lanes of one worker. */
#ifndef LIBSCHED_QUEUE_ROUNDS_H
#define LIBSCHED_QUEUE_ROUNDS_H

#include "libsched/core/worker.h"

/* Where worker k's share of n things begins; worker k + 1's is its end. Shares differ by one at most. */
LSCHED_FN uint32_t lsched_i_share(uint32_t n, uint32_t k, uint32_t workers)
{
	return (uint32_t)((uint64_t)n * k / workers);
}

/* Takes from the worker's share of an array; priv.queue[next] and priv.queue[end] say what is left of it. */
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

/* A number per worker, in whole lines. */
LSCHED_FN uint64_t lsched_i_per_worker_words(uint32_t workers)
{
	return ((uint64_t)workers + 31) / 32 * 16;
}

/* What the lanes before this one hold together; *sum: what all hold. */
LSCHED_WORKER_FN uint32_t lsched_i_lanes_before(uint32_t v, uint32_t *sum)
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

/* place[k] = count[0] + .. + count[k - 1]; returns the sum of all n. All lanes of a worker that has both
 * arrays to itself, a run of the counts each. They are read twice, the second time out of the cache, for
 * what is kept in registers between would halve the number of warps that fit on an SM. */
LSCHED_WORKER_FN uint32_t lsched_i_places(const uint32_t *count, uint32_t *place, uint32_t n)
{
	const uint32_t first = lsched_i_share(n, lsched_lane(), LSCHED_LANES);
	const uint32_t end = lsched_i_share(n, lsched_lane() + 1, LSCHED_LANES);
	uint32_t mine = 0, all, at;

	for (uint32_t k = first; k < end; k++)
		mine += count[k];
	at = lsched_i_lanes_before(mine, &all);
	for (uint32_t k = first; k < end; k++) {
		place[k] = at;
		at += count[k];
	}
	lsched_sync_worker();
	return all;
}

#endif
