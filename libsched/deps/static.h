/* static: workers execute chains of tasks (for example rows of macroblocks) in a fixed order. A
 * ticket is the number of a chain; tickets are drawn in order. Before each task the worker waits
 * for the flags of its predecessors.
 *
 * The paper (Tzeng, Lloyd, Owens 2012, section 5) assigns tasks to blocks by their index and
 * assumes that blocks start in order. Here a running worker draws the ticket. Chains are in
 * topological order, so each predecessor belongs to a chain that a running worker has begun: no
 * deadlock with any number of resident workers. A flag is the start's epoch, so flags need no
 * clearing.
 *
 * With LSCHED_MESSAGES the body waits, for the words that it receives (core/message.h). The same
 * argument holds: the sender of a word belongs to a chain that a running worker has begun.
 *
 * Template text: generate.h includes it for each program. */

#ifndef LSCHED_MESSAGES
/* Waits for the flags of a task's predecessors, one in each lane; skips the task that this worker
 * ran before. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_wait)(lsched_worker *w, const LSCHED_CTX *c, uint32_t task)
{
	const lsched_i_args *a = w->a;
	uint32_t n = LSCHED_I_R(pred_count)(c, task), ok = 1;
	uint64_t idle = 0;

	for (uint32_t spins = 0;; spins++) {
		uint32_t pending = LSCHED_NONE, missing, stalled;

		for (uint32_t k = lsched_lane(); k < n; k += LSCHED_LANES) {
			uint32_t p = LSCHED_I_R(pred)(c, task, k);

			if (p != w->prev && lsched_ld(&a->task_words[p], acq, dev) != a->epoch)
				pending = p;
		}
		missing = lsched_ballot(pending != LSCHED_NONE);
		if (!missing)
			break;
		stalled = lsched_i_wait_step(w, spins, &idle);
		if (stalled == LSCHED_I_PROGRESS)
			continue;
		if (stalled != LSCHED_I_RUN_FAILED &&
			(missing & (0u - missing)) == 1u << lsched_lane())
			lsched_i_fail(w, lsched_i_wait_failure(stalled, LSCHED_I_FAIL_WAIT),
				LSCHED_I_N(_bottom)(a, c, task), pending);
		ok = 0;
		break;
	}
	if (lsched_lane() == 0 && idle)
		lsched_i_wait_end(w, idle);
	return ok;
}
#endif

/* Runs a task, and sets its flag. Without messages the flag publishes what the task has written,
 * and the predecessors' flags are waited for. With messages the flag is for the error of a stall
 * only; the body waits. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_static_step)(
	lsched_worker *w, const LSCHED_CTX *c, LSCHED_LOCAL *l, uint32_t task)
{
	const lsched_i_args *a = w->a;

#ifdef LSCHED_MESSAGES
	w->next_task = LSCHED_I_R(chain_next)(c, task);
	if (!LSCHED_I_N(_run_task)(w, c, l, task))
		return 0;
	if (lsched_lane() == 0)
		lsched_st(&a->task_words[task], a->epoch, rlx, dev);
#else
	if (!LSCHED_I_N(_wait)(w, c, task) || !LSCHED_I_N(_run_task)(w, c, l, task))
		return 0;
	if (lsched_lane() == 0)
		lsched_st(&a->task_words[task], a->epoch, rel, dev);
#endif
	return lsched_i_task_finished(w);
}

/* Returns the task behind one that has run. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_static_next)(
	const lsched_worker *w, const LSCHED_CTX *c, uint32_t task)
{
#ifdef LSCHED_MESSAGES
	(void)c;
	(void)task;
	return w->next_task;
#else
	(void)w;
	return LSCHED_I_R(chain_next)(c, task);
#endif
}

LSCHED_WORKER_FN void LSCHED_I_N(_static)(lsched_worker *w, const LSCHED_CTX *c, LSCHED_LOCAL *l)
{
	const uint32_t chains = LSCHED_I_R(chain_count)(c);

	w->has_flags = 1;
	for (;;) {
		uint32_t ticket, task;

		if (!lsched_i_draw(w, &ticket) || ticket >= chains)
			return;
		for (task = LSCHED_I_R(chain_head)(c, ticket); task != LSCHED_NONE;
			task = LSCHED_I_N(_static_next)(w, c, task))
			if (!LSCHED_I_N(_static_step)(w, c, l, task))
				return;
		lsched_i_flush_finished(w);
	}
}
