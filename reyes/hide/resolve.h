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

/* Fragments of a sample that are sorted in memory of the thread; longer lists are sorted where they
 * are. */
#define REYES_I_SORTED_MAX 24

/* Of the fragments of a sorted list: the least room and the largest reach. */
typedef struct reyes_i_limits {
	uint32_t room;
	float reach;
} reyes_i_limits;

/* Sorts the fragments in front of depth z. Returns their number, or REYES_I_NONE if there are too
 * many, or fragments of solids. */
LSCHED_FN uint32_t reyes_i_sort_list(const reyes_i_canvas *c, uint32_t head, float z,
	reyes_i_fragment sorted[REYES_I_SORTED_MAX], reyes_i_limits *limits)
{
	uint32_t n = 0, least = REYES_I_ROOM_ONE, reach = 0;

	for (uint32_t k = head; k != REYES_I_NONE; k = sorted[REYES_I_SORTED_MAX - 1].next) {
		const reyes_i_fragment f = c->fragments[k];
		const uint32_t room = reyes_i_fragment_room_of(f.flags);
		uint32_t i = n;

		if (n == REYES_I_SORTED_MAX - 1 ||
			(c->solids && c->grids[f.id >> 14].solid != REYES_I_NONE))
			return REYES_I_NONE;
		if (f.z < z) {
			for (; i > 0 && reyes_i_fragment_before(c, &f, &sorted[i - 1]); i--)
				sorted[i] = sorted[i - 1];
			sorted[i] = f;
			n++;
			least = room < least ? room : least;
			reach = f.flags > reach ? f.flags : reach;
		}
		sorted[REYES_I_SORTED_MAX - 1].next = f.next;
	}
	limits->room = least;
	limits->reach = reyes_i_fragment_reach(reach); /* the highest bits of the flags */
	return n;
}

LSCHED_FN int reyes_i_yields_to(
	const reyes_i_canvas *c, const reyes_i_fragment *f, const reyes_i_fragment *other)
{
	return reyes_i_one_crossing(c, f, other) && reyes_i_fragment_yields(c, f, other);
}

/* Whether another one of n fragments counts rather than fragment i. Looks at those only that are
 * near enough in depth. */
LSCHED_FN int reyes_i_sorted_yields(const reyes_i_canvas *c, const reyes_i_fragment *sorted,
	uint32_t n, uint32_t i, const reyes_i_limits *limits)
{
	const float z = sorted[i].z;
	const float near =
		reyes_i_crossing_depth(z, reyes_i_fragment_reach(sorted[i].flags), limits->reach);

	if (reyes_i_fragment_room_of(sorted[i].flags) + limits->room > REYES_I_ROOM_ONE)
		return 0;
	for (uint32_t k = i; k-- > 0 && z - sorted[k].z <= near;)
		if (reyes_i_yields_to(c, &sorted[i], &sorted[k]))
			return 1;
	for (uint32_t k = i + 1; k < n && sorted[k].z - z <= near; k++)
		if (reyes_i_yields_to(c, &sorted[i], &sorted[k]))
			return 1;
	return 0;
}

LSCHED_FN int reyes_i_blends_on(const reyes_i_blend *s)
{
	return !(s->tr + s->tg + s->tb < 1e-5f);
}

/* Blends the fragments of a sample in front of depth z, nearest first, by sorting them. Returns 0
 * if the list is too long. */
LSCHED_FN int reyes_i_blend_sorted(
	const reyes_i_canvas *c, const float threshold[3], uint32_t head, float z, reyes_i_blend *s)
{
	reyes_i_fragment sorted[REYES_I_SORTED_MAX];
	reyes_i_limits limits;
	const uint32_t n = reyes_i_sort_list(c, head, z, sorted, &limits);

	if (n == REYES_I_NONE)
		return 0;
	for (uint32_t i = 0; i < n && reyes_i_blends_on(s); i++)
		if (!reyes_i_sorted_yields(c, sorted, n, i, &limits))
			reyes_i_blend_fragment(c, threshold, s, sorted[i].z, sorted[i].id);
	return 1;
}

/* Whether all hits of a fragment's surface are in lists, those behind opaque surfaces, too. */
LSCHED_FN uint32_t reyes_i_is_kept(
	const reyes_i_canvas *c, uint32_t midpoint, const reyes_i_fragment *f)
{
	return midpoint || reyes_i_fragment_tree(c, f) != REYES_I_NONE;
}

/* Sorts a list of any length, and removes what does not count. Fragments behind depth z, that of
 * the opaque surface, are in a list only if they came before it unless they are kept: they decide
 * nothing. */
