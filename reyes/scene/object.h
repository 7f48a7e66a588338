/* Object definitions: the shapes between ObjectBegin and ObjectEnd. */
#ifndef REYES_SCENE_OBJECT_H
#define REYES_SCENE_OBJECT_H

#include <stddef.h>
#include "reyes/scene/shape.h"
#include "reyes/scene/state.h"
#include "reyes/scene/xform.h"

typedef struct reyes_i_object_shape {
	reyes_i_shape shape;
	reyes_i_xform *local; /* to the space of the ObjectBegin */
	reyes_i_state *state; /* the attributes that the definition has set count */
} reyes_i_object_shape;

typedef struct reyes_i_object {
	int defined;
	reyes_i_object_shape *list;
	size_t count, room;
} reyes_i_object;

/* Frees the shapes; the object is then undefined. */
void reyes_i_object_clear(reyes_i_object *o);

#endif
