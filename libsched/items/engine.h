/* The worker's loop of an item program. Template text: generate_items.h includes it for each
 * program.
 *
 * A turn pops up to 32 items of the procedure with the most items on its stack, newest first, and
 * runs them. When an idle worker has requested a chunk, the oldest items are enqueued. Before a
 * turn the worker makes room on every stack for all items that the turn may emit, so that emitting
 * an item is one addition in fast memory and cannot fail. */

#if LSCHED_I_IS_LANE
#if LSCHED_LANES > 1
#define LSCHED_I_AT_ONCE LSCHED_LANES
#else
#define LSCHED_I_AT_ONCE ((uint32_t)LSCHED_CPU_LANES)
#endif
/* A CPU thread has few items, and its oldest ones are large subtrees. */
#define LSCHED_I_SHARE_MIN (LSCHED_I_AT_ONCE > 1u ? 8u : 1u)
#else
#define LSCHED_I_AT_ONCE   1u
#define LSCHED_I_SHARE_MIN 1u
#endif

/* An enqueue that took more than SLOW ticks (some 20 us) was slow: after it a worker serves no
 * request for PAUSE times as long. */
#define LSCHED_I_SHARE_SLOW  40000u
#define LSCHED_I_SHARE_PAUSE 8u

/* Items that a turn may emit, a chunk that may be unpacked, and a chunk that may be filled. */
#define LSCHED_I_STACK_NEED (LSCHED_I_AT_ONCE * (LSCHED_MAX_SPAWN + 1u) + LSCHED_I_CHUNK_ITEMS)
LSCHED_I_STATIC_ASSERT(
	(LSCHED_STACK & (LSCHED_STACK - 1)) == 0 && LSCHED_STACK >= LSCHED_I_STACK_NEED,
	"LSCHED_STACK must be a power of two with room for what a turn makes");

LSCHED_WORKER_FN void LSCHED_I_N(_items_begin)(
	lsched_i_items *x, lsched_worker *w, unsigned char *area, uint32_t warp)
{
	x->w = w;
	x->level = (lsched_i_level *)(area + LSCHED_I_USER_BYTES);
	x->stack = (uint32_t *)(x->level + 1);
	x->cap = LSCHED_STACK;
	x->words = LSCHED_I_WORDS;
#if LSCHED_I_GPU
	x->thread_all = warp * LSCHED_LANES + lsched_lane();
	x->threads_all = LSCHED_LANES * LSCHED_GROUP_WARPS;
	x->thread = LSCHED_I_IS_LANE ? 0 : x->thread_all;
	x->threads = LSCHED_I_IS_LANE ? 1 : x->threads_all;
#else
	(void)warp;
	x->thread = x->thread_all = 0;
	x->threads = x->threads_all = 1;
#endif
	x->op = LSCHED_I_REDUCE_OP;
	x->reduce = LSCHED_I_REDUCE_FN;
	x->value = 0;
	x->join_free = 0;
	x->join_word = LSCHED_NONE;
}

/* Each thread, at the end: adds its part of the run's value and releases its unused joins. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_end)(lsched_i_items *x)
{
	uint64_t v = x->value;

	if (x->join_free)
		lsched_i_bitmap_release(&x->w->a->items_join_bitmap[x->join_word], x->join_free);
	for (uint32_t k = LSCHED_LANES / 2; k; k /= 2)
		v = lsched_i_op_pair(x, v, lsched_i_shfl_down(v, k));
	if (lsched_lane() == 0 && v)
		lsched_i_op_into(x, &x->w->a->state->value, v);
}

/* Runs the popped items. Returns the lanes that failed, one bit each. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_run)(LSCHED_ITEMS *items, const LSCHED_CTX *c,
	LSCHED_LOCAL *l, uint32_t proc, uint32_t first, uint32_t n)
{
	lsched_i_items *x = &items->any;
	lsched_result r = LSCHED_DONE;
	LSCHED_I_ITEM_TYPE item;

#if LSCHED_I_IS_LANE && !LSCHED_I_GPU
	/* a CPU worker that runs several lanes: all pop their items before any of them emits
	 * one */
	uint32_t all[LSCHED_CPU_LANES][LSCHED_I_WORDS];

	for (uint32_t k = 0; k < n; k++)
		lsched_i_level_get(x, proc, first + k, all[k]);
	x->level->top[proc] = first;
	for (uint32_t k = 0; k < n && r == LSCHED_DONE; k++) {
		memcpy(&item, all[k], sizeof(item));
		r = LSCHED_BODY(items, c, l, proc, item);
	}
	return r != LSCHED_DONE;
