/* What ray_server.c has on the host only: the town and its hierarchy, the lidar's places and rays,
 * cameras, the check of pictures, the clock. */
#ifndef RAY_HOST_H
#define RAY_HOST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ray_scene.h"

/* Two triangles: a corner and both edges from there. */
static ray_triangle *ray_quad(ray_triangle *to, const float at[3], const float a[3],
	const float b[3], const float albedo[3])
{
	for (int k = 0; k < 3; k++) {
		to[0].at[k] = at[k];
		to[1].at[k] = at[k] + a[k] + b[k];
		to[0].edge[0][k] = a[k], to[1].edge[0][k] = -a[k];
		to[0].edge[1][k] = b[k], to[1].edge[1][k] = -b[k];
		to[0].albedo[k] = to[1].albedo[k] = albedo[k];
	}
	return to + 2;
}

/* A lot: ground, four walls and a roof. */
static ray_triangle *ray_lot(ray_triangle *to, uint32_t x, uint32_t z)
{
	const uint64_t bits = ray_hash(((uint64_t)x << 32 | z) + 1);
	const float left = (float)x - RAY_LOTS / 2, near = (float)z - RAY_LOTS / 2;
	const float side = 0.4f + 0.3f * (float)(bits & 255) / 255;
	const float height = 0.1f + 2.0f * powf((float)(bits >> 8 & 255) / 255, 3);
	const float ground[3] = { left, 0, near }, grey[3] = { 0.4f, 0.4f, 0.4f };
	const float one[3] = { 1, 0, 0 }, ahead[3] = { 0, 0, 1 };
	const float lo[3] = { left + 0.2f, 0, near + 0.2f };
	const float hi[3] = { lo[0] + side, height, lo[2] + side };
	const float wide[2][3] = { { side, 0, 0 }, { -side, 0, 0 } }, up[3] = { 0, height, 0 };
	const float deep[2][3] = { { 0, 0, side }, { 0, 0, -side } };
	const float top[3] = { lo[0], height, lo[2] }, far[3] = { hi[0], 0, hi[2] };
	const float colour[3] = { 0.5f + 0.3f * (float)(bits >> 16 & 255) / 255,
		0.5f + 0.2f * (float)(bits >> 24 & 255) / 255, 0.5f };

	to = ray_quad(to, ground, one, ahead, grey);
	to = ray_quad(to, lo, wide[0], up, colour);
	to = ray_quad(to, lo, deep[0], up, colour);
	to = ray_quad(to, far, wide[1], up, colour);
	to = ray_quad(to, far, deep[1], up, colour);
	return ray_quad(to, top, wide[0], deep[0], colour);
}

static collide_box ray_box(const ray_triangle *t)
{
	collide_box box;

	for (int k = 0; k < 3; k++) {
		const float b = t->at[k] + t->edge[0][k], c = t->at[k] + t->edge[1][k];

		box.lo[k] = fminf(t->at[k], fminf(b, c));
		box.hi[k] = fmaxf(t->at[k], fmaxf(b, c));
	}
	return box;
}

/* Makes a node of the grandchildren of one, or its children that are triangles, and all nodes below
 * it. Returns how many levels these are. */
static uint32_t ray_gather(const collide_node *from, ray_node *to, uint32_t number)
{
	const collide_box none = { { RAY_FAR, RAY_FAR, RAY_FAR },
		{ -RAY_FAR, -RAY_FAR, -RAY_FAR } };
	ray_node *node = &to[number];
	uint32_t n = 0, most = 0;

	for (int i = 0; i < 2; i++) {
		const uint32_t child = from[number].child[i], leaf = child & COLLIDE_LEAF;

		for (int k = 0; k < (leaf ? 1 : 2); k++) {
			node->box[n] = leaf ? from[number].box[i] : from[child].box[k];
			node->child[n++] = leaf ? child : from[child].child[k];
		}
	}
	for (; n < 4; n++) {
		node->box[n] = none;
		node->child[n] = COLLIDE_NONE;
	}
	for (n = 0; n < 4; n++) {
		const uint32_t levels =
			node->child[n] & COLLIDE_LEAF ? 0 : ray_gather(from, to, node->child[n]);

		most = levels > most ? levels : most;
	}
	return most + 1;
}

