/* The streams of an input besides its video, on their way from the demultiplexer to the
 * multiplexer: their description, and a FIFO of their packets that is bounded in memory. */
#ifndef H264INTRA_IO_STREAMS_H
#define H264INTRA_IO_STREAMS_H

#include <pthread.h>
#include <h264intra/io.h>
#include "h264intra/io/compat.h"
#include "h264intra/io/notice.h"
#include "h264intra/io/spill.h"

/* Times of packets are below this, or unknown, so that their sums do not overflow. */
#define IO_TIME_LIMIT (INT64_C(1) << 60)

/* Side data that says how pictures are viewed, beside the rotation: two in one, spheres. */
enum { IO_VIEWS = 2 };
static const enum AVPacketSideDataType io_view_types[IO_VIEWS] = { AV_PKT_DATA_STEREO3D,
	AV_PKT_DATA_SPHERICAL };

typedef struct io_waiting {
	AVPacket *packet;
	struct io_waiting *next;
} io_waiting;

struct h264i_streams {
	/* Set by the source before it returns from opening, then constant. */
	AVFormatContext *desc; /* NULL: no input yet. Streams, file metadata and chapters */
	int *from;             /* index in the input, of each stream of desc */
	int *to;               /* index in desc, of each stream of the input; -1: not copied */
	unsigned inputs;       /* streams of the input */
	AVDictionary *video_metadata;
	int video_disposition;
	uint8_t *video_view[IO_VIEWS]; /* side data of the video, by io_view_types; NULL: none */
	size_t video_view_bytes[IO_VIEWS];
	int64_t start_us; /* of the file, or of its first frame that is read: becomes time 0 */
	int cut;          /* 1: packets before that are left out */
	io_notice notice;
	char *name;

	pthread_mutex_t lock; /* guards all below */
	uint8_t *dropped;     /* by index in desc: the output cannot store the stream */
	io_waiting *first, *last;
	size_t bytes;   /* of the packets in memory */
	io_spill spill; /* packets behind those in memory */
	int error;      /* errno of the first packet that was lost; 0: none */
};

/* Describes the streams of fmt except `video`. Only the first call has an effect. Returns 0 or
 * AVERROR(ENOMEM). */
int h264i_i_streams_describe(
	h264i_streams *s, const AVFormatContext *fmt, const AVStream *video, const io_notice *n);

/* 1 if there is something to copy: streams, chapters or metadata. */
int h264i_i_streams_any(const h264i_streams *s);

/* Begins `us` behind the start of the file: packets and chapters before that are left out, and it
 * is time 0. Called before packets are taken. */
void h264i_i_streams_begin_at(h264i_streams *s, int64_t us);

/* Frees the description. */
void h264i_i_streams_forget(h264i_streams *s);

/* 1: packets of this stream of the input are copied. */
int h264i_i_streams_wants(const h264i_streams *s, int input_stream);

/* Moves a packet of the input to the end of the FIFO, or discards it. */
void h264i_i_streams_put(h264i_streams *s, AVPacket *packet);

/* Discards the packets of a stream of desc, present and later ones. */
void h264i_i_streams_drop(h264i_streams *s, unsigned stream);

/* Dequeues the first packet if it begins at limit_us or before, counted from the start of the file.
 * With discard_later it discards the packets before that begin later. The stream_index is that of
 * desc, the times are those of the input. Returns 1, 0 if there is none, or -1 after an error, with
 * s->error. */
int h264i_i_streams_take(h264i_streams *s, int64_t limit_us, int discard_later, AVPacket *packet);
#endif
