/* Memory of a block that counts jobs, and selection of the western placements of a job. */
#ifndef NQUEENS_CUDA_SIEVE_BLOCK_CUH
#define NQUEENS_CUDA_SIEVE_BLOCK_CUH

#include "nqueens/cuda/sieve.h"

enum {
	/* table slots before those of parts */
	SLOT_ALL = 0,  /* a common diagonal with every pattern: padding of the lists */
	SLOT_NONE = 1, /* with no pattern: a part that a row does not have */
	SLOTS = 2,
	STEPS = 4,         /* 32 placements each that are compared at once */
	GROUP = 8,         /* splits that a warp takes at once */
	ON_MAIN_HELD = 30, /* bits of flags that upper and lower do not use */
	ON_MAIN_STREAMED = 31,
	SIDE_BIT = 31,  /* of index: SW instead of NW */
	ROLE_BIT = 30,  /* streamed instead of held */
	BIG_PIECE = 16, /* tile products of a piece that is scheduled early */
	SEGMENT = 256   /* tiles of 8 rows that a piece streams at most */
};

#define PADDING    0xffffffffu
#define INDEX_MASK 0x3fffffffu

/* Global memory private to a block. A row of a matrix is given by the offsets of its entries in the
 * table, in units of 16 bytes, four in slots and four in more, and flags. index: its placement. */
typedef struct block_memory {
	uint2 *slots, *more;
	uint32_t *flags, *index;
	uint4 *pieces; /* big ones from the front, small ones from the back */
	uint32_t rows_each, pieces_each;
} block_memory;

/* Head of the shared memory; the diagonals of a chunk, words for each slot and the table follow. */
typedef struct shared_head {
	uint32_t job, next_group, reserved, rows, big, small, next_piece, unfinished, failed;
	uint32_t slots, lookups;
	/* the parts of the two western quarters */
	uint32_t part_rows[2][NQ_I_SIEVE_PARTS], slot_at[2][NQ_I_SIEVE_PARTS], parts[2];
	uint32_t common[2]; /* low and high half of the diagonals of all patterns */
	uint64_t forbidden[2];
	unsigned long long sum;
	nq_i_sieve_job at;
	nq_i_sieve_work work;
} shared_head;

static __device__ __forceinline__ uint32_t lane_id(void)
{
	return threadIdx.x % 32;
}

static __device__ __forceinline__ uint32_t warp_id(void)
{
	return threadIdx.x / 32;
}

static __device__ __forceinline__ uint32_t warps(void)
{
	return blockDim.x / 32;
}

/* The lists of a split of the columns between NW and SW: first placement and length. */
typedef struct west_split {
	uint32_t a, b, na, nb;
} west_split;

static __device__ west_split from_lane(west_split x, uint32_t lane)
{
	west_split y;

	y.a = __shfl_sync(0xffffffffu, x.a, lane);
	y.b = __shfl_sync(0xffffffffu, x.b, lane);
	y.na = __shfl_sync(0xffffffffu, x.na, lane);
	y.nb = __shfl_sync(0xffffffffu, x.nb, lane);
	return y;
}

/* Returns split k; empty lists if there is none. */
static __device__ west_split find_split(
	const nq_i_sieve_lists *l, const nq_i_sieve_work *w, uint32_t k)
{
	const uint32_t full = (1u << l->h) - 1, size = l->h - __popc(w->item.north);
	west_split x = { 0, 0, 0, 0 };
	uint32_t i, j;

	if (k >= l->size_at[size + 1] - l->size_at[size])
		return x;
	i = l->shelves[w->shelf[NQ_I_NW]].heads + k;
	j = l->shelves[w->shelf[NQ_I_SW]].heads + l->rank[full & ~l->sets[l->size_at[size] + k]];
	x.a = l->first[i];
	x.b = l->first[j];
	x.na = l->first[i + 1] - x.a;
	x.nb = l->first[j + 1] - x.b;
	return x;
}

/* The first 32 x STEPS placements of a list that are kept, a bit for each lane, and the number of
 * all. */
typedef struct kept {
	uint32_t steps[STEPS], count;
} kept;

/* Loads 32 x STEPS placements at once and compares them with the forbidden diagonals; all lanes.
 * Several loads are in flight, because the caches are far slower than the comparison. */
