/* Products of NW rows and SW rows over the patterns of a chunk. */
#ifndef NQUEENS_CUDA_SIEVE_PRODUCT_CUH
#define NQUEENS_CUDA_SIEVE_PRODUCT_CUH

#include "nqueens/cuda/sieve_block.cuh"

/* ---- rows ---- */

/* A row of a group before it is in a stage. */
typedef struct staged_row {
	uint2 row;
	uint32_t more;
} staged_row;

/* Reads this lane's row of 32 from `first` on; wide: rows have more than four parts. */
static __device__ __forceinline__ staged_row read_row(
	const block_memory *m, uint32_t first, int valid, int wide)
{
	staged_row x = { { 0, 0 }, 0 };

	if (valid) {
		x.row = m->rows[first + lane_id()];
		if (wide)
			x.more = m->more[first + lane_id()];
	}
	return x;
}

/* Adds the offsets of a part's first entries to those of two bytes of `choice`. */
static __device__ __forceinline__ uint32_t offsets_of(
	uint32_t choice, uint32_t bytes, uint32_t quads, uint32_t base)
{
	return __byte_perm(choice, 0, bytes) * quads + base;
}

/* Puts the rows of a warp's lanes into its stage; all lanes. quads: of a slot. */
static __device__ __forceinline__ void put_row(
	stage *to, staged_row x, int valid, int wide, uint4 base, uint32_t quads)
{
	const uint32_t lane = lane_id();

	__syncwarp();
	to->slots[lane] = valid ? make_uint2(offsets_of(x.row.x, 0x4140, quads, base.x),
					  offsets_of(x.row.x, 0x4342, quads, base.y))
				: make_uint2(0, 0);
	if (wide)
		to->more[lane] = valid ? make_uint2(offsets_of(x.more, 0x4140, quads, base.z),
						 offsets_of(x.more, 0x4342, quads, base.w))
				       : make_uint2(0, 0);
	to->flags[lane] = x.row.y;
	__syncwarp();
}

/* Computes this lane's bits of a row: the patterns without a common diagonal. table: offset by the
 * lane. Entries of 128 bytes (Q = 2) occupy all banks: lanes of odd rows read the halves in the
 * other order, so that the two rows that are read together use different banks. lookups: of the
 * row, at most LOOKUPS. */
template <int LOOKUPS, int Q>
static __device__ __forceinline__ void compatible(
	uint4 *v, const uint4 *table, uint2 slots, uint2 more, uint32_t odd, uint32_t lookups)
{
	const uint32_t at[8] = { slots.x & 0xffff, slots.x >> 16, slots.y & 0xffff, slots.y >> 16,
		more.x & 0xffff, more.x >> 16, more.y & 0xffff, more.y >> 16 };

#pragma unroll
	for (uint32_t q = 0; q < Q; q++) {
		const uint4 *half = table + (Q == 2 ? (q * 4) ^ (odd * 4) : 0);

		v[q] = half[at[0]];
#pragma unroll
		for (uint32_t k = 1; k < LOOKUPS; k++)
			if (k < lookups)
				v[q] = and4(v[q], half[at[k]]);
	}
	if (Q == 2) {
		const uint4 a = v[0], b = v[Q - 1];

		v[0] = odd ? b : a;
		v[Q - 1] = odd ? a : b;
	}
}

/* Rows of bits that a warp holds, and what the sum of their products needs. */
template <int Q, int T> struct held_rows {
	uint4 bits[T][2][Q];
	uint32_t upper[T][2], factor[T][2];
};

