/* h264intra: an H.264 all-intra encoder that runs on a GPU or on CPU threads.
 *
 * The stream is ITU-T H.264 (ISO/IEC 14496-10), 8-bit 4:2:0 or 4:0:0, every picture an IDR picture:
 * Constrained Baseline, or with options.profile Main or High, with entropy coding CABAC. For the
 * same frames and options the bytes are the same on every backend, scheme, worker count and number
 * of frames in flight.
 *
 *     h264i_options o;
 *     h264i_encoder *enc;
 *     h264i_options_init(&o);
 *     o.width = 1920; o.height = 1080;
 *     if (h264i_open(&enc, &o, msg, sizeof(msg)) != H264I_OK) ...
 *     h264i_frame_init(&frame);
 *     h264i_packet_init(&pkt);
 *     for (each frame) {
 *             while ((s = h264i_send_frame(enc, &frame)) == H264I_AGAIN)
 *                     if (h264i_receive_packet(enc, &pkt) == H264I_OK)
 *                             write(pkt.data, pkt.data_bytes);
 *             while (h264i_receive_packet(enc, &pkt) == H264I_OK) write(...);
 *     }
 *     h264i_flush(enc);
 *     while ((s = h264i_receive_packet(enc, &pkt)) == H264I_OK) write(...);  (until H264I_END)
 *     h264i_close(&enc);
 *
 * Live input: use the same loop. h264i_receive_packet starts a group of frames that is not full
 * when no other group is being encoded and options.latency_ms has passed; call it again while the
 * input pauses. h264i_drain starts the frames sent so far at once.
 *
 * Structs: each begins with struct_bytes, its size as the caller was compiled. Call NAME_init
 * first, then set members; a struct without a valid size is refused (H264I_ERR_ARG).
 *
 * Thread-safety: an encoder is used by one thread at a time, except that any thread may call
 * h264i_cancel; different encoders by different threads at the same time. The library never prints,
 * exits or reads the environment.
 *
 * CUDA contexts: an encoder uses the context that is current when h264i_open is called, if that
 * context is on the encoder's device (options.device), else the device's primary context. Each call
 * makes that context current while it works and restores the caller's before it returns. A context
 * of the caller's must exist until h264i_close, and until h264i_host_free for memory of
 * h264i_host_alloc. */
#ifndef H264INTRA_H264INTRA_H
#define H264INTRA_H264INTRA_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

#define H264I_VERSION_MAJOR 0
#define H264I_VERSION_MINOR 2
#define H264I_VERSION_PATCH 0

/* Statuses: enum name, number, sentence. */
#define H264I_STATUS_MAP(X)                                                                 \
	X(OK, 0, "ok")                                                                      \
	X(AGAIN, 1, "not now: receive packets (after send) or send frames (after receive)") \
	X(END, 2, "flushed, and every packet was received")                                 \
	X(ERR_ARG, -1, "invalid argument")                                                  \
	X(ERR_NOMEM, -2, "out of memory")                                                   \
	X(ERR_UNSUPPORTED, -3, "not compiled in")                                           \
	X(ERR_NO_DEVICE, -4, "no usable CUDA device")                                       \
	X(ERR_DEVICE, -5, "the CUDA device reported a failure")                             \
	X(ERR_SCHED, -6, "the scheduler reported a failure")                                \
	X(ERR_LIMIT, -7, "beyond a limit of the H.264 standard")                            \
	X(ERR_STATE, -8, "call not allowed now")                                            \
	X(ERR_IO, -9, "a file or sink could not be written")                                \
	X(ERR_CANCELLED, -10, "the encoder was cancelled")

typedef enum h264i_status {
#define H264I_X(name, number, text) H264I_##name = (number),
	H264I_STATUS_MAP(H264I_X)
#undef H264I_X
} h264i_status;

/* Static string, never NULL. Thread-safe. */
const char *h264i_strstatus(h264i_status s);

/* Version of the library that runs, to compare with H264I_VERSION_*: "0.2.0". Thread-safe. */
const char *h264i_version(void);

typedef enum h264i_backend {
	H264I_BACKEND_AUTO = 0, /* CUDA when a device is usable, else CPU */
	H264I_BACKEND_CPU,
	H264I_BACKEND_CUDA
} h264i_backend;

/* Dependency scheme of macroblocks (tzeng-lloyd-owens 2012, section 5). */
typedef enum h264i_sched {
	H264I_SCHED_DYNAMIC = 0, /* counters; any idle worker runs a ready macroblock */
	H264I_SCHED_STATIC,      /* workers take rows in a fixed order and wait for the row above */
	H264I_SCHED_SYNC,        /* a barrier after each step of the wavefront: the baseline */
	H264I_SCHED_AUTO         /* the fastest: STATIC on CUDA, DYNAMIC on CPU threads */
} h264i_sched;

/* The H.264 profile, by its profile_idc. */
typedef enum h264i_profile {
	H264I_PROFILE_BASELINE = 0, /* Constrained Baseline, 66 */
	H264I_PROFILE_MAIN,         /* 77 */
	H264I_PROFILE_HIGH          /* 100 */
} h264i_profile;

/* What chooses the QP of a picture. */
typedef enum h264i_rate_control {
	H264I_RATE_QP = 0,  /* options.qp */
	H264I_RATE_QUALITY, /* options.crf */
	H264I_RATE_BITRATE, /* options.bitrate */
	H264I_RATE_FRAME    /* h264i_frame.qp, such as those of h264i_plan_pictures */
} h264i_rate_control;

