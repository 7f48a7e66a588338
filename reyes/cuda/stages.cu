/* Host side of the stages: the stream of a frame, launches, times. */
#include "reyes/cuda/stages.h"
#include "reyes/cuda/device.cuh"
#include "reyes/cuda/dice.cuh"
#include "reyes/cuda/hide_moving.cuh"
#include "reyes/cuda/image.cuh"

static const uint32_t BLOCKS_MAX = UINT32_C(1) << 24; /* below the 2^31 - 1 of a grid */
enum { EVENT_BEGIN, EVENT_CLEARED, EVENT_SPLIT, EVENT_DICED, EVENT_HIDDEN, EVENT_IMAGE, EVENTS };
static_assert((int)EVENTS <= (int)REYES_I_EVENTS_MAX, "an object has room for its events");

struct reyes_i_cuda {
	reyes_i_device device;
	uint32_t *host; /* pinned: counters, number of grids */
	float *picture; /* pinned: rgba, then z */
	size_t pixels, pixel_room;
	size_t shared_bytes;    /* of a block of image_kernel */
	uint32_t grids, chunks; /* of the last frame: sizes of launches */
};

static const char *prepare(reyes_i_cuda *c)
{
	const char *error = device_prepare(&c->device, EVENTS);
	int shared;

	if (error)
		return error;
	CHECK_CUDA(cudaMallocHost((void **)&c->host, (REYES_I_COUNTERS + 1) * sizeof(uint32_t)));
	CHECK_CUDA(cudaDeviceGetAttribute(
		&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, c->device.number));
	CHECK_CUDA(cudaFuncSetAttribute((const void *)image_kernel,
		cudaFuncAttributeMaxDynamicSharedMemorySize, shared - 1024));
	c->shared_bytes = (size_t)shared - 1024;
	return NULL;
}

const char *reyes_i_cuda_open(reyes_i_cuda **out, int device)
{
	reyes_i_cuda *c = new (std::nothrow) reyes_i_cuda;
	const char *error;

	*out = NULL;
	if (!c)
		return "out of memory";
	memset(c, 0, sizeof(*c));
	error = device_find(&c->device, device);
	if (error) {
		delete c;
		return error;
	}
	current now(&c->device);
	error = prepare(c);
	if (error)
		reyes_i_cuda_close(&c);
	*out = c;
	return error;
}

void reyes_i_cuda_close(reyes_i_cuda **pc)
{
	reyes_i_cuda *c = *pc;

	if (!c)
		return;
	current now(&c->device);
	device_close(&c->device);
	(void)cudaFreeHost(c->host);
	(void)cudaFreeHost(c->picture);
	delete c;
	*pc = NULL;
}

void *reyes_i_cuda_stream(const reyes_i_cuda *c)
{
	return c->device.stream;
}

const char *reyes_i_cuda_wait(reyes_i_cuda *c)
{
	current now(&c->device);

	CHECK_CUDA(cudaStreamSynchronize(c->device.stream));
	return NULL;
}

static uint64_t sample_count(const reyes_i_stage *s)
{
	return (uint64_t)s->canvas.tiles_x * s->canvas.tiles_y * REYES_I_TILE * REYES_I_TILE *
	       s->canvas.pattern.count;
}

