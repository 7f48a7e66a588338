/* Kernels: resolve samples and filter them. */
#ifndef REYES_CUDA_IMAGE_CUH
#define REYES_CUDA_IMAGE_CUH

#include "reyes/cuda/stages.h"
#include "reyes/hide/resolve.h"
#include "reyes/shade/imager.h"

enum {
	IMAGE_SIDE = 16, /* of a block's pixels */
	IMAGE_THREADS = IMAGE_SIDE * IMAGE_SIDE / 2,
	IMAGE_PLANES = 2,
	RESOLVE_THREADS = 256,
	LONG_BLOCKS = 1024, /* enough for each multiprocessor */
	MARGIN_ANY = -1
};

static __device__ void store_sample(const reyes_i_stage &s, uint64_t k, const reyes_i_seen &seen)
{
	((float4 *)s.samples)[k] = make_float4(seen.r, seen.g, seen.b, seen.a);
	s.sample_z[k] = seen.z;
}

/* Resolves samples to s.samples: those with fragments, or all. Long lists are left to the next
 * kernel, and have NaN as depth. Blocks are large so that the planes of a tile, whose lists share
 * micropolygons, share a first-level cache. */
static __global__ void __launch_bounds__(RESOLVE_THREADS, 5) resolve_kernel(
	const __grid_constant__ reyes_i_stage s, uint64_t samples, uint32_t with_fragments)
{
	const uint64_t k = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;

	/* The bucket is rendered again. After 2^32 fragments the lists may have cycles. */
	if (s.canvas.counters[REYES_I_N_FULL])
		return;
	if (k < samples && !(with_fragments && s.canvas.heads[k] == REYES_I_NONE)) {
		const reyes_i_seen seen =
			reyes_i_resolve(&s.canvas, &s.view.camera, k, REYES_I_LISTS_SHORT);

		store_sample(s, k, seen);
		if (isnan(seen.z))
			s.canvas.counters[REYES_I_N_LONG] = 1;
	}
}

static __global__ void __launch_bounds__(RESOLVE_THREADS)
	resolve_long_kernel(const __grid_constant__ reyes_i_stage s, uint64_t samples)
{
	const uint64_t step = (uint64_t)gridDim.x * blockDim.x;

	if (!s.canvas.counters[REYES_I_N_LONG] || s.canvas.counters[REYES_I_N_FULL])
		return;
	for (uint64_t k = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x; k < samples; k += step)
		if (s.canvas.heads[k] != REYES_I_NONE && isnan(s.sample_z[k]))
			store_sample(s, k,
				reyes_i_resolve(&s.canvas, &s.view.camera, k, REYES_I_LISTS_LONG));
}

/* Colour of a sample: from s.samples if it has fragments, else of the visible opaque point. */
static __device__ float4 sample_color(const reyes_i_stage &s, uint64_t k, uint32_t lists, float *z)
{
	uint64_t cell;

	if (lists && s.canvas.heads[k] != REYES_I_NONE) {
		*z = s.sample_z[k];
		return ((const float4 *)s.samples)[k];
	}
	cell = s.canvas.cells ? s.canvas.cells[k] : REYES_I_EMPTY;
	if (cell == REYES_I_EMPTY) {
		*z = INFINITY;
		return make_float4(0, 0, 0, 0);
	}
	*z = __uint_as_float((uint32_t)(cell >> 32));
	if (s.canvas.grids[(uint32_t)cell >> 14].flags & REYES_I_ATTR_MATTE)
		return make_float4(0, 0, 0, 0);
	const reyes_i_rgba p = reyes_i_point_color(&s.canvas, (uint32_t)cell, 0);

	return make_float4(p.r, p.g, p.b, 1);
}

/* What a thread collects for a pixel. */
typedef struct pixel_sum {
	float4 color;
	float nearest, farthest, mean; /* depth */
} pixel_sum;

/* Planes of samples of a block's pixels and of the margin around them, in shared memory. */
typedef struct image_planes {
	float4 *colors;
	float *depth;
	uint16_t *places;
	const float *x, *y;  /* reyes_i_weights */
	uint32_t wide, size; /* samples of a row, of a plane */
} image_planes;

/* Margin of the filter: a constant for the compiler if `margin` is one. */
template <int margin> static __device__ uint32_t margin_of(uint32_t any)
{
	return margin == MARGIN_ANY ? any : (uint32_t)margin;
}

/* Divides the block's shared memory. A common filter's weights are copied to it: lanes read them at
 * random places. */
