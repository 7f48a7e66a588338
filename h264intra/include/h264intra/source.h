/* Reads frames from .y4m, raw video and all that FFmpeg reads, as 8-bit I420 in buffers of the
 * caller.
 *
 *     h264i_source_options o;
 *     h264i_source *src;
 *     h264i_source_options_init(&o);
 *     o.path = "in.mp4";
 *     if (h264i_source_open(&src, &o, msg, sizeof(msg)) != H264I_IO_OK) ...
 *     info = h264i_source_get_info(src);
 *     frame = h264i_source_frame_init();
 *     while ((s = h264i_source_read(src, plane, pitch, &frame)) == H264I_IO_OK) ...
 *     if (s != H264I_IO_END) report(h264i_source_last_error(src));
 *     h264i_source_close(&src);
 *
 * 8-bit 4:2:0 .y4m and raw video are read without FFmpeg, directly into the caller's buffers, in
 * the thread that calls h264i_source_read or h264i_source_fill. Other input is demultiplexed and
 * decoded ahead by a thread of the source (the decoder may have more threads); the calling thread
 * copies or converts it to the caller's buffer.
 *
 * Several threads read faster (13 GB/s need four to six): they call h264i_source_next one after the
 * other and h264i_source_fill in parallel.
 *
 * Thread-safety: a source is used by one thread at a time, except h264i_source_interrupt and
 * h264i_source_fill; different sources by different threads. */
#ifndef H264INTRA_SOURCE_H
#define H264INTRA_SOURCE_H

#include <h264intra/io.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef struct h264i_source h264i_source; /* opaque */

typedef struct h264i_source_options {
	size_t struct_bytes;       /* set by h264i_source_options_init; first member */
	const char *path;          /* a file, "-" for standard input, or a URL for FFmpeg */
	const char *format;        /* FFmpeg's name of the demultiplexer; NULL: detected */
	uint32_t width, height;    /* of raw video; 0: from the file */
	uint32_t fps_num, fps_den; /* of input without timing; 0/0: from the file, or 25 */
	const char *pixel_format; /* of raw video, FFmpeg's name; NULL: from the file, or yuv420p */
	uint32_t threads;         /* of the decoder; 0: all processors */
	int interrupt_fd; /* open and read return H264I_IO_INTERRUPTED once this descriptor is
	                     readable, even if the input stalls; -1: never. It is polled, not
	                     read, and must stay open until h264i_source_close */
	h264i_log_fn
		log; /* called from the thread that opens and reads, and with `streams` also from
	                     that of the sink; NULL: no messages */
	void *log_opaque;
	h264i_streams *streams; /* receives the streams besides the video; NULL: they are left out.
	                           The source is closed first */
	/* Reads part `part` (from 1) of `parts` equal parts of a regular file or URL, in the order
	 * of the frames; 0: all. For input that FFmpeg reads, the packets are counted first, and
	 * the frames before the part are decoded or, if each codes one picture by itself, skipped.
	 * The number of packets is only a bound between parts: each frame is in exactly one part,
	 * also if the packets have more or fewer pictures */
	uint32_t part, parts;
	/* 1: decode on a CUDA device (NVDEC) through FFmpeg, if it can; else `log` gets a warning
	 * with the reason, and the CPU decodes. See h264i_source_keep_on_device */
	int hwdec;
	int hwdec_device; /* number of the CUDA device; -1: 0 */
	/* 1: read the frames of interlaced video as they are, with one warning; 0: refuse it with
	 * ERR_FORMAT, when it is opened or at its first interlaced frame. What the
	 * decoder says of a picture decides; a container that alone states fields causes a
	 * warning */
	int interlaced_as_frames;
	/* 1: scale frames of another size than the first to that of the first, by libswscale, with
	 * one warning; 0: they are an error, ERR_SIZE */
	int scale_changes;
	/* The frames before this one are left out, times start at it, and `streams` has no packets
	 * and chapters before it; 0: none is. Not with parts */
	uint64_t first_frame;
} h264i_source_options;

typedef struct h264i_source_info {
	size_t struct_bytes;    /* of the library */
	uint32_t width, height; /* of the frames read: even; an odd last side is repeated */
	uint32_t time_base_num, time_base_den; /* unit of h264i_source_frame.pts in seconds */
	int64_t frames;            /* number of frames, if known before reading; -1: unknown */
	int frames_exact;          /* 1: counted by the container, 0: from duration or file size */
	h264i_vui vui;             /* colour, range, aspect and rate, for h264i_options.vui */
	int has_display_matrix;    /* the file has a rotation of the picture */
	int32_t display_matrix[9]; /* by rows, fixed point 16.16 and 2.30 (ISO/IEC 14496-12) */
	int converted;             /* 1: swscale converts the pixels; 0: they are the decoder's */
	char format[32], codec[32], pixel_format[32]; /* FFmpeg's names */
	int parallel; /* 1: threads may call h264i_source_fill in parallel, which is faster;
	                 0: each frame is filled before the next h264i_source_next */
	h264i_hdr hdr;
	uint64_t first_index; /* number of the first frame of the part in the file */
} h264i_source_info;

typedef struct h264i_source_frame {
	size_t struct_bytes; /* set by h264i_source_frame_init */
	uint64_t index;      /* first_index, first_index + 1, ... */
	int64_t pts;         /* from the start of the file, in time_base; strictly increasing */
	int64_t duration;    /* in time_base, at least 1 */
} h264i_source_frame;

static inline h264i_source_frame h264i_source_frame_init(void)
{
	h264i_source_frame f = { 0, 0, 0, 0 };

	f.struct_bytes = sizeof(f);
	return f;
}

