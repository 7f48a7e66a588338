/* Second stage of backtracking: expands open nodes depth first until few rows are empty, orders
 * these rows and writes the result as a subtree. A lane works alone, as in the third stage, with a
 * stack of its own; a step is long, because it examines all rows of the child.
 *
 * A warp reserves slots in the list of subtrees by the block, because one contended counter serves
 * 1.4 G additions/s; unused slots become blanks. When the list is full the warps return their open
 * nodes to the end of the list of open nodes, and the next launch continues with them. */
#ifndef NQUEENS_CUDA_CUT_CUH
#define NQUEENS_CUDA_CUT_CUH

#include "nqueens/cuda/spread.h"

enum {
	CUT_WARPS = 4,  /* of a block */
	CUT_LEVELS = 8, /* rows that an open node has more than a subtree, at most */
	CUT_BLOCK = 64, /* slots reserved at once; at least twice those of a step */
};

typedef struct cut_args {
	nq_i_open *opens;
	uint32_t opens_end; /* nodes that this launch may take */
	nq_i_subtree *subtrees;
	uint32_t room; /* a multiple of CUT_BLOCK */
	nq_i_counts *counts;
	uint64_t *found;
	uint32_t n, rows; /* rows: of a subtree at most */
} cut_args;

/* Reserved slots of a warp: at .. end-1, then CUT_BLOCK from `spare` on; ~0: none. */
typedef struct cut_slots {
	uint32_t at, end, spare;
} cut_slots;

/* Ensures that 32 slots are reserved; returns 0 if the list is full. All lanes. */
static __device__ __forceinline__ uint32_t cut_reserve(const cut_args *a, cut_slots *s)
{
	uint32_t first = 0;

	if (s->end - s->at >= 32u || s->spare != ~0u)
		return 1;
	if (lsched_lane() == 0)
		first = lsched_add(&a->counts->subtrees, (uint32_t)CUT_BLOCK, rlx, dev);
	first = lsched_bcast(first);
	if (first >= a->room)
		return 0;
	s->spare = first;
	return 1;
}

/* Returns the slot of this lane's subtree, if `want` is nonzero. All lanes. */
static __device__ __forceinline__ uint32_t cut_slot(cut_slots *s, uint32_t want)
{
	const uint32_t wanting = lsched_ballot(want != 0), n = lsched_popcount(wanting);
	const uint32_t mine = s->at + lsched_popcount(wanting & ((1u << lsched_lane()) - 1u));
	const uint32_t left = s->end - s->at;
	uint32_t slot = mine;

	if (n <= left) {
		s->at += n;
		return slot;
	}
	if (mine >= s->end)
		slot = s->spare + (mine - s->end);
	s->at = s->spare + (n - left);
	s->end = s->spare + CUT_BLOCK;
	s->spare = ~0u;
	return slot;
}

static __device__ __forceinline__ void cut_blank(const cut_args *a, uint32_t first, uint32_t end)
{
	const nq_i_subtree blank = { { ~0u, ~0u, ~0u, ~0u }, { 0, 0 }, 0, ~0u };

	for (uint32_t k = first + lsched_lane(); k < end; k += 32)
		a->subtrees[k] = blank;
}

/* Appends an open node to the list, for the next launch. */
static __device__ __forceinline__ void cut_return(const cut_args *a, const nq_i_open *b)
{
	a->opens[lsched_add(&a->counts->opens, 1u, rlx, dev)] = *b;
}

/* At the end: returns the lane's node, if there is one, and its stack, blanks the slots that are
 * left, and adds the nodes. */
static __device__ __forceinline__ void cut_end(const cut_args *a, const nq_i_open *b, uint32_t have,
	nq_i_open (*stack)[32], uint32_t height, const cut_slots *s, uint64_t nodes)
{
	if (have) {
		cut_return(a, b);
		while (height)
			cut_return(a, &stack[--height][lsched_lane()]);
	}
	cut_blank(a, s->at, s->end);
	if (s->spare != ~0u)
		cut_blank(a, s->spare, s->spare + CUT_BLOCK);
	if (nodes)
		(void)lsched_add(&a->counts->nodes, nodes, rlx, dev);
}

/* Takes an open node of the list for each lane without one. Returns 0 when the list is
 * empty. All lanes. */
static __device__ __forceinline__ uint32_t cut_take(
	const cut_args *a, nq_i_open *b, uint32_t *have, uint32_t idle)
{
	const uint32_t lane = lsched_lane();
	uint32_t first = 0;

	if (lane == 0)
		first = lsched_add(&a->counts->opens_next, lsched_popcount(idle), rlx, dev);
	first = lsched_bcast(first) + lsched_popcount(idle & ((1u << lane) - 1u));
	if (!*have && first < a->opens_end) {
		*b = a->opens[first];
		*have = 1;
	}
	return !lsched_ballot(!*have);
}

static __global__ void __launch_bounds__(32 * CUT_WARPS)
	cut_kernel(const __grid_constant__ cut_args a)
{
	__shared__ nq_i_open stacks[CUT_WARPS][CUT_LEVELS][32];
	nq_i_open(*stack)[32] = stacks[threadIdx.x / 32u];
	const uint32_t lane = lsched_lane();
	cut_slots slots = { 0, 0, ~0u };
	uint32_t height = 0, have = 0, more = 1;
	uint64_t nodes = 0;
	nq_i_open b = { 0, 0, 0, 0, 0, 0 };

	for (;;) {
		const uint32_t idle = lsched_ballot(!have);
		uint32_t is_subtree = 0, goes_on = 0, slot;
		uint32_t key[NQ_I_KEYS];
		nq_i_open child = b;

		if (idle && more)
			more = cut_take(&a, &b, &have, idle);
		if (!lsched_ballot(have != 0))
			break;
		if (!cut_reserve(&a, &slots))
			break;
		if (have) {
			uint32_t least, left;

			child = nq_i_open_child(&b, a.n);
			b.free_cols &= b.free_cols - 1;
			left = lsched_popcount(child.rows);
			least = nq_i_row_keys(&child, a.n, key);
			if (left <= 1) {
				if (left == 0 || !nq_i_key_is_dead(least))
					(void)lsched_add(&a.found[nq_i_open_unit(&child)],
						(uint64_t)1, rlx, dev);
			} else if (!nq_i_key_is_dead(least)) {
				is_subtree = left <= a.rows;
				goes_on = !is_subtree;
				if (goes_on)
					nq_i_choose_row(&child, a.n, least);
				nodes += goes_on;
			}
		}
		slot = cut_slot(&slots, is_subtree);
		if (is_subtree) {
			nq_i_sort_keys(key);
			a.subtrees[slot] = nq_i_subtree_of(&child, a.n, key);
		}
		if (goes_on) {
			if (b.free_cols)
				stack[height++][lane] = b;
			b = child;
		} else if (have && !b.free_cols) {
			have = height != 0;
			if (have)
				b = stack[--height][lane];
		}
	}
	cut_end(&a, &b, have, stack, height, &slots, nodes);
}

#endif
