/* Sum of squared differences of two planes. */
#ifndef H264INTRA_FILTER_SSE_H
#define H264INTRA_FILTER_SSE_H

#include "h264intra/core/format.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plane: its first sample, and the distances of rows and of samples; step is 1 or 2. */
typedef struct h264i_samples {
	const h264i_px *at;
	size_t pitch, step;
} h264i_samples;

/* Returns the sum of (a - b)^2 over rows first_row..end_row - 1 of two planes of `width` samples,
 * at most 65,535. b->step is 1. */
uint64_t h264i_i_sse_rows(const h264i_samples *a, const h264i_samples *b, uint32_t width,
	uint32_t first_row, uint32_t end_row);

#ifdef __cplusplus
}
#endif
#endif
