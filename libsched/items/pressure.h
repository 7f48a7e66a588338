/* Back-pressure of a program with LSCHED_PROCEDURES. Template text.
 *
 * Before a turn the worker determines how many of the items have room for all that they may emit:
 * on its stacks, whose oldest items it moves to chunks while chunks are free, and under the
 * capacities of the procedures. If there is room for none, the procedure is blocked and the worker
 * runs another one. If all procedures with items are blocked, it fetches chunks of other
 * procedures, or waits. All workers together have slots for all chunks as local ones: when
 * those of one worker are full, another one can dequeue.
 *
 * If all procedures emit to higher numbers only, some worker can always run items, with any pool:
 * the stacks above a worker's highest procedure with items are empty, and items counted by a
 * capacity are on some stack, in a chunk or in the queue, where their worker or a waiting one runs
 * them. A procedure that emits to itself needs room on its own stack; the other ones leave the
 * outputs of one item free there.
 *
 * The run counts the items of a procedure with a capacity in one word, in stacks, chunks and queue
 * together. A worker adds its changes when they exceed a batch, and before it waits or leaves. All
 * accesses are relaxed: the counts publish no data, and a value that is late by some batches only
 * moves the bound. */

#define LSCHED_I_COUNT_BATCH 32

LSCHED_WORKER_FN void LSCHED_I_N(_items_pressure_begin)(lsched_i_items *x)
{
	uint32_t *words = (uint32_t *)x->pressure;

	for (uint32_t k = lsched_lane(); k < sizeof(*x->pressure) / 4; k += LSCHED_LANES)
		words[k] = 0;
}

