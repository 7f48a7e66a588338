/* Frames that FFmpeg decodes: a thread demultiplexes and decodes ahead into a ring. */
#ifndef H264INTRA_IO_DECODED_H
#define H264INTRA_IO_DECODED_H

#include <pthread.h>
#include "h264intra/io/convert.h"
#include "h264intra/io/demux.h"
#include "h264intra/io/notice.h"
#include "h264intra/io/parts.h"

/* Capacity of the ring of decoded frames; less for large pictures. */
enum { IO_RING_FRAMES = 8 };

typedef struct io_decoded {
	io_demux demux;  /* used by the decoding thread only, once it runs */
	io_range range;  /* of the frames that are read */
	int64_t seek_us; /* time of options.first_frame from the start of the file */
	pthread_t thread;
	int thread_runs;
	pthread_mutex_t lock; /* guards all down to end_msg */
	pthread_cond_t changed;
	AVFrame *ring[IO_RING_FRAMES];
	uint32_t ring_frames, head, count;
	int closing;
	int frames_end;   /* 1: no more frames are read, only other streams, up to */
	int64_t until_us; /* this time from the start of the file */
	int ended;
	h264i_io_status end_status;
	char end_msg[IO_MSG_BYTES];

	int first_width, first_height; /* from here on of the thread that calls io_decoded_next */
	int64_t start;                 /* of the file, in the stream's time base */
	int64_t default_duration;
	int64_t last_pts;
	uint64_t frames;
	int scale_changes, first_full_range;
	int first_colours[3]; /* matrix, primaries, transfer */
	int order_reported, range_reported, size_reported, colours_reported; /* 1: was warned of */
	io_notice *notice;

	pthread_mutex_t convert_lock; /* guards convert */
	io_convert convert;
} io_decoded;

/* Opens `in` (or the URL of `o`, if in->fd is negative), decodes the first frame and starts the
 * thread. On success `info` is complete; in all cases call h264i_i_decoded_close. msg has
 * IO_MSG_BYTES. */
h264i_io_status h264i_i_decoded_open(io_decoded *d, io_infile *in, const h264i_source_options *o,
	h264i_source_info *info, io_notice *notice, char *msg);

/* Waits for the next frame and moves it to `to`. *as_first: its size, which is even, and its range
 * are those of the first frame, else only h264i_i_decoded_fill makes them so. Returns OK, or the
 * end of the stream, with msg for errors. */
h264i_io_status h264i_i_decoded_next(
	io_decoded *d, AVFrame *to, h264i_source_frame *times, int *as_first, char *msg);

/* As h264i_source_read_streams; the time is in the time base of the video. */
void h264i_i_decoded_read_streams(io_decoded *d, int64_t until);

/* Copies or converts; any thread. 0 or AVERROR. */
int h264i_i_decoded_fill(
	io_decoded *d, AVFrame *frame, uint8_t *const plane[3], const size_t pitch_bytes[3]);

/* Allowed on a zeroed one. */
void h264i_i_decoded_close(io_decoded *d);
#endif
