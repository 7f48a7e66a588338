/* Binary tokens: the encodings of RI Specification 3.2, appendix C. Numbers are octal there:
 *
 *	0200 + 4d + w   integer of w + 1 bytes, of which d are behind the binary point
 *	0220 + n        string of n bytes
 *	0240 + l        string with a length of l + 1 bytes
 *	0244, 0245      float, double
 *	0246 c          request with code c
 *	0310 + l        array of floats with a count of l + 1 bytes
 *	0314 c string   defines the request with code c
 *	0315 + w t str  defines the string with a code of w + 1 bytes
 *	0317 + w t      the string with this code
 *
 * Multi-byte values begin with the most significant byte. */
#include "reyes/rib/lex_parts.h"

enum {
	BINARY_INTEGER = 0200,
	BINARY_SHORT_STRING = 0220,
	BINARY_STRING = 0240,
	BINARY_FLOAT = 0244,
	BINARY_DOUBLE = 0245,
	BINARY_REQUEST = 0246,
	BINARY_FLOATS = 0310,
	BINARY_DEFINE_REQUEST = 0314,
	BINARY_DEFINE_STRING = 0315,
	BINARY_DEFINED_STRING = 0317,
	BINARY_RESERVED = 0321
};

static const char truncated[] = "the binary token is truncated";
static const char not_finite[] = "a number that is infinite or not a number";

/* Reads an unsigned value of `count` bytes, at most 8. Returns -1 at the end of the stream. */
static int read_value(reyes_i_lexer *x, size_t count, uint64_t *value)
{
	*value = 0;
	if (reyes_i_lex_need(x, count))
		return reyes_i_lex_bad(x, truncated);
	for (size_t i = 0; i < count; i++)
		*value = *value << 8 | *x->in.at++;
	return 0;
}

static float float_of(uint32_t bits)
{
	float f;

	memcpy(&f, &bits, sizeof(f));
	return f;
}

static int is_finite_float(uint32_t bits)
{
	return (bits & 0x7f800000u) != 0x7f800000u;
}

/* Reads an integer or fixed-point number: `point` bytes of `count` follow the binary point. */
static void read_integer(reyes_i_lexer *x, unsigned point, unsigned count)
{
	uint64_t bits;

	if (read_value(x, count, &bits))
		return;
	x->number = (double)bits;
	if (bits >> (8 * count - 1))
		x->number -= (double)((uint64_t)1 << (8 * count));
	x->kind = point ? REYES_I_TOKEN_FLOAT : REYES_I_TOKEN_INTEGER;
	for (; point; point--)
		x->number /= 256;
}

static void read_float(reyes_i_lexer *x)
{
	uint64_t bits;

	if (read_value(x, 4, &bits))
		return;
	x->kind = REYES_I_TOKEN_FLOAT;
	x->number = float_of((uint32_t)bits);
	if (!is_finite_float((uint32_t)bits))
		reyes_i_lex_bad(x, not_finite);
}

static void read_double(reyes_i_lexer *x)
{
	uint64_t bits;

	if (read_value(x, 8, &bits))
		return;
	x->kind = REYES_I_TOKEN_FLOAT;
	memcpy(&x->number, &bits, sizeof(bits));
	if ((bits >> 52 & 0x7ff) == 0x7ff)
		reyes_i_lex_bad(x, not_finite);
}

/* Reads a string whose length has `count` bytes. */
static int read_string(reyes_i_lexer *x, size_t count)
{
	uint64_t bytes;

	x->kind = REYES_I_TOKEN_STRING;
	if (read_value(x, count, &bytes))
		return -1;
	return reyes_i_lex_text(x, (size_t)bytes);
}

