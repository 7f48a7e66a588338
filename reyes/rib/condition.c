/* Expressions of IfBegin and ElseIf:
 *
 *	or:     and { "||" and }          and:     equal { "&&" equal }
 *	equal:  less { ("==" | "!=") less }   less: sum { ("<" | "<=" | ">" | ">=") sum }
 *	sum:    product { ("+" | "-") product }   product: unary { ("*" | "/") unary }
 *	unary:  [ "!" | "-" ] unary | primary
 *	primary: number | 'text' | $name | defined(name) | concat(or, or) | ( or )
 *
 * An undefined name, and arithmetic with one or with text, is undefined: not equal to any value,
 * false as a condition. */
#include "reyes/rib/number.h"
#include "reyes/rib/reader.h"

#include <stdio.h>

enum { TEXT_BYTES = 256, DEPTH_MAX = 100 };

struct value {
	enum { UNDEFINED, NUMBER, TEXT } kind;
	double number;
	char text[TEXT_BYTES];
};

struct state {
	const struct reyes_i_rib *b;
	const char *at;
	const char *problem;
	int depth;
};

static struct value parse_or(struct state *s);

static struct value number_value(double v)
{
	struct value value = { .kind = NUMBER, .number = v };

	return value;
}

static struct value fail(struct state *s, const char *problem)
{
	struct value value = { .kind = UNDEFINED };

	if (!s->problem)
		s->problem = problem;
	s->at = "";
	return value;
}

static int is_true(const struct value *v)
{
	return v->kind == NUMBER ? v->number != 0 : v->kind == TEXT && v->text[0] != 0;
}

static void skip_blanks(struct state *s)
{
	while (*s->at == ' ' || *s->at == '\t' || *s->at == '\n' || *s->at == '\r')
		s->at++;
}

/* Skips the text if it follows. */
static int accept(struct state *s, const char *text)
{
	const size_t n = strlen(text);

	skip_blanks(s);
	if (strncmp(s->at, text, n) != 0)
		return 0;
	s->at += n;
	return 1;
}

static int is_name_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == ':' || c == '.';
}

/* Reads a name, without "$", "${" and "}". */
static void read_name(struct state *s, char name[TEXT_BYTES])
{
	size_t n = 0;
	int has_brace;

	accept(s, "$");
	has_brace = accept(s, "{");
	for (; is_name_character(*s->at) && n < TEXT_BYTES - 1; s->at++)
		name[n++] = *s->at;
	name[n] = '\0';
	if (!n || is_name_character(*s->at) || (has_brace && !accept(s, "}")))
		fail(s, "a name has to follow \"$\"");
}

static struct value value_of(struct state *s, const char *name)
{
	const reyes_i_rib_variable *v;
	struct value value = { .kind = UNDEFINED };

	if (strcmp(name, "Frame") == 0)
		return number_value(s->b->frame_number);
	v = reyes_i_rib_find_variable(s->b, name);
	if (v && v->is_number)
		return number_value(v->number);
	if (v && v->text) {
		value.kind = TEXT;
		snprintf(value.text, sizeof(value.text), "%.255s", v->text);
	}
	return value;
}

/* Reads a text up to the quote. */
static struct value parse_text(struct state *s, char quote)
{
	struct value value = { .kind = TEXT };
	size_t n = 0;

	for (; *s->at && *s->at != quote; s->at++) {
		if (n == TEXT_BYTES - 1)
			return fail(s, "a text has more than 255 characters");
		value.text[n++] = *s->at;
	}
	if (*s->at != quote)
		return fail(s, "a text without closing quote");
	s->at++;
	return value;
}

static struct value parse_concat(struct state *s)
{
	struct value first = parse_or(s), second;
	char text[2][TEXT_BYTES];
	size_t n;

	if (!accept(s, ","))
		return fail(s, "concat() needs two values");
	second = parse_or(s);
	if (!accept(s, ")"))
		return fail(s, "concat() has no \")\"");
	for (int i = 0; i < 2; i++) {
		const struct value *v = i ? &second : &first;

		text[i][0] = '\0';
		if (v->kind == NUMBER)
			snprintf(text[i], TEXT_BYTES, "%.9g", v->number);
		else if (v->kind == TEXT)
			snprintf(text[i], TEXT_BYTES, "%s", v->text);
	}
	n = strlen(text[0]);
	if (n + strlen(text[1]) >= TEXT_BYTES)
		return fail(s, "a text has more than 255 characters");
	first.kind = TEXT;
	memcpy(first.text, text[0], n);
	memcpy(first.text + n, text[1], strlen(text[1]) + 1);
	return first;
}

static struct value parse_primary(struct state *s)
{
	char name[TEXT_BYTES];
	struct value value;
	int kind;

