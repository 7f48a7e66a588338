/* Kernel: dices the grids of the list, a warp a grid. */
#include "reyes/alone/dice.h"
#include "reyes/cuda/device.cuh"

enum { DICE_WARPS = 4, BLOCKS_PER_SM = 16 };
enum { EVENT_BEGIN, EVENT_SPLIT, EVENT_DICED, EVENTS };

struct reyes_i_alone_cuda {
	reyes_i_device device;
	uint64_t *used; /* pinned */
};

static __global__ void __launch_bounds__(DICE_WARPS * 32, 6)
	dice_kernel(const __grid_constant__ reyes_i_alone_ctx c)
{
	__shared__ reyes_i_alone_scratch scratch[DICE_WARPS];
	const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x / 32;
	const uint32_t count = min((uint32_t)(*c.used >> REYES_I_ALONE_SHIFT), c.list_max);

	for (uint32_t slot = blockIdx.x * DICE_WARPS + warp; slot < count;
		slot += gridDim.x * DICE_WARPS) {
		const reyes_i_alone_grid g = c.list[slot];
		reyes_i_dicing d;

		if (g.first == REYES_I_NONE)
			continue;
		reyes_i_dicing_of(&c.view, &g.grid, NULL, &d);
		reyes_i_alone_columns(&d, scratch + warp, lane, 32);
		__syncwarp();
		reyes_i_alone_points(&d, scratch + warp, c.points, c.points_max, g.first, lane, 32);
		__syncwarp();
	}
}

static const char *prepare(reyes_i_alone_cuda *c)
{
	const char *error = device_prepare(&c->device, EVENTS);

	if (error)
		return error;
	CHECK_CUDA(cudaMallocHost((void **)&c->used, sizeof(*c->used)));
	return NULL;
}

const char *reyes_i_alone_cuda_open(reyes_i_alone_cuda **out, int device)
{
	return device_open(out, device, prepare, reyes_i_alone_cuda_close);
}

void reyes_i_alone_cuda_close(reyes_i_alone_cuda **pc)
{
	reyes_i_alone_cuda *c = *pc;

	if (!c)
		return;
	current now(&c->device);
	device_close(&c->device);
	(void)cudaFreeHost(c->used);
	delete c;
	*pc = NULL;
}

void *reyes_i_alone_cuda_stream(const reyes_i_alone_cuda *c)
{
	return c->device.stream;
}

const char *reyes_i_alone_cuda_begin(reyes_i_alone_cuda *c, const reyes_i_alone_ctx *ctx, int wait)
{
	current now(&c->device);

	CHECK_CUDA(cudaEventRecord(c->device.event[EVENT_BEGIN], c->device.stream));
	CHECK_CUDA(cudaMemsetAsync(ctx->used, 0, sizeof(*ctx->used), c->device.stream));
	if (wait)
		CHECK_CUDA(cudaStreamSynchronize(c->device.stream));
	return NULL;
}

const char *reyes_i_alone_cuda_dice(reyes_i_alone_cuda *c, const reyes_i_alone_ctx *ctx,
	uint32_t grids, int dice, uint64_t *used, uint64_t *split_ns, uint64_t *dice_ns)
{
	const uint32_t least = (uint32_t)c->device.processors * BLOCKS_PER_SM;
	const uint32_t each = (grids + DICE_WARPS - 1) / DICE_WARPS;
	const uint32_t blocks = each > least ? each : least;
	float split_ms = 0, dice_ms = 0;
	current now(&c->device);

	CHECK_CUDA(cudaEventRecord(c->device.event[EVENT_SPLIT], c->device.stream));
	if (dice) {
		dice_kernel<<<blocks, DICE_WARPS * 32, 0, c->device.stream>>>(*ctx);
		CHECK_CUDA(cudaGetLastError());
	}
	CHECK_CUDA(cudaEventRecord(c->device.event[EVENT_DICED], c->device.stream));
	CHECK_CUDA(cudaMemcpyAsync(
		c->used, ctx->used, sizeof(*ctx->used), cudaMemcpyDeviceToHost, c->device.stream));
	CHECK_CUDA(cudaStreamSynchronize(c->device.stream));
	CHECK_CUDA(cudaEventElapsedTime(
		&split_ms, c->device.event[EVENT_BEGIN], c->device.event[EVENT_SPLIT]));
	CHECK_CUDA(cudaEventElapsedTime(
		&dice_ms, c->device.event[EVENT_SPLIT], c->device.event[EVENT_DICED]));
	*used = *c->used;
	*split_ns = (uint64_t)(split_ms * 1e6f);
	*dice_ns = (uint64_t)(dice_ms * 1e6f);
	return NULL;
}
