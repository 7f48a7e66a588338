/* Conversion of RGB frames to NV12 on the CPU. */
#ifndef H264INTRA_RGB_RGB_H
#define H264INTRA_RGB_RGB_H

#include "h264intra/rgb/sample.h"
#include <h264intra/h264intra.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the matrix of a stream. Returns 0, or -1 if vui->matrix is not 1, 5, 6 or 9 or
 * vui->chroma_loc not 0..5. */
int h264i_i_rgb_set_matrix(h264i_rgb_matrix *m, const h264i_vui *vui);

/* The scale of a frame's samples. */
h264i_rgb_scale h264i_i_rgb_scale(const h264i_frame *f);

/* Bytes of a sample. */
uint32_t h264i_i_rgb_sample_bytes(h264i_sample sample);

/* Converts a frame in host memory to planes of NV12: `width` x `height` samples of Y, and pairs of
 * Cb and Cr of half the size, rounded up. Returns 0, or -1 without memory. */
int h264i_i_rgb_to_nv12(const h264i_rgb_matrix *m, const h264i_frame *f, uint32_t width,
	uint32_t height, uint8_t *y, size_t y_pitch, uint8_t *c, size_t c_pitch);

#ifdef __cplusplus
}
#endif
#endif