template <int margin>
static __device__ image_planes planes_of(
	const reyes_i_weights &w, unsigned char *shared, uint32_t planes)
{
	const uint32_t wide = IMAGE_SIDE + 2 * margin_of<margin>(w.margin_x);
	const uint32_t size = wide * (IMAGE_SIDE + 2 * margin_of<margin>(w.margin_y));
	float *tables;
	image_planes p;

	p.wide = wide;
	p.size = size;
	p.colors = (float4 *)shared;
	p.depth = (float *)(p.colors + size * planes);
	tables = p.depth + size * planes;
	p.x = w.x;
	p.y = w.y;
	if (margin != MARGIN_ANY) {
		const uint32_t range = 512 * margin_of<margin>(0) + 256;

		for (uint32_t k = threadIdx.x; k < range; k += IMAGE_THREADS) {
			tables[k] = w.x[k];
			tables[range + k] = w.y[k];
		}
		p.x = tables;
		p.y = tables + range;
		tables += 2 * range;
	}
	p.places = (uint16_t *)tables;
	return p;
}

/* Loads planes of samples. Returns whether one of them is not empty, to all threads. */
template <int margin>
static __device__ int load_planes(const reyes_i_stage &s, uint32_t lists, uint32_t first,
	uint32_t planes, const image_planes &p)
{
	const int32_t left = s.canvas.x0 + (int32_t)(blockIdx.x * IMAGE_SIDE);
	const int32_t top = s.canvas.y0 + (int32_t)(blockIdx.y * IMAGE_SIDE);
	int any = 0;

	for (uint32_t k = threadIdx.x; k < p.size * planes; k += IMAGE_THREADS) {
		const uint32_t plane = k / p.size, pixel = k - plane * p.size, j = pixel / p.wide;
		const uint32_t i = pixel - j * p.wide;
		const int32_t x = left + (int32_t)i, y = top + (int32_t)j;
		float z = INFINITY;
		float4 c = make_float4(0, 0, 0, 0);

		if (x < s.canvas.x0 + (int32_t)s.canvas.width &&
			y < s.canvas.y0 + (int32_t)s.canvas.height)
			c = sample_color(
				s, reyes_i_sample_index(&s.canvas, x, y, first + plane), lists, &z);
		any |= c.w != 0 || c.x != 0 || c.y != 0 || c.z != 0 || z < INFINITY;
		p.colors[k] = c;
		p.places[k] =
			(uint16_t)reyes_i_sample_place(&s.canvas.pattern, x, y, first + plane);
		p.depth[k] = z;
	}
	return __syncthreads_or(any);
}

/* Weight of a sample at (dx, dy) in 1/256 pixel. */
template <int margin>
static __device__ float weight_at(
	const reyes_i_stage &s, const image_planes &p, int32_t dx, int32_t dy)
{
	if (margin == MARGIN_ANY)
		return reyes_i_weight(&s.view.camera, &s.weights, dx, dy);
	return p.x[dx + 256 * margin + 128] * p.y[dy + 256 * margin + 128];
}

/* Adds a plane's samples to the sums of the pixels (i, j) and (i, j + 1) of the block, which have
 * most of them in common. */
template <int margin>
static __device__ void add_plane(const reyes_i_stage &s, const image_planes &p, uint32_t plane,
	uint32_t i, uint32_t j, pixel_sum sum[2])
{
	const uint32_t mx = margin_of<margin>(s.weights.margin_x);
	const uint32_t my = margin_of<margin>(s.weights.margin_y);
	const uint32_t at = plane * p.size + j * p.wide + i;

	LSCHED_UNROLL
	for (uint32_t q = 0; q < 2; q++) {
		const float z = p.depth[at + (q + my) * p.wide + mx];

		sum[q].nearest = fminf(sum[q].nearest, z);
		sum[q].farthest = fmaxf(sum[q].farthest, z);
		sum[q].mean += z;
	}
	for (uint32_t b = 0; b <= 2 * my + 1; b++)
		for (uint32_t a = 0; a <= 2 * mx; a++) {
			const uint32_t k = at + b * p.wide + a, place = p.places[k];
			const int32_t dx =
				((int32_t)a - (int32_t)mx) * 256 + (int32_t)(place & 255u) - 128;
			const int32_t dy =
				((int32_t)b - (int32_t)my) * 256 + (int32_t)(place >> 8) - 128;
			const float4 c = p.colors[k];

			LSCHED_UNROLL
			for (uint32_t q = 0; q < 2; q++) {
				float weight;

				if (q == 0 ? b == 2 * my + 1 : b == 0)
					continue;
				weight = weight_at<margin>(s, p, dx, dy - (int32_t)q * 256);
				sum[q].color.x = sum[q].color.x + c.x * weight;
				sum[q].color.y = sum[q].color.y + c.y * weight;
				sum[q].color.z = sum[q].color.z + c.z * weight;
				sum[q].color.w = sum[q].color.w + c.w * weight;
			}
		}
}

