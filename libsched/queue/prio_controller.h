/* The parts of the queue prio (queue/prio.h) that are compiled for each program: a dequeue that
 * also enqueues roots, and with LSCHED_PRIORITY the controller that sorts.
 *
 * Controllers: with 4 workers or more on the CPU, 2 on the GPU, the first of each 64 workers to
 * arrive is a controller and only sorts (an arrived worker is running, so no worker waits for one
 * that never starts). With fewer workers, each one sorts before it pops.
 *
 * Termination: a controller leaves when the outstanding count is zero or the run has failed. It
 * runs the watchdog as waiting workers do, so with controllers a stall is detected even while all
 * other workers are busy.
 *
 * Template text: generate.h includes it for each program. */

/* Roots enqueued between two checks for free slots: a few batches. */
#ifndef LSCHED_I_PRIO_ROOT_BATCH
#define LSCHED_I_PRIO_ROOT_BATCH 256u

/* Returns the slots available to roots: in a queue that may overflow the other half is reserved for
 * children. */
LSCHED_WORKER_FN uint32_t lsched_i_prio_root_room(const lsched_i_args *a)
{
	return a->queue_limit < 2 ? a->queue_limit : a->queue_limit / 2;
}

/* Leader: reserves slots and root numbers *first .. for the caller; returns how many. Uses
 * compare-and-swap, not the add and undo of lsched_i_ring_reserve, which could make a child's slot
 * look reserved. */
LSCHED_WORKER_FN uint32_t lsched_i_prio_reserve_roots(
	const lsched_i_args *a, uint32_t roots, uint32_t *first, uint32_t *more)
{
	uint32_t *used = &a->state->queue[LSCHED_I_RING_USED].v;
	uint32_t n = LSCHED_I_PRIO_ROOT_BATCH, got;

	if (a->queue_limit) {
		const uint32_t room = lsched_i_prio_root_room(a);
		uint32_t had = lsched_ld(used, rlx, dev);

		if (had >= room)
			return 0;
		if (n > room - had)
			n = room - had;
		if (!lsched_cas(used, &had, had + n, rlx, dev))
			return 0;
	}
	*first = lsched_add(&a->state->next_root.v, n, rlx, dev);
	got = *first >= roots ? 0 : roots - *first < n ? roots - *first : n;
	*more = got == n;
	if (a->queue_limit && got < n)
		(void)lsched_add(used, got - n, rlx, dev);
	return got;
}
#endif

/* Enqueues roots while slots are free; returns 0 when no roots are left. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_prio_push_roots)(
	lsched_worker *w, const LSCHED_CTX *c, uint32_t roots)
{
	(void)c;
	for (;;) {
		uint32_t first = 0, more = 1, n = 0;

		if (lsched_lane() == 0)
			n = lsched_i_prio_reserve_roots(w->a, roots, &first, &more);
		n = lsched_bcast(n);
		more = lsched_bcast(more);
		if (n == 0)
			return more;
		first = lsched_bcast(first);
		for (uint32_t k = 0; k < n; k += LSCHED_I_BATCH_MAX) {
			lsched_i_batch b;

			lsched_i_batch_open(
				&b, n - k < LSCHED_I_BATCH_MAX ? n - k : LSCHED_I_BATCH_MAX);
			LSCHED_I_EACH_ITEM(&b, i)
			{
#ifdef LSCHED_RULE
				LSCHED_I_ITEM(&b, i) = LSCHED_I_R(root)(c, first + k + i);
#else
				LSCHED_I_ITEM(&b, i) = first + k + i;
#endif
			}
			lsched_i_prio_fill(w, &b, b.n);
		}
	}
}

#ifdef LSCHED_PRIORITY
/* Sorts a window by the current priorities; returns how many items were moved. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_prio_sort)(
	lsched_worker *w, const LSCHED_CTX *c, lsched_i_window *v)
{
	lsched_i_window_read(w->a, v);
	LSCHED_I_EACH_ELEMENT(v, r, e)
	{
		if (v->item[r] != LSCHED_NONE)
			v->key[r] |= (uint64_t)LSCHED_PRIORITY(c, v->item[r]) << 32;
	}
	return lsched_i_window_order(w, v);
}

/* One pass from `tail` to `head`, the front. Without concurrent operations the best segment is then
 * in front, sorted. With best_n it is one window only: best_n tickets from head on and those from
 * `seen` to tail. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_prio_pass)(lsched_worker *w, const LSCHED_CTX *c,
	uint32_t head, uint32_t best_n, uint32_t seen, uint32_t tail)
{
	uint32_t moved = 0;

	while ((int32_t)(tail - head) > 1) {
		const uint32_t n =
			tail - head < LSCHED_I_PRIO_WINDOW ? tail - head : LSCHED_I_PRIO_WINDOW;
		lsched_i_window v;

		v.first = best_n ? head : tail - n;
		v.first_n = best_n ? best_n : n;
		v.second = seen;
		v.n = best_n ? best_n + (tail - seen) : n;
		moved += LSCHED_I_N(_prio_sort)(w, c, &v);
		if (best_n || n == tail - head)
			break;
		tail -= LSCHED_I_PRIO_SEGMENT;
		if (lsched_lane() == 0)
			head = lsched_ld(&w->a->state->queue[LSCHED_I_RING_HEAD].v, rlx, dev);
		head = lsched_bcast(head);
	}
	return moved;
}

/* Reads head and tail of the queue, in all lanes. */
LSCHED_WORKER_FN void LSCHED_I_N(_prio_ends)(const lsched_i_args *a, uint32_t *head, uint32_t *tail)
{
	*head = *tail = 0;
	if (lsched_lane() == 0) {
		*head = lsched_ld(&a->state->queue[LSCHED_I_RING_HEAD].v, rlx, dev);
		*tail = lsched_ld(&a->state->queue[LSCHED_I_RING_TAIL].v, rlx, dev);
	}
	*head = lsched_bcast(*head);
	*tail = lsched_bcast(*tail);
}

