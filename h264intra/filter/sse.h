/* Sum of squared differences of two planes. */
#ifndef H264INTRA_FILTER_SSE_H
#define H264INTRA_FILTER_SSE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A plane's first sample, bytes from row to row, and bytes from sample to sample, 1 or 2. */
typedef struct h264i_plane {
	const uint8_t *at;
	size_t pitch_bytes, step_bytes;
} h264i_plane;

/* Sums (a - b)^2 over rows first_row..end_row - 1 of two planes `width` samples wide, at most 65,535;
 * b's samples lie side by side. */
uint64_t h264i_i_sse_rows(const h264i_plane *a, const h264i_plane *b, uint32_t width,
	uint32_t first_row, uint32_t end_row);

#ifdef __cplusplus
}
#endif
#endif
