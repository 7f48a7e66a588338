/* Captures of a stream into a CUDA graph, in the calling thread or in another one. */
#include "tests/package/capture_gpu.h"

#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>

enum { BYTES = 64 };

typedef struct capture {
	const capture_case *what;
	cudaStream_t stream;
	unsigned char *memory;
	cudaError_t error;
	pthread_barrier_t begun, called;
} capture;

static void check(capture *c, const char *call, cudaError_t e)
{
	if (e == cudaSuccess || c->error != cudaSuccess)
		return;
	c->error = e;
	printf("\n  capture (%s): %s: %s\n", c->what->name, call, cudaGetErrorString(e));
	(void)cudaGetLastError();
}

static void prepare(capture *c)
{
	check(c, "cudaMalloc", cudaMalloc(&c->memory, BYTES));
	check(c, "cudaStreamCreateWithFlags",
		cudaStreamCreateWithFlags(
			&c->stream, c->what->blocking ? cudaStreamDefault : cudaStreamNonBlocking));
}

static void begin(capture *c)
{
	const cudaStreamCaptureMode mode = c->what->mode == 0   ? cudaStreamCaptureModeGlobal
					   : c->what->mode == 1 ? cudaStreamCaptureModeThreadLocal
								: cudaStreamCaptureModeRelaxed;

	check(c, "cudaStreamBeginCapture", cudaStreamBeginCapture(c->stream, mode));
	check(c, "first node", cudaMemsetAsync(c->memory, 1, BYTES, c->stream));
}

static void end(capture *c)
{
	cudaGraph_t graph = NULL;
	cudaGraphExec_t exec = NULL;
	unsigned char host[BYTES] = { 0 };

	check(c, "second node", cudaMemsetAsync(c->memory + BYTES / 2, 2, BYTES / 2, c->stream));
	check(c, "cudaStreamEndCapture", cudaStreamEndCapture(c->stream, &graph));
	if (c->error == cudaSuccess)
		check(c, "cudaGraphInstantiate", cudaGraphInstantiate(&exec, graph, 0));
	if (c->error == cudaSuccess)
		check(c, "cudaGraphLaunch", cudaGraphLaunch(exec, c->stream));
	check(c, "cudaMemcpyAsync",
		cudaMemcpyAsync(host, c->memory, BYTES, cudaMemcpyDeviceToHost, c->stream));
	check(c, "cudaStreamSynchronize", cudaStreamSynchronize(c->stream));
	if (c->error == cudaSuccess && (host[0] != 1 || host[BYTES - 1] != 2))
		check(c, "result of the graph", cudaErrorUnknown);
	if (exec)
		(void)cudaGraphExecDestroy(exec);
	if (graph)
		(void)cudaGraphDestroy(graph);
}

static void *thread_of(void *opaque)
{
	capture *c = static_cast<capture *>(opaque);

	begin(c);
	(void)pthread_barrier_wait(&c->begun);
	(void)pthread_barrier_wait(&c->called);
	end(c);
	return NULL;
}

extern "C" int capture_around(const capture_case *what, void (*body)(void *stream))
{
	capture c = {};
	pthread_t thread;

	c.what = what;
	prepare(&c);
	(void)pthread_barrier_init(&c.begun, NULL, 2);
	(void)pthread_barrier_init(&c.called, NULL, 2);
	if (what->own) {
		begin(&c);
		body(c.stream);
		end(&c);
	} else if (pthread_create(&thread, NULL, thread_of, &c) != 0) {
		check(&c, "pthread_create", cudaErrorUnknown);
	} else {
		(void)pthread_barrier_wait(&c.begun);
		body(c.stream);
		(void)pthread_barrier_wait(&c.called);
		(void)pthread_join(thread, NULL);
	}
	(void)pthread_barrier_destroy(&c.begun);
	(void)pthread_barrier_destroy(&c.called);
	(void)cudaStreamDestroy(c.stream);
	(void)cudaFree(c.memory);
	return c.error != cudaSuccess;
}

extern "C" void *capture_memory(unsigned long bytes)
{
	void *memory = NULL;

	return cudaMalloc(&memory, bytes) == cudaSuccess ? memory : NULL;
}

extern "C" void *capture_event(void *stream)
{
	cudaEvent_t event = NULL;

	if (cudaEventCreateWithFlags(&event, cudaEventDisableTiming) != cudaSuccess)
		return NULL;
	if (cudaEventRecord(event, static_cast<cudaStream_t>(stream)) == cudaSuccess)
		return event;
	(void)cudaEventDestroy(event);
	return NULL;
}

extern "C" void capture_event_destroy(void *event)
{
	(void)cudaEventDestroy(static_cast<cudaEvent_t>(event));
}
