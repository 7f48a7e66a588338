#include "h264intra/io/decoded.h"
#include "h264intra/io/describe.h"

#include <inttypes.h>
#include <string.h>
#include "libsched/core/thread.h"

/* Capacity of the ring of decoded frames: compensates varying decoding times in little memory. */
enum { RING_FRAMES_MIN = 2, RING_BYTES = 48 * 1024 * 1024 };

/* As h264i_i_demux_next, for the frames of the part. */
static h264i_io_status next_in_range(io_decoded *d, AVFrame *frame, char *msg)
{
	for (;;) {
		h264i_io_status s = h264i_i_demux_next(&d->demux, frame, msg);
		const uint64_t number = s == H264I_IO_OK ? h264i_i_demux_number(&d->demux) : 0;

		if (s != H264I_IO_OK || (number >= d->range.first && number < d->range.end))
			return s;
		av_frame_unref(frame);
		if (number >= d->range.end)
			return H264I_IO_END;
	}
}

/* The decoding thread. */
static void *decode_ahead(void *opaque)
{
	io_decoded *d = opaque;
	AVFrame *frame = av_frame_alloc();
	char msg[IO_MSG_BYTES] = "";
	h264i_io_status s = frame ? H264I_IO_OK : H264I_IO_ERR_NOMEM;
	int frames_end = 0;
	int64_t until_us = 0;

	while (s == H264I_IO_OK) {
		s = next_in_range(d, frame, msg);
		pthread_mutex_lock(&d->lock);
		while (s == H264I_IO_OK && d->count == d->ring_frames && !d->closing &&
			!d->frames_end)
			pthread_cond_wait(&d->changed, &d->lock);
		if (d->closing)
			s = H264I_IO_INTERRUPTED;
		else if (d->frames_end && s == H264I_IO_OK)
			s = H264I_IO_END;
		frames_end = d->frames_end;
		until_us = d->until_us;
		if (s == H264I_IO_OK) {
			av_frame_move_ref(d->ring[(d->head + d->count) % d->ring_frames], frame);
			d->count++;
			pthread_cond_signal(&d->changed);
		}
		pthread_mutex_unlock(&d->lock);
	}
	av_frame_free(&frame);
	if (frames_end && s == H264I_IO_END)
		s = h264i_i_demux_read_streams(&d->demux, until_us, msg);
	pthread_mutex_lock(&d->lock);
	d->ended = 1;
	d->end_status = s;
	memcpy(d->end_msg, msg, sizeof(msg));
	pthread_cond_signal(&d->changed);
	pthread_mutex_unlock(&d->lock);
	return NULL;
}

static void report_notices(io_decoded *d, const h264i_source_info *info)
{
	const AVFrame *first = d->ring[0];
	unsigned others = d->demux.fmt->nb_streams - 1;
	io_notice *n = d->notice;

	if (d->demux.hwdec.device && !d->demux.hwdec.used)
		h264i_i_notice(n, H264I_LOG_WARN,
			"the CPU decodes the video, because the device's decoder does not support "
			"%s with these parameters",
			info->codec);
	if (info->converted && !d->demux.hwdec.used)
		h264i_i_notice(n, H264I_LOG_INFO, "pixels are converted from %s to 8-bit 4:2:0",
			info->pixel_format);
	h264i_i_notice_hdr(n, first);
	h264i_i_notice_stated_fields(n, h264i_i_stream_fields(&d->demux));
	if (others > 0 && !d->demux.streams)
		h264i_i_notice(n, H264I_LOG_INFO, "%u other stream%s (sound, subtitles) left out",
			others, others == 1 ? "" : "s");
}

