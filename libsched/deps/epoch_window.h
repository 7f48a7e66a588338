/* The scheme epoch on a GPU: a worker's way through a chain, 32 tasks at a time.
 *
 * What a step costs: shared memory answers in a tenth of the time of the memory that all blocks
 * share, but one warp alone needs several clocks for every instruction, and a look at the clock
 * costs as many as half a step. So what can be done once a window, or once for the tasks that are
 * ready together, is done so, and what can wait until the worker has to wait does.
 *
 * Template text, from epoch.h. */

/* Looks near between two looks far, for a worker whose last word came near. */
enum { LSCHED_I_N(_near_looks) = 32 };

/* What a lane waits for is a mark: the number of a task, plus one. There is no such task as: */
#define LSCHED_I_MARK_NONE 0xffffffffu

/* A window of a chain: lane j has the j-th task, and what it waits for. */
typedef struct LSCHED_I_N(_epoch_view) {
	uint64_t *near, *far;
	uint32_t at;        /* this lane's task; NONE: none */
	uint32_t mark[2];   /* of its predecessors whose words have not come; MARK_NONE: none */
	uint64_t *place[2]; /* where they would be, near */
	uint32_t v[2];      /* the words */
	uint32_t ready;     /* the lanes that wait for nothing */
	uint32_t is_far;    /* the last word came from another block */
	uint32_t reported;  /* value of `finished` at the last report */
	uint32_t next_report_at;  /* value of `finished` at the next look at the clock */
	uint32_t report_interval; /* tasks from there to the one after */
	uint64_t e[2];            /* what was asked for far */
	uint64_t idle;            /* time waited, not yet added to priv.idle_ticks */
} LSCHED_I_N(_epoch_view);

/* Reads the missing words from the block's table, and finds the lanes that are ready. */
LSCHED_WORKER_FN void LSCHED_I_N(_epoch_near)(LSCHED_I_N(_epoch_view) * x)
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

/* Asks far; the answers are a trip through memory away. */
LSCHED_WORKER_FN void LSCHED_I_N(_epoch_ask)(LSCHED_I_N(_epoch_view) * x)
{
	for (int k = 0; k < 2; k++)
		x->e[k] = x->mark[k] == LSCHED_I_MARK_NONE
				  ? 0
				  : lsched_ld(&x->far[x->mark[k] - 1], rlx, dev);
}

/* Takes the answers. */
LSCHED_WORKER_FN void LSCHED_I_N(_epoch_far)(const lsched_i_args *a, LSCHED_I_N(_epoch_view) * x)
{
	for (int k = 0; k < 2; k++) {
		/* an epoch is never 0 */
		const int here =
			x->mark[k] != LSCHED_I_MARK_NONE && (uint32_t)(x->e[k] >> 32) == a->epoch;

		x->v[k] = here ? (uint32_t)x->e[k] : x->v[k];
		x->mark[k] = here ? LSCHED_I_MARK_NONE : x->mark[k];
	}
	x->ready = lsched_ballot((x->mark[0] & x->mark[1]) == LSCHED_I_MARK_NONE);
}

