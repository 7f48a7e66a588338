/* Level of detail: which samples have a surface that is in a transition of DetailRange. The
 * representations of an object share the samples of each pixel in proportion, so that a pixel is
 * their weighted mean and opaque surfaces remain opaque. */
#ifndef REYES_HIDE_DETAIL_H
#define REYES_HIDE_DETAIL_H

#include "reyes/hide/canvas.h"

/* Returns the detail number of a sample of pixel (px, py), 0 .. 65535: one in each of `count` equal
 * intervals. The order of the intervals is not that of the shutter times. */
LSCHED_FN uint32_t reyes_i_detail_number(
	const reyes_i_pattern *p, int32_t px, int32_t py, uint32_t s)
{
	const uint32_t pixel_hash = reyes_i_pixel_hash((uint32_t)px, (uint32_t)py);
	const uint32_t h = reyes_i_sample_hash(reyes_i_hash32(pixel_hash), s);
	const uint32_t interval = reyes_i_order_of(p->group_of, p, reyes_i_hash32(pixel_hash))[s];

	return ((interval << 16) + (p->jitter ? h & 0xffffu : 0x8000u)) / p->count;
}

LSCHED_FN uint32_t reyes_i_detail_number_of(const reyes_i_canvas *c, uint64_t sample)
{
	const uint32_t in_tile = (uint32_t)(sample % (REYES_I_TILE * REYES_I_TILE));
	const uint64_t plane = sample / (REYES_I_TILE * REYES_I_TILE);
	const uint32_t tile = (uint32_t)(plane / c->pattern.count);
	const uint32_t s = (uint32_t)(plane - (uint64_t)tile * c->pattern.count);
	const uint32_t x = tile % c->tiles_x * REYES_I_TILE + in_tile % REYES_I_TILE;
	const uint32_t y = tile / c->tiles_x * REYES_I_TILE + in_tile / REYES_I_TILE;

	return reyes_i_detail_number(&c->pattern, c->x0 + (int32_t)x, c->y0 + (int32_t)y, s);
}

/* Whether the samples with a detail number have a surface. flags: of its attributes. */
LSCHED_FN int reyes_i_detail_has(uint32_t flags, uint32_t number)
{
	const uint32_t below = number < flags >> REYES_I_DETAIL_SHIFT;

	if (!(flags & (REYES_I_ATTR_DETAIL_BELOW | REYES_I_ATTR_DETAIL_ABOVE)))
		return 1;
	return below == (flags & REYES_I_ATTR_DETAIL_BELOW ? 1u : 0u);
}

/* Removes the fragments that a sample does not have from its list. Returns the first of the
 * others. The list is the caller's alone. The hider stores all fragments: the test would cost
 * registers there in frames without levels of detail. */
LSCHED_FN uint32_t reyes_i_detail_list(const reyes_i_canvas *c, uint32_t head, uint64_t sample)
{
	const uint32_t number = reyes_i_detail_number_of(c, sample);
	uint32_t first = REYES_I_NONE, *link = &first;

	for (uint32_t k = head; k != REYES_I_NONE; k = c->fragments[k].next) {
		reyes_i_fragment *f = c->fragments + k;

		if (reyes_i_detail_has(c->grids[f->id >> 14].flags, number)) {
			*link = k;
			link = &f->next;
		}
	}
	*link = REYES_I_NONE;
	return first;
}

#endif
