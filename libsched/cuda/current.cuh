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
} device_context;

static inline cudaError_t driver_function(const char *name, void **function)
{
	cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
	cudaError_t e =
		cudaGetDriverEntryPointByVersion(name, function, 12000, cudaEnableDefault, &found);

	return e == cudaSuccess && found != cudaDriverEntryPointSuccess ? cudaErrorNotSupported : e;
}

/* Sets the capture mode of the calling thread; returns the mode before. Without a usable driver
 * there is none, and no later call succeeds. */
static inline enum cudaStreamCaptureMode capture_exchange(enum cudaStreamCaptureMode mode)
{
	if (cudaThreadExchangeStreamCaptureMode(&mode) != cudaSuccess)
		(void)cudaGetLastError();
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

static inline cudaError_t device_context_find_relaxed(device_context *c, int device)
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

/* Chooses the context for work on `device`: the calling thread's current one if it is on that
 * device, else the primary one, which stays retained, as after any call of CUDA's runtime. */
static inline cudaError_t device_context_find(device_context *c, int device)
{
	const enum cudaStreamCaptureMode mode = capture_exchange(cudaStreamCaptureModeRelaxed);
	const cudaError_t e = device_context_find_relaxed(c, device);

	(void)capture_exchange(mode);
	return e;
}

/* What guard_leave() restores: the caller's context and capture mode. */
typedef struct device_guard {
	const device_context *c; /* the context that was entered; NULL: it was current before */
	CUcontext old;
	enum cudaStreamCaptureMode mode;
} device_guard;

static inline cudaError_t guard_set_context(device_guard *g, const device_context *c)
{
	if (c->get_current(&g->old) != CUDA_SUCCESS)
		return cudaErrorInitializationError;
	if (g->old == c->context)
		return cudaSuccess;
	if (c->set_current(c->context) != CUDA_SUCCESS)
		return cudaErrorDeviceUninitialized;
	g->c = c;
	return cudaSuccess;
}

/* Also after an error, which changes nothing, guard_leave() may follow. */
static inline cudaError_t guard_enter(device_guard *g, const device_context *c)
{
	cudaError_t e;

	g->c = NULL;
	g->old = NULL;
	g->mode = capture_exchange(cudaStreamCaptureModeRelaxed);
	e = guard_set_context(g, c);
	if (e != cudaSuccess)
		(void)capture_exchange(g->mode);
	return e;
}

static inline void guard_leave(const device_guard *g)
{
	if (g->c)
		(void)g->c->set_current(g->old);
	(void)capture_exchange(g->mode);
}

#endif
