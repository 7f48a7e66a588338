/* A tree with its boxes in the memory of the tasks, for boxes of the caller and for meshes. */
#ifndef COLLIDE_CORE_TREE_H
#define COLLIDE_CORE_TREE_H

#include "collide/core/context.h"

typedef struct collide_i_tree {
	bvh_ctx bvh;
	bvh_box *box;  /* [n] */
	uint32_t room; /* primitives that the arrays are for */
	uint32_t has_arrays;
	uint64_t serial;     /* number of its construction; 0: there is no tree */
	col_node *leaf_node; /* for the walk of pairs, or NULL */
	col_corners *corners;
} collide_i_tree;

/* Makes room for n primitives, with the arrays of the walk if `is_walked`. The tree is lost if they
 * grow. UNSUPPORTED: too many. */
collide_status collide_i_tree_reserve(collide_ctx *c, collide_i_tree *t, uint32_t n, int is_walked);
void collide_i_tree_free(collide_ctx *c, collide_i_tree *t);

/* Makes the tree of t->box, which is valid, with leaves of at most leaf_most primitives; or sets
 * its boxes again. After an error there is no tree. */
collide_status collide_i_tree_build(collide_ctx *c, collide_i_tree *t, uint32_t leaf_most);
collide_status collide_i_tree_refit(collide_ctx *c, collide_i_tree *t);

/* Fill the caller's struct, with a tree of no primitives (if it is valid, or NULL) or with t. */
void collide_i_tree_view_none(collide_tree *out);
collide_status collide_i_tree_view(collide_ctx *c, const collide_i_tree *t, collide_tree *out);
#endif
