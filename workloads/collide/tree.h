/* A bounding volume hierarchy over the boxes of primitives: leaves sorted along a space-filling
 * curve, and split where the curve leaves a cell (Karras 2012), so that no number depends on the
 * order of construction. On the host; it is the reference of the construction on devices. */
#ifndef WORKLOADS_COLLIDE_TREE_H
#define WORKLOADS_COLLIDE_TREE_H

#include "collide/pairs/pairs.h"

/* Sorts boxes [n] into leaf[n] and makes node[n - 1]. Returns 0, or -1 without memory. */
int col_tree_make(const col_box *box, uint32_t n, col_node *node, col_leaf *leaf);
#endif
