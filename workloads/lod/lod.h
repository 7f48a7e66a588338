/* View-dependent simplification of a mesh (Luebke, Erikson 1997), as in Softshell (Steinberger et
 * al. 2012, sections 3.2 and 6.2.1). An octree over the vertices is made beforehand. A picture
 * starts at its root: a node whose cell is seen large is expanded, which shows the triangles whose
 * corners part there; any other node that is reached collapses its vertices into one. Compiled for
 * CPU and GPU. */
#ifndef WORKLOADS_LOD_LOD_H
#define WORKLOADS_LOD_LOD_H

#include <libsched/items.h>
#include <libsched/stream.h>

/* Vertices lie on a grid of 2^21 cells an axis; a cell of level l has 2^(21 - l) of them. */
enum { LOD_LEVELS = 21 };
/* Most children of a node, and triangles of one. */
enum { LOD_WAYS = 8, LOD_TRIANGLES = 16 };
/* Levels of nodes that are no cells with parts. A leaf: all its vertices are in one cell of the
 * grid; it is expanded never. Nodes for more than LOD_TRIANGLES triangles of another node, so that
 * no item is long: they are expanded with it. */
enum { LOD_MORE = 30, LOD_LEAF = 31 };

#define LOD_ALIGNED __attribute__((aligned(16)))

/* A node's record is all that its expansion reads, none of its children's is. Read in units of 16
 * bytes; the first one is what triangles ask for. */
typedef struct LOD_ALIGNED lod_node {
	uint64_t at;       /* lower corner of the cell: 21 bits an axis */
	uint32_t info;     /* level | triangles << 5 | octants with children << 10 | leaves << 18 */
	uint32_t child;    /* the first; the others follow it in the order of octants */
	uint32_t more;     /* a node of level LOD_MORE; 0: none */
	uint32_t triangle; /* the first of those whose corners part here */
	uint32_t pad[2];
} lod_node;

/* What a node collapses to: the mean of its vertices. */
typedef struct LOD_ALIGNED lod_vertex {
	float xyz[3];
	uint32_t node;
} lod_vertex;
LSCHED_DECLARE_STREAM(lod_vertices, lod_vertex);

/* Its corners: in the octree leaves, in the output the nodes of vertices. */
typedef struct lod_triangle {
	uint32_t corner[3];
} lod_triangle;
LSCHED_DECLARE_STREAM(lod_triangles, lod_triangle);

typedef struct lod_ctx {
	const lod_node *node;         /* 0 is the root */
	const uint32_t *parent;       /* of each node; of the root: itself */
	const lod_vertex *vertex;     /* of each node */
	const lod_triangle *triangle; /* in the order of their nodes */
	lod_vertices vertices;        /* the output */
	lod_triangles triangles;
	uint64_t reach; /* a cell of level l is large within sqrt(reach >> 2 l) of the eye */
	int32_t eye[3]; /* on the grid */
	uint32_t level; /* nodes of lower levels are expanded, whatever the view; 0: by the view */
	uint32_t front; /* nodes 0 .. front - 1, in the order of levels, are roots */
} lod_ctx;

LSCHED_FN uint32_t lod_level(uint32_t info)
{
	return info & 31u;
}

LSCHED_FN uint32_t lod_triangles_of(uint32_t info)
{
	return info >> 5 & 31u;
}

/* The children of a node that are no roots: a bit for each octant. */
LSCHED_FN uint32_t lod_octants(const lod_ctx *c, const lod_node *n)
{
	return n->child >= c->front ? n->info >> 10 & 255u : 0;
}

LSCHED_FN int32_t lod_coordinate(uint64_t at, uint32_t axis)
{
	return (int32_t)(at >> 21 * axis & 0x1fffff);
}

/* The square of the distance of the eye to a range of the grid along an axis. */
LSCHED_FN uint64_t lod_square(int32_t from, int32_t size, int32_t eye)
{
	const int32_t before = from - eye, behind = eye - (from + size);
	const int32_t gap = before > behind ? before : behind;

	return gap > 0 ? (uint64_t)gap * (uint64_t)gap : 0;
}

