/* Names of files in messages. */
#ifndef H264INTRA_IO_SHOWN_H
#define H264INTRA_IO_SHOWN_H

#include <stdio.h>
#include <string.h>

/* A message of IO_MSG_BYTES has space for two of these and a sentence. */
enum { IO_SHOWN_BYTES = 200 };

/* Writes the name, or "..." and its end, so that a long name does not cut off the sentence behind
 * it. */
static inline const char *h264i_i_show_name(char shown[IO_SHOWN_BYTES], const char *name)
{
	const size_t bytes = strlen(name), bytes_max = IO_SHOWN_BYTES - sizeof("...");
	const char *from = bytes > bytes_max ? name + bytes - bytes_max : name;

	while (from > name && ((unsigned char)*from & 0xc0) == 0x80)
		from++; /* not within a character of UTF-8 */
	snprintf(shown, IO_SHOWN_BYTES, "%s%s", from > name ? "..." : "", from);
	return shown;
}
#endif
