/* From a decoded frame to 8-bit I420 in the caller's planes: a copy, or a conversion by swscale. */
#ifndef H264INTRA_IO_CONVERT_H
#define H264INTRA_IO_CONVERT_H

#include <stddef.h>
#include <stdint.h>
#include <libavutil/frame.h>

struct SwsContext;

typedef struct io_convert {
	struct SwsContext *sws;                            /* NULL until a frame needs it */
	int format, full_range, colorspace, width, height; /* of the frames it was made for */
	int to_full_range;                                 /* of what is written */
	int threads;
} io_convert;

/* 1 when the planes are 8-bit I420 already. */
int h264i_i_is_i420(enum AVPixelFormat format);

/* 1: red, green and blue, or a palette of them. */
int h264i_i_is_rgb(enum AVPixelFormat format);

/* 1: samples use 0..255. */
int h264i_i_full_range(const AVFrame *frame);

/* The matrix by which an RGB frame becomes Y'CbCr: BT.709 from 720 rows on, else BT.601. */
enum AVColorSpace h264i_i_rgb_matrix(const AVFrame *frame);

/* Copies width x height of a frame that is I420, and repeats its last column and row up to even
 * sides; any thread. */
void h264i_i_copy(const AVFrame *frame, uint32_t width, uint32_t height, uint8_t *const plane[3],
	const size_t pitch_bytes[3]);

/* Converts a frame of another format, range or size to width x height, and repeats the last column
 * and row up to even sides. 0 or AVERROR. */
int h264i_i_convert(io_convert *c, const AVFrame *frame, uint32_t width, uint32_t height,
	uint8_t *const plane[3], const size_t pitch_bytes[3]);

/* Repeats the last column and row of width x height luma samples up to even sides. Chroma has
 * samples for them. */
void h264i_i_pad(uint8_t *luma, size_t pitch_bytes, uint32_t width, uint32_t height);

void h264i_i_convert_close(io_convert *c);
#endif
