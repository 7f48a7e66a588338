/* h264intra_io: common to reading files (source.h) and writing files (sink.h).
 *
 * This library uses FFmpeg. libh264intra does not; a program with frames of its own needs only that
 * one. Nothing here prints, exits or reads the environment. */
#ifndef H264INTRA_IO_H
#define H264INTRA_IO_H

#include <h264intra/h264intra.h>

#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* Statuses: enum name, number, sentence. Negative ones are errors. */
#define H264I_IO_STATUS_MAP(X)                                         \
	X(OK, 0, "ok")                                                 \
	X(END, 1, "no more frames")                                    \
	X(INTERRUPTED, 2, "interrupted")                               \
	X(ERR_ARG, -1, "invalid argument")                             \
	X(ERR_NOMEM, -2, "out of memory")                              \
	X(ERR_OPEN, -3, "cannot be opened")                            \
	X(ERR_FORMAT, -4, "not a video that can be read")              \
	X(ERR_EMPTY, -5, "no frames")                                  \
	X(ERR_DAMAGED, -6, "damaged or truncated")                     \
	X(ERR_SIZE, -7, "the picture size changes")                    \
	X(ERR_READ, -8, "reading failed")                              \
	X(ERR_WRITE, -9, "writing failed")                             \
	X(ERR_PIPE, -10, "the reader of the output has closed it")     \
	X(ERR_EXISTS, -11, "the output exists and is not overwritten") \
	X(ERR_NAME, -12, "the file name has no known extension")

typedef enum h264i_io_status {
#define H264I_X(name, number, text) H264I_IO_##name = (number),
	H264I_IO_STATUS_MAP(H264I_X)
#undef H264I_X
} h264i_io_status;

/* Static string, never NULL. Thread-safe. */
const char *h264i_io_strstatus(h264i_io_status s);

/* Versions of the FFmpeg libraries in use: "libavformat 59.27.100, ...". Static. Thread-safe. */
const char *h264i_io_version(void);

/* Passes FFmpeg's own messages to `fn`; NULL discards them. The setting is FFmpeg's and applies to
 * the whole process; without this call FFmpeg writes to stderr. `fn` is called from any thread. A
 * message that FFmpeg prints in parts arrives in parts. */
void h264i_io_log_ffmpeg(h264i_log_fn fn, void *opaque);

/* Metadata of HDR video (SMPTE ST 2086, CTA-861.3), in the units of H.264 Annex D. */
typedef struct h264i_hdr {
	int has_mastering_display;
	uint16_t primaries[3][2], white[2];    /* x and y of red, green, blue and white; 0.00002 */
	uint32_t max_luminance, min_luminance; /* 0.0001 cd/m2 */
	int has_content_light;
	uint16_t max_content_light, max_average_light; /* MaxCLL, MaxFALL: cd/m2 */
} h264i_hdr;

/* The streams of an input besides its video: sound, subtitles, data, timecode, attachments, cover
 * pictures, chapters and the metadata of all. h264i_source_options.streams collects them,
 * h264i_sink_stream.streams writes them. Packets that the output has not reached yet wait here, up
 * to 16 MiB in memory, the others in a temporary file without a name.
 *
 * One source and one sink use it at the same time, from any threads. It is closed after both. */
typedef struct h264i_streams h264i_streams; /* opaque */

h264i_io_status h264i_streams_open(h264i_streams **out);

/* Number of streams that the source has found; 0 before it is open. */
uint32_t h264i_streams_count(const h264i_streams *s);

/* Frees everything and sets *s to NULL. NULL is allowed. */
void h264i_streams_close(h264i_streams **s);

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
