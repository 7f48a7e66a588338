/* The table of a chunk in shared memory: for each slot a bit per pattern, set if they have no
 * common diagonal. */
#ifndef NQUEENS_CUDA_JOIN_TABLE_CUH
#define NQUEENS_CUDA_JOIN_TABLE_CUH

#include "nqueens/cuda/join_block.cuh"

/* Transposes the diagonals of a chunk's patterns into rows of bits, 32 patterns per warp at once.
 * The last chunk is filled up with patterns of ones, which have a common diagonal with every row,
 * because every queen has a q. */
template <int Q>
static __device__ void make_diagonals(
	chunk<Q> *c, const block_private *d, uint32_t from, uint32_t end)
{
	const uint32_t lane = lane_id();
	uint32_t *rows = (uint32_t *)c->diagonals;

	for (uint32_t word = warp_id(); word < 16 * Q; word += warps()) {
		const uint32_t at = from + 32 * word + lane;
		const uint2 x = at < end ? d->patterns[at] : make_uint2(~0u, ~0u);
		const uint64_t p = nq_i_as_ne(x.x) | nq_i_as_se(x.y);

#pragma unroll
		for (uint32_t k = 0; k < DIAGONALS; k++) {
			const uint32_t row = __ballot_sync(0xffffffffu, p >> k & 1);

			if (lane == k % 32)
				rows[k * (16 * Q) + word] = row;
		}
	}
}

/* Returns the rows of bits of the diagonals D1 and D2 of a western queen. */
static __device__ uint2 rows_of(const nq_i_join_lists *l, uint32_t side, uint32_t u, uint32_t v)
{
	const uint32_t far = l->gap + u + v;
	const uint32_t none = far > l->field;

	if (side == 0)
		return make_uint2(none ? (uint32_t)ZERO_ROW : NQ_I_D1_LOW + far - 1,
			u == v  ? (uint32_t)NQ_I_D2_MAIN
			: u > v ? NQ_I_D2_HIGH + (u - v) - 1
				: NQ_I_D2_LOW + (v - u) - 1);
	return make_uint2(none ? (uint32_t)ZERO_ROW : NQ_I_D2_LOW + far - 1,
		u == v  ? (uint32_t)NQ_I_D1_MAIN
		: u > v ? NQ_I_D1_HIGH + (u - v) - 1
			: NQ_I_D1_LOW + (v - u) - 1);
}

/* For each square of the western quarters: the patterns with a queen on one of its diagonals. */
template <int Q>
static __device__ void make_squares(const nq_i_join_lists *l, chunk<Q> *c, const uint32_t *rows)
{
	for (uint32_t i = threadIdx.x; i < 2 * SQUARES * 4 * Q; i += blockDim.x) {
		const uint32_t quad = i % (4 * Q), square = i / (4 * Q), side = square >= SQUARES;
		const uint32_t u = (square - side * SQUARES) / NQ_I_PART_HALF_MAX;
		const uint32_t v = (square - side * SQUARES) % NQ_I_PART_HALF_MAX;
		uint2 r;

		if (u >= l->h || v >= l->h || !(rows[side] >> u & 1))
			continue;
		r = rows_of(l, side, u, v);
		c->squares[square][quad] = or4(c->diagonals[r.x][quad], c->diagonals[r.y][quad]);
	}
}

/* Writes the queens of each slot; once per item. */
static __device__ void make_queens(const nq_i_join_lists *l, const shared_head *s, uint32_t *queens)
{
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t k = 0; k < s->parts[side]; k++) {
			const uint32_t part = s->part_rows[side][k];
			const nq_i_entry *e = l->entries + l->part_at[part];

			for (uint32_t i = threadIdx.x; i < l->part_count[part]; i += blockDim.x)
				queens[s->slot_at[side][k] + i] =
					e[i].squares + side * SQUARES * 0x010101u;
		}
}

/* Fills the table from the squares of each slot's queens. */
template <int Q>
static __device__ void make_table(
	const chunk<Q> *c, const shared_head *s, const uint32_t *queens, uint4 *table)
{
	for (uint32_t i = SLOTS * 4 * Q + threadIdx.x; i < s->slots * 4 * Q; i += blockDim.x) {
		const uint32_t slot = i / (4 * Q), quad = i % (4 * Q), q = queens[slot];
		const uint4 v = or4(or4(c->squares[q & 255][quad], c->squares[q >> 8 & 255][quad]),
			c->squares[q >> 16 & 255][quad]);

		table[Q == 2 ? i ^ slot % 2 * 4 : i] = make_uint4(~v.x, ~v.y, ~v.z, ~v.w);
	}
}

#endif
