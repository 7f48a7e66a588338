/* words: like static, for tasks that hand on no more than a word. A task's word and the start's epoch
 * travel together in one 8-byte relaxed store, so there is no fence, and a step of a wavefront costs
 * little more than one trip through the cache they meet in.
 *
 * What else a task writes is NOT visible to its successors; all of it is visible to the host when the
 * run is over. Chains are drawn by tickets in order, as in static.h, so the same holds: no deadlock,
 * whatever the number of workers that fit on the device.
 *
 * While a task runs, the words that the next one in the chain waits for are on their way already.
 *
 * Template text: generate.h includes it for each program with a SCHED_WORD_BODY. */

/* The k-th predecessor of a task, SCHED_NONE beyond the last; a lane looks at its own k. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_pred)(const SCHED_CTX *c, uint32_t task, uint32_t k)
{
	return k < SCHED__R(pred_count)(c, task) ? SCHED__R(pred)(c, task, k) : SCHED_NONE;
}

/* Looks once for predecessor k; what it left, or a stale word if it has not run. */
SCHED_WORKER_FN uint64_t SCHED__N(_word_look)(const sched__args *a, uint32_t pred)
{
	uint64_t *words = (uint64_t *)(void *)a->task_word; /* nvcc loads through no const */

	return pred == SCHED_NONE ? (uint64_t)a->epoch << 32 : sched_ld(&words[pred], rlx, dev);
}

/* One lane, after a stall: from a task that has not run down to one that none of its predecessors holds
 * up, or that waits for itself. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_bottom)(
	const sched__args *a, const SCHED_CTX *c, uint32_t task)
{
	for (uint32_t steps = 0; steps < a->tasks; steps++) {
		uint32_t next = task, p;

		for (uint32_t k = 0; next == task; k++) {
			p = SCHED__N(_word_pred)(c, task, k);
			if (p == SCHED_NONE)
				break;
			if ((uint32_t)(SCHED__N(_word_look)(a, p) >> 32) != a->epoch)
				next = p;
			if (next == task && p == task)
				return task;
		}
		if (next == task)
			break;
		task = next;
	}
	return task;
}

/* Looks between two glances at the clock, less one: a look is short on a GPU, and may be a sleep on a
 * CPU. */
#ifdef __CUDACC__
#define SCHED__WORD_WATCH 255u
#else
#define SCHED__WORD_WATCH 15u
#endif

/* Waits until this lane's word has come; 0 when the run has failed. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_wait)(
	sched_worker *w, const SCHED_CTX *c, uint32_t pred, uint64_t *v)
{
	const sched__args *a = w->a;
	uint64_t idle = 0;
	uint32_t ok = 1;

	for (uint32_t spins = 0;; spins++) {
		const uint32_t missing = sched_ballot((uint32_t)(*v >> 32) != a->epoch);
		uint32_t stop = 0;

		if (!missing)
			break;
		if (spins == 0 && sched_lane() == 0)
			idle = sched__wait_begin(w);
		if ((spins & SCHED__WORD_WATCH) == SCHED__WORD_WATCH) {
			uint32_t stalled = SCHED__GOING;

			if (sched_lane() == 0) {
				stop = sched__failed(w);
				stalled = sched__watch(w);
			}
			stalled = sched_bcast(stalled);
			if (stalled != SCHED__GOING &&
				(missing & (0u - missing)) == 1u << sched_lane())
				sched__fail(w,
					stalled == SCHED__STALLED ? SCHED__FAIL_WAIT
								  : SCHED__FAIL_LIMIT,
					SCHED__N(_word_bottom)(a, c, pred), pred);
			if (sched_bcast(stop) || stalled != SCHED__GOING) {
				ok = 0;
				break;
			}
		}
#ifndef __CUDACC__
		sched__relax_critical(spins);
#endif
		if ((uint32_t)(*v >> 32) != a->epoch)
			*v = SCHED__N(_word_look)(a, pred);
	}
	if (sched_lane() == 0 && idle)
		sched__wait_end(w, idle);
	return ok;
}

/* A chain; 0 when the run has failed. On the CPU the one lane looks at all predecessors in turn. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_chain)(
	sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l, uint32_t head)
{
	const sched__args *a = w->a;
	uint64_t *words = (uint64_t *)(void *)a->task_word;
	uint32_t task = head, before = SCHED_NONE, word = 0;
#ifdef __CUDACC__
	uint32_t pred = SCHED__N(_word_pred)(c, head, sched_lane());
	uint64_t v = SCHED__N(_word_look)(a, pred);
#endif
	while (task != SCHED_NONE) {
		const uint32_t next = SCHED__R(chain_next)(c, task);
		sched_result r;
		uint32_t bad;

		if (SCHED__R(pred_count)(c, task) > SCHED_WORD_PREDS) {
			if (sched_lane() == 0)
				sched__fail(w, SCHED__FAIL_PREDS, task, 0);
			return 0;
		}
#ifdef __CUDACC__
		const uint32_t next_pred = next == SCHED_NONE
						   ? SCHED_NONE
						   : SCHED__N(_word_pred)(c, next, sched_lane());
		uint64_t next_v;

		/* one's own last word need not make the trip */
		if (before != SCHED_NONE && pred == before)
			v = (uint64_t)a->epoch << 32 | word;
		if (!SCHED__N(_word_wait)(w, c, pred, &v))
			return 0;
		w->word = (uint32_t)v;
		next_v = SCHED__N(_word_look)(a, next_pred == task ? SCHED_NONE : next_pred);
#else
		for (uint32_t k = 0; k < SCHED__R(pred_count)(c, task); k++) {
			const uint32_t p = SCHED__R(pred)(c, task, k);
			uint64_t v = p == before ? (uint64_t)a->epoch << 32 | word
						 : SCHED__N(_word_look)(a, p);

			if (!SCHED__N(_word_wait)(w, c, p, &v))
				return 0;
			w->words[k] = (uint32_t)v;
		}
#endif
		word = 0;
		if (a->trace) {
			const uint64_t start_ns = sched_now_ns();

			r = SCHED_WORD_BODY(w, c, l, task, &word);
			if (sched_lane() == 0)
				sched__trace_add(w, task, start_ns);
		} else {
			r = SCHED_WORD_BODY(w, c, l, task, &word);
		}
		bad = sched_ballot(r != SCHED_DONE);
		if (bad) {
			if ((bad & (0u - bad)) == 1u << sched_lane())
				sched__fail(w, SCHED__FAIL_TASK, task, (uint32_t)w->fail_code);
			return 0;
		}
		word = sched_bcast(word);
		if (sched_lane() == 0)
			sched_st(&words[task], (uint64_t)a->epoch << 32 | word, rlx, dev);
		w->prev = before = task;
		if (!sched__ran_one(w))
			return 0;
		task = next;
#ifdef __CUDACC__
		pred = next_pred;
		v = next_v;
#endif
	}
	return 1;
}

SCHED_WORKER_FN void SCHED__N(_words)(sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l)
{
	const uint32_t chains = SCHED__R(chain_count)(c);

	for (;;) {
		uint32_t ticket = 0, stop = 0;

		if (sched_lane() == 0) {
			ticket = sched_add(&w->a->state->ticket.v, 1u, rlx, dev);
			stop = sched__failed(w);
		}
		ticket = sched_bcast(ticket);
		if (ticket >= chains || sched_bcast(stop))
			return;
		if (!SCHED__N(_word_chain)(w, c, l, SCHED__R(chain_head)(c, ticket)))
			return;
		sched__settle(w);
	}
}

#undef SCHED__WORD_WATCH
