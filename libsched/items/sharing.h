/* Distribution of items: chunks filled with the oldest items of a worker's stacks, kept in its
 * local list or enqueued for idle workers. Template text: engine.h includes it for each program. */

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

		if (LSCHED_I_AT_ONCE_OF(proc) > 1)
			n = count > LSCHED_I_AT_ONCE_OF(proc) ? count - LSCHED_I_AT_ONCE_OF(proc)
							      : 0;
		else
			n = count / 2;
		n = n < LSCHED_I_CHUNK_ITEMS ? n : LSCHED_I_CHUNK_ITEMS;
		if (n < LSCHED_I_SHARE_MIN(proc))
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
		given = LSCHED_I_CHUNK_SHARE(x, lsched_bcast(chunk));
		*own_bottom += given;
	} else {
		chunk = lsched_i_chunk_fill(x, LSCHED_I_TABLE, proc, *bottom, n, 0);
		given = chunk != LSCHED_NONE && LSCHED_I_CHUNK_SHARE(x, chunk);
		if (given)
			*bottom += n;
		else if (chunk != LSCHED_NONE && lsched_lane() == 0)
			lsched_i_chunk_release(x->w->a, chunk);
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

#if LSCHED_I_TABLE
	/* Only this worker could dequeue the chunk, and it may wait for room with a full list of
	 * local chunks while others wait for the items of this one. */
	if (x->w->queue == LSCHED_QUEUE_DIST)
		return;
#endif
	if (lsched_lane() == 0)
		begin = lsched_i_ticks();
#if LSCHED_I_TABLE
	uint32_t bottom = LSCHED_I_N(_items_bottom)(p, proc);
	const uint32_t before = bottom;

	LSCHED_I_N(_items_share)(x, proc, &bottom, &p->local_bottom, p->local_top);
	LSCHED_I_N(_items_raise_bottom)(p, proc, bottom - before);
#else
	LSCHED_I_N(_items_share)(x, proc, &p->bottom[proc], &p->local_bottom, p->local_top);
#endif
	if (lsched_lane() == 0) {
		const uint64_t end = lsched_i_ticks();

		if (end - begin > LSCHED_I_SHARE_SLOW)
			x->w->priv->items_share_after_ticks =
				end + (end - begin) * LSCHED_I_SHARE_PAUSE;
	}
}

#if LSCHED_I_SPREADS
/* Items that may be in the queue before idle workers request them. */
#define LSCHED_I_AHEAD(w) ((int32_t)((w)->a->workers * LSCHED_AHEAD / 8u))

/* Takes over up to `most` requests of idle workers, and of those that become idle later; returns
 * how many. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_requests)(lsched_i_items *x, uint32_t most)
{
	uint32_t *const requests = &x->w->a->state->items.chunk_requests.v;
	const int32_t ahead = LSCHED_I_AHEAD(x->w);
	uint32_t n = 0;

	if (lsched_lane() == 0 && (int32_t)lsched_ld(requests, rlx, dev) + ahead > 0) {
		const int32_t before = (int32_t)lsched_add(requests, 0u - most, rlx, dev) + ahead;

		n = before <= 0 ? 0 : (uint32_t)before < most ? (uint32_t)before : most;
		if (n < most)
			(void)lsched_add(requests, most - n, rlx, dev);
	}
	return lsched_bcast(n);
}

/* Removes up to n items, oldest first, those of the first procedures first, and fills a chunk with
 * each. Returns their number, which is less than n if no chunk is free. */
