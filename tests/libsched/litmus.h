/* Litmus tests: minimal programs, one for each memory order that the queues and the dependency
 * counters of libsched rely on. The same text for threads and for the device.
 *
 * A test has two to four roles, each run by a worker of its own, and an outcome that libsched's
 * orders forbid. Every round has a cell of memory of its own; the workers of a group pass a
 * barrier, wait a random time, run their roles, and continue with the next round. The values that
 * they read stay in the cell for the evaluation. A weak variant omits one order: how often the
 * forbidden outcome then occurs is a property of the machine. */
#ifndef TESTS_LIBSCHED_LITMUS_H
#define TESTS_LIBSCHED_LITMUS_H

#include "libsched/core/shared.h"

/* name, roles, weak variants, the guarantee that libsched relies on */
#define LITMUS_TESTS(X)                                                                       \
	X(message, 2, 1, "a release store publishes what was written before")                 \
	X(warp, 2, 1, "the leader's acquire holds for all lanes after their barrier")         \
	X(count, 4, 1, "the last worker to arrive at a counter reads what all others wrote")  \
	X(word, 2, 1, "a value and its epoch in one word are always read together")           \
	X(carry, 2, 1, "an addition also publishes what a release store before it published") \
	X(pair, 2, 1, "of two workers that store and then load, one reads the other's store") \
	X(deque, 3, 2, "a thief that reads the top after a steal reads the lowered tail")     \
	X(reset, 2, 1, "a thief that reads the reset top reads the reset tail")               \
	X(place, 2, 1, "a slot is not used again before the thief has read it")

enum {
#define LITMUS_X(name, roles, weaker, text) LITMUS_##name,
	LITMUS_TESTS(LITMUS_X)
#undef LITMUS_X
		LITMUS_COUNT
};

enum {
	LITMUS_ROLES = 4,
	LITMUS_WORDS = 8,  /* that one worker publishes */
	LITMUS_POLLS = 400 /* loads of a word that may never change */
};

/* Words with even indices are written, those with odd indices never: a role that reads a word loads
 * its neighbour first, so that the old cache line is in its cache where possible. */
typedef struct litmus_cell {
	uint64_t x, pad_x[15];
	uint64_t y, pad_y[15];
	uint32_t data[LITMUS_ROLES][64];
	uint32_t out[LITMUS_ROLES][8];
} litmus_cell;

typedef struct litmus_args {
	litmus_cell *cells; /* [group][round], all zero */
	uint32_t *barrier;  /* [group], each in a cache line of its own, all zero */
	uint32_t *late;     /* set to 1 when a worker has waited longer than the time budget */
	uint64_t budget_ns;
	uint32_t which, weak; /* weak 0: the orders of libsched */
	uint32_t groups, rounds, seed;
	uint32_t jitter; /* longest random wait, in ticks */
} litmus_args;

typedef struct litmus_counts {
	uint32_t forbidden;  /* rounds with the forbidden outcome */
	uint32_t conclusive; /* rounds in which it could have occurred */
	uint32_t late;
} litmus_counts;

enum { LITMUS_BARRIER_STRIDE = 32 };

/* Barrier of the workers of a group; returns 0 after a timeout. Relaxed, so that it adds no memory
 * order. */
LSCHED_WORKER_FN uint32_t litmus_barrier(const litmus_args *a, uint32_t group, uint32_t until)
{
	uint32_t here = 1;

	if (lsched_lane() == 0) {
		uint32_t *n = a->barrier + group * LITMUS_BARRIER_STRIDE;
		uint64_t t0 = 0;

		(void)lsched_add(n, 1u, rlx, dev);
		for (uint32_t spins = 0; here && lsched_ld(n, rlx, dev) < until; spins++) {
			lsched_i_relax_critical(spins % 64u); /* yields, never sleeps */
			if ((spins & 255u) != 255u)
				continue;
			if (t0 == 0)
				t0 = lsched_now_ns();
			if (lsched_now_ns() - t0 > a->budget_ns || lsched_ld(a->late, rlx, dev)) {
				lsched_st(a->late, 1u, rlx, dev);
				here = 0;
			}
		}
	}
	here = lsched_bcast(here);
	lsched_sync_worker();
	return here;
}

