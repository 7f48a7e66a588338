/* ASCII tokens of RIB, and the loop over all tokens. lex_binary.c reads the binary ones. */
#include "reyes/rib/lex.h"
#include "reyes/rib/lex_parts.h"
#include "reyes/rib/number.h"

#include <stdio.h>
#include <strings.h>

enum { PROGRAM_END = 0377, CTRL_Z = 032 };

void reyes_i_lex_begin(reyes_i_lexer *x, uint32_t line, uint64_t column)
{
	x->line = line;
	x->line_start = 0;
	x->column_offset = column - 1;
}

void reyes_i_lex_skip_mark(reyes_i_lexer *x)
{
	static const unsigned char mark[3] = { 0xef, 0xbb, 0xbf };

	if (reyes_i_lex_need(x, 1) || *x->in.at != mark[0] || reyes_i_lex_need(x, 3) ||
		memcmp(x->in.at, mark, 3) != 0)
		return;
	x->in.at += 3;
	x->line_start += 3;
}

void reyes_i_lex_close(reyes_i_lexer *x)
{
	reyes_i_input_close(&x->in);
	reyes_i_codes_release(x->codes);
	reyes_i_pool_free(&x->text);
	memset(x, 0, sizeof(*x));
}

const char reyes_i_out_of_memory[] = "out of memory";

int reyes_i_lex_bad(reyes_i_lexer *x, const char *problem)
{
	x->kind = REYES_I_TOKEN_BAD;
	x->problem = problem;
	x->no_memory |= problem == reyes_i_out_of_memory;
	return -1;
}

int reyes_i_lex_need(reyes_i_lexer *x, size_t count)
{
	while ((size_t)(x->in.end - x->in.at) < count)
		if (!reyes_i_input_refill(&x->in))
			return -1;
	return 0;
}

void reyes_i_lex_count_line(reyes_i_lexer *x, const unsigned char *next)
{
	x->line++;
	x->line_start = reyes_i_input_offset(&x->in, next);
	x->column_offset = 0;
}

static void set_position(reyes_i_lexer *x, const unsigned char *p)
{
	x->token_line = x->line;
	x->token_column = reyes_i_input_offset(&x->in, p) - x->line_start + x->column_offset + 1;
}

static int is_digit(unsigned c)
{
	return c - '0' < 10;
}

static int is_name(unsigned c)
{
	return is_digit(c) || (c | 32) - 'a' < 26 || c == '_';
}

/* Whether c ends a number. The zero byte behind the window does; the caller checks for it. */
static int is_delimiter(unsigned c)
{
	return c <= ' ' || c == '[' || c == ']' || c == '"' || c == '#' || c >= 0200;
}

/* Notes a byte with which editors and disks fill the end of a file. */
static void note_padding(reyes_i_lexer *x)
{
	if (x->pad_line)
		return;
	set_position(x, x->in.at);
	x->pad_line = x->token_line;
	x->pad_column = x->token_column;
}

/* Skips blanks, line ends, comments and padding. Returns 1 if there is another byte. */
static int skip_space(reyes_i_lexer *x)
{
	reyes_i_input *const in = &x->in;
	int is_comment = 0;

	in->mark = NULL;
	for (;;) {
		const unsigned c = *in->at;

		if (c == '\n') {
			is_comment = 0;
			reyes_i_lex_count_line(x, ++in->at);
		} else if (c == '\r') {
			/* The line ends here unless a newline follows. */
			if (!reyes_i_lex_need(x, 2) && in->at[1] == '\n')
				in->at++;
			is_comment = 0;
			reyes_i_lex_count_line(x, ++in->at);
		} else if (in->at == in->end) {
			if (!reyes_i_input_refill(in))
				return 0;
		} else if (is_comment || c == ' ' || c == '\t' || c == '\f' || c == '\v') {
			in->at++;
		} else if (c == '#') {
			is_comment = 1;
		} else if (c == '\0' || c == CTRL_Z) {
			note_padding(x);
			in->at++;
		} else {
			return 1;
		}
	}
}

void reyes_i_lex_keep_bad(reyes_i_lexer *x, const unsigned char *p, const unsigned char *end)
{
	size_t n = 0;

	for (; p != end && n < sizeof(x->bad_text) - 1; p++)
		x->bad_text[n++] = (char)(*p >= ' ' && *p < 0177 ? *p : '?');
	x->bad_text[n] = '\0';
}

