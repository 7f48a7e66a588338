/* Kernels: hide the micropolygons of all grids, a lane a micropolygon. */
#ifndef REYES_CUDA_HIDE_CUH
#define REYES_CUDA_HIDE_CUH

#include "reyes/cuda/stages.h"
#include "reyes/hide/hide_moving.h"

enum { HIDE_WARPS = 4 };

/* A lane's micropolygon: its grid, its number, the place of its first corner. */
typedef struct lane_work {
	const reyes_i_placed *placed;
	reyes_i_hidden h;
	uint32_t m, corner;
} lane_work;

/* Returns 0 if the chunk has no micropolygon for this lane. */
static __device__ int lane_work_of(
	const reyes_i_stage &s, uint32_t chunk, uint32_t lane, lane_work *w)
{
	const uint32_t entry = s.chunks[chunk], slot = entry >> 4;
	const reyes_i_placed *p = s.canvas.grids + slot;
	const uint32_t nu = p->grid.nu, nv = p->grid.nv, m = (entry & 15u) * 32 + lane;

	if (m >= nu * nv)
		return 0;
	w->placed = p;
	w->m = m;
	w->corner = p->points + m / nu * (nu + 1) + m % nu;
	reyes_i_hidden_of(&s.view.camera, p, slot, &w->h);
	return 1;
}

static __global__ void __launch_bounds__(HIDE_WARPS * 32, 6)
	hide_kernel(const __grid_constant__ reyes_i_stage s)
{
	const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	const uint32_t count = min(s.canvas.counters[REYES_I_N_CHUNKS], s.chunks_max);
	const int4 *points = (const int4 *)s.points;

	for (uint32_t k = blockIdx.x * HIDE_WARPS + warp; k < count; k += gridDim.x * HIDE_WARPS) {
		lane_work w;
		int32_t x[4], y[4];
		reyes_i_quad q;

		if (!lane_work_of(s, k, lane, &w))
			continue;
		LSCHED_UNROLL
		for (int n = 0; n < 4; n++) {
			const int4 p = points[w.corner + (n & 1) + (n >> 1) * (w.h.nu + 1)];

			x[n] = p.x;
			y[n] = p.y;
			q.z[n] = __int_as_float(p.z);
		}
		reyes_i_hide_corners(&s.canvas, &w.h, w.m, x, y, &q);
	}
}

/* The corners of a lane's micropolygon at both ends of part `part` of the shutter. */
static __device__ void load_moving(
	const reyes_i_stage &s, const lane_work *w, uint32_t part, reyes_i_moving *mv)
{
	const reyes_i_camera &c = s.view.camera;
	const reyes_i_prim &prim = s.view.prims[w->placed->grid.prim];
	const uint32_t keys = prim.key_count, points = (w->h.nu + 1) * (w->h.nv + 1);
	const float *times = s.view.floats + prim.times;
	const float length = c.shutter_close - c.shutter_open;

	mv->camera = &c;
	mv->t0 = part ? (times[part] - c.shutter_open) / length : 0;
	mv->t1 = part + 2 < keys ? (times[part + 1] - c.shutter_open) / length : 1;
	mv->last = part + 2 >= keys;
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

/* Frames with motion or depth of field: a warp takes the samples of one group. */
static __global__ void __launch_bounds__(HIDE_WARPS * 32, 4)
	hide_moving_kernel(const __grid_constant__ reyes_i_stage s)
{
	const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	const uint32_t chunks = min(s.canvas.counters[REYES_I_N_CHUNKS], s.chunks_max);
	const uint32_t groups = s.canvas.pattern.count;

	for (uint64_t k = (uint64_t)blockIdx.x * HIDE_WARPS + warp; k < (uint64_t)chunks * groups;
		k += (uint64_t)gridDim.x * HIDE_WARPS) {
		lane_work w;
		reyes_i_moving mv;
		uint32_t keys;

		if (!lane_work_of(s, (uint32_t)(k / groups), lane, &w))
			continue;
		keys = s.view.prims[w.placed->grid.prim].key_count;
		for (uint32_t part = 0; part == 0 || part + 1 < keys; part++) {
			load_moving(s, &w, part, &mv);
			reyes_i_hide_group(
				&s.canvas, &w.h, &mv, keys > 1, w.m, (uint32_t)(k % groups));
		}
	}
}

#endif
