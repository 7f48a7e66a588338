/* static: the order is fixed beforehand. A ticket is a chain of tasks (a row of macroblocks),
 * tickets are taken in order, and before each task the worker waits for the flags of its
 * predecessors.
 *
 * The paper (Tzeng, Lloyd, Owens 2012, section 5) binds tasks to blocks by their index and trusts
 * that blocks start in order. Here the ticket is drawn when the worker is running, so with chains
 * in topological order a waited-for task always belongs to a worker that has started: no deadlock,
 * whatever the number of workers that fit on the device. A flag is the start's epoch, so flags need
 * no clearing.
 *
 * Template text: generate.h includes it for each program. */

/* One lane, after a stall: from a task that waits down to one that none of its predecessors holds
 * up, or that waits for itself. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_bottom)(
	const lsched_i_args *a, const LSCHED_CTX *c, uint32_t task)
{
	for (uint32_t steps = 0; steps < a->tasks; steps++) {
		uint32_t n = LSCHED_I_R(pred_count)(c, task), next = task;

		for (uint32_t k = 0; k < n && next == task; k++) {
			uint32_t p = LSCHED_I_R(pred)(c, task, k);

			if (lsched_ld(&a->task_words[p], acq, dev) != a->epoch)
				next = p;
		}
		if (next == task)
			break;
		task = next;
	}
	return task;
}

/* Waits for the predecessors of a task, lanes side by side; 0 when the run has failed. The task
 * this worker ran just before needs no look. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_wait)(lsched_worker *w, const LSCHED_CTX *c, uint32_t task)
{
	const lsched_i_args *a = w->a;
	uint32_t n = LSCHED_I_R(pred_count)(c, task), ok = 1;
	uint64_t idle = 0;

	for (uint32_t spins = 0;; spins++) {
		uint32_t pending = LSCHED_NONE, missing, stalled = LSCHED_I_PROGRESS, stop = 0;

		for (uint32_t k = lsched_lane(); k < n; k += LSCHED_LANES) {
			uint32_t p = LSCHED_I_R(pred)(c, task, k);

			if (p != w->prev && lsched_ld(&a->task_words[p], acq, dev) != a->epoch)
				pending = p;
		}
		missing = lsched_ballot(pending != LSCHED_NONE);
		if (!missing)
			break;
		if (lsched_lane() == 0) {
			if (spins == 0)
				idle = lsched_i_wait_begin(w);
			if (lsched_i_clock_due(spins, 64u)) {
				stop = lsched_i_failed(w);
				stalled = lsched_i_watchdog(w);
			}
			lsched_i_relax_critical(spins);
		}
		if (!lsched_i_clock_due(spins, 64u))
			continue;
		stalled = lsched_bcast(stalled);
		if (stalled != LSCHED_I_PROGRESS &&
			(missing & (0u - missing)) == 1u << lsched_lane())
			lsched_i_fail(w,
				stalled == LSCHED_I_STALLED ? LSCHED_I_FAIL_WAIT
							    : LSCHED_I_FAIL_LIMIT,
				LSCHED_I_N(_bottom)(a, c, task), pending);
		if (lsched_bcast(stop) || stalled != LSCHED_I_PROGRESS) {
			ok = 0;
			break;
		}
	}
	if (lsched_lane() == 0 && idle)
		lsched_i_wait_end(w, idle);
	return ok;
}

LSCHED_WORKER_FN void LSCHED_I_N(_static)(lsched_worker *w, const LSCHED_CTX *c, LSCHED_LOCAL *l)
{
	const lsched_i_args *a = w->a;
	const uint32_t chains = LSCHED_I_R(chain_count)(c);

	for (;;) {
		uint32_t ticket = 0, stop = 0, task;

		if (lsched_lane() == 0) {
			ticket = lsched_add(&a->state->next_root.v, 1u, rlx, dev);
			stop = lsched_i_failed(w);
		}
		ticket = lsched_bcast(ticket);
		if (ticket >= chains || lsched_bcast(stop))
			return;
		for (task = LSCHED_I_R(chain_head)(c, ticket); task != LSCHED_NONE;
			task = LSCHED_I_R(chain_next)(c, task)) {
			if (!LSCHED_I_N(_wait)(w, c, task) || !LSCHED_I_N(_run_task)(w, c, l, task))
				return;
			if (lsched_lane() == 0)
				lsched_st(&a->task_words[task], a->epoch, rel, dev);
			if (!lsched_i_task_finished(w))
				return;
		}
		lsched_i_flush_finished(w);
	}
}
