/* The item program of ray_server.c: scans, and blocks of pictures. Compiled as C for CPU threads,
 * by nvcc for a GPU. */
#ifndef RAY_JOBS_H
#define RAY_JOBS_H

#include <libsched/jobs.h>
#include "ray_scene.h"

/* Kinds of jobs, in the order of their priority. */
enum { RAY_FINAL, RAY_PREVIEW, RAY_SCAN };

/* CPU threads do less at once. All sizes are multiples of those of a block. */
#ifdef __CUDACC__
enum { SCAN = 1024, WIDTH = 640, HEIGHT = 384, VIEW_W = 256, VIEW_H = 128 };
#else
enum { SCAN = 128, WIDTH = 64, HEIGHT = 32, VIEW_W = 64, VIEW_H = 64 };
#endif

enum {
	BLOCK_W = 8, /* pixels of an item; one of a scan has as many rays */
	BLOCK_H = 4,
	BLOCK = BLOCK_W * BLOCK_H,
	TAKE = 4,        /* paths of each pixel that an item of the final picture traces */
	VIEW_SAMPLES = 8 /* the same of a preview, which has one item for a block */
};

/* What jobs read and write: one allocation. */
typedef struct ray_memory {
	ray_scene scene;
	float way[SCAN][3];                  /* of a scan's rays */
	float range[SCAN];                   /* how far they go */
	uint64_t picture[WIDTH * HEIGHT][3]; /* sums of the paths */
	uint64_t view[VIEW_W * VIEW_H][3];   /* of the preview */
} ray_memory;

typedef struct ray_ctx { /* the same for all jobs */
	ray_memory *m;
} ray_ctx;

typedef struct ray_args {  /* of a job: at most 96 bytes */
	ray_camera camera; /* a scan: its eye */
	uint32_t kind;
	uint32_t x, y;           /* pictures: the first pixel, */
	uint32_t across, blocks; /* and the blocks from there */
	uint32_t samples;        /* paths of each pixel that an item traces */
} ray_args;

typedef struct ray_item { /* the number of a root */
	uint32_t number;
} ray_item;

#define RAYS(Y, P) Y(P, scan, warp, ray_item, ray_scan, 0) Y(P, paint, warp, ray_item, ray_block, 0)
LSCHED_DECLARE_PROCEDURES(ray_items, RAYS);

LSCHED_TASK_FN void ray_root(ray_items *x, const ray_ctx *c, uint32_t i)
{
	const ray_args *args = (const ray_args *)lsched_job_args(x);
	const ray_item item = { i };

	(void)c;
	if (args->kind == RAY_SCAN)
		lsched_emit_to(x, scan, &item);
	else
		lsched_emit_to(x, paint, &item);
}

/* Ray i of a scan. A function of its own on a GPU, as the next one: in a body its loops would share
 * the registers with what the worker keeps there. */
LSCHED_TASK_CALL_FN void ray_beam(ray_memory *m, const ray_args *args, uint32_t i)
{
	m->range[i] = ray_range(&m->scene, args->camera.eye, m->way[i]);
}

LSCHED_TASK_FN lsched_result ray_scan(
	ray_items *x, const ray_ctx *c, lsched_no_local *l, ray_item item)
{
	const ray_args *args = (const ray_args *)lsched_job_args(x);

	(void)l;
	for (uint32_t k = lsched_thread(x); k < BLOCK; k += lsched_threads(x))
		ray_beam(c->m, args, item.number * BLOCK + k);
	return LSCHED_DONE;
}

/* A few paths for pixel k of a block. Items of the final picture meet in its pixels; those of a
 * preview have them alone. */
LSCHED_TASK_CALL_FN void ray_pixel(ray_memory *m, const ray_args *args, uint32_t number, uint32_t k)
{
	const uint32_t block = number % args->blocks, take = number / args->blocks;
	const uint32_t across = args->x + block % args->across * BLOCK_W + k % BLOCK_W;
	const uint32_t down = args->y + block / args->across * BLOCK_H + k / BLOCK_W;
	const uint32_t pixel = down * args->camera.width + across;
	uint64_t sum[3] = { 0, 0, 0 };

	ray_paint(&m->scene, &args->camera, pixel, take * args->samples, args->samples, sum);
	for (int i = 0; i < 3; i++)
		if (args->kind == RAY_FINAL)
			(void)lsched_add(&m->picture[pixel][i], sum[i], rlx, dev);
		else
			m->view[pixel][i] = sum[i];
}

/* The job's value is the number of its paths; its progress is that of a few items at once. */
LSCHED_TASK_FN lsched_result ray_block(
	ray_items *x, const ray_ctx *c, lsched_no_local *l, ray_item item)
{
	const ray_args *args = (const ray_args *)lsched_job_args(x);

	(void)l;
	for (uint32_t k = lsched_thread(x); k < BLOCK; k += lsched_threads(x)) {
		ray_pixel(c->m, args, item.number, k);
		lsched_return(x, LSCHED_JOIN_ROOT, args->samples);
	}
	if (item.number % 16 == 0 && lsched_thread(x) == 0)
		lsched_job_advance(x, 16, 0);
	return LSCHED_DONE;
}

#define LSCHED_NAME       rays
#define LSCHED_CTX        ray_ctx
#define LSCHED_ITEMS      ray_items
#define LSCHED_ROOT       ray_root
#define LSCHED_PROCEDURES RAYS
#define LSCHED_JOBS
#define LSCHED_JOB_DISCARD /* items of a cancelled tile are dropped */
#include <libsched/generate_items.h>

#endif
