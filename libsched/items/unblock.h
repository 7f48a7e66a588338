/* The step of a worker whose items are all of blocked procedures (items/again.h), in a program with
 * one body; with LSCHED_PROCEDURES items/pressure.h has it. Template text. */

/* Moves the 32 oldest items of a blocked procedure to the oldest place of the local chunks, if the
 * stack has no room for as many others. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_move_blocked)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t proc)
{
	const uint32_t bottom = LSCHED_I_N(_items_lower_bottom)(p, proc, 0);
	uint32_t chunk;

	if (x->level->top[proc] - bottom + LSCHED_I_CHUNK_ITEMS <= LSCHED_STACK)
		return 1;
	chunk = lsched_i_chunk_fill(x, LSCHED_I_TABLE, proc, bottom, LSCHED_I_CHUNK_ITEMS, 1);
	if (chunk == LSCHED_NONE) {
		if (lsched_lane() == 0)
			lsched_i_fail(x->w, LSCHED_I_FAIL_CHUNKS, LSCHED_NONE, 0);
		return 0;
	}
	(void)LSCHED_I_N(_items_lower_bottom)(p, proc, 0u - LSCHED_I_CHUNK_ITEMS);
	if (p->local_top - p->local_bottom == x->w->a->items_local_chunk_slots) {
		(void)lsched_i_chunk_push(x, chunk, 1);
		return !lsched_bcast(lsched_i_failed(x->w));
	}
	p->local_bottom--;
	if (lsched_lane() == 0)
		*lsched_i_local_chunk(x, p->local_bottom) = chunk;
	lsched_sync_worker();
	return 1;
}

/* With rounds: enqueues the items on the stacks for the next round, and the worker leaves this one,
 * because the items that make room may be enqueued for the next round, too. Items without a chunk
 * or slot stay. */
LSCHED_WORKER_FN void LSCHED_I_N(_items_leave_round)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	LSCHED_UNROLL
	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		uint32_t count;

		while ((count = x->level->top[q] - p->bottom[q]) != 0) {
			const uint32_t n =
				count < LSCHED_I_CHUNK_ITEMS ? count : LSCHED_I_CHUNK_ITEMS;
			const uint32_t chunk =
				lsched_i_chunk_fill(x, LSCHED_I_TABLE, q, p->bottom[q], n, 1);

			if (chunk == LSCHED_NONE)
				return;
			if (!lsched_i_chunk_push(x, chunk, 0)) {
				if (lsched_lane() == 0)
					lsched_i_chunk_release(x->w->a, chunk);
				return;
			}
			p->bottom[q] += n;
		}
	}
}

/* Whether the worker looks into its local chunks before the queue. With never_keep its local chunks
 * are items that were blocked, and those that make room are in the queue; in rounds both must come
 * to the next round then, from the stack. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_local_first)(
	const lsched_worker *w, const LSCHED_I_N(_items_loop) * p)
{
	return p->local_top != p->local_bottom && !w->a->never_keep;
}

/* Removes and returns the newest local chunk. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_newest_local)(
	const lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	uint32_t chunk = LSCHED_NONE;

	p->local_top--;
	if (lsched_lane() == 0)
		chunk = *lsched_i_local_chunk(x, p->local_top);
	return lsched_bcast(chunk);
}

/* All items of the worker are of blocked procedures: pushes a chunk on its stack, the
 * newest local one or one of the queue, if there is one, and ends the block. Returns 0 if the run
 * has failed: it reads the failure flag, because turns in which no item finishes are so short and
 * regular that the loop's intervals may miss it. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_unblock)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
	lsched_worker *w = x->w;
	const uint32_t rounds = lsched_i_queue_has(w->queue, LSCHED_I_CAP_ROUNDS);
	uint32_t chunk = LSCHED_NONE;
	lsched_i_batch b;

	p->blocked = 0;
	if (lsched_bcast(lsched_i_failed(w)))
		return 0;
	if (LSCHED_I_N(_items_local_first)(w, p)) {
		chunk = LSCHED_I_N(_items_newest_local)(x, p);
	} else if (lsched_i_queue_wait(w, &b)) {
		chunk = lsched_i_batch_first(&b);
		w->finished++;
	} else if (p->local_top != p->local_bottom && !rounds) {
		chunk = LSCHED_I_N(_items_newest_local)(x, p);
	}
	if (chunk == LSCHED_NONE) {
		if (rounds)
			LSCHED_I_N(_items_leave_round)(x, p);
		if (lsched_lane() == 0)
			lsched_i_relax(p->waits, w->a->workers);
		p->waits++;
		return 1;
	}
	if (!LSCHED_I_N(_items_move_blocked)(x, p, w->a->items_chunk_headers[chunk] >> 8))
		return 0;
	lsched_i_chunk_unpack(x, LSCHED_I_TABLE, chunk);
	return 1;
}
