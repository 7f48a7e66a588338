/* The window of a controller of the queue prio: up to LSCHED_I_PRIO_WINDOW elements of the ring
 * that are read, sorted by their keys and written back. prio.h includes it. */
#ifndef LIBSCHED_QUEUE_PRIO_WINDOW_H
#define LIBSCHED_QUEUE_PRIO_WINDOW_H

/* A window. Element e = r * LSCHED_LANES + lane is ticket first + e, and from first_n on second +
 * (e - first_n). */
typedef struct lsched_i_window {
	uint32_t first, first_n, second, n;
	uint32_t item[LSCHED_I_PRIO_REGS]; /* LSCHED_NONE: absent (not filled yet, or popped) */
	uint64_t key[LSCHED_I_PRIO_REGS]; /* {priority, present: 1 bit, ~e}: unique, larger first */
} lsched_i_window;

#define LSCHED_I_PRIO_PRESENT 0x80000000u

/* All lanes enter each step, so that steps may use warp votes. */
#if LSCHED_LANES > 1
#define LSCHED_I_EACH_ELEMENT(v, r, e) \
	LSCHED_UNROLL                  \
	for (uint32_t r = 0, e = lsched_lane(); r < LSCHED_I_PRIO_REGS; r++, e += LSCHED_LANES)
#else
#define LSCHED_I_EACH_ELEMENT(v, r, e) for (uint32_t r = 0, e = 0; r < (v)->n; r++, e++)
#endif

LSCHED_WORKER_FN uint32_t lsched_i_window_ticket(const lsched_i_window *v, uint32_t e)
{
	return e < v->first_n ? v->first + e : v->second + (e - v->first_n);
}

/* Reads the items; acquires their producers' writes, for the priority function. */
LSCHED_WORKER_FN void lsched_i_window_read(const lsched_i_args *a, lsched_i_window *v)
{
	const uint32_t mask = lsched_i_prio_mask(a);

	LSCHED_I_EACH_ELEMENT(v, r, e)
	{
		v->item[r] = LSCHED_NONE;
		v->key[r] = LSCHED_I_PRIO_WINDOW - 1u - e;
		if (e < v->n) {
			const uint32_t ticket = lsched_i_window_ticket(v, e);
			const uint64_t s = lsched_ld(a->queue_slots + (ticket & mask), acq, dev);

			if ((uint32_t)(s >> 32) == ((ticket & ~mask) | 1u)) {
				v->item[r] = (uint32_t)s;
				v->key[r] |= LSCHED_I_PRIO_PRESENT;
			}
		}
	}
}

#if LSCHED_LANES > 1
/* Returns the key of the previous element. */
LSCHED_WORKER_FN uint64_t lsched_i_window_before(const lsched_i_window *v, uint32_t r)
{
	const uint64_t up = lsched_i_shfl_up(v->key[r], 1);
	const uint64_t last = r ? lsched_i_shfl(v->key[r ? r - 1 : 0], LSCHED_LANES - 1) : ~0ull;

	return lsched_lane() ? up : last;
}

/* Batcher's bitonic network over the first 2^k >= n elements, largest first. Partners up to 16
 * apart are lanes of one register, others are registers of one lane. */
LSCHED_WORKER_FN void lsched_i_window_registers(
	lsched_i_window *v, uint32_t size, const uint32_t apart)
{
	LSCHED_UNROLL
	for (uint32_t r = 0; r < LSCHED_I_PRIO_REGS; r++) {
		if (!(r & apart)) {
			const uint32_t e = r * LSCHED_LANES + lsched_lane();
			const uint64_t x = v->key[r], y = v->key[r | apart];
			const bool swap = (x < y) == ((e & size) == 0);

			v->key[r] = swap ? y : x;
			v->key[r | apart] = swap ? x : y;
		}
	}
}

