/* The scheme epoch on a GPU: a worker executes a chain in windows of 32 tasks. Lane j loads the
 * words of the predecessors of the j-th task.
 *
 * Cost of a step: a load from shared memory (near) takes a tenth of the time of a load from device
 * memory (far), but a single warp needs several clocks for each instruction, and a read of the
 * clock costs as much as half a step. So the loop does as much as possible once per window, or once
 * for all tasks that are ready together, and defers the rest until the worker has to wait.
 *
 * Template text: epoch.h includes it. */

/* Polls of the near table between two polls of far memory, if the last word was in the table. */
enum { LSCHED_I_N(_near_polls) = 32 };

/* A mark is a predecessor's number plus one; a lane waits for the predecessors of its marks. */
#define LSCHED_I_MARK_NONE 0xffffffffu

/* A window of a chain; each lane has the variables of its task. */
typedef struct LSCHED_I_N(_epoch_tasks) {
	uint64_t *near, *far;
	uint32_t at;              /* the lane's task, or NONE */
	uint32_t mark[2];         /* its predecessors without a word yet; else MARK_NONE */
	uint64_t *place[2];       /* their entries in the near table */
	uint32_t v[2];            /* the predecessors' words */
	uint32_t ready;           /* lanes whose words have all been loaded */
	uint32_t is_far;          /* the last word was published by another block */
	uint32_t reported;        /* value of `finished` at the last report */
	uint32_t next_report_at;  /* value of `finished` at the next read of the clock */
	uint32_t report_interval; /* tasks between that look and the next */
	uint64_t e[2];            /* results of load_far */
	uint64_t idle;            /* time waited, not yet added to priv.idle_ticks */
} LSCHED_I_N(_epoch_tasks);

/* Reads the missing words from the block's table, and determines the ready lanes. */
LSCHED_WORKER_FN void LSCHED_I_N(_epoch_check_near)(LSCHED_I_N(_epoch_tasks) * x)
{
	uint64_t e[2];

	for (int k = 0; k < 2; k++)
		e[k] = lsched_i_near_ld(x->place[k]);
	for (int k = 0; k < 2; k++) {
		const int here = (uint32_t)(e[k] >> 32) == x->mark[k];

		x->v[k] = here ? (uint32_t)e[k] : x->v[k];
		x->mark[k] = here ? LSCHED_I_MARK_NONE : x->mark[k];
	}
	x->ready = lsched_ballot((x->mark[0] & x->mark[1]) == LSCHED_I_MARK_NONE);
}

/* Loads the missing words from far memory; check_far uses the results after the latency. */
LSCHED_WORKER_FN void LSCHED_I_N(_epoch_load_far)(LSCHED_I_N(_epoch_tasks) * x)
{
	for (int k = 0; k < 2; k++)
		x->e[k] = x->mark[k] == LSCHED_I_MARK_NONE
				  ? 0
				  : lsched_ld(&x->far[x->mark[k] - 1], rlx, dev);
}

/* Uses the results of load_far, and determines the ready lanes. */
LSCHED_WORKER_FN void LSCHED_I_N(_epoch_check_far)(
	const lsched_i_args *a, LSCHED_I_N(_epoch_tasks) * x)
{
	for (int k = 0; k < 2; k++) {
		/* an unused e[k] is 0, which is no epoch */
		const int here =
			x->mark[k] != LSCHED_I_MARK_NONE && (uint32_t)(x->e[k] >> 32) == a->epoch;

		x->v[k] = here ? (uint32_t)x->e[k] : x->v[k];
		x->mark[k] = here ? LSCHED_I_MARK_NONE : x->mark[k];
	}
	x->ready = lsched_ballot((x->mark[0] & x->mark[1]) == LSCHED_I_MARK_NONE);
}

