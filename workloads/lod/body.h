/* The program: an item is the number of a node. `traverse` expands a node: it makes items of the
 * children that are expanded, and some of the node itself for `show`, which appends its triangles
 * and the vertices of its other children. An item of `show` is LOD_PARTS times the node plus the
 * number of a part: two triangles and two children. */
#include "workloads/lod/lod.h"

enum { LOD_TRAVERSE, LOD_SHOW, LOD_PROCS };
enum { LOD_PARTS = LOD_TRIANGLES / LOD_TOGETHER };

LSCHED_DECLARE_ITEMS(lod_items, uint32_t);

/* Roots of a batch are far from each other, because near nodes are seen alike: a worker would have
 * many large trees or none. A root finds out whether it is expanded by itself. */
LSCHED_FN uint32_t lod_root(const lod_ctx *c, uint32_t i, uint32_t *node)
{
	const uint32_t ways = 32, each = c->front / ways;

	*node = i < each * ways ? i % ways * each + i / ways : i;
	return LOD_TRAVERSE;
}

/* Returns 0 for a root that is not expanded. When it is reached, then it is a child of an expanded
 * one, which appends its vertex; but for the root of the octree. */
LSCHED_WORKER_FN int lod_begin(const lod_ctx *c, const lod_node *n, uint32_t node)
{
	if (node >= c->front || lod_expanded(c, n->at, lod_level(n->info)))
		return 1;
	if (node == 0)
		(void)lod_vertices_append(&c->vertices, c->vertex, 1);
	return 0;
}

/* Expanded nodes make the other items, so they go first, until there are many of these. */
LSCHED_FN uint32_t lod_choose(const lod_ctx *c, const uint32_t *count)
{
	(void)c;
	return count[LOD_TRAVERSE] && count[LOD_SHOW] < 64 ? LOD_TRAVERSE : LOD_SHOW;
}

#ifdef __CUDACC__
/* Makes items of the parts of a node from `first` on; all nodes have part 0. */
LSCHED_TASK_FN void lod_emit_parts(lod_items *x, const lod_node *n, uint32_t node, uint32_t first)
{
	const uint32_t children = lod_level(n->info) == LOD_MORE ? 0 : lod_children(n);

	LSCHED_UNROLL
	for (uint32_t k = first; k < LOD_PARTS; k++) {
		const uint32_t part = node * LOD_PARTS + k;

		if (k * LOD_TOGETHER < lod_triangles_of(n->info) || k * LOD_TOGETHER < children)
			lsched_emit(x, LOD_SHOW, &part);
	}
}

LSCHED_TASK_FN void lod_traverse(lod_items *x, const lod_ctx *c, uint32_t node)
{
	const lod_node n = c->node[node];
	uint32_t expanded;

	if (!lod_begin(c, &n, node))
		return;
	expanded = lod_expanded_children(c, &n);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < LOD_WAYS; k++) {
		const uint32_t child = n.child + k;

		if ((expanded >> k & 1u) && child >= c->front)
			lsched_emit(x, LOD_TRAVERSE, &child);
	}
	lod_emit_parts(x, &n, node, 0);
}

/* The nodes of level LOD_MORE that follow this one. */
LSCHED_TASK_FN void lod_further(lod_items *x, const lod_node *n, uint32_t node)
{
	uint32_t further = n->more * LOD_PARTS;

	if (n->more)
		lsched_emit(x, LOD_SHOW, &further);
	if (lod_level(n->info) != LOD_MORE)
		return;
	for (uint32_t k = 0; k < lod_children(n); k++) {
		further = (n->child + k) * LOD_PARTS;
		lsched_emit(x, LOD_SHOW, &further);
	}
	lod_emit_parts(x, n, node, 1);
}

