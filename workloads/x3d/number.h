/* Numbers as strtof() reads them, to the bit, and integers. Compiled for CPU and GPU. */
#ifndef WORKLOADS_X3D_NUMBER_H
#define WORKLOADS_X3D_NUMBER_H

#include "workloads/x3d/lexer.h"

/* ---- exact: decimal digits against the middle between two floats, as large integers ---- */

/* 131 digits and 5^177 have 440 bits, and shifts bring both sides to like sizes. */
enum { X3D_BIG_WORDS = 24, X3D_DIGITS = 130 };

typedef struct x3d_big {
	uint32_t word[X3D_BIG_WORDS], words; /* lowest first */
} x3d_big;

LSCHED_FN void x3d_big_set(x3d_big *b, uint32_t v)
{
	b->word[0] = v;
	b->words = 1;
}

/* b = b * factor + add */
LSCHED_FN void x3d_big_multiply(x3d_big *b, uint32_t factor, uint32_t add)
{
	uint64_t carry = add;

	for (uint32_t k = 0; k < b->words; k++) {
		carry += (uint64_t)b->word[k] * factor;
		b->word[k] = (uint32_t)carry;
		carry >>= 32;
	}
	if (carry && b->words < X3D_BIG_WORDS)
		b->word[b->words++] = (uint32_t)carry;
}

LSCHED_FN void x3d_big_power(x3d_big *b, uint32_t factor, int32_t times)
{
	for (; times > 0; times--)
		x3d_big_multiply(b, factor, 0);
}

LSCHED_FN int x3d_big_compare(const x3d_big *a, const x3d_big *b)
{
	if (a->words != b->words)
		return a->words < b->words ? -1 : 1;
	for (uint32_t k = a->words; k--;)
		if (a->word[k] != b->word[k])
			return a->word[k] < b->word[k] ? -1 : 1;
	return 0;
}

/* Compares digits * 10^exponent with the middle between the float of these bits and the next. */
LSCHED_FN int x3d_compare_middle(const x3d_big *digits, int32_t exponent, uint32_t bits)
{
	const uint32_t biased = bits >> 23;
	const uint32_t m = biased ? (bits & 0x7fffffu) | 0x800000u : bits & 0x7fffffu;
	const int32_t shift = exponent - (biased ? (int32_t)biased - 151 : -150);
	x3d_big value = *digits, middle;

	x3d_big_set(&middle, 2 * m + 1);
	x3d_big_power(&value, 5, exponent);
	x3d_big_power(&middle, 5, -exponent);
	x3d_big_power(&value, 2, shift);
	x3d_big_power(&middle, 2, -shift);
	return x3d_big_compare(&value, &middle);
}

LSCHED_FN double x3d_power_of_ten(uint32_t k) /* at most 22: exact */
{
	double p = 1;

	for (double factor = 10; k; k >>= 1, factor *= factor)
		p = k & 1u ? p * factor : p;
	return p;
}

/* A double near w * 10^exponent. */
LSCHED_FN double x3d_near(uint64_t w, int32_t exponent)
{
	double v = (double)w;

	for (; exponent > 22; exponent -= 22)
		v *= 1e22;
	for (; exponent < -22; exponent += 22)
		v /= 1e22;
	return exponent < 0 ? v / x3d_power_of_ten((uint32_t)-exponent)
			    : v * x3d_power_of_ten((uint32_t)exponent);
}

LSCHED_FN uint32_t x3d_bits_of(float f)
{
	union {
		float f;
		uint32_t bits;
	} u;

	u.f = f;
	return u.bits;
}

/* The bits of a decimal number, from its digits, where they say too little by themselves. The value
 * is first * 10^exponent, or somewhat more if there are more than 19 digits. */
LSCHED_TASK_CALL_FN uint32_t x3d_exact(const uint8_t *s, uint64_t first, int32_t exponent)
{
	const uint32_t infinite = 0x7f800000u;
	uint32_t used = 0, more = 0, bits, kept = 0;
	x3d_big digits;
	double near;

	for (uint64_t v = first; v; v /= 10)
		kept++;
	if (exponent + (int32_t)kept > 40)
		return infinite;
	if (exponent + (int32_t)kept < -46)
		return 0;
	x3d_big_set(&digits, 0);
	for (; x3d_is_digit(*s) || *s == '.'; s++) {
		if (*s == '.' || (used == 0 && *s == '0'))
			continue;
		if (used < X3D_DIGITS)
			x3d_big_multiply(&digits, 10, *s - '0'), used++;
		else
			more |= *s - '0';
	}
	near = x3d_near(first, exponent);
	bits = near > 3.4e38 ? infinite - 1 : x3d_bits_of((float)near);
	exponent += (int32_t)kept - (int32_t)used;
	if (more) {
		x3d_big_multiply(&digits, 10, 1);
		exponent--;
	}
	for (uint32_t tries = 0; tries < 8;
		tries++) { /* the first float is the next but one at most */
		const int up = bits < infinite ? x3d_compare_middle(&digits, exponent, bits) : -1;
		const int down = bits ? x3d_compare_middle(&digits, exponent, bits - 1) : 1;

		if (up > 0 || (up == 0 && (bits & 1u)))
			bits++;
		else if (down < 0 || (down == 0 && (bits & 1u)))
			bits--;
		else
			break;
	}
	return bits;
}

