/* The grid of cells over the centres of a range, and boxes of cells (bricks). Compiled for CPU and
 * GPU. */
#ifndef COLLIDE_BVH_GRID_H
#define COLLIDE_BVH_GRID_H

#include "collide/bvh/bins.h"
#include "collide/bvh/local.h"

/* The slab of a place is (place - base) * factor >> BVH_SLAB_SHIFT: an interval of at most 65,536
 * places has up to BVH_SLABS of them. What is outside, which only happens to boxes that are no
 * numbers, is in the last one. */
enum { BVH_SLAB_SHIFT = 20 };

LSCHED_FN uint32_t bvh_slab_of(uint32_t place, uint32_t factor, uint32_t bits)
{
	const uint32_t slab = place * factor >> BVH_SLAB_SHIFT, last = (1u << bits) - 1;

	return slab < last ? slab : last;
}

/* The cell of a record. */
LSCHED_FN uint32_t bvh_cell_of(const bvh_grid *g, const bvh_record *r)
{
	const uint32_t first = g->by_number ? (r->number - g->base[0]) >> g->shift
					    : bvh_centre(r->word, 0) - g->base[0];
	const uint32_t x = bvh_slab_of(first, g->factor[0], g->bits[0]);
	const uint32_t y =
		bvh_slab_of(bvh_centre(r->word, 1) - g->base[1], g->factor[1], g->bits[1]);
	const uint32_t z =
		bvh_slab_of(bvh_centre(r->word, 2) - g->base[2], g->factor[2], g->bits[2]);

	return x | (y | z << g->bits[1]) << g->bits[0];
}

LSCHED_FN uint32_t bvh_cells(const bvh_grid *g)
{
	return 1u << (g->bits[0] + g->bits[1] + g->bits[2]);
}

/* Where a cell is in fast memory: neighbours in each axis are in different banks. */
LSCHED_FN uint32_t bvh_cell_place(uint32_t cell)
{
	return cell ^ (cell >> 3 & 7u) ^ (cell >> 6 & 7u) ^ (cell >> 9 & 7u);
}

/* The most cells of a range, in bits: a fourth of its primitives. */
LSCHED_FN uint32_t bvh_grid_bits(uint32_t count)
{
	const uint32_t most = count <= BVH_BLOCK ? BVH_NEAR_BITS : BVH_CELL_BITS;
	uint32_t want = 0;

	while (want < most && 2u << want <= count / 4)
		want++;
	return want;
}

/* Sets the grid of a range of more than BVH_SMALL primitives: at most a fourth as many cells; an
 * axis is halved as long as it has the longest slabs. */
LSCHED_FN void bvh_grid_set(bvh_grid *g, const bvh_places *p, uint32_t count)
{
	const uint32_t want = bvh_grid_bits(count);
	uint32_t size[3] = { p->size[0], p->size[1], p->size[2] }, bits[3] = { 0, 0, 0 };

	g->base[0] = p->base[0];
	g->base[1] = p->base[1];
	g->base[2] = p->base[2];
	g->by_number = size[0] == 1 && size[1] == 1 && size[2] == 1;
	g->shift = 0;
	if (g->by_number) {
		while ((p->size[BVH_NUMBER] - 1) >> g->shift > 65535)
			g->shift++;
		g->base[0] = p->base[BVH_NUMBER];
		size[0] = ((p->size[BVH_NUMBER] - 1) >> g->shift) + 1;
	}
	for (uint32_t total = 0; total < want; total++) {
		const uint32_t x = size[0] >> bits[0], y = size[1] >> bits[1];
		const uint32_t z = size[2] >> bits[2];
		const uint32_t k = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
		const uint32_t longest = k == 0 ? x : k == 1 ? y : z;
		const uint32_t has = k == 0 ? bits[0] : k == 1 ? bits[1] : bits[2];

		if (longest < 2 || has == BVH_SLAB_BITS)
			break;
		bits[0] += k == 0;
		bits[1] += k == 1;
		bits[2] += k == 2;
	}
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		g->bits[k] = bits[k];
		g->factor[k] = (1u << (BVH_SLAB_SHIFT + bits[k])) / size[k];
	}
}

