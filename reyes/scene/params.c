/* Parameter lists of requests; Declare. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "reyes/scene/params.h"

int reyes_i_all_finite(const float *values, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (!isfinite(values[i]))
			return 0;
	}
	return 1;
}

reyes_status reyes_declare(reyes_renderer *r, const char *name, const char *declaration)
{
	reyes_i_declaration d;
	const char *wrong;
	uint32_t number;

	REYES_I_ENTER(r, "Declare", REYES_I_ANYWHERE, REYES_I_STATIC);
	if (!name || !declaration || !*name || strlen(name) >= REYES_I_NAME_BYTES)
		return reyes_i_error(r, "needs a name with 1 to 127 characters and a declaration");
	wrong = reyes_i_declaration_parse(declaration, &d, NULL, 0);
	if (wrong)
		return reyes_i_error(r, "declaration \"%.100s\" %s", declaration, wrong);
	number = reyes_i_names_add(&r->declared, name, NULL);
	if (number == REYES_I_NONE)
		return reyes_i_no_memory(r);
	if (!reyes_i_reserve(&r->declarations, &r->declaration_room, (size_t)number + 1,
		    sizeof(*r->declarations)))
		return reyes_i_no_memory(r);
	r->declarations[number] = d;
	return REYES_OK;
}

/* Finds the declaration of a plain name. */
static int look_up(const reyes_renderer *r, const char *name, reyes_i_declaration *d)
{
	const uint32_t number = reyes_i_names_find(&r->declared, name);

	/* A name without memory for its declaration has length 0. */
	if (number != REYES_I_NONE && number < r->declaration_room &&
		r->declarations[number].length > 0) {
		*d = r->declarations[number];
		return 1;
	}
	return reyes_i_predeclared(name, d);
}

size_t reyes_i_param_count(const reyes_params *p)
{
	return p && p->list ? p->count : 0;
}

int reyes_i_param_read(reyes_renderer *r, const reyes_params *p, size_t i, reyes_i_param *out)
{
	const reyes_param *given = &p->list[i];
	const char *token = given->token, *wrong;

	if (!token || !*token) {
		reyes_i_error(r, "parameter %zu has no name", i);
		return 0;
	}
	if (given->count > 0 && !given->floats == !given->strings) {
		reyes_i_error(r, "parameter \"%.100s\" needs either numbers or strings", token);
		return 0;
	}
	out->given = given;
	out->is_declared = 1;
	if (strpbrk(token, " \t\n\r[")) {
		wrong = reyes_i_declaration_parse(
			token, &out->declaration, out->name, sizeof(out->name));
		if (wrong) {
			reyes_i_error(r, "parameter \"%.100s\" %s", token, wrong);
			return 0;
		}
		return 1;
	}
	if (strlen(token) >= sizeof(out->name)) {
		reyes_i_error(r, "parameter \"%.100s..\" has a name with more than 127 characters",
			token);
		return 0;
	}
	memcpy(out->name, token, strlen(token) + 1);
	out->is_declared = look_up(r, token, &out->declaration);
	if (!out->is_declared) {
		out->declaration.storage = REYES_I_CLASS_UNIFORM;
		out->declaration.type = given->strings ? REYES_I_TYPE_STRING : REYES_I_TYPE_FLOAT;
		out->declaration.length = 1;
	}
	return 1;
}

void reyes_i_param_undeclared(reyes_renderer *r, const reyes_i_param *param)
{
	char key[REYES_I_NAME_BYTES + 32];

	snprintf(key, sizeof(key), "undeclared %s", param->name);
	reyes_i_warn_once(r, key,
		"parameter \"%s\" is not declared and is skipped; use Declare or write its "
		"type before the name",
		param->name);
}

void reyes_i_param_unused(reyes_renderer *r, const reyes_i_param *param)
{
	char key[REYES_I_NAME_BYTES + 64];

	snprintf(key, sizeof(key), "unused %.40s %s", r->request ? r->request : "", param->name);
	reyes_i_info_once(r, key, "parameter \"%s\" has no effect", param->name);
}

int reyes_i_param_floats(reyes_renderer *r, const reyes_i_param *param, float *out, size_t n)
{
	const reyes_param *given = param->given;

	if (!given->floats || given->count < n) {
		reyes_i_error(r, "parameter \"%s\" needs %zu number%s, not %zu %s", param->name, n,
			n == 1 ? "" : "s", given->count, given->strings ? "strings" : "numbers");
		return 0;
	}
	if (!reyes_i_all_finite(given->floats, n)) {
		reyes_i_error(r, "parameter \"%s\" has a value that is not finite", param->name);
		return 0;
	}
	memcpy(out, given->floats, n * sizeof(*out));
	return 1;
}

void reyes_i_color_to_rgb(const reyes_renderer *r, const float *values, float out[3])
{
	const reyes_i_settings *s = r->settings;
	double sum[3] = { 0, 0, 0 };
	uint32_t i;
	int k;

	for (i = 0; i < s->color_samples; i++) {
		for (k = 0; k < 3; k++)
			sum[k] += (double)values[i] * s->to_rgb[3 * i + (uint32_t)k];
	}
	/* Within the range of float also after products; NaN remains. */
	for (k = 0; k < 3; k++)
		out[k] = (float)(sum[k] > 1e15 ? 1e15 : sum[k] < -1e15 ? -1e15 : sum[k]);
}

int reyes_i_param_color(reyes_renderer *r, const reyes_i_param *param, float out[3])
{
	float values[REYES_I_COLOR_SAMPLES_MAX];

	if (!reyes_i_param_floats(r, param, values, r->settings->color_samples))
		return 0;
	reyes_i_color_to_rgb(r, values, out);
	return 1;
}

const char *reyes_i_param_string(reyes_renderer *r, const reyes_i_param *param)
{
	const reyes_param *given = param->given;

	if (given->count == 0 || !given->strings || !given->strings[0]) {
		reyes_i_error(r, "parameter \"%s\" needs a string", param->name);
		return NULL;
	}
	return given->strings[0];
}
