/* Launches of the kernels of the stages. */
#ifndef REYES_CUDA_LAUNCH_CUH
#define REYES_CUDA_LAUNCH_CUH

#include "reyes/cuda/device.cuh"
#include "reyes/cuda/dice.cuh"
#include "reyes/cuda/hide_moving.cuh"
#include "reyes/cuda/image.cuh"
#include "reyes/cuda/occlude.cuh"

static const uint32_t BLOCKS_MAX = UINT32_C(1) << 24; /* below the 2^31 - 1 of a grid */

struct reyes_i_cuda {
	reyes_i_device device;
	cudaStream_t clearing; /* samples are cleared beside split */
	uint32_t *host;        /* pinned: counters, number of grids */
	float *picture;        /* pinned: rgba, then z */
	size_t pixels, pixel_room;
	size_t shared_bytes; /* of a block of image_kernel */
	/* of the last frame: sizes of launches */
	uint32_t grids, chunks, pass[REYES_I_PASSES];
};

static uint64_t sample_count(const reyes_i_stage *s)
{
	return (uint64_t)s->canvas.tiles_x * s->canvas.tiles_y * REYES_I_TILE * REYES_I_TILE *
	       s->canvas.pattern.count;
}

/* Blocks for so many units of work, of which there were `last` in the last frame. Kernels loop over
 * what is beyond. Blocks of their own balance the load better than loops. */
static uint32_t blocks_for(const reyes_i_cuda *c, uint64_t last, uint32_t each)
{
	const uint64_t least = (uint64_t)c->device.processors * 16,
		       n = last / each + last / each / 8;

	if (n >= BLOCKS_MAX)
		return BLOCKS_MAX;
	return (uint32_t)(n < least ? least : n);
}

static void launch_dice(reyes_i_cuda *c, const reyes_i_stage *s)
{
	const uint32_t blocks = blocks_for(c, c->grids, DICE_WARPS), threads = DICE_WARPS * 32;

	if (s->mirrors)
		dice_kernel<true><<<blocks, threads, 0, c->device.stream>>>(*s);
	else
		dice_kernel<false><<<blocks, threads, 0, c->device.stream>>>(*s);
}

static uint32_t hide_blocks(const reyes_i_cuda *c, uint64_t chunks)
{
	return blocks_for(c, chunks, HIDE_WARPS);
}

/* Whether the last bucket had at least 4 micropolygons for each pixel of this one. Then several
 * surfaces probably cover a sample. Sorting and the passes cost a tenth of a millisecond. */
static int occludes(const reyes_i_cuda *c, const reyes_i_stage *s)
{
	return s->culling.boxes &&
	       (uint64_t)c->chunks * 32 >= (uint64_t)s->canvas.width * s->canvas.height * 4;
}

/* Sixteenths of the grids before which the passes begin. Most samples of a frame with a depth
 * complexity of 8 have their visible surface after the second pass. */
static const uint32_t PASS_BEGIN[REYES_I_PASSES + 1] = { 0, 1, 2, 5, 16 };

/* Hides opaque surfaces that do not move in passes, the nearest grids first. */
static const char *launch_passes(reyes_i_cuda *c, const reyes_i_stage *s)
{
	const reyes_i_culling *o = &s->culling;
	const uint32_t blocks = blocks_for(c, c->grids, OCCLUDE_THREADS);
	const dim3 tiles(s->canvas.tiles_x, s->canvas.tiles_y);

	CHECK_CUDA(
		cudaMemsetAsync(o->bins, 0, 2 * REYES_I_BINS * sizeof(*o->bins), c->device.stream));
	count_kernel<<<ORDER_BLOCKS, REYES_I_BINS, 0, c->device.stream>>>(*s);
	order_kernel<<<ORDER_BLOCKS, REYES_I_BINS, 0, c->device.stream>>>(*s);
	for (uint32_t k = 0; k < REYES_I_PASSES; k++) {
		if (k)
			farthest_kernel<<<tiles, OCCLUDE_THREADS, 0, c->device.stream>>>(*s);
		list_kernel<<<blocks, OCCLUDE_THREADS, 0, c->device.stream>>>(
			*s, k, PASS_BEGIN[k], PASS_BEGIN[k + 1]);
		hide_kernel<HIDE_OPAQUE>
			<<<hide_blocks(c, c->pass[k]), HIDE_WARPS * 32, 0, c->device.stream>>>(
				*s, REYES_I_N_PASS + k);
		CHECK_CUDA(cudaGetLastError());
	}
	return NULL;
}

