/* Frames from .y4m, raw video and whatever FFmpeg reads, as 8-bit I420 in buffers of the caller.
 *
 *     h264i_source_options o;
 *     h264i_source *src;
 *     h264i_source_options_init(&o);
 *     o.path = "in.mp4";
 *     if (h264i_source_open(&src, &o, msg, sizeof(msg)) != H264I_IO_OK) ...
 *     info = h264i_source_get_info(src);
 *     frame = h264i_source_frame_init();
 *     while ((s = h264i_source_read(src, plane, pitch, &frame)) == H264I_IO_OK) ...
 *     if (s != H264I_IO_END) complain(h264i_source_last_error(src));
 *     h264i_source_close(&src);
 *
 * .y4m and raw video of 8-bit 4:2:0 are read without FFmpeg, straight into the caller's buffers, in the thread
 * that calls h264i_source_read or h264i_source_fill. Of all else a thread of the source demultiplexes and
 * decodes ahead (the decoder may have threads of its own); the copy or conversion into the caller's
 * buffer runs in the calling thread.
 *
 * Several threads at a time read faster (13 GB/s need four to six): each calls h264i_source_next, one
 * after the other, and then h264i_source_fill, at the same time.
 *
 * Thread-safety: a source is used by one thread at a time, but for h264i_source_interrupt and
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
	const char *path;          /* a file, "-" for standard input, or a URL of FFmpeg's */
	const char *format;        /* FFmpeg's name of the demultiplexer; NULL: found out */
	uint32_t width, height;    /* of raw video; 0: the file says */
	uint32_t fps_num, fps_den; /* of input without timing; 0/0: the file says, or 25 */
	const char *pixel_format; /* of raw video, FFmpeg's name; NULL: the file says, or yuv420p */
	uint32_t threads;         /* of the decoder; 0: all processors */
	int interrupt_fd; /* open and read end with H264I_IO_INTERRUPTED once this descriptor
	                             is readable, even when the input stalls; -1: never. It is polled,
	                             not read, and must stay open until h264i_source_close */
	h264i_log_fn log; /* called from the thread that opens and reads; NULL: silence */
	void *log_opaque;
} h264i_source_options;

typedef struct h264i_source_info {
	size_t struct_bytes; /* of the library */
	uint32_t width,
		height; /* what h264i_source_read delivers: an odd last column or row is dropped */
	uint32_t time_base_num, time_base_den; /* seconds a unit of h264i_source_frame.pts */
	int64_t frames;         /* how many, as far as known before reading; -1: unknown */
	int frames_exact;       /* 1: counted by the container, 0: from duration or file size */
	h264i_vui vui;          /* colour, range, aspect and rate, ready for h264i_options.vui */
	int has_display_matrix; /* how a player has to turn the picture, as in the file */
	int32_t display_matrix
		[9];   /* row by row, 16.16 and 2.30 fixed point as in ISO/IEC 14496-12 */
	int converted; /* 1: swscale makes the pixels; 0: they are the decoder's */
	char format[32], codec[32], pixel_format[32]; /* FFmpeg's names */
	int parallel; /* 1: several threads may be in h264i_source_fill, and that pays; 0: each frame
	                 is filled before the next h264i_source_next */
} h264i_source_info;

typedef struct h264i_source_frame {
	size_t struct_bytes; /* set by h264i_source_frame_init */
	uint64_t index;      /* 0, 1, 2, ... */
	int64_t pts;         /* from the start of the file, in time_base; strictly increasing */
	int64_t duration;    /* in time_base, at least 1 */
} h264i_source_frame;

static inline h264i_source_frame h264i_source_frame_init(void)
{
	h264i_source_frame f = { 0, 0, 0, 0 };

	f.struct_bytes = sizeof(f);
	return f;
}

/* Fills in the defaults, by the caller's size of the struct. */
void h264i_source_options_init_sized(h264i_source_options *o, size_t struct_bytes);
#define h264i_source_options_init(o) h264i_source_options_init_sized((o), sizeof(*(o)))

