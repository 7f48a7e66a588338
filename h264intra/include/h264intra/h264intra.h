/* h264intra: an H.264 all-intra encoder that runs on a GPU or on CPU threads.
 *
 * The stream is ITU-T H.264 (ISO/IEC 14496-10) Constrained Baseline, 8-bit 4:2:0, every picture an
 * IDR picture, entropy coding CAVLC. For the same frames and options the bytes are the same on
 * every backend, scheme, worker count and number of frames in flight.
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
 *                     if (h264i_receive_packet(enc, &pkt) == H264I_OK) write(pkt.data, pkt.data_bytes);
 *             while (h264i_receive_packet(enc, &pkt) == H264I_OK) write(...);
 *     }
 *     h264i_flush(enc);
 *     while ((s = h264i_receive_packet(enc, &pkt)) == H264I_OK) write(...);    (ends with H264I_END)
 *     h264i_close(&enc);
 *
 * Live input: the same loop serves it. A group of frames that is not full starts in
 * h264i_receive_packet when no other work is under way and options.latency_ms is over, so call it
 * again while the input pauses. h264i_drain starts what was sent and waits for no more frames.
 *
 * Structs: each begins with struct_bytes, its size as the caller was compiled. Call NAME_init
 * first, then set members; a struct without a valid size is refused (H264I_ERR_ARG).
 *
 * Thread-safety: an encoder is used by one thread at a time; different encoders by different
 * threads at the same time. The library never prints, exits or reads the environment.
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
#define H264I_VERSION_MINOR 1
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
	X(ERR_STATE, -8, "call not allowed now")

typedef enum h264i_status {
#define H264I_X(name, number, text) H264I_##name = (number),
	H264I_STATUS_MAP(H264I_X)
#undef H264I_X
} h264i_status;

/* Static string, never NULL. Thread-safe. */
const char *h264i_strstatus(h264i_status s);

/* Version of the library that runs, to compare with H264I_VERSION_*: "0.1.0". Thread-safe. */
const char *h264i_version(void);

typedef enum h264i_backend {
	H264I_BACKEND_AUTO = 0, /* CUDA when a device is usable, else CPU */
	H264I_BACKEND_CPU,
	H264I_BACKEND_CUDA
} h264i_backend;

/* How macroblocks wait for each other (tzeng-lloyd-owens 2012, section 5). */
typedef enum h264i_sched {
	H264I_SCHED_DYNAMIC = 0, /* counters; a ready macroblock goes to any idle worker */
	H264I_SCHED_STATIC, /* rows to workers in a fixed order; a worker waits for the row above */
	H264I_SCHED_SYNC    /* one step a wavefront, everybody waits: the baseline */
} h264i_sched;

/* Where a frame's pixels are. */
typedef enum h264i_memory {
	H264I_MEM_HOST = 0, /* copied before h264i_send_frame returns */
	H264I_MEM_HOST_PINNED, /* from h264i_host_alloc or cudaHostAlloc: read until `release` is called */
	H264I_MEM_CUDA /* device memory of the encoder's device: see `ready_event` and `stream` */
} h264i_memory;

typedef enum h264i_format { H264I_I420 = 0, H264I_NV12 } h264i_format;

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

/* options.latency_ms: a group starts when it is full, drained or flushed, never before. */
#define H264I_LATENCY_FULL UINT32_MAX

typedef struct h264i_options {
	size_t struct_bytes; /* set by h264i_options_init */
	uint32_t width,
		height;  /* luma pixels; even, at least 16x16, at most 139,264 macroblocks and
	                            1,055 macroblocks a side (Annex A level 6.2) */
	int qp;          /* 0..51. Default 27 */
	uint32_t slices; /* a picture, 1..macroblock rows; rows are split evenly. Default 1 */
	int deblock;     /* 1: the decoder filters (clause 8.7), 0: off. Default 1 */
	int level;       /* level_idc (40 is 4.0; 9 is 1b); 0: from size, rate and QP. Default 0 */
	h264i_backend backend;     /* Default AUTO */
	int device;                /* CUDA device number; -1: the current one. Default -1 */
	uint32_t threads;          /* CPU backend workers; 0: all processors. Default 0 */
	uint32_t gpu_workers;      /* CUDA backend: worker warps; 0: as many as pay. Default 0 */
	uint32_t frames_in_flight; /* 1..1,024 (1: lowest latency); 0: as many as pay. Default 0 */
	/* Frames are encoded in groups. With no work under way, h264i_receive_packet starts a group
	 * that is not full once its oldest frame has waited this long, or as soon as the time
	 * between the last two frames says that it will. 0: at once. Default 2 */
	uint32_t latency_ms;
	h264i_sched sched;   /* Default DYNAMIC */
	uint32_t timeout_ms; /* a group of frames that takes longer is an error; 0: 10,000 */
	int recon;           /* 1: packets carry the decoded picture and its error. Default 0 */
	int sse;             /* 1: packets carry the error, measured where the frame is encoded,
	                        without the picture; recon = 1 implies it. Default 0 */
	int stats;           /* 1: count macroblock types and modes. Default 0 */
	int trace;           /* 1: record a timeline for h264i_write_trace and _runs. Default 0 */
	h264i_vui vui;
	uint32_t
		disable_modes; /* H264I_DISABLE_*: for ablation studies; a stream stays conformant */
	h264i_log_fn log;      /* NULL: silence */
	void *log_opaque;
} h264i_options;

