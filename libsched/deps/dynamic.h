/* dynamic: a counter of arrivals at every task; the last predecessor to finish makes it ready (Tzeng,
 * Lloyd, Owens 2012, algorithm 1). The worker keeps the first ready successor, in the order the rule
 * names them, and gives the others to the queue with one push. Without a rule: items 0..tasks-1 and
 * whatever they spawn.
 *
 * Template text: generate.h includes it for each program. */

#ifdef SCHED_RULE
/* An arrival publishes the finished task, and the last one has seen all the others. It leaves the counter
 * at zero, for the next start. A task with one predecessor needs no counting at all. */
SCHED_WORKER_FN void SCHED__N(_resolve)(sched_worker *w, const SCHED_CTX *c, uint32_t task)
{
	const sched__args *a = w->a;
	uint32_t n = SCHED__R(succ_count)(c, task);
	sched__batch b;

	for (uint32_t base = 0; base < n; base += SCHED__BATCH_MAX) {
		sched__batch_clear(&b);
		SCHED__EACH_LANE(k, n - base < SCHED__BATCH_MAX ? n - base : SCHED__BATCH_MAX)
		{
			uint32_t s = SCHED_NONE;
			int ready = 0;

			if (base + k < n) {
				uint32_t need;

				s = SCHED__R(succ)(c, task, base + k);
				need = SCHED__R(pred_count)(c, s);
				ready = need == 1 || sched__arrive(&a->task_word[s], need);
				w->excess += 1u - (ready ? need : 0u);
			}
			sched__batch_add(&b, s, ready);
		}
		if (b.n && sched__may_keep(w))
			w->keep = sched__batch_first(&b);
		sched__offer(w, &b);
	}
}
#endif

/* A task and what follows from it; 0 when the run has failed. */
SCHED_WORKER_FN uint32_t SCHED__N(_run_and_resolve)(
	sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l, uint32_t task)
{
	if (!SCHED__N(_run_task)(w, c, l, task))
		return 0;
#ifdef SCHED_RULE
	SCHED__N(_resolve)(w, c, task);
#endif
	return sched__ran_one(w);
}

#include "libsched/queue/prio_controller.h"

SCHED_WORKER_FN void SCHED__N(_dynamic)(sched_worker *w, const SCHED_CTX *c, SCHED_LOCAL *l)
{
	const sched__args *a = w->a;
#ifdef SCHED_RULE
	const uint32_t roots = SCHED__R(root_count)(c);
#else
	const uint32_t roots = a->tasks;
#endif
	uint32_t more_roots = 1;

	if (sched__queue_kind(w->queue) == SCHED__KIND_sorted) {
		SCHED__N(_prio_dynamic)(w, c, l, roots);
		return;
	}
	/* in a later round they are long gone, and asking by ticket would cost every worker an atomic */
	if (sched__queue_kind(w->queue) == SCHED__KIND_rounds)
		more_roots = sched_bcast(sched_ld(&a->state->ticket.v, rlx, dev)) < roots;
	for (;;) {
		uint32_t task = w->keep;

		if (task != SCHED_NONE) {
			w->keep = SCHED_NONE;
			w->kept++;
		} else {
			task = sched__own_pop(w);
			/* Roots need no queue: a ticket is one. Each worker runs out of them once. */
			if (task == SCHED_NONE && more_roots) {
				uint32_t i = 0;

				if (sched_lane() == 0)
					i = sched_add(&a->state->ticket.v, 1u, rlx, dev);
				i = sched_bcast(i);
				if (i < roots && !sched_bcast(sched__failed(w))) {
#ifdef SCHED_RULE
					task = SCHED__R(root)(c, i);
#else
					task = i;
#endif
				} else {
					more_roots = 0;
				}
			}
			if (task == SCHED_NONE)
				task = sched__take(w);
			if (task == SCHED_NONE)
				return;
		}
		if (!SCHED__N(_run_and_resolve)(w, c, l, task))
			return;
	}
}
