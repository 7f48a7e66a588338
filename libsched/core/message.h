/* Messages between tasks (LSCHED_MESSAGES): words of 8 bytes, {epoch of the start, value}, each
 * with one relaxed store and one relaxed load. A word is complete, or an older one with another
 * epoch, so neither a fence nor a flag is needed. The words are memory of the run, zeroed at its
 * creation and when the epoch wraps, so no other run and no older start has words with the epoch
 * of this one. */
#ifndef LIBSCHED_CORE_MESSAGE_H
#define LIBSCHED_CORE_MESSAGE_H

#include "libsched/core/worker.h"

LSCHED_WORKER_FN uint64_t *lsched_i_message(const lsched_worker *w, uint32_t task)
{
	return w->a->messages + (size_t)task * w->message_words;
}

/* Loads word k of the message of task `from`. LSCHED_NONE: a word that has arrived, of value 0. */
LSCHED_WORKER_FN uint64_t lsched_i_message_load(const lsched_worker *w, uint32_t from, uint32_t k)
{
	return from == LSCHED_NONE ? (uint64_t)w->a->epoch << 32
				   : lsched_ld(lsched_i_message(w, from) + k, rlx, dev);
}

/* Notes which word a receive that the watchdog ended has waited for, for _message_failed(). */
LSCHED_WORKER_FN void lsched_i_message_missed(
	lsched_worker *w, uint32_t stalled, lsched_lane_mask missing, uint32_t from)
{
	if ((missing & (0u - missing)) == 1u << lsched_lane()) {
		w->priv->message_stalled = stalled;
		w->priv->message_from = from;
	}
	lsched_sync_worker();
}

/* Waits until all lanes have their words. Returns 0 if the run has failed, or is to fail: then the
 * body returns LSCHED_FAIL. */
LSCHED_WORKER_FN uint32_t lsched_i_message_wait(
	lsched_worker *w, uint32_t from, uint32_t k, uint64_t *word)
{
	const uint32_t epoch = w->a->epoch;
	uint64_t idle = 0;
	uint32_t ok = 1;

	for (uint32_t spins = 0;; spins++) {
		const lsched_lane_mask missing = lsched_ballot((uint32_t)(*word >> 32) != epoch);
		uint32_t stalled;

		if (!LSCHED_I_UNLIKELY(missing))
			break;
		stalled = lsched_i_wait_step(w, spins, &idle);
		if (stalled != LSCHED_I_PROGRESS) {
			if (stalled != LSCHED_I_RUN_FAILED)
				lsched_i_message_missed(w, stalled, missing, from);
			ok = 0;
			break;
		}
		if ((uint32_t)(*word >> 32) != epoch)
			*word = lsched_i_message_load(w, from, k);
	}
	if (lsched_lane() == 0 && idle)
		lsched_i_wait_end(w, idle);
	return ok;
}

#endif
