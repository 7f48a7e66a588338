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

#ifdef __cplusplus
}
#endif
#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#endif
