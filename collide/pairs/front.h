/* The pairs of nodes from which the walk begins: a cut through the pairs that it may visit, made
 * level by level from the pairs of roots, whatever the boxes are. So it depends on the links of the
 * trees only, and stays valid when boxes change. From the roots alone some ten levels pass before
 * all lanes of a GPU have work. Host code. */
#ifndef COLLIDE_PAIRS_FRONT_H
#define COLLIDE_PAIRS_FRONT_H

#include "collide/pairs/primitives.h"

/* Trees of a kind in host memory, and whether they are one. */
typedef struct col_front_trees {
	const col_node *node[COL_KINDS][2]; /* inner ones */
	uint32_t self;                      /* bit k: kind k pairs a tree with itself */
	col_poll poll;
} col_front_trees;

/* Makes a front of at most `most` pairs, and at least the `count` given ones, the pairs of roots.
 * Returns it with its *count, to be freed by free(), or NULL without memory; of fewer pairs
 * if the poll ends it. */
col_item *collide_i_front_make(
	const col_front_trees *t, const col_item *roots, uint64_t *count, uint64_t most);
#endif
