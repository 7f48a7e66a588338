/* Object definitions and instances. RISpec 3.2 gives an instance the attributes of its request;
 * attributes that the definition itself sets count instead, as later renderers have it. */
#include <stdlib.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/blocks.h"
#include "reyes/scene/draw.h"
#include "reyes/scene/matrix.h"

void reyes_i_object_clear(reyes_i_object *o)
{
	size_t i;

	for (i = 0; i < o->count; i++) {
		reyes_i_shape_free(&o->list[i].shape);
		reyes_i_xform_unref(o->list[i].local);
		reyes_i_state_unref(o->list[i].state);
	}
	free(o->list);
	memset(o, 0, sizeof(*o));
}

reyes_status reyes_object_begin(reyes_renderer *r, const char *handle)
{
	reyes_i_xform *identity;
	reyes_i_block *b;
	uint32_t number;

	REYES_I_ENTER(r, "ObjectBegin", REYES_I_ANYWHERE, REYES_I_ENDS);
	if (r->in_object)
		return reyes_i_block_open_ignored(r, REYES_I_BLOCK_OBJECT,
			"not allowed in an object definition; its shapes belong to the outer one");
	if (!handle || !*handle)
		return reyes_i_block_open_ignored(
			r, REYES_I_BLOCK_OBJECT, "needs a handle; the shapes are drawn here");
	number = reyes_i_names_add(&r->object_names, handle, NULL);
	if (number == REYES_I_NONE || !reyes_i_reserve(&r->objects, &r->object_room,
					      (size_t)number + 1, sizeof(*r->objects)))
		return reyes_i_no_memory(r);
	identity = reyes_i_xform_new(1);
	if (!identity)
		return reyes_i_no_memory(r);
	reyes_i_matrix_identity(identity->matrix[0]);
	if (reyes_i_block_open(r, REYES_I_BLOCK_OBJECT, REYES_I_SAVE_CTM | REYES_I_SAVE_STATE,
		    &b) != REYES_OK) {
		reyes_i_xform_unref(identity);
		return REYES_ERR_NOMEM;
	}
	b->base = r->base;
	r->base = identity;
	reyes_i_xform_unref(r->ctm);
	r->ctm = reyes_i_xform_ref(identity);
	r->in_object = 1;
	reyes_i_object_clear(&r->objects[number]);
	r->objects[number].defined = 1;
	r->object = number;
	/* The block has saved the state; without memory for a copy the definition has no shapes. */
	if (!reyes_i_state_own(&r->state, 0))
		return reyes_i_no_memory(r);
	r->state->changed = 0;
	r->state->inside_out = 0;
	return REYES_OK;
}

reyes_status reyes_object_end(reyes_renderer *r)
{
	return reyes_i_block_close(r, "ObjectEnd", REYES_I_BLOCK_OBJECT);
}

/* Draws a shape of an object with the current transform and attributes. */
static reyes_status draw_shape(reyes_renderer *r, const reyes_i_object_shape *o)
{
	reyes_i_state *outer = r->state, *merged = reyes_i_state_merge(outer, o->state);
	reyes_i_xform *x = reyes_i_xform_ref(r->ctm);
	reyes_status s = merged ? reyes_i_xform_concat(&x, o->local) : REYES_ERR_NOMEM;

	if (s == REYES_OK) {
		r->state = merged;
		s = reyes_i_draw_at(r, &o->shape, x);
		r->state = outer;
	} else if (s == REYES_ERR_NOMEM) {
		reyes_i_no_memory(r);
	} else {
		s = reyes_i_error(r, "the transform overflows");
	}
	reyes_i_state_unref(merged);
	reyes_i_xform_unref(x);
	return s;
}

reyes_status reyes_object_instance(reyes_renderer *r, const char *handle)
{
	reyes_status s = REYES_OK;
	uint32_t number;
	size_t i;

	REYES_I_ENTER(r, "ObjectInstance", REYES_I_GEOMETRY, REYES_I_STATIC);
	if (r->in_object)
		return reyes_i_error(r, "not allowed in an object definition");
	number = handle ? reyes_i_names_find(&r->object_names, handle) : REYES_I_NONE;
	if (number == REYES_I_NONE || number >= r->object_room || !r->objects[number].defined)
		return reyes_i_error(r, "there is no object \"%.100s\"", handle ? handle : "");
	for (i = 0; i < r->objects[number].count && s != REYES_ERR_NOMEM; i++)
		s = draw_shape(r, &r->objects[number].list[i]);
	return s;
}
