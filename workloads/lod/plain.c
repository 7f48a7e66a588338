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
	const uint32_t octants = lod_octants(c, n), expanded = lod_expanded_octants(c, n);

	if (++w->steps % 4096 == 0 && wl_stopped(w->d))
		return;
	if (w->triangles + lod_triangles_of(n->info) <= c->triangles.any.capacity)
		lod_write_triangles(c, n, lod_triangles_elements(&c->triangles) + w->triangles);
	w->triangles += lod_triangles_of(n->info);
	for (uint32_t k = 0, child = n->child; octants >> k; k++) {
		if (expanded >> k & 1u)
			expand(w, child);
		else if (octants >> k & 1u)
			collapse(w, child);
		child += octants >> k & 1u;
	}
	if (n->more)
		expand(w, n->more);
}

int lod_plain_cpu(wl_work *work, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	const lod_host *h = work->host_data;
	int again;

	do {
		lod_ctx c = h->ctx;
		walker w = { .d = d, .c = &c };
		const uint64_t begin = wl_now_ns();

		c.front = 0; /* it begins with the root alone */
		if (lod_node_expanded(&c, 0))
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
