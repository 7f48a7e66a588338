/* What objects with kernels have on the host: the context of their device, a stream, events. */
#ifndef REYES_CUDA_DEVICE_CUH
#define REYES_CUDA_DEVICE_CUH

#include <new>
#include <string.h>
#include "libsched/cuda/current.cuh"

#define CHECK_CUDA(call)                                        \
	do {                                                    \
		const cudaError_t check_error = (call);         \
		if (check_error != cudaSuccess)                 \
			return cudaGetErrorString(check_error); \
	} while (0)

enum { REYES_I_EVENTS_MAX = 8 };

typedef struct reyes_i_device {
	device_context context; /* libsched's, if the same one is current when both are opened */
	int number, processors;
	cudaStream_t stream;
	cudaEvent_t event[REYES_I_EVENTS_MAX];
} reyes_i_device;

/* Makes the device's context current for a call, and the caller's again at its end. The object of
 * the device may be freed meanwhile. */
struct current {
	device_context context;
	device_guard before;
	explicit current(const reyes_i_device *d) : context(d->context)
	{
		(void)guard_enter(&before, &context);
	}
	~current()
	{
		guard_leave(&before);
	}
	current(const current &) = delete;
	current &operator=(const current &) = delete;
};

/* Finds the context for work on the device, of a struct of zeros. */
static inline const char *device_find(reyes_i_device *d, int number)
{
	d->number = number;
	CHECK_CUDA(device_context_find(&d->context, number));
	return NULL;
}

/* Creates the stream and so many events. The device's context is current. */
static inline const char *device_prepare(reyes_i_device *d, int events)
{
	CHECK_CUDA(cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking));
	for (int k = 0; k < events; k++)
		CHECK_CUDA(cudaEventCreate(&d->event[k]));
	CHECK_CUDA(
		cudaDeviceGetAttribute(&d->processors, cudaDevAttrMultiProcessorCount, d->number));
	return NULL;
}

/* Opens an object: finds its device, then prepares it with the device's context current. */
template <class object>
static inline const char *device_open(
	object **out, int number, const char *(*prepare)(object *), void (*close)(object **))
{
	object *c = new (std::nothrow) object;
	const char *error;

	*out = NULL;
	if (!c)
		return "out of memory";
	memset(c, 0, sizeof(*c));
	error = device_find(&c->device, number);
	if (error) {
		delete c;
		return error;
	}
	current now(&c->device);
	error = prepare(c);
	if (error)
		close(&c);
	*out = c;
	return error;
}

/* Waits for the stream, and destroys it and the events; also after device_prepare has failed. The
 * device's context is current. */
static inline void device_close(reyes_i_device *d)
{
	if (d->stream)
		(void)cudaStreamSynchronize(d->stream);
	for (int k = 0; k < REYES_I_EVENTS_MAX; k++)
		if (d->event[k])
			(void)cudaEventDestroy(d->event[k]);
	if (d->stream)
		(void)cudaStreamDestroy(d->stream);
}

#endif
