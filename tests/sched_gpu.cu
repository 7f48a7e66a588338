/* The CUDA half of the test programs: the same text as on the CPU; and memory for the tasks. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#define FAN_PROGRAMS
#define GRAPH_PROGRAMS
#include "tests/sched_fan.h"
#define GRID_PROGRAMS
#include "tests/sched_grid.h"
#include "tests/sched_graph.h"
#include "tests/sched_gpu.h"

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
