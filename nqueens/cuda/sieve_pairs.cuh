/* Pairs of the placements of two eastern lists.
 *
 * A warp compares 32 placements of NE, one in each lane, with a tile of up to 32 of SE in shared
 * memory. Diagonals and key of a pattern are the OR of those of its two placements, which are
 * computed once for a tile, so that a pair costs a comparison and a pattern an atomic addition. */
#ifndef NQUEENS_CUDA_SIEVE_PAIRS_CUH
#define NQUEENS_CUDA_SIEVE_PAIRS_CUH

#include "nqueens/cuda/sieve.h"

/* Lists of a split of the columns between NE and SE. */
typedef struct split {
	uint32_t a, b, na, nb; /* first placement and number */
} split;

/* Where the patterns of an item go. patterns NULL: count keys in cursors. */
typedef struct pattern_sink {
	const nq_i_sieve_work *work;
	uint32_t *cursors;
	uint64_t *patterns;
	uint32_t from, end; /* keys to store */
	uint32_t room;
} pattern_sink;

/* Placements of SE that the cross does not attack; the diagonals include those of the cross. */
typedef struct pair_tile {
	uint4 lower[8]; /* nq_i_sieve_lower of four placements each */
	uint64_t diagonals[32];
	uint32_t keys[32];
} pair_tile;

/* Returns the key of a pattern or of some of its diagonals; the first diagonal of the key is its
 * highest bit. */
static __device__ __forceinline__ uint32_t key_of(const nq_i_sieve_work *w, uint64_t pattern)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < w->key_bits; i++)
		k = 2 * k + (uint32_t)(pattern >> w->key[i] & 1);
	return k;
}

/* Fills the tile from count placements, at most 32; returns how many it has. All lanes of a
 * warp. */
static __device__ __forceinline__ uint32_t fill_tile(pair_tile *tile, const uint64_t *placements,
	uint32_t count, const nq_i_sieve_east *e, const nq_i_sieve_work *w)
{
	const uint32_t lane = threadIdx.x % 32;
	const uint64_t se = lane < count ? placements[lane] : 0;
	const int valid = lane < count && !(se & e->no_se);
	const uint32_t mask = __ballot_sync(0xffffffffu, valid);

	/* lanes may read the tile before */
	__syncwarp();
	if (valid) {
		const uint32_t at = __popc(mask & ((1u << lane) - 1));
		const uint64_t diagonals = nq_i_sieve_as_se(se) | e->queen;

		((uint32_t *)tile->lower)[at] = nq_i_sieve_lower(se);
		tile->diagonals[at] = diagonals;
		tile->keys[at] = key_of(w, diagonals);
	}
	__syncwarp();
	return __popc(mask);
}

/* Returns a bit for each of the n placements of a tile: set if it has no common diagonal with
 * `upper`. */
static __device__ __forceinline__ uint32_t compatible_pairs(
	const pair_tile *tile, uint32_t n, uint32_t upper)
{
	uint32_t bits = 0;

#pragma unroll
	for (uint32_t k = 0; k < 8; k++) {
		uint4 v;

		if (4 * k >= n)
			break;
		v = tile->lower[k];
		bits |= (upper & v.x ? 0 : 1u) << 4 * k;
		bits |= (upper & v.y ? 0 : 2u) << 4 * k;
		bits |= (upper & v.z ? 0 : 4u) << 4 * k;
		bits |= (upper & v.w ? 0 : 8u) << 4 * k;
	}
	return n == 32 ? bits : bits & ((1u << n) - 1);
}

/* Counts or stores a pattern. */
static __device__ __forceinline__ void put_pattern(
	const pattern_sink *s, uint32_t key, uint64_t pattern)
{
	if (!s->patterns) {
		atomicAdd(&s->cursors[key], 1u);
	} else if (key >= s->from && key < s->end) {
		const uint32_t at = atomicAdd(&s->cursors[key], 1u);

		if (at < s->room)
			s->patterns[at] = pattern;
	}
}

/* Joins the lists of a split; all lanes of a warp. */
static __device__ void join_split(const nq_i_sieve_lists *l, const nq_i_sieve_east *e, split x,
	const pattern_sink *s, pair_tile *tile)
{
	const uint32_t lane = threadIdx.x % 32;

	for (uint32_t at = 0; at < x.nb; at += 32) {
		const uint32_t n =
			fill_tile(tile, l->packed + x.b + at, min(x.nb - at, 32u), e, s->work);

		for (uint32_t i = lane; n && i < x.na; i += 32) {
			const uint64_t ne = l->packed[x.a + i];
			const uint64_t diagonals = nq_i_sieve_as_ne(ne);
			uint32_t bits = 0, key = 0;

			if (!(ne & e->no_ne))
				bits = compatible_pairs(tile, n, nq_i_sieve_upper(ne));
			if (bits)
				key = key_of(s->work, diagonals);
			for (; bits; bits &= bits - 1) {
				const uint32_t k = __ffs(bits) - 1;

				put_pattern(s, key | tile->keys[k], diagonals | tile->diagonals[k]);
			}
		}
	}
}

#endif
