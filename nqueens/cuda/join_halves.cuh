/* Lists the eastern patterns and the western rows of an item in the block's private memory. */
#ifndef NQUEENS_CUDA_JOIN_HALVES_CUH
#define NQUEENS_CUDA_JOIN_HALVES_CUH

#include "nqueens/cuda/join_block.cuh"

/* A pair of placements whose loads are in flight. */
typedef struct pair {
	uint32_t ne, se, have;
} pair;

static __device__ __forceinline__ pair load_pair(
	const nq_i_join_lists *l, lists_of_split x, uint32_t i)
{
	/* exact: i is below 2^32 / na */
	const uint32_t k = x.na > 1 ? __umulhi(i, x.part) : i;
	pair p = { 0, 0, i < x.na * x.nb };

	if (p.have) {
		p.ne = l->packed[x.a + i - k * x.na];
		p.se = l->packed[x.b + k];
	}
	return p;
}

/* Appends the compatible pairs of a warp to the patterns. */
static __device__ void append_pairs(
	const nq_i_join_east *e, pair x, shared_head *s, const block_private *d)
{
	const uint32_t lane = lane_id();
	const uint32_t legal = x.have && !((x.ne & e->no_ne) | (x.se & e->no_se) |
						 (nq_i_upper(x.ne) & nq_i_lower(x.se)));
	const uint32_t found = __ballot_sync(0xffffffffu, legal);
	uint32_t to = 0;

	if (!found)
		return;
	if (lane == 0)
		to = atomicAdd(&s->patterns, __popc(found));
	to = __shfl_sync(0xffffffffu, to, 0);
	if (legal)
		d->patterns[to + __popc(found & ((1u << lane) - 1))] =
			make_uint2(x.ne | e->queen, x.se | e->queen);
}

/* Lists the compatible pairs of NE and SE placements of a cross. A warp starts the loads of the
 * next pairs before it tests the current ones. */
static __device__ void make_east(const nq_i_join_lists *l, const nq_i_join_east *e,
	const nq_i_join_item *item, shared_head *s, const block_private *d)
{
	const uint32_t size = __popc(item->north), lane = lane_id();
	const uint32_t splits = l->size_at[size + 1] - l->size_at[size];

	/* neighbouring splits have similar cost, so they go to different warps */
	for (uint32_t k = warp_id(); k < splits; k += 32 * warps()) {
		const lists_of_split mine = find_split(
			l, item->north, item->south, e->cols, k + lane * warps(), item->classes);
		uint32_t some = __ballot_sync(0xffffffffu, mine.na && mine.nb);
		pair now = { 0, 0, 0 };

		for (; some; some &= some - 1) {
			const lists_of_split x = from_lane(mine, __ffs(some) - 1);

			for (uint32_t i = 0; i < x.na * x.nb; i += 32) {
				const pair next = load_pair(l, x, i + lane);

				append_pairs(e, now, s, d);
				now = next;
			}
		}
		append_pairs(e, now, s, d);
	}
}

/* ---- the western rows ---- */

/* A row whose loads are in flight. */
typedef struct row {
	uint32_t packed, have;
	nq_i_choice choice;
} row;

static __device__ __forceinline__ row load_row(
	const nq_i_join_lists *l, uint32_t first, uint32_t count, uint32_t i)
{
	row r = { 0, i < count, { { 0 } } };

	if (r.have) {
		r.packed = l->packed[first + i];
		r.choice = l->choices[first + i];
	}
	return r;
}

/* Returns the position of a kept row among those of its warp. The order avoids bank conflicts: the
 * two rows of a pair have their entries of both parts in different halves of the banks where
 * possible, that is, 00 is paired with 11, and 01 with 10. */
static __device__ uint32_t bank_order(uint32_t kept, uint2 slots)
{
	const uint32_t lane = lane_id(), before = (1u << lane) - 1;
	const uint32_t x = __ballot_sync(0xffffffffu, slots.x >> 6 & 1);
	const uint32_t y = __ballot_sync(0xffffffffu, slots.y >> 6 & 1);
	const uint32_t same = kept & ~(x ^ y), other = kept & (x ^ y);
	const uint32_t n11 = __popc(same & x), n00 = __popc(same & ~x);
	const uint32_t n10 = __popc(other & x), n01 = __popc(other & ~x);
	const uint32_t same_pairs = min(n00, n11), other_pairs = min(n01, n10);
	const uint32_t mine_x = x >> lane & 1, is_same = same >> lane & 1;
	const uint32_t rank = __popc((is_same ? same : other) & (mine_x ? x : ~x) & before);

	if (rank < (is_same ? same_pairs : other_pairs))
		return (is_same ? 0 : 2 * same_pairs) + 2 * rank + mine_x;
	return rank + (is_same ? same_pairs + 2 * other_pairs : n00 + n11 + other_pairs);
}

/* Appends the allowed rows of a warp at index `at`; returns their number. role: 0: held, 1:
 * streamed. In every other table entry of 128 bytes the two halves are swapped, see bank_order. */
