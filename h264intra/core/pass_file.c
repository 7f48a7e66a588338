/* The log between two passes, from a file. Its text: core/pass_text.c. */
#include <h264intra/h264intra.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 16 };

/* Whether what follows these bytes, which end with a 0, can be of a log. An end with fewer bytes
 * than were requested is that of the file. */
static int can_go_on(const char *text, size_t bytes, size_t requested)
{
	return bytes == requested && strlen(text) == bytes && strncmp(text, "gpuintra", 8) == 0;
}

/* Reads a file as text up to its end, or to the end of a block that is of no log: /dev/zero has no
 * end. Returns the text, which the caller frees, or NULL with errno. */
static char *read_text(FILE *f)
{
	size_t bytes = 0, capacity = BLOCK_BYTES;
	char *text = malloc(capacity), *more;

	while (text) {
		bytes += fread(text + bytes, 1, capacity - 1 - bytes, f);
		text[bytes] = '\0';
		if (ferror(f) || !can_go_on(text, bytes, capacity - 1))
			break;
		more = realloc(text, capacity *= 2);
		if (!more)
			free(text);
		text = more;
	}
	if (!text) {
		errno = ENOMEM;
	} else if (ferror(f)) {
		const int reason = errno;

		free(text);
		text = NULL;
		errno = reason;
	}
	return text;
}

h264i_status h264i_pass_read_file(const char *path, uint32_t width, uint32_t height,
	h264i_pass_picture **pictures, size_t *count, char *msg, size_t msg_bytes)
{
	FILE *f = path ? fopen(path, "rb") : NULL;
	char *text = f ? read_text(f) : NULL;
	const int reason = errno;
	h264i_status s;

	if (f)
		fclose(f);
	if (!path || !pictures || !count || text) {
		/* Of arguments that are NULL this returns the error. */
		s = h264i_pass_read(
			path ? text : NULL, width, height, pictures, count, msg, msg_bytes);
		free(text);
		return s;
	}
	*pictures = NULL;
	*count = 0;
	if (msg && msg_bytes)
		snprintf(msg, msg_bytes, "%s", strerror(reason));
	errno = reason;
	return reason == ENOMEM ? H264I_ERR_NOMEM : H264I_ERR_IO;
}
