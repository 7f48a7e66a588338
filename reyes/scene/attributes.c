/* Requests that set attributes. */
#include <math.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/params.h"

/* The current state, to be changed; NULL: no memory. */
static reyes_i_state *change(reyes_renderer *r, enum reyes_i_changed set)
{
	return reyes_i_state_own(&r->state, set);
}

/* Reads a color; limits it to 0..1 if it is an opacity. */
static reyes_status read_color(
	reyes_renderer *r, const float *values, size_t count, int is_opacity, float out[3])
{
	int k;

	if (!values || count != r->settings->color_samples)
		return reyes_i_error(
			r, "%zu values; colors have %u", count, r->settings->color_samples);
	if (!reyes_i_all_finite(values, count))
		return reyes_i_error(r, "a value is not finite");
	reyes_i_color_to_rgb(r, values, out);
	for (k = 0; is_opacity && k < 3; k++)
		out[k] = out[k] < 0 ? 0 : out[k] > 1 ? 1 : out[k];
	return REYES_OK;
}

/* Sets Color or Opacity. */
static reyes_status set_color(reyes_renderer *r, const float *values, size_t count, int is_opacity)
{
	float rgb[3];
	const reyes_status s = read_color(r, values, count, is_opacity, rgb);

	if (s != REYES_OK)
		return s;
	if (!change(r, is_opacity ? REYES_I_SET_OPACITY : REYES_I_SET_COLOR))
		return reyes_i_no_memory(r);
	memcpy(is_opacity ? r->state->opacity : r->state->color, rgb, sizeof(rgb));
	return REYES_OK;
}

reyes_status reyes_color(reyes_renderer *r, const float *values, size_t count)
{
	REYES_I_ENTER(r, "Color", REYES_I_ANYWHERE, REYES_I_FIRST);
	return set_color(r, values, count, 0);
}

reyes_status reyes_opacity(reyes_renderer *r, const float *values, size_t count)
{
	REYES_I_ENTER(r, "Opacity", REYES_I_ANYWHERE, REYES_I_FIRST);
	return set_color(r, values, count, 1);
}

reyes_status reyes_texture_coordinates(reyes_renderer *r, const float st[8])
{
	REYES_I_ENTER(r, "TextureCoordinates", REYES_I_ANYWHERE, REYES_I_FIRST);
	if (!st || !reyes_i_all_finite(st, 8))
		return reyes_i_error(r, "needs 8 finite values");
	if (!change(r, REYES_I_SET_TEX_COORDS))
		return reyes_i_no_memory(r);
	memcpy(r->state->tex_coords, st, sizeof(r->state->tex_coords));
	return REYES_OK;
}

reyes_status reyes_shading_rate(reyes_renderer *r, float area_px)
{
	REYES_I_ENTER(r, "ShadingRate", REYES_I_ANYWHERE, REYES_I_FIRST);
	if (!(area_px > 0))
		return reyes_i_error(r, "%g is not positive", (double)area_px);
	if (!change(r, REYES_I_SET_SHADING_RATE))
		return reyes_i_no_memory(r);
	/* Below 1e-4, a pixel would have 10^4 micropolygons; above 1e8, all rates are the same. */
	r->state->shading_rate = area_px < 1e-4f ? 1e-4f : area_px > 1e8f ? 1e8f : area_px;
	return REYES_OK;
}

reyes_status reyes_shading_interpolation(reyes_renderer *r, const char *type)
{
	REYES_I_ENTER(r, "ShadingInterpolation", REYES_I_ANYWHERE, REYES_I_FIRST);
	if (!type || (strcmp(type, "constant") != 0 && strcmp(type, "smooth") != 0))
		return reyes_i_error(
			r, "\"%.100s\" is neither constant nor smooth", type ? type : "");
	if (!change(r, REYES_I_SET_SMOOTH))
		return reyes_i_no_memory(r);
	r->state->smooth = strcmp(type, "smooth") == 0;
	return REYES_OK;
}

reyes_status reyes_matte(reyes_renderer *r, int on)
{
	REYES_I_ENTER(r, "Matte", REYES_I_ANYWHERE, REYES_I_FIRST);
	if (!change(r, REYES_I_SET_MATTE))
		return reyes_i_no_memory(r);
	r->state->matte = on != 0;
	return REYES_OK;
}

reyes_status reyes_bound(reyes_renderer *r, const float bound[6])
{
	REYES_I_ENTER(r, "Bound", REYES_I_ANYWHERE, REYES_I_FIRST);
	if (!bound || !reyes_i_all_finite(bound, 6))
		return reyes_i_error(r, "needs 6 finite values");
	return REYES_OK; /* the geometry has bounds of its own */
}

reyes_status reyes_geometric_approximation(reyes_renderer *r, const char *type, float value)
{
	REYES_I_ENTER(r, "GeometricApproximation", REYES_I_ANYWHERE, REYES_I_FIRST);
	if (!type || !(value >= 0) || !isfinite(value))
		return reyes_i_error(r, "needs a type and a value of at least 0");
	if (strcmp(type, "motionfactor") != 0 && strcmp(type, "focusfactor") != 0) {
		reyes_i_info_once(r, "geometric approximation", "\"%.100s\" has no effect", type);
		return REYES_OK;
	}
	if (!change(r, REYES_I_SET_FACTORS))
		return reyes_i_no_memory(r);
	if (type[0] == 'm')
		r->state->motion_factor = value;
	else
		r->state->focus_factor = value;
	return REYES_OK;
}

reyes_status reyes_geometric_representation(reyes_renderer *r, const char *type)
{
	REYES_I_ENTER(r, "GeometricRepresentation", REYES_I_ANYWHERE, REYES_I_FIRST);
	if (!type || strcmp(type, "primitive") != 0)
		reyes_i_warn_once(r, "geometric representation",
			"\"%.100s\" is not supported; surfaces are drawn", type ? type : "");
	return REYES_OK;
}

reyes_status reyes_sides(reyes_renderer *r, int sides)
{
	REYES_I_ENTER(r, "Sides", REYES_I_ANYWHERE, REYES_I_FIRST);
	if (sides != 1 && sides != 2)
		return reyes_i_error(r, "%d is neither 1 nor 2", sides);
	if (!change(r, REYES_I_SET_SIDES))
		return reyes_i_no_memory(r);
	r->state->two_sides = sides == 2;
	return REYES_OK;
}
