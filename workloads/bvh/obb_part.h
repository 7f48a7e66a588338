/* The boxes of a part, a subtree of at most BVH_SMALL triangles, by the threads of a block in fast
 * memory. Positions are relative to the part; its leaves and nodes have the places of obb_at(),
 * relative to that of its first leaf. Compiled for CPU and GPU.
 *
 * The triangles of a node follow one another, so its sums are differences of sums over all that
 * come before a position. Which ones it has is found from the part's root downwards. */
#ifndef WORKLOADS_BVH_OBB_PART_H
#define WORKLOADS_BVH_OBB_PART_H

#include "collide/bvh/body.h"
#include "workloads/bvh/obb_axes.h"

enum {
	OBB_FEW = 8,   /* triangles of a node whose extents one thread finds */
	OBB_SHARE = 8, /* of those of a larger node, for each thread */
	OBB_RUN = 31,  /* positions that a thread adds up; odd: lanes are in different banks */
	OBB_RUNS = (BVH_SMALL + OBB_RUN - 1) / OBB_RUN,
	OBB_NO_SHARE = 0xffff,
	OBB_END_AT = 16 /* of a span's end, above its first position */
};
#define OBB_SEEN (UINT32_C(1) << 31) /* a span whose node has given its children theirs */
/* Shares of all large nodes, at most: a balanced tree has 400. A test sets its own number. */
#ifndef OBB_SHARES
#define OBB_SHARES 1280u
#endif

/* A node with more than OBB_FEW triangles. */
typedef struct obb_large {
	uint32_t key[6];  /* obb_key() of its extents */
	uint32_t word[3]; /* bounds of its corners, as of obb_sums */
	int16_t axis[3][3];
	uint16_t entry;
} obb_large;

typedef struct obb_work {
	obb_corners corners[BVH_SMALL];
	/* of a triangle; then of those of its run up to it, which begins every OBB_RUN positions */
	int64_t product[6][OBB_RUNS * OBB_RUN];
	int32_t sum[3][OBB_RUNS * OBB_RUN];
	int64_t before[9][OBB_RUNS];   /* of a run; then of the runs before it */
	uint32_t word[3][BVH_SMALL];   /* bounds of triangles */
	uint32_t span[2 * BVH_SMALL];  /* positions of nodes and leaves; 0: not known yet */
	uint32_t child[2][BVH_SMALL];  /* of nodes, as bvh_node.child */
	uint32_t bounds[6];            /* of all corners: halves of words */
	uint32_t more[3];              /* in a round there are nodes whose spans are not known */
	uint16_t entry[2 * BVH_SMALL]; /* of leaves, and of nodes from the last one down */
	uint32_t leaves, nodes, larges, shares;
	obb_large large[BVH_SMALL]; /* fewer, since leaves have triangles */
	uint16_t share[OBB_SHARES]; /* number in `large` x 64 + number of the share */
} obb_work;

/* With the stacks of eight procedures and the queue's words (prio: 1 KB) a block takes 99 KB at
 * most, all that compute capability 8.6, 8.9 and 12 have. */
LSCHED_I_STATIC_ASSERT(LSCHED_LANES == 1 || sizeof(obb_work) <= 89 * 1024,
	"fast memory of a block is larger than that of some devices");
LSCHED_I_STATIC_ASSERT(BVH_SMALL <= 64 * OBB_SHARE && BVH_SMALL * 64 <= OBB_NO_SHARE,
	"shares of a large node have no numbers");

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

/* Adds the bounds of a thread's triangles to those of the part. All threads. */
LSCHED_TASK_FN void obb_part_bounds(obb_work *l, const uint32_t own[3])
{
	LSCHED_UNROLL
	for (uint32_t j = 0; j < 6; j++) {
		const uint32_t half = bvh_warp_most(own[j / 2] >> (j % 2 * 16) & 0xffffu);

		if (lsched_lane() == 0)
			BVH_NEAR_MAX(&l->bounds[j], half);
	}
}

/* Sets what threads add to after a barrier. */
LSCHED_TASK_FN void obb_part_clear(lsched_range_items *x, obb_work *l)
{
	if (lsched_thread(x) != 0)
		return;
	l->leaves = l->nodes = l->larges = l->shares = 0;
	for (uint32_t j = 0; j < 6; j++)
		l->bounds[j] = 0;
	for (uint32_t j = 0; j < 3; j++)
		l->more[j] = 0;
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

LSCHED_FN uint32_t obb_shares_of(uint32_t count)
{
	return (count + OBB_SHARE - 1) / OBB_SHARE;
}

/* Lists a large leaf or node and its shares. Returns 0 without room. One thread. */
LSCHED_TASK_FN int obb_part_share(obb_work *l, uint32_t entry, uint32_t count)
{
	const uint32_t shares = obb_shares_of(count), at = BVH_NEAR_ADD(&l->shares, shares);
	const int fits = at + shares <= OBB_SHARES;
	uint32_t number = 0;

	if (fits) {
		number = BVH_NEAR_ADD(&l->larges, 1u);
		l->large[number].entry = (uint16_t)entry;
		LSCHED_UNROLL
		for (uint32_t k = 0; k < 6; k++)
			l->large[number].key[k] = l->large[number].word[k / 2] = 0;
	}
	for (uint32_t k = 0; k < shares && at + k < OBB_SHARES; k++)
		l->share[at + k] = (uint16_t)(fits ? number * 64 + k : OBB_NO_SHARE);
	return fits;
}

/* Lists a leaf or node, so that no thread is without one, and neighbours have as much to do. */
LSCHED_TASK_FN void obb_part_list(obb_work *l, uint32_t entry, uint32_t count)
{
	if (count > OBB_FEW && obb_part_share(l, entry, count))
		return;
	if (entry & 1u)
		l->entry[2 * BVH_SMALL - 1 - BVH_NEAR_ADD(&l->nodes, 1u)] = (uint16_t)entry;
	else
		l->entry[BVH_NEAR_ADD(&l->leaves, 1u)] = (uint16_t)entry;
}

/* Lists the leaves, and loads the children of nodes; name: of the part. All threads. */
LSCHED_TASK_FN void obb_part_leaves(
	lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it, uint32_t name)
{
	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x)) {
		const uint32_t position = it.first + k, count = c->tree.leaf[position].count;

		if (!count)
			continue;
		l->span[2 * k] = k | (k + count) << OBB_END_AT;
		obb_part_list(l, 2 * k, count);
		if (k == 0)
			continue;
		for (uint32_t j = 0; j < 2; j++)
			l->child[j][k] = c->tree.node[position].child[j];
	}
	if (lsched_thread(x) == 0 && !(name & BVH_LEAF))
		l->span[2 * (name - it.first) - 1] = it.count << OBB_END_AT;
}

