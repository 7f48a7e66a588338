/* The scheme words on a GPU: a worker's way through a chain, 32 tasks at a time.
 *
 * What a step costs: shared memory answers in a tenth of the time of the memory that all blocks share, but
 * one warp alone needs several clocks for every instruction, and a look at the clock costs as many as
 * half a step. So what can be done once a window, or once for the tasks that are ready together, is
 * done so, and what can wait until the worker has to wait does.
 *
 * Template text, from words.h. */

/* Looks near between two looks far, for a worker whose last word came near. */
enum { SCHED__N(_near_looks) = 32 };

/* What a lane waits for is a mark: the number of a task, plus one. There is no such task as: */
#define SCHED__MARK_NONE 0xffffffffu

/* A window of a chain: lane j has the j-th task, and what it waits for. */
typedef struct SCHED__N(_word_view) {
	uint64_t *near, *far;
	uint32_t at;        /* this lane's task; NONE: none */
	uint32_t mark[2];   /* of its predecessors whose words have not come; MARK_NONE: none */
	uint64_t *place[2]; /* where they would be, near */
	uint32_t v[2];      /* the words */
	uint32_t ready;     /* the lanes that wait for nothing */
	uint32_t is_far;    /* the last word came from another block */
	uint32_t told;      /* of the tasks it has run, those told of */
	uint32_t look_at;   /* when it has run so many it looks at the clock, */
	uint32_t pace;      /* and again after so many */
	uint64_t e[2];      /* what was asked for far */
	uint64_t idle;      /* time waited, which the desk does not know of yet */
} SCHED__N(_word_view);

/* Looks near for what has not come yet, and sees who waits for nothing more. */
SCHED_WORKER_FN void SCHED__N(_words_near)(SCHED__N(_word_view) * x)
{
	uint64_t e[2];

	for (int k = 0; k < 2; k++)
		e[k] = sched__near_ld(x->place[k]);
	for (int k = 0; k < 2; k++) {
		const int here = (uint32_t)(e[k] >> 32) == x->mark[k];

		x->v[k] = here ? (uint32_t)e[k] : x->v[k];
		x->mark[k] = here ? SCHED__MARK_NONE : x->mark[k];
	}
	x->ready = sched_ballot((x->mark[0] & x->mark[1]) == SCHED__MARK_NONE);
}

/* Asks far; the answers are a trip through memory away. */
SCHED_WORKER_FN void SCHED__N(_words_ask)(SCHED__N(_word_view) * x)
{
	for (int k = 0; k < 2; k++)
		x->e[k] = x->mark[k] == SCHED__MARK_NONE
				  ? 0
				  : sched_ld(&x->far[x->mark[k] - 1], rlx, dev);
}

/* Takes the answers. */
SCHED_WORKER_FN void SCHED__N(_words_far)(const sched__args *a, SCHED__N(_word_view) * x)
{
	for (int k = 0; k < 2; k++) {
		/* an epoch is never 0 */
		const int here =
			x->mark[k] != SCHED__MARK_NONE && (uint32_t)(x->e[k] >> 32) == a->epoch;

		x->v[k] = here ? (uint32_t)x->e[k] : x->v[k];
		x->mark[k] = here ? SCHED__MARK_NONE : x->mark[k];
	}
	x->ready = sched_ballot((x->mark[0] & x->mark[1]) == SCHED__MARK_NONE);
}

