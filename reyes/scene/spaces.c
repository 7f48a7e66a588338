/* Named coordinate systems. */
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/blocks.h"
#include "reyes/scene/spaces.h"

void reyes_i_scoped_restore(reyes_renderer *r, size_t count)
{
	while (r->scoped_count > count) {
		const reyes_i_scoped *s = &r->scoped[--r->scoped_count];

		reyes_i_xform_unref(r->space_xforms[s->name]);
		r->space_xforms[s->name] = s->before;
	}
}

/* Gives the current space a name. */
static reyes_status name_space(reyes_renderer *r, const char *space, int scoped)
{
	uint32_t number;

	if (!space || !*space)
		return reyes_i_error(r, "needs a name");
	number = reyes_i_names_add(&r->spaces, space, NULL);
	if (number == REYES_I_NONE || !reyes_i_reserve(&r->space_xforms, &r->space_room,
					      (size_t)number + 1, sizeof(r->space_xforms[0])))
		return reyes_i_no_memory(r);
	if (scoped) {
		if (!reyes_i_reserve(
			    &r->scoped, &r->scoped_room, r->scoped_count + 1, sizeof(*r->scoped)))
			return reyes_i_no_memory(r);
		r->scoped[r->scoped_count].name = number;
		r->scoped[r->scoped_count++].before = r->space_xforms[number];
	} else {
		reyes_i_xform_unref(r->space_xforms[number]);
	}
	r->space_xforms[number] = reyes_i_xform_ref(r->ctm);
	return REYES_OK;
}

int reyes_i_is_projected_space(const char *name)
{
	return strcmp(name, "screen") == 0 || strcmp(name, "raster") == 0 ||
	       strcmp(name, "NDC") == 0;
}

reyes_i_xform *reyes_i_find_space(reyes_renderer *r, const char *name)
{
	uint32_t number;

	if (strcmp(name, "world") == 0)
		return r->base;
	if (strcmp(name, "object") == 0 || strcmp(name, "shader") == 0 ||
		strcmp(name, "current") == 0)
		return r->ctm;
	number = reyes_i_names_find(&r->spaces, name);
	return number == REYES_I_NONE || number >= r->space_room ? NULL : r->space_xforms[number];
}

reyes_status reyes_coordinate_system(reyes_renderer *r, const char *space)
{
	REYES_I_ENTER(r, "CoordinateSystem", REYES_I_ANYWHERE, REYES_I_STATIC);
	return name_space(r, space, 0);
}

reyes_status reyes_scoped_coordinate_system(reyes_renderer *r, const char *space)
{
	REYES_I_ENTER(r, "ScopedCoordinateSystem", REYES_I_ANYWHERE, REYES_I_STATIC);
	return name_space(r, space, r->block_count > 0);
}

reyes_status reyes_coord_sys_transform(reyes_renderer *r, const char *space)
{
	reyes_i_xform *x;

	REYES_I_ENTER(r, "CoordSysTransform", REYES_I_ANYWHERE, REYES_I_STATIC);
	if (!space || !*space)
		return reyes_i_error(r, "needs a name");
	if (strcmp(space, "camera") == 0) {
		x = reyes_i_xform_new(1);
		if (!x)
			return reyes_i_no_memory(r);
		reyes_i_matrix_identity(x->matrix[0]);
		reyes_i_xform_unref(r->ctm);
		r->ctm = x;
		return REYES_OK;
	}
	x = reyes_i_find_space(r, space);
	if (!x)
		return reyes_i_error(r,
			reyes_i_is_projected_space(space)
				? "space \"%.100s\" is not supported: it is behind the projection"
				: "there is no coordinate system \"%.100s\"",
			space);
	reyes_i_xform_ref(x);
	reyes_i_xform_unref(r->ctm);
	r->ctm = x;
	return REYES_OK;
}