LSCHED_WORKER_FN uint32_t litmus_random(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ (x >> 16);
}

LSCHED_WORKER_FN void litmus_wait(uint32_t ticks)
{
	const uint64_t t0 = lsched_i_ticks();

	while (lsched_i_ticks() - t0 < ticks)
		;
}

/* Called by the leader. */
LSCHED_WORKER_FN void litmus_write(uint32_t *data)
{
	for (uint32_t k = 0; k < LITMUS_WORDS; k++)
		data[2 * k] = 1;
}

LSCHED_WORKER_FN uint32_t litmus_load_neighbours(const uint32_t *data)
{
	uint32_t sum = 0;

	for (uint32_t k = 0; k < LITMUS_WORDS; k++)
		sum += data[2 * k + 1];
	return sum;
}

LSCHED_WORKER_FN uint32_t litmus_missing(const uint32_t *data)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < LITMUS_WORDS; k++)
		n += data[2 * k] != 1;
	return n;
}

/* Leader: reads until *p is v or the budget is used up. Returns nonzero if it was v. */
#define LITMUS_POLL(seen, p, v, order)                                          \
	do {                                                                    \
		(seen) = 0;                                                     \
		for (uint32_t look = 0; look < LITMUS_POLLS && !(seen); look++) \
			(seen) = lsched_ld((p), order, dev) == (v);             \
	} while (0)

#include "tests/libsched/litmus_roles.h"

LSCHED_FN uint32_t litmus_roles(uint32_t which)
{
	switch (which) {
#define LITMUS_X(name, roles, weaker, text) \
	case LITMUS_##name:                 \
		return roles;
		LITMUS_TESTS(LITMUS_X)
#undef LITMUS_X
	}
	return 0;
}

/* Runs all rounds of one worker. */
LSCHED_WORKER_FN void litmus_run_rounds(const litmus_args *a, uint32_t group, uint32_t role)
{
	const uint32_t roles = litmus_roles(a->which);

	for (uint32_t r = 0; r < a->rounds; r++) {
		litmus_cell *c = a->cells + (size_t)group * a->rounds + r;

		if (!litmus_barrier(a, group, roles * (r + 1)))
			return;
		litmus_wait(litmus_random(a->seed + (r * a->groups + group) * LITMUS_ROLES + role) %
			    (a->jitter + 1));
		lsched_sync_worker();
		switch (a->which) {
#define LITMUS_X(name, roles, weaker, text)      \
	case LITMUS_##name:                      \
		litmus_##name(c, role, a->weak); \
		break;
			LITMUS_TESTS(LITMUS_X)
#undef LITMUS_X
		}
		lsched_sync_worker();
	}
}

/* Evaluates a cell after all roles. Bit 0: the forbidden outcome; bit 1: it could have occurred. */
LSCHED_FN uint32_t litmus_evaluate(uint32_t which, const litmus_cell *c)
{
	uint32_t bad = 0, conclusive = 0;

	switch (which) {
	case LITMUS_message:
	case LITMUS_warp:
	case LITMUS_carry:
		bad = c->out[1][1] + c->out[1][2] != 0;
		conclusive = c->out[1][0];
		break;
	case LITMUS_count:
		for (uint32_t k = 0; k < LITMUS_ROLES; k++) {
			bad |= c->out[k][1] + c->out[k][2] != 0;
			conclusive += c->out[k][0];
		}
		bad |= conclusive != 1;
		break;
	case LITMUS_word:
		bad = c->out[1][1] != 0;
		conclusive = c->out[1][0] != 0;
		break;
	case LITMUS_pair:
		bad = c->out[0][0] + c->out[1][0] == 0;
		conclusive = c->out[0][0] + c->out[1][0] == 1;
		break;
	case LITMUS_deque:
		conclusive = c->out[0][0] == 0 && c->out[2][0] == 1;
		bad = conclusive && c->out[2][1] == 0;
		break;
	case LITMUS_reset:
		conclusive = c->out[1][0];
		bad = conclusive && c->out[1][1] == 0;
		break;
	case LITMUS_place:
		conclusive = c->out[1][0];
		bad = c->out[0][0] != 0;
		break;
	}
	return bad | (conclusive ? 2u : 0u);
}

#endif
