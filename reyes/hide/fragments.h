/* Lists of fragments: their order, and which of them count. */
#ifndef REYES_HIDE_FRAGMENTS_H
#define REYES_HIDE_FRAGMENTS_H

#include "reyes/hide/depth.h"

/* Whether fragment a is in front of b. */
LSCHED_FN int reyes_i_fragment_before(
	const reyes_i_canvas *c, const reyes_i_fragment *a, const reyes_i_fragment *b)
{
	if (a->z != b->z)
		return a->z < b->z;
	return a->id != b->id && reyes_i_id_before(c, a->id, b->id);
}

/* Whether fragment f covers what another fragment of the same surface and the same side covers,
 * which counts instead: a grid's rim overlaps the neighbouring grid, because it is grown, and
 * because grids of different rates have different chords. A hit inside a grid comes before one of a
 * rim. */
LSCHED_FN int reyes_i_fragment_doubles(
	const reyes_i_canvas *c, const reyes_i_fragment *f, const reyes_i_fragment *other)
{
	const uint32_t rim = f->flags & REYES_I_HIT_RIM;
	const float d = f->z - other->z;

	return (d < 0 ? -d : d) <= 1e-3f * f->z && rim >= (other->flags & REYES_I_HIT_RIM) &&
	       f->flags >> 1 == other->flags >> 1 && f->id >> 14 != other->id >> 14 &&
	       c->grids[f->id >> 14].surface == c->grids[other->id >> 14].surface &&
	       (rim > (other->flags & REYES_I_HIT_RIM) || reyes_i_fragment_before(c, other, f));
}

/* Whether fragment f counts among those in front of depth z. Fragments behind an opaque surface are
 * in the list only if they came before it: they decide nothing. */
LSCHED_FN int reyes_i_fragment_counts(
	const reyes_i_canvas *c, uint32_t head, float z, const reyes_i_fragment *f)
{
	for (uint32_t k = head; k != REYES_I_NONE; k = c->fragments[k].next)
		if (c->fragments[k].z < z && reyes_i_fragment_doubles(c, f, c->fragments + k))
			return 0;
	return 1;
}

#endif
