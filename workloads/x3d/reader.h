/* What the reader of one thread does before the root element and behind its beginning. */
#ifndef WORKLOADS_X3D_READER_H
#define WORKLOADS_X3D_READER_H

#include <string.h>
#include "workloads/x3d/host.h"
#include "workloads/x3d/lexer.h"

typedef struct reader {
	const x3d_name *names;
	const uint8_t *s;
	uint32_t at, bytes;
	x3d_tree *t;
	uint32_t *open; /* nodes without an end */
	uint32_t depth, open_room, room[X3D_COUNTS];
} reader;

/* Returns -1. */
static inline int reader_fail(reader *r, uint32_t at, uint32_t error)
{
	r->t->error = at < r->bytes || error >= X3D_E_PROLOG ? error : (uint32_t)X3D_E_END;
	r->t->at = at;
	return -1;
}

static inline int reader_is_next(const reader *r, const char *text)
{
	return strncmp((const char *)r->s + r->at, text, strlen(text)) == 0;
}

/* Returns 1 if there was a space. */
static inline int reader_skip_spaces(reader *r)
{
	const uint32_t from = r->at;

	while (x3d_is_space(r->s[r->at]))
		r->at++;
	return r->at > from;
}

static inline int reader_character(reader *r)
{
	uint32_t code;
	const uint32_t n = x3d_decode(r->s + r->at, &code);

	if (r->at >= r->bytes || n == 0)
		return reader_fail(r, r->at, r->at >= r->bytes ? X3D_E_END : X3D_E_CHARACTER);
	r->at += n;
	return 0;
}

/* Goes behind a text, over characters. */
static inline int reader_skip_to(reader *r, const char *text)
{
	while (!reader_is_next(r, text))
		if (reader_character(r))
			return -1;
	r->at += (uint32_t)strlen(text);
	return 0;
}

static inline int reader_comment(reader *r)
{
	const uint32_t from = r->at;

	r->at += 4;
	if (reader_is_next(r, ">") || reader_is_next(r, "->"))
		return reader_fail(r, from, X3D_E_ARROW);
	if (reader_skip_to(r, "--"))
		return -1;
	if (r->s[r->at] != '>')
		return reader_fail(r, r->at, X3D_E_COMMENT);
	if (r->at >= from + 8 && memcmp(r->s + r->at - 4, "<!", 2) == 0)
		return reader_fail(r, r->at, X3D_E_ARROW);
	r->at++;
	return 0;
}

static inline int reader_instruction(reader *r)
{
	const uint8_t *s = r->s + r->at;
	const uint32_t n = x3d_name_length(s + 2);

	if (n == 0 || n > X3D_GAP || (n == 3 && memcmp(s + 2, "xml", 3) == 0) ||
		!(x3d_is_space(s[2 + n]) || memcmp(s + 2 + n, "?>", 2) == 0))
		return reader_fail(r, r->at, X3D_E_INSTRUCTION);
	return reader_skip_to(r, "?>");
}

#endif
