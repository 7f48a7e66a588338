/* The worker's loop of an item program. Template text: generate_items.h includes it for each program.
 *
 * A turn pops up to 32 items of the procedure that has most waiting, newest first, runs them, and now
 * and then shares: when somebody is hungry, the oldest items go to the queue. Before a turn every stack
 * is given room for all that the turn may make, so that making an item is one addition in fast memory
 * and cannot fail. */

#if SCHED__IS_LANE
#ifdef __CUDACC__
#define SCHED__AT_ONCE 32u
#else
#define SCHED__AT_ONCE ((uint32_t)SCHED_CPU_LANES)
#endif
/* A thread that is one lane has few items, and its oldest ones are large. */
#define SCHED__SHARE_MIN (SCHED__AT_ONCE > 1u ? 8u : 1u)
#else
#define SCHED__AT_ONCE   1u
#define SCHED__SHARE_MIN 1u
#endif

/* A gift that took so many ticks (some 20 us) was slow: after it a worker keeps to its own work for so many
 * times as long. */
#define SCHED__SHARE_SLOW  40000u
#define SCHED__SHARE_PAUSE 8u

/* What a turn may make besides what is there, a chunk to come, and a chunk to go. */
#define SCHED__STACK_NEED (SCHED__AT_ONCE * (SCHED_MAX_SPAWN + 1u) + SCHED__CHUNK_ITEMS)
SCHED__STATIC_ASSERT((SCHED_STACK & (SCHED_STACK - 1)) == 0 && SCHED_STACK >= SCHED__STACK_NEED,
	"SCHED_STACK must be a power of two with room for what a turn makes");

SCHED_WORKER_FN void SCHED__N(_items_begin)(
	sched_items *x, sched_worker *w, unsigned char *area, uint32_t warp)
{
	x->w = w;
	x->level = (sched__level *)(area + SCHED__USER_BYTES);
	x->stack = (uint32_t *)(x->level + 1);
	x->cap = SCHED_STACK;
	x->words = SCHED__WORDS;
#ifdef __CUDACC__
	x->thread_all = warp * 32u + sched_lane();
	x->threads_all = 32u * SCHED_GROUP_WARPS;
	x->thread = SCHED__IS_LANE ? 0 : x->thread_all;
	x->threads = SCHED__IS_LANE ? 1 : x->threads_all;
#else
	(void)warp;
	x->thread = x->thread_all = 0;
	x->threads = x->threads_all = 1;
#endif
	x->op = SCHED__REDUCE_OP;
	x->reduce = SCHED__REDUCE_FN;
	x->value = 0;
	x->join_free = 0;
	x->join_word = SCHED_NONE;
}

/* What every thread leaves behind: its share of the run's value, places of joins it did not need. */
SCHED_WORKER_FN void SCHED__N(_items_end)(sched_items *x)
{
	uint64_t v = x->value;

	if (x->join_free)
		sched__bits_give(&x->w->a->join_busy[x->join_word], x->join_free);
#ifdef __CUDACC__
	for (int k = 16; k; k /= 2)
		v = sched__op_pair(x, v, __shfl_down_sync(0xffffffffu, v, k));
#endif
	if (sched_lane() == 0 && v)
		sched__op_into(x, &x->w->a->state->value, v);
}

