/* Conversion of the caller's times into ticks of the file's timescale. */
#include "h264intra/mp4/ticks.h"

enum { LEAST_TIMESCALE = 1000 };

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		const uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

int h264i_i_mp4_ticks_init(mp4_ticks *t, uint32_t num, uint32_t den, uint32_t given)
{
	uint32_t timescale = given;
	const uint32_t unit = (uint32_t)common_divisor(num, den);
	uint64_t mul, both;

	num /= unit;
	den /= unit;
	if (!given)
		timescale = den >= LEAST_TIMESCALE ? den : (LEAST_TIMESCALE + den - 1) / den * den;
	mul = (uint64_t)num * timescale;
	if (given == 0 && mul > UINT32_MAX) {
		timescale = den;
		mul = (uint64_t)num * timescale;
	}
	both = common_divisor(mul, den);
	t->timescale = timescale;
	t->div = den / (uint32_t)both;
	t->mul = (uint32_t)(mul / both);
	return mul / both > UINT32_MAX ? -1 : 0;
}

int h264i_i_mp4_ticks(const mp4_ticks *t, int64_t time, int64_t *out)
{
	const int64_t most = INT64_C(1) << 61, div = t->div, mul = t->mul;
	int64_t whole = time / div, rest = time % div;

	if (rest < 0) {
		rest += div;
		whole--;
	}
	if (whole > most / mul - 1 || whole < -(most / mul))
		return -1;
	/* rest * mul < 2^64 */
	*out = whole * mul +
	       (int64_t)(((uint64_t)rest * (uint64_t)mul + (uint64_t)div / 2) / (uint64_t)div);
	return 0;
}
