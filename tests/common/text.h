/* Text in memory: the target of functions that write text in pieces, and a count of substrings. */
#ifndef TESTS_COMMON_TEXT_H
#define TESTS_COMMON_TEXT_H

#include <stdlib.h>
#include <string.h>

/* Starts as { 0 }; free s afterwards. */
typedef struct test_text {
	char *s; /* ends with a zero byte; NULL before the first piece */
	size_t bytes, room;
	size_t limit; /* bytes that are accepted; 0: any number */
} test_text;

/* Appends to the text at `opaque`. Returns 0; nonzero beyond the limit, and without memory. */
static inline int test_text_append(void *opaque, const char *piece, size_t bytes)
{
	test_text *t = (test_text *)opaque;

	if (t->limit && t->bytes + bytes > t->limit)
		return -1;
	if (t->bytes + bytes + 1 > t->room) {
		const size_t room = 2 * (t->bytes + bytes) + 1;
		char *more = (char *)realloc(t->s, room);

		if (!more)
			return -1;
		t->s = more;
		t->room = room;
	}
	memcpy(t->s + t->bytes, piece, bytes);
	t->bytes += bytes;
	t->s[t->bytes] = '\0';
	return 0;
}

/* A target that keeps nothing: accepts as many bytes as the size_t at `left`, which it decreases.
 * Returns 0, or nonzero when the piece is longer than that. */
static inline int test_text_refuse(void *left, const char *piece, size_t bytes)
{
	size_t *n = (size_t *)left;

	(void)piece;
	if (*n < bytes)
		return -1;
	*n -= bytes;
	return 0;
}

/* Returns how often `what` occurs in s, without overlaps. */
static inline size_t occurrences(const char *s, const char *what)
{
	size_t n = 0;

	while ((s = strstr(s, what)) != NULL) {
		n++;
		s += strlen(what);
	}
	return n;
}

#endif
