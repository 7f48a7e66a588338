/* The colour of a sample: that of the visible opaque point behind the fragments in front of it. */
#ifndef REYES_HIDE_RESOLVE_H
#define REYES_HIDE_RESOLVE_H

#include <math.h>
#include "reyes/hide/detail.h"
#include "reyes/hide/solid.h"

LSCHED_FN reyes_i_rgba reyes_i_mix4(reyes_i_rgba a, float s, reyes_i_rgba b, float t)
{
	reyes_i_rgba c;

	c.r = a.r * s + b.r * t;
	c.g = a.g * s + b.g * t;
	c.b = a.b * s + b.b * t;
	c.a = a.a * s + b.a * t;
	return c;
}

/* Returns the colour of a visible point, or its opacity if `opacity` is nonzero. Between the
 * points of the grid it is interpolated with ShadingInterpolation "smooth", else it is that of the
 * micropolygon's first point. */
LSCHED_FN reyes_i_rgba reyes_i_point_color(const reyes_i_canvas *c, uint32_t id, uint32_t opacity)
{
	const reyes_i_placed *g = c->grids + (id >> 14);
	const uint32_t m = id >> 6 & 255u, row = g->grid.nu + 1u;
	const uint32_t k = reyes_i_first_point(m, g->grid.nu);
	const uint32_t points = row * (g->grid.nv + 1u);
	const reyes_i_rgba *p = c->colors + g->colors + k + (opacity ? points : 0);
	const float u = ((float)(id >> 3 & 7u) + 0.5f) * 0.125f;
	const float v = ((float)(id & 7u) + 0.5f) * 0.125f;

	if (opacity && (g->flags & REYES_I_ATTR_EVEN))
		return c->colors[g->colors + points];
	if (!(g->flags & REYES_I_ATTR_SMOOTH))
		return p[0];
	return reyes_i_mix4(reyes_i_mix4(p[0], 1 - u, p[1], u), 1 - v,
		reyes_i_mix4(p[row], 1 - u, p[row + 1], u), v);
}

/* A sample of the picture: premultiplied colour, alpha, depth. */
typedef struct reyes_i_seen {
	float r, g, b, a, z;
} reyes_i_seen;

/* Light that passes the fragments so far, and what they contribute. */
typedef struct reyes_i_blend {
	float r, g, b, a; /* contribution */
	float tr, tg, tb; /* transmission */
	float z;
} reyes_i_blend;

LSCHED_FN void reyes_i_blend_add(reyes_i_blend *s, reyes_i_rgba ci, reyes_i_rgba oi)
{
	s->r += s->tr * ci.r;
	s->g += s->tg * ci.g;
	s->b += s->tb * ci.b;
	s->tr *= 1 - oi.r;
	s->tg *= 1 - oi.g;
	s->tb *= 1 - oi.b;
}

LSCHED_FN void reyes_i_blend_fragment(
	const reyes_i_canvas *c, const float threshold[3], reyes_i_blend *s, float z, uint32_t id)
{
	/* both at once: on a device their latencies overlap */
	const reyes_i_rgba oi = reyes_i_point_color(c, id, 1), ci = reyes_i_point_color(c, id, 0);

	if (c->grids[id >> 14].flags & REYES_I_ATTR_MATTE) {
		const reyes_i_rgba zero = { 0, 0, 0, 0 };

		reyes_i_blend_add(s, zero, oi);
		return;
	}
	s->a += (s->tr * oi.r + s->tg * oi.g + s->tb * oi.b) * (1.0f / 3);
	reyes_i_blend_add(s, ci, oi);
	if (z < s->z && oi.r >= threshold[0] && oi.g >= threshold[1] && oi.b >= threshold[2])
		s->z = z;
}

/* Fragments of a sample that are sorted in memory of the thread; longer lists are searched. */
#define REYES_I_SORTED_MAX 16

/* Sorts the fragments in front of depth z. Returns their number, or REYES_I_NONE if there are too
 * many, or fragments of solids. */
LSCHED_FN uint32_t reyes_i_sort_list(const reyes_i_canvas *c, uint32_t head, float z,
	reyes_i_fragment sorted[REYES_I_SORTED_MAX])
{
	uint32_t n = 0;

	for (uint32_t k = head; k != REYES_I_NONE; k = sorted[REYES_I_SORTED_MAX - 1].next) {
		const reyes_i_fragment f = c->fragments[k];
		uint32_t i = n;

		if (n == REYES_I_SORTED_MAX - 1 ||
			(c->solids && c->grids[f.id >> 14].solid != REYES_I_NONE))
			return REYES_I_NONE;
		if (f.z < z) {
			for (; i > 0 && reyes_i_fragment_before(c, &f, &sorted[i - 1]); i--)
				sorted[i] = sorted[i - 1];
			sorted[i] = f;
			n++;
		}
		sorted[REYES_I_SORTED_MAX - 1].next = f.next;
	}
	return n;
}

/* Whether a fragment doubles another one of the sorted list. */
LSCHED_FN int reyes_i_sorted_doubles(
	const reyes_i_canvas *c, const reyes_i_fragment *sorted, uint32_t n, uint32_t i)
{
	const float near = 1.01e-3f * sorted[i].z; /* more than reyes_i_fragment_doubles allows */

	for (uint32_t k = i; k-- > 0 && sorted[i].z - sorted[k].z <= near;)
		if (reyes_i_fragment_doubles(c, &sorted[i], &sorted[k]))
			return 1;
	for (uint32_t k = i + 1; k < n && sorted[k].z - sorted[i].z <= near; k++)
		if (reyes_i_fragment_doubles(c, &sorted[i], &sorted[k]))
			return 1;
	return 0;
}

