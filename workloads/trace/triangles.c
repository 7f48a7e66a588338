/* The triangles of a mesh in the room, and their hierarchy by libcollide. */
#include "workloads/common/memory.h"
#include "workloads/mesh/mesh.h"
#include "workloads/trace/host.h"
#include "workloads/trace/step.h"

#include <inttypes.h>
#include <string.h>

/* Moves and scales vertices: the mesh is upright in the middle of the room, on the floor, and has
 * 3/4 of its least side. Coordinates become floats, from which boxes and triangles are made. */
static void place(wl_mesh *m, const trc_scene *s)
{
	double lo[3] = { HUGE_VAL, HUGE_VAL, HUGE_VAL },
	       hi[3] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL };
	double most = 0;

	for (size_t i = 0; i < (size_t)m->vertices * 3; i++) {
		lo[i % 3] = fmin(lo[i % 3], m->xyz[i]);
		hi[i % 3] = fmax(hi[i % 3], m->xyz[i]);
	}
	for (int k = 0; k < 3; k++)
		most = fmax(most, hi[k] - lo[k]);
	for (size_t i = 0; i < (size_t)m->vertices * 3; i++) {
		const size_t k = i % 3;
		const double scale = most > 0 ? 1.5 / most : 0;
		const double from = k == 1 ? lo[k] : lo[k] + (hi[k] - lo[k]) / 2;
		const double to = k == 1 ? 0.01 - (double)s->half[1] : 0;

		m->xyz[i] = (double)(float)((m->xyz[i] - from) * scale + to);
	}
}

static void make_boxes(const wl_mesh *m, collide_box *box)
{
	for (size_t i = 0; i < m->triangles; i++)
		for (int axis = 0; axis < 3; axis++) {
			float *lo = &box[i].lo[axis], *hi = &box[i].hi[axis];

			*lo = INFINITY;
			*hi = -INFINITY;
			for (int k = 0; k < 3; k++) {
				const float v =
					(float)m->xyz[3 * (size_t)m->index[3 * i + (size_t)k] +
						      (size_t)axis];

				*lo = v < *lo ? v : *lo;
				*hi = v > *hi ? v : *hi;
			}
		}
}

static void make_triangle(const wl_mesh *m, uint32_t number, trc_triangle *t)
{
	const uint32_t *corner = &m->index[3 * (size_t)number];

	for (int axis = 0; axis < 3; axis++) {
		float v[3];

		for (int k = 0; k < 3; k++)
			v[k] = (float)m->xyz[3 * (size_t)corner[k] + (size_t)axis];
		t->at[axis] = v[0];
		t->edge[0][axis] = v[1] - v[0];
		t->edge[1][axis] = v[2] - v[0];
	}
}

/* Builds the tree by CPU threads, which make the same one as a GPU, and copies it. */
static int build(trc_host *h, const wl_mesh *m, const collide_box *box, collide_node *node,
	trc_triangle *triangle, char *msg, size_t n)
{
	collide_options o;
	collide_tree tree;
	collide_ctx *ctx = NULL;
	collide_bvh *bvh = NULL;
	collide_status s;

	collide_options_init(&o);
	collide_tree_init(&tree);
	o.backend = COLLIDE_BACKEND_CPU;
	s = collide_open(&ctx, &o);
	if (s == COLLIDE_OK)
		s = collide_bvh_create(&bvh, ctx, 1);
	if (s == COLLIDE_OK)
		s = collide_bvh_build(bvh, box, m->triangles, COLLIDE_HOST);
	if (s == COLLIDE_OK)
		s = collide_bvh_tree(bvh, &tree);
	if (s == COLLIDE_OK) {
		memcpy(node, tree.node, m->triangles * sizeof(*node));
		for (uint32_t i = 0; i < m->triangles; i++)
			make_triangle(m, tree.order[i], &triangle[i]);
		h->host.triangles = m->triangles;
	} else {
		wl_fail(msg, n, "the hierarchy of the mesh: %s", collide_last_error());
	}
	collide_bvh_destroy(&bvh);
	collide_close(&ctx);
	return s == COLLIDE_OK ? 0 : -1;
}