/* Runs the popped items; the lanes that failed, as bits. */
SCHED_WORKER_FN uint32_t SCHED__N(_items_run)(sched_items *x, const SCHED_CTX *c, SCHED_LOCAL *l,
	uint32_t proc, uint32_t first, uint32_t n)
{
	sched_result r = SCHED_DONE;
	SCHED_ITEM item;

#if SCHED__IS_LANE && !defined(__CUDACC__)
	/* a worker that stands for many lanes: each has its item before any of them makes another */
	uint32_t all[SCHED_CPU_LANES][SCHED__WORDS];

	for (uint32_t k = 0; k < n; k++)
		sched__level_get(x, proc, first + k, all[k]);
	x->level->top[proc] = first;
	for (uint32_t k = 0; k < n && r == SCHED_DONE; k++) {
		memcpy(&item, all[k], sizeof(item));
		r = SCHED_BODY(x, c, l, proc, item);
	}
	return r != SCHED_DONE;
#else
	const uint32_t k = SCHED__IS_LANE ? sched_lane() : 0;
	uint32_t v[SCHED__ITEM_WORDS_MAX];

	if (k < n) {
		sched__level_get(x, proc, first + k, v);
		memcpy(&item, v, sizeof(item));
	}
	sched_sync_worker();
	if (sched_lane() == 0)
		x->level->top[proc] = first;
#if SCHED_GROUP_WARPS > 1 && defined(__CUDACC__)
	if (sched_lane() == 0) {
		for (uint32_t j = 0; j < SCHED__WORDS; j++)
			x->level->item[j] = v[j];
		x->level->proc = proc;
		x->level->go = 1;
		x->level->bad = 0;
	}
	sched__group_sync(x->w->pair, x->threads_all);
#endif
	sched_sync_worker();
	if (k < n)
		r = SCHED_BODY(x, c, l, proc, item);
#if SCHED_GROUP_WARPS > 1 && defined(__CUDACC__)
	sched__group_sync(x->w->pair, x->threads_all);
	if (x->level->bad)
		r = SCHED_FAIL;
#endif
	sched_sync_worker();
	return sched_ballot(r != SCHED_DONE);
#endif
}

/* Up to 32 roots onto the stacks; 0 when there are no more. */
SCHED_WORKER_FN uint32_t SCHED__N(_items_roots)(
	sched_items *x, const SCHED_CTX *c, uint32_t *more_roots)
{
	sched_worker *w = x->w;
	const sched__args *a = w->a;
	/* few roots are spread over many workers */
	uint32_t each = a->tasks / a->workers, first = 0, n;

	each = each < 1 ? 1 : each > SCHED__AT_ONCE ? SCHED__AT_ONCE : each;
	if (sched_lane() == 0)
		first = sched_add(&a->state->ticket.v, each, rlx, dev);
	first = sched_bcast(first);
	if (first >= a->tasks || sched_bcast(sched__failed(w))) {
		*more_roots = 0;
		return 0;
	}
	n = a->tasks - first < each ? a->tasks - first : each;
	for (uint32_t k = sched_lane(); k < n; k += SCHED_LANES) {
		SCHED_ITEM item;
		const uint32_t proc = SCHED_ROOT(c, first + k, &item);

		sched_emit(x, proc, &item);
	}
	w->ran += n;
	sched_sync_worker();
	return n;
}

/* Makes room on a stack: its oldest items become a chunk of the worker's own, or, where that list is
 * full, go to the queue. 0 when the run has failed. */
SCHED_WORKER_FN uint32_t SCHED__N(_items_make_room)(sched_items *x, uint32_t proc, uint32_t *bottom,
	uint32_t n, uint32_t own_bottom, uint32_t *own_top)
{
	const uint32_t chunk = sched__chunk_fill(x, proc, *bottom, n, 1);

	if (chunk == SCHED_NONE) {
		if (sched_lane() == 0)
			sched__fail(x->w, SCHED__FAIL_CHUNKS, SCHED_NONE, 0);
		return 0;
	}
	*bottom += n;
	if (*own_top - own_bottom < x->w->a->own_places) {
		if (sched_lane() == 0)
			*sched__chunk_own(x, *own_top) = chunk;
		++*own_top;
		return 1;
	}
	(void)sched__chunk_push(x, chunk, 1);
	return !sched_bcast(sched__failed(x->w));
}

/* Somebody is hungry: gives the oldest chunk there is, or makes one. Who looks into the queue asks for
 * one chunk, and a gift answers one such question, so that a slow taker does not make everybody give. */
