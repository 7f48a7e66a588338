#include "h264intra/io/demux.h"
#include "h264intra/io/demux_error.h"
#include "h264intra/io/truncated.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <libavutil/pixdesc.h>

/* Limit of errors while draining: a decoder that only fails would never end. */
enum { MAX_DRAIN_ERRORS = 1000 };

static int interrupted(void *opaque)
{
	return h264i_i_infile_interrupted(opaque);
}

int h264i_i_demux_is_url(const char *path)
{
	const char *protocol = avio_find_protocol_name(path);

	return strchr(path, '%') || (protocol && strcmp(protocol, "file") != 0);
}

static h264i_io_status set_demuxer_options(
	const h264i_source_options *o, AVDictionary **dict, const char *name, char *msg)
{
	if (o->width || o->height) {
		char size[32];

		snprintf(size, sizeof(size), "%" PRIu32 "x%" PRIu32, o->width, o->height);
		av_dict_set(dict, "video_size", size, 0);
	}
	if (o->fps_num && o->fps_den) {
		char rate[32];

		snprintf(rate, sizeof(rate), "%" PRIu32 "/%" PRIu32, o->fps_num, o->fps_den);
		av_dict_set(dict, "framerate", rate, 0);
	}
	if (o->pixel_format) {
		if (av_get_pix_fmt(o->pixel_format) == AV_PIX_FMT_NONE)
			return h264i_i_io_fail(H264I_IO_ERR_ARG, msg, name,
				"FFmpeg has no pixel format '%s'", o->pixel_format);
		av_dict_set(dict, "pixel_format", o->pixel_format, 0);
	}
	return H264I_IO_OK;
}

static h264i_io_status open_format(io_demux *d, const h264i_source_options *o, char *msg)
{
	const AVInputFormat *format = NULL;
	AVDictionary *dict = NULL;
	h264i_io_status s;
	int e;

	if (o->format) {
		format = av_find_input_format(o->format);
		if (!format)
			return h264i_i_io_fail(H264I_IO_ERR_ARG, msg, d->name,
				"FFmpeg has no input format '%s'", o->format);
	} else if (o->width || o->height) {
		format = av_find_input_format("rawvideo"); /* only raw video has no size */
	}
	d->fmt = avformat_alloc_context();
	if (!d->fmt || (d->in->fd >= 0 && h264i_i_infile_make_avio(d->in) != 0))
		return h264i_i_demux_explain_open(d, AVERROR(ENOMEM), msg);
	d->fmt->pb = d->in->pb;
	if (d->in->pb)
		d->fmt->flags |= AVFMT_FLAG_CUSTOM_IO; /* ours to close, also after a failure */
	d->fmt->interrupt_callback = (AVIOInterruptCB){ .callback = interrupted, .opaque = d->in };
	s = set_demuxer_options(o, &dict, d->name, msg);
	if (s != H264I_IO_OK) {
		av_dict_free(&dict);
		return s;
	}
	e = avformat_open_input(&d->fmt, o->path, format, &dict);
	if (e >= 0) {
		const AVDictionaryEntry *left = av_dict_get(dict, "", NULL, AV_DICT_IGNORE_SUFFIX);

		/* FFmpeg reads any text file as "ANSI art"; here a text file is an error. */
		if (!format && strcmp(d->fmt->iformat->name, "tty") == 0)
			e = AVERROR_INVALIDDATA;
		if (left) {
			s = h264i_i_io_fail(H264I_IO_ERR_ARG, msg, d->name,
				"the %s cannot be set; a file of the format %s has its own",
				left->key, d->fmt->iformat->name);
			av_dict_free(&dict);
			return s;
		}
		d->rate = (AVRational){ (int)o->fps_num, (int)o->fps_den };
	}
	av_dict_free(&dict);
	if (e == AVERROR(EINVAL) && h264i_i_demux_lacks_size(o))
		return h264i_i_io_fail(H264I_IO_ERR_ARG, msg, d->name,
			"raw video states no size; give its width and height (--size WxH)");
	return e < 0 ? h264i_i_demux_explain_open(d, e, msg) : H264I_IO_OK;
}

