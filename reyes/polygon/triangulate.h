/* Triangulation of polygons with holes in a plane. */
#ifndef REYES_POLYGON_TRIANGULATE_H
#define REYES_POLYGON_TRIANGULATE_H

#include <stddef.h>
#include <stdint.h>

typedef struct reyes_i_node {
	double x, y;
	uint32_t corner; /* number of the point */
	uint32_t next, previous;
	uint32_t cell_next; /* list of the reflex vertices of a cell of the grid */
	uint8_t queued, clipped, listed;
} reyes_i_node;

/* A hole by its rightmost node. */
typedef struct reyes_i_hole {
	double x, y;
	uint32_t node;
} reyes_i_hole;

/* Memory of the triangulation, for any number of polygons: zero at the beginning. */
typedef struct reyes_i_triangulator {
	reyes_i_node *nodes;
	size_t node_room;
	uint32_t *queue, *cells;
	size_t queue_room, cell_room;
	uint32_t (*triangles)[3];
	size_t triangle_room;
	reyes_i_hole *holes;
	size_t hole_room;
	size_t triangle_count; /* result: triangles of points, in the outer loop's direction */
	size_t bad_holes;      /* result: holes outside the outer loop, ignored */
	/* The grid over the polygon's box. */
	uint32_t columns, rows;
	double x0, y0, cell_width, cell_height;
} reyes_i_triangulator;

/* Triangulates a polygon: loop k has counts[k] vertices, the points x, y continue from loop to
 * loop, the first loop is the outer one. Loops may have any direction and may touch; a polygon that
 * intersects itself gets triangles that cover it roughly, one with area zero none. Time: about
 * n log n for usual polygons, n * (number of holes + sqrt(n)) at most for simple ones. Returns 0:
 * no memory. */
int reyes_i_triangulate(reyes_i_triangulator *t, const int32_t *counts, size_t loop_count,
	const double (*points)[2]);
void reyes_i_triangulator_free(reyes_i_triangulator *t);

#endif