SCHED_WORKER_FN void SCHED__N(_items_share)(
	sched_items *x, uint32_t proc, uint32_t *bottom, uint32_t *own_bottom, uint32_t own_top)
{
	const uint32_t rounds = sched__queue_kind(x->w->queue) == SCHED__KIND_rounds;
	uint32_t chunk = 0, n = 0, given, asked = 1;

	if (own_top == *own_bottom) {
		const uint32_t count = x->level->top[proc] - *bottom;

		if (SCHED__AT_ONCE > 1)
			n = count > SCHED__AT_ONCE ? count - SCHED__AT_ONCE : 0;
		else
			n = count / 2;
		n = n < SCHED__CHUNK_ITEMS ? n : SCHED__CHUNK_ITEMS;
		if (n < SCHED__SHARE_MIN)
			return;
	}
	if (!rounds) {
		if (sched_lane() == 0) {
			asked = (int32_t)sched_add(
					&x->w->a->state->hungry.v, 0xffffffffu, rlx, dev) > 0;
			if (!asked)
				(void)sched_add(&x->w->a->state->hungry.v, 1u, rlx, dev);
		}
		if (!sched_bcast(asked))
			return;
	}
	if (n == 0) {
		if (sched_lane() == 0)
			chunk = *sched__chunk_own(x, *own_bottom);
		given = sched__chunk_push(x, sched_bcast(chunk), 0);
		*own_bottom += given;
	} else {
		chunk = sched__chunk_fill(x, proc, *bottom, n, 0);
		given = chunk != SCHED_NONE && sched__chunk_push(x, chunk, 0);
		if (given)
			*bottom += n;
		else if (chunk != SCHED_NONE && sched_lane() == 0)
			sched__bits_give(&x->w->a->chunk_busy[chunk / 32u], 1u << (chunk & 31u));
	}
	if (!given && !rounds && sched_lane() == 0)
		(void)sched_add(&x->w->a->state->hungry.v, 1u, rlx, dev);
}

