/* Sleep of idle CPU workers. A worker that has found no item for about a millisecond sleeps until
 * items are enqueued, the run ends or fails, or a watchdog's step is due. On a GPU it polls.
 *
 * A producer makes items visible, then reads `sleepers`. A worker increments `sleepers`, then polls
 * once more, then sleeps. One of them must observe the other: the worker calls a barrier that acts
 * on all threads of the process (membarrier), so that a producer needs none. Either the producer's
 * read comes after the barrier and returns the increment, or its items were visible before the
 * barrier ended, and the poll finds them.
 *
 * Producers wake one worker, and no other one while it searches. `searching` is cleared before each
 * sleep, so items enqueued meanwhile are found by the poll after that, and when the worker has
 * found an item: then it wakes the next one, because there may be more items. A worker reads
 * `wakes` before it clears `searching`, and a producer sets `searching` before it increments
 * `wakes`; so a worker never sleeps over a wake that was meant for it. A poll may find a queue
 * empty that is not, while another worker steals from it; that worker wakes the next one, too. */
#ifndef LIBSCHED_CORE_IDLE_H
#define LIBSCHED_CORE_IDLE_H

#include "libsched/queue/queue.h"

/* Whether an idle worker may sleep: any worker can dequeue any item, and nothing else ends its
 * wait. Workers of a queue in rounds wait for the end of the round; those of a sorted queue may
 * wait for the first pass. */
LSCHED_WORKER_FN uint32_t lsched_i_sleeps(const lsched_worker *w)
{
	return !LSCHED_I_GPU && !lsched_i_waits_on_ticket(w) &&
	       !lsched_i_queue_has(w->queue, LSCHED_I_CAP_ROUNDS | LSCHED_I_CAP_SORTED);
}

/* Polls of an idle CPU worker before it sleeps: fast ones, yields, and eight short sleeps of
 * cpu/relax.c, about a millisecond; 20 on a loaded machine, where that sleeps instead of
 * yielding. */
#define LSCHED_I_IDLE_POLLS 104u

#if LSCHED_I_GPU
#define lsched_i_idle_wait(w, spins)        ((void)0) /* no worker sleeps */
#define lsched_i_idle_end(w, found, steals) ((void)(steals))
#define LSCHED_I_STEALS_OF(w)               0u
#else
#define LSCHED_I_STEALS_OF(w) ((w)->priv->count[LSCHED_I_N_STEALS])

static inline void lsched_i_idle_leave(lsched_worker *w)
{
	if (w->priv->idle_state == LSCHED_I_ANNOUNCED)
		(void)lsched_add(&w->a->state->idle.sleepers.v, 0xffffffffu, rlx, dev);
	w->priv->idle_state = LSCHED_I_HAS_SLEPT;
}

/* One step of the wait for an item, after the spins-th poll: backoff, then preparation of a sleep,
 * then, after further polls, the sleep. As many polls as visit all victims of a thief. */
static inline void lsched_i_idle_wait(lsched_worker *w, uint32_t spins)
{
	lsched_i_worker_private *p = w->priv;
	lsched_i_state *s = w->a->state;

	if (spins == 0)
		p->idle_from = p->idle_state = 0;
	if (!w->a->idle_sleep_ns || spins - p->idle_from < LSCHED_I_IDLE_POLLS) {
		lsched_i_relax(spins - p->idle_from, w->a->workers);
	} else if (p->idle_state != LSCHED_I_ANNOUNCED) {
		p->idle_wakes = lsched_ld(&s->idle.wakes.v, acq, dev);
		lsched_st(&s->idle.searching.v, 0u, rlx, dev);
		(void)lsched_add(&s->idle.sleepers.v, 1u, rlx, dev);
		lsched_i_cpu_barrier();
		p->idle_state = LSCHED_I_ANNOUNCED;
		p->idle_polls = 1 + w->a->workers / 32;
	} else if (--p->idle_polls == 0) {
		if (lsched_i_cpu_sleep(&s->idle.wakes.v, p->idle_wakes, w->a->idle_sleep_ns))
			p->idle_from = spins + 1;
		lsched_i_idle_leave(w);
	}
}

/* Ends the wait. steals: the worker's before it. */
static inline void lsched_i_idle_end(lsched_worker *w, uint32_t found, uint64_t steals)
{
	const uint32_t slept = w->priv->idle_state != LSCHED_I_AWAKE;

	if (slept) {
		lsched_i_idle_leave(w);
		lsched_st(&w->a->state->idle.searching.v, 0u, rlx, dev);
	}
	w->priv->idle_state = LSCHED_I_AWAKE;
	if (found && (slept || LSCHED_I_STEALS_OF(w) != steals))
		lsched_i_wake_one(w->a);
}
#endif

#endif
