/* The octree of `lod`, on the host, by levels. */
#include "workloads/common/memory.h"
#include "workloads/lod/host.h"
#include "workloads/octree/host.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Items have a part of a node as a number of 32 bits. */
enum { MOST_NODES = 1 << 29 };

/* The level of the smallest cell that has two different places. */
static uint32_t common_level(uint64_t a, uint64_t b)
{
	return (uint32_t)(__builtin_clzll(a ^ b) - 1) / 3;
}

/* Sets the grid: a cube around the mesh. */
static void measure(lod_host *h, double lo[3])
{
	const wl_mesh *m = &h->mesh;
	double size = 0;

	for (size_t axis = 0; axis < 3; axis++) {
		double hi = lo[axis] = m->xyz[axis];

		for (size_t i = 1; i < m->vertices; i++) {
			lo[axis] = fmin(lo[axis], m->xyz[3 * i + axis]);
			hi = fmax(hi, m->xyz[3 * i + axis]);
		}
		h->middle[axis] = (hi - lo[axis]) / 2;
		size = fmax(size, hi - lo[axis]);
	}
	h->scale = size > 0 ? ((1 << LOD_LEVELS) - 1) / size : 0;
	for (size_t axis = 0; axis < 3; axis++)
		h->middle[axis] *= h->scale;
}

static int sort_vertices(wl_device *d, lod_host *h, char *msg, size_t n)
{
	const wl_mesh *m = &h->mesh;
	uint64_t *code2 = wl_host_alloc(m->vertices * sizeof(*code2), msg, n);
	uint32_t *at2 = wl_host_alloc(m->vertices * sizeof(*at2), msg, n);
	double lo[3];

	h->code = wl_own(d, m->vertices * sizeof(*h->code), msg, n);
	h->at = wl_own(d, m->vertices * sizeof(*h->at), msg, n);
	if (code2 && at2 && h->code && h->at) {
		if (m->vertices)
			measure(h, lo);
		for (size_t i = 0; i < m->vertices; i++) {
			const double *p = m->xyz + 3 * i;

			h->code[i] = oct_code((uint32_t)((p[0] - lo[0]) * h->scale),
				(uint32_t)((p[1] - lo[1]) * h->scale),
				(uint32_t)((p[2] - lo[2]) * h->scale));
			h->at[i] = (uint32_t)i;
		}
		oct_radix_sort(h->code, code2, h->at, at2, m->vertices);
	}
	free(code2);
	free(at2);
	return code2 && at2 && h->code && h->at ? 0 : -1;
}

/* A place's leaf is one level below the larger of the cells that it has in common with its
 * neighbours; above it there are new cells up to the one in common with the place before. */
static uint64_t count_cells(const lod_host *h)
{
	uint64_t cells = 1;
	uint32_t before = 0; /* level of the cell in common with the place before */
	size_t k = 0;

	while (k < h->mesh.vertices) {
		size_t next = k + 1;
		uint32_t behind = 0;

		while (next < h->mesh.vertices && h->code[next] == h->code[k])
			next++;
		if (next < h->mesh.vertices)
			behind = common_level(h->code[k], h->code[next]);
		if (k > 0 || next < h->mesh.vertices)
			cells += (before > behind ? before : behind) + 1 - before;
		before = behind;
		k = next;
	}
	return cells;
}

/* While the octree is made: the vertices of each node, and the leaf of each vertex. */
typedef struct maker {
	lod_host *h;
	uint32_t *first, *last; /* [cell]: places first .. last - 1 */
	uint32_t *leaf;         /* [vertex] */
	uint32_t *way;          /* [cell]: where it begins, x 4 units, if the cell has leaves */
	uint32_t *begin;        /* [cell + 1]: triangles */
} maker;

static void set_vertex(const maker *k, uint32_t node)
{
	const uint32_t count = k->last[node] - k->first[node];
	double sum[3] = { 0, 0, 0 };

	for (uint32_t i = k->first[node]; i < k->last[node]; i++)
		for (int axis = 0; axis < 3; axis++)
			sum[axis] += k->h->mesh.xyz[3 * (size_t)k->h->at[i] + (size_t)axis];
	for (int axis = 0; axis < 3; axis++)
		k->h->vertex[node].xyz[axis] = wl_mesh_float(sum[axis] / count);
	k->h->vertex[node].node = node;
}

