#include "h264intra/io/mux.h"
#include "h264intra/io/compat.h"
#include "h264intra/io/copy.h"
#include "h264intra/io/hdr.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libavutil/mem.h>

/* TS_DELAY_US: time between the clock of a transport stream and the decoding of a picture, in which
 * a receiver gets it. */
enum { BUFFER_BYTES = 1024 * 1024, TS_DELAY_US = 700000 };

struct io_mux {
	io_outfile *file;
	AVFormatContext *fmt;
	AVStream *stream;
	AVIOContext *pb;
	AVPacket *packet;
	AVRational time_base;
	int byte_stream; /* 1: the container stores Annex B, with SPS and PPS in each packet */
	io_copy copy;
	int64_t end_us; /* of the last frame */
};

static int write_bytes(void *opaque, io_write_byte *data, int bytes)
{
	io_mux *m = opaque;

	if (h264i_i_outfile_write(m->file, data, (size_t)bytes) != 0)
		return AVERROR(m->file->error);
	return bytes;
}

static int64_t seek_bytes(void *opaque, int64_t offset, int whence)
{
	io_mux *m = opaque;
	int64_t at;

	if (whence & AVSEEK_SIZE)
		return AVERROR(ENOSYS);
	at = h264i_i_outfile_seek(m->file, offset, whence & ~AVSEEK_FORCE);
	return at < 0 ? AVERROR(errno) : at;
}

/* Adds what the container stores beside the coded video. */
static int add_properties(AVStream *st, const h264i_sink_stream *s)
{
	AVMasteringDisplayMetadata display;
	AVContentLightMetadata light;
	int e = 0;

	if (s->has_display_matrix)
		e = io_add_side_data(st, AV_PKT_DATA_DISPLAYMATRIX, s->display_matrix,
			sizeof(s->display_matrix));
	if (s->hdr.has_mastering_display && e == 0) {
		h264i_i_hdr_display(&display, &s->hdr);
		e = io_add_side_data(
			st, AV_PKT_DATA_MASTERING_DISPLAY_METADATA, &display, sizeof(display));
	}
	if (s->hdr.has_content_light && e == 0) {
		light.MaxCLL = s->hdr.max_content_light;
		light.MaxFALL = s->hdr.max_average_light;
		e = io_add_side_data(st, AV_PKT_DATA_CONTENT_LIGHT_LEVEL, &light, sizeof(light));
	}
	return e;
}

static int describe(io_mux *m, const h264i_sink_stream *s)
{
	AVStream *st = m->stream;
	AVCodecParameters *par = st->codecpar;

	par->codec_type = AVMEDIA_TYPE_VIDEO;
	par->codec_id = AV_CODEC_ID_H264;
	par->format = AV_PIX_FMT_YUV420P;
	par->width = (int)s->width;
	par->height = (int)s->height;
	if (s->vui.full_range >= 0)
		par->color_range = s->vui.full_range ? AVCOL_RANGE_JPEG : AVCOL_RANGE_MPEG;
	par->color_primaries = (enum AVColorPrimaries)s->vui.primaries;
	par->color_trc = (enum AVColorTransferCharacteristic)s->vui.transfer;
	par->color_space = (enum AVColorSpace)s->vui.matrix;
	if (s->vui.chroma_loc >= 0)
		par->chroma_location = (enum AVChromaLocation)(s->vui.chroma_loc + 1);
	if (s->vui.sar_num && s->vui.sar_den)
		par->sample_aspect_ratio = st->sample_aspect_ratio =
			(AVRational){ (int)s->vui.sar_num, (int)s->vui.sar_den };
	if (s->vui.fps_num && s->vui.fps_den)
		st->avg_frame_rate = st->r_frame_rate =
			(AVRational){ (int)s->vui.fps_num, (int)s->vui.fps_den };
	m->time_base = (AVRational){ (int)s->time_base_num, (int)s->time_base_den };
	st->time_base = m->time_base;
	par->extradata = av_mallocz(s->headers_bytes + AV_INPUT_BUFFER_PADDING_SIZE);
	if (!par->extradata)
		return AVERROR(ENOMEM);
	memcpy(par->extradata, s->headers, s->headers_bytes);
	par->extradata_size = (int)s->headers_bytes;
	return add_properties(st, s);
}

