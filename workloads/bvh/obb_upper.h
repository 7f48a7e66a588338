/* The boxes of nodes above parts. A part gives its sums to its parent; the second child makes the
 * parent's, lists it, and goes on upwards. When the root has its sums, so has every node, and three
 * steps follow, each when the one before is complete: the axes of all listed nodes, a thread each;
 * the extents of the triangles of each part along the axes of all nodes above it, a warp each; the
 * boxes. Compiled for CPU and GPU. */
#ifndef WORKLOADS_BVH_OBB_UPPER_H
#define WORKLOADS_BVH_OBB_UPPER_H

#include "workloads/bvh/obb_part.h"

/* Beside the procedures of the tree, whose BVH_REFIT is replaced:
 * OBB_MOVED	positions whose leaves have moved
 * OBB_PART	a subtree; join: its parent
 * OBB_UPPER	numbers of listed nodes or parts; info: the step */
enum { OBB_MOVED = BVH_REFIT, OBB_PART = BVH_PROCS, OBB_UPPER, OBB_PROCS };

enum { OBB_UPPER_AXES, OBB_UPPER_EXTENTS, OBB_UPPER_BOXES };

enum {
	OBB_SPREAD = 30, /* items that one divides itself into */
	OBB_SOME = 24    /* triangles of a node whose extents are known before the others' */
};

/* The part with this parent has its sums: gives them to the nodes above. One thread. */
LSCHED_TASK_FN void obb_up(lsched_range_items *x, const obb_ctx *c, uint32_t link)
{
	lsched_range all = { 0, 0, OBB_UPPER_AXES, BVH_NONE };

	c->list[c->tree.n + lsched_add(&c->counts->parts, 1u, rlx, dev)] = link;
	while (link != BVH_NONE && obb_arrive(c, link >> 1)) {
		c->list[lsched_add(&c->counts->nodes, 1u, rlx, dev)] = link >> 1;
		link = c->tree.up[link >> 1];
	}
	if (link != BVH_NONE)
		return;
	/* each entry of the list was stored before an arrival that this thread has seen */
	all.count = lsched_ld(&c->counts->nodes, rlx, dev);
	if (all.count)
		lsched_emit(x, OBB_UPPER, &all);
}

/* An extent that blocks add to: obb_key() of it. */
LSCHED_FN uint32_t *obb_box_key(obb_box *b, uint32_t k)
{
	return (uint32_t *)(k < 3 ? &b->lo[k] : &b->hi[k - 3]);
}

/* The axes of a node, and the extents of some of its triangles. One thread. */
LSCHED_TASK_FN void obb_upper_axes(const obb_ctx *c, uint32_t node)
{
	const obb_sums *s = &c->sums[obb_at(node)];
	const uint32_t step = (s->end - s->first) / OBB_SOME + 1;
	obb_box *b = &c->box[obb_at(node)];
	obb_extent e = obb_no_extent();
	int32_t axis[3][3];

	obb_axes(s, axis);
	obb_store_axes(b->axis, axis);
	for (uint32_t i = s->first; i < s->end; i += step)
		obb_extend(&e, axis, &c->corners[i]);
	for (uint32_t k = 0; k < 6; k++)
		*obb_box_key(b, k) = obb_key(&e, k);
}

/* Returns whether corners within these bounds can extend a box along its axes. */
LSCHED_TASK_FN int obb_upper_extends(obb_box *b, const int32_t axis[3][3], const uint32_t word[3])
{
	int extends = 0;

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		obb_extent e = { { 0, 0, 0 }, { 0, 0, 0 } };

		LSCHED_UNROLL
		for (uint32_t j = 0; j < 3; j++) {
			const int32_t u = axis[k][j] * ((int32_t)bvh_lo(word, j) - 32768);
			const int32_t v = axis[k][j] * ((int32_t)bvh_hi(word, j) - 32768);

			e.lo[k] += u < v ? u : v;
			e.hi[k] += u < v ? v : u;
		}
		extends |= obb_key(&e, k) > lsched_ld(obb_box_key(b, k), rlx, dev);
		extends |= obb_key(&e, k + 3) > lsched_ld(obb_box_key(b, k + 3), rlx, dev);
	}
	return extends;
}

