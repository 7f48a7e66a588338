/* The workload `trace` on the host: its options, scenes, truth and pictures. */
#ifndef WORKLOADS_TRACE_HOST_H
#define WORKLOADS_TRACE_HOST_H

#include "workloads/common/workload.h"
#include "workloads/trace/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of the choices of --scene, --end, --regroup and --order. */
enum { TRC_SCENE_SPHERES, TRC_SCENE_FURNACE };
enum { TRC_END_CUT, TRC_END_ROULETTE };
enum { TRC_REGROUP_NONE, TRC_REGROUP_TURNS, TRC_REGROUP_LANES };
enum { TRC_ORDER_PATHS, TRC_ORDER_EVEN, TRC_ORDER_VARIANCE };

typedef struct trc_options {
	wl_size size;
	uint32_t samples, spheres, turn, paths, visit, reference, seed;
	int scene, end, regroup, order;
	const char *input, *image, *density;
} trc_options;

/* Mean and variance of what a path brings to its pixel, over a part of the picture. */
typedef struct trc_mean {
	double mean[3], variance[3];
	uint64_t paths;
} trc_mean;

/* Parts of a picture: all of it, then the quarters above, left and right, and below. */
enum { TRC_PARTS = 5 };

/* Returns the part of a pixel, beside all. */
static inline uint32_t trc_part(const trc_ctx *c, uint32_t x, uint32_t y)
{
	return 1 + (x >= c->width / 2) + 2 * (y >= c->height / 2);
}

/* Lengths of paths. */
typedef struct trc_lengths {
	uint64_t paths, bounces;
	uint64_t longest; /* sum over groups of 32 paths */
} trc_lengths;

/* A picture in host memory: sums as in the context, and how many paths each pixel has. */
typedef struct trc_picture {
	uint32_t width, height;
	const uint64_t *sum;
	const uint32_t *paths; /* [pixel] */
} trc_picture;

static inline double trc_light(const trc_picture *p, size_t pixel, size_t channel)
{
	return (double)p->sum[pixel * 4 + channel] / (double)TRC_ONE / p->paths[pixel];
}

typedef struct trc_host {
	trc_options o;
	trc_ctx ctx;
	trc_ctx host;        /* the same with arrays in host memory, for serial paths */
	uint32_t slots;      /* paths under way of the items */
	uint64_t *reference; /* sums of a picture with o.reference paths a pixel; or NULL */
	trc_mean truth[TRC_PARTS];
	trc_lengths lengths;
	uint64_t hash; /* of the first picture */
	int checked;   /* nonzero: the first picture is right */
} trc_host;

/* Makes the room, as wide as the picture, and its spheres. */
void trc_make_scene(trc_scene *s, const trc_options *o);

/* Reads the mesh and sets triangles and nodes of both contexts. Returns 0, or -1 with msg. */
int trc_load_mesh(trc_host *h, wl_device *d, char *msg, size_t n);
/* Compares hits by the tree with those by all triangles, for some paths. */
int trc_check_hits(const trc_host *h, char *why, size_t n);

/* Executes the first paths of a pixel in order and sets its sums; unless `bounces` is NULL, sets
 * the bounces of each. Ends early if the command is stopped; `d` may be NULL. */
void trc_serial(const wl_device *d, const trc_ctx *c, uint32_t pixel, uint32_t samples,
	uint64_t sum[3], uint32_t *bounces);

/* The means over the parts of the picture by so many paths in double precision, with other random
 * numbers and formulas. */
void trc_make_truth(
	const wl_device *d, const trc_ctx *c, uint64_t paths, uint64_t seed, trc_mean m[TRC_PARTS]);

/* Compares the picture of an execution with the truth. Returns 0, -1 with why, or WL_STOPPED. */
int trc_check(trc_host *h, const wl_device *d, const trc_picture *p, char *why, size_t n);

/* Write the picture, or white where a pixel has the most paths and black where it has none, as a
 * file. Without `overwrite` only a picture of the same format is replaced. Return 0, or -1 with
 * msg. */
int trc_write_image(const trc_picture *p, const char *path, int overwrite, char *msg, size_t n);
int trc_write_density(const trc_picture *p, const char *path, int overwrite, char *msg, size_t n);

/* As wl_type.create. */
int trc_create(wl_work *w, wl_device *d, const void *options, char *msg, size_t n);

/* By one CPU thread. As wl_work.plain. */
int trc_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);
/* By a kernel with a thread a pixel. As wl_work.plain. */
int trc_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

WL_PROGRAM(trace);
WL_PROGRAM(trace_mesh);
WL_PROGRAM(trace_patch);

#ifdef __cplusplus
}
#endif
#endif
