/* lsched_run_options.never_keep: after each turn all items on the stacks leave through the queue,
 * in chunks of one batch at most (on a GPU 32 lane items, or one warp or block item; on the CPU
 * LSCHED_CPU_LANES lane items), as in the papers that compare queues. A worker runs a chunk that it
 * dequeues, or the roots that it draws, in one turn, so it keeps nothing from one turn to the next.
 *
 * Items stay where they cannot leave, and run next:
 * - no chunk is free, or with LSCHED_PROCEDURES the queue is full (without LSCHED_PROCEDURES the
 *   policy FAIL fails the run instead);
 * - one of the worker's procedures waits for room, or its items were put back (LSCHED_AGAIN):
 *   items of others must be able to overtake them;
 * - with LSCHED_PROCEDURES under dist, and under queues in rounds if they have a capacity or more
 *   than a quarter of the pool has left: no other worker could run them in time, and others
 *   may wait for them (sharing.h, pressure.h).
 *
 * Queue prio with LSCHED_ITEM_PRIORITY does the same in any case (priority.h). Template text:
 * engine.h includes it for each program. */

#if LSCHED_I_TABLE
/* Whether a chunk of procedure q may leave. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_may_pass_on)(lsched_i_items *x, uint32_t q)
{
	const lsched_i_args *a = x->w->a;
	uint32_t may = 0;

	if (x->w->queue == LSCHED_QUEUE_DIST)
		return 0;
	if (!lsched_i_queue_has(x->w->queue, LSCHED_I_CAP_ROUNDS))
		return 1;
	if (LSCHED_I_REPEATS || a->items_capacity[q])
		return 0;
	if (lsched_lane() == 0) {
		may = x->pressure->shared < a->items_worker_chunk_words * 8u;
		x->pressure->shared += may;
	}
	return lsched_bcast(may);
}
#define LSCHED_I_FIND_CHUNK(x) LSCHED_I_N(_items_find_chunk)(x)
#else
#define LSCHED_I_FIND_CHUNK(x) \
	lsched_bcast(lsched_lane() == 0 ? lsched_i_chunk_alloc((x)->w, 1) : 0)
#endif

/* Enqueues the n oldest items of procedure q. Returns 0 if they stay. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_pass_chunk)(
	lsched_i_items *x, LSCHED_I_N(_items_loop) * p, uint32_t q, uint32_t n)
{
	uint32_t chunk;

#if LSCHED_I_TABLE
	if (!LSCHED_I_N(_items_may_pass_on)(x, q))
		return 0;
#endif
	chunk = LSCHED_I_FIND_CHUNK(x);
	if (chunk == LSCHED_NONE) {
		if (!LSCHED_I_TABLE && x->w->a->overflow != LSCHED_OVERFLOW_INLINE &&
			lsched_lane() == 0)
			lsched_i_fail(x->w, LSCHED_I_FAIL_CHUNKS, LSCHED_NONE, 0);
		LSCHED_I_COUNT(x->w, INLINED, 1);
		return 0;
	}
	lsched_i_chunk_store(x, LSCHED_I_TABLE, chunk, q, LSCHED_I_N(_items_bottom)(p, q), n);
	/* a full queue: with LSCHED_PROCEDURES no failure, else as the policy says */
	if (!lsched_i_chunk_push(x, chunk, !LSCHED_I_TABLE)) {
		if (lsched_lane() == 0)
			lsched_i_chunk_release(x->w->a, chunk);
		LSCHED_I_COUNT(x->w, INLINED, 1);
		return 0;
	}
	LSCHED_I_N(_items_raise_bottom)(p, q, n);
	return 1;
}

/* After a turn: enqueues all items. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_items_pass_on)(lsched_i_items *x, LSCHED_I_N(_items_loop) * p)
{
#ifdef LSCHED_ITEM_PRIORITY
	if (LSCHED_I_SORTED(x->w))
		return 1;
#endif
	if (LSCHED_I_ANY_BLOCKED(p))
		return 1;
	LSCHED_NO_UNROLL
	for (uint32_t q = 0; q < LSCHED_PROCS; q++) {
		for (;;) {
			const uint32_t most = LSCHED_I_AT_ONCE_OF(q);
			const uint32_t count = x->level->top[q] - LSCHED_I_N(_items_bottom)(p, q);

			if (count == 0 || !LSCHED_I_N(_items_pass_chunk)(
						  x, p, q, count < most ? count : most))
				break;
		}
	}
	return !lsched_bcast(lsched_lane() == 0 ? lsched_i_failed(x->w) : 0);
}