/* Scaling matrices of the quantiser (clause 8.5.9). */
typedef enum h264i_scaling {
	H264I_SCALING_FLAT = 0, /* the same quantiser for all coefficients */
	H264I_SCALING_DEFAULT,  /* the standard's (tables 7-3 and 7-4), "jvt" in other encoders */
	H264I_SCALING_CUSTOM    /* options.scaling_luma4, _chroma4, _luma8 */
} h264i_scaling;

/* Memory of a frame's planes. */
typedef enum h264i_memory {
	H264I_MEM_HOST = 0,    /* copied before h264i_send_frame returns */
	H264I_MEM_HOST_PINNED, /* h264i_host_alloc, cudaHostAlloc: read until `release` is called */
	H264I_MEM_CUDA /* device memory of the encoder's device: see `ready_event` and `stream` */
} h264i_memory;

typedef enum h264i_format {
	H264I_I420 = 0,
	H264I_NV12,
	H264I_RGB,  /* with options.rgb = 1: converted to 4:2:0, see h264i_rgb */
	H264I_GRAY, /* Y alone; with H264I_CHROMA_420 Cb and Cr of the stream are 128 */
	/* Converted to 4:2:0 of 8 bits, on the device if they are in its memory, with the same
	 * bytes on CPU and CUDA. Packed 4:2:2, of an odd width with a whole pair at the end:
	 * Y Cb Y Cr and Cb Y Cr Y. Chroma is the mean of two rows, or of three with the weights
	 * 1 2 1 with a vui.chroma_loc of 2 and more. */
	H264I_YUY2,
	H264I_UYVY,
	H264I_P010 /* as NV12, samples of 16 bits whose upper 10 are rounded to 8 */
} h264i_format;

/* Chroma of the stream (chroma_format_idc). */
typedef enum h264i_chroma {
	H264I_CHROMA_420 = 0,
	H264I_CHROMA_400 /* none: luma alone */
} h264i_chroma;

typedef enum h264i_sample {
	H264I_U8 = 0,
	H264I_F16,  /* IEEE 754 binary16 */
	H264I_BF16, /* the upper half of a binary32 */
	H264I_F32,  /* IEEE 754 binary32 */
	H264I_U16,
	H264I_F64 /* IEEE 754 binary64, rounded to binary32 first */
} h264i_sample;

typedef enum h264i_rgb_range {
	H264I_RGB_UNIT = 0, /* floats: 0 is black, 1 is white; U8: 0 and 255; U16: 0 and 65,535 */
	H264I_RGB_SIGNED,   /* floats only: -1 is black, 1 is white */
	H264I_RGB_LIMITS    /* not of U8: frame.rgb_black and rgb_white */
} h264i_rgb_range;

/* Samples of an H264I_RGB frame. frame.plane[0], [1] and [2] point to R, G and B of the top left
 * pixel, so that any order in memory is possible: RGB, BGR, RGBA, planes. The next pixel and the
 * next row are strides away, which may be negative.
 *
 * A sample is rounded to 16 bits; values outside the range are clipped, NaN becomes black. Y, Cb
 * and Cr are computed from these in integers with the matrix and range of options.vui, chroma from
 * the mean of its 2 x 2 pixels (chroma_loc 1), or at the position of another chroma_loc with the
 * weights 1 2 1. CPU and CUDA give the same bytes. H264I_MEM_CUDA is converted on the device, host
 * memory by the calling thread. */
typedef struct h264i_rgb {
	h264i_sample sample;
	h264i_rgb_range range;
	int64_t pixel_stride, row_stride; /* bytes; multiples of the sample's size */
} h264i_rgb;

/* A supplemental enhancement information message (clause 7.3.2.3.1) of one picture. */
typedef struct h264i_sei {
	uint32_t type;       /* payloadType, table of clause D.1; 4: captions (ITU-T T.35) */
	const uint8_t *data; /* payload, without emulation prevention */
	size_t bytes;        /* at most 1 MiB for all messages of a picture */
} h264i_sei;

typedef enum h264i_log_level {
	H264I_LOG_ERROR = 0,
	H264I_LOG_WARN,
	H264I_LOG_INFO,
	H264I_LOG_DEBUG
} h264i_log_level;

/* Called from the thread that calls into the encoder. `text` has no newline and lives until
 * return. */
typedef void (*h264i_log_fn)(void *opaque, h264i_log_level level, const char *text);

/* Colour description and timing for the VUI, numbered as in H.264 Annex E. 2 means unspecified. */
typedef struct h264i_vui {
	int full_range;            /* 0: 16..235, 1: 0..255, -1: not signalled. Default -1 */
	int primaries;             /* colour_primaries, table E-3. Default 2 */
	int transfer;              /* transfer_characteristics, table E-4. Default 2 */
	int matrix;                /* matrix_coefficients, table E-5. Default 2 */
	int chroma_loc;            /* chroma_sample_loc_type 0..5, -1: not signalled. Default -1 */
	uint32_t sar_num, sar_den; /* sample aspect ratio; 0/0: not signalled. Default 0/0 */
	uint32_t fps_num, fps_den; /* frames a second; 0/0: no timing info. Default 0/0 */
	int fixed_rate;            /* 1: every frame lasts fps_den/fps_num seconds. Default 0 */
	uint32_t reserved[6];      /* 0: for members of later versions */
} h264i_vui;

/* options.device: all CUDA devices that the process sees share the frames. */
#define H264I_DEVICE_ALL (-2)

