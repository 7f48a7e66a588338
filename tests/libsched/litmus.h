/* Litmus tests: the smallest programs that show one ordering of memory each, of those that the
 * queues and the dependency counters of libsched rely on. The same text for threads and for the
 * device.
 *
 * A test has two to four roles, each played by a worker of its own, and an outcome that the
 * orderings used by libsched forbid. Every round has a cell of memory of its own; the workers of a
 * group meet, wait a random time, run their roles, and continue with the next round. The values
 * read stay in the cell for the evaluation. A weak variant leaves an ordering out: how often it
 * shows the forbidden outcome is a property of the machine, since a missing order need not show. */
#ifndef TESTS_SCHED_LITMUS_H
#define TESTS_SCHED_LITMUS_H

#include "libsched/core/shared.h"

/* name, roles, weak variants, what is relied on */
#define LITMUS_TESTS(X)                                                                       \
	X(message, 2, 1, "a release store publishes what was written before")                 \
	X(warp, 2, 1, "the leader's acquire counts for all lanes after they met")             \
	X(count, 4, 1, "the last to arrive at a counter sees what all others wrote")          \
	X(word, 2, 1, "a value and its epoch in one word are never torn apart")               \
	X(carry, 2, 1, "an addition carries on what a release store before it published")     \
	X(pair, 2, 1, "of two that store and then look, one sees the other")                  \
	X(deque, 3, 2, "a thief that sees a stolen top sees the tail that its owner lowered") \
	X(reset, 2, 1, "a thief that sees a new top sees that the tail was 0")                \
	X(place, 2, 1, "a place is not used again before the thief has read it")

enum {
#define LITMUS_X(name, roles, weaker, text) LITMUS_##name,
	LITMUS_TESTS(LITMUS_X)
#undef LITMUS_X
		LITMUS_COUNT
};

enum {
	LITMUS_ROLES = 4,
	LITMUS_WORDS = 8,  /* that one worker publishes */
	LITMUS_LOOKS = 400 /* at a word that may never change */
};

/* Words at even places are written, those at odd places never: a role that reads a word loads its
 * neighbour first, so that the old cache line is in its cache if it can be. */
typedef struct litmus_cell {
	uint64_t x, pad_x[15];
	uint64_t y, pad_y[15];
	uint32_t data[LITMUS_ROLES][64];
	uint32_t out[LITMUS_ROLES][8];
} litmus_cell;

typedef struct litmus_args {
	litmus_cell *cells; /* [group][round], all zero */
	uint32_t *meet;     /* [group], each on a line of its own, all zero */
	uint32_t *late;     /* set to 1 when a worker has waited longer than the time budget */
	uint64_t budget_ns;
	uint32_t which, weak; /* weak 0: sound */
	uint32_t groups, rounds, seed;
	uint32_t jitter; /* ticks at most */
} litmus_args;

typedef struct litmus_counts {
	uint32_t forbidden; /* rounds with the forbidden outcome */
	uint32_t telling;   /* rounds in which it could have shown */
	uint32_t late;
} litmus_counts;

enum { LITMUS_MEET_STRIDE = 32 };

/* Barrier of the workers of a group; returns 0 after a timeout. Relaxed, so that it adds no memory
 * order. */
