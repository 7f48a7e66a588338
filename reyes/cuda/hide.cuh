/* Kernel: hides the micropolygons of all grids, a lane a micropolygon. */
#ifndef REYES_CUDA_HIDE_CUH
#define REYES_CUDA_HIDE_CUH

#include "reyes/cuda/stages.h"
#include "reyes/hide/hide_static.h"

enum { HIDE_WARPS = 4 };

/* A lane's micropolygon: its grid, its number, the place of its first corner. */
typedef struct lane_work {
	const reyes_i_placed *placed;
	reyes_i_hidden h;
	uint32_t m, corner;
} lane_work;

/* Fills *w; grid and settings are the same for all lanes. Returns 0 if the chunk has no
 * micropolygon for this lane. */
static __device__ int lane_work_of(
	const reyes_i_stage &s, uint32_t chunk, uint32_t lane, lane_work *w)
{
	const uint32_t entry = s.chunks[chunk], slot = entry >> 4;
	const reyes_i_placed *p = s.canvas.grids + slot;
	const uint32_t nu = p->grid.nu, nv = p->grid.nv, m = (entry & 15u) * 32 + lane;

	w->placed = p;
	w->m = m;
	w->corner = p->points + reyes_i_first_point(m, nu);
	reyes_i_hidden_of(&s.view.camera, p, slot, &w->h);
	return m < nu * nv;
}

/* What a frame has, as constants for the compiler. */
enum hide_kind {
	HIDE_OPAQUE, /* no surface is transparent, 4 x 4 samples a pixel */
	HIDE_LISTS,  /* 4 x 4 samples a pixel; fragments behind opaque surfaces are not kept */
	HIDE_ANY
};

/* list: a counter of chunks. */
template <hide_kind kind>
static __global__ void __launch_bounds__(HIDE_WARPS * 32, kind == HIDE_OPAQUE ? 8 : 5)
	hide_kernel(const __grid_constant__ reyes_i_stage s, uint32_t list)
{
	const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	const uint32_t count = min(s.canvas.counters[list], s.chunks_max);
	const int4 *points = (const int4 *)s.points;
	reyes_i_canvas canvas = s.canvas;

	if (kind != HIDE_ANY) {
		canvas.pattern.nx = canvas.pattern.ny = 4;
		canvas.pattern.count = 16;
	}
	for (uint32_t k = blockIdx.x * HIDE_WARPS + warp; k < count; k += gridDim.x * HIDE_WARPS) {
		reyes_i_fragment_room room = { 0, 0 };
		lane_work w;
		int32_t x[4], y[4];
		reyes_i_quad q;

		if (!lane_work_of(s, k, lane, &w))
			continue;
		w.h.room = &room;
		if (kind == HIDE_OPAQUE)
			w.h.opaque = 1;
		if (kind != HIDE_ANY)
			w.h.keep = 0;
		LSCHED_UNROLL
		for (int n = 0; n < 4; n++) {
			const int4 p = points[w.corner + (n & 1) + (n >> 1) * (w.h.nu + 1)];

			x[n] = p.x;
			y[n] = p.y;
			q.z[n] = __int_as_float(p.z);
		}
		reyes_i_hide_corners(&canvas, &w.h, w.m, x, y, &q);
	}
}

#endif
