/* Lists of fragments of a sample: sorted in place by merging, n log n steps for n fragments, and
 * without the fragments that are the same crossing as another one. A list is the caller's alone. */
#ifndef REYES_HIDE_LIST_H
#define REYES_HIDE_LIST_H

#include "reyes/hide/fragments.h"

enum reyes_i_list_key {
	REYES_I_BY_DEPTH,
	REYES_I_BY_SURFACE, /* then by depth */
	REYES_I_BY_SOLID    /* by the tree of solids, then by depth */
};

/* The tree of solids of a fragment; NONE. */
LSCHED_FN uint32_t reyes_i_fragment_tree(const reyes_i_canvas *c, const reyes_i_fragment *f)
{
	const uint32_t solid = c->solids ? c->grids[f->id >> 14].solid : REYES_I_NONE;

	return solid == REYES_I_NONE ? REYES_I_NONE : c->solids[solid].root;
}

LSCHED_FN uint32_t reyes_i_list_group(
	const reyes_i_canvas *c, enum reyes_i_list_key key, const reyes_i_fragment *f)
{
	return key == REYES_I_BY_SURFACE ? c->grids[f->id >> 14].surface
	       : key == REYES_I_BY_SOLID ? reyes_i_fragment_tree(c, f)
					 : 0;
}

/* Merges two sorted lists that are not empty. */
LSCHED_FN uint32_t reyes_i_list_merge(
	const reyes_i_canvas *c, enum reyes_i_list_key key, uint32_t a, uint32_t b)
{
	reyes_i_fragment fa = c->fragments[a], fb = c->fragments[b];
	uint32_t group_a = reyes_i_list_group(c, key, &fa);
	uint32_t group_b = reyes_i_list_group(c, key, &fb);
	uint32_t first = REYES_I_NONE, *link = &first;

	for (;;)
		if (group_a != group_b ? group_a < group_b : reyes_i_fragment_before(c, &fa, &fb)) {
			*link = a;
			link = &c->fragments[a].next;
			a = fa.next;
			if (a == REYES_I_NONE) {
				*link = b;
				return first;
			}
			fa = c->fragments[a];
			group_a = reyes_i_list_group(c, key, &fa);
		} else {
			*link = b;
			link = &c->fragments[b].next;
			b = fb.next;
			if (b == REYES_I_NONE) {
				*link = a;
				return first;
			}
			fb = c->fragments[b];
			group_b = reyes_i_list_group(c, key, &fb);
		}
}

/* Sorts a list. Returns its first fragment. sorted[i] is a list of 2^i fragments. */
REYES_I_SLOW_FN uint32_t reyes_i_list_sort(
	const reyes_i_canvas *c, enum reyes_i_list_key key, uint32_t head)
{
	uint32_t sorted[32], count = 0, all = REYES_I_NONE;

	while (head != REYES_I_NONE) {
		uint32_t one = head, i = 0;

		head = c->fragments[one].next;
		c->fragments[one].next = REYES_I_NONE;
		for (; i < count && sorted[i] != REYES_I_NONE; i++) {
			one = reyes_i_list_merge(c, key, sorted[i], one);
			sorted[i] = REYES_I_NONE;
		}
		sorted[i] = one;
		count = i < count ? count : i + 1;
	}
	for (uint32_t i = 0; i < count; i++)
		if (sorted[i] != REYES_I_NONE)
			all = all == REYES_I_NONE ? sorted[i]
						  : reyes_i_list_merge(c, key, sorted[i], all);
	return all;
}

/* Puts list a before list b. */
LSCHED_FN uint32_t reyes_i_list_join(const reyes_i_canvas *c, uint32_t a, uint32_t b)
{
	uint32_t k = a;

	if (a == REYES_I_NONE)
		return b;
	while (c->fragments[k].next != REYES_I_NONE)
		k = c->fragments[k].next;
	c->fragments[k].next = b;
	return a;
}

/* Takes the fragments with room for no more than `most` out of *list. Returns their list. */
LSCHED_FN uint32_t reyes_i_list_take(const reyes_i_canvas *c, uint32_t *list, uint32_t most)
{
	uint32_t taken = REYES_I_NONE, *to = &taken, *link = list;

	for (uint32_t k = *list; k != REYES_I_NONE; k = c->fragments[k].next) {
		uint32_t **end =
			reyes_i_fragment_room_of(c->fragments[k].flags) <= most ? &to : &link;

		**end = k;
		*end = &c->fragments[k].next;
	}
	*to = *link = REYES_I_NONE;
	return taken;
}

/* Removes the fragments with HIDDEN from a list. */
LSCHED_FN uint32_t reyes_i_list_shown(const reyes_i_canvas *c, uint32_t head)
{
	uint32_t first = REYES_I_NONE, *link = &first;

	for (uint32_t k = head; k != REYES_I_NONE; k = c->fragments[k].next)
		if (!(c->fragments[k].flags & REYES_I_HIT_HIDDEN)) {
			*link = k;
			link = &c->fragments[k].next;
		}
	*link = REYES_I_NONE;
	return first;
}

/* The hits of a crossing are next to each other in depth; so many fragments of the surface that
 * are near a rim may be between them. */
#define REYES_I_BETWEEN_MAX 64

/* Marks the fragments that are the same crossing as another one, which counts. The list is sorted
 * by surface. reach: the largest one in it. */
LSCHED_FN void reyes_i_mark_twins(const reyes_i_canvas *c, uint32_t head, float reach)
{
	for (uint32_t k = head; k != REYES_I_NONE; k = c->fragments[k].next) {
		reyes_i_fragment *f = c->fragments + k;
		const float own = reyes_i_fragment_reach(f->flags);
		const float most = f->z + (own + reach + 2e-6f * reyes_i_abs(f->z));
		const uint32_t surface = c->grids[f->id >> 14].surface;
		uint32_t left = REYES_I_BETWEEN_MAX;

		for (uint32_t n = f->next; n != REYES_I_NONE && left > 0;
			n = c->fragments[n].next, left--) {
			reyes_i_fragment *g = c->fragments + n;

			if (!(g->z <= most) || c->grids[g->id >> 14].surface != surface)
				break;
			if (!reyes_i_one_crossing(c, f, g))
				continue;
			if (reyes_i_fragment_yields(c, f, g)) {
				f->flags |= REYES_I_HIT_HIDDEN;
				g->flags |= REYES_I_HIT_TWIN;
			} else {
				g->flags |= REYES_I_HIT_HIDDEN;
				f->flags |= REYES_I_HIT_TWIN;
			}
		}
	}
}

/* Removes all fragments but one of each crossing from a list. */
LSCHED_FN uint32_t reyes_i_list_crossings(const reyes_i_canvas *c, uint32_t head)
{
	uint32_t least = REYES_I_ROOM_ONE, near;
	float reach = 0;

	for (uint32_t k = head; k != REYES_I_NONE; k = c->fragments[k].next) {
		const uint32_t flags = c->fragments[k].flags;
		const uint32_t room = reyes_i_fragment_room_of(flags);

		least = room < least ? room : least;
		reach = reyes_i_most(reach, reyes_i_fragment_reach(flags));
	}
	near = reyes_i_list_take(c, &head, REYES_I_ROOM_ONE - least);
	near = reyes_i_list_sort(c, REYES_I_BY_SURFACE, near);
	reyes_i_mark_twins(c, near, reach);
	return reyes_i_list_join(c, reyes_i_list_shown(c, near), head);
}

#endif
