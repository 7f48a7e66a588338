/* Copies the streams besides the video, packet by packet, to a multiplexer of libavformat. */
#ifndef H264INTRA_IO_COPY_H
#define H264INTRA_IO_COPY_H

#include "h264intra/io/streams.h"

typedef struct io_copied io_copied;

typedef struct io_copy {
	h264i_streams *streams; /* the caller's; NULL: nothing is copied */
	io_copied *to;          /* by stream of streams->desc */
	AVPacket *packet;
} io_copy;

/* Adds the streams that fit to `fmt`, whose only stream is the video, and warns of the others. The
 * time base and rate of the video are set. `s` may be NULL. Returns 0 or AVERROR. */
int h264i_i_copy_open(io_copy *c, AVFormatContext *fmt, h264i_streams *s);

/* Writes the packets that begin at limit_us or before; `last`: discards the others. Returns 0, or
 * AVERROR of the output, of memory or of the temporary file; *what then is the step that failed. */
int h264i_i_copy_until(
	io_copy *c, AVFormatContext *fmt, int64_t limit_us, int last, const char **what);

/* Gives fmt, before its trailer, the chapters that begin before end_us, cut there; INT64_MAX: all.
 * Returns 0 or AVERROR. */
int h264i_i_copy_chapters(io_copy *c, AVFormatContext *fmt, int64_t end_us);

void h264i_i_copy_close(io_copy *c);
#endif
