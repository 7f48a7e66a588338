#include "h264intra/io/convert.h"

#include <string.h>

#include <libavutil/buffer.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>

/* Luma rows of this many bytes, and chroma rows of half that, are whole vectors of any
 * processor. */
enum { ROW_ALIGN = 128 };

int h264i_i_is_i420(enum AVPixelFormat format)
{
	return format == AV_PIX_FMT_YUV420P || format == AV_PIX_FMT_YUVJ420P;
}

/* The deprecated "J" formats imply full range; swscale warns about them. */
static enum AVPixelFormat without_j(enum AVPixelFormat format)
{
	switch (format) {
	case AV_PIX_FMT_YUVJ420P:
		return AV_PIX_FMT_YUV420P;
	case AV_PIX_FMT_YUVJ411P:
		return AV_PIX_FMT_YUV411P;
	case AV_PIX_FMT_YUVJ422P:
		return AV_PIX_FMT_YUV422P;
	case AV_PIX_FMT_YUVJ440P:
		return AV_PIX_FMT_YUV440P;
	case AV_PIX_FMT_YUVJ444P:
		return AV_PIX_FMT_YUV444P;
	default:
		return format;
	}
}

int h264i_i_is_rgb(enum AVPixelFormat format)
{
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format);

	return desc && (desc->flags & (AV_PIX_FMT_FLAG_RGB | AV_PIX_FMT_FLAG_PAL)) != 0;
}

int h264i_i_full_range(const AVFrame *frame)
{
	enum AVPixelFormat format = (enum AVPixelFormat)frame->format;
	const AVPixFmtDescriptor *desc = av_pix_fmt_desc_get(format);

	if (h264i_i_is_rgb(format))
		return 0; /* swscale makes 16..235 of it */
	if (frame->color_range != AVCOL_RANGE_UNSPECIFIED)
		return frame->color_range == AVCOL_RANGE_JPEG;
	/* Grey without a stated range is full range, as in swscale. Frames in device memory, which
	 * are NV12, have no components here. */
	return without_j(format) != format ||
	       (desc && desc->nb_components < 3 && !(desc->flags & AV_PIX_FMT_FLAG_HWACCEL));
}

enum AVColorSpace h264i_i_rgb_matrix(const AVFrame *frame)
{
	return frame->height >= 720 ? AVCOL_SPC_BT709 : AVCOL_SPC_SMPTE170M;
}

static void copy_plane(uint8_t *dst, size_t dst_pitch, const uint8_t *src, ptrdiff_t src_pitch,
	size_t width, size_t height)
{
	/* Only without gaps: bytes between the rows of the destination must not change. */
	if (dst_pitch == width && src_pitch == (ptrdiff_t)width) {
		memcpy(dst, src, width * height);
		return;
	}
	for (size_t y = 0; y < height; y++)
		memcpy(dst + y * dst_pitch, src + (ptrdiff_t)y * src_pitch, width);
}

static int open_sws(io_convert *c, const AVFrame *frame, uint32_t width, uint32_t height)
{
	enum AVPixelFormat format = (enum AVPixelFormat)frame->format;
	const int full = h264i_i_full_range(frame), to_full = c->to_full_range;
	const int src_full = h264i_i_is_rgb(format) ? 1 : full;
	int e;
	int matrix =
		h264i_i_is_rgb(format) ? (int)h264i_i_rgb_matrix(frame) : (int)frame->colorspace;
	const int *coefficients = sws_getCoefficients(matrix);

	sws_freeContext(c->sws);
	c->sws = sws_alloc_context();
	if (!c->sws)
		return AVERROR(ENOMEM);
	av_opt_set_int(c->sws, "srcw", frame->width, 0);
	av_opt_set_int(c->sws, "srch", frame->height, 0);
	av_opt_set_int(c->sws, "dstw", width, 0);
	av_opt_set_int(c->sws, "dsth", height, 0);
	av_opt_set_int(c->sws, "src_format", without_j(format), 0);
	av_opt_set_int(c->sws, "dst_format", AV_PIX_FMT_YUV420P, 0);
	av_opt_set_int(c->sws, "src_range", src_full, 0);
	av_opt_set_int(c->sws, "dst_range", to_full, 0);
	av_opt_set_int(c->sws, "sws_flags", SWS_BICUBIC | SWS_ACCURATE_RND, 0);
	av_opt_set_int(c->sws, "threads", c->threads, 0);
	e = sws_init_context(c->sws, NULL, NULL);
	if (e < 0)
		return e;
	/* Fails for pairs of formats that need neither: then there is nothing to set. */
	(void)sws_setColorspaceDetails(
		c->sws, coefficients, src_full, coefficients, to_full, 0, 1 << 16, 1 << 16);
	c->width = frame->width;
	c->height = frame->height;
	c->format = frame->format;
	c->full_range = full;
	c->colorspace = (int)frame->colorspace;
	return 0;
}