REYES_I_SLOW_FN uint32_t reyes_i_resolve_list(
	const reyes_i_canvas *c, uint32_t midpoint, uint32_t head, float z)
{
	uint32_t solids = 0;

	for (uint32_t k = head; k != REYES_I_NONE; k = c->fragments[k].next) {
		reyes_i_fragment *f = c->fragments + k;

		if (!(f->z < z) && !reyes_i_is_kept(c, midpoint, f))
			f->flags |= REYES_I_HIT_HIDDEN;
		solids |= reyes_i_fragment_tree(c, f) != REYES_I_NONE;
	}
	head = reyes_i_list_crossings(c, reyes_i_list_shown(c, head));
	if (solids)
		head = reyes_i_list_solids(c, head);
	return reyes_i_list_sort(c, REYES_I_BY_DEPTH, head);
}

/* Blends the fragments of a sorted list in front of depth z. */
LSCHED_FN void reyes_i_blend_list(
	const reyes_i_canvas *c, const float threshold[3], uint32_t head, float z, reyes_i_blend *s)
{
	for (uint32_t k = head; k != REYES_I_NONE && c->fragments[k].z < z && reyes_i_blends_on(s);
		k = c->fragments[k].next)
		reyes_i_blend_fragment(c, threshold, s, c->fragments[k].z, c->fragments[k].id);
}

/* Whether a fragment is opaque enough for depth. */
LSCHED_FN int reyes_i_has_depth(
	const reyes_i_canvas *c, const float threshold[3], const reyes_i_fragment *f)
{
	reyes_i_rgba oi;

	if (c->grids[f->id >> 14].flags & REYES_I_ATTR_OPAQUE)
		return 1;
	oi = reyes_i_point_color(c, f->id, 1);
	return oi.r >= threshold[0] && oi.g >= threshold[1] && oi.b >= threshold[2];
}

/* Returns the mean of the depths of the two nearest surfaces of a sorted list: a shadow map with it
 * needs no bias, because it is behind the surfaces that are lit. Infinity if there is one surface
 * only. */
LSCHED_FN float reyes_i_midpoint(const reyes_i_canvas *c, const float threshold[3], uint32_t head)
{
	float first = INFINITY;

	for (uint32_t k = head; k != REYES_I_NONE; k = c->fragments[k].next) {
		const reyes_i_fragment *f = c->fragments + k;

		if ((first < f->z || first == INFINITY) && reyes_i_has_depth(c, threshold, f)) {
			if (first < f->z)
				return (first + f->z) * 0.5f;
			first = f->z;
		}
	}
	return INFINITY;
}

/* What to do with a list: short ones are sorted in memory of the thread, unless depths are those of
 * "midpoint"; the others need a function that would cost registers and memory in a kernel. */
enum reyes_i_lists { REYES_I_LISTS_ALL, REYES_I_LISTS_SHORT, REYES_I_LISTS_LONG };

/* Blends the fragments of a sample in front of its opaque point, and sets the depth. Returns 0 for
 * a list that is not of these. */
REYES_I_RARE_FN int reyes_i_blend_fragments(const reyes_i_canvas *c, const reyes_i_camera *camera,
	uint32_t head, uint64_t sample, enum reyes_i_lists lists, reyes_i_blend *s)
{
	const uint32_t midpoint = camera->depth_filter == REYES_I_DEPTH_MIDPOINT;
	const float z = s->z;

	if (c->details)
		head = reyes_i_detail_list(c, head, sample);
	if (lists != REYES_I_LISTS_LONG && !midpoint &&
		reyes_i_blend_sorted(c, camera->z_threshold, head, z, s))
		return 1;
	if (lists == REYES_I_LISTS_SHORT)
		return 0;
	head = reyes_i_resolve_list(c, midpoint, head, z);
	reyes_i_blend_list(c, camera->z_threshold, head, z, s);
	if (midpoint)
		s->z = reyes_i_midpoint(c, camera->z_threshold, head);
	return 1;
}

/* Resolves a sample. The depth is NaN if its list is not of these. */
LSCHED_FN reyes_i_seen reyes_i_resolve(const reyes_i_canvas *c, const reyes_i_camera *camera,
	uint64_t sample, enum reyes_i_lists lists)
{
	const uint64_t cell = c->cells ? c->cells[sample] : REYES_I_EMPTY;
	const uint32_t head = c->heads ? c->heads[sample] : REYES_I_NONE;
	const uint32_t id = (uint32_t)cell, empty = cell == REYES_I_EMPTY;
	const float z = empty ? INFINITY : reyes_i_bits_float((uint32_t)(cell >> 32));
	reyes_i_blend s = { 0, 0, 0, 0, 1, 1, 1, z };
	reyes_i_seen seen = { 0, 0, 0, 0, NAN };

	if (head != REYES_I_NONE && !reyes_i_blend_fragments(c, camera, head, sample, lists, &s))
		return seen;
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
	seen.z = s.z;
	return seen;
}

#endif
