/* Decimal numbers of RIB text. The C library's functions depend on the locale and accept names of
 * infinities; this parser accepts digits only and is several times as fast. */
#ifndef REYES_RIB_NUMBER_H
#define REYES_RIB_NUMBER_H

#include <stdint.h>

enum { REYES_I_NUMBER_NONE, REYES_I_NUMBER_INTEGER, REYES_I_NUMBER_FLOAT };

/* Returns mantissa * 10^exponent. For |exponent| <= 22 and a mantissa below 2^53 the result is
 * correctly rounded; otherwise each factor adds at most half an ulp of double, in all far less than
 * an ulp of float. */
static inline double reyes_i_scale_decimal(uint64_t mantissa, int exponent)
{
	static const double powers[23] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
		1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	double v = (double)mantissa;

	if (!mantissa)
		return 0;
	if (exponent > 310)
		exponent = 310;
	if (exponent < -400)
		return 0;
	for (; exponent > 22; exponent -= 22)
		v *= 1e22;
	for (; exponent < -22; exponent += 22)
		v /= 1e22;
	return exponent >= 0 ? v * powers[exponent] : v / powers[-exponent];
}

/* Parses [+-] digits [. digits] [e [+-] digits] with at least one digit in front of the exponent.
 * The text ends with any other byte. Writes the value, which is infinite if it is beyond double.
 * Returns the first byte behind the number; *kind is NONE if there is none, or if its exponent has
 * no digits. */
static inline const unsigned char *reyes_i_parse_number(
	const unsigned char *p, double *value, int *kind)
{
	const uint64_t most = 1000000000000000000u; /* 10^18: another digit fits */
	const int is_negative = *p == '-';
	const unsigned char *first;
	uint64_t mantissa = 0;
	int exponent = 0, digits;

	p += *p == '-' || *p == '+';
	*kind = REYES_I_NUMBER_INTEGER;
	for (first = p; (unsigned)(*p - '0') < 10; p++) {
		if (mantissa < most)
			mantissa = mantissa * 10 + (unsigned)(*p - '0');
		else
			exponent++;
	}
	digits = p != first;
	if (*p == '.') {
		*kind = REYES_I_NUMBER_FLOAT;
		for (first = ++p; (unsigned)(*p - '0') < 10; p++) {
			if (mantissa < most) {
				mantissa = mantissa * 10 + (unsigned)(*p - '0');
				exponent--;
			}
		}
		digits |= p != first;
	}
	if (digits && (*p == 'e' || *p == 'E')) {
		const int is_below = *++p == '-';
		int power = 0;

		*kind = REYES_I_NUMBER_FLOAT;
		p += *p == '-' || *p == '+';
		for (first = p; (unsigned)(*p - '0') < 10; p++)
			power = power < 100000 ? power * 10 + (*p - '0') : power;
		digits = p != first;
		exponent += is_below ? -power : power;
	}
	if (!digits)
		*kind = REYES_I_NUMBER_NONE;
	*value = exponent ? reyes_i_scale_decimal(mantissa, exponent) : (double)mantissa;
	if (is_negative)
		*value = -*value;
	return p;
}

/* The nearest float; numbers beyond its range become the largest float. */
static inline float reyes_i_to_float(double v)
{
	const double most = 3.4028234663852886e38;

	return (float)(v > most ? most : v < -most ? -most : v);
}

#endif
