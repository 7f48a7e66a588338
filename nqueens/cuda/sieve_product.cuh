/* Products of NW rows and SW rows over the patterns of a chunk; the table of their look-ups. */
#ifndef NQUEENS_CUDA_SIEVE_PRODUCT_CUH
#define NQUEENS_CUDA_SIEVE_PRODUCT_CUH

#include "nqueens/cuda/sieve_block.cuh"

static __device__ __forceinline__ uint4 or4(uint4 a, uint4 b)
{
	return make_uint4(a.x | b.x, a.y | b.y, a.z | b.z, a.w | b.w);
}

static __device__ __forceinline__ uint4 and4(uint4 a, uint4 b)
{
	return make_uint4(a.x & b.x, a.y & b.y, a.z & b.z, a.w & b.w);
}

/* ---- the table ---- */

/* Transposes the diagonals of a chunk's patterns into rows of bits, 32 patterns per warp at once.
 * The last chunk is filled up with patterns of ones, which have a common diagonal with every row,
 * because every queen has a q. */
template <int Q>
static __device__ void make_diagonals(
	uint4 (*diagonals)[4 * Q], const uint64_t *patterns, uint32_t count)
{
	const uint32_t lane = lane_id();
	uint32_t *rows = (uint32_t *)diagonals;

	for (uint32_t word = warp_id(); word < 16 * Q; word += warps()) {
		const uint32_t at = 32 * word + lane;
		const uint64_t p = at < count ? patterns[at] : ~0ull;

#pragma unroll
		for (uint32_t k = 0; k < NQ_I_SIEVE_DIAGONALS; k++) {
			const uint32_t row = __ballot_sync(0xffffffffu, p >> k & 1);

			if (lane == k % 32)
				rows[k * (16 * Q) + word] = row;
		}
	}
}

/* Writes the diagonals of the queens of each slot; once per job. */
static __device__ void make_queens(
	const nq_i_sieve_lists *l, const shared_head *s, uint32_t *queens)
{
	for (uint32_t side = 0; side < 2; side++)
		for (uint32_t k = 0; k < s->parts[side]; k++) {
			const uint32_t part = s->part_rows[side][k];
			const nq_i_sieve_entry *e = l->entries + l->part_at[part];

			for (uint32_t i = threadIdx.x; i < l->part_count[part]; i += blockDim.x)
				queens[s->slot_at[side][k] + i] = side ? e[i].sw : e[i].nw;
		}
}

/* For each slot a bit per pattern, set if they have no common diagonal. */
template <int Q>
static __device__ void make_table(
	const uint4 (*diagonals)[4 * Q], const shared_head *s, const uint32_t *queens, uint4 *table)
{
	for (uint32_t i = SLOTS * 4 * Q + threadIdx.x; i < s->slots * 4 * Q; i += blockDim.x) {
		const uint32_t quad = i % (4 * Q), q = queens[i / (4 * Q)];
		const uint4 v = or4(or4(diagonals[q & 255][quad], diagonals[q >> 8 & 255][quad]),
			or4(diagonals[q >> 16 & 255][quad], diagonals[q >> 24][quad]));

		table[i] = make_uint4(~v.x, ~v.y, ~v.z, ~v.w);
	}
}

/* ---- rows ---- */

/* Computes this lane's bits of a row: the patterns without a common diagonal. table: offset by the
 * lane. Entries of 128 bytes (Q = 2) occupy all banks: lanes of odd rows read the halves in the
 * other order, so that the two rows that are read together use different banks. */
template <int LOOKUPS, int Q>
static __device__ __forceinline__ void compatible(
	uint4 *v, const uint4 *table, uint2 slots, uint2 more, uint32_t odd)
{
	const uint32_t at[8] = { slots.x & 0xffff, slots.x >> 16, slots.y & 0xffff, slots.y >> 16,
		more.x & 0xffff, more.x >> 16, more.y & 0xffff, more.y >> 16 };

#pragma unroll
	for (uint32_t q = 0; q < Q; q++) {
		const uint4 *half = table + (Q == 2 ? (q * 4) ^ (odd * 4) : 0);

		v[q] = half[at[0]];
#pragma unroll
		for (uint32_t k = 1; k < LOOKUPS; k++)
			v[q] = and4(v[q], half[at[k]]);
	}
	if (Q == 2) {
		const uint4 a = v[0], b = v[Q - 1];

		v[0] = odd ? b : a;
		v[Q - 1] = odd ? a : b;
	}
}

static __device__ __forceinline__ void multiply(
	uint32_t *d, uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t b0, uint32_t b1)
{
#if __CUDA_ARCH__ >= 800
	asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
	    "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
		: "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
		: "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
#else
	/* nq_i_sieve_counter_shape refuses such devices */
	__trap();
#endif
}

/* Rows of bits that a warp holds, and what the sum of their products needs. */
template <int Q, int T> struct held_rows {
	uint4 bits[T][2][Q];
	uint32_t upper[T][2], factor[T][2];
};

template <int LOOKUPS, int Q, int T>
static __device__ __forceinline__ void hold(held_rows<Q, T> *h, const block_memory *m,
	const uint4 *table, uint4 piece, uint32_t classes)
{
	const uint32_t g = lane_id() / 4;
	const uint2 none = { 0, 0 };

#pragma unroll
	for (uint32_t i = 0; i < T; i++)
#pragma unroll
		for (uint32_t k = 0; k < 2; k++) {
			const uint32_t tile = 2 * i + k, row = piece.x + tile * 8 + g;

			if (tile >= piece.y) {
				/* the piece has fewer tiles */
#pragma unroll
				for (uint32_t q = 0; q < Q; q++)
					h->bits[i][k][q] = make_uint4(0, 0, 0, 0);
				h->upper[i][k] = h->factor[i][k] = 0;
				continue;
			}
			compatible<LOOKUPS, Q>(h->bits[i][k], table, m->slots[row],
				LOOKUPS > 4 ? m->more[row] : none, g % 2);
			h->upper[i][k] = m->flags[row];
			h->factor[i][k] = !classes                             ? 1
					  : h->upper[i][k] >> ON_MAIN_HELD & 1 ? 2
									       : 0x10001;
		}
}