/* options.latency_ms: a group starts only when it is full, drained or flushed. */
#define H264I_LATENCY_FULL UINT32_MAX

/* options.cr_qp_offset: that of Cb. */
#define H264I_CR_AS_CB (-13)

typedef struct h264i_options {
	size_t struct_bytes; /* set by h264i_options_init */
	/* Luma samples; even unless odd_size is set; at least 16x16, at most 139,264 macroblocks
	 * and 1,055 macroblocks per side (Annex A, level 6.2). */
	uint32_t width, height;
	int qp;          /* 0..51. Default 27 */
	uint32_t slices; /* per picture, 1..macroblock rows; rows are split evenly. Default 1 */
	int deblock;     /* 1: decoders apply the filter of clause 8.7. Default 1 */
	int level;       /* level_idc (40 is 4.0; 9 is 1b); 0: from size, rates and QP. Default 0 */
	h264i_backend backend; /* Default AUTO */
	/* CUDA device number; -1: the current one; H264I_DEVICE_ALL: groups of frames go to all
	 * devices in turn, the stream is the same; frames in device memory are refused if there are
	 * several. Default -1 */
	int device;
	uint32_t threads;     /* CPU backend workers; 0: all processors. Default 0 */
	uint32_t gpu_workers; /* CUDA backend: worker warps; 0: chosen automatically. Default 0 */
	uint32_t frames_in_flight; /* 1..1,024 (1: lowest latency); 0: automatic. Default 0 */
	/* Frames are encoded in groups. When no group is being encoded, h264i_receive_packet starts
	 * a partial group once the waiting time of its oldest frame plus the time that the caller
	 * took for the last frame reaches latency_ms. 0: at once. Default 2 */
	uint32_t latency_ms;
	h264i_sched sched;   /* Default AUTO */
	uint32_t timeout_ms; /* time limit of a group of frames; 0: 10,000. Default 0 */
	int recon;           /* 1: packets carry the decoded picture and its error. Default 0 */
	int sse;             /* 1: packets carry the squared error, measured on the backend, without
	                        the picture; recon = 1 implies it. Default 0 */
	int stats;           /* 1: count macroblock types and modes. Default 0 */
	int trace;           /* 1: record a timeline for h264i_write_trace and _runs. Default 0 */
	h264i_vui vui;
	/* H264I_DISABLE_*, for ablation; the stream stays conformant. Default 0 */
	uint32_t disable_modes;
	h264i_log_fn log; /* NULL: no messages */
	void *log_opaque;
	/* Version 0.2: */
	/* Frames that will be sent until h264i_flush; 0: unknown. The automatic choice of
	 * frames_in_flight, and so the time of h264i_open, are not larger than these frames need;
	 * more may be sent. Default 0 */
	uint32_t frames_expected;
	int aud; /* 1: an access unit delimiter begins each packet. Default 0 */
	/* 1: an odd width or height is allowed (4:2:0 crops in units of 2). The last column or row
	 * is repeated, the stream is one sample larger, and `log` gets a warning. Chroma planes of
	 * frames have (width + 1) / 2 x (height + 1) / 2 samples. Default 0 */
	int odd_size;
	/* 1: frames may be H264I_RGB. Members of vui that are not signalled get the values that the
	 * conversion uses: primaries, transfer and matrix 1 (BT.709), full_range 0, chroma_loc 1.
	 * The matrix is then 1 (BT.709), 5 or 6 (BT.601) or 9 (BT.2020). Default 0 */
	int rgb;
	/* CUDA: multiprocessors on which all kernels of the encoder run, so that the others stay
	 * free for other kernels of the process; rounded up to what the device can separate
	 * (multiples of 8 on an H200); 0: all. Needs a driver of CUDA 12.5 and the device's primary
	 * context; without them only the number of workers is limited, to what so many
	 * multiprocessors hold, and `log` gets a warning. Default 0 */
	uint32_t sm_limit;
	/* CUDA: of the encoder's streams, as for cudaStreamCreateWithPriority: 0 is the lowest and
	 * that of other streams; of those that wait, kernels of smaller numbers start first.
	 * Clipped to the device's range. Default 0 */
	int stream_priority;
	/* Number of the first picture in a stream of which this encoder makes a part: idr_pic_id
	 * then continues that of the part before, and the parts joined are the bytes of one
	 * encoder. h264i_packet.index counts from 0 all the same. Default 0 */
	uint64_t first_index;
	h264i_profile profile; /* Default BASELINE */
	/* 1: arithmetic coding (CABAC), which takes fewer bits and more time than the codes of
	 * variable length of CAVLC; not in BASELINE. 0: CAVLC. -1: 1 in MAIN and HIGH from QP 14
	 * on, where it takes fewer bits. Default -1 */
	int cabac;
	/* 1: macroblocks may have the 8x8 transform with Intra 8x8 prediction; only in HIGH. -1: 1
	 * in HIGH. Default -1 */
	int transform8x8;
	/* Decisions by the squared error after coding and the estimated bits, instead of by the
	 * transformed difference before (SATD): 0 none; 1: macroblock types; N up to 9: also the N
	 * most promising modes of a 4x4 or 8x8 block, and up to 4 of Intra 16x16 and chroma.
	 * Default 0 */
	int rd;
	/* Quantisation by the same (RDOQ): 0 none, 1, or 2 with a longer search. Default 0 */
	int trellis;
	/* Adaptive quantisation: flat macroblocks get a lower QP than `qp`, textured ones a higher
	 * one. 0: none; 1: by the energy of each macroblock, on average above `qp` in textured
	 * pictures; 2: by its relation to the picture's. As in x264. Default 0 */
	int aq_mode;
	double aq_strength; /* 0 to 3. Default 1 */
	/* Rate control, which chooses the QP of each picture. RATE_QP: `qp` for all. RATE_QUALITY:
	 * by `crf`, more in detailed pictures, where errors are less visible, and less in plain
	 * ones; about as large as by x264 with this number and keyint 1. RATE_BITRATE: so that
	 * pictures take `bitrate` kbit/s on average, by the timestamps (time_base_num) or at the
	 * frame rate of `vui`. Default RATE_QP */
	h264i_rate_control rate_mode;
	double crf;       /* 0 to 51. Default 23 */
	uint32_t bitrate; /* of 1,000 bits a second, as are the following */
	/* With RATE_QUALITY or RATE_BITRATE: a decoder that gets vbv_maxrate kbit/s and has
	 * vbv_bufsize kbit of buffer (Annex C) gets each picture in time. A picture that is larger
	 * than its share is coded again. vbv_bufsize 0: no limit. vbv_maxrate 0: `bitrate` */
	uint32_t vbv_maxrate, vbv_bufsize;
	double vbv_init; /* of vbv_bufsize: in the buffer at the start, 0 to 1. Default 0.9 */
	/* Bytes that no picture exceeds, unless QP 51 does not reach it (stats.over_limit): it is
	 * coded again with a higher QP. One whose QP was raised for it and that has less than seven
	 * tenths of it is coded again with a lower one. With every rate_mode. 0: no limit.
	 * Default 0 */
	uint32_t frame_bytes_max;
	/* With RATE_BITRATE or vbv_bufsize: the QP of picture n depends on the sizes of pictures up
	 * to n - rate_delay, and at most rate_delay frames are in flight. More are faster, fewer
	 * are steadier. 1 to 1,024; 0: 32, or half of the buffer in pictures if that is less.
	 * Default 0 */
	uint32_t rate_delay;
	/* 1: packets have `detail`, from which h264i_plan_pictures predicts sizes. Default 0 */
	int detail;
	/* 1: HRD parameters in the SPS, and SEI of each picture with the state of the buffer
	 * (buffering period, picture timing; Annexes C and D). With vbv_bufsize, which is rounded
	 * down to 16 bits, and vbv_maxrate to 64 bits/s. Needs the frame rate of `vui`: removal
	 * times are multiples of half a frame; with time_base_num a picture is in time both by
	 * these and by its timestamp. Default 0 */
	int hrd;
	/* QP of Cb relative to that of luma (chroma_qp_index_offset), -12 to 12, and that of Cr, as
	 * far as `cr_qp_offset` does not say otherwise. Default 0 */
	int chroma_qp_offset;
	/* With deblock: slice_alpha_c0_offset_div2 and slice_beta_offset_div2, -6 to 6; more than 0
	 * is a stronger filter. Default 0 */
	int deblock_alpha, deblock_beta;
	/* Not FLAT: only in HIGH. The CPU backend is slower with these. Default FLAT */
	h264i_scaling scaling;
	/* With CUSTOM: 4 to 255 by position, 4 * row + column or 8 * row + column, where column is
	 * the horizontal frequency; 16 is the QP's quantiser step, 32 twice that step. Chroma: of
	 * Cb and Cr. See h264i_options_read_scaling. */
	uint8_t scaling_luma4[16], scaling_chroma4[16], scaling_luma8[64];
	/* H264I_CHROMA_400: only in HIGH; of frames with chroma only Y is read, RGB is converted as
	 * without. Not all decoders have 4:0:0. Default H264I_CHROMA_420 */
	h264i_chroma chroma;
	/* The same of Cr alone (second_chroma_qp_index_offset), -12 to 12; another one than that of
	 * Cb only in HIGH. H264I_CR_AS_CB: chroma_qp_offset. Default H264I_CR_AS_CB */
	int cr_qp_offset;
	/* Unit of h264i_frame.pts in seconds. Rate control, the buffer and its HRD then follow the
	 * timestamps: `bitrate` is of their seconds, at a variable rate too. pts increase; one that
	 * is not above those before counts as the largest of them. 0/0: pts are not used, each
	 * picture lasts vui.fps_den / vui.fps_num seconds. Default 0/0 */
	uint32_t time_base_num, time_base_den;
	/* Which options h264i_set_option (options.h) has set. Default 0 */
	uint64_t given;
	/* For later versions; in this one each has the one value that is its default. */
	int depth;       /* bits of a sample. Default 8 */
	uint32_t keyint; /* pictures from one IDR picture to the next. Default 1 */
	/* Streams of this size and these options that share the encoder, such as 64 cameras, 1 to
	 * H264I_SUBSTREAMS_MAX: a group of frames may have pictures of all of them. Index, pts,
	 * idr_pic_id, rate control, HRD buffer and headers are those of each stream, whose bytes
	 * are those of the stream alone. What counts frames (frames_in_flight, frames_expected) is
	 * of all together, and so are the statistics, whose level_* and peak_* are of the stream
	 * that needs most. Two passes: a log for each. Memory of a stream: less than 1 KiB, with
	 * RATE_BITRATE or vbv_bufsize (rate_delay + 1) * 0.25 KiB more; the memory of pictures
	 * depends on frames_in_flight alone, of which CUDA then chooses up to twice as many.
	 * Default 1 */
	uint32_t substreams;
	/* CUDA with RATE_QP: 1: h264i_reconfigure can change qp; macroblocks take a little longer.
	 * Default 0 */
	int vary_qp;
} h264i_options;