#else
	const uint32_t k = LSCHED_I_IS_LANE ? lsched_lane() : 0;
	uint32_t v[LSCHED_I_ITEM_WORDS_MAX];

	if (k < n) {
		lsched_i_level_get(x, proc, first + k, v);
		memcpy(&item, v, sizeof(item));
	}
	lsched_sync_worker();
	if (lsched_lane() == 0)
		x->level->top[proc] = first;
#if LSCHED_GROUP_WARPS > 1 && LSCHED_I_GPU
	if (lsched_lane() == 0) {
		for (uint32_t j = 0; j < LSCHED_I_WORDS; j++)
			x->level->item[j] = v[j];
		x->level->proc = proc;
		x->level->go = 1;
		x->level->bad = 0;
	}
	lsched_i_group_sync(x->w->pair, x->threads_all);
#endif
	lsched_sync_worker();
	if (k < n)
		r = LSCHED_BODY(items, c, l, proc, item);
#if LSCHED_GROUP_WARPS > 1 && LSCHED_I_GPU
	lsched_i_group_sync(x->w->pair, x->threads_all);
	if (x->level->bad)
		r = LSCHED_FAIL;
#endif
	lsched_sync_worker();
	return lsched_ballot(r != LSCHED_DONE);
#endif
}

/* Pushes up to 32 roots on the stacks. Returns 0 when there are no more. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_roots)(
	lsched_i_items *x, const LSCHED_CTX *c, uint32_t *more_roots)
{
	lsched_worker *w = x->w;
	const lsched_i_args *a = w->a;
	/* a few roots are distributed among many workers */
	uint32_t each = a->tasks / a->workers, first = 0, n;

	each = each < 1 ? 1 : each > LSCHED_I_AT_ONCE ? LSCHED_I_AT_ONCE : each;
	if (lsched_lane() == 0)
		first = lsched_add(&a->state->next_root.v, each, rlx, dev);
	first = lsched_bcast(first);
	if (first >= a->tasks || lsched_bcast(lsched_i_failed(w))) {
		*more_roots = 0;
		return 0;
	}
	n = a->tasks - first < each ? a->tasks - first : each;
	for (uint32_t k = lsched_lane(); k < n; k += LSCHED_LANES) {
		LSCHED_I_ITEM_TYPE item;
		const uint32_t proc = LSCHED_ROOT(c, first + k, &item);

		lsched_i_emit(x, proc, &item, LSCHED_I_WORDS);
	}
	w->finished += n;
	lsched_sync_worker();
	return n;
}

#include "libsched/items/sharing.h"

