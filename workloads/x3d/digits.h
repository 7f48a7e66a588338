/* Decimal numbers of at most 16 bytes, eight digits at a time: nearly all of a scene. Compiled for
 * CPU and GPU. */
#ifndef WORKLOADS_X3D_DIGITS_H
#define WORKLOADS_X3D_DIGITS_H

#include "workloads/x3d/number.h"

/* "00000000", and a byte of each value. */
#define X3D_ZEROS UINT64_C(0x3030303030303030)
#define X3D_ONES  UINT64_C(0x0101010101010101)

/* Eight bytes of the text, the first one lowest. */
LSCHED_FN uint64_t x3d_load(const x3d_ctx *c, uint32_t at)
{
	const uint64_t *w = c->text + at / 8;
	const uint32_t shift = at % 8 * 8;

	return shift ? w[0] >> shift | w[1] << (64 - shift) : w[0];
}

/* The first n bytes, at most 8, as the last ones of eight, behind zeros. */
LSCHED_FN uint64_t x3d_behind_zeros(uint64_t bytes, uint32_t n)
{
	return n == 8 ? bytes : n ? bytes << (64 - 8 * n) | X3D_ZEROS >> 8 * n : X3D_ZEROS;
}

/* The value of eight digits: of pairs, of fours, of all. Sets bits of *wrong if a byte is none. */
LSCHED_FN uint32_t x3d_eight(uint64_t bytes, uint64_t *wrong)
{
	const uint64_t digits = bytes ^ X3D_ZEROS, byte = UINT64_C(0x000000ff000000ff);
	const uint64_t pairs = digits * 10 + (digits >> 8); /* in the lower one of two bytes */

	*wrong |= (digits | (digits + 0x76 * X3D_ONES)) & X3D_ONES << 7;
	return (uint32_t)(((pairs & byte) * (100 + (UINT64_C(1000000) << 32)) +
				  (pairs >> 16 & byte) * (1 + (UINT64_C(10000) << 32))) >>
			  32);
}

/* Digits, n bytes, with at most one point, if `points` is nonzero: *first * 10^-*places. Returns 0
 * if they have anything else, or if n is 0 or above X3D_SHORT. */
LSCHED_FN int x3d_short(
	const x3d_ctx *c, uint32_t at, uint32_t n, int points, uint64_t *first, uint32_t *places)
{
	uint64_t low = x3d_load(c, at), high = x3d_load(c, at + 8), wrong = 0;
	const uint64_t at_points[2] = { x3d_equal_bytes(low, '.'), x3d_equal_bytes(high, '.') };
	const uint64_t word = at_points[0] ? at_points[0] : at_points[1];
	const uint32_t point = (at_points[0] ? 0 : 8) + (word ? x3d_lowest(word) / 8 : 8);

	*places = 0;
	if (n - 1 >= X3D_SHORT || (point < n && !points))
		return 0;
	if (point < n) { /* without it */
		const uint64_t before[2] = { point < 8 ? ~(UINT64_MAX << 8 * point) : UINT64_MAX,
			point > 8 ? ~(UINT64_MAX << (8 * point - 64)) : 0 };

		low = (low & before[0]) | ((low >> 8 | high << 56) & ~before[0]);
		high = (high & before[1]) | (high >> 8 & ~before[1]);
		*places = --n - point;
	}
	if (n > 8) {
		const uint32_t more = 8 * (n - 8);

		*first = x3d_eight(x3d_behind_zeros(low, n - 8), &wrong) * UINT64_C(100000000);
		low = n == 16 ? high : low >> more | high << (64 - more);
		*first += x3d_eight(low, &wrong);
	} else {
		*first = x3d_eight(x3d_behind_zeros(low, n), &wrong);
	}
	return n > 0 && wrong == 0;
}

LSCHED_FN int x3d_is_signed(const x3d_ctx *c, uint32_t at)
{
	return x3d_bytes(c)[at] == '-' || x3d_bytes(c)[at] == '+';
}

/* Reads a float of n bytes; n may be too large. As x3d_float(). */
LSCHED_TASK_FN uint32_t x3d_read_float(const x3d_ctx *c, uint32_t at, uint32_t n, float *to)
{
	const uint32_t skip = (uint32_t)x3d_is_signed(c, at);
	uint64_t first;
	uint32_t places;
	union {
		uint32_t bits;
		float f;
	} u;

	if (!x3d_short(c, at + skip, n - skip, 1, &first, &places) ||
		!x3d_quick(first, -(int32_t)places, &u.bits))
		return x3d_float(x3d_bytes(c) + at, to);
	u.bits |= x3d_bytes(c)[at] == '-' ? 0x80000000u : 0;
	*to = u.f;
	return X3D_OK;
}

/* Reads an integer of n bytes; n may be too large. As x3d_int(). */
LSCHED_TASK_FN uint32_t x3d_read_int(const x3d_ctx *c, uint32_t at, uint32_t n, uint32_t *to)
{
	const uint32_t skip = (uint32_t)x3d_is_signed(c, at);
	const int minus = x3d_bytes(c)[at] == '-';
	uint64_t v;
	uint32_t places;

	if (!x3d_short(c, at + skip, n - skip, 0, &v, &places) ||
		v > (minus ? UINT64_C(0x80000000) : UINT64_C(0xffffffff)))
		return x3d_int(x3d_bytes(c) + at, to);
	*to = minus ? 0u - (uint32_t)v : (uint32_t)v;
	return X3D_OK;
}

#endif
