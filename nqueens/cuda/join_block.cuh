/* What a block of the join has: memory of its own, shared memory, and how its lanes look up
 * lists. */
#ifndef NQUEENS_CUDA_JOIN_BLOCK_CUH
#define NQUEENS_CUDA_JOIN_BLOCK_CUH

#include "nqueens/cuda/join.h"
#include "nqueens/join/sides.h"

enum {
	THREADS = 1024,    /* a block's at most, with chunks of 512 patterns */
	BIG_THREADS = 768, /* with 1,024 */
	MAJOR_NEEDED = 8,  /* compute capability, for products of bits by and */
	TILES = 2,         /* of 16 rows: what a warp holds at most while others pass by */
	/* entries of the table before those of parts */
	SLOT_ALL = 0,  /* shares a diagonal with everything: what pads the lists */
	SLOT_NONE = 1, /* with nothing: a part that a row has not */
	SLOTS = 2,
	DIAGONALS = NQ_I_PATTERN_BITS,
	ZERO_ROW = DIAGONALS,
	SQUARES = NQ_I_NO_SQUARE + 1, /* of a side; the last one is none */
	TOUCH_HELD = 30,              /* bits of flags besides those of nq_i_upper, nq_i_lower */
	TOUCH_PASSING = 31,
	BIG_PIECE = 16 /* products of a piece that is to be taken early */
};

/* A block's memory of its own. Rows: where their entries are in the table, in bytes, and flags. */
typedef struct desk {
	uint2 *patterns;     /* a NE and a SE placement */
	uint2 *slots, *more; /* more: of the third and fourth part */
	uint32_t *flags;
	uint4 *pieces; /* big ones from the front, others from the back */
	uint32_t patterns_each, rows_each, pieces_each;
} desk;

/* What a warp takes at once: up to 32 rows of NW or SW from x on, in y tiles of 8, which it holds,
 * and all their partners, from z on in w tiles of 8, which pass by. */
static __device__ uint4 piece_of(
	uint32_t held, uint32_t held_tiles, uint32_t passing, uint32_t passing_tiles)
{
	return make_uint4(held, held_tiles, passing, passing_tiles);
}

/* Shared memory; behind it words for each slot, and the table. Q: 16 words of patterns each. */
typedef struct shared {
	uint32_t item, patterns, rows, big, small, next_piece, wide;
	/* parts of the two western quarters */
	uint32_t part_rows[2][NQ_I_PARTS_MAX], slot_at[2][NQ_I_PARTS_MAX], parts[2], slots;
	unsigned long long sum;
} shared;

template <int Q> struct chunk {
	uint4 diagonals[DIAGONALS + 1][4 * Q];
	uint4 squares[2 * SQUARES][4 * Q]; /* D1 or D2 of a NW, SW queen */
};

/* A block's pointers into its shared memory. */
template <int Q> struct place {
	shared *s;
	chunk<Q> *c;
	uint32_t *queens; /* of each slot: a byte each, into squares */
	uint4 *table;
};

static __device__ uint32_t lane_id(void)
{
	return threadIdx.x % 32;
}

static __device__ uint32_t warp_id(void)
{
	return threadIdx.x / 32;
}

static __device__ uint32_t warps(void)
{
	return blockDim.x / 32;
}

static __device__ __forceinline__ uint4 or4(uint4 a, uint4 b)
{
	return make_uint4(a.x | b.x, a.y | b.y, a.z | b.z, a.w | b.w);
}

static __device__ __forceinline__ uint4 and4(uint4 a, uint4 b)
{
	return make_uint4(a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w);
}

/* A list of a split of the columns and its partner, as a lane looks it up for its warp. */
typedef struct lists_of_split {
	uint32_t a, b, na, nb;
	uint32_t part; /* 2^32 / na, rounded up: to divide by na */
} lists_of_split;

static __device__ lists_of_split from_lane(lists_of_split x, uint32_t lane)
{
	lists_of_split y;

	y.a = __shfl_sync(0xffffffffu, x.a, lane);
	y.b = __shfl_sync(0xffffffffu, x.b, lane);
	y.na = __shfl_sync(0xffffffffu, x.na, lane);
	y.nb = __shfl_sync(0xffffffffu, x.nb, lane);
	y.part = __shfl_sync(0xffffffffu, x.part, lane);
	return y;
}

/* Split k of the columns of the upper rows, cols left for the lower ones; empty if there is
 * none. */
static __device__ lists_of_split look_up(const nq_i_join_lists *l, uint32_t upper, uint32_t lower,
	uint32_t all_cols, uint32_t k, uint32_t quiet)
{
	const uint32_t size = __popc(upper), at = l->size_at[size] + k;
	lists_of_split x = { 0, 0, 0, 0, 0 };
	uint32_t cols, i, j;

	if (at >= l->size_at[size + 1])
		return x;
	cols = l->sets[at];
	if (cols & ~all_cols)
		return x;
	i = l->base[upper] + l->rank[cols];
	j = l->base[lower] + l->rank[all_cols & ~cols];
	x.a = l->first[i];
	x.b = l->first[j];
	x.na = quiet ? l->quiet[i] : l->first[i + 1] - x.a;
	x.nb = quiet ? l->quiet[j] : l->first[j + 1] - x.b;
	x.part = x.na > 1 ? 0xffffffffu / x.na + 1 : 0;
	return x;
}

#endif