/* Adds the weighted sums of columns 2t and 2t + 1 to *sum, those without a main diagonal to
 * *off_main. */
static __device__ __forceinline__ void add_by_class(
	uint32_t x, uint32_t y, uint2 lower, int32_t *sum, int32_t *off_main)
{
	const int on_main_x = (int32_t)lower.x < 0, on_main_y = (int32_t)lower.y < 0;

	*sum += (int32_t)((x & 0xffff) << on_main_x) + (int32_t)((y & 0xffff) << on_main_y);
	if (!on_main_x)
		*off_main += (int32_t)(x >> 16);
	if (!on_main_y)
		*off_main += (int32_t)(y >> 16);
}

/* Lane 4g + t has the products of rows g, g + 8 and columns 2t, 2t + 1. The sum over a column has
 * two 16-bit halves: the lower one weights rows by 1 or 2, the upper one by 1 (rows without
 * ON_MAIN) or 0. Neither can overflow, because a lane has at most 8 rows; nor can the sums of
 * SEGMENT tiles. */
template <int LOOKUPS, int Q, int T>
static __device__ int32_t count_piece(
	const block_memory *m, const uint4 *table, uint4 piece, uint32_t classes, int32_t neither)
{
	const uint32_t g = lane_id() / 4, t = lane_id() % 4;
	const uint2 *slots = m->slots + piece.z + g, *more = m->more + piece.z + g;
	const uint2 *flags = (const uint2 *)(m->flags + piece.z) + t;
	held_rows<Q, T> h;
	uint2 next_slots = slots[0], next_more = { 0, 0 }, next_flags = flags[0];
	int32_t sum = 0, off_main = 0;

	if (LOOKUPS > 4)
		next_more = more[0];
	hold<LOOKUPS, Q, T>(&h, m, table + t, piece, classes);
	for (uint32_t n = 0; n < piece.w; n++) {
		const uint32_t next = n + 1 < piece.w ? n + 1 : n;
		const uint2 lower = next_flags;
		uint32_t c[T][4] = {}, x = 0, y = 0;
		uint4 b[Q];

		compatible<LOOKUPS, Q>(b, table + t, next_slots, next_more, g % 2);
		next_slots = slots[next * 8];
		if (LOOKUPS > 4)
			next_more = more[next * 8];
		next_flags = flags[next * 4];
#pragma unroll
		for (uint32_t q = 0; q < Q; q++) {
#pragma unroll
			for (uint32_t i = 0; i < T; i++)
				multiply(c[i], h.bits[i][0][q].x, h.bits[i][1][q].x,
					h.bits[i][0][q].y, h.bits[i][1][q].y, b[q].x, b[q].y);
#pragma unroll
			for (uint32_t i = 0; i < T; i++)
				multiply(c[i], h.bits[i][0][q].z, h.bits[i][1][q].z,
					h.bits[i][0][q].w, h.bits[i][1][q].w, b[q].z, b[q].w);
		}
#pragma unroll
		for (uint32_t i = 0; i < T; i++) {
			if (!(h.upper[i][0] & lower.x))
				x += c[i][0] * h.factor[i][0];
			if (!(h.upper[i][0] & lower.y))
				y += c[i][1] * h.factor[i][0];
			if (!(h.upper[i][1] & lower.x))
				x += c[i][2] * h.factor[i][1];
			if (!(h.upper[i][1] & lower.y))
				y += c[i][3] * h.factor[i][1];
		}
		if (classes)
			add_by_class(x, y, lower, &sum, &off_main);
		else
			sum += (int32_t)(x + y);
	}
	return sum + off_main * (neither - 1);
}

template <int LOOKUPS, int Q, int TILES>
static __device__ int32_t count_any(
	const block_memory *m, const uint4 *table, uint4 piece, uint32_t classes, int32_t neither)
{
	if (piece.y <= 2)
		return count_piece<LOOKUPS, Q, 1>(m, table, piece, classes, neither);
	if (TILES == 2 || piece.y <= 4)
		return count_piece<LOOKUPS, Q, 2>(m, table, piece, classes, neither);
	return count_piece<LOOKUPS, Q, TILES>(m, table, piece, classes, neither);
}

/* Counts the pieces of a chunk that this warp fetches. */
template <int Q, int TILES>
static __device__ int64_t count_chunk(const block_memory *m, const uint4 *table, shared_head *s)
{
	const uint32_t big = s->big, all = big + s->small, lookups = s->lookups;
	const uint32_t classes = s->work.item.classes;
	const int32_t neither = s->work.item.neither;
	int64_t sum = 0;

	for (;;) {
		uint32_t k = 0;
		uint4 piece;

		if (lane_id() == 0)
			k = atomicAdd(&s->next_piece, 1u);
		k = __shfl_sync(0xffffffffu, k, 0);
		if (k >= all)
			return sum;
		piece = m->pieces[k < big ? k : m->pieces_each - 1 - (k - big)];
		sum += lookups <= 3   ? count_any<3, Q, TILES>(m, table, piece, classes, neither)
		       : lookups <= 4 ? count_any<4, Q, TILES>(m, table, piece, classes, neither)
				      : count_any<8, Q, TILES>(m, table, piece, classes, neither);
	}
}

#endif
