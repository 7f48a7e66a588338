/* Conversion of packed 4:2:2 (YUY2, UYVY) and of 10-bit 4:2:0 (P010) to NV12: the functions that
 * the CPU and the CUDA conversion share, and the one of the CPU, which is the specification.
 *
 * Luma of 8 bits is copied. Chroma of 4:2:2 has the columns of 4:2:0; its rows are averaged at the
 * position of options.vui.chroma_loc. 10 bits are rounded to the nearest 8. */
#ifndef H264INTRA_RGB_YUV_H
#define H264INTRA_RGB_YUV_H

#include <stddef.h>
#include <stdint.h>

#include <h264intra/h264intra.h>
#include <libsched/fn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How the samples of a format become those of NV12. */
typedef struct h264i_yuv {
	int ten; /* 1: P010 */
	/* Else bytes of a pair of pixels, from its first one: Y, Cb, Cr; the second Y is two bytes
	 * behind the first. */
	uint32_t y_at, cb_at, cr_at;
	/* Weights of the rows around the chroma sample; their sum is 4. The first row is
	 * 2 * y - 1 + row_offset. */
	uint32_t wy[3], row_offset;
} h264i_yuv;

/* The 8 bits of a sample of P010, which has 10 in its upper bits. */
LSCHED_FN uint8_t h264i_yuv_of_ten(uint32_t v)
{
	const uint32_t rounded = ((v >> 6) + 2) >> 2;

	return (uint8_t)(rounded < 255 ? rounded : 255);
}

/* Row k of the three around chroma row cy; beyond the picture its first and last are repeated. */
LSCHED_FN uint32_t h264i_yuv_row(const h264i_yuv *v, uint32_t cy, uint32_t k, uint32_t height)
{
	const uint32_t at = 2 * cy + k + v->row_offset; /* one too many */

	return !at ? 0 : at - 1 < height ? at - 1 : height - 1;
}

LSCHED_FN uint8_t h264i_yuv_mean(const h264i_yuv *v, uint32_t a, uint32_t b, uint32_t c)
{
	return (uint8_t)((v->wy[0] * a + v->wy[1] * b + v->wy[2] * c + 2) >> 2);
}

/* 1: frames of this format are converted here. */
LSCHED_FN int h264i_yuv_is(h264i_format format)
{
	return format == H264I_YUY2 || format == H264I_UYVY || format == H264I_P010;
}

/* chroma_loc: chroma_sample_loc_type, -1 as 0. */
h264i_yuv h264i_i_yuv_of(h264i_format format, int chroma_loc);

/* Converts a frame in host memory to planes of NV12, whose chroma has half the size, rounded up. */
void h264i_i_yuv_to_nv12(const h264i_yuv *v, const h264i_frame *f, uint32_t width, uint32_t height,
	uint8_t *y, size_t y_pitch, uint8_t *c, size_t c_pitch);

#ifdef __cplusplus
}
#endif
#endif
