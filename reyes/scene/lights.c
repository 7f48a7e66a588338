/* Light sources. Their points are converted from shader space to camera space at once. */
#include <math.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/draw.h"
#include "reyes/scene/matrix.h"
#include "reyes/scene/params.h"
#include "reyes/scene/shader_table.h"

/* Writes v as a unit vector of floats; returns 0 if it has no direction. */
static int unit(float out[3], const double v[3])
{
	const double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
	int i;

	if (!(length > 0) || !isfinite(length))
		return 0;
	for (i = 0; i < 3; i++)
		out[i] = (float)(v[i] / length);
	return 1;
}

/* Converts the values of a light shader. Returns 0 if it has no direction and needs one. */
static int make_light(reyes_renderer *r, const reyes_i_shader_values *v, reyes_i_light *l)
{
	const float *p = v->p;
	const float cone = p[REYES_I_LIGHT_CONE], delta = p[REYES_I_LIGHT_CONE_DELTA];
	double m[16], from[3], to[3], along[3], back[3];
	float bias = p[REYES_I_LIGHT_BIAS];
	int i, has_direction;

	memset(l, 0, sizeof(*l));
	reyes_i_xform_at(r->ctm, r->settings->shutter_open, m);
	reyes_i_matrix_point(from, m, &p[REYES_I_LIGHT_FROM]);
	reyes_i_matrix_point(to, m, &p[REYES_I_LIGHT_TO]);
	for (i = 0; i < 3; i++) {
		l->color[i] = p[REYES_I_LIGHT_INTENSITY] * p[REYES_I_LIGHT_COLOR + i];
		l->from[i] = (float)from[i];
		along[i] = to[i] - from[i];
		back[i] = -along[i];
	}
	has_direction = unit(l->axis, along) && unit(l->to_light, back);
	l->kind = v->standard->kind;
	l->shadow = REYES_I_NONE;
	l->cos_outer = cosf(cone);
	l->cos_inner = cosf(fmaxf(cone - delta, 0));
	l->beam = p[REYES_I_LIGHT_BEAM];
	/* A negative bias: none is given. */
	l->shadow_bias = bias >= 0 ? bias : r->settings->shadow_bias;
	l->shadow_blur = fmaxf(p[REYES_I_LIGHT_BLUR], 0);
	l->shadow_samples = (uint32_t)fminf(fmaxf(p[REYES_I_LIGHT_SAMPLES], 1), 1024);
	return has_direction || l->kind == REYES_I_LIGHT_AMBIENT || l->kind == REYES_I_LIGHT_POINT;
}

/* The defaults of "to" depend on the component, and those of the table do not. */
static void default_to(reyes_i_shader_values *v)
{
	const reyes_i_shader_param *k = v->standard->params;
	int i;

	for (i = 0; k[i].name; i++) {
		if (k[i].place == REYES_I_LIGHT_TO && k[i].type == REYES_I_TYPE_POINT &&
			!(v->given >> i & 1))
			v->p[REYES_I_LIGHT_TO + 2] = 1;
	}
}

/* "uberlight", the best known light shader that is not standard, has a "lighttype", and does not
 * decrease with the distance unless it has a "falloff". A light without decrease is most similar to
 * a distant light from its place to the origin of the world. */
static int is_uberlight(const reyes_params *p, int *decreases)
{
	int found = 0;
	size_t i;

	*decreases = 0;
	for (i = 0; i < reyes_i_param_count(p); i++) {
		const reyes_param *given = &p->list[i];
		const char *name = given->token ? strrchr(given->token, ' ') : NULL;

		name = name ? name + 1 : given->token;
		if (!name || given->count == 0)
			continue;
		if (strcmp(name, "lighttype") == 0 && given->strings && given->strings[0])
			found = strcmp(given->strings[0], "omni") == 0 ||
				strcmp(given->strings[0], "spot") == 0;
		if (strcmp(name, "falloff") == 0 && given->floats)
			*decreases = given->floats[0] > 0;
	}
	return found;
}

static void aim_at_world(const reyes_renderer *r, reyes_i_scene_light *scene_light)
{
	reyes_i_light *l = &scene_light->light;
	double m[16], back[3];
	int i;

	reyes_i_xform_at(r->base, r->settings->shutter_open, m);
	for (i = 0; i < 3; i++)
		back[i] = l->from[i] - m[12 + i];
	if (r->base->anchor != r->ctm->anchor)
		scene_light->anchor = REYES_I_ANCHOR_MIXED;
	if (!unit(l->to_light, back)) {
		memset(l->to_light, 0, sizeof(l->to_light));
		l->to_light[2] = -1;
		scene_light->anchor = REYES_I_ANCHOR_MIXED;
	}
}

