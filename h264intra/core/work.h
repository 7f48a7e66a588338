/* Data of the wavefront: frames in flight, in host memory (CPU backend) or device memory (CUDA
 * backend), and the constants of an encoder. Passed to workers by value. */
#ifndef H264INTRA_CORE_WORK_H
#define H264INTRA_CORE_WORK_H

#include <libsched/div.h>
#include "h264intra/core/mb.h"
#include "h264intra/transform/quant.h"

/* Frames in a run, at most; also the largest options.frames_in_flight. */
enum { H264I_GROUP_FRAMES = 1024 };

/* The reconstructed samples that neighbours read, one record per macroblock, of 64 bytes at
 * depth 8: the wavefront writes a whole reconstructed picture only if options.sse is set. */
typedef struct h264i_edge {
	h264i_px bottom_y[16], bottom_c[2][H264I_CHROMA_W];
	h264i_px right_y[16], right_c[2][H264I_CHROMA_H];
} h264i_edge;

/* One frame in flight. Pitches and steps are in samples. */
typedef struct h264i_picture {
	const h264i_px *src[3]; /* I420: Y, Cb, Cr. NV12: Y, CbCr, CbCr + 1 */
	uint32_t src_pitch[3];
	uint32_t chroma_step; /* from one Cb sample to the next: 1 or 2 */
	uint32_t aligned;     /* 1: planes and pitches are multiples of 16 bytes, for wide loads */
	uint32_t qp;          /* of the slices, 0 to H264I_QPS - 1 */
	const uint8_t *mb_qp; /* [mb_height * mb_width]: QP of each; NULL: qp for all */
	h264i_mb *mb;         /* [mb_height * mb_width] each */
	h264i_levels *levels;
	h264i_edge *edge;
	h264i_px *recon[3]; /* whole macroblocks, deblocked in place later; NULL: not kept */
	uint32_t recon_pitch[3];
} h264i_picture;

/* QP that macroblock `at` is coded with. */
LSCHED_FN uint32_t h264i_picture_qp(const h264i_picture *p, uint32_t at)
{
	return p->mb_qp ? p->mb_qp[at] : p->qp;
}

/* Context of the macroblock wavefront, initialised by h264i_wave_ctx_make (order/wavefront.h). */
typedef struct h264i_wave_ctx {
	h264i_geom geom;
	lsched_div by_mbs, by_width;
	lsched_div by_tall, by_short; /* rows of a slice with one row more, and of the others */
	uint32_t tall_rows;           /* rows of all slices with one row more */
	const h264i_qparams *by_qp;   /* [H264I_QPS] */
	/* One of them for kernels in whose run no picture has another QP: kernel parameters are in
	 * the constant bank. */
	h264i_qparams q;
	uint32_t frames; /* pictures in this run */
	/* 1: one more task per row: to code its bits, to finish its samples (order/rows.h). */
	uint32_t entropy_tasks, row_tasks;
	const h264i_picture *pic; /* [frames] */
	void *backend;            /* data of the backend */
	/* Decisions by rate and distortion (decide/rd.h), with options.rd and options.trellis:
	 * tables of each QP, or NULL. */
	const struct h264i_rates *rates;
	int32_t rd, trellis;
} h264i_wave_ctx;

#endif
