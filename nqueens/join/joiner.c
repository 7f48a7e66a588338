/* Counts a unit of the join: eastern patterns and western placements for each set of rows. */
#include "nqueens/join/joiner.h"
#include "nqueens/core/board.h"
#include "nqueens/join/sieve.h"

static uint32_t bit_of(uint32_t field, uint32_t k)
{
	return 1u << (field + k - 1);
}

nq_i_join_cross nq_i_join_cross_of(const nq_i_join *t, uint32_t i)
{
	const uint32_t full = nq_i_full(t->h), x = t->x[i], y = t->y[i];
	nq_i_join_cross c = { full, full, t->h, 0, 0, 0, 0 };

	if (x == 0) {
		/* even n, or a queen in the centre, whose diagonals the callers exclude */
		return c;
	}
	c.east_cols &= ~(1u << (x - 1));
	c.south_rows &= ~(1u << (y - 1));
	c.queens_east = t->h - 1;
	/* D1 = x, y and D2 = x, -y are occupied; in SW and NW their signs are inverted */
	c.no_ne = bit_of(NQ_I_HIGH, x) | bit_of(NQ_I_HIGH, y) | bit_of(NQ_I_FAR, x);
	c.no_se = bit_of(NQ_I_FAR, x) | bit_of(NQ_I_FAR, y) | bit_of(NQ_I_HIGH, x) |
		  bit_of(NQ_I_LOW, y);
	c.no_sw = bit_of(NQ_I_LOW, x) | bit_of(NQ_I_LOW, y) | bit_of(NQ_I_FAR, y);
	c.no_nw = bit_of(NQ_I_LOW, x) | bit_of(NQ_I_HIGH, y);
	return c;
}

/* ---- northern quarters ---- */

/* Returns whether no item of the unit has these columns in NE, or in SW. */
static int is_early(const nq_i_joiner *j, uint32_t cols)
{
	return nq_i_place_of(j->t->order, cols) < j->least;
}

/* Collects the NE placements for each split of the eastern columns, as patterns. off_main: only
 * those without a queen on a main diagonal. */
static void collect_ne(nq_i_joiner *j, const nq_i_join_cross *c, uint32_t north, int off_main)
{
	const uint32_t size = (uint32_t)__builtin_popcount(north);
	uint32_t n = 0;

	j->east_count = 0;
	for (uint32_t i = j->t->size_at[size]; i < j->t->size_at[size + 1]; i++) {
		const uint32_t cols = j->t->sets[i];
		const nq_i_list l = nq_i_join_list(j->t, north, cols);
		const uint32_t count = off_main ? l.off_main : l.count, first = n;
		nq_i_split *split = &j->east_splits[j->east_count];

		if ((cols & ~c->east_cols) || is_early(j, cols))
			continue;
		for (uint32_t k = 0; k < count; k++) {
			j->ne[n] = nq_i_as_ne(l.at[k]);
			n += !(l.at[k] & c->no_ne);
		}
		split->first = first;
		split->count = n - first;
		split->other_cols = c->east_cols & ~cols;
		j->east_count += n > first;
	}
}

/* Collects the NW placements likewise, as placements. */
static void collect_nw(nq_i_joiner *j, const nq_i_join_cross *c, uint32_t north, int off_main)
{
	const uint32_t size = (uint32_t)__builtin_popcount(north);
	uint32_t n = 0;

	j->west_count = 0;
	for (uint32_t i = j->t->size_at[size]; i < j->t->size_at[size + 1]; i++) {
		const uint32_t cols = j->t->sets[i];
		const nq_i_list l = nq_i_join_list(j->t, north, cols);
		const uint32_t count = off_main ? l.off_main : l.count, first = n;
		nq_i_split *split = &j->west_splits[j->west_count];

		if (is_early(j, nq_i_full(j->t->h) & ~cols))
			continue;
		for (uint32_t k = 0; k < count; k++) {
			j->nw[n] = l.at[k];
			n += !(l.at[k] & c->no_nw);
		}
		split->first = first;
		split->count = n - first;
		split->other_cols = nq_i_full(j->t->h) & ~cols;
		j->west_count += n > first;
	}
}

/* ---- halves ---- */

/* Returns whether the item has patterns of a split. */
static int is_of_item(const nq_i_joiner *j, const nq_i_join_cross *c, const nq_i_split *s)
{
	return !j->item || nq_i_image_east(j->t->order, j->item, nq_i_full(j->t->h),
				   c->east_cols & ~s->other_cols, s->other_cols, j->ahead);
}

