/* The truth of `hull`: pixels against the tasks' formulas one after another; depths against the
 * silhouettes' pixels, point by point, against the mesh, and, of a ball, against cones. All but the
 * first in double precision, without edges and bins. */
#include "workloads/hull/host.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Points of a ray that are tried, and errors of single precision: of depths, and in pixels, but at
 * least what a depth's error moves a point across the pixels of a camera, in parts of its side. */
enum { POINTS = 64 };
static const double depth_error = 1e-4, pixel_error = 0.05, moved = 0.6e-4;

static uint32_t tile_of(const hull_ctx *c, uint32_t pixel)
{
	return pixel / c->width / HULL_SIDE * c->across + pixel % c->width / HULL_SIDE;
}

/* Pixel i of `most`, spread over the picture, in each frame others. */
static uint32_t sample_of(const hull_host *h, uint32_t i, uint32_t most)
{
	const uint64_t all = (uint64_t)h->ctx.width * h->ctx.height;

	return most >= all ? i : (uint32_t)((i * all / most + h->frames * 40503u) % all);
}

int hull_check_pixels(hull_host *h, uint32_t most, char *why, size_t n)
{
	const uint32_t all = h->ctx.width * h->ctx.height;
	hull_sums *s = &h->sums;

	for (uint32_t i = 0; i < (most < all ? most : all); i++) {
		const uint32_t pixel = sample_of(h, i, most);
		const uint32_t full = h->done[tile_of(&h->ctx, pixel)];
		const float right = hull_pixel(&h->host, pixel, full), got = h->now[pixel];
		const float best = full ? right : hull_pixel(&h->host, pixel, 1);

		if (memcmp(&right, &got, sizeof(got)) != 0)
			return wl_fail(why, n,
				"pixel %" PRIu32 ", %s, has the depth %.9g, not %.9g", pixel,
				full ? "done the full way" : "warped", (double)got, (double)right);
		s->pixels++;
		s->wrong += (best > 0) != (got > 0);
		s->compared += best > 0 && got > 0;
		s->error += best > 0 && got > 0 ? fabs((double)best - (double)got) : 0;
	}
	return 0;
}

/* A ray of the view: eye, and direction with length 1 along the axis. */
typedef struct ray {
	double from[3], way[3];
} ray;

static ray ray_of(const hull_host *h, uint32_t pixel)
{
	const hull_view *v = &h->ctx.view;
	const double x = pixel % h->ctx.width + 0.5 - 0.5 * h->ctx.width;
	const double y = pixel / h->ctx.width + 0.5 - 0.5 * h->ctx.height;
	ray r;

	for (int k = 0; k < 3; k++) {
		r.from[k] = (double)v->eye[k];
		r.way[k] =
			(double)v->way[k][0] + x * (double)v->way[k][1] + y * (double)v->way[k][2];
	}
	return r;
}

