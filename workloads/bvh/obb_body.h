/* The program that builds a tree with oriented boxes, or computes the boxes of one again. The
 * procedures of collide/bvh build the tree; as soon as a block has finished a subtree, its boxes
 * follow, while other ranges are still divided. Compiled for CPU and GPU.
 *
 * A part is a subtree of at most BVH_SMALL triangles (one CPU thread: BVH_ALONE): a thread for each
 * leaf adds up its corners, and the sums climb to the top of the part; then a thread fits the box
 * of each small node, a warp of each other one. Nodes above parts are items of their own: the
 * second child with its sums emits its parent, and tiles of large nodes are emitted as slices. */
#ifndef WORKLOADS_BVH_OBB_BODY_H
#define WORKLOADS_BVH_OBB_BODY_H

#include "collide/bvh/body.h"
#include "workloads/bvh/obb_axes.h"

/* Beside those of the tree, whose BVH_REFIT is replaced:
 * OBB_MOVED	positions whose leaves have moved
 * OBB_PART	a subtree; join: its parent
 * OBB_NODE	a node above parts; info: its name; join: its parent
 *		with OBB_SLICE in info: a part of its triangles */
enum { OBB_MOVED = BVH_REFIT, OBB_PART = BVH_PROCS, OBB_NODE, OBB_PROCS };

#define OBB_SLICE BVH_LEAF

enum {
	OBB_FEW = 8,    /* triangles of a node that one thread fits */
	OBB_SPREAD = 8, /* slices that a node divides itself into */
};

/* Fast memory of a block after the tree's. */
typedef struct obb_work {
	lsched_group_room group;
	int32_t axis[3][3];
	uint32_t leaves, nodes, large; /* of a part; large: nodes that warps fit */
	uint32_t entry[2 * BVH_SMALL]; /* of leaves, and of nodes from the last one down */
	uint32_t warped[BVH_SMALL];    /* of large nodes */
} obb_work;

typedef union obb_local {
	bvh_local tree;
	obb_work work;
} obb_local;

LSCHED_FN uint32_t obb_root_item(const obb_ctx *c, uint32_t i, lsched_range *it)
{
	const uint32_t proc = bvh_root(&c->tree, i, it);

	return proc == BVH_REFIT ? (uint32_t)OBB_MOVED : proc;
}

/* Gives the sums of a node or leaf to its parent; the second child emits the parent. One thread. */
LSCHED_TASK_FN void obb_up(lsched_range_items *x, const obb_ctx *c, uint32_t link)
{
	const uint32_t node = link >> 1;
	lsched_range it;

	if (link == BVH_NONE || !obb_arrive(c, node))
		return;
	it.first = c->sums[obb_at(node)].first;
	it.count = c->sums[obb_at(node)].end - it.first;
	it.info = node;
	it.join = c->tree.up[node];
	lsched_emit(x, OBB_NODE, &it);
}

/* An extent as keys that grow. */
LSCHED_FN uint32_t obb_key(const obb_extent *e, uint32_t k)
{
	return k < 3 ? ~((uint32_t)e->lo[k % 3] ^ 0x80000000u)
		     : (uint32_t)e->hi[k % 3] ^ 0x80000000u;
}

LSCHED_FN void obb_set_key(obb_extent *e, uint32_t k, uint32_t key)
{
	if (k < 3)
		e->lo[k % 3] = (int32_t)(~key ^ 0x80000000u);
	else
		e->hi[k % 3] = (int32_t)(key ^ 0x80000000u);
}

/* The extents of a node's triangles by the lanes of a warp. */
LSCHED_TASK_FN void obb_warp_fit(const obb_ctx *c, uint32_t at)
{
	const obb_sums *s = &c->sums[at];
	obb_extent e = obb_no_extent();
	int32_t axis[3][3];

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 9; k++)
		axis[k / 3][k % 3] = c->box[at].axis[k / 3][k % 3];
	for (uint32_t i = s->first + lsched_lane(); i < s->end; i += LSCHED_LANES)
		obb_extend(&e, axis, &c->corners[i]);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++) {
		const uint32_t key = obb_key(&e, k);

		obb_set_key(&e, k, bvh_warp_most(key));
	}
	if (lsched_lane() == 0)
		c->box[at] = obb_finish(s, axis, e);
}

#if LSCHED_LANES == 1

