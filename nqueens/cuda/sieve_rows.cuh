/* Selection of the western placements that a block counts, and the division into pieces.
 *
 * A placement is kept for a group (sieve_groups.cuh) if it has no diagonal that all patterns of the
 * group occupy. Warps select rows for several groups at once, because memory is far slower than the
 * comparison. The rows of a list are where the list is in memory, so that warps need no common
 * counter; between lists is a gap. */
#ifndef NQUEENS_CUDA_SIEVE_ROWS_CUH
#define NQUEENS_CUDA_SIEVE_ROWS_CUH

#include "nqueens/cuda/sieve_block.cuh"

/* A bit that no placement has, but what a lane compares beyond the end of a list. */
#define BEYOND (1ull << 63)

/* ---- splits ---- */

/* Sets s->end and what depends on it; one thread. */
static __device__ void end_splits(const nq_i_sieve_lists *l, shared_head *s, uint32_t end)
{
	/* the complement of set k of the columns is set splits - 1 - k of those of its size */
	const uint32_t *nw = l->first + l->shelves[s->work.shelf[NQ_I_NW]].heads;
	const uint32_t *sw = l->first + l->shelves[s->work.shelf[NQ_I_SW]].heads;

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

/* Lists the splits that the item counts; once per job, all threads. s->counted begins with 0. */
static __device__ void list_splits(const nq_i_sieve_lists *l, shared_head *s)
{
	const uint32_t full = (1u << l->h) - 1, size = l->h - __popc(s->work.item.north);

	for (uint32_t k = threadIdx.x; k < s->splits; k += blockDim.x) {
		const uint32_t sw_cols = full & ~l->sets[l->size_at[size] + k];
		const uint32_t weight = nq_i_image_weight(l->order, &s->work.item, full, sw_cols);

		if (weight)
			s->memory.splits[atomicAdd(&s->counted, 1u)] = weight << SPLIT_BITS | k;
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
	const uint32_t *nw = l->first + l->shelves[s->work.shelf[NQ_I_NW]].heads + k;
	const uint32_t *sw =
		l->first + l->shelves[s->work.shelf[NQ_I_SW]].heads + (s->splits - 1 - k);
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

/* ---- rows ---- */

/* Writes the rows of a list for groups from `group` on, from m->rows[at] on; kept: their numbers.
 * All lanes of a warp. */
static __device__ __forceinline__ void select_list(const nq_i_sieve_lists *l, const shared_head *s,
	const block_memory *m, uint32_t side, uint32_t first, uint32_t count, uint32_t group,
	uint32_t at, uint32_t *kept)
{
	const uint32_t lane = lane_id(), lower = (1u << lane) - 1, wide = s->lookups[side] > 4;
	const uint64_t *packed = l->packed + first;
	const uint2 *choices = (const uint2 *)l->choices + first;
	uint64_t no[TOGETHER];

#pragma unroll
	for (uint32_t g = 0; g < TOGETHER; g++) {
		no[g] = group + g < s->groups ? s->forbidden[group + g][side] | BEYOND : ~0ull;
		kept[g] = 0;
	}
	for (uint32_t i = lane; i < count + lane; i += 32 * STEPS) {
		uint64_t p[STEPS];
		uint32_t choice[STEPS];

#pragma unroll
		for (uint32_t k = 0; k < STEPS; k++) {
			p[k] = i + 32 * k < count ? packed[i + 32 * k] : ~0ull;
			choice[k] = i + 32 * k < count ? choices[i + 32 * k].x : 0;
		}
#pragma unroll
		for (uint32_t k = 0; k < STEPS; k++) {
			const uint32_t flags =
				(side ? nq_i_sieve_lower(p[k]) : nq_i_sieve_upper(p[k])) |
				(uint32_t)(p[k] >> NQ_I_SIEVE_ON_MAIN & 1) << ON_MAIN;

			if (i - lane + 32 * k >= count)
				break;
#pragma unroll
			for (uint32_t g = 0; g < TOGETHER; g++) {
				const uint32_t keep = !(p[k] & no[g]);
				const uint32_t mask = __ballot_sync(ALL_LANES, keep);
				const uint32_t to =
					g * m->rows_each + at + kept[g] + __popc(mask & lower);

				if (keep)
					m->rows[to] = make_uint2(choice[k], flags);
				if (keep && wide)
					m->more[to] = choices[i + 32 * k].y;
				kept[g] += __popc(mask);
			}
		}
	}
}

/* Adds the pieces of a split for a group of those that are selected at once: a, b: first rows, na,
 * nb: their numbers. The shorter list is held, because its rows are computed once, while streamed
 * rows are computed for each piece. weight: of the pairs. One lane for each group. */
template <int TILES>
static __device__ void add_pieces(shared_head *s, const block_memory *m, uint32_t g, uint32_t a,
	uint32_t na, uint32_t b, uint32_t nb, uint32_t weight)
{
	const uint32_t held = min(na, nb), streamed = max(na, nb);
	const uint32_t columns = (held + 16 * TILES - 1) / (16 * TILES);
	const uint32_t n = columns * ((streamed + 8 * SEGMENT - 1) / (8 * SEGMENT));
	const uint32_t big = ((held + 7) / 8) * ((streamed + 7) / 8) >= BIG_PIECE;
	uint4 *pieces = m->pieces + g * m->pieces_each;
	uint32_t at;

	if (!held)
		return;
	at = atomicAdd(big ? &s->big[g] : &s->small[g], n);
	if (at + n > m->pieces_each / 2) {
		s->failed = 1;
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t x = i % columns * (16 * TILES), y = i / columns * (8 * SEGMENT);

		pieces[big ? at + i : m->pieces_each - 1 - at - i] =
			make_uint4((na <= nb ? a : b) + x,
				min(held - x, 16u * TILES) | weight << WEIGHT_AT |
					(na > nb) << HELD_SIDE_BIT,
				(na <= nb ? b : a) + y, min(streamed - y, 8u * SEGMENT));
	}
}

/* Selects the rows of a split; all lanes of a warp. */
template <int TILES>
static __device__ __forceinline__ void select_split(const nq_i_sieve_lists *l, shared_head *s,
	const block_memory *m, const west_split *x, uint32_t group)
{
	const uint32_t a = x->first[0] - s->first[0], offset = lane_id() * m->rows_each;
	const uint32_t b = x->first[1] - s->first[1] + s->count[0];
	uint32_t kept_a[TOGETHER], kept_b[TOGETHER], na = 0, nb = 0;

	select_list(l, s, m, 0, x->first[0], x->count[0], group, a, kept_a);
	select_list(l, s, m, 1, x->first[1], x->count[1], group, b, kept_b);
#pragma unroll
	for (uint32_t g = 0; g < TOGETHER; g++)
		if (lane_id() == g) {
			na = kept_a[g];
			nb = kept_b[g];
		}
	if (lane_id() < TOGETHER)
		add_pieces<TILES>(s, m, lane_id(), offset + a, na, offset + b, nb, x->weight);
	__syncwarp();
}

/* Selects the rows of groups from `group` on and makes their pieces: x, y: first row and number of
 * the rows that a warp holds in registers; z, w: those that it streams. All threads. */
template <int TILES> static __device__ __noinline__ void select_rows(uint32_t group)
{
	shared_head *s = head();
	const nq_i_sieve_lists *l = &s->lists;
	const block_memory *m = &s->memory;

	if (threadIdx.x == 0)
		s->next_split = 0;
	if (threadIdx.x < TOGETHER)
		s->big[threadIdx.x] = s->small[threadIdx.x] = 0;
	__syncthreads();
	for (;;) {
		const uint32_t k = fetch(&s->next_split, TAKEN);
		west_split mine;
		uint32_t some;

		if (k >= s->counted)
			break;
		mine = find_split(l, s, lane_id() < TAKEN ? k + lane_id() : s->counted);
		some = __ballot_sync(ALL_LANES, mine.count[0] && mine.count[1]);
		for (; some; some &= some - 1) {
			const west_split x = from_lane(mine, __ffs(some) - 1);

			select_split<TILES>(l, s, m, &x, group);
		}
	}
	__syncthreads();
}

#endif