template <int Q>
static __device__ uint32_t append_row(row r, const shared_head *s, const block_private *d,
	uint32_t side, uint32_t role, uint32_t forbidden, uint32_t at)
{
	const uint32_t keep = r.have && !(r.packed & forbidden);
	const uint32_t kept = __ballot_sync(0xffffffffu, keep), on_main = r.packed >> NQ_I_ON_MAIN;
	uint32_t slot[NQ_I_PARTS_MAX], to;

#pragma unroll
	for (uint32_t k = 0; k < NQ_I_PARTS_MAX; k++) {
		slot[k] = k < s->parts[side] ? s->slot_at[side][k] + r.choice.entry[k]
					     : (uint32_t)SLOT_NONE;
		slot[k] = slot[k] * (64 * Q) + (Q == 2 ? slot[k] % 2 * 64 : 0);
	}
	to = at + bank_order(kept, make_uint2(slot[0], slot[1]));
	if (keep) {
		d->slots[to] = make_uint2(slot[0], slot[1]);
		if (s->wide)
			d->more[to] = make_uint2(slot[2], slot[3]);
		d->flags[to] = (side ? nq_i_lower(r.packed) : nq_i_upper(r.packed)) |
			       on_main << (role ? ON_MAIN_STREAMED : ON_MAIN_HELD);
	}
	return __popc(kept);
}

/* Appends padding rows, which have a common diagonal with every pattern, up to a multiple of pad.
 * Returns the number of rows after that. */
static __device__ uint32_t pad_rows(
	const shared_head *s, const block_private *d, uint32_t at, uint32_t n, uint32_t pad)
{
	const uint32_t end = (n + pad - 1) / pad * pad, i = at + n + lane_id();

	/* SLOT_ALL is at 0 */
	if (i < at + end) {
		d->slots[i] = make_uint2(SLOT_ALL, SLOT_ALL);
		if (s->wide)
			d->more[i] = make_uint2(SLOT_ALL, SLOT_ALL);
		d->flags[i] = 0;
	}
	return end;
}

/* Appends a list, whose first rows r are loaded already, padded to tiles of 8. Returns
 * the number of rows. */
template <int Q>
static __device__ uint32_t append_list(const nq_i_join_lists *l, row r, uint32_t first,
	uint32_t count, const shared_head *s, const block_private *d, uint32_t side, uint32_t role,
	uint32_t forbidden, uint32_t at)
{
	const uint32_t lane = lane_id();
	uint32_t n = append_row<Q>(r, s, d, side, role, forbidden, at);

	for (uint32_t i = 32; i < count; i += 32) {
		/* rows 2k and 2k + 1 remain a pair */
		n = pad_rows(s, d, at, n, 2);
		n += append_row<Q>(
			load_row(l, first, count, i + lane), s, d, side, role, forbidden, at + n);
	}
	return pad_rows(s, d, at, n, 8);
}

/* Appends the rows of a split and its pieces. The shorter list is held, because its rows are
 * computed once, while streamed rows are computed for each piece. */
template <int Q>
static __device__ void append_split(const nq_i_join_lists *l, const nq_i_join_line *c,
	lists_of_split x, row nw, row sw, shared_head *s, const block_private *d)
{
	const uint32_t lane = lane_id();
	const uint32_t room_a = (x.na + x.na / 32 + 7) & ~7u;
	const uint32_t room_b = (x.nb + x.nb / 32 + 7) & ~7u;
	const uint32_t swap = x.na > x.nb;
	uint32_t to = 0, na, nb, n, at = 0, big, held, streamed;

	if (lane == 0)
		to = atomicAdd(&s->rows, room_a + room_b);
	to = __shfl_sync(0xffffffffu, to, 0);
	na = append_list<Q>(l, nw, x.a, x.na, s, d, 0, swap, c->no_nw, to);
	nb = na ? append_list<Q>(l, sw, x.b, x.nb, s, d, 1, !swap, c->no_sw, to + room_a) : 0;
	if (!nb)
		return;
	held = (swap ? nb : na) / 8;
	streamed = (swap ? na : nb) / 8;
	n = (held + 2 * TILES - 1) / (2 * TILES);
	big = held * streamed >= BIG_PIECE;
	if (lane == 0)
		at = atomicAdd(big ? &s->big : &s->small, n);
	at = __shfl_sync(0xffffffffu, at, 0);
	for (uint32_t i = lane; i < n; i += 32) {
		const uint32_t left = held - i * 2 * TILES;

		d->pieces[big ? at + i : d->pieces_each - 1 - at - i] = piece_of(
			to + (swap ? room_a : 0) + i * 16 * TILES,
			left < 2 * TILES ? left : 2u * TILES, to + (swap ? 0 : room_a), streamed);
	}
}

/* Lists the western rows and pieces of an item. */
template <int Q>
static __device__ void make_west(const nq_i_join_lists *l, const nq_i_join_line *c,
	const nq_i_join_item *item, const uint32_t *rows, shared_head *s, const block_private *d)
{
	const uint32_t full = (1u << l->h) - 1, size = __popc(rows[0]), lane = lane_id();
	const uint32_t splits = l->size_at[size + 1] - l->size_at[size];

	for (uint32_t k = warp_id(); k < splits; k += 32 * warps()) {
		const lists_of_split mine =
			find_split(l, rows[0], rows[1], full, k + lane * warps(), 0);
		uint32_t some = __ballot_sync(0xffffffffu, mine.na && mine.nb);
		lists_of_split x = from_lane(mine, some ? __ffs(some) - 1 : 0);
		row nw = load_row(l, x.a, x.na, lane), sw = load_row(l, x.b, x.nb, lane);

		while (some) {
			const lists_of_split now = x;
			const row now_nw = nw, now_sw = sw;

			some &= some - 1;
			x = from_lane(mine, some ? __ffs(some) - 1 : 0);
			if (some) {
				nw = load_row(l, x.a, x.na, lane);
				sw = load_row(l, x.b, x.nb, lane);
			}
			append_split<Q>(l, c, now, now_nw, now_sw, s, d);
		}
	}
}

#endif
