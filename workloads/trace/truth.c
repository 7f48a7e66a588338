/* The picture's mean by a path tracer in double precision: other random numbers, directions by
 * angles in a frame, the walls as planes one by one. */
#include "workloads/trace/host.h"

#include <string.h>

typedef struct ray {
	double at[3], way[3], weight[3];
} ray;

static double number(uint64_t *state)
{
	return wl_unit(wl_hash64((*state)++));
}

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void normalise(double v[3])
{
	const double size = sqrt(dot(v, v));

	for (int k = 0; k < 3; k++)
		v[k] /= size;
}

/* Where the ray meets a triangle, and its normal: by the plane, and by the sides of its edges. */
static double meet(const trc_triangle *t, const ray *r, double n[3])
{
	double corner[3][3], inside = 0, away, sign[3];
	double at[3];

	for (int k = 0; k < 3; k++) {
		corner[0][k] = (double)t->at[k];
		corner[1][k] = corner[0][k] + (double)t->edge[0][k];
		corner[2][k] = corner[0][k] + (double)t->edge[1][k];
	}
	for (int k = 0; k < 3; k++) {
		const int i = (k + 1) % 3, j = (k + 2) % 3;

		n[k] = (corner[1][i] - corner[0][i]) * (corner[2][j] - corner[0][j]) -
		       (corner[1][j] - corner[0][j]) * (corner[2][i] - corner[0][i]);
	}
	away = (dot(n, corner[0]) - dot(n, r->at)) / dot(n, r->way);
	for (int k = 0; k < 3; k++)
		at[k] = r->at[k] + away * r->way[k];
	for (int e = 0; e < 3; e++) {
		const double *a = corner[e], *b = corner[(e + 1) % 3];

		sign[e] = 0;
		for (int k = 0; k < 3; k++) {
			const int i = (k + 1) % 3, j = (k + 2) % 3;

			sign[e] += n[k] * ((b[i] - a[i]) * (at[j] - a[j]) -
						  (b[j] - a[j]) * (at[i] - a[i]));
		}
		inside += sign[e] >= 0;
	}
	return inside == 3 ? away : HUGE_VAL;
}

/* Whether the ray goes through a box, a bit larger for what is flat, before `nearest`. */
static int enters(const collide_box *b, const ray *r, double nearest)
{
	double from = 0, to = nearest;

	for (int k = 0; k < 3; k++) {
		const double lo = ((double)b->lo[k] - 1e-6 - r->at[k]) / r->way[k];
		const double hi = ((double)b->hi[k] + 1e-6 - r->at[k]) / r->way[k];

		from = fmax(from, fmin(lo, hi));
		to = fmin(to, fmax(lo, hi));
	}
	return from <= to;
}

/* The nearest triangle before *nearest. */
static void hit_mesh(const trc_ctx *c, const ray *r, double *nearest, uint32_t *object, double n[3])
{
	uint32_t stack[TRC_STACK + 2], depth = 0;

	stack[depth++] = c->triangles > 1 ? 0 : COLLIDE_LEAF;
	while (depth) {
		const uint32_t name = stack[--depth], i = name & ~COLLIDE_LEAF;
		double normal[3], t;

		if (!(name & COLLIDE_LEAF)) {
			for (int k = 0; k < 2; k++)
				if (enters(&c->node[name].box[k], r, *nearest))
					stack[depth++] = c->node[name].child[k];
			continue;
		}
		t = meet(&c->triangle[i], r, normal);
		if (t > 1e-9 && t < *nearest) {
			*nearest = t;
			*object = TRC_TRIANGLES + i;
			normalise(normal);
			memcpy(n, normal, sizeof(normal));
		}
	}
}

/* Moves the ray to what it hits; n: the normal outwards of a sphere, inwards of the room. */
static uint32_t hit(const trc_ctx *c, ray *r, double n[3])
{
	const trc_scene *s = &c->scene;
	double nearest = HUGE_VAL;
	uint32_t object = 0;

	for (int wall = 0; wall < 6; wall++) {
		const int axis = wall / 2;
		const double side = wall % 2 ? 1 : -1;
		const double t = (side * (double)s->half[axis] - r->at[axis]) / r->way[axis];

		if (r->way[axis] * side > 0 && t < nearest) { /* the planes that it goes towards */
			nearest = t;
			object = (uint32_t)wall;
			memset(n, 0, 3 * sizeof(*n));
			n[axis] = -side;
		}
	}
	for (uint32_t i = 0; i < s->spheres; i++) {
		const trc_sphere *q = &s->sphere[i];
		double v[3], b, under;

		for (int k = 0; k < 3; k++)
			v[k] = r->at[k] - (double)q->at[k];
		b = dot(v, r->way);
		under = b * b - dot(v, v) + (double)q->radius * (double)q->radius;
		for (int far = 0; under > 0 && far < 2; far++) {
			const double t = -b + (far ? sqrt(under) : -sqrt(under));

			if (t < 1e-9 || t >= nearest)
				continue;
			nearest = t;
			object = TRC_SPHERES + i;
			for (int k = 0; k < 3; k++)
				n[k] = (v[k] + t * r->way[k]) / (double)q->radius;
		}
	}
	if (c->triangles)
		hit_mesh(c, r, &nearest, &object, n);
	for (int k = 0; k < 3; k++)
		r->at[k] += nearest * r->way[k];
	if (object == 3 && r->at[0] > (double)s->lamp[0][0] && r->at[0] < (double)s->lamp[0][1] &&
		r->at[2] > (double)s->lamp[1][0] && r->at[2] < (double)s->lamp[1][1])
		object = TRC_LAMP;
	return object;
}