SCHED_WORKER_FN void SCHED__N(_items)(sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l)
{
	const sched__args *a = w->a;
	uint32_t bottom[SCHED_PROCS], own_bottom = 0, own_top = 0, more_roots = 1, waits = 0,
				      told = 0;
	uint64_t done = 0;
	sched_items x;

	/* tickets go on over the rounds of a run; asked for in vain in each, they would come round again */
	if (sched__queue_kind(w->queue) == SCHED__KIND_rounds)
		more_roots = sched_bcast(sched_ld(&a->state->ticket.v, rlx, dev)) < a->tasks;
	SCHED__N(_items_begin)(&x, w, (unsigned char *)l, 0);
	for (uint32_t q = 0; q < SCHED_PROCS; q++) {
		bottom[q] = 0;
		if (sched_lane() == 0)
			x.level->top[q] = 0;
	}
	sched_sync_worker();
	for (uint32_t turn = 1;; turn++) {
		uint32_t proc = 0, most = 0, n, hungry = 0, bad, first = 0, over = 0;
		uint64_t start_ns = 0;

		for (uint32_t q = 0; q < SCHED_PROCS; q++) {
			const uint32_t top = x.level->top[q], count = top - bottom[q];

			if (count && count >= most) {
				most = count;
				proc = q;
				first = top;
			}
		}
		/* A batch that is too small waits a while for company. */
		if (most < SCHED_MIN_BATCH && most && !more_roots && own_top == own_bottom &&
			waits != SCHED_BATCH_WAIT) {
			sched__batch b;

			waits++;
			if (sched__queue_pop_n(w, &b, 1)) {
				waits = 0;
				w->ran++;
				sched__chunk_open(&x, sched__batch_first(&b));
			} else if (sched_lane() == 0) {
				sched__relax(waits, a->workers);
			}
			sched_sync_worker();
			continue;
		}
		waits = 0;
		if (most == 0 || (most < SCHED_MIN_BATCH && own_top != own_bottom)) {
			uint32_t chunk = SCHED_NONE;

			if (own_top != own_bottom) {
				own_top--;
				if (sched_lane() == 0)
					chunk = *sched__chunk_own(&x, own_top);
				sched__chunk_open(&x, sched_bcast(chunk));
				continue;
			}
			chunk = sched__own_pop(w);
			if (chunk == SCHED_NONE && more_roots &&
				SCHED__N(_items_roots)(&x, c, &more_roots))
				continue;
			if (chunk == SCHED_NONE)
				chunk = sched__take(w);
			if (chunk == SCHED_NONE)
				break;
			w->ran++;
			sched__chunk_open(&x, chunk);
			continue;
		}
		n = most < SCHED__AT_ONCE ? most : SCHED__AT_ONCE;
		for (uint32_t q = 0; q < SCHED_PROCS && !over; q++) {
			for (;;) {
				const uint32_t stay =
					x.level->top[q] - bottom[q] - (q == proc ? n : 0);

				if (stay + n * SCHED_MAX_SPAWN <= SCHED_STACK)
					break;
				if (!SCHED__N(_items_make_room)(&x, q, &bottom[q],
					    stay < SCHED__CHUNK_ITEMS ? stay : SCHED__CHUNK_ITEMS,
					    own_bottom, &own_top)) {
					over = 1;
					break;
				}
			}
		}
		if (over)
			break;
		/* asked for here, needed after the body: nobody waits for the answer */
		if (turn % 4 == 0 && sched_lane() == 0 && sched__ticks() >= w->desk->share_after)
			hungry = sched_ld(&a->state->hungry.v, rlx, dev);
		if (a->trace)
			start_ns = sched_now_ns();
		/* the words of all workers stand side by side: seldom written, nobody waits for a line */
		if (a->now && told != proc + 1 && sched_lane() == 0)
			sched_st(&a->now[w->index], proc + 1, rlx, sys);
		told = proc + 1;

		bad = SCHED__N(_items_run)(&x, c, l, proc, first - n, n);

		if (bad) {
			if ((bad & (0u - bad)) == 1u << sched_lane())
				sched__fail(w, SCHED__FAIL_ITEM, proc, (uint32_t)w->fail_code);
			break;
		}
		done += n;
		if (a->trace && sched_lane() == 0)
			sched__trace_add(w, n, start_ns);
		for (uint32_t q = 0; q < SCHED_PROCS; q++)
			over |= x.level->top[q] - bottom[q] > SCHED_STACK;
		if (over) {
			if (sched_lane() == 0)
				sched__fail(w, SCHED__FAIL_SPAWN, proc, 0);
			break;
		}
		if (turn % SCHED__SETTLE_TASKS == 0 ||
			sched_bcast(sched_lane() == 0 ? sched__slow(w) : 0)) {
			uint32_t stop = 0;

			if (sched_lane() == 0) {
				(void)sched_add(&a->state->beat.v, 1u, rlx, dev);
				stop = sched__failed(w);
			}
			if (sched_bcast(stop))
				break;
		}
		/* where work goes in rounds, nobody waits, but the next round shall have some for all */
		if (turn % 4 == 0 && (sched__queue_kind(w->queue) == SCHED__KIND_rounds
						     ? own_top != own_bottom
						     : sched_bcast((int32_t)hungry > 0))) {
			uint64_t begin = 0;

			if (sched_lane() == 0)
				begin = sched__ticks();
			SCHED__N(_items_share)(&x, proc, &bottom[proc], &own_bottom, own_top);
			/* Where the queue is slow, giving must not become all that is done. */
			if (sched_lane() == 0) {
				const uint64_t end = sched__ticks();

				if (end - begin > SCHED__SHARE_SLOW)
					w->desk->share_after =
						end + (end - begin) * SCHED__SHARE_PAUSE;
			}
		}
	}
	if (sched_lane() == 0) {
		w->desk->n[SCHED__N_TASKS] = done;
		sched__chunk_return(w);
	}
#if SCHED_GROUP_WARPS > 1 && defined(__CUDACC__)
	if (sched_lane() == 0)
		x.level->go = 0;
	sched__group_sync(w->pair, x.threads_all);
#endif
	SCHED__N(_items_end)(&x);
#if SCHED_GROUP_WARPS > 1 && defined(__CUDACC__)
	sched__group_sync(w->pair, x.threads_all); /* the others have left their values too */
#endif
}

#if SCHED_GROUP_WARPS > 1 && defined(__CUDACC__)
/* The other warps of a block item's worker. */
SCHED_WORKER_FN void SCHED__N(_items_help)(
	sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l, uint32_t warp)
{
	sched_items x;

	SCHED__N(_items_begin)(&x, w, (unsigned char *)l, warp);
	for (;;) {
		SCHED_ITEM item;

		sched__group_sync(w->pair, x.threads_all);
		if (!x.level->go)
			break;
		memcpy(&item, x.level->item, sizeof(item));
		if (SCHED_BODY(&x, c, l, x.level->proc, item) != SCHED_DONE) {
			sched__fail(w, SCHED__FAIL_ITEM, x.level->proc, (uint32_t)w->fail_code);
			x.level->bad = 1;
		}
		sched__group_sync(w->pair, x.threads_all);
	}
	SCHED__N(_items_end)(&x);
	sched__group_sync(w->pair, x.threads_all);
}
#endif

#undef SCHED__AT_ONCE
#undef SCHED__SHARE_MIN
#undef SCHED__SHARE_SLOW
#undef SCHED__SHARE_PAUSE
#undef SCHED__STACK_NEED