/* The boxes of a part whose sums are known. All threads. */
LSCHED_TASK_FN void obb_part_boxes(
	lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it)
{
	(void)l;
	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x)) {
		const uint32_t position = it.first + k;

		if (!obb_is_leaf(c, position))
			continue;
		obb_fit(c, obb_at(position | BVH_LEAF));
		if (k)
			obb_fit(c, obb_at(position));
	}
}

#else

/* Lists the leaves and nodes of a part, so that no lane is without one. */
LSCHED_TASK_FN void obb_part_list(
	lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it)
{
	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x)) {
		const uint32_t position = it.first + k;

		if (!obb_is_leaf(c, position))
			continue;
		l->entry[BVH_NEAR_ADD(&l->leaves, 1u)] = obb_at(position | BVH_LEAF);
		if (k)
			l->entry[2 * BVH_SMALL - 1 - BVH_NEAR_ADD(&l->nodes, 1u)] =
				obb_at(position);
	}
	lsched_sync_item(x);
}

LSCHED_TASK_FN void obb_part_boxes(
	lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it)
{
	uint32_t leaves, nodes;

	obb_part_list(x, c, l, it);
	leaves = l->leaves;
	nodes = l->nodes;
	LSCHED_NO_UNROLL
	for (uint32_t k = lsched_thread(x); k < leaves + nodes; k += lsched_threads(x)) {
		const uint32_t at = l->entry[k < leaves ? k : 2 * BVH_SMALL - 1 - (k - leaves)];
		const obb_sums *s = &c->sums[at];
		int32_t axis[3][3];

		obb_axes(s, axis);
		if (s->end - s->first <= OBB_FEW) {
			obb_fit_along(c, at, axis);
			continue;
		}
		LSCHED_UNROLL
		for (uint32_t j = 0; j < 9; j++)
			c->box[at].axis[j / 3][j % 3] = (int16_t)axis[j / 3][j % 3];
		l->warped[BVH_NEAR_ADD(&l->large, 1u)] = at;
	}
	lsched_sync_item(x);
	for (uint32_t k = bvh_warp(x); k < l->large; k += bvh_warps(x))
		obb_warp_fit(c, l->warped[k]);
}

#endif

/* The sums of a leaf of a part are known: those of nodes above it, up to the one below `top`. A
 * block has all leaves of the part, so that no other one has to see them yet. */
LSCHED_TASK_FN void obb_part_climb(const obb_ctx *c, uint32_t link, uint32_t top)
{
	while (link != top && (lsched_add(&c->arrived[link >> 1], 1u, ar, blk) & 1u)) {
		obb_unite(c, link >> 1);
		link = c->tree.up[link >> 1];
	}
}

/* A subtree: its sums and boxes, or both its halves. All threads. */
LSCHED_TASK_FN void obb_part(lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it)
{
	const uint32_t most = lsched_threads(x) == 1 ? BVH_ALONE : BVH_SMALL;
	const uint32_t link = it.join;
	obb_frame frame;

	if (it.count > most) {
		const uint32_t name = link == BVH_NONE ? c->tree.top->root
						       : c->tree.node[link >> 1].child[link & 1];
		const lsched_range low = { it.first, name - it.first, 0, name << 1 };
		const lsched_range high = { name, it.first + it.count - name, 0, name << 1 | 1u };

		if (lsched_thread(x) == 0) {
			lsched_emit(x, OBB_PART, &low);
			lsched_emit(x, OBB_PART, &high);
		}
		return;
	}
	frame = obb_make_frame(c);
	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x))
		if (obb_is_leaf(c, it.first + k)) {
			obb_leaf_sums(c, &frame, it.first + k);
			obb_part_climb(c, c->tree.leaf_up[it.first + k], link);
		}
	if (lsched_thread(x) == 0)
		l->leaves = l->nodes = l->large = 0;
	lsched_sync_item(x);
	if (lsched_thread(x) == 0)
		obb_up(x, c, link);
	obb_part_boxes(x, c, l, it);
	lsched_sync_item(x); /* the list is free again */
}

/* Replaces a word by the maximum, as signed numbers. */
LSCHED_TASK_FN void obb_far_max(int32_t *p, int32_t v)
{
	uint32_t *word = (uint32_t *)p, old = lsched_ld(word, rlx, dev);

	while ((int32_t)old < v && !lsched_cas(word, &old, (uint32_t)v, rlx, dev))
		;
}

LSCHED_TASK_FN void obb_far_min(int32_t *p, int32_t v)
{
	uint32_t *word = (uint32_t *)p, old = lsched_ld(word, rlx, dev);

	while ((int32_t)old > v && !lsched_cas(word, &old, (uint32_t)v, rlx, dev))
		;
}

