/* The box of a primitive over a time step. Compiled for CPU and GPU. */
#ifndef COLLIDE_PAIRS_SWEPT_H
#define COLLIDE_PAIRS_SWEPT_H

#include "collide/pairs/pairs.h"

/* The box of `corners` vertices at both ends of a step: positions [vertex][3]. Rounding coordinates
 * to the nearest float keeps every overlap of the boxes in doubles, because it is monotone. There
 * are no negative zeros. */
LSCHED_FN void col_swept_box(const uint32_t *vertex, uint32_t corners, const double *start,
	const double *end, col_box *out)
{
	for (uint32_t axis = 0; axis < 3; axis++) {
		double lo = 0, hi = 0;

		for (uint32_t k = 0; k < corners; k++) {
			const size_t at = (size_t)vertex[k] * 3 + axis;
			const double s = start[at], e = end[at];

			lo = k && lo < s ? lo : s;
			hi = k && hi > s ? hi : s;
			lo = lo < e ? lo : e;
			hi = hi > e ? hi : e;
		}
		out->lo[axis] = (float)lo + 0.0f;
		out->hi[axis] = (float)hi + 0.0f;
	}
}

/* The node and the record of a leaf, as pairs.h reads them. */
LSCHED_FN void col_leaf_entries(col_box box, uint32_t primitive, uint32_t position,
	const uint32_t *vertex, uint32_t corners, col_node *node, col_corners *c)
{
	const uint32_t name = position | COL_LEAF;

	node->box[0] = box;
	col_no_box(&node->box[1]);
	node->child[0] = node->child[1] = name;
	node->pad[0] = node->pad[1] = 0;
	c->primitive = primitive;
	for (uint32_t k = 0; k < 3; k++)
		c->vertex[k] = vertex[k < corners ? k : 0];
}

#endif