/* Waits for the words of the i-th task of a window and takes along what has come for the others; 0
 * when the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_look_out)(
	lsched_worker *w, const LSCHED_CTX *c, LSCHED_I_N(_epoch_view) * x, uint32_t i)
{
	uint64_t idle = 0;
	uint32_t ok = 1;

	for (uint32_t rounds = 0;; rounds++) {
#pragma unroll 1
		for (uint32_t k = x->is_far ? LSCHED_I_N(_near_looks) : 0;
			k < LSCHED_I_N(_near_looks) && !(x->ready >> i & 1u); k++)
			LSCHED_I_N(_epoch_near)(x);
		if (x->ready >> i & 1u)
			break;
		LSCHED_I_N(_epoch_ask)(x);
		/* by then they may be near, too: they are better looked for there */
		if (!x->is_far)
			LSCHED_I_N(_epoch_near)(x);
		if (x->ready >> i & 1u)
			break;
		LSCHED_I_N(_epoch_far)(w->a, x);
		if (x->ready >> i & 1u) {
			x->is_far = 1;
			break;
		}
		/* one round more or less is not worth a clock */
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

				lsched_i_fail(w,
					stalled == LSCHED_I_STALLED ? LSCHED_I_FAIL_WAIT
								    : LSCHED_I_FAIL_LIMIT,
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

/* One task on in a chain, in a lane that has one; `any` is a task that there is: no branch. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_next)(const LSCHED_CTX *c, uint32_t task, uint32_t any)
{
	const uint32_t next = LSCHED_I_R(chain_next)(c, task == LSCHED_NONE ? any : task);

	return task == LSCHED_NONE ? LSCHED_NONE : next;
}

/* What the tasks of a window wait for; what the task before in the chain leaves is not among it,
 * for that is passed on in a register: own[k] are the lanes whose k-th predecessor it is. */
LSCHED_WORKER_FN void LSCHED_I_N(_epoch_open)(
	const LSCHED_CTX *c, LSCHED_I_N(_epoch_view) * x, uint32_t before, uint32_t *own)
{
	const uint32_t left = lsched_i_shfl_up(x->at, 1);
	/* lanes before the first have no task */
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

/* Reports the finished tasks; 0 when the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_report)(lsched_worker *w, LSCHED_I_N(_epoch_view) * x)
{
	x->reported = w->finished;
	return lsched_i_report(w);
}

/* Looks at the clock, and reports if the tasks since the last look were long. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_check_clock)(
	lsched_worker *w, LSCHED_I_N(_epoch_view) * x)
{
	const uint32_t over = lsched_bcast(lsched_lane() == 0 && lsched_i_interval_over(w));

	x->report_interval = lsched_i_next_interval(x->report_interval, over, LSCHED_LANES);
	x->next_report_at = w->finished + x->report_interval;
	return !over || LSCHED_I_N(_epoch_report)(w, x);
}

/* The tasks of a window at once: lane j looks at the predecessors of the j-th, so that one look
 * tells how far the worker may go, and a step costs no trip to memory. For tasks of at most two
 * predecessors. `before` and `word` are those of the task run last. With `walk` each lane's task
 * moves on by 32, one at a step, which spreads its cost. 0 when the run has failed.
 *
 * A step is two dozen instructions, and one warp alone needs several clocks for each. So as
 * much as possible is done once a window, or once for the tasks that are ready together, and tasks
 * are reported at the end of a window; long tasks earlier, or waiting workers would take them for a
 * hang. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_window)(lsched_worker *w, const LSCHED_CTX *c,
	LSCHED_LOCAL *l, LSCHED_I_N(_epoch_view) * x, uint32_t walk, uint32_t *before,
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
	LSCHED_I_N(_epoch_near)(x);
	if (waits & x->ready)
		x->is_far = 0;
	while (i < end) {
		uint32_t wait, stop;

		if (!(x->ready >> i & 1u) && !x->is_far)
			LSCHED_I_N(_epoch_near)(x);
		/* best while there is nothing else to do; but no later */
		if (LSCHED_I_UNLIKELY(w->finished == x->next_report_at) &&
			!LSCHED_I_N(_epoch_check_clock)(w, x))
			return 0;
		if (!(x->ready >> i & 1u) && !LSCHED_I_N(_epoch_look_out)(w, c, x, i))
			return 0;
		/* these need no look */
		wait = ~x->ready >> i;
		stop = wait ? lsched_i_lowest_bit(wait) : 32;
		stop = stop < x->next_report_at - w->finished ? stop
							      : x->next_report_at - w->finished;
		stop = stop < end - i ? stop + i : end;
		/* those behind these are asked for in time */
		if (x->is_far)
			LSCHED_I_N(_epoch_ask)(x);
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
			if (LSCHED_I_UNLIKELY(lsched_ballot(r != LSCHED_DONE) | trace | walk)) {
				if (!LSCHED_I_N(_epoch_slow_path)(w, r, task, start_ns))
					return 0;
				if (walk)
					x->at = LSCHED_I_N(_epoch_next)(c, x->at, task);
			}
			lsched_i_near_st_if(lane == i, near, mark | *word);
			lsched_i_far_st_if(lane == i, far, epoch | *word);
			*before = w->prev = task;
			w->finished++;
		}
		if (x->is_far)
			LSCHED_I_N(_epoch_far)(w->a, x);
	}
	if (lsched_lane() == 0)
		w->priv->idle_ticks += x->idle;
	x->idle = 0;
	lsched_i_flush_finished(w);
	/* to hear of failures takes a trip to memory */
	return w->finished - x->reported < LSCHED_I_POLL_TASKS || LSCHED_I_N(_epoch_report)(w, x);
}