/* Makes the bytes up to the next delimiter, at most 64, a BAD token. */
static void read_bad(reyes_i_lexer *x, const char *problem)
{
	reyes_i_input *const in = &x->in;
	size_t n = 1;

	reyes_i_lex_bad(x, problem);
	while (n < 64 && !reyes_i_lex_need(x, n + 1) && !is_delimiter(in->at[n]))
		n++;
	reyes_i_lex_keep_bad(x, in->at, in->at + n);
	in->at += n;
}

/* Returns the first byte behind the name at in.at, after all its bytes are in the window. Returns
 * NULL if the window is too small. */
static const unsigned char *scan_name(reyes_i_lexer *x)
{
	reyes_i_input *const in = &x->in;

	for (;;) {
		const unsigned char *p = in->at;

		while (is_name(*p))
			p++;
		if (p != in->end || in->is_last)
			return p;
		if (!reyes_i_input_refill(in) && !in->is_last)
			return NULL;
	}
}

static void read_name(reyes_i_lexer *x)
{
	const unsigned char *const end = scan_name(x);
	const char *text;

	if (!end || end - x->in.at >= REYES_I_NAME_BYTES) {
		reyes_i_lex_bad(x, "a name of more than 255 characters");
		reyes_i_lex_keep_bad(x, x->in.at, x->in.at + 40);
		x->in.at = end ? x->in.at + (end - x->in.at) : x->in.end;
		return;
	}
	x->kind = REYES_I_TOKEN_REQUEST;
	x->text.bytes = 0;
	x->text_bytes = (size_t)(end - x->in.at);
	if (reyes_i_pool_append(&x->text, x->in.at, x->text_bytes, SIZE_MAX) ||
		reyes_i_pool_append(&x->text, "", 1, SIZE_MAX)) {
		reyes_i_lex_bad(x, reyes_i_out_of_memory);
		return;
	}
	x->in.at += x->text_bytes;
	text = (const char *)x->text.data;
	if (!strcasecmp(text, "nan") || !strcasecmp(text, "inf") || !strcasecmp(text, "infinity")) {
		reyes_i_lex_bad(x, "not a number");
		snprintf(x->bad_text, sizeof(x->bad_text), "%s", text);
	}
}

static void read_number(reyes_i_lexer *x)
{
	reyes_i_input *const in = &x->in;
	const unsigned char *p;
	int kind;

	for (;;) {
		p = reyes_i_parse_number(in->at, &x->number, &kind);
		if (p != in->end || in->is_last)
			break;
		if (!reyes_i_input_refill(in) && !in->is_last) {
			reyes_i_lex_bad(x, "a number of more than 65536 characters");
			reyes_i_lex_keep_bad(x, in->at, in->at + 40);
			in->at = in->end;
			return;
		}
	}
	if (kind == REYES_I_NUMBER_NONE || (p != in->end && !is_delimiter(*p))) {
		read_bad(x, "not a number");
		return;
	}
	x->kind = kind == REYES_I_NUMBER_INTEGER ? REYES_I_TOKEN_INTEGER : REYES_I_TOKEN_FLOAT;
	in->at += p - in->at;
}

/* Skips the rest of a binary array that the parser did not read. */
static void skip_payload(reyes_i_lexer *x)
{
	uint64_t bytes = 4 * (uint64_t)x->float_count;

	x->float_count = 0;
	x->in.mark = NULL;
	while (bytes && !reyes_i_lex_need(x, 1)) {
		const uint64_t part = (uint64_t)(x->in.end - x->in.at);

		x->in.at += part < bytes ? part : bytes;
		bytes -= part < bytes ? part : bytes;
	}
}

/* Reads the token that begins at in.at. Returns 0 if it was a definition. */
static int read_token(reyes_i_lexer *x)
{
	const unsigned c = *x->in.at;

	if (c >= 0200)
		return reyes_i_lex_binary(x);
	if (is_digit(c) || c == '-' || c == '+' || c == '.') {
		read_number(x);
	} else if (is_name(c)) {
		read_name(x);
	} else if (c == '"') {
		reyes_i_lex_quoted(x);
	} else if (c == '[' || c == ']') {
		x->in.at++;
		x->kind = c == '[' ? REYES_I_TOKEN_OPEN : REYES_I_TOKEN_CLOSE;
	} else {
		read_bad(x, "a character that begins no token");
	}
	return 1;
}