#define H264I_SUBSTREAMS_MAX 1024

/* disable_modes, also in the table of h264i_get_tool: bits 0..8 Intra4x4 modes, 9..12 Intra16x16
 * modes, 13..16 chroma modes, each in the standard's numbering; DC (I4x4 bit 2, I16x16 bit 11,
 * chroma bit 13) cannot be disabled. */
#define H264I_DISABLE_I4(mode)     (1u << (mode))
#define H264I_DISABLE_I16(mode)    (1u << (9 + (mode)))
#define H264I_DISABLE_CHROMA(mode) (1u << (13 + (mode)))
#define H264I_DISABLE_I4_ALL       (1u << 17) /* no Intra4x4 macroblocks */
#define H264I_DISABLE_I16_ALL      (1u << 18) /* no Intra16x16 macroblocks */
/* No 4x4 block predicts from the macroblock to the upper right, so that one above is the only one
 * of the row above that a macroblock waits for: a frame alone takes some 10 % less time, and 0.4 %
 * more bits. Has no effect with transform8x8, whose blocks are filtered with these samples. */
#define H264I_DISABLE_UPRIGHT (1u << 19)

typedef struct h264i_encoder h264i_encoder; /* opaque */

/* An input frame. Planes: I420 has Y, Cb, Cr (chroma width/2 x height/2); NV12 has Y and CbCr
 * pairs; GRAY has Y; RGB has a pointer for each component; YUY2 and UYVY have one plane; P010 has
 * those of NV12, whose pointers and pitches are even. */
