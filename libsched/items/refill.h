/* Items for a worker whose stacks are empty or have less than a batch: local chunks, roots, chunks
 * of the queue. Template text: engine.h includes it for each program. */

/* One turn of a worker that accumulates a batch: dequeues a chunk if there is one. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_accumulate)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	lsched_worker *w = x->w;
	lsched_i_batch b;

	p->waits++;
	if (lsched_i_queue_pop_n(w, &b, 1)) {
		p->waits = 0;
		w->finished++;
		lsched_i_chunk_unpack(x, LSCHED_I_TABLE, lsched_i_batch_first(&b));
	} else if (lsched_lane() == 0) {
		lsched_i_relax(p->waits, w->a->workers);
	}
	lsched_sync_worker();
}

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
	if (p->local_top != p->local_bottom) {
		p->local_top--;
		if (lsched_lane() == 0)
			chunk = *lsched_i_local_chunk(x, p->local_top);
		lsched_i_chunk_unpack(x, LSCHED_I_TABLE, lsched_bcast(chunk));
		return 1;
	}
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
