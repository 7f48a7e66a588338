/* A radix sort of pairs by a, then b, as an item program: for each 8 bits from the lowest of b to
 * the highest of a the jobs
 *	ORDER_COUNT	counts the digits of each tile
 *	ORDER_ROWS	replaces each digit's counts by the sums over the tiles before
 *	ORDER_MOVE	moves the pairs of each tile, in their order, to their places
 * An item of COUNT and MOVE is a tile, of ROWS a digit; a warp executes it. Compiled for CPU and
 * GPU. */
#ifndef COLLIDE_CORE_ORDER_H
#define COLLIDE_CORE_ORDER_H

#include "collide/bvh/group.h"
#include "collide/pairs/pairs.h"

enum { ORDER_COUNT, ORDER_ROWS, ORDER_MOVE };

enum { ORDER_TILE = 4096, ORDER_DIGITS = 256, ORDER_BITS = 8 };

typedef struct order_ctx {
	const col_pair *from;
	col_pair *to;
	uint32_t *row;   /* [digit][tiles] */
	uint32_t *total; /* [digit] */
	uint32_t n, tiles;
	uint32_t job, by_a, shift;
} order_ctx;

typedef struct order_item {
	uint32_t number;
} order_item;
LSCHED_DECLARE_ITEMS(order_items, order_item);

typedef struct order_local {
	uint32_t count[ORDER_DIGITS];
	lsched_group_room group;
} order_local;

LSCHED_FN uint32_t order_root(const order_ctx *c, uint32_t i, order_item *it)
{
	(void)c;
	it->number = i;
	return 0;
}

LSCHED_FN uint32_t order_digit(const order_ctx *c, const col_pair *p)
{
	return (c->by_a ? p->a : p->b) >> c->shift & (ORDER_DIGITS - 1u);
}

LSCHED_FN uint32_t order_tile_end(const order_ctx *c, uint32_t tile)
{
	const uint32_t begin = tile * ORDER_TILE, rest = c->n - begin;

	return begin + (rest < ORDER_TILE ? rest : (uint32_t)ORDER_TILE);
}

LSCHED_TASK_FN void order_count(order_items *x, const order_ctx *c, order_local *l, uint32_t tile)
{
	const uint32_t end = order_tile_end(c, tile);

	for (uint32_t d = lsched_thread(x); d < ORDER_DIGITS; d += lsched_threads(x))
		l->count[d] = 0;
	lsched_sync_worker();
	for (uint32_t i = tile * ORDER_TILE + lsched_thread(x); i < end; i += lsched_threads(x))
		(void)BVH_NEAR_ADD(&l->count[order_digit(c, &c->from[i])], 1u);
	lsched_sync_worker();
	for (uint32_t d = lsched_thread(x); d < ORDER_DIGITS; d += lsched_threads(x))
		c->row[(size_t)d * c->tiles + tile] = l->count[d];
	lsched_sync_worker(); /* the next item clears the counts */
}

LSCHED_TASK_FN void order_rows(order_items *x, const order_ctx *c, order_local *l, uint32_t digit)
{
	uint32_t *row = c->row + (size_t)digit * c->tiles;
	uint32_t sum = 0;

	for (uint32_t at = 0; at < c->tiles; at += lsched_threads(x)) {
		const uint32_t i = at + lsched_thread(x);
		uint32_t all;
		const uint32_t before =
			lsched_group_scan32(x, &l->group, i < c->tiles ? row[i] : 0, &all);

		if (i < c->tiles)
			row[i] = sum + before;
		sum += all;
	}
	if (lsched_thread(x) == 0)
		c->total[digit] = sum;
}

/* The first place of each digit of a tile. */
LSCHED_TASK_FN void order_places(order_items *x, const order_ctx *c, order_local *l, uint32_t tile)
{
	uint32_t sum = 0;

	for (uint32_t at = 0; at < ORDER_DIGITS; at += lsched_threads(x)) {
		const uint32_t d = at + lsched_thread(x);
		uint32_t all;
		const uint32_t before = lsched_group_scan32(x, &l->group, c->total[d], &all);

		l->count[d] = sum + before + c->row[(size_t)d * c->tiles + tile];
		sum += all;
	}
	lsched_sync_worker();
}

/* The lanes with this lane's digit, among the active ones. All lanes of a warp. */
LSCHED_TASK_FN lsched_lane_mask order_same(uint32_t digit, int active)
{
	lsched_lane_mask same = lsched_ballot(active);

	LSCHED_UNROLL
	for (uint32_t k = 0; k < ORDER_BITS; k++) {
		const lsched_lane_mask ones = lsched_ballot((int)(digit >> k & 1u));

		same &= digit >> k & 1u ? ones : ~ones;
	}
	return same;
}

LSCHED_TASK_FN void order_move(order_items *x, const order_ctx *c, order_local *l, uint32_t tile)
{
	const uint32_t begin = tile * ORDER_TILE, end = order_tile_end(c, tile);

	order_places(x, c, l, tile);
	for (uint32_t at = begin; at < end; at += lsched_threads(x)) {
		const uint32_t i = at + lsched_thread(x);
		const int active = i < end;
		const col_pair p = c->from[active ? i : begin];
		const uint32_t digit = order_digit(c, &p);
		const lsched_lane_mask same = order_same(digit, active);
		const uint32_t rank = lsched_popcount(same & bvh_below());
		const uint32_t first = l->count[digit];

		lsched_sync_worker(); /* all lanes have read */
		if (active) {
			c->to[first + rank] = p;
			if (rank == 0)
				l->count[digit] = first + lsched_popcount(same);
		}
		lsched_sync_worker();
	}
}

LSCHED_TASK_FN lsched_result order_body(
	order_items *x, const order_ctx *c, order_local *l, uint32_t proc, order_item it)
{
	(void)proc;
	if (c->job == ORDER_COUNT)
		order_count(x, c, l, it.number);
	else if (c->job == ORDER_ROWS)
		order_rows(x, c, l, it.number);
	else
		order_move(x, c, l, it.number);
	return LSCHED_DONE;
}

#endif

#ifdef COLLIDE_I_ORDER_PROGRAM
#undef COLLIDE_I_ORDER_PROGRAM
#define LSCHED_NAME       collide_i_order
#define LSCHED_CTX        order_ctx
#define LSCHED_ITEMS      order_items
#define LSCHED_ROOT       order_root
#define LSCHED_BODY       order_body
#define LSCHED_LOCAL      order_local
#define LSCHED_GRAIN      warp
#define LSCHED_MIN_BLOCKS 8
#include <libsched/generate_items.h>
#endif