/* Selects the procedure with the most items, the last of equals. Returns the number of items. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_choose)(
	const lsched_i_items *x, const LSCHED_I_N(_items_loop) * p, uint32_t *proc, uint32_t *first)
{
	uint32_t most = 0;

	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		const uint32_t top = x->level->top[q], count = top - p->bottom[q];

		if (count && count >= most) {
			most = count;
			*proc = q;
			*first = top;
		}
	}
	return most;
}

/* One turn of a worker that accumulates a batch: dequeues a chunk if there is one. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_accumulate)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	lsched_worker *w = x->w;
	lsched_i_batch b;

	p->waits++;
	if (lsched_i_queue_pop_n(w, &b, 1)) {
		p->waits = 0;
		w->finished++;
		lsched_i_chunk_unpack(x, lsched_i_batch_first(&b));
	} else if (lsched_lane() == 0) {
		lsched_i_relax(p->waits, w->a->workers);
	}
	lsched_sync_worker();
}

/* Pushes items on the empty stacks: the newest local chunk, roots, or a chunk from the queue, for
 * which it waits. Returns 0 when all items are finished or the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_refill)(
	lsched_i_items *x, const LSCHED_CTX *c, LSCHED_I_N(_items_loop) * p)
{
	lsched_worker *w = x->w;
	uint32_t chunk = LSCHED_NONE;

	if (p->local_top != p->local_bottom) {
		p->local_top--;
		if (lsched_lane() == 0)
			chunk = *lsched_i_local_chunk(x, p->local_top);
		lsched_i_chunk_unpack(x, lsched_bcast(chunk));
		return 1;
	}
	chunk = lsched_i_spill_pop(w);
	if (chunk == LSCHED_NONE && p->more_roots && LSCHED_I_N(_items_roots)(x, c, &p->more_roots))
		return 1;
	if (chunk == LSCHED_NONE)
		chunk = lsched_i_dequeue(w);
	if (chunk == LSCHED_NONE)
		return 0;
	w->finished++;
	lsched_i_chunk_unpack(x, chunk);
	return 1;
}

/* Makes room on every stack for all that n items of `proc` may emit. Returns 0 if the run has
 * failed. The return from inside the loops makes trees of items 4 to 20 % faster on an H200 than
 * one exit, but takes up to nine registers more: LSCHED_MIN_BLOCKS bounds them. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_reserve)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t proc, uint32_t n)
{
	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		for (;;) {
			const uint32_t stay = x->level->top[q] - p->bottom[q] - (q == proc ? n : 0);

			if (stay + n * LSCHED_MAX_SPAWN <= LSCHED_STACK)
				break;
			if (!LSCHED_I_N(_items_make_room)(x, q, &p->bottom[q],
				    stay < LSCHED_I_CHUNK_ITEMS ? stay : LSCHED_I_CHUNK_ITEMS,
				    p->local_bottom, &p->local_top))
				return 0;
		}
	}
	return 1;
}

/* After n items of `proc`: failures and the timeline. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_check)(lsched_i_items *x,
	const LSCHED_I_N(_items_loop) * p, uint32_t proc, uint32_t n, uint32_t bad,
	uint64_t start_ns)
{
	lsched_worker *w = x->w;
	uint32_t over = 0;

	if (bad) {
		if ((bad & (0u - bad)) == 1u << lsched_lane())
			lsched_i_fail(w, LSCHED_I_FAIL_ITEM, proc, (uint32_t)w->fail_code);
		return 0;
	}
	if (w->a->trace && lsched_lane() == 0)
		lsched_i_trace_add(w, n, start_ns);
	for (uint32_t q = 0; q < LSCHED_PROCS; q++)
		over |= x->level->top[q] - p->bottom[q] > LSCHED_STACK;
	if (over && lsched_lane() == 0)
		lsched_i_fail(w, LSCHED_I_FAIL_SPAWN, proc, 0);
	return !over;
}

/* At intervals: changes the heartbeat and reads the failure flag. Returns 0 if the run has
 * failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_report)(lsched_worker *w, uint32_t turn)
{
	uint32_t stop = 0;

	if (turn % LSCHED_I_FLUSH_TASKS != 0 &&
		!lsched_bcast(lsched_lane() == 0 ? lsched_i_interval_over(w) : 0))
		return 1;
	if (lsched_lane() == 0) {
		(void)lsched_add(&w->a->state->items.heartbeat.v, 1u, rlx, dev);
		stop = lsched_i_failed(w);
	}
	return !lsched_bcast(stop);
}

/* Executes turns until all items are finished or the run has failed. Returns the number of
 * items. */
LSCHED_WORKER_FN uint64_t LSCHED_I_N(_items_turns)(
	LSCHED_ITEMS *items, const LSCHED_CTX *c, LSCHED_LOCAL *l, LSCHED_I_N(_items_loop) * p)
{
	lsched_i_items *const x = &items->any;
	lsched_worker *const w = x->w;
	const lsched_i_args *a = w->a;
	uint64_t done = 0;

	for (uint32_t turn = 1;; turn++) {
		uint32_t proc = 0, first = 0, n, requests = 0, bad;
		const uint32_t most = LSCHED_I_N(_items_choose)(x, p, &proc, &first);
		uint64_t start_ns = 0;

		if (most < LSCHED_MIN_BATCH && most && !p->more_roots &&
			p->local_top == p->local_bottom && p->waits != LSCHED_BATCH_WAIT) {
			LSCHED_I_N(_items_accumulate)(x, p);
			continue;
		}
		p->waits = 0;
		if (most == 0 || (most < LSCHED_MIN_BATCH && p->local_top != p->local_bottom)) {
			if (!LSCHED_I_N(_items_refill)(x, c, p))
				break;
			continue;
		}
		n = most < LSCHED_I_AT_ONCE ? most : LSCHED_I_AT_ONCE;
		if (!LSCHED_I_N(_items_reserve)(x, p, proc, n))
			break;
		/* loaded before the body and used after it: the load's latency is hidden */
		if (turn % 4 == 0 && lsched_lane() == 0 &&
			lsched_i_ticks() >= w->priv->items_share_after_ticks)
			requests = lsched_ld(&a->state->items.chunk_requests.v, rlx, dev);
		if (a->trace)
			start_ns = lsched_now_ns();
		/* the words of all workers share lines, but they are rarely written */
		if (a->current_task && p->published != proc + 1 && lsched_lane() == 0)
			lsched_st(&a->current_task[w->index], proc + 1, rlx, sys);
		p->published = proc + 1;

		bad = LSCHED_I_N(_items_run)(items, c, l, proc, first - n, n);

		if (!LSCHED_I_N(_items_check)(x, p, proc, n, bad, start_ns))
			break;
		done += n;
		if (!LSCHED_I_N(_items_report)(w, turn))
			break;
		/* with rounds no worker requests chunks, but each needs items in the next round */
		if (turn % 4 == 0 && (lsched_i_queue_has(w->queue, LSCHED_I_CAP_ROUNDS)
						     ? p->local_top != p->local_bottom
						     : lsched_bcast((int32_t)requests > 0)))
			LSCHED_I_N(_items_serve)(x, p, proc);
	}
	return done;
}

