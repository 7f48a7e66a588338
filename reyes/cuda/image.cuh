/* Kernels: resolve samples and filter them, a block for a tile of 8 x 8 pixels. */
#ifndef REYES_CUDA_IMAGE_CUH
#define REYES_CUDA_IMAGE_CUH

#include "reyes/cuda/stages.h"
#include "reyes/hide/resolve.h"
#include "reyes/shade/imager.h"

enum { TILE = REYES_I_TILE, IMAGE_THREADS = TILE * TILE, IMAGE_PLANES = 4 };

/* Resolves samples to s.samples: those with fragments, or all. */
static __global__ void __launch_bounds__(128) resolve_kernel(
	const __grid_constant__ reyes_i_stage s, uint64_t samples, uint32_t with_fragments)
{
	const uint64_t k = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;

	if (k < samples && !(with_fragments && s.canvas.heads[k] == REYES_I_NONE)) {
		const reyes_i_seen seen = reyes_i_resolve(&s.canvas, &s.view.camera, k);
		reyes_i_rgba p;

		p.r = seen.r;
		p.g = seen.g;
		p.b = seen.b;
		p.a = seen.a;
		((float4 *)s.samples)[k] = make_float4(p.r, p.g, p.b, p.a);
		s.sample_z[k] = seen.z;
	}
}

/* Colour of a sample: from s.samples if it has fragments, else of the visible opaque point. */
static __device__ float4 sample_color(const reyes_i_stage &s, uint64_t k, uint32_t lists, float *z)
{
	uint64_t cell;

	if (lists && s.canvas.heads[k] != REYES_I_NONE) {
		*z = s.sample_z[k];
		return ((const float4 *)s.samples)[k];
	}
	cell = s.canvas.cells[k];
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

/* What a thread collects for its pixel. */
typedef struct pixel_sum {
	float4 color;
	float nearest, farthest, mean; /* depth */
} pixel_sum;

/* Loads planes of samples of the tile and the margin around it into shared memory. Returns whether
 * one of them is not empty, to all threads. */
static __device__ int load_planes(const reyes_i_stage &s, uint32_t lists, uint32_t first,
	uint32_t planes, float4 *colors, uint16_t *places, float *depth)
{
	const reyes_i_weights &w = s.weights;
	const uint32_t wide = TILE + 2 * w.margin_x, high = TILE + 2 * w.margin_y;
	const uint32_t n = wide * high;
	const int32_t left = s.canvas.x0 + (int32_t)(blockIdx.x * TILE);
	const int32_t top = s.canvas.y0 + (int32_t)(blockIdx.y * TILE);
	int any = 0;

	for (uint32_t k = threadIdx.x; k < n * planes; k += IMAGE_THREADS) {
		const uint32_t plane = k / n, pixel = k - plane * n, j = pixel / wide;
		const uint32_t i = pixel - j * wide;
		const int32_t x = left + (int32_t)i, y = top + (int32_t)j;
		float z = INFINITY;
		float4 c = make_float4(0, 0, 0, 0);

		if (x < s.canvas.x0 + (int32_t)s.canvas.width &&
			y < s.canvas.y0 + (int32_t)s.canvas.height)
			c = sample_color(
				s, reyes_i_sample_index(&s.canvas, x, y, first + plane), lists, &z);
		any |= c.w != 0 || c.x != 0 || c.y != 0 || c.z != 0 || z < INFINITY;
		colors[k] = c;
		places[k] = (uint16_t)reyes_i_sample_place(&s.canvas.pattern, x, y, first + plane);
		depth[k] = z;
	}
	return __syncthreads_or(any);
}

/* Adds the samples of the planes to the sums of pixel (i, j) of the tile. */
static __device__ void add_planes(const reyes_i_stage &s, uint32_t planes, const float4 *colors,
	const uint16_t *places, const float *depth, uint32_t i, uint32_t j, pixel_sum *sum)
{
	const reyes_i_weights &w = s.weights;
	const uint32_t wide = TILE + 2 * w.margin_x, n = wide * (TILE + 2 * w.margin_y);

	for (uint32_t p = 0; p < planes; p++) {
		const float z = depth[p * n + (j + w.margin_y) * wide + i + w.margin_x];

		for (uint32_t b = 0; b <= 2 * w.margin_y; b++)
			for (uint32_t a = 0; a <= 2 * w.margin_x; a++) {
				const uint32_t at = p * n + (j + b) * wide + i + a;
				const uint32_t place = places[at];
				const int32_t dx = ((int32_t)a - (int32_t)w.margin_x) * 256 +
						   (int32_t)(place & 255u) - 128;
				const int32_t dy = ((int32_t)b - (int32_t)w.margin_y) * 256 +
						   (int32_t)(place >> 8) - 128;
				const float weight = reyes_i_weight(&s.view.camera, &w, dx, dy);
				const float4 c = colors[at];

				sum->color.x = sum->color.x + c.x * weight;
				sum->color.y = sum->color.y + c.y * weight;
				sum->color.z = sum->color.z + c.z * weight;
				sum->color.w = sum->color.w + c.w * weight;
			}
		sum->nearest = fminf(sum->nearest, z);
		sum->farthest = fmaxf(sum->farthest, z);
		sum->mean += z;
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

/* A thread a pixel of a tile; planes of samples pass through shared memory, `planes` at a time. */
static __global__ void __launch_bounds__(IMAGE_THREADS)
	image_kernel(const __grid_constant__ reyes_i_stage s, uint32_t lists, uint32_t planes)
{
	extern __shared__ __align__(16) unsigned char shared[];
	const reyes_i_camera &camera = s.view.camera;
	const uint32_t samples =
		(TILE + 2 * s.weights.margin_x) * (TILE + 2 * s.weights.margin_y) * planes;
	float4 *colors = (float4 *)shared;
	float *depth = (float *)(colors + samples);
	uint16_t *places = (uint16_t *)(depth + samples);
	const uint32_t i = threadIdx.x % TILE, j = threadIdx.x / TILE;
	const uint32_t x = camera.crop_x0 + blockIdx.x * TILE + i;
	const uint32_t y = camera.crop_y0 + blockIdx.y * TILE + j;
	pixel_sum sum = { make_float4(0, 0, 0, 0), INFINITY, -INFINITY, 0 };

	for (uint32_t first = 0; first < s.canvas.pattern.count; first += planes) {
		const uint32_t n = min(planes, s.canvas.pattern.count - first);

		if (load_planes(s, lists, first, n, colors, places, depth)) {
			add_planes(s, n, colors, places, depth, i, j, &sum);
		} else { /* nothing is to be added */
			sum.farthest = INFINITY;
			sum.mean = INFINITY;
		}
		__syncthreads();
	}
	if (x < camera.crop_x1 && y < camera.crop_y1)
		store_pixel(s, x, y, &sum);
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
