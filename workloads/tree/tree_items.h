/* The tree of tree.h as item programs of two grains: nodes wait in the worker's fast memory
 * and are enqueued in chunks of 32. lane: each lane executes a node, as in the recursion kernel of
 * 2009. warp: a warp executes a node. */
#ifndef WORKLOADS_TREE_TREE_ITEMS_H
#define WORKLOADS_TREE_TREE_ITEMS_H

#include <libsched/items.h>
#include "workloads/tree/tree.h"

LSCHED_DECLARE_ITEMS(gsnode_items, uint32_t);

/* Limits of --spawn: the fast memory must hold the children of 32 nodes, or of one. */
enum { GSLANE_MAX_CHILDREN = 8, GSWARP_MAX_CHILDREN = 32 };

LSCHED_FN uint32_t gsnode_root(const gstree_ctx *c, uint32_t i, uint32_t *node)
{
	(void)c;
	*node = i;
	return 0;
}

LSCHED_TASK_FN void gsnode_count(gsnode_items *x, const gstree_ctx *c, uint32_t node)
{
	const size_t worker = lsched_worker_index(lsched_items_worker(x));

	c->words[worker * GSTREE_WORDS + GSTREE_SUM + lsched_lane()] += gstree_weight(node);
}

LSCHED_TASK_FN lsched_result gslane_body(
	gsnode_items *x, const gstree_ctx *c, lsched_no_local *l, uint32_t proc, uint32_t node)
{
	const uint32_t n = gstree_children(c, node);

	(void)l;
	(void)proc;
	gsnode_count(x, c, node);
	wl_run_steps(wl_steps(&c->length, node), c->sink);
	for (uint32_t k = 0; k < n; k++) {
		const uint32_t child = gstree_child(c, node, k);

		lsched_emit(x, 0, &child);
	}
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result gswarp_body(
	gsnode_items *x, const gstree_ctx *c, lsched_no_local *l, uint32_t proc, uint32_t node)
{
	const uint32_t n = gstree_children(c, node);

	(void)l;
	(void)proc;
	if (lsched_thread(x) == 0)
		gsnode_count(x, c, node);
	wl_run_steps(wl_steps(&c->length, node), c->sink);
	for (uint32_t k = lsched_thread(x); k < n; k += lsched_threads(x)) {
		const uint32_t child = gstree_child(c, node, k);

		lsched_emit(x, 0, &child);
	}
	return LSCHED_DONE;
}

#endif

#ifdef WL_TREE_ITEMS_PROGRAM
#undef WL_TREE_ITEMS_PROGRAM
#define LSCHED_NAME           gslane
#define LSCHED_CTX            gstree_ctx
#define LSCHED_ITEMS          gsnode_items
#define LSCHED_ROOT           gsnode_root
#define LSCHED_BODY           gslane_body
#define LSCHED_MAX_SPAWN      8
#define LSCHED_MIN_BLOCKS     8
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME           gswarp
#define LSCHED_CTX            gstree_ctx
#define LSCHED_ITEMS          gsnode_items
#define LSCHED_ROOT           gsnode_root
#define LSCHED_BODY           gswarp_body
#define LSCHED_GRAIN          warp
#define LSCHED_MAX_SPAWN      32
#define LSCHED_MIN_BLOCKS     8
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
