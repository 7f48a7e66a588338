/* Names in the order of their first use: a set of strings with numbers. */
#include <stdlib.h>
#include <string.h>
#include "reyes/scene/frame.h"
#include "reyes/scene/names.h"

static uint32_t hash_of(const char *name)
{
	uint32_t h = 2166136261u; /* FNV-1a */

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return h;
}

/* The slot of a name, or the free slot where it belongs. The table has a free slot. */
static size_t slot_of(const reyes_i_names *n, const char *name)
{
	size_t i = hash_of(name) & (n->slot_count - 1);

	while (n->slots[i] && strcmp(n->list[n->slots[i] - 1], name) != 0)
		i = (i + 1) & (n->slot_count - 1);
	return i;
}

uint32_t reyes_i_names_find(const reyes_i_names *n, const char *name)
{
	size_t i;

	if (n->slot_count == 0)
		return REYES_I_NONE;
	i = slot_of(n, name);
	return n->slots[i] ? n->slots[i] - 1 : REYES_I_NONE;
}

/* Makes space for one more name. Returns 0 if there is no memory. */
static int make_space(reyes_i_names *n)
{
	if (n->count == n->room) {
		size_t room = n->room ? 2 * n->room : 16;
		char **list;

		if (room >= REYES_I_NONE / 2)
			return 0;
		list = realloc(n->list, room * sizeof(*list));
		if (!list)
			return 0;
		n->list = list;
		n->room = room;
	}
	if (2 * (n->count + 1) > n->slot_count) {
		size_t count = n->slot_count ? 2 * n->slot_count : 64, i;
		uint32_t *slots = calloc(count, sizeof(*slots));

		if (!slots)
			return 0;
		free(n->slots);
		n->slots = slots;
		n->slot_count = count;
		for (i = 0; i < n->count; i++)
			n->slots[slot_of(n, n->list[i])] = (uint32_t)i + 1;
	}
	return 1;
}

uint32_t reyes_i_names_add(reyes_i_names *n, const char *name, int *is_new)
{
	uint32_t number = reyes_i_names_find(n, name);
	size_t bytes = strlen(name) + 1;
	char *copy;

	if (is_new)
		*is_new = 0;
	if (number != REYES_I_NONE)
		return number;
	copy = make_space(n) ? malloc(bytes) : NULL;
	if (!copy)
		return REYES_I_NONE;
	memcpy(copy, name, bytes);
	n->slots[slot_of(n, name)] = (uint32_t)n->count + 1;
	n->list[n->count] = copy;
	if (is_new)
		*is_new = 1;
	return (uint32_t)n->count++;
}

void reyes_i_names_free(reyes_i_names *n)
{
	size_t i;

	for (i = 0; i < n->count; i++)
		free(n->list[i]);
	free(n->list);
	free(n->slots);
	memset(n, 0, sizeof(*n));
}
