/* words: like static, for tasks that hand on no more than a word. A task's word and the start's epoch
 * travel together in one 8-byte relaxed store, so there is no fence, and a step of a wavefront costs
 * little more than one trip through the cache they meet in.
 *
 * What else a task writes is NOT visible to its successors; all of it is visible to the host when the
 * run is over. Chains are drawn by tickets in order, as in static.h, so the same holds: no deadlock,
 * whatever the number of workers that fit on the device.
 *
 * A GPU's worker looks 32 tasks ahead in its chain, so that a step need not wait for a look.
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

/* One task, whose predecessors' words are at hand; 0 when the run has failed. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_run)(
	sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l, uint32_t task, uint32_t *word)
{
	uint64_t *words = (uint64_t *)(void *)w->a->task_word;
	uint64_t start_ns = 0;
	uint32_t bad;
	sched_result r;

	*word = 0;
	if (w->a->trace)
		start_ns = sched_now_ns();
	r = SCHED_WORD_BODY(w, c, l, task, word);
	bad = sched_ballot(r != SCHED_DONE);
	if (bad) { /* and nothing is handed on */
		if ((bad & (0u - bad)) == 1u << sched_lane())
			sched__fail(w, SCHED__FAIL_TASK, task, (uint32_t)w->fail_code);
		return 0;
	}
	/* first, or a successor could start before this task's end */
	if (w->a->trace && sched_lane() == 0)
		sched__trace_add(w, task, start_ns);
	if (sched_lane() == 0)
		sched_st(&words[task], (uint64_t)w->a->epoch << 32 | *word, rlx, dev);
	w->prev = task;
	return 1;
}

/* Waits for all predecessors of a task, one in each lane, or in turn on the CPU, and runs it. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_step)(
	sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l, uint32_t task, uint32_t *word)
{
	const uint32_t n = SCHED__R(pred_count)(c, task);

	if (n > SCHED_WORD_PREDS) {
		if (sched_lane() == 0)
			sched__fail(w, SCHED__FAIL_PREDS, task, 0);
		return 0;
	}
#ifdef __CUDACC__
	const uint32_t pred = SCHED__N(_word_pred)(c, task, sched_lane());
	uint64_t v = SCHED__N(_word_look)(w->a, pred);

	if (!SCHED__N(_word_wait)(w, c, pred, &v))
		return 0;
	w->word = (uint32_t)v;
	w->word0 = __shfl_sync(0xffffffffu, w->word, 0);
	w->word1 = __shfl_sync(0xffffffffu, w->word, 1);
#else
	for (uint32_t k = n; k < SCHED_WORD_PREDS; k++)
		w->words[k] = 0;
	for (uint32_t k = 0; k < n; k++) {
		const uint32_t pred = SCHED__R(pred)(c, task, k);
		uint64_t v = SCHED__N(_word_look)(w->a, pred);

		if (!SCHED__N(_word_wait)(w, c, pred, &v))
			return 0;
		w->words[k] = (uint32_t)v;
	}
#endif
	return SCHED__N(_word_run)(w, c, l, task, word) && sched__ran_one(w);
}

#ifdef __CUDACC__
/* Waits for the words of the i-th task of a window and takes along what has come for the others; the
 * lanes whose words are there, or 0 when the run has failed. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_look_out)(sched_worker *w, const SCHED_CTX *c, uint32_t i,
	uint32_t p0, uint32_t p1, uint64_t *v0, uint64_t *v1)
{
	const uint32_t epoch = w->a->epoch;
	uint64_t idle = 0;
	uint32_t ready;

	for (uint32_t spins = 0;; spins++) {
		if ((uint32_t)(*v0 >> 32) != epoch)
			*v0 = SCHED__N(_word_look)(w->a, p0);
		if ((uint32_t)(*v1 >> 32) != epoch)
			*v1 = SCHED__N(_word_look)(w->a, p1);
		ready = sched_ballot(
			(uint32_t)(*v0 >> 32) == epoch && (uint32_t)(*v1 >> 32) == epoch);
		if (ready >> i & 1u)
			break;
		/* one look more or less is not worth a clock */
		if (spins == 1 && sched_lane() == 0)
			idle = sched__wait_begin(w);
		if ((spins & SCHED__WORD_WATCH) == SCHED__WORD_WATCH) {
			uint32_t stalled = SCHED__GOING, stop = 0;

			if (sched_lane() == 0) {
				stop = sched__failed(w);
				stalled = sched__watch(w);
			}
			stalled = sched_bcast(stalled);
			if (stalled != SCHED__GOING && sched_lane() == i) {
				const uint32_t p = (uint32_t)(*v0 >> 32) != epoch ? p0 : p1;

				sched__fail(w,
					stalled == SCHED__STALLED ? SCHED__FAIL_WAIT
								  : SCHED__FAIL_LIMIT,
					SCHED__N(_word_bottom)(w->a, c, p), p);
			}
			if (sched_bcast(stop) || stalled != SCHED__GOING) {
				ready = 0;
				break;
			}
		}
	}
	if (sched_lane() == 0 && idle)
		sched__wait_end(w, idle);
	return ready;
}