/* Reads the values that the shader `standard` has in the parameters of `shader`, a light shader. */
static reyes_status read_light(reyes_renderer *r, const reyes_i_standard_shader *standard,
	const char *shader, const reyes_params *p, reyes_i_scene_light *l)
{
	reyes_i_shader_values values;
	int decreases, i;

	reyes_i_shader_read(r, standard, shader, p, &values);
	default_to(&values);
	memset(l, 0, sizeof(*l));
	l->shadow = REYES_I_NONE;
	l->anchor = r->ctm->anchor;
	if (!make_light(r, &values, &l->light))
		return reyes_i_error(r, "\"from\" and \"to\" are the same point");
	if (!reyes_i_shader_find(REYES_I_LIGHTS, shader) && is_uberlight(p, &decreases)) {
		l->light.kind = decreases ? REYES_I_LIGHT_POINT : REYES_I_LIGHT_DISTANT;
		aim_at_world(r, l);
	}
	for (i = 0; i < 3; i++) {
		if (!isfinite(l->light.color[i]) || !isfinite(l->light.from[i]))
			return reyes_i_error(r, "the color or the place of the light overflows");
	}
	if (values.texture) {
		l->shadow = reyes_i_texture_number(r, values.texture, REYES_I_TEXTURE_SHADOW);
		if (l->shadow == REYES_I_NONE)
			return reyes_i_no_memory(r);
	}
	return REYES_OK;
}

/* Adds a light and turns it on. */
static reyes_status add_light(reyes_renderer *r, reyes_i_scene_light *l, const char *handle)
{
	l->handle = reyes_i_names_add(&r->light_names, handle ? handle : "", NULL);
	if (l->handle == REYES_I_NONE || r->light_count >= REYES_I_NONE - 1 ||
		!reyes_i_reserve(
			&r->lights, &r->light_room, r->light_count + 1, sizeof(*r->lights)))
		return reyes_i_no_memory(r);
	if (!reyes_i_state_own(&r->state, 0) ||
		!reyes_i_light_set_change(&r->state->lights, (uint32_t)r->light_count, 1))
		return reyes_i_no_memory(r);
	r->lights[r->light_count++] = *l;
	return REYES_OK;
}

reyes_status reyes_light_source(
	reyes_renderer *r, const char *shader, const char *handle, const reyes_params *p)
{
	reyes_i_scene_light l;
	reyes_status s;

	REYES_I_ENTER(r, "LightSource", REYES_I_NOT_OBJECT, REYES_I_FIRST);
	if (!shader || !*shader)
		return reyes_i_error(r, "needs the name of a shader");
	s = read_light(r, reyes_i_shader_choose(r, REYES_I_LIGHTS, shader, p), shader, p, &l);
	return s == REYES_OK ? add_light(r, &l, handle) : s;
}

reyes_status reyes_area_light_source(
	reyes_renderer *r, const char *shader, const char *handle, const reyes_params *p)
{
	const reyes_i_standard_shader *standard;
	reyes_i_scene_light l;
	double m[16];
	reyes_status s;
	int i;

	REYES_I_ENTER(r, "AreaLightSource", REYES_I_NOT_OBJECT, REYES_I_FIRST);
	if (!shader)
		return reyes_i_error(r, "needs the name of a shader");
	/* An empty name ends the area light. */
	if (!*shader || strcmp(shader, "null") == 0) {
		if (!reyes_i_state_own(&r->state, 0))
			return reyes_i_no_memory(r);
		r->state->area_light = REYES_I_NONE;
		return REYES_OK;
	}
	reyes_i_warn_once(r, "area light",
		"area lights are not supported; a point light at the centre of the geometry is "
		"used");
	/* The warning states what replaces the shader. */
	standard = reyes_i_shader_find(REYES_I_LIGHTS, shader);
	if (!standard)
		standard = reyes_i_shader_find(REYES_I_LIGHTS, "pointlight");
	s = read_light(r, standard, shader, p, &l);
	if (s != REYES_OK)
		return s;
	reyes_i_xform_at(r->ctm, r->settings->shutter_open, m);
	l.anchor = r->ctm->anchor;
	l.light.kind = REYES_I_LIGHT_POINT;
	for (i = 0; i < 3; i++)
		l.light.from[i] = (float)m[12 + i];
	l.is_area = 1;
	s = add_light(r, &l, handle);
	if (s == REYES_OK)
		r->state->area_light = (uint32_t)r->light_count - 1;
	return s;
}

reyes_status reyes_illuminate(reyes_renderer *r, const char *handle, int on)
{
	uint32_t name;
	size_t i;

	REYES_I_ENTER(r, "Illuminate", REYES_I_NOT_OBJECT, REYES_I_FIRST);
	name = handle ? reyes_i_names_find(&r->light_names, handle) : REYES_I_NONE;
	i = name == REYES_I_NONE ? 0 : r->light_count;
	while (i > 0 && r->lights[i - 1].handle != name)
		i--;
	if (i == 0)
		return reyes_i_error(r, "there is no light \"%.100s\"", handle ? handle : "");
	if (!reyes_i_state_own(&r->state, 0) ||
		!reyes_i_light_set_change(&r->state->lights, (uint32_t)i - 1, on))
		return reyes_i_no_memory(r);
	return REYES_OK;
}