/* Waits for the words of the i-th task of a window and takes along what has come for the others; 0 when
 * the run has failed. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_look_out)(
	sched_worker *w, const SCHED_CTX *c, SCHED__N(_word_view) * x, uint32_t i)
{
	uint64_t idle = 0;
	uint32_t ok = 1;

	for (uint32_t rounds = 0;; rounds++) {
#pragma unroll 1
		for (uint32_t k = x->is_far ? SCHED__N(_near_looks) : 0;
			k < SCHED__N(_near_looks) && !(x->ready >> i & 1u); k++)
			SCHED__N(_words_near)(x);
		if (x->ready >> i & 1u)
			break;
		SCHED__N(_words_ask)(x);
		/* by then they may be near, too: they are better looked for there */
		if (!x->is_far)
			SCHED__N(_words_near)(x);
		if (x->ready >> i & 1u)
			break;
		SCHED__N(_words_far)(w->a, x);
		if (x->ready >> i & 1u) {
			x->is_far = 1;
			break;
		}
		/* one round more or less is not worth a clock */
		if (rounds == 1) {
			idle = sched__ticks();
			if (sched_lane() == 0)
				(void)sched__wait_begin(w);
		}
		if (SCHED__SELDOM((rounds & SCHED__WORD_WATCH) == SCHED__WORD_WATCH)) {
			uint32_t stalled = SCHED__GOING, stop = 0;

			if (sched_lane() == 0) {
				stop = sched__failed(w);
				stalled = sched__watch(w);
			}
			stalled = sched_bcast(stalled);
			if (stalled != SCHED__GOING && sched_lane() == i) {
				const uint32_t mark =
					x->mark[0] != SCHED__MARK_NONE ? x->mark[0] : x->mark[1];
				const uint32_t p = mark - 1;

				sched__fail(w,
					stalled == SCHED__STALLED ? SCHED__FAIL_WAIT
								  : SCHED__FAIL_LIMIT,
					SCHED__N(_word_bottom)(w->a, c, p), p);
			}
			if (sched_bcast(stop) || stalled != SCHED__GOING) {
				ok = 0;
				break;
			}
		}
	}
	if (idle)
		x->idle += sched__ticks() - idle;
	return ok;
}

/* One task on in a chain, in a lane that has one; `any` is a task that there is: no branch. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_next)(const SCHED_CTX *c, uint32_t task, uint32_t any)
{
	const uint32_t next = SCHED__R(chain_next)(c, task == SCHED_NONE ? any : task);

	return task == SCHED_NONE ? SCHED_NONE : next;
}

/* What the tasks of a window wait for; what the task before in the chain leaves is not among it, for
 * that is passed on in a register: own[k] are the lanes whose k-th predecessor it is. */
SCHED_WORKER_FN void SCHED__N(_word_open)(
	const SCHED_CTX *c, SCHED__N(_word_view) * x, uint32_t before, uint32_t *own)
{
	const uint32_t left = __shfl_up_sync(0xffffffffu, x->at, 1);
	/* lanes before the first have no task */
	const uint32_t prior = sched_lane() && left != SCHED_NONE ? left : before;

	for (uint32_t k = 0; k < 2; k++) {
		uint32_t p = SCHED_NONE;

		if (x->at != SCHED_NONE)
			p = SCHED__N(_word_pred)(c, x->at, k);
		own[k] = sched_ballot(p != SCHED_NONE && p == prior);
		x->place[k] = &x->near[p & SCHED__NEAR_MASK];
		x->mark[k] = p == SCHED_NONE || p == prior ? SCHED__MARK_NONE : p + 1;
		x->v[k] = 0;
	}
}

