/* Image-based visual hull (Matusik et al. 2000) under a time limit, as in Softshell (Steinberger et
 * al. 2012, section 6.2.3). The hull is what all cameras see within their silhouettes; a pixel of a
 * new view has the depth at which its ray enters it, or 0. A ray is a line in a camera's picture
 * through the picture of the eye (the epipole), and crosses the edges of the silhouette: each
 * crossing is a depth. Edges are in bins by the direction of such lines. Floats by fmaf, division
 * and square root, and products and sums that no compiler can contract: a CPU and a GPU compute the
 * same bits. Compiled for both. */
#ifndef WORKLOADS_HULL_HULL_H
#define WORKLOADS_HULL_HULL_H

#include <math.h>
#include <stdalign.h>
#include <libsched/items.h>

/* A tile's side, and its pixels. */
enum { HULL_SIDE = 16, HULL_PIXELS = HULL_SIDE * HULL_SIDE };
enum { HULL_MAX_CAMERAS = 16 };
/* In the order of the choices of --method. */
enum { HULL_FULL, HULL_THRESHOLD, HULL_CLOCK };

/* All that the cameras see is within a ball of this radius around 0, outside of which they are. */
#define HULL_BALL 1.25f

/* From one corner of the silhouette's pixels to another, along a row or column of the grid. The
 * edges of a silhouette are closed lines, so each line crosses an even number of them. Read at
 * once. */
typedef struct hull_edge {
	alignas(16) float u[2];
	float v[2];
} hull_edge;

/* A camera as the view's rays see it. [3] of a pixel: constant, factors of x and y. */
typedef struct hull_camera {
	float from[3];     /* the eye, projected: u, v, both times w, and w */
	float way[3][3];   /* for each of these: the direction of the pixel's ray, projected */
	float line[3][3];  /* the ray as a line: factors of u and v, and the constant */
	float angle[2][3]; /* the line's direction */
} hull_camera;

/* [3][3] as in hull_camera. The direction of a ray has the length 1 along the view's axis. */
typedef struct hull_view {
	float eye[3], way[3][3];
	float project[3][4]; /* of a place: x and y, both times w, and w */
} hull_view;

/* What tasks add up and ask for in a frame. */
typedef struct hull_meter {
	uint64_t start;   /* the time of the first task */
	uint64_t time[2]; /* of tiles warped, done the full way: number << 40 | ns */
	uint64_t longest; /* ns of a tile that is done the full way */
} hull_meter;

typedef struct hull_ctx {
	hull_camera camera[HULL_MAX_CAMERAS];
	hull_view view, last; /* of this frame and the one before */
	uint32_t cameras, width, height, tiles, across, method, threshold;
	uint32_t full_ns, warp_ns; /* of a tile */
	uint32_t half;             /* of the bins of a camera */
	uint64_t limit_ns;         /* from the first task on */
	const uint32_t *bin;       /* of this frame, [camera][bin], and one more: the first edge */
	const hull_edge *edge;
	const uint32_t *order;  /* [root]: the tile; the most changed one is the first */
	const uint32_t *change; /* [tile] since it was done the full way */
	const float *before;    /* [pixel]: the last picture */
	float *now;
	uint32_t *done; /* [tile]: 1: the full way, 0: warped */
	hull_meter *meter;
} hull_ctx;

LSCHED_DECLARE_ITEMS(hull_items, uint32_t);

LSCHED_FN float hull_at(const float of[3], float x, float y)
{
	return fmaf(y, of[2], fmaf(x, of[1], of[0]));
}

LSCHED_FN float hull_dot(const float a[3], const float b[3])
{
	return fmaf(a[2], b[2], fmaf(a[1], b[1], a[0] * b[0]));
}

/* The bin of a line. Directions are compared by their slopes, in two halves: all lines that are
 * rather along the first axis, then those along the second one. The host puts an edge into all bins
 * of lines that may cross it, and a small part of a bin further. */
LSCHED_FN uint32_t hull_bin(const hull_ctx *c, uint32_t camera, float x, float y)
{
	const hull_camera *k = &c->camera[camera];
	const float middle = 0.5f * (float)c->half;
	const float a = hull_at(k->angle[0], x, y), b = hull_at(k->angle[1], x, y);
	const uint32_t second = fabsf(b) > fabsf(a);
	const float slope = second ? -(a / b) : b / a;
	const float at = fmaf(slope, middle, middle);
	const uint32_t bin = at > 0 ? (uint32_t)at : 0u; /* 0: not a number, too */

	return camera * (2 * c->half + 1) + (second ? c->half : 0u) +
	       (bin < c->half ? bin : c->half - 1);
}

/* Whether a camera sees the place at depth z of a ray within its silhouette; sets the depth of the
 * next edge, if it is less than *next. Where the camera's picture of the ray begins, far outside,
 * it is not: so edges are counted from that end. */
