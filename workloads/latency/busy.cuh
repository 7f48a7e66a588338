/* A grid whose first thread measures while all other resident blocks compute and write. */
#ifndef WORKLOADS_LATENCY_BUSY_CUH
#define WORKLOADS_LATENCY_BUSY_CUH

#include "workloads/latency/session.cuh"

#include <libsched/task.h>

enum { LAT_THREADS = 128 };

typedef struct lat_grid {
	unsigned blocks;
	uint32_t *d_ended;  /* nonzero: block 0 has ended */
	float *d_sink;      /* [blocks * LAT_THREADS] */
	uint64_t budget_ns; /* block 0 ends within this time */
} lat_grid;

/* One thread of the block polls: if all threads did, the word's part of the L2 cache would be the
 * bottleneck of the device. These blocks leave a second after block 0 must have ended; it sets
 * `ended` in any case, so that a figure beside a full grid is never one of an idle device. */
static __device__ void lat_keep_busy(const lat_grid *g)
{
	const uint64_t begin = lsched_now_ns(), limit = g->budget_ns + 1000000000u;
	float x = (float)threadIdx.x;
	int leave = 0;

	while (!leave) {
		for (int k = 0; k < 1000; k++)
			x = x * 0.999f + 1.0f;
		g->d_sink[blockIdx.x * LAT_THREADS + threadIdx.x] = x;
		leave = __syncthreads_or(
			threadIdx.x == 0 &&
			(lsched_ld(g->d_ended, rlx, dev) || lsched_now_ns() - begin > limit));
	}
}

/* Calls `measure` with a grid of the kernel of one block, and one of all blocks that are resident
 * at once. */
static inline cudaError_t lat_on_grids(lat_session *s, const void *kernel,
	cudaError_t (*measure)(lat_session *s, lat_grid alone, lat_grid full))
{
	lat_grid alone = { 1, NULL, NULL, 0 }, full = alone;
	cudaError_t e, freed;
	int blocks = 0;

	TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, LAT_THREADS, 0));
	full.blocks = s->sms * (unsigned)blocks;
	TRY(cudaMalloc((void **)&full.d_sink, full.blocks * LAT_THREADS * sizeof(float)));
	e = measure(s, alone, full);
	freed = cudaFree(full.d_sink); /* waits for the kernels */
	return e != cudaSuccess ? e : freed;
}

#endif
