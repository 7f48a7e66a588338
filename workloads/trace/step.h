/* The steps of a path: the camera's ray, what happens at a surface. Compiled for CPU and GPU. */
#ifndef WORKLOADS_TRACE_STEP_H
#define WORKLOADS_TRACE_STEP_H

#include "workloads/trace/hit.h"

/* Begins the path of p->pixel and p->sample at the camera. */
LSCHED_FN void trc_begin(const trc_ctx *c, trc_path *p)
{
	const trc_scene *s = &c->scene;
	trc_random r;
	float x, y;

	p->count |= TRC_BOUNCES - 1u; /* numbers that no bounce draws */
	r = trc_draw(c, p);
	p->count &= ~(TRC_BOUNCES - 1u);
	x = fmaf((float)r.u, 0x1p-22f, (float)(p->pixel % c->width)) / (float)c->width;
	y = fmaf((float)r.v, 0x1p-22f, (float)(p->pixel / c->width)) / (float)c->height;
	p->way[0] = fmaf(2.0f, x, -1.0f) * s->half[0];
	p->way[1] = fmaf(-2.0f, y, 1.0f) * s->half[1];
	p->way[2] = -s->half[2] - s->eye;
	trc_normalise(p->way);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		p->at[k] = k == 2 ? s->eye : 0.0f;
		p->weight[k] = 1.0f;
	}
}

/* A direction with a density proportional to the cosine to the normal: the normal and a point of
 * the unit sphere. Its angle has a quarter turn from two bits, the rest by polynomials. */
LSCHED_FN void trc_diffuse(float way[3], const float n[3], trc_random r)
{
	const float z = fmaf((float)r.u, 0x1p-21f, -1.0f);
	const float f = fmaf((float)(r.v & 0xfffffu), 0x1p-20f, -0.5f), ff = f * f;
	const float flat = sqrtf(fmaf(-z, z, 1.0f));
	const float sine =
		f * fmaf(ff, fmaf(ff, fmaf(ff, -0.00468175413f, 0.0796926262f), -0.645964098f),
			    1.57079633f);
	const float cosine = fmaf(ff,
		fmaf(ff, fmaf(ff, fmaf(ff, 0.000919260275f, -0.0208634807f), 0.253669508f),
			-1.23370055f),
		1.0f);
	const uint32_t quarter = r.v >> 20;
	const float x = quarter & 1u ? sine : cosine, y = quarter & 1u ? cosine : sine;
	float size;

	way[0] = fmaf(quarter >> 1 != (quarter & 1u) ? -flat : flat, x, n[0]);
	way[1] = fmaf(quarter >> 1 ? -flat : flat, y, n[1]);
	way[2] = n[2] + z;
	size = trc_dot(way, way);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		way[k] = size > 0x1p-20f ? way[k] : n[k];
}

/* Reflection or refraction at glass of index 1.5, by Schlick's approximation of Fresnel's share.
 * Returns whether the path stays on its side. */
LSCHED_FN uint32_t trc_glass(float way[3], const float n[3], uint32_t outside, trc_random r)
{
	const float eta = outside ? 1.0f / 1.5f : 1.5f;
	const float cosine = -trc_dot(n, way);
	const float under = fmaf(eta * eta, fmaf(cosine, cosine, -1.0f), 1.0f);
	const float inner = sqrtf(under > 0 ? under : 0.0f);
	const float away = 1.0f - (outside ? cosine : inner), away2 = away * away;
	const float share = fmaf(0.96f * away, away2 * away2, 0.04f);
	const uint32_t stays = under <= 0 || (float)r.u < share * 0x1p22f;

	if (stays)
		trc_along(way, way, 2.0f * cosine, n);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3 && !stays; k++)
		way[k] = fmaf(eta, way[k], fmaf(eta, cosine, -inner) * n[k]);
	return stays;
}

/* Whether a path goes on: by the fixed cut at a thousandth, or by roulette from the fourth bounce
 * on, which keeps the expected weight. */
LSCHED_FN uint32_t trc_goes_on(const trc_ctx *c, trc_path *p, trc_random r)
{
	float most = p->weight[0];
	uint32_t bounces, goes_on;

	most = p->weight[1] > most ? p->weight[1] : most;
	most = p->weight[2] > most ? p->weight[2] : most;
	p->count++;
	bounces = p->count & (TRC_BOUNCES - 1);
	goes_on = most >= 0.001f;
	if (c->roulette && bounces > 3 && most < 1) {
		const uint32_t chance = (uint32_t)(most * 0x1p20f) + 1;
		const float scale = 0x1p20f / (float)chance;

		goes_on = r.w < chance;
		LSCHED_UNROLL
		for (uint32_t k = 0; k < 3; k++)
			p->weight[k] = p->weight[k] * scale;
	} else if (c->roulette) {
		goes_on = 1;
	}
	return goes_on && bounces < TRC_BOUNCES - 1;
}

/* What happens to a path at the object that it hits. Sets the light that it brings to its pixel,
 * if *lit becomes nonzero. Returns 0: it ends. `mesh` as for trc_hit. */
LSCHED_FN uint32_t trc_scatter(
	const trc_ctx *c, trc_path *p, uint32_t object, float light[3], uint32_t *lit, int mesh)
{
	const trc_surface m = c->scene.surface[trc_surface_of(object)];
	const trc_random r = trc_draw(c, p);
	uint32_t goes_on;

	*lit = m.emits;
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		light[k] = p->weight[k] * m.light[k];
		p->weight[k] = p->weight[k] * m.albedo[k];
	}
	goes_on = m.kind != TRC_LIGHT && trc_goes_on(c, p, r);
	if (goes_on) {
		float n[3];
		const uint32_t outside = trc_normal(c, p, object, n, mesh);
		uint32_t stays = 1;

		if (m.kind == TRC_DIFFUSE)
			trc_diffuse(p->way, n, r);
		else if (m.kind == TRC_GLASS)
			stays = trc_glass(p->way, n, outside, r);
		else
			trc_along(p->way, p->way, -2.0f * trc_dot(n, p->way), n);
		trc_normalise(p->way);
		/* off the surface, or rounding would bring flat reflections behind it */
		trc_along(p->at, p->at, stays ? 0x1p-12f : -0x1p-12f, n);
	}
	return goes_on;
}

LSCHED_FN uint64_t trc_fixed(float light)
{
	return (uint64_t)(light * TRC_ONE);
}

/* Traces the path of p->pixel and p->sample to its end, and adds what it brings to light. Returns
 * the surfaces that it hits. */
LSCHED_FN uint32_t trc_whole(const trc_ctx *c, trc_path *p, uint64_t light[3], int mesh)
{
	uint32_t alive = 1, hits = 0;

	trc_begin(c, p);
	for (; alive; hits++) {
		const uint32_t object = trc_hit(c, p, mesh);
		float part[3];
		uint32_t lit;

		alive = trc_scatter(c, p, object, part, &lit, mesh);
		LSCHED_UNROLL
		for (uint32_t k = 0; k < 3; k++)
			light[k] += lit ? trc_fixed(part[k]) : 0;
	}
	return hits;
}

#endif
