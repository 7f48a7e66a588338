/* Arguments of requests, and parameter lists. Values are stored as offsets while the pools grow;
 * reyes_i_args_resolve makes pointers of them. */
#include "reyes/rib/args.h"

#include <limits.h>
#include <stdio.h>

enum { KEEP_BYTES = 16 << 20, ERROR_BYTES = 256 };

/* State of the parser. */
struct parse {
	reyes_i_args *a;
	reyes_i_values *v;
	reyes_i_lexer *x;
	char *message;
};

void reyes_i_values_free(reyes_i_values *v)
{
	reyes_i_pool_free(&v->numbers);
	reyes_i_pool_free(&v->texts);
	reyes_i_pool_free(&v->strings);
	reyes_i_pool_free(&v->lists);
	reyes_i_pool_free(&v->params);
}

int reyes_i_to_int(double v)
{
	return v >= INT_MAX ? INT_MAX : v <= INT_MIN ? INT_MIN : (int)v;
}

static int ends_request(reyes_i_token_kind kind)
{
	return kind == REYES_I_TOKEN_REQUEST || kind == REYES_I_TOKEN_END;
}

static int is_number(reyes_i_token_kind kind)
{
	return kind == REYES_I_TOKEN_INTEGER || kind == REYES_I_TOKEN_FLOAT;
}

/* Writes "expected WHAT, found TOKEN". A request that ends early is read again as the next one.
 * Returns -1. */
static int expected(struct parse *p, const char *what)
{
	char found[128];

	reyes_i_lex_describe(p->x, found, sizeof(found));
	snprintf(p->message, ERROR_BYTES, "expected %s, found %s", what, found);
	if (ends_request(p->x->kind))
		p->x->is_peeked = 1;
	return -1;
}

/* Writes "PROBLEM: TOKEN"; returns -1. */
static int rejected(struct parse *p, const char *problem)
{
	char found[128];

	reyes_i_lex_describe(p->x, found, sizeof(found));
	snprintf(p->message, ERROR_BYTES, "%s: %s", problem, found);
	return -1;
}

static int no_memory(struct parse *p)
{
	snprintf(p->message, ERROR_BYTES, "out of memory, or strings of more than 64 MiB");
	return -1;
}

/* Stores the text of the current token; returns -1, or 0 and its offset. */
static int keep_text(struct parse *p, const char *text, size_t bytes, size_t *offset)
{
	*offset = p->v->texts.bytes;
	if (reyes_i_pool_append(&p->v->texts, text, bytes + 1, REYES_I_TEXTS_BYTES))
		return no_memory(p);
	return 0;
}

/* Appends the string of the current token to the strings of an array. */
static int keep_string(struct parse *p)
{
	size_t offset;

	if (keep_text(p, (const char *)p->x->text.data, p->x->text_bytes, &offset))
		return -1;
	if (reyes_i_pool_append(&p->v->strings, &offset, sizeof(offset), REYES_I_VALUES_BYTES))
		return no_memory(p);
	return 0;
}

/* Reads the payload of a binary array. */
static int read_payload(struct parse *p, reyes_i_number_type type)
{
	const char *problem = NULL;

	if (reyes_i_lex_payload(p->x, type, &p->v->numbers, &problem) < 0)
		return rejected(p, problem);
	return 0;
}

/* Reads the elements of an array of numbers, up to the bracket. The current token is "[". */
static int read_number_elements(struct parse *p, reyes_i_number_type type)
{
	const char *problem = NULL;

	for (;;) {
		reyes_i_token_kind kind;

		if (reyes_i_lex_numbers(p->x, type, &p->v->numbers, &problem) < 0)
			return rejected(p, problem);
		kind = reyes_i_lex_next(p->x);
		if (kind == REYES_I_TOKEN_CLOSE)
			return 0;
		if (kind == REYES_I_TOKEN_FLOATS) {
			if (read_payload(p, type))
				return -1;
		} else if (is_number(kind)) {
			problem = reyes_i_append_number(&p->v->numbers, type, p->x->number);
			if (problem)
				return rejected(p, problem);
		} else {
			return expected(p, "a number or \"]\"");
		}
	}
}

/* Reads the elements of an array of strings; the current token is the first element or "]". */
static int read_string_elements(struct parse *p)
{
	reyes_i_token_kind kind = p->x->kind;

	for (; kind != REYES_I_TOKEN_CLOSE; kind = reyes_i_lex_next(p->x)) {
		if (kind != REYES_I_TOKEN_STRING)
			return expected(p, "a string or \"]\"");
		if (keep_string(p))
			return -1;
	}
	return 0;
}