static h264i_io_status decode_first(io_decoded *d, h264i_source_info *info, char *msg)
{
	AVFrame *first = d->ring[0];
	h264i_io_status s = h264i_i_demux_next(&d->demux, first, msg);
	int64_t bytes;

	if (s == H264I_IO_END)
		return h264i_i_io_fail(
			H264I_IO_ERR_EMPTY, msg, d->demux.name, "the video has no frames");
	if (s != H264I_IO_OK)
		return s;
	d->first_width = first->width;
	d->first_height = first->height;
	d->first_full_range = d->convert.to_full_range = h264i_i_full_range(first);
	d->first_colours[0] = (int)first->colorspace;
	d->first_colours[1] = (int)first->color_primaries;
	d->first_colours[2] = (int)first->color_trc;
	h264i_i_describe(info, &d->demux, first);
	bytes = (int64_t)first->width * first->height * 3 / 2;
	d->ring_frames = IO_RING_FRAMES;
	while (d->ring_frames > RING_FRAMES_MIN && d->ring_frames * bytes > RING_BYTES)
		d->ring_frames--;
	d->count = 1;
	if (d->demux.fmt->start_time != AV_NOPTS_VALUE)
		d->start = av_rescale_q(
			d->demux.fmt->start_time, AV_TIME_BASE_Q, d->demux.stream->time_base);
	d->default_duration = av_rescale(info->time_base_den, info->vui.fps_den,
		(int64_t)info->time_base_num * info->vui.fps_num);
	if (d->default_duration < 1)
		d->default_duration = 1;
	return H264I_IO_OK;
}

/* The first frame of the file describes all parts, but is in the first one only. */
static void begin_range(io_decoded *d, h264i_source_info *info, uint64_t packets)
{
	const uint64_t end = d->range.end < packets ? d->range.end : packets;

	if (d->range.first > 0 || d->range.end == 0) {
		av_frame_unref(d->ring[0]);
		d->count = 0;
	}
	h264i_i_demux_skip(&d->demux, d->range.first);
	info->first_index = d->range.first;
	info->frames = end > d->range.first ? (int64_t)(end - d->range.first) : 0;
	info->frames_exact = 0;
}

/* Decodes up to options.first_frame, at which times start. The first frame of the file describes
 * the stream. */
static h264i_io_status seek_first(io_decoded *d, h264i_source_info *info, char *msg)
{
	const AVRational base = d->demux.stream->time_base;
	h264i_io_status s;
	int64_t t;

	av_frame_unref(d->ring[0]);
	h264i_i_demux_skip(&d->demux, d->range.first);
	s = next_in_range(d, d->ring[0], msg);
	if (s == H264I_IO_END)
		return h264i_i_past_end(d->notice->name, d->range.first, msg);
	if (s != H264I_IO_OK)
		return s;
	t = d->ring[0]->best_effort_timestamp;
	if (t != AV_NOPTS_VALUE && !h264i_i_no_timestamps(&d->demux)) {
		d->seek_us = av_rescale_q(t - d->start, base, AV_TIME_BASE_Q);
		d->start = t;
	}
	if (d->demux.streams)
		h264i_i_streams_begin_at(d->demux.streams, d->seek_us);
	info->first_index = d->range.first;
	if (info->frames >= 0)
		info->frames = FFMAX(info->frames - (int64_t)d->range.first, 0);
	info->frames_exact = 0;
	return H264I_IO_OK;
}

h264i_io_status h264i_i_decoded_open(io_decoded *d, io_infile *in, const h264i_source_options *o,
	h264i_source_info *info, io_notice *notice, char *msg)
{
	uint64_t packets = 0;
	h264i_io_status s;

	memset(d, 0, sizeof(*d));
	d->notice = notice;
	d->convert.threads = (int)o->threads;
	d->scale_changes = o->scale_changes;
	pthread_mutex_init(&d->lock, NULL);
	pthread_mutex_init(&d->convert_lock, NULL);
	pthread_cond_init(&d->changed, NULL);
	s = h264i_i_demux_open(&d->demux, in, notice, o, msg);
	if (s == H264I_IO_OK && o->parts > 1)
		s = h264i_i_parts_count(o, notice, &packets, msg);
	d->range = h264i_i_parts_range(o, packets);
	for (int i = 0; i < IO_RING_FRAMES && s == H264I_IO_OK; i++)
		if (!(d->ring[i] = av_frame_alloc()))
			s = H264I_IO_ERR_NOMEM;
	if (s == H264I_IO_OK)
		s = decode_first(d, info, msg);
	if (s == H264I_IO_OK)
		s = h264i_i_check_frame_fields(
			notice, d->ring[0], h264i_i_stream_fields(&d->demux), 0, msg);
	if (s != H264I_IO_OK)
		return s;
	report_notices(d, info);
	if (o->parts > 1)
		begin_range(d, info, packets);
	else if (o->first_frame)
		s = seek_first(d, info, msg);
	if (s != H264I_IO_OK)
		return s;
	if (lsched_i_thread_create(&d->thread, decode_ahead, d) != 0)
		return H264I_IO_ERR_NOMEM;
	d->thread_runs = 1;
	return H264I_IO_OK;
}

