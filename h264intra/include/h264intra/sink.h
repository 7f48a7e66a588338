/* Writes packets of the encoder to .264, .mp4, .mkv, .mov and .ts files or a pipe, and pictures to
 * .y4m.
 *
 *     if (h264i_sink_open(&sink, "out.mp4", 0, msg, sizeof(msg)) != H264I_IO_OK) ...
 *     h264i_sink_begin(sink, &stream);                (once the encoder is open)
 *     for (each packet) h264i_sink_write(sink, &packet);
 *     h264i_sink_finish(sink);                        (the file is complete if this is OK)
 *     h264i_sink_close(&sink);
 *
 * Files: h264i_sink_open creates nothing. The first packet creates NAME.part beside NAME, and
 * h264i_sink_finish renames it to NAME. Until then, and after an error or a SIGKILL, an older
 * NAME stays as it was. NAME is what a symbolic link leads to; the link stays. The new file has
 * the mode of the older one; other hard links to the older one keep its contents.
 * - Without `overwrite` an existing NAME is an error, and so is a NAME.part that is not empty;
 *   also if they appear after h264i_sink_open. If NAME appears after the first packet,
 *   h264i_sink_finish returns ERR_EXISTS, and the new file remains as NAME.part, complete.
 * - With `overwrite` both are replaced. A NAME.part that another process is writing (it holds a
 *   lock on the file) is an error in any case.
 * - The folder has to be writable, also to replace an existing file.
 * - After a write error NAME.part remains and plays without its end. An .mp4 or .mov with coded
 *   video only consists of fragments of 0.5 s until h264i_sink_finish (<h264intra/mp4.h>); it is
 *   removed if the first one could not be written. One with other streams or HDR metadata has its
 *   index at the end: it is removed, because it does not play. The error text states which. After a
 *   SIGKILL NAME.part always remains.
 * - Pipes, devices and files without a name (/proc/self/fd/3 of a removed file) are written in
 *   place.
 *
 * Ignore SIGPIPE in a program that writes to pipes; a pipe without a reader is then ERR_PIPE.
 *
 * Thread-safety: a sink is used by one thread at a time; different sinks by different threads. */
#ifndef H264INTRA_SINK_H
#define H264INTRA_SINK_H

#include <string.h>
#include <h264intra/io.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

typedef struct h264i_sink h264i_sink; /* opaque */

/* Structs begin with struct_bytes, their size when the caller was compiled: h264i_sink_stream_init
 * and h264i_sink_packet_init set it, and a struct without it is ERR_ARG. */
typedef struct h264i_sink_stream {
	size_t struct_bytes; /* set by h264i_sink_stream_init */
	uint32_t width, height;
	uint32_t time_base_num, time_base_den; /* unit of pts and duration in seconds */
	const uint8_t *headers;                /* SPS and PPS of h264i_headers; copied */
	size_t headers_bytes;
	h264i_vui vui;          /* colour, aspect and rate for the container */
	int has_display_matrix; /* as in h264i_source_info; .264 and pipes cannot carry it */
	int32_t display_matrix[9];
	/* Version 0.2: */
	uint32_t frames_expected; /* of an .mp4 or .mov, for the size of its index; 0: unknown */
	/* Written between the frames, by time; NULL: none. A stream that the file type cannot store
	 * is left out with a warning to the log of the source. */
	h264i_streams *streams;
	h264i_hdr hdr; /* as in h264i_source_info; .mp4, .mov and .mkv store it */
} h264i_sink_stream;

static inline void h264i_sink_stream_init(h264i_sink_stream *s)
{
	memset(s, 0, sizeof(*s));
	s->struct_bytes = sizeof(*s);
}

typedef struct h264i_sink_packet {
	size_t struct_bytes; /* set by h264i_sink_packet_init */
	const uint8_t *data; /* Annex B, as in h264i_packet; read until h264i_sink_write returns */
	size_t data_bytes;
	size_t headers_bytes;  /* SPS and PPS at the front; containers store them once, elsewhere */
	int64_t pts, duration; /* in time_base; pts strictly increasing */
} h264i_sink_packet;

static inline void h264i_sink_packet_init(h264i_sink_packet *p)
{
	memset(p, 0, sizeof(*p));
	p->struct_bytes = sizeof(*p);
}

