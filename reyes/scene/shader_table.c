/* The table of standard shaders, and the choice of one for a scene's own shader. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include "reyes/scene/params.h"
#include "reyes/scene/shader_table.h"

#define FLOAT(name, place, value)                      \
	{                                              \
		name, REYES_I_TYPE_FLOAT, place, value \
	}
#define COLOR(name, place, value)                      \
	{                                              \
		name, REYES_I_TYPE_COLOR, place, value \
	}
#define POINT(name, place, value)                      \
	{                                              \
		name, REYES_I_TYPE_POINT, place, value \
	}
#define STRING(name)                            \
	{                                       \
		name, REYES_I_TYPE_STRING, 0, 0 \
	}
#define END                   \
	{                     \
		NULL, 0, 0, 0 \
	}

static const reyes_i_shader_param none[] = { END };
static const reyes_i_shader_param matte[] = { FLOAT("Ka", 0, 1), FLOAT("Kd", 1, 1), END };
static const reyes_i_shader_param fallback[] = { FLOAT("Ka", 0, 0.2f), FLOAT("Kd", 1, 0.8f), END };
/* "uroughness" is the roughness of shaders of brushed metal. */
static const reyes_i_shader_param metal[] = { FLOAT("Ka", 0, 1), FLOAT("Ks", 1, 1),
	FLOAT("roughness", 2, 0.1f), FLOAT("uroughness", 2, 0.1f), END };
static const reyes_i_shader_param shinymetal[] = { FLOAT("Ka", 0, 1), FLOAT("Ks", 1, 1),
	FLOAT("Kr", 2, 1), FLOAT("roughness", 3, 0.1f), STRING("texturename"), END };
static const reyes_i_shader_param plastic[] = { FLOAT("Ka", 0, 1), FLOAT("Kd", 1, 0.5f),
	FLOAT("Ks", 2, 0.5f), FLOAT("roughness", 3, 0.1f), COLOR("specularcolor", 4, 1), END };
static const reyes_i_shader_param paintedplastic[] = { FLOAT("Ka", 0, 1), FLOAT("Kd", 1, 0.5f),
	FLOAT("Ks", 2, 0.5f), FLOAT("roughness", 3, 0.1f), COLOR("specularcolor", 4, 1),
	STRING("texturename"), END };
static const reyes_i_shader_param bumpy[] = { FLOAT("Km", 0, 1), FLOAT("amplitude", 0, 1),
	STRING("texturename"), STRING("bumpname"), END };
static const reyes_i_shader_param depthcue[] = { FLOAT("mindistance", 0, 0),
	FLOAT("maxdistance", 1, 1), COLOR("background", 2, 0), END };
static const reyes_i_shader_param fog[] = { FLOAT("distance", 0, 1), COLOR("background", 1, 0),
	END };

#define LIGHT \
	FLOAT("intensity", REYES_I_LIGHT_INTENSITY, 1), COLOR("lightcolor", REYES_I_LIGHT_COLOR, 1)
#define SHADOW                                                                               \
	STRING("shadowname"), STRING("shadowmap"), STRING("shadname"),                       \
		FLOAT("bias", REYES_I_LIGHT_BIAS, -1), FLOAT("blur", REYES_I_LIGHT_BLUR, 0), \
		FLOAT("samples", REYES_I_LIGHT_SAMPLES, 16)

static const reyes_i_shader_param ambient[] = { LIGHT, END };
/* The standard's "to" is (0, 0, 1); lights.c sets it. */
static const reyes_i_shader_param distant[] = { LIGHT, POINT("from", REYES_I_LIGHT_FROM, 0),
	POINT("to", REYES_I_LIGHT_TO, 0), SHADOW, END };
static const reyes_i_shader_param point[] = { LIGHT, POINT("from", REYES_I_LIGHT_FROM, 0), SHADOW,
	END };
