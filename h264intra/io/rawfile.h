/* Reads .y4m and raw 8-bit 4:2:0 without libavformat: from a regular file in several threads, from
 * a pipe in one, straight into the caller's planes. */
#ifndef H264INTRA_IO_RAWFILE_H
#define H264INTRA_IO_RAWFILE_H

#include <h264intra/source.h>
#include "h264intra/io/infile.h"
#include "h264intra/io/message.h"
#include "h264intra/io/y4mhead.h"

typedef struct io_raw {
	io_infile *in;
	const char *name; /* for messages */
	int is_y4m;
	uint32_t width, height;               /* in the file */
	int64_t frame_bytes;                  /* without the line before it */
	int64_t position;                     /* of the next frame in a regular file */
	uint64_t frames;                      /* assigned by h264i_i_raw_next */
	uint8_t spill[IO_Y4M_FRAME_LINE_MAX]; /* a pipe: a frame's line */
} io_raw;

/* Opens the reader if the input is such a file: returns 1 with `info` complete. Returns 0 for other
 * input, of which nothing is consumed, and a negative h264i_io_status with msg (IO_MSG_BYTES)
 * after an error. */
int h264i_i_raw_open(io_raw *r, io_infile *in, const char *name, const h264i_source_options *o,
	h264i_source_info *info, io_notice *notice, char *msg);

/* Assigns the next frame. Returns OK with the position of its samples in a regular file, END, or an
 * error with msg. Call h264i_i_raw_fill for the frame of a pipe before the next call. */
h264i_io_status h264i_i_raw_next(io_raw *r, int64_t *position, char *msg);

/* Reads frame number `index`, assigned before; frames of a regular file in any number of threads.
 * Writes width x height of `info`. */
h264i_io_status h264i_i_raw_fill(io_raw *r, int64_t position, uint64_t index,
	uint8_t *const plane[3], const size_t pitch_bytes[3], char *msg);
#endif
