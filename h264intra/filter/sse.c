#include "h264intra/filter/sse.h"

/* Inlined with a constant step, so that each case becomes vectors of its own. */
static inline uint32_t row_sum(const uint8_t *a, size_t step, const uint8_t *b, uint32_t width)
{
	uint32_t sum = 0, x;

	for (x = 0; x < width; x++) {
		int d = a[x * step] - b[x];

		sum += (uint32_t)(d * d);
	}
	return sum;
}

uint64_t h264i_i_sse_rows(const h264i_samples *a, const h264i_samples *b, uint32_t width,
	uint32_t first_row, uint32_t end_row)
{
	uint64_t sum = 0;
	uint32_t y;

	for (y = first_row; y < end_row; y++) {
		const uint8_t *pa = a->at + (size_t)y * a->pitch_bytes;
		const uint8_t *pb = b->at + (size_t)y * b->pitch_bytes;

		sum += a->step_bytes == 1 ? row_sum(pa, 1, pb, width) : row_sum(pa, 2, pb, width);
	}
	return sum;
}