/* Limits the places of an axis to lo .. hi, of which one is left at least. */
LSCHED_FN void bvh_limit(bvh_places *p, uint32_t axis, uint32_t lo, uint32_t hi)
{
	const uint32_t end = p->base[axis] + p->size[axis] - 1;

	lo = lo > p->base[axis] ? lo : p->base[axis];
	hi = hi < end ? hi : end;
	p->base[axis] = lo;
	p->size[axis] = hi > lo ? hi - lo + 1 : 1;
}

LSCHED_FN uint32_t bvh_brick_slab(uint32_t word, uint32_t axis)
{
	return word >> 8 * axis & 255u;
}

LSCHED_FN uint32_t bvh_brick_depth(const bvh_brick *b)
{
	return b->low >> 24;
}

/* All cells of a range; the number of those with primitives is not set. */
LSCHED_FN bvh_brick bvh_brick_whole(const bvh_open *o)
{
	const uint32_t x = 1u << o->grid.bits[0], y = 1u << o->grid.bits[1];
	const uint32_t z = 1u << o->grid.bits[2];
	const bvh_brick b = { o->first, o->count, o->link, bvh_depth(o->info) << 24,
		x | y << 8 | z << 16, 0 };

	return b;
}

/* Both sides of a plane. */
LSCHED_FN void bvh_brick_split(const bvh_brick *b, const bvh_brick_best *best, bvh_brick side[2])
{
	const uint32_t axis = best->id >> 8, left = best->left, middle = b->first + left;
	const uint32_t mask = 255u << 8 * axis, at = (best->id & 255u) << 8 * axis;
	const uint32_t low = b->low + (1u << 24);
	const bvh_brick before = { b->first, left, middle << 1, low, (b->high & ~mask) | at,
		best->occupied };
	const bvh_brick behind = { middle, b->count - left, middle << 1 | 1u, (low & ~mask) | at,
		b->high, b->occupied - best->occupied };

	side[0] = before;
	side[1] = behind;
}

/* The primitives of a part that is not split further. Ranges of up to BVH_CLOSE begin last, and
 * smaller parts end earlier, as two workers take them. */
LSCHED_FN uint32_t bvh_brick_stop(uint32_t count)
{
	if (count <= BVH_CLOSE)
		return BVH_CLOSE_PART;
	return count / BVH_AT_ONCE > BVH_SMALL ? count / BVH_AT_ONCE : (uint32_t)BVH_SMALL;
}

/* The places of the centres in a brick: those of its slabs within its box. */
LSCHED_FN bvh_places bvh_brick_places(
	const bvh_open *o, uint32_t low, uint32_t high, const uint32_t box[3])
{
	const bvh_grid *g = &o->grid;
	bvh_places p = o->places;

	for (uint32_t axis = 0; axis < 3; axis++) {
		const uint32_t round = g->factor[axis] - 1, from = bvh_brick_slab(low, axis);
		const uint32_t to = bvh_brick_slab(high, axis),
			       which = axis ? axis : (uint32_t)BVH_NUMBER;
		const uint32_t begin = ((from << BVH_SLAB_SHIFT) + round) / g->factor[axis];
		const uint32_t end = ((to << BVH_SLAB_SHIFT) + round) / g->factor[axis];

		if (!g->by_number) {
			bvh_limit(&p, axis, g->base[axis] + begin, g->base[axis] + end - 1);
			bvh_limit(&p, axis, bvh_lo(box, axis), bvh_hi(box, axis));
		} else if (axis == 0) {
			bvh_limit(&p, which, g->base[0] + (begin << g->shift),
				g->base[0] + (end << g->shift) - 1);
		}
	}
	return p;
}

/* ---- an open range ---- */

