/* What a path hits next: the room, spheres, or the triangles of a mesh by the hierarchy that
 * libcollide makes. Compiled for CPU and GPU. */
#ifndef WORKLOADS_TRACE_HIT_H
#define WORKLOADS_TRACE_HIT_H

#include "workloads/trace/trace.h"

/* A surface does not hide itself. */
#define TRC_LEAST 0x1p-14f

/* The wall or lamp that a ray in the room hits, at *t. */
LSCHED_FN uint32_t trc_hit_room(const trc_scene *s, const trc_path *p, float *t)
{
	uint32_t object = 0;
	float x, z;

	*t = INFINITY;
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		const uint32_t up = p->way[k] > 0;
		const float wall = up ? s->half[k] : -s->half[k];
		const float at = (wall - p->at[k]) / p->way[k];

		if (p->way[k] != 0 && at < *t) {
			*t = at;
			object = 2 * k + up;
		}
	}
	*t = *t > 0 ? *t : 0; /* rounding has left the room */
	x = fmaf(*t, p->way[0], p->at[0]);
	z = fmaf(*t, p->way[2], p->at[2]);
	if (object == 3 && x > s->lamp[0][0] && x < s->lamp[0][1] && z > s->lamp[1][0] &&
		z < s->lamp[1][1])
		object = TRC_LAMP;
	return object;
}

/* Where a ray enters a box, INFINITY if not before `nearest`; `inverse`: one by its direction. What
 * is no number decides nothing, and the far side is a bit farther, so no box is missed by rounding.
 */
LSCHED_FN float trc_enter(
	const collide_box *b, const trc_path *p, const float inverse[3], float nearest)
{
	float from = 0, to = nearest;

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		const float lo = (b->lo[k] - p->at[k]) * inverse[k];
		const float hi = (b->hi[k] - p->at[k]) * inverse[k];
		const float near = inverse[k] > 0 ? lo : hi;
		const float far = (inverse[k] > 0 ? hi : lo) * (1 + 0x1p-20f);

		from = near > from ? near : from;
		to = far < to ? far : to;
	}
	return from <= to ? from : INFINITY;
}

/* Where a ray meets a triangle, from both sides (Moeller, Trumbore 1997); INFINITY: nowhere. */
LSCHED_FN float trc_meet(const trc_triangle *t, const trc_path *p)
{
	const float from[3] = { p->at[0] - t->at[0], p->at[1] - t->at[1], p->at[2] - t->at[2] };
	float a[3], b[3], whole, u, v;

	trc_cross(a, p->way, t->edge[1]);
	trc_cross(b, from, t->edge[0]);
	whole = trc_dot(a, t->edge[0]);
	u = trc_dot(from, a);
	v = trc_dot(p->way, b);
	u = whole < 0 ? -u : u;
	v = whole < 0 ? -v : v;
	/* none of a triangle without area, or seen from its edge: there all is rounding */
	return u >= 0 && v >= 0 && u + v <= fabsf(whole) &&
			       whole * whole >
				       0x1p-36f * trc_dot(a, a) * trc_dot(t->edge[0], t->edge[0])
		       ? trc_dot(t->edge[1], b) / whole
		       : INFINITY;
}

/* Looks for the nearest triangle before *nearest. The nearer child of a node comes first. */
LSCHED_FN void trc_hit_mesh(const trc_ctx *c, const trc_path *p, float *nearest, uint32_t *object)
{
	uint32_t stack[TRC_STACK], depth = 0;
	uint32_t name = c->triangles > 1 ? 0 : COLLIDE_LEAF;
	float inverse[3];

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		inverse[k] = 1.0f / p->way[k];
	while (name != COLLIDE_NONE) {
		uint32_t next = COLLIDE_NONE;

		if (name & COLLIDE_LEAF) {
			const uint32_t i = name & ~COLLIDE_LEAF;
			const float t = trc_meet(&c->triangle[i], p);

			if (t > TRC_LEAST && t < *nearest) {
				*nearest = t;
				*object = TRC_TRIANGLES + i;
			}
		} else {
			const collide_node *n = &c->node[name];
			const float a = trc_enter(&n->box[0], p, inverse, *nearest);
			const float b = trc_enter(&n->box[1], p, inverse, *nearest);
			const uint32_t second = b < a;

			if (a < INFINITY && b < INFINITY)
				stack[depth++] = n->child[!second];
			if (a < INFINITY || b < INFINITY)
				next = n->child[second];
		}
		if (next == COLLIDE_NONE && depth)
			next = stack[--depth];
		name = next;
	}
}

/* Moves a path to the nearest surface on its way. Returns the object. `mesh` is a constant: 1 with
 * triangles, or 0. */
LSCHED_FN uint32_t trc_hit(const trc_ctx *c, trc_path *p, int mesh)
{
	const trc_scene *s = &c->scene;
	float nearest;
	uint32_t object = trc_hit_room(s, p, &nearest);

	for (uint32_t i = 0; i < s->spheres; i++) {
		const trc_sphere q = s->sphere[i];
		const float to[3] = { q.at[0] - p->at[0], q.at[1] - p->at[1], q.at[2] - p->at[2] };
		const float b = trc_dot(to, p->way);
		const float out = fmaf(-q.radius, q.radius, trc_dot(to, to));
		const float under = fmaf(b, b, -out);

		if (under > 0) {
			const float root = sqrtf(under), near = b - root, far = b + root;
			const float t = near > TRC_LEAST ? near : far;

			if (t > TRC_LEAST && t < nearest) {
				nearest = t;
				object = TRC_SPHERES + i;
			}
		}
	}
	if (mesh)
		trc_hit_mesh(c, p, &nearest, &object);
	trc_along(p->at, p->at, nearest, p->way);
	return object;
}

/* The unit normal of an object where a path hits it, on the side that the path comes from. Returns
 * nonzero if that is the outside. */
LSCHED_FN uint32_t trc_normal(
	const trc_ctx *c, const trc_path *p, uint32_t object, float n[3], int mesh)
{
	uint32_t outside;

	if (object < TRC_SPHERES) {
		const uint32_t wall = object == TRC_LAMP ? 3 : object;

		LSCHED_UNROLL
		for (uint32_t k = 0; k < 3; k++)
			n[k] = wall >> 1 == k ? (wall & 1u ? -1.0f : 1.0f) : 0.0f;
	} else if (mesh && object >= TRC_TRIANGLES) {
		const trc_triangle *t = &c->triangle[object - TRC_TRIANGLES];

		trc_cross(n, t->edge[0], t->edge[1]);
		trc_normalise(n);
	} else {
		const trc_sphere q = c->scene.sphere[object - TRC_SPHERES];
		const float scale = 1.0f / q.radius;

		LSCHED_UNROLL
		for (uint32_t k = 0; k < 3; k++)
			n[k] = (p->at[k] - q.at[k]) * scale;
	}
	outside = trc_dot(n, p->way) < 0;
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		n[k] = outside ? n[k] : -n[k];
		n[k] = fmaf(n[k], 1.0f, 0.0f); /* no product that a later sum contracts */
	}
	return outside;
}

#endif