/* Leader: adds the changes of a procedure's item count to that of the run, and reads that one. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_flush)(lsched_i_items *x, uint32_t q)
{
	lsched_i_pressure *s = x->pressure;
	uint32_t *count = &x->w->a->state->procedure_items[q].v;

	s->known[q] = s->delta[q] ? lsched_add(count, s->delta[q], rlx, dev) + s->delta[q]
				  : lsched_ld(count, rlx, dev);
	s->delta[q] = 0;
}

/* Before items are emitted outside a turn, by roots. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_count_from)(lsched_i_items *x)
{
	if (lsched_lane() == 0)
		for (uint32_t q = 0; q < LSCHED_PROCS; q++)
			x->pressure->base[q] = x->level->top[q];
	lsched_sync_worker();
}

/* Counts the items emitted since the base, and n items of `proc` that are finished. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_count)(lsched_i_items *x, uint32_t proc, uint32_t n)
{
	lsched_i_pressure *s = x->pressure;

	if (!x->w->a->items_capped || lsched_lane() != 0)
		return;
	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		if (!x->w->a->items_capacity[q])
			continue;
		s->delta[q] += x->level->top[q] - s->base[q] - (q == proc ? n : 0);
		if (s->delta[q] + LSCHED_I_COUNT_BATCH > 2u * LSCHED_I_COUNT_BATCH)
			LSCHED_I_N(_items_flush)(x, q);
	}
}

/* The same of a turn. A blocked procedure is tried again after four turns: that costs a load. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_count_turn)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t proc, uint32_t turn, uint32_t n)
{
	LSCHED_I_N(_items_count)(x, proc, n);
	if (turn % 4 == 0)
		p->blocked = 0;
}
#define LSCHED_I_COUNT_TURN(x, p, proc, turn, n) LSCHED_I_N(_items_count_turn)(x, p, proc, turn, n)

/* Before the worker waits or leaves: other workers must see its counts and its unused chunks. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_settle)(lsched_i_items *x)
{
	if (lsched_lane() == 0) {
		for (uint32_t q = 0; q < LSCHED_PROCS; q++)
			if (x->pressure->delta[q])
				LSCHED_I_N(_items_flush)(x, q);
		lsched_i_chunk_release_unused(x->w);
	}
	lsched_sync_worker();
}

/* Reserves a chunk, one of another worker if its own are used up. Returns LSCHED_NONE if it finds
 * none. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_find_chunk)(lsched_i_items *x)
{
	lsched_worker *w = x->w;
	uint32_t chunk = LSCHED_NONE, start = 0;

	if (lsched_lane() == 0) {
		chunk = lsched_i_chunk_alloc(w, 0);
		start = w->index * w->a->items_worker_chunk_words + x->pressure->probe;
		x->pressure->probe += chunk == LSCHED_NONE ? LSCHED_I_PROBE_WORDS : 0;
	}
	chunk = lsched_bcast(chunk);
	return chunk != LSCHED_NONE ? chunk : lsched_i_chunk_probe(w, lsched_bcast(start));
}

/* Moves the n oldest items of a stack to a local chunk. Returns 0 if no chunk is free, or if the
 * worker has its share of them. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_spill)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t q, uint32_t n)
{
	uint32_t chunk;

	if (LSCHED_I_LOCAL_CHUNKS(p) >= x->w->a->items_local_chunk_slots)
		return 0;
	chunk = LSCHED_I_N(_items_find_chunk)(x);
	if (chunk == LSCHED_NONE)
		return 0;
	lsched_i_chunk_store(x, LSCHED_I_TABLE, chunk, q, LSCHED_I_N(_items_bottom)(p, q), n);
	LSCHED_I_N(_items_raise_bottom)(p, q, n);
	if (lsched_lane() == 0)
		*lsched_i_local_chunk(x, p->local_top) = chunk;
	p->local_top++;
	return 1;
}

/* Items that stack q may hold for a turn of `proc`. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_limit)(uint32_t proc, uint32_t q)
{
	return LSCHED_I_STACK_CAP(q) - (q == proc ? 0 : LSCHED_I_N(_items_outputs)(q, q));
}

/* Returns how many of n items of `proc` have room on stack q, for `most` outputs each and for their
 * continuations. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_fit_stack)(lsched_i_items *x,
	LSCHED_I_N(_items_loop) * p, uint32_t proc, uint32_t q, uint32_t most, uint32_t n)
{
	const uint32_t limit = LSCHED_I_N(_items_limit)(proc, q);
	uint32_t have, stay, fewer;

	for (;;) {
		have = x->level->top[q] - p->bottom[q];
		stay = have - (q == proc ? n : 0);
		if (have + n * most <= limit)
			return n;
		fewer = have < limit ? (limit - have) / most : 0;
		/* a chunk of few items would waste memory */
		if (stay == 0 || (fewer && stay < LSCHED_I_CHUNK_ITEMS / 2))
			return fewer < n ? fewer : n;
		if (!LSCHED_I_N(_items_spill)(
			    x, p, q, stay < LSCHED_I_CHUNK_ITEMS ? stay : LSCHED_I_CHUNK_ITEMS))
			return fewer < n ? fewer : n;
	}
}

