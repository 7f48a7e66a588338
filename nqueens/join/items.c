/* Items of units: items.h. They are the sets of southern rows that joiner.c iterates over. */
#include "nqueens/join/items.h"
#include "nqueens/core/board.h"
#include "nqueens/join/images.h"
#include "nqueens/join/sieve.h"

static uint32_t with_symmetry(
	const nq_i_join *t, uint32_t part, nq_i_join_item item, nq_i_join_item *to)
{
	const uint32_t north = item.north, parts = nq_i_join_part_count(t, north);
	const uint32_t full = nq_i_full(t->h), other_north = full & ~north;
	const uint32_t size = t->h - (uint32_t)__builtin_popcount(north);
	uint32_t n = 0;

	for (uint32_t i = t->size_at[size] + part; i < t->size_at[size + 1]; i += parts) {
		const uint32_t south = t->sets[i], other_south = full & ~south;
		const uint32_t low = other_north < other_south ? other_north : other_south;
		const uint32_t high = other_north < other_south ? other_south : other_north;
		const int is_self = low == north && high == south;
		const int is_first = north < low || (north == low && south <= high);

		if (south < north || (t->n % 2 && !is_first))
			continue;
		item.south = (uint16_t)south;
		item.weight = south == north ? 1 : 2;
		item.neither = is_self ? 1 : is_first ? 2 : 0;
		to[n++] = item;
	}
	return n;
}

/* How two sets of as many elements are related. */
enum { OTHERS, EQUAL, OPPOSITES };

/* The weights of western pairs by the relation of X and Y of images.h, then by that of Y' and X (of
 * Y' and Y if X' = X and Y is another set): those of the images of a board add up to 8. */
static const uint8_t later[3][3] = { { 8, 4, 8 }, { 4, 8, 8 }, { 4, 4, 4 } };
static const uint8_t same[3][3] = { { 8, 4, 4 }, { 0, 2, 8 }, { 8, 0, 4 } };
static const uint8_t opposite[3] = { 0, 0, 2 }; /* X = Y */

static nq_i_join_item item_with(nq_i_join_item item, uint8_t east, const uint8_t weights[3])
{
	item.east = east;
	item.weight = weights[OTHERS];
	item.same = weights[EQUAL];
	item.opposite = weights[OPPOSITES];
	return item;
}

/* The items of line 0 by images.h. */
static uint32_t with_images(
	const nq_i_join *t, uint32_t part, nq_i_join_item item, nq_i_join_item *to)
{
	const uint32_t north = item.north, parts = nq_i_join_part_count(t, north);
	const uint32_t full = nq_i_full(t->h), size = (uint32_t)__builtin_popcount(north);
	const uint32_t place = nq_i_place_of(t->order, north);
	uint32_t n = 0;

	if (!nq_i_join_has_items(t, 0, north))
		return 0;
	for (uint32_t i = t->size_at[size] + part; i < t->size_at[size + 1]; i += parts) {
		const uint32_t y = t->sets[i];
		const uint32_t relation = y == north             ? EQUAL
					  : y == (full & ~north) ? OPPOSITES
								 : OTHERS;

		if (nq_i_place_of(t->order, y) < place)
			continue;
		item.south = (uint16_t)(full & ~y);
		to[n++] = item_with(item, NQ_I_EAST_LATER, later[relation]);
		to[n++] = item_with(item, NQ_I_EAST_SAME, same[relation]);
		if (relation == EQUAL && 2 * size == t->h)
			to[n++] = item_with(item, NQ_I_EAST_OPPOSITE, opposite);
	}
	return n;
}

int nq_i_join_has_items(const nq_i_join *t, uint32_t line, uint32_t north)
{
	const uint32_t size = (uint32_t)__builtin_popcount(north);

	if (!t->by_images)
		return 1;
	if (line)
		return size < t->h;
	return 2 * size <= t->h && nq_i_owns_place(t->order, north);
}

uint32_t nq_i_join_items(const nq_i_join *t, const nq_unit *u, uint32_t slot, nq_i_join_item *to)
{
	const uint32_t line = nq_i_join_line_of(t, u), part = nq_i_join_part_of(t, u);
	const nq_i_sieve_line west = nq_i_sieve_line_of(t, line);
	const uint32_t parts = nq_i_join_part_count(t, u->count);
	const uint32_t north = u->count, queens_east = line ? t->h - 1 : t->h;
	uint32_t size = (uint32_t)__builtin_popcount(north), n = 0;
	nq_i_join_item item = { slot, (uint16_t)north, 0, (uint8_t)line, 8, 0, 1,
		t->by_images ? NQ_I_EAST_CROSS : NQ_I_EAST_ALL, 0, 0 };

	if (line == 0 && t->by_images)
		return with_images(t, part, item, to);
	if (line == 0) {
		item.classes = 1;
		return with_symmetry(t, part, item, to);
	}
	if (size > queens_east)
		return 0;
	size = queens_east - size;
	for (uint32_t i = t->size_at[size] + part; i < t->size_at[size + 1]; i += parts) {
		if (t->sets[i] & ~west.south_rows)
			continue;
		item.south = (uint16_t)t->sets[i];
		to[n++] = item;
	}
	return n;
}

uint32_t nq_i_join_items_max(const nq_i_join *t)
{
	uint32_t most = 0;

	for (uint32_t k = 0; k <= t->h; k++)
		if (t->size_at[k + 1] - t->size_at[k] > most)
			most = t->size_at[k + 1] - t->size_at[k];
	return 2 * most + 1;
}
