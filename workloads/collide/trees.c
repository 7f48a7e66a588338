/* Meshes, trees and memory of the workload. */
#include "workloads/collide/host.h"
#include "collide/pairs/swept.h"
#include "workloads/collide/tree.h"
#include "workloads/common/memory.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int make_scene(wl_mesh *m, const col_options *o, int end, char *msg, size_t n)
{
	switch (o->scene) {
	case COL_SCENE_TORI:
		return wl_mesh_tori(m, o->n, end ? 0.05 : 0, msg, n);
	case COL_SCENE_SPHERE:
		return wl_mesh_sphere(m, o->n, o->seed + (uint32_t)end, msg, n);
	case COL_SCENE_RANDOM:
		return wl_mesh_random(m, o->n, o->seed, end ? 1 : 0, msg, n);
	default:
		return wl_mesh_cloth(m, o->n, end ? 0.78 : 0.8, msg, n);
	}
}

static int load_files(collide *c, char *msg, size_t n)
{
	const char *comma = strchr(c->o.input, ',');
	char first[4096];

	if (comma && (size_t)(comma - c->o.input) >= sizeof(first))
		return wl_fail(msg, n, "--input: the first name is too long");
	snprintf(
		first, sizeof(first), "%.*s", comma ? (int)(comma - c->o.input) : 4095, c->o.input);
	/* boxes have coordinates of floats; one file is read once, as it may be a pipe */
	if (wl_mesh_read(&c->start, first, msg, n) ||
		wl_mesh_check_floats(&c->start, first, msg, n))
		return -1;
	if (!comma)
		return wl_mesh_copy(&c->end, &c->start, msg, n);
	if (wl_mesh_read(&c->end, comma + 1, msg, n) ||
		wl_mesh_check_floats(&c->end, comma + 1, msg, n))
		return -1;
	if (c->start.vertices != c->end.vertices || c->start.triangles != c->end.triangles ||
		memcmp(c->start.index, c->end.index,
			(size_t)c->start.triangles * 3 * sizeof(uint32_t)) != 0)
		return wl_fail(msg, n,
			"--input: the files are no positions of one mesh: %" PRIu32 " and %" PRIu32
			" vertices, %" PRIu32 " and %" PRIu32 " triangles, or other corners",
			c->start.vertices, c->end.vertices, c->start.triangles, c->end.triangles);
	return 0;
}

int col_load(collide *c, char *msg, size_t n)
{
	const col_poll never = { NULL, NULL }; /* a signal ends the making of a load at once */
	size_t bytes;

	if (c->o.input ? load_files(c, msg, n)
		       : make_scene(&c->start, &c->o, 0, msg, n) ||
				 make_scene(&c->end, &c->o, 1, msg, n))
		return -1;
	bytes = (size_t)c->start.triangles * 10 * sizeof(uint32_t); /* faces, edges, vertices */
	if (!wl_host_has(bytes) || collide_i_prims_make(c->prims, c->start.vertices,
					   c->start.triangles, c->start.index, &never))
		return wl_no_memory(bytes, msg, n);
	for (int k = 0; k < COL_PRIMS; k++)
		if (c->prims[k].count >= COL_MAX_LEAVES)
			return wl_fail(msg, n,
				"the mesh has %" PRIu32 " primitives of a kind, more than %d",
				c->prims[k].count, COL_MAX_LEAVES);
	return 0;
}

/* The nodes and records of the leaves, in their order; an empty tree has a leaf that overlaps
 * nothing. */
static void fill_leaves(
	const col_prims *p, const col_leaf *leaf, col_node *node, col_corners *corners)
{
	node[0] = (col_node){ .child = { COL_LEAF, COL_LEAF } };
	for (int k = 0; k < 2; k++)
		col_no_box(&node[0].box[k]);
	for (uint32_t i = 0; i < p->count; i++)
		col_leaf_entries(leaf[i].box, leaf[i].primitive, i,
			p->vertex + (size_t)leaf[i].primitive * p->corners, p->corners, &node[i],
			&corners[i]);
}

static int upload_tree(wl_device *d, const col_prims *p, col_host_tree *t, char *msg, size_t n)
{
	const size_t nodes = p->count ? p->count - 1 : 0;
	col_node *node = malloc(((size_t)p->count + 1) * sizeof(*node));
	col_corners *corners = malloc(((size_t)p->count + 1) * sizeof(*corners));

	if (node && corners) {
		fill_leaves(p, t->leaf, node, corners);
		t->d_node = wl_upload(d, t->node, nodes * sizeof(*node), msg, n);
		if (t->d_node)
			t->d_leaf_node = wl_upload(
				d, node, (p->count ? p->count : 1) * sizeof(*node), msg, n);
		if (t->d_leaf_node)
			t->d_corners = wl_upload(d, corners, p->count * sizeof(*corners), msg, n);
		if (t->d_corners)
			t->d_vertex = wl_upload(d, p->vertex,
				(size_t)p->count * p->corners * sizeof(*p->vertex), msg, n);
	} else {
		wl_no_memory(((size_t)p->count + 1) * (sizeof(*node) + sizeof(*corners)), msg, n);
	}
	free(node);
	free(corners);
	return t->d_vertex ? 0 : -1;
}

