/* Kernel: hides micropolygons that move or that the lens blurs. A warp takes 32 micropolygons and
 * the samples of one group. The pixels that each may cover, few or many, are distributed evenly
 * over the lanes. */
#ifndef REYES_CUDA_HIDE_MOVING_CUH
#define REYES_CUDA_HIDE_MOVING_CUH

#include "reyes/cuda/hide.cuh"
#include "reyes/hide/hide_moving.h"

/* Pixels of a micropolygon up to which the sum over a warp has 32 bits. */
#define CANDIDATES_MAX (1u << 26)

/* Micropolygons of a warp with pixels, without gaps between them. */
typedef struct moving_shared {
	float x[2][4][32], y[2][4][32], z[2][4][32];
	int32_t x0[32], y0[32];
	uint32_t wide[32], start[32]; /* pixels a row; number of the first pixel in the warp */
	uint32_t m[32];
} moving_shared;

/* Sets the part of the shutter between keys `part` and `part` + 1. */
static __device__ void set_interval(
	const reyes_i_stage &s, const reyes_i_prim &prim, uint32_t part, reyes_i_moving *mv)
{
	const reyes_i_camera &c = s.view.camera;
	const uint32_t keys = prim.key_count;
	const float *times = s.view.floats + prim.times;
	const float length = c.shutter_close - c.shutter_open;

	mv->camera = &c;
	mv->t0 = part ? (times[part] - c.shutter_open) / length : 0;
	mv->t1 = part + 2 < keys ? (times[part + 1] - c.shutter_open) / length : 1;
	mv->last = part + 2 >= keys;
}

/* Loads the corners of a lane's micropolygon at both ends of the part. */
static __device__ void load_corners(const reyes_i_stage &s, const lane_work *w, uint32_t keys,
	uint32_t part, reyes_i_moving *mv)
{
	const uint32_t points = (w->h.nu + 1) * (w->h.nv + 1);

	LSCHED_UNROLL
	for (uint32_t e = 0; e < 2; e++)
		LSCHED_UNROLL
	for (uint32_t n = 0; n < 4; n++) {
		const uint32_t key = keys > 1 ? part + e : 0;
		const int4 p = ((const int4 *)s.points)[w->corner + key * points + (n & 1) +
							(n >> 1) * (w->h.nu + 1)];

		mv->x[e][n] = (float)p.x * (1.0f / REYES_I_SUBPIXEL);
		mv->y[e][n] = (float)p.y * (1.0f / REYES_I_SUBPIXEL);
		mv->z[e][n] = __int_as_float(p.z);
	}
}

static __device__ void store_moving(moving_shared *sh, uint32_t k, const reyes_i_moving *mv,
	const reyes_i_pixels *p, uint32_t m)
{
	LSCHED_UNROLL
	for (int e = 0; e < 2; e++)
		LSCHED_UNROLL
	for (int n = 0; n < 4; n++) {
		sh->x[e][n][k] = mv->x[e][n];
		sh->y[e][n][k] = mv->y[e][n];
		sh->z[e][n][k] = mv->z[e][n];
	}
	sh->x0[k] = p->x0;
	sh->y0[k] = p->y0;
	sh->wide[k] = (uint32_t)(p->x1 - p->x0);
	sh->m[k] = m;
}

/* Sum of n over the lanes before this one. */
static __device__ uint32_t sum_before(uint32_t n, uint32_t lane, uint32_t *all)
{
	uint32_t sum = n;

	for (uint32_t step = 1; step < 32; step *= 2) {
		const uint32_t other = __shfl_up_sync(0xffffffffu, sum, step);

		if (lane >= step)
			sum += other;
	}
	*all = __shfl_sync(0xffffffffu, sum, 31);
	return sum - n;
}

