/* A spin lock that only leaders (lane 0) hold, for the queues whose papers use locks.
 *
 * Test and test-and-set: waiting workers poll with relaxed loads and attempt a compare-and-swap
 * only when the lock looks free. 0 is free, so zeroed memory is unlocked. The holder acquires no
 * second lock, waits for nothing and calls no code of the program, so each wait is finite, but the
 * order of the waiting workers is undefined (not fair). A wait lasts at most timeout_ns, then the
 * run fails.
 *
 * Waiting for a lock is idle time in the statistics, as in Tzeng, Patney, Owens 2010, section 5. */
#ifndef LIBSCHED_QUEUE_LOCK_H
#define LIBSCHED_QUEUE_LOCK_H

#include "libsched/core/worker.h"

/* Leader. Returns nonzero when the lock was acquired, with all writes of its previous holders
 * visible. Never waits. */
LSCHED_WORKER_FN uint32_t lsched_i_lock_try(uint32_t *lock)
{
	uint32_t free_word = 0;

	return lsched_ld(lock, rlx, dev) == 0 && lsched_cas(lock, &free_word, 1u, acq, dev);
}

/* Leader. Waits for the lock; returns zero, without the lock, when the run has failed. */
LSCHED_WORKER_FN uint32_t lsched_i_lock(lsched_worker *w, uint32_t *lock)
{
	uint64_t t0 = 0, begin;
	uint32_t taken = lsched_i_lock_try(lock);

	if (taken)
		return 1;
	begin = lsched_i_ticks();
	for (uint32_t spins = 0; !taken; spins++) {
		/* back off: polls by many waiting workers delay the holder */
		if (!lsched_i_clock_due(spins, 64u))
			lsched_i_relax(spins, w->a->workers);
		else if (lsched_i_spin_expired(w, spins, &t0))
			break;
		taken = lsched_i_lock_try(lock);
	}
	w->priv->idle_ticks += lsched_i_ticks() - begin;
	return taken;
}

/* Leader. Publishes all earlier writes of this worker's lanes (that lsched_sync_worker has ordered
 * before) to the next holder. */
LSCHED_WORKER_FN void lsched_i_unlock(uint32_t *lock)
{
	lsched_st(lock, 0u, rel, dev);
}

#endif
