/* Messages that are repeated: the first few of each kind are logged, the others counted. */
#ifndef REYES_SCENE_MESSAGE_COUNTS_H
#define REYES_SCENE_MESSAGE_COUNTS_H

#include <reyes/reyes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* A kind of message and its count since the table was cleared. */
typedef struct reyes_i_message_count {
	uint64_t key; /* of the request and the kind; 0: free */
	uint64_t count;
	reyes_level level;
	char text[200]; /* of the first one */
} reyes_i_message_count;

/* Counts a message in a table of n kinds. A kind is a request's name (NULL: none) and a text, in
 * which the characters of `without` do not count. Returns the number of messages of the kind, or 0
 * if the table is full. */
static inline uint64_t reyes_i_count_message(reyes_i_message_count *table, size_t n,
	const char *request, const char *kind, const char *without, reyes_level level,
	const char *text)
{
	uint64_t key = 0xcbf29ce484222325u; /* FNV-1a */

	for (; request && *request; request++)
		key = (key ^ (unsigned char)*request) * 0x100000001b3u;
	for (; *kind; kind++)
		if (!strchr(without, *kind))
			key = (key ^ (unsigned char)*kind) * 0x100000001b3u;
	key += key == 0;
	for (size_t i = 0; i < n; i++) {
		reyes_i_message_count *c = &table[(key + i) % n];

		if (c->key && c->key != key)
			continue;
		if (!c->count++)
			snprintf(c->text, sizeof(c->text), "%.199s", text);
		c->key = key;
		c->level = level;
		return c->count;
	}
	return 0;
}

#endif