static h264i_io_status open_streams(
	io_demux *d, const io_notice *notice, const h264i_source_options *o, char *msg)
{
	int e = avformat_find_stream_info(d->fmt, NULL);

	if (e < 0)
		return h264i_i_demux_explain_open(d, e, msg);
	e = av_find_best_stream(d->fmt, AVMEDIA_TYPE_VIDEO, -1, -1, NULL, 0);
	/* The cover picture of an audio file is not a video. */
	if (e < 0 || (d->fmt->streams[e]->disposition & AV_DISPOSITION_ATTACHED_PIC)) {
		if (h264i_i_infile_interrupted(d->in))
			return h264i_i_demux_explain_open(d, AVERROR_EXIT, msg);
		return h264i_i_io_fail(H264I_IO_ERR_FORMAT, msg, d->name,
			"no video in this file (format %s)", d->fmt->iformat->name);
	}
	d->stream = d->fmt->streams[e];
	if (o->streams && h264i_i_streams_describe(o->streams, d->fmt, d->stream, notice) < 0)
		return h264i_i_demux_explain_open(d, AVERROR(ENOMEM), msg);
	d->streams = o->streams;
	for (unsigned i = 0; i < d->fmt->nb_streams; i++)
		if ((int)i != e && !(d->streams && h264i_i_streams_wants(d->streams, (int)i)))
			d->fmt->streams[i]->discard = AVDISCARD_ALL;
	return H264I_IO_OK;
}

static void open_hwdec(
	io_demux *d, const AVCodec *codec, const io_notice *notice, const h264i_source_options *o)
{
	char why[IO_HWDEC_WHY_BYTES] = "";

	if (o->hwdec && h264i_i_hwdec_attach(&d->hwdec, d->dec, codec, o->hwdec_device, why) != 0)
		h264i_i_notice(
			notice, H264I_LOG_WARN, "the CPU decodes the video, because %s", why);
}

static h264i_io_status open_decoder(
	io_demux *d, const io_notice *notice, const h264i_source_options *o, char *msg)
{
	const AVCodecParameters *par = d->stream->codecpar;
	const AVCodec *codec = avcodec_find_decoder(par->codec_id);
	char why[AV_ERROR_MAX_STRING_SIZE];
	int e;

	if (!codec)
		return h264i_i_io_fail(H264I_IO_ERR_FORMAT, msg, d->name,
			"this FFmpeg has no decoder for %s", avcodec_get_name(par->codec_id));
	d->dec = avcodec_alloc_context3(codec);
	d->packet = av_packet_alloc();
	if (!d->dec || !d->packet)
		return h264i_i_demux_explain_open(d, AVERROR(ENOMEM), msg);
	e = avcodec_parameters_to_context(d->dec, par);
	if (e >= 0) {
		d->dec->pkt_timebase = d->stream->time_base;
		d->dec->thread_count = (int)o->threads;
		d->dec->thread_type = FF_THREAD_FRAME | FF_THREAD_SLICE;
		h264i_i_framepool_attach(&d->pool, d->dec);
		open_hwdec(d, codec, notice, o);
		e = avcodec_open2(d->dec, codec, NULL);
	}
	if (e < 0)
		return h264i_i_io_fail(H264I_IO_ERR_FORMAT, msg, d->name,
			"cannot open the %s decoder: %s", codec->name,
			h264i_i_demux_error_text(e, why, sizeof(why)));
	return H264I_IO_OK;
}

h264i_io_status h264i_i_demux_open(io_demux *d, io_infile *in, const io_notice *notice,
	const h264i_source_options *o, char *msg)
{
	h264i_io_status s;

	memset(d, 0, sizeof(*d));
	d->packet_end = -1;
	h264i_i_framepool_init(&d->pool);
	d->in = in;
	d->name = notice->name;
	s = open_format(d, o, msg);
	if (s == H264I_IO_OK)
		s = open_streams(d, notice, o, msg);
	if (s == H264I_IO_OK)
		s = open_decoder(d, notice, o, msg);
	return s;
}

