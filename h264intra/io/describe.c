#include "h264intra/io/describe.h"
#include "h264intra/io/convert.h"
#include "h264intra/io/hdr.h"

#include <stdio.h>
#include <string.h>

#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>

/* Numbers as in H.264 Annex E, which FFmpeg uses as well. */
enum {
	UNSPECIFIED = 2,
	PRIMARIES_BT709 = 1,
	TRANSFER_BT709 = 1,
	MATRIX_BT709 = 1,
	MATRIX_BT601 = 6
};

/* Frames per second: a larger rate that no header states is a clock rate. */
enum { RATE_GUESS_MAX = 1000 };

static void describe_colour(h264i_vui *vui, const AVFrame *f)
{
	int rgb = h264i_i_is_rgb((enum AVPixelFormat)f->format);

	vui->full_range = h264i_i_full_range(f);
	if (f->color_range == AVCOL_RANGE_UNSPECIFIED && !vui->full_range)
		vui->full_range = rgb ? 0 : -1;
	vui->primaries = (int)f->color_primaries;
	vui->transfer = (int)f->color_trc;
	vui->matrix = (int)f->colorspace;
	/* RGB is converted to Y'CbCr; the VUI states the matrix. */
	if (rgb)
		vui->matrix =
			h264i_i_rgb_matrix(f) == AVCOL_SPC_BT709 ? MATRIX_BT709 : MATRIX_BT601;
	if (vui->primaries <= 0 || vui->primaries > 255)
		vui->primaries = UNSPECIFIED;
	if (vui->transfer <= 0 || vui->transfer > 255)
		vui->transfer = UNSPECIFIED;
	/* RGB without a description is that of displays, with the primaries of BT.709. */
	if (rgb && vui->primaries == UNSPECIFIED)
		vui->primaries = PRIMARIES_BT709;
	if (rgb && vui->transfer == UNSPECIFIED)
		vui->transfer = TRANSFER_BT709;
	if (vui->matrix <= 0 || vui->matrix > 255)
		vui->matrix = UNSPECIFIED;
	/* AVCHROMA_LOC_LEFT is 1, and chroma_sample_loc_type 0. */
	vui->chroma_loc = (int)f->chroma_location - 1;
	if (vui->chroma_loc < 0 || vui->chroma_loc > 5)
		vui->chroma_loc = -1;
}

static void describe_rate(h264i_vui *vui, const io_demux *d)
{
	const int is_y4m = strcmp(d->fmt->iformat->name, "yuv4mpegpipe") == 0;
	AVRational rate = av_guess_frame_rate(d->fmt, d->stream, NULL);
	int num, den;

	if (d->rate.num > 0 && d->rate.den > 0) {
		rate = d->rate;
	} else if (!is_y4m) {
		/* The guess can be the clock of the timestamps, such as 90,000 Hz. */
		if (rate.num <= 0 || rate.den <= 0 || av_q2d(rate) > RATE_GUESS_MAX)
			rate = d->stream->avg_frame_rate;
	}
	if (rate.num <= 0 || rate.den <= 0)
		rate = (AVRational){ 25, 1 };
	/* VUI timing counts fields in 32 bits. */
	av_reduce(&num, &den, rate.num, rate.den, 1000000000);
	vui->fps_num = (uint32_t)num;
	vui->fps_den = (uint32_t)den;
	vui->fixed_rate = h264i_i_no_timestamps(d) || is_y4m;
}

static void describe_aspect(h264i_vui *vui, const io_demux *d, const AVFrame *first)
{
	AVRational sar = av_guess_sample_aspect_ratio(d->fmt, d->stream, (AVFrame *)first);

	if (sar.num > 0 && sar.den > 0) {
		int num, den;

		av_reduce(&num, &den, sar.num, sar.den, 65535); /* sar_width is u(16) */
		vui->sar_num = (uint32_t)num;
		vui->sar_den = (uint32_t)den;
	}
}

static const int32_t *stream_matrix(const io_demux *d)
{
	size_t bytes;
	const uint8_t *data = io_get_side_data(d->stream, AV_PKT_DATA_DISPLAYMATRIX, &bytes);

	return data && bytes >= 9 * sizeof(int32_t) ? (const int32_t *)(const void *)data : NULL;
}