static int make_tree(wl_device *d, collide *c, int prim, char *msg, size_t n)
{
	const col_prims *p = &c->prims[prim];
	col_host_tree *t = &c->tree[prim];
	const size_t nodes = p->count ? p->count - 1 : 0;
	/* two copies of nodes and leaves' nodes, of the host and of the tasks */
	const size_t bytes = ((size_t)p->count + 1) *
			     (sizeof(*t->box) + sizeof(*t->leaf) + 4 * sizeof(*t->node));

	if (wl_host_has(bytes)) {
		t->box = malloc(((size_t)p->count + 1) * sizeof(*t->box));
		t->node = malloc((nodes + 1) * sizeof(*t->node));
		t->leaf = malloc(((size_t)p->count + 1) * sizeof(*t->leaf));
	}
	if (!t->box || !t->node || !t->leaf)
		return wl_no_memory(bytes, msg, n);
	for (uint32_t i = 0; i < p->count; i++)
		collide_i_prims_box(p, i, c->start.xyz, c->end.xyz, &t->box[i]);
	if (col_tree_make(t->box, p->count, t->node, t->leaf))
		return wl_no_memory(nodes * sizeof(*t->node), msg, n);
	return upload_tree(d, p, t, msg, n);
}

static col_tree task_tree(const collide *c, int prim)
{
	const col_prims *p = &c->prims[prim];
	const col_host_tree *t = &c->tree[prim];
	const col_tree tree = { t->d_node, t->d_leaf_node, t->d_corners, p->count };

	return tree;
}

static int stream_error(const wl_device *d, char *msg, size_t n)
{
	return wl_fail(msg, n, "%s", lsched_last_error(d->ctx));
}

int col_make_trees(wl_device *d, collide *c, char *msg, size_t n)
{
	const uint64_t room = 8 * (uint64_t)c->prims[COL_PRIM_EDGE].count + 1024;
	lsched_status st;

	for (int i = 0; i < c->kinds; i++) {
		const int kind = c->kind[i];

		for (int k = 0; k < 2; k++) {
			const int prim = collide_i_prims_of[kind][k];

			if (!c->tree[prim].d_vertex && make_tree(d, c, prim, msg, n))
				return -1;
			c->ctx.tree[kind][k] = task_tree(c, prim);
		}
		c->ctx.self |=
			(uint32_t)(collide_i_prims_of[kind][0] == collide_i_prims_of[kind][1])
			<< kind;
		st = lsched_stream_open(d->ctx, &c->ctx.out[kind].any, sizeof(col_pair), room);
		if (st != LSCHED_OK)
			return wl_cannot_allocate(d, st, "the pairs", msg, n);
	}
	return 0;
}

void col_free_trees(wl_device *d, collide *c)
{
	for (int k = 0; k < COL_PRIMS; k++) {
		col_host_tree *t = &c->tree[k];

		free(t->box);
		free(t->node);
		free(t->leaf);
	}
	for (int k = 0; k < COL_KINDS; k++)
		lsched_stream_close(d->ctx, &c->ctx.out[k].any);
}

int col_clear(wl_device *d, collide *c, char *msg, size_t n)
{
	for (int i = 0; i < c->kinds; i++)
		if (lsched_stream_clear(d->ctx, &c->ctx.out[c->kind[i]].any) != LSCHED_OK)
			return stream_error(d, msg, n);
	return 0;
}

int col_enlarge(wl_device *d, lsched_stream *s, uint64_t *needed, char *msg, size_t n)
{
	lsched_status st;

	if (lsched_stream_counts(d->ctx, s, needed, NULL) != LSCHED_OK)
		return stream_error(d, msg, n);
	if (*needed <= s->capacity)
		return 0;
	st = lsched_stream_enlarge(d->ctx, s, *needed + *needed / 8);
	return st == LSCHED_OK ? 1 : wl_cannot_allocate(d, st, "the pairs", msg, n);
}

int col_grow(wl_device *d, collide *c, char *msg, size_t n)
{
	int grown = 0;

	for (int i = 0; i < c->kinds; i++) {
		const int kind = c->kind[i];
		const int more = col_enlarge(d, &c->ctx.out[kind].any, &c->found[kind], msg, n);

		if (more < 0)
			return -1;
		grown |= more;
	}
	return grown;
}

int col_find(wl_device *d, collide *c, char *msg, size_t n)
{
	const lsched_program *program = wl_is_cuda(d) ? WL_CUDA(collide_i_pairs_cuda_program)
						      : &collide_i_pairs_cpu_program;
	lsched_run_options o;
	int again = 1;

	lsched_run_options_init(&o);
	o.max_tasks = c->roots ? c->roots : 1;
	while (again > 0) {
		if (col_clear(d, c, msg, n) ||
			wl_run_once(d, program, &o, &c->ctx, c->roots, msg, n))
			return -1;
		again = col_grow(d, c, msg, n);
	}
	return again;
}
