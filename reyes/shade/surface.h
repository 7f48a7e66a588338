/* Surface shaders of RISpec 3.2, appendix A.1: one illumination loop for all of them. Text for both
 * languages. */
#ifndef REYES_SHADE_SURFACE_H
#define REYES_SHADE_SURFACE_H

#include "reyes/shade/environment.h"
#include "reyes/shade/light.h"

/* The exponent of specular() is this number divided by the roughness. RISpec 15.6 leaves the
 * function to the implementation (its example has 1); BMRT and Aqsis have 8, and scenes are written
 * for that. */
#define REYES_I_SPECULAR_SHARPNESS 8.0f
/* Smaller values of roughness count as this one. */
#define REYES_I_ROUGHNESS_MIN 1e-5f

/* Weights of the illumination loop of a surface shader. */
typedef struct reyes_i_reflection {
	float ka, kd;
	float exponent; /* of specular; 0: none */
} reyes_i_reflection;

/* Sums of the illumination loop. */
typedef struct reyes_i_illumination {
	reyes_i_vec base;     /* ka ambient + kd diffuse */
	reyes_i_vec specular; /* without its weight */
} reyes_i_illumination;

LSCHED_FN float reyes_i_specular_exponent(float roughness)
{
	return REYES_I_SPECULAR_SHARPNESS / reyes_i_max(roughness, REYES_I_ROUGHNESS_MIN);
}

/* Returns the weights of a surface shader. */
LSCHED_FN reyes_i_reflection reyes_i_reflection_of(const reyes_i_shader *shader)
{
	reyes_i_reflection r;

	r.ka = shader->p[0];
	r.kd = 0.0f;
	r.exponent = 0.0f;
	if (shader->kind == REYES_I_SURFACE_METAL)
		r.exponent = reyes_i_specular_exponent(shader->p[2]);
	else
		r.kd = shader->p[1];
	if (shader->kind == REYES_I_SURFACE_SHINYMETAL)
		r.kd = 0.0f;
	if (shader->kind == REYES_I_SURFACE_SHINYMETAL || shader->kind == REYES_I_SURFACE_PLASTIC ||
		shader->kind == REYES_I_SURFACE_PAINTEDPLASTIC)
		r.exponent = reyes_i_specular_exponent(shader->p[3]);
	return r;
}

/* Returns the factor of the specular light: of the metals the surface color cs, of the plastics
 * specularcolor. */
LSCHED_FN reyes_i_vec reyes_i_highlight(const reyes_i_shader *shader, reyes_i_vec cs)
{
	if (shader->kind == REYES_I_SURFACE_PLASTIC ||
		shader->kind == REYES_I_SURFACE_PAINTEDPLASTIC)
		return reyes_i_scale3(reyes_i_load3(shader->p + 4), shader->p[2]);
	return reyes_i_scale3(cs, shader->p[1]);
}

/* Adds the light of one source to the sums. n: unit normal, faces the eye. `shadows` is a constant
 * of the call. */
LSCHED_FN void reyes_i_illuminate(const reyes_i_view *view, const reyes_i_light *light,
	const reyes_i_reflection *r, reyes_i_vec p, reyes_i_vec n, reyes_i_vec to_eye,
	const uint32_t shadows, reyes_i_illumination *sum)
{
	const reyes_i_vec color = reyes_i_load3(light->color);
	reyes_i_arrival a;
	float cosine;

	if (light->kind == REYES_I_LIGHT_AMBIENT) {
		sum->base = reyes_i_madd3(sum->base, color, r->ka);
		return;
	}
	a = reyes_i_light_at(light, p);
	cosine = reyes_i_dot3(a.to_light, n);
	/* the cone of illuminance(P, N, PI/2) in diffuse() and specular() */
	if (!(cosine > 0.0f) || !(a.factor > 0.0f))
		return;
	if (shadows && light->shadow != REYES_I_NONE)
		a.factor *= 1.0f - reyes_i_occlusion(view, light, p);
	sum->base = reyes_i_madd3(sum->base, color, r->kd * cosine * a.factor);
	if (r->exponent > 0.0f) {
		const reyes_i_vec h = reyes_i_newton_unit3(reyes_i_add3(a.to_light, to_eye));
		const float shine = reyes_i_pow(reyes_i_max(reyes_i_dot3(n, h), 0.0f), r->exponent);

		sum->specular = reyes_i_madd3(sum->specular, color, shine * a.factor);
	}
}

