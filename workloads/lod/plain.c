/* The simplification without libsched, by one CPU thread: a recursion. */
#include "workloads/lod/host.h"

typedef struct walker {
	const wl_device *d;
	const lod_ctx *c;
	uint64_t vertices, triangles, steps;
} walker;

static void collapse(walker *w, uint32_t number)
{
	const lod_vertices *out = &w->c->vertices;

	if (w->vertices < out->any.capacity)
		lod_vertices_elements(out)[w->vertices] = w->c->vertex[number];
	w->vertices++;
}

/* Expands a node; as many calls deep as the octree. */
static void expand(walker *w, uint32_t number)
{
	const lod_ctx *c = w->c;
	const lod_node *n = &c->node[number];
	const uint32_t expanded = lod_expanded_children(c, n), children = lod_children(n);

	if (++w->steps % 4096 == 0 && wl_stopped(w->d))
		return;
	if (w->triangles + lod_triangles_of(n->info) <= c->triangles.any.capacity)
		lod_write_triangles(
			c, n, expanded, lod_triangles_elements(&c->triangles) + w->triangles);
	w->triangles += lod_triangles_of(n->info);
	for (uint32_t k = 0; k < children; k++)
		if (expanded >> k & 1u)
			expand(w, n->child + k);
		else
			collapse(w, n->child + k);
	if (n->more)
		expand(w, n->more);
}

int lod_plain_cpu(wl_work *work, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	const lod_host *h = work->host_data;
	int again;

	do {
		walker w = { .d = d, .c = &h->ctx };
		const uint64_t begin = wl_now_ns();

		if (lod_node_expanded(w.c, 0))
			expand(&w, 0);
		else
			collapse(&w, 0);
		*ns = wl_now_ns() - begin;
		h->ctx.vertices.any.state->count = w.vertices;
		h->ctx.triangles.any.state->count = w.triangles;
		again = wl_stopped(d) ? WL_STOPPED : work->again(work, d, why, n);
	} while (again > 0 && !wl_stopped(d));
	return again;
}
