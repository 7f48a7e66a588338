#include <h264intra/source.h>

#include "h264intra/io/convert.h"
#include "h264intra/io/demux.h"
#include "h264intra/io/describe.h"
#include "h264intra/io/notice.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Decoded frames wait here for the copy: enough to even out, and not much memory. */
enum { RING_FRAMES = 8, RING_FRAMES_MIN = 2, RING_BYTES = 48 * 1024 * 1024 };

struct h264i_source {
	io_demux demux; /* the decoding thread's, once it runs */
	io_convert convert;
	h264i_source_info info;
	io_notice notice;

	pthread_t thread;
	int thread_runs;
	pthread_mutex_t lock; /* guards all down to end_msg */
	pthread_cond_t changed;
	AVFrame *ring[RING_FRAMES];
	uint32_t ring_frames, head, count;
	int closing;
	int ended;
	h264i_io_status end_status;
	char end_msg[IO_MSG_BYTES];

	AVFrame *current; /* from here on the reader's */
	int first_width, first_height;
	int64_t start; /* of the file, in the stream's time base */
	int64_t default_duration;
	int64_t last_pts;
	uint64_t frames;
	int said_order;
	h264i_io_status failed; /* what every later read returns; OK: go on */
	char error[IO_MSG_BYTES];
};

void h264i_source_options_init(h264i_source_options *o)
{
	memset(o, 0, sizeof(*o));
	o->struct_bytes = sizeof(*o);
	o->interrupt_fd = -1;
}

/* The decoding thread. */
static void *decode_ahead(void *opaque)
{
	h264i_source *src = opaque;
	AVFrame *frame = av_frame_alloc();
	char msg[IO_MSG_BYTES] = "";
	h264i_io_status s = frame ? H264I_IO_OK : H264I_IO_ERR_NOMEM;

	while (s == H264I_IO_OK) {
		s = h264i_i_demux_next(&src->demux, frame, msg);
		pthread_mutex_lock(&src->lock);
		while (s == H264I_IO_OK && src->count == src->ring_frames && !src->closing)
			pthread_cond_wait(&src->changed, &src->lock);
		if (src->closing)
			s = H264I_IO_INTERRUPTED;
		if (s == H264I_IO_OK) {
			av_frame_move_ref(
				src->ring[(src->head + src->count) % src->ring_frames], frame);
			src->count++;
			pthread_cond_signal(&src->changed);
		}
		pthread_mutex_unlock(&src->lock);
	}
	av_frame_free(&frame);
	pthread_mutex_lock(&src->lock);
	src->ended = 1;
	src->end_status = s;
	memcpy(src->end_msg, msg, sizeof(msg));
	pthread_cond_signal(&src->changed);
	pthread_mutex_unlock(&src->lock);
	return NULL;
}

static void give_notice(h264i_source *src)
{
	const AVFrame *first = src->ring[0];
	unsigned others = src->demux.fmt->nb_streams - 1;
	io_notice *n = &src->notice;

	n->name = src->demux.name;
	if (src->info.converted)
		h264i_i_notice(n, H264I_LOG_INFO, "pixels are converted from %s to 8-bit 4:2:0",
			src->info.pixel_format);
	h264i_i_notice_hdr(n, first);
	h264i_i_notice_fields(n, h264i_i_stream_fields(&src->demux));
	h264i_i_notice_frame_fields(n, first);
	if ((uint32_t)src->first_width != src->info.width ||
		(uint32_t)src->first_height != src->info.height)
		h264i_i_notice(n, H264I_LOG_WARN,
			"%dx%d is cut to %" PRIu32 "x%" PRIu32 ", since 4:2:0 needs even sizes",
			src->first_width, src->first_height, src->info.width, src->info.height);
	if (others > 0)
		h264i_i_notice(n, H264I_LOG_INFO, "%u other stream%s (sound, subtitles) left out",
			others, others == 1 ? "" : "s");
}