static __device__ __forceinline__ void compare(const nq_i_sieve_lists *l, uint32_t first,
	uint32_t from, uint32_t count, uint64_t forbidden, uint32_t *steps)
{
	uint64_t p[STEPS];

#pragma unroll
	for (uint32_t k = 0; k < STEPS; k++) {
		const uint32_t i = from + 32 * k + lane_id();

		p[k] = i < count ? l->packed[first + i] : ~0ull;
	}
#pragma unroll
	for (uint32_t k = 0; k < STEPS; k++)
		steps[k] = __ballot_sync(
			0xffffffffu, from + 32 * k + lane_id() < count && !(p[k] & forbidden));
}

/* Finds the placements of a list without forbidden diagonals; all lanes. */
static __device__ __forceinline__ kept find_kept(
	const nq_i_sieve_lists *l, uint32_t first, uint32_t count, uint64_t forbidden)
{
	kept x;

	compare(l, first, 0, count, forbidden, x.steps);
	x.count = 0;
#pragma unroll
	for (uint32_t k = 0; k < STEPS; k++)
		x.count += __popc(x.steps[k]);
	for (uint32_t i = 32 * STEPS; i < count; i += 32 * STEPS) {
		uint32_t steps[STEPS];

		compare(l, first, i, count, forbidden, steps);
#pragma unroll
		for (uint32_t k = 0; k < STEPS; k++)
			x.count += __popc(steps[k]);
	}
	return x;
}

/* Writes the indices of these placements, padded to a multiple of 8. */
static __device__ void write_kept(const nq_i_sieve_lists *l, uint32_t first, uint32_t count,
	uint64_t forbidden, kept x, uint32_t bits, uint32_t *to)
{
	const uint32_t lane = lane_id(), before = (1u << lane) - 1;
	uint32_t n = 0;

	for (uint32_t i = 0; i < count; i += 32 * STEPS) {
		if (i)
			compare(l, first, i, count, forbidden, x.steps);
#pragma unroll
		for (uint32_t k = 0; k < STEPS; k++) {
			if (x.steps[k] >> lane & 1)
				to[n + __popc(x.steps[k] & before)] =
					(first + i + 32 * k + lane) | bits;
			n += __popc(x.steps[k]);
		}
	}
	if (lane < (0u - n) % 8)
		to[n + lane] = PADDING;
}

/* A piece, the work that a warp fetches at once: x, y: first row and number of 8-row tiles that it
 * holds in registers; z, w: first row and number of 8-row tiles that it streams. */
template <int TILES>
static __device__ void add_pieces(shared_head *s, const block_memory *m, uint32_t held,
	uint32_t held_tiles, uint32_t streamed, uint32_t streamed_tiles)
{
	const uint32_t columns = (held_tiles + 2 * TILES - 1) / (2 * TILES);
	const uint32_t segments = (streamed_tiles + SEGMENT - 1) / SEGMENT, n = columns * segments;
	const uint32_t big = held_tiles * streamed_tiles >= BIG_PIECE;
	uint32_t at = 0;

	if (lane_id() == 0) {
		at = atomicAdd(big ? &s->big : &s->small, n);
		if (at + n > m->pieces_each / 2)
			s->failed = 1;
	}
	at = __shfl_sync(0xffffffffu, at, 0);
	if (at + n > m->pieces_each / 2)
		return;
	for (uint32_t i = lane_id(); i < n; i += 32) {
		const uint32_t k = i % columns * (2 * TILES), j = i / columns * SEGMENT;

		m->pieces[big ? at + i : m->pieces_each - 1 - at - i] =
			make_uint4(held + 8 * k, min(held_tiles - k, 2u * TILES), streamed + 8 * j,
				min(streamed_tiles - j, (uint32_t)SEGMENT));
	}
}

/* The splits of a warp's group that are left: a bit of `some` for each lane that has one. */
typedef struct picker {
	west_split mine;
	uint32_t some;
} picker;

/* Appends the rows of a split and its pieces. The shorter list is held, because its rows are
 * computed once, while streamed rows are computed for each piece. Returns 0 if the memory is full.
 * All lanes of a warp. */