/* Reads an array of the type f or i, or one bare number; `is_open`: or all bare numbers. */
static int read_numbers(struct parse *p, struct reyes_i_slot *slot, int is_open)
{
	const reyes_i_number_type type = slot->type == 'i' ? REYES_I_AS_INT : REYES_I_AS_FLOAT;
	reyes_i_token_kind kind = reyes_i_lex_next(p->x);
	const char *problem;

	slot->first = p->v->numbers.bytes;
	if (kind == REYES_I_TOKEN_OPEN) {
		if (read_number_elements(p, type))
			return -1;
	} else if (kind == REYES_I_TOKEN_FLOATS) {
		if (read_payload(p, type))
			return -1;
	} else if (is_number(kind)) {
		problem = reyes_i_append_number(&p->v->numbers, type, p->x->number);
		while (!problem && is_open && is_number(reyes_i_lex_peek(p->x))) {
			reyes_i_lex_next(p->x);
			problem = reyes_i_append_number(&p->v->numbers, type, p->x->number);
		}
		if (problem)
			return rejected(p, problem);
	} else {
		return expected(p, type == REYES_I_AS_INT ? "integers" : "numbers");
	}
	slot->count = (p->v->numbers.bytes - slot->first) / sizeof(float);
	return 0;
}

/* Reads an array of strings, or one string. */
static int read_strings(struct parse *p, struct reyes_i_slot *slot)
{
	reyes_i_token_kind kind = reyes_i_lex_next(p->x);

	slot->first = p->v->strings.bytes;
	if (kind == REYES_I_TOKEN_STRING) {
		if (keep_string(p))
			return -1;
	} else if (kind == REYES_I_TOKEN_OPEN) {
		reyes_i_lex_next(p->x);
		if (read_string_elements(p))
			return -1;
	} else {
		return expected(p, "strings");
	}
	slot->count = (p->v->strings.bytes - slot->first) / sizeof(size_t);
	return 0;
}

static int read_array(struct parse *p, char code)
{
	struct reyes_i_slot *const slot = &p->v->array_at[p->a->array_count];

	slot->type = code == 'i' || code == 'S' ? code : 'f';
	if (code == 'S' ? read_strings(p, slot) : read_numbers(p, slot, code == 'c'))
		return -1;
	p->a->array_count++;
	return 0;
}

/* Reads exactly `count` numbers: bare ones and arrays, in any mixture. */
static int read_group(struct parse *p, unsigned count)
{
	unsigned n = 0;
	char what[64];

	while (n < count) {
		const reyes_i_token_kind kind = reyes_i_lex_next(p->x);
		const size_t first = p->v->numbers.bytes;
		size_t more;

		snprintf(what, sizeof(what), "number %u of %u", n + 1, count);
		if (is_number(kind)) {
			p->a->number[p->a->number_count + n++] = p->x->number;
			continue;
		}
		if (kind != REYES_I_TOKEN_OPEN && kind != REYES_I_TOKEN_FLOATS)
			return expected(p, what);
		if (kind == REYES_I_TOKEN_OPEN ? read_number_elements(p, REYES_I_AS_FLOAT)
					       : read_payload(p, REYES_I_AS_FLOAT))
			return -1;
		more = (p->v->numbers.bytes - first) / sizeof(float);
		if (more > count - n) {
			snprintf(p->message, ERROR_BYTES,
				"expected %u numbers, found an array of %zu", count - n, more);
			return -1;
		}
		for (size_t i = 0; i < more; i++) {
			float f;

			memcpy(&f, p->v->numbers.data + first + i * sizeof(f), sizeof(f));
			p->a->number[p->a->number_count + n++] = (double)f;
		}
		p->v->numbers.bytes = first;
	}
	p->a->number_count += count;
	return 0;
}

/* Reads a string; `is_handle`: or a number. */
static int read_string(struct parse *p, int is_handle)
{
	size_t *const at = &p->v->string_at[p->a->string_count];
	const reyes_i_token_kind kind = reyes_i_lex_next(p->x);
	char text[32];

	if (kind == REYES_I_TOKEN_STRING) {
		if (keep_text(p, (const char *)p->x->text.data, p->x->text_bytes, at))
			return -1;
	} else if (is_handle && is_number(kind)) {
		snprintf(text, sizeof(text), "%.10g", p->x->number);
		if (keep_text(p, text, strlen(text), at))
			return -1;
	} else {
		return expected(p, is_handle ? "a handle: a string or a number" : "a string");
	}
	p->a->string_count++;
	return 0;
}

/* Reads the name of a basis or its matrix. */
static int read_basis(struct parse *p)
{
	if (reyes_i_lex_peek(p->x) != REYES_I_TOKEN_STRING) {
		p->v->string_at[p->a->string_count++] = SIZE_MAX;
		return read_group(p, 16);
	}
	for (int i = 0; i < 16; i++)
		p->a->number[p->a->number_count++] = 0;
	return read_string(p, 0);
}

