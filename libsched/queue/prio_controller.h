/* What the queue prio (queue/prio.h) needs of each program: its workers' loop, in which roots go through
 * the queue too, and with SCHED_PRIORITY the controller that sorts.
 *
 * Who sorts: with 4 workers or more on the CPU, 2 on the GPU, the first of each 64 that come does nothing
 * else (who comes first has started, so nobody waits for a worker that never starts). With fewer, each
 * worker sorts before it takes an item.
 *
 * Termination: a controller leaves when the live count is zero or the run has failed. It watches the
 * live count as waiting workers do, so with controllers a stall is noticed even while all others work.
 *
 * Template text: generate.h includes it for each program. */

/* Roots put in between two looks at the room: a few batches. */
#ifndef SCHED__PRIO_FEED
#define SCHED__PRIO_FEED 256u

/* Room for roots: children find the other half of a queue that may overflow. */
SCHED_WORKER_FN uint32_t sched__prio_room(const sched__args *a)
{
	return a->queue_limit < 2 ? a->queue_limit : a->queue_limit / 2;
}

/* Leader: reserves room and root numbers *first .. for the caller; returns how many. Not by adding and
 * taking back, as children do it: that could make a child's place look taken. */
SCHED_WORKER_FN uint32_t sched__prio_reserve_roots(
	const sched__args *a, uint32_t roots, uint32_t *first, uint32_t *more)
{
	uint32_t *used = &a->state->queue[SCHED__RING_USED].v;
	uint32_t n = SCHED__PRIO_FEED, got;

	if (a->queue_limit) {
		const uint32_t room = sched__prio_room(a);
		uint32_t had = sched_ld(used, rlx, dev);

		if (had >= room)
			return 0;
		if (n > room - had)
			n = room - had;
		if (!sched_cas(used, &had, had + n, rlx, dev))
			return 0;
	}
	*first = sched_add(&a->state->ticket.v, n, rlx, dev);
	got = *first >= roots ? 0 : roots - *first < n ? roots - *first : n;
	*more = got == n;
	if (a->queue_limit && got < n)
		(void)sched_add(used, got - n, rlx, dev);
	return got;
}
#endif

/* Puts roots into the queue while there is room; 0 when there are no more. */
SCHED_WORKER_FN uint32_t SCHED__N(_prio_feed)(sched_worker *w, const SCHED_CTX *c, uint32_t roots)
{
	(void)c;
	for (;;) {
		uint32_t first = 0, more = 1, n = 0;

		if (sched_lane() == 0)
			n = sched__prio_reserve_roots(w->a, roots, &first, &more);
		n = sched_bcast(n);
		more = sched_bcast(more);
		if (n == 0)
			return more;
		first = sched_bcast(first);
		for (uint32_t k = 0; k < n; k += SCHED__BATCH_MAX) {
			sched__batch b;

			sched__batch_open(&b, n - k < SCHED__BATCH_MAX ? n - k : SCHED__BATCH_MAX);
			SCHED__EACH_ITEM(&b, i)
			{
#ifdef SCHED_RULE
				SCHED__ITEM(&b, i) = SCHED__R(root)(c, first + k + i);
#else
				SCHED__ITEM(&b, i) = first + k + i;
#endif
			}
			sched__prio_put(w, &b, b.n);
		}
	}
}

#ifdef SCHED_PRIORITY
/* Sorts a window by what the program says now; returns how many items were moved. */
SCHED_WORKER_FN uint32_t SCHED__N(_prio_sort)(sched_worker *w, const SCHED_CTX *c, sched__window *v)
{
	sched__window_read(w->a, v);
	SCHED__EACH_ELEMENT(v, r, e)
	{
		if (v->item[r] != SCHED_NONE)
			v->key[r] |= (uint64_t)SCHED_PRIORITY(c, v->item[r]) << 32;
	}
	return sched__window_order(w, v);
}

/* From `tail` to `head`, the front. With nobody else at work the best segment is then in front, sorted.
 * With best_n it is one window only: best_n tickets from head on and those from `seen` to tail. */
