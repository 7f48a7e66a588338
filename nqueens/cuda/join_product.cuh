/* Products of NW rows and SW rows over the patterns of a chunk. */
#ifndef NQUEENS_CUDA_JOIN_PRODUCT_CUH
#define NQUEENS_CUDA_JOIN_PRODUCT_CUH

#include "nqueens/cuda/join_block.cuh"

/* Computes this lane's bits of a row: the patterns without a common diagonal. table:
 * offset by the lane. */
template <int LOOKUPS, int Q>
static __device__ __forceinline__ void compatible(
	uint4 *v, const char *table, uint2 slots, uint2 more)
{
#pragma unroll
	for (uint32_t q = 0; q < Q; q++) {
		v[q] = and4(*(const uint4 *)(table + (slots.x ^ q * 64)),
			*(const uint4 *)(table + (slots.y ^ q * 64)));
		if (LOOKUPS > 2)
			v[q] = and4(v[q], and4(*(const uint4 *)(table + (more.x ^ q * 64)),
						  *(const uint4 *)(table + (more.y ^ q * 64))));
	}
}

/* The streamed rows; the loads of the next tile are in flight. */
template <int LOOKUPS, int Q> struct streamed_rows {
	const uint2 *slots, *more, *flags; /* of this lane */
	uint2 next_slots, next_more, next_lower;
};

template <int LOOKUPS, int Q>
static __device__ __forceinline__ void fetch(streamed_rows<LOOKUPS, Q> *x, uint32_t tile)
{
	x->next_slots = x->slots[tile * 8];
	if (LOOKUPS > 2)
		x->next_more = x->more[tile * 8];
	x->next_lower = x->flags[tile * 4];
}

/* Returns the sums of columns 2t and 2t + 1 with the weighted products of two rows added, except
 * those of a row and a column that have a common flag. */
static __device__ __forceinline__ uint2 add_products(uint2 sums, const uint32_t c[4],
	const uint32_t upper[2], const uint32_t factor[2], uint2 lower)
{
	if (!(upper[0] & lower.x))
		sums.x += c[0] * factor[0];
	if (!(upper[0] & lower.y))
		sums.y += c[1] * factor[0];
	if (!(upper[1] & lower.x))
		sums.x += c[2] * factor[1];
	if (!(upper[1] & lower.y))
		sums.y += c[3] * factor[1];
	return sums;
}

/* Lane 4g + t has the products of rows g, g + 8 and columns 2t, 2t + 1. The sum over a column has
 * two 16-bit halves: the lower one weights rows by 1 or 2, the upper one by 1 (rows without
 * ON_MAIN) or 0. Neither can overflow, because a lane has at most 4 rows. */
template <int LOOKUPS, int Q, int T>
static __device__ int32_t count_piece(
	const block_private *d, const char *table, uint4 piece, uint32_t classes, int32_t neither)
{
	const uint32_t g = lane_id() / 4, t = lane_id() % 4;
	const char *mine = table + t * 16;
	streamed_rows<LOOKUPS, Q> streamed = { d->slots + piece.z + g, d->more + piece.z + g,
		(const uint2 *)(d->flags + piece.z) + t, { 0, 0 }, { 0, 0 }, { 0, 0 } };
	uint4 a[T][2][Q];
	uint32_t upper[T][2], factor[T][2];
	int32_t sum = 0, off_main = 0;

	fetch(&streamed, 0);
#pragma unroll
	for (uint32_t m = 0; m < T; m++)
#pragma unroll
		for (uint32_t k = 0; k < 2; k++) {
			const uint32_t row = piece.x + m * 16 + k * 8 + g;
			const uint2 none = { 0, 0 };

			if (k && m == T - 1 && piece.y % 2) {
				/* the tile has 8 rows only */
#pragma unroll
				for (uint32_t q = 0; q < Q; q++)
					a[m][k][q] = make_uint4(0, 0, 0, 0);
				upper[m][k] = factor[m][k] = 0;
				continue;
			}
			compatible<LOOKUPS, Q>(
				a[m][k], mine, d->slots[row], LOOKUPS > 2 ? d->more[row] : none);
			upper[m][k] = d->flags[row];
			factor[m][k] = !classes ? 1 : upper[m][k] >> ON_MAIN_HELD & 1 ? 2 : 0x10001;
		}
	for (uint32_t n = 0; n < piece.w; n++) {
		const uint2 lower = streamed.next_lower;
		uint32_t c[T][4] = {};
		uint2 sums = { 0, 0 };
		uint4 b[Q];

		compatible<LOOKUPS, Q>(b, mine, streamed.next_slots, streamed.next_more);
		fetch(&streamed, n + 1 < piece.w ? n + 1 : n);
#pragma unroll
		for (uint32_t q = 0; q < Q; q++) {
#pragma unroll
			for (uint32_t m = 0; m < T; m++)
				multiply(c[m], a[m][0][q].x, a[m][1][q].x, a[m][0][q].y,
					a[m][1][q].y, b[q].x, b[q].y);
#pragma unroll
			for (uint32_t m = 0; m < T; m++)
				multiply(c[m], a[m][0][q].z, a[m][1][q].z, a[m][0][q].w,
					a[m][1][q].w, b[q].z, b[q].w);
		}
#pragma unroll
		for (uint32_t m = 0; m < T; m++)
			sums = add_products(sums, c[m], upper[m], factor[m], lower);
		if (classes)
			add_by_class(sums.x, sums.y, lower, &sum, &off_main);
		else
			sum += (int32_t)(sums.x + sums.y);
	}
	return sum + off_main * (neither - 1);
}

template <int LOOKUPS, int Q>
static __device__ int32_t count_any(
	const block_private *d, const char *table, uint4 piece, uint32_t classes, int32_t neither)
{
	if (piece.y <= 2)
		return count_piece<LOOKUPS, Q, 1>(d, table, piece, classes, neither);
	return count_piece<LOOKUPS, Q, 2>(d, table, piece, classes, neither);
}

template <int Q>
static __device__ int64_t count_chunk(
	const block_private *d, const char *table, shared_head *s, const nq_i_join_item *item)
{
	const uint32_t big = s->big, all = big + s->small;
	const int wide = s->wide != 0;
	int64_t sum = 0;

	for (;;) {
		uint32_t k = 0;
		uint4 piece;

		if (lane_id() == 0)
			k = atomicAdd(&s->next_piece, 1);
		k = __shfl_sync(0xffffffffu, k, 0);
		if (k >= all)
			return sum;
		piece = d->pieces[k < big ? k : d->pieces_each - 1 - (k - big)];
		sum += wide ? count_any<4, Q>(d, table, piece, item->classes, item->neither)
			    : count_any<2, Q>(d, table, piece, item->classes, item->neither);
	}
}

#endif
