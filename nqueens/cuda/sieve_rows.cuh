/* Selection of the western placements that a block counts, and the division into pieces.
 *
 * A placement is kept for a group (sieve_groups.cuh) if it has no diagonal that all patterns of the
 * group occupy. Warps select rows for several groups at once, because memory is far slower than the
 * comparison. The rows of a list are where the list is in memory, or earlier, so that warps need no
 * common counter.
 *
 * A split often keeps a few rows, and a piece costs as much as some tiles. So a warp joins the rows
 * of the splits that it takes at once, if they are few, to common pieces: bits of their flags omit
 * the pairs of different splits. */
#ifndef NQUEENS_CUDA_SIEVE_ROWS_CUH
#define NQUEENS_CUDA_SIEVE_ROWS_CUH

#include "nqueens/cuda/sieve_splits.cuh"

/* A bit that no placement has, but what a lane compares beyond the end of a list. */
#define BEYOND (1ull << 63)

/* Placements that a warp reads at once, STEPS of each lane. */
typedef struct placements {
	uint64_t packed[STEPS];
	uint32_t choice[STEPS];
} placements;

static __device__ __forceinline__ void read_placements(
	placements *to, const nq_i_sieve_lists *l, uint32_t first, uint32_t count)
{
	const uint32_t lane = lane_id();
	const uint2 *choices = (const uint2 *)l->choices;

#pragma unroll
	for (uint32_t k = 0; k < STEPS; k++) {
		const int valid = lane + 32 * k < count;

		to->packed[k] = valid ? l->packed[first + lane + 32 * k] : ~0ull;
		to->choice[k] = valid ? choices[first + lane + 32 * k].x : 0;
	}
}

/* A list of placements, or the part of it that has not been read. */
typedef struct list_part {
	uint32_t first, count;
} list_part;

/* Writes the rows of a list for groups from `group` on, those of the g-th one from m->rows[at[g]]
 * on; kept: their numbers. tag: bits of their flags. read: the first placements of the list; those
 * of the list `next` afterwards, because memory is slower than the comparison. All lanes of a
 * warp. */
static __device__ __forceinline__ void select_list(const nq_i_sieve_lists *l, const shared_head *s,
	const block_memory *m, uint32_t side, list_part list, list_part next, placements *read,
	uint32_t group, uint32_t tag, const uint32_t *at, uint32_t *kept)
{
	const uint32_t lower = (1u << lane_id()) - 1, wide = s->lookups[side] > 4;
	const uint2 *choices = (const uint2 *)l->choices;
	uint64_t no[TOGETHER];

#pragma unroll
	for (uint32_t g = 0; g < TOGETHER; g++) {
		no[g] = group + g < s->groups ? s->forbidden[group + g][side] | BEYOND : ~0ull;
		kept[g] = 0;
	}
	for (uint32_t i = 0; i < list.count; i += 32 * STEPS) {
		const int more = i + 32 * STEPS < list.count;
		const placements x = *read;

		read_placements(read, l, more ? list.first + i + 32 * STEPS : next.first,
			more ? list.count - i - 32 * STEPS : next.count);
#pragma unroll
		for (uint32_t k = 0; k < STEPS; k++) {
			const uint64_t p = x.packed[k];
			const uint32_t flags = tag |
					       (side ? nq_i_sieve_lower(p) : nq_i_sieve_upper(p)) |
					       (uint32_t)(p >> NQ_I_SIEVE_ON_MAIN & 1) << ON_MAIN;

			if (i + 32 * k >= list.count)
				break;
#pragma unroll
			for (uint32_t g = 0; g < TOGETHER; g++) {
				const uint32_t keep = !(p & no[g]);
				const uint32_t mask = __ballot_sync(ALL_LANES, keep);
				const uint32_t to =
					g * m->rows_each + at[g] + kept[g] + __popc(mask & lower);

				if (keep)
					m->rows[to] = make_uint2(x.choice[k], flags);
				if (keep && wide)
					m->more[to] =
						choices[list.first + i + 32 * k + lane_id()].y;
				kept[g] += __popc(mask);
			}
		}
	}
}

/* Rows of a group that a warp selected from some splits of one weight, and that are counted
 * together: in NW and SW. Lane g of the warp has those of the g-th group. */
typedef struct selected {
	uint32_t first[2], count[2], weight;
} selected;

/* Adds their pieces. The shorter list is held, because its rows are computed once, while streamed
 * rows are computed for each piece. One lane for each group. */
template <int TILES>
static __device__ void add_pieces(
	shared_head *s, const block_memory *m, uint32_t g, const selected *r)
{
	const uint32_t a = g * m->rows_each + r->first[0], na = r->count[0];
	const uint32_t b = g * m->rows_each + r->first[1], nb = r->count[1];
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
				min(held - x, 16u * TILES) | r->weight << WEIGHT_AT |
					(na > nb) << HELD_SIDE_BIT,
				(na <= nb ? b : a) + y, min(streamed - y, 8u * SEGMENT));
	}
}

/* Begins with no rows of a split and of those after it. */
static __device__ selected select_none(const shared_head *s, const west_split *x)
{
	selected r = { { 0, 0 }, { 0, 0 }, 0 };

	/* later splits have later lists in NW, and earlier ones in SW */
	r.first[0] = x->first[0] - s->first[0];
	r.first[1] = s->count[0] + s->first[1] + s->count[1] - x->first[1] - x->count[1];
	return r;
}

/* Selects the rows of a split, the i-th one that the warp took at once, and adds them to those
 * before or to pieces of their own; all lanes of a warp. read: its first placements in NW; those of
 * the list `next` afterwards. */