/* disable_modes: bits 0..8 Intra4x4 modes, 9..12 Intra16x16 modes, 13..16 chroma modes, each in
 * the standard's numbering; DC (I4x4 bit 2, I16x16 bit 11, chroma bit 13) cannot be disabled. */
#define H264I_DISABLE_I4(mode)     (1u << (mode))
#define H264I_DISABLE_I16(mode)    (1u << (9 + (mode)))
#define H264I_DISABLE_CHROMA(mode) (1u << (13 + (mode)))
#define H264I_DISABLE_I4_ALL       (1u << 17) /* no Intra4x4 macroblocks */
#define H264I_DISABLE_I16_ALL      (1u << 18) /* no Intra16x16 macroblocks */

typedef struct h264i_encoder h264i_encoder; /* opaque */

/* One frame in. Planes: I420 has Y, Cb, Cr (chroma width/2 x height/2); NV12 has Y and CbCr
 * pairs. */
typedef struct h264i_frame {
	size_t struct_bytes; /* set by h264i_frame_init */
	h264i_memory memory;
	h264i_format format;
	const uint8_t *plane[3];
	size_t pitch_bytes[3]; /* at least the plane's width in bytes */
	int64_t pts;           /* handed through to the packet, never looked at */
	/* H264I_MEM_CUDA. `ready_event`: a cudaEvent_t that the encoder waits for before it reads,
	 * or NULL; `stream`: else a cudaStream_t whose work so far it waits for, used when
	 * use_stream is 1 (NULL is then the legacy default stream). `free_event`: a cudaEvent_t
	 * that the encoder records when it has read the frame, or NULL; it is recorded when
	 * h264i_send_frame returns, so that cudaStreamWaitEvent on it is right from then on. */
	void *ready_event;
	void *stream;
	int use_stream;
	void *free_event;
	/* Called once, when the caller may use or free the planes again: from h264i_send_frame,
	 * _receive_packet or _close, in the calling thread. NULL: not called. Not called when
	 * h264i_send_frame did not return H264I_OK: the planes are then the caller's at once. */
	void (*release)(void *opaque);
	void *release_opaque;
} h264i_frame;

/* One coded picture out. Everything it points to belongs to the encoder and lives until the next
 * h264i_receive_packet or h264i_close; h264i_packet_ref makes it last. */
typedef struct h264i_packet {
	size_t struct_bytes; /* set by h264i_packet_init */
	const uint8_t
		*data; /* Annex B byte stream: SPS, PPS, then the slices, 4-byte start codes */
	size_t data_bytes;
	size_t headers_bytes; /* of data_bytes: SPS and PPS with start codes, at the front */
	int64_t pts;
	uint64_t index;         /* 0, 1, 2, ... in the order sent */
	uint32_t width, height; /* luma pixels */
	/* With options.recon = 1, else NULL and 0: what a decoder shows, cropped to width x
	 * height. */
	const uint8_t *recon[3];
	size_t recon_pitch_bytes[3];
	/* With options.recon or options.sse = 1, else 0: sum of squared differences between this
	 * picture and the source, Y, Cb, Cr. */
	uint64_t sse[3];
	void *buffer; /* of h264i_packet_ref; NULL: the memory is the encoder's */
} h264i_packet;

/* Sums since h264i_open, over the packets received. */
typedef struct h264i_stats {
	size_t struct_bytes; /* set by h264i_stats_init */
	uint64_t frames, bytes;
	uint64_t mb_i4x4, mb_i16x16, mb_pcm;              /* 0 unless options.stats */
	uint64_t i4_mode[9], i16_mode[4], chroma_mode[4]; /* 4x4 blocks, macroblocks, macroblocks */
	/* Time by stage. CUDA: of the device, 0 unless options.stats. CPU: wavefront_ms is the time
	 * of all workers in tasks, writing of slices included, the others are 0. */
	double upload_ms, wavefront_ms, entropy_ms;
	uint64_t tasks;    /* by the scheduler */
	double idle_share; /* of the workers' time in the wavefront, 0..1 */
	uint32_t workers;
	uint32_t queue_high_water;
	uint32_t frames_in_flight; /* options.frames_in_flight, or what 0 became */
	h264i_backend backend;     /* what AUTO became */
	char device_name[128];
	/* The packets received against the limits of the stream's level on bits (Annex A, MaxBR and
	 * MaxCPB), in the buffer of Annex C at the frame rate of options.vui. Without a frame rate
	 * only the size of each picture is checked. */
	int level_exceeded; /* 1: the buffer overflowed; decoders of this level may fail */
	int level_needed;   /* lowest level_idc that holds size and rates; 0: none does */
	uint32_t level_kbit_per_s, level_buffer_kbit; /* the level's limits */
	/* At the largest fill of the buffer: mean rate since it was empty, and for how long. */
	double peak_kbit_per_s, peak_s;
	double largest_picture_kbit;
} h264i_stats;

