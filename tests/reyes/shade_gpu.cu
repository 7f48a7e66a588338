/* The jobs of the suite of the shaders as a kernel: one thread a job. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include "tests/reyes/shade_gpu.h"

extern "C" int shade_gpu_devices(void);
extern "C" void shade_gpu_run(
	const reyes_i_frame *f, const shade_job *jobs, shade_result *results, uint32_t count);

static void must(cudaError_t e, const char *what)
{
	if (e == cudaSuccess)
		return;
	fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(e));
	exit(1);
}

/* Returns a copy of an array in device memory; never NULL. */
static void *to_device(const void *list, size_t bytes)
{
	void *d_list;

	must(cudaMalloc(&d_list, bytes + 1), "allocation");
	if (bytes)
		must(cudaMemcpy(d_list, list, bytes, cudaMemcpyHostToDevice), "copy");
	return d_list;
}

#define TO_DEVICE(type, array) \
	((type *)to_device((array).list, (array).count * sizeof(*(array).list)))

static __global__ void __launch_bounds__(128)
	run_jobs_kernel(const __grid_constant__ reyes_i_view view, const shade_job *jobs,
		shade_result *results, uint32_t count)
{
	const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < count)
		shade_run_job(&view, &jobs[i], &results[i]);
}

extern "C" int shade_gpu_devices(void)
{
	int n = 0;

	return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}

extern "C" void shade_gpu_run(
	const reyes_i_frame *f, const shade_job *jobs, shade_result *results, uint32_t count)
{
	reyes_i_view view = reyes_i_view_of(f);
	shade_job *d_jobs = (shade_job *)to_device(jobs, count * sizeof(*jobs));
	shade_result *d_results;

	view.prims = TO_DEVICE(reyes_i_prim, f->prims);
	view.attrs = TO_DEVICE(reyes_i_attr, f->attrs);
	view.shaders = TO_DEVICE(reyes_i_shader, f->shaders);
	view.lights = TO_DEVICE(reyes_i_light, f->lights);
	view.vars = TO_DEVICE(reyes_i_var, f->vars);
	view.textures = TO_DEVICE(reyes_i_texture, f->textures);
	view.floats = TO_DEVICE(float, f->floats);
	view.words = TO_DEVICE(uint32_t, f->words);
	view.texels = TO_DEVICE(float, f->texels);
	must(cudaMalloc((void **)&d_results, count * sizeof(*results)), "results");
	run_jobs_kernel<<<(count + 127) / 128, 128>>>(view, d_jobs, d_results, count);
	must(cudaGetLastError(), "launch");
	must(cudaMemcpy(results, d_results, count * sizeof(*results), cudaMemcpyDeviceToHost),
		"results");
	cudaFree((void *)view.prims);
	cudaFree((void *)view.attrs);
	cudaFree((void *)view.shaders);
	cudaFree((void *)view.lights);
	cudaFree((void *)view.vars);
	cudaFree((void *)view.textures);
	cudaFree((void *)view.floats);
	cudaFree((void *)view.words);
	cudaFree((void *)view.texels);
	cudaFree(d_jobs);
	cudaFree(d_results);
}