/* Reads all that it appends first. */
LSCHED_TASK_FN void lod_show(lod_items *x, const lod_ctx *c, uint32_t node, uint32_t part)
{
	const lod_node n = c->node[node];
	const uint32_t first = part * LOD_TOGETHER, triangles = lod_triangles_of(n.info);
	const uint32_t expanded = lod_expanded_children(c, &n), children = lod_children(&n);
	const uint32_t left = triangles > first ? triangles - first : 0;
	const uint32_t count = left < LOD_TOGETHER ? left : LOD_TOGETHER;
	uint32_t corner[3 * LOD_TOGETHER], vertices = 0;
	lod_vertex vertex[LOD_TOGETHER];
	uint64_t at;

	LSCHED_UNROLL
	for (uint32_t i = 0; i < LOD_TOGETHER; i++)
		if (first + i < children && !(expanded >> (first + i) & 1u)) {
			vertex[i] = c->vertex[n.child + first + i];
			vertices |= 1u << i;
		}
	if (count)
		lod_corners(c, &n, expanded, first, corner);
	at = lsched_append(&c->vertices.any, lsched_popcount(vertices));
	LSCHED_UNROLL
	for (uint32_t i = 0; i < LOD_TOGETHER; i++)
		if (at != LSCHED_NO_PLACE && (vertices >> i & 1u))
			lod_vertices_elements(&c->vertices)[at++] = vertex[i];
	at = lsched_append(&c->triangles.any, count);
	LSCHED_UNROLL
	for (uint32_t i = 0; i < 3 * LOD_TOGETHER; i++)
		if (at != LSCHED_NO_PLACE && i / 3 < count)
			lod_triangles_elements(&c->triangles)[at + i / 3].corner[i % 3] = corner[i];
	if (part == 0)
		lod_further(x, &n, node);
}

LSCHED_TASK_FN lsched_result lod_body(
	lod_items *x, const lod_ctx *c, lsched_no_local *l, uint32_t proc, uint32_t node)
{
	(void)l;
	if (proc == LOD_TRAVERSE)
		lod_traverse(x, c, node);
	else
		lod_show(x, c, node / LOD_PARTS, node % LOD_PARTS);
	return LSCHED_DONE;
}
#else
/* A CPU worker walks on from its node for some steps, and makes items of what is left then. It
 * appends what it shows together, because threads that append one by one wait for the counters most
 * of the time. */
enum { LOD_CPU_STEPS = 256, LOD_CPU_STACK = 256, LOD_CPU_ROOM = 64 };

typedef struct lod_walk {
	uint32_t nodes, vertices, triangles;
	uint32_t node[LOD_CPU_STACK]; /* to be expanded */
	lod_vertex vertex[LOD_CPU_ROOM];
	lod_triangle triangle[LOD_CPU_ROOM];
} lod_walk;

static inline void lod_append(const lod_ctx *c, lod_walk *w)
{
	(void)lod_vertices_append(&c->vertices, w->vertex, w->vertices);
	(void)lod_triangles_append(&c->triangles, w->triangle, w->triangles);
	w->vertices = w->triangles = 0;
}

static inline void lod_step(const lod_ctx *c, lod_walk *w)
{
	const lod_node *n = &c->node[w->node[--w->nodes]];
	const uint32_t expanded = lod_expanded_children(c, n), children = lod_children(n);

	if (w->vertices + LOD_WAYS > LOD_CPU_ROOM || w->triangles + LOD_TRIANGLES > LOD_CPU_ROOM)
		lod_append(c, w);
	for (uint32_t k = 0; k < children; k++)
		if (!(expanded >> k & 1u))
			w->vertex[w->vertices++] = c->vertex[n->child + k];
		else if (n->child + k >= c->front)
			w->node[w->nodes++] = n->child + k;
	if (n->more)
		w->node[w->nodes++] = n->more;
	lod_write_triangles(c, n, expanded, w->triangle + w->triangles);
	w->triangles += lod_triangles_of(n->info);
}

static inline lsched_result lod_body(
	lod_items *x, const lod_ctx *c, lsched_no_local *l, uint32_t proc, uint32_t node)
{
	lod_walk w;

	(void)l;
	(void)proc;
	w.nodes = w.vertices = w.triangles = 0;
	if (lod_begin(c, &c->node[node], node))
		w.node[w.nodes++] = node;
	for (uint32_t step = 0; w.nodes && step < LOD_CPU_STEPS; step++) {
		if (w.nodes + LOD_WAYS + 1 > LOD_CPU_STACK)
			break;
		lod_step(c, &w);
	}
	lod_append(c, &w);
	for (uint32_t k = 0; k < w.nodes; k++)
		lsched_emit(x, LOD_TRAVERSE, &w.node[k]);
	return LSCHED_DONE;
}
#endif

#define LSCHED_NAME          lod
#define LSCHED_CTX           lod_ctx
#define LSCHED_ITEMS         lod_items
#define LSCHED_ROOT          lod_root
#define LSCHED_BODY          lod_body
#define LSCHED_PROCS         LOD_PROCS
#define LSCHED_PROC_NAMES(X) X(traverse) X(show)
#ifdef __CUDACC__
#define LSCHED_MAX_SPAWN (LOD_WAYS + LOD_PARTS)
#else
#define LSCHED_MAX_SPAWN LOD_CPU_STACK
#endif
#define LSCHED_CHOOSE         lod_choose
#define LSCHED_MIN_BLOCKS     8
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
