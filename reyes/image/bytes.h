/* Bytes of a file in memory, and the message of a failure. The image libraries read from memory and
 * write to memory; file.h is the only text that opens files. */
#ifndef REYES_IMAGE_BYTES_H
#define REYES_IMAGE_BYTES_H

#include <reyes/reyes.h>

typedef struct reyes_i_bytes {
	uint8_t *data;
	size_t count, room;
} reyes_i_bytes;

/* Writes n bytes at the offset; a gap before it is filled with zeros. Returns 0 if there is no
 * memory. */
int reyes_i_bytes_write(reyes_i_bytes *b, uint64_t offset, const void *data, size_t n);
void reyes_i_bytes_free(reyes_i_bytes *b);

typedef struct reyes_i_note {
	char text[400];
} reyes_i_note;

/* Sets the text, unless a failure before this one has set it; removes line ends and control
 * characters. Returns s. */
reyes_status reyes_i_note_fail(reyes_i_note *note, reyes_status s, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Writes "path: text" to the message, if message is not NULL. Without a text: the sentence of s.
 * Returns s. */
reyes_status reyes_i_explain(
	const reyes_i_note *note, reyes_status s, const char *path, char *message, size_t bytes);

#endif
