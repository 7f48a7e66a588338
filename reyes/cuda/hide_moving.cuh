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
	float lo[4][32], hi[4][32], blur[2][32]; /* reyes_i_sweep */
	int32_t x0[32], y0[32];
	uint32_t wide[32], start[32]; /* pixels a row; number of the first pixel in the warp */
	uint32_t m[32];
	uint32_t queue_k[64]; /* candidates: micropolygon, pixel */
	int32_t queue_x[64], queue_y[64];
} moving_shared;

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
	const reyes_i_sweep *w, const reyes_i_pixels *p, uint32_t m)
{
	LSCHED_UNROLL
	for (int e = 0; e < 4; e++) {
		sh->lo[e][k] = w->lo[e >> 1][e & 1];
		sh->hi[e][k] = w->hi[e >> 1][e & 1];
	}
	sh->blur[0][k] = w->blur[0];
	sh->blur[1][k] = w->blur[1];
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

/* Loads micropolygon k of the warp. */
static __device__ void load_shared(const moving_shared *sh, uint32_t k, reyes_i_moving *mv)
{
	LSCHED_UNROLL
	for (int e = 0; e < 2; e++)
		LSCHED_UNROLL
	for (int n = 0; n < 4; n++) {
		mv->x[e][n] = sh->x[e][n][k];
		mv->y[e][n] = sh->y[e][n][k];
		mv->z[e][n] = sh->z[e][n][k];
	}
}

/* Pixel c of micropolygon k of the warp: returns whether its sample may be covered. */
static __device__ int is_candidate(const reyes_i_stage &s, const moving_shared *sh,
	const reyes_i_moving *mv, uint32_t k, uint32_t c, uint32_t group, int32_t *px, int32_t *py)
{
	const uint32_t at = c - sh->start[k], wide = sh->wide[k], row = at / wide;
	reyes_i_group_sample g;
	reyes_i_sweep w;

	*px = sh->x0[k] + (int32_t)(at - row * wide);
	*py = sh->y0[k] + (int32_t)row;
	LSCHED_UNROLL
	for (int e = 0; e < 4; e++) {
		w.lo[e >> 1][e & 1] = sh->lo[e][k];
		w.hi[e >> 1][e & 1] = sh->hi[e][k];
	}
	w.blur[0] = sh->blur[0][k];
	w.blur[1] = sh->blur[1][k];
	return reyes_i_group_sample_of(&s.canvas, mv, group, *px, *py, &g) &&
	       reyes_i_sweep_has(&w, mv, &g);
}

/* Tests the sample of an entry of the queue. */
static __device__ void hide_entry(const reyes_i_stage &s, const reyes_i_hidden *h,
	const moving_shared *sh, reyes_i_moving *mv, uint32_t entry, uint32_t group)
{
	const uint32_t k = sh->queue_k[entry], m = sh->m[k];
	const int32_t px = sh->queue_x[entry], py = sh->queue_y[entry];
	reyes_i_group_sample g;
	reyes_i_quad q;
	const int32_t grow = reyes_i_quad_most_growth(h, m, &q);

	load_shared(sh, k, mv);
	(void)reyes_i_group_sample_of(&s.canvas, mv, group, px, py, &g); /* as before */
	reyes_i_hide_group_sample(&s.canvas, h, mv, &q, m, &g, px, py, grow);
}

/* Tests the samples of all pixels of the warp's micropolygons: `all` pixels; start: the first one
 * of micropolygon `lane`. Candidates wait in a queue until there is one for each lane. */
static __device__ void hide_pixels(const reyes_i_stage &s, const reyes_i_hidden *h,
	moving_shared *sh, reyes_i_moving *mv, uint32_t all, uint32_t start, uint32_t group,
	uint32_t lane)
{
	uint32_t first = 0, waiting = 0;

	for (uint32_t base = 0; base < all; base += 32) {
		/* bit i: a micropolygon's pixels begin at base + i */
		const uint32_t begins =
			__reduce_or_sync(0xffffffffu, start - base < 32 ? 1u << (start - base) : 0);
		const uint32_t k = first + __popc(begins & (0xffffffffu >> (31 - lane))) - 1;
		int32_t px = 0, py = 0;
		const int is = base + lane < all &&
			       is_candidate(s, sh, mv, k, base + lane, group, &px, &py);
		const uint32_t found = __ballot_sync(0xffffffffu, is);
		const uint32_t entry = waiting + __popc(found & ((1u << lane) - 1));

		first += __popc(begins);
		if (is) {
			sh->queue_k[entry] = k;
			sh->queue_x[entry] = px;
			sh->queue_y[entry] = py;
		}
		waiting += __popc(found);
		__syncwarp();
		if (waiting >= 32) {
			waiting -= 32;
			hide_entry(s, h, sh, mv, waiting + lane, group);
			__syncwarp();
		}
	}
	if (lane < waiting)
		hide_entry(s, h, sh, mv, lane, group);
	__syncwarp();
}

/* The micropolygons of a warp in one part of the shutter. has: the lane has one. */
static __device__ void hide_part(const reyes_i_stage &s, const lane_work *w, int has,
	moving_shared *sh, uint32_t part, uint32_t group, uint32_t lane)
{
	const reyes_i_prim &prim = s.view.prims[w->placed->grid.prim];
	const uint32_t keys = prim.key_count;
	uint32_t n = 0, all, start, filled, count;
	int32_t grow = 0;
	reyes_i_moving mv;
	reyes_i_sweep sweep;
	reyes_i_pixels p;
	reyes_i_quad q;

	reyes_i_moving_part(&s.view, &prim, part, &mv);
	if (has) {
		load_corners(s, w, keys, part, &mv);
		grow = reyes_i_quad_most_growth(&w->h, w->m, &q);
		reyes_i_sweep_of(&mv, grow, &sweep);
		if (reyes_i_group_range(&s.canvas, &mv, &sweep, group, &p))
			n = reyes_i_pixel_count(&p);
	}
	if (__any_sync(0xffffffffu, n > CANDIDATES_MAX)) {
		if (n)
			reyes_i_hide_group(&s.canvas, &w->h, &mv, &sweep, &q, w->m, group, grow);
		return;
	}
	start = sum_before(n, lane, &all);
	filled = __ballot_sync(0xffffffffu, n > 0);
	count = __popc(filled);
	if (n) {
		const uint32_t k = __popc(filled & ((1u << lane) - 1));

		store_moving(sh, k, &mv, &sweep, &p, w->m);
		sh->start[k] = start;
	}
	__syncwarp();
	hide_pixels(
		s, &w->h, sh, &mv, all, lane < count ? sh->start[lane] : 0xffffffffu, group, lane);
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
		reyes_i_fragment_room room = { 0, 0 };
		lane_work w;
		const int has = lane_work_of(s, (uint32_t)(k / groups), lane, &w);
		const uint32_t keys = s.view.prims[w.placed->grid.prim].key_count;

		w.h.room = &room;
		for (uint32_t part = 0; part == 0 || part + 1 < keys; part++)
			hide_part(s, &w, has, &shared[warp], part, (uint32_t)(k % groups), lane);
	}
}

#endif
