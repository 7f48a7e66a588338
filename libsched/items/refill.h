/* Items for a worker: local chunks, roots, chunks of the queue. Template text: engine.h includes it
 * for each program. */

/* Pushes the newest local chunk on its stack. Returns 0 if there is none. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_unpack_local)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	uint32_t chunk = LSCHED_NONE;

	if (p->local_top == p->local_bottom)
		return 0;
	p->local_top--;
	if (lsched_lane() == 0)
		chunk = *lsched_i_local_chunk(x, p->local_top);
	lsched_i_chunk_unpack(x, LSCHED_I_TABLE, lsched_bcast(chunk));
	return 1;
}

#ifdef LSCHED_JOBS
/* Pushes items on the empty stacks: the newest local chunk, roots of the worker's job, or what it
 * dequeues, for which it waits. Returns 0 when the member leaves or the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_refill)(
	LSCHED_ITEMS *items, const LSCHED_CTX *c, LSCHED_I_N(_items_loop) * p)
{
	lsched_i_items *x = &items->any;
	uint32_t taken = 0; /* the ticket was just dequeued */

	for (;;) {
		uint32_t item;

		if (LSCHED_I_N(_items_unpack_local)(x, p))
			return 1;
		if (p->job != LSCHED_NONE && p->ticket && !taken && !p->frames &&
			LSCHED_I_N(_jobs_better_waits)(x, p->job))
			(void)LSCHED_I_N(_jobs_return_ticket)(x, p);
		if (p->job != LSCHED_NONE && p->ticket && !taken &&
			LSCHED_I_N(_jobs_is_paused)(x, p->job)) {
			(void)LSCHED_I_N(_jobs_pause)(x, p); /* the ticket needs no chunk */
			continue;
		}
		taken = 0;
		if (p->job != LSCHED_NONE) {
			if (p->ticket && LSCHED_I_N(_jobs_roots)(items, c, p))
				return 1;
			if (LSCHED_I_N(_jobs_next)(x, p))
				return 1;
			if (p->job != LSCHED_NONE)
				continue;
		}
		LSCHED_I_N(_items_settle)(x);
		item = p->held;
		p->held = LSCHED_NONE;
		if (item == LSCHED_NONE)
			item = lsched_i_jobs_dequeue(x->w);
		if (item == LSCHED_NONE)
			return 0;
		if (LSCHED_I_N(_jobs_take)(x, p, item))
			return 1;
		taken = 1;
	}
}
#else
/* Pushes items on the empty stacks: the newest local chunk, roots, or a chunk from the queue, for
 * which it waits. Returns 0 when all items are finished or the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_refill)(
	LSCHED_ITEMS *items, const LSCHED_CTX *c, LSCHED_I_N(_items_loop) * p)
{
	lsched_i_items *x = &items->any;
	lsched_worker *w = x->w;
	uint32_t chunk = LSCHED_NONE;

#ifdef LSCHED_ITEM_PRIORITY
	p->fresh = 1;
#endif
	if (LSCHED_I_N(_items_unpack_local)(x, p))
		return 1;
#ifdef LSCHED_ITEM_PRIORITY
	if (LSCHED_I_SORTED(w))
		return LSCHED_I_N(_items_refill_sorted)(items, c, p);
#endif
	chunk = lsched_i_spill_pop(w);
	if (chunk == LSCHED_NONE && p->more_roots && LSCHED_I_N(_items_roots)(items, c, p))
		return 1;
#if LSCHED_I_TABLE
	if (chunk == LSCHED_NONE)
		LSCHED_I_N(_items_settle)(x);
#endif
	if (chunk == LSCHED_NONE)
		chunk = lsched_i_dequeue(w);
	if (chunk == LSCHED_NONE)
		return 0;
	w->finished++;
	lsched_i_chunk_unpack(x, LSCHED_I_TABLE, chunk);
	return 1;
}
#endif

#if LSCHED_I_TABLE
#define LSCHED_I_STACK_LIMIT(q) LSCHED_I_N(_items_limit)(LSCHED_NONE, q)
#else
#define LSCHED_I_STACK_LIMIT(q) LSCHED_STACK
#endif

/* With LSCHED_MIN_BATCH: whether no stack has a batch, and each has room for a chunk. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_are_few)(
	const lsched_i_items *x, const LSCHED_I_N(_items_loop) * p)
{
	uint32_t few = !LSCHED_I_ANY_BLOCKED(p);

#ifdef LSCHED_ITEM_PRIORITY
	if (LSCHED_I_SORTED(x->w)) /* the order of the queue decides */
		few = 0;
#endif
	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		const uint32_t count = x->level->top[q] - p->bottom[q];

		few = few && count < LSCHED_I_BATCH_LEAST(q) &&
		      count + LSCHED_I_CHUNK_ITEMS <= LSCHED_I_STACK_LIMIT(q);
	}
	return few;
}

/* Before a turn with LSCHED_MIN_BATCH: while no procedure has a batch, pushes further items on the
 * stacks: the newest local chunk, roots, or a chunk that is in the queue, for which the worker
 * polls LSCHED_BATCH_WAIT times at most; a worker of jobs takes none from the queue, which may be
 * of another job. Returns 0: the worker runs what it has. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_accumulate)(
	LSCHED_ITEMS *items, const LSCHED_CTX *c, LSCHED_I_N(_items_loop) * p)
{
	lsched_i_items *x = &items->any;

	if (!LSCHED_I_N(_items_are_few)(x, p))
		return 0;
	if (LSCHED_I_N(_items_unpack_local)(x, p))
		return 1;
#ifdef LSCHED_JOBS
	return p->ticket && LSCHED_I_N(_jobs_roots)(items, c, p);
#else
	lsched_i_batch b;

	if (p->more_roots && LSCHED_I_N(_items_roots)(items, c, p))
		return 1;
	if (p->waits == LSCHED_BATCH_WAIT)
		return 0;
#if LSCHED_I_TABLE
	if (p->waits == 0)
		LSCHED_I_N(_items_settle)(x);
#endif
	p->waits++;
	if (lsched_i_queue_pop_n(x->w, &b, 1)) {
		const uint32_t chunk = lsched_i_batch_first(&b);

		x->w->finished++;
		if (chunk != LSCHED_NONE) /* else the run has failed */
			lsched_i_chunk_unpack(x, LSCHED_I_TABLE, chunk);
	} else if (lsched_lane() == 0) {
		lsched_i_relax(p->waits, x->w->a->workers);
	}
	lsched_sync_worker();
	return 1;
#endif
}