typedef struct h264i_frame {
	size_t struct_bytes; /* set by h264i_frame_init */
	h264i_memory memory;
	h264i_format format;
	const uint8_t *plane[3];
	size_t pitch_bytes[3]; /* at least the plane's width in bytes; not used for H264I_RGB */
	int64_t pts;           /* copied to the packet; used with options.time_base_num */
	/* H264I_MEM_CUDA. `ready_event`: a cudaEvent_t that the encoder waits for before it reads,
	 * or NULL. Without it and with use_stream = 1 the encoder waits for the work enqueued so
	 * far on the cudaStream_t `stream` (NULL: the legacy default stream). `free_event`: a
	 * cudaEvent_t that completes when the frame has been read, or NULL. It is recorded before
	 * h264i_send_frame returns; pass it to cudaStreamWaitEvent after that. ERR_ARG: the stream
	 * or the event belongs to a CUDA graph that is being captured, or the event was last
	 * recorded in a capture that has ended; captures, in any thread and mode, are not
	 * disturbed. */
	void *ready_event;
	void *stream;
	int use_stream;
	void *free_event;
	/* Called once, when the encoder does not read the planes any more: from h264i_send_frame,
	 * _receive_packet, _restart or _close, in the calling thread. NULL: not called. Not called
	 * if h264i_send_frame does not return H264I_OK; the planes are not read after that
	 * return. */
	void (*release)(void *opaque);
	void *release_opaque;
	/* Version 0.2: */
	h264i_rgb rgb;        /* of H264I_RGB */
	const h264i_sei *sei; /* [sei_count], copied by h264i_send_frame; NULL if there are none */
	uint32_t sei_count;
	/* With H264I_RATE_FRAME: the QP, 0 to 51, which is raised where a limit demands it, and the
	 * size of the packet that is expected with this QP, 0: unknown. */
	int qp;
	uint32_t bytes_expected;
	uint32_t substream; /* 0 to options.substreams - 1 */
	/* H264I_RGB_LIMITS: the samples of black and of white, which is greater; finite. */
	float rgb_black, rgb_white;
	/* Alpha of H264I_RGB: points to that of the top left pixel, with the sample type, range and
	 * strides of the components; black: transparent. A pixel is coded as alpha * component +
	 * (1 - alpha) * background, whose R, G and B are 0..65,535. NULL: opaque. */
	const uint8_t *alpha;
	uint16_t background[3];
} h264i_frame;

/* A coded picture. The memory it points to belongs to the encoder and is valid until the next
 * h264i_receive_packet or h264i_close; h264i_packet_ref extends that. */
typedef struct h264i_packet {
	size_t struct_bytes; /* set by h264i_packet_init */
	/* Access unit in Annex B format: delimiter (options.aud), SPS, PPS, SEI (frame.sei),
	 * slices. The start code of every NAL unit has 4 bytes. */
	const uint8_t *data;
	size_t data_bytes;
	size_t headers_bytes; /* of delimiter, SPS and PPS with start codes, at the front of data */
	int64_t pts;
	uint64_t index;         /* 0, 1, 2, ... in the order sent, in its substream */
	uint32_t width, height; /* luma samples of the decoded picture, even */
	/* With options.recon = 1, else NULL and 0: the decoded picture, cropped to width x height;
	 * [1] and [2] are NULL with H264I_CHROMA_400. */
	const uint8_t *recon[3];
	size_t recon_pitch_bytes[3];
	/* With options.recon or options.sse = 1, else 0: sum of squared differences between this
	 * picture and the source, Y, Cb, Cr. */
	uint64_t sse[3];
	void *buffer; /* set by h264i_packet_ref; NULL: the encoder owns the memory */
	/* Version 0.2: */
	int qp; /* of the picture, to which options.aq_mode adds */
	/* Time of the picture since the first one, by pts or by the frame rate (see
	 * options.time_base_num) */
	uint64_t time_ns;
	/* With options.detail, else NULL and 0. [q]: coefficients of a sample of the picture that
	 * are quantised to 0 from the QP after the q-th one on, from the lowest QP of the depth. */
	const uint32_t *detail;
	uint32_t detail_count;
	int key;                              /* 1: an IDR picture */
	uint32_t substream;                   /* of the frame */
	uint32_t chroma_width, chroma_height; /* of the decoded picture; 0 without chroma */
} h264i_packet;

