/* Kernels: hide a frame with many surfaces behind one another in passes, the nearest grids first.
 * After a pass each tile of the canvas has the depth of its farthest visible sample; the next pass
 * drops the grids that are behind it in all tiles that they touch. The picture stays the same to
 * the bit: their samples would fail the depth test. */
#ifndef REYES_CUDA_OCCLUDE_CUH
#define REYES_CUDA_OCCLUDE_CUH

#include "reyes/cuda/stages.h"

enum {
	OCCLUDE_THREADS = 128,
	ORDER_BLOCKS = 64,
	OCCLUDE_TILES_MAX = 64 /* of a grid; one that touches more is never dropped */
};

/* Depth as a number: positive floats have the order of their bits. */
static __device__ uint32_t depth_key(float z)
{
	return z > 0 ? __float_as_uint(z) : 0;
}

/* The points of a grid in one lane, as dice_kernel stores them. */
typedef struct lane_box {
	int32_t x0, x1, y0, y1; /* 1/256 pixel */
	uint32_t z;
} lane_box;

static __device__ lane_box lane_box_none(void)
{
	lane_box b;

	b.x0 = b.y0 = INT32_MAX;
	b.x1 = b.y1 = INT32_MIN;
	b.z = UINT32_MAX;
	return b;
}

static __device__ void lane_box_add(lane_box *b, int32_t x, int32_t y, float z)
{
	b->x0 = min(b->x0, x);
	b->x1 = max(b->x1, x);
	b->y0 = min(b->y0, y);
	b->y1 = max(b->y1, y);
	b->z = min(b->z, depth_key(z));
}

/* Tile of a raster coordinate in 1/256 pixel, limited to the canvas. */
static __device__ uint32_t tile_of(int32_t at, int32_t origin, uint32_t tiles)
{
	const int32_t t = ((at >> 8) - origin) / REYES_I_TILE;

	return (uint32_t)min(max(t, 0), (int32_t)tiles - 1);
}

/* Stores the box of a grid from those of the lanes of a warp. Rims may be enlarged by up to a
 * pixel. */
static __device__ void store_box(const reyes_i_stage &s, uint32_t slot, const reyes_i_grid &g,
	const lane_box &b, uint32_t lane)
{
	const reyes_i_canvas &c = s.canvas;
	const int32_t x0 = __reduce_min_sync(0xffffffffu, b.x0) - 256;
	const int32_t x1 = __reduce_max_sync(0xffffffffu, b.x1) + 256;
	const int32_t y0 = __reduce_min_sync(0xffffffffu, b.y0) - 256;
	const int32_t y1 = __reduce_max_sync(0xffffffffu, b.y1) + 256;
	const uint32_t z = __reduce_min_sync(0xffffffffu, b.z);
	reyes_i_box box;

	if (lane != 0)
		return;
	box.x0 = (uint16_t)tile_of(x0, c.x0, c.tiles_x);
	box.x1 = (uint16_t)tile_of(x1, c.x0, c.tiles_x);
	box.y0 = (uint16_t)tile_of(y0, c.y0, c.tiles_y);
	box.y1 = (uint16_t)tile_of(y1, c.y0, c.tiles_y);
	box.z = z;
	box.micropolygons = (uint32_t)g.nu * g.nv;
	s.culling.boxes[slot] = box;
	/* a stale value is sufficient: an atomic operation for each grid would be slow */
	if (~z > s.canvas.counters[REYES_I_N_NEAREST])
		atomicMax(&s.canvas.counters[REYES_I_N_NEAREST], ~z);
	if (z > s.canvas.counters[REYES_I_N_FARTHEST])
		atomicMax(&s.canvas.counters[REYES_I_N_FARTHEST], z);
}

static __device__ uint32_t grid_count(const reyes_i_stage &s)
{
	return min(min(*s.list_count, s.list_max), s.canvas.grids_max);
}

/* The bin of a grid's depth: those from the nearest to the farthest grid. Bits of floats grow
 * about as the logarithm does, so that distant grids need few bins. */
static __device__ uint32_t bin_of(const reyes_i_stage &s, uint32_t slot)
{
	const uint32_t nearest = ~s.canvas.counters[REYES_I_N_NEAREST];
	const uint32_t range = s.canvas.counters[REYES_I_N_FARTHEST] - nearest;
	const uint32_t bits = 32 - (uint32_t)__clz((int)range);
	const uint32_t shift = bits > REYES_I_BIN_BITS ? bits - REYES_I_BIN_BITS : 0;

	return min((s.culling.boxes[slot].z - nearest) >> shift, REYES_I_BINS - 1);
}

/* Counts this block's grids of each bin. */
static __device__ void count_bins(const reyes_i_stage &s, uint32_t *bins)
{
	const uint32_t n = grid_count(s), step = gridDim.x * REYES_I_BINS;

	bins[threadIdx.x] = 0;
	__syncthreads();
	for (uint32_t k = blockIdx.x * REYES_I_BINS + threadIdx.x; k < n; k += step)
		atomicAdd(&bins[bin_of(s, k)], 1);
	__syncthreads();
}

/* Adds the sums of all blocks to culling.bins. One thread for each bin. */
static __global__ void __launch_bounds__(REYES_I_BINS)
	count_kernel(const __grid_constant__ reyes_i_stage s)
{
	__shared__ uint32_t bins[REYES_I_BINS];

	count_bins(s, bins);
	if (bins[threadIdx.x])
		atomicAdd(&s.culling.bins[threadIdx.x], bins[threadIdx.x]);
}

