/* The subtree of at most BVH_SMALL primitives by one CPU thread: their order by the centres of each
 * axis is found once, and divided with the ranges. Part of the specification of the tree. */
#ifndef COLLIDE_BVH_SERIAL_SMALL_H
#define COLLIDE_BVH_SERIAL_SMALL_H

#include "collide/bvh/bins.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A record as eight halves; those of the number take part in unions, but are not used. */
typedef uint16_t bvh_v8 __attribute__((vector_size(16)));

static inline bvh_v8 bvh_serial_load(const bvh_record *r)
{
	bvh_v8 v;

	memcpy(&v, r, sizeof(v));
	return v;
}

static inline bvh_v8 bvh_serial_max(bvh_v8 a, bvh_v8 b)
{
#ifdef __SSE2__ /* which has no maximum of unsigned halves */
	return (bvh_v8)_mm_add_epi16((__m128i)b, _mm_subs_epu16((__m128i)a, (__m128i)b));
#else
	const bvh_v8 first = (bvh_v8)(a > b);

	return (a & first) | (b & ~first);
#endif
}

static inline uint64_t bvh_serial_area(bvh_v8 v)
{
	uint32_t w[4];

	memcpy(w, &v, sizeof(w));
	return bvh_area(w);
}

/* Records by their places in the array, for each axis in the order of the centres. */
typedef struct bvh_serial_sorted {
	const bvh_ctx *c;
	const bvh_record *record;
	uint32_t first; /* position of the first one */
	uint16_t centre[3][BVH_SMALL], order[3][BVH_SMALL];
	uint8_t left[BVH_SMALL];
} bvh_serial_sorted;

/* Moves the records to both sides, in the order of each axis; s->left is set. */
static inline void bvh_serial_divide(bvh_serial_sorted *s, uint32_t begin, uint32_t n)
{
	for (uint32_t axis = 0; axis < 3; axis++) {
		uint16_t *order = s->order[axis] + begin, rest[BVH_SMALL];
		uint32_t a = 0, b = 0;

		for (uint32_t i = 0; i < n; i++) {
			const uint16_t v = order[i];

			order[a] = v;
			rest[b] = v;
			a += s->left[v];
			b += !s->left[v];
		}
		memcpy(order + a, rest, b * sizeof(*rest));
	}
}

/* Those of an axis before position `left` go left. */
static inline void bvh_serial_mark(
	bvh_serial_sorted *s, uint32_t axis, uint32_t begin, uint32_t n, uint32_t left)
{
	const uint16_t *order = s->order[axis] + begin;

	for (uint32_t i = 0; i < n; i++)
		s->left[order[i]] = i < left;
}

/* ---- up to BVH_SWEEP primitives ---- */

static inline bvh_box bvh_serial_leaf(
	const bvh_serial_sorted *s, uint32_t begin, uint32_t n, uint32_t link)
{
	uint32_t number[BVH_MAX_LEAF] = { 0 };
	bvh_box box;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t v = s->record[s->order[0][begin + i]].number;
		uint32_t k = i;

		for (; k && v < number[k - 1]; k--)
			number[k] = number[k - 1];
		number[k] = v;
	}
	bvh_make_leaf(s->c, s->first + begin, n, link, number, &box);
	return box;
}

/* Finds the best plane of begin .. begin + n - 1. *area: of all. */
static inline uint64_t bvh_serial_sweep_plane(
	const bvh_serial_sorted *s, uint32_t begin, uint32_t n, int even, uint64_t *area)
{
	uint64_t best = BVH_NO_COST;

	for (uint32_t axis = 0; axis < 3; axis++) {
		const uint16_t *order = s->order[axis] + begin;
		uint64_t right[BVH_SWEEP];
		bvh_v8 box = bvh_serial_load(&s->record[order[n - 1]]);

		for (uint32_t i = n - 1; i > 0; i--) {
			box = bvh_serial_max(box, bvh_serial_load(&s->record[order[i]]));
			right[i] = bvh_serial_area(box);
		}
		box = bvh_serial_load(&s->record[order[0]]);
		for (uint32_t i = 1; i < n; i++) {
			const uint32_t most = i > n - i ? i : n - i;
			const uint64_t cost =
				even ? most : bvh_serial_area(box) * i + right[i] * (n - i);
			const uint64_t key = bvh_plane_key(cost, i, n - i, axis, i);

			best = key < best ? key : best;
			box = bvh_serial_max(box, bvh_serial_load(&s->record[order[i]]));
		}
		*area = bvh_serial_area(box);
	}
	return best;
}