/* Sums since h264i_open, over the packets received. */
typedef struct h264i_stats {
	size_t struct_bytes; /* set by h264i_stats_init */
	uint64_t frames, bytes;
	uint64_t mb_i4x4, mb_i16x16, mb_pcm;              /* 0 unless options.stats */
	uint64_t i4_mode[9], i16_mode[4], chroma_mode[4]; /* 4x4 blocks, macroblocks, macroblocks */
	/* Time per stage. CUDA: device time, 0 unless options.stats. CPU: wavefront_ms is the time
	 * that all workers spent in tasks, including entropy coding; the others are 0. */
	double upload_ms, wavefront_ms, entropy_ms;
	uint64_t tasks;    /* run by the scheduler */
	double idle_share; /* idle part of the workers' time in the wavefront, 0..1 */
	uint32_t workers;
	uint32_t queue_high_water;
	uint32_t frames_in_flight; /* options.frames_in_flight, or the automatic choice */
	h264i_backend backend;     /* never AUTO */
	char device_name[128];
	/* The packets received, checked against MaxBR and MaxCPB of the stream's level (Annex A) by
	 * the buffer model of Annex C by the times of options.time_base_num or options.vui. Without
	 * either only the size of each picture is checked. */
	int level_exceeded; /* 1: the buffer overflowed; decoders of this level may fail */
	int level_needed;   /* lowest level_idc that allows size and rates; 0: none does */
	uint32_t level_kbit_per_s, level_buffer_kbit; /* limits of the level */
	/* At the largest fill of the buffer: mean rate and time since it was empty. */
	double peak_kbit_per_s, peak_s;
	double largest_picture_kbit;
	/* Version 0.2: */
	uint64_t coded_again; /* times that a picture was coded again with another QP */
	uint64_t over_limit;  /* pictures beyond frame_bytes_max or late in the buffer */
	double mean_qp;       /* of the pictures */
	/* With options.stats: macroblocks of Intra8x8, which mb_i4x4 does not count, and the modes
	 * of their 8x8 blocks */
	uint64_t mb_i8x8, i8_mode[9];
} h264i_stats;

/* A coding tool: a type of macroblocks, or a prediction mode. */
typedef struct h264i_tool {
	const char *kind; /* "i4", "i8", "i16", "pcm", "chroma" */
	const char *name; /* of the mode: "vertical"; "all": the type of macroblocks */
	/* The standard's number; -1: the type of macroblocks; -2: no mode, "upright": blocks in
	 * modes that may read the macroblock to the upper right */
	int mode;
	uint32_t disable; /* its bit of options.disable_modes, 0: it has none */
} h264i_tool;

/* Sets the defaults of a struct of the caller's size. Thread-safe. */
void h264i_options_init_sized(h264i_options *o, size_t struct_bytes);
#define h264i_options_init(o) h264i_options_init_sized((o), sizeof(*(o)))

/* Sets profile, cabac, transform8x8, rd, trellis and H264I_DISABLE_UPRIGHT of disable_modes to
 * those of a preset, whose names are x264's: the slower, the fewer bits at the same quality
 * (docs/h264intra.md has the figures). Members that are set afterwards take precedence.
 * h264i_options_init() sets none: Constrained Baseline, decided by SATD. Returns ERR_ARG if there
 * is no such preset. Thread-safe. */
h264i_status h264i_options_set_preset(h264i_options *o, const char *name);

/* The name of preset i, from the fastest on: "ultrafast", ... "veryslow"; NULL behind the last.
 * Thread-safe. */
const char *h264i_preset_name(unsigned i);

/* Sets aq_mode, aq_strength and the deblocking offsets, for "grain" also trellis, for what the
 * pictures are or how they are judged, with x264's names: "psnr" the default, "ssim" the fewest
 * bits at the same SSIM, "film", "grain", "animation". Call it after h264i_options_set_preset();
 * members that are set afterwards take precedence. Returns ERR_ARG if there is no such tune.
 * Thread-safe. */
h264i_status h264i_options_set_tune(h264i_options *o, const char *name);

/* The name of tune i, from "psnr" on; NULL behind the last. Thread-safe. */
const char *h264i_tune_name(unsigned i);

/* Reads scaling matrices from text in the format of the reference software JM and of x264's
 * --cqmfile, and sets scaling to CUSTOM. The text has lists such as INTRA4X4_LUMA = 6,13,...; by
 * rows, separated by commas or spaces, with comments from # to the end of the line. Read are
 * INTRA4X4_LUMA, INTRA4X4_CHROMAU, INTRA4X4_CHROMAV (equal to CHROMAU, if present) and
 * INTRA8X8_LUMA; one that is missing is the standard's default, that of chroma the list of luma.
 * For other text returns ERR_ARG with the reason in msg (may be NULL), and leaves *o unchanged.
 * Thread-safe. */
h264i_status h264i_options_read_scaling(
	h264i_options *o, const char *text, char *msg, size_t msg_bytes);

