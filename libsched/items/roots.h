/* Roots: a worker without items draws their numbers from a counter. Template text: engine.h
 * includes it for each program. */

/* Pushes up to 32 roots on the stacks. Returns 0 when there are no more. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_roots)(
	LSCHED_ITEMS *items, const LSCHED_CTX *c, LSCHED_I_N(_items_loop) * p)
{
	lsched_worker *w = items->any.w;
	const lsched_i_args *a = w->a;
	/* a few roots are distributed among many workers */
	uint32_t each = a->tasks / a->workers, first = 0, n;

	each = each < 1 ? 1 : each > LSCHED_I_AT_ONCE ? LSCHED_I_AT_ONCE : each;
#ifdef LSCHED_STOPS
	/* kept chunks are drawn one by one */
	if (a->stop_chunks &&
		lsched_bcast(lsched_ld(&a->state->next_root.v, rlx, dev)) < a->stop_chunks)
		each = 1;
#endif
	if (lsched_lane() == 0)
		first = lsched_add(&a->state->next_root.v, each, rlx, dev);
	first = lsched_bcast(first);
	if (first >= a->tasks || lsched_bcast(lsched_i_failed(w))) {
		p->more_roots = 0;
		return 0;
	}
#ifdef LSCHED_STOPS
	if (first < a->stop_chunks) {
		lsched_i_chunk_unpack(&items->any, LSCHED_I_TABLE,
			LSCHED_I_N(_items_take_kept)(&items->any, p, first));
		return 1;
	}
#endif
	n = a->tasks - first < each ? a->tasks - first : each;
#if LSCHED_I_TABLE
	LSCHED_I_N(_items_count_from)(&items->any);
#endif
	for (uint32_t k = lsched_lane(); k < n; k += LSCHED_LANES) {
		LSCHED_I_N(_items_root)(items, c, LSCHED_I_ROOT_NUMBER(a, first + k));
	}
	w->finished += n;
	lsched_sync_worker();
#if LSCHED_I_TABLE
	LSCHED_I_N(_items_count)(&items->any, LSCHED_NONE, 0);
#endif
	return n;
}
