/* What the files of the CUDA executor share: a context's and a run's part, errors. */
#ifndef LIBSCHED_CUDA_CONTEXT_CUH
#define LIBSCHED_CUDA_CONTEXT_CUH

#include <cuda_runtime.h>
#include "libsched/core/backend.h"
#include "libsched/cuda/current.cuh"

typedef struct cuda_ctx {
	cuda_home home;
	int sm_count;
	cudaStream_t memory; /* lsched_mem_...; never the default stream, which waits for others */
	cudaStream_t work;   /* of starts without a stream of the caller's */
	lsched_run *started; /* see cuda_run.next */
	uint64_t look_at_ns; /* when lsched_run_done() looks for hangs again */
} cuda_ctx;

/* Where the host sees the workers' state; pinned, so that no copy waits. */
typedef struct cuda_glimpse {
	lsched_i_state state;
	uint32_t stop, cancelled; /* values that the host writes to the workers' `failed` */
} cuda_glimpse;

typedef struct cuda_run {
	cudaEvent_t done;
	lsched_event *d_events;
	lsched_i_result *h_result; /* pinned, mapped */
	const void *kernel;        /* a handle, see lsched_program.kernel_handle */
	uint32_t block_threads;
	uint32_t shared_bytes;
	unsigned char *program_ctx;
	cudaStream_t stream; /* of the last start */
	cudaStream_t
		own; /* for what is not on the caller's stream: first clearing, timeline, looks */
	/* for cuda/wait.cu; what the looks change is under lsched_run.lock, for they come from any
	 * thread */
	lsched_run *next;      /* in cuda_ctx.started: started and not yet waited for */
	cudaEvent_t cleared;   /* behind the clearing of the memory, if this start did that */
	int clears;            /* it did: before, the state is that of the start before */
	cuda_glimpse *glimpse; /* pinned */
	uint32_t *now;         /* pinned, for lsched_i_args.now */
	int looking;           /* a copy to glimpse is on its way, since asked_ns */
	uint64_t asked_ns;
	int telling;       /* a copy of glimpse->cancelled may be on its way */
	int begun, failed; /* as the last glimpse had it */
	uint32_t progress, outstanding;
} cuda_run;

/* CUDA's context that all work of ctx is in. */
static inline const cuda_home *home_of(const lsched_ctx *ctx)
{
	return &((const cuda_ctx *)ctx->impl)->home;
}

/* cuda/wait.cu. An error of a call: its status and sentence; run may be NULL. If it means that
 * CUDA's context is broken, so is the lsched_ctx from here on. */
lsched_status lsched_i_cuda_fail(lsched_ctx *ctx, lsched_run *run, const char *what, cudaError_t e);

#define TRY(run, what, call)                                                       \
	do {                                                                       \
		cudaError_t try_e = (call);                                        \
		if (try_e != cudaSuccess)                                          \
			return lsched_i_cuda_fail((run)->ctx, (run), what, try_e); \
	} while (0)

/* cuda/wait.cu. started: a launch is on its way. await: until cuda_run.done, or until it is given
 * up. ended: the same without waiting, nonzero when there is nothing to wait for. over: after the
 * end. */
void lsched_i_cuda_started(lsched_run *run);
lsched_status lsched_i_cuda_await(lsched_run *run);
int lsched_i_cuda_ended(lsched_run *run);
void lsched_i_cuda_over(lsched_run *run);
/* Nonzero when the execution has ended, and no further round is to be launched. Under the lock. */
int lsched_i_cuda_is_over(const lsched_run *run);
/* lsched_i_backend.cancel and .glance */
lsched_status lsched_i_cuda_cancel(lsched_run *run);
void lsched_i_cuda_glance(lsched_run *run, lsched_i_glance *g);

/* cuda/memory.cu: lsched_i_backend.mem_... */
lsched_status lsched_i_cuda_mem_alloc(lsched_ctx *ctx, void **out, size_t bytes);
void lsched_i_cuda_mem_free(lsched_ctx *ctx, void *memory);
lsched_status lsched_i_cuda_mem_write(
	lsched_ctx *ctx, void *memory, const void *from, size_t bytes);
lsched_status lsched_i_cuda_mem_read(lsched_ctx *ctx, void *to, const void *memory, size_t bytes);
lsched_status lsched_i_cuda_mem_zero(lsched_ctx *ctx, void *memory, size_t bytes);

#endif
