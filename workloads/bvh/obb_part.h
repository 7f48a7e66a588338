/* The boxes of a part, a subtree of at most BVH_SMALL triangles, by the threads of a block in fast
 * memory. Positions are relative to the part; its leaves and nodes have the places of obb_at(),
 * relative to that of its first leaf. Compiled for CPU and GPU.
 *
 * The triangles of a node follow one another, so its sums are differences of sums over all that
 * come before a position. */
#ifndef WORKLOADS_BVH_OBB_PART_H
#define WORKLOADS_BVH_OBB_PART_H

#include "workloads/bvh/obb_spans.h"

/* Rounds the corners of all triangles; extends bounds to those of this thread. All threads. */
LSCHED_TASK_FN void obb_part_corners(
	lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it, uint32_t bounds[3])
{
	const obb_frame frame = obb_make_frame(c);

	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x)) {
		const uint32_t position = it.first + k;
		obb_sums s = { { 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0 }, 0, 0 };
		obb_corners g;

		l->span[2 * k] = l->span[2 * k + 1] = 0;
		obb_add_triangle(&s, &g, &frame, &c->triangle[c->tree.order[position]]);
		c->corners[position] = l->corners[k] = g;
		LSCHED_UNROLL
		for (uint32_t j = 0; j < 6; j++)
			l->product[j][k] = s.product[j];
		LSCHED_UNROLL
		for (uint32_t j = 0; j < 3; j++) {
			l->sum[j][k] = (int32_t)s.sum[j];
			l->word[j][k] = s.word[j];
		}
		bvh_extend(bounds, s.word);
	}
}

LSCHED_FN uint32_t obb_half(const uint32_t word[3], uint32_t k)
{
	return word[k / 2] >> (k % 2 * 16) & 0xffffu;
}

LSCHED_FN void obb_words(uint32_t word[3], const uint32_t half[6])
{
	for (uint32_t k = 0; k < 3; k++)
		word[k] = half[2 * k] | half[2 * k + 1] << 16;
}

/* Adds the bounds of a thread's triangles to those of the part. All threads. */
LSCHED_TASK_FN void obb_part_bounds(obb_work *l, const uint32_t own[3])
{
	LSCHED_UNROLL
	for (uint32_t j = 0; j < 6; j++) {
		const uint32_t half = bvh_warp_most(obb_half(own, j));

		if (lsched_lane() == 0)
			BVH_NEAR_MAX(&l->bounds[j], half);
	}
}

/* Adds up a run of one of the nine sums of n triangles. One thread. */
LSCHED_TASK_FN void obb_part_run(obb_work *l, uint32_t which, uint32_t run, uint32_t n)
{
	const uint32_t begin = run * OBB_RUN, end = n - begin < OBB_RUN ? n : begin + OBB_RUN;
	int64_t sum = 0;

	if (which < 6) {
		for (uint32_t k = begin; k < end; k++)
			l->product[which][k] = sum += l->product[which][k];
	} else {
		for (uint32_t k = begin; k < end; k++) {
			sum += l->sum[which - 6][k];
			l->sum[which - 6][k] = (int32_t)sum;
		}
	}
	l->before[which][run] = sum;
}

/* The sums of a leaf or node, when those before each run are known; without its bounds. */
LSCHED_TASK_FN obb_sums obb_part_sums(const obb_work *l, uint32_t entry)
{
	const uint32_t end = obb_span_end(l, entry), last = end - 1, last_run = last / OBB_RUN;
	obb_sums s = { { 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0 }, obb_span_first(l, entry),
		end };

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++)
		s.product[k] = l->product[k][last] + l->before[k][last_run];
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		s.sum[k] = l->sum[k][last] + l->before[k + 6][last_run];
	if (s.first) {
		const uint32_t at = s.first - 1, run = at / OBB_RUN;

		LSCHED_UNROLL
		for (uint32_t k = 0; k < 6; k++)
			s.product[k] -= l->product[k][at] + l->before[k][run];
		LSCHED_UNROLL
		for (uint32_t k = 0; k < 3; k++)
			s.sum[k] -= l->sum[k][at] + l->before[k + 6][run];
	}
	return s;
}

/* Extends to a triangle. */
LSCHED_TASK_FN void obb_part_extend(
	const obb_work *l, uint32_t at, obb_extent *e, uint32_t word[3], const int32_t axis[3][3])
{
	LSCHED_UNROLL
	for (uint32_t j = 0; j < 3; j++)
		word[j] = bvh_max2(word[j], l->word[j][at]);
	obb_extend(e, axis, &l->corners[at]);
}

/* Adds what a thread has found to a large node. */
LSCHED_TASK_FN void obb_large_extend(obb_large *to, const obb_extent *e, const uint32_t word[3])
{
	LSCHED_UNROLL
	for (uint32_t j = 0; j < 6; j++)
		BVH_NEAR_MAX(&to->key[j], obb_key(e, j));
	LSCHED_UNROLL
	for (uint32_t j = 0; j < 6; j++)
		BVH_NEAR_MAX(&to->half[j], obb_half(word, j));
}

