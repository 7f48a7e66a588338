#include "collide/core/sort.h"
#include "collide/core/order.h"

#include <inttypes.h>

/* Digits of numbers below `most`. */
static uint32_t digits_of(uint32_t most)
{
	uint32_t digits = 0;

	while (digits < 4 && most > UINT64_C(1) << digits * ORDER_BITS)
		digits++;
	return digits;
}

/* Sorts by 8 bits, from k->from to k->to, and exchanges these. */
static collide_status pass(collide_ctx *c, order_ctx *k)
{
	col_pair *to = k->to;
	collide_status st = COLLIDE_OK;
	int again = 1;

	while (again && st == COLLIDE_OK) { /* from the first job on, which the others need */
		again = 0;
		for (k->job = ORDER_COUNT; k->job <= ORDER_MOVE && !again && st == COLLIDE_OK;
			k->job++)
			st = collide_i_execute(c, COLLIDE_I_ORDER, k,
				k->job == ORDER_ROWS ? (uint32_t)ORDER_DIGITS : k->tiles, 0,
				&again);
	}
	k->to = (col_pair *)k->from;
	k->from = to;
	return st;
}

collide_status collide_i_sort(
	collide_ctx *c, col_pair *pair, uint64_t count, uint32_t most_a, uint32_t most_b)
{
	const uint32_t digits[2] = { digits_of(most_b), digits_of(most_a) };
	const uint64_t pair_bytes = (count * sizeof(*pair) + 127) / 128 * 128;
	const uint64_t tiles = (count + ORDER_TILE - 1) / ORDER_TILE;
	order_ctx k = { .from = pair, .n = (uint32_t)count, .tiles = (uint32_t)tiles };
	collide_status st;

	if (count < 2)
		return COLLIDE_OK;
	if (count > COLLIDE_I_SORT_MOST)
		return collide_i_fail(COLLIDE_ERR_UNSUPPORTED,
			"%" PRIu64 " pairs are too many to be sorted: at most %" PRIu32, count,
			COLLIDE_I_SORT_MOST);
	st = collide_i_grow(c, &c->sort, pair_bytes + (tiles + 1) * ORDER_DIGITS * sizeof(*k.row));
	if (st != COLLIDE_OK)
		return st;
	k.to = c->sort.memory;
	k.total = (uint32_t *)((unsigned char *)c->sort.memory + pair_bytes);
	k.row = k.total + ORDER_DIGITS;
	/* the first pass twice if their number is odd, so that the last one ends in `pair` */
	if ((digits[0] + digits[1]) % 2)
		st = pass(c, &k);
	for (k.by_a = 0; k.by_a < 2; k.by_a++)
		for (uint32_t d = 0; d < digits[k.by_a] && st == COLLIDE_OK; d++) {
			k.shift = d * ORDER_BITS;
			st = pass(c, &k);
		}
	return st;
}
