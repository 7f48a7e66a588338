/* A worker of an item program: its variables at the begin, its loop, its end. Template text:
 * engine.h includes it for each program. */

/* Begins the loop: no items on the stacks, in all lanes. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_loop_begin)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	const lsched_worker *w = x->w;

	p->local_bottom = p->local_top = p->waits = p->published = 0;
	p->more_roots = 1;
#if LSCHED_I_TABLE || LSCHED_I_REPEATS
	p->blocked = 0;
#endif
#if LSCHED_I_TABLE
	p->waiting = 0;
#endif
#if LSCHED_I_REPEATS
	p->again = p->progress = 0;
#endif
#ifdef LSCHED_ITEM_PRIORITY
	p->fresh = p->closed = 0;
#endif
#ifdef LSCHED_JOBS
	p->job = p->held = LSCHED_NONE;
	p->ticket = p->frames = p->base = p->floor = p->best = p->looked = p->each_turn = 0;
	if (lsched_lane() == 0)
		x->level->yield = 0;
#endif
	/* root numbers continue over the rounds of a run; a draw without a root in each round
	 * would wrap around */
	if (lsched_i_queue_has(w->queue, LSCHED_I_CAP_ROUNDS))
		p->more_roots =
			lsched_bcast(lsched_ld(&w->a->state->next_root.v, rlx, dev)) < w->a->tasks;
	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		p->bottom[q] = 0;
		if (lsched_lane() == 0)
			x->level->top[q] = 0;
	}
#if LSCHED_I_TABLE
	LSCHED_I_N(_items_pressure_begin)(x);
#endif
	lsched_sync_worker();
}

LSCHED_WORKER_FN void LSCHED_I_N(_items_worker)(
	lsched_worker *w, const LSCHED_CTX *c, LSCHED_LOCAL *l)
{
	LSCHED_I_N(_items_loop) p;
	uint64_t done;
	LSCHED_ITEMS items;
	lsched_i_items *const x = &items.any;

	LSCHED_I_N(_items_begin)(x, w, (unsigned char *)l, 0);
	LSCHED_I_N(_items_loop_begin)(x, &p);
#ifdef LSCHED_ITEM_PRIORITY
	if (LSCHED_I_SORTED(w) && LSCHED_I_N(_prio_controls)(w, c, 0, &p.closed))
		done = 0; /* it was a controller, until the end */
	else
#endif
#ifdef LSCHED_JOBS
		if (LSCHED_I_N(_jobs_controls)(w, c))
		done = 0;
	else
#endif
		done = LSCHED_I_N(_items_turns)(&items, c, l, &p);
#if LSCHED_I_TABLE
	LSCHED_I_N(_items_settle)(x);
#endif
	if (lsched_lane() == 0) {
		w->priv->count[LSCHED_I_N_TASKS] = done;
#if !LSCHED_I_TABLE && LSCHED_I_IS_LANE && !LSCHED_I_REPEATS
		w->priv->count[LSCHED_I_N_BATCH_ITEMS] = done;
#endif
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
