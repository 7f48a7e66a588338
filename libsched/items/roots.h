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
	if (lsched_lane() == 0)
		first = lsched_add(&a->state->next_root.v, each, rlx, dev);
	first = lsched_bcast(first);
	if (first >= a->tasks || lsched_bcast(lsched_i_failed(w))) {
		p->more_roots = 0;
		return 0;
	}
	n = a->tasks - first < each ? a->tasks - first : each;
#if LSCHED_I_TABLE
	LSCHED_I_N(_items_count_from)(&items->any);
#endif
	for (uint32_t k = lsched_lane(); k < n; k += LSCHED_LANES)
		LSCHED_I_N(_items_root)(items, c, first + k);
	w->finished += n;
	lsched_sync_worker();
#if LSCHED_I_TABLE
	LSCHED_I_N(_items_count)(&items->any, LSCHED_NONE, 0);
#endif
	return n;
}