/* Opens a file whose type is its extension (.264 .h264 .mp4 .m4v .mkv .mov .ts); "-" is Annex B on
 * standard output; a device or named pipe gets Annex B whatever its name. On failure *out is NULL
 * and msg (msg_bytes, always terminated; may be NULL) has the reason in one line that names the
 * file. */
h264i_io_status h264i_sink_open(
	h264i_sink **out, const char *path, int overwrite, char *msg, size_t msg_bytes);

/* 1 if the file type can store a display matrix in this build. */
int h264i_sink_carries_rotation(const h264i_sink *sink);

/* 1 if the file type can store other streams than the video: all but .264. */
int h264i_sink_carries_streams(const h264i_sink *sink);

/* 1 if the file type needs access unit delimiters (.ts): set h264i_options.aud. Without them FFmpeg
 * inserts some, which costs a copy. */
int h264i_sink_needs_aud(const h264i_sink *sink);

h264i_io_status h264i_sink_begin(h264i_sink *sink, const h264i_sink_stream *stream);
h264i_io_status h264i_sink_write(h264i_sink *sink, const h264i_sink_packet *packet);

/* Sets a descriptor that ends the wait for the reader of a named pipe: the first packet opens the
 * pipe, and h264i_sink_write returns INTERRUPTED once the descriptor is readable (it is not read).
 * -1, the default: none. */
void h264i_sink_set_interrupt_fd(h264i_sink *sink, int fd);

/* Sets whether packets of other streams that begin after the last frame are written at the end: 1,
 * the default, or 0. */
void h264i_sink_set_longer_streams(h264i_sink *sink, int longer);

/* Writes the end of a container, closes the file and renames it to its name. */
h264i_io_status h264i_sink_finish(h264i_sink *sink);

/* As h264i_sink_finish, for a stream that ends early because the input or the encoder failed: the
 * file is completed with the packets so far (of other streams those that begin before the end of
 * the last frame), but it does not replace an older one. If there is an older one, the new file
 * remains as NAME.part, and the return value is OK. */
h264i_io_status h264i_sink_finish_early(h264i_sink *sink);

/* The file being written: NAME.part, the path of the caller, or NULL before the first packet.
 * Valid until the next call with this sink. */
const char *h264i_sink_file(const h264i_sink *sink);

/* Bytes that reached the file or pipe so far. */
uint64_t h264i_sink_bytes(const h264i_sink *sink);

/* The error of the last call, one line that names the file; "" if it succeeded. */
const char *h264i_sink_last_error(const h264i_sink *sink);

/* Frees everything and sets *sink to NULL. Without h264i_sink_finish the file is treated as after a
 * write error. NULL is allowed. */
void h264i_sink_close(h264i_sink **sink);

/* Writes pictures as YUV4MPEG2, at one rate for all frames: the format has no timestamps. */
typedef struct h264i_y4m h264i_y4m; /* opaque */

/* As h264i_sink_open; "-" is standard output. Uses range, chroma location, aspect and rate of
 * vui. Pictures are 4:2:0, or luma alone ("mono") if plane[1] of the first one is NULL. */
h264i_io_status h264i_y4m_open(h264i_y4m **out, const char *path, int overwrite, uint32_t width,
	uint32_t height, const h264i_vui *vui, char *msg, size_t msg_bytes);
/* As h264i_sink_set_interrupt_fd. */
void h264i_y4m_set_interrupt_fd(h264i_y4m *y4m, int fd);
h264i_io_status h264i_y4m_write(
	h264i_y4m *y4m, const uint8_t *const plane[3], const size_t pitch_bytes[3]);
h264i_io_status h264i_y4m_finish(h264i_y4m *y4m);
h264i_io_status h264i_y4m_finish_early(h264i_y4m *y4m);
const char *h264i_y4m_file(const h264i_y4m *y4m);
const char *h264i_y4m_last_error(const h264i_y4m *y4m);
void h264i_y4m_close(h264i_y4m **y4m);

/* Performs the checks of h264i_sink_open for any other output file: it does not exist or may be
 * overwritten, its folder is writable, and no NAME.part prevents writing. */
h264i_io_status h264i_output_check(const char *path, int overwrite, char *msg, size_t msg_bytes);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