	skip_blanks(s);
	if (accept(s, "(")) {
		value = parse_or(s);
		return accept(s, ")") ? value : fail(s, "\"(\" without \")\"");
	}
	if (*s->at == '\'' || *s->at == '"')
		return parse_text(s, *s->at++);
	if (*s->at == '$') {
		read_name(s, name);
		return value_of(s, name);
	}
	if (accept(s, "defined")) {
		if (!accept(s, "("))
			return fail(s, "defined() needs a name in parentheses");
		read_name(s, name);
		value = value_of(s, name);
		return accept(s, ")") ? number_value(value.kind != UNDEFINED)
				      : fail(s, "defined() has no \")\"");
	}
	if (accept(s, "concat"))
		return accept(s, "(") ? parse_concat(s) : fail(s, "concat() needs two values");
	value = number_value(0);
	s->at = (const char *)reyes_i_parse_number(
		(const unsigned char *)s->at, &value.number, &kind);
	return kind == REYES_I_NUMBER_NONE ? fail(s, "a value is missing") : value;
}

static struct value parse_unary(struct state *s)
{
	struct value v;

	if (++s->depth > DEPTH_MAX)
		return fail(s, "the expression is nested more than 100 deep");
	skip_blanks(s);
	if (s->at[0] == '!' && s->at[1] != '=') {
		s->at++;
		v = parse_unary(s);
		v = number_value(!is_true(&v));
	} else if (*s->at == '-') {
		s->at++;
		v = parse_unary(s);
		if (v.kind == TEXT)
			v.kind = UNDEFINED;
		v.number = -v.number;
	} else {
		v = parse_primary(s);
	}
	s->depth--;
	return v;
}

/* Applies + - * / to numbers. */
static void compute(struct value *to, char operation, const struct value *by)
{
	if (to->kind != NUMBER || by->kind != NUMBER || (operation == '/' && by->number == 0)) {
		to->kind = UNDEFINED;
		return;
	}
	to->number = operation == '+'   ? to->number + by->number
		     : operation == '-' ? to->number - by->number
		     : operation == '*' ? to->number * by->number
					: to->number / by->number;
}

static struct value parse_product(struct state *s)
{
	struct value v = parse_unary(s);

	for (skip_blanks(s); *s->at == '*' || *s->at == '/'; skip_blanks(s)) {
		const char operation = *s->at++;
		const struct value by = parse_unary(s);

		compute(&v, operation, &by);
	}
	return v;
}

static struct value parse_sum(struct state *s)
{
	struct value v = parse_product(s);

	for (skip_blanks(s); *s->at == '+' || *s->at == '-'; skip_blanks(s)) {
		const char operation = *s->at++;
		const struct value by = parse_product(s);

		compute(&v, operation, &by);
	}
	return v;
}

/* Returns -1, 0, 1 for less, equal, greater; 2 if the values cannot be compared. */
static int compare(const struct value *a, const struct value *b)
{
	if (a->kind != b->kind || a->kind == UNDEFINED)
		return 2;
	if (a->kind == NUMBER)
		return (a->number > b->number) - (a->number < b->number);
	return (strcmp(a->text, b->text) > 0) - (strcmp(a->text, b->text) < 0);
}

static struct value parse_less(struct state *s)
{
	struct value v = parse_sum(s);

	for (skip_blanks(s); *s->at == '<' || *s->at == '>'; skip_blanks(s)) {
		const int is_less = *s->at++ == '<', or_equal = *s->at == '=';
		struct value by;
		int c;

		s->at += or_equal;
		by = parse_sum(s);
		c = compare(&v, &by);
		v = number_value(c == (is_less ? -1 : 1) || (or_equal && c == 0));
	}
	return v;
}

static struct value parse_equal(struct state *s)
{
	struct value v = parse_less(s);

	for (;;) {
		const int is_equal = accept(s, "==");
		struct value by;

		if (!is_equal && !accept(s, "!="))
			return v;
		by = parse_less(s);
		v = number_value((compare(&v, &by) == 0) == is_equal);
	}
}

static struct value parse_and(struct state *s)
{
	struct value v = parse_equal(s);

	while (accept(s, "&&")) {
		const struct value by = parse_equal(s);

		v = number_value(is_true(&v) && is_true(&by));
	}
	return v;
}

static struct value parse_or(struct state *s)
{
	struct value v = parse_and(s);

	while (accept(s, "||")) {
		const struct value by = parse_and(s);

		v = number_value(is_true(&v) || is_true(&by));
	}
	return v;
}

int reyes_i_rib_condition(const struct reyes_i_rib *b, const char *expression, const char **problem)
{
	struct state s = { .b = b, .at = expression };
	struct value v = parse_or(&s);

	skip_blanks(&s);
	if (*s.at)
		fail(&s, "an operator is missing");
	*problem = s.problem;
	return !s.problem && is_true(&v);
}