static h264i_io_status take_first(h264i_source *src, char *msg)
{
	AVFrame *first = src->ring[0];
	h264i_io_status s = h264i_i_demux_next(&src->demux, first, msg);
	int64_t bytes;

	if (s == H264I_IO_END) {
		snprintf(msg, IO_MSG_BYTES, "%s: the video has no frames", src->demux.name);
		return H264I_IO_ERR_EMPTY;
	}
	if (s != H264I_IO_OK)
		return s;
	src->first_width = first->width;
	src->first_height = first->height;
	h264i_i_describe(&src->info, &src->demux, first);
	if (src->info.width == 0 || src->info.height == 0) {
		snprintf(msg, IO_MSG_BYTES, "%s: pictures of %dx%d are too small", src->demux.name,
			first->width, first->height);
		return H264I_IO_ERR_SIZE;
	}
	bytes = (int64_t)first->width * first->height * 3 / 2;
	src->ring_frames = RING_FRAMES;
	while (src->ring_frames > RING_FRAMES_MIN && src->ring_frames * bytes > RING_BYTES)
		src->ring_frames--;
	src->count = 1;
	if (src->demux.fmt->start_time != AV_NOPTS_VALUE)
		src->start = av_rescale_q(
			src->demux.fmt->start_time, AV_TIME_BASE_Q, src->demux.stream->time_base);
	src->default_duration = av_rescale(src->info.time_base_den, src->info.vui.fps_den,
		(int64_t)src->info.time_base_num * src->info.vui.fps_num);
	if (src->default_duration < 1)
		src->default_duration = 1;
	return H264I_IO_OK;
}

h264i_io_status h264i_source_open(
	h264i_source **out, const h264i_source_options *o, char *msg, size_t msg_bytes)
{
	char why[IO_MSG_BYTES] = "";
	h264i_source *src = NULL;
	h264i_io_status s = H264I_IO_ERR_NOMEM;

	*out = NULL;
	if (!o->path || o->struct_bytes != sizeof(*o)) {
		snprintf(why, sizeof(why), "no path, or options that were not initialised");
		s = H264I_IO_ERR_ARG;
		goto failed;
	}
	src = calloc(1, sizeof(*src));
	if (!src)
		goto failed;
	pthread_mutex_init(&src->lock, NULL);
	pthread_cond_init(&src->changed, NULL);
	src->notice.log = o->log;
	src->notice.log_opaque = o->log_opaque;
	s = h264i_i_demux_open(&src->demux, o, why);
	if (s != H264I_IO_OK)
		goto failed;
	for (int i = 0; i < RING_FRAMES; i++)
		if (!(src->ring[i] = av_frame_alloc()))
			s = H264I_IO_ERR_NOMEM;
	if (!(src->current = av_frame_alloc()))
		s = H264I_IO_ERR_NOMEM;
	if (s == H264I_IO_OK)
		s = take_first(src, why);
	if (s != H264I_IO_OK)
		goto failed;
	src->convert.threads = (int)o->threads;
	give_notice(src);
	if (pthread_create(&src->thread, NULL, decode_ahead, src) != 0) {
		s = H264I_IO_ERR_NOMEM;
		goto failed;
	}
	src->thread_runs = 1;
	*out = src;
	return H264I_IO_OK;
failed:
	if (msg && msg_bytes)
		snprintf(msg, msg_bytes, "%s", why[0] ? why : h264i_io_strstatus(s));
	h264i_source_close(&src);
	return s;
}

const h264i_source_info *h264i_source_get_info(const h264i_source *src)
{
	return &src->info;
}

const char *h264i_source_last_error(const h264i_source *src)
{
	return src->error;
}

