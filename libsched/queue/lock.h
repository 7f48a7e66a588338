/* A spin lock that only leaders (lane 0) hold, for the queues that the papers build on locks.
 *
 * Test and test-and-set: those who wait look with relaxed loads and come with a compare-and-swap only when
 * the lock looks free. 0 is free, so zeroed memory is unlocked. Who holds one takes no second lock, waits
 * for nothing and calls no code of the user; so each wait ends, but nothing says in what order the
 * waiting ones come (not fair). A wait goes on for timeout_ns at most, then the run fails.
 *
 * Waiting for a lock is idle time in the statistics, as in Tzeng, Patney, Owens 2010, section 5. */
#ifndef LIBSCHED_QUEUE_LOCK_H
#define LIBSCHED_QUEUE_LOCK_H

#include "libsched/core/worker.h"

/* Leader. Nonzero: taken, and all that the holders before wrote is seen. Never waits. */
LSCHED_WORKER_FN uint32_t lsched_i_lock_try(uint32_t *lock)
{
	uint32_t free_word = 0;

	return lsched_ld(lock, rlx, dev) == 0 && lsched_cas(lock, &free_word, 1u, acq, dev);
}

/* Leader. Waits; zero when the run has failed meanwhile: not taken. */
LSCHED_WORKER_FN uint32_t lsched_i_lock(lsched_worker *w, uint32_t *lock)
{
	uint64_t t0 = 0, begin;
	uint32_t taken = lsched_i_lock_try(lock);

	if (taken)
		return 1;
	begin = lsched_i_ticks();
	for (uint32_t spins = 0; !taken; spins++) {
		/* many wait here at once, and who holds it is not helped by their looking */
		lsched_i_relax(spins, w->a->workers);
		if ((spins & 63u) == 63u && lsched_i_spin_expired(w, spins, &t0))
			break;
		taken = lsched_i_lock_try(lock);
	}
	w->priv->idle_ticks += lsched_i_ticks() - begin;
	return taken;
}

/* Leader. All that this worker's lanes wrote before (and met over, lsched_sync_worker) is seen by the
 * next to take it. */
LSCHED_WORKER_FN void lsched_i_unlock(uint32_t *lock)
{
	lsched_st(lock, 0u, rel, dev);
}

#endif
