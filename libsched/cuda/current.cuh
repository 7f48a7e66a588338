/* The current CUDA context of a thread: a library sets its own and restores the caller's.
 * cudaSetDevice() is not sufficient, because it selects the primary context of a device, and
 * callers such as GStreamer and FFmpeg create contexts by cuCtxCreate(). The driver's functions are
 * looked up at run time, so that nothing links libcuda. */
#ifndef LIBSCHED_CUDA_CURRENT_CUH
#define LIBSCHED_CUDA_CURRENT_CUH

#include <cuda.h>
#include <cuda_runtime.h>
#include <string.h>

/* The CUDA context of a library object, and the driver's functions to make it current. */
typedef struct device_context {
	CUcontext context;
	CUresult (*get_current)(CUcontext *context);
	CUresult (*set_current)(CUcontext context);
} device_context;

static inline cudaError_t driver_function(const char *name, void **function)
{
	cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
	cudaError_t e =
		cudaGetDriverEntryPointByVersion(name, function, 12000, cudaEnableDefault, &found);

	return e == cudaSuccess && found != cudaDriverEntryPointSuccess ? cudaErrorNotSupported : e;
}

/* Chooses the context for work on `device`: the calling thread's current one if it is on that
 * device, else the primary one, which stays retained, as after any call of CUDA's runtime. */
static inline cudaError_t device_context_find(device_context *c, int device)
{
	CUresult (*device_get)(CUdevice *, int) = NULL;
	CUresult (*retain)(CUcontext *, CUdevice) = NULL;
	CUdevice number;
	int current = -1;
	cudaError_t e = cudaGetDevice(&current);

	memset(c, 0, sizeof(*c));
	if (e == cudaSuccess)
		e = driver_function("cuCtxGetCurrent", (void **)&c->get_current);
	if (e == cudaSuccess)
		e = driver_function("cuCtxSetCurrent", (void **)&c->set_current);
	if (e == cudaSuccess)
		e = driver_function("cuDeviceGet", (void **)&device_get);
	if (e == cudaSuccess)
		e = driver_function("cuDevicePrimaryCtxRetain", (void **)&retain);
	/* creates the device's context now, not in the first timed call */
	if (e == cudaSuccess && current == device)
		e = cudaFree(NULL);
	if (e != cudaSuccess)
		return e;
	if (current == device && c->get_current(&c->context) == CUDA_SUCCESS && c->context)
		return cudaSuccess;
	if (device_get(&number, device) != CUDA_SUCCESS ||
		retain(&c->context, number) != CUDA_SUCCESS)
		return cudaErrorDevicesUnavailable;
	return cudaSuccess;
}

/* The context that guard_leave() makes current again. */
typedef struct device_guard {
	const device_context *c; /* the context that was entered; NULL: it was current before */
	CUcontext old;
} device_guard;

static inline cudaError_t guard_enter(device_guard *g, const device_context *c)
{
	g->c = NULL;
	g->old = NULL;
	if (c->get_current(&g->old) != CUDA_SUCCESS)
		return cudaErrorInitializationError;
	if (g->old == c->context)
		return cudaSuccess;
	if (c->set_current(c->context) != CUDA_SUCCESS)
		return cudaErrorDeviceUninitialized;
	g->c = c;
	return cudaSuccess;
}

static inline void guard_leave(const device_guard *g)
{
	if (g->c)
		(void)g->c->set_current(g->old);
}

#endif
