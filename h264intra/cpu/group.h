/* State of a group of frames in the CPU backend, and the libsched program that encodes it. */
#ifndef H264INTRA_CPU_GROUP_H
#define H264INTRA_CPU_GROUP_H

#include "h264intra/core/backend.h"
#include "h264intra/cpu/encode_mb.h"
#include "h264intra/cpu/slice.h"
#include "h264intra/filter/deblock.h"

/* Memory of a frame. */
typedef struct cpu_frame {
	h264i_px *copy; /* of the source, for plain host memory; allocated on first use */
	h264i_px *recon;
	uint8_t *mb_qp;      /* with options.aq_mode */
	uint32_t *aq_root;   /* with mode 2, see cpu/aq.h */
	uint32_t *rbsp;      /* bits of all slices before escaping, see slice_word() */
	uint8_t *rbsp_bytes; /* the same as bytes */
	cpu_slice *slice;    /* [slices] */
	h264i_buf packet;
	uint32_t idr_pic_id;
	uint64_t sse[3];
} cpu_frame;

typedef struct cpu_group {
	const h264i_encoder *enc;
	h264i_px *neutral; /* a row of chroma of frames without chroma; its pitch is 0 */
	const h264i_dsp *dsp;
	h264i_dsp weighed;         /* what dsp points to with scaling matrices */
	h264i_picture *pic;        /* [capacity] */
	cpu_frame *frame;          /* [capacity] */
	h264i_strengths strengths; /* of deblocking */
	lsched_run *run;
} cpu_group;

/* The tasks of a group, in the order of order/rows.h (cpu/tasks.c). */
extern const lsched_program mbcpu_cpu_program;

#endif