/* Returns the sum of n over the threads before this one in a block of REYES_I_BINS. */
static __device__ uint32_t block_sum_before(uint32_t n)
{
	__shared__ uint32_t warps[REYES_I_BINS / 32];
	const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	uint32_t sum = n;

	for (uint32_t step = 1; step < 32; step *= 2) {
		const uint32_t other = __shfl_up_sync(0xffffffffu, sum, step);

		sum += lane >= step ? other : 0;
	}
	if (lane == 31)
		warps[warp] = sum;
	__syncthreads();
	return sum - n + __reduce_add_sync(0xffffffffu, lane < warp ? warps[lane] : 0);
}

/* Sorts the grids by their bins, after count_kernel. One thread for each bin. */
static __global__ void __launch_bounds__(REYES_I_BINS)
	order_kernel(const __grid_constant__ reyes_i_stage s)
{
	__shared__ uint32_t bins[REYES_I_BINS];
	const uint32_t n = grid_count(s), step = gridDim.x * REYES_I_BINS, bin = threadIdx.x;
	uint32_t *used = s.culling.bins + REYES_I_BINS; /* places of a bin that blocks have taken */
	uint32_t first;

	count_bins(s, bins);
	first = block_sum_before(s.culling.bins[bin]);
	bins[bin] = first + (bins[bin] ? atomicAdd(&used[bin], bins[bin]) : 0);
	__syncthreads();
	for (uint32_t k = blockIdx.x * REYES_I_BINS + threadIdx.x; k < n; k += step)
		s.culling.order[atomicAdd(&bins[bin_of(s, k)], 1)] = k;
}

/* Whether a part of a grid may be in front of the farthest visible sample of a tile. */
static __device__ int may_show(const reyes_i_stage &s, const reyes_i_box &b)
{
	if ((b.x1 - b.x0 + 1) * (b.y1 - b.y0 + 1) > OCCLUDE_TILES_MAX)
		return 1;
	for (uint32_t y = b.y0; y <= b.y1; y++)
		for (uint32_t x = b.x0; x <= b.x1; x++)
			if (b.z <= s.culling.farthest[y * s.canvas.tiles_x + x])
				return 1;
	return 0;
}

/* Lists the chunks of a pass's grids that may be visible: those from sixteenth `from` to
 * sixteenth `to` of the sorted grids. */
static __global__ void __launch_bounds__(OCCLUDE_THREADS) list_kernel(
	const __grid_constant__ reyes_i_stage s, uint32_t pass, uint32_t from, uint32_t to)
{
	const uint32_t n = grid_count(s), step = gridDim.x * OCCLUDE_THREADS;
	const uint32_t begin = (uint32_t)((uint64_t)n * from / 16);
	const uint32_t end = (uint32_t)((uint64_t)n * to / 16);
	uint32_t *count = &s.canvas.counters[REYES_I_N_PASS + pass];

	for (uint32_t k = begin + blockIdx.x * OCCLUDE_THREADS + threadIdx.x; k < end; k += step) {
		const uint32_t slot = s.culling.order[k];
		const reyes_i_box b = s.culling.boxes[slot];
		const uint32_t shows = pass == 0 || may_show(s, b);
		const uint32_t chunks = shows ? (b.micropolygons + 31) / 32 : 0;
		const uint32_t at = reyes_i_add32_warp(count, chunks);

		for (uint32_t i = 0; i < chunks && at + i < s.chunks_max; i++)
			s.chunks[at + i] = slot << 4 | i;
		reyes_i_count32_warp(
			&s.canvas.counters[REYES_I_N_OCCLUDED], shows ? 0 : b.micropolygons);
	}
}

/* Stores the largest depth of a tile's samples. One block for each tile. */
static __global__ void __launch_bounds__(OCCLUDE_THREADS)
	farthest_kernel(const __grid_constant__ reyes_i_stage s)
{
	enum { PIXELS = REYES_I_TILE * REYES_I_TILE };
	__shared__ uint32_t warps[OCCLUDE_THREADS / 32];
	const reyes_i_canvas &c = s.canvas;
	const uint32_t pixel = threadIdx.x % PIXELS;
	const uint32_t x = blockIdx.x * REYES_I_TILE + pixel % REYES_I_TILE;
	const uint32_t y = blockIdx.y * REYES_I_TILE + pixel / REYES_I_TILE;
	const uint32_t tile = blockIdx.y * c.tiles_x + blockIdx.x;
	const uint64_t *cells = c.cells + (uint64_t)tile * c.pattern.count * PIXELS;
	uint32_t farthest = 0;

	if (x < c.width && y < c.height)
		for (uint32_t k = threadIdx.x; k < c.pattern.count * PIXELS; k += OCCLUDE_THREADS)
			farthest = max(farthest, (uint32_t)(cells[k] >> 32));
	farthest = __reduce_max_sync(0xffffffffu, farthest);
	if (threadIdx.x % 32 == 0)
		warps[threadIdx.x / 32] = farthest;
	__syncthreads();
	if (threadIdx.x == 0) {
		for (uint32_t k = 1; k < OCCLUDE_THREADS / 32; k++)
			farthest = max(farthest, warps[k]);
		s.culling.farthest[tile] = farthest;
	}
}

#endif
