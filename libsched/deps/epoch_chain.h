/* The scheme epoch on a GPU: a block draws chains, and a worker divides its chain into windows.
 *
 * Template text: epoch.h includes it. */

/* Sets *at to the tasks of a chain from `first` on, in the lanes from `skip` on; NONE beyond its
 * end. Assumes equal distances of their numbers, so that each lane calls the rule once. Returns 0
 * if the distances differ. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_spaced_tasks)(
	const lsched_i_args *a, const LSCHED_CTX *c, uint32_t first, uint32_t skip, uint32_t *at)
{
	const uint32_t place = lsched_lane() - skip, second = LSCHED_I_R(chain_next)(c, first);
	const uint32_t guess = first + place * (second - first);
	const uint32_t is_task = lsched_lane() >= skip && second != LSCHED_NONE && guess < a->tasks;
	const uint32_t next = LSCHED_I_R(chain_next)(c, is_task ? guess : first);
	const uint32_t follows = lsched_i_shfl_up(next, 1);
	/* lanes up to which each guess is the successor of the guess before */
	const uint32_t right =
		lsched_ballot(place == 0 || (place < 32 && is_task && follows == guess)) >> skip;
	const uint32_t n = right == 0xffffffffu ? 32 : lsched_i_lowest_bit(~right);

	*at = place < n ? guess : LSCHED_NONE;
	return n == 32 - skip || lsched_i_shfl(next, skip + n - 1) == LSCHED_NONE;
}

/* Returns the lane's task of a chain from `first` on, task by task. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_any_tasks)(const LSCHED_CTX *c, uint32_t first)
{
	uint32_t at = first;

	for (uint32_t k = lsched_lane(); k && at != LSCHED_NONE; k--)
		at = LSCHED_I_R(chain_next)(c, at);
	return at;
}

/* Executes the n-th chain. A worker executes no task while it prepares a window. Where tasks wait
 * for their neighbours in the chain above, these pauses can add up from chain to chain, depending
 * on where windows begin: in a wavefront of 68 rows a step takes 0.36 us if each row's windows
 * begin eight tasks before those of the row above, 0.31 us if they begin one task before: then a
 * worker has already made its pause when the row above pauses. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_chain)(lsched_worker *w, const LSCHED_CTX *c,
	LSCHED_LOCAL *l, LSCHED_I_N(_epoch_tasks) * x, uint32_t n)
{
	uint32_t first = LSCHED_I_R(chain_head)(c, n), before = LSCHED_NONE, word = 0, spaced;

	spaced = LSCHED_I_N(_epoch_spaced_tasks)(w->a, c, first, n % 32u, &x->at);
	if (!spaced)
		x->at = LSCHED_I_N(_epoch_any_tasks)(c, first);
	while (lsched_ballot(x->at != LSCHED_NONE)) {
		const uint32_t now = x->at, tasks = lsched_ballot(now != LSCHED_NONE);
		const uint32_t many =
			lsched_ballot(now != LSCHED_NONE && LSCHED_I_R(pred_count)(c, now) > 2);

		if (!many && !LSCHED_I_N(_epoch_window)(w, c, l, x, !spaced, &before, &word))
			return 0;
		for (uint32_t rest = many ? tasks : 0; rest; rest &= rest - 1) {
			before = lsched_i_shfl(now, lsched_i_lowest_bit(rest));
			if (!LSCHED_I_N(_epoch_step)(w, c, l, before, &word))
				return 0;
			x->next_report_at = w->finished + x->report_interval;
			if (!spaced)
				x->at = LSCHED_I_N(_epoch_next)(c, x->at, before);
		}
		if (!spaced)
			continue;
		x->at = LSCHED_NONE;
		first = LSCHED_I_R(chain_next)(c, before);
		if (first == LSCHED_NONE)
			break;
		spaced = LSCHED_I_N(_epoch_spaced_tasks)(w->a, c, first, 0, &x->at);
		if (!spaced)
			x->at = LSCHED_I_N(_epoch_any_tasks)(c, first);
	}
	return 1;
}

/* Leader: returns the next chain, or NONE if there is none or the run has failed. The worker that
 * finds the block's chains used up draws one for each worker of the block. The block's word is
 * {end, next}, all ones while a worker draws. Sets *is_far if the chain above probably belongs to
 * another block. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_draw)(
	lsched_worker *w, uint32_t chains, uint32_t *is_far)
{
	const uint32_t warp = w->index % LSCHED_WARPS_PER_BLOCK;
	const uint32_t from_here = w->a->workers - (w->index - warp);
	const uint32_t workers =
		from_here < LSCHED_WARPS_PER_BLOCK ? from_here : LSCHED_WARPS_PER_BLOCK;
	const uint64_t drawing = ~(uint64_t)0;
	uint64_t *mine = LSCHED_I_NEAR(w) + LSCHED_I_NEAR_CHAINS, t0 = 0;

	for (uint32_t spins = 0;; spins++) {
		uint64_t v = lsched_ld(mine, rlx, blk);
		const uint32_t next = (uint32_t)v;

		if (v == drawing) {
			if (lsched_i_spin_expired(w, spins, &t0))
				return LSCHED_NONE;
		} else if (next < (uint32_t)(v >> 32)) {
			if (lsched_cas(mine, &v, v + 1, rlx, blk))
				return next < chains ? next : LSCHED_NONE;
		} else if (lsched_cas(mine, &v, drawing, rlx, blk)) {
			const uint32_t first =
				lsched_add(&w->a->state->next_root.v, workers, rlx, dev);

			lsched_st(mine, (uint64_t)(first + workers) << 32 | (first + 1), rlx, blk);
			*is_far = 1;
			return first < chains ? first : LSCHED_NONE;
		}
	}
}

LSCHED_WORKER_FN void LSCHED_I_N(_epoch)(lsched_worker *w, const LSCHED_CTX *c, LSCHED_LOCAL *l)
{
	const uint32_t chains = LSCHED_I_R(chain_count)(c);
	LSCHED_I_N(_epoch_tasks) x;

	x.near = LSCHED_I_NEAR(w);
	x.far = (uint64_t *)(void *)w->a->task_words; /* nvcc loads through no const */
	x.reported = 0;
	x.next_report_at = x.report_interval = 1;
	x.idle = 0;
	for (;;) {
		uint32_t chain = LSCHED_NONE, stop = 0;

		x.is_far = 0;
		if (lsched_lane() == 0) {
			chain = LSCHED_I_N(_epoch_draw)(w, chains, &x.is_far);
			stop = lsched_i_failed(w);
		}
		chain = lsched_bcast(chain);
		x.is_far = lsched_bcast(x.is_far);
		if (chain == LSCHED_NONE || lsched_bcast(stop))
			return;
		if (!LSCHED_I_N(_epoch_chain)(w, c, l, &x, chain))
			return;
		lsched_i_flush_finished(w);
	}
}