/* Lists the compatible pairs (NE, SE) as patterns. */
static void make_east(nq_i_joiner *j, const nq_i_join_cross *c, uint32_t south, int off_main)
{
	uint64_t *to = j->east;

	for (uint32_t i = 0; i < j->east_count; i++) {
		const nq_i_split *s = &j->east_splits[i];
		const nq_i_list se = nq_i_join_list(j->t, south, s->other_cols);

		if (!is_of_item(j, c, s))
			continue;
		to = j->patterns(to, j->ne + s->first, s->count, se.at,
			off_main ? se.off_main : se.count, c->no_se);
	}
	j->pattern_count = (size_t)(to - j->east);
}

/* Copies the allowed SW placements of a list to j->sw + at, and their number to *k. */
static void collect_sw(nq_i_joiner *j, const nq_i_join_cross *c, nq_i_list l, int off_main,
	uint32_t at, nq_i_corner *k)
{
	const uint32_t count = off_main ? l.off_main : l.count;
	uint32_t n = at;

	k->lower = j->lower + at;
	k->sw_off_main = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (i == l.off_main)
			k->sw_off_main = n - at;
		j->sw[n] = l.at[i];
		j->lower[n] = nq_i_lower(l.at[i]);
		n += !(l.at[i] & c->no_sw);
	}
	k->sw_count = n - at;
	/* with queens on the middle lines all pairs have the same weight and form one class */
	if (count <= l.off_main || c->no_sw || j->item)
		k->sw_off_main = k->sw_count;
	k->by_main = !j->item;
}

/* Returns the first class of a split's pairs, or NQ_I_CLASSES: they are omitted. Pairs of an item
 * have classes by weight. */
static uint32_t class_of(const nq_i_joiner *j, const nq_i_split *s)
{
	uint32_t class = 0, weight;

	if (!j->item)
		return 0;
	weight = nq_i_image_weight(j->t->order, j->item, nq_i_full(j->t->h), s->other_cols);
	while (class < NQ_I_CLASSES && (!weight || j->weights[class] != weight))
		class ++;
	return class;
}

/* Lists the compatible pairs (NW, SW) by class. first_class 1: omits those without a main diagonal;
 * off_main: lists only these. */
static void make_west(nq_i_joiner *j, const nq_i_join_cross *c, uint32_t south,
	uint32_t first_class, int off_main)
{
	nq_i_batch now = { 0, 0, { 0, 0, 0 } };
	/* pair_up() of the last class reads the output of one more */
	nq_i_pair *to[NQ_I_CLASSES + 1] = { j->pairs[0], j->pairs[1], j->pairs[2], NULL };
	uint32_t nw_begin = 0, sw_begin = 0;

	j->batch_count = 0;
	for (uint32_t i = 0; i < j->west_count; i++) {
		const nq_i_split *s = &j->west_splits[i];
		const uint32_t first = class_of(j, s);
		nq_i_corner k;

		now.nw_end = s->first + s->count;
		if (first < NQ_I_CLASSES) {
			collect_sw(j, c, nq_i_join_list(j->t, south, s->other_cols), off_main,
				now.sw_end, &k);
			k.nw = j->nw + s->first;
			k.nw_count = s->count;
			k.nw_place = s->first - nw_begin;
			k.sw_place = now.sw_end - sw_begin;
			k.first_class = first_class;
			j->pair_up(to + first, &k);
			now.sw_end += k.sw_count;
		}
		if (now.nw_end - nw_begin < NQ_I_BATCH && now.sw_end - sw_begin < NQ_I_BATCH &&
			i + 1 < j->west_count)
			continue;
		for (uint32_t class = 0; class < NQ_I_CLASSES; class ++)
			now.pairs_end[class] = (uint32_t)(to[class] - j->pairs[class]);
		j->batches[j->batch_count++] = now;
		nw_begin = now.nw_end;
		sw_begin = now.sw_end;
	}
}

/* Counts the pairs of halves for one set of rows, by class. */
static void count_rows(nq_i_joiner *j, uint64_t hits[NQ_I_CLASSES])
{
	for (uint32_t k = 0; k < NQ_I_CLASSES; k++)
		hits[k] = 0;
	for (size_t i = 0; i < j->pattern_count; i += j->block_patterns) {
		const size_t left = j->pattern_count - i;

		j->block(j, j->east + i,
			left < j->block_patterns ? (uint32_t)left : j->block_patterns, hits);
	}
}