/* Whether a shader has an environment map: of the standard surfaces only shinymetal may. */
LSCHED_FN uint32_t reyes_i_has_environment(const reyes_i_shader *shader)
{
	return shader->kind == REYES_I_SURFACE_SHINYMETAL && shader->texture != REYES_I_NONE;
}

/* Returns Kr times the environment in the direction reflect(I, N). */
LSCHED_FN reyes_i_vec reyes_i_reflected(const reyes_i_view *view, const reyes_i_shader *shader,
	const reyes_i_point *at, reyes_i_vec n, reyes_i_vec to_eye)
{
	const reyes_i_vec d =
		reyes_i_sub3(reyes_i_scale3(n, 2.0f * reyes_i_dot3(n, to_eye)), to_eye);

	return reyes_i_scale3(
		reyes_i_environment_at(view, shader->texture, d, at->spread), shader->p[2]);
}

/* Returns the color before the multiplication by Os of a shader with an illumination loop.
 * `rare`: as reyes_i_surface. */
LSCHED_FN reyes_i_vec reyes_i_lit_color(const reyes_i_view *view, const reyes_i_attr *attr,
	const reyes_i_shader *shader, const reyes_i_point *at, reyes_i_vec cs, const uint32_t rare)
{
	const reyes_i_reflection r = reyes_i_reflection_of(shader);
	const reyes_i_vec to_eye = reyes_i_to_eye(view, at);
	const reyes_i_vec n = reyes_i_faceforward(at, to_eye);
	const reyes_i_vec p = reyes_i_load3(at->p);
	const uint32_t *lights = view->words + attr->lights;
	reyes_i_illumination sum;
	uint32_t i;

	sum.base = sum.specular = reyes_i_vec_of(0.0f, 0.0f, 0.0f);
	for (i = 0; i < attr->light_count; i++)
		reyes_i_illuminate(view, &view->lights[lights[i]], &r, p, n, to_eye, rare, &sum);
	if (rare > 1 && reyes_i_has_environment(shader))
		sum.base = reyes_i_add3(sum.base, reyes_i_reflected(view, shader, at, n, to_eye));
	return reyes_i_add3(reyes_i_mul3(cs, sum.base),
		reyes_i_mul3(reyes_i_highlight(shader, cs), sum.specular));
}

/* Returns the color of defaultsurface: light from the eye, the square of the cosine. */
LSCHED_FN reyes_i_vec reyes_i_default_color(const reyes_i_view *view, const reyes_i_shader *shader,
	const reyes_i_point *at, reyes_i_vec cs)
{
	const float cosine = reyes_i_dot3(reyes_i_to_eye(view, at), reyes_i_load3(at->n));

	return reyes_i_scale3(cs, shader->p[0] + shader->p[1] * cosine * cosine);
}

/* Computes Ci (multiplied by Oi) and Oi of the surface shader. An attribute without one is
 * constant. `rare` is a constant of the call: 0 leaves out textures and shadows, 1
 * environment maps, 2 nothing. */
LSCHED_FN void reyes_i_surface(const reyes_i_view *view, const reyes_i_attr *attr,
	const reyes_i_point *at, const uint32_t rare, reyes_i_vec *ci, reyes_i_vec *oi)
{
	reyes_i_vec color = reyes_i_load3(at->cs);

	*oi = reyes_i_load3(at->os);
	if (attr->surface != REYES_I_NONE) {
		const reyes_i_shader *shader = &view->shaders[attr->surface];

		if (rare && shader->kind == REYES_I_SURFACE_PAINTEDPLASTIC &&
			shader->texture != REYES_I_NONE)
			color = reyes_i_mul3(color, reyes_i_texture_at(view, shader->texture, at));
		if (shader->kind == REYES_I_SURFACE_DEFAULT)
			color = reyes_i_default_color(view, shader, at, color);
		else if (shader->kind != REYES_I_SURFACE_CONSTANT)
			color = reyes_i_lit_color(view, attr, shader, at, color, rare);
	}
	*ci = reyes_i_mul3(*oi, color);
}

#endif
