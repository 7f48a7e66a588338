/* The truth: a text is read from its beginning to its end by one thread, floats by strtof(). */
#include "workloads/x3d/reader.h"

#include <errno.h>
#include <stdlib.h>

/* Returns `array` with room for one more element, or NULL; *room elements have room. */
static void *grow(void *array, uint32_t count, uint32_t *room, size_t size)
{
	void *bigger;

	if (count < *room)
		return array;
	bigger = realloc(array, (2 * (size_t)*room + 64) * size);
	*room = bigger ? 2 * *room + 64 : *room;
	return bigger;
}

/* In r->t->error after a failure: no memory. */
enum { NO_MEMORY = X3D_ERROR_COUNT };

#define GROW(r, member, kind)                                                              \
	do {                                                                               \
		void *bigger = grow((r)->t->member, (r)->t->count[kind], &(r)->room[kind], \
			sizeof(*(r)->t->member));                                          \
		if (!bigger)                                                               \
			return reader_fail((r), (r)->at, NO_MEMORY);                       \
		(r)->t->member = bigger;                                                   \
	} while (0)

static int reference(reader *r)
{
	const uint32_t error = x3d_reference(r->s + r->at);

	return error == X3D_OK ? reader_character(r) : reader_fail(r, r->at, error);
}

/* Reads a number up to `end` with functions of the library. Returns 1 if it is one. */
static int read_float(const uint8_t *s, const uint8_t *end, float *to)
{
	char *stop;

	*to = strtof((const char *)s, &stop);
	return stop == (const char *)end && !memchr(s, '(', (size_t)(end - s));
}

static int read_int(const uint8_t *s, const uint8_t *end, uint32_t *to)
{
	const int sign = *s == '-' || *s == '+';
	const int hex = s[sign] == '0' && (s[sign + 1] == 'x' || s[sign + 1] == 'X');
	char *stop;
	long long v;

	errno = 0;
	v = strtoll((const char *)s, &stop, hex ? 16 : 10);
	*to = (uint32_t)v;
	return stop == (const char *)end && errno == 0 && v >= INT32_MIN && v <= UINT32_MAX;
}

static int number(reader *r, uint32_t kind, uint32_t quote)
{
	const uint8_t *from = r->s + r->at;
	uint32_t n = 0;
	int good;

	while (!x3d_is_space(from[n]) && from[n] != ',' && from[n] != quote && r->at + n < r->bytes)
		n++;
	if (n > X3D_NUMBER)
		return reader_fail(r, r->at, X3D_E_LONG);
	if (*from < ' ') /* which strtof() may skip */
		return reader_fail(r, r->at, X3D_E_CHARACTER);
	if (kind == X3D_FLOATS) {
		GROW(r, floats, X3D_N_FLOATS);
		good = read_float(from, from + n, &r->t->floats[r->t->count[X3D_N_FLOATS]++]);
	} else {
		GROW(r, ints, X3D_N_INTS);
		good = read_int(from, from + n, &r->t->ints[r->t->count[X3D_N_INTS]++]);
	}
	if (!good)
		return reader_fail(r, r->at, X3D_E_NUMBER);
	r->at += n;
	return 0;
}

static uint32_t numbers(const reader *r, uint32_t kind)
{
	return kind == X3D_FLOATS ? r->t->count[X3D_N_FLOATS]
	       : kind == X3D_INTS ? r->t->count[X3D_N_INTS]
				  : 0;
}

static int value(reader *r, x3d_attribute *a)
{
	const uint32_t quote = r->s[r->at++];

	a->value = r->at;
	a->first = numbers(r, a->kind);
	while (r->s[r->at] != quote) {
		const uint32_t ch = r->s[r->at];
		int bad;

		if (ch == '<')
			return reader_fail(r, r->at, X3D_E_LESS);
		if (a->kind != X3D_WORDS && !x3d_is_space(ch) && ch != ',' && r->at < r->bytes)
			bad = number(r, a->kind, quote);
		else
			bad = ch == '&' ? reference(r) : reader_character(r);
		if (bad)
			return -1;
	}
	a->value_end = r->at++;
	a->end = numbers(r, a->kind);
	return 0;
}

/* Reads an attribute, which has spaces before it; `before`: where the part before it ends. */
static int attribute(reader *r, uint32_t before, uint32_t node)
{
	const uint32_t name = r->at, n = x3d_name_length(r->s + name);
	x3d_attribute a = { .at = name, .name_bytes = n, .node = node };

	r->at += n;
	reader_skip_spaces(r);
	if (n > X3D_GAP)
		return reader_fail(r, name, X3D_E_GAP);
	if (n == 0 || r->s[r->at] != '=')
		return reader_fail(r, name, n ? X3D_E_TAG : X3D_E_NAME);
	r->at++;
	reader_skip_spaces(r);
	if (r->s[r->at] != '"' && r->s[r->at] != '\'')
		return reader_fail(r, r->at, X3D_E_TAG);
	if (r->at - before > X3D_GAP)
		return reader_fail(r, r->at, X3D_E_GAP);
	a.kind = x3d_value_kind(r->names, r->s + name, n);
	if (value(r, &a))
		return -1;
	if (r->t->count[X3D_N_ATTRIBUTES] - r->t->node[node].attribute >= X3D_ATTRIBUTES)
		return reader_fail(r, name, X3D_E_MANY);
	for (uint32_t k = r->t->node[node].attribute; k < r->t->count[X3D_N_ATTRIBUTES]; k++)
		if (r->t->attribute[k].name_bytes == n &&
			memcmp(r->s + r->t->attribute[k].at, r->s + name, n) == 0)
			return reader_fail(r, name, X3D_E_DOUBLE);
	GROW(r, attribute, X3D_N_ATTRIBUTES);
	r->t->attribute[r->t->count[X3D_N_ATTRIBUTES]++] = a;
	return 0;
}

