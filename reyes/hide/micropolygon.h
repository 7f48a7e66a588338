/* A micropolygon, and what happens at a sample that it covers. */
#ifndef REYES_HIDE_MICROPOLYGON_H
#define REYES_HIDE_MICROPOLYGON_H

#include "reyes/hide/depth.h"
#include "reyes/hide/room.h"

typedef struct reyes_i_hit {
	float w[3];     /* barycentric coordinates of the corners, in the order given */
	uint32_t high;  /* 1: of the second triangle */
	uint32_t flags; /* REYES_I_HIT_* */
} reyes_i_hit;

LSCHED_FN void reyes_i_quad_growth(const reyes_i_hidden *h, uint32_t i, uint32_t j, reyes_i_quad *q)
{
	q->side = h->side;
	q->grow[0] = i == 0 ? h->grow[0] : 0;
	q->grow[1] = i + 1 == h->nu ? h->grow[1] : 0;
	q->grow[2] = j == 0 ? h->grow[2] : 0;
	q->grow[3] = j + 1 == h->nv ? h->grow[3] : 0;
}

LSCHED_FN uint32_t reyes_i_eighth(float x)
{
	return x <= 0 ? 0 : x >= 1 ? 7 : (uint32_t)(x * 8);
}

/* Reserves n <= 64 fragments, for a micropolygon that covers so many samples: a counter that all
 * workers change for each fragment would cost more than the rest of the hider. */
LSCHED_FN void reyes_i_reserve_fragments(
	const reyes_i_canvas *c, reyes_i_fragment_room *room, uint32_t n)
{
	room->next = reyes_i_add32_warp(&c->counters[REYES_I_N_FRAGMENTS], n);
	room->end = room->next + n;
}

/* Counts the fragments that were reserved and not used. */
LSCHED_FN void reyes_i_release_fragments(const reyes_i_canvas *c, const reyes_i_fragment_room *room)
{
	reyes_i_count32_warp(&c->counters[REYES_I_N_UNUSED], room->end - room->next);
}

/* Returns the place of a fragment: of those reserved, if there are any left. */
LSCHED_FN uint32_t reyes_i_reserve_fragment(const reyes_i_canvas *c, reyes_i_fragment_room *room)
{
	if (room->next != room->end)
		return room->next++;
	return reyes_i_add32(&c->counters[REYES_I_N_FRAGMENTS], 1);
}

LSCHED_FN void reyes_i_add_fragment(const reyes_i_canvas *c, reyes_i_fragment_room *room,
	uint64_t sample, float z, uint32_t id, uint32_t flags)
{
	const uint32_t place = reyes_i_reserve_fragment(c, room);
	reyes_i_fragment f;

	if (place >= c->fragments_max) {
		(void)reyes_i_add32(&c->counters[REYES_I_N_FULL], 1);
		return;
	}
	f.z = z;
	f.id = id;
	f.flags = flags;
	f.next = reyes_i_swap32(&c->heads[sample], place);
	c->fragments[place] = f; /* in one access */
}

/* A sample that the triangle of corners 00, n, 11 covers, n = 1 or 2. sample: index in the canvas;
 * m: the micropolygon's number. */
LSCHED_FN void reyes_i_hide_hit(const reyes_i_canvas *c, const reyes_i_hidden *h,
	const reyes_i_quad *q, const reyes_i_hit *hit, uint32_t m, uint64_t sample)
{
	const uint32_t high = hit->high;
	const float one = high ? hit->w[2] : hit->w[1], both = high ? hit->w[1] : hit->w[2];
	/* the weights do not sum to 1 exactly: the fill rule's bias is in them */
	const float side = high ? q->z[2] : q->z[1];
	const float plane = q->z[0] + one * (side - q->z[0]) + both * (q->z[3] - q->z[0]);
	const float z = reyes_i_most(
		q->least, reyes_i_makes_fragments(h) ? reyes_i_least(plane, q->most) : plane);
	const float u = high ? both : one + both, v = high ? one + both : both;
	uint32_t id;

	if (!(z >= h->hither) || !(z <= h->yon))
		return;
	/* a stale value is sufficient: depths become smaller only, and the test is repeated */
	if (!h->keep && (h->opaque || c->cells) &&
		reyes_i_float_bits(z) > (uint32_t)(reyes_i_any64(c->cells + sample) >> 32))
		return;
	id = REYES_I_ID(h->slot, m, reyes_i_eighth(u), reyes_i_eighth(v));
	if (h->opaque)
		reyes_i_depth_test(
			c, c->cells + sample, (uint64_t)reyes_i_float_bits(z) << 32 | id);
	if (reyes_i_makes_fragments(h))
		reyes_i_add_fragment(
			c, h->room, sample, z, id, hit->flags | reyes_i_hit_room(q, u, v));
}

#endif
