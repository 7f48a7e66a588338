/* Device memory for tests/h264intra/rgb_gpu_test.c. */
#include "tests/h264intra/rgb_gpu.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
	exit(1);
}

uint8_t *device_alloc(size_t bytes)
{
	void *p;

	check(cudaMalloc(&p, bytes), "cudaMalloc");
	return (uint8_t *)p;
}

void device_free(uint8_t *p)
{
	check(cudaFree(p), "cudaFree");
}

void device_write(uint8_t *to, const uint8_t *from, size_t bytes)
{
	check(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
	check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}
