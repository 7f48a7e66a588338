/* Page-locked memory of h264i_host_alloc. */
#ifndef H264INTRA_CUDA_HOST_MEMORY_CUH
#define H264INTRA_CUDA_HOST_MEMORY_CUH

#include "h264intra/cuda/state.cuh"

/* Head of a block of h264i_host_alloc. */
typedef struct pinned_head {
	h264i_host_head head;
	device_context context;
} pinned_head;

static void release_host(h264i_host_head *head)
{
	device_context context = reinterpret_cast<pinned_head *>(head)->context;
	device_guard g;

	if (guard_enter(&g, &context) != cudaSuccess)
		return; /* the context is gone, and its memory with it */
	cudaFreeHost(head);
	guard_leave(&g);
}

static void *gpu_host_alloc(h264i_encoder *enc, size_t bytes)
{
	gpu_state *s = state_of(enc, 0);
	device_guard before = device_enter(s);
	void *p = NULL;

	if (cudaHostAlloc(&p, bytes, cudaHostAllocPortable) != cudaSuccess) {
		cudaGetLastError(); /* clears the error, which the NULL reports */
		p = NULL;
	}
	device_leave(before);
	if (p) {
		pinned_head *head = static_cast<pinned_head *>(p);

		head->head.release = release_host;
		head->context = s->context;
	}
	return p;
}

#endif