/* Counts a unit of even n, or with a queen in the centre: join.h, "Symmetry". */
static uint64_t whole_symmetry(nq_i_joiner *j, const nq_i_join_cross *c, uint32_t north)
{
	const uint32_t h = j->t->h, full = nq_i_full(h), other_north = full & ~north;
	const uint32_t size = h - (uint32_t)__builtin_popcount(north);
	const int centre = j->t->n % 2 != 0;
	uint64_t sum = 0, hits[NQ_I_CLASSES];

	collect_ne(j, c, north, 1);
	collect_nw(j, c, other_north, centre);
	/* the reflection swaps north and south, whose rows are both numbered from the centre */
	for (uint32_t i = j->t->size_at[size]; i < j->t->size_at[size + 1]; i++) {
		const uint32_t south = j->t->sets[i], other_south = full & ~south;
		const uint32_t low = other_north < other_south ? other_north : other_south;
		const uint32_t high = other_north < other_south ? other_south : other_north;
		const uint64_t images = south == north ? 1 : 2;
		const int is_self = low == north && high == south;
		const int is_first = north < low || (north == low && south <= high);

		if (south < north || (centre && !is_first))
			continue;
		if (j->stop && __atomic_load_n(j->stop, __ATOMIC_RELAXED))
			return 0;
		make_east(j, c, south, 1);
		make_west(j, c, other_south, is_first ? 0 : 1, centre);
		count_rows(j, hits);
		sum += images * ((is_self ? 1 : 2) * hits[0] + 2 * hits[1] + 4 * hits[2]);
	}
	return sum;
}

/* Counts a unit with queens on the middle lines. */
static uint64_t no_symmetry(nq_i_joiner *j, const nq_i_join_cross *c, uint32_t north)
{
	const uint32_t full = nq_i_full(j->t->h);
	uint32_t size = (uint32_t)__builtin_popcount(north);
	uint64_t sum = 0, hits[NQ_I_CLASSES];

	if (size > c->queens_east)
		return 0;
	size = c->queens_east - size;
	collect_ne(j, c, north, 0);
	collect_nw(j, c, full & ~north, 0);
	for (uint32_t i = j->t->size_at[size]; i < j->t->size_at[size + 1]; i++) {
		const uint32_t south = j->t->sets[i];

		if (south & ~c->south_rows)
			continue;
		if (j->stop && __atomic_load_n(j->stop, __ATOMIC_RELAXED))
			return 0;
		make_east(j, c, south, 0);
		make_west(j, c, c->south_rows & ~south, 0, 0);
		count_rows(j, hits);
		sum += hits[0] + hits[1] + hits[2];
	}
	/* the symmetry class of the queens on the middle lines has size 8 */
	return 8 * sum;
}

/* Counts the items of a unit of boards that images.h chooses, for a cross. */
static uint64_t chosen_images(
	nq_i_joiner *j, const nq_i_join_cross *c, uint32_t cross, const nq_unit *u)
{
	const nq_i_join *t = j->t;
	const uint32_t full = nq_i_full(t->h), items = nq_i_join_items(t, u, 0, j->items);
	const int centre = t->n % 2 && !t->x[cross];
	uint64_t sum = 0, hits[NQ_I_CLASSES];

	j->ahead = nq_i_sieve_east_of(t, cross).ahead;
	j->least = t->x[cross] ? 0 : nq_i_place_of(t->order, u->count);
	collect_ne(j, c, u->count, centre);
	collect_nw(j, c, full & ~u->count, centre);
	for (uint32_t i = 0; i < items; i++) {
		j->item = &j->items[i];
		j->weights[0] = j->item->weight;
		j->weights[1] = j->item->same;
		j->weights[2] = j->item->opposite;
		if (j->stop && __atomic_load_n(j->stop, __ATOMIC_RELAXED))
			return 0;
		make_east(j, c, j->item->south, centre);
		make_west(j, c, c->south_rows & ~(uint32_t)j->item->south, 0, centre);
		count_rows(j, hits);
		for (uint32_t k = 0; k < NQ_I_CLASSES; k++)
			sum += j->weights[k] * hits[k];
	}
	return sum;
}

uint64_t nq_i_join_unit(nq_i_joiner *j, const nq_unit *u)
{
	const nq_i_join *t = j->t;
	const uint32_t line = nq_i_join_line_of(t, u);
	uint64_t sum = 0;

	for (uint32_t i = t->line_at[line]; i < t->line_at[line + 1]; i++) {
		const nq_i_join_cross c = nq_i_join_cross_of(t, i);

		sum += t->by_images ? chosen_images(j, &c, i, u)
		       : t->x[i]    ? no_symmetry(j, &c, u->count)
				    : whole_symmetry(j, &c, u->count);
	}
	return sum;
}