/* Returns how many items may be added to procedure q below its capacity; `want` if at least as many
 * may. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_fit_capacity)(
	lsched_i_items *x, uint32_t q, uint32_t want)
{
	const uint32_t capacity = x->w->a->items_capacity[q];
	uint32_t left = 0;

	if (lsched_lane() == 0) {
		for (uint32_t k = 0; k < 2; k++) {
			const int64_t have =
				(int64_t)x->pressure->known[q] + (int32_t)x->pressure->delta[q];

			left = have >= capacity ? 0
			       : have < 0       ? capacity
						: capacity - (uint32_t)have;
			if (left >= want || k == 1)
				break;
			LSCHED_I_N(_items_flush)(x, q);
		}
		x->pressure->room[q] = left;
	}
	left = lsched_bcast(left);
	return left < want ? left : want;
}

/* The worker waits no longer: a turn begins. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_wait_end)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	lsched_i_pressure *s = x->pressure;

	if (lsched_lane() == 0) {
		if (s->requested)
			(void)lsched_add(
				&x->w->a->state->items.chunk_requests.v, 0xffffffffu, rlx, dev);
		if (s->published)
			lsched_st(&x->w->a->state->blocked.v, 0u, rlx, dev);
		s->requested = s->published = s->spins = 0;
		lsched_i_wait_end(x->w, (uint64_t)s->since_high << 32 | s->since_low);
	}
	p->waiting = 0;
}

/* Returns how many of n items of `proc` have room for their outputs, and notes the room. 0: the
 * procedure is blocked. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_fit)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t proc, uint32_t n)
{
	lsched_i_pressure *s = x->pressure;
	uint32_t cause = 0;

	LSCHED_UNROLL
	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		const uint32_t most = LSCHED_I_N(_items_outputs)(proc, q);

		if (most == 0 || n == 0)
			continue;
		cause = 0;
		if (q > proc && x->w->a->items_capacity[q]) {
			const uint32_t left = LSCHED_I_N(_items_fit_capacity)(x, q, n * most);

			n = left < n * most ? left / most : n;
			cause = n ? 0 : q + 1;
		} else if (lsched_lane() == 0) {
			s->room[q] = LSCHED_NONE;
		}
		if (n)
			n = LSCHED_I_N(_items_fit_stack)(x, p, proc, q, most, n);
	}
	if (lsched_lane() == 0 && n == 0)
		s->cause = cause << 8 | (proc + 1);
	if (n == 0)
		return 0;
	if (p->waiting)
		LSCHED_I_N(_items_wait_end)(x, p);
	if (lsched_lane() == 0) {
		s->items = n;
		s->asked = 0;
		LSCHED_UNROLL
		for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
			const uint32_t top = x->level->top[q];
			const uint32_t room =
				LSCHED_I_N(_items_limit)(proc, q) - (top - p->bottom[q]);

			s->base[q] = top - (q == proc ? n : 0);
			s->room[q] = LSCHED_I_N(_items_outputs)(proc, q) == 0 ? 0
				     : s->room[q] < room                      ? s->room[q]
									      : room;
		}
	}
	return n;
}

/* After a turn of n items of `proc`: fails the run if they emitted more than declared; an item that
 * has called lsched_room() may use all of the turn's room. Returns 0 then. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_made)(lsched_i_items *x, uint32_t proc, uint32_t n)
{
	const lsched_i_pressure *s = x->pressure;
	uint32_t over = 0;

	LSCHED_UNROLL
	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		const uint32_t may =
			s->asked ? s->room[q] : n * LSCHED_I_N(_items_outputs)(proc, q);

		over |= x->level->top[q] - s->base[q] > may + (q == proc ? n : 0);
	}
	lsched_sync_worker(); /* before the next turn's words replace these */
	if (over && lsched_lane() == 0)
		lsched_i_fail(x->w, LSCHED_I_FAIL_SPAWN, proc, 1);
	return !over;
}

/* Removes the newest local chunk of a procedure that is not blocked; its stack is empty. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_take_local)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	uint32_t chunk = LSCHED_NONE;

	if (lsched_lane() == 0) {
		uint32_t k = p->local_top;

		while (chunk == LSCHED_NONE && k != p->local_bottom) {
			const uint32_t at = *lsched_i_local_chunk(x, --k);
			const uint32_t proc = x->w->a->items_chunk_headers[at] >> 8;

			if (p->blocked >> proc & 1u)
				continue;
			chunk = at;
			*lsched_i_local_chunk(x, k) = *lsched_i_local_chunk(x, p->local_top - 1);
		}
	}
	chunk = lsched_bcast(chunk);
	p->local_top -= chunk != LSCHED_NONE;
	return chunk;
}

/* One step of the wait for room. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_wait)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	lsched_worker *w = x->w;
	lsched_i_pressure *s = x->pressure;
	uint32_t stalled = LSCHED_I_PROGRESS, stop = 0;

	p->blocked = 0;
	if (lsched_lane() == 0) {
		stop = lsched_i_failed(w);
		if (!stop && lsched_i_clock_due(s->spins, 16u)) {
			/* for the error of an idle worker, which may come first */
			lsched_st(&w->a->state->blocked.v, s->cause, rlx, dev);
			s->published = 1;
			stalled = lsched_i_watchdog(w);
		}
		if (!stop)
			lsched_i_relax(s->spins, w->a->workers);
		s->spins++;
		if (stalled != LSCHED_I_PROGRESS) {
			lsched_i_fail(
				w, lsched_i_wait_failure(stalled, LSCHED_I_FAIL_FULL), s->cause, 0);
			stop = 1;
		}
	}
	return !lsched_bcast(stop);
}

