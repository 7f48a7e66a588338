/* Which of the eight images of a board the join of sorted patterns counts.
 *
 * An item and a split of the columns fix the sets of rows and columns of all quarters. In terms of
 * u and v of join.h let X and X' be the rows and columns of NE, Y and Y' those of SW; SE has the
 * rows not in Y and the columns not in X', NW the rows not in X and the columns not in Y'. The
 * images of a board permute these sets and their complements; as many boards have the sets (X, X',
 * Y, Y') as have those of each image. So it is enough to count boards of one of these, and to count
 * it 8 times, and the choice is free. It decides the cost, because the numbers of eastern patterns
 * and western placements differ.
 *
 * No queen on the middle lines, or one in the centre. Sets have an order. X is the first one of the
 * eight sets: NE and SW, which have as many queens, have not more than NW and SE, and all of X', Y,
 * Y', and their complements if they have as many elements, are later in the order than X. Each of
 * these conditions depends on the item alone, on its eastern patterns or on a split of its western
 * columns. So the patterns of an item that have earlier columns in NE, and western placements with
 * earlier columns in SW, are omitted. On average an eighth of all pairs remains; in this order,
 * where X has rows near the centre, half of that. Sets that are equal to X or its complement have
 * weights that add up to 8 for the images of a board; patterns with such an X' are an item of their
 * own.
 *
 * Queens (0, x) and (y, 0) on the middle lines, x and y positive, x != y. Reflections move them
 * into the south-eastern quarter; the reflection at the diagonal through it exchanges x and y, and
 * the rows and columns of SE. Counted are the boards whose queens in SE and on its border are
 * nearer to the horizontal middle line than to the vertical one, in total, where those on its
 * border count half; if they are as near, those with y < x.
 *
 * This is text for both languages. */
#ifndef NQUEENS_JOIN_IMAGES_H
#define NQUEENS_JOIN_IMAGES_H

#include <libsched/fn.h>
#include "nqueens/join/items.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Eastern patterns of an item: by X', or by SE and the queens of the middle lines. */
enum {
	NQ_I_EAST_ALL,     /* boards chosen as join.h explains */
	NQ_I_EAST_CROSS,   /* queens on the middle lines */
	NQ_I_EAST_LATER,   /* X' and its complement are later than X */
	NQ_I_EAST_SAME,    /* X' = X */
	NQ_I_EAST_OPPOSITE /* X' is the complement of X */
};

/* An entry of nq_i_join.order: the place of the earlier one of a set and, if it has as many
 * elements, its complement; above it the sum of the set's elements. */
enum { NQ_I_ORDER_BITS = 24 };

LSCHED_FN uint32_t nq_i_place_of(const uint32_t *order, uint32_t set)
{
	return order[set] & ((1u << NQ_I_ORDER_BITS) - 1);
}

LSCHED_FN int32_t nq_i_sum_of(const uint32_t *order, uint32_t set)
{
	return (int32_t)(order[set] >> NQ_I_ORDER_BITS);
}

/* Returns whether the set is not later than its complement, or they have places of their own. */
LSCHED_FN int nq_i_owns_place(const uint32_t *order, uint32_t set)
{
	return (nq_i_place_of(order, set) & ((1u << NQ_I_JOIN_HALF_MAX) - 1)) == set;
}

/* Returns nonzero if patterns with these columns in NE and SE are those of the item; ahead: of
 * their cross (nq_i_sieve_east). full: all columns of a quarter. */
LSCHED_FN int nq_i_image_east(const uint32_t *order, const nq_i_join_item *item, uint32_t full,
	uint32_t ne_cols, uint32_t se_cols, int32_t ahead)
{
	switch (item->east) {
	case NQ_I_EAST_CROSS:
		return nq_i_sum_of(order, se_cols) >= nq_i_sum_of(order, item->south) + ahead;
	case NQ_I_EAST_LATER:
		return nq_i_place_of(order, ne_cols) > nq_i_place_of(order, item->north);
	case NQ_I_EAST_SAME:
		return ne_cols == item->north;
	case NQ_I_EAST_OPPOSITE:
		return ne_cols == (full & ~item->north);
	default:
		return 1;
	}
}

/* Returns the set that Y' must not precede: X, or Y if X' = X, when a reflection exchanges Y and Y'
 * alone. */
LSCHED_FN uint32_t nq_i_image_first(const nq_i_join_item *item, uint32_t full)
{
	return item->east == NQ_I_EAST_SAME ? full & ~item->south : item->north;
}

/* Returns the weight of western pairs with these columns in SW; 0: they are omitted. */
LSCHED_FN uint32_t nq_i_image_weight(
	const uint32_t *order, const nq_i_join_item *item, uint32_t full, uint32_t sw_cols)
{
	const uint32_t least = nq_i_place_of(order, nq_i_image_first(item, full));
	const uint32_t place = nq_i_place_of(order, sw_cols);

	if (item->east < NQ_I_EAST_LATER || place > least)
		return item->weight;
	return place < least ? 0 : sw_cols == item->north ? item->same : item->opposite;
}

#ifdef __cplusplus
}
#endif
#endif