/* Moves the next frame to src->current. */
static h264i_io_status pop_frame(h264i_source *src)
{
	h264i_io_status s = H264I_IO_OK;

	pthread_mutex_lock(&src->lock);
	while (src->count == 0 && !src->ended)
		pthread_cond_wait(&src->changed, &src->lock);
	if (src->count == 0) {
		s = src->end_status;
		if (s != H264I_IO_END)
			memcpy(src->error, src->end_msg, sizeof(src->error));
	} else {
		av_frame_unref(src->current);
		av_frame_move_ref(src->current, src->ring[src->head]);
		src->head = (src->head + 1) % src->ring_frames;
		src->count--;
		pthread_cond_signal(&src->changed);
	}
	pthread_mutex_unlock(&src->lock);
	return s;
}

static void set_times(h264i_source *src, h264i_source_frame *f)
{
	int64_t t = src->current->best_effort_timestamp;
	int64_t duration = io_frame_duration(src->current);

	f->index = src->frames;
	if (h264i_i_no_timestamps(&src->demux)) {
		f->pts = (int64_t)src->frames;
		f->duration = 1;
		return;
	}
	f->duration = duration > 0 ? duration : src->default_duration;
	if (t != AV_NOPTS_VALUE)
		f->pts = t - src->start;
	else
		f->pts = src->frames ? src->last_pts + src->default_duration : 0;
	if (src->frames > 0 && f->pts <= src->last_pts) {
		if (!src->said_order)
			h264i_i_notice(&src->notice, H264I_LOG_WARN,
				"frame %" PRIu64 " is not later than the one before, moved",
				f->index);
		src->said_order = 1;
		f->pts = src->last_pts + 1;
	}
	src->last_pts = f->pts;
}

h264i_io_status h264i_source_read(h264i_source *src, uint8_t *const plane[3],
	const size_t pitch_bytes[3], h264i_source_frame *frame)
{
	int e;

	memset(frame, 0, sizeof(*frame));
	if (src->failed != H264I_IO_OK)
		return src->failed;
	src->failed = pop_frame(src);
	if (src->failed != H264I_IO_OK)
		return src->failed;
	if (src->current->width != src->first_width || src->current->height != src->first_height) {
		snprintf(src->error, sizeof(src->error),
			"%s: frame %" PRIu64 " is %dx%d, the frames before are %dx%d",
			src->demux.name, src->frames, src->current->width, src->current->height,
			src->first_width, src->first_height);
		return src->failed = H264I_IO_ERR_SIZE;
	}
	e = h264i_i_convert(
		&src->convert, src->current, src->info.width, src->info.height, plane, pitch_bytes);
	if (e < 0) {
		snprintf(src->error, sizeof(src->error), "%s: frame %" PRIu64 " (%s): %s",
			src->demux.name, src->frames, src->info.pixel_format,
			"this pixel format cannot be converted");
		return src->failed =
			       e == AVERROR(ENOMEM) ? H264I_IO_ERR_NOMEM : H264I_IO_ERR_FORMAT;
	}
	h264i_i_notice_frame_fields(&src->notice, src->current);
	set_times(src, frame);
	src->frames++;
	av_frame_unref(src->current); /* gives the decoder its buffer back early */
	return H264I_IO_OK;
}

void h264i_source_interrupt(h264i_source *src)
{
	h264i_i_infile_wake(&src->demux.in);
}

void h264i_source_close(h264i_source **psrc)
{
	h264i_source *src = *psrc;

	*psrc = NULL;
	if (!src)
		return;
	if (src->thread_runs) {
		pthread_mutex_lock(&src->lock);
		src->closing = 1;
		pthread_cond_signal(&src->changed);
		pthread_mutex_unlock(&src->lock);
		h264i_i_infile_wake(&src->demux.in);
		pthread_join(src->thread, NULL);
	}
	for (int i = 0; i < RING_FRAMES; i++)
		av_frame_free(&src->ring[i]);
	av_frame_free(&src->current);
	h264i_i_convert_close(&src->convert);
	h264i_i_demux_close(&src->demux);
	pthread_cond_destroy(&src->changed);
	pthread_mutex_destroy(&src->lock);
	free(src);
}
