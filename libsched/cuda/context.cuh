/* Data that the files of the CUDA backend share: the CUDA part of a context and of a run;
 * errors. */
#ifndef LIBSCHED_CUDA_CONTEXT_CUH
#define LIBSCHED_CUDA_CONTEXT_CUH

#include <cuda_runtime.h>
#include "libsched/core/backend.h"
#include "libsched/cuda/current.cuh"

typedef struct cuda_ctx {
	device_context context; /* of CUDA: all work is in it */
	int sm_count;
	cudaStream_t memory;    /* lsched_mem_...; not the default stream, which waits for others */
	cudaStream_t work;      /* of starts without a caller's stream */
	lsched_run *started;    /* see cuda_run.next */
	uint64_t next_check_ns; /* time at which lsched_run_done() checks for hangs again */
} cuda_ctx;

/* The host's copy of the workers' state; pinned, so that no copy waits. */
typedef struct cuda_state_copy {
	lsched_i_state state;
	uint32_t stop, cancelled; /* values that the host writes to the workers' `failed` */
} cuda_state_copy;

typedef struct cuda_run {
	cudaEvent_t done;
	lsched_event *d_events;
	lsched_i_result *h_result; /* pinned, mapped */
	const void *kernel;        /* a handle, see lsched_program.kernel_handle */
	uint32_t block_threads;
	uint32_t shared_bytes;
	unsigned char *program_ctx;
	cudaStream_t stream; /* of the last start */
	/* a stream of the run: the first clearing, the timeline, copies of the state */
	cudaStream_t own;
	/* For cuda/wait.cu. The members from clear_pending on change under lsched_run.lock, by any
	 * thread. */
	lsched_run *next;         /* in cuda_ctx.started: started and not yet waited for */
	cudaEvent_t cleared;      /* recorded after the memory was cleared */
	uint32_t *h_current_task; /* pinned, for lsched_i_args.current_task */
	cuda_state_copy *h_copy;  /* pinned */
	int clear_pending;        /* this start clears the memory, and may not have done so yet */
	int copy_pending;         /* a copy to h_copy was enqueued at copy_begin_ns */
	uint64_t copy_begin_ns;
	int cancel_pending; /* a copy of h_copy->cancelled or request was enqueued */
	int failed;         /* as in the last completed copy */
	uint32_t progress, wait_steps, outstanding;
	uint64_t begun_ns; /* when a copy showed that a worker had begun; 0: not yet */
	uint32_t *h_marks; /* pinned, for lsched_i_args.marks */
} cuda_run;

/* Returns CUDA's context of all work of ctx. */
static inline const device_context *context_of(const lsched_ctx *ctx)
{
	return &((const cuda_ctx *)ctx->impl)->context;
}

/* cuda/wait.cu: returns the error of a CUDA call; run may be NULL. After an error that corrupts
 * CUDA's context the lsched_ctx is lost. */
lsched_status lsched_i_cuda_fail(lsched_ctx *ctx, lsched_run *run, const char *what, cudaError_t e);

#define TRY(run, what, call)                                                       \
	do {                                                                       \
		cudaError_t try_e = (call);                                        \
		if (try_e != cudaSuccess)                                          \
			return lsched_i_cuda_fail((run)->ctx, (run), what, try_e); \
	} while (0)

/* cuda/device.cu */
int lsched_i_cuda_device_count(void);
lsched_status lsched_i_cuda_device_info(int device, lsched_device_info *info);
lsched_status lsched_i_cuda_open(lsched_ctx *ctx);
void lsched_i_cuda_close(lsched_ctx *ctx);

/* cuda/launch.cu */
lsched_status lsched_i_cuda_start(lsched_run *run, const void *program_ctx, void *stream);
int lsched_i_cuda_done(lsched_run *run);
lsched_status lsched_i_cuda_wait(lsched_run *run);

/* cuda/wait.cu. add: the watchdog checks the run from now on. await: waits for cuda_run.done, or
 * returns the error after a hang. poll: the same without waiting; nonzero when there is nothing to
 * wait for. remove: ends the checks, and completes the copies of the run's own stream. */
void lsched_i_cuda_add(lsched_run *run);
lsched_status lsched_i_cuda_await(lsched_run *run);
int lsched_i_cuda_poll(lsched_run *run);
void lsched_i_cuda_remove(lsched_run *run);
/* Whether the execution has ended, and no further round is to be launched. Under the lock. */
int lsched_i_cuda_has_ended(const lsched_run *run);
/* lsched_i_backend.cancel and .snapshot */
lsched_status lsched_i_cuda_cancel(lsched_run *run);
void lsched_i_cuda_snapshot(lsched_run *run, lsched_i_snapshot *s);

/* cuda/memory.cu: lsched_i_backend.mem_... */
lsched_status lsched_i_cuda_mem_alloc(lsched_ctx *ctx, void **out, size_t bytes);
void lsched_i_cuda_mem_free(lsched_ctx *ctx, void *memory);
lsched_status lsched_i_cuda_mem_write(
	lsched_ctx *ctx, void *memory, const void *from, size_t bytes);
lsched_status lsched_i_cuda_mem_read(lsched_ctx *ctx, void *to, const void *memory, size_t bytes);
lsched_status lsched_i_cuda_mem_zero(lsched_ctx *ctx, void *memory, size_t bytes);
/* ... and .shared_... */
lsched_status lsched_i_cuda_shared_alloc(lsched_ctx *ctx, void **out, size_t bytes);
void lsched_i_cuda_shared_free(lsched_ctx *ctx, void *memory);

#endif
