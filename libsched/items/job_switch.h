/* The switch of a worker to a more urgent job and back, pauses, and the end of its job. Template
 * text: job_work.h includes it for programs with LSCHED_JOBS. */

/* Enqueues an item again that the worker has dequeued, with its unit; or holds it, if the queue is
 * full, for its next dequeue. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_requeue)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t item)
{
	x->w->finished++;
	if (!lsched_i_jobs_push_one(x->w, item)) {
		x->w->finished--;
		p->held = item;
	}
}

/* Dequeues an item of a more urgent job than `job`, without waiting; LSCHED_NONE: another worker
 * was faster. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_dequeue_better)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t job)
{
	const lsched_i_args *a = x->w->a;
	uint32_t item, better = 0;
	lsched_i_batch b;

	if (p->held != LSCHED_NONE || !lsched_i_queue_pop_n(x->w, &b, 1))
		return LSCHED_NONE;
	item = lsched_i_batch_first(&b);
	if (item == LSCHED_NONE) /* the run has failed */
		return LSCHED_NONE;
	if (lsched_lane() == 0) {
		better = lsched_i_item_key(a, item) > lsched_i_job_key(lsched_i_job_record(a, job));
		/* the idle worker that has requested this chunk still waits */
		if (better && !(item & LSCHED_I_TICKET))
			(void)lsched_add(&a->state->items.chunk_requests.v, 1u, rlx, dev);
	}
	if (lsched_bcast(better))
		return item;
	LSCHED_I_N(_jobs_requeue)(x, p, item);
	return LSCHED_NONE;
}

/* Reserves a chunk for a switch, or returns LSCHED_NONE. When all others are in use, one of those
 * that the worker has for switches only: urgent jobs do not wait for room behind others. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_find_chunk)(lsched_i_items *x)
{
	const lsched_i_args *a = x->w->a;
	uint32_t chunk = LSCHED_I_N(_items_find_chunk)(x);

	if (chunk != LSCHED_NONE)
		return chunk;
	if (lsched_lane() == 0) {
		const uint32_t word = a->items_chunk_words + x->w->index;
		const uint32_t bit = lsched_i_bitmap_reserve(&a->items_chunk_bitmap[word]);

		chunk = bit ? word * 32u + lsched_i_bitmap_lowest(bit) : LSCHED_NONE;
	}
	return lsched_bcast(chunk);
}

/* Stores the items on the stacks in local chunks. Returns 0 if no chunk is free. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_store)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	LSCHED_NO_UNROLL
	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		uint32_t count;

		while ((count = x->level->top[q] - LSCHED_I_N(_items_bottom)(p, q)) != 0) {
			const uint32_t n =
				count < LSCHED_I_CHUNK_ITEMS ? count : LSCHED_I_CHUNK_ITEMS;
			uint32_t chunk;

			if (LSCHED_I_LOCAL_CHUNKS(p) >= x->w->a->items_local_chunk_slots)
				return 0;
			chunk = LSCHED_I_N(_jobs_find_chunk)(x);
			if (chunk == LSCHED_NONE)
				return 0;
			lsched_i_chunk_store(
				x, LSCHED_I_TABLE, chunk, q, LSCHED_I_N(_items_bottom)(p, q), n);
			LSCHED_I_N(_items_raise_bottom)(p, q, n);
			if (lsched_lane() == 0)
				*lsched_i_local_chunk(x, p->local_top) = chunk;
			p->local_top++;
		}
	}
	return 1;
}

/* The worker has no items of its job left: subtracts its unit. Then it has no job, or, with frames,
 * that of the newest one. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_end)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	LSCHED_I_N(_jobs_settle_value)(x);
	lsched_i_job_release(x->w, p->job);
	p->job = LSCHED_NONE;
	if (p->frames)
		LSCHED_I_N(_jobs_pop_frame)(x, p);
}

/* The same; but with frames a more urgent item than the newest frame's job comes first. Returns 1
 * if it has pushed items on the stacks. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_next)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	uint32_t job, item;

	if (p->frames) {
		job = LSCHED_I_N(_jobs_frame_job)(x, p);
		item = LSCHED_I_N(_jobs_better_waits)(x, job)
			       ? LSCHED_I_N(_jobs_dequeue_better)(x, p, job)
			       : LSCHED_NONE;
		if (item != LSCHED_NONE) {
			LSCHED_I_N(_jobs_settle_value)(x);
			lsched_i_job_release(x->w, p->job);
			return LSCHED_I_N(_jobs_take)(x, p, item);
		}
	}
	LSCHED_I_N(_jobs_end)(x, p);
	return 0;
}

/* Parks the items of the worker's job, which is paused; then the worker has no job, or that of a
 * frame. Returns 0 if no chunk is free: the items run then. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_pause)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	lsched_i_job *j = lsched_i_job_current(x);

	if (!LSCHED_I_N(_jobs_store)(x, p))
		return 0;
	if (lsched_lane() == 0)
		lsched_i_job_add_units(j, p->local_top - p->local_bottom + p->ticket);
	while (p->local_top != p->local_bottom) {
		uint32_t chunk = 0;

		p->local_top--;
		if (lsched_lane() == 0)
			chunk = *lsched_i_local_chunk(x, p->local_top);
		LSCHED_I_N(_jobs_park)(x, p->job, lsched_bcast(chunk));
	}
	if (p->ticket)
		LSCHED_I_N(_jobs_park)(x, p->job, LSCHED_I_TICKET);
	LSCHED_I_N(_jobs_end)(x, p);
	return 1;
}

/* Passes to a more urgent job, if one waits; returns whether it has. It dequeues first, so that of
 * all workers that observe an urgent item only those that get one store their items. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_switch)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	uint32_t item;

	if (!LSCHED_I_N(_jobs_better_waits)(x, p->job))
		return 0;
	item = LSCHED_I_N(_jobs_dequeue_better)(x, p, p->job);
	if (item == LSCHED_NONE)
		return 0;
	LSCHED_I_N(_jobs_settle_value)(x);
	if (!LSCHED_I_N(_jobs_store)(x, p) || !LSCHED_I_N(_jobs_push_frame)(x, p)) {
		if (lsched_lane() == 0 && !(item & LSCHED_I_TICKET))
			(void)lsched_add(
				&x->w->a->state->items.chunk_requests.v, 0xffffffffu, rlx, dev);
		LSCHED_I_N(_jobs_requeue)(x, p, item);
		return 0;
	}
	(void)LSCHED_I_N(_jobs_take)(x, p, item);
	return 1;
}

#ifdef LSCHED_JOB_DISCARD
/* Drops all items of the worker's job, which was cancelled, and its ticket. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_discard)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	while (p->local_top != p->local_bottom) {
		p->local_top--;
		if (lsched_lane() == 0)
			lsched_i_chunk_release(x->w->a, *lsched_i_local_chunk(x, p->local_top));
	}
	LSCHED_UNROLL
	for (uint32_t q = 0; q < LSCHED_PROCS; q++)
		if (lsched_lane() == 0)
			x->level->top[q] = p->bottom[q];
	p->ticket = 0;
	lsched_sync_worker();
}
#endif

/* After a turn: pauses its job, or passes to a more urgent one. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_yield)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	if (lsched_lane() == 0)
		x->level->yield = 0;
	if (LSCHED_I_ANY_BLOCKED(p))
		return; /* _items_unblock() does so */