/* The next 32 tasks of a chain at once: lane j looks at the predecessors of the j-th, so that one look
 * tells how far the worker may go, and a step costs no trip to memory. For tasks of at most two
 * predecessors. *lane_task is this lane's, NONE beyond the end of the chain; it is moved on by 32, one
 * at a step, so that nobody waits for all of that. `before` and `word` are those of the task run last.
 * 0 when the run has failed. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_window)(sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l,
	uint32_t *lane_task, uint32_t *before, uint32_t *word)
{
	const uint32_t epoch = w->a->epoch, lane = sched_lane(), at = *lane_task;
	const uint32_t count = sched_popcount(sched_ballot(at != SCHED_NONE));
	const uint32_t left = __shfl_up_sync(0xffffffffu, at, 1);
	const uint32_t prior = lane ? left : *before;
	uint32_t p0 = SCHED_NONE, p1 = SCHED_NONE, own0, own1, ready;
	uint64_t v0, v1;

	if (at != SCHED_NONE) {
		p0 = SCHED__N(_word_pred)(c, at, 0);
		p1 = SCHED__N(_word_pred)(c, at, 1);
	}
	/* what the task before in the chain leaves is passed on in a register */
	own0 = sched_ballot(p0 != SCHED_NONE && p0 == prior);
	own1 = sched_ballot(p1 != SCHED_NONE && p1 == prior);
	p0 = own0 >> lane & 1u ? SCHED_NONE : p0;
	p1 = own1 >> lane & 1u ? SCHED_NONE : p1;
	v0 = SCHED__N(_word_look)(w->a, p0);
	v1 = SCHED__N(_word_look)(w->a, p1);
	ready = sched_ballot((uint32_t)(v0 >> 32) == epoch && (uint32_t)(v1 >> 32) == epoch);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t task = __shfl_sync(0xffffffffu, at, (int)i);
		uint32_t a, b, step;

		if (!(ready >> i & 1u)) {
			ready = SCHED__N(_word_look_out)(w, c, i, p0, p1, &v0, &v1);
			if (!ready)
				return 0;
		}
		a = __shfl_sync(0xffffffffu, (uint32_t)v0, (int)i);
		b = __shfl_sync(0xffffffffu, (uint32_t)v1, (int)i);
		a = own0 >> i & 1u ? *word : a;
		b = own1 >> i & 1u ? *word : b;
		w->word0 = a;
		w->word1 = b;
		w->word = lane == 0 ? a : lane == 1 ? b : 0;
		if (!SCHED__N(_word_run)(w, c, l, task, word))
			return 0;
		*before = task;
		/* of a task that is there, whether or not it is this lane's: no branch */
		step = SCHED__R(chain_next)(c, *lane_task == SCHED_NONE ? task : *lane_task);
		*lane_task = *lane_task == SCHED_NONE ? SCHED_NONE : step;
		/* each for itself, or long tasks would look like a hang to those who wait */
		if (!sched__ran_one(w))
			return 0;
	}
	return 1;
}

SCHED_WORKER_FN uint32_t SCHED__N(_word_chain)(
	sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l, uint32_t head)
{
	uint32_t at = head, before = SCHED_NONE, word = 0;

	for (uint32_t k = sched_lane(); k && at != SCHED_NONE; k--)
		at = SCHED__R(chain_next)(c, at);
	while (sched_ballot(at != SCHED_NONE)) {
		const uint32_t now = at;
		const uint32_t many =
			sched_ballot(at != SCHED_NONE && SCHED__R(pred_count)(c, at) > 2);

		if (!many && !SCHED__N(_word_window)(w, c, l, &at, &before, &word))
			return 0;
		for (uint32_t i = 0; many && i < 32; i++) {
			const uint32_t task = __shfl_sync(0xffffffffu, now, (int)i);

			if (task == SCHED_NONE)
				break;
			if (!SCHED__N(_word_step)(w, c, l, task, &word))
				return 0;
			before = task;
			at = at == SCHED_NONE ? at : SCHED__R(chain_next)(c, at);
		}
	}
	return 1;
}
#else
SCHED_WORKER_FN uint32_t SCHED__N(_word_chain)(
	sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l, uint32_t head)
{
	uint32_t word = 0;

	for (uint32_t task = head; task != SCHED_NONE; task = SCHED__R(chain_next)(c, task))
		if (!SCHED__N(_word_step)(w, c, l, task, &word))
			return 0;
	return 1;
}
#endif

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