LSCHED_WORKER_FN void LSCHED_I_N(_items_worker)(
	lsched_worker *w, const LSCHED_CTX *c, LSCHED_LOCAL *l)
{
	LSCHED_I_N(_items_loop) p;
	uint64_t done;
	LSCHED_ITEMS items;
	lsched_i_items *const x = &items.any;

	p.local_bottom = p.local_top = p.waits = p.published = 0;
	p.more_roots = 1;
	/* root numbers continue over the rounds of a run; a draw without a root in each round
	 * would wrap around */
	if (lsched_i_queue_has(w->queue, LSCHED_I_CAP_ROUNDS))
		p.more_roots =
			lsched_bcast(lsched_ld(&w->a->state->next_root.v, rlx, dev)) < w->a->tasks;
	LSCHED_I_N(_items_begin)(x, w, (unsigned char *)l, 0);
	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		p.bottom[q] = 0;
		if (lsched_lane() == 0)
			x->level->top[q] = 0;
	}
	lsched_sync_worker();
	done = LSCHED_I_N(_items_turns)(&items, c, l, &p);
	if (lsched_lane() == 0) {
		w->priv->count[LSCHED_I_N_TASKS] = done;
		lsched_i_chunk_release_unused(w);
	}
#if LSCHED_GROUP_WARPS > 1 && LSCHED_I_GPU
	if (lsched_lane() == 0)
		x->level->go = 0;
	lsched_i_group_sync(w->pair, x->threads_all);
#endif
	LSCHED_I_N(_items_end)(x);
#if LSCHED_GROUP_WARPS > 1 && LSCHED_I_GPU
	lsched_i_group_sync(w->pair, x->threads_all); /* the other warps' values are added */
#endif
}

#if LSCHED_GROUP_WARPS > 1 && LSCHED_I_GPU
/* Loop of the other warps of a worker with block items. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_help)(
	lsched_worker *w, const LSCHED_CTX *c, LSCHED_LOCAL *l, uint32_t warp)
{
	LSCHED_ITEMS items;
	lsched_i_items *const x = &items.any;

	LSCHED_I_N(_items_begin)(x, w, (unsigned char *)l, warp);
	for (;;) {
		LSCHED_I_ITEM_TYPE item;

		lsched_i_group_sync(w->pair, x->threads_all);
		if (!x->level->go)
			break;
		memcpy(&item, x->level->item, sizeof(item));
		if (LSCHED_BODY(&items, c, l, x->level->proc, item) != LSCHED_DONE) {
			lsched_i_fail(
				w, LSCHED_I_FAIL_ITEM, x->level->proc, (uint32_t)w->fail_code);
			x->level->bad = 1;
		}
		lsched_i_group_sync(w->pair, x->threads_all);
	}
	LSCHED_I_N(_items_end)(x);
	lsched_i_group_sync(w->pair, x->threads_all);
}
#endif

#undef LSCHED_I_AT_ONCE
#undef LSCHED_I_SHARE_MIN
#undef LSCHED_I_SHARE_SLOW
#undef LSCHED_I_SHARE_PAUSE
#undef LSCHED_I_STACK_NEED