/* Tells of the tasks that are done; 0 when the run has failed. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_tell)(sched_worker *w, SCHED__N(_word_view) * x)
{
	x->told = w->ran;
	return sched__report(w);
}

/* Looks at the clock, and tells at once if the tasks since the last time were long. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_glance)(sched_worker *w, SCHED__N(_word_view) * x)
{
	const uint32_t slow = sched_bcast(sched_lane() == 0 && sched__slow(w));

	x->pace = slow ? 1 : x->pace < 32 ? 2 * x->pace : 32;
	x->look_at = w->ran + x->pace;
	return !slow || SCHED__N(_word_tell)(w, x);
}

/* The tasks of a window at once: lane j looks at the predecessors of the j-th, so that one look tells
 * how far the worker may go, and a step costs no trip to memory. For tasks of at most two predecessors.
 * `before` and `word` are those of the task run last. With `walk` each lane's task moves on by 32, one
 * at a step, so that nobody waits for all of that. 0 when the run has failed.
 *
 * A step is two dozen instructions, and one warp alone needs several clocks for each. So what can be is
 * done once a window, or once for the tasks that are ready together, and telling of tasks waits for the
 * end of a window; but for long tasks, or they would look like a hang to those who wait. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_window)(sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l,
	SCHED__N(_word_view) * x, uint32_t walk, uint32_t *before, uint32_t *word)
{
	const uint32_t lane = sched_lane(), at = x->at, trace = w->a->trace;
	const uint32_t tasks = sched_ballot(at != SCHED_NONE);
	/* each lane publishes its own task's word */
	uint64_t *const near = &x->near[at & SCHED__NEAR_MASK],
			*const far = &x->far[at == SCHED_NONE ? 0 : at];
	const uint64_t mark = (uint64_t)(at + 1) << 32, epoch = (uint64_t)w->a->epoch << 32;
	uint32_t own[2], waits, i = (uint32_t)__ffs((int)tasks) - 1;
	const uint32_t end = i + sched_popcount(tasks);

	SCHED__N(_word_open)(c, x, *before, own);
	waits = sched_ballot((x->mark[0] & x->mark[1]) != SCHED__MARK_NONE);
	SCHED__N(_words_near)(x);
	if (waits & x->ready)
		x->is_far = 0;
	while (i < end) {
		uint32_t wait, stop;

		if (!(x->ready >> i & 1u) && !x->is_far)
			SCHED__N(_words_near)(x);
		/* best while there is nothing else to do; but no later */
		if (SCHED__SELDOM(w->ran == x->look_at) && !SCHED__N(_word_glance)(w, x))
			return 0;
		if (!(x->ready >> i & 1u) && !SCHED__N(_word_look_out)(w, c, x, i))
			return 0;
		/* these need no look */
		wait = ~x->ready >> i;
		stop = wait ? (uint32_t)__ffs((int)wait) - 1 : 32;
		stop = stop < x->look_at - w->ran ? stop : x->look_at - w->ran;
		stop = stop < end - i ? stop + i : end;
		/* those behind these are asked for in time */
		if (x->is_far)
			SCHED__N(_words_ask)(x);
		for (; i < stop; i++) {
			const uint32_t task = __shfl_sync(0xffffffffu, at, (int)i);
			uint32_t a = __shfl_sync(0xffffffffu, x->v[0], (int)i);
			uint32_t b = __shfl_sync(0xffffffffu, x->v[1], (int)i);
			uint64_t start_ns = 0;
			sched_result r;

			a = own[0] >> i & 1u ? *word : a;
			b = own[1] >> i & 1u ? *word : b;
			w->word0 = a;
			w->word1 = b;
			w->word = lane == 0 ? a : lane == 1 ? b : 0;
			*word = 0;
			if (trace)
				start_ns = sched_now_ns();
			r = SCHED_WORD_BODY(w, c, l, task, word);
			if (SCHED__SELDOM(sched_ballot(r != SCHED_DONE) | trace | walk)) {
				if (!SCHED__N(_word_seldom)(w, r, task, start_ns))
					return 0;
				if (walk)
					x->at = SCHED__N(_word_next)(c, x->at, task);
			}
			sched__near_st_if(lane == i, near, mark | *word);
			sched__far_st_if(lane == i, far, epoch | *word);
			*before = w->prev = task;
			w->ran++;
		}
		if (x->is_far)
			SCHED__N(_words_far)(w->a, x);
	}
	if (sched_lane() == 0)
		w->desk->idle_ticks += x->idle;
	x->idle = 0;
	sched__settle(w);
	/* to hear of failures takes a trip to memory */
	return w->ran - x->told < 16 * SCHED__SETTLE_TASKS || SCHED__N(_word_tell)(w, x);
}

/* The tasks of a chain from `first` on, one a lane from lane `skip` on, NONE beyond its end. Tried is
 * that they are evenly spaced: then all lanes together have to ask the rule but once. 0: they are not. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_even)(
	const sched__args *a, const SCHED_CTX *c, uint32_t first, uint32_t skip, uint32_t *at)
{
	const uint32_t place = sched_lane() - skip, second = SCHED__R(chain_next)(c, first);
	const uint32_t guess = first + place * (second - first);
	const uint32_t is_task = sched_lane() >= skip && second != SCHED_NONE && guess < a->tasks;
	const uint32_t next = SCHED__R(chain_next)(c, is_task ? guess : first);
	const uint32_t told = __shfl_up_sync(0xffffffffu, next, 1);
	/* in these lanes and all between them and the first, the task is what the one before says */
	const uint32_t right =
		sched_ballot(place == 0 || (place < 32 && is_task && told == guess)) >> skip;
	const uint32_t n = right == 0xffffffffu ? 32 : (uint32_t)__ffs((int)~right) - 1;

	*at = place < n ? guess : SCHED_NONE;
	return n == 32 - skip || __shfl_sync(0xffffffffu, next, (int)(skip + n - 1)) == SCHED_NONE;
}