static void note_damage(io_demux *d)
{
	if (d->damaged++ == 0)
		d->first_damaged = d->decoded;
}

/* Passes on or discards a packet of another stream. */
static void put_other(io_demux *d)
{
	if (d->streams)
		h264i_i_streams_put(d->streams, d->packet);
	else
		av_packet_unref(d->packet);
}

/* Counts the packet. Returns 1 if it is not to be decoded. */
static int is_skipped(io_demux *d)
{
	const uint64_t number = d->shown;

	d->shown += !(d->packet->flags & AV_PKT_FLAG_DISCARD);
	if (number >= d->skip_until)
		return 0;
	if (d->skipped == 0)
		d->skip_from = number;
	d->skipped += d->shown > number;
	return 1;
}

/* Reads until a packet of the stream, or the end of the input, was sent to the decoder. */
static void feed_decoder(io_demux *d)
{
	for (;;) {
		int e = av_read_frame(d->fmt, d->packet);

		if (e == AVERROR(EAGAIN))
			continue;
		if (e < 0) {
			if (e != AVERROR_EOF)
				d->read_error = e;
			d->draining = 1;
			avcodec_send_packet(d->dec, NULL);
			return;
		}
		if (d->packet->stream_index != d->stream->index) {
			put_other(d);
			continue;
		}
		d->packets++;
		if (is_skipped(d)) {
			av_packet_unref(d->packet);
			continue;
		}
		d->packet_end = d->packet->pos >= 0 ? d->packet->pos + d->packet->size : -1;
		if (d->packet->flags & AV_PKT_FLAG_CORRUPT)
			note_damage(d);
		e = avcodec_send_packet(d->dec, d->packet);
		/* A packet with both faults counts once. */
		if (e < 0 && e != AVERROR_EOF && !(d->packet->flags & AV_PKT_FLAG_CORRUPT))
			note_damage(d);
		av_packet_unref(d->packet);
		return;
	}
}

void h264i_i_demux_skip(io_demux *d, uint64_t until)
{
	const AVCodecDescriptor *desc = avcodec_descriptor_get(d->dec->codec_id);

	/* Other codecs predict from earlier pictures, and may have packets without a picture. */
	if (desc && (desc->props & AV_CODEC_PROP_INTRA_ONLY))
		d->skip_until = until;
}

uint64_t h264i_i_demux_number(const io_demux *d)
{
	const uint64_t n = d->decoded - 1;

	return d->skipped > 0 && n >= d->skip_from ? n + d->skipped : n;
}

/* Returns END if all reads have worked, else the status of the failure with msg. */
static h264i_io_status read_failure(const io_demux *d, char *msg)
{
	char why[AV_ERROR_MAX_STRING_SIZE];

	if (d->read_error == AVERROR_EXIT)
		return h264i_i_io_fail(H264I_IO_INTERRUPTED, msg, d->name, "interrupted");
	if (d->in->error)
		return h264i_i_io_fail(H264I_IO_ERR_READ, msg, d->name, "%s after frame %" PRIu64,
			strerror(d->in->error), d->decoded);
	if (d->read_error && !h264i_i_demux_is_damage(d, d->read_error))
		return h264i_i_io_fail(H264I_IO_ERR_READ, msg, d->name, "%s after frame %" PRIu64,
			h264i_i_demux_error_text(d->read_error, why, sizeof(why)), d->decoded);
	return H264I_IO_END;
}