/* Whether a cell is expanded when it is reached; by integers, for the same result everywhere. A
 * cell is nowhere closer to the eye than the cell around it, so with a cell those around it are
 * expanded, too. */
LSCHED_FN int lod_expanded(const lod_ctx *c, uint64_t at, uint32_t level)
{
	const int32_t size = (int32_t)((1u << LOD_LEVELS) >> level);
	uint64_t square = 0;

	LSCHED_UNROLL
	for (uint32_t axis = 0; axis < 3; axis++)
		square += lod_square(lod_coordinate(at, axis), size, c->eye[axis]);
	return c->level ? level < c->level : square < c->reach >> 2 * level;
}

/* Whether a cell is expanded, and whether it is reached. */
LSCHED_FN int lod_node_expanded(const lod_ctx *c, uint32_t node)
{
	return lod_expanded(c, c->node[node].at, lod_level(c->node[node].info));
}

LSCHED_FN int lod_reached(const lod_ctx *c, uint32_t node)
{
	return node == 0 || lod_node_expanded(c, c->parent[node]);
}

/* Returns which of these are expanded, a bit for each octant. Octant 1 is the upper half
 * of the third axis, 2 of the second, 4 of the first. */
LSCHED_FN uint32_t lod_expanded_octants(const lod_ctx *c, const lod_node *n)
{
	const uint32_t level = lod_level(n->info), octants = lod_octants(c, n);
	const int32_t half = (int32_t)((1u << (LOD_LEVELS - 1)) >> level);
	const uint64_t reach = c->reach >> (2 * level + 2);
	uint64_t square[3][2];
	uint32_t expanded = 0;

	if (level == LOD_MORE)
		return octants;
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++)
		square[k / 2][k % 2] = lod_square(
			lod_coordinate(n->at, k / 2) + (k % 2 ? half : 0), half, c->eye[k / 2]);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < LOD_WAYS; k++)
		if (square[0][k >> 2] + square[1][k >> 1 & 1u] + square[2][k & 1u] < reach)
			expanded |= 1u << k;
	if (c->level)
		expanded = level + 1 < c->level ? octants : 0;
	return expanded & octants & ~(n->info >> 18);
}

/* Writes the triangles of an expanded node, with the nodes that their corners collapse to: the way
 * up from a leaf ends below the first expanded node. A step of three corners reads all that it
 * needs before it decides, because it waits for memory most of the time. */
LSCHED_FN void lod_write_triangles(const lod_ctx *c, const lod_node *n, lod_triangle *to)
{
	const lod_triangle *from = c->triangle + n->triangle;
	const uint32_t count = lod_triangles_of(n->info);

	LSCHED_NO_UNROLL
	for (uint32_t k = 0; k < count; k++) {
		uint32_t corner[3], up[3], moved;

		LSCHED_UNROLL
		for (uint32_t i = 0; i < 3; i++)
			corner[i] = from[k].corner[i];
		LSCHED_UNROLL
		for (uint32_t i = 0; i < 3; i++)
			up[i] = c->parent[corner[i]];
		do {
			uint64_t at[3];
			uint32_t info[3], above[3];

			LSCHED_UNROLL
			for (uint32_t i = 0; i < 3; i++) {
				at[i] = c->node[up[i]].at;
				info[i] = c->node[up[i]].info;
				above[i] = c->parent[up[i]];
			}
			moved = 0;
			LSCHED_UNROLL
			for (uint32_t i = 0; i < 3; i++)
				if (!lod_expanded(c, at[i], lod_level(info[i]))) {
					corner[i] = up[i];
					up[i] = above[i];
					moved = 1;
				}
		} while (moved);
		LSCHED_UNROLL
		for (uint32_t i = 0; i < 3; i++)
			to[k].corner[i] = corner[i];
	}
}

/* Appends the triangles of an expanded node. */
LSCHED_WORKER_FN void lod_show_triangles(const lod_ctx *c, const lod_node *n)
{
	const uint64_t at = lsched_append(&c->triangles.any, lod_triangles_of(n->info));

	if (at != LSCHED_NO_PLACE)
		lod_write_triangles(c, n, lod_triangles_elements(&c->triangles) + at);
}

#endif