SCHED_WORKER_FN uint32_t SCHED__N(_prio_pass)(sched_worker *w, const SCHED_CTX *c, uint32_t head,
	uint32_t best_n, uint32_t seen, uint32_t tail)
{
	uint32_t moved = 0;

	while ((int32_t)(tail - head) > 1) {
		const uint32_t n =
			tail - head < SCHED__PRIO_WINDOW ? tail - head : SCHED__PRIO_WINDOW;
		sched__window v;

		v.first = best_n ? head : tail - n;
		v.first_n = best_n ? best_n : n;
		v.second = seen;
		v.n = best_n ? best_n + (tail - seen) : n;
		moved += SCHED__N(_prio_sort)(w, c, &v);
		if (best_n || n == tail - head)
			break;
		tail -= SCHED__PRIO_SEGMENT;
		if (sched_lane() == 0)
			head = sched_ld(&w->a->state->queue[SCHED__RING_HEAD].v, rlx, dev);
		head = sched_bcast(head);
	}
	return moved;
}

/* The ends of the queue, in all lanes. */
SCHED_WORKER_FN void SCHED__N(_prio_ends)(const sched__args *a, uint32_t *head, uint32_t *tail)
{
	*head = *tail = 0;
	if (sched_lane() == 0) {
		*head = sched_ld(&a->state->queue[SCHED__RING_HEAD].v, rlx, dev);
		*tail = sched_ld(&a->state->queue[SCHED__RING_TAIL].v, rlx, dev);
	}
	*head = sched_bcast(*head);
	*tail = sched_bcast(*tail);
}

/* A controller; `rank` 0 is the first. Workers take nothing before all roots that have room are in the
 * queue and the first controller has gone over them (unless they are very many): state.passed tells
 * them. Then the others join, each beginning a share of the queue further on, or all would have the
 * same windows in hand. */
SCHED_WORKER_FN void SCHED__N(_prio_control)(
	sched_worker *w, const SCHED_CTX *c, uint32_t roots, uint32_t rank)
{
	const sched__args *a = w->a;
	sched__state *s = a->state;
	const uint32_t room = sched__prio_room(a);
	const uint32_t first_items = a->queue_limit && room < roots ? room : roots;
	const uint32_t controllers = (a->workers + SCHED__PRIO_FLOCK - 1) / SCHED__PRIO_FLOCK;
	uint32_t open = 0, joined = rank == 0, quiet = 0;

	if (sched_lane() == 0)
		(void)sched__wait_begin(w);
	for (uint32_t turn = 0;; turn++) {
		uint32_t complete = 0, stop = 0, stalled = SCHED__GOING, moved = 0;

		if (!open && sched_lane() == 0) {
			open = sched_ld(&s->passed.v, rlx, dev);
			if (rank == 0)
				complete = (int32_t)sched_ld(&s->queue[SCHED__RING_AVAIL].v, rlx,
						   dev) >= (int32_t)first_items;
			if (complete && first_items > SCHED__PRIO_GATED)
				sched_st(&s->passed.v, 1u, rlx, dev);
		}
		open = sched_bcast(open);
		if (open || rank == 0) {
			uint32_t head, tail;

			SCHED__N(_prio_ends)(a, &head, &tail);
			if (!joined && (int32_t)(tail - head) > 0)
				tail -= (uint32_t)((uint64_t)(tail - head) * rank / controllers);
			joined = 1;
			moved = SCHED__N(_prio_pass)(w, c, head, 0, tail, tail);
		}
		quiet = moved ? 0 : quiet + 1;
		if (sched_lane() == 0) {
			if (complete)
				sched_st(&s->passed.v, 1u, rlx, dev);
			stop = sched__failed(w);
			stop |= sched__left(w) == 0;
			if (!stop && (turn & 15u) == 15u)
				stalled = sched__watch(w);
			if (!stop && quiet)
				sched__relax(quiet, a->workers);
		}
		if (sched_bcast(stop))
			return;
		stalled = sched_bcast(stalled);
		if (stalled != SCHED__GOING) {
			sched__give_up(w, stalled);
			return;
		}
	}
}

