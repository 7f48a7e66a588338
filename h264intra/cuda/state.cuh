/* State of the CUDA backend: of each device of an encoder, and of each group of frames. */
#ifndef H264INTRA_CUDA_STATE_CUH
#define H264INTRA_CUDA_STATE_CUH

#include "h264intra/core/backend.h"
#include "h264intra/cuda/entropy.cuh"
#include "h264intra/decide/rates.h"
#include "libsched/cuda/current.cuh"

#include <cuda_runtime.h>

enum {
	STAGES = 4,
	WAVES = 3, /* wavefronts that run at a time on a device */
	SCRATCHES = 1
};

struct gpu_state;

/* Memory that the entropy kernels of all groups of a device use in turn (scratch.cuh). */
typedef struct gpu_scratch {
	entropy_scratch memory;
	uint32_t frames;  /* that it is for */
	cudaEvent_t idle; /* recorded behind the last kernels that use it */
} gpu_scratch;

typedef struct gpu_group {
	struct gpu_state *device;
	gpu_scratch *scratch;
	cudaStream_t stream, wave;   /* wave: of the wavefront */
	cudaEvent_t ready, coded;    /* if these differ: before and after the wavefront */
	cudaEvent_t done, *uploaded; /* [capacity] */
	cudaEvent_t stage[STAGES]; /* with options.stats: before upload, wavefront, entropy, end */
	lsched_run *run;
	uint8_t *d_src, *d_recon; /* [capacity] pictures */
	h264i_mb *d_mb;
	h264i_levels *d_levels;
	h264i_edge *d_edge;
	h264i_detail *d_detail, *h_detail; /* with rate control; h_ is page-locked */
	uint8_t *d_mb_qp;                  /* with options.aq_mode */
	uint32_t *d_aq_root;               /* with mode 2, as d_aq_sums: see aq.cuh */
	h264i_aq_sums *d_aq_sums;
	uint32_t *d_mb_bits, *d_mb_at, *d_rbsp, *d_slice_bytes, *d_slice_nal;
	uint32_t *d_part_escapes;
	h264i_picture *d_pic, *h_pic; /* h_ is page-locked */
	int pic_changed;
	uint64_t *d_frame_at;
	uint8_t *h_out; /* page-locked, consecutive packets (core/packet_layout.h) */
	uint64_t out_bytes;
	uint32_t *h_frame_bytes;
	entropy_ctx entropy;     /* of the frames being encoded */
	uint32_t *d_slices;      /* with CABAC: of each slice, see cabac_output.cuh */
	uint32_t *h_needed;      /* page-locked */
	uint8_t *h_staging;      /* page-locked copies of frames in plain memory */
	uint64_t *d_sse, *h_sse; /* with options.sse: [capacity][3] */
	uint8_t *h_recon;        /* with options.recon, page-locked */
} gpu_group;

/* State of an encoder on one device. */
typedef struct gpu_state {
	int device;
	lsched_ctx *sched;
	device_context context; /* the CUDA context of all of this */
	gpu_tables *d_tables;
	h264i_rates *d_rates; /* of each QP, with decisions by rate and distortion */
	cabac_tables
		*d_cabac; /* with CABAC: tables, behind them the states at the start of a slice */
	h264i_qparams *d_by_qp; /* [H264I_QPS] */
	slice_head *d_head;     /* see entropy_ctx.head */
	gpu_scratch scratch[SCRATCHES];
	h264i_tool_counts *d_counts, counts; /* counts: as downloaded last */
	size_t src_bytes, recon_bytes;       /* of a frame on the device */
	uint32_t src_pitch;                  /* of Y; Cb and Cr have half */
	uint8_t *d_neutral; /* a row of chroma of frames without chroma; its pitch is 0 */
	uint32_t rbsp_words;
	uint32_t resident_warps;
	uint32_t sms;     /* multiprocessors to use */
	int priority;     /* of streams */
	int overlaps;     /* 1: a kernel may start before the end of the one before it */
	CUgreenCtx green; /* with options.sm_limit, see partition.cuh; else NULL */
	CUresult (*green_destroy)(CUgreenCtx);
	CUresult (*green_stream)(CUstream *, CUgreenCtx, unsigned, int);
	/* If there are more groups than WAVES: streams of their wavefronts. So no more of them run
	 * at a time, and the other groups' entropy coding finds multiprocessors beside them. */
	cudaStream_t wave[WAVES];
	cudaEvent_t caller; /* recorded on the caller's stream */
	cudaStream_t probe; /* waits for callers' events: check_capture(); NULL: none yet */
} gpu_state;

/* enc->be is an array of enc->devices states; group i is on device i % enc->devices. */
static inline gpu_state *state_of(const h264i_encoder *enc, uint32_t device)
{
	return static_cast<gpu_state *>(enc->be) + device;
}

static inline gpu_state *state_of_group(const h264i_group *g)
{
	return static_cast<gpu_group *>(g->backend)->device;
}

static inline h264i_status cuda_fail(h264i_encoder *enc, const char *what, cudaError_t e)
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
static inline device_guard device_enter(const gpu_state *s)
{
	device_guard g;

	(void)guard_enter(&g, &s->context);
	return g;
}

static inline void device_leave(device_guard before)
{
	guard_leave(&before);
}

#endif