/* The loop of a controller; `rank` 0 is the first. Workers pop nothing until all roots that fit are
 * in the queue and the first controller has completed a pass over them (unless they are very many);
 * then it sets state.prio.open. The other controllers start after that, each at a different part of
 * the queue, so that they do not sort the same windows. */
LSCHED_WORKER_FN void LSCHED_I_N(_prio_control)(
	lsched_worker *w, const LSCHED_CTX *c, uint32_t roots, uint32_t rank)
{
	const lsched_i_args *a = w->a;
	lsched_i_state *s = a->state;
	const uint32_t room = lsched_i_prio_root_room(a);
	const uint32_t first_items = a->queue_limit && room < roots ? room : roots;
	const uint32_t controllers = (a->workers + LSCHED_I_PRIO_WORKERS_PER_CONTROLLER - 1) /
				     LSCHED_I_PRIO_WORKERS_PER_CONTROLLER;
	uint32_t open = 0, joined = rank == 0, quiet = 0;

	if (lsched_lane() == 0)
		(void)lsched_i_wait_begin(w);
	for (uint32_t turn = 0;; turn++) {
		uint32_t complete = 0, stop = 0, stalled = LSCHED_I_PROGRESS, moved = 0;

		if (!open && lsched_lane() == 0) {
			open = lsched_ld(&s->prio.open.v, rlx, dev);
			if (rank == 0)
				complete = (int32_t)lsched_ld(&s->queue[LSCHED_I_RING_AVAIL].v, rlx,
						   dev) >= (int32_t)first_items;
			if (complete && first_items > LSCHED_I_PRIO_MAX_SORTED_ROOTS)
				lsched_st(&s->prio.open.v, 1u, rlx, dev);
		}
		open = lsched_bcast(open);
		if (open || rank == 0) {
			uint32_t head, tail;

			LSCHED_I_N(_prio_ends)(a, &head, &tail);
			if (!joined && (int32_t)(tail - head) > 0)
				tail -= (uint32_t)((uint64_t)(tail - head) * rank / controllers);
			joined = 1;
			moved = LSCHED_I_N(_prio_pass)(w, c, head, 0, tail, tail);
		}
		quiet = moved ? 0 : quiet + 1;
		if (lsched_lane() == 0) {
			if (complete)
				lsched_st(&s->prio.open.v, 1u, rlx, dev);
			stop = lsched_i_failed(w);
			stop |= lsched_i_outstanding(w) == 0;
			if (!stop && lsched_i_clock_due(turn, 16u))
				stalled = lsched_i_watchdog(w);
			if (!stop && quiet)
				lsched_i_relax(quiet, a->workers);
		}
		if (lsched_i_idle_over(w, stop, stalled))
			return;
	}
}

/* Sorts before a pop, in a run without controllers. A short queue is sorted as a whole. A long one
 * gets a pass when the best segment is used up or many items are new; else the new items are merged
 * with the rest of the best segment. A single worker thus always pops the best item. */