static h264i_io_status pop_frame(io_decoded *d, AVFrame *to, char *msg)
{
	h264i_io_status s = H264I_IO_OK;

	pthread_mutex_lock(&d->lock);
	while (d->count == 0 && !d->ended)
		pthread_cond_wait(&d->changed, &d->lock);
	if (d->count == 0) {
		s = d->end_status;
		if (s != H264I_IO_END)
			memcpy(msg, d->end_msg, sizeof(d->end_msg));
	} else {
		av_frame_move_ref(to, d->ring[d->head]);
		d->head = (d->head + 1) % d->ring_frames;
		d->count--;
		pthread_cond_signal(&d->changed);
	}
	pthread_mutex_unlock(&d->lock);
	return s;
}

void h264i_i_decoded_read_streams(io_decoded *d, int64_t until)
{
	if (!d->demux.streams)
		return;
	pthread_mutex_lock(&d->lock);
	d->until_us = av_rescale_q(until, d->demux.stream->time_base, AV_TIME_BASE_Q) + d->seek_us;
	d->frames_end = 1;
	pthread_cond_signal(&d->changed);
	while (!d->ended)
		pthread_cond_wait(&d->changed, &d->lock);
	for (; d->count > 0; d->count--, d->head = (d->head + 1) % d->ring_frames)
		av_frame_unref(d->ring[d->head]);
	/* Damage behind the last frame is not reported, but packets that were not read are. */
	if (d->end_status != H264I_IO_ERR_READ)
		d->end_status = H264I_IO_END;
	pthread_mutex_unlock(&d->lock);
}

static void set_times(io_decoded *d, const AVFrame *frame, h264i_source_frame *f)
{
	int64_t t = frame->best_effort_timestamp;
	int64_t duration = io_frame_duration(frame);

	f->index = d->range.first + d->frames;
	if (h264i_i_no_timestamps(&d->demux)) {
		f->pts = (int64_t)d->frames;
		f->duration = 1;
		return;
	}
	f->duration = duration > 0 ? duration : d->default_duration;
	if (t != AV_NOPTS_VALUE)
		f->pts = t - d->start;
	else
		f->pts = d->frames ? d->last_pts + d->default_duration : 0;
	if (d->frames > 0 && f->pts <= d->last_pts) {
		if (!d->order_reported)
			h264i_i_notice(d->notice, H264I_LOG_WARN,
				"frame %" PRIu64
				" is not later than the one before; its timestamp is raised",
				f->index);
		d->order_reported = 1;
		f->pts = d->last_pts + 1;
	}
	d->last_pts = f->pts;
}

/* Warns once of a frame whose colours are described otherwise than those of the first one. */
static void report_colours(io_decoded *d, const AVFrame *f)
{
	const int colours[3] = { (int)f->colorspace, (int)f->color_primaries, (int)f->color_trc };

	if (d->colours_reported || memcmp(colours, d->first_colours, sizeof(colours)) == 0)
		return;
	d->colours_reported = 1;
	h264i_i_notice(d->notice, H264I_LOG_WARN,
		"frame %" PRIu64
		" has another matrix, primaries or transfer than the first frame, with which the "
		"whole stream is tagged; convert it first, for instance with ffmpeg -vf zscale",
		d->range.first + d->frames);
}

