/* The program that builds a tree with oriented boxes, or computes the boxes of one again. The
 * procedures of collide/bvh build the tree; as soon as a block has finished a subtree, its boxes
 * follow, while other ranges are still divided. Compiled for CPU and GPU.
 *
 * A part is a subtree of at most BVH_SMALL triangles (one CPU thread: BVH_ALONE), whose boxes a
 * block fits in fast memory (obb_part.h). Nodes above parts follow at the end (obb_upper.h). */
#ifndef WORKLOADS_BVH_OBB_BODY_H
#define WORKLOADS_BVH_OBB_BODY_H

#include "workloads/bvh/obb_upper.h"

/* Fast memory of a block. */
typedef union obb_local {
	bvh_local tree;
	obb_work work;
} obb_local;

LSCHED_FN uint32_t obb_root_item(const obb_ctx *c, uint32_t i, lsched_range *it)
{
	const uint32_t proc = bvh_root(&c->tree, i, it);

	return proc == BVH_REFIT ? (uint32_t)OBB_MOVED : proc;
}

/* The sums and boxes of a part by one thread. */
LSCHED_TASK_FN void obb_part_alone(lsched_range_items *x, const obb_ctx *c, lsched_range it)
{
	const obb_frame frame = obb_make_frame(c);

	for (uint32_t k = it.first; k < it.first + it.count; k++) {
		uint32_t link = c->tree.leaf_up[k];

		if (!obb_is_leaf(c, k))
			continue;
		obb_leaf_sums(c, &frame, k);
		while (link != it.join && obb_arrive(c, link >> 1))
			link = c->tree.up[link >> 1];
	}
	obb_up(x, c, it.join);
	for (uint32_t k = it.first; k < it.first + it.count; k++) {
		if (!obb_is_leaf(c, k))
			continue;
		obb_fit(c, obb_at(k | BVH_LEAF));
		if (k > it.first)
			obb_fit(c, obb_at(k));
	}
}

/* The same by a block in fast memory; name: of the part. All threads. */
LSCHED_TASK_FN void obb_part_block(
	lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it, uint32_t name)
{
	obb_part_prepare(x, c, l, it, name);
	if (lsched_thread(x) == 0) {
		obb_sums *s = &c->sums[obb_at(name)];

		*s = obb_part_sums(l, obb_at(name) - 2 * it.first);
		obb_words(s->word, l->bounds);
		s->first += it.first;
		s->end += it.first;
		obb_up(x, c, it.join);
	}
	obb_part_axes(c, l, it);
	lsched_sync_item(x);
	obb_part_larges(x, c, l, it);
	lsched_sync_item(x); /* fast memory is free again */
}

/* A subtree: its sums and boxes, or both its halves. All threads. */
LSCHED_TASK_FN void obb_part(lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it)
{
	const int alone = LSCHED_LANES == 1 && lsched_threads(x) == 1;
	const uint32_t link = it.join;
	const uint32_t name =
		link == BVH_NONE ? c->tree.top->root : c->tree.node[link >> 1].child[link & 1];

	if (alone && it.count <= BVH_ALONE) {
		obb_part_alone(x, c, it);
	} else if (!alone && it.count <= BVH_SMALL) {
		obb_part_block(x, c, l, it, name);
	} else if (lsched_thread(x) == 0) {
		const lsched_range low = { it.first, name - it.first, 0, name << 1 };
		const lsched_range high = { name, it.first + it.count - name, 0, name << 1 | 1u };

		lsched_emit(x, OBB_PART, &low);
		lsched_emit(x, OBB_PART, &high);
	}
}

/* Sets the bounds of the scene, of which the tree's construction has none if it has no tiles. All
 * threads. */
LSCHED_TASK_FN void obb_few_bounds(lsched_range_items *x, const obb_ctx *c, bvh_local *l)
{
	bvh_bounds b = { { 0, 0, 0, 0, 0, 0 } };

	for (uint32_t k = lsched_thread(x); k < c->tree.n; k += lsched_threads(x))
		bvh_bounds_add(&b, &c->tree.box[k]);
	bvh_block_bounds(x, l, &b);
	if (lsched_thread(x) == 0)
		for (uint32_t k = 0; k < 6; k++)
			lsched_st(&c->tree.top->bounds.key[k], b.key[k], rlx, dev);
	lsched_sync_item(x);
}

/* All leaves and nodes have their new axis-aligned boxes: sets the bounds of the scene and emits
 * the tree. One thread. */