LSCHED_FN uint32_t hull_inside(
	const hull_ctx *c, uint32_t camera, float x, float y, float z, float *next)
{
	const hull_camera *k = &c->camera[camera];
	const uint32_t bin = hull_bin(c, camera, x, y), end = c->bin[bin + 1];
	const float line[3] = { hull_at(k->line[0], x, y), hull_at(k->line[1], x, y),
		hull_at(k->line[2], x, y) };
	const float way[3] = { hull_at(k->way[0], x, y), hull_at(k->way[1], x, y),
		hull_at(k->way[2], x, y) };
	const uint32_t approaches = way[2] < 0;
	uint32_t inside = 0;

	LSCHED_NO_UNROLL
	for (uint32_t i = c->bin[bin]; i < end; i++) {
		const hull_edge e = c->edge[i];
		/* equal corners give equal values, so closed lines are crossed evenly */
		const float s0 = fmaf(line[1], e.v[0], fmaf(line[0], e.u[0], line[2]));
		const float s1 = fmaf(line[1], e.v[1], fmaf(line[0], e.u[1], line[2]));
		const uint32_t column = e.u[0] == e.u[1];
		const float at = column ? e.u[0] : e.v[0];
		float from, to, t;

		if ((s0 < 0) == (s1 < 0))
			continue;
		from = column ? k->from[0] : k->from[1];
		to = column ? way[0] : way[1];
		t = fmaf(at, k->from[2], -from) / fmaf(-at, way[2], to);
		if (!(fmaf(t, way[2], k->from[2]) > 0))
			continue; /* behind the camera */
		inside ^= approaches ? t > z : t <= z;
		if (t > z && t < *next)
			*next = t;
	}
	return inside;
}

/* The depth at which the ray of a pixel enters the hull, 0: it does not. */
LSCHED_FN float hull_depth(const hull_ctx *c, float x, float y)
{
	const hull_view *v = &c->view;
	const float way[3] = { hull_at(v->way[0], x, y), hull_at(v->way[1], x, y),
		hull_at(v->way[2], x, y) };
	const float a = hull_dot(way, way), b = hull_dot(way, v->eye);
	const float e = fmaf(-HULL_BALL, HULL_BALL, hull_dot(v->eye, v->eye));
	const float square = fmaf(b, b, -(a * e));
	const float root = sqrtf(square > 0 ? square : 0.0f), end = (root - b) / a;
	float z = (-b - root) / a;
	uint32_t agree = 0;

	if (!(square > 0))
		return 0;
	/* the lanes of a warp are at the same camera */
	LSCHED_NO_UNROLL
	for (uint32_t k = 0; agree < c->cameras; k = k + 1 < c->cameras ? k + 1 : 0) {
		float next = end;

		if (hull_inside(c, k, x, y, z, &next)) {
			agree++;
			continue;
		}
		if (!(next < end))
			return 0;
		z = next;
		agree = 1;
	}
	return z;
}

/* The depth of a pixel by the last picture: of what was there, by what was where that was. */
LSCHED_FN float hull_warped(const hull_ctx *c, uint32_t pixel, float x, float y)
{
	const float z = c->before[pixel], *m;
	float at[3], p[3], i, j, old;

	if (!(z > 0))
		return 0;
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		at[k] = fmaf(z, hull_at(c->view.way[k], x, y), c->view.eye[k]);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		p[k] = hull_dot(c->last.project[k], at) + c->last.project[k][3];
	i = floorf(p[0] / p[2]) + 0.5f;
	j = floorf(p[1] / p[2]) + 0.5f;
	/* from here on whole numbers and a half; outside of the picture also what is none */
	if (!(i >= 0 && i < (float)c->width && j >= 0 && j < (float)c->height))
		return 0;
	old = c->before[(uint32_t)j * c->width + (uint32_t)i];
	if (!(old > 0))
		return 0;
	x = i - 0.5f * (float)c->width;
	y = j - 0.5f * (float)c->height;
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		at[k] = fmaf(old, hull_at(c->last.way[k], x, y), c->last.eye[k]);
	m = c->view.project[2];
	return hull_dot(m, at) + m[3];
}

/* Pixel i of a tile: 4 rows of 8 pixels for each 32. LSCHED_NONE: outside of the picture. */
LSCHED_FN uint32_t hull_pixel_of(const hull_ctx *c, uint32_t tile, uint32_t i)
{
	const uint32_t x = tile % c->across * HULL_SIDE + i / 32 % 2 * 8 + i % 8;
	const uint32_t y = tile / c->across * HULL_SIDE + i / 64 * 4 + i / 8 % 4;

	return x < c->width && y < c->height ? y * c->width + x : LSCHED_NONE;
}

LSCHED_FN float hull_pixel(const hull_ctx *c, uint32_t pixel, uint32_t full)
{
	const float x = (float)(pixel % c->width) + 0.5f - 0.5f * (float)c->width;
	const float y = (float)(pixel / c->width) + 0.5f - 0.5f * (float)c->height;

	return full ? hull_depth(c, x, y) : hull_warped(c, pixel, x, y);
}

#endif
