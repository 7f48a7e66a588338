/* Kernel: dices and shades the grids of the list, a warp a grid. */
#ifndef REYES_CUDA_DICE_CUH
#define REYES_CUDA_DICE_CUH

#include "reyes/cuda/occlude.cuh"
#include "reyes/dice/displaced.h"

enum { DICE_WARPS = 4 };

/* Stores records of a grid without room that no later kernel of the launch hides: the host enlarges
 * the arrays and repeats the bucket when all have run. */
static __device__ void place_nothing(
	const reyes_i_stage &s, uint32_t slot, reyes_i_placed &p, uint32_t chunk, uint32_t chunks)
{
	const uint32_t stored = slot < s.canvas.grids_max;

	s.canvas.counters[REYES_I_N_FULL] = 1;
	if (stored) {
		p.grid.nu = p.grid.nv = 0;
		s.canvas.grids[slot] = p;
		if (s.culling.boxes) {
			const reyes_i_box none = { 0, 0, 0, 0, 0, 0 };

			s.culling.boxes[slot] = none;
		}
	}
	/* no grid has a micropolygon of number 15 * 32 */
	for (uint32_t k = 0; k < chunks && (uint64_t)chunk + k < s.chunks_max; k++)
		s.chunks[chunk + k] = stored ? slot << 4 | k : 15;
}

/* Reserves colours, raster positions and chunks of a grid. Returns 0 if there is no room. One
 * lane. */
static __device__ int place(
	const reyes_i_stage &s, uint32_t slot, const reyes_i_grid &g, reyes_i_placed &p)
{
	const reyes_i_canvas &c = s.canvas;
	const reyes_i_prim &prim = s.view.prims[g.prim];
	const uint32_t points = (g.nu + 1u) * (g.nv + 1u), chunks = (g.nu * g.nv + 31u) / 32;
	const uint32_t flags = reyes_i_placed_flags(&s.view, &prim);
	const uint32_t colors = reyes_i_color_count(flags, points);
	uint32_t chunk;

	p.grid = g;
	p.flags = flags;
	p.solid = s.view.attrs[prim.attr].solid;
	p.surface = prim.surface;
	p.colors = atomicAdd(&c.counters[REYES_I_N_COLORS], colors);
	p.points = atomicAdd(&c.counters[REYES_I_N_POINTS], points * prim.key_count);
	chunk = atomicAdd(&c.counters[REYES_I_N_CHUNKS], chunks);
	atomicAdd(&c.counters[REYES_I_N_SHADED], points);
	atomicAdd(&c.counters[REYES_I_N_MICROPOLYGONS], (uint32_t)g.nu * g.nv);
	if (slot >= c.grids_max || (uint64_t)p.colors + colors > c.colors_max ||
		(uint64_t)p.points + points * prim.key_count > s.points_max ||
		(uint64_t)chunk + chunks > s.chunks_max) {
		place_nothing(s, slot, p, chunk, chunks);
		return 0;
	}
	c.grids[slot] = p;
	for (uint32_t k = 0; k < chunks; k++)
		s.chunks[chunk + k] = slot << 4 | k;
	return 1;
}

static __device__ void store_point(const reyes_i_stage &s, uint32_t place, const reyes_i_camera &c,
	reyes_i_vec at, lane_box *box)
{
	const float z = c.perspective && !(at.z > 1e-6f) ? 1e-6f : at.z;
	const reyes_i_xy r = reyes_i_project(&c, reyes_i_vec_of(at.x, at.y, z));
	int4 v;

	v.x = reyes_i_to_subpixel(r.x);
	v.y = reyes_i_to_subpixel(r.y);
	v.z = __float_as_int(at.z);
	v.w = 0;
	((int4 *)s.points)[place] = v;
	lane_box_add(box, v.x, v.y, at.z);
}

/* A grid without displacement. mirrors: as reyes_i_shade_point. */
template <bool mirrors>
static __device__ void dice_plain(const reyes_i_stage &s, const reyes_i_dicing &d, uint32_t points,
	uint32_t lane, lane_box *box)
{
	for (uint32_t key = 0; key < d.prim->key_count; key++)
		REYES_I_EACH_POINT(w, &d, lane, 32)
		{
			reyes_i_surf at;
			float u, v;

			reyes_i_dice_uv(&d, &w, &u, &v);
			reyes_i_eval(d.view, d.prim, key, u, v, &at);
			store_point(s, points + key * d.points + w.k, s.view.camera, at.p, box);
			if (key == 0)
				reyes_i_shade_plain(&d, w.k, u, v, &at, mirrors);
		}
}

template <bool mirrors>
static __device__ __noinline__ void dice_displaced(const reyes_i_stage &s, const reyes_i_dicing &d,
	uint32_t points, reyes_i_vec *p, uint8_t *grow, uint32_t lane, lane_box *box)
{
	for (uint32_t key = 0; key < d.prim->key_count; key++) {
		reyes_i_displace_into(&d, key, p, lane, 32);
		__syncwarp();
		reyes_i_displaced_rims(&d, p, grow, lane, 32);
		for (uint32_t k = lane; k < d.points; k += 32)
			store_point(s, points + key * d.points + k, s.view.camera, p[k], box);
		if (key == 0)
			reyes_i_dice_displaced(&d, p, lane, 32, mirrors);
		__syncwarp();
	}
}

/* mirrors: surfaces may have environment maps; a constant for the compiler. */
template <bool mirrors>
static __global__ void __launch_bounds__(DICE_WARPS * 32, 5)
	dice_kernel(const __grid_constant__ reyes_i_stage s)
{
	__shared__ reyes_i_vec displaced[DICE_WARPS][REYES_I_GRID_POINTS];
	const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	const uint32_t count = min(*s.list_count, s.list_max);

	for (uint32_t slot = blockIdx.x * DICE_WARPS + warp; slot < count;
		slot += gridDim.x * DICE_WARPS) {
		const reyes_i_grid g = s.list[slot];
		reyes_i_placed p;
		reyes_i_dicing d;
		lane_box box = lane_box_none();
		uint32_t colors = 0, points = 0;
		int room = 0;

		if (lane == 0) {
			room = place(s, slot, g, p);
			colors = p.colors;
			points = p.points;
		}
		if (!__shfl_sync(0xffffffffu, room, 0))
			continue;
		colors = __shfl_sync(0xffffffffu, colors, 0);
		points = __shfl_sync(0xffffffffu, points, 0);
		reyes_i_dicing_of(&s.view, &g, s.canvas.colors + colors, &d);
		if (d.attr->displacement == REYES_I_NONE)
			dice_plain<mirrors>(s, d, points, lane, &box);
		else
			dice_displaced<mirrors>(s, d, points, displaced[warp],
				s.canvas.grids[slot].grid.grow, lane, &box);
		if (s.culling.boxes)
			store_box(s, slot, g, box, lane);
	}
}

#endif
