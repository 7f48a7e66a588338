/* Encodes recorded calls (ri_record.h) as binary RIB: each token in a random one of the encodings
 * of RI Specification 3.2, appendix C, that fit, among them ASCII. */
#ifndef TESTS_REYES_RIB_ENCODE_H
#define TESTS_REYES_RIB_ENCODE_H

#include "tests/common/rng.h"
#include "tests/common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ENCODE_NAMES = 400, ENCODE_STRING_BYTES = 400 };

typedef struct encoder {
	test_text out;
	const char *at;
	char requests[256][40];
	unsigned request_count;
	char strings[ENCODE_NAMES][ENCODE_STRING_BYTES];
	unsigned string_codes[ENCODE_NAMES], string_count;
} encoder;

static inline void encode_byte(encoder *e, unsigned byte)
{
	const char c = (char)byte;

	test_text_append(&e->out, &c, 1);
}

static inline void encode_value(encoder *e, uint64_t v, unsigned bytes)
{
	while (bytes--)
		encode_byte(e, (unsigned)(v >> 8 * bytes) & 255);
}

static inline void encode_ascii(encoder *e, const char *text, size_t bytes)
{
	test_text_append(&e->out, text, bytes);
	encode_byte(e, ' ');
}

/* A string by its bytes: in quotes, short or long. */
static inline void encode_plain_string(encoder *e, const char *s)
{
	const size_t n = strlen(s);
	const unsigned extra = rng_below(3);

	if (rng_below(3) == 0 && !strpbrk(s, "\"\\\r")) {
		encode_byte(e, '"');
		test_text_append(&e->out, s, n);
		encode_byte(e, '"');
	} else if (n < 16 && rng_below(2)) {
		encode_byte(e, 0220 + (unsigned)n);
		test_text_append(&e->out, s, n);
	} else {
		const unsigned bytes = (n > 255 ? 2 : 1) + extra;

		encode_byte(e, 0240 + bytes - 1);
		encode_value(e, n, bytes);
		test_text_append(&e->out, s, n);
	}
}

static inline void encode_string_code(encoder *e, unsigned first, unsigned code)
{
	const unsigned bytes = code > 255 ? 2 : 1;

	encode_byte(e, first + bytes - 1);
	encode_value(e, code, bytes);
}

static inline void encode_string(encoder *e, const char *s)
{
	unsigned i = 0;

	while (i < e->string_count && strcmp(e->strings[i], s) != 0)
		i++;
	if (i == e->string_count && i < ENCODE_NAMES && rng_below(2)) {
		strcpy(e->strings[i], s);
		e->string_codes[i] = i + (i % 3 ? 0 : 1000);
		e->string_count++;
		encode_string_code(e, 0315, e->string_codes[i]);
		encode_plain_string(e, s);
	}
	if (i < e->string_count && rng_below(4))
		encode_string_code(e, 0317, e->string_codes[i]);
	else
		encode_plain_string(e, s);
}

static inline void encode_request(encoder *e, const char *name, size_t bytes)
{
	unsigned i = 0;

	while (i < e->request_count &&
		(strlen(e->requests[i]) != bytes || memcmp(e->requests[i], name, bytes) != 0))
		i++;
	if (i == e->request_count && rng_below(2)) {
		memcpy(e->requests[i], name, bytes);
		e->requests[i][bytes] = '\0';
		e->request_count++;
		encode_byte(e, 0314);
		encode_byte(e, i);
		encode_plain_string(e, e->requests[i]);
	}
	if (i < e->request_count && rng_below(4)) {
		encode_byte(e, 0246);
		encode_byte(e, i);
	} else {
		encode_ascii(e, name, bytes);
	}
}

static inline void encode_float_bits(encoder *e, float f)
{
	uint32_t bits;

	memcpy(&bits, &f, sizeof(bits));
	encode_value(e, bits, 4);
}

/* A number whose text is at `text`. */
static inline void encode_number(encoder *e, const char *text, size_t bytes)
{
	const double v = strtod(text, NULL);
	const float f = strtof(text, NULL);
	const double as_double = fabs(v) < 2147483648.0 && floor(v) == v ? v : (double)f;
	const unsigned point = rng_below(4), kind = rng_below(4);
	const double scaled = ldexp(as_double, 8 * (int)point);
	uint64_t bits;

	if (kind == 0 && fabs(scaled) < 2147483648.0 && floor(scaled) == scaled) {
		const int64_t i = (int64_t)scaled;
		unsigned width = 1;

		while (width < 4 && (i >= (int64_t)1 << (8 * width - 1) ||
					    i < -((int64_t)1 << (8 * width - 1))))
			width++;
		encode_byte(e, 0200 + 4 * point + width - 1);
		encode_value(e, (uint64_t)i, width);
	} else if (kind == 1 && (double)f == as_double) {
		encode_byte(e, 0244);
		encode_float_bits(e, f);
	} else if (kind == 2) {
		memcpy(&bits, &as_double, sizeof(bits));
		encode_byte(e, 0245);
		encode_value(e, bits, 8);
	} else {
		encode_ascii(e, text, bytes);
	}
}

/* The array that begins at e->at, if it consists of numbers that are exact as floats: as a binary
 * array. Returns 0 if it is none. */
static inline int encode_array(encoder *e)
{
	const char *end = e->at + 1;
	uint64_t count = 0;
	unsigned width;

	while (*end != ']') {
		char *next;
		const double v = strtod(end, &next);

		if (next == end || (floor(v) == v && fabs(v) > 16777216.0 && fabs(v) < 3e9))
			return 0;
		end = next + (*next == ' ');
		count++;
	}
	width = count > 65535 ? 3 : count > 255 ? 2 : 1 + rng_below(3);
	encode_byte(e, 0310 + width - 1);
	encode_value(e, count, width);
	for (e->at++; *e->at != ']'; e->at += *e->at == ' ')
		encode_float_bits(e, strtof(e->at, (char **)&e->at));
	e->at++;
	return 1;
}

static inline void encode_quoted(encoder *e)
{
	char s[ENCODE_STRING_BYTES];
	size_t n = 0;

	for (e->at++; *e->at != '"' && n < sizeof(s) - 1; n++) {
		if (*e->at == '\\') {
			s[n] = (char)((e->at[1] - '0') * 64 + (e->at[2] - '0') * 8 + e->at[3] -
				      '0');
			e->at += 4;
		} else {
			s[n] = *e->at++;
		}
	}
	s[n] = '\0';
	e->at++;
	encode_string(e, s);
}

/* Appends the encoding of `calls` to e->out. */
static inline void encode_calls(encoder *e, const char *calls)
{
	for (e->at = calls; *e->at;) {
		const size_t word = strcspn(e->at, " \n[]\"");

		if (*e->at == ' ' || *e->at == '\n') {
			e->at++;
		} else if (*e->at == '"') {
			encode_quoted(e);
		} else if (*e->at == '[' && rng_below(2) && encode_array(e)) {
			continue;
		} else if (*e->at == '[' || *e->at == ']') {
			encode_byte(e, (unsigned char)*e->at++);
		} else {
			if (*e->at >= 'A')
				encode_request(e, e->at, word);
			else
				encode_number(e, e->at, word);
			e->at += word;
		}
	}
}

#endif