/* Reads the string of a definition: quoted or encoded. */
static int read_defined(reyes_i_lexer *x)
{
	unsigned c;

	x->in.mark = NULL;
	x->kind = REYES_I_TOKEN_STRING;
	if (reyes_i_lex_need(x, 1))
		return reyes_i_lex_bad(x, truncated);
	/* Writers put a blank between the code and a quoted string. */
	while (*x->in.at == ' ') {
		x->in.at++;
		if (reyes_i_lex_need(x, 1))
			return reyes_i_lex_bad(x, truncated);
	}
	c = *x->in.at;
	if (c == '"')
		return reyes_i_lex_quoted(x);
	if (c >= BINARY_SHORT_STRING && c < BINARY_STRING) {
		x->in.at++;
		return reyes_i_lex_text(x, c - BINARY_SHORT_STRING);
	}
	if (c >= BINARY_STRING && c < BINARY_FLOAT) {
		x->in.at++;
		return read_string(x, c - BINARY_STRING + 1);
	}
	return reyes_i_lex_bad(x, "a string has to follow the code of a definition");
}

void reyes_i_codes_release(reyes_i_codes *c)
{
	if (!c || --c->references)
		return;
	for (size_t i = 0; i < 256; i++)
		free(c->requests[i]);
	for (size_t i = 0; i < c->string_count; i++)
		free(c->strings[i]);
	free(c->strings);
	free(c);
}

/* Makes room for the string code n - 1. Returns -1 without memory. */
static int grow_strings(reyes_i_codes *c, size_t n)
{
	char **more;

	if (n <= c->string_count)
		return 0;
	more = realloc(c->strings, n * sizeof(*more));
	if (!more)
		return -1;
	memset(more + c->string_count, 0, (n - c->string_count) * sizeof(*more));
	c->bytes += (n - c->string_count) * sizeof(*more);
	c->strings = more;
	c->string_count = n;
	return 0;
}

/* Sets *to to a copy of the text. */
static int set_code(reyes_i_codes *c, char **to, const void *text, size_t bytes)
{
	char *copy = malloc(bytes + 1);

	if (!copy)
		return -1;
	memcpy(copy, text, bytes);
	copy[bytes] = '\0';
	c->bytes += bytes + 1;
	if (*to)
		c->bytes -= strlen(*to) + 1;
	free(*to);
	*to = copy;
	return 0;
}

/* Returns a table with one reference: a copy of `from`, which may be NULL. */
static reyes_i_codes *copy_codes(const reyes_i_codes *from)
{
	reyes_i_codes *c = calloc(1, sizeof(*c));
	int failed = 0;

	if (!c)
		return NULL;
	c->references = 1;
	c->bytes = sizeof(*c);
	for (size_t i = 0; from && i < 256; i++)
		if (from->requests[i])
			failed |= set_code(
				c, &c->requests[i], from->requests[i], strlen(from->requests[i]));
	if (from)
		failed |= grow_strings(c, from->string_count);
	for (size_t i = 0; from && !failed && i < from->string_count; i++)
		if (from->strings[i])
			failed |= set_code(
				c, &c->strings[i], from->strings[i], strlen(from->strings[i]));
	if (failed) {
		reyes_i_codes_release(c);
		return NULL;
	}
	return c;
}

/* Makes the lexer's table one without other references. Returns -1 without memory, and if the
 * copies for inline archives exceed the limit. */
static int own_codes(reyes_i_lexer *x)
{
	reyes_i_codes *own;

	if (x->codes && x->codes->references == 1)
		return 0;
	if (x->copied_bytes > REYES_I_COPIES_BYTES)
		return -1;
	own = copy_codes(x->codes);
	if (!own)
		return -1;
	x->copied_bytes += own->bytes;
	reyes_i_codes_release(x->codes);
	x->codes = own;
	return 0;
}

/* Reads a definition of a request or string. Returns 0, or 1 if the token became BAD. */
static int read_definition(reyes_i_lexer *x, int is_request, size_t count)
{
	uint64_t code;
	char **to;

	if (read_value(x, count, &code) || read_defined(x))
		return 1;
	if (is_request && x->text_bytes >= REYES_I_NAME_BYTES) {
		reyes_i_lex_bad(x, "the name of a defined request is too long");
		return 1;
	}
	if (own_codes(x) || (!is_request && grow_strings(x->codes, (size_t)code + 1))) {
		reyes_i_lex_bad(x, reyes_i_out_of_memory);
		return 1;
	}
	to = is_request ? &x->codes->requests[code] : &x->codes->strings[code];
	if (set_code(x->codes, to, x->text.data, x->text_bytes)) {
		reyes_i_lex_bad(x, reyes_i_out_of_memory);
		return 1;
	}
	return 0;
}

