/* What the queues of kind rounds share: even shares of an array, and a prefix sum over the workers'
 * counts by all lanes of one worker. */
#ifndef LIBSCHED_QUEUE_ROUNDS_H
#define LIBSCHED_QUEUE_ROUNDS_H

#include "libsched/core/worker.h"

/* Where worker k's share of n things begins; worker k + 1's is its end. Shares differ by one at most. */
SCHED_FN uint32_t sched__share(uint32_t n, uint32_t k, uint32_t workers)
{
	return (uint32_t)((uint64_t)n * k / workers);
}

/* A number per worker, in whole lines. */
SCHED_FN uint64_t sched__per_worker_words(uint32_t workers)
{
	return ((uint64_t)workers + 31) / 32 * 16;
}

/* What the lanes before this one hold together; *sum: what all hold. */
SCHED_WORKER_FN uint32_t sched__lanes_before(uint32_t v, uint32_t *sum)
{
#ifdef __CUDACC__
	uint32_t up_to = v;

	for (uint32_t d = 1; d < 32; d *= 2) {
		uint32_t below = __shfl_up_sync(0xffffffffu, up_to, d);

		if (sched_lane() >= d)
			up_to += below;
	}
	*sum = __shfl_sync(0xffffffffu, up_to, 31);
	return up_to - v;
#else
	*sum = v;
	return 0;
#endif
}

/* Counts that a lane sums up by itself before the lanes talk: its loads are all under way together, for
 * one after the other they would cost more than the launch that follows. */
#define SCHED__SCAN_RUN 16u

/* place[k] = count[0] + .. + count[k - 1]; returns the sum of all n. All lanes of a worker that has both
 * arrays to itself. */
SCHED_WORKER_FN uint32_t sched__places(const uint32_t *count, uint32_t *place, uint32_t n)
{
	uint32_t done = 0;

	for (uint32_t base = 0; base < n; base += SCHED_LANES * SCHED__SCAN_RUN) {
		const uint32_t first = base + sched_lane() * SCHED__SCAN_RUN;
		uint32_t v[SCHED__SCAN_RUN], mine = 0, all, at;

		for (uint32_t j = 0; j < SCHED__SCAN_RUN; j++)
			v[j] = first + j < n ? count[first + j] : 0;
		for (uint32_t j = 0; j < SCHED__SCAN_RUN; j++)
			mine += v[j];
		at = done + sched__lanes_before(mine, &all);
		for (uint32_t j = 0; j < SCHED__SCAN_RUN; j++) {
			if (first + j < n)
				place[first + j] = at;
			at += v[j];
		}
		done += all;
	}
	sched_sync_worker();
	return done;
}

#endif
