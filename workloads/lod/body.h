/* The program: an item is the number of a node. `traverse` expands a node: it makes items of the
 * children that are expanded, and one of the node itself for `show`, which appends its triangles
 * and the vertices of its other children. */
#include "workloads/lod/lod.h"

enum { LOD_TRAVERSE, LOD_SHOW, LOD_PROCS };

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
LSCHED_TASK_FN void lod_traverse(lod_items *x, const lod_ctx *c, uint32_t node)
{
	const lod_node n = c->node[node];
	const uint32_t expanded = lod_expanded_children(c, &n);

	if (!lod_begin(c, &n, node))
		return;
	LSCHED_UNROLL
	for (uint32_t k = 0; k < LOD_WAYS; k++) {
		const uint32_t child = n.child + k;

		if ((expanded >> k & 1u) && child >= c->front)
			lsched_emit(x, LOD_TRAVERSE, &child);
	}
	lsched_emit(x, LOD_SHOW, &node);
}

LSCHED_TASK_FN void lod_show(lod_items *x, const lod_ctx *c, uint32_t node)
{
	const lod_node n = c->node[node];
	const uint32_t expanded = lod_expanded_children(c, &n);
	uint32_t further = lod_level(n.info) == LOD_MORE ? lod_children(&n) : 0;

	lod_show_vertices(c, &n, expanded);
	lod_show_triangles(c, &n, expanded);
	while (further-- > 0) {
		const uint32_t child = n.child + further;

		lsched_emit(x, LOD_SHOW, &child);
	}
	if (n.more)
		lsched_emit(x, LOD_SHOW, &n.more);
}

LSCHED_TASK_FN lsched_result lod_body(
	lod_items *x, const lod_ctx *c, lsched_no_local *l, uint32_t proc, uint32_t node)
{
	(void)l;
	if (proc == LOD_TRAVERSE)
		lod_traverse(x, c, node);
	else
		lod_show(x, c, node);
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
#define LSCHED_MAX_SPAWN (LOD_WAYS + 1)
#else
#define LSCHED_MAX_SPAWN LOD_CPU_STACK
#endif
#define LSCHED_CHOOSE         lod_choose
#define LSCHED_MIN_BLOCKS     8
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
