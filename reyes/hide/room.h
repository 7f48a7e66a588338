/* Which fragments can be one crossing of a surface: a grid's rim overlaps the neighbouring grid,
 * because it is grown, and because grids of different rates have different chords. Both hits are
 * then near the rims of their grids: of their distances from the curve that the rims have in
 * common, which are positive inside of a grid, one is the opposite of the other one but for the
 * growths of the two rims. So the room of a hit is its distance from a rim less the rim's growth,
 * and two hits whose rooms add up to more than nothing are two crossings. All of this is measured
 * in pixels and in sizes of micropolygons: the distance from the camera does not matter. */
#ifndef REYES_HIDE_ROOM_H
#define REYES_HIDE_ROOM_H

#include "reyes/hide/points.h"

typedef struct reyes_i_corner {
	int32_t x, y;
} reyes_i_corner;

/* An upper bound of the length of a vector. */
LSCHED_FN int32_t reyes_i_long(int32_t x, int32_t y)
{
	const int32_t a = x < 0 ? -x : x, b = y < 0 ? -y : y;

	return a > b ? a + b / 2 : b + a / 2;
}

/* Corners in the order (u,v) = 00, 10, 01, 11. */
typedef struct reyes_i_quad {
	reyes_i_corner at[4];
	float z[4];
	float least;     /* of z; see reyes_i_quad_measure */
	int32_t side;    /* as reyes_i_hidden */
	int32_t grow[4]; /* of the edges u low, u high, v low, v high; 0 inside the grid */
	/* of fragments only */
	float most;               /* of z */
	float room[4];            /* of a hit at (u,v) = 00 beside the rims u low, u high .. */
	float across_u, across_v; /* width between the edges u low and high, v low and high */
	uint32_t reach;           /* as flags of a fragment */
} reyes_i_quad;

/* Whether the hits of a grid become fragments. */
LSCHED_FN uint32_t reyes_i_makes_fragments(const reyes_i_hidden *h)
{
	return h->keep || !h->opaque;
}

/* Rooms are at most this, and at least the opposite, in 1/256 pixel: less the largest growth. */
#define REYES_I_ROOM_MAX 704.0f
/* The rooms of one crossing, as fragments have them, add up to this at most: 4 for the rounding of
 * the corners. */
#define REYES_I_ROOM_ONE (2 * 704u + 4u)

/* 0: the rim has no neighbour; the half is for edges that are not straight */
LSCHED_FN float reyes_i_room_beside(float distance, uint32_t grow)
{
	return grow ? distance - 1.5f * (float)grow : 1e9f;
}

/* Sets what fragments of micropolygon m have: rooms, and reach. The depth that lies between two
 * hits of a crossing is at most the sum of their reaches: the range of a micropolygon's depths and
 * a share of its edge, for the bend of the surface. */
LSCHED_FN void reyes_i_quad_rooms(const reyes_i_hidden *h, uint32_t m, reyes_i_quad *q)
{
	const reyes_i_corner *p = q->at;
	const uint32_t j = reyes_i_small_over(m, h->nu), i = m - j * h->nu;
	const float area = 0.5f * reyes_i_abs((float)(p[3].x - p[0].x) * (float)(p[2].y - p[1].y) -
					      (float)(p[3].y - p[0].y) * (float)(p[2].x - p[1].x));
	const float along_u = reyes_i_most((float)reyes_i_long(p[1].x - p[0].x, p[1].y - p[0].y),
		(float)reyes_i_long(p[3].x - p[2].x, p[3].y - p[2].y));
	const float along_v = reyes_i_most((float)reyes_i_long(p[2].x - p[0].x, p[2].y - p[0].y),
		(float)reyes_i_long(p[3].x - p[1].x, p[3].y - p[1].y));
	float bend = 0.125f * reyes_i_most(along_u, along_v) * h->unit;

	q->most = reyes_i_most(reyes_i_most(q->z[0], q->z[1]), reyes_i_most(q->z[2], q->z[3]));
	if (h->perspective)
		bend *= q->most;
	/* of the float its exponent and 9 bits, rounded up */
	q->reach = (reyes_i_float_bits(q->most - q->least + bend) + 0x3fffu) >>
		   14 << REYES_I_REACH_SHIFT;
	q->across_u = area / reyes_i_most(along_v, 1);
	q->across_v = area / reyes_i_most(along_u, 1);
	q->room[0] = reyes_i_room_beside((float)i * q->across_u, h->grow[0]);
	q->room[1] = reyes_i_room_beside((float)(h->nu - i) * q->across_u, h->grow[1]);
	q->room[2] = reyes_i_room_beside((float)j * q->across_v, h->grow[2]);
	q->room[3] = reyes_i_room_beside((float)(h->nv - j) * q->across_v, h->grow[3]);
}

/* Sets the least depth of hits, and for fragments what follows from the corners. A hit in the
 * growth of an edge, or after the rounding of a depth, is not in front of all corners, because
 * whole grids are culled by the depths of their points. */
LSCHED_FN void reyes_i_quad_measure(const reyes_i_hidden *h, uint32_t m, reyes_i_quad *q)
{
	q->least = reyes_i_least(reyes_i_least(q->z[0], q->z[1]), reyes_i_least(q->z[2], q->z[3]));
	if (reyes_i_makes_fragments(h))
		reyes_i_quad_rooms(h, m, q);
}

/* Returns room and reach of a hit at (u, v). */
LSCHED_FN uint32_t reyes_i_hit_room(const reyes_i_quad *q, float u, float v)
{
	const float x = u * q->across_u, y = v * q->across_v;
	const float room = reyes_i_least(reyes_i_least(q->room[0] + x, q->room[1] - x),
		reyes_i_least(q->room[2] + y, q->room[3] - y));
	const float limited =
		reyes_i_most(reyes_i_least(room, REYES_I_ROOM_MAX), -REYES_I_ROOM_MAX);

	return (uint32_t)(int32_t)(limited + REYES_I_ROOM_MAX) << REYES_I_ROOM_SHIFT | q->reach;
}

/* The room of a fragment in whole units above the least possible one. */
LSCHED_FN uint32_t reyes_i_fragment_room_of(uint32_t flags)
{
	return flags >> REYES_I_ROOM_SHIFT & 0x7ffu;
}

LSCHED_FN float reyes_i_fragment_reach(uint32_t flags)
{
	return reyes_i_bits_float(flags >> REYES_I_REACH_SHIFT << 14);
}

#endif
