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

/* Returns the end of the tasks of a window, from the i-th on and below `end`, that run without
 * another poll or read of the clock: lanes i to the result less one are ready. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_ready_end)(
	const lsched_worker *w, const LSCHED_I_N(_epoch_tasks) * x, uint32_t i, uint32_t end)
{
	const uint32_t wait = ~x->ready >> i, left = x->next_report_at - w->finished;
	uint32_t n = wait ? lsched_i_lowest_bit(wait) : 32;

	n = n < left ? n : left;
	return n < end - i ? n + i : end;
}

/* Sets the words that the i-th task of a window receives; before: that of the preceding task. */
LSCHED_WORKER_FN void LSCHED_I_N(_epoch_set_words)(lsched_worker *w,
	const LSCHED_I_N(_epoch_tasks) * x, uint32_t i, const uint32_t *own, uint32_t before)
{
	const uint32_t lane = lsched_lane();
	uint32_t a = lsched_i_shfl(x->v[0], i), b = lsched_i_shfl(x->v[1], i);

	a = own[0] >> i & 1u ? before : a;
	b = own[1] >> i & 1u ? before : b;
	w->word0 = a;
	w->word1 = b;
	w->word = lane == 0 ? a : lane == 1 ? b : 0;
}

/* At the end of a window: adds the time waited, and reports the finished tasks if they are many.
 * Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_close)(lsched_worker *w, LSCHED_I_N(_epoch_tasks) * x)
{
	if (lsched_lane() == 0)
		w->priv->idle_ticks += x->idle;
	x->idle = 0;
	lsched_i_flush_finished(w);
	/* reading the failure flag costs a load from device memory */
	return w->finished - x->reported < LSCHED_I_POLL_TASKS || LSCHED_I_N(_epoch_report)(w, x);
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
		uint32_t stop;

		if (!(x->ready >> i & 1u) && !x->is_far)
			LSCHED_I_N(_epoch_check_near)(x);
		/* preferably while the worker waits, but not later than next_report_at */
		if (LSCHED_I_UNLIKELY(w->finished == x->next_report_at) &&
			!LSCHED_I_N(_epoch_check_clock)(w, x))
			return 0;
		if (!(x->ready >> i & 1u) && !LSCHED_I_N(_epoch_wait_for_task)(w, c, x, i))
			return 0;
		stop = LSCHED_I_N(_epoch_ready_end)(w, x, i, end);
		/* the latency overlaps with the tasks that are ready */
		if (x->is_far)
			LSCHED_I_N(_epoch_load_far)(x);
		for (; i < stop; i++) {
			const uint32_t task = lsched_i_shfl(at, i);
			uint64_t start_ns = 0;
			lsched_result r;

			LSCHED_I_N(_epoch_set_words)(w, x, i, own, *word);
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
	return LSCHED_I_N(_epoch_close)(w, x);
}
