/* Latencies of a CUDA device: the session of all measurements, and the empty program. */
#include "workloads/latency/session.cuh"
#include "workloads/latency/latency_task.h"

static cudaError_t open_session(lat_session *s, int device)
{
	const size_t out_bytes = 2 * s->t->samples * sizeof(double);
	int sms = 0;

	s->what = "opening the device";
	TRY(cudaSetDevice(device));
	TRY(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
	s->sms = (unsigned)sms;
	TRY(cudaStreamCreateWithFlags(&s->stream, cudaStreamNonBlocking));
	TRY(cudaHostAlloc((void **)&s->words, sizeof(*s->words), cudaHostAllocMapped));
	TRY(cudaHostAlloc((void **)&s->h_out, out_bytes, cudaHostAllocDefault));
	TRY(cudaMalloc((void **)&s->d_out, out_bytes));
	return cudaMalloc((void **)&s->d_word, LAT_DEVICE_BYTES);
}

/* Waits for the kernels, which end within their limits, also after an error. */
static cudaError_t close_session(lat_session *s)
{
	cudaError_t all = cudaSuccess, e[] = {
		s->stream ? cudaStreamSynchronize(s->stream) : cudaSuccess,
		s->stream ? cudaStreamDestroy(s->stream) : cudaSuccess,
		cudaFreeHost(s->words),
		cudaFreeHost(s->h_out),
		cudaFree(s->d_out),
		cudaFree(s->d_word),
	};

	for (size_t i = 0; i < sizeof(e) / sizeof(e[0]) && all == cudaSuccess; i++)
		all = e[i];
	return all;
}

static cudaError_t measure(lat_session *s, int device)
{
	TRY(open_session(s, device));
	TRY(lat_cuda_messages(s));
	TRY(lat_cuda_probes(s));
	TRY(lat_cuda_launches(s));
	return lat_cuda_device_launches(s);
}

int lat_cuda(lat_table *t, char *msg, size_t n)
{
	lat_session s;
	cudaError_t e, closed;
	int before = 0;

	memset(&s, 0, sizeof(s));
	s.t = t;
	s.what = "the current device";
	e = cudaGetDevice(&before);
	if (e == cudaSuccess) {
		e = measure(&s, lsched_ctx_device(t->d->ctx));
		closed = close_session(&s);
		if (e == cudaSuccess)
			e = closed;
		closed = cudaSetDevice(before);
		if (e == cudaSuccess)
			e = closed;
	}
	if (e == cudaSuccess)
		return wl_stopped(t->d) ? WL_STOPPED : 0;
	if (s.lost)
		snprintf(msg, n, "%s: no answer within %.0f s; close other programs of the device",
			s.what, (double)LAT_LOST_NS * 1e-9);
	else
		snprintf(msg, n, "CUDA: %s: %s", s.what, cudaGetErrorString(e));
	return -1;
}