reyes_i_token_kind reyes_i_lex_next(reyes_i_lexer *x)
{
	if (x->is_peeked) {
		x->is_peeked = 0;
		return x->kind;
	}
	if (x->float_count)
		skip_payload(x);
	do {
		x->bad_text[0] = '\0';
		if (!skip_space(x)) {
			set_position(x, x->in.at);
			return x->kind = REYES_I_TOKEN_END;
		}
		set_position(x, x->in.at);
		if (x->pad_line) {
			/* It was not the end of the file. */
			x->token_line = x->pad_line;
			x->token_column = x->pad_column;
			x->pad_line = 0;
			reyes_i_lex_bad(x, "a character that begins no token");
			snprintf(x->bad_text, sizeof(x->bad_text), "?");
			return x->kind;
		}
		if (x->is_program && *x->in.at == PROGRAM_END) {
			x->in.at = x->in.end;
			x->in.is_last = 1;
			x->has_end = 1;
			return x->kind = REYES_I_TOKEN_END;
		}
		x->in.mark = x->in.at;
	} while (!read_token(x));
	return x->kind;
}

reyes_i_token_kind reyes_i_lex_peek(reyes_i_lexer *x)
{
	reyes_i_lex_next(x);
	x->is_peeked = 1;
	return x->kind;
}

const char *reyes_i_append_number(reyes_i_pool *to, reyes_i_number_type type, double v)
{
	if (reyes_i_pool_reserve(to, sizeof(float), REYES_I_VALUES_BYTES))
		return "an array that is too large; the numbers of a request exceed 1 GiB";
	if (type == REYES_I_AS_INT) {
		int32_t i;

		if (!(v >= -2147483648.0 && v <= 2147483647.0) || (double)(i = (int32_t)v) != v)
			return "not an integer";
		memcpy(to->data + to->bytes, &i, sizeof(i));
	} else {
		const float f = reyes_i_to_float(v);

		memcpy(to->data + to->bytes, &f, sizeof(f));
	}
	to->bytes += sizeof(float);
	return NULL;
}

ptrdiff_t reyes_i_lex_numbers(
	reyes_i_lexer *x, reyes_i_number_type type, reyes_i_pool *to, const char **problem)
{
	reyes_i_input *const in = &x->in;
	ptrdiff_t total = 0;

	while (!x->is_peeked && skip_space(x) && !x->pad_line) {
		const unsigned char *p;
		const unsigned c = *in->at;
		double v;
		int kind;

		if (!is_digit(c) && c != '-' && c != '.' && c != '+')
			break;
		p = reyes_i_parse_number(in->at, &v, &kind);
		if (p == in->end && !in->is_last) {
			/* The number may continue behind the window. */
			if (reyes_i_input_refill(in) || in->is_last)
				continue;
			break;
		}
		if (kind == REYES_I_NUMBER_NONE || !is_delimiter(*p))
			break;
		*problem = reyes_i_append_number(to, type, v);
		if (*problem) {
			set_position(x, in->at);
			x->kind = REYES_I_TOKEN_FLOAT;
			x->number = v;
			in->at += p - in->at;
			return -1;
		}
		in->at += p - in->at;
		total++;
	}
	return total;
}

void reyes_i_lex_describe(const reyes_i_lexer *x, char *text, size_t bytes)
{
	char part[64];
	size_t n = 0;

	if (x->kind == REYES_I_TOKEN_REQUEST || x->kind == REYES_I_TOKEN_STRING)
		for (; n < x->text_bytes && n < 48; n++)
			part[n] = (char)(x->text.data[n] < ' ' ? ' ' : x->text.data[n]);
	part[n] = '\0';
	switch (x->kind) {
	case REYES_I_TOKEN_END:
		snprintf(text, bytes, "the end of the file");
		break;
	case REYES_I_TOKEN_REQUEST:
		snprintf(text, bytes, "the request %s", part);
		break;
	case REYES_I_TOKEN_STRING:
		snprintf(text, bytes, "string \"%s\"", part);
		break;
	case REYES_I_TOKEN_INTEGER:
	case REYES_I_TOKEN_FLOAT:
		snprintf(text, bytes, "number %.9g", x->number);
		break;
	case REYES_I_TOKEN_OPEN:
		snprintf(text, bytes, "\"[\"");
		break;
	case REYES_I_TOKEN_CLOSE:
		snprintf(text, bytes, "\"]\"");
		break;
	case REYES_I_TOKEN_FLOATS:
		snprintf(text, bytes, "an array of %u numbers", (unsigned)x->float_count);
		break;
	case REYES_I_TOKEN_BAD:
		if (x->bad_text[0])
			snprintf(text, bytes, "%s: \"%s\"", x->problem, x->bad_text);
		else
			snprintf(text, bytes, "%s", x->problem);
		break;
	}
}