static h264i_io_status end_of_stream(io_demux *d, char *msg)
{
	const h264i_io_status s = read_failure(d, msg);
	int truncated;

	if (s != H264I_IO_END)
		return s;
	truncated = d->read_error || h264i_i_is_truncated(d->fmt, d->stream, d->in, d->packet_end);
	if (d->decoded == 0 && (truncated || d->damaged))
		return h264i_i_io_fail(H264I_IO_ERR_DAMAGED, msg, d->name,
			"no frame can be decoded%s",
			!d->in->seekable && d->in->fd >= 0 && strstr(d->fmt->iformat->name, "mp4")
				? " (through a pipe, an .mp4 needs its index at the front)"
				: "");
	if (truncated)
		return h264i_i_io_fail(H264I_IO_ERR_DAMAGED, msg, d->name,
			"truncated or damaged after frame %" PRIu64, d->decoded);
	if (d->damaged)
		return h264i_i_io_fail(H264I_IO_ERR_DAMAGED, msg, d->name,
			"damaged in %" PRIu64 " place%s, first after frame %" PRIu64, d->damaged,
			d->damaged == 1 ? "" : "s", d->first_damaged);
	return H264I_IO_END;
}

static h264i_io_status explain_fetch(const io_demux *d, int e, char *msg)
{
	char why[AV_ERROR_MAX_STRING_SIZE];

	return h264i_i_io_fail(e == AVERROR(ENOMEM) ? H264I_IO_ERR_NOMEM : H264I_IO_ERR_READ, msg,
		d->name, "frame %" PRIu64 " cannot be copied from the GPU: %s", d->decoded - 1,
		h264i_i_demux_error_text(e, why, sizeof(why)));
}

h264i_io_status h264i_i_demux_next(io_demux *d, AVFrame *frame, char *msg)
{
	int drain_errors = 0;

	for (;;) {
		int e = avcodec_receive_frame(d->dec, frame);

		if (e == 0) {
			d->decoded++;
			e = d->hwdec.device ? h264i_i_hwdec_fetch(&d->hwdec, frame) : 0;
			if (e < 0)
				return explain_fetch(d, e, msg);
			if ((frame->flags & AV_FRAME_FLAG_CORRUPT) || frame->decode_error_flags)
				note_damage(d);
			return H264I_IO_OK;
		}
		if (e == AVERROR_EOF)
			return end_of_stream(d, msg);
		if (e != AVERROR(EAGAIN)) {
			note_damage(d);
			if (d->draining && ++drain_errors > MAX_DRAIN_ERRORS)
				return end_of_stream(d, msg);
		}
		if (!d->draining)
			feed_decoder(d);
	}
}

h264i_io_status h264i_i_demux_read_streams(io_demux *d, int64_t until_us, char *msg)
{
	/* Packets of a time may be up to two seconds apart in the file. */
	const int64_t limit_us = until_us + 2 * AV_TIME_BASE;
	int64_t at_us = INT64_MIN;

	if (!d->streams || d->draining)
		return read_failure(d, msg);
	while (at_us < limit_us) {
		const int e = av_read_frame(d->fmt, d->packet);
		const AVStream *st;

		if (e == AVERROR(EAGAIN))
			continue;
		if (e < 0) {
			if (e != AVERROR_EOF)
				d->read_error = e;
			break;
		}
		st = d->fmt->streams[d->packet->stream_index];
		/* Subtitles and data may have times far ahead. */
		if (d->packet->dts != AV_NOPTS_VALUE &&
			(st == d->stream || st->codecpar->codec_type == AVMEDIA_TYPE_AUDIO))
			at_us = av_rescale_q(d->packet->dts, st->time_base, AV_TIME_BASE_Q) -
				(d->fmt->start_time != AV_NOPTS_VALUE ? d->fmt->start_time : 0);
		if (st == d->stream)
			av_packet_unref(d->packet);
		else
			put_other(d);
	}
	return read_failure(d, msg);
}

void h264i_i_demux_close(io_demux *d)
{
	av_packet_free(&d->packet);
	avcodec_free_context(&d->dec);
	h264i_i_hwdec_close(&d->hwdec);
	avformat_close_input(&d->fmt);
	if (d->in)
		h264i_i_framepool_close(&d->pool);
	d->in = NULL;
}