/* Fills in the defaults of a struct of the caller's size. Thread-safe. */
void h264i_options_init_sized(h264i_options *o, size_t struct_bytes);
#define h264i_options_init(o) h264i_options_init_sized((o), sizeof(*(o)))

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

/* Opens an encoder. On success the caller owns *out and gives it to h264i_close; on failure *out is
 * NULL and the reason is written to msg (msg_bytes, always ended; msg may be NULL). Options need
 * only live until return. */
h264i_status h264i_open(h264i_encoder **out, const h264i_options *o, char *msg, size_t msg_bytes);

/* Takes one frame. OK: taken. AGAIN: all frames in flight are taken, receive packets first (the
 * packet received last is still the caller's and keeps its frame's place until the next
 * h264i_receive_packet). Else the frame was not taken, and its planes are not read any more. */
h264i_status h264i_send_frame(h264i_encoder *enc, const h264i_frame *f);

/* Writes the next packet in order to *pkt, which holds no reference. OK; AGAIN when more frames can
 * be sent and none is ready; waits when no more can be sent or h264i_drain was called; END after
 * h264i_flush when all were received. After a failure, also one that another call reported: the
 * packets before the failure, then its status again and again. */
h264i_status h264i_receive_packet(h264i_encoder *enc, h264i_packet *pkt);

/* Starts what was sent. h264i_receive_packet then waits for the packets of all these frames and
 * returns AGAIN after the last; frames can be sent at any time. */
h264i_status h264i_drain(h264i_encoder *enc);

/* No more frames: what was sent is encoded. Harmless twice. */
h264i_status h264i_flush(h264i_encoder *enc);

/* Frames that may have to be sent after one before h264i_receive_packet waits for its packet; with
 * pauses in the input it comes earlier (options.latency_ms). 0 for NULL. */
uint32_t h264i_latency_frames(const h264i_encoder *enc);

/* Makes *to a reference to the packet *from. Its memory lasts until h264i_packet_unref(to), also after
 * h264i_close. The first reference to a packet of h264i_receive_packet copies it, pictures included; a
 * reference to a reference shares that copy. `to` is initialised, holds no reference and differs from
 * `from`. Returns OK, ERR_ARG or ERR_NOMEM; *to is empty after a failure, except that to == from leaves
 * it unchanged. References may be made and released by any thread, also while the encoder works; each
 * h264i_packet is used by one thread at a time. */
h264i_status h264i_packet_ref(h264i_packet *to, const h264i_packet *from);

/* Gives a reference back and empties *p. Harmless for NULL and for packets without a reference. */
void h264i_packet_unref(h264i_packet *p);

/* Frees everything, waiting for the device if need be, and sets *enc to NULL. NULL is harmless. */
void h264i_close(h264i_encoder **enc);

/* SPS and PPS as an Annex B string (for a container's extradata). Owned by enc. */
h264i_status h264i_headers(h264i_encoder *enc, const uint8_t **data, size_t *data_bytes);

/* The level_idc that the SPS carries; 9 is level 1b. Without options.level it is the lowest level
 * that holds picture size, macroblocks and slices a second, raised for an estimate of the bits at
 * this QP, but not beyond 5.2 for bits alone; h264i_stats.level_exceeded is the check
 * afterwards. */
int h264i_level(const h264i_encoder *enc);

h264i_status h264i_get_stats(h264i_encoder *enc, h264i_stats *out);

/* Why the last call failed, one sentence; "" if none did. Owned by enc. */
const char *h264i_last_error(const h264i_encoder *enc);

/* Writes the timeline recorded with options.trace = 1 as Chrome/Perfetto JSON through `write`,
 * which returns 0 or fails the call. Call after the last packet. */
h264i_status h264i_write_trace(h264i_encoder *enc,
	int (*write)(void *opaque, const char *text, size_t text_bytes), void *opaque);
/* The scheduler's runs, whose timelines options.trace = 1 has recorded: lsched_run_events() of
 * <libsched/sched.h> reads them. They belong to enc; read them after the last packet and before
 * h264i_close. Writes at most `room` of them and returns how many; 0 without options.trace. */
struct lsched_run;
size_t h264i_trace_runs(h264i_encoder *enc, struct lsched_run **runs, size_t room);

/* Host memory that the encoder's device copies from without a detour: page-locked on CUDA, plain
 * on CPU; aligned to 4,096 bytes. It may outlive the encoder. */
h264i_status h264i_host_alloc(h264i_encoder *enc, void **out, size_t bytes);

/* Frees memory of h264i_host_alloc, from any thread. NULL is harmless. */
void h264i_host_free(void *p);

/* 1 when the CUDA backend is built in and a device is usable, else 0; `why` (may be NULL) then says
 * why not. Costs the CUDA start-up time, 0.2 s. */
int h264i_cuda_usable(char *why, size_t why_bytes);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