static void scatter_diffuse(ray *r, const double n[3], uint64_t *state)
{
	const double turn = 2 * 3.14159265358979323846 * number(state), u = number(state);
	const double flat[2] = { sqrt(u) * cos(turn), sqrt(u) * sin(turn) };
	const double other[3] = { fabs(n[0]) < 0.5, fabs(n[0]) >= 0.5, 0 };
	double x[3] = { n[1] * other[2] - n[2] * other[1], n[2] * other[0] - n[0] * other[2],
		n[0] * other[1] - n[1] * other[0] };
	double y[3];

	normalise(x);
	y[0] = n[1] * x[2] - n[2] * x[1];
	y[1] = n[2] * x[0] - n[0] * x[2];
	y[2] = n[0] * x[1] - n[1] * x[0];
	for (int k = 0; k < 3; k++)
		r->way[k] = flat[0] * x[k] + flat[1] * y[k] + sqrt(1 - u) * n[k];
}

/* Snell's law by the part of the direction along the surface. */
static void scatter_glass(ray *r, const double n[3], int outside, uint64_t *state)
{
	const double eta = outside ? 1 / 1.5 : 1.5, cosine = -dot(n, r->way);
	double along[3], sine2, inner, away;
	int stays;

	for (int k = 0; k < 3; k++)
		along[k] = eta * (r->way[k] + cosine * n[k]);
	sine2 = dot(along, along);
	inner = sqrt(sine2 < 1 ? 1 - sine2 : 0);
	away = 1 - (outside ? cosine : inner);
	stays = sine2 >= 1 || number(state) < 0.04 + 0.96 * pow(away, 5);
	for (int k = 0; k < 3; k++)
		r->way[k] = stays ? r->way[k] + 2 * cosine * n[k] : along[k] - inner * n[k];
}

static void scatter(const trc_surface *m, ray *r, double n[3], uint64_t *state)
{
	const int outside = dot(n, r->way) < 0;

	for (int k = 0; k < 3; k++)
		n[k] = outside ? n[k] : -n[k];
	if (m->kind == TRC_DIFFUSE) {
		scatter_diffuse(r, n, state);
	} else if (m->kind == TRC_GLASS) {
		scatter_glass(r, n, outside, state);
	} else {
		const double twice = 2 * dot(n, r->way);

		for (int k = 0; k < 3; k++)
			r->way[k] -= twice * n[k];
	}
	normalise(r->way);
}

static int goes_on(const trc_ctx *c, ray *r, int bounces, uint64_t *state)
{
	const double most = fmax(r->weight[0], fmax(r->weight[1], r->weight[2]));

	if (bounces == TRC_BOUNCES - 1)
		return 0;
	if (!c->roulette)
		return most >= 0.001;
	if (bounces <= 3 || most >= 1)
		return 1;
	if (number(state) >= most)
		return 0;
	for (int k = 0; k < 3; k++)
		r->weight[k] /= most;
	return 1;
}

/* Sends a path through any point of the picture. Returns the part of its pixel. */
static uint32_t trace(const trc_ctx *c, uint64_t *state, double light[3])
{
	const trc_scene *s = &c->scene;
	ray r = { { 0, 0, (double)s->eye }, { 0, 0, -(double)s->half[2] - (double)s->eye },
		{ 1, 1, 1 } };
	const double right = number(state), up = number(state);
	const uint32_t part = trc_part(
		c, (uint32_t)(right * (double)c->width), (uint32_t)((1 - up) * (double)c->height));
	double n[3];

	r.way[0] = (2 * right - 1) * (double)s->half[0];
	r.way[1] = (2 * up - 1) * (double)s->half[1];
	normalise(r.way);
	memset(light, 0, 3 * sizeof(*light));
	for (int bounces = 1;; bounces++) {
		const trc_surface *m = &s->surface[trc_surface_of(hit(c, &r, n))];

		for (int k = 0; k < 3; k++) {
			light[k] += r.weight[k] * (double)m->light[k];
			r.weight[k] *= (double)m->albedo[k];
		}
		if (m->kind == TRC_LIGHT || !goes_on(c, &r, bounces, state))
			return part;
		scatter(m, &r, n, state);
	}
}

void trc_make_truth(
	const wl_device *d, const trc_ctx *c, uint64_t paths, uint64_t seed, trc_mean m[TRC_PARTS])
{
	uint64_t state = wl_hash64(seed ^ 0x5bd1e995u);

	memset(m, 0, TRC_PARTS * sizeof(*m));
	for (uint64_t i = 0; i < paths && !(i % 1024 == 0 && wl_stopped(d)); i++) {
		double light[3];
		const uint32_t part = trace(c, &state, light);

		for (uint32_t p = 0; p <= part; p += part) {
			m[p].paths++;
			for (int k = 0; k < 3; k++) {
				m[p].mean[k] += light[k];
				m[p].variance[k] += light[k] * light[k];
			}
		}
	}
	for (int p = 0; p < TRC_PARTS; p++)
		for (int k = 0; k < 3 && m[p].paths; k++) {
			m[p].mean[k] /= (double)m[p].paths;
			m[p].variance[k] = fmax(
				m[p].variance[k] / (double)m[p].paths - m[p].mean[k] * m[p].mean[k],
				0);
		}
}
