/* Pairs of fragments: their order, and whether they are one crossing of a surface. */
#ifndef REYES_HIDE_FRAGMENTS_H
#define REYES_HIDE_FRAGMENTS_H

#include "reyes/hide/depth.h"
#include "reyes/hide/room.h"

/* Whether fragment a is in front of b. */
LSCHED_FN int reyes_i_fragment_before(
	const reyes_i_canvas *c, const reyes_i_fragment *a, const reyes_i_fragment *b)
{
	if (a->z != b->z)
		return a->z < b->z;
	return a->id != b->id && reyes_i_id_before(c, a->id, b->id);
}

/* A range of a parameter, 0 .. 2^16 for the whole primitive. */
typedef struct reyes_i_span {
	uint32_t from, to;
} reyes_i_span;

LSCHED_FN reyes_i_span reyes_i_span_of(uint32_t place, uint32_t level)
{
	reyes_i_span s;

	s.from = place << (REYES_I_LEVELS_MAX - level);
	s.to = (place + 1u) << (REYES_I_LEVELS_MAX - level);
	return s;
}

/* Which ends of the primitive a range has: bit 0 the lower one, bit 1 the upper one. */
LSCHED_FN uint32_t reyes_i_span_ends(reyes_i_span s)
{
	return (s.from == 0) | (s.to == 1u << REYES_I_LEVELS_MAX ? 2u : 0u);
}

/* Whether two ranges of a primitive touch; it may be closed. */
LSCHED_FN uint32_t reyes_i_spans_touch(reyes_i_span a, reyes_i_span b)
{
	return (a.from <= b.to && b.from <= a.to) ||
	       (reyes_i_span_ends(a) | reyes_i_span_ends(b)) == 3u;
}

/* Whether two grids of a surface can have points of their rims in common: on one primitive their
 * rectangles touch, or both have the side that may be a pole; on two primitives both grids are at
 * the primitives' rims. */
LSCHED_FN uint32_t reyes_i_grids_touch(const reyes_i_grid *a, const reyes_i_grid *b)
{
	const reyes_i_span au = reyes_i_span_of(a->u, a->u_level);
	const reyes_i_span av = reyes_i_span_of(a->v, a->v_level);
	const reyes_i_span bu = reyes_i_span_of(b->u, b->u_level);
	const reyes_i_span bv = reyes_i_span_of(b->v, b->v_level);
	const uint32_t ends_au = reyes_i_span_ends(au), ends_av = reyes_i_span_ends(av);
	const uint32_t ends_bu = reyes_i_span_ends(bu), ends_bv = reyes_i_span_ends(bv);

	if (a->prim != b->prim)
		return (ends_au | ends_av) && (ends_bu | ends_bv);
	return (reyes_i_spans_touch(au, bu) || (ends_av & ends_bv)) &&
	       (reyes_i_spans_touch(av, bv) || (ends_au & ends_bu));
}

/* The depth that may lie between two fragments of a crossing. The last term: depths are rounded. */
LSCHED_FN float reyes_i_crossing_depth(float z, float reach, float other)
{
	return reach + other + 1e-6f * reyes_i_abs(z);
}

/* Whether two fragments of a sample are the same crossing of a surface. */
LSCHED_FN int reyes_i_one_crossing(
	const reyes_i_canvas *c, const reyes_i_fragment *a, const reyes_i_fragment *b)
{
	const reyes_i_placed *ga, *gb;

	if (reyes_i_fragment_room_of(a->flags) + reyes_i_fragment_room_of(b->flags) >
			REYES_I_ROOM_ONE ||
		((a->flags ^ b->flags) & REYES_I_HIT_POSITIVE))
		return 0;
	if (!(reyes_i_abs(a->z - b->z) <= reyes_i_crossing_depth(a->z,
						  reyes_i_fragment_reach(a->flags),
						  reyes_i_fragment_reach(b->flags))))
		return 0;
	ga = c->grids + (a->id >> 14);
	gb = c->grids + (b->id >> 14);
	return ga->surface == gb->surface && reyes_i_grids_touch(&ga->grid, &gb->grid);
}

/* Of the fragments of a crossing one counts: a hit inside a grid comes before one of a rim, then
 * the nearest one. Whether b counts rather than a. */
LSCHED_FN int reyes_i_fragment_yields(
	const reyes_i_canvas *c, const reyes_i_fragment *a, const reyes_i_fragment *b)
{
	const uint32_t rim = a->flags & REYES_I_HIT_RIM, other = b->flags & REYES_I_HIT_RIM;

	return rim != other ? rim > other : reyes_i_fragment_before(c, b, a);
}

#endif
