/* Calls of the CUDA backend for random_gpu_test.c, in plain C. */
#ifndef TESTS_H264INTRA_RANDOM_GPU_H
#define TESTS_H264INTRA_RANDOM_GPU_H

#include "h264intra/core/backend.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Codes given macroblocks with the entropy kernels, as if the wavefront of the encoder's first
 * group had made them: mb and levels of each macroblock, pixels of I420 without padding. The
 * encoder has a CUDA device and codes pictures of several QPs. CABAC of pictures with odd numbers
 * is coded by a lane for each slice. Returns the NAL units, *bytes of them, in memory that lasts
 * until the next call; NULL with a line on standard error. */
const uint8_t *random_gpu_code(h264i_encoder *enc, const h264i_mb *mb, const h264i_levels *levels,
	const uint8_t *pixels, uint32_t slice_qp, uint32_t number, size_t *bytes);

#ifdef __cplusplus
}
#endif
#endif
