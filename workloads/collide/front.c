/* The front of the workload's trees, see collide/pairs/front.h. */
#include "workloads/collide/host.h"
#include "collide/pairs/front.h"
#include "workloads/common/memory.h"

#include <stdlib.h>

int col_make_front(wl_device *d, collide *c, uint64_t most, char *msg, size_t n)
{
	col_front_trees trees = { .self = c->ctx.self };
	col_item roots[COL_KINDS], *front;
	uint64_t count = 0;
	int bad;

	for (int i = 0; i < c->kinds; i++) {
		const int kind = c->kind[i];
		const col_tree *t = c->ctx.tree[kind];

		for (int k = 0; k < 2; k++)
			trees.node[kind][k] = c->tree[collide_i_prims_of[kind][k]].node;
		roots[count++] =
			col_item_of((uint32_t)kind, col_root_name(&t[0]), col_root_name(&t[1]));
	}
	front = collide_i_front_make(&trees, roots, &count, most);
	if (!front)
		return wl_no_memory(most * sizeof(*front), msg, n);
	c->d_front = wl_alloc(d, count * sizeof(*front), msg, n);
	bad = !c->d_front ||
	      (count && wl_write(d, c->d_front, front, count * sizeof(*front), msg, n));
	free(front);
	c->ctx.front = c->d_front;
	c->roots = (uint32_t)count;
	return bad ? -1 : 0;
}
