/* Constructive solid geometry, resolved for each sample (RI Specification 3.2, "Solids"). Surfaces
 * of solids are fragments. A fragment is visible if the value of the tree of solids changes there:
 * the union, intersection or difference of the values of its leaves. A point is inside of a leaf if
 * an odd number of the leaf's fragments is behind it, because the leaf's surface is closed. */
#ifndef REYES_HIDE_SOLID_H
#define REYES_HIDE_SOLID_H

#include "reyes/hide/list.h"

/* A bit for each node of a tree. */
typedef struct reyes_i_inside {
	uint32_t bits[REYES_I_SOLIDS_MAX / 32];
} reyes_i_inside;

LSCHED_FN uint32_t reyes_i_inside_get(const reyes_i_inside *s, uint32_t k)
{
	return s->bits[k / 32] >> (k & 31u) & 1u;
}

LSCHED_FN void reyes_i_inside_flip(reyes_i_inside *s, uint32_t k)
{
	s->bits[k / 32] ^= 1u << (k & 31u);
}

/* Returns the value of the tree whose nodes begin at `tree`; *v holds the leaves' values and is
 * overwritten. A node comes before its children, and these are in order, so that a pass from the
 * last node to the first one has all values that it needs; the subtrahends come before the
 * minuend, which has place 0. */
LSCHED_FN uint32_t reyes_i_solid_value(
	const reyes_i_solid *tree, uint32_t nodes, uint32_t root, reyes_i_inside *v)
{
	for (uint32_t k = nodes - 1; k > 0; k--) {
		const uint32_t parent = tree[k].parent - root, kind = tree[parent].kind;
		/* an intersection keeps the opposite: whether a child is 0 */
		const uint32_t value =
			reyes_i_inside_get(v, k) ^ (tree[k].kind == REYES_I_SOLID_INTERSECTION);
		const uint32_t sum = reyes_i_inside_get(v, parent);
		const uint32_t next = kind == REYES_I_SOLID_INTERSECTION ? sum | !value
				      : kind == REYES_I_SOLID_DIFFERENCE && tree[k].place == 0
					      ? value & !sum
					      : sum | value;

		if (next != sum)
			reyes_i_inside_flip(v, parent);
	}
	return reyes_i_inside_get(v, 0) ^ (tree[0].kind == REYES_I_SOLID_INTERSECTION);
}

/* The leaf of a solid's fragment as a node number of its tree. */
LSCHED_FN uint32_t reyes_i_fragment_leaf(
	const reyes_i_canvas *c, uint32_t root, const reyes_i_fragment *f)
{
	return c->grids[f->id >> 14].solid - root;
}

/* Whether a fragment is certainly a hit of its leaf's surface: it is inside of a grid, or the grown
 * rims of two grids overlap there, which closes a crack. One rim alone may be beside the silhouette
 * and then is a hit of nothing. */
LSCHED_FN uint32_t reyes_i_solid_certain(const reyes_i_fragment *f)
{
	return !(f->flags & REYES_I_HIT_RIM) || (f->flags & REYES_I_HIT_TWIN);
}

/* Marks the fragments from `begin` to before `end` that are not on the surface of their tree of
 * solids; all are of one tree, nearest first. Those that are not certain count only for the leaves
 * with an odd number of certain ones, which lack one unless the camera is inside. */
LSCHED_FN void reyes_i_solid_sweep(const reyes_i_canvas *c, uint32_t begin, uint32_t end)
{
	const uint32_t root = reyes_i_fragment_tree(c, c->fragments + begin);
	const reyes_i_solid *tree = c->solids + root;
	const uint32_t nodes = tree->tree_nodes;
	reyes_i_inside odd = { { 0 } }, behind = { { 0 } }, v;
	uint32_t value;

	for (uint32_t k = begin; k != end; k = c->fragments[k].next)
		if (reyes_i_solid_certain(c->fragments + k))
			reyes_i_inside_flip(&odd, reyes_i_fragment_leaf(c, root, c->fragments + k));
	for (uint32_t k = begin; k != end; k = c->fragments[k].next) {
		reyes_i_fragment *f = c->fragments + k;
		const uint32_t leaf = reyes_i_fragment_leaf(c, root, f);

		if (reyes_i_solid_certain(f) || reyes_i_inside_get(&odd, leaf))
			reyes_i_inside_flip(&behind, leaf);
		else
			f->flags |= REYES_I_HIT_HIDDEN;
	}
	v = behind;
	value = reyes_i_solid_value(tree, nodes, root, &v);
	for (uint32_t k = begin; k != end; k = c->fragments[k].next) {
		reyes_i_fragment *f = c->fragments + k;
		const uint32_t before = value;

		if (f->flags & REYES_I_HIT_HIDDEN)
			continue;
		reyes_i_inside_flip(&behind, reyes_i_fragment_leaf(c, root, f));
		v = behind;
		value = reyes_i_solid_value(tree, nodes, root, &v);
		if (value == before)
			f->flags |= REYES_I_HIT_HIDDEN;
	}
}

/* Removes the fragments of solids that are not on the surface of their tree from a list. */
LSCHED_FN uint32_t reyes_i_list_solids(const reyes_i_canvas *c, uint32_t head)
{
	uint32_t begin = reyes_i_list_sort(c, REYES_I_BY_SOLID, head), end;

	head = begin;
	for (; begin != REYES_I_NONE; begin = end) {
		const uint32_t tree = reyes_i_fragment_tree(c, c->fragments + begin);

		end = begin;
		while (end != REYES_I_NONE && reyes_i_fragment_tree(c, c->fragments + end) == tree)
			end = c->fragments[end].next;
		if (tree != REYES_I_NONE)
			reyes_i_solid_sweep(c, begin, end);
	}
	return reyes_i_list_shown(c, head);
}

#endif