/* Makes a node of a start tag; its name is read. */
static int begin_node(reader *r)
{
	const uint32_t n = x3d_name_length(r->s + r->at + 1);
	x3d_node node = { .at = r->at, .name_bytes = n, .depth = r->depth, .parent = X3D_NONE };
	uint32_t *open;

	if (n == 0 || n > X3D_GAP)
		return reader_fail(r, r->at, n ? X3D_E_GAP : X3D_E_NAME);
	if (r->depth == 0 && r->t->count[X3D_N_NODES])
		return reader_fail(r, r->at, X3D_E_ROOTS);
	GROW(r, node, X3D_N_NODES);
	open = grow(r->open, r->depth, &r->open_room, sizeof(*open));
	if (!open)
		return reader_fail(r, r->at, NO_MEMORY);
	r->open = open;
	if (r->depth)
		node.parent = open[r->depth - 1];
	node.kind = x3d_node_kind(r->names, r->s + r->at + 1, n);
	node.attribute = r->t->count[X3D_N_ATTRIBUTES];
	open[r->depth++] = r->t->count[X3D_N_NODES];
	r->t->node[r->t->count[X3D_N_NODES]++] = node;
	r->at += 1 + n;
	return 0;
}

static int start_tag(reader *r)
{
	uint32_t before = r->at;
	x3d_node *node;

	if (begin_node(r))
		return -1;
	for (;;) {
		const uint32_t from = r->at;

		reader_skip_spaces(r);
		if (r->s[r->at] == '>' || reader_is_next(r, "/>"))
			break;
		if (r->at == from)
			return reader_fail(r, r->at, X3D_E_TAG);
		if (attribute(r, before, r->t->count[X3D_N_NODES] - 1))
			return -1;
		before = r->at - 1;
	}
	node = &r->t->node[r->t->count[X3D_N_NODES] - 1];
	node->attribute_end = r->t->count[X3D_N_ATTRIBUTES];
	if (r->s[r->at] == '/') {
		node->end = ++r->at + 1;
		r->depth--;
	}
	return r->at++ - before > X3D_GAP ? reader_fail(r, r->at - 1, X3D_E_GAP) : 0;
}

static int end_tag(reader *r)
{
	const uint32_t from = r->at;
	x3d_node *node;

	if (r->depth == 0)
		return reader_fail(r, from, X3D_E_CLOSE);
	node = &r->t->node[r->open[--r->depth]];
	r->at += 2;
	if (!x3d_same(r->s + r->at, (const char *)r->s + node->at + 1, node->name_bytes))
		return reader_fail(r, from, X3D_E_CLOSE);
	r->at += node->name_bytes;
	reader_skip_spaces(r);
	if (r->s[r->at] != '>')
		return reader_fail(r, from, X3D_E_CLOSE);
	node->end = ++r->at;
	return r->at - 1 - from > X3D_GAP ? reader_fail(r, r->at - 1, X3D_E_GAP) : 0;
}

static int text(reader *r)
{
	const uint32_t ch = r->s[r->at];

	if (r->depth == 0 && !x3d_is_space(ch))
		return reader_fail(r, r->at, X3D_E_OUTSIDE);
	if (reader_is_next(r, "]]>"))
		return reader_fail(r, r->at, X3D_E_BRACKETS);
	return ch == '&' ? reference(r) : reader_character(r);
}

static int content(reader *r)
{
	while (r->at < r->bytes) {
		int bad;

		if (r->s[r->at] != '<')
			bad = text(r);
		else if (reader_is_next(r, "<!--"))
			bad = reader_comment(r);
		else if (reader_is_next(r, "<![CDATA["))
			bad = r->depth ? reader_skip_to(r, "]]>")
				       : reader_fail(r, r->at, X3D_E_OUTSIDE);
		else if (reader_is_next(r, "<?"))
			bad = reader_instruction(r);
		else if (reader_is_next(r, "<!"))
			bad = reader_fail(r, r->at, X3D_E_MARKUP);
		else
			bad = reader_is_next(r, "</") ? end_tag(r) : start_tag(r);
		if (bad)
			return -1;
	}
	return r->depth ? reader_fail(r, r->bytes, X3D_E_END) : 0;
}

int x3d_serial(const x3d_name *names, const uint8_t *s, uint32_t bytes, x3d_tree *t)
{
	reader r = { .names = names, .s = s, .bytes = bytes, .t = t };

	memset(t, 0, sizeof(*t));
	t->error = x3d_prolog(s, bytes, &t->at);
	r.at = t->at;
	if (t->error == X3D_OK)
		(void)content(&r);
	free(r.open);
	return t->error == NO_MEMORY ? -1 : 0;
}

void x3d_tree_free(x3d_tree *t)
{
	free(t->node);
	free(t->attribute);
	free(t->floats);
	free(t->ints);
	memset(t, 0, sizeof(*t));
}
