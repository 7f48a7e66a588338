/* Rays and paths of ray_server.c in a town of boxes under an open sky, compiled for CPU and GPU.
 * They give the same bits on both: floats only by fmaf, division, square root, and sums and
 * products that no compiler can contract; random numbers are hashes; and what a path brings to its
 * pixel is an integer, so that the order of paths has no effect. */
#ifndef RAY_SCENE_H
#define RAY_SCENE_H

#include <math.h>
#include <stdalign.h>
#include <collide/collide.h>
#include <libsched/fn.h>

enum {
	RAY_LOTS = 96, /* along each side of the town; a lot has the side 1 */
	RAY_TRIANGLES = RAY_LOTS * RAY_LOTS * 12,
	RAY_STACK = 64, /* three nodes or triangles of each level wait, at most */
	RAY_BOUNCES = 6 /* rays of a path, at most */
};

#define RAY_NONE  UINT32_C(0xffffffff)
#define RAY_FAR   1e30f    /* the distance of the sky */
#define RAY_RANGE 10.0f    /* of the lidar */
#define RAY_ONE   0x1p20f  /* the light 1 in the sums of a pixel */
#define RAY_GAP   0x1p-11f /* a path goes on so far off its surface */

/* A corner, and the edges from there. */
typedef struct ray_triangle {
	alignas(16) float at[3]; /* so that a lane of a GPU loads 16 bytes at once */
	float edge[2][3], albedo[3];
} ray_triangle;

/* Four boxes and their names as in collide_node, COLLIDE_NONE for those that are missing: half as
 * many steps as with two, each of which waits for its node. */
typedef struct ray_node {
	alignas(16) collide_box box[4];
	uint32_t child[4];
} ray_node;

/* A hierarchy by libcollide, of whose nodes each has its grandchildren. Node 0 is the root, and the
 * triangles are in the order of leaves. */
typedef struct ray_scene {
	ray_node node[RAY_TRIANGLES];
	ray_triangle triangle[RAY_TRIANGLES];
} ray_scene;

typedef struct ray_line {
	float at[3], way[3]; /* the way has length 1 */
} ray_line;

/* The ray of a point x, y of the picture, from -1 to 1, has the way ahead + x * right + y * up. */
typedef struct ray_camera {
	float eye[3], right[3], up[3], ahead[3];
	uint32_t width, height;
} ray_camera;