io_mux *h264i_i_mux_open(
	const char *format, io_outfile *file, const h264i_sink_stream *stream, char *msg)
{
	io_mux *m = calloc(1, sizeof(*m));
	uint8_t *buffer = NULL;

	if (!m)
		goto nomem;
	m->file = file;
	if (avformat_alloc_output_context2(&m->fmt, NULL, format, NULL) < 0) {
		snprintf(
			msg, IO_MSG_BYTES, "%s: this FFmpeg does not write %s", file->path, format);
		h264i_i_mux_close(&m);
		return NULL;
	}
	m->packet = av_packet_alloc();
	m->stream = avformat_new_stream(m->fmt, NULL);
	buffer = av_malloc(BUFFER_BYTES);
	if (!m->packet || !m->stream || !buffer || describe(m, stream) < 0 ||
		h264i_i_copy_open(&m->copy, m->fmt, stream->streams) < 0)
		goto nomem;
	m->pb = avio_alloc_context(buffer, BUFFER_BYTES, 1, m, NULL, write_bytes, seek_bytes);
	if (!m->pb)
		goto nomem;
	buffer = NULL;
	m->fmt->pb = m->pb;
	m->byte_stream = strcmp(m->fmt->oformat->name, "mpegts") == 0;
	if (m->byte_stream)
		m->fmt->max_delay = TS_DELAY_US;
	/* The same frames make the same file: no dates, no version of FFmpeg in it. */
	m->fmt->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
	return m;
nomem:
	snprintf(msg, IO_MSG_BYTES, "%s: out of memory", file->path);
	av_free(buffer);
	h264i_i_mux_close(&m);
	return NULL;
}

static int failed(const io_mux *m, int e, const char *what, char *msg)
{
	char why[AV_ERROR_MAX_STRING_SIZE] = "";

	if (e >= 0 && !m->file->error)
		return 0;
	if (!m->file->error) {
		av_strerror(e, why, sizeof(why));
		snprintf(msg, IO_MSG_BYTES, "%s: %s: %s", m->file->path, what, why);
	}
	return -1;
}

int h264i_i_mux_header(io_mux *m, char *msg)
{
	return failed(m, avformat_write_header(m->fmt, NULL), "cannot write the header", msg);
}

/* Writes the packets of other streams that begin at limit_us or before; `last`: discards the
 * others. */
static int copy_until(io_mux *m, int64_t limit_us, int last, char *msg)
{
	const char *what = "";
	const int e = h264i_i_copy_until(&m->copy, m->fmt, limit_us, last, &what);

	return failed(m, e, what, msg);
}

int h264i_i_mux_packet(io_mux *m, const h264i_sink_packet *p, char *msg)
{
	/* avcC or CodecPrivate has SPS and PPS; "avc1" samples must not. */
	const size_t skipped_bytes = m->byte_stream ? 0 : p->headers_bytes;

	if (copy_until(m, av_rescale_q(p->pts, m->time_base, AV_TIME_BASE_Q), 0, msg) != 0)
		return -1;
	m->end_us = av_rescale_q(p->pts + p->duration, m->time_base, AV_TIME_BASE_Q);
	m->packet->data = (uint8_t *)p->data + skipped_bytes;
	m->packet->size = (int)(p->data_bytes - skipped_bytes);
	m->packet->pts = m->packet->dts = p->pts;
	m->packet->duration = p->duration;
	m->packet->flags = AV_PKT_FLAG_KEY;
	m->packet->stream_index = 0;
	/* The multiplexer has chosen a time base of its own: mp4 one of at least 10,000 Hz. */
	av_packet_rescale_ts(m->packet, m->time_base, m->stream->time_base);
	return failed(m, av_write_frame(m->fmt, m->packet), "cannot write a frame", msg);
}

int h264i_i_mux_trailer(io_mux *m, int longer_streams, char *msg)
{
	int e;

	if (copy_until(m, longer_streams ? INT64_MAX : m->end_us - 1, 1, msg) != 0)
		return -1;
	/* The multiplexers of .mp4, .mov and .mkv take chapters that were not there for the
	 * header. */
	e = h264i_i_copy_chapters(&m->copy, m->fmt, longer_streams ? INT64_MAX : m->end_us);
	if (e >= 0)
		e = av_write_trailer(m->fmt);
	avio_flush(m->pb);
	return failed(m, e, "cannot write the trailer", msg);
}

void h264i_i_mux_close(io_mux **pm)
{
	io_mux *m = *pm;

	*pm = NULL;
	if (!m)
		return;
	h264i_i_copy_close(&m->copy);
	av_packet_free(&m->packet);
	avformat_free_context(m->fmt);
	if (m->pb)
		av_freep(&m->pb->buffer);
	avio_context_free(&m->pb);
	free(m);
}