const char *reyes_i_cuda_begin(reyes_i_cuda *c, const reyes_i_stage *s)
{
	const uint64_t n = sample_count(s);
	current now(&c->device);

	CHECK_CUDA(cudaEventRecord(c->device.event[EVENT_BEGIN], c->device.stream));
	CHECK_CUDA(cudaMemsetAsync(s->canvas.cells, 0xff, n * sizeof(uint64_t), c->device.stream));
	if (s->canvas.heads)
		CHECK_CUDA(cudaMemsetAsync(
			s->canvas.heads, 0xff, n * sizeof(uint32_t), c->device.stream));
	CHECK_CUDA(cudaMemsetAsync(
		s->canvas.counters, 0, REYES_I_COUNTERS * sizeof(uint32_t), c->device.stream));
	CHECK_CUDA(cudaMemsetAsync(s->list_count, 0, sizeof(uint32_t), c->device.stream));
	CHECK_CUDA(cudaEventRecord(c->device.event[EVENT_CLEARED], c->device.stream));
	return NULL;
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

/* Shared memory of a block of image_kernel for each plane of samples. */
static size_t plane_bytes(const reyes_i_stage *s)
{
	const reyes_i_weights *w = &s->weights;

	return (size_t)(TILE + 2 * w->margin_x) * (TILE + 2 * w->margin_y) *
	       (sizeof(float4) + sizeof(float) + sizeof(uint16_t));
}

int reyes_i_cuda_filters_cells(const reyes_i_cuda *c, const reyes_i_stage *s)
{
	return plane_bytes(s) <= c->shared_bytes;
}

/* Resolve and filter. */
static const char *launch_image(reyes_i_cuda *c, const reyes_i_stage *s)
{
	const reyes_i_camera *camera = &s->view.camera;
	const uint32_t width = camera->crop_x1 - camera->crop_x0;
	const uint32_t height = camera->crop_y1 - camera->crop_y0;
	const size_t planes = c->shared_bytes / plane_bytes(s);
	const uint32_t most = IMAGE_PLANES, used = planes < most ? (uint32_t)planes : most;
	const dim3 tiles((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
	const int fits = reyes_i_cuda_filters_cells(c, s),
		  resolve = s->canvas.heads != NULL || !fits;
	const uint64_t n = sample_count(s), pixels = (uint64_t)width * height;

	if (resolve) {
		resolve_kernel<<<(uint32_t)((n + 127) / 128), 128, 0, c->device.stream>>>(
			*s, n, (uint32_t)fits);
		CHECK_CUDA(cudaGetLastError());
	}
	if (fits)
		image_kernel<<<tiles, IMAGE_THREADS, used * plane_bytes(s), c->device.stream>>>(
			*s, (uint32_t)resolve, used);
	else
		filter_kernel<<<(uint32_t)((pixels + 127) / 128), 128, 0, c->device.stream>>>(*s);
	CHECK_CUDA(cudaGetLastError());
	return NULL;
}

const char *reyes_i_cuda_stages(reyes_i_cuda *c, const reyes_i_stage *s, int moving)
{
	const char *error;
	current now(&c->device);

	CHECK_CUDA(cudaEventRecord(c->device.event[EVENT_SPLIT], c->device.stream));
	dice_kernel<<<blocks_for(c, c->grids, DICE_WARPS), DICE_WARPS * 32, 0, c->device.stream>>>(
		*s);
	CHECK_CUDA(cudaGetLastError());
	CHECK_CUDA(cudaEventRecord(c->device.event[EVENT_DICED], c->device.stream));
	if (moving)
		hide_moving_kernel<<<blocks_for(c, (uint64_t)c->chunks * s->canvas.pattern.count,
					     HIDE_WARPS),
			HIDE_WARPS * 32, 0, c->device.stream>>>(*s);
	else if (!s->canvas.heads && s->canvas.pattern.nx == 4 && s->canvas.pattern.ny == 4)
		hide_kernel<true><<<blocks_for(c, c->chunks, HIDE_WARPS), HIDE_WARPS * 32, 0,
			c->device.stream>>>(*s);
	else
		hide_kernel<false><<<blocks_for(c, c->chunks, HIDE_WARPS), HIDE_WARPS * 32, 0,
			c->device.stream>>>(*s);
	CHECK_CUDA(cudaGetLastError());
	CHECK_CUDA(cudaEventRecord(c->device.event[EVENT_HIDDEN], c->device.stream));
	error = launch_image(c, s);
	if (error)
		return error;
	CHECK_CUDA(cudaEventRecord(c->device.event[EVENT_IMAGE], c->device.stream));
	return NULL;
}

static uint64_t between(const reyes_i_cuda *c, int from, int to)
{
	float ms = 0;

	(void)cudaEventElapsedTime(&ms, c->device.event[from], c->device.event[to]);
	return (uint64_t)(ms * 1e6f);
}

const char *reyes_i_cuda_end(reyes_i_cuda *c, const reyes_i_stage *s, uint32_t *counters,
	uint32_t *listed, reyes_i_cuda_times *times)
{
	current now(&c->device);

	CHECK_CUDA(cudaMemcpyAsync(c->host, s->canvas.counters, REYES_I_COUNTERS * sizeof(uint32_t),
		cudaMemcpyDeviceToHost, c->device.stream));
	CHECK_CUDA(cudaMemcpyAsync(c->host + REYES_I_COUNTERS, s->list_count, sizeof(uint32_t),
		cudaMemcpyDeviceToHost, c->device.stream));
	CHECK_CUDA(cudaStreamSynchronize(c->device.stream));
	memcpy(counters, c->host, REYES_I_COUNTERS * sizeof(uint32_t));
	*listed = c->host[REYES_I_COUNTERS];
	c->grids = *listed;
	c->chunks = counters[REYES_I_N_CHUNKS];
	times->clear_ns = between(c, EVENT_BEGIN, EVENT_CLEARED);
	times->split_ns = between(c, EVENT_CLEARED, EVENT_SPLIT);
	times->dice_ns = between(c, EVENT_SPLIT, EVENT_DICED);
	times->hide_ns = between(c, EVENT_DICED, EVENT_HIDDEN);
	times->image_ns = between(c, EVENT_HIDDEN, EVENT_IMAGE);
	return NULL;
}

const char *reyes_i_cuda_reserve_picture(reyes_i_cuda *c, size_t pixels)
{
	current now(&c->device);

	if (pixels > c->pixel_room) {
		(void)cudaFreeHost(c->picture);
		c->picture = NULL;
		c->pixel_room = 0;
		CHECK_CUDA(cudaMallocHost((void **)&c->picture, pixels * 5 * sizeof(float)));
		c->pixel_room = pixels;
	}
	c->pixels = pixels;
	return NULL;
}

const char *reyes_i_cuda_copy(reyes_i_cuda *c, const reyes_i_stage *s)
{
	const size_t bytes = c->pixels * sizeof(float);
	current now(&c->device);

	CHECK_CUDA(cudaMemcpyAsync(
		c->picture, s->rgba, 4 * bytes, cudaMemcpyDeviceToHost, c->device.stream));
	CHECK_CUDA(cudaMemcpyAsync(
		c->picture + 4 * c->pixels, s->z, bytes, cudaMemcpyDeviceToHost, c->device.stream));
	return NULL;
}

void reyes_i_cuda_picture(const reyes_i_cuda *c, float **rgba, float **z)
{
	*rgba = c->picture;
	*z = c->picture + 4 * c->pixels;
}
