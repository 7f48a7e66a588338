/* Strings of RIB: quoted ones with escape sequences, and the bytes of binary ones. */
#include "reyes/rib/lex_parts.h"

static int is_octal(unsigned c)
{
	return c - '0' < 8;
}

/* Appends bytes to the text of a string. */
static int append_text(reyes_i_lexer *x, const void *from, size_t bytes)
{
	if (reyes_i_pool_append(&x->text, from, bytes, REYES_I_STRING_BYTES))
		return reyes_i_lex_bad(x, "a string of more than 16 MiB; add the closing quote");
	return 0;
}

/* Ends the text of a string. */
static int end_text(reyes_i_lexer *x)
{
	x->text_bytes = x->text.bytes;
	if (reyes_i_pool_append(&x->text, "", 1, SIZE_MAX))
		return reyes_i_lex_bad(x, reyes_i_out_of_memory);
	if (strlen((const char *)x->text.data) != x->text_bytes)
		return reyes_i_lex_bad(x, "a string with a zero byte");
	return 0;
}

/* Reads an escape sequence, which begins at in.at. */
static int read_escape(reyes_i_lexer *x)
{
	static const char codes[] = "nrtbf", meanings[] = "\n\r\t\b\f";
	reyes_i_input *const in = &x->in;
	unsigned char c;
	const char *code;

	if (reyes_i_lex_need(x, 2))
		return reyes_i_lex_bad(x, "a string without closing quote");
	c = in->at[1];
	in->at += 2;
	if (is_octal(c)) {
		unsigned value = c - '0';

		for (int i = 0; i < 2 && !reyes_i_lex_need(x, 1); i++) {
			if (!is_octal(*in->at))
				break;
			value = value * 8 + (*in->at++ - '0');
		}
		c = (unsigned char)value;
		return append_text(x, &c, 1);
	}
	if (c == '\n' || c == '\r') {
		if (c == '\r' && !reyes_i_lex_need(x, 1) && *in->at == '\n')
			in->at++;
		reyes_i_lex_count_line(x, in->at);
		return 0;
	}
	code = c ? strchr(codes, c) : NULL;
	if (code)
		c = (unsigned char)meanings[code - codes];
	return append_text(x, &c, 1);
}

int reyes_i_lex_quoted(reyes_i_lexer *x)
{
	reyes_i_input *const in = &x->in;

	in->mark = NULL;
	in->at++;
	x->kind = REYES_I_TOKEN_STRING;
	x->text.bytes = 0;
	for (;;) {
		const unsigned char *p = in->at;

		while (p != in->end && *p != '"' && *p != '\\' && *p != '\n')
			p++;
		if (append_text(x, in->at, (size_t)(p - in->at)))
			return -1;
		in->at += p - in->at;
		if (in->at == in->end) {
			if (!reyes_i_input_refill(in)) {
				if (x->text.bytes)
					reyes_i_lex_keep_bad(
						x, x->text.data, x->text.data + x->text.bytes);
				return reyes_i_lex_bad(x, "a string without closing quote");
			}
		} else if (*in->at == '\\') {
			if (read_escape(x))
				return -1;
		} else if (*in->at == '\n') {
			if (append_text(x, in->at, 1))
				return -1;
			reyes_i_lex_count_line(x, ++in->at);
		} else {
			in->at++;
			return end_text(x);
		}
	}
}

int reyes_i_lex_text(reyes_i_lexer *x, size_t bytes)
{
	x->text.bytes = 0;
	if (bytes > 64)
		x->in.mark = NULL;
	while (bytes) {
		size_t part;

		if (reyes_i_lex_need(x, 1))
			return reyes_i_lex_bad(x, "the binary string is truncated");
		part = (size_t)(x->in.end - x->in.at);
		part = part < bytes ? part : bytes;
		if (append_text(x, x->in.at, part))
			return -1;
		x->in.at += part;
		bytes -= part;
	}
	return end_text(x);
}
