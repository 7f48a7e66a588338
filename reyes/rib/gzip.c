/* Decompression of gzip streams by zlib, also of several members in a row. */
#include "reyes/rib/gzip.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { IN_BYTES = 1 << 16, GZIP_ONLY = 16 };

struct reyes_i_gzip {
	z_stream stream;
	reyes_i_gzip_source source;
	void *user;
	int is_input_end, is_end;
	unsigned char in[IN_BYTES];
};

const char *reyes_i_gzip_open(struct reyes_i_gzip **out, reyes_i_gzip_source source, void *user,
	const unsigned char *first, size_t first_bytes)
{
	struct reyes_i_gzip *z = calloc(1, sizeof(*z));

	*out = NULL;
	if (!z || first_bytes > IN_BYTES) {
		free(z);
		return "out of memory";
	}
	if (inflateInit2(&z->stream, GZIP_ONLY + MAX_WBITS) != Z_OK) {
		free(z);
		return "zlib cannot begin to decompress";
	}
	memcpy(z->in, first, first_bytes);
	z->stream.next_in = z->in;
	z->stream.avail_in = (uInt)first_bytes;
	z->source = source;
	z->user = user;
	*out = z;
	return NULL;
}

/* Reads compressed bytes if there are none. Returns -1 on an error. */
static int fill(struct reyes_i_gzip *z)
{
	ptrdiff_t n;

	if (z->stream.avail_in || z->is_input_end)
		return 0;
	n = z->source(z->user, z->in, IN_BYTES);
	if (n < 0)
		return -1;
	z->is_input_end = n == 0;
	z->stream.next_in = z->in;
	z->stream.avail_in = (uInt)n;
	return 0;
}

/* Continues after the end of a member: another one begins by 1f; anything else is padding, which
 * gzip ignores, too. Returns -1 on an error. */
static int next_member(struct reyes_i_gzip *z)
{
	if (fill(z))
		return -1;
	if (!z->stream.avail_in || *z->stream.next_in != 0x1f)
		z->is_end = 1;
	else if (inflateReset(&z->stream) != Z_OK)
		return -1;
	return 0;
}

ptrdiff_t reyes_i_gzip_read(
	struct reyes_i_gzip *z, unsigned char *to, size_t bytes, const char **error)
{
	z->stream.next_out = to;
	z->stream.avail_out = (uInt)(bytes < 1 << 30 ? bytes : 1 << 30);
	bytes = z->stream.avail_out;
	while (!z->is_end && z->stream.avail_out == bytes) {
		int s;

		if (fill(z)) {
			*error = "the file cannot be read";
			return -1;
		}
		s = inflate(&z->stream, Z_NO_FLUSH);
		if (s == Z_STREAM_END) {
			if (next_member(z)) {
				*error = "the file cannot be read";
				return -1;
			}
		} else if (s == Z_BUF_ERROR && z->is_input_end) {
			*error = "the gzip data is truncated";
			return -1;
		} else if (s != Z_OK && s != Z_BUF_ERROR) {
			*error = "the gzip data is damaged";
			return -1;
		}
	}
	return (ptrdiff_t)(bytes - z->stream.avail_out);
}

void reyes_i_gzip_close(struct reyes_i_gzip *z)
{
	if (!z)
		return;
	inflateEnd(&z->stream);
	free(z);
}
