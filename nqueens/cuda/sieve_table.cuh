/* The table of a block: for each slot a row of bits, the patterns of a chunk that have no common
 * diagonal with its queens. A western row of a quarter has a slot for each part, two queens. */
#ifndef NQUEENS_CUDA_SIEVE_TABLE_CUH
#define NQUEENS_CUDA_SIEVE_TABLE_CUH

#include "nqueens/cuda/sieve_block.cuh"

/* Of the diagonals of a chunk, in units of 16 bytes: more than they need, so that lanes that write
 * the same word of different diagonals use eight banks, not one (Q = 2) or two. */
#define PITCH_OF(q) (4 * (q) + 1)

/* ---- slots ---- */

/* Divides the rows of both western quarters into parts and assigns their slots, of slot_quads units
 * of 16 bytes. One thread. */
static __device__ void divide_rows(const nq_i_sieve_lists *l, shared_head *s, uint32_t slot_quads)
{
	const uint32_t full = (1u << l->h) - 1;
	const uint32_t rows[2] = { full & ~s->work.item.north,
		l->lines[s->work.item.line].south_rows & ~s->work.item.south };
	uint32_t slot = SLOTS;

	s->splits = l->size_at[__popc(rows[0]) + 1] - l->size_at[__popc(rows[0])];
	for (uint32_t side = 0; side < 2; side++) {
		uint32_t left = rows[side], n = 0, base[8];

		for (uint32_t k = 0; k < 8; k++)
			base[k] = SLOT_NONE * slot_quads;
		while (left) {
			uint32_t rest = left & (left - 1);

			rest &= rest - (rest != 0);
			base[n] = slot * slot_quads;
			s->part_rows[side][n] = left & ~rest;
			s->slot_at[side][n++] = slot;
			slot += l->part_count[left & ~rest];
			left = rest;
		}
		s->lookups[side] = n;
		s->bases[side] = make_uint4(base[0] | base[1] << 16, base[2] | base[3] << 16,
			base[4] | base[5] << 16, base[6] | base[7] << 16);
	}
	s->slots = slot;
}

/* Writes the diagonals of the queens of each slot; once per job. */
static __device__ void make_queens(
	const nq_i_sieve_lists *l, const shared_head *s, uint32_t *queens)
{
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t k = 0; k < s->lookups[side]; k++) {
			const uint32_t part = s->part_rows[side][k];
			const nq_i_sieve_entry *e = l->entries + l->part_at[part];

			for (uint32_t i = threadIdx.x; i < l->part_count[part]; i += blockDim.x)
				queens[s->slot_at[side][k] + i] = side ? e[i].sw : e[i].nw;
		}
}

/* ---- bits of patterns ---- */

/* Transposes the diagonals of a chunk's patterns into rows of bits, 32 patterns per warp at once.
 * The last chunk is filled up with patterns of ones, which have a common diagonal with every row,
 * because every queen has a q. */
template <int Q>
static __device__ void make_diagonals(
	uint4 (*diagonals)[PITCH_OF(Q)], const uint64_t *patterns, uint32_t count)
{
	const uint32_t lane = lane_id();
	uint32_t *rows = (uint32_t *)diagonals;

	for (uint32_t word = warp_id(); word < 16 * Q; word += warps()) {
		const uint32_t at = 32 * word + lane;
		const uint64_t p = at < count ? patterns[at] : ~0ull;
		const uint32_t low = transpose_bits((uint32_t)p);
		const uint32_t high = transpose_bits((uint32_t)(p >> 32));

		rows[lane * 4 * PITCH_OF(Q) + word] = low;
		if (lane + 32 < NQ_I_SIEVE_DIAGONALS)
			rows[(lane + 32) * 4 * PITCH_OF(Q) + word] = high;
	}
}

/* For each slot a bit per pattern, set if they have no common diagonal. */
template <int Q>
static __device__ void make_table(const uint4 (*diagonals)[PITCH_OF(Q)], const shared_head *s,
	const uint32_t *queens, uint4 *table)
{
	for (uint32_t i = SLOTS * 4 * Q + threadIdx.x; i < s->slots * 4 * Q; i += blockDim.x) {
		const uint32_t quad = i % (4 * Q), q = queens[i / (4 * Q)];
		const uint4 v = or4(or4(diagonals[q & 255][quad], diagonals[q >> 8 & 255][quad]),
			or4(diagonals[q >> 16 & 255][quad], diagonals[q >> 24][quad]));

		table[i] = make_uint4(~v.x, ~v.y, ~v.z, ~v.w);
	}
}

#endif
