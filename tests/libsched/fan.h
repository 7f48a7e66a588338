/* A program for the tests of rounds, the same text for the CPU and the GPU suite: each start item
 * spawns leaves, and the leaves of several workers can be made to go in step. The file that
 * includes this one defines FAN_PROGRAMS first to generate it. */
#ifndef TESTS_LIBSCHED_FAN_H
#define TESTS_LIBSCHED_FAN_H

#include <libsched/task.h>

enum { FAN_ROOTS = 64, FAN_WORKERS = 64 };

typedef struct fan_ctx {
	uint32_t leaves;    /* of each start item */
	uint32_t hold_idle; /* start items wait for so many idle workers in balance's count */
	uint32_t hold;      /* nonzero: they wait until balance has reached its limit */
	uint32_t in_step;   /* workers that run leaves, all within one leaf of each other; 0: off */
	uint32_t steps;     /* leaves of a worker that go in step */
	uint32_t exempt;    /* an item that does not count as a leaf for in_step */
	uint32_t endless;   /* nonzero: every item spawns itself again */
	uint32_t stuck;     /* an item that ends only when the run is cancelled */
	uint32_t *ran;      /* [item] */
	uint32_t *begun;    /* [0]: leaves begun; [1 + worker]: by each */
} fan_ctx;

/* Leader. Waits until every worker in step has begun j leaves, as many as this one. */
LSCHED_TASK_FN void fan_step(lsched_worker *w, const fan_ctx *c)
{
	const uint32_t j = ++c->begun[1 + w->index];

	lsched_add(&c->begun[0], 1u, rlx, dev);
	for (uint32_t spins = 0;
		j <= c->steps && lsched_ld(&c->begun[0], rlx, dev) < j * c->in_step &&
		!lsched_cancelled(w);
		spins++)
		lsched_i_relax(spins, 2);
}

LSCHED_TASK_FN lsched_result fan_body(
	lsched_worker *w, const fan_ctx *c, lsched_no_local *l, uint32_t item)
{
	lsched_i_spread_word *q = w->a->state->queue;

	(void)l;
	if (lsched_lane() == 0) {
		lsched_add(&c->ran[item], 1u, rlx, dev);
		for (uint32_t spins = 0; item == c->stuck && !lsched_cancelled(w); spins++)
			lsched_i_relax(spins, 2);
		for (uint32_t spins = 0;
			item < FAN_ROOTS && !lsched_cancelled(w) &&
			(lsched_ld(&q[LSCHED_I_BALANCE_IDLE].v, rlx, dev) < c->hold_idle ||
				(c->hold &&
					!lsched_ld(&q[LSCHED_I_BALANCE_REBALANCE].v, rlx, dev)));
			spins++)
			lsched_i_relax(spins, 2);
		if (item >= FAN_ROOTS && c->in_step && item != c->exempt)
			fan_step(w, c);
	}
	lsched_sync_worker();
	if (c->endless)
		lsched_spawn(w, item);
	for (uint32_t base = 0; item < FAN_ROOTS && base < c->leaves; base += LSCHED_LANES) {
		const uint32_t i = base + lsched_lane();

		lsched_spawn_lanes(w, FAN_ROOTS + item * c->leaves + i, i < c->leaves);
	}
	return LSCHED_DONE;
}

#endif

#ifdef FAN_PROGRAMS
#define LSCHED_NAME fan
#define LSCHED_CTX  fan_ctx
#define LSCHED_BODY fan_body
#define LSCHED_PROGRAM_QUEUES(Y, X) \
	Y(X, RELAUNCH, relaunch)    \
	Y(X, COMPACT, compact)      \
	Y(X, BALANCE, balance)
#include <libsched/generate.h>
#endif