LSCHED_TASK_FN void obb_moved_all(lsched_range_items *x, const obb_ctx *c)
{
	const uint32_t root = c->tree.top->root;
	const lsched_range all = { 0, c->tree.n, 0, BVH_NONE };
	bvh_bounds b = { { 0, 0, 0, 0, 0, 0 } };

	if (root == BVH_NONE)
		return;
	if (root & BVH_LEAF) {
		bvh_bounds_add(&b, &c->tree.leaf[0].box);
	} else {
		bvh_bounds_add(&b, &c->tree.node[root].box[0]);
		bvh_bounds_add(&b, &c->tree.node[root].box[1]);
	}
	for (uint32_t k = 0; k < 6; k++)
		lsched_st(&c->tree.top->bounds.key[k], b.key[k], rlx, dev);
	lsched_st(&c->counts->moved, 0u, rlx, dev);
	lsched_emit(x, OBB_PART, &all);
}

LSCHED_TASK_FN void obb_moved(lsched_range_items *x, const obb_ctx *c, lsched_range it)
{
	const uint32_t most = 4 * lsched_threads(x) < 1024 ? 1024 : 4 * lsched_threads(x);

	if (it.count > most) {
		if (lsched_thread(x) == 0)
			lsched_range_spread(x, OBB_MOVED, it, LSCHED_RANGE_PARTS);
		return;
	}
	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x))
		bvh_refit_leaf(&c->tree, it.first + k);
	lsched_sync_item(x);
	if (lsched_thread(x) == 0 &&
		lsched_add(&c->counts->moved, it.count, ar, dev) + it.count == c->tree.n)
		obb_moved_all(x, c);
}

/* Runs a procedure of the tree. A range whose subtree it has finished becomes a part, and so does
 * the second one of a pair. It is where the leaves of the first will be, which are stored after a
 * barrier: this thread has read it then. */
LSCHED_TASK_FN void obb_tree(
	lsched_range_items *x, const obb_ctx *c, bvh_local *l, uint32_t proc, lsched_range it)
{
	const int is_pair = BVH_TREES > 1 && proc == BVH_RANGE && bvh_is_pair(&it);
	const lsched_range second = is_pair ? *bvh_pair_at(&c->tree, &it) : it;
	const lsched_range part = { it.first, it.count, 0, it.join };
	const lsched_range next = { second.first, second.count, 0, second.join };

	if (proc == BVH_TOP && it.count && it.count <= bvh_most_alone(x))
		obb_few_bounds(x, c, l);
	(void)bvh_body(x, &c->tree, l, proc, it);
	if (proc == BVH_RANGE && lsched_thread(x) == 0 &&
		(it.count <= BVH_SMALL || (lsched_threads(x) == 1 && it.count <= BVH_ALONE)))
		lsched_emit(x, OBB_PART, &part);
	if (is_pair && lsched_thread(x) == 0)
		lsched_emit(x, OBB_PART, &next);
}

LSCHED_TASK_FN lsched_result obb_body(
	lsched_range_items *x, const obb_ctx *c, obb_local *l, uint32_t proc, lsched_range it)
{
	switch (proc) {
	case OBB_MOVED:
		obb_moved(x, c, it);
		break;
	case OBB_PART:
		obb_part(x, c, &l->work, it);
		break;
	case OBB_UPPER:
		obb_upper(x, c, it);
		break;
	default:
		obb_tree(x, c, &l->tree, proc, it);
	}
	return LSCHED_DONE;
}

/* Other workers wait for what follows the tiles of a range. */
LSCHED_FN uint32_t obb_choose(const obb_ctx *c, const uint32_t *count)
{
	(void)c;
	return count[BVH_JOINED] ? (uint32_t)BVH_JOINED : (uint32_t)OBB_PROCS;
}

#endif

#ifdef WL_OBB_PROGRAM
#undef WL_OBB_PROGRAM
#define LSCHED_NAME        bvh_obb
#define LSCHED_CTX         obb_ctx
#define LSCHED_ITEMS       lsched_range_items
#define LSCHED_ROOT        obb_root_item
#define LSCHED_BODY        obb_body
#define LSCHED_LOCAL       obb_local
#define LSCHED_GRAIN       block
#define LSCHED_GROUP_WARPS BVH_BLOCK_WARPS
#define LSCHED_PROCS       8 /* OBB_PROCS */
#define LSCHED_MAX_SPAWN   31
#define LSCHED_MIN_BLOCKS  2
#define LSCHED_AHEAD       BVH_AHEAD
#define LSCHED_CHOOSE      obb_choose
#define LSCHED_JOINS
#define LSCHED_PROC_NAMES(X)  X(top) X(tiles) X(list) X(range) X(moved) X(joined) X(part) X(upper)
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