/* The extents of a part along the axes of the nodes above it. A warp. */
LSCHED_TASK_FN void obb_upper_extents(const obb_ctx *c, uint32_t link)
{
	const obb_sums *s = &c->sums[obb_at(c->tree.node[link >> 1].child[link & 1])];
	const uint32_t first = s->first, end = s->end;

	LSCHED_NO_UNROLL
	while (link != BVH_NONE) {
		obb_box *b = &c->box[obb_at(link >> 1)];
		obb_extent e = obb_no_extent();
		int32_t axis[3][3];

		link = c->tree.up[link >> 1];
		obb_load_axes(axis, b->axis);
		/* lanes may see different extents; all that one misses is no more than those */
		if (!lsched_ballot(obb_upper_extends(b, axis, s->word)))
			continue;
		for (uint32_t i = first + lsched_lane(); i < end; i += LSCHED_LANES)
			obb_extend(&e, axis, &c->corners[i]);
		LSCHED_UNROLL
		for (uint32_t k = 0; k < 6; k++) {
			const uint32_t key = bvh_warp_most(obb_key(&e, k));

			if (lsched_lane() == k % LSCHED_LANES)
				bvh_far_max(obb_box_key(b, k), key);
		}
	}
}

/* The box of a node whose extents are known. One thread. */
LSCHED_TASK_FN void obb_upper_box(const obb_ctx *c, uint32_t node)
{
	obb_box *b = &c->box[obb_at(node)];
	int32_t axis[3][3];
	obb_extent e;

	obb_load_axes(axis, b->axis);
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++)
		obb_set_key(&e, k, lsched_ld(obb_box_key(b, k), rlx, dev));
	*b = obb_finish(c->sums[obb_at(node)].word, axis, e);
}

/* So many nodes or parts of a step are complete; the last ones emit the next step. One thread. */
LSCHED_TASK_FN void obb_upper_done(
	lsched_range_items *x, const obb_ctx *c, uint32_t step, uint32_t count)
{
	const uint32_t nodes = lsched_ld(&c->counts->nodes, rlx, dev);
	const uint32_t parts = lsched_ld(&c->counts->parts, rlx, dev);
	const lsched_range next = { 0, step == OBB_UPPER_AXES ? parts : nodes, step + 1, BVH_NONE };

	if (lsched_add(&c->counts->done, count, ar, dev) + count !=
		(step == OBB_UPPER_EXTENTS ? parts : nodes))
		return;
	lsched_st(&c->counts->done, 0u, rlx, dev);
	if (step != OBB_UPPER_BOXES)
		lsched_emit(x, OBB_UPPER, &next);
}

/* A step for some nodes or parts. All threads. */
LSCHED_TASK_FN void obb_upper(lsched_range_items *x, const obb_ctx *c, lsched_range it)
{
	const uint32_t threads = lsched_threads(x), warps = bvh_warps(x);
	const uint32_t room = it.info == OBB_UPPER_EXTENTS ? warps : threads;
	const uint32_t most = room < 4 ? 4 : room, items = (it.count + most - 1) / most;

	if (items > 1) {
		if (lsched_thread(x) == 0)
			lsched_range_spread(x, OBB_UPPER, it,
				items < OBB_SPREAD ? items : (uint32_t)OBB_SPREAD);
		return;
	}
	if (it.info == OBB_UPPER_EXTENTS)
		for (uint32_t k = bvh_warp(x); k < it.count; k += warps)
			obb_upper_extents(c, c->list[c->tree.n + it.first + k]);
	else
		for (uint32_t k = lsched_thread(x); k < it.count; k += threads)
			if (it.info == OBB_UPPER_AXES)
				obb_upper_axes(c, c->list[it.first + k]);
			else
				obb_upper_box(c, c->list[it.first + k]);
	lsched_sync_item(x);
	if (lsched_thread(x) == 0)
		obb_upper_done(x, c, it.info, it.count);
}

#endif
