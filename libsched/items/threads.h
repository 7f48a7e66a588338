/* Threads of a worker: their variables at the begin of a run, their parts of the run's value at its
 * end, and the loop of the other warps of a worker with block items. Template text: engine.h
 * includes it for each program. */

/* Sets the variables of a thread of warp `warp` of the worker. `area`: the worker's fast memory. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_begin)(
	lsched_i_items *x, lsched_worker *w, unsigned char *area, uint32_t warp)
{
	x->w = w;
	x->level = (lsched_i_level *)(area + LSCHED_I_USER_BYTES);
#if LSCHED_I_GPU
	x->thread_all = warp * LSCHED_LANES + lsched_lane();
	x->threads_all = LSCHED_LANES * LSCHED_GROUP_WARPS;
#else
	(void)warp;
	x->thread_all = 0;
	x->threads_all = 1;
#endif
	LSCHED_I_N(_items_layout)(x);
	x->op = LSCHED_I_REDUCE_OP;
	x->reduce = LSCHED_I_REDUCE_FN;
	x->value = 0;
	x->join_free = 0;
	x->join_word = LSCHED_NONE;
	x->joins_open = x->proc = x->made = 0;
}

/* Each thread calls it at the end: adds its part of the run's value and of its open joins, and
 * releases its unused joins. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_end)(lsched_i_items *x)
{
	uint64_t v = x->value;
	uint32_t open;

	if (x->join_free)
		lsched_i_bitmap_release(&x->w->a->items_join_bitmap[x->join_word], x->join_free);
	for (uint32_t k = LSCHED_LANES / 2; k; k /= 2)
		v = lsched_i_op_pair(x, v, lsched_i_shfl_down(v, k));
	if (lsched_lane() == 0 && v)
		lsched_i_op_into(x, &x->w->a->state->value, v);
	open = lsched_i_sum(x->joins_open);
	if (lsched_lane() == 0 && open)
		(void)lsched_add(
			&x->w->a->state->total[LSCHED_I_N_EXCESS], (uint64_t)open, rlx, dev);
}

#if LSCHED_GROUP_WARPS > 1 && LSCHED_I_GPU
/* Executes the loop of the other warps of a worker with block items. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_help)(
	lsched_worker *w, const LSCHED_CTX *c, LSCHED_LOCAL *l, uint32_t warp)
{
	LSCHED_ITEMS items;
	lsched_i_items *const x = &items.any;

	LSCHED_I_N(_items_begin)(x, w, (unsigned char *)l, warp);
	for (;;) {
		lsched_i_group_sync(w->pair, x->threads_all);
		if (!x->level->go)
			break;
#ifdef LSCHED_JOBS
		if (x->level->go == LSCHED_I_GO_SETTLE) {
			LSCHED_I_N(_jobs_add_value)(x);
			lsched_i_group_sync(w->pair, x->threads_all);
			continue;
		}
#endif
		lsched_result r = LSCHED_I_N(_items_help_run)(&items, c, l);

#if LSCHED_I_REPEATS
		r = r == LSCHED_AGAIN ? LSCHED_DONE : r; /* the first warp puts it back */
#endif
		if (r != LSCHED_DONE) {
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