LSCHED_WORKER_FN uint32_t litmus_meet(const litmus_args *a, uint32_t group, uint32_t until)
{
	uint32_t here = 1;

	if (lsched_lane() == 0) {
		uint32_t *n = a->meet + group * LITMUS_MEET_STRIDE;
		uint64_t t0 = 0;

		(void)lsched_add(n, 1u, rlx, dev);
		for (uint32_t spins = 0; here && lsched_ld(n, rlx, dev) < until; spins++) {
			lsched_i_relax_critical(spins % 64u); /* looks and yields, never sleeps */
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

/* Leader: publishes, loads neighbours, and counts missing words. */
LSCHED_WORKER_FN void litmus_write(uint32_t *data)
{
	for (uint32_t k = 0; k < LITMUS_WORDS; k++)
		data[2 * k] = 1;
}

LSCHED_WORKER_FN uint32_t litmus_warm(const uint32_t *data)
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
#define LITMUS_LOOK(seen, p, v, order)                                          \
	do {                                                                    \
		(seen) = 0;                                                     \
		for (uint32_t look = 0; look < LITMUS_LOOKS && !(seen); look++) \
			(seen) = lsched_ld((p), order, dev) == (v);             \
	} while (0)

/* ring.h: a slot is filled, and the task behind its item was written before. */
LSCHED_WORKER_FN void litmus_message(litmus_cell *c, uint32_t role, uint32_t weak)
{
	uint32_t *out = c->out[role], seen;

	if (lsched_lane() != 0)
		return;
	if (role == 0) {
		litmus_write(c->data[0]);
		if (weak)
			lsched_st(&c->x, (uint64_t)1, rlx, dev);
		else
			lsched_st(&c->x, (uint64_t)1, rel, dev);
		return;
	}
	out[2] = litmus_warm(c->data[0]);
	if (weak)
		LITMUS_LOOK(seen, &c->x, 1u, rlx);
	else
		LITMUS_LOOK(seen, &c->x, 1u, acq);
	out[0] = seen;
	if (seen)
		out[1] = litmus_missing(c->data[0]);
}

/* worker.h, flow.h: the leader takes an item, then the warp runs the task; all lanes wrote before
 * they met and the leader released. The weak variant has the shuffle only. */
LSCHED_WORKER_FN void litmus_warp(litmus_cell *c, uint32_t role, uint32_t weak)
{
	const uint32_t lane = lsched_lane();
	uint32_t seen = 0, warm, bad = 0;

	if (role == 0) {
		c->data[0][2 * lane] = 1;
		if (!weak)
			lsched_sync_worker();
		if (lane == 0)
			lsched_st(&c->x, (uint64_t)1, rel, dev);
		lsched_sync_worker();
		return;
	}
	warm = c->data[0][2 * lane + 1];
	lsched_sync_worker();
	if (lane == 0)
		LITMUS_LOOK(seen, &c->x, 1u, acq);
	seen = lsched_bcast(seen);
	if (!weak)
		lsched_sync_worker();
	if (seen)
		bad = c->data[0][2 * (LSCHED_LANES - 1 - lane)] != 1;
	bad = lsched_ballot(bad != 0);
	warm = lsched_ballot(warm != 0);
	if (lane == 0) {
		c->out[1][0] = seen;
		c->out[1][1] = lsched_popcount(bad);
		c->out[1][2] = warm;
	}
}

/* dynamic.h: predecessors arrive at a task's counter, and the last runs it. */
LSCHED_WORKER_FN void litmus_count(litmus_cell *c, uint32_t role, uint32_t weak)
{
	uint32_t *out = c->out[role], last, bad = 0;

	if (lsched_lane() != 0)
		return;
	for (uint32_t k = 0; k < LITMUS_ROLES; k++)
		out[2] += litmus_warm(c->data[k]);
	litmus_write(c->data[role]);
	if (weak)
		last = lsched_add(&c->x, (uint64_t)1, rlx, dev) == LITMUS_ROLES - 1;
	else
		last = lsched_add(&c->x, (uint64_t)1, ar, dev) == LITMUS_ROLES - 1;
	out[0] = last;
	for (uint32_t k = 0; last && k < LITMUS_ROLES; k++)
		bad += litmus_missing(c->data[k]);
	out[1] = bad;
}

/* Data transfer without a fence: 4 bytes of data and 4 of epoch in one relaxed word. The weak
 * variant uses two words. */
LSCHED_WORKER_FN void litmus_word(litmus_cell *c, uint32_t role, uint32_t weak)
{
	uint32_t *half = (uint32_t *)&c->x, *out = c->out[role], before = 0;

	if (lsched_lane() != 0)
		return;
	for (uint32_t k = 1; role == 0 && k <= 64; k++) {
		if (k == 32)
			lsched_i_relax_critical(
				40); /* CPU: lets the reader run where there are few processors */
		if (weak) {
			lsched_st(half, litmus_random(k), rlx, dev);
			lsched_st(half + 1, k, rlx, dev);
		} else {
			lsched_st(&c->x, (uint64_t)k << 32 | litmus_random(k), rlx, dev);
		}
	}
	for (uint32_t k = 1; role == 1 && k <= 64; k++) {
		uint32_t epoch, value;

		if (weak) {
			epoch = lsched_ld(half + 1, rlx, dev);
			value = lsched_ld(half, rlx, dev);
		} else {
			const uint64_t v = lsched_ld(&c->x, rlx, dev);

			epoch = (uint32_t)(v >> 32);
			value = (uint32_t)v;
		}
		out[0] += epoch > 0 && epoch < 64;
		out[1] += value != (epoch ? litmus_random(epoch) : 0) || epoch < before;
		before = epoch;
	}
}

/* abp.h: items are published by a store of the tail; the owner lowers the tail by an addition; a
 * thief acquires the lowered one. The weak variant lowers it by a store. */
LSCHED_WORKER_FN void litmus_carry(litmus_cell *c, uint32_t role, uint32_t weak)
{
	uint32_t *out = c->out[role], seen;

	if (lsched_lane() != 0)
		return;
	if (role == 0) {
		litmus_write(c->data[0]);
		lsched_st(&c->x, (uint64_t)2, rel, dev);
		if (weak)
			lsched_st(&c->x, (uint64_t)1, rlx, dev);
		else
			(void)lsched_add(&c->x, (uint64_t)0 - 1, rlx, dev);
		return;
	}
	out[2] = litmus_warm(c->data[0]);
	LITMUS_LOOK(seen, &c->x, 1u, acq);
	out[0] = seen;
	if (seen)
		out[1] = litmus_missing(c->data[0]);
}

/* Deques: the owner lowers the tail and reads the top, or the thief's lock; the thief does the
 * reverse. */
LSCHED_WORKER_FN void litmus_pair(litmus_cell *c, uint32_t role, uint32_t weak)
{
	uint64_t *mine = role ? &c->y : &c->x, *other = role ? &c->x : &c->y;

	if (lsched_lane() != 0)
		return;
	if (weak) {
		lsched_st(mine, (uint64_t)1, rlx, dev);
		c->out[role][0] = (uint32_t)lsched_ld(other, rlx, dev);
	} else {
		lsched_st(mine, (uint64_t)1, fnc, dev);
		lsched_i_fence_sc();
		c->out[role][0] = (uint32_t)lsched_ld(other, fnc, dev);
	}
}

/* abp.h: the owner lowers the tail (y) and reads the old top (x); a first thief moves the top; a
 * second one reads the new top and must not read the old tail. Weak: 1, the owner does not fence;
 * 2, the second thief does not. */
LSCHED_WORKER_FN void litmus_deque(litmus_cell *c, uint32_t role, uint32_t weak)
{
	uint32_t *out = c->out[role], seen;
	uint64_t zero = 0;

	if (lsched_lane() != 0)
		return;
	if (role == 0 && weak == 1) {
		(void)lsched_add(&c->y, (uint64_t)1, rlx, dev);
		out[0] = (uint32_t)lsched_ld(&c->x, rlx, dev);
	} else if (role == 0) {
		(void)lsched_add(&c->y, (uint64_t)1, fnc, dev);
		lsched_i_fence_sc();
		out[0] = (uint32_t)lsched_ld(&c->x, fnc, dev);
	} else if (role == 1) {
		(void)lsched_cas(&c->x, &zero, (uint64_t)1, fnb, dev);
	} else if (weak == 2) {
		LITMUS_LOOK(seen, &c->x, 1u, rlx);
		out[1] = (uint32_t)lsched_ld(&c->y, rlx, dev);
		out[0] = seen;
	} else {
		LITMUS_LOOK(seen, &c->x, 1u, fnc);
		lsched_i_fence_sc();
		out[1] = (uint32_t)lsched_ld(&c->y, fna, dev);
		out[0] = seen;
	}
}

/* abp.h: the owner resets both ends, the tail (y) before the top (x). */
LSCHED_WORKER_FN void litmus_reset(litmus_cell *c, uint32_t role, uint32_t weak)
{
	uint32_t *out = c->out[role], seen;

	if (lsched_lane() != 0)
		return;
	if (role == 0) {
		lsched_st(&c->y, (uint64_t)1, rlx, dev);
		if (weak)
			lsched_st(&c->x, (uint64_t)1, rlx, dev);
		else
			lsched_st(&c->x, (uint64_t)1, rel, dev);
	} else if (weak) {
		LITMUS_LOOK(seen, &c->x, 1u, rlx);
		out[1] = (uint32_t)lsched_ld(&c->y, rlx, dev);
		out[0] = seen;
	} else {
		LITMUS_LOOK(seen, &c->x, 1u, fnc);
		lsched_i_fence_sc();
		out[1] = (uint32_t)lsched_ld(&c->y, fna, dev);
		out[0] = seen;
	}
}

/* abp.h: a thief reads the item (y) and then moves the top (x); the owner reads the top and stores
 * another item there. */
LSCHED_WORKER_FN void litmus_place(litmus_cell *c, uint32_t role, uint32_t weak)
{
	uint32_t *out = c->out[role], seen;
	uint64_t zero = 0;

	if (lsched_lane() != 0)
		return;
	if (role == 0) {
		out[0] = (uint32_t)lsched_ld(&c->y, rlx, dev);
		if (weak)
			(void)lsched_cas(&c->x, &zero, (uint64_t)1, rlx, dev);
		else
			(void)lsched_cas(&c->x, &zero, (uint64_t)1, fnb, dev);
		return;
	}
	if (weak)
		LITMUS_LOOK(seen, &c->x, 1u, rlx);
	else
		LITMUS_LOOK(seen, &c->x, 1u, acq);
	if (seen)
		lsched_st(&c->y, (uint64_t)1, rlx, dev);
	out[0] = seen;
}

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

/* All rounds of one worker. */
LSCHED_WORKER_FN void litmus_play(const litmus_args *a, uint32_t group, uint32_t role)
{
	const uint32_t roles = litmus_roles(a->which);

	for (uint32_t r = 0; r < a->rounds; r++) {
		litmus_cell *c = a->cells + (size_t)group * a->rounds + r;

		if (!litmus_meet(a, group, roles * (r + 1)))
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

/* After all of them: bit 0, the forbidden outcome; bit 1, it could have shown. */
LSCHED_FN uint32_t litmus_judge(uint32_t which, const litmus_cell *c)
{
	uint32_t bad = 0, telling = 0;

	switch (which) {
	case LITMUS_message:
	case LITMUS_warp:
	case LITMUS_carry:
		bad = c->out[1][1] + c->out[1][2] != 0;
		telling = c->out[1][0];
		break;
	case LITMUS_count:
		for (uint32_t k = 0; k < LITMUS_ROLES; k++) {
			bad |= c->out[k][1] + c->out[k][2] != 0;
			telling += c->out[k][0];
		}
		bad |= telling != 1;
		break;
	case LITMUS_word:
		bad = c->out[1][1] != 0;
		telling = c->out[1][0] != 0;
		break;
	case LITMUS_pair:
		bad = c->out[0][0] + c->out[1][0] == 0;
		telling = c->out[0][0] + c->out[1][0] == 1;
		break;
	case LITMUS_deque:
		telling = c->out[0][0] == 0 && c->out[2][0] == 1;
		bad = telling && c->out[2][1] == 0;
		break;
	case LITMUS_reset:
		telling = c->out[1][0];
		bad = telling && c->out[1][1] == 0;
		break;
	case LITMUS_place:
		telling = c->out[1][0];
		bad = c->out[0][0] != 0;
		break;
	}
	return bad | (telling ? 2u : 0u);
}

#endif
