/* The second stage: boards are split further, in depth, until they have few rows; then their rows are put
 * in order, and they are subtrees. A lane works like in the third stage, with a stack of its own, so that all
 * lanes are busy, but a step is long: it looks at all rows of the board that it makes.
 *
 * A warp reserves places in the list of subtrees by the block, for a counter that all warps share stands 1.4 G
 * additions a second; places that it has no use for become blanks. When the list is full the boards
 * at hand go back to the end of theirs: the next launch goes on with them. */
#ifndef NQUEENS_CUDA_CUT_CUH
#define NQUEENS_CUDA_CUT_CUH

#include "nqueens/cuda/spread.h"

enum {
	CUT_WARPS = 4,  /* of a block */
	CUT_LEVELS = 8, /* boards have at most so many rows more than subtrees */
	CUT_BLOCK = 64, /* places reserved at once; twice a step's at least */
};

typedef struct cut_args {
	nq_i_open *opens;
	uint32_t opens_end; /* taken up to here */
	nq_i_subtree *subtrees;
	uint32_t room; /* a multiple of CUT_BLOCK */
	nq_i_counts *counts;
	uint64_t *found;
	uint32_t n, rows; /* of a subtree at most */
} cut_args;

/* A warp's places: at .. end-1, then those from `spare` on, if any are reserved. */
typedef struct cut_places {
	uint32_t at, end, spare;
} cut_places;

/* Sees to it that the next 32 places are there; zero if the list is full. All lanes. */
static __device__ __forceinline__ uint32_t cut_reserve(const cut_args *a, cut_places *p)
{
	uint32_t first = 0;

	if (p->end - p->at >= 32u || p->spare != ~0u)
		return 1;
	if (lsched_lane() == 0)
		first = lsched_add(&a->counts->subtrees, (uint32_t)CUT_BLOCK, rlx, dev);
	first = lsched_bcast(first);
	if (first >= a->room)
		return 0;
	p->spare = first;
	return 1;
}

/* The place of this lane's subtree, if it has one. All lanes. */
static __device__ __forceinline__ uint32_t cut_place(cut_places *p, uint32_t want)
{
	const uint32_t who = lsched_ballot(want != 0), n = nq_i_popcount(who);
	const uint32_t mine = p->at + nq_i_popcount(who & ((1u << lsched_lane()) - 1u));
	const uint32_t left = p->end - p->at;
	uint32_t place = mine;

	if (n <= left) {
		p->at += n;
		return place;
	}
	if (mine >= p->end)
		place = p->spare + (mine - p->end);
	p->at = p->spare + (n - left);
	p->end = p->spare + CUT_BLOCK;
	p->spare = ~0u;
	return place;
}

static __device__ __forceinline__ void cut_blank(const cut_args *a, uint32_t from, uint32_t end)
{
	const nq_i_subtree blank = { { ~0u, ~0u, ~0u, ~0u }, { 0, 0 }, 0, ~0u };

	for (uint32_t k = from + lsched_lane(); k < end; k += 32)
		a->subtrees[k] = blank;
}

static __device__ __forceinline__ void cut_give_back(const cut_args *a, const nq_i_open *b)
{
	a->opens[lsched_add(&a->counts->opens, 1u, rlx, dev)] = *b;
}

static __global__ void __launch_bounds__(32 * CUT_WARPS)
	cut_kernel(const __grid_constant__ cut_args a)
{
	__shared__ nq_i_open stacks[CUT_WARPS][CUT_LEVELS][32];
	nq_i_open(*stack)[32] = stacks[threadIdx.x / 32u];
	const uint32_t lane = lsched_lane();
	cut_places places = { 0, 0, ~0u };
	uint32_t height = 0, have = 0, more = 1;
	uint64_t nodes = 0;
	nq_i_open b = { 0, 0, 0, 0, 0, 0 };

	for (;;) {
		const uint32_t idle = lsched_ballot(!have);
		uint32_t is_subtree = 0, goes_on = 0, place;
		uint32_t key[NQ_I_KEYS];
		nq_i_open child = b;

		if (idle && more) {
			uint32_t first = 0;

			if (lane == 0)
				first = lsched_add(
					&a.counts->opens_next, nq_i_popcount(idle), rlx, dev);
			first = lsched_bcast(first) + nq_i_popcount(idle & ((1u << lane) - 1u));
			if (!have && first < a.opens_end) {
				b = a.opens[first];
				have = 1;
			}
			more = !lsched_ballot(!have);
		}
		if (!lsched_ballot(have != 0))
			break;
		if (!cut_reserve(&a, &places))
			break;
		if (have) {
			uint32_t least, left;

			child = nq_i_open_child(&b, a.n);
			b.free_cols &= b.free_cols - 1;
			left = nq_i_popcount(child.rows);
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
		place = cut_place(&places, is_subtree);
		if (is_subtree) {
			nq_i_sort_keys(key);
			a.subtrees[place] = nq_i_subtree_of(&child, a.n, key);
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
	if (have) {
		cut_give_back(&a, &b);
		while (height)
			cut_give_back(&a, &stack[--height][lane]);
	}
	cut_blank(&a, places.at, places.end);
	if (places.spare != ~0u)
		cut_blank(&a, places.spare, places.spare + CUT_BLOCK);
	if (nodes)
		(void)lsched_add(&a.counts->nodes, nodes, rlx, dev);
}

#endif
