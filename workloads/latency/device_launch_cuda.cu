/* Launches by a thread of the device. The only launch that needs no separate device linking is that
 * of a graph: the driver itself has cudaGraphLaunch(). A file of its own: the driver resolves that
 * function when it loads the kernels of the file. */
#include "workloads/latency/session.cuh"

#include <libsched/task.h>

/* Of one launch. */
typedef struct launch_times {
	uint64_t begin_ns, called_ns, started_ns; /* started_ns 0: not started in time */
	int error;
} launch_times;

static __global__ void child_kernel(launch_times *d_times)
{
	lsched_st(&d_times->started_ns, lsched_now_ns(), rlx, dev);
}

/* Launches the graph of child_kernel and waits for the start of the kernel. */
static __global__ void parent_kernel(cudaGraphExec_t child, launch_times *d_times)
{
	const uint64_t begin = lsched_now_ns();
	const cudaError_t e = cudaGraphLaunch(child, cudaStreamGraphFireAndForget);
	const uint64_t called = lsched_now_ns();

	d_times->begin_ns = begin;
	d_times->called_ns = called;
	d_times->error = (int)e;
	while (e == cudaSuccess && !lsched_ld(&d_times->started_ns, rlx, dev) &&
		lsched_now_ns() - begin < LAT_LOST_NS)
		;
}

/* Makes a graph of one kernel: the child's if `child` is NULL, else that of its parent. */
static cudaError_t make_graph(
	lat_session *s, cudaGraphExec_t child, launch_times *d_times, cudaGraphExec_t *out)
{
	cudaGraph_t graph = NULL;
	cudaError_t e, ended, destroyed;

	TRY(cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeRelaxed));
	if (child)
		parent_kernel<<<1, 1, 0, s->stream>>>(child, d_times);
	else
		child_kernel<<<1, 1, 0, s->stream>>>(d_times);
	e = cudaGetLastError();
	ended = cudaStreamEndCapture(s->stream, &graph); /* also after an error */
	if (e == cudaSuccess)
		e = ended;
	if (e == cudaSuccess)
		e = cudaGraphInstantiate(
			out, graph, child ? 0 : cudaGraphInstantiateFlagDeviceLaunch);
	if (!graph)
		return e;
	destroyed = cudaGraphDestroy(graph);
	return e == cudaSuccess ? destroyed : e;
}

/* Number 0 loads the kernels and is not counted. A parent launches one child only, since a graph
 * must not be launched again before it has ended. */
static cudaError_t time_launches(lat_session *s, cudaGraphExec_t parent, launch_times *d_times)
{
	lat_table *t = s->t;
	launch_times *h_times = (launch_times *)s->words->copy;

	for (uint32_t k = 0; k <= t->samples; k++) {
		if (wl_stopped(t->d))
			return cudaSuccess;
		TRY(cudaMemsetAsync(d_times, 0, sizeof(*d_times), s->stream));
		TRY(cudaGraphLaunch(parent, s->stream));
		TRY(cudaMemcpyAsync(
			h_times, d_times, sizeof(*h_times), cudaMemcpyDeviceToHost, s->stream));
		TRY(cudaStreamSynchronize(s->stream));
		TRY((cudaError_t)h_times->error);
		if (h_times->started_ns == 0)
			return lat_lost(s);
		if (k == 0)
			continue;
		t->sample[k - 1] = (double)(h_times->called_ns - h_times->begin_ns) * 1e-3;
		s->h_out[k - 1] = (double)(h_times->started_ns - h_times->begin_ns) * 1e-3;
	}
	lat_add(t, "device-launch-call", "launch of a graph by the device, the call alone", "us",
		t->samples);
	memcpy(t->sample, s->h_out, t->samples * sizeof(*t->sample));
	lat_add(t, "device-launch", "launch of a graph by the device, until it starts", "us",
		t->samples);
	return cudaSuccess;
}

cudaError_t lat_cuda_device_launches(lat_session *s)
{
	launch_times *d_times = (launch_times *)s->d_word;
	cudaGraphExec_t child = NULL, parent = NULL;
	cudaError_t e, destroyed = cudaSuccess;

	if (wl_stopped(s->t->d))
		return cudaSuccess;
	s->what = "launch by the device";
	e = make_graph(s, NULL, d_times, &child);
	if (e == cudaErrorNotSupported) {
		(void)cudaGetLastError(); /* the device has no such launches: no figures */
		return cudaSuccess;
	}
	if (e == cudaSuccess)
		e = cudaGraphUpload(child, s->stream);
	if (e == cudaSuccess)
		e = make_graph(s, child, d_times, &parent);
	if (e == cudaSuccess)
		e = time_launches(s, parent, d_times);
	if (parent)
		destroyed = cudaGraphExecDestroy(parent);
	if (child && destroyed == cudaSuccess)
		destroyed = cudaGraphExecDestroy(child);
	return e == cudaSuccess ? destroyed : e;
}
