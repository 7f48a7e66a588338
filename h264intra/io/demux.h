/* Demultiplexes and decodes a file with libavformat and libavcodec, in the calling thread. */
#ifndef H264INTRA_IO_DEMUX_H
#define H264INTRA_IO_DEMUX_H

#include <h264intra/source.h>
#include "h264intra/io/compat.h"
#include "h264intra/io/framepool.h"
#include "h264intra/io/hwdec.h"
#include "h264intra/io/infile.h"
#include "h264intra/io/message.h"
#include "h264intra/io/streams.h"

typedef struct io_demux {
	io_infile *in;    /* owned by the caller, as is name */
	const char *name; /* for messages */
	AVFormatContext *fmt;
	AVCodecContext *dec;
	AVStream *stream;
	h264i_streams
		*streams; /* receives the packets of other streams; NULL: they are discarded */
	io_hwdec hwdec;
	io_framepool pool; /* the decoder's buffers */
	AVPacket *packet;
	AVRational rate; /* of the options, if the demultiplexer accepted it; 0/0: none */
	int draining;    /* the end of the input was sent to the decoder */
	uint64_t packets;
	uint64_t shown;      /* packets without those whose picture is not shown */
	uint64_t skip_until; /* packets before this number are not decoded */
	uint64_t skip_from;  /* number of the first one that was skipped */
	uint64_t skipped;
	uint64_t decoded;       /* frames */
	uint64_t damaged;       /* damaged packets and frames */
	uint64_t first_damaged; /* frames decoded before the first damage */
	int64_t packet_end;     /* file position behind the last packet; -1: unknown */
	int read_error;         /* AVERROR that ended the reading; 0: none or end of file */
} io_demux;

/* 1: the path is not a file, but FFmpeg may open it: a URL or a pattern of picture files. */
int h264i_i_demux_is_url(const char *path);

/* Opens what `in` reads, or o->path by FFmpeg if in->fd is negative. On failure msg (IO_MSG_BYTES)
 * names the file and the reason. After either, h264i_i_demux_close. */
h264i_io_status h264i_i_demux_open(io_demux *d, io_infile *in, const io_notice *notice,
	const h264i_source_options *o, char *msg);

/* Decodes the next frame in presentation order. Returns OK, or the end of the stream: END,
 * INTERRUPTED, ERR_READ or ERR_DAMAGED, the errors with msg. */
h264i_io_status h264i_i_demux_next(io_demux *d, AVFrame *frame, char *msg);

/* Skips the pictures before number `until`, as far as the decoder does not need them. Called after
 * the first frame was decoded. */
void h264i_i_demux_skip(io_demux *d, uint64_t until);

/* Returns the number in the input of the frame that was decoded last. */
uint64_t h264i_i_demux_number(const io_demux *d);

/* Reads on without decoding, until the other streams have reached until_us from the start of the
 * file. Returns END, or the status of a read that failed with msg, also of an earlier one. */
h264i_io_status h264i_i_demux_read_streams(io_demux *d, int64_t until_us, char *msg);

void h264i_i_demux_close(io_demux *d);
#endif