LSCHED_WORKER_FN void LSCHED_I_N(_prio_sort_before_pop)(lsched_worker *w, const LSCHED_CTX *c)
{
	uint32_t *q = w->priv->queue;
	uint32_t head, tail, known, best, seen, merged, best_n = 0;

	LSCHED_I_N(_prio_ends)(w->a, &head, &tail);
	known = lsched_bcast(q[LSCHED_I_PRIO_VALID]);
	best = lsched_bcast(q[LSCHED_I_PRIO_BEST_END]);
	seen = lsched_bcast(q[LSCHED_I_PRIO_PASS_END]);
	merged = lsched_bcast(q[LSCHED_I_PRIO_MERGED_END]);
	if ((int32_t)(tail - head) <= (int32_t)LSCHED_I_PRIO_WINDOW) {
		known = 0;
	} else if (known && (int32_t)(best - head) > 0 && tail - seen <= LSCHED_I_PRIO_SEGMENT) {
		if (tail == merged)
			return;
		best_n = best - head;
	} else {
		known = 1;
		best = head + LSCHED_I_PRIO_SEGMENT;
		seen = tail;
	}
	(void)LSCHED_I_N(_prio_pass)(w, c, head, best_n, seen, tail);
	if (lsched_lane() == 0) {
		q[LSCHED_I_PRIO_VALID] = known;
		q[LSCHED_I_PRIO_BEST_END] = best;
		q[LSCHED_I_PRIO_PASS_END] = seen;
		q[LSCHED_I_PRIO_MERGED_END] = tail;
	}
	lsched_sync_worker();
}
#endif

/* Returns the next item; LSCHED_NONE at the end of the run or after a failure. Like
 * lsched_i_dequeue(), and enqueues roots. *closed: until the controller has opened the queue. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_prio_dequeue)(lsched_worker *w, const LSCHED_CTX *c,
	uint32_t roots, uint32_t *more_roots, uint32_t *closed)
{
	uint64_t idle = 0;
	uint32_t item = LSCHED_NONE, stop = 0;
	lsched_i_batch b;

	/* after each task, because workers that wait for slots end by the outstanding count if
	 * tasks ran twice (lsched_i_spin_expired) */
	lsched_i_flush_finished(w);
	for (uint32_t spins = 0;; spins++) {
		if (*more_roots)
			*more_roots = LSCHED_I_N(_prio_push_roots)(w, c, roots);
		if (lsched_lane() == 0) {
			stop = lsched_i_failed(w);
			if (*closed)
				*closed = !lsched_ld(&w->a->state->prio.open.v, rlx, dev);
		}
		*closed = lsched_bcast(*closed);
#ifdef LSCHED_PRIORITY
		if (w->a->workers < LSCHED_I_PRIO_MIN_WORKERS)
			LSCHED_I_N(_prio_sort_before_pop)(w, c);
#endif
		if (!*closed && lsched_i_queue_pop_n(w, &b, 1)) {
			item = lsched_i_batch_first(&b);
			break;
		}
		if (lsched_i_idle_step(w, spins, stop, &idle))
			break;
	}
	if (lsched_lane() == 0 && idle)
		lsched_i_wait_end(w, idle);
	return lsched_bcast(stop) ? LSCHED_NONE : item;
}

/* At a worker's begin. Nonzero: it was a controller, and all is done or the run has failed.
 * Otherwise *closed: whether it must wait until the controller has opened the queue. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_prio_controls)(
	lsched_worker *w, const LSCHED_CTX *c, uint32_t roots, uint32_t *closed)
{
	(void)c, (void)roots, (void)closed;
#ifdef LSCHED_PRIORITY
	if (w->a->workers >= LSCHED_I_PRIO_MIN_WORKERS) {
		uint32_t arrival = 0;

		if (lsched_lane() == 0)
			arrival = lsched_add(&w->a->state->prio.arrivals.v, 1u, rlx, dev);
		arrival = lsched_bcast(arrival);
		if (arrival % LSCHED_I_PRIO_WORKERS_PER_CONTROLLER == 0) {
			LSCHED_I_N(_prio_control)
			(w, c, roots, arrival / LSCHED_I_PRIO_WORKERS_PER_CONTROLLER);
			return 1;
		}
		*closed = 1;
	}
#else
	(void)w;
#endif
	return 0;
}
