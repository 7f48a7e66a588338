#include "h264intra/io/fits.h"

#include <stdio.h>
#include <string.h>

#include <libavutil/mem.h>

/* MPEG-TS: FFmpeg writes a codec without a stream type as private data that no program reads. */
static int fits_ts(enum AVCodecID codec)
{
	switch (codec) {
	case AV_CODEC_ID_MP1:
	case AV_CODEC_ID_MP2:
	case AV_CODEC_ID_MP3:
	case AV_CODEC_ID_AAC:
	case AV_CODEC_ID_AAC_LATM:
	case AV_CODEC_ID_AC3:
	case AV_CODEC_ID_EAC3:
	case AV_CODEC_ID_DTS:
	case AV_CODEC_ID_OPUS:
	case AV_CODEC_ID_S302M:
	case AV_CODEC_ID_DVB_SUBTITLE:
	case AV_CODEC_ID_DVB_TELETEXT:
	case AV_CODEC_ID_SMPTE_KLV:
		return 1;
	default:
		return 0;
	}
}

static int copy_side_data(AVStream *to, const AVStream *from)
{
#if !IO_SIDE_DATA_IN_CODECPAR
	for (int i = 0; i < from->nb_side_data; i++) {
		const AVPacketSideData *sd = &from->side_data[i];

		if (io_add_side_data(to, sd->type, sd->data, sd->size) < 0)
			return AVERROR(ENOMEM);
	}
#else
	(void)to; /* avcodec_parameters_copy has done it */
	(void)from;
#endif
	return 0;
}

/* 0: the multiplexer chooses the tag. The input's tag is kept unless it has another meaning in the
 * output. */
static uint32_t choose_tag(const AVCodecParameters *par, const AVOutputFormat *format)
{
	unsigned tag;

	if (!format->codec_tag ||
		av_codec_get_id(format->codec_tag, par->codec_tag) == par->codec_id ||
		!av_codec_get_tag2(format->codec_tag, par->codec_id, &tag))
		return par->codec_tag;
	return 0;
}

int h264i_i_fits_describe(AVStream *to, const AVStream *from, const AVOutputFormat *format)
{
	if (avcodec_parameters_copy(to->codecpar, from->codecpar) < 0 ||
		av_dict_copy(&to->metadata, from->metadata, 0) < 0)
		return AVERROR(ENOMEM);
	if (format)
		to->codecpar->codec_tag = choose_tag(from->codecpar, format);
	to->disposition = from->disposition;
	to->time_base = from->time_base;
	to->avg_frame_rate = from->avg_frame_rate;
	to->r_frame_rate = from->r_frame_rate;
	to->sample_aspect_ratio = from->sample_aspect_ratio;
	return copy_side_data(to, from);
}

/* Writes a header with this stream only, to memory: the multiplexer then states whether it accepts
 * the codec and its parameters. Returns 0 or AVERROR. */
static int try_header(const AVOutputFormat *format, const AVStream *stream)
{
	AVFormatContext *fmt = NULL;
	uint8_t *bytes = NULL;
	AVStream *st;
	int e = avformat_alloc_output_context2(&fmt, (AVOutputFormat *)format, NULL, NULL);

	if (e < 0)
		return e;
	st = avformat_new_stream(fmt, NULL);
	e = st ? h264i_i_fits_describe(st, stream, format) : AVERROR(ENOMEM);
	if (e >= 0)
		e = avio_open_dyn_buf(&fmt->pb);
	if (e >= 0)
		e = avformat_write_header(fmt, NULL);
	if (fmt->pb)
		avio_close_dyn_buf(fmt->pb, &bytes);
	av_free(bytes);
	avformat_free_context(fmt);
	return e < 0 ? e : 0;
}

/* Matroska also stores audio of AVI and ASF, by its tag, which FFmpeg's query leaves out. */
static int fits_format(const AVOutputFormat *format, const AVCodecParameters *par)
{
	unsigned tag;

	return avformat_query_codec(format, par->codec_id, FF_COMPLIANCE_NORMAL) != 0 ||
	       (strcmp(format->name, "matroska") == 0 && par->codec_type == AVMEDIA_TYPE_AUDIO &&
		       av_codec_get_tag2(format->codec_tag, par->codec_id, &tag));
}

int h264i_i_fits(const AVOutputFormat *format, const AVStream *stream, char *why)
{
	const enum AVCodecID codec = stream->codecpar->codec_id;
	int e, fits;

	snprintf(why, IO_FITS_WHY_BYTES, "the container cannot store this codec");
	if (strcmp(format->name, "mpegts") == 0)
		fits = fits_ts(codec);
	else if (stream->codecpar->codec_type == AVMEDIA_TYPE_ATTACHMENT)
		fits = strcmp(format->name, "matroska") == 0; /* of any type */
	else
		fits = fits_format(format, stream->codecpar);
	if (!fits)
		return 0;
	e = try_header(format, stream);
	if (e == 0)
		return 1;
	if (e != AVERROR(EINVAL) && e != AVERROR_INVALIDDATA && e != AVERROR_PATCHWELCOME)
		av_strerror(e, why, IO_FITS_WHY_BYTES);
	return 0;
}