/* Makes the scene. Returns 0, or -1 after a message. */
static int ray_make(ray_scene *s)
{
	static ray_triangle all[RAY_TRIANGLES];
	static collide_box box[RAY_TRIANGLES];
	ray_triangle *to = all;
	collide_options o;
	collide_tree tree;
	collide_ctx *ctx = NULL;
	collide_bvh *bvh = NULL;
	int bad;

	for (uint32_t i = 0; i < RAY_LOTS * RAY_LOTS; i++)
		to = ray_lot(to, i % RAY_LOTS, i / RAY_LOTS);
	for (uint32_t i = 0; i < RAY_TRIANGLES; i++)
		box[i] = ray_box(&all[i]);
	collide_options_init(&o);
	collide_tree_init(&tree);
	o.backend = COLLIDE_BACKEND_CPU; /* the tree is in host memory */
	bad = collide_open(&ctx, &o) || collide_bvh_create(&bvh, ctx, 1) ||
	      collide_bvh_build(bvh, box, RAY_TRIANGLES, COLLIDE_HOST) ||
	      collide_bvh_tree(bvh, &tree);
	for (uint32_t i = 0; i < RAY_TRIANGLES && !bad; i++)
		s->triangle[i] = all[tree.order[i]];
	if (bad)
		fprintf(stderr, "the scene: %s\n", collide_last_error());
	else if ((bad = 3 * ray_gather(tree.node, s->node, 0) > RAY_STACK) != 0)
		fprintf(stderr, "the scene: its tree is too deep\n");
	collide_bvh_destroy(&bvh);
	collide_close(&ctx);
	return bad ? -1 : 0;
}

/* The lidar drives along a street between two rows of lots. */
static void ray_place(uint32_t number, float at[3])
{
	at[0] = 0.1f;
	at[1] = 0.15f;
	at[2] = 0.25f * (float)number;
}

/* Ray i of n of a scan: all around, 16 of them one above the other. */
static void ray_way(uint32_t i, uint32_t n, float way[3])
{
	const float turn = 6.2831853f * (float)(i / 16) / (float)(n / 16);

	way[0] = cosf(turn);
	way[1] = 0.06f * ((float)(i % 16) - 7.5f);
	way[2] = sinf(turn);
	ray_normalise(way);
}

/* A camera above the roofs. */
static ray_camera ray_look(float turn, uint32_t width, uint32_t height)
{
	const float wide = 0.7f, high = wide * (float)height / (float)width;
	const float c = cosf(turn), n = sinf(turn);
	const ray_camera camera = { { 0.5f, 4, -20 }, { wide * c, 0, -wide * n }, { 0, high, 0 },
		{ n, -0.2f, c }, width, height };

	return camera;
}

/* Compares each `step`-th pixel of a picture with the first so many paths of it. Returns how many
 * differ. */
static uint32_t ray_check(const ray_scene *s, const ray_camera *c, const uint64_t (*picture)[3],
	uint32_t samples, uint32_t step)
{
	uint32_t differ = 0;

	for (uint32_t p = step / 2; p < c->width * c->height; p += step) {
		uint64_t sum[3] = { 0, 0, 0 };

		ray_paint(s, c, p, 0, samples, sum);
		differ += memcmp(sum, picture[p], sizeof(sum)) != 0;
	}
	return differ;
}

static uint64_t ray_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Sleeps may end half a millisecond later: with a device, whose jobs need no processor of the host,
 * the clock is polled at their end. */
static void ray_pause_until(uint64_t ns)
{
#ifdef __CUDACC__
	const uint64_t polled = 500000;
#else
	const uint64_t polled = 0;
#endif
	uint64_t now = ray_now_ns();

	if (now + polled < ns) {
		const uint64_t left = ns - polled - now;
		const struct timespec t = { (time_t)(left / 1000000000u),
			(long)(left % 1000000000u) };

		(void)nanosleep(&t, NULL);
	}
	while (now < ns && polled)
		now = ray_now_ns();
}

static int ray_by_value(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;

	return (x > y) - (x < y);
}

/* Sorts numbers and returns that which so many per cent do not exceed. */
static double ray_percentile(float *v, uint32_t n, uint32_t percent)
{
	qsort(v, n, sizeof(*v), ray_by_value);
	return n ? v[((uint64_t)n * percent + 99) / 100 - 1] : 0;
}

#endif
