/* The records of split and dice: an item is a rectangle of a primitive's parameters, a grid is an
 * item that is diced. Both are small and carry no points: points are evaluated on the primitive, so
 * that a rectangle's points do not depend on the way in which it was reached. */
#ifndef REYES_SPLIT_ITEM_H
#define REYES_SPLIT_ITEM_H

#include <stdint.h>
#include <libsched/fn.h>

#define REYES_I_LEVELS_MAX 16 /* halvings in each direction: 16 bits of position */

/* The rectangle [u, u+1) x [v, v+1) in units of 2^-u_level and 2^-v_level. */
typedef struct reyes_i_item {
	uint32_t prim;
	uint16_t u, v;
	uint8_t u_level, v_level;
	uint8_t eye_splits; /* splits so far only because it crosses the camera plane */
	uint8_t pad;
} reyes_i_item;

#define REYES_I_GRID_POINTS 289 /* largest number of points of a grid: 17 x 17 */
#define REYES_I_GRID_SIDE   64  /* largest number of micropolygons in a direction */
#define REYES_I_GRID_QUADS  256 /* largest number of micropolygons of a grid: 16 x 16 */

typedef struct reyes_i_grid {
	uint32_t prim;
	uint16_t u, v;
	uint8_t u_level, v_level;
	uint8_t nu, nv;  /* micropolygons in each direction */
	uint8_t grow[4]; /* rim growth at u low, u high, v low, v high, in 1/256 pixel */
} reyes_i_grid;

/* The parameters of a rectangle. */
typedef struct reyes_i_rect {
	float u0, u1, v0, v1;
} reyes_i_rect;

LSCHED_FN float reyes_i_dyadic(uint32_t place, uint32_t level)
{
	return (float)place / (float)(1u << level);
}

LSCHED_FN reyes_i_rect reyes_i_rect_of(uint32_t u, uint32_t u_level, uint32_t v, uint32_t v_level)
{
	reyes_i_rect r;

	r.u0 = reyes_i_dyadic(u, u_level);
	r.u1 = reyes_i_dyadic(u + 1, u_level);
	r.v0 = reyes_i_dyadic(v, v_level);
	r.v1 = reyes_i_dyadic(v + 1, v_level);
	return r;
}

/* A number that orders the grids of a frame in the same way whatever order made them: primitive,
 * then position. */
LSCHED_FN uint64_t reyes_i_grid_order(const reyes_i_grid *g)
{
	return (uint64_t)g->prim << 32 |
	       (uint64_t)((uint32_t)g->u << (REYES_I_LEVELS_MAX - g->u_level)) << 16 |
	       (uint32_t)g->v << (REYES_I_LEVELS_MAX - g->v_level);
}

#endif