/* Sets disable_modes to what a text lists, as gpuintra --disable-modes: kind:name or kind:mode of
 * h264i_get_tool(), such as "i4:ddl,i16:3", separated by commas; "none" or "": none, those of a
 * preset neither. For other text returns ERR_ARG with the reason in msg (may be NULL), and leaves
 * *o unchanged. Call it after h264i_options_set_preset(). Thread-safe. */
h264i_status h264i_options_read_modes(
	h264i_options *o, const char *text, char *msg, size_t msg_bytes);

static inline void h264i_frame_init(h264i_frame *f)
{
	memset(f, 0, sizeof(*f));
	f->struct_bytes = sizeof(*f);
}

static inline void h264i_packet_init(h264i_packet *p)
{
	memset(p, 0, sizeof(*p));
	p->struct_bytes = sizeof(*p);
}

static inline void h264i_stats_init(h264i_stats *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}

/* Opens an encoder. On success the caller owns *out and closes it with h264i_close; on failure *out
 * is NULL and msg (msg_bytes, always terminated; may be NULL) has the reason. Options are
 * copied. */
h264i_status h264i_open(h264i_encoder **out, const h264i_options *o, char *msg, size_t msg_bytes);

/* Sends one frame. OK: accepted. AGAIN: options.frames_in_flight are in the encoder, or
 * options.rate_delay of its substream; receive packets first (the packet received last stays valid
 * and occupies its frame's slot until the next h264i_receive_packet). Any other status: not
 * accepted, and its planes are not read any more. */
h264i_status h264i_send_frame(h264i_encoder *enc, const h264i_frame *f);

/* Writes the next packet in order to *pkt, which holds no reference. Returns OK; AGAIN if none is
 * ready and more frames can be sent; END after h264i_flush when all packets were received. Waits if
 * no more frames can be sent or h264i_drain was called. After a failure, of any call: first the
 * packets before it, then its status at every call. */
h264i_status h264i_receive_packet(h264i_encoder *enc, h264i_packet *pkt);

/* Starts encoding all frames sent. h264i_receive_packet then waits for their packets and returns
 * AGAIN after the last; more frames can be sent at any time. */
h264i_status h264i_drain(h264i_encoder *enc);

/* Ends the input and starts encoding all frames sent. A second call has no effect. */
h264i_status h264i_flush(h264i_encoder *enc);

/* Changes the rates of the frames sent from now on, also after h264i_restart: qp, crf or bitrate,
 * whichever rate_mode uses, frame_bytes_max, vbv_bufsize and vbv_maxrate; other members of `o` are
 * not read, except rate_mode. The headers and rate_delay stay: level and automatic delay are those
 * of the first rates. The stream is the same on every backend and with any number of frames in
 * flight. ERR_STATE: rate_mode differs, a limit or a buffer begins or ends, the buffer is in the
 * SPS (hrd), or qp without options.vary_qp on CUDA: such a change needs a new encoder. ERR_ARG: a
 * value is wrong. Nothing is changed then. */
h264i_status h264i_reconfigure(h264i_encoder *enc, const h264i_options *o);

/* Begins a new stream, in each substream, with the same options after h264i_flush and the last
 * packet (H264I_END): its bytes are those of a new encoder, without the time of h264i_open. Indices
 * start at 0 again, statistics of h264i_get_stats continue. After h264i_cancel: waits for work that
 * ends, and drops and releases all frames. ERR_STATE before H264I_END or after a failure. */
h264i_status h264i_restart(h264i_encoder *enc);

/* Ends the stream of a substream and begins a new one in its place, with the bytes of a new
 * encoder; its next frame is picture 0. Does not wait, and does not affect other substreams:
 * packets of the old stream that are in flight are received as always, before the new ones. ERR_ARG
 * if `substream` is not below options.substreams; ERR_STATE after h264i_flush or a failure;
 * ERR_NOMEM. */
h264i_status h264i_restart_substream(h264i_encoder *enc, uint32_t substream);

/* Ends the work of an encoder, from any thread at any time between the return of h264i_open and the
 * call of h264i_close, also while another thread is in a call on the encoder. Does not wait.
 *
 * That call returns ERR_CANCELLED, or its result if it has nothing left to do; h264i_send_frame has
 * accepted its frame if it returns OK. Later calls of h264i_send_frame, _receive_packet, _drain and
 * _flush return ERR_CANCELLED; packets that were not received are lost. Frames are released as
 * always, at the latest by h264i_close. h264i_restart begins a new stream.
 *
 * CPU: the workers stop after the macroblock, or the row of bits, that they code. CUDA: groups that
 * were started end, which h264i_close waits for, other groups do not start. Returns OK, also for
 * the second time; ERR_ARG for NULL. */
h264i_status h264i_cancel(h264i_encoder *enc);

/* Largest number of frames that have to be sent after one before h264i_receive_packet waits for its
 * packet; fewer if the input pauses (options.latency_ms). 0 for NULL. */
uint32_t h264i_latency_frames(const h264i_encoder *enc);

/* Makes *to a reference to the packet *from. Its memory lasts until h264i_packet_unref(to), also
 * after h264i_close. The first reference to a packet of h264i_receive_packet copies it, pictures
 * included; a reference to a reference shares that copy. `to` is initialised, holds no reference
 * and differs from `from`. Returns OK, ERR_ARG or ERR_NOMEM; *to is empty after a failure, except
 * that to == from leaves it unchanged. References may be made and released by any thread, also
 * while the encoder works; each h264i_packet is used by one thread at a time. */
h264i_status h264i_packet_ref(h264i_packet *to, const h264i_packet *from);