/* Opens a range that gets a frame of its own. One thread. */
LSCHED_FN void bvh_open_framed(const bvh_ctx *c, lsched_range it)
{
	bvh_open *o = &c->open[it.first / BVH_SMALL];

	o->first = it.first;
	o->count = it.count;
	o->info = it.info;
	o->link = it.join;
	o->pass = BVH_PASS_FRAME;
	for (uint32_t k = 0; k < 6; k++)
		lsched_st(&o->bounds.key[k], 0u, rlx, dev);
}

/* Opens a range whose places are set. One thread; its cells are not cleared. */
LSCHED_FN void bvh_open_placed(const bvh_ctx *c, lsched_range it)
{
	bvh_open *o = &c->open[it.first / BVH_SMALL];
	const bvh_places p = o->places;

	o->first = it.first;
	o->count = it.count;
	o->info = it.info;
	o->link = it.join;
	o->pass = BVH_PASS_COUNT;
	bvh_grid_set(&o->grid, &p, it.count);
}

/* Whether a range of more than BVH_SMALL primitives gets a frame of its own. Its places are known,
 * apart from those of the whole. */
LSCHED_FN int bvh_is_framed(const bvh_ctx *c, const bvh_open *o, uint32_t count)
{
	const uint32_t *size = o->places.size;

	return count == c->n || (count <= BVH_FRAMED && size[0] < BVH_PLACES &&
					size[1] < BVH_PLACES && size[2] < BVH_PLACES);
}

/* Opens a range. One thread; its cells are not cleared. */
LSCHED_FN void bvh_open_range(const bvh_ctx *c, lsched_range it)
{
	if (bvh_is_framed(c, &c->open[it.first / BVH_SMALL], it.count))
		bvh_open_framed(c, it);
	else
		bvh_open_placed(c, it);
}

/* The bounds of an open range are known: sets its frame and its grid. One thread. */
LSCHED_FN void bvh_open_grid(const bvh_ctx *c, bvh_open *o)
{
	bvh_bounds b;
	bvh_box box;
	bvh_record all;
	bvh_places p;

	for (uint32_t k = 0; k < 6; k++)
		b.key[k] = lsched_ld(&o->bounds.key[k], rlx, dev);
	if (o->count == c->n)
		c->top->bounds = b;
	for (uint32_t k = 0; k < 3; k++) {
		box.lo[k] = bvh_unkey(~b.key[k]);
		box.hi[k] = bvh_unkey(b.key[k + 3]);
	}
	o->frame = bvh_make_frame(&b);
	all = bvh_quantise(&box, &o->frame, 0);
	for (uint32_t axis = 0; axis < 3; axis++) {
		p.base[axis] = bvh_lo(all.word, axis);
		p.size[axis] = bvh_hi(all.word, axis) - p.base[axis] + 1;
	}
	p.base[BVH_NUMBER] = 0;
	p.size[BVH_NUMBER] = c->n;
	o->places = p;
	o->pass = BVH_PASS_FIRST;
	bvh_grid_set(&o->grid, &p, o->count);
}

/* All primitives are in one cell: looks closer there. One thread. */
LSCHED_FN void bvh_open_closer(bvh_open *o, uint32_t cell, const uint32_t box[3])
{
	const uint32_t x = cell & ((1u << o->grid.bits[0]) - 1), rest = cell >> o->grid.bits[0];
	const uint32_t y = rest & ((1u << o->grid.bits[1]) - 1), z = rest >> o->grid.bits[1];
	const uint32_t low = x | y << 8 | z << 16;
	const bvh_places p = bvh_brick_places(o, low, low + 0x10101u, box);

	o->places = p;
	o->pass = BVH_PASS_COUNT;
	bvh_grid_set(&o->grid, &p, o->count);
}

/* Whether all primitives have no records yet. */
LSCHED_FN int bvh_is_whole(const bvh_ctx *c, const bvh_open *o)
{
	return o->count == c->n;
}

#endif