static inline bvh_box bvh_serial_sweep(
	bvh_serial_sorted *s, uint32_t begin, uint32_t n, uint32_t depth, uint32_t link)
{
	const int even = depth >= BVH_EVEN_DEPTH;
	uint64_t area;
	const uint64_t key = bvh_serial_sweep_plane(s, begin, n, even, &area);
	const uint32_t left = bvh_key_part(key), position = s->first + begin + left;
	bvh_node *node = &s->c->node[position];
	bvh_box box;

	if (bvh_is_leaf(s->c, n, area, bvh_key_cost(key), even))
		return bvh_serial_leaf(s, begin, n, link);
	bvh_serial_mark(s, bvh_key_axis(key), begin, n, left);
	bvh_serial_divide(s, begin, n);
	bvh_make_node(s->c, position, link);
	link = position << 1;
	node->box[0] = bvh_serial_sweep(s, begin, left, depth + 1, link);
	node->box[1] = bvh_serial_sweep(s, begin + left, n - left, depth + 1, link | 1);
	box = node->box[0];
	bvh_box_extend(&box, &node->box[1]);
	return box;
}

/* Sorts records with equal centres by their numbers. */
static inline void bvh_serial_order_equal(bvh_serial_sorted *s, uint32_t begin, uint32_t n)
{
	for (uint32_t axis = 0; axis < 3; axis++) {
		uint16_t *order = s->order[axis] + begin;

		for (uint32_t i = 1; i < n; i++) {
			const uint16_t v = order[i];
			uint32_t k = i;

			for (; k && s->centre[axis][order[k - 1]] == s->centre[axis][v] &&
				s->record[order[k - 1]].number > s->record[v].number;
				k--)
				order[k] = order[k - 1];
			order[k] = v;
		}
	}
}

/* ---- up to BVH_SMALL primitives ---- */

/* The planes of an axis, one of each part. */
typedef struct bvh_serial_planes {
	bvh_v8 low[BVH_PARTS], high[BVH_PARTS]; /* of a part: left and right of its plane */
	uint32_t left[BVH_PARTS];               /* of all left of it; 0: a part has none */
	uint32_t parts;
} bvh_serial_planes;

static inline void bvh_serial_parts(
	const bvh_serial_sorted *s, uint32_t axis, uint32_t begin, uint32_t n, bvh_serial_planes *p)
{
	const uint16_t *order = s->order[axis] + begin, *centre = s->centre[axis];
	const uint32_t size = bvh_part_size(n);
	uint32_t was = centre[order[0]], i = 0;

	for (p->parts = 0; i < n; p->parts++) {
		const uint32_t end = n - i < size ? n : i + size;
		bvh_v8 low = { 0 }, high = { 0 };

		for (; i < end && centre[order[i]] == was; i++)
			low = bvh_serial_max(low, bvh_serial_load(&s->record[order[i]]));
		p->left[p->parts] = i < end ? i : 0;
		for (; i < end; i++)
			high = bvh_serial_max(high, bvh_serial_load(&s->record[order[i]]));
		was = centre[order[end - 1]];
		p->low[p->parts] = low;
		p->high[p->parts] = high;
	}
}

/* Finds the best plane of begin .. begin + n - 1; *left: of all left of it. */
static inline uint64_t bvh_serial_sorted_plane(
	const bvh_serial_sorted *s, uint32_t begin, uint32_t n, int even, uint32_t *left)
{
	uint64_t best = BVH_NO_COST;

	for (uint32_t axis = 0; axis < 3; axis++) {
		bvh_v8 all = { 0 };
		uint64_t right[BVH_PARTS];
		bvh_serial_planes p;

		bvh_serial_parts(s, axis, begin, n, &p);
		for (uint32_t k = p.parts; k-- > 0;) {
			all = bvh_serial_max(all, p.high[k]);
			right[k] = bvh_serial_area(all);
			all = bvh_serial_max(all, p.low[k]);
		}
		all = p.low[0];
		for (uint32_t k = 0; k < p.parts; k++) {
			const uint32_t i = p.left[k], most = i > n - i ? i : n - i;

			all = bvh_serial_max(all, p.low[k]);
			if (i) {
				const uint64_t cost =
					even ? most : bvh_serial_area(all) * i + right[k] * (n - i);
				const uint64_t key = bvh_plane_key(cost, i, n - i, axis, k);

				*left = key < best ? i : *left;
				best = key < best ? key : best;
			}
			all = bvh_serial_max(all, p.high[k]);
		}
	}
	return best;
}

