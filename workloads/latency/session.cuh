/* What the measurements on a CUDA device share. No kernel waits without a limit: each polling loop
 * reads the clock, so a lost host leaves no kernel behind. Memory is that of cudaMalloc() and
 * cudaHostAlloc() only. */
#ifndef WORKLOADS_LATENCY_SESSION_CUH
#define WORKLOADS_LATENCY_SESSION_CUH

#include "workloads/latency/latency.h"

#include <stdio.h>
#include <string.h>

/* Words in memory of the host that both sides access, each in lines of its own. A message is one
 * word, so that it needs no fence. */
typedef struct lat_words {
	uint32_t request, pad0[63];
	uint64_t answer, pad1[31]; /* clock of the device in ns << 8 | request & 255 */
	uint32_t store, pad2[63];  /* target of stores */
	uint32_t zero[64];         /* never written: for loads, each at an address from the last */
	uint64_t copy[8];          /* for copies from the device */
} lat_words;

typedef struct lat_session {
	lat_table *t;
	cudaStream_t stream;
	lat_words *words; /* mapped */
	double *h_out;    /* [2 * samples]: copy of d_out */
	double *d_out;    /* [2 * samples]: measured by kernels, ns */
	uint32_t *d_word; /* LAT_DEVICE_BYTES, for kernels */
	unsigned sms;
	const char *what; /* the step that is executed: a literal */
	int lost;         /* the step ended without an answer of the other side */
} lat_session;

enum { LAT_DEVICE_BYTES = 1024 };

#define TRY(call)                           \
	do {                                \
		const cudaError_t e = call; \
                                            \
		if (e != cudaSuccess)       \
			return e;           \
	} while (0)

/* Returns an error for a step whose kernel or host got no answer in time. */
static inline cudaError_t lat_lost(lat_session *s)
{
	s->lost = 1;
	return cudaErrorUnknown;
}

/* Copies n numbers of d_out to h_out and waits for all work of the stream. */
static inline cudaError_t lat_read_out(lat_session *s, size_t n)
{
	TRY(cudaMemcpyAsync(
		s->h_out, s->d_out, n * sizeof(*s->h_out), cudaMemcpyDeviceToHost, s->stream));
	return cudaStreamSynchronize(s->stream);
}

/* Measure and append figures. After a signal they return cudaSuccess and omit the others. */
cudaError_t lat_cuda_messages(lat_session *s);
cudaError_t lat_cuda_probes(lat_session *s);
cudaError_t lat_cuda_launches(lat_session *s);
cudaError_t lat_cuda_device_launches(lat_session *s);

#endif
