#include "apps/gpuintra/ssim.h"

/* Sums over the samples of 4x4 blocks. */
typedef struct sums {
	int32_t a, b, squares, product;
} sums;

size_t ssim_bytes(uint32_t width)
{
	return 2 * (size_t)(width / 4) * sizeof(sums);
}

static void sum_row(const uint8_t *a, size_t a_pitch, const uint8_t *b, size_t b_pitch,
	uint32_t blocks, sums *out)
{
	for (uint32_t i = 0; i < blocks; i++, a += 4, b += 4) {
		sums s = { 0, 0, 0, 0 };

		for (size_t y = 0; y < 4; y++)
			for (size_t x = 0; x < 4; x++) {
				const int32_t p = a[y * a_pitch + x], q = b[y * b_pitch + x];

				s.a += p;
				s.b += q;
				s.squares += p * p + q * q;
				s.product += p * q;
			}
		out[i] = s;
	}
}

/* The index of a window of four blocks, 64 samples; C1 and C2 are those of 8 bits, in the units of
 * these sums. */
static double window(const sums *s, const sums *below)
{
	const double c1 = .01 * .01 * 255 * 255 * 64 * 64, c2 = .03 * .03 * 255 * 255 * 64 * 63;
	const double a = s[0].a + s[1].a + below[0].a + below[1].a;
	const double b = s[0].b + s[1].b + below[0].b + below[1].b;
	const double squares =
		64.0 * (s[0].squares + s[1].squares + below[0].squares + below[1].squares);
	const double product =
		64.0 * (s[0].product + s[1].product + below[0].product + below[1].product);
	const double variances = squares - a * a - b * b, covariance = product - a * b;

	return (2 * a * b + c1) * (2 * covariance + c2) / ((a * a + b * b + c1) * (variances + c2));
}

double ssim_plane(const uint8_t *a, size_t a_pitch, const uint8_t *b, size_t b_pitch,
	uint32_t width, uint32_t height, void *memory)
{
	const uint32_t columns = width / 4, rows = height / 4;
	sums *above = memory, *row = above + columns;
	double sum = 0;

	for (uint32_t y = 0; y < rows; y++) {
		sums *next = above;

		sum_row(a + y * 4 * a_pitch, a_pitch, b + y * 4 * b_pitch, b_pitch, columns, row);
		for (uint32_t x = 0; y && x + 1 < columns; x++)
			sum += window(above + x, row + x);
		above = row;
		row = next;
	}
	return sum / ((double)(columns - 1) * (rows - 1));
}