LSCHED_FN uint64_t ray_hash(uint64_t x)
{
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

LSCHED_FN float ray_dot(const float a[3], const float b[3])
{
	return fmaf(a[2], b[2], fmaf(a[1], b[1], a[0] * b[0]));
}

LSCHED_FN void ray_cross(float to[3], const float a[3], const float b[3])
{
	to[0] = fmaf(a[1], b[2], -(a[2] * b[1]));
	to[1] = fmaf(a[2], b[0], -(a[0] * b[2]));
	to[2] = fmaf(a[0], b[1], -(a[1] * b[0]));
}

/* to = a + t * b */
LSCHED_FN void ray_along(float to[3], const float a[3], float t, const float b[3])
{
	LSCHED_UNROLL
	for (int k = 0; k < 3; k++)
		to[k] = fmaf(t, b[k], a[k]);
}

LSCHED_FN void ray_normalise(float v[3])
{
	const float scale = 1.0f / sqrtf(ray_dot(v, v));

	LSCHED_UNROLL
	for (int k = 0; k < 3; k++)
		v[k] = v[k] * scale;
}

/* Where a ray enters a box, RAY_FAR if not before `nearest`; `inverse`: one by its way. What is no
 * number decides nothing, and the far side is a bit farther: no box is missed by rounding. */
LSCHED_FN float ray_enter(
	const collide_box *b, const ray_line *r, const float inverse[3], float nearest)
{
	float from = 0, to = nearest;

	LSCHED_UNROLL
	for (int k = 0; k < 3; k++) {
		const float lo = (b->lo[k] - r->at[k]) * inverse[k];
		const float hi = (b->hi[k] - r->at[k]) * inverse[k];
		const float near = inverse[k] > 0 ? lo : hi;
		const float far = (inverse[k] > 0 ? hi : lo) * (1 + 0x1p-20f);

		from = near > from ? near : from;
		to = far < to ? far : to;
	}
	return from <= to ? from : RAY_FAR;
}

/* Where a ray meets a triangle, from both sides (Moeller, Trumbore 1997); RAY_FAR: nowhere. */
LSCHED_FN float ray_meet(const ray_triangle *t, const ray_line *r)
{
	const float from[3] = { r->at[0] - t->at[0], r->at[1] - t->at[1], r->at[2] - t->at[2] };
	float a[3], b[3], whole, sign, u, v;

	ray_cross(a, r->way, t->edge[1]);
	ray_cross(b, from, t->edge[0]);
	whole = ray_dot(a, t->edge[0]);
	sign = whole < 0 ? -1.0f : 1.0f;
	u = ray_dot(from, a) * sign;
	v = ray_dot(r->way, b) * sign;
	return whole != 0 && u >= 0 && v >= 0 && fmaf(u, 1.0f, v) <= fabsf(whole)
		       ? ray_dot(t->edge[1], b) / whole
		       : RAY_FAR;
}

/* Returns the triangle that a ray hits first, nearer than *distance, which is set to where; or
 * RAY_NONE. Of the children of a node the nearest comes first. */
LSCHED_FN uint32_t ray_hit(const ray_scene *s, const ray_line *r, float *distance)
{
	uint32_t stack[RAY_STACK], depth = 0, name = 0, found = RAY_NONE;
	float inverse[3], nearest = *distance;

	LSCHED_UNROLL
	for (int k = 0; k < 3; k++)
		inverse[k] = 1.0f / r->way[k];
	while (name != COLLIDE_NONE) {
		uint32_t next = COLLIDE_NONE;

		if (name & COLLIDE_LEAF) {
			const ray_triangle triangle = s->triangle[name & ~COLLIDE_LEAF];
			const float t = ray_meet(&triangle, r);

			if (t > 0 && t < nearest) {
				nearest = t;
				found = name & ~COLLIDE_LEAF;
			}
		} else {
			const ray_node n = s->node[name];
			float first = RAY_FAR;

			LSCHED_UNROLL
			for (int k = 0; k < 4; k++) {
				const float t = ray_enter(&n.box[k], r, inverse, nearest);
				const uint32_t later = t < first ? next : n.child[k];

				if (t < RAY_FAR && later != COLLIDE_NONE)
					stack[depth++] = later;
				next = t < first ? n.child[k] : next;
				first = t < first ? t : first;
			}
		}
		if (next == COLLIDE_NONE && depth)
			next = stack[--depth];
		name = next;
	}
	*distance = nearest;
	return found;
}

/* A scan's ray: how far the next surface is, RAY_RANGE if none is nearer. */
LSCHED_FN float ray_range(const ray_scene *s, const float at[3], const float way[3])
{
	const ray_line r = { { at[0], at[1], at[2] }, { way[0], way[1], way[2] } };
	float distance = RAY_RANGE;

	(void)ray_hit(s, &r, &distance);
	return distance;
}

/* The number of a bounce of a path, from which its random numbers follow. */
LSCHED_FN uint64_t ray_number(uint32_t pixel, uint32_t sample, uint32_t bounce)
{
	return ray_hash((uint64_t)sample << 32 | (uint64_t)pixel << 4 | bounce);
}

/* A number of 21 bits as one from -1 to 1. */
LSCHED_FN float ray_signed(uint64_t bits)
{
	return fmaf((float)(uint32_t)(bits & 0x1fffffu), 0x1p-20f, -1.0f);
}

/* The camera's ray through a random point of a pixel. */
LSCHED_FN void ray_begin(const ray_camera *c, uint32_t pixel, uint32_t sample, ray_line *r)
{
	const uint64_t bits = ray_number(pixel, sample, 0);
	const uint32_t across = pixel % c->width, down = pixel / c->width;
	const float x = fmaf((float)(uint32_t)(bits & 0xffffffu), 0x1p-24f, (float)across) /
			(float)c->width;
	const float y =
		fmaf((float)(uint32_t)(bits >> 40), 0x1p-24f, (float)down) / (float)c->height;

	LSCHED_UNROLL
	for (int k = 0; k < 3; k++)
		r->at[k] = c->eye[k];
	ray_along(r->way, c->ahead, fmaf(2.0f, x, -1.0f), c->right);
	ray_along(r->way, r->way, fmaf(-2.0f, y, 1.0f), c->up);
	ray_normalise(r->way);
}

/* Diffuse reflection: the new way is the normal and a point of the unit sphere. */
LSCHED_FN void ray_bounce(const ray_triangle *t, uint64_t bits, float distance, ray_line *r)
{
	float n[3], v[3], size;

	ray_cross(n, t->edge[0], t->edge[1]);
	ray_normalise(n);
	ray_along(r->at, r->at, distance, r->way);
	size = ray_dot(n, r->way) < 0 ? RAY_GAP : -RAY_GAP; /* the side it comes from */
	ray_along(r->at, r->at, size, n);
	do { /* a point in the ball */
		bits = ray_hash(bits);
		v[0] = ray_signed(bits);
		v[1] = ray_signed(bits >> 21);
		v[2] = ray_signed(bits >> 42);
	} while (ray_dot(v, v) > 1 || ray_dot(v, v) < 0x1p-10f);
	ray_normalise(v);
	ray_along(r->way, v, size < 0 ? -0.999f : 0.999f, n); /* never 0 */
	ray_normalise(r->way);
}

/* The light of the sky, brightest above. */
LSCHED_FN float ray_sky(const ray_line *r, int channel)
{
	const float up = r->way[1] > 0 ? r->way[1] : 0;

	return fmaf(up, channel == 2 ? 0.9f : 0.6f, 0.25f);
}

/* Traces so many paths of a pixel and adds what they bring. A lane of a GPU begins its next path
 * when its own has ended, so that the lanes of a warp do not wait for its longest path. */
LSCHED_FN void ray_paint(const ray_scene *s, const ray_camera *c, uint32_t pixel, uint32_t sample,
	uint32_t samples, uint64_t sum[3])
{
	const uint32_t end = sample + samples;
	float weight[3] = { 1, 1, 1 };
	uint32_t bounce = 0;
	ray_line r;

	while (sample != end) {
		float distance = RAY_FAR;
		uint32_t hit;

		if (bounce == 0)
			ray_begin(c, pixel, sample, &r);
		hit = ray_hit(s, &r, &distance);
		bounce = hit == RAY_NONE ? (uint32_t)RAY_BOUNCES : bounce + 1;
		LSCHED_UNROLL
		for (int k = 0; k < 3; k++)
			if (hit == RAY_NONE)
				sum[k] += (uint64_t)(weight[k] * ray_sky(&r, k) * RAY_ONE);
			else
				weight[k] = weight[k] * s->triangle[hit].albedo[k];
		if (bounce < RAY_BOUNCES) {
			ray_bounce(
				&s->triangle[hit], ray_number(pixel, sample, bounce), distance, &r);
		} else {
			bounce = 0;
			sample++;
			weight[0] = weight[1] = weight[2] = 1;
		}
	}
}

#endif