#ifdef LSCHED_JOB_DISCARD
	if (LSCHED_I_N(_jobs_flags)(x, p->job) & LSCHED_I_JOB_CANCELLED) {
		LSCHED_I_N(_jobs_discard)(x, p);
		return;
	}
#endif
	if (LSCHED_I_N(_jobs_is_paused)(x, p->job))
		(void)LSCHED_I_N(_jobs_pause)(x, p);
	else
		(void)LSCHED_I_N(_jobs_switch)(x, p);
}

/* When all procedures with items are blocked: unpacks a local chunk of another procedure, passes to
 * a more urgent job, or waits for room. It dequeues nothing else: that may be of another job.
 * Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_unblock)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	const uint32_t chunk = LSCHED_I_N(_items_take_local)(x, p);

	if (chunk != LSCHED_NONE) {
		lsched_i_chunk_unpack(x, LSCHED_I_TABLE, chunk);
		p->blocked = 0;
		return 1;
	}
	if (!p->waiting) {
		LSCHED_I_N(_items_settle)(x);
		p->waiting = 1;
		if (lsched_lane() == 0) {
			const uint64_t now = lsched_i_wait_begin(x->w);

			x->pressure->since_low = (uint32_t)now;
			x->pressure->since_high = (uint32_t)(now >> 32);
		}
	}
	if (LSCHED_I_N(_jobs_is_paused)(x, p->job) ? LSCHED_I_N(_jobs_pause)(x, p)
						   : LSCHED_I_N(_jobs_switch)(x, p)) {
		p->blocked = 0;
		return 1;
	}
	return LSCHED_I_N(_items_wait)(x, p);
}
