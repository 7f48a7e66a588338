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
enum { LOD_WAYS = 8, LOD_TRIANGLES = 8 };
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

/* Its corners: in the output the nodes of vertices, in the octree leaves. 4 bits, the lowest: the
 * child of the triangle's node that the leaf is in; 3 bits: which child of its parent it is; 25
 * bits: the way of the parent. */
typedef struct lod_triangle {
	uint32_t corner[3];
} lod_triangle;
LSCHED_DECLARE_STREAM(lod_triangles, lod_triangle);

/* Instead of a child: outside of the node, or the node has level LOD_MORE. */
#define LOD_OUTSIDE 8u

/* The way up from a cell that has leaves: the cell, then the nodes from it up to the one of level
 * 1. It begins at a multiple of 4 of these units, which are read at once. */
typedef union LOD_ALIGNED lod_way {
	struct {
		uint64_t at;
		uint32_t level, child;
	} cell;         /* the first unit */
	uint32_t up[4]; /* the others */
} lod_way;

LSCHED_FN uint32_t lod_way_of(uint32_t corner)
{
	return corner >> 7 << 2;
}

LSCHED_FN uint32_t lod_child_of(uint32_t corner)
{
	return corner & 15u;
}

typedef struct lod_ctx {
	const lod_node *node; /* 0 is the root */
	const lod_way *way;
	const lod_vertex *vertex;     /* of each node */
	const lod_triangle *triangle; /* in the order of their nodes */
	lod_vertices vertices;        /* the output */
	lod_triangles triangles;
	uint64_t reach; /* a cell of level l is large within sqrt(reach >> 2 l) of the eye */
	int32_t eye[3]; /* on the grid */
	uint32_t level; /* nodes of lower levels are expanded, whatever the view; 0: by the view */
	uint32_t low, high; /* cells of level low are expanded in any place, of high in none */
	uint32_t front;     /* nodes 0 .. front - 1, in the order of levels, are roots */
} lod_ctx;

LSCHED_FN uint32_t lod_level(uint32_t info)
{
	return info & 31u;
}

LSCHED_FN uint32_t lod_triangles_of(uint32_t info)
{
	return info >> 5 & 31u;
}

LSCHED_FN uint32_t lod_children(const lod_node *n)
{
	return lsched_popcount(n->info >> 10 & 255u);
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

LSCHED_FN int lod_node_expanded(const lod_ctx *c, uint32_t node)
{
	return lod_expanded(c, c->node[node].at, lod_level(c->node[node].info));
}

/* Returns which children are expanded: bit k for child + k. Octant 1 is the upper half of the third
 * axis, 2 of the second, 4 of the first. */
LSCHED_FN uint32_t lod_expanded_children(const lod_ctx *c, const lod_node *n)
{
	const uint32_t level = lod_level(n->info), inner = n->info >> 10 & ~(n->info >> 18);
	const int32_t half = (int32_t)((1u << (LOD_LEVELS - 1)) >> level);
	const uint64_t reach = c->reach >> (2 * level + 2);
	uint64_t square[3][2];
	uint32_t expanded = 0, child = 1;

	if (level == LOD_MORE)
		return (1u << lod_children(n)) - 1;
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++)
		square[k / 2][k % 2] = lod_square(
			lod_coordinate(n->at, k / 2) + (k % 2 ? half : 0), half, c->eye[k / 2]);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < LOD_WAYS; k++) {
		const uint64_t all = square[0][k >> 2] + square[1][k >> 1 & 1u] + square[2][k & 1u];

		if ((inner >> k & 1u) && (c->level ? level + 1 < c->level : all < reach))
			expanded |= child;
		child <<= n->info >> (10 + k) & 1u;
	}
	return expanded;
}

/* The node that a corner collapses to: the leaf, or the cell below the last one that is expanded.
 * Its level follows from the place alone. Cells of level `low` are expanded. */
LSCHED_FN uint32_t lod_collapsed(
	const lod_ctx *c, const lod_way *from, uint32_t corner, uint32_t low)
{
	const uint32_t leaf = from->cell.level + 1;
	uint32_t high = leaf < c->high ? leaf : c->high, at;

	LSCHED_NO_UNROLL
	while (low + 1 < high) {
		const uint32_t middle = (low + high) / 2;
		const uint64_t below = ((uint64_t)1 << (LOD_LEVELS - middle)) - 1;

		if (lod_expanded(c, from->cell.at & ~(below | below << 21 | below << 42), middle))
			low = middle;
		else
			high = middle;
	}
	at = 3 + leaf - high;
	return at == 3 ? from->cell.child + (corner >> 4 & 7u)
		       : c->way[lod_way_of(corner) + at / 4].up[at % 4];
}

