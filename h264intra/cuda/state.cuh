/* State of the CUDA backend: of an encoder, and of each group of frames. */
#ifndef H264INTRA_CUDA_STATE_CUH
#define H264INTRA_CUDA_STATE_CUH

#include "h264intra/core/backend.h"
#include "h264intra/cuda/entropy.cuh"
#include "libsched/cuda/current.cuh"

#include <cuda_runtime.h>

enum { STAGES = 4 };

typedef struct gpu_group {
	cudaStream_t stream;
	cudaEvent_t done, *uploaded; /* [capacity] */
	cudaEvent_t stage[STAGES]; /* with options.stats: before upload, wavefront, entropy, end */
	lsched_run *run;
	uint8_t *d_src, *d_recon; /* [capacity] pictures */
	h264i_mb *d_mb;
	h264i_levels *d_levels;
	h264i_edge *d_edge;
	uint32_t *d_mb_bits, *d_mb_at, *d_mb_words, *d_rbsp, *d_slice_bytes, *d_slice_escapes;
	h264i_picture *d_pic, *h_pic; /* h_ is page-locked */
	int pic_changed;
	uint64_t *d_frame_at;
	uint8_t *h_out; /* page-locked, consecutive packets (core/room.h) */
	uint64_t out_bytes;
	uint32_t *h_frame_bytes;
	entropy_ctx entropy;     /* of the frames being encoded */
	uint8_t *h_staging;      /* page-locked copies of frames in plain memory */
	uint64_t *d_sse, *h_sse; /* with options.sse: [capacity][3] */
	uint8_t *h_recon;        /* with options.recon, page-locked */
} gpu_group;

typedef struct gpu_state {
	int device;
	device_context context; /* the CUDA context of all of this */
	gpu_tables *d_tables;
	slice_head *d_head;
	h264i_mode_counts *d_counts;
	size_t src_bytes, recon_bytes; /* of a frame on the device */
	uint32_t src_pitch;            /* of Y; Cb and Cr have half */
	uint32_t rbsp_words;
	uint32_t resident_warps;
	cudaEvent_t caller; /* recorded on the caller's stream */
} gpu_state;

static h264i_status cuda_fail(h264i_encoder *enc, const char *what, cudaError_t e)
{
	return h264i_i_fail(enc,
		e == cudaErrorMemoryAllocation ? H264I_ERR_NOMEM : H264I_ERR_DEVICE, "%s: %s", what,
		cudaGetErrorString(e));
}

#define TRY(call)                                         \
	do {                                              \
		cudaError_t e_ = (call);                  \
		if (e_ != cudaSuccess)                    \
			return cuda_fail(enc, #call, e_); \
	} while (0)

/* Makes the encoder's context current; device_leave restores the caller's. If it fails, the CUDA
 * calls that follow fail and report the reason. */
static device_guard device_enter(const gpu_state *s)
{
	device_guard g;

	(void)guard_enter(&g, &s->context);
	return g;
}

static void device_leave(device_guard before)
{
	guard_leave(&before);
}

#endif
