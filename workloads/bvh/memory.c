/* Memory of the tree, and boxes of triangles. */
#include "workloads/common/memory.h"
#include "collide/bvh/arrays.h"
#include "workloads/bvh/host.h"
#include "workloads/mesh/mesh.h"

#include <inttypes.h>
#include <math.h>

/* Of the arrays for each triangle. */
#define TREE_BYTES UINT64_C(170)

int bvh_reserve(wl_device *d, bvh_ctx *c, char *msg, size_t n)
{
	lsched_status st;

	if (c->n > BVH_MAX_BOXES)
		return wl_fail(
			msg, n, "%" PRIu32 " boxes are more than %" PRIu32, c->n, BVH_MAX_BOXES);
	if (!wl_is_cuda(d) && !wl_host_has(c->n * TREE_BYTES))
		return wl_no_memory(c->n * TREE_BYTES, msg, n);
	st = collide_i_bvh_alloc(d->ctx, c);
	return st == LSCHED_OK ? 0 : wl_cannot_allocate(d, st, "the tree", msg, n);
}

int obb_reserve(wl_device *d, obb_ctx *c, char *msg, size_t n)
{
	const size_t count = c->tree.n;

	return (c->corners = wl_alloc(d, count * sizeof(*c->corners), msg, n)) &&
			       (c->sums = wl_alloc(d, 2 * count * sizeof(*c->sums), msg, n)) &&
			       (c->box = wl_alloc(d, 2 * count * sizeof(*c->box), msg, n)) &&
			       (c->arrived = wl_alloc(d, count * sizeof(*c->arrived), msg, n)) &&
			       (c->list = wl_alloc(d, 2 * count * sizeof(*c->list), msg, n)) &&
			       (c->counts = wl_alloc(d, sizeof(*c->counts), msg, n))
		       ? 0
		       : -1;
}

int bvh_triangle_boxes(bvh_box *box, const double *xyz, const uint32_t *index, uint32_t triangles,
	double scale, char *msg, size_t n)
{
	for (uint32_t i = 0; i < triangles; i++)
		for (int axis = 0; axis < 3; axis++) {
			float lo = INFINITY, hi = -INFINITY;

			for (int k = 0; k < 3; k++) {
				const double at = xyz[3 * (size_t)index[3 * (size_t)i + k] + axis];
				const float v = wl_mesh_float(at * scale);

				if (!isfinite(v))
					return wl_fail(msg, n,
						"triangle %" PRIu32 ": coordinate %c is %g; "
						"it must be a finite float",
						i, "xyz"[axis], at);
				lo = v < lo ? v : lo;
				hi = v > hi ? v : hi;
			}
			box[i].lo[axis] = lo;
			box[i].hi[axis] = hi;
		}
	return 0;
}

void obb_triangles(
	obb_triangle *t, const double *xyz, const uint32_t *index, uint32_t triangles, double scale)
{
	for (uint32_t i = 0; i < triangles; i++)
		for (int k = 0; k < 3; k++)
			for (int axis = 0; axis < 3; axis++)
				t[i].at[k][axis] =
					(float)(xyz[3 * (size_t)index[3 * (size_t)i + k] + axis] *
						scale);
}

/* Equal triangles: places divide nothing. */
static int make_same(wl_mesh *m, uint64_t n, char *msg, size_t msg_bytes)
{
	if (wl_mesh_make(m, 3, n, msg, msg_bytes))
		return -1;
	for (size_t k = 0; k < 9; k++)
		m->xyz[k] = k % 4 == 0;
	for (uint64_t i = 0; i < 3 * n; i++)
		m->index[i] = (uint32_t)(i % 3);
	return 0;
}

static int load_mesh(wl_mesh *m, const bvh_options *o, char *msg, size_t n)
{
	if (o->input)
		return wl_mesh_read(m, o->input, msg, n);
	switch (o->n ? o->shape : BVH_RANDOM) { /* the others have no empty mesh */
	case BVH_CLOTH:
		return wl_mesh_cloth(m, o->n, 0.8, msg, n);
	case BVH_SPHERE:
		return wl_mesh_sphere(m, o->n, o->seed, msg, n);
	case BVH_TORI:
		return wl_mesh_tori(m, o->n, 0, msg, n);
	case BVH_SAME:
		return make_same(m, o->n, msg, n);
	default:
		return wl_mesh_random(m, o->n, o->seed, 0, msg, n);
	}
}

int bvh_load_boxes(wl_device *d, bvh_host *h, char *msg, size_t n)
{
	wl_mesh m;
	int bad = load_mesh(&m, &h->o, msg, n);

	if (bad)
		return -1;
	if (m.triangles > BVH_MAX_BOXES)
		bad = wl_fail(msg, n, "the mesh has %" PRIu32 " triangles, more than %" PRIu32,
			m.triangles, BVH_MAX_BOXES);
	/* the second position is a sixteenth larger */
	for (int k = 0; k < 2 && !bad && (k == 0 || h->o.phase == BVH_REFIT_ALL); k++) {
		const double scale = k ? 1.0625 : 1;

		h->box[k] = wl_own(d, m.triangles * sizeof(bvh_box), msg, n);
		bad = !h->box[k] ||
		      bvh_triangle_boxes(h->box[k], m.xyz, m.index, m.triangles, scale, msg, n);
		if (bad || h->o.boxes != BVH_BOXES_OBB)
			continue;
		h->triangle[k] = wl_own(d, m.triangles * sizeof(obb_triangle), msg, n);
		bad = !h->triangle[k];
		if (!bad)
			obb_triangles(h->triangle[k], m.xyz, m.index, m.triangles, scale);
	}
	h->ctx.n = m.triangles;
	h->ctx.leaf_most = h->o.leaf;
	wl_mesh_free(&m);
	return bad ? -1 : 0;
}
