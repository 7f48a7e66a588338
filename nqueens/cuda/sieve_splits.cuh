/* The splits of the columns between NW and SW whose pairs a block counts: which of them the item
 * counts, which have room in the memory of the block at once, and the lists of each. */
#ifndef NQUEENS_CUDA_SIEVE_SPLITS_CUH
#define NQUEENS_CUDA_SIEVE_SPLITS_CUH

#include "nqueens/cuda/sieve_block.cuh"

/* Sets s->end and what depends on it; one thread. */
static __device__ void end_splits(const nq_i_sieve_lists *l, shared_head *s, uint32_t end)
{
	/* the complement of set k of the columns is set splits - 1 - k of those of its size */
	const uint32_t *nw = l->first + l->quarters[s->work.quarter[NQ_I_NW]].heads;
	const uint32_t *sw = l->first + l->quarters[s->work.quarter[NQ_I_SW]].heads;

	s->end = end;
	s->first[0] = nw[s->split];
	s->count[0] = nw[end] - nw[s->split];
	s->first[1] = sw[s->splits - end];
	s->count[1] = sw[s->splits - s->split] - sw[s->splits - end];
}

/* Selects as many splits from s->split on as the memory has room for; one thread. s->failed: a
 * single split has too many rows. */
static __device__ void choose_splits(
	const nq_i_sieve_lists *l, shared_head *s, const block_memory *m)
{
	uint32_t low = s->split, high = s->splits;

	end_splits(l, s, high);
	if (s->count[0] + s->count[1] <= m->rows_each)
		return;
	/* low has room, high has not */
	while (high - low > 1) {
		const uint32_t middle = (low + high) / 2;

		end_splits(l, s, middle);
		if (s->count[0] + s->count[1] <= m->rows_each)
			low = middle;
		else
			high = middle;
	}
	s->failed = low == s->split;
	end_splits(l, s, low);
}

static __device__ __forceinline__ uint32_t weight_of_split(
	const nq_i_sieve_lists *l, const shared_head *s, uint32_t k)
{
	const uint32_t full = (1u << l->h) - 1, size = l->h - __popc(s->work.item.north);
	const uint32_t nw_cols = l->sets[l->size_at[size] + k];

	return nq_i_image_weight(l->order, &s->work.item, full, full & ~nw_cols);
}

/* Lists the splits that the item counts, in their order; once per job, all threads. */
static __device__ __noinline__ void list_splits(void)
{
	shared_head *s = head();
	const nq_i_sieve_lists *l = &s->lists;
	const uint32_t lane = lane_id(), each = (s->splits + warps() - 1) / warps();
	const uint32_t from = warp_id() * each, end = min(from + each, s->splits);
	uint32_t n = 0, at = 0;

	for (uint32_t k = from; k < end; k += 32)
		n += __popc(__ballot_sync(
			ALL_LANES, k + lane < end && weight_of_split(l, s, k + lane)));
	if (lane == 0)
		s->kept[warp_id()] = n;
	__syncthreads();
	for (uint32_t i = 0; i < warp_id(); i++)
		at += s->kept[i];
	if (threadIdx.x == blockDim.x - 1)
		s->counted = at + n;
	for (uint32_t k = from; k < end; k += 32) {
		const uint32_t weight = k + lane < end ? weight_of_split(l, s, k + lane) : 0;
		const uint32_t mask = __ballot_sync(ALL_LANES, weight != 0);

		if (weight)
			s->memory.splits[at + __popc(mask & ((1u << lane) - 1))] =
				weight << SPLIT_BITS | (k + lane);
		at += __popc(mask);
	}
}

/* The lists of a split in NW and SW: first placement and length; the weight of its pairs. */
typedef struct west_split {
	uint32_t first[2], count[2], weight;
} west_split;

/* Returns counted split i; empty lists if there is none, or if its rows are not in memory. */
static __device__ west_split find_split(const nq_i_sieve_lists *l, const shared_head *s, uint32_t i)
{
	const uint32_t entry = i < s->counted ? s->memory.splits[i] : 0;
	const uint32_t k = entry & ((1u << SPLIT_BITS) - 1);
	const uint32_t *nw = l->first + l->quarters[s->work.quarter[NQ_I_NW]].heads + k;
	const uint32_t *sw =
		l->first + l->quarters[s->work.quarter[NQ_I_SW]].heads + (s->splits - 1 - k);
	west_split x = { { 0, 0 }, { 0, 0 }, entry >> SPLIT_BITS };

	if (!x.weight || k < s->split || k >= s->end)
		return x;
	x.first[0] = nw[0];
	x.first[1] = sw[0];
	x.count[0] = nw[1] - x.first[0];
	x.count[1] = sw[1] - x.first[1];
	return x;
}

static __device__ west_split from_lane(west_split x, uint32_t lane)
{
	west_split y;

	for (uint32_t side = 0; side < 2; side++) {
		y.first[side] = __shfl_sync(ALL_LANES, x.first[side], lane);
		y.count[side] = __shfl_sync(ALL_LANES, x.count[side], lane);
	}
	y.weight = __shfl_sync(ALL_LANES, x.weight, lane);
	return y;
}

#endif