/* ---- floats ---- */

/* The bits of m * 2^exponent, rounded; more: it is somewhat more. */
LSCHED_FN uint32_t x3d_round_binary(uint64_t m, int32_t exponent, int more)
{
	int32_t top = 63, places, shift;
	uint64_t kept, rest, half;

	if (m == 0)
		return 0;
	while (!(m >> top))
		top--;
	exponent += top; /* of the highest bit */
	if (exponent > 127)
		return 0x7f800000u;
	places = exponent < -126 ? 24 - (-126 - exponent) : 24;
	if (places < 0)
		return 0;
	shift = top + 1 - places;
	if (shift <= 0)
		return (uint32_t)(m << -shift) +
		       ((uint32_t)(exponent < -126 ? 0 : exponent + 126) << 23);
	kept = shift > 63 ? 0 : m >> shift;
	rest = shift > 63 ? m : m & ((UINT64_C(1) << shift) - 1);
	half = UINT64_C(1) << (shift - 1);
	kept += rest > half || (rest == half && (more || (kept & 1u)));
	return (uint32_t)kept + ((uint32_t)(exponent < -126 ? 0 : exponent + 126) << 23);
}

/* Reads e+12 or p-3 up to `end`, if there is one. Returns 0 if something else is there. */
LSCHED_FN int x3d_exponent(const uint8_t *s, const uint8_t *end, uint32_t letter, int32_t *exponent)
{
	int32_t v = 0;
	int minus;

	if (s == end)
		return 1;
	if ((*s++ | 32u) != letter)
		return 0;
	minus = *s == '-';
	s += *s == '-' || *s == '+';
	if (s == end)
		return 0;
	for (; s < end && x3d_is_digit(*s); s++)
		v = v > 100000 ? v : 10 * v + (int32_t)(*s - '0');
	*exponent += minus ? -v : v;
	return s == end;
}

/* 1 if a text is a word in lower case, in any case. */
LSCHED_FN int x3d_is_word(const uint8_t *s, const uint8_t *end, const char *word, uint32_t n)
{
	if (end - s != (int32_t)n)
		return 0;
	for (uint32_t k = 0; k < n; k++)
		if ((s[k] | 32u) != (uint32_t)word[k])
			return 0;
	return 1;
}

/* Digits of a number. */
typedef struct x3d_digits {
	uint64_t first;   /* the first 19 of base 10, 16 of base 16, without zeros before them */
	int32_t exponent; /* digits behind these, or, negative, of these after the point */
	int any, more;    /* more: others than zeros are behind */
} x3d_digits;

/* Reads digits and a point. Returns where they end, or more than X3D_NUMBER bytes on. */
LSCHED_FN const uint8_t *x3d_read_digits(const uint8_t *s, uint32_t base, x3d_digits *d)
{
	const uint64_t most = base == 16 ? UINT64_C(1) << 60 : UINT64_C(1000000000000000000);
	const uint8_t *end = s + X3D_NUMBER;
	int point = 0;

	d->first = 0;
	d->exponent = d->any = d->more = 0;
	LSCHED_NO_UNROLL
	for (; s <= end; s++) {
		const uint32_t digit = base == 16 ? x3d_hex_digit(*s) : *s - (uint32_t)'0';

		if (*s == '.' && !point) {
			point = 1;
			continue;
		}
		if (digit >= base)
			return s;
		d->any = 1;
		if (d->first < most) {
			d->first = d->first * base + digit;
			d->exponent -= point;
		} else {
			d->more |= digit != 0;
			d->exponent += !point;
		}
	}
	return s;
}

/* The bits of first * 10^exponent or somewhat more, if a double decides them: it is wrong by less
 * than 8 of its last places, so the float is right unless the middle between two is so near. */