/* Triangles whose corners are read together. */
enum { LOD_TOGETHER = 2 };

/* Returns the nodes that the corners of an expanded node's triangles from k on collapse to: most to
 * one of its children. It waits for memory most of the time, so it reads all that some triangles
 * need before it decides. */
LSCHED_FN void lod_corners(const lod_ctx *c, const lod_node *n, uint32_t expanded, uint32_t k,
	uint32_t corner[3 * LOD_TOGETHER])
{
	const uint32_t left = 3 * (lod_triangles_of(n->info) - k), inside = lod_level(n->info) + 1;
	const uint32_t further = expanded | 1u << LOD_OUTSIDE;
	lod_way from[3 * LOD_TOGETHER];

	LSCHED_UNROLL
	for (uint32_t i = 0; i < 3 * LOD_TOGETHER; i++) {
		const uint32_t j = i < left ? i : i % 3;

		corner[i] = c->triangle[n->triangle + k + j / 3].corner[j % 3];
	}
	LSCHED_UNROLL
	for (uint32_t i = 0; i < 3 * LOD_TOGETHER; i++)
		if (further >> lod_child_of(corner[i]) & 1u)
			from[i] = c->way[lod_way_of(corner[i])];
	LSCHED_UNROLL
	for (uint32_t i = 0; i < 3 * LOD_TOGETHER; i++) {
		const uint32_t child = lod_child_of(corner[i]);

		if (further >> child & 1u)
			corner[i] = lod_collapsed(c, &from[i], corner[i],
				child == LOD_OUTSIDE || inside < c->low ? c->low : inside);
		else
			corner[i] = n->child + child;
	}
}

/* Writes the triangles of an expanded node. */
LSCHED_FN void lod_write_triangles(
	const lod_ctx *c, const lod_node *n, uint32_t expanded, lod_triangle *to)
{
	const uint32_t count = lod_triangles_of(n->info);

	LSCHED_NO_UNROLL
	for (uint32_t k = 0; k < count; k += LOD_TOGETHER) {
		uint32_t corner[3 * LOD_TOGETHER];

		lod_corners(c, n, expanded, k, corner);
		LSCHED_UNROLL
		for (uint32_t i = 0; i < 3 * LOD_TOGETHER; i++)
			if (k + i / 3 < count)
				to[k + i / 3].corner[i % 3] = corner[i];
	}
}

/* Writes the vertices of the children that are not expanded. */
LSCHED_FN void lod_write_vertices(
	const lod_ctx *c, const lod_node *n, uint32_t expanded, lod_vertex *to)
{
	const uint32_t children = lod_children(n);

	LSCHED_UNROLL
	for (uint32_t k = 0; k < LOD_WAYS; k += 4) {
		lod_vertex v[4];

		LSCHED_UNROLL
		for (uint32_t i = 0; i < 4; i++)
			if (k + i < children)
				v[i] = c->vertex[n->child + k + i];
		LSCHED_UNROLL
		for (uint32_t i = 0; i < 4; i++)
			if (k + i < children && !(expanded >> (k + i) & 1u))
				*to++ = v[i];
	}
}

/* Appends the vertices of an expanded node's children that are not expanded. */
LSCHED_WORKER_FN void lod_show_vertices(const lod_ctx *c, const lod_node *n, uint32_t expanded)
{
	const uint32_t count = lod_children(n) - lsched_popcount(expanded);
	const uint64_t at = lsched_append(&c->vertices.any, count);

	if (at != LSCHED_NO_PLACE && count)
		lod_write_vertices(c, n, expanded, lod_vertices_elements(&c->vertices) + at);
}

/* Appends the triangles of an expanded node. */
LSCHED_WORKER_FN void lod_show_triangles(const lod_ctx *c, const lod_node *n, uint32_t expanded)
{
	const uint64_t at = lsched_append(&c->triangles.any, lod_triangles_of(n->info));

	if (at != LSCHED_NO_PLACE)
		lod_write_triangles(c, n, expanded, lod_triangles_elements(&c->triangles) + at);
}

#endif