/* Makes the children of a node from `made` on. Returns how many. */
static uint32_t make_children(const maker *k, uint32_t parent, uint32_t made)
{
	const uint64_t *code = k->h->code;
	lod_node *node = &k->h->node[parent];
	const uint32_t level = lod_level(node->info);
	uint32_t child = made, next;

	node->child = made;
	for (uint32_t i = k->first[parent]; i < k->last[parent]; i = next, child++) {
		const uint32_t octant = oct_octant(code[i], level);

		for (next = i + 1; next < k->last[parent]; next++)
			if (oct_octant(code[next], level) != octant)
				break;
		k->first[child] = i;
		k->last[child] = next;
		k->h->parent[child] = parent;
		k->h->node[child].info = code[i] == code[next - 1] ? LOD_LEAF : level + 1;
		node->info |= 1u << (10 + octant);
		if (code[i] == code[next - 1])
			node->info |= 1u << (18 + octant);
	}
	return child - made;
}

static void make_cells(const maker *k)
{
	lod_host *h = k->h;
	uint32_t made = 1;

	k->first[0] = 0;
	k->last[0] = h->mesh.vertices;
	if (h->mesh.vertices && h->code[0] == h->code[h->mesh.vertices - 1])
		h->node->info = LOD_LEAF;
	for (uint32_t i = 0; i < made && h->mesh.vertices; i++) {
		lod_node *node = &h->node[i];

		set_vertex(k, i);
		node->at = lod_corner(h->code[k->first[i]], lod_level(node->info));
		if (node->info != LOD_LEAF)
			made += make_children(k, i, made);
		for (uint32_t v = k->first[i]; node->info == LOD_LEAF && v < k->last[i]; v++)
			k->leaf[h->at[v]] = i;
	}
}

/* Sets where the ways of the cells with leaves begin. Returns their units. */
static uint64_t place_ways(const maker *k)
{
	uint64_t units = 0;

	for (uint32_t i = 0; i < k->h->cells; i++)
		if (k->h->node[i].info >> 18) {
			k->way[i] = (uint32_t)(units / 4);
			units += (4 + lod_level(k->h->node[i].info) + 15) / 16 * 4;
		}
	return units;
}

static int make_ways(wl_device *d, const maker *k, char *msg, size_t n)
{
	lod_host *h = k->h;

	h->ways = place_ways(k);
	if (h->ways / 4 > UINT32_MAX >> 7)
		return wl_fail(msg, n,
			"the octree needs %zu ways of 64 bytes, at most %u; use a mesh of fewer "
			"triangles",
			(size_t)(h->ways / 4), UINT32_MAX >> 7);
	h->way = wl_own(d, h->ways * sizeof(*h->way), msg, n);
	for (uint32_t i = 0; h->way && i < h->cells; i++)
		if (h->node[i].info >> 18) {
			lod_way *way = h->way + (size_t)k->way[i] * 4;
			uint32_t at = 4;

			way->cell.at = h->node[i].at;
			way->cell.level = lod_level(h->node[i].info);
			way->cell.child = h->node[i].child;
			for (uint32_t node = i; node; node = h->parent[node], at++)
				way[at / 4].up[at % 4] = node;
		}
	return h->way ? 0 : -1;
}

#define NOWHERE UINT32_MAX

/* Returns the smallest cell with two corners of a triangle: when it is expanded, the triangle has
 * three. NOWHERE: two of its corners are in one leaf. */
static uint32_t parting_node(const maker *k, const uint64_t *place, const uint32_t *corner)
{
	uint32_t level = 0, node, leaf = NOWHERE;

	for (int i = 0; i < 3; i++) {
		const uint32_t a = corner[i], b = corner[(i + 1) % 3];
		uint32_t common;

		if (k->leaf[a] == k->leaf[b])
			return NOWHERE;
		common = common_level(place[a], place[b]);
		if (leaf == NOWHERE || common > level) {
			level = common;
			leaf = k->leaf[a];
		}
	}
	node = k->h->parent[leaf];
	while (lod_level(k->h->node[node].info) != level)
		node = k->h->parent[node];
	return node;
}

/* A vertex as a corner of a triangle of that node. */
static uint32_t corner_of(const maker *k, const uint64_t *place, uint32_t node, uint32_t vertex)
{
	const lod_host *h = k->h;
	const uint32_t leaf = k->leaf[vertex], up = h->parent[leaf];
	const uint64_t code = place[vertex], other = h->code[k->first[node]];
	const uint32_t level = lod_level(h->node[node].info);
	const uint32_t octants = h->node[node].info >> 10 & 255u;
	uint32_t child = LOD_OUTSIDE;

	if (code == other || common_level(code, other) >= level)
		child = lsched_popcount(octants & ((1u << oct_octant(code, level)) - 1));
	return k->way[up] << 7 | (leaf - h->node[up].child) << 4 | child;
}

