/* The memory of a block of the join, global and shared, and access to the lists. */
#ifndef NQUEENS_CUDA_JOIN_BLOCK_CUH
#define NQUEENS_CUDA_JOIN_BLOCK_CUH

#include "nqueens/cuda/bit_product.cuh"
#include "nqueens/cuda/join.h"
#include "nqueens/join/sides.h"

enum {
	THREADS = 1024,    /* of a block at most, with chunks of 512 patterns */
	BIG_THREADS = 768, /* with chunks of 1,024 patterns */
	MAJOR_NEEDED = 8,  /* compute capability with mma .b1 .and.popc */
	TILES = 2,         /* tiles of 16 rows that a warp holds in registers at most */
	/* table slots before those of parts */
	SLOT_ALL = 0,  /* a common diagonal with every pattern: padding of the lists */
	SLOT_NONE = 1, /* with no pattern: a part that a row does not have */
	SLOTS = 2,
	DIAGONALS = NQ_I_PATTERN_BITS,
	ZERO_ROW = DIAGONALS,
	SQUARES = NQ_I_NO_SQUARE + 1, /* of a side; the last one means no square */
	ON_MAIN_HELD = 30,            /* bits of flags that nq_i_upper, nq_i_lower do not use */
	ON_MAIN_STREAMED = 31,
	BIG_PIECE = 16 /* tile products of a piece that is scheduled early */
};

/* Global memory private to a block. A row of a matrix is given by the byte offsets of its entries
 * in the table, and flags. */
typedef struct block_private {
	uint2 *patterns;     /* a NE and a SE placement */
	uint2 *slots, *more; /* more: offsets of the third and fourth part */
	uint32_t *flags;
	uint4 *pieces; /* big ones from the front, small ones from the back */
	uint32_t patterns_each, rows_each, pieces_each;
} block_private;

/* A piece, the work that a warp fetches at once: x, y: first row and number of 8-row tiles that it
 * holds in registers (at most 32 rows of NW or SW); z, w: first row and number of 8-row tiles of
 * all their partners, which it streams. */
static __device__ uint4 piece_of(
	uint32_t held, uint32_t held_tiles, uint32_t streamed, uint32_t streamed_tiles)
{
	return make_uint4(held, held_tiles, streamed, streamed_tiles);
}

/* Head of the shared memory; a chunk, words for each slot and the table follow. Q: 512
 * patterns each. */
typedef struct shared_head {
	uint32_t item, patterns, rows, big, small, next_piece, wide;
	/* the parts of the two western quarters */
	uint32_t part_rows[2][NQ_I_PARTS_MAX], slot_at[2][NQ_I_PARTS_MAX], parts[2], slots;
	unsigned long long sum;
} shared_head;

template <int Q> struct chunk {
	uint4 diagonals[DIAGONALS + 1][4 * Q];
	uint4 squares[2 * SQUARES][4 * Q]; /* D1 or D2 of a NW, SW queen */
};

/* The areas of the shared memory. */
template <int Q> struct shared_areas {
	shared_head *s;
	chunk<Q> *c;
	uint32_t *queens; /* [slots] a byte per queen: index into chunk.squares */
	uint4 *table;
};

/* The two lists of a split of the columns, which one lane reads for its warp: first
 * entry and length. */
typedef struct lists_of_split {
	uint32_t a, b, na, nb;
	uint32_t part; /* 2^32 / na, rounded up, for division by na */
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

/* Returns split k of the columns between the upper and the lower rows; empty lists if
 * there is none. */
static __device__ lists_of_split find_split(const nq_i_join_lists *l, uint32_t upper,
	uint32_t lower, uint32_t all_cols, uint32_t k, uint32_t off_main)
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
	x.na = off_main ? l->off_main[i] : l->first[i + 1] - x.a;
	x.nb = off_main ? l->off_main[j] : l->first[j + 1] - x.b;
	x.part = x.na > 1 ? 0xffffffffu / x.na + 1 : 0;
	return x;
}

#endif