#ifndef LSCHED_JOBS /* job_work.h has its own */
/* When all procedures with items are blocked: pushes items of another procedure on their stack,
 * from a local chunk or from the queue, or waits. Returns 0 if the run has
 * failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_unblock)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	lsched_worker *w = x->w;
	const uint32_t full = p->local_top - p->local_bottom >= w->a->items_local_chunk_slots;
	uint32_t chunk = LSCHED_I_N(_items_take_local)(x, p), fetched = LSCHED_NONE, proc;
	lsched_i_batch b;

	if (chunk == LSCHED_NONE && !p->waiting) {
		LSCHED_I_N(_items_settle)(x);
		p->waiting = 1;
		if (lsched_lane() == 0) {
			const uint64_t now = lsched_i_wait_begin(w);

			(void)lsched_add(&w->a->state->items.chunk_requests.v, 1u, rlx, dev);
			x->pressure->requested = 1;
			x->pressure->since_low = (uint32_t)now;
			x->pressure->since_high = (uint32_t)(now >> 32);
		}
	}
	if (chunk == LSCHED_NONE && !full && lsched_i_queue_pop_n(w, &b, 1)) {
		fetched = lsched_i_batch_first(&b);
		w->finished++;
		if (lsched_lane() == 0)
			x->pressure->requested = 0;
	}
	if (fetched != LSCHED_NONE) {
		chunk = fetched;
		proc = w->a->items_chunk_headers[chunk] >> 8;
		if (x->level->top[proc] - LSCHED_I_N(_items_bottom)(p, proc) +
				LSCHED_I_CHUNK_ITEMS >
			LSCHED_I_N(_items_limit)(LSCHED_NONE, proc)) {
			if (lsched_lane() == 0)
				*lsched_i_local_chunk(x, p->local_top) = chunk;
			p->local_top++;
			return 1;
		}
	}
	if (chunk == LSCHED_NONE)
		return LSCHED_I_N(_items_wait)(x, p);
	lsched_i_chunk_unpack(x, LSCHED_I_TABLE, chunk);
	p->blocked = 0;
	return 1;
}
#endif

/* Under a queue with rounds: whether the worker enqueues its oldest local chunk for the next round.
 * No worker can run this chunk before that round, so it must not be one that others wait for: none
 * of a procedure with a capacity, and at most a quarter of the pool. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_shares_in_round)(
	lsched_i_items *x, const LSCHED_I_N(_items_loop) * p)
{
	const lsched_i_args *a = x->w->a;
	uint32_t share = 0;

	/* an item that returned LSCHED_AGAIN may wait for any procedure */
	if (LSCHED_I_REPEATS || p->local_top == p->local_bottom)
		return 0;
	if (lsched_lane() == 0) {
		const uint32_t chunk = *lsched_i_local_chunk(x, p->local_bottom);

		share = x->pressure->shared < a->items_worker_chunk_words * 8u &&
			!a->items_capacity[a->items_chunk_headers[chunk] >> 8];
		x->pressure->shared += share;
	}
	return lsched_bcast(share);
}
#define LSCHED_I_SHARES_IN_ROUNDS(x, p) LSCHED_I_N(_items_shares_in_round)(x, p)
