/* Constructive solid geometry, resolved for each sample (RI Specification 3.2, "Solids"). Surfaces
 * of solids are fragments. A fragment is visible if the value of the tree of solids changes there:
 * the union, intersection or difference of the values of its leaves. A point is inside of a leaf if
 * an odd number of the leaf's fragments is behind it, because the leaf's surface is closed. */
#ifndef REYES_HIDE_SOLID_H
#define REYES_HIDE_SOLID_H

#include "reyes/hide/fragments.h"

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

/* The leaf of a fragment as a node number of the tree; NONE: it is not of this tree. */
LSCHED_FN uint32_t reyes_i_leaf_in(
	const reyes_i_canvas *c, uint32_t root, uint32_t nodes, const reyes_i_fragment *f)
{
	const uint32_t solid = c->grids[f->id >> 14].solid;

	return solid != REYES_I_NONE && solid >= root && solid - root < nodes ? solid - root
									      : REYES_I_NONE;
}

/* Whether a fragment is certainly a hit of its leaf's surface: it is inside of a grid, or the grown
 * rims of two grids overlap there, which closes a crack. One rim alone may be beside the silhouette
 * and then is a hit of nothing. */
LSCHED_FN int reyes_i_solid_certain(
	const reyes_i_canvas *c, uint32_t head, const reyes_i_fragment *f)
{
	int certain = !(f->flags & REYES_I_HIT_RIM);

	for (uint32_t k = head; k != REYES_I_NONE && !certain; k = c->fragments[k].next)
		certain = reyes_i_fragment_doubles(c, c->fragments + k, f);
	return certain && reyes_i_fragment_counts(c, head, INFINITY, f);
}

/* Whether a fragment of a leaf counts; odd: the leaves with an odd number of certain hits, which
 * lack one unless the camera is inside. */
LSCHED_FN int reyes_i_solid_counts(const reyes_i_canvas *c, uint32_t head,
	const reyes_i_inside *odd, uint32_t leaf, const reyes_i_fragment *f)
{
	return reyes_i_solid_certain(c, head, f) ||
	       (reyes_i_inside_get(odd, leaf) && reyes_i_fragment_counts(c, head, INFINITY, f));
}

/* Whether a solid's fragment f is on the surface of its tree of solids. */
LSCHED_FN int reyes_i_solid_shows(const reyes_i_canvas *c, uint32_t head, const reyes_i_fragment *f)
{
	const uint32_t leaf = c->grids[f->id >> 14].solid, root = c->solids[leaf].root;
	const reyes_i_solid *tree = c->solids + root;
	const uint32_t nodes = tree->tree_nodes;
	reyes_i_inside odd = { { 0 } }, before, after = { { 0 } };

	for (uint32_t k = head; k != REYES_I_NONE; k = c->fragments[k].next) {
		const reyes_i_fragment *g = c->fragments + k;
		const uint32_t n = reyes_i_leaf_in(c, root, nodes, g);

		if (n != REYES_I_NONE && reyes_i_solid_certain(c, head, g))
			reyes_i_inside_flip(&odd, n);
	}
	if (!reyes_i_solid_counts(c, head, &odd, leaf - root, f))
		return 0;
	for (uint32_t k = head; k != REYES_I_NONE; k = c->fragments[k].next) {
		const reyes_i_fragment *g = c->fragments + k;
		const uint32_t n = reyes_i_leaf_in(c, root, nodes, g);

		if (n != REYES_I_NONE && reyes_i_fragment_before(c, f, g) &&
			reyes_i_solid_counts(c, head, &odd, n, g))
			reyes_i_inside_flip(&after, n);
	}
	before = after;
	reyes_i_inside_flip(&before, leaf - root);
	return reyes_i_solid_value(tree, nodes, root, &before) !=
	       reyes_i_solid_value(tree, nodes, root, &after);
}

#endif