/* All centres are equal: the lower half of the numbers goes left. Returns how many. */
static inline uint32_t bvh_serial_mark_numbers(bvh_serial_sorted *s, uint32_t begin, uint32_t n)
{
	const uint16_t *order = s->order[0] + begin;
	uint32_t least = ~0u, most = 0, left = 0, at;

	for (uint32_t i = 0; i < n; i++) {
		const uint32_t v = s->record[order[i]].number;

		least = v < least ? v : least;
		most = v > most ? v : most;
	}
	at = bvh_number_middle(least, most - least + 1);
	for (uint32_t i = 0; i < n; i++) {
		s->left[order[i]] = s->record[order[i]].number < at;
		left += s->left[order[i]];
	}
	return left;
}

static inline bvh_box bvh_serial_sorted_range(
	bvh_serial_sorted *s, uint32_t begin, uint32_t n, uint32_t depth, uint32_t link)
{
	uint32_t left = 0, position;
	uint64_t key;
	bvh_node *node;
	bvh_box box;

	if (n <= BVH_SWEEP) {
		bvh_serial_order_equal(s, begin, n);
		return bvh_serial_sweep(s, begin, n, depth, link);
	}
	key = bvh_serial_sorted_plane(s, begin, n, depth >= BVH_EVEN_DEPTH, &left);
	if (key == BVH_NO_COST)
		left = bvh_serial_mark_numbers(s, begin, n);
	else
		bvh_serial_mark(s, bvh_key_axis(key), begin, n, left);
	bvh_serial_divide(s, begin, n);
	position = s->first + begin + left;
	bvh_make_node(s->c, position, link);
	node = &s->c->node[position];
	link = position << 1;
	node->box[0] = bvh_serial_sorted_range(s, begin, left, depth + 1, link);
	node->box[1] = bvh_serial_sorted_range(s, begin + left, n - left, depth + 1, link | 1);
	box = node->box[0];
	bvh_box_extend(&box, &node->box[1]);
	return box;
}

/* Sorts by the lower or the upper byte of the centres; keeps the order of equal ones. */
static inline void bvh_serial_by_byte(
	const uint16_t *centre, const uint16_t *from, uint16_t *to, uint32_t n, uint32_t shift)
{
	uint16_t at[257] = { 0 };

	for (uint32_t i = 0; i < n; i++)
		at[(centre[i] >> shift & 255u) + 1]++;
	for (uint32_t b = 1; b < 256; b++)
		at[b] = (uint16_t)(at[b] + at[b - 1]);
	for (uint32_t i = 0; i < n; i++)
		to[at[centre[from[i]] >> shift & 255u]++] = from[i];
}

/* Makes the subtree of n records. Returns its box. */
static inline bvh_box bvh_serial_small(const bvh_ctx *c, const bvh_record *r, uint32_t first,
	uint32_t n, uint32_t depth, uint32_t link)
{
	uint16_t given[BVH_SMALL], half[BVH_SMALL];
	bvh_serial_sorted s;

	s.c = c;
	s.record = r;
	s.first = first;
	for (uint32_t i = 0; i < n; i++)
		given[i] = (uint16_t)i;
	for (uint32_t axis = 0; axis < 3; axis++) {
		for (uint32_t i = 0; i < n; i++)
			s.centre[axis][i] = (uint16_t)bvh_centre(r[i].word, axis);
		bvh_serial_by_byte(s.centre[axis], given, half, n, 0);
		bvh_serial_by_byte(s.centre[axis], half, s.order[axis], n, 8);
	}
	return bvh_serial_sorted_range(&s, 0, n, depth, link);
}

#endif
