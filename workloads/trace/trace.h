/* A path tracer (Steinberger et al. 2012, Softshell, section 6.2.2) over a room with spheres, the
 * Cornell box. A path goes from the camera from surface to surface until it carries less than a
 * thousandth, or until Russian roulette ends it. Its random numbers are hashes of pixel, sample and
 * bounce, and a pixel's sum is an integer, so that the picture does not depend on the order of
 * paths. Floats only by fmaf, division, square root, and sums and products that no compiler can
 * contract: a CPU and a GPU compute the same bits. Compiled for both. */
#ifndef WORKLOADS_TRACE_TRACE_H
#define WORKLOADS_TRACE_TRACE_H

#include <math.h>
#include <stdalign.h>
#include <collide/collide.h>
#include <libsched/items.h>
#include "workloads/common/random.h"

/* What a path does where it hits a surface: the procedures of the program, after that which begins
 * a path. LIGHT: it ends. */
enum { TRC_NEW, TRC_DIFFUSE, TRC_MIRROR, TRC_GLASS, TRC_LIGHT, TRC_PROCS };

/* Objects: the walls at -x, x, -y, y, -z, z, a lamp in the wall at y, spheres, triangles. The
 * triangles have one surface. */
enum { TRC_LAMP = 6, TRC_SPHERES = 7, TRC_MAX_SPHERES = 32, TRC_TRIANGLES = 39 };

typedef struct trc_surface {
	float albedo[3];
	uint32_t kind; /* TRC_DIFFUSE .. */
	float light[3];
	uint32_t emits; /* nonzero: light is not zero */
} trc_surface;

/* At x, y, z. */
typedef struct trc_sphere {
	float at[3], radius;
} trc_sphere;

/* The room is the box from -half to half. The camera is on the axis of z and sees the opening at
 * -half[2], which is a wall for paths that are in the room. */
typedef struct trc_scene {
	float half[3];
	float eye;        /* z of the camera */
	float lamp[2][2]; /* x and z: from, to */
	uint32_t spheres;
	trc_sphere sphere[TRC_MAX_SPHERES];
	trc_surface surface[TRC_TRIANGLES + 1]; /* of the objects */
} trc_scene;

/* A corner, and the edges from there. */
typedef struct trc_triangle {
	alignas(16) float at[3];
	float edge[2][3];
} trc_triangle;

/* Nodes above a leaf of libcollide's trees, at most. */
enum { TRC_STACK = 192 };

/* A path under way. 48 bytes in memory; an item has only its number. */
typedef struct trc_path {
	alignas(16) float at[3]; /* where it hits its object */
	uint32_t pixel;
	float way[3]; /* direction, of length 1 */
	uint32_t sample;
	float weight[3];
	uint32_t count; /* bounces, below TRC_BOUNCES; from there on samples left after this one */
} trc_path;

/* The longest path has so many bounces, so that one that loses nothing ends. */
enum { TRC_BOUNCES = 4096 };

/* A lane takes so many samples of a pixel at once: the addition that gives them out has one
 * address. */
enum { TRC_TAKE = 16 };

/* A pixel's sums have this many steps for 1. */
#define TRC_ONE 0x1p24f

typedef struct trc_ctx {
	trc_scene scene;
	uint32_t triangles;
	const collide_node *node; /* the root is the first one, if there are several triangles */
	const trc_triangle *triangle; /* in the order of leaves */
	uint32_t width, height, samples;
	uint32_t roulette; /* nonzero: Russian roulette ends paths; 0: the fixed cut */
	uint32_t bounces;  /* of a turn: then a path gives its lane to another one */
	uint32_t refill; /* nonzero: a lane begins another path in a turn when its own has ended */
	/* Pixels x samples / TRC_TAKE, rounded up for each pixel; with patches visits after their
	 * first ones. */
	uint32_t takes;
	uint32_t visit; /* paths of each pixel of a patch in a visit */
	uint32_t even;  /* nonzero: all patches have the same number of visits, up to one */
	uint64_t seed;
	uint32_t *taken;  /* by additions */
	uint32_t *visits; /* [patch] */
	uint32_t *calm;   /* [patch] complement of its urgency: 0 before its first visit */
	trc_path *path;   /* [slot] */
	uint64_t *sum;    /* [pixel][4] red, green, blue, with patches squares of paths; by
			  * additions */
} trc_ctx;

/* The slot of a path in memory and the object that it hits. */
typedef struct trc_item {
	uint32_t slot, object;
} trc_item;

LSCHED_DECLARE_ITEMS(trc_items, trc_item);

/* Random numbers of a bounce of a path: two of 22 bits, and one of 20. */
typedef struct trc_random {
	uint32_t u, v, w;
} trc_random;

LSCHED_FN trc_random trc_draw(const trc_ctx *c, const trc_path *p)
{
	const uint64_t bits =
		wl_hash64(c->seed + ((uint64_t)p->sample << 36 | (uint64_t)p->pixel << 12 |
					    (p->count & (TRC_BOUNCES - 1))));
	const trc_random r = { (uint32_t)(bits >> 42), (uint32_t)(bits >> 20) & 0x3fffffu,
		(uint32_t)bits & 0xfffffu };

	return r;
}

LSCHED_FN float trc_dot(const float a[3], const float b[3])
{
	return fmaf(a[2], b[2], fmaf(a[1], b[1], a[0] * b[0]));
}

LSCHED_FN uint32_t trc_surface_of(uint32_t object)
{
	return object < TRC_TRIANGLES ? object : (uint32_t)TRC_TRIANGLES;
}

LSCHED_FN void trc_cross(float to[3], const float a[3], const float b[3])
{
	to[0] = fmaf(a[1], b[2], -(a[2] * b[1]));
	to[1] = fmaf(a[2], b[0], -(a[0] * b[2]));
	to[2] = fmaf(a[0], b[1], -(a[1] * b[0]));
}

/* to = a + t * b */
LSCHED_FN void trc_along(float to[3], const float a[3], float t, const float b[3])
{
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		to[k] = fmaf(t, b[k], a[k]);
}

LSCHED_FN void trc_normalise(float v[3])
{
	const float scale = 1.0f / sqrtf(trc_dot(v, v));

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		v[k] = v[k] * scale;
}

#endif
