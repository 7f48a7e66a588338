/* Decompression of a gzip stream while it is read. gzip.c uses zlib; gzip_none.c is built without
 * it. */
#ifndef REYES_RIB_GZIP_H
#define REYES_RIB_GZIP_H

#include <stddef.h>

struct reyes_i_gzip;

/* Reads at most `bytes` compressed bytes. Returns their number, 0 at the end, -1 on an error. */
typedef ptrdiff_t (*reyes_i_gzip_source)(void *user, unsigned char *to, size_t bytes);

/* Begins a stream whose first compressed bytes have been read already. Returns NULL, or a static
 * sentence with the reason of the failure; *out is then NULL. */
const char *reyes_i_gzip_open(struct reyes_i_gzip **out, reyes_i_gzip_source source, void *user,
	const unsigned char *first, size_t first_bytes);
/* Writes decompressed bytes. Returns their number, 0 at the end, or -1 and a static sentence in
 * *error. */
ptrdiff_t reyes_i_gzip_read(
	struct reyes_i_gzip *z, unsigned char *to, size_t bytes, const char **error);
/* z may be NULL. */
void reyes_i_gzip_close(struct reyes_i_gzip *z);

#endif
