/* Growing memory of the RIB reader: one block of bytes, read as an array of one type. A pool keeps
 * its memory when its contents are removed, so that most requests allocate nothing. */
#ifndef REYES_RIB_POOL_H
#define REYES_RIB_POOL_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Begins as { 0 }. */
typedef struct reyes_i_pool {
	unsigned char *data;
	size_t bytes, room;
	int no_memory; /* an allocation has failed */
} reyes_i_pool;

/* Makes room for `more` bytes beyond those in use, at most `limit` bytes in all. Returns 0, or -1
 * beyond the limit or without memory; the pool is then as before. */
static inline int reyes_i_pool_reserve(reyes_i_pool *p, size_t more, size_t limit)
{
	size_t room = p->room ? p->room : 256;
	unsigned char *data;

	if (more <= p->room - p->bytes)
		return 0;
	if (p->bytes > limit || more > limit - p->bytes)
		return -1;
	while (room < p->bytes + more)
		room = room > SIZE_MAX / 2 ? p->bytes + more : 2 * room;
	data = (unsigned char *)realloc(p->data, room);
	if (!data) {
		p->no_memory = 1;
		return -1;
	}
	p->data = data;
	p->room = room;
	return 0;
}

/* Appends bytes; returns as reyes_i_pool_reserve. */
static inline int reyes_i_pool_append(reyes_i_pool *p, const void *from, size_t bytes, size_t limit)
{
	if (!bytes)
		return 0;
	if (reyes_i_pool_reserve(p, bytes, limit))
		return -1;
	memcpy(p->data + p->bytes, from, bytes);
	p->bytes += bytes;
	return 0;
}

static inline void reyes_i_pool_free(reyes_i_pool *p)
{
	free(p->data);
	memset(p, 0, sizeof(*p));
}

/* Removes the contents; frees memory of more than `keep` bytes. */
static inline void reyes_i_pool_clear(reyes_i_pool *p, size_t keep)
{
	p->bytes = 0;
	if (p->room > keep)
		reyes_i_pool_free(p);
}

#endif
