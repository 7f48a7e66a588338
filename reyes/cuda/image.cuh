/* Kernels: resolve samples and filter them, a block for a tile of 8 x 8 pixels. */
#ifndef REYES_CUDA_IMAGE_CUH
#define REYES_CUDA_IMAGE_CUH

#include "reyes/cuda/stages.h"
#include "reyes/hide/resolve.h"
#include "reyes/shade/imager.h"

enum { IMAGE_THREADS = 128, TILE = REYES_I_TILE };

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

/* Shared memory: colours, then positions of the samples of the tile and the margin around it. */
static __global__ void __launch_bounds__(IMAGE_THREADS)
	image_kernel(const __grid_constant__ reyes_i_stage s, uint32_t lists)
{
	extern __shared__ __align__(16) unsigned char shared[];
	const reyes_i_camera &camera = s.view.camera;
	const reyes_i_pattern &p = s.canvas.pattern;
	const reyes_i_weights &w = s.weights;
	const uint32_t wide = TILE + 2 * w.margin_x, high = TILE + 2 * w.margin_y;
	const uint32_t width = camera.crop_x1 - camera.crop_x0;
	const uint32_t height = camera.crop_y1 - camera.crop_y0, n = wide * high * p.count;
	const int32_t left = s.canvas.x0 + (int32_t)(blockIdx.x * TILE);
	const int32_t top = s.canvas.y0 + (int32_t)(blockIdx.y * TILE);
	float4 *colors = (float4 *)shared;
	float *depth = (float *)(colors + n);
	uint16_t *places = (uint16_t *)(depth + TILE * TILE * p.count);
	int any = 0;

	for (uint32_t k = threadIdx.x; k < n; k += IMAGE_THREADS) {
		const uint32_t pixel = k % (wide * high), sample = k / (wide * high);
		const uint32_t i = pixel % wide, j = pixel / wide;
		const int32_t x = left + (int32_t)i, y = top + (int32_t)j;
		float z = INFINITY;
		float4 c = make_float4(0, 0, 0, 0);

		if (x < s.canvas.x0 + (int32_t)s.canvas.width &&
			y < s.canvas.y0 + (int32_t)s.canvas.height)
			c = sample_color(
				s, reyes_i_sample_index(&s.canvas, x, y, sample), lists, &z);
		any |= c.w != 0 || c.x != 0 || c.y != 0 || c.z != 0 || z < INFINITY;
		colors[sample * wide * high + pixel] = c;
		places[sample * wide * high + pixel] =
			(uint16_t)reyes_i_sample_place(&p, x, y, sample);
		if (i >= w.margin_x && i < w.margin_x + TILE && j >= w.margin_y &&
			j < w.margin_y + TILE)
			depth[sample * TILE * TILE + (j - w.margin_y) * TILE + i - w.margin_x] = z;
	}
	any = __syncthreads_or(any);
	for (uint32_t t = threadIdx.x; t < TILE * TILE; t += IMAGE_THREADS) {
		const uint32_t i = t % TILE, j = t / TILE;
		const uint32_t x = blockIdx.x * TILE + i, y = blockIdx.y * TILE + j;
		float4 sum = make_float4(0, 0, 0, 0);
		float total = 0, alpha, color[3], nearest = INFINITY, farthest = -INFINITY,
		      mean = 0;
		size_t at;

		if (x >= width || y >= height)
			continue;
		for (uint32_t b = 0; any && b <= 2 * w.margin_y; b++)
			for (uint32_t a = 0; a <= 2 * w.margin_x; a++) {
				const uint32_t at = (j + b) * wide + i + a;

				for (uint32_t k = 0; k < p.count; k++) {
					const uint32_t place = places[at + k * wide * high];
					const int32_t dx =
						((int32_t)a - (int32_t)w.margin_x) * 256 +
						(int32_t)(place & 255u) - 128;
					const int32_t dy =
						((int32_t)b - (int32_t)w.margin_y) * 256 +
						(int32_t)(place >> 8) - 128;
					const float weight = reyes_i_weight(&camera, &w, dx, dy);
					const float4 c = colors[at + k * wide * high];

					sum.x = sum.x + c.x * weight;
					sum.y = sum.y + c.y * weight;
					sum.z = sum.z + c.z * weight;
					sum.w = sum.w + c.w * weight;
					total += weight;
				}
			}
		total = total != 0 ? 1 / total : 0;
		color[0] = sum.x * total;
		color[1] = sum.y * total;
		color[2] = sum.z * total;
		alpha = sum.w * total;
		reyes_i_imager(&camera, color, &alpha);
		at = reyes_i_picture_index(&s, camera.crop_x0 + x, camera.crop_y0 + y);
		((float4 *)s.rgba)[at] = make_float4(color[0], color[1], color[2], alpha);
		for (uint32_t k = 0; k < p.count; k++) {
			const float d = depth[t + k * TILE * TILE];

			nearest = fminf(nearest, d);
			farthest = fmaxf(farthest, d);
			mean += d;
		}
		s.z[at] = camera.depth_filter == REYES_I_DEPTH_MAX       ? farthest
			  : camera.depth_filter == REYES_I_DEPTH_AVERAGE ? mean / (float)p.count
									 : nearest;
	}
}

/* Frames whose samples of a tile do not fit into shared memory: a thread a pixel, from the resolved
 * samples. */
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
