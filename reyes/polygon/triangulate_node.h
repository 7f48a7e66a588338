/* What the files of the triangulation share. */
#ifndef REYES_POLYGON_TRIANGULATE_NODE_H
#define REYES_POLYGON_TRIANGULATE_NODE_H

#include "reyes/polygon/triangulate.h"

/* Twice the area of the triangle, positive if a, b, c are counterclockwise. */
static inline double reyes_i_turn(
	const reyes_i_node *a, const reyes_i_node *b, const reyes_i_node *c)
{
	return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* Links the *n nodes to one counterclockwise loop, with bridges to the holes; adds the nodes of the
 * bridges to *n and marks the nodes outside of the loop as clipped. Uses
 * t->holes. Returns the number of nodes of the loop. */
size_t reyes_i_join_loops(
	reyes_i_triangulator *t, const int32_t *counts, size_t loop_count, size_t *n);

#endif
