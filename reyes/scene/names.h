/* Names in the order of their first use: a set of strings with numbers. */
#ifndef REYES_SCENE_NAMES_H
#define REYES_SCENE_NAMES_H

#include <stddef.h>
#include <stdint.h>

typedef struct reyes_i_names {
	char **list; /* name i; valid until reyes_i_names_free */
	size_t count, room;
	uint32_t *slots; /* hash table with open addressing: number + 1, 0: free */
	size_t slot_count;
} reyes_i_names;

/* Returns the number of a name, or REYES_I_NONE (frame.h) if it is not in the set. */
uint32_t reyes_i_names_find(const reyes_i_names *n, const char *name);
/* The same, and adds a name that is not in the set; *is_new states whether it was added (not if
 * is_new is NULL). Returns REYES_I_NONE if there is no memory. */
uint32_t reyes_i_names_add(reyes_i_names *n, const char *name, int *is_new);
void reyes_i_names_free(reyes_i_names *n);

#endif