/* Sorts the triangles by their nodes; `node`: room for a number each. */
static void place_triangles(const maker *k, const uint64_t *place, uint32_t *node)
{
	lod_host *h = k->h;
	const wl_mesh *m = &h->mesh;

	for (size_t i = 0; i < m->triangles; i++) {
		node[i] = parting_node(k, place, m->index + 3 * i);
		if (node[i] != NOWHERE)
			k->begin[node[i] + 1]++;
	}
	for (uint32_t i = 0; i < h->cells; i++)
		k->begin[i + 1] += k->begin[i];
	h->triangles = k->begin[h->cells];
	for (size_t i = m->triangles; i-- > 0;) {
		lod_triangle *t;

		if (node[i] == NOWHERE)
			continue;
		t = &h->triangle[--k->begin[node[i] + 1]];
		for (size_t c = 0; c < 3; c++)
			t->corner[c] = corner_of(k, place, node[i], m->index[3 * i + c]);
	}
}

/* Gives a cell its triangles first .. last - 1: those beyond the first few to nodes of a tree that
 * `more` leads to. */
static void give_triangles(lod_host *h, uint32_t cell, uint32_t first, uint32_t last)
{
	const uint32_t begin = h->nodes;
	uint32_t node = cell;

	for (;;) {
		const uint32_t left = last - first;
		const uint32_t count = left < LOD_TRIANGLES ? left : LOD_TRIANGLES;

		h->node[node].triangle = first;
		h->node[node].info |= count << 5;
		first += count;
		if (first == last)
			break;
		node = h->nodes++;
		h->node[node].info = LOD_MORE;
		for (uint32_t i = first; i < last && i < first + LOD_TRIANGLES; i++)
			for (int c = 0; c < 3; c++)
				h->triangle[i].corner[c] =
					(h->triangle[i].corner[c] & ~15u) | LOD_OUTSIDE;
	}
	if (h->nodes != begin)
		h->node[cell].more = begin;
	for (uint32_t i = begin + 1; i < h->nodes; i++) {
		const uint32_t k = (i - begin - 1) % LOD_WAYS;
		lod_node *up = &h->node[begin + (i - begin - 1) / LOD_WAYS];

		up->child = k ? up->child : i;
		up->info |= 1u << (10 + k);
	}
}

/* After place_triangles: begin[i + 1] is where those of node i begin. */
static void spread_triangles(const maker *k)
{
	lod_host *h = k->h;

	h->nodes = h->cells;
	for (uint32_t i = 0; i < h->cells; i++)
		give_triangles(
			h, i, k->begin[i + 1], i + 1 < h->cells ? k->begin[i + 2] : h->triangles);
}

static int make_parts(wl_device *d, lod_host *h, char *msg, size_t n)
{
	const uint32_t v = h->mesh.vertices;
	maker k = { h, wl_host_alloc(h->cells * sizeof(uint32_t), msg, n),
		wl_host_alloc(h->cells * sizeof(uint32_t), msg, n),
		wl_host_alloc(v * sizeof(uint32_t), msg, n),
		wl_host_alloc(h->cells * sizeof(uint32_t), msg, n),
		wl_host_alloc((h->cells + (size_t)1) * sizeof(uint32_t), msg, n) };
	uint64_t *place = wl_host_alloc(v * sizeof(*place), msg, n);
	uint32_t *node = wl_host_alloc(h->mesh.triangles * sizeof(*node), msg, n);
	int bad = !k.first || !k.last || !k.leaf || !k.way || !k.begin || !place || !node;

	if (!bad) {
		make_cells(&k);
		bad = make_ways(d, &k, msg, n);
	}
	if (!bad) {
		for (uint32_t i = 0; i < v; i++)
			place[h->at[i]] = h->code[i];
		place_triangles(&k, place, node);
		spread_triangles(&k);
	}
	free(k.first);
	free(k.last);
	free(k.leaf);
	free(k.way);
	free(k.begin);
	free(place);
	free(node);
	return bad ? -1 : 0;
}

int lod_make_tree(wl_device *d, lod_host *h, char *msg, size_t n)
{
	const uint32_t t = h->mesh.triangles;
	uint64_t cells, nodes;

	if (sort_vertices(d, h, msg, n))
		return -1;
	cells = count_cells(h);
	nodes = cells + t / LOD_TRIANGLES;
	if (nodes > MOST_NODES)
		return wl_fail(msg, n, "the octree has %" PRIu64 " nodes, more than %d", nodes,
			MOST_NODES);
	h->cells = (uint32_t)cells;
	h->node = wl_own(d, nodes * sizeof(*h->node), msg, n);
	h->vertex = h->node ? wl_own(d, cells * sizeof(*h->vertex), msg, n) : NULL;
	h->parent = h->vertex ? wl_own(d, cells * sizeof(*h->parent), msg, n) : NULL;
	h->triangle = h->parent ? wl_own(d, t * sizeof(*h->triangle), msg, n) : NULL;
	return h->triangle ? make_parts(d, h, msg, n) : -1;
}
