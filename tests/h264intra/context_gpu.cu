/* CUDA contexts by functions of the driver, found at run time. */
#include "tests/h264intra/frames_gpu.h"

#include <cuda.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
	CUresult (*device_get)(CUdevice *, int);
	CUresult (*create)(CUcontext *, unsigned, CUdevice);
	CUresult (*destroy)(CUcontext);
	CUresult (*get_current)(CUcontext *);
	CUresult (*set_current)(CUcontext);
} driver;

static void look_up(const char *name, void **function)
{
	cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;

	/* 4.0: cuCtxCreate has three arguments there */
	if (cudaGetDriverEntryPointByVersion(name, function, 4000, cudaEnableDefault, &found) ==
			cudaSuccess &&
		found == cudaDriverEntryPointSuccess)
		return;
	fprintf(stderr, "context_gpu: the driver has no %s\n", name);
	exit(1);
}

extern "C" void foreign_init(void)
{
	look_up("cuDeviceGet", (void **)&driver.device_get);
	look_up("cuCtxCreate", (void **)&driver.create);
	look_up("cuCtxDestroy", (void **)&driver.destroy);
	look_up("cuCtxGetCurrent", (void **)&driver.get_current);
	look_up("cuCtxSetCurrent", (void **)&driver.set_current);
}

static void check(CUresult r, const char *what)
{
	if (r == CUDA_SUCCESS)
		return;
	fprintf(stderr, "context_gpu: %s: error %d\n", what, (int)r);
	exit(1);
}

extern "C" void *foreign_make(int device)
{
	CUcontext context = NULL;
	CUdevice number;

	check(driver.device_get(&number, device), "cuDeviceGet");
	check(driver.create(&context, 0, number), "cuCtxCreate");
	return context;
}

extern "C" void foreign_destroy(void *context)
{
	check(driver.destroy((CUcontext)context), "cuCtxDestroy");
}

extern "C" void *foreign_current(void)
{
	CUcontext context = NULL;

	check(driver.get_current(&context), "cuCtxGetCurrent");
	return context;
}

extern "C" void foreign_set(void *context)
{
	check(driver.set_current((CUcontext)context), "cuCtxSetCurrent");
}

extern "C" void *foreign_primary(int device)
{
	if (cudaSetDevice(device) != cudaSuccess || cudaFree(NULL) != cudaSuccess) {
		fprintf(stderr, "context_gpu: device %d cannot be used\n", device);
		exit(1);
	}
	return foreign_current();
}

extern "C" int foreign_devices(void)
{
	int n = 0;

	return cudaGetDeviceCount(&n) == cudaSuccess ? n : 0;
}