/* Computes the held rows of a piece from a stage, 32 at once; lookups: of a row. */
template <int Q, int T>
static __device__ __forceinline__ void hold(held_rows<Q, T> *h, const shared_head *s, stage *st,
	const uint4 *table, uint4 piece, uint32_t side)
{
	const uint32_t lookups = s->lookups[side], classes = s->work.item.classes;
	const uint32_t g = lane_id() / 4;
	const uint2 none = { 0, 0 };

#pragma unroll
	for (uint32_t i = 0; i < T; i++)
#pragma unroll
		for (uint32_t k = 0; k < 2; k++) {
			const uint32_t tile = (2 * i + k) * 8, at = tile % 32 + g;
			uint32_t flags;

			if (tile % 32 == 0) {
				const int valid = tile + lane_id() < piece.y;

				put_row(st,
					read_row(&s->memory, piece.x + tile, valid, lookups > 4),
					valid, lookups > 4, s->bases[side], 4 * Q);
			}
			if (tile >= piece.y) {
				/* the piece has fewer tiles */
#pragma unroll
				for (uint32_t q = 0; q < Q; q++)
					h->bits[i][k][q] = make_uint4(0, 0, 0, 0);
				h->upper[i][k] = h->factor[i][k] = 0;
				continue;
			}
			compatible<4, Q>(h->bits[i][k], table, st->slots[at], none, g % 2, lookups);
			if (lookups > 4) {
				uint4 more[Q];

				compatible<4, Q>(
					more, table, st->more[at], none, g % 2, lookups - 4);
#pragma unroll
				for (uint32_t q = 0; q < Q; q++)
					h->bits[i][k][q] = and4(h->bits[i][k][q], more[q]);
			}
			flags = st->flags[at];
			h->upper[i][k] = flags & ~(1u << ON_MAIN);
			h->factor[i][k] = !classes ? 1 : flags >> ON_MAIN ? 2 : 0x10001;
		}
}

/* Adds the products of the held rows and a tile of rows b: lane 4g + t has those of rows g, g + 8
 * and columns 2t, 2t + 1. The sum over a column has two 16-bit halves: the lower one weights rows
 * by 1 or 2, the upper one by 1 (rows without ON_MAIN) or 0. Neither can overflow, because a lane
 * has at most 8 rows; nor can the sums of SEGMENT tiles. */
template <int Q, int T>
static __device__ __forceinline__ void add_tile(const held_rows<Q, T> *h, const uint4 *b,
	uint2 lower, uint32_t classes, int32_t *sum, int32_t *off_main)
{
	uint32_t c[T][4] = {}, x = 0, y = 0;

#pragma unroll
	for (uint32_t q = 0; q < Q; q++) {
#pragma unroll
		for (uint32_t i = 0; i < T; i++)
			multiply(c[i], h->bits[i][0][q].x, h->bits[i][1][q].x, h->bits[i][0][q].y,
				h->bits[i][1][q].y, b[q].x, b[q].y);
#pragma unroll
		for (uint32_t i = 0; i < T; i++)
			multiply(c[i], h->bits[i][0][q].z, h->bits[i][1][q].z, h->bits[i][0][q].w,
				h->bits[i][1][q].w, b[q].z, b[q].w);
	}
#pragma unroll
	for (uint32_t i = 0; i < T; i++) {
		if (!(h->upper[i][0] & lower.x))
			x += c[i][0] * h->factor[i][0];
		if (!(h->upper[i][0] & lower.y))
			y += c[i][1] * h->factor[i][0];
		if (!(h->upper[i][1] & lower.x))
			x += c[i][2] * h->factor[i][1];
		if (!(h->upper[i][1] & lower.y))
			y += c[i][3] * h->factor[i][1];
	}
	if (classes)
		add_by_class(x, y, lower, sum, off_main);
	else
		*sum += (int32_t)(x + y);
}

/* Returns the side of the held rows of a piece of this kind: the bits of its number of held rows
 * from WEIGHT_AT on. */
static __device__ __forceinline__ uint32_t side_of(uint32_t kind)
{
	return kind >> (HELD_SIDE_BIT - WEIGHT_AT);
}