/* Checks whether the frame is as the first one. A stream has one size and one range. */
static h264i_io_status check_change(io_decoded *d, const AVFrame *f, int *as_first, char *msg)
{
	const uint64_t number = d->range.first + d->frames;
	const int other_size = f->width != d->first_width || f->height != d->first_height;
	const int other_range = h264i_i_full_range(f) != d->first_full_range;

	*as_first = !other_size && !other_range && f->width % 2 == 0 && f->height % 2 == 0;
	if (other_size && !d->scale_changes)
		return h264i_i_io_fail(H264I_IO_ERR_SIZE, msg, d->demux.name,
			"frame %" PRIu64 " is %dx%d, the frames before are %dx%d; scale all to "
			"the first size with the option scale-changes, or to another one with "
			"ffmpeg -vf scale",
			number, f->width, f->height, d->first_width, d->first_height);
	if (other_size && !d->size_reported)
		h264i_i_notice(d->notice, H264I_LOG_WARN,
			"frame %" PRIu64 " is %dx%d; it and later frames are scaled to %dx%d",
			number, f->width, f->height, d->first_width, d->first_height);
	if (other_range && !d->range_reported)
		h264i_i_notice(d->notice, H264I_LOG_WARN,
			"the samples of frame %" PRIu64
			" have the %s range; they and later ones are converted to the %s range of "
			"the first frame",
			number, d->first_full_range ? "limited" : "full",
			d->first_full_range ? "full" : "limited");
	report_colours(d, f);
	d->size_reported |= other_size;
	d->range_reported |= other_range;
	return H264I_IO_OK;
}

h264i_io_status h264i_i_decoded_next(
	io_decoded *d, AVFrame *to, h264i_source_frame *times, int *as_first, char *msg)
{
	h264i_io_status s = pop_frame(d, to, msg);

	if (s == H264I_IO_OK)
		s = check_change(d, to, as_first, msg);
	if (s != H264I_IO_OK)
		return s;
	s = h264i_i_check_frame_fields(
		d->notice, to, IO_FIELDS_PROGRESSIVE, d->range.first + d->frames, msg);
	if (s != H264I_IO_OK)
		return s;
	set_times(d, to, times);
	d->frames++;
	return H264I_IO_OK;
}

int h264i_i_decoded_fill(
	io_decoded *d, AVFrame *frame, uint8_t *const plane[3], const size_t pitch_bytes[3])
{
	const uint32_t width = (uint32_t)d->first_width, height = (uint32_t)d->first_height;
	int e = 0;

	if (frame->format == AV_PIX_FMT_CUDA && (e = h264i_i_hwdec_download(frame)) < 0)
		return e;
	if (h264i_i_is_i420((enum AVPixelFormat)frame->format) && frame->width == d->first_width &&
		frame->height == d->first_height &&
		h264i_i_full_range(frame) == d->first_full_range) {
		h264i_i_copy(frame, width, height, plane, pitch_bytes);
		return 0;
	}
	pthread_mutex_lock(&d->convert_lock);
	e = h264i_i_convert(&d->convert, frame, width, height, plane, pitch_bytes);
	pthread_mutex_unlock(&d->convert_lock);
	return e;
}

void h264i_i_decoded_close(io_decoded *d)
{
	if (!d->notice)
		return;
	if (d->thread_runs) {
		pthread_mutex_lock(&d->lock);
		d->closing = 1;
		pthread_cond_signal(&d->changed);
		pthread_mutex_unlock(&d->lock);
		h264i_i_infile_wake(d->demux.in);
		pthread_join(d->thread, NULL);
	}
	for (int i = 0; i < IO_RING_FRAMES; i++)
		av_frame_free(&d->ring[i]);
	h264i_i_convert_close(&d->convert);
	h264i_i_demux_close(&d->demux);
	pthread_cond_destroy(&d->changed);
	pthread_mutex_destroy(&d->convert_lock);
	pthread_mutex_destroy(&d->lock);
}