static int make_tree(trc_host *h, wl_device *d, const wl_mesh *m, char *msg, size_t n)
{
	const size_t count = m->triangles;
	collide_box *box = wl_own(d, count * sizeof(*box), msg, n);
	collide_node *node = box ? wl_own(d, count * sizeof(*node), msg, n) : NULL;
	trc_triangle *triangle = node ? wl_own(d, count * sizeof(*triangle), msg, n) : NULL;

	if (!triangle)
		return -1;
	make_boxes(m, box);
	if (build(h, m, box, node, triangle, msg, n))
		return -1;
	wl_free(d, box);
	h->host.node = node;
	h->host.triangle = triangle;
	h->ctx.triangles = m->triangles;
	h->ctx.node = wl_upload(d, node, count * sizeof(*node), msg, n);
	if (h->ctx.node)
		h->ctx.triangle = wl_upload(d, triangle, count * sizeof(*triangle), msg, n);
	return h->ctx.triangle ? 0 : -1;
}

int trc_load_mesh(trc_host *h, wl_device *d, char *msg, size_t n)
{
	wl_mesh m;
	int bad = wl_mesh_read(&m, h->o.input, msg, n);

	if (bad)
		return -1;
	bad = wl_mesh_check_floats(&m, h->o.input, msg, n);
	if (!bad && m.triangles == 0) {
		bad = wl_fail(msg, n, "%s: the mesh has no triangle", h->o.input);
	} else if (!bad) {
		place(&m, &h->ctx.scene);
		bad = make_tree(h, d, &m, msg, n);
	}
	wl_mesh_free(&m);
	return bad;
}

/* The nearest hit by all triangles. Returns its object. */
static uint32_t hit_by_all(const trc_ctx *c, trc_path *p)
{
	const trc_path from = *p;
	uint32_t object = trc_hit(c, p, 0);
	float nearest = INFINITY, t;

	for (int k = 0; k < 3; k++) /* the distance of the room, by the longest component */
		if (fabsf(from.way[k]) > 0.5f)
			nearest = (p->at[k] - from.at[k]) / from.way[k];
	for (uint32_t i = 0; i < c->triangles; i++) {
		t = trc_meet(&c->triangle[i], &from);
		if (t > TRC_LEAST && t < nearest) {
			nearest = t;
			object = TRC_TRIANGLES + i;
			trc_along(p->at, from.at, t, from.way);
		}
	}
	return object;
}

/* Whether two hits differ by more than rounding: of triangles in one plane either may be nearer. */
static int is_apart(const float a[3], const float b[3])
{
	return fmaxf(fabsf(a[0] - b[0]), fmaxf(fabsf(a[1] - b[1]), fabsf(a[2] - b[2]))) > 1e-5f;
}

/* Whether a point is outside of the box of the triangle that was hit there: nearly seen from its
 * edge, so that the hit is rounding. Whether the tree finds such a hit depends on its boxes. */
static int is_rounding(const trc_ctx *c, uint32_t object, const float at[3])
{
	const trc_triangle *t = c->triangle + (object - TRC_TRIANGLES);

	for (int k = 0; k < 3 && object >= TRC_TRIANGLES; k++) {
		const float b = t->at[k] + t->edge[0][k], e = t->at[k] + t->edge[1][k];

		if (at[k] < fminf(t->at[k], fminf(b, e)) - 1e-6f ||
			at[k] > fmaxf(t->at[k], fmaxf(b, e)) + 1e-6f)
			return 1;
	}
	return 0;
}

int trc_check_hits(const trc_host *h, char *why, size_t n)
{
	const trc_ctx *c = &h->host;
	const uint32_t rays = (1u << 24) / (c->triangles + 1) + 16;
	const uint32_t most = rays < 2000 ? rays : 2000;

	for (uint32_t i = 0; i < most; i++) {
		trc_path p = { .pixel = (uint32_t)(wl_hash64(i) % (c->width * c->height)),
			.sample = i };
		uint32_t lit, alive = 1;
		float light[3];

		trc_begin(c, &p);
		for (int k = 0; k < 2 && alive; k++) {
			trc_path q = p;
			const uint32_t object = trc_hit(c, &p, 1), right = hit_by_all(c, &q);

			if (is_apart(p.at, q.at) && !is_rounding(c, right, q.at) &&
				!is_rounding(c, object, p.at))
				return wl_fail(why, n,
					"a path of pixel %" PRIu32
					" hits something else than the nearest triangle",
					p.pixel);
			alive = trc_scatter(c, &p, object, light, &lit, 1);
		}
	}
	return 0;
}