/* Releases a reference and empties *p. NULL and packets without a reference are allowed. */
void h264i_packet_unref(h264i_packet *p);

/* A picture of the first of two passes, and what the second is to do with it. */
typedef struct h264i_pass_picture {
	int qp;                 /* of the packet */
	uint64_t bytes;         /* of the packet */
	const uint32_t *detail; /* of the packet, with options.detail; NULL: 0 at each QP */
	uint32_t detail_count;
	/* Set by h264i_plan_pictures: h264i_frame.qp and bytes_expected of the second pass */
	int plan_qp;
	uint32_t plan_bytes;
	uint64_t time_ns; /* of the packet; used with options.time_base_num; all 0: not known */
} h264i_pass_picture;

/* Two passes: plans the QPs of n pictures, so that their sizes are those of o->bitrate, and
 * o->vbv_* if they are set, with about the same visible quality. o: the options of the second pass,
 * but with rate_mode H264I_RATE_BITRATE; it is then opened with H264I_RATE_FRAME. Any options will
 * do for the first pass; sizes are predicted best if its QPs are near and its tools the same.
 * Integers only: the same plan on every machine. Errors are written to msg, if it is not NULL. */
h264i_status h264i_plan_pictures(const h264i_options *o, h264i_pass_picture *pictures, size_t n,
	char *msg, size_t msg_bytes);

enum { H264I_PASS_LINE_BYTES = 1024 };

/* The log between two passes as text, which gpuintra and the plugins write alike: a line with the
 * size of the pictures, a line for each packet in its order (options.detail), a line with their
 * number. Each function writes one, with a 0 behind it, and returns its length; that of a packet is
 * 0 if the packet is of a program older than `detail`. */
size_t h264i_pass_write_size(char line[H264I_PASS_LINE_BYTES], uint32_t width, uint32_t height);
size_t h264i_pass_write_picture(char line[H264I_PASS_LINE_BYTES], const h264i_packet *packet);
size_t h264i_pass_write_end(char line[H264I_PASS_LINE_BYTES], uint64_t pictures);

/* Reads a complete log of pictures of this size. Sets *pictures, which h264i_pass_free frees, and
 * *count. ERR_ARG with msg, if it is not NULL, for another text; ERR_NOMEM. */
h264i_status h264i_pass_read(const char *text, uint32_t width, uint32_t height,
	h264i_pass_picture **pictures, size_t *count, char *msg, size_t msg_bytes);

/* Reads it from a file, as far as that can be a log. Also returns ERR_IO, with errno and its text
 * in msg; no msg has the path. */
h264i_status h264i_pass_read_file(const char *path, uint32_t width, uint32_t height,
	h264i_pass_picture **pictures, size_t *count, char *msg, size_t msg_bytes);
void h264i_pass_free(h264i_pass_picture *pictures);

/* Waits for the device if it is busy, frees everything and sets *enc to NULL. NULL is allowed. */
void h264i_close(h264i_encoder **enc);

/* SPS and PPS in Annex B format, for the extradata of a container. Owned by enc. */
h264i_status h264i_headers(h264i_encoder *enc, const uint8_t **data, size_t *data_bytes);

/* The level_idc in the SPS; 9 is level 1b. Without options.level it is the lowest level that allows
 * picture size, macroblock rate and slice rate, raised to the bit rate estimated from the QP, but
 * to 5.2 at most for that reason. h264i_stats.level_exceeded is the check against the packets. */
int h264i_level(const h264i_encoder *enc);

h264i_status h264i_get_stats(h264i_encoder *enc, h264i_stats *out);

/* Coding tool i of the encoder, from 0 on; NULL behind the last. Static memory. Thread-safe. */
const h264i_tool *h264i_get_tool(unsigned i);

/* With options.stats: sets counts[i], i < n, to how often tool i was chosen, in macroblocks, and in
 * blocks for modes of Intra4x4 and Intra8x8. 0 behind the last tool. ERR_ARG. */
h264i_status h264i_get_tool_counts(h264i_encoder *enc, uint64_t *counts, unsigned n);

/* The error of the last call, one sentence; "" if it succeeded. Owned by enc. */
const char *h264i_last_error(const h264i_encoder *enc);

/* Writes the timeline recorded with options.trace = 1 as Chrome/Perfetto JSON through `write`,
 * which returns 0 or fails the call. Call after the last packet. */
h264i_status h264i_write_trace(h264i_encoder *enc,
	int (*write)(void *opaque, const char *text, size_t text_bytes), void *opaque);
/* Returns the scheduler's runs with the timelines that options.trace = 1 recorded;
 * lsched_run_events() of <libsched/sched.h> reads them. They belong to enc; read them after the
 * last packet and before h264i_close. Writes at most `room` runs and returns their number, which
 * is at most 2 on the CPU and 5 for each GPU; 0 without options.trace. */
struct lsched_run;
size_t h264i_trace_runs(h264i_encoder *enc, struct lsched_run **runs, size_t room);

/* Allocates host memory that the encoder's device reads directly: page-locked on CUDA, plain on
 * CPU; aligned to 4,096 bytes. It may outlive the encoder. */
h264i_status h264i_host_alloc(h264i_encoder *enc, void **out, size_t bytes);

/* Frees memory of h264i_host_alloc, from any thread. NULL is allowed. */
void h264i_host_free(void *p);

/* Returns 1 if the CUDA backend is built in and a device is usable, else 0 with the reason in `why`
 * (may be NULL). Initialises CUDA, which takes 0.2 s. */
int h264i_cuda_usable(char *why, size_t why_bytes);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
