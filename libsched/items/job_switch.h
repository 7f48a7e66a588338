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

/* Stores the items on the stacks in local chunks. Returns 0 if no chunk is free. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_jobs_store)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	LSCHED_NO_UNROLL
	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		uint32_t count;

		while ((count = x->level->top[q] - LSCHED_I_N(_items_bottom)(p, q)) != 0)
			if (!LSCHED_I_N(_items_spill)(x, p, q,
				    count < LSCHED_I_CHUNK_ITEMS ? count : LSCHED_I_CHUNK_ITEMS))
				return 0;
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

/* After a turn: passes to a more urgent job, if one waits. It dequeues first, so that of all
 * workers that observe an urgent item only those that get one store their items. */
LSCHED_WORKER_FN void LSCHED_I_N(_jobs_yield)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	uint32_t item;

	if (lsched_lane() == 0)
		x->level->yield = 0;
	if (LSCHED_I_ANY_BLOCKED(p))
		return;
	if (LSCHED_I_N(_jobs_is_paused)(x, p->job)) {
		(void)LSCHED_I_N(_jobs_pause)(x, p);
		return;
	}
	if (!LSCHED_I_N(_jobs_better_waits)(x, p->job))
		return;
	item = LSCHED_I_N(_jobs_dequeue_better)(x, p, p->job);
	if (item == LSCHED_NONE)
		return;
	LSCHED_I_N(_jobs_settle_value)(x);
	if (!LSCHED_I_N(_jobs_store)(x, p) || !LSCHED_I_N(_jobs_push_frame)(x, p)) {
		LSCHED_I_N(_jobs_requeue)(x, p, item);
		return;
	}
	(void)LSCHED_I_N(_jobs_take)(x, p, item);
}