/* A node that knows its span gives its children theirs; lists it. One thread. */
LSCHED_TASK_FN void obb_part_divide(obb_work *l, uint32_t first, uint32_t k, uint32_t span)
{
	const uint32_t from = span & 0xffffu, end = span >> OBB_END_AT;
	const uint32_t low = l->child[0][k], high = l->child[1][k];

	if (!(low & BVH_LEAF))
		lsched_st(&l->span[2 * (low - first) - 1], from | k << OBB_END_AT, rlx, blk);
	if (!(high & BVH_LEAF))
		lsched_st(&l->span[2 * (high - first) - 1], k | end << OBB_END_AT, rlx, blk);
	lsched_st(&l->span[2 * k - 1], span | OBB_SEEN, rlx, blk);
	obb_part_list(l, 2 * k - 1, end - from);
}

/* The spans of all nodes, and lists of them, in rounds: at most as many as the part has levels. All
 * threads. */
LSCHED_TASK_FN void obb_part_spans(lsched_range_items *x, obb_work *l, lsched_range it)
{
	for (uint32_t round = 0;; round++) {
		uint32_t more = 0;

		for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x)) {
			uint32_t span;

			if (k == 0 || !l->span[2 * k])
				continue; /* no node has this position */
			span = lsched_ld(&l->span[2 * k - 1], rlx, blk);
			if (span && !(span & OBB_SEEN))
				obb_part_divide(l, it.first, k, span);
			more |= !span;
		}
		if (lsched_thread(x) == 0)
			l->more[(round + 1) % 3] = 0; /* of two rounds before */
		if (more)
			lsched_st(&l->more[round % 3], 1u, rlx, blk);
		lsched_sync_item(x);
		if (!lsched_ld(&l->more[round % 3], rlx, blk))
			return;
	}
}

LSCHED_FN uint32_t obb_span_first(const obb_work *l, uint32_t entry)
{
	return l->span[entry] & 0xffffu;
}

LSCHED_FN uint32_t obb_span_end(const obb_work *l, uint32_t entry)
{
	return (l->span[entry] & ~OBB_SEEN) >> OBB_END_AT;
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
	for (uint32_t j = 0; j < 3; j++) {
		uint32_t old = lsched_ld(&to->word[j], rlx, blk), both;

		while ((both = bvh_max2(old, word[j])) != old &&
			!lsched_cas(&to->word[j], &old, both, rlx, blk))
			;
	}
}

/* The axes of all leaves and nodes, and the boxes of small ones. All threads. */
LSCHED_TASK_FN void obb_part_axes(
	lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it)
{
	const uint32_t leaves = l->leaves, few = leaves + l->nodes, all = few + l->larges;

	/* from the last thread on, as the first one is busy with the nodes above the part */
	LSCHED_NO_UNROLL
	for (uint32_t k = lsched_threads(x) - 1 - lsched_thread(x); k < all;
		k += lsched_threads(x)) {
		const uint32_t entry = k < leaves ? l->entry[k]
				       : k < few  ? l->entry[2 * BVH_SMALL - 1 - (k - leaves)]
						  : l->large[k - few].entry;
		const obb_sums s = obb_part_sums(l, entry);
		uint32_t word[3] = { 0, 0, 0 };
		obb_extent e = obb_no_extent();
		int32_t axis[3][3];

		obb_axes(&s, axis);
		if (k >= few) {
			obb_store_axes(l->large[k - few].axis, axis);
			continue;
		}
		LSCHED_NO_UNROLL
		for (uint32_t i = s.first; i < s.end; i++)
			obb_part_extend(l, i, &e, word, axis);
		c->box[2 * it.first + entry] = obb_finish(word, axis, e);
	}
}

/* The boxes of large nodes. All threads. */
LSCHED_TASK_FN void obb_part_larges(
	lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it)
{
	const uint32_t shares = l->shares < OBB_SHARES ? l->shares : OBB_SHARES;
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
	for (uint32_t k = lsched_thread(x); k < l->larges; k += lsched_threads(x)) {
		const obb_large *large = &l->large[k];

		obb_load_axes(axis, large->axis);
		LSCHED_UNROLL
		for (uint32_t j = 0; j < 6; j++)
			obb_set_key(&e, j, large->key[j]);
		c->box[2 * it.first + large->entry] = obb_finish(large->word, axis, e);
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
}

#endif
