/* Growing bytes of a file in memory; messages. */
#include <config.h>
#include "reyes/image/bytes.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int reyes_i_bytes_write(reyes_i_bytes *b, uint64_t offset, const void *data, size_t n)
{
	size_t end;

	if (offset > SIZE_MAX / 4 || n > SIZE_MAX / 4)
		return 0;
	end = (size_t)offset + n;
	if (end > b->room) {
		const size_t room = end + end / 2 + 4096;
		uint8_t *grown = realloc(b->data, room);

		if (!grown)
			return 0;
		b->data = grown;
		b->room = room;
	}
	if (end > b->count) {
		memset(b->data + b->count, 0, end - b->count);
		b->count = end;
	}
	if (n)
		memcpy(b->data + offset, data, n);
	return 1;
}

void reyes_i_bytes_free(reyes_i_bytes *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}

reyes_status reyes_i_note_fail(reyes_i_note *note, reyes_status s, const char *format, ...)
{
	va_list list;

	if (note->text[0])
		return s;
	va_start(list, format);
	vsnprintf(note->text, sizeof(note->text), format, list);
	va_end(list);
	for (char *c = note->text; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = ' ';
	return s;
}

reyes_status reyes_i_explain(
	const reyes_i_note *note, reyes_status s, const char *path, char *message, size_t bytes)
{
	if (message && bytes)
		snprintf(message, bytes, "%s: %s", path,
			note->text[0] ? note->text : reyes_strstatus(s));
	return s;
}
