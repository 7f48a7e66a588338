/* The litmus tests as kernels: a worker is a warp, alone in its block, so that the workers of a
 * group run on different multiprocessors. The device evaluates the cells. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/libsched/litmus.h"

extern "C" void litmus_gpu_run(litmus_args *a, litmus_counts *sum);

static void must(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
	exit(1);
}

/* Blocks are placed in turn: those of one role first, then those of the next. */
static __global__ void __launch_bounds__(32)
	litmus_run_kernel(const __grid_constant__ litmus_args a)
{
	litmus_run_rounds(&a, blockIdx.x % a.groups, blockIdx.x / a.groups);
}

static __global__ void litmus_evaluate_kernel(
	const __grid_constant__ litmus_args a, litmus_counts *counts)
{
	const uint32_t n = a.groups * a.rounds, k = blockIdx.x * blockDim.x + threadIdx.x;
	const uint32_t verdict = k < n ? litmus_evaluate(a.which, &a.cells[k]) : 0;

	if (verdict & 1u)
		atomicAdd(&counts->forbidden, 1u);
	if (verdict & 2u)
		atomicAdd(&counts->conclusive, 1u);
	if (k == 0)
		counts->late = *a.late;
}

extern "C" void litmus_gpu_run(litmus_args *a, litmus_counts *sum)
{
	const size_t cells = (size_t)a->groups * a->rounds * sizeof(*a->cells);
	const size_t barriers = (size_t)a->groups * LITMUS_BARRIER_STRIDE * sizeof(*a->barrier);
	litmus_counts *d_counts, counts;

	must(cudaMalloc((void **)&a->cells, cells), "cells");
	must(cudaMalloc((void **)&a->barrier, barriers), "barriers");
	must(cudaMalloc((void **)&a->late, sizeof(*a->late)), "late");
	must(cudaMalloc((void **)&d_counts, sizeof(*d_counts)), "counts");
	must(cudaMemset(a->cells, 0, cells), "clearing");
	must(cudaMemset(a->barrier, 0, barriers), "clearing");
	must(cudaMemset(a->late, 0, sizeof(*a->late)), "clearing");
	must(cudaMemset(d_counts, 0, sizeof(*d_counts)), "clearing");
	litmus_run_kernel<<<a->groups * litmus_roles(a->which), 32>>>(*a);
	must(cudaGetLastError(), "launch");
	litmus_evaluate_kernel<<<(a->groups * a->rounds + 255) / 256, 256>>>(*a, d_counts);
	must(cudaGetLastError(), "launch");
	must(cudaMemcpy(&counts, d_counts, sizeof(counts), cudaMemcpyDeviceToHost), "counts");
	sum->forbidden += counts.forbidden;
	sum->conclusive += counts.conclusive;
	sum->late += counts.late;
	must(cudaFree(d_counts), "cudaFree");
	must(cudaFree(a->late), "cudaFree");
	must(cudaFree(a->barrier), "cudaFree");
	must(cudaFree(a->cells), "cudaFree");
}
