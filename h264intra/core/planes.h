/* Sizes of the planes of a frame in host or device memory, with chroma or luma alone. */
#ifndef H264INTRA_CORE_PLANES_H
#define H264INTRA_CORE_PLANES_H

#include "h264intra/core/mb.h"
#include "h264intra/rgb/yuv.h"
#include <h264intra/h264intra.h>

#include <stddef.h>

static inline uint32_t h264i_i_planes(h264i_format format)
{
	switch (format) {
	case H264I_GRAY:
	case H264I_YUY2:
	case H264I_UYVY:
		return 1;
	case H264I_NV12:
	case H264I_P010:
		return 2;
	default:
		return 3;
	}
}

/* Bytes of a row of plane k of a frame that is not RGB. */
static inline uint32_t h264i_i_row_bytes(const h264i_geom *g, h264i_format format, uint32_t k)
{
	uint32_t pairs = h264i_chroma_width(g->width);

	if (format == H264I_YUY2 || format == H264I_UYVY)
		return 4 * pairs;
	if (format == H264I_P010)
		return 2 * (k ? 2 * pairs : g->width);
	return (k ? (format == H264I_NV12 ? 2 : 1) * pairs : g->width) * (uint32_t)sizeof(h264i_px);
}

static inline uint32_t h264i_i_plane_rows(const h264i_geom *g, uint32_t k)
{
	return k ? h264i_chroma_height(g->height) : g->height;
}

/* Bytes of a frame without gaps between rows and planes. */
static inline size_t h264i_i_source_bytes(const h264i_geom *g)
{
	size_t chroma = (size_t)h264i_chroma_width(g->width) * h264i_chroma_height(g->height);

	return ((size_t)g->width * g->height + 2 * chroma) * sizeof(h264i_px);
}

/* 1: the encoder converts frames of this format to NV12. */
static inline int h264i_i_is_converted(h264i_format format)
{
	return format == H264I_RGB || h264i_yuv_is(format);
}

/* 1: the frame is copied or converted before h264i_send_frame returns. */
static inline int h264i_i_is_copied(const h264i_frame *f)
{
	return f->memory == H264I_MEM_HOST ||
	       (f->memory == H264I_MEM_HOST_PINNED && h264i_i_is_converted(f->format));
}

#endif
