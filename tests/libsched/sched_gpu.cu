/* The CUDA half of the test programs: the same text as on the CPU; and memory for the tasks. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#define FAN_PROGRAMS
#define GRAPH_PROGRAMS
#include "tests/libsched/fan.h"
#define GRID_PROGRAMS
#include "tests/libsched/grid.h"
#include "tests/libsched/graph.h"
#define MESSAGE_PROGRAMS
#include "tests/libsched/message.h"
#include "tests/libsched/sched_gpu.h"

static void must(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
	exit(1);
}

extern "C" void *gpu_alloc(size_t bytes)
{
	void *p = NULL;

	must(cudaMalloc(&p, bytes), "cudaMalloc");
	gpu_zero(p, bytes);
	return p;
}

extern "C" void gpu_free(void *p)
{
	must(cudaFree(p), "cudaFree");
}

/* The runs' streams do not wait for the default stream, so wait here. */
extern "C" void gpu_zero(void *p, size_t bytes)
{
	must(cudaMemset(p, 0, bytes), "cudaMemset");
	must(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

extern "C" void gpu_read(void *to, const void *from, size_t bytes)
{
	must(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

extern "C" void *gpu_stream(uint32_t i)
{
	static cudaStream_t stream[3];

	if (!stream[i])
		must(cudaStreamCreateWithFlags(&stream[i], cudaStreamNonBlocking),
			"cudaStreamCreate");
	return stream[i];
}

static __global__ void sum_kernel(const uint32_t *value, uint32_t count, unsigned long long *sum)
{
	for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
		i += gridDim.x * blockDim.x)
		atomicAdd(sum, value[i]);
}

static unsigned long long *d_sum;

extern "C" void gpu_sum_add(void *stream, const uint32_t *value, uint32_t count)
{
	if (!d_sum)
		must(cudaMalloc((void **)&d_sum, sizeof(*d_sum)), "cudaMalloc");
	must(cudaMemsetAsync(d_sum, 0, sizeof(*d_sum), (cudaStream_t)stream), "cudaMemsetAsync");
	sum_kernel<<<64, 128, 0, (cudaStream_t)stream>>>(value, count, d_sum);
	must(cudaGetLastError(), "sum_kernel");
}

extern "C" uint64_t gpu_sum_get(void *stream)
{
	unsigned long long sum = 0;

	must(cudaStreamSynchronize((cudaStream_t)stream), "cudaStreamSynchronize");
	gpu_read(&sum, d_sum, sizeof(sum));
	return sum;
}

extern "C" void gpu_capture_begin(void *stream)
{
	must(cudaStreamBeginCapture((cudaStream_t)stream, cudaStreamCaptureModeThreadLocal),
		"cudaStreamBeginCapture");
}

extern "C" void gpu_capture_end(void *stream)
{
	cudaGraph_t graph = NULL;

	must(cudaStreamEndCapture((cudaStream_t)stream, &graph), "cudaStreamEndCapture");
	must(cudaGraphDestroy(graph), "cudaGraphDestroy");
}

extern "C" void *gpu_stream_legacy(void)
{
	return (void *)cudaStreamLegacy;
}
