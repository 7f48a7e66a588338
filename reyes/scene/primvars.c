/* Primitive variables of geometric requests. */
#include <string.h>
#include "reyes/scene/params.h"
#include "reyes/scene/primvars.h"

/* The variables that a shape keeps. */
static const char *const used[] = { "P", "Pw", "Pz", "N", "Np", "Cs", "Os", "s", "t", "st", "width",
	"constantwidth" };

static int is_used(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(used) / sizeof(used[0]); i++) {
		if (strcmp(name, used[i]) == 0)
			return 1;
	}
	return 0;
}

/* Nonzero if a declared type has the values that the standard's variable has. */
static int type_fits(reyes_renderer *r, const reyes_i_param *param)
{
	const uint32_t samples = r->settings->color_samples;
	const reyes_i_declaration *d = &param->declaration;
	reyes_i_declaration standard;

	if (!reyes_i_predeclared(param->name, &standard))
		return 0;
	if (d->type == REYES_I_TYPE_STRING || d->type == REYES_I_TYPE_MATRIX ||
		reyes_i_type_components(d->type, samples) * (uint64_t)d->length !=
			reyes_i_type_components(standard.type, samples) *
				(uint64_t)standard.length) {
		reyes_i_error(r, "variable \"%s\" has the type %s[%u], which does not fit",
			param->name, reyes_i_type_name(d->type), d->length);
		return 0;
	}
	return 1;
}

/* Copies a color variable as RGB. */
static void copy_colors(const reyes_renderer *r, const reyes_param *given, reyes_i_primvar *v)
{
	const uint32_t samples = r->settings->color_samples;
	size_t i;

	for (i = 0; i < v->count / 3; i++)
		reyes_i_color_to_rgb(r, given->floats + samples * i, v->floats + 3 * i);
}

/* Writes heights over a grid of nu x nv points as points: x and y are the parameters. */
static void copy_heights(const reyes_param *given, reyes_i_primvar *v, size_t nu, size_t nv)
{
	size_t i;

	for (i = 0; i < given->count; i++) {
		v->floats[3 * i] = (float)(i % nu) / (float)(nu > 1 ? nu - 1 : 1);
		v->floats[3 * i + 1] = (float)(i / nu) / (float)(nv > 1 ? nv - 1 : 1);
		v->floats[3 * i + 2] = given->floats[i];
	}
}

static int is_repeated(reyes_renderer *r, const reyes_i_shape *s, const char *name)
{
	size_t i;

	for (i = 0; i < s->keys[0].var_count; i++) {
		if (strcmp(s->keys[0].vars[i].name, name) == 0) {
			reyes_i_error(
				r, "variable \"%s\" is given twice; the first one counts", name);
			return 1;
		}
	}
	return 0;
}

/* Copies one variable. */
static reyes_status read_one(
	reyes_renderer *r, reyes_i_shape *s, const reyes_i_param *param, size_t nu, size_t nv)
{
	const reyes_param *given = param->given;
	const reyes_i_declaration *d = &param->declaration;
	const uint32_t samples = r->settings->color_samples;
	const int is_heights = strcmp(param->name, "Pz") == 0;
	const int is_colors = d->type == REYES_I_TYPE_COLOR;
	const char *name = is_heights ? "P" : param->name;
	uint32_t components;
	size_t count = given->count;
	reyes_i_primvar *v;

	if (!type_fits(r, param) || is_repeated(r, s, name))
		return REYES_OK;
	components = reyes_i_type_components(d->type, samples) * d->length;
	if (!given->floats || count == 0 || count % components != 0) {
		reyes_i_error(r, "variable \"%s\" needs a multiple of %u numbers, not %zu %s",
			param->name, components, count, given->strings ? "strings" : "numbers");
		return REYES_OK;
	}
	if (is_heights && (nu == 0 || count != nu * nv)) {
		reyes_i_error(r, nu == 0 ? "\"Pz\" is for Patch and PatchMesh only"
					 : "\"Pz\" does not have one value for each point");
		return REYES_OK;
	}
	if (is_heights && count > SIZE_MAX / 3)
		return reyes_i_no_memory(r);
	v = reyes_i_shape_add_var(s, name,
		is_heights  ? 3 * count
		: is_colors ? count / samples * 3
			    : count);
	if (!v)
		return reyes_i_no_memory(r);
	v->storage = d->storage;
	v->type = is_heights ? REYES_I_TYPE_POINT : d->type;
	v->components = is_heights || is_colors ? 3 : components;
	if (is_heights)
		copy_heights(given, v, nu, nv);
	else if (is_colors)
		copy_colors(r, given, v);
	else
		memcpy(v->floats, given->floats, count * sizeof(*v->floats));
	return REYES_OK;
}

reyes_status reyes_i_primvars_read(
	reyes_renderer *r, reyes_i_shape *s, const reyes_params *p, size_t nu, size_t nv)
{
	reyes_status status = REYES_OK;
	size_t i;

	for (i = 0; i < reyes_i_param_count(p) && status == REYES_OK; i++) {
		reyes_i_param param;

		if (!reyes_i_param_read(r, p, i, &param))
			continue;
		if (is_used(param.name))
			status = read_one(r, s, &param, nu, nv);
		else if (!param.is_declared)
			reyes_i_param_undeclared(r, &param);
		else
			reyes_i_param_unused(r, &param);
	}
	return status;
}

size_t reyes_i_vertex_count(const reyes_i_shape *s)
{
	size_t i;

	for (i = 0; i < s->keys[0].var_count; i++) {
		const reyes_i_primvar *v = &s->keys[0].vars[i];

		if (strcmp(v->name, "P") == 0)
			return v->count / 3;
		if (strcmp(v->name, "Pw") == 0)
			return v->count / 4;
	}
	return 0;
}

int reyes_i_is_periodic(reyes_renderer *r, const char *wrap)
{
	if (wrap && strcmp(wrap, "periodic") == 0)
		return 1;
	if (!wrap || strcmp(wrap, "nonperiodic") != 0)
		reyes_i_warn(r,
			"wrap mode \"%.100s\" is neither periodic nor nonperiodic; nonperiodic is "
			"used",
			wrap ? wrap : "");
	return 0;
}