#if LSCHED_LANES > 1
/* The k-th item and its chunk are lane k's: one after the other took 0.4 us an item. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_single)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t n, lsched_i_batch *b)
{
	const lsched_i_args *a = x->w->a;
	const uint32_t lane = lsched_lane();
	uint32_t filled = 0, got = 1, mine = LSCHED_NONE, proc = 0, place = 0, before = 0;

	while (filled < n && got) {
		got = lsched_i_chunk_take(x->w, n - filled, filled, &mine);
		filled += got;
	}
	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		const uint32_t count = x->level->top[q] - p->bottom[q], left = filled - before;

		if (lane - before < count) {
			proc = q;
			place = p->bottom[q] + lane - before;
		}
		before += count < left ? count : left;
		p->bottom[q] += count < left ? count : left;
	}
	if (lane < filled) {
		uint32_t v[LSCHED_I_ITEM_WORDS_MAX];

		lsched_i_level_get(x, LSCHED_I_TABLE, proc, place, v);
		for (uint32_t j = 0; j < LSCHED_I_WORDS; j++)
			a->items_chunks[((size_t)mine * x->words + j) * LSCHED_I_CHUNK_ITEMS] =
				v[j];
		a->items_chunk_headers[mine] = proc << 8 | 1u;
	}
	lsched_sync_worker();
	lsched_i_batch_clear(b);
	lsched_i_batch_add(b, mine, lane < filled);
	return filled;
}
#else
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_single)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t n, lsched_i_batch *b)
{
	uint32_t filled = 0;

	lsched_i_batch_clear(b);
	for (uint32_t q = 0; q < LSCHED_PROCS && filled < n; q++) {
		while (filled < n && x->level->top[q] != p->bottom[q]) {
			const uint32_t chunk =
				lsched_i_chunk_fill(x, LSCHED_I_TABLE, q, p->bottom[q], 1, 0);

			if (chunk == LSCHED_NONE) {
				n = filled;
				break;
			}
			p->bottom[q]++;
			lsched_i_batch_add(b, chunk, 1);
			filled++;
		}
	}
	return filled;
}
#endif

/* Enqueues items for all idle workers, and as many ahead of requests as LSCHED_AHEAD says, each as
 * a chunk, as long as the worker keeps one for itself; with rounds, where no worker is idle before
 * the next one, all but one. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_spread)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	lsched_worker *const w = x->w;
	const uint32_t rounds = lsched_i_queue_has(w->queue, LSCHED_I_CAP_ROUNDS);
	uint32_t left = 0, n, given, paid = 0;
	lsched_i_batch b;

	if (p->local_top != p->local_bottom) {
		LSCHED_I_N(_items_share)(x, 0, &p->bottom[0], &p->local_bottom, p->local_top);
		return;
	}
	for (uint32_t q = 0; q < LSCHED_PROCS; q++)
		left += x->level->top[q] - p->bottom[q];
	if (left < 2)
		return;
	n = left - 1 < LSCHED_I_BATCH_MAX ? left - 1 : LSCHED_I_BATCH_MAX;
	n = rounds ? n : LSCHED_I_N(_items_requests)(x, n);
	if (n == 0)
		return;
	left = n; /* requests to serve */
	n = LSCHED_I_N(_items_single)(x, p, n, &b);
	if (lsched_lane() == 0) {
		const uint64_t units = w->finished - w->priv->flushed;

		paid = units <= 1 ? 0 : units - 1 < n ? (uint32_t)(units - 1) : n;
		w->priv->flushed += paid;
		if (paid < n)
			(void)lsched_add(&w->a->state->outstanding.v, n - paid, rlx, dev);
	}
	given = n ? lsched_i_queue_push_n(w, &b) : 0;
	for (uint32_t k = given; k < n; k++)
		lsched_i_chunk_unpack(x, LSCHED_I_TABLE, lsched_i_batch_at(&b, k));
	if (lsched_lane() == 0) {
		const uint32_t failed = n - given, own = n - paid;
		const uint32_t back = failed < own ? failed : own;

		if (back)
			(void)lsched_add(&w->a->state->outstanding.v, 0u - back, rlx, dev);
		w->priv->flushed -= failed - back;
		if (!rounds && given < left)
			(void)lsched_add(
				&w->a->state->items.chunk_requests.v, left - given, rlx, dev);
	}
}
#endif