static double dot(const double a[3], const double b[3])
{
	return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Where a x^2 + 2 b x + c is at most 0: between two places. For a < 0, outside of them: the part at
 * the side of the sign of `to`. Returns whether it is anywhere. */
static int at_most_0(double a, double b, double c, double to, double range[2])
{
	const double square = b * b - a * c;
	const double root = sqrt(square > 0 ? square : 0);

	range[0] = (-b - root) / a;
	range[1] = (-b + root) / a;
	if (a < 0) {
		range[0] = to > 0 ? range[0] : -INFINITY;
		range[1] = to > 0 ? INFINITY : range[1];
	}
	return square > 0;
}

/* The part of the ray in the ball around all, empty if the ends are equal. */
static void in_reach(const ray *r, double range[2])
{
	const double c = dot(r->from, r->from) - (double)(HULL_BALL * HULL_BALL);

	if (!at_most_0(dot(r->way, r->way), dot(r->way, r->from), c, 0, range))
		range[0] = range[1] = 0;
}

/* Whether all pixels within a reach of a place of the ray (any: one of them) are in the silhouette
 * of each camera. */
static int is_inside(const hull_host *h, const ray *r, double z, int any)
{
	const size_t frame = h->frames % h->o.frames;
	const double reach = fmax(pixel_error, moved * h->o.side);
	double at[3];

	for (int k = 0; k < 3; k++)
		at[k] = r->from[k] + z * r->way[k];
	for (uint32_t k = 0; k < h->o.cameras; k++) {
		double uv[2];
		int set = 0;

		hull_project(&h->camera[k], at, uv);
		for (int i = 0; i < 4; i++) {
			const double u = uv[0] + (i % 2 ? reach : -reach);
			const double v = uv[1] + (i / 2 ? reach : -reach);

			set += hull_is_set(h, frame, k, (int)floor(u + 0.5 * h->o.side),
				(int)floor(v + 0.5 * h->o.side));
		}
		if (any ? set == 0 : set < 4)
			return 0;
	}
	return 1;
}

/* The depth is in the hull, and the ray is not before. */
static int check_points(const hull_host *h, uint32_t pixel, const ray *r, char *why, size_t n)
{
	const double z = (double)h->now[pixel];
	double range[2], end;

	in_reach(r, range);
	end = z > 0 ? z - depth_error : range[1];
	if (z > 0 && !is_inside(h, r, z + depth_error, 1))
		return wl_fail(why, n,
			"pixel %" PRIu32 ": at the depth %.7g a camera does not see the mesh",
			pixel, z);
	for (int i = 1; i < POINTS; i++) {
		const double at = range[0] + (end - range[0]) * i / POINTS;

		if (end > range[0] && is_inside(h, r, at, 0))
			return wl_fail(why, n,
				"pixel %" PRIu32 ": at the depth %.7g all cameras see the mesh, "
				"and the hull begins at %.7g",
				pixel, at, z);
	}
	return 0;
}

/* The least depth at which the ray hits a triangle, INFINITY: none (Moeller and Trumbore 1997). */
static double mesh_depth(const hull_host *h, const ray *r)
{
	const hull_pose *pose = &h->frame[h->frames % h->o.frames].pose;
	double first = INFINITY;

	for (size_t t = 0; t < h->mesh.triangles; t++) {
		double p[3][3], e[2][3], s[3], q[3], c[3], d, u, v, z;

		for (size_t i = 0; i < 3; i++)
			hull_place(pose, h->mesh.xyz + 3 * (size_t)h->mesh.index[3 * t + i], p[i]);
		for (int k = 0; k < 3; k++) {
			e[0][k] = p[1][k] - p[0][k];
			e[1][k] = p[2][k] - p[0][k];
			s[k] = r->from[k] - p[0][k];
		}
		for (int k = 0; k < 3; k++) {
			const int k1 = (k + 1) % 3, k2 = (k + 2) % 3;

			c[k] = r->way[k1] * e[1][k2] - r->way[k2] * e[1][k1];
			q[k] = s[k1] * e[0][k2] - s[k2] * e[0][k1];
		}
		d = dot(e[0], c);
		u = dot(s, c) / d;
		v = dot(r->way, q) / d;
		z = dot(e[1], q) / d;
		if (u >= 0 && v >= 0 && u + v <= 1 && z > 0)
			first = fmin(first, z);
	}
	return first;
}

/* The depth of the hull of a ball of that radius: what is in the cones of all cameras. */
static double cones_depth(const hull_host *h, const ray *r, double radius)
{
	const double *middle = h->frame[h->frames % h->o.frames].pose.shift;
	double reach[2], begin, end;

	in_reach(r, reach);
	begin = reach[0];
	end = reach[1];
	for (uint32_t k = 0; k < h->o.cameras; k++) {
		double axis[3], s[3], far, to_axis, range[2];

		for (int i = 0; i < 3; i++) {
			axis[i] = middle[i] - h->camera[k].at[i];
			s[i] = r->from[i] - h->camera[k].at[i];
		}
		far = dot(axis, axis) - radius * radius;
		/* (p - at) . axis >= sqrt(far) |p - at|; the other cone is behind the camera */
		to_axis = dot(r->way, axis);
		if (!at_most_0(far * dot(r->way, r->way) - to_axis * to_axis,
			    far * dot(r->way, s) - to_axis * dot(s, axis),
			    far * dot(s, s) - dot(s, axis) * dot(s, axis), to_axis, range))
			return INFINITY;
		begin = fmax(begin, range[0]);
		end = fmin(end, range[1]);
	}
	return begin < end ? begin : INFINITY;
}

/* Of the ball: a pixel of a camera is so large there. */
static int check_ball(const hull_host *h, uint32_t pixel, const ray *r, char *why, size_t n)
{
	const double z = (double)h->now[pixel];
	const double wide = 8.0 / h->o.side * (double)HULL_BALL;
	const double least = cones_depth(h, r, 1 + wide), most = cones_depth(h, r, h->inner);

	if ((z > 0 ? z : INFINITY) > most + depth_error || (z > 0 && z < least - depth_error))
		return wl_fail(why, n,
			"pixel %" PRIu32
			": the hull of a ball begins at %.7g, not between %.7g and "
			"%.7g",
			pixel, z, least, most);
	return 0;
}

int hull_check_truth(const hull_host *h, uint32_t most, char *why, size_t n)
{
	const uint32_t all = h->ctx.width * h->ctx.height;
	/* of the mesh fewer, if it is large */
	const uint64_t meshes = UINT64_C(512) * most / (h->mesh.triangles + UINT64_C(1)) + 1;
	const int ball = h->o.scene == HULL_BALL_SCENE && !h->o.input && h->mesh.triangles >= 512;
	int bad = 0;

	most = most < all ? most : all;
	for (uint32_t i = 0; i < most && !bad; i++) {
		const uint32_t pixel = sample_of(h, i, most);
		const ray r = ray_of(h, pixel);
		const double z = h->now[pixel] > 0 ? (double)h->now[pixel] : INFINITY;

		if (!h->done[tile_of(&h->ctx, pixel)])
			continue;
		bad = check_points(h, pixel, &r, why, n);
		if (!bad && ball)
			bad = check_ball(h, pixel, &r, why, n);
		if (!bad && i % (most / meshes + 1) == 0 && z > mesh_depth(h, &r) + depth_error)
			bad = wl_fail(why, n,
				"pixel %" PRIu32 ": the hull begins at %.7g, behind the mesh",
				pixel, (double)h->now[pixel]);
	}
	return bad;
}
