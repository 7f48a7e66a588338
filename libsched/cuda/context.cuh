/* What the files of the CUDA executor share: the context's part, the calling thread's device. */
#ifndef LIBSCHED_CUDA_CONTEXT_CUH
#define LIBSCHED_CUDA_CONTEXT_CUH

#include <cuda_runtime.h>
#include "libsched/core/backend.h"

typedef struct cuda_ctx {
	int sm_count;
	cudaStream_t
		memory; /* for sched_mem_...; never the default stream, which waits for others */
} cuda_ctx;

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

/* cuda/memory.cu: sched__backend.mem_... */
sched_status sched__cuda_mem_alloc(sched_ctx *ctx, void **out, size_t bytes);
void sched__cuda_mem_free(sched_ctx *ctx, void *memory);
sched_status sched__cuda_mem_write(sched_ctx *ctx, void *memory, const void *from, size_t bytes);
sched_status sched__cuda_mem_read(sched_ctx *ctx, void *to, const void *memory, size_t bytes);
sched_status sched__cuda_mem_zero(sched_ctx *ctx, void *memory, size_t bytes);

#endif