static const char *launch_hide(reyes_i_cuda *c, const reyes_i_stage *s, int moving)
{
	const reyes_i_pattern *p = &s->canvas.pattern;
	const int keep = s->canvas.solids || s->view.camera.depth_filter == REYES_I_DEPTH_MIDPOINT;
	const uint32_t threads = HIDE_WARPS * 32, list = REYES_I_N_CHUNKS;

	if (moving)
		hide_moving_kernel<<<hide_blocks(c, (uint64_t)c->chunks * p->count), threads, 0,
			c->device.stream>>>(*s);
	else if (keep || p->nx != 4 || p->ny != 4)
		hide_kernel<HIDE_ANY>
			<<<hide_blocks(c, c->chunks), threads, 0, c->device.stream>>>(*s, list);
	else if (s->canvas.heads)
		hide_kernel<HIDE_LISTS>
			<<<hide_blocks(c, c->chunks), threads, 0, c->device.stream>>>(*s, list);
	else if (occludes(c, s))
		return launch_passes(c, s);
	else
		hide_kernel<HIDE_OPAQUE>
			<<<hide_blocks(c, c->chunks), threads, 0, c->device.stream>>>(*s, list);
	CHECK_CUDA(cudaGetLastError());
	return NULL;
}

/* Shared memory of a block of image_kernel for each plane of samples. */
static size_t plane_bytes(const reyes_i_stage *s)
{
	const reyes_i_weights *w = &s->weights;

	return (size_t)(IMAGE_SIDE + 2 * w->margin_x) * (IMAGE_SIDE + 2 * w->margin_y) *
	       (sizeof(float4) + sizeof(float) + sizeof(uint16_t));
}

typedef void (*image_function)(const reyes_i_stage, uint32_t, uint32_t);

/* The kernel for a filter, and the bytes of its copy of the weights. */
static image_function image_kernel_for(const reyes_i_weights *w, size_t *table_bytes)
{
	*table_bytes = 0;
	if (w->radial || w->margin_x != w->margin_y || w->margin_x > 2)
		return image_kernel<MARGIN_ANY>;
	*table_bytes = 2 * 2 * (256 * w->margin_x + 128) * sizeof(float);
	return w->margin_x == 0   ? image_kernel<0>
	       : w->margin_x == 1 ? image_kernel<1>
				  : image_kernel<2>;
}

/* Resolve and filter. */
static const char *launch_image(reyes_i_cuda *c, const reyes_i_stage *s)
{
	const reyes_i_camera *camera = &s->view.camera;
	const uint32_t width = camera->crop_x1 - camera->crop_x0;
	const uint32_t height = camera->crop_y1 - camera->crop_y0;
	const size_t planes = c->shared_bytes / plane_bytes(s);
	const uint32_t most = IMAGE_PLANES, used = planes < most ? (uint32_t)planes : most;
	const dim3 blocks(
		(width + IMAGE_SIDE - 1) / IMAGE_SIDE, (height + IMAGE_SIDE - 1) / IMAGE_SIDE);
	const int fits = reyes_i_cuda_filters_cells(c, s),
		  resolve = s->canvas.heads != NULL || !fits;
	const uint64_t n = sample_count(s), pixels = (uint64_t)width * height;
	size_t table_bytes;
	const image_function kernel = image_kernel_for(&s->weights, &table_bytes);

	if (resolve) {
		const uint32_t count = (uint32_t)((n + RESOLVE_THREADS - 1) / RESOLVE_THREADS);

		resolve_kernel<<<count, RESOLVE_THREADS, 0, c->device.stream>>>(
			*s, n, (uint32_t)fits);
		CHECK_CUDA(cudaGetLastError());
		resolve_long_kernel<<<min(count, (uint32_t)LONG_BLOCKS), RESOLVE_THREADS, 0,
			c->device.stream>>>(*s, n);
		CHECK_CUDA(cudaGetLastError());
	}
	if (fits)
		kernel<<<blocks, IMAGE_THREADS, used * plane_bytes(s) + table_bytes,
			c->device.stream>>>(*s, (uint32_t)resolve, used);
	else
		filter_kernel<<<(uint32_t)((pixels + 127) / 128), 128, 0, c->device.stream>>>(*s);
	CHECK_CUDA(cudaGetLastError());
	return NULL;
}

#endif
