/* Sets of lights that are on. */
#include <stdlib.h>
#include <string.h>
#include "reyes/scene/light_set.h"

void reyes_i_light_set_unref(reyes_i_light_set *s)
{
	if (s && --s->refs == 0)
		free(s);
}

/* Makes *s a set of this owner alone with space for one more light. */
static int own_with_space(reyes_i_light_set **s)
{
	const reyes_i_light_set *old = *s;
	const uint32_t count = old ? old->count : 0;
	reyes_i_light_set *copy;
	size_t room;

	if (old && old->refs == 1 && old->count < old->room) {
		(*s)->world = 0;
		return 1;
	}
	room = (size_t)count + count / 2 + 4;
	copy = malloc(sizeof(*copy) + room * sizeof(copy->list[0]));
	if (!copy)
		return 0;
	memset(copy, 0, sizeof(*copy));
	copy->refs = 1;
	copy->count = count;
	copy->room = (uint32_t)room;
	if (old)
		memcpy(copy->list, old->list, count * sizeof(copy->list[0]));
	reyes_i_light_set_unref(*s);
	*s = copy;
	return 1;
}

int reyes_i_light_set_change(reyes_i_light_set **s, uint32_t light, int on)
{
	uint32_t i = 0;

	while (*s && i < (*s)->count && (*s)->list[i] != light)
		i++;
	if ((*s && i < (*s)->count) == (on != 0) || (!*s && !on))
		return 1;
	if (!own_with_space(s))
		return 0;
	if (on) {
		(*s)->list[(*s)->count++] = light;
	} else {
		(*s)->count--;
		memmove(&(*s)->list[i], &(*s)->list[i + 1],
			((*s)->count - i) * sizeof((*s)->list[0]));
	}
	return 1;
}
