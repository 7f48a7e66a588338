/* Requests of surface, displacement and volume shaders. */
#include <stddef.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/draw.h"
#include "reyes/scene/shader_table.h"

_Static_assert(sizeof(((reyes_i_shader *)0)->p) / sizeof(float) == REYES_I_SHADER_PARAMS,
	"the table's places are those of the frame");

/* Reads a shader of a request. */
static reyes_status read_shader(reyes_renderer *r, enum reyes_i_shader_class c, const char *name,
	const reyes_params *p, reyes_i_shader_use *out)
{
	const reyes_i_standard_shader *standard;
	reyes_i_shader_values values;

	memset(out, 0, sizeof(*out));
	out->texture = REYES_I_NONE;
	if (!name)
		return reyes_i_error(r, "needs the name of a shader");
	standard = reyes_i_shader_choose(r, c, name, p);
	if (!standard || standard->kind == REYES_I_NONE)
		return REYES_OK;
	reyes_i_shader_read(r, standard, name, p, &values);
	out->set = 1;
	out->is_replaced = strcmp(name, standard->name) != 0;
	out->shader.kind = standard->kind;
	memcpy(out->shader.p, values.p, sizeof(out->shader.p));
	if (values.texture) {
		out->texture = reyes_i_texture_number(r, values.texture,
			standard->kind == REYES_I_SURFACE_SHINYMETAL ? REYES_I_TEXTURE_ENVIRONMENT
								     : REYES_I_TEXTURE_COLOR);
		if (out->texture == REYES_I_NONE)
			return reyes_i_no_memory(r);
	}
	return REYES_OK;
}

/* Sets a shader of the state, the member at this offset, by a request. */
static reyes_status set_shader(reyes_renderer *r, enum reyes_i_shader_class c, uint32_t set,
	size_t member, const char *name, const reyes_params *p)
{
	reyes_i_shader_use use;
	const reyes_status s = read_shader(r, c, name, p, &use);

	if (s != REYES_OK)
		return s;
	if (!reyes_i_state_own(&r->state, set))
		return reyes_i_no_memory(r);
	memcpy((char *)r->state + member, &use, sizeof(use));
	return REYES_OK;
}

reyes_status reyes_surface(reyes_renderer *r, const char *shader, const reyes_params *p)
{
	REYES_I_ENTER(r, "Surface", REYES_I_ANYWHERE, REYES_I_FIRST);
	return set_shader(r, REYES_I_SURFACES, REYES_I_SET_SURFACE,
		offsetof(reyes_i_state, surface), shader, p);
}

reyes_status reyes_displacement(reyes_renderer *r, const char *shader, const reyes_params *p)
{
	REYES_I_ENTER(r, "Displacement", REYES_I_ANYWHERE, REYES_I_FIRST);
	return set_shader(r, REYES_I_DISPLACEMENTS, REYES_I_SET_DISPLACEMENT,
		offsetof(reyes_i_state, displacement), shader, p);
}

reyes_status reyes_atmosphere(reyes_renderer *r, const char *shader, const reyes_params *p)
{
	REYES_I_ENTER(r, "Atmosphere", REYES_I_ANYWHERE, REYES_I_FIRST);
	return set_shader(r, REYES_I_ATMOSPHERES, REYES_I_SET_ATMOSPHERE,
		offsetof(reyes_i_state, atmosphere), shader, p);
}

/* A kind of shader that has no effect. */
static reyes_status unsupported(reyes_renderer *r, const char *shader)
{
	if (!shader)
		return reyes_i_error(r, "needs the name of a shader");
	if (*shader && strcmp(shader, "null") != 0)
		reyes_i_warn_once(r, r->request, "shaders of this kind are not supported");
	return REYES_OK;
}

reyes_status reyes_interior(reyes_renderer *r, const char *shader, const reyes_params *p)
{
	REYES_I_ENTER(r, "Interior", REYES_I_ANYWHERE, REYES_I_FIRST);
	(void)p;
	return unsupported(r, shader);
}

reyes_status reyes_exterior(reyes_renderer *r, const char *shader, const reyes_params *p)
{
	REYES_I_ENTER(r, "Exterior", REYES_I_ANYWHERE, REYES_I_FIRST);
	(void)p;
	return unsupported(r, shader);
}

reyes_status reyes_deformation(reyes_renderer *r, const char *shader, const reyes_params *p)
{
	REYES_I_ENTER(r, "Deformation", REYES_I_ANYWHERE, REYES_I_FIRST);
	(void)p;
	return unsupported(r, shader);
}