LSCHED_WORKER_FN void lsched_i_window_sort(lsched_i_window *v)
{
	for (uint32_t size = 2; size < 2 * v->n; size *= 2) {
		for (uint32_t d = size / 2; d; d /= 2) {
			if (d == 4 * LSCHED_LANES) {
				lsched_i_window_registers(v, size, 4);
			} else if (d == 2 * LSCHED_LANES) {
				lsched_i_window_registers(v, size, 2);
			} else if (d == LSCHED_LANES) {
				lsched_i_window_registers(v, size, 1);
			} else {
				LSCHED_UNROLL
				for (uint32_t r = 0; r < LSCHED_I_PRIO_REGS; r++) {
					const uint32_t e = r * LSCHED_LANES + lsched_lane();
					const uint64_t x = v->key[r];
					const uint64_t y = lsched_i_shfl_xor(x, d);
					const bool larger = ((e & d) == 0) == ((e & size) == 0);

					v->key[r] = (x < y) == larger ? y : x;
				}
			}
		}
	}
}
#else
static inline uint64_t lsched_i_window_before(const lsched_i_window *v, uint32_t r)
{
	return r ? v->key[r - 1] : UINT64_MAX;
}

/* Insertion sort: most windows are nearly sorted, and then it needs few steps. */
static inline void lsched_i_window_sort(lsched_i_window *v)
{
	for (uint32_t i = 1; i < v->n; i++) {
		const uint64_t x = v->key[i];
		uint32_t k = i;

		for (; k && v->key[k - 1] < x; k--)
			v->key[k] = v->key[k - 1];
		v->key[k] = x;
	}
}
#endif

/* Returns nonzero if the keys of a window descend already. */
LSCHED_WORKER_FN uint32_t lsched_i_window_is_sorted(const lsched_i_window *v)
{
	uint32_t unordered = 0;

	LSCHED_I_EACH_ELEMENT(v, r, e)
	{
		const uint64_t before = lsched_i_window_before(v, r);

		unordered |= lsched_ballot(e < v->n && before < v->key[r]);
	}
	return !unordered;
}

/* After the sort: sets goal[], the rank of each element that is present. *first_row and *last_row
 * are the rows between which ranks differ from indices; returns 0 if there are none. */
LSCHED_WORKER_FN uint32_t lsched_i_window_rank(lsched_worker *w, const lsched_i_window *v,
	uint32_t *goal, uint32_t *first_row, uint32_t *last_row)
{
	const uint32_t below = LSCHED_I_LANES_BELOW();
	uint32_t base = 0;

	*first_row = LSCHED_NONE;
	*last_row = 0;
	LSCHED_I_EACH_ELEMENT(v, r, e)
	{
		if ((uint32_t)v->key[r] & LSCHED_I_PRIO_PRESENT)
			w->scratch[LSCHED_I_PRIO_WINDOW - 1u -
				   ((uint32_t)v->key[r] & (LSCHED_I_PRIO_WINDOW - 1u))] = e;
	}
	lsched_sync_worker();
	LSCHED_I_EACH_ELEMENT(v, r, e)
	{
		const uint32_t there = lsched_ballot(v->item[r] != LSCHED_NONE);
		const uint32_t place = base + lsched_popcount(there & below);

		goal[r] = v->item[r] != LSCHED_NONE ? w->scratch[e] : LSCHED_NONE;
		base += lsched_popcount(there);
		if (lsched_ballot(goal[r] != LSCHED_NONE && goal[r] != place)) {
			*first_row = *first_row == LSCHED_NONE ? r : *first_row;
			*last_row = r;
		}
	}
	return *first_row != LSCHED_NONE;
}

/* Claims the slots of the elements from the first to the last of these rows, so that ranks can
 * close up; elements before and after keep their slots. Sets goal[] to LSCHED_NONE where an element
 * is not claimed. */
LSCHED_WORKER_FN void lsched_i_window_claim(const lsched_i_args *a, const lsched_i_window *v,
	uint32_t *goal, uint32_t first_row, uint32_t last_row)
{
	const uint32_t mask = lsched_i_prio_mask(a);

	LSCHED_I_EACH_ELEMENT(v, r, e)
	{
		if (r < first_row || r > last_row)
			goal[r] = LSCHED_NONE;
		if (goal[r] != LSCHED_NONE) {
			const uint32_t ticket = lsched_i_window_ticket(v, e), seq = ticket & ~mask;
			uint64_t s = ((uint64_t)(seq | 1u) << 32) | v->item[r];

			if (!lsched_cas(a->queue_slots + (ticket & mask), &s,
				    ((uint64_t)(seq | LSCHED_I_PRIO_CLAIMED) << 32) | v->item[r],
				    rlx, dev))
				goal[r] = LSCHED_NONE;
		}
	}
}