/* Before a worker without a controller takes an item. A short queue is sorted as a whole. A long one
 * gets a pass when the best are used up or many are new; else the new ones are compared with what is
 * left of the best. Alone, the worker so finds the very best in front. */
SCHED_WORKER_FN void SCHED__N(_prio_sort_for_myself)(sched_worker *w, const SCHED_CTX *c)
{
	uint32_t *q = w->desk->q;
	uint32_t head, tail, known, best, seen, merged, best_n = 0;

	SCHED__N(_prio_ends)(w->a, &head, &tail);
	known = sched_bcast(q[SCHED__PRIO_KNOWN]);
	best = sched_bcast(q[SCHED__PRIO_BEST]);
	seen = sched_bcast(q[SCHED__PRIO_SEEN]);
	merged = sched_bcast(q[SCHED__PRIO_MERGED]);
	if ((int32_t)(tail - head) <= (int32_t)SCHED__PRIO_WINDOW) {
		known = 0;
	} else if (known && (int32_t)(best - head) > 0 && tail - seen <= SCHED__PRIO_SEGMENT) {
		if (tail == merged)
			return;
		best_n = best - head;
	} else {
		known = 1;
		best = head + SCHED__PRIO_SEGMENT;
		seen = tail;
	}
	(void)SCHED__N(_prio_pass)(w, c, head, best_n, seen, tail);
	if (sched_lane() == 0) {
		q[SCHED__PRIO_KNOWN] = known;
		q[SCHED__PRIO_BEST] = best;
		q[SCHED__PRIO_SEEN] = seen;
		q[SCHED__PRIO_MERGED] = tail;
	}
	sched_sync_worker();
}
#endif

/* The next item; SCHED_NONE when all is done or the run has failed. As sched__take(), and feeds roots.
 * `wait`: until the controller has opened the queue. */
SCHED_WORKER_FN uint32_t SCHED__N(_prio_take)(
	sched_worker *w, const SCHED_CTX *c, uint32_t roots, uint32_t *more_roots, uint32_t *wait)
{
	uint64_t idle = 0;
	uint32_t item = SCHED_NONE, stop = 0;
	sched__batch b;

	/* after each task, since a controller takes a live count that stands still for a stall */
	sched__settle(w);
	for (uint32_t spins = 0;; spins++) {
		if (*more_roots)
			*more_roots = SCHED__N(_prio_feed)(w, c, roots);
		if (sched_lane() == 0) {
			stop = sched__failed(w);
			if (*wait)
				*wait = !sched_ld(&w->a->state->passed.v, rlx, dev);
		}
		*wait = sched_bcast(*wait);
#ifdef SCHED_PRIORITY
		if (w->a->workers < SCHED__PRIO_CONTROLLED)
			SCHED__N(_prio_sort_for_myself)(w, c);
#endif
		if (!*wait && sched__queue_pop_n(w, &b, 1)) {
			item = sched__batch_first(&b);
			break;
		}
		if (sched__wait_step(w, spins, stop, &idle))
			break;
	}
	if (sched_lane() == 0 && idle)
		sched__wait_end(w, idle);
	return sched_bcast(stop) ? SCHED_NONE : item;
}

SCHED_WORKER_FN void SCHED__N(_prio_dynamic)(
	sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l, uint32_t roots)
{
	uint32_t more_roots = 1, wait = 0;

#ifdef SCHED_PRIORITY
	if (w->a->workers >= SCHED__PRIO_CONTROLLED) {
		uint32_t place = 0;

		if (sched_lane() == 0)
			place = sched_add(&w->a->state->arrived.v, 1u, rlx, dev);
		place = sched_bcast(place);
		if (place % SCHED__PRIO_FLOCK == 0) {
			SCHED__N(_prio_control)(w, c, roots, place / SCHED__PRIO_FLOCK);
			return;
		}
		wait = 1;
	}
#endif
	for (;;) {
		uint32_t task = sched__own_pop(w);

		if (task == SCHED_NONE)
			task = SCHED__N(_prio_take)(w, c, roots, &more_roots, &wait);
		if (task == SCHED_NONE || !SCHED__N(_run_and_resolve)(w, c, l, task))
			return;
	}
}
