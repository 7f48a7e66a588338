/* Differences between the FFmpeg releases from 5.1 on. */
#ifndef H264INTRA_IO_COMPAT_H
#define H264INTRA_IO_COMPAT_H

#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avutil.h>
#include <string.h>

/* FFmpeg 7 made the bytes that an AVIOContext hands out const. */
#if LIBAVFORMAT_VERSION_MAJOR >= 61
typedef const uint8_t io_write_byte;
#else
typedef uint8_t io_write_byte;
#endif

/* FFmpeg 6.1 moved the side data of a stream into its codec parameters. */
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 100)
#define IO_SIDE_DATA_IN_CODECPAR 1
#else
#define IO_SIDE_DATA_IN_CODECPAR 0
#endif

/* Returns side data of the stream with its size, or NULL. */
static inline const uint8_t *io_get_side_data(
	const AVStream *st, enum AVPacketSideDataType type, size_t *bytes)
{
#if IO_SIDE_DATA_IN_CODECPAR
	const AVPacketSideData *sd = av_packet_side_data_get(
		st->codecpar->coded_side_data, st->codecpar->nb_coded_side_data, type);

	*bytes = sd ? sd->size : 0;
	return sd ? sd->data : NULL;
#else
	*bytes = 0;
	return av_stream_get_side_data(st, type, bytes);
#endif
}

/* Adds a copy of the bytes. Returns 0 or AVERROR(ENOMEM). */
static inline int io_add_side_data(
	AVStream *st, enum AVPacketSideDataType type, const void *from, size_t bytes)
{
#if IO_SIDE_DATA_IN_CODECPAR
	AVPacketSideData *sd = av_packet_side_data_new(
		&st->codecpar->coded_side_data, &st->codecpar->nb_coded_side_data, type, bytes, 0);
	uint8_t *data = sd ? sd->data : NULL;
#else
	uint8_t *data = av_stream_new_side_data(st, type, bytes);
#endif

	if (!data)
		return AVERROR(ENOMEM);
	memcpy(data, from, bytes);
	return 0;
}

static inline int64_t io_frame_duration(const AVFrame *frame)
{
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
	return frame->duration;
#else
	return frame->pkt_duration;
#endif
}

/* Until FFmpeg 6 the decoder's threads called get_buffer2 one at a time unless an option was
 * set. */
static inline void io_allow_threaded_callbacks(AVCodecContext *dec)
{
#if LIBAVCODEC_VERSION_MAJOR < 60
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
	dec->thread_safe_callbacks = 1;
#pragma GCC diagnostic pop
#else
	(void)dec;
#endif
}

/* FFmpeg 6.1 made flags of these members. */
static inline int io_frame_is_interlaced(const AVFrame *frame)
{
#ifdef AV_FRAME_FLAG_INTERLACED
	return (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
	return frame->interlaced_frame;
#endif
}

static inline int io_frame_is_top_first(const AVFrame *frame)
{
#ifdef AV_FRAME_FLAG_TOP_FIELD_FIRST
	return (frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
#else
	return frame->top_field_first;
#endif
}
#endif
