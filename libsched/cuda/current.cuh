/* The CUDA context that a thread has current: a library works in its own and restores the caller's.
 * cudaSetDevice() would not do, for it selects a device's primary context, and callers such as
 * GStreamer and FFmpeg make contexts by cuCtxCreate. The driver's functions are looked up at run
 * time, so that nothing links libcuda. */
#ifndef LIBSCHED_CUDA_CURRENT_CUH
#define LIBSCHED_CUDA_CURRENT_CUH

#include <cuda.h>
#include <cuda_runtime.h>
#include <string.h>

/* The context that a library object lives in. */
typedef struct cuda_home {
	CUcontext context;
	CUresult (*get_current)(CUcontext *context);
	CUresult (*set_current)(CUcontext context);
} cuda_home;

static inline cudaError_t driver_function(const char *name, void **function)
{
	cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
	cudaError_t e =
		cudaGetDriverEntryPointByVersion(name, function, 12000, cudaEnableDefault, &found);

	return e == cudaSuccess && found != cudaDriverEntryPointSuccess ? cudaErrorNotSupported : e;
}

/* Chooses the context for work on `device`: the calling thread's current one if it is on that
 * device, else the primary one, which stays retained, as by any call of CUDA's runtime. */
static inline cudaError_t home_find(cuda_home *home, int device)
{
	CUresult (*device_get)(CUdevice *, int) = NULL;
	CUresult (*retain)(CUcontext *, CUdevice) = NULL;
	CUdevice number;
	int current = -1;
	cudaError_t e = cudaGetDevice(&current);

	memset(home, 0, sizeof(*home));
	if (e == cudaSuccess)
		e = driver_function("cuCtxGetCurrent", (void **)&home->get_current);
	if (e == cudaSuccess)
		e = driver_function("cuCtxSetCurrent", (void **)&home->set_current);
	if (e == cudaSuccess)
		e = driver_function("cuDeviceGet", (void **)&device_get);
	if (e == cudaSuccess)
		e = driver_function("cuDevicePrimaryCtxRetain", (void **)&retain);
	/* makes the device's context now, not in the first timed call */
	if (e == cudaSuccess && current == device)
		e = cudaFree(NULL);
	if (e != cudaSuccess)
		return e;
	if (current == device && home->get_current(&home->context) == CUDA_SUCCESS && home->context)
		return cudaSuccess;
	if (device_get(&number, device) != CUDA_SUCCESS ||
		retain(&home->context, number) != CUDA_SUCCESS)
		return cudaErrorDevicesUnavailable;
	return cudaSuccess;
}

/* The calling thread's context is the caller's business: guard_leave restores it. */
typedef struct device_guard {
	const cuda_home *home; /* NULL: nothing was changed */
	CUcontext old;
} device_guard;

static inline cudaError_t guard_enter(device_guard *g, const cuda_home *home)
{
	g->home = NULL;
	g->old = NULL;
	if (home->get_current(&g->old) != CUDA_SUCCESS)
		return cudaErrorInitializationError;
	if (g->old == home->context)
		return cudaSuccess;
	if (home->set_current(home->context) != CUDA_SUCCESS)
		return cudaErrorDeviceUninitialized;
	g->home = home;
	return cudaSuccess;
}

static inline void guard_leave(const device_guard *g)
{
	if (g->home)
		(void)g->home->set_current(g->old);
}

#endif