/* Waits for the words of the i-th task of a window, and reads those of the others that are there.
 * Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_wait_for_task)(
	lsched_worker *w, const LSCHED_CTX *c, LSCHED_I_N(_epoch_tasks) * x, uint32_t i)
{
	uint64_t idle = 0;
	uint32_t ok = 1;

	for (uint32_t rounds = 0;; rounds++) {
#pragma unroll 1
		for (uint32_t k = x->is_far ? LSCHED_I_N(_near_polls) : 0;
			k < LSCHED_I_N(_near_polls) && !(x->ready >> i & 1u); k++)
			LSCHED_I_N(_epoch_check_near)(x);
		if (x->ready >> i & 1u)
			break;
		LSCHED_I_N(_epoch_load_far)(x);
		/* meanwhile they may be in the table, which answers sooner */
		if (!x->is_far)
			LSCHED_I_N(_epoch_check_near)(x);
		if (x->ready >> i & 1u)
			break;
		LSCHED_I_N(_epoch_check_far)(w->a, x);
		if (x->ready >> i & 1u) {
			x->is_far = 1;
			break;
		}
		/* a wait of one poll is shorter than a read of the clock */
		if (rounds == 1) {
			idle = lsched_i_ticks();
			if (lsched_lane() == 0)
				(void)lsched_i_wait_begin(w);
		}
		if (LSCHED_I_UNLIKELY((rounds & LSCHED_I_WORD_WATCH) == LSCHED_I_WORD_WATCH)) {
			uint32_t stalled = LSCHED_I_PROGRESS, stop = 0;

			if (lsched_lane() == 0) {
				stop = lsched_i_failed(w);
				stalled = lsched_i_watchdog(w);
			}
			stalled = lsched_bcast(stalled);
			if (stalled != LSCHED_I_PROGRESS && lsched_lane() == i) {
				const uint32_t mark =
					x->mark[0] != LSCHED_I_MARK_NONE ? x->mark[0] : x->mark[1];
				const uint32_t p = mark - 1;

				lsched_i_fail(w, lsched_i_wait_failure(stalled, LSCHED_I_FAIL_WAIT),
					LSCHED_I_N(_epoch_bottom)(w->a, c, p), p);
			}
			if (lsched_bcast(stop) || stalled != LSCHED_I_PROGRESS) {
				ok = 0;
				break;
			}
		}
	}
	if (idle)
		x->idle += lsched_i_ticks() - idle;
	return ok;
}

/* Returns the successor of `task` in its chain. `any`: an existing task, for lanes without one, so
 * that there is no branch. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_next)(const LSCHED_CTX *c, uint32_t task, uint32_t any)
{
	const uint32_t next = LSCHED_I_R(chain_next)(c, task == LSCHED_NONE ? any : task);

	return task == LSCHED_NONE ? LSCHED_NONE : next;
}

/* Sets the marks of a window. The word of the preceding task of the chain is passed in a register
 * instead: own[k] are the lanes whose k-th predecessor is that task. */
LSCHED_WORKER_FN void LSCHED_I_N(_epoch_open)(
	const LSCHED_CTX *c, LSCHED_I_N(_epoch_tasks) * x, uint32_t before, uint32_t *own)
{
	const uint32_t left = lsched_i_shfl_up(x->at, 1);
	/* lanes below the first task have none */
	const uint32_t prior = lsched_lane() && left != LSCHED_NONE ? left : before;

	for (uint32_t k = 0; k < 2; k++) {
		uint32_t p = LSCHED_NONE;

		if (x->at != LSCHED_NONE)
			p = LSCHED_I_N(_epoch_pred)(c, x->at, k);
		own[k] = lsched_ballot(p != LSCHED_NONE && p == prior);
		x->place[k] = &x->near[p & LSCHED_I_NEAR_MASK];
		x->mark[k] = p == LSCHED_NONE || p == prior ? LSCHED_I_MARK_NONE : p + 1;
		x->v[k] = 0;
	}
}