static void describe_rotation(h264i_source_info *info, const io_demux *d, const AVFrame *first)
{
	const int32_t *matrix = stream_matrix(d);
	const AVFrameSideData *sd = av_frame_get_side_data(first, AV_FRAME_DATA_DISPLAYMATRIX);

	if (!matrix && sd && sd->size >= 9 * sizeof(int32_t))
		matrix = (const int32_t *)(const void *)sd->data;
	if (!matrix)
		return;
	memcpy(info->display_matrix, matrix, sizeof(info->display_matrix));
	/* The identity matrix is not reported. */
	info->has_display_matrix =
		matrix[0] != 1 << 16 || matrix[1] != 0 || matrix[3] != 0 || matrix[4] != 1 << 16;
}

static void describe_length(h264i_source_info *info, const io_demux *d, const AVFrame *first)
{
	int64_t frame_bytes;

	info->frames = -1;
	if (d->stream->nb_frames > 0) {
		info->frames = d->stream->nb_frames;
		info->frames_exact = 1;
		return;
	}
	frame_bytes = av_image_get_buffer_size(
		(enum AVPixelFormat)first->format, first->width, first->height, 1);
	if (d->dec->codec_id == AV_CODEC_ID_RAWVIDEO && d->in->size > 0 && frame_bytes > 0) {
		if (strcmp(d->fmt->iformat->name, "yuv4mpegpipe") == 0)
			frame_bytes += 6; /* "FRAME\n" */
		info->frames = d->in->size / frame_bytes;
		return;
	}
	if (d->fmt->duration > 0 &&
		d->fmt->duration_estimation_method != AVFMT_DURATION_FROM_BITRATE)
		info->frames = av_rescale(d->fmt->duration, info->vui.fps_num,
			(int64_t)AV_TIME_BASE * info->vui.fps_den);
	if (info->frames == 0)
		info->frames = 1;
}

io_fields h264i_i_stream_fields(const io_demux *d)
{
	switch (d->stream->codecpar->field_order) {
	case AV_FIELD_TT:
	case AV_FIELD_BT:
		return IO_FIELDS_TOP_FIRST;
	case AV_FIELD_BB:
	case AV_FIELD_TB:
		return IO_FIELDS_BOTTOM_FIRST;
	default:
		return IO_FIELDS_PROGRESSIVE;
	}
}

int h264i_i_no_timestamps(const io_demux *d)
{
	/* Elementary streams: libavformat gives all of them this clock, and some pictures no
	 * time. */
	return (d->fmt->iformat->flags & AVFMT_NOTIMESTAMPS) != 0 ||
	       (d->stream->time_base.num == 1 && d->stream->time_base.den == 1200000);
}

void h264i_i_describe(h264i_source_info *info, const io_demux *d, const AVFrame *first)
{
	const char *pixel_format = av_get_pix_fmt_name((enum AVPixelFormat)first->format);

	memset(info, 0, sizeof(*info));
	info->width = ((uint32_t)first->width + 1) & ~1u;
	info->height = ((uint32_t)first->height + 1) & ~1u;
	describe_colour(&info->vui, first);
	describe_rate(&info->vui, d);
	describe_aspect(&info->vui, d, first);
	if (h264i_i_no_timestamps(d)) {
		info->time_base_num = info->vui.fps_den;
		info->time_base_den = info->vui.fps_num;
	} else {
		info->time_base_num = (uint32_t)d->stream->time_base.num;
		info->time_base_den = (uint32_t)d->stream->time_base.den;
	}
	describe_rotation(info, d, first);
	h264i_i_hdr_read(&info->hdr, d->stream, first);
	describe_length(info, d, first);
	snprintf(info->format, sizeof(info->format), "%s", d->fmt->iformat->name);
	snprintf(info->codec, sizeof(info->codec), "%s", avcodec_get_name(d->dec->codec_id));
	if (pixel_format)
		snprintf(info->pixel_format, sizeof(info->pixel_format), "%s", pixel_format);
	info->parallel = h264i_i_is_i420((enum AVPixelFormat)first->format);
	info->converted = !h264i_i_is_i420((enum AVPixelFormat)first->format);
}