/* Sets the defaults of a struct of the caller's size. */
void h264i_source_options_init_sized(h264i_source_options *o, size_t struct_bytes);
#define h264i_source_options_init(o) h264i_source_options_init_sized((o), sizeof(*(o)))

/* Opens the input; what FFmpeg reads is decoded up to the first frame. On success the caller owns
 * *out and closes it with h264i_source_close; otherwise *out is NULL and msg (msg_bytes, always
 * terminated; may be NULL) has the reason in one line that names the file. Options are copied. */
h264i_io_status h264i_source_open(
	h264i_source **out, const h264i_source_options *o, char *msg, size_t msg_bytes);

/* Valid as long as the source. */
const h264i_source_info *h264i_source_get_info(const h264i_source *src);

/* Reads the next frame into planes of the caller: Y of width x height, Cb and Cr of half that;
 * pitches are at least the widths. Returns END after the last frame; INTERRUPTED; ERR_ARG for a
 * *frame without a valid struct_bytes, which reads no frame; else an error, which later calls
 * return too. Damage does not stop the source: frames that can be decoded are read, and the last
 * status is ERR_DAMAGED, not END. */
h264i_io_status h264i_source_read(h264i_source *src, uint8_t *const plane[3],
	const size_t pitch_bytes[3], h264i_source_frame *frame);

/* A frame that is assigned to the caller and not read yet. */
typedef struct h264i_source_claim h264i_source_claim; /* opaque */

/* h264i_source_read in two steps. This one assigns the next frame: on OK the caller owns *claim and
 * passes it to h264i_source_fill or h264i_source_drop before it closes the source; else as
 * h264i_source_read, and *claim is NULL. */
h264i_io_status h264i_source_next(
	h264i_source *src, h264i_source_claim **claim, h264i_source_frame *frame);

/* Writes the frame's pixels, as h264i_source_read, and frees the claim. Any thread; in parallel
 * with other calls if info->parallel is 1. May fail, for instance if the file has become shorter;
 * msg (msg_bytes, always terminated; may be NULL) then has the reason in one line that names the
 * file. */
h264i_io_status h264i_source_fill(h264i_source *src, h264i_source_claim *claim,
	uint8_t *const plane[3], const size_t pitch_bytes[3], char *msg, size_t msg_bytes);

/* Memory for the frames that FFmpeg decodes, from which a device can read: see
 * h264i_source_view. */
typedef struct h264i_source_memory {
	size_t struct_bytes;                         /* set by h264i_source_memory_init */
	void *(*alloc)(void *opaque, size_t bytes);  /* aligned to 128 bytes; NULL: the decoder uses
	                                        its own memory for this frame. Any thread */
	void (*release)(void *opaque, void *memory); /* any thread, also after h264i_source_close */
	void *opaque;
} h264i_source_memory;

static inline h264i_source_memory h264i_source_memory_init(void)
{
	h264i_source_memory m = { 0, 0, 0, 0 };

	m.struct_bytes = sizeof(m);
	return m;
}

/* Decodes into this memory from now on if decoder and pixel format allow it (8-bit 4:2:0). Call
 * once. */
h264i_io_status h264i_source_use_memory(h264i_source *src, const h264i_source_memory *memory);

/* Returns 1 if the frame is in memory of h264i_source_use_memory: the caller reads the planes, of
 * the size in h264i_source_info, and then calls h264i_source_drop, also after h264i_source_close.
 * The decoder may read the planes at the same time. Returns 0 if h264i_source_fill has to be
 * called. */
int h264i_source_view(const h264i_source_claim *claim, uint8_t *plane[3], size_t pitch_bytes[3]);

/* For h264i_source_options.hwdec: 8-bit 4:2:0 frames that are decoded from now on stay in device
 * memory; those before and others are in host memory, and so are all if the device's primary
 * context was active before h264i_source_open with other flags than cudaDeviceScheduleBlockingSync,
 * which FFmpeg requires. Without hwdec it has no effect. */
void h264i_source_keep_on_device(h264i_source *src);

/* Returns 1 if the frame is NV12 in memory of the CUDA device h264i_source_options.hwdec_device, in
 * its primary context: the caller reads the planes behind the work of the legacy default stream,
 * and then calls h264i_source_drop, also after h264i_source_close. Returns 0 if h264i_source_view
 * or h264i_source_fill has to be called. */
int h264i_source_view_on_device(
	const h264i_source_claim *claim, uint8_t *plane[2], size_t pitch_bytes[2]);

/* Ends the reading of frames and reads on without decoding, until the other streams have reached
 * the time `until` (in time_base, from the start of the file) or the input ends. For
 * h264i_source_options.streams; without them it has no effect. May wait for the input. Later reads
 * of frames return END, or ERR_READ if packets of these streams could not be read. */
void h264i_source_read_streams(h264i_source *src, int64_t until);

/* Frees a claim without reading the frame. Not for pipes: their next frame is behind it. NULL is
 * allowed. */
void h264i_source_drop(h264i_source_claim *claim);

/* The error of the first read that failed, one line that names the file; "" if none did. Not during
 * other calls. */
const char *h264i_source_last_error(const h264i_source *src);

/* Makes a read that waits for a stalled input return INTERRUPTED, and later ones that find no
 * decoded frame. Any thread, also during h264i_source_read. */
void h264i_source_interrupt(h264i_source *src);

/* Frees everything and sets *src to NULL. Does not wait for a stalled input. NULL is allowed. */
void h264i_source_close(h264i_source **src);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