/* Pixel c of micropolygon k of the warp: tests the group's sample. */
static __device__ void hide_candidate(const reyes_i_stage &s, const reyes_i_hidden *h,
	const moving_shared *sh, reyes_i_moving *mv, uint32_t k, uint32_t c, uint32_t group)
{
	const uint32_t at = c - sh->start[k], wide = sh->wide[k], row = at / wide, m = sh->m[k];
	reyes_i_quad q;
	const int32_t grow = reyes_i_quad_most_growth(h, m, &q);

	LSCHED_UNROLL
	for (int e = 0; e < 2; e++)
		LSCHED_UNROLL
	for (int n = 0; n < 4; n++) {
		mv->x[e][n] = sh->x[e][n][k];
		mv->y[e][n] = sh->y[e][n][k];
		mv->z[e][n] = sh->z[e][n][k];
	}
	reyes_i_hide_group_sample(&s.canvas, h, mv, &q, m, group,
		sh->x0[k] + (int32_t)(at - row * wide), sh->y0[k] + (int32_t)row, grow);
}

/* The micropolygons of a warp in one part of the shutter. has: the lane has one. */
static __device__ void hide_part(const reyes_i_stage &s, const lane_work *w, int has,
	moving_shared *sh, uint32_t part, uint32_t group, uint32_t lane)
{
	const reyes_i_prim &prim = s.view.prims[w->placed->grid.prim];
	const uint32_t keys = prim.key_count;
	uint32_t n = 0, all, start, filled, count, first = 0;
	reyes_i_moving mv;
	reyes_i_pixels p;
	reyes_i_quad q;

	set_interval(s, prim, part, &mv);
	if (has) {
		load_corners(s, w, keys, part, &mv);
		if (reyes_i_group_range(&s.canvas, &mv, keys > 1, group,
			    reyes_i_quad_most_growth(&w->h, w->m, &q), &p))
			n = (uint32_t)(p.x1 - p.x0) * (uint32_t)(p.y1 - p.y0);
	}
	if (__any_sync(0xffffffffu, n > CANDIDATES_MAX)) {
		if (n)
			reyes_i_hide_group(&s.canvas, &w->h, &mv, keys > 1, w->m, group);
		return;
	}
	start = sum_before(n, lane, &all);
	filled = __ballot_sync(0xffffffffu, n > 0);
	count = __popc(filled);
	if (n) {
		const uint32_t k = __popc(filled & ((1u << lane) - 1));

		store_moving(sh, k, &mv, &p, w->m);
		sh->start[k] = start;
	}
	__syncwarp();
	start = lane < count ? sh->start[lane] : 0xffffffffu;
	for (uint32_t base = 0; base < all; base += 32) {
		/* bit i: a micropolygon's pixels begin at base + i */
		const uint32_t begins =
			__reduce_or_sync(0xffffffffu, start - base < 32 ? 1u << (start - base) : 0);

		if (base + lane < all)
			hide_candidate(s, &w->h, sh, &mv,
				first + __popc(begins & (0xffffffffu >> (31 - lane))) - 1,
				base + lane, group);
		first += __popc(begins);
		__syncwarp();
	}
	__syncwarp();
}

static __global__ void __launch_bounds__(HIDE_WARPS * 32, 4)
	hide_moving_kernel(const __grid_constant__ reyes_i_stage s)
{
	__shared__ moving_shared shared[HIDE_WARPS];
	const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	const uint32_t chunks = min(s.canvas.counters[REYES_I_N_CHUNKS], s.chunks_max);
	const uint32_t groups = s.canvas.pattern.count;

	for (uint64_t k = (uint64_t)blockIdx.x * HIDE_WARPS + warp; k < (uint64_t)chunks * groups;
		k += (uint64_t)gridDim.x * HIDE_WARPS) {
		lane_work w;
		const int has = lane_work_of(s, (uint32_t)(k / groups), lane, &w);
		const uint32_t keys = s.view.prims[w.placed->grid.prim].key_count;

		for (uint32_t part = 0; part == 0 || part + 1 < keys; part++)
			hide_part(s, &w, has, &shared[warp], part, (uint32_t)(k % groups), lane);
	}
}

#endif
