/* The truth of `lod`: a recursion over the sorted vertices, without the octree, collapses each cell
 * that is not expanded; the triangles of the mesh with three different cells are those to be
 * shown. */
#include "workloads/common/memory.h"
#include "workloads/common/random.h"
#include "workloads/lod/host.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The same for a cell of the recursion and a node of the octree. */
static uint64_t cell_name(uint64_t corner, uint32_t level)
{
	return wl_hash64(wl_hash64(corner) + level);
}

static void add_vertex(lod_sums *s, uint64_t name, const float xyz[3])
{
	uint32_t bits[3];

	memcpy(bits, xyz, sizeof(bits));
	s->count++;
	s->sum += wl_hash64(wl_hash64(wl_hash64(name + bits[0]) + bits[1]) + bits[2]);
}

static void add_triangle(lod_sums *s, uint64_t a, uint64_t b, uint64_t c)
{
	s->count++;
	s->sum += wl_hash64(wl_hash64(wl_hash64(a) + b) + c);
}

/* ---- the truth ---- */

typedef struct walker {
	lod_host *h;
	uint64_t *name; /* [vertex]: of the cell that it collapses to */
} walker;

static void collapse(const walker *w, uint32_t first, uint32_t last, uint64_t name)
{
	const lod_host *h = w->h;
	double sum[3] = { 0, 0, 0 };
	float xyz[3];

	for (uint32_t k = first; k < last; k++) {
		w->name[h->at[k]] = name;
		for (size_t axis = 0; axis < 3; axis++)
			sum[axis] += h->mesh.xyz[3 * (size_t)h->at[k] + axis];
	}
	for (int axis = 0; axis < 3; axis++)
		xyz[axis] = wl_mesh_float(sum[axis] / (last - first));
	add_vertex(&w->h->truth[LOD_VERTEX_SET], name, xyz);
}

/* The cell of that level with places first .. last - 1; at most 21 calls deep. */
static void walk(const walker *w, uint32_t first, uint32_t last, uint32_t level)
{
	const uint64_t *code = w->h->code;
	const int leaf = code[first] == code[last - 1];
	const uint64_t corner = lod_corner(code[first], leaf ? LOD_LEAF : level);
	uint32_t next;

	if (!lod_expanded(&w->h->ctx, corner, leaf ? LOD_LEAF : level)) {
		collapse(w, first, last, cell_name(corner, leaf ? LOD_LEAF : level));
		return;
	}
	w->h->expanded++;
	for (; first < last; first = next) {
		for (next = first + 1; next < last; next++)
			if (oct_octant(code[next], level) != oct_octant(code[first], level))
				break;
		walk(w, first, next, level + 1);
	}
}

/* Counts what a grid of 2^level cells an axis leaves, without a recursion. Returns whether the
 * truth has as many. `cell`: room for each vertex. */
static int same_as_grid(const lod_host *h, uint64_t *cell)
{
	const wl_mesh *m = &h->mesh;
	const uint32_t shift = 3 * (LOD_LEVELS - h->o.level);
	uint64_t vertices = 0, triangles = 0;

	for (size_t k = 0; k < m->vertices; k++) {
		cell[h->at[k]] = h->code[k] >> shift;
		vertices += k == 0 || h->code[k - 1] >> shift != h->code[k] >> shift;
	}
	for (size_t i = 0; i < m->triangles; i++) {
		const uint32_t *c = m->index + 3 * i;

		triangles += cell[c[0]] != cell[c[1]] && cell[c[1]] != cell[c[2]] &&
			     cell[c[2]] != cell[c[0]];
	}
	return vertices == h->truth[LOD_VERTEX_SET].count &&
	       triangles == h->truth[LOD_TRIANGLE_SET].count;
}

int lod_make_truth(wl_device *d, lod_host *h, char *msg, size_t n)
{
	const wl_mesh *m = &h->mesh;
	const walker w = { h, wl_host_alloc(m->vertices * sizeof(uint64_t), msg, n) };
	int bad = 0;

	h->name = wl_own(d, h->cells * sizeof(*h->name), msg, n);
	if (!w.name || !h->name) {
		free(w.name);
		return -1;
	}
	if (m->vertices)
		walk(&w, 0, m->vertices, 0);
	for (size_t i = 0; i < m->triangles; i++) {
		const uint32_t *c = m->index + 3 * i;
		const uint64_t name[3] = { w.name[c[0]], w.name[c[1]], w.name[c[2]] };

		if (name[0] != name[1] && name[1] != name[2] && name[2] != name[0])
			add_triangle(&h->truth[LOD_TRIANGLE_SET], name[0], name[1], name[2]);
	}
	if (h->o.level && !same_as_grid(h, w.name))
		bad = wl_fail(msg, n, "the recursion does not leave what a grid leaves");
	free(w.name);
	for (uint32_t i = 0; i < h->cells; i++)
		h->name[i] = cell_name(h->node[i].at, lod_level(h->node[i].info));
	return bad;
}

/* ---- the result of an execution ---- */

/* Adds up the elements of a stream. Returns 0, or -1 with why. */
static int add_up(wl_device *d, const lod_host *h, int set, lod_sums *s, char *why, size_t n)
{
	const uint64_t count = h->needed[set];
	const int is_vertex = set == LOD_VERTEX_SET;
	const lsched_stream *stream = is_vertex ? &h->ctx.vertices.any : &h->ctx.triangles.any;
	void *copy =
		wl_host_copy(d, stream->elements, count * (size_t)stream->element_bytes, why, n);
	const lod_vertex *vertex = copy;
	const lod_triangle *triangle = copy;
	int bad = copy ? 0 : -1;

	*s = (lod_sums){ 0, 0 };
	for (uint64_t k = 0; !bad && k < count; k++) {
		const uint32_t *c = is_vertex ? &vertex[k].node : triangle[k].corner;

		for (int i = 0; !bad && i < (is_vertex ? 1 : 3); i++)
			if (c[i] >= h->cells)
				bad = wl_fail(why, n,
					"%s %" PRIu64 " has node %" PRIu32 " of %" PRIu32,
					is_vertex ? "vertex" : "triangle", k, c[i], h->cells);
		if (!bad && is_vertex)
			add_vertex(s, h->name[c[0]], vertex[k].xyz);
		else if (!bad)
			add_triangle(s, h->name[c[0]], h->name[c[1]], h->name[c[2]]);
	}
	free(copy);
	return bad;
}

int lod_check(wl_work *w, wl_device *d, char *why, size_t n)
{
	static const char *const names[LOD_SETS] = { "vertices", "triangles" };
	const lod_host *h = w->host_data;
	const lod_sums *truth = h->truth;

	for (int set = 0; set < LOD_SETS; set++) {
		lod_sums got;

		if (add_up(d, h, set, &got, why, n))
			return -1;
		if (got.count != truth[set].count || got.sum != truth[set].sum)
			return wl_fail(why, n,
				"%" PRIu64 " %s, not the %" PRIu64 " that a recursion finds%s",
				got.count, names[set], truth[set].count,
				got.count == truth[set].count ? ", but others" : "");
		wl_add_fact(w, names[set], (double)got.count);
	}
	wl_add_fact(w, "nodes", (double)h->expanded);
	wl_add_fact(w, "triangles of the mesh", h->mesh.triangles);
	w->operations = w->value = truth[LOD_VERTEX_SET].count;
	return 0;
}