LSCHED_FN int x3d_quick(uint64_t first, int32_t exponent, uint32_t *bits)
{
	const uint64_t half = UINT64_C(1) << 28, near = 8;
	union {
		double d;
		uint64_t bits;
	} u;

	*bits = 0;
	if (first == 0)
		return 1;
	if (exponent > 60 || exponent < -80)
		return 0;
	u.d = x3d_near(first, exponent);
	*bits = x3d_bits_of((float)u.d);
	return u.d > 1e-37 && u.d < 3e38 && (u.bits & (2 * half - 1)) - (half - near) > 2 * near;
}

/* Reads the bits of a number without sign. Returns 0 if the text up to `end` is none. */
LSCHED_TASK_FN int x3d_magnitude(const uint8_t *s, const uint8_t *end, uint32_t *bits)
{
	const int hex = end - s > 2 && s[0] == '0' && (s[1] | 32u) == 'x';
	int32_t exponent = 0;
	const uint8_t *rest;
	x3d_digits d;

	*bits = 0x7f800000u;
	if (x3d_is_word(s, end, "inf", 3) || x3d_is_word(s, end, "infinity", 8))
		return 1;
	*bits = 0x7fc00000u;
	if (x3d_is_word(s, end, "nan", 3))
		return 1;
	rest = x3d_read_digits(hex ? s + 2 : s, hex ? 16 : 10, &d);
	if (!d.any || !x3d_exponent(rest, end, hex ? 'p' : 'e', &exponent))
		return 0;
	if (hex)
		*bits = x3d_round_binary(d.first, 4 * d.exponent + exponent, d.more);
	else if (!x3d_quick(d.first, d.exponent + exponent, bits))
		*bits = x3d_exact(s, d.first, d.exponent + exponent);
	return 1;
}

/* Does a byte end a number? A quote does, though one of two is wrong within a list. */
LSCHED_FN int x3d_ends_number(uint32_t ch)
{
	return x3d_is_space(ch) || ch == ',' || ch == '"' || ch == '\'';
}

/* Reads any float. Returns the number of an error, or X3D_OK. */
LSCHED_TASK_CALL_FN uint32_t x3d_any_float(const uint8_t *s, uint32_t *bits)
{
	const uint32_t skip = s[0] == '-' || s[0] == '+';
	uint32_t n = 0;

	*bits = 0;
	while (n <= X3D_NUMBER && !x3d_ends_number(s[n]) && s[n])
		n++;
	if (n > X3D_NUMBER)
		return X3D_E_LONG;
	return x3d_magnitude(s + skip, s + n, bits) ? (uint32_t)X3D_OK : (uint32_t)X3D_E_NUMBER;
}

/* The same; at once if it has digits and a point only. */
LSCHED_TASK_FN uint32_t x3d_float(const uint8_t *s, float *to)
{
	const uint32_t sign = s[0] == '-' ? 0x80000000u : 0;
	const uint8_t *first = s + (s[0] == '-' || s[0] == '+'), *end;
	uint32_t error = X3D_OK;
	x3d_digits d;
	union {
		uint32_t bits;
		float f;
	} u;

	end = x3d_read_digits(first, 10, &d);
	if (!d.any || end - s > X3D_NUMBER || !x3d_ends_number(*end) ||
		!x3d_quick(d.first, d.exponent, &u.bits))
		error = x3d_any_float(s, &u.bits);
	u.bits |= sign;
	*to = u.f;
	return error;
}

/* Reads an integer: -2^31 .. 2^32 - 1, decimal or 0x.. */
LSCHED_FN uint32_t x3d_int(const uint8_t *s, uint32_t *to)
{
	const uint8_t *begin = s;
	const int minus = s[0] == '-';
	uint32_t base = 10, any = 0;
	uint64_t v = 0;

	s += s[0] == '-' || s[0] == '+';
	if (s[0] == '0' && (s[1] | 32u) == 'x') {
		base = 16;
		s += 2;
	}
	for (; x3d_hex_digit(*s) < base && s - begin <= X3D_NUMBER; s++, any = 1)
		v = v >> 32 ? v : v * base + x3d_hex_digit(*s);
	*to = minus ? 0u - (uint32_t)v : (uint32_t)v;
	if (s - begin > X3D_NUMBER)
		return X3D_E_LONG;
	return any && x3d_ends_number(*s) && v <= (minus ? UINT64_C(0x80000000) : 0xffffffffu)
		       ? (uint32_t)X3D_OK
		       : (uint32_t)X3D_E_NUMBER;
}

#endif
