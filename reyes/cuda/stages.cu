/* Host side of the stages: the streams of a frame, times, the host's copy of the picture. */
#include "reyes/cuda/stages.h"
#include "reyes/cuda/launch.cuh"

enum {
	EVENT_BEGIN,
	EVENT_READY,
	EVENT_CLEARED,
	EVENT_SPLIT,
	EVENT_DICED,
	EVENT_HIDDEN,
	EVENT_IMAGE,
	EVENTS
};
static_assert((int)EVENTS <= (int)REYES_I_EVENTS_MAX, "an object has room for its events");

static const char *prepare(reyes_i_cuda *c)
{
	const char *error = device_prepare(&c->device, EVENTS);
	int shared;

	if (error)
		return error;
	CHECK_CUDA(cudaStreamCreateWithFlags(&c->clearing, cudaStreamNonBlocking));
	CHECK_CUDA(cudaMallocHost((void **)&c->host, (REYES_I_COUNTERS + 1) * sizeof(uint32_t)));
	CHECK_CUDA(cudaDeviceGetAttribute(
		&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, c->device.number));
	CHECK_CUDA(cudaFuncSetAttribute((const void *)image_kernel<MARGIN_ANY>,
		cudaFuncAttributeMaxDynamicSharedMemorySize, shared - 1024));
	c->shared_bytes = (size_t)shared - 1024;
	return NULL;
}

const char *reyes_i_cuda_open(reyes_i_cuda **out, int device)
{
	return device_open(out, device, prepare, reyes_i_cuda_close);
}

void reyes_i_cuda_close(reyes_i_cuda **pc)
{
	reyes_i_cuda *c = *pc;

	if (!c)
		return;
	current now(&c->device);
	if (c->clearing) {
		(void)cudaStreamSynchronize(c->clearing);
		(void)cudaStreamDestroy(c->clearing);
	}
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

/* Samples are cleared on a stream of their own: split does not use them and leaves processors
 * idle. */
const char *reyes_i_cuda_begin(reyes_i_cuda *c, const reyes_i_stage *s, int wait)
{
	const uint64_t n = sample_count(s);
	cudaEvent_t *event = c->device.event;
	current now(&c->device);

	CHECK_CUDA(cudaEventRecord(event[EVENT_BEGIN], c->device.stream));
	CHECK_CUDA(cudaStreamWaitEvent(c->clearing, event[EVENT_BEGIN], 0));
	if (s->canvas.cells)
		CHECK_CUDA(
			cudaMemsetAsync(s->canvas.cells, 0xff, n * sizeof(uint64_t), c->clearing));
	if (s->canvas.heads)
		CHECK_CUDA(
			cudaMemsetAsync(s->canvas.heads, 0xff, n * sizeof(uint32_t), c->clearing));
	CHECK_CUDA(cudaEventRecord(event[EVENT_CLEARED], c->clearing));
	CHECK_CUDA(cudaMemsetAsync(
		s->canvas.counters, 0, REYES_I_COUNTERS * sizeof(uint32_t), c->device.stream));
	CHECK_CUDA(cudaMemsetAsync(s->list_count, 0, sizeof(uint32_t), c->device.stream));
	CHECK_CUDA(cudaEventRecord(event[EVENT_READY], c->device.stream));
	if (wait)
		CHECK_CUDA(cudaStreamSynchronize(c->device.stream));
	return NULL;
}

int reyes_i_cuda_filters_cells(const reyes_i_cuda *c, const reyes_i_stage *s)
{
	return plane_bytes(s) <= c->shared_bytes;
}

const char *reyes_i_cuda_stages(reyes_i_cuda *c, const reyes_i_stage *s, int moving)
{
	const char *error;
	current now(&c->device);

	CHECK_CUDA(cudaEventRecord(c->device.event[EVENT_SPLIT], c->device.stream));
	launch_dice(c, s);
	CHECK_CUDA(cudaGetLastError());
	CHECK_CUDA(cudaStreamWaitEvent(c->device.stream, c->device.event[EVENT_CLEARED], 0));
	CHECK_CUDA(cudaEventRecord(c->device.event[EVENT_DICED], c->device.stream));
	error = launch_hide(c, s, moving);
	if (error)
		return error;
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
	memcpy(c->pass, counters + REYES_I_N_PASS, sizeof(c->pass));
	times->clear_ns = between(c, EVENT_BEGIN, EVENT_CLEARED);
	times->split_ns = between(c, EVENT_READY, EVENT_SPLIT);
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
