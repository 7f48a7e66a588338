#include "h264intra/filter/sse.h"

/* Of a row. */
#if H264I_BIT_DEPTH == 8
typedef uint32_t sum_type;
#else
typedef uint64_t sum_type;
#endif

/* Inlined with a constant step, so that each case becomes vectors of its own. */
static inline sum_type row_sum(const h264i_px *a, size_t step, const h264i_px *b, uint32_t width)
{
	sum_type sum = 0;
	uint32_t x;

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
		const h264i_px *pa = a->at + (size_t)y * a->pitch;
		const h264i_px *pb = b->at + (size_t)y * b->pitch;

		sum += a->step == 1 ? row_sum(pa, 1, pb, width) : row_sum(pa, 2, pb, width);
	}
	return sum;
}
