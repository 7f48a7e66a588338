/* Distribution of items: chunks filled with the oldest items of a worker's stacks, kept in its
 * local list or enqueued for idle workers. Template text: engine.h includes it for each program. */

/* The variables of a worker's loop. Items top - bottom of a procedure are on its stack. */
typedef struct LSCHED_I_N(_items_loop) {
	uint32_t bottom[LSCHED_PROCS];
	uint32_t local_bottom, local_top; /* the worker's own chunks */
	uint32_t more_roots;
	uint32_t waits;     /* turns since a small batch began to wait for more items */
	uint32_t published; /* args.current_task's value */
} LSCHED_I_N(_items_loop);

/* Makes room on a stack: moves its oldest items to a local chunk, or to the queue if the list of
 * local chunks is full. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_make_room)(lsched_i_items *x, uint32_t proc,
	uint32_t *bottom, uint32_t n, uint32_t own_bottom, uint32_t *own_top)
{
	const uint32_t chunk = lsched_i_chunk_fill(x, proc, *bottom, n, 1);

	if (chunk == LSCHED_NONE) {
		if (lsched_lane() == 0)
			lsched_i_fail(x->w, LSCHED_I_FAIL_CHUNKS, LSCHED_NONE, 0);
		return 0;
	}
	*bottom += n;
	if (*own_top - own_bottom < x->w->a->items_local_chunk_slots) {
		if (lsched_lane() == 0)
			*lsched_i_local_chunk(x, *own_top) = chunk;
		++*own_top;
		return 1;
	}
	(void)lsched_i_chunk_push(x, chunk, 1);
	return !lsched_bcast(lsched_i_failed(x->w));
}

/* Serves a request of an idle worker: enqueues the oldest local chunk, or fills a chunk from the
 * stack. A worker requests one chunk with each dequeue, and a chunk enqueued serves one request, so
 * that a slow consumer does not make all workers enqueue. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_share)(
	lsched_i_items *x, uint32_t proc, uint32_t *bottom, uint32_t *own_bottom, uint32_t own_top)
{
	const uint32_t rounds = lsched_i_queue_has(x->w->queue, LSCHED_I_CAP_ROUNDS);
	uint32_t chunk = 0, n = 0, given, asked = 1;

	if (own_top == *own_bottom) {
		const uint32_t count = x->level->top[proc] - *bottom;

		if (LSCHED_I_AT_ONCE > 1)
			n = count > LSCHED_I_AT_ONCE ? count - LSCHED_I_AT_ONCE : 0;
		else
			n = count / 2;
		n = n < LSCHED_I_CHUNK_ITEMS ? n : LSCHED_I_CHUNK_ITEMS;
		if (n < LSCHED_I_SHARE_MIN)
			return;
	}
	if (!rounds) {
		if (lsched_lane() == 0) {
			asked = (int32_t)lsched_add(&x->w->a->state->items.chunk_requests.v,
					0xffffffffu, rlx, dev) > 0;
			if (!asked)
				(void)lsched_add(
					&x->w->a->state->items.chunk_requests.v, 1u, rlx, dev);
		}
		if (!lsched_bcast(asked))
			return;
	}
	if (n == 0) {
		if (lsched_lane() == 0)
			chunk = *lsched_i_local_chunk(x, *own_bottom);
		given = lsched_i_chunk_push(x, lsched_bcast(chunk), 0);
		*own_bottom += given;
	} else {
		chunk = lsched_i_chunk_fill(x, proc, *bottom, n, 0);
		given = chunk != LSCHED_NONE && lsched_i_chunk_push(x, chunk, 0);
		if (given)
			*bottom += n;
		else if (chunk != LSCHED_NONE && lsched_lane() == 0)
			lsched_i_bitmap_release(
				&x->w->a->items_chunk_bitmap[chunk / 32u], 1u << (chunk & 31u));
	}
	if (!given && !rounds && lsched_lane() == 0)
		(void)lsched_add(&x->w->a->state->items.chunk_requests.v, 1u, rlx, dev);
}

/* Serves the request of an idle worker, and pauses after a slow enqueue: where the queue is slow,
 * sharing must not take all the time. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_serve)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t proc)
{
	uint64_t begin = 0;

	if (lsched_lane() == 0)
		begin = lsched_i_ticks();
	LSCHED_I_N(_items_share)(x, proc, &p->bottom[proc], &p->local_bottom, p->local_top);
	if (lsched_lane() == 0) {
		const uint64_t end = lsched_i_ticks();

		if (end - begin > LSCHED_I_SHARE_SLOW)
			x->w->priv->items_share_after_ticks =
				end + (end - begin) * LSCHED_I_SHARE_PAUSE;
	}
}
