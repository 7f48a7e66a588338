/* dynamic: a counter of arrivals at every task; the last predecessor to finish makes it ready
 * (Tzeng, Lloyd, Owens 2012, algorithm 1). The worker keeps the first ready successor in the order
 * of the rule, and enqueues the others in one batch. Without a rule: items 0..tasks-1 and the items
 * that they spawn.
 *
 * Template text: generate.h includes it for each program. */

#ifdef LSCHED_RULE
/* Counts an arrival at each successor of a finished task. An arrival is a release and an acquire,
 * so the last one observes the writes of all predecessors; it resets the counter to zero for the
 * next start. A task with one predecessor needs no counter. */
LSCHED_WORKER_FN void LSCHED_I_N(_resolve)(lsched_worker *w, const LSCHED_CTX *c, uint32_t task)
{
	const lsched_i_args *a = w->a;
	uint32_t n = LSCHED_I_R(succ_count)(c, task);
	lsched_i_batch b;

	for (uint32_t base = 0; base < n; base += LSCHED_I_BATCH_MAX) {
		lsched_i_batch_clear(&b);
		LSCHED_I_EACH_LANE(k, n - base < LSCHED_I_BATCH_MAX ? n - base : LSCHED_I_BATCH_MAX)
		{
			uint32_t s = LSCHED_NONE;
			int ready = 0;

			if (base + k < n) {
				uint32_t need;

				s = LSCHED_I_R(succ)(c, task, base + k);
				need = LSCHED_I_R(pred_count)(c, s);
				ready = need == 1 || lsched_i_arrive(&a->task_words[s], need);
				w->excess += 1u - (ready ? need : 0u);
			}
			lsched_i_batch_add(&b, s, ready);
		}
		if (b.n && lsched_i_may_keep(w))
			w->next_task = lsched_i_batch_first(&b);
		lsched_i_enqueue(w, &b);
	}
}
#endif

/* Runs a task and enqueues the successors that become ready. Returns 0 if the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_run_and_resolve)(
	lsched_worker *w, const LSCHED_CTX *c, LSCHED_LOCAL *l, uint32_t task)
{
	if (!LSCHED_I_N(_run_task)(w, c, l, task))
		return 0;
#ifdef LSCHED_RULE
	LSCHED_I_N(_resolve)(w, c, task);
#endif
	return lsched_i_task_finished(w);
}

#include "libsched/queue/prio_controller.h"

/* Returns the next root, or NONE when all are drawn. Roots need no queue: the number that a worker
 * draws assigns it the root. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_draw_root)(
	lsched_worker *w, const LSCHED_CTX *c, uint32_t roots, uint32_t *more_roots)
{
	uint32_t i = 0;

	(void)c;
	if (lsched_lane() == 0)
		i = lsched_add(&w->a->state->next_root.v, 1u, rlx, dev);
	i = lsched_bcast(i);
	if (i >= roots || lsched_bcast(lsched_i_failed(w))) {
		*more_roots = 0;
		return LSCHED_NONE;
	}
#ifdef LSCHED_RULE
	return LSCHED_I_R(root)(c, i);
#else
	return i;
#endif
}

/* Returns the next task: the kept one, a spilled one, a root, or one from the queue, for which it
 * waits. NONE when all tasks are finished or the run has failed. */
LSCHED_WORKER_FN uint32_t LSCHED_I_N(_next_task)(lsched_worker *w, const LSCHED_CTX *c,
	uint32_t roots, uint32_t *more_roots, uint32_t *closed)
{
	uint32_t task = w->next_task;

	if (task != LSCHED_NONE) {
		w->next_task = LSCHED_NONE;
		w->kept++;
		return task;
	}
	task = lsched_i_spill_pop(w);
	if (lsched_i_queue_has(w->queue, LSCHED_I_CAP_SORTED))
		return task != LSCHED_NONE
			       ? task
			       : LSCHED_I_N(_prio_dequeue)(w, c, roots, more_roots, closed);
	if (task == LSCHED_NONE && *more_roots)
		task = LSCHED_I_N(_draw_root)(w, c, roots, more_roots);
	return task != LSCHED_NONE ? task : lsched_i_dequeue(w);
}

LSCHED_WORKER_FN void LSCHED_I_N(_dynamic)(lsched_worker *w, const LSCHED_CTX *c, LSCHED_LOCAL *l)
{
	const lsched_i_args *a = w->a;
#ifdef LSCHED_RULE
	const uint32_t roots = LSCHED_I_R(root_count)(c);
#else
	const uint32_t roots = a->tasks;
#endif
	uint32_t more_roots = 1, closed = 0, task;

	if (lsched_i_queue_has(w->queue, LSCHED_I_CAP_SORTED) &&
		LSCHED_I_N(_prio_controls)(w, c, roots, &closed))
		return;
	/* in later rounds all roots are drawn; another draw would cost each worker an atomic */
	if (lsched_i_queue_has(w->queue, LSCHED_I_CAP_ROUNDS))
		more_roots = lsched_bcast(lsched_ld(&a->state->next_root.v, rlx, dev)) < roots;
	do
		task = LSCHED_I_N(_next_task)(w, c, roots, &more_roots, &closed);
	while (task != LSCHED_NONE && LSCHED_I_N(_run_and_resolve)(w, c, l, task));
}