/* The tasks of a chain from `first` on, one a lane from lane `skip` on, NONE beyond its end. Tried
 * is that they are evenly spaced: then all lanes together have to ask the rule but once. 0: they
 * are not. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_even)(
	const lsched_i_args *a, const LSCHED_CTX *c, uint32_t first, uint32_t skip, uint32_t *at)
{
	const uint32_t place = lsched_lane() - skip, second = LSCHED_I_R(chain_next)(c, first);
	const uint32_t guess = first + place * (second - first);
	const uint32_t is_task = lsched_lane() >= skip && second != LSCHED_NONE && guess < a->tasks;
	const uint32_t next = LSCHED_I_R(chain_next)(c, is_task ? guess : first);
	const uint32_t follows = lsched_i_shfl_up(next, 1);
	/* in these lanes and all between them and the first, the guess is the task that follows */
	const uint32_t right =
		lsched_ballot(place == 0 || (place < 32 && is_task && follows == guess)) >> skip;
	const uint32_t n = right == 0xffffffffu ? 32 : lsched_i_lowest_bit(~right);

	*at = place < n ? guess : LSCHED_NONE;
	return n == 32 - skip || lsched_i_shfl(next, skip + n - 1) == LSCHED_NONE;
}

/* The same, task by task. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_odd)(const LSCHED_CTX *c, uint32_t first)
{
	uint32_t at = first;

	for (uint32_t k = lsched_lane(); k && at != LSCHED_NONE; k--)
		at = LSCHED_I_R(chain_next)(c, at);
	return at;
}

/* The n-th chain. A worker cannot go on while it makes a new window. Where tasks wait for their
 * neighbours in the chain before, such stops may add up from chain to chain, so it matters where
 * windows begin: in a wavefront of 68 rows 0.36 us a step when each row's begin eight tasks before
 * those of the last, 0.31 when it is one. Then a worker that waits for a stopped
 * one has already made its own stop. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_epoch_chain)(lsched_worker *w, const LSCHED_CTX *c,
	LSCHED_LOCAL *l, LSCHED_I_N(_epoch_view) * x, uint32_t n)
{
	uint32_t first = LSCHED_I_R(chain_head)(c, n), before = LSCHED_NONE, word = 0, even;

	even = LSCHED_I_N(_epoch_even)(w->a, c, first, n % 32u, &x->at);
	if (!even)
		x->at = LSCHED_I_N(_epoch_odd)(c, first);
	while (lsched_ballot(x->at != LSCHED_NONE)) {
		const uint32_t now = x->at, tasks = lsched_ballot(now != LSCHED_NONE);
		const uint32_t many =
			lsched_ballot(now != LSCHED_NONE && LSCHED_I_R(pred_count)(c, now) > 2);

		if (!many && !LSCHED_I_N(_epoch_window)(w, c, l, x, !even, &before, &word))
			return 0;
		for (uint32_t rest = many ? tasks : 0; rest; rest &= rest - 1) {
			before = lsched_i_shfl(now, lsched_i_lowest_bit(rest));
			if (!LSCHED_I_N(_epoch_step)(w, c, l, before, &word))
				return 0;
			x->next_report_at = w->finished + x->report_interval;
			if (!even)
				x->at = LSCHED_I_N(_epoch_next)(c, x->at, before);
		}
		if (!even)
			continue;
		x->at = LSCHED_NONE;
		first = LSCHED_I_R(chain_next)(c, before);
		if (first == LSCHED_NONE)
			break;
		even = LSCHED_I_N(_epoch_even)(w->a, c, first, 0, &x->at);
		if (!even)
			x->at = LSCHED_I_N(_epoch_odd)(c, first);
	}
	return 1;
}

/* Leader. The next chain, NONE when there is none or the run has failed. The worker that finds
 * the block's chains used up draws as many as the block has workers; the word is {end, next}, and
 * all ones while that goes on. *is_far: those before it are probably another block's. */
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
	LSCHED_I_N(_epoch_view) x;

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

#undef LSCHED_I_MARK_NONE