/* Reports the finished tasks. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_report)(lsched_worker *w, LSCHED_I_N(_epoch_tasks) * x)
{
	x->reported = w->finished;
	return lsched_i_report(w);
}

/* Reads the clock, and reports if the tasks since the last read were long. Returns 0 if the run has
 * failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_check_clock)(
	lsched_worker *w, LSCHED_I_N(_epoch_tasks) * x)
{
	const uint32_t over = lsched_bcast(lsched_lane() == 0 && lsched_i_interval_over(w));

	x->report_interval = lsched_i_next_interval(w, x->report_interval, over, LSCHED_LANES);
	x->next_report_at = w->finished + x->report_interval;
	return !(over || w->a->limit_ns) || LSCHED_I_N(_epoch_report)(w, x);
}

/* Executes the tasks of a window, which have at most two predecessors each. One poll determines how
 * many tasks can run, so a step has no memory latency. `before` and `word` are those of the
 * preceding task. With `advance` each lane moves to the task 32 places ahead, one place per step,
 * which spreads the cost. Tasks are reported at the end of the window; long tasks earlier, because
 * the watchdogs of waiting workers would report them as a hang. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_window)(lsched_worker *w, const LSCHED_CTX *c,
	LSCHED_LOCAL *l, LSCHED_I_N(_epoch_tasks) * x, uint32_t advance, uint32_t *before,
	uint32_t *word)
{
	const uint32_t lane = lsched_lane(), at = x->at, trace = w->a->trace;
	const uint32_t tasks = lsched_ballot(at != LSCHED_NONE);
	/* each lane publishes its own task's word */
	uint64_t *const near = &x->near[at & LSCHED_I_NEAR_MASK],
			*const far = &x->far[at == LSCHED_NONE ? 0 : at];
	const uint64_t mark = (uint64_t)(at + 1) << 32, epoch = (uint64_t)w->a->epoch << 32;
	uint32_t own[2], waits, i = lsched_i_lowest_bit(tasks);
	const uint32_t end = i + lsched_popcount(tasks);

	LSCHED_I_N(_epoch_open)(c, x, *before, own);
	waits = lsched_ballot((x->mark[0] & x->mark[1]) != LSCHED_I_MARK_NONE);
	LSCHED_I_N(_epoch_check_near)(x);
	if (waits & x->ready)
		x->is_far = 0;
	while (i < end) {
		uint32_t wait, stop;

		if (!(x->ready >> i & 1u) && !x->is_far)
			LSCHED_I_N(_epoch_check_near)(x);
		/* preferably while the worker waits, but not later than next_report_at */
		if (LSCHED_I_UNLIKELY(w->finished == x->next_report_at) &&
			!LSCHED_I_N(_epoch_check_clock)(w, x))
			return 0;
		if (!(x->ready >> i & 1u) && !LSCHED_I_N(_epoch_wait_for_task)(w, c, x, i))
			return 0;
		/* lanes i to stop-1 are ready */
		wait = ~x->ready >> i;
		stop = wait ? lsched_i_lowest_bit(wait) : 32;
		stop = stop < x->next_report_at - w->finished ? stop
							      : x->next_report_at - w->finished;
		stop = stop < end - i ? stop + i : end;
		/* the latency overlaps with the tasks that are ready */
		if (x->is_far)
			LSCHED_I_N(_epoch_load_far)(x);
		for (; i < stop; i++) {
			const uint32_t task = lsched_i_shfl(at, i);
			uint32_t a = lsched_i_shfl(x->v[0], i);
			uint32_t b = lsched_i_shfl(x->v[1], i);
			uint64_t start_ns = 0;
			lsched_result r;

			a = own[0] >> i & 1u ? *word : a;
			b = own[1] >> i & 1u ? *word : b;
			w->word0 = a;
			w->word1 = b;
			w->word = lane == 0 ? a : lane == 1 ? b : 0;
			*word = 0;
			if (trace)
				start_ns = lsched_now_ns();
			r = LSCHED_WORD_BODY(w, c, l, task, word);
			if (LSCHED_I_UNLIKELY(lsched_ballot(r != LSCHED_DONE) | trace | advance)) {
				if (!LSCHED_I_N(_epoch_slow_path)(w, r, task, start_ns))
					return 0;
				if (advance)
					x->at = LSCHED_I_N(_epoch_next)(c, x->at, task);
			}
			lsched_i_near_st_if(lane == i, near, mark | *word);
			lsched_i_far_st_if(lane == i, far, epoch | *word);
			*before = w->prev = task;
			w->finished++;
		}
		lsched_i_mark_finished(w, w->finished);
		if (x->is_far)
			LSCHED_I_N(_epoch_check_far)(w->a, x);
	}
	if (lsched_lane() == 0)
		w->priv->idle_ticks += x->idle;
	x->idle = 0;
	lsched_i_flush_finished(w);
	/* reading the failure flag costs a load from device memory */
	return w->finished - x->reported < LSCHED_I_POLL_TASKS || LSCHED_I_N(_epoch_report)(w, x);
}

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