template <int TILES>
static __device__ __forceinline__ void select_split(const nq_i_sieve_lists *l, shared_head *s,
	const block_memory *m, const west_split *x, uint32_t i, list_part next, placements *read,
	uint32_t group, selected *r)
{
	uint32_t at[TOGETHER], kept[TOGETHER], n[2] = { 0, 0 };

#pragma unroll
	for (uint32_t side = 0; side < 2; side++) {
		const uint32_t others = (1u << TAKEN) - 1 - (1u << i);
		const uint32_t tag = (side ? others : 1u << i) << TAG_AT;
		const list_part list = { x->first[side], x->count[side] };
		const list_part other = { x->first[1], x->count[1] };

#pragma unroll
		for (uint32_t g = 0; g < TOGETHER; g++)
			at[g] = __shfl_sync(ALL_LANES, r->first[side] + r->count[side], g);
		select_list(l, s, m, side, list, side ? next : other, read, group, tag, at, kept);
#pragma unroll
		for (uint32_t g = 0; g < TOGETHER; g++)
			n[side] = lane_id() == g ? kept[g] : n[side];
	}
	if (lane_id() < TOGETHER && n[0] && n[1]) {
		if (r->count[0] &&
			(r->weight != x->weight ||
				min(r->count[0] + n[0], r->count[1] + n[1]) > FEW_ROWS)) {
			add_pieces<TILES>(s, m, lane_id(), r);
			for (uint32_t side = 0; side < 2; side++) {
				r->first[side] += r->count[side];
				r->count[side] = 0;
			}
		}
		r->count[0] += n[0];
		r->count[1] += n[1];
		r->weight = x->weight;
	}
	__syncwarp();
}

/* Returns how many splits a warp takes at once: several only if they have few rows. */
static __device__ __forceinline__ uint32_t splits_at_once(const shared_head *s)
{
	const uint32_t rows = s->count[0] + s->count[1];

	return rows > (s->end - s->split) * LONG_SPLIT ? 1 : TAKEN;
}

/* The splits that a warp takes: one in each of the first lanes. some: a bit for each of those that
 * have pairs. */
typedef struct taken_splits {
	west_split mine;
	uint32_t some;
	int last; /* there are no more */
} taken_splits;

/* Takes splits: at first `each` at once, the last ones singly so that no warp waits long for
 * another one. All lanes of a warp. */
static __device__ __forceinline__ taken_splits take_splits(
	const nq_i_sieve_lists *l, shared_head *s, uint32_t each)
{
	const uint32_t single = min(SINGLE_SPLITS * warps(), s->counted);
	const uint32_t big = (s->counted - single) / each, k = fetch(&s->next_split, 1);
	const uint32_t from = k < big ? k * each : big * each + (k - big);
	const uint32_t n = k < big ? each : 1;
	taken_splits t;

	t.last = from >= s->counted;
	t.mine = find_split(l, s, lane_id() < n ? from + lane_id() : s->counted);
	t.some = __ballot_sync(ALL_LANES, t.mine.count[0] && t.mine.count[1]);
	return t;
}

/* Returns the first list of `now` that is left, or else that of `next`; empty if there is none. */
static __device__ __forceinline__ list_part first_list(
	const taken_splits *now, const taken_splits *next)
{
	const uint32_t some = now->some ? now->some : next->some;
	const uint32_t lane = some ? __ffs(some) - 1 : 31;
	const list_part mine = { now->some ? now->mine.first[0] : next->mine.first[0],
		now->some ? now->mine.count[0] : next->mine.count[0] };

	return { __shfl_sync(ALL_LANES, mine.first, lane),
		__shfl_sync(ALL_LANES, mine.count, lane) };
}

static __device__ __forceinline__ placements read_first(
	const nq_i_sieve_lists *l, const taken_splits *t)
{
	const list_part list = first_list(t, t);
	placements read;

	read_placements(&read, l, list.first, list.count);
	return read;
}

/* Selects the rows of groups from `group` on and makes their pieces: x, y: first row and number of
 * the rows that a warp holds in registers; z, w: those that it streams. All threads.
 *
 * The next splits are found, and the first placements of the next list are read, before those at
 * hand are compared. */
template <int TILES> static __device__ __noinline__ void select_rows(uint32_t group)
{
	shared_head *s = head();
	const nq_i_sieve_lists *l = &s->lists;
	const block_memory *m = &s->memory;
	const uint32_t each = splits_at_once(s);
	taken_splits now, next;
	placements read;

	if (threadIdx.x == 0)
		s->next_split = 0;
	if (threadIdx.x < TOGETHER)
		s->big[threadIdx.x] = s->small[threadIdx.x] = 0;
	__syncthreads();
	now = take_splits(l, s, each);
	read = read_first(l, &now);
	while (!now.last) {
		selected rows = { { 0, 0 }, { 0, 0 }, 0 };

		next = take_splits(l, s, each);
		if (!now.some)
			read = read_first(l, &next);
		for (uint32_t begun = 0; now.some; begun = 1) {
			const uint32_t i = __ffs(now.some) - 1;
			const west_split x = from_lane(now.mine, i);
			list_part list;

			now.some &= now.some - 1;
			list = first_list(&now, &next);
			if (!begun)
				rows = select_none(s, &x);
			select_split<TILES>(l, s, m, &x, i, list, &read, group, &rows);
		}
		if (lane_id() < TOGETHER && rows.count[0])
			add_pieces<TILES>(s, m, lane_id(), &rows);
		__syncwarp();
		now = next;
	}
	__syncthreads();
}

#endif