/* Blends the fragments of a sample in front of depth z, nearest first, by sorting them. Returns 0
 * if the list is too long. */
LSCHED_FN int reyes_i_blend_sorted(
	const reyes_i_canvas *c, const float threshold[3], uint32_t head, float z, reyes_i_blend *s)
{
	reyes_i_fragment sorted[REYES_I_SORTED_MAX];
	const uint32_t n = reyes_i_sort_list(c, head, z, sorted);

	if (n == REYES_I_NONE)
		return 0;
	for (uint32_t i = 0; i < n && !(s->tr + s->tg + s->tb < 1e-5f); i++)
		if (!reyes_i_sorted_doubles(c, sorted, n, i))
			reyes_i_blend_fragment(c, threshold, s, sorted[i].z, sorted[i].id);
	return 1;
}

/* Blends the fragments of a sample in front of depth z, nearest first. Selection by repeated
 * passes over the list needs no memory; lists are short. */
LSCHED_FN void reyes_i_blend_list(
	const reyes_i_canvas *c, const float threshold[3], uint32_t head, float z, reyes_i_blend *s)
{
	const reyes_i_fragment *last = NULL;

	for (;;) {
		const reyes_i_fragment *best = NULL;

		for (uint32_t k = head; k != REYES_I_NONE; k = c->fragments[k].next) {
			const reyes_i_fragment *f = c->fragments + k;

			if (f->z < z && (!last || reyes_i_fragment_before(c, last, f)) &&
				(!best || reyes_i_fragment_before(c, f, best)))
				best = f;
		}
		if (!best || s->tr + s->tg + s->tb < 1e-5f)
			return;
		if (c->solids && c->grids[best->id >> 14].solid != REYES_I_NONE
				? reyes_i_solid_shows(c, head, best)
				: reyes_i_fragment_counts(c, head, z, best))
			reyes_i_blend_fragment(c, threshold, s, best->z, best->id);
		last = best;
	}
}

/* Returns the depth of the nearest fragment behind depth z that is opaque enough for depth;
 * infinity if there is none. */
LSCHED_FN float reyes_i_next_depth(
	const reyes_i_canvas *c, const float threshold[3], uint32_t head, float z)
{
	float nearest = INFINITY;

	for (uint32_t k = head; k != REYES_I_NONE; k = c->fragments[k].next) {
		const reyes_i_fragment *f = c->fragments + k;

		if (!(f->z > z) || !(f->z < nearest) ||
			!reyes_i_fragment_counts(c, head, INFINITY, f))
			continue;
		if (!(c->grids[f->id >> 14].flags & REYES_I_ATTR_OPAQUE)) {
			const reyes_i_rgba oi = reyes_i_point_color(c, f->id, 1);

			if (oi.r < threshold[0] || oi.g < threshold[1] || oi.b < threshold[2])
				continue;
		}
		nearest = f->z;
	}
	return nearest;
}

/* Returns the mean of the depths of the two nearest surfaces: a shadow map with it needs no bias,
 * because it is behind the surfaces that are lit. Infinity if there is one surface only. */
LSCHED_FN float reyes_i_midpoint(const reyes_i_canvas *c, const float threshold[3], uint32_t head)
{
	const float first = reyes_i_next_depth(c, threshold, head, -INFINITY);

	return (first + reyes_i_next_depth(c, threshold, head, first)) * 0.5f;
}

/* Resolves a sample. */
LSCHED_FN reyes_i_seen reyes_i_resolve(
	const reyes_i_canvas *c, const reyes_i_camera *camera, uint64_t sample)
{
	const uint64_t cell = c->cells ? c->cells[sample] : REYES_I_EMPTY;
	uint32_t head = c->heads ? c->heads[sample] : REYES_I_NONE;
	const uint32_t id = (uint32_t)cell, empty = cell == REYES_I_EMPTY;
	const float z = empty ? INFINITY : reyes_i_bits_float((uint32_t)(cell >> 32));
	reyes_i_blend s = { 0, 0, 0, 0, 1, 1, 1, z };
	reyes_i_seen seen;

	if (c->details && head != REYES_I_NONE)
		head = reyes_i_detail_list(c, head, sample);
	if (head != REYES_I_NONE && !reyes_i_blend_sorted(c, camera->z_threshold, head, z, &s))
		reyes_i_blend_list(c, camera->z_threshold, head, z, &s);
	if (!empty && !(c->grids[id >> 14].flags & REYES_I_ATTR_MATTE)) {
		const reyes_i_rgba color = reyes_i_point_color(c, id, 0);

		s.r += s.tr * color.r;
		s.g += s.tg * color.g;
		s.b += s.tb * color.b;
		s.a += (s.tr + s.tg + s.tb) * (1.0f / 3);
	}
	seen.r = s.r;
	seen.g = s.g;
	seen.b = s.b;
	seen.a = s.a;
	seen.z = camera->depth_filter == REYES_I_DEPTH_MIDPOINT && c->heads
			 ? reyes_i_midpoint(c, camera->z_threshold, head)
			 : s.z;
	return seen;
}

#endif