/* Reads the value of a parameter: one number or string, or an array of them. */
static int read_value(struct parse *p, struct reyes_i_slot *slot)
{
	const reyes_i_token_kind kind = reyes_i_lex_peek(p->x);
	const char *problem = NULL;

	slot->type = kind == REYES_I_TOKEN_STRING ? 'S' : 'f';
	if (kind == REYES_I_TOKEN_STRING)
		return read_strings(p, slot);
	if (kind != REYES_I_TOKEN_OPEN)
		return read_numbers(p, slot, 0);
	reyes_i_lex_next(p->x);
	slot->first = p->v->numbers.bytes;
	if (reyes_i_lex_numbers(p->x, REYES_I_AS_FLOAT, &p->v->numbers, &problem) < 0)
		return rejected(p, problem);
	/* The first element decides on the type of the array. */
	if (p->v->numbers.bytes == slot->first && reyes_i_lex_peek(p->x) == REYES_I_TOKEN_STRING) {
		slot->type = 'S';
		slot->first = p->v->strings.bytes;
		reyes_i_lex_next(p->x);
		if (read_string_elements(p))
			return -1;
		slot->count = (p->v->strings.bytes - slot->first) / sizeof(size_t);
		return 0;
	}
	if (read_number_elements(p, REYES_I_AS_FLOAT))
		return -1;
	slot->count = (p->v->numbers.bytes - slot->first) / sizeof(float);
	return 0;
}

/* Leaves out the current token, which cannot begin a parameter. */
static void note_stray(struct parse *p)
{
	if (p->a->has_stray)
		return;
	(void)expected(p, "the name of a parameter, or the next request");
	p->a->has_stray = 1;
	p->a->stray_line = p->x->token_line;
	p->a->stray_column = p->x->token_column;
}

/* Reads tokens and values up to the next request. */
static int read_params(struct parse *p)
{
	while (!ends_request(reyes_i_lex_peek(p->x))) {
		struct reyes_i_slot slot = { 0 };

		reyes_i_lex_next(p->x);
		if (p->x->kind != REYES_I_TOKEN_STRING) {
			note_stray(p);
			continue;
		}
		if (keep_text(p, (const char *)p->x->text.data, p->x->text_bytes, &slot.token))
			return -1;
		if (read_value(p, &slot))
			return -1;
		if (reyes_i_pool_append(&p->v->lists, &slot, sizeof(slot), REYES_I_TEXTS_BYTES))
			return no_memory(p);
	}
	return 0;
}

/* Reads the arguments of the codes from `code` on. */
static int read_codes(struct parse *p, const char *code)
{
	for (; *code; code++) {
		int failed = 0;

		if (*code >= '1' && *code <= '8')
			failed = read_group(p, (unsigned)(*code - '0'));
		else if (*code == 'M')
			failed = read_group(p, 16);
		else if (*code == 'm')
			failed = read_basis(p);
		else if (*code == 'c' || *code == 'f' || *code == 'i' || *code == 'S')
			failed = read_array(p, *code);
		else if (*code == 's' || *code == 'h')
			failed = read_string(p, *code == 'h');
		else if (*code == 'p')
			failed = read_params(p);
		else if (*code == '?' && ends_request(reyes_i_lex_peek(p->x)))
			return 0;
		else if (*code == '(' && reyes_i_lex_peek(p->x) != REYES_I_TOKEN_OPEN &&
			 p->x->kind != REYES_I_TOKEN_FLOATS)
			code = strchr(code, ')');
		if (failed)
			return -1;
	}
	return 0;
}

const char *reyes_i_args_parse(reyes_i_args *a, reyes_i_values *v, reyes_i_lexer *x,
	const char *request, const char *signature, char message[256])
{
	struct parse p = { .a = a, .v = v, .x = x, .message = message };

	a->request = request;
	a->has_stray = 0;
	a->number_count = a->string_count = a->array_count = 0;
	a->params.count = 0;
	a->params.list = NULL;
	reyes_i_pool_clear(&v->numbers, KEEP_BYTES);
	reyes_i_pool_clear(&v->texts, KEEP_BYTES);
	reyes_i_pool_clear(&v->strings, KEEP_BYTES);
	reyes_i_pool_clear(&v->lists, KEEP_BYTES);
	for (unsigned i = 0; i < REYES_I_ARG_ARRAYS; i++)
		memset(&a->array[i], 0, sizeof(a->array[i]));
	if (read_codes(&p, signature))
		return message;
	if (reyes_i_args_resolve(a, v)) {
		no_memory(&p);
		return message;
	}
	return NULL;
}