/* Adds the extents of a slice to those of its node; the last one finishes it. One thread. */
LSCHED_TASK_FN void obb_add_slice(
	const obb_ctx *c, uint32_t node, const int32_t axis[3][3], obb_extent e, uint32_t count)
{
	const obb_sums *s = &c->sums[obb_at(node)];
	obb_box *b = &c->box[obb_at(node)];

	for (uint32_t k = 0; k < 3; k++) {
		obb_far_min(&b->lo[k], e.lo[k]);
		obb_far_max(&b->hi[k], e.hi[k]);
	}
	if (lsched_add(&c->done[node], count, ar, dev) + count != s->end - s->first)
		return;
	for (uint32_t k = 0; k < 3; k++) {
		e.lo[k] = (int32_t)lsched_ld((uint32_t *)&b->lo[k], rlx, dev);
		e.hi[k] = (int32_t)lsched_ld((uint32_t *)&b->hi[k], rlx, dev);
	}
	*b = obb_finish(s, axis, e);
}

/* The extents of triangles of a node by all threads, in each of them. */
LSCHED_TASK_FN obb_extent obb_block_extent(lsched_range_items *x, const obb_ctx *c, obb_work *l,
	lsched_range it, const int32_t axis[3][3])
{
	obb_extent e = obb_no_extent();

	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x))
		obb_extend(&e, axis, &c->corners[it.first + k]);
	if (lsched_threads(x) == 1)
		return e;
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++)
		obb_set_key(&e, k, lsched_group_max32(x, &l->group, obb_key(&e, k)));
	return e;
}

/* A node above parts, or a slice of it. All threads. */
LSCHED_TASK_FN void obb_node(lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it)
{
	const uint32_t is_slice = it.info & OBB_SLICE, name = it.info & ~OBB_SLICE;
	const uint32_t at = obb_at(name);
	const int first = lsched_thread(x) == 0, spreads = it.count > BVH_TILE;
	int32_t axis[3][3];
	obb_extent e;

	if (first && !is_slice) {
		obb_up(x, c, it.join);
		obb_axes(&c->sums[at], axis);
		e = obb_no_extent();
		LSCHED_UNROLL
		for (uint32_t k = 0; k < 3; k++) {
			c->box[at].lo[k] = e.lo[k];
			c->box[at].hi[k] = e.hi[k];
			LSCHED_UNROLL
			for (uint32_t j = 0; j < 3; j++)
				c->box[at].axis[k][j] = (int16_t)axis[k][j];
		}
	}
	if (spreads) {
		it.info |= OBB_SLICE;
		if (first)
			lsched_range_spread(x, OBB_NODE, it, OBB_SPREAD);
		return;
	}
	lsched_sync_item(x);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 9; k++)
		axis[k / 3][k % 3] = c->box[at].axis[k / 3][k % 3];
	e = obb_block_extent(x, c, l, it, axis);
	if (first && is_slice)
		obb_add_slice(c, name, axis, e, it.count);
	else if (first)
		c->box[at] = obb_finish(&c->sums[at], axis, e);
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
	lsched_st(c->moved, 0u, rlx, dev);
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
		lsched_add(c->moved, it.count, ar, dev) + it.count == c->tree.n)
		obb_moved_all(x, c);
}

/* Runs a procedure of the tree. A range whose subtree it has finished becomes a part. */
LSCHED_TASK_FN void obb_tree(
	lsched_range_items *x, const obb_ctx *c, bvh_local *l, uint32_t proc, lsched_range it)
{
	const lsched_range part = { it.first, it.count, 0, it.join };

	if (proc == BVH_TOP && it.count && it.count <= bvh_most_alone(x))
		obb_few_bounds(x, c, l);
	(void)bvh_body(x, &c->tree, l, proc, it);
	if (proc == BVH_RANGE && lsched_thread(x) == 0 &&
		(it.count <= BVH_SMALL || (lsched_threads(x) == 1 && it.count <= BVH_ALONE)))
		lsched_emit(x, OBB_PART, &part);
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
	case OBB_NODE:
		obb_node(x, c, &l->work, it);
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
#define LSCHED_GROUP_WARPS 8
#define LSCHED_PROCS       8 /* OBB_PROCS */
#define LSCHED_MAX_SPAWN   31
#define LSCHED_MIN_BLOCKS  2
#define LSCHED_AHEAD       BVH_AHEAD
#define LSCHED_CHOOSE      obb_choose
#define LSCHED_JOINS
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
