/* Stops: a start that ends with items left, which the next start continues with. Template text:
 * engine.h includes it for programs with LSCHED_STOPS.
 *
 * A body or the host sets state.stop.request. A worker that reads it stores the items of its stacks
 * in chunks and appends the numbers of these and of its local chunks to the list of kept chunks.
 * One worker takes over all roots and kept chunks that no worker has drawn. From then on a worker
 * appends each chunk that it dequeues, until the outstanding count is zero. So a stop uses the
 * termination detection of every other run: a chunk that another worker enqueues late is counted,
 * and all queues are empty at the end, also those in rounds, which need a round or two for it.
 *
 * The list is a ring with a slot for each chunk. The next start draws its units in this order: the
 * kept chunks, the roots left, its own roots. Chunks that it has not drawn when it is stopped, too,
 * stay in their slots, so the list needs no copies.
 *
 * Stacks fit into chunks that only stops reserve, so that a stop does not fail where all other
 * chunks are in use.
 *
 * Memory order: list and chunks are plain memory. A start reads what earlier starts have written,
 * and between two starts there is the end of all workers. */

/* Chunks that hold a worker's stacks. */
#define LSCHED_I_STACK_OF(q) (LSCHED_PROCS > (q) ? LSCHED_I_STACK_CAP(q) / 32u : 0u)
enum {
	LSCHED_I_N(_items_stack_chunks) = LSCHED_I_STACK_OF(0) + LSCHED_I_STACK_OF(1) +
					  LSCHED_I_STACK_OF(2) + LSCHED_I_STACK_OF(3) +
					  LSCHED_I_STACK_OF(4) + LSCHED_I_STACK_OF(5) +
					  LSCHED_I_STACK_OF(6) + LSCHED_I_STACK_OF(7)
};

/* Leader: whether a stop was requested. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_stop_requested)(const lsched_i_items *x)
{
	return lsched_ld(&x->w->a->state->stop.request.v, rlx, dev);
}

/* Appends n chunks to the list of kept chunks: those of the worker's local chunks from `place` on,
 * or `chunk` if it is not LSCHED_NONE. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_keep)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t chunk, uint32_t place, uint32_t n)
{
	const lsched_i_args *a = x->w->a;
	uint32_t at = 0, items = 0;

	if (lsched_lane() == 0)
		at = lsched_add(&a->state->stop.tail.v, n, rlx, dev);
	at = lsched_bcast(at);
	for (uint32_t k = lsched_lane(); k < n; k += LSCHED_LANES) {
		const uint32_t c =
			chunk != LSCHED_NONE ? chunk : *lsched_i_local_chunk(x, place + k);

		a->stop_list[(at + k) & a->stop_list_mask] = c;
		items += a->items_chunk_headers[c] & 255u;
	}
	p->kept_items += lsched_i_sum(items);
	lsched_sync_worker();
}

/* Leader: takes over all roots and kept chunks that no worker has drawn. Returns their number. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_stop_drawing)(const lsched_i_args *a)
{
	uint32_t next = lsched_ld(&a->state->next_root.v, rlx, dev);

	/* compare-and-swap: one worker only, and no draw beyond it */
	while (next < a->tasks)
		if (lsched_cas(&a->state->next_root.v, &next, a->tasks, rlx, dev)) {
			a->state->stop.first = next + 1u;
			return a->tasks - next;
		}
	return 0;
}

/* Fills a chunk, as lsched_i_chunk_fill(); if no other chunk is free, one of those that only stops
 * use. Returns LSCHED_NONE after a failure. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_stop_fill)(
	lsched_i_items *x, uint32_t proc, uint32_t bottom, uint32_t n)
{
	lsched_worker *w = x->w;
	const lsched_i_args *a = w->a;
	const uint32_t count = a->stop_worker_words * a->queue_max_workers;
	const uint32_t own = a->stop_worker_words * w->index;
	uint32_t chunk = lsched_i_chunk_fill(x, LSCHED_I_TABLE, proc, bottom, n, 1), bit = 0;

	if (chunk != LSCHED_NONE)
		return chunk;
	for (uint32_t k = 0; lsched_lane() == 0 && !bit && k < count; k++) {
		const uint32_t word =
			a->items_chunk_words + (own + k < count ? own + k : own + k - count);

		bit = lsched_i_bitmap_reserve(&a->items_chunk_bitmap[word]);
		if (bit) { /* lsched_i_chunk_alloc() takes a reserved one first */
			w->priv->items_free_chunk_word = word;
			w->priv->items_free_chunks = bit;
		}
	}
	if (lsched_bcast(bit))
		return lsched_i_chunk_fill(x, LSCHED_I_TABLE, proc, bottom, n, 0);
	if (lsched_lane() == 0)
		lsched_i_fail(w, LSCHED_I_FAIL_CHUNKS, LSCHED_NONE, 0);
	return LSCHED_NONE;
}

/* Stores all items of the worker, then each chunk that it dequeues, until all workers have done so
 * or the run has failed. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_stop)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	lsched_worker *w = x->w;
	uint32_t chunk, undrawn = 0;

	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		uint32_t count;

		while ((count = x->level->top[q] - p->bottom[q]) != 0) {
			const uint32_t n =
				count < LSCHED_I_CHUNK_ITEMS ? count : LSCHED_I_CHUNK_ITEMS;

			chunk = LSCHED_I_N(_items_stop_fill)(x, q, p->bottom[q], n);
			if (chunk == LSCHED_NONE)
				return;
			p->bottom[q] += n;
			LSCHED_I_N(_items_keep)(x, p, chunk, 0, 1);
		}
	}
	if (p->local_top != p->local_bottom)
		LSCHED_I_N(_items_keep)
	(x, p, LSCHED_NONE, p->local_bottom, p->local_top - p->local_bottom);
	p->local_bottom = p->local_top;
	while ((chunk = lsched_i_spill_pop(w)) != LSCHED_NONE)
		LSCHED_I_N(_items_keep)(x, p, chunk, 0, 1);
	if (lsched_lane() == 0)
		undrawn = LSCHED_I_N(_items_stop_drawing)(w->a);
	w->finished += lsched_bcast(undrawn);
	while ((chunk = lsched_i_dequeue(w)) != LSCHED_NONE) {
		w->finished++;
		LSCHED_I_N(_items_keep)(x, p, chunk, 0, 1);
	}
}

/* At the begin of a turn: whether the worker stops. It reads the request where check_stop is set;
 * else `stop` is what it read before the previous turn. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_stop_due)(
	const lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	if (p->check_stop && lsched_lane() == 0)
		p->stop = LSCHED_I_N(_items_stop_requested)(x);
	p->check_stop = 0;
	return lsched_bcast(p->stop) != 0;
}

/* lsched_run_options.stop_after: adds items to those of all workers, and requests the stop. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_stop_count)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint64_t done)
{
	const lsched_i_args *a = x->w->a;
	const uint64_t more = done - p->counted;

	if (!a->stop_after || more < a->stop_quota)
		return;
	p->counted = done;
	p->check_stop = 1;
	if (lsched_lane() == 0 &&
		lsched_add(&a->state->stop.ran, more, rlx, dev) + more >= a->stop_after)
		lsched_st(&a->state->stop.request.v, 1u, rlx, dev);
}

/* Leader, at the worker's end: adds the items that it has kept to those of the run. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_stop_end)(
	const lsched_i_items *x, const LSCHED_I_N(_items_loop) * p)
{
	if (p->kept_items)
		(void)lsched_add(&x->w->a->state->stop.items, p->kept_items, rlx, dev);
}