static const reyes_i_shader_param spot[] = { LIGHT, POINT("from", REYES_I_LIGHT_FROM, 0),
	POINT("to", REYES_I_LIGHT_TO, 0), FLOAT("coneangle", REYES_I_LIGHT_CONE, 0.523598776f),
	FLOAT("conedeltaangle", REYES_I_LIGHT_CONE_DELTA, 0.0872664626f),
	FLOAT("beamdistribution", REYES_I_LIGHT_BEAM, 2), SHADOW, END };

#define SURFACE(name, kind, list)                  \
	{                                          \
		name, REYES_I_SURFACES, kind, list \
	}
#define SOURCE(name, kind, list)                 \
	{                                        \
		name, REYES_I_LIGHTS, kind, list \
	}

static const reyes_i_standard_shader standard[] = {
	SURFACE("constant", REYES_I_SURFACE_CONSTANT, none),
	SURFACE("null", REYES_I_SURFACE_CONSTANT, none),
	SURFACE("matte", REYES_I_SURFACE_MATTE, matte),
	SURFACE("metal", REYES_I_SURFACE_METAL, metal),
	SURFACE("shinymetal", REYES_I_SURFACE_SHINYMETAL, shinymetal),
	SURFACE("plastic", REYES_I_SURFACE_PLASTIC, plastic),
	SURFACE("paintedplastic", REYES_I_SURFACE_PAINTEDPLASTIC, paintedplastic),
	SURFACE("defaultsurface", REYES_I_SURFACE_DEFAULT, fallback),
	SURFACE("default", REYES_I_SURFACE_DEFAULT, fallback),
	SURFACE("", REYES_I_SURFACE_DEFAULT, fallback),
	{ "bumpy", REYES_I_DISPLACEMENTS, REYES_I_DISPLACEMENT_BUMPY, bumpy },
	{ "null", REYES_I_DISPLACEMENTS, REYES_I_NONE, none },
	{ "", REYES_I_DISPLACEMENTS, REYES_I_NONE, none },
	{ "depthcue", REYES_I_ATMOSPHERES, REYES_I_ATMOSPHERE_DEPTHCUE, depthcue },
	{ "fog", REYES_I_ATMOSPHERES, REYES_I_ATMOSPHERE_FOG, fog },
	{ "null", REYES_I_ATMOSPHERES, REYES_I_NONE, none },
	{ "", REYES_I_ATMOSPHERES, REYES_I_NONE, none },
	SOURCE("ambientlight", REYES_I_LIGHT_AMBIENT, ambient),
	SOURCE("distantlight", REYES_I_LIGHT_DISTANT, distant),
	SOURCE("pointlight", REYES_I_LIGHT_POINT, point),
	SOURCE("spotlight", REYES_I_LIGHT_SPOT, spot),
	/* Common variants with a shadow map. */
	SOURCE("shadowdistant", REYES_I_LIGHT_DISTANT, distant),
	SOURCE("shadowpoint", REYES_I_LIGHT_POINT, point),
	SOURCE("shadowspot", REYES_I_LIGHT_SPOT, spot),
};

const reyes_i_standard_shader *reyes_i_shader_find(enum reyes_i_shader_class c, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(standard) / sizeof(standard[0]); i++) {
		if (standard[i].shader_class == c && strcmp(standard[i].name, name) == 0)
			return &standard[i];
	}
	return NULL;
}

/* Nonzero if a name contains a word, in any case. */
static int contains(const char *name, const char *word)
{
	const size_t n = strlen(word);

	for (; *name; name++) {
		size_t i = 0;

		while (i < n && tolower((unsigned char)name[i]) == word[i])
			i++;
		if (i == n)
			return 1;
	}
	return 0;
}

/* Nonzero if the list has one of the parameters, ended by NULL. */
static int has_any(const reyes_params *p, const char *const *names)
{
	size_t i;

	for (i = 0; i < reyes_i_param_count(p); i++) {
		const char *token = p->list[i].token, *last;
		size_t n;

		if (!token)
			continue;
		last = strrchr(token, ' '); /* an inline declaration ends with the name */
		for (n = 0; names[n]; n++) {
			if (strcmp(last ? last + 1 : token, names[n]) == 0)
				return 1;
		}
	}
	return 0;
}