/* Opens the input; what FFmpeg reads is decoded up to the first frame. On success the caller owns *out and gives it to
 * h264i_source_close; otherwise *out is NULL and msg (msg_bytes, always ended; may be NULL) says why
 * in one line that names the file. Options need only live until return. */
h264i_io_status h264i_source_open(
	h264i_source **out, const h264i_source_options *o, char *msg, size_t msg_bytes);

/* Lives as long as the source. */
const h264i_source_info *h264i_source_get_info(const h264i_source *src);

/* The next frame into planes of the caller: Y of width x height, Cb and Cr of half that; pitches are
 * at least the widths. END after the last frame; INTERRUPTED; ERR_ARG for a *frame without a valid
 * struct_bytes, which takes no frame; else an error, which stays. Damage does not stop the source:
 * what can be decoded is delivered, and ERR_DAMAGED stands in place of END. */
h264i_io_status h264i_source_read(h264i_source *src, uint8_t *const plane[3],
	const size_t pitch_bytes[3], h264i_source_frame *frame);

/* A frame that was assigned to the caller and not read yet. */
typedef struct h264i_source_claim h264i_source_claim; /* opaque */

/* h264i_source_read in two steps. This one assigns the next frame: on OK the caller owns *claim and gives it
 * to h264i_source_fill or h264i_source_drop before it closes the source; else as h264i_source_read, and
 * *claim is NULL. */
h264i_io_status h264i_source_next(
	h264i_source *src, h264i_source_claim **claim, h264i_source_frame *frame);

/* Writes the frame's pixels, as h264i_source_read, and frees the claim. Any thread; at the same time as other
 * calls if info->parallel is 1. A frame may also fail here, for instance of a file that shrinks; msg
 * (msg_bytes, always ended; may be NULL) then says why in one line that names the file. */
h264i_io_status h264i_source_fill(h264i_source *src, h264i_source_claim *claim,
	uint8_t *const plane[3], const size_t pitch_bytes[3], char *msg, size_t msg_bytes);

/* Memory for the frames that FFmpeg decodes, so that a device reads them there: see h264i_source_view. */
typedef struct h264i_source_memory {
	size_t struct_bytes;                         /* set by h264i_source_memory_init */
	void *(*alloc)(void *opaque, size_t bytes);  /* aligned to 128 bytes; NULL: none now, the
	                                        decoder uses its own for this frame. Any thread */
	void (*release)(void *opaque, void *memory); /* any thread, also after h264i_source_close */
	void *opaque;
} h264i_source_memory;

static inline h264i_source_memory h264i_source_memory_init(void)
{
	h264i_source_memory m = { 0, 0, 0, 0 };

	m.struct_bytes = sizeof(m);
	return m;
}

/* Frames decoded from now on are in this memory where decoder and pixel format allow it (8-bit 4:2:0). Once. */
h264i_io_status h264i_source_use_memory(h264i_source *src, const h264i_source_memory *memory);

/* 1 when the frame is in memory of h264i_source_use_memory: the caller reads planes and pitches of the size that
 * h264i_source_info says, and gives the claim to h264i_source_drop, also after h264i_source_close. The
 * decoder may read the planes at the same time. 0: call h264i_source_fill. */
int h264i_source_view(const h264i_source_claim *claim, uint8_t *plane[3], size_t pitch_bytes[3]);

/* Frees a claim unread; not of a pipe, where the next frame would begin in its middle. NULL is harmless. */
void h264i_source_drop(h264i_source_claim *claim);

/* Why the first read failed, one line that names the file; "" if none did. Not during other calls. */
const char *h264i_source_last_error(const h264i_source *src);

/* Any thread, also during h264i_source_read: a read that waits for a stalled input, and those that
 * find no decoded frame later, return INTERRUPTED. */
void h264i_source_interrupt(h264i_source *src);

/* Frees everything and sets *src to NULL. Does not wait for a stalled input. NULL is harmless. */
void h264i_source_close(h264i_source **src);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
