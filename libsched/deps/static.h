/* static: the order is fixed beforehand. A ticket is a chain of tasks (a row of macroblocks), tickets
 * are taken in order, and before each task the worker waits for the flags of its predecessors.
 *
 * The paper (Tzeng, Lloyd, Owens 2012, section 5) binds tasks to blocks by their index and trusts that
 * blocks start in order. Here the ticket is drawn when the worker is running, so with chains in
 * topological order a waited-for task always belongs to a worker that has started: no deadlock,
 * whatever the number of workers that fit on the device. A flag is the start's epoch, so flags need no
 * clearing.
 *
 * Template text: generate.h includes it for each program. */

/* One lane, after a stall: from a task that waits down to one that none of its predecessors holds up, or
 * that waits for itself. */
SCHED_WORKER_FN uint32_t SCHED__N(_bottom)(const sched__args *a, const SCHED_CTX *c, uint32_t task)
{
	for (uint32_t steps = 0; steps < a->tasks; steps++) {
		uint32_t n = SCHED__R(pred_count)(c, task), next = task;

		for (uint32_t k = 0; k < n && next == task; k++) {
			uint32_t p = SCHED__R(pred)(c, task, k);

			if (sched_ld(&a->task_word[p], acq, dev) != a->epoch)
				next = p;
		}
		if (next == task)
			break;
		task = next;
	}
	return task;
}

/* Waits for the predecessors of a task, lanes side by side; 0 when the run has failed. The task this
 * worker ran just before needs no look. */
SCHED_WORKER_FN uint32_t SCHED__N(_wait)(sched_worker *w, const SCHED_CTX *c, uint32_t task)
{
	const sched__args *a = w->a;
	uint32_t n = SCHED__R(pred_count)(c, task), ok = 1;
	uint64_t idle = 0;

	for (uint32_t spins = 0;; spins++) {
		uint32_t pending = SCHED_NONE, missing, stalled = SCHED__GOING, stop = 0;

		for (uint32_t k = sched_lane(); k < n; k += SCHED_LANES) {
			uint32_t p = SCHED__R(pred)(c, task, k);

			if (p != w->prev && sched_ld(&a->task_word[p], acq, dev) != a->epoch)
				pending = p;
		}
		missing = sched_ballot(pending != SCHED_NONE);
		if (!missing)
			break;
		if (sched_lane() == 0) {
			if (spins == 0)
				idle = sched__wait_begin(w);
			if ((spins & 63u) == 63u) {
				stop = sched__failed(w);
				stalled = sched__watch(w);
			}
			sched__relax_critical(spins);
		}
		if ((spins & 63u) != 63u)
			continue;
		stalled = sched_bcast(stalled);
		if (stalled != SCHED__GOING && (missing & (0u - missing)) == 1u << sched_lane())
			sched__fail(w,
				stalled == SCHED__STALLED ? SCHED__FAIL_WAIT : SCHED__FAIL_LIMIT,
				SCHED__N(_bottom)(a, c, task), pending);
		if (sched_bcast(stop) || stalled != SCHED__GOING) {
			ok = 0;
			break;
		}
	}
	if (sched_lane() == 0 && idle)
		sched__wait_end(w, idle);
	return ok;
}

SCHED_WORKER_FN void SCHED__N(_static)(sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l)
{
	const sched__args *a = w->a;
	const uint32_t chains = SCHED__R(chain_count)(c);

	for (;;) {
		uint32_t ticket = 0, stop = 0, task;

		if (sched_lane() == 0) {
			ticket = sched_add(&a->state->ticket.v, 1u, rlx, dev);
			stop = sched__failed(w);
		}
		ticket = sched_bcast(ticket);
		if (ticket >= chains || sched_bcast(stop))
			return;
		for (task = SCHED__R(chain_head)(c, ticket); task != SCHED_NONE;
			task = SCHED__R(chain_next)(c, task)) {
			if (!SCHED__N(_wait)(w, c, task) || !SCHED__N(_run_task)(w, c, l, task))
				return;
			if (sched_lane() == 0)
				sched_st(&a->task_word[task], a->epoch, rel, dev);
			if (!sched__ran_one(w))
				return;
		}
		sched__settle(w);
	}
}