template <int TILES>
static __device__ int append_split(
	const nq_i_sieve_lists *l, west_split x, shared_head *s, const block_memory *m)
{
	const kept a = find_kept(l, x.a, x.na, s->forbidden[0]);
	const kept b = find_kept(l, x.b, x.nb, s->forbidden[1]);
	const uint32_t ta = (a.count + 7) / 8, tb = (b.count + 7) / 8, swap = a.count > b.count;
	uint32_t at = 0;

	if (!a.count || !b.count)
		return 1;
	if (lane_id() == 0)
		at = atomicAdd(&s->reserved, 8 * (ta + tb));
	at = __shfl_sync(0xffffffffu, at, 0);
	if (at + 8 * (ta + tb) > m->rows_each) {
		if (lane_id() == 0) {
			s->unfinished = 1;
			if (at == 0)
				s->failed = 1;
		}
		return 0;
	}
	if (lane_id() == 0)
		atomicMax(&s->rows, at + 8 * (ta + tb));
	write_kept(l, x.a, x.na, s->forbidden[0], a, swap << ROLE_BIT, m->index + at);
	write_kept(l, x.b, x.nb, s->forbidden[1], b, 1u << SIDE_BIT | !swap << ROLE_BIT,
		m->index + at + 8 * ta);
	if (swap)
		add_pieces<TILES>(s, m, at + 8 * ta, tb, at, ta);
	else
		add_pieces<TILES>(s, m, at, ta, at + 8 * ta, tb);
	return 1;
}

/* Selects western placements until all splits are done or the memory is full. All lanes. */
template <int TILES>
static __device__ void select_rows(
	const nq_i_sieve_lists *l, picker *p, shared_head *s, const block_memory *m)
{
	for (;;) {
		if (!p->some) {
			uint32_t group = 0;
			const uint32_t size = l->h - __popc(s->work.item.north);

			if (lane_id() == 0)
				group = atomicAdd(&s->next_group, 1u);
			group = __shfl_sync(0xffffffffu, group, 0);
			if (group * GROUP >= l->size_at[size + 1] - l->size_at[size])
				return;
			p->mine.na = p->mine.nb = 0;
			if (lane_id() < GROUP)
				p->mine = find_split(l, &s->work, group * GROUP + lane_id());
			p->some = __ballot_sync(0xffffffffu, p->mine.na && p->mine.nb);
			continue;
		}
		if (!append_split<TILES>(l, from_lane(p->mine, __ffs(p->some) - 1), s, m))
			return;
		p->some &= p->some - 1;
	}
}

/* Looks up the entries of the selected rows; all threads of the block. Q: 512 patterns each. Rows
 * of padding read placement 0, too, so that the loads of several rows are in flight. */
template <int Q>
static __device__ void make_rows(
	const nq_i_sieve_lists *l, const shared_head *s, const block_memory *m)
{
	const uint32_t rows = s->rows, wide = s->lookups > 4;

#pragma unroll 2
	for (uint32_t r = threadIdx.x; r < rows; r += blockDim.x) {
		const uint32_t x = m->index[r], side = x >> SIDE_BIT, pad = x == PADDING;
		const uint64_t p = l->packed[pad ? 0 : x & INDEX_MASK];
		const uint64_t choice = l->choices[pad ? 0 : x & INDEX_MASK];
		const uint32_t on_main = p >> NQ_I_SIEVE_ON_MAIN & 1, parts = s->parts[side];
		const uint32_t flags =
			(side ? nq_i_sieve_lower(p) : nq_i_sieve_upper(p)) |
			on_main << (x >> ROLE_BIT & 1 ? ON_MAIN_STREAMED : ON_MAIN_HELD);
		uint32_t slot[8];

#pragma unroll
		for (uint32_t k = 0; k < 8; k++) {
			slot[k] = k < NQ_I_SIEVE_PARTS && k < parts
					  ? s->slot_at[side][k < NQ_I_SIEVE_PARTS ? k : 0] +
						    (uint32_t)(choice >> 8 * k & 255)
					  : (uint32_t)SLOT_NONE;
			slot[k] *= pad ? SLOT_ALL : 4 * Q;
		}
		m->slots[r] = make_uint2(slot[0] | slot[1] << 16, slot[2] | slot[3] << 16);
		if (wide)
			m->more[r] = make_uint2(slot[4] | slot[5] << 16, slot[6] | slot[7] << 16);
		m->flags[r] = pad ? 0 : flags;
	}
}

#endif