static void keep(void *opaque, uint8_t *data)
{
	(void)opaque;
	(void)data; /* the caller's memory */
}

/* Makes a frame of the caller's planes. Returns 0 or AVERROR. */
static int wrap(AVFrame *dst, uint32_t height, uint8_t *const plane[3], const size_t pitch_bytes[3])
{
	for (int i = 0; i < 3; i++) {
		dst->data[i] = plane[i];
		dst->linesize[i] = (int)pitch_bytes[i];
	}
	/* swscale refuses a frame without a reference count. */
	dst->buf[0] = av_buffer_create(plane[0], pitch_bytes[0] * height, keep, NULL, 0);
	return dst->buf[0] ? 0 : AVERROR(ENOMEM);
}

static int scale(io_convert *c, const AVFrame *frame, uint32_t width, uint32_t height,
	uint8_t *const plane[3], const size_t pitch_bytes[3])
{
	AVFrame *src = av_frame_alloc(), *dst = av_frame_alloc();
	/* swscale writes whole vectors, also beyond the end of a row. */
	const int direct = width % ROW_ALIGN == 0 && height % 2 == 0;
	int e = AVERROR(ENOMEM);

	if (!src || !dst)
		goto out;
	e = av_frame_ref(src, frame);
	if (e < 0)
		goto out;
	src->format = without_j((enum AVPixelFormat)frame->format);
	dst->width = (int)width;
	dst->height = (int)height;
	dst->format = AV_PIX_FMT_YUV420P;
	e = direct ? wrap(dst, height, plane, pitch_bytes) : av_frame_get_buffer(dst, ROW_ALIGN);
	if (e >= 0)
		e = sws_scale_frame(c->sws, dst, src);
	if (e >= 0 && !direct)
		h264i_i_copy(dst, width, height, plane, pitch_bytes);
out:
	av_frame_free(&src);
	av_frame_free(&dst);
	return e < 0 ? e : 0;
}

void h264i_i_pad(uint8_t *luma, size_t pitch_bytes, uint32_t width, uint32_t height)
{
	for (uint32_t y = 0; width % 2 && y < height; y++)
		luma[y * pitch_bytes + width] = luma[y * pitch_bytes + width - 1];
	if (height % 2)
		memcpy(luma + height * pitch_bytes, luma + (height - 1) * pitch_bytes,
			width + width % 2);
}

void h264i_i_copy(const AVFrame *frame, uint32_t width, uint32_t height, uint8_t *const plane[3],
	const size_t pitch_bytes[3])
{
	for (int i = 0; i < 3; i++)
		copy_plane(plane[i], pitch_bytes[i], frame->data[i], frame->linesize[i],
			i ? (width + 1) / 2 : width, i ? (height + 1) / 2 : height);
	h264i_i_pad(plane[0], pitch_bytes[0], width, height);
}

int h264i_i_convert(io_convert *c, const AVFrame *frame, uint32_t width, uint32_t height,
	uint8_t *const plane[3], const size_t pitch_bytes[3])
{
	if (!c->sws || c->format != frame->format || c->full_range != h264i_i_full_range(frame) ||
		c->colorspace != (int)frame->colorspace || c->width != frame->width ||
		c->height != frame->height) {
		int e = open_sws(c, frame, width, height);

		if (e < 0)
			return e;
	}
	return scale(c, frame, width, height, plane, pitch_bytes);
}

void h264i_i_convert_close(io_convert *c)
{
	sws_freeContext(c->sws);
	c->sws = NULL;
}
