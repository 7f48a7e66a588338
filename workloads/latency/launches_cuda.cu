/* Launches by the host: of a kernel, of graphs. */
#include "workloads/latency/session.cuh"

enum { CHAIN = 64 };

static __global__ void empty_kernel()
{
}

/* What is launched: a graph, or the empty kernel if there is none. */
static cudaError_t launch(lat_session *s, cudaGraphExec_t graph)
{
	if (graph)
		return cudaGraphLaunch(graph, s->stream);
	empty_kernel<<<1, 32, 0, s->stream>>>();
	return cudaGetLastError();
}

/* Times calls that launch, or with `waits` also the waits for the end of the work. Number 0 loads
 * the kernel and is not counted. */
static cudaError_t launches(
	lat_session *s, const char *name, const char *what, cudaGraphExec_t graph, int waits)
{
	lat_table *t = s->t;

	s->what = what;
	for (uint32_t k = 0; k <= t->samples; k++) {
		const uint64_t begin = wl_now_ns();
		uint64_t end;

		if (wl_stopped(t->d))
			return cudaSuccess;
		TRY(launch(s, graph));
		end = wl_now_ns();
		TRY(cudaStreamSynchronize(s->stream));
		if (waits)
			end = wl_now_ns();
		if (k > 0)
			t->sample[k - 1] = (double)(end - begin) * 1e-3;
	}
	lat_add(t, name, what, "us", t->samples);
	return cudaSuccess;
}

/* Makes a graph of so many empty kernels, one after another. *out: NULL after an error. */
static cudaError_t make_chain(lat_session *s, int nodes, cudaGraphExec_t *out)
{
	cudaGraph_t graph = NULL;
	cudaError_t e = cudaSuccess, ended, destroyed;

	*out = NULL;
	TRY(cudaStreamBeginCapture(s->stream, cudaStreamCaptureModeRelaxed));
	for (int k = 0; k < nodes && e == cudaSuccess; k++)
		e = launch(s, NULL);
	ended = cudaStreamEndCapture(s->stream, &graph); /* also after an error */
	if (e == cudaSuccess)
		e = ended;
	if (e == cudaSuccess)
		e = cudaGraphInstantiate(out, graph, 0);
	if (!graph)
		return e;
	destroyed = cudaGraphDestroy(graph);
	return e == cudaSuccess ? destroyed : e;
}

static cudaError_t graph_launches(lat_session *s, const char *name, const char *what, int nodes)
{
	cudaGraphExec_t chain;
	cudaError_t e, destroyed;

	s->what = what;
	e = make_chain(s, nodes, &chain);
	if (e == cudaSuccess)
		e = launches(s, name, what, chain, 1);
	destroyed = chain ? cudaGraphExecDestroy(chain) : cudaSuccess;
	return e == cudaSuccess ? destroyed : e;
}

cudaError_t lat_cuda_launches(lat_session *s)
{
	TRY(launches(s, "launch-call", "launch of a kernel, the call alone", NULL, 0));
	TRY(launches(s, "launch", "launch of a kernel, and wait for its end", NULL, 1));
	TRY(graph_launches(s, "graph-1", "launch of a graph of 1 kernel, and wait", 1));
	return graph_launches(
		s, "graph-64", "launch of a graph of 64 kernels in a row, and wait", CHAIN);
}