static __device__ void store_pixel(
	const reyes_i_stage &s, uint32_t x, uint32_t y, const pixel_sum *sum)
{
	const reyes_i_camera &camera = s.view.camera;
	const size_t at = reyes_i_picture_index(&s, x, y);
	const float inv_total = reyes_i_inv_total(&s.weights, (int32_t)x, (int32_t)y);
	float color[3] = { sum->color.x * inv_total, sum->color.y * inv_total,
		sum->color.z * inv_total };
	float alpha = sum->color.w * inv_total;

	reyes_i_imager(&camera, color, &alpha);
	((float4 *)s.rgba)[at] = make_float4(color[0], color[1], color[2], alpha);
	s.z[at] = camera.depth_filter == REYES_I_DEPTH_MAX ? sum->farthest
		  : camera.depth_filter == REYES_I_DEPTH_AVERAGE
			  ? sum->mean * s.canvas.pattern.inv_count
			  : sum->nearest;
}

/* Each thread filters two pixels, one above the other; `planes` planes of samples at a time.
 * margin: that of the filter, whose weights are a product; MARGIN_ANY: of any filter. */
template <int margin>
static __global__ void __launch_bounds__(IMAGE_THREADS)
	image_kernel(const __grid_constant__ reyes_i_stage s, uint32_t lists, uint32_t planes)
{
	extern __shared__ __align__(16) unsigned char shared[];
	const reyes_i_camera &camera = s.view.camera;
	const image_planes p = planes_of<margin>(s.weights, shared, planes);
	const uint32_t i = threadIdx.x % IMAGE_SIDE, j = threadIdx.x / IMAGE_SIDE * 2;
	const uint32_t x = camera.crop_x0 + blockIdx.x * IMAGE_SIDE + i;
	const uint32_t y = camera.crop_y0 + blockIdx.y * IMAGE_SIDE + j;
	const pixel_sum none = { make_float4(0, 0, 0, 0), INFINITY, -INFINITY, 0 };
	pixel_sum sum[2] = { none, none };

	for (uint32_t first = 0; first < s.canvas.pattern.count; first += planes) {
		const uint32_t n = min(planes, s.canvas.pattern.count - first);

		if (load_planes<margin>(s, lists, first, n, p))
			for (uint32_t k = 0; k < n; k++)
				add_plane<margin>(s, p, k, i, j, sum);
		else /* nothing is to be added */
			for (uint32_t q = 0; q < 2; q++)
				sum[q].farthest = sum[q].mean = INFINITY;
		__syncthreads();
	}
	for (uint32_t q = 0; q < 2; q++)
		if (x < camera.crop_x1 && y + q < camera.crop_y1)
			store_pixel(s, x, y + q, &sum[q]);
}

/* Frames whose filter is so wide that a plane of samples does not fit into shared memory: a thread
 * a pixel, from the resolved samples. */
static __global__ void __launch_bounds__(128) filter_kernel(const __grid_constant__ reyes_i_stage s)
{
	const reyes_i_camera &camera = s.view.camera;
	const uint32_t width = camera.crop_x1 - camera.crop_x0;
	const uint32_t height = camera.crop_y1 - camera.crop_y0;
	const uint64_t k = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (k < (uint64_t)width * height) {
		const int32_t x = (int32_t)(camera.crop_x0 + (uint32_t)(k % width));
		const int32_t y = (int32_t)(camera.crop_y0 + (uint32_t)(k / width));
		const reyes_i_rgba p =
			reyes_i_filter_pixel(&s.canvas, &camera, &s.weights, s.samples, x, y);
		const size_t at = reyes_i_picture_index(&s, (uint32_t)x, (uint32_t)y);
		float color[3] = { p.r, p.g, p.b }, alpha = p.a;

		reyes_i_imager(&camera, color, &alpha);
		((float4 *)s.rgba)[at] = make_float4(color[0], color[1], color[2], alpha);
		s.z[at] = reyes_i_filter_depth(&s.canvas, &camera, s.sample_z, x, y);
	}
}

#endif