/* The axes of leaf or node k of those that are listed, large ones from `few` on; the box of a small
 * one. One thread. */
LSCHED_TASK_FN void obb_part_axes_of(
	const obb_ctx *c, obb_work *l, uint32_t first, uint32_t k, uint32_t few)
{
	const uint32_t leaves = l->leaves;
	const uint32_t entry = k < leaves ? l->entry[k]
			       : k < few  ? l->entry[2 * BVH_SMALL - 1 - (k - leaves)]
					  : l->large[k - few].entry;
	uint32_t word[3] = { 0, 0, 0 };
	obb_extent e = obb_no_extent();
	int32_t axis[3][3];
	obb_sums s;

	if (entry == OBB_NO_SHARE)
		return;
	s = obb_part_sums(l, entry);
	obb_axes(&s, axis);
	if (k >= few) {
		obb_store_axes(l->large[k - few].axis, axis);
		return;
	}
	LSCHED_NO_UNROLL
	for (uint32_t i = s.first; i < s.end; i++)
		obb_part_extend(l, i, &e, word, axis);
	c->box[2 * first + entry] = obb_finish(word, axis, e);
}

/* The axes of all leaves and nodes, and the boxes of small ones. All threads. */
LSCHED_TASK_FN void obb_part_axes(const obb_ctx *c, obb_work *l, lsched_range it)
{
	const uint32_t leaves = l->leaves, few = leaves + l->nodes;
	const uint32_t larges = l->larges < OBB_LARGES ? l->larges : OBB_LARGES;

	/* warps take them, as the first one begins late */
	LSCHED_NO_UNROLL
	for (;;) {
		const uint32_t begin = lsched_bcast(
			lsched_lane() == 0 ? BVH_NEAR_ADD(&l->taken, LSCHED_LANES) : 0);
		const uint32_t k = begin + lsched_lane();

		if (begin >= few + larges)
			return;
		if (k < few + larges)
			obb_part_axes_of(c, l, it.first, k, few);
	}
}

/* The boxes of large nodes. All threads. */
LSCHED_TASK_FN void obb_part_larges(
	lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it)
{
	const uint32_t shares = l->shares < OBB_SHARES ? l->shares : OBB_SHARES;
	const uint32_t larges = l->larges < OBB_LARGES ? l->larges : OBB_LARGES;
	int32_t axis[3][3];
	obb_extent e;

	LSCHED_NO_UNROLL
	for (uint32_t k = lsched_thread(x); k < shares; k += lsched_threads(x)) {
		const uint32_t share = l->share[k];
		uint32_t first, end, step, word[3] = { 0, 0, 0 };
		obb_large *large;

		if (share == OBB_NO_SHARE)
			continue;
		large = &l->large[share / 64];
		first = obb_span_first(l, large->entry);
		end = obb_span_end(l, large->entry);
		step = obb_shares_of(end - first);
		obb_load_axes(axis, large->axis);
		e = obb_no_extent();
		/* neighbouring threads have neighbouring triangles */
		LSCHED_NO_UNROLL
		for (uint32_t i = first + share % 64; i < end; i += step)
			obb_part_extend(l, i, &e, word, axis);
		obb_large_extend(large, &e, word);
	}
	lsched_sync_item(x);
	for (uint32_t k = lsched_thread(x); k < larges; k += lsched_threads(x)) {
		const obb_large *large = &l->large[k];
		uint32_t word[3];

		if (large->entry == OBB_NO_SHARE)
			continue;
		obb_words(word, large->half);
		obb_load_axes(axis, large->axis);
		LSCHED_UNROLL
		for (uint32_t j = 0; j < 6; j++)
			obb_set_key(&e, j, large->key[j]);
		c->box[2 * it.first + large->entry] = obb_finish(word, axis, e);
	}
}

/* The sums before each run, by nine threads. */
LSCHED_TASK_FN void obb_part_before(lsched_range_items *x, obb_work *l, uint32_t runs)
{
	for (uint32_t k = lsched_thread(x); k < 9; k += lsched_threads(x)) {
		int64_t sum = 0;

		for (uint32_t run = 0; run < runs; run++) {
			const int64_t own = l->before[k][run];

			l->before[k][run] = sum;
			sum += own;
		}
	}
}

/* What axes and extents need; name: of the part. All threads, which have met at the end. */
LSCHED_TASK_FN void obb_part_prepare(
	lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it, uint32_t name)
{
	const uint32_t runs = (it.count + OBB_RUN - 1) / OBB_RUN;
	uint32_t bounds[3] = { 0, 0, 0 };

	obb_part_clear(x, l);
	obb_part_corners(x, c, l, it, bounds);
	lsched_sync_item(x);
	obb_part_bounds(l, bounds);
	for (uint32_t k = lsched_thread(x); k < 9 * runs; k += lsched_threads(x))
		obb_part_run(l, k / runs, k % runs, it.count);
	obb_part_leaves(x, c, l, it, name);
	lsched_sync_item(x);
	obb_part_before(x, l, runs);
	obb_part_spans(x, l, it);
	obb_part_lists(x, l, it);
}

#endif
