/* The roles of each litmus test: litmus_NAME() runs one role of the test NAME in one cell. Part of
 * litmus.h, which includes it. */
#ifndef TESTS_LIBSCHED_LITMUS_ROLES_H
#define TESTS_LIBSCHED_LITMUS_ROLES_H

/* Reads until x is 1, then counts the words of role 0 that are missing. */
LSCHED_WORKER_FN void litmus_reader(litmus_cell *c, uint32_t *out, uint32_t relaxed)
{
	uint32_t seen;

	out[2] = litmus_load_neighbours(c->data[0]);
	if (relaxed)
		LITMUS_POLL(seen, &c->x, 1u, rlx);
	else
		LITMUS_POLL(seen, &c->x, 1u, acq);
	out[0] = seen;
	if (seen)
		out[1] = litmus_missing(c->data[0]);
}

/* Reads until the top (x) is 1, then the tail (y). */
LSCHED_WORKER_FN void litmus_thief(litmus_cell *c, uint32_t *out, uint32_t relaxed)
{
	uint32_t seen;

	if (relaxed) {
		LITMUS_POLL(seen, &c->x, 1u, rlx);
		out[1] = (uint32_t)lsched_ld(&c->y, rlx, dev);
	} else {
		LITMUS_POLL(seen, &c->x, 1u, fnc);
		lsched_i_fence_sc();
		out[1] = (uint32_t)lsched_ld(&c->y, fna, dev);
	}
	out[0] = seen;
}

/* ring.h: a producer writes the task, then fills the slot with its item. */
LSCHED_WORKER_FN void litmus_message(litmus_cell *c, uint32_t role, uint32_t weak)
{
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
	litmus_reader(c, c->out[role], weak);
}

/* worker.h, flow.h: all lanes write, pass a barrier, and the leader releases; there the leader
 * dequeues an item and the warp runs the task. The weak variant has the shuffle without the
 * barrier. */
LSCHED_WORKER_FN void litmus_warp(litmus_cell *c, uint32_t role, uint32_t weak)
{
	const uint32_t lane = lsched_lane();
	uint32_t seen = 0, neighbour, bad = 0;

	if (role == 0) {
		c->data[0][2 * lane] = 1;
		if (!weak)
			lsched_sync_worker();
		if (lane == 0)
			lsched_st(&c->x, (uint64_t)1, rel, dev);
		lsched_sync_worker();
		return;
	}
	neighbour = c->data[0][2 * lane + 1];
	lsched_sync_worker();
	if (lane == 0)
		LITMUS_POLL(seen, &c->x, 1u, acq);
	seen = lsched_bcast(seen);
	if (!weak)
		lsched_sync_worker();
	if (seen)
		bad = c->data[0][2 * (LSCHED_LANES - 1 - lane)] != 1;
	bad = lsched_ballot(bad != 0);
	neighbour = lsched_ballot(neighbour != 0);
	if (lane == 0) {
		c->out[1][0] = seen;
		c->out[1][1] = lsched_popcount(bad);
		c->out[1][2] = neighbour;
	}
}

/* dynamic.h: predecessors arrive at a task's counter, and the worker of the last one runs it. */
LSCHED_WORKER_FN void litmus_count(litmus_cell *c, uint32_t role, uint32_t weak)
{
	uint32_t *out = c->out[role], last, bad = 0;

	if (lsched_lane() != 0)
		return;
	for (uint32_t k = 0; k < LITMUS_ROLES; k++)
		out[2] += litmus_load_neighbours(c->data[k]);
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
				40); /* CPU: lets the reader run on few processors */
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
	litmus_reader(c, c->out[role], 0);
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
	uint32_t *out = c->out[role];
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
	} else {
		litmus_thief(c, out, weak == 2);
	}
}

/* abp.h: the owner resets both ends, the tail (y) before the top (x). */
LSCHED_WORKER_FN void litmus_reset(litmus_cell *c, uint32_t role, uint32_t weak)
{
	if (lsched_lane() != 0)
		return;
	if (role == 0) {
		lsched_st(&c->y, (uint64_t)1, rlx, dev);
		if (weak)
			lsched_st(&c->x, (uint64_t)1, rlx, dev);
		else
			lsched_st(&c->x, (uint64_t)1, rel, dev);
	} else {
		litmus_thief(c, c->out[role], weak);
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
		LITMUS_POLL(seen, &c->x, 1u, rlx);
	else
		LITMUS_POLL(seen, &c->x, 1u, acq);
	if (seen)
		lsched_st(&c->y, (uint64_t)1, rlx, dev);
	out[0] = seen;
}

#endif
