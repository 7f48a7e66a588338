/* Memory of a block that counts jobs, and what its phases share. */
#ifndef NQUEENS_CUDA_SIEVE_BLOCK_CUH
#define NQUEENS_CUDA_SIEVE_BLOCK_CUH

#include "nqueens/cuda/bit_product.cuh"
#include "nqueens/cuda/sieve.h"

enum {
	/* table slots before those of parts */
	SLOT_ALL = 0,  /* a common diagonal with every pattern: rows beyond the end of a list */
	SLOT_NONE = 1, /* with no pattern: a part that a row does not have */
	SLOTS = 2,
	STEPS = 2,          /* 32 placements each that a warp loads at once */
	TAKEN = 4,          /* splits of the columns that a warp takes at once */
	TOGETHER = 4,       /* groups whose rows are selected at once */
	ON_MAIN = 31,       /* bit of flags that upper and lower do not use */
	TAG_AT = 26,        /* such bits: TAKEN ones, a different one in common for two splits */
	LONG_SPLIT = 256,   /* placements of a split from which on it is taken alone */
	SINGLE_SPLITS = 2,  /* of each warp, that are taken alone at the end */
	FEW_ROWS = 32,      /* held rows of several splits in a piece */
	BIG_PIECE = 16,     /* tile products of a piece that is scheduled early */
	HELD_SIDE_BIT = 31, /* of a piece's number of held rows: they are of SW, not of NW */
	WEIGHT_AT = 24,     /* of its pairs, above the number of held rows */
	WEIGHT_BITS = 4,
	SPLIT_BITS = 24, /* of an entry of block_memory.splits: below the weight */
	SEGMENT = 256,   /* tiles of 8 rows that a piece streams at most */
	MOST_WARPS = 24, /* of a block */
	MOST_GROUPS = 72 /* of a job */
};

#define ALL_LANES 0xffffffffu

/* Global memory private to a block. A row is the entries of its first four parts, a byte each, and
 * flags; more has those of further parts. The rows of a list are where its placements are in
 * memory, counted from those of the first split. pieces: big ones from the front, small ones from
 * the back. */
typedef struct block_memory {
	uint2 *rows;        /* [TOGETHER][rows_each] */
	uint32_t *more;     /* [TOGETHER][rows_each] */
	uint64_t *patterns; /* of the job, group by group */
	uint4 *pieces;      /* [TOGETHER][pieces_each] */
	uint32_t *splits;   /* of the western columns that the item counts, with their weights */
	uint32_t rows_each, pieces_each;
} block_memory;

/* The rows that a warp reads next: offsets of their entries in the table, in units of 16 bytes,
 * four in slots and four in more, and flags. */
typedef struct stage {
	uint2 slots[32], more[32];
	uint32_t flags[32];
} stage;

/* Head of the shared memory; the diagonals of a chunk, words for each slot and the table follow. */
typedef struct shared_head {
	stage stages[MOST_WARPS];
	uint4 bases[2]; /* offsets of the first entries of the parts of NW and SW, as in a stage */
	uint32_t job, next_split, next_piece, failed;
	uint32_t big[TOGETHER], small[TOGETHER];
	uint32_t slots, lookups[2]; /* look-ups of a row of NW and of SW */
	uint32_t part_rows[2][NQ_I_SIEVE_PARTS], slot_at[2][NQ_I_SIEVE_PARTS];
	/* splits of the columns; those that the item counts; those of the rows in memory are
	 * split .. end - 1 */
	uint32_t splits, counted, split, end;
	uint32_t first[2], count[2]; /* their placements in NW and SW */
	uint32_t kept[MOST_WARPS];
	uint32_t common[2]; /* low and high half of the diagonals of all patterns of a group */
	uint32_t ones[2][NQ_I_SIEVE_DIAGONALS];
	uint32_t groups, group_end[MOST_GROUPS];
	uint64_t forbidden[MOST_GROUPS][2]; /* of placements in NW and SW */
	unsigned long long sum;
	block_memory memory;
	nq_i_sieve_lists lists;
	nq_i_sieve_job at;
	nq_i_sieve_work work;
} shared_head;

extern __shared__ uint4 shared_memory[];

/* Phases that are functions of their own, so that their variables do not occupy registers in the
 * hot loop, call this instead of having an argument: the compiler sees that it is shared memory. */
static __device__ __forceinline__ shared_head *head(void)
{
	return (shared_head *)shared_memory;
}

/* Returns the value of *next for this warp and adds n to it; all lanes. */
static __device__ __forceinline__ uint32_t fetch(uint32_t *next, uint32_t n)
{
	uint32_t k = 0;

	if (lane_id() == 0)
		k = atomicAdd(next, n);
	return __shfl_sync(ALL_LANES, k, 0);
}

#endif