/* LOOKUPS: at least those of a streamed row. */
template <int LOOKUPS, int Q, int T>
static __device__ int32_t count_piece(
	const shared_head *s, stage *st, const uint4 *table, uint4 piece, uint32_t kind)
{
	const uint32_t g = lane_id() / 4, t = lane_id() % 4, classes = s->work.item.classes;
	const uint2 none = { 0, 0 };
	held_rows<Q, T> h;
	int valid = lane_id() < piece.w;
	staged_row next = read_row(&s->memory, piece.z, valid, LOOKUPS > 4);
	int32_t sum = 0, off_main = 0;

	hold<Q, T>(&h, s, st, table + t, piece, side_of(kind));
	for (uint32_t at = 0; at < piece.w; at += 32) {
		const uint32_t tiles = min((piece.w - at + 7) / 8, 4u);

		put_row(st, next, valid, LOOKUPS > 4, s->bases[!side_of(kind)], 4 * Q);
		valid = at + 32 + lane_id() < piece.w;
		next = read_row(&s->memory, piece.z + at + 32, valid, LOOKUPS > 4);
		for (uint32_t n = 0; n < tiles; n++) {
			const uint32_t row = 8 * n + g;
			uint4 b[Q];

			compatible<LOOKUPS, Q>(b, table + t, st->slots[row],
				LOOKUPS > 4 ? st->more[row] : none, g % 2, LOOKUPS);
			add_tile<Q, T>(&h, b, ((const uint2 *)st->flags)[4 * n + t], classes, &sum,
				&off_main);
		}
	}
	return sum + off_main * ((int32_t)s->work.item.neither - 1);
}

template <int LOOKUPS, int Q, int TILES>
static __device__ int32_t count_any(
	const shared_head *s, stage *st, const uint4 *table, uint4 piece, uint32_t kind)
{
	if (piece.y <= 16)
		return count_piece<LOOKUPS, Q, 1>(s, st, table, piece, kind);
	if (TILES == 2 || piece.y <= 32)
		return count_piece<LOOKUPS, Q, 2>(s, st, table, piece, kind);
	return count_piece<LOOKUPS, Q, TILES>(s, st, table, piece, kind);
}

/* Reads the next piece of a chunk, a word by each lane of four; 0 if there is none. */
static __device__ __forceinline__ uint32_t next_piece(shared_head *s, uint32_t group)
{
	const uint32_t each = s->memory.pieces_each, k = fetch(&s->next_piece, 1);
	const uint32_t big = s->big[group], at = k < big ? k : each - 1 - (k - big);

	if (k >= big + s->small[group])
		return 0;
	return ((const uint32_t *)(s->memory.pieces + group * each + at))[lane_id() % 4];
}

static __device__ __forceinline__ uint4 piece_of(uint32_t word)
{
	return make_uint4(__shfl_sync(ALL_LANES, word, 0), __shfl_sync(ALL_LANES, word, 1),
		__shfl_sync(ALL_LANES, word, 2), __shfl_sync(ALL_LANES, word, 3));
}

/* Counts the pieces of a chunk that this warp fetches, those of one of the groups that were
 * selected at once; table_at: place of the table in shared_memory. The next piece is read before
 * one is counted. */
template <int Q, int TILES>
static __device__ __noinline__ int64_t count_chunk(uint32_t table_at, uint32_t group)
{
	shared_head *s = head();
	const uint4 *table = shared_memory + table_at;
	stage *st = &s->stages[warp_id()];
	uint32_t next = next_piece(s, group);
	int64_t sum = 0;

	for (;;) {
		uint4 piece = piece_of(next);
		/* one register for the side and the weight */
		const uint32_t kind = piece.y >> WEIGHT_AT;
		const uint32_t streamed = s->lookups[!side_of(kind)];

		piece.y &= (1u << WEIGHT_AT) - 1;
		if (!piece.y)
			return sum;
		next = next_piece(s, group);
#define COUNT(lookups) count_any<lookups, Q, TILES>(s, st, table, piece, kind)
		const int32_t one = streamed <= 2   ? COUNT(2)
				    : streamed <= 3 ? COUNT(3)
				    : streamed <= 4 ? COUNT(4)
						    : COUNT(8);
		sum += (int64_t)one * (kind & ((1u << WEIGHT_BITS) - 1));
#undef COUNT
	}
}

#endif