/* Makes the token the defined text with a code of `count` bytes. */
static void read_reference(reyes_i_lexer *x, int is_request, size_t count)
{
	const reyes_i_codes *c = x->codes;
	const char *text = NULL;
	uint64_t code;

	if (read_value(x, count, &code))
		return;
	if (c && is_request)
		text = c->requests[code];
	else if (c && code < c->string_count)
		text = c->strings[code];
	if (!text) {
		reyes_i_lex_bad(x, is_request ? "a request code without a definition"
					      : "a string code without a definition");
		return;
	}
	x->kind = is_request ? REYES_I_TOKEN_REQUEST : REYES_I_TOKEN_STRING;
	x->text.bytes = 0;
	x->text_bytes = strlen(text);
	if (reyes_i_pool_append(&x->text, text, x->text_bytes + 1, REYES_I_STRING_BYTES + 1))
		reyes_i_lex_bad(x, reyes_i_out_of_memory);
}

int reyes_i_lex_binary(reyes_i_lexer *x)
{
	const unsigned c = *x->in.at++;
	uint64_t count;

	if (c < BINARY_SHORT_STRING) {
		read_integer(x, (c - BINARY_INTEGER) >> 2, ((c - BINARY_INTEGER) & 3) + 1);
	} else if (c < BINARY_STRING) {
		x->kind = REYES_I_TOKEN_STRING;
		reyes_i_lex_text(x, c - BINARY_SHORT_STRING);
	} else if (c < BINARY_FLOAT) {
		read_string(x, c - BINARY_STRING + 1);
	} else if (c == BINARY_FLOAT) {
		read_float(x);
	} else if (c == BINARY_DOUBLE) {
		read_double(x);
	} else if (c == BINARY_REQUEST) {
		read_reference(x, 1, 1);
	} else if (c >= BINARY_FLOATS && c < BINARY_DEFINE_REQUEST) {
		x->kind = REYES_I_TOKEN_FLOATS;
		if (!read_value(x, c - BINARY_FLOATS + 1, &count))
			x->float_count = (uint32_t)count;
	} else if (c == BINARY_DEFINE_REQUEST) {
		return read_definition(x, 1, 1);
	} else if (c == BINARY_DEFINE_STRING || c == BINARY_DEFINE_STRING + 1) {
		return read_definition(x, 0, c - BINARY_DEFINE_STRING + 1);
	} else if (c == BINARY_DEFINED_STRING || c == BINARY_DEFINED_STRING + 1) {
		read_reference(x, 0, c - BINARY_DEFINED_STRING + 1);
	} else {
		reyes_i_lex_bad(x, "a byte that begins no token");
	}
	return 1;
}

ptrdiff_t reyes_i_lex_payload(
	reyes_i_lexer *x, reyes_i_number_type type, reyes_i_pool *to, const char **problem)
{
	const ptrdiff_t total = (ptrdiff_t)x->float_count;

	x->in.mark = NULL;
	while (x->float_count) {
		const unsigned char *p;
		size_t part;

		if (reyes_i_lex_need(x, 4)) {
			*problem = "the binary array is truncated";
			x->in.at = x->in.end;
			x->float_count = 0;
			return -1;
		}
		part = (size_t)(x->in.end - x->in.at) / 4;
		part = part < x->float_count ? part : x->float_count;
		p = x->in.at;
		for (size_t i = 0; i < part; i++, p += 4) {
			const uint32_t bits = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
					      (uint32_t)p[2] << 8 | p[3];

			*problem = is_finite_float(bits)
					   ? reyes_i_append_number(to, type, float_of(bits))
					   : not_finite;
			if (*problem)
				return -1;
		}
		x->in.at += 4 * part;
		x->float_count -= (uint32_t)part;
	}
	return total;
}