static const char *surface_like(const char *name, const reyes_params *p)
{
	static const char *const textured[] = { "texturename", NULL };
	static const char *const specular[] = { "Ks", "roughness", "specularcolor", NULL };

	if (has_any(p, textured))
		return "paintedplastic";
	if (contains(name, "metal") || contains(name, "chrome") || contains(name, "gold"))
		return "metal";
	if (has_any(p, specular) || contains(name, "plastic") || contains(name, "glass") ||
		contains(name, "shiny"))
		return "plastic";
	return contains(name, "constant") ? "constant" : "matte";
}

static const char *light_like(const char *name, const reyes_params *p)
{
	static const char *const from[] = { "from", NULL };
	static const char *const to[] = { "to", NULL };
	static const char *const cone[] = { "coneangle", "conedeltaangle", "beamdistribution",
		NULL };

	if (contains(name, "ambient"))
		return "ambientlight";
	if (contains(name, "spot") || has_any(p, cone))
		return "spotlight";
	if (contains(name, "distant"))
		return "distantlight";
	if (contains(name, "point") || (has_any(p, from) && !has_any(p, to)))
		return "pointlight";
	return "distantlight";
}

const reyes_i_standard_shader *reyes_i_shader_choose(
	reyes_renderer *r, enum reyes_i_shader_class c, const char *name, const reyes_params *p)
{
	const reyes_i_standard_shader *found = reyes_i_shader_find(c, name);
	const char *like = NULL;
	char key[128];

	if (found)
		return found;
	if (c == REYES_I_SURFACES)
		like = surface_like(name, p);
	else if (c == REYES_I_LIGHTS)
		like = light_like(name, p);
	snprintf(key, sizeof(key), "shader %d %.100s", (int)c, name);
	if (!like) {
		reyes_i_warn_once(r, key,
			"shader \"%.100s\" is not supported and has no effect; shaders in the "
			"shading language are not compiled",
			name);
		return NULL;
	}
	reyes_i_warn_once(r, key,
		"shader \"%.100s\" is replaced by \"%s\"; shaders in the shading language are not "
		"compiled",
		name, like);
	return reyes_i_shader_find(c, like);
}

/* Reads the values of a parameter of the table. */
static void read_value(reyes_renderer *r, const reyes_i_shader_param *known,
	const reyes_i_param *param, reyes_i_shader_values *out)
{
	float *to = &out->p[known->place];
	const char *text;

	switch (known->type) {
	case REYES_I_TYPE_FLOAT:
		reyes_i_param_floats(r, param, to, 1);
		break;
	case REYES_I_TYPE_COLOR:
		reyes_i_param_color(r, param, to);
		break;
	case REYES_I_TYPE_POINT:
		reyes_i_param_floats(r, param, to, 3);
		break;
	default:
		text = reyes_i_param_string(r, param);
		if (text && *text)
			out->texture = text;
		break;
	}
}

void reyes_i_shader_read(reyes_renderer *r, const reyes_i_standard_shader *shader, const char *name,
	const reyes_params *p, reyes_i_shader_values *out)
{
	const reyes_i_shader_param *k;
	const int replaced = strcmp(name, shader->name) != 0;
	size_t i;

	memset(out, 0, sizeof(*out));
	out->standard = shader;
	for (k = shader->params; k->name; k++) {
		const int n = k->type == REYES_I_TYPE_FLOAT ? 1 : 3;
		int c;

		for (c = 0; c < n && k->type != REYES_I_TYPE_STRING; c++)
			out->p[k->place + c] = k->value;
	}
	for (i = 0; i < reyes_i_param_count(p); i++) {
		reyes_i_param param;

		if (!reyes_i_param_read(r, p, i, &param))
			continue;
		for (k = shader->params; k->name && strcmp(k->name, param.name) != 0; k++)
			;
		if (k->name) {
			read_value(r, k, &param, out);
			out->given |= 1u << (k - shader->params);
		} else if (!replaced && !param.is_declared) {
			reyes_i_param_undeclared(r, &param);
		} else if (!replaced) {
			reyes_i_param_unused(r, &param);
		}
	}
}
