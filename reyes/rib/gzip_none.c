/* Replaces gzip.c in a build without zlib: each compressed file is an error. */
#include "reyes/rib/gzip.h"

const char *reyes_i_gzip_open(struct reyes_i_gzip **out, reyes_i_gzip_source source, void *user,
	const unsigned char *first, size_t first_bytes)
{
	(void)source;
	(void)user;
	(void)first;
	(void)first_bytes;
	*out = NULL;
	return "the file is compressed by gzip, and this program was built without zlib; "
	       "decompress it by gunzip";
}

ptrdiff_t reyes_i_gzip_read(
	struct reyes_i_gzip *z, unsigned char *to, size_t bytes, const char **error)
{
	(void)z;
	(void)to;
	(void)bytes;
	*error = "built without zlib";
	return -1;
}

void reyes_i_gzip_close(struct reyes_i_gzip *z)
{
	(void)z;
}