/* The same, task by task. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_odd)(const SCHED_CTX *c, uint32_t first)
{
	uint32_t at = first;

	for (uint32_t k = sched_lane(); k && at != SCHED_NONE; k--)
		at = SCHED__R(chain_next)(c, at);
	return at;
}

/* The n-th chain. A worker cannot go on while it makes a new window. Where tasks wait for their
 * neighbours in the chain before, such stops may add up from chain to chain, so it matters where windows
 * begin: in a wavefront of 68 rows 0.36 us a step when each row's begin eight tasks before those of
 * the last, 0.31 when it is one. Then who waits for a stopped worker has its own stop behind it. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_chain)(
	sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l, SCHED__N(_word_view) * x, uint32_t n)
{
	uint32_t first = SCHED__R(chain_head)(c, n), before = SCHED_NONE, word = 0, even;

	even = SCHED__N(_word_even)(w->a, c, first, n % 32u, &x->at);
	if (!even)
		x->at = SCHED__N(_word_odd)(c, first);
	while (sched_ballot(x->at != SCHED_NONE)) {
		const uint32_t now = x->at, tasks = sched_ballot(now != SCHED_NONE);
		const uint32_t many =
			sched_ballot(now != SCHED_NONE && SCHED__R(pred_count)(c, now) > 2);

		if (!many && !SCHED__N(_word_window)(w, c, l, x, !even, &before, &word))
			return 0;
		for (uint32_t rest = many ? tasks : 0; rest; rest &= rest - 1) {
			before = __shfl_sync(0xffffffffu, now, __ffs((int)rest) - 1);
			if (!SCHED__N(_word_step)(w, c, l, before, &word))
				return 0;
			x->look_at = w->ran + x->pace;
			if (!even)
				x->at = SCHED__N(_word_next)(c, x->at, before);
		}
		if (!even)
			continue;
		x->at = SCHED_NONE;
		first = SCHED__R(chain_next)(c, before);
		if (first == SCHED_NONE)
			break;
		even = SCHED__N(_word_even)(w->a, c, first, 0, &x->at);
		if (!even)
			x->at = SCHED__N(_word_odd)(c, first);
	}
	return 1;
}

/* Leader. The next chain, NONE when there is none or the run has failed. Whoever finds the block's
 * chains used up draws as many as the block has workers; the word is {end, next}, and all ones while
 * that goes on. *is_far: those before it are probably another block's. */
SCHED_WORKER_FN uint32_t SCHED__N(_word_draw)(sched_worker *w, uint32_t chains, uint32_t *is_far)
{
	const uint32_t warp = w->index % SCHED_WARPS_PER_BLOCK;
	const uint32_t from_here = w->a->workers - (w->index - warp);
	const uint32_t workers =
		from_here < SCHED_WARPS_PER_BLOCK ? from_here : SCHED_WARPS_PER_BLOCK;
	const uint64_t drawing = ~(uint64_t)0;
	uint64_t *mine = SCHED__NEAR(w) + SCHED__NEAR_CHAINS, t0 = 0;

	for (uint32_t spins = 0;; spins++) {
		uint64_t v = sched_ld(mine, rlx, blk);
		const uint32_t next = (uint32_t)v;

		if (v == drawing) {
			if (sched__spin_over(w, spins, &t0))
				return SCHED_NONE;
		} else if (next < (uint32_t)(v >> 32)) {
			if (sched_cas(mine, &v, v + 1, rlx, blk))
				return next < chains ? next : SCHED_NONE;
		} else if (sched_cas(mine, &v, drawing, rlx, blk)) {
			const uint32_t first = sched_add(&w->a->state->ticket.v, workers, rlx, dev);

			sched_st(mine, (uint64_t)(first + workers) << 32 | (first + 1), rlx, blk);
			*is_far = 1;
			return first < chains ? first : SCHED_NONE;
		}
	}
}

SCHED_WORKER_FN void SCHED__N(_words)(sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l)
{
	const uint32_t chains = SCHED__R(chain_count)(c);
	SCHED__N(_word_view) x;

	x.near = SCHED__NEAR(w);
	x.far = (uint64_t *)(void *)w->a->task_word; /* nvcc loads through no const */
	x.told = 0;
	x.look_at = x.pace = 1;
	x.idle = 0;
	for (;;) {
		uint32_t chain = SCHED_NONE, stop = 0;

		x.is_far = 0;
		if (sched_lane() == 0) {
			chain = SCHED__N(_word_draw)(w, chains, &x.is_far);
			stop = sched__failed(w);
		}
		chain = sched_bcast(chain);
		x.is_far = sched_bcast(x.is_far);
		if (chain == SCHED_NONE || sched_bcast(stop))
			return;
		if (!SCHED__N(_word_chain)(w, c, l, &x, chain))
			return;
		sched__settle(w);
	}
}

#undef SCHED__MARK_NONE
