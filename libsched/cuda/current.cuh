/* The state of CUDA that belongs to a thread: a library sets its own and restores the caller's.
 *
 * Context: cudaSetDevice() is not sufficient, because it selects the primary context of a device,
 * and callers such as GStreamer and FFmpeg create contexts by cuCtxCreate(). The driver's functions
 * are looked up at run time, so that nothing links libcuda.
 *
 * Capture mode: while any thread captures a stream into a CUDA graph in the global mode, such calls
 * as cudaMalloc() fail in every thread and invalidate that capture. A thread in the relaxed mode is
 * exempt, and the libraries use no stream that a caller captures. Work on the legacy default stream
 * would invalidate a capture in every mode, so there is none: copy_now() and clear_now(). */
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
	CUresult (*exchange_mode)(CUstreamCaptureMode *mode);
} device_context;

static inline cudaError_t driver_function(const char *name, void **function)
{
	cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
	cudaError_t e =
		cudaGetDriverEntryPointByVersion(name, function, 12000, cudaEnableDefault, &found);

	return e == cudaSuccess && found != cudaDriverEntryPointSuccess ? cudaErrorNotSupported : e;
}

/* Sets the capture mode of the calling thread; returns the mode before. By the driver's function,
 * because the runtime's would make a context current in a thread that has none. */
static inline CUstreamCaptureMode capture_exchange(
	const device_context *c, CUstreamCaptureMode mode)
{
	(void)c->exchange_mode(&mode); /* fails without a driver only, as all calls do then */
	return mode;
}

static inline cudaError_t sync_now(cudaError_t e)
{
	return e == cudaSuccess ? cudaStreamSynchronize(cudaStreamPerThread) : e;
}

/* Copies between memory of any kind and waits for the end of the copy. */
static inline cudaError_t copy_now(void *to, const void *from, size_t bytes)
{
	return sync_now(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, cudaStreamPerThread));
}

/* Sets memory of the device and waits for the end. */
static inline cudaError_t clear_now(void *memory, int value, size_t bytes)
{
	return sync_now(cudaMemsetAsync(memory, value, bytes, cudaStreamPerThread));
}

/* In the relaxed mode; the members of c but `context` are set. */
static inline cudaError_t device_context_choose(device_context *c, int device, int current)
{
	CUresult (*device_get)(CUdevice *, int) = NULL;
	CUresult (*retain)(CUcontext *, CUdevice) = NULL;
	CUdevice number;
	cudaError_t e = driver_function("cuDeviceGet", (void **)&device_get);

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

/* Chooses the context for work on `device`: the calling thread's current one if it is on that
 * device, else the primary one, which stays retained, as after any call of CUDA's runtime. */
static inline cudaError_t device_context_find(device_context *c, int device)
{
	int current = -1;
	cudaError_t e = cudaGetDevice(&current);
	CUstreamCaptureMode mode;

	memset(c, 0, sizeof(*c));
	if (e == cudaSuccess)
		e = driver_function("cuCtxGetCurrent", (void **)&c->get_current);
	if (e == cudaSuccess)
		e = driver_function("cuCtxSetCurrent", (void **)&c->set_current);
	if (e == cudaSuccess)
		e = driver_function(
			"cuThreadExchangeStreamCaptureMode", (void **)&c->exchange_mode);
	if (e != cudaSuccess)
		return e;
	mode = capture_exchange(c, CU_STREAM_CAPTURE_MODE_RELAXED);
	e = device_context_choose(c, device, current);
	(void)capture_exchange(c, mode);
	return e;
}

/* What guard_leave() restores: the caller's context and capture mode. */
typedef struct device_guard {
	const device_context *c; /* the context that was entered; NULL: none was */
	CUcontext old;
	CUstreamCaptureMode mode;
} device_guard;

static inline cudaError_t guard_set_context(device_guard *g, const device_context *c)
{
	if (c->get_current(&g->old) != CUDA_SUCCESS)
		return cudaErrorInitializationError;
	if (g->old != c->context && c->set_current(c->context) != CUDA_SUCCESS)
		return cudaErrorDeviceUninitialized;
	return cudaSuccess;
}

/* After an error nothing has changed; guard_leave() may follow. */
static inline cudaError_t guard_enter(device_guard *g, const device_context *c)
{
	cudaError_t e;

	g->c = NULL;
	g->mode = capture_exchange(c, CU_STREAM_CAPTURE_MODE_RELAXED);
	e = guard_set_context(g, c);
	if (e == cudaSuccess)
		g->c = c;
	else
		(void)capture_exchange(c, g->mode);
	return e;
}

static inline void guard_leave(const device_guard *g)
{
	if (!g->c)
		return;
	if (g->old != g->c->context)
		(void)g->c->set_current(g->old);
	(void)capture_exchange(g->c, g->mode);
}

#endif