/* Replaces each rank in goal[] by the rank among the claimed elements: items popped in the meantime
 * drop out. Returns the number of claimed elements. */
LSCHED_WORKER_FN uint32_t lsched_i_window_compact(
	lsched_worker *w, const lsched_i_window *v, uint32_t *goal)
{
	const uint32_t below = LSCHED_I_LANES_BELOW();
	uint32_t base = 0;

	(void)v; /* a warp's loops have a constant length */
	lsched_sync_worker();
	LSCHED_I_EACH_ELEMENT(v, r, e)
	{
		w->scratch[e] = 0;
	}
	lsched_sync_worker();
	LSCHED_I_EACH_ELEMENT(v, r, e)
	{
		if (goal[r] != LSCHED_NONE)
			w->scratch[goal[r]] = 1;
	}
	lsched_sync_worker();
	LSCHED_I_EACH_ELEMENT(v, r, e)
	{
		const uint32_t claimed = lsched_ballot(w->scratch[e] != 0);

		w->scratch[e] = base + lsched_popcount(claimed & below);
		base += lsched_popcount(claimed);
	}
	lsched_sync_worker();
	LSCHED_I_EACH_ELEMENT(v, r, e)
	{
		if (goal[r] != LSCHED_NONE)
			goal[r] = w->scratch[goal[r]];
	}
	lsched_sync_worker();
	return base;
}

/* Stores the claimed items: the k-th claimed slot gets the k-th best one. */
LSCHED_WORKER_FN void lsched_i_window_write(
	lsched_worker *w, const lsched_i_window *v, const uint32_t *goal)
{
	const uint32_t mask = lsched_i_prio_mask(w->a), below = LSCHED_I_LANES_BELOW();
	uint32_t base = 0;

	LSCHED_I_EACH_ELEMENT(v, r, e)
	{
		if (goal[r] != LSCHED_NONE)
			w->scratch[goal[r]] = v->item[r];
	}
	lsched_sync_worker();
	LSCHED_I_EACH_ELEMENT(v, r, e)
	{
		const uint32_t claimed = lsched_ballot(goal[r] != LSCHED_NONE);

		if (goal[r] != LSCHED_NONE) {
			const uint32_t ticket = lsched_i_window_ticket(v, e);

			lsched_st(w->a->queue_slots + (ticket & mask),
				((uint64_t)((ticket & ~mask) | 1u) << 32) |
					w->scratch[base + lsched_popcount(claimed & below)],
				rel, dev);
		}
		base += lsched_popcount(claimed);
	}
	lsched_sync_worker();
}

/* Sorts a window whose keys are complete and reorders those of its items that are still queued.
 * Returns how many it moved. */
LSCHED_WORKER_FN uint32_t lsched_i_window_order(lsched_worker *w, lsched_i_window *v)
{
	uint32_t goal[LSCHED_I_PRIO_REGS], first_row, last_row, gone = 0, moved;

	if (lsched_i_window_is_sorted(v))
		return 0;
	lsched_i_window_sort(v);
	if (!lsched_i_window_rank(w, v, goal, &first_row, &last_row))
		return 0;
	if (lsched_lane() == 0)
		gone = lsched_ld(&w->a->state->queue[LSCHED_I_RING_HEAD].v, rlx, dev) - v->first;
	gone = lsched_bcast(gone);
	if ((int32_t)gone > (int32_t)(v->n / 2))
		return 0;
	lsched_i_window_claim(w->a, v, goal, first_row, last_row);
	moved = lsched_i_window_compact(w, v, goal);
	lsched_i_window_write(w, v, goal);
	return moved;
}

#endif
