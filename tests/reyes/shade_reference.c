/* The shaders of RISpec 3.2, appendix A, in double precision, statement by statement as the
 * Shading Language has them: illuminance() calls a light, ambient(), diffuse() and specular() are
 * loops of their own. */
#include <math.h>
#include "reyes/shade/surface.h"
#include "tests/reyes/shade_reference.h"

typedef struct vec {
	double at[3];
} vec;

static vec vec_of(const float *p)
{
	return (vec){ { p[0], p[1], p[2] } };
}

static double dot(vec a, vec b)
{
	return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static double length(vec a)
{
	return sqrt(dot(a, a));
}

static vec scaled(vec a, double f)
{
	return (vec){ { a.at[0] * f, a.at[1] * f, a.at[2] * f } };
}

static vec plus(vec a, vec b)
{
	return (vec){ { a.at[0] + b.at[0], a.at[1] + b.at[1], a.at[2] + b.at[2] } };
}

static vec times(vec a, vec b)
{
	return (vec){ { a.at[0] * b.at[0], a.at[1] * b.at[1], a.at[2] * b.at[2] } };
}

static vec normalized(vec a)
{
	return scaled(a, 1.0 / length(a));
}

static double smoothstep(double lo, double hi, double x)
{
	const double f = fmin(fmax((x - lo) / (hi - lo), 0.0), 1.0);

	return 3.0 * f * f - 2.0 * f * f * f;
}

/* Runs a light shader for the point p. Sets Cl, and L from the point to the light. Returns 0 if
 * the light is outside of its illuminate() cone. */
static int light_shader(const reyes_i_light *l, vec p, vec *to_light, vec *cl)
{
	vec from_light;
	double cosine, attenuation;

	*cl = vec_of(l->color);
	if (l->kind == REYES_I_LIGHT_DISTANT) {
		*to_light = vec_of(l->to_light);
		return 1;
	}
	from_light = plus(p, scaled(vec_of(l->from), -1.0));
	*to_light = scaled(from_light, -1.0);
	attenuation = 1.0 / dot(from_light, from_light);
	if (l->kind == REYES_I_LIGHT_SPOT) {
		cosine = dot(from_light, vec_of(l->axis)) / length(from_light);
		if (acos(cosine) > acos(l->cos_outer))
			return 0;
		attenuation *=
			pow(cosine, l->beam) * smoothstep(l->cos_outer, l->cos_inner, cosine);
	}
	*cl = scaled(*cl, attenuation);
	return 1;
}

typedef struct globals {
	const reyes_i_frame *f;
	const reyes_i_attr *attr;
	vec p;
} globals;

static const reyes_i_light *light_number(const globals *g, uint32_t i)
{
	return &g->f->lights.list[g->f->words.list[g->attr->lights + i]];
}

static vec ambient(const globals *g)
{
	vec c = { { 0 } };

	for (uint32_t i = 0; i < g->attr->light_count; i++)
		if (light_number(g, i)->kind == REYES_I_LIGHT_AMBIENT)
			c = plus(c, vec_of(light_number(g, i)->color));
	return c;
}

/* diffuse(n) if roughness is 0, else specular(n, v, roughness). */
static vec reflected(const globals *g, vec n, vec v, double roughness)
{
	vec c = { { 0 } }, l, cl;

	for (uint32_t i = 0; i < g->attr->light_count; i++) {
		if (light_number(g, i)->kind == REYES_I_LIGHT_AMBIENT ||
			!light_shader(light_number(g, i), g->p, &l, &cl))
			continue;
		l = normalized(l);
		if (dot(l, n) <= 0.0)
			continue;
		if (roughness > 0.0)
			c = plus(c, scaled(cl, pow(fmax(0.0, dot(n, normalized(plus(l, v)))),
						       REYES_I_SPECULAR_SHARPNESS / roughness)));
		else
			c = plus(c, scaled(cl, dot(l, n)));
	}
	return c;
}

static vec surface(const globals *g, const reyes_i_shader *s, const reyes_i_point *at, vec i)
{
	const double sign = -dot(i, vec_of(at->ng)) < 0.0 ? -1.0 : 1.0;
	const vec nf = scaled(vec_of(at->n), sign), cs = vec_of(at->cs);
	const vec v = scaled(normalized(i), -1.0);
	const float *p = s->p;
	double d;

	switch (s->kind) {
	case REYES_I_SURFACE_CONSTANT:
		return cs;
	case REYES_I_SURFACE_MATTE:
		return times(
			cs, plus(scaled(ambient(g), p[0]), scaled(reflected(g, nf, v, 0), p[1])));
	case REYES_I_SURFACE_METAL:
	case REYES_I_SURFACE_SHINYMETAL:
		d = s->kind == REYES_I_SURFACE_METAL ? p[2] : p[3];
		return times(
			cs, plus(scaled(ambient(g), p[0]), scaled(reflected(g, nf, v, d), p[1])));
	case REYES_I_SURFACE_DEFAULT:
		d = dot(i, vec_of(at->n));
		d = d * d / (dot(i, i) * dot(vec_of(at->n), vec_of(at->n)));
		return scaled(cs, p[0] + p[1] * d);
	default:
		return plus(times(cs, plus(scaled(ambient(g), p[0]),
					      scaled(reflected(g, nf, v, 0), p[1]))),
			scaled(times(vec_of(p + 4), reflected(g, nf, v, p[3])), p[2]));
	}
}

static vec mixed(vec a, vec b, double f)
{
	return plus(scaled(a, 1.0 - f), scaled(b, f));
}

void reference_shade(const reyes_i_frame *f, const reyes_i_attr *attr, const reyes_i_point *at,
	double ci[3], double oi[3])
{
	const globals g = { f, attr, vec_of(at->p) };
	const reyes_i_camera *camera = &f->camera;
	const vec one = { { 1, 1, 1 } };
	vec i = g.p, c, o = vec_of(at->os);
	double d;

	if (!camera->perspective)
		i.at[0] = i.at[1] = 0.0;
	c = times(o, surface(&g, &f->shaders.list[attr->surface], at, i));
	if (attr->atmosphere != REYES_I_NONE) {
		const reyes_i_shader *s = &f->shaders.list[attr->atmosphere];

		if (s->kind == REYES_I_ATMOSPHERE_FOG) {
			d = 1.0 - exp(-length(i) / s->p[0]);
			c = mixed(c, vec_of(s->p + 1), d);
		} else {
			d = (g.p.at[2] - camera->hither) / ((double)camera->yon - camera->hither);
			d = fmin(fmax((d - s->p[0]) / ((double)s->p[1] - s->p[0]), 0.0), 1.0);
			c = mixed(c, vec_of(s->p + 2), d);
		}
		o = mixed(o, one, d);
	}
	for (int k = 0; k < 3; k++) {
		ci[k] = c.at[k];
		oi[k] = o.at[k];
	}
}
