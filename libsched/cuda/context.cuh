/* What the files of the CUDA executor share: a context's and a run's part, errors, the calling thread's
 * device. */
#ifndef LIBSCHED_CUDA_CONTEXT_CUH
#define LIBSCHED_CUDA_CONTEXT_CUH

#include <cuda_runtime.h>
#include "libsched/core/backend.h"

typedef struct cuda_ctx {
	int sm_count;
	cudaStream_t memory; /* sched_mem_...; never the default stream, which waits for others */
	sched_run *started;  /* see cuda_run.next */
	uint64_t look_at_ns; /* when sched_run_done() looks for hangs again */
} cuda_ctx;

/* Where the host sees the workers' state; pinned, so that no copy waits. */
typedef struct cuda_glimpse {
	sched__state state;
	uint32_t told; /* what the host writes to the workers' `failed` */
} cuda_glimpse;

typedef struct cuda_run {
	cudaEvent_t done;
	sched_event *d_events;
	sched__result *h_result; /* pinned, mapped */
	uint32_t block_threads;
	uint32_t shared_bytes;
	unsigned char *program_ctx;
	cudaStream_t stream; /* of the last start */
	cudaStream_t
		own; /* for what is not on the caller's stream: first clearing, timeline, looks */
	/* for cuda/wait.cu */
	sched_run *next;       /* in cuda_ctx.started: started and not yet waited for */
	cudaEvent_t cleared;   /* behind the clearing of the memory, if this start did that */
	int clears;            /* it did: before, the state is that of the start before */
	cuda_glimpse *glimpse; /* pinned */
	uint32_t *now;         /* pinned, for sched__args.now */
	int looking;           /* a copy to glimpse is on its way, since asked_ns */
	uint64_t asked_ns;
	int begun, failed; /* as the last glimpse had it */
	uint32_t progress;
} cuda_run;

/* The calling thread's device is the caller's business: put it back. */
typedef struct device_guard {
	int old, changed;
} device_guard;

static inline cudaError_t guard_enter(device_guard *g, int device)
{
	cudaError_t e = cudaGetDevice(&g->old);

	g->changed = 0;
	if (e == cudaSuccess && g->old != device) {
		e = cudaSetDevice(device);
		g->changed = e == cudaSuccess;
	}
	return e;
}

static inline void guard_leave(const device_guard *g)
{
	if (g->changed)
		(void)cudaSetDevice(g->old);
}

/* cuda/wait.cu. An error of a call: its status and sentence; run may be NULL. If it means that CUDA's
 * context is broken, so is the sched_ctx from here on. */
sched_status sched__cuda_fail(sched_ctx *ctx, sched_run *run, const char *what, cudaError_t e);

#define TRY(run, what, call)                                                     \
	do {                                                                     \
		cudaError_t try_e = (call);                                      \
		if (try_e != cudaSuccess)                                        \
			return sched__cuda_fail((run)->ctx, (run), what, try_e); \
	} while (0)

/* cuda/wait.cu. started: a launch is on its way. await: until cuda_run.done, or until it is given up.
 * ended: the same without waiting, nonzero when there is nothing to wait for. over: after the end. */
void sched__cuda_started(sched_run *run);
sched_status sched__cuda_await(sched_run *run);
int sched__cuda_ended(sched_run *run);
void sched__cuda_over(sched_run *run);

/* cuda/memory.cu: sched__backend.mem_... */
sched_status sched__cuda_mem_alloc(sched_ctx *ctx, void **out, size_t bytes);
void sched__cuda_mem_free(sched_ctx *ctx, void *memory);
sched_status sched__cuda_mem_write(sched_ctx *ctx, void *memory, const void *from, size_t bytes);
sched_status sched__cuda_mem_read(sched_ctx *ctx, void *to, const void *memory, size_t bytes);
sched_status sched__cuda_mem_zero(sched_ctx *ctx, void *memory, size_t bytes);

#endif
