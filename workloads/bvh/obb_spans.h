/* Fast memory of a block that fits the boxes of a part (obb_part.h): which triangles nodes have,
 * found from its root downwards, and lists of them. Compiled for CPU and GPU. */
#ifndef WORKLOADS_BVH_OBB_SPANS_H
#define WORKLOADS_BVH_OBB_SPANS_H

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
/* Large nodes, at most: there are more if the part is a chain. */
#ifndef OBB_LARGES
#define OBB_LARGES 256u
#endif

/* A node with more than OBB_FEW triangles. */
typedef struct obb_large {
	uint32_t key[6];  /* obb_key() of its extents */
	uint32_t half[6]; /* bounds of its corners: halves of words, as of obb_sums */
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
	uint32_t taken; /* leaves and nodes whose axes warps have begun */
	obb_large large[OBB_LARGES];
	uint16_t share[OBB_SHARES]; /* number in `large` x 64 + number of the share */
} obb_work;

/* With the stacks of eight procedures and the queue's words (prio: 1 KB) a block takes 99 KB at
 * most, all that compute capability 8.6, 8.9 and 12 have. */
LSCHED_I_STATIC_ASSERT(LSCHED_LANES == 1 || sizeof(obb_work) <= 89 * 1024,
	"fast memory of a block is larger than that of some devices");
LSCHED_I_STATIC_ASSERT(BVH_SMALL <= 64 * OBB_SHARE && BVH_SMALL * 64 <= OBB_NO_SHARE,
	"shares of a large node have no numbers");

/* Sets what threads add to after a barrier. */
LSCHED_TASK_FN void obb_part_clear(lsched_range_items *x, obb_work *l)
{
	if (lsched_thread(x) != 0)
		return;
	l->leaves = l->nodes = l->larges = l->shares = l->taken = 0;
	for (uint32_t j = 0; j < 6; j++)
		l->bounds[j] = 0;
	for (uint32_t j = 0; j < 3; j++)
		l->more[j] = 0;
}

LSCHED_FN uint32_t obb_shares_of(uint32_t count)
{
	return (count + OBB_SHARE - 1) / OBB_SHARE;
}

/* Lists a large leaf or node and its shares. Returns 0 without room. One thread. */
LSCHED_TASK_FN int obb_part_share(obb_work *l, uint32_t entry, uint32_t count)
{
	const uint32_t shares = obb_shares_of(count), at = BVH_NEAR_ADD(&l->shares, shares);
	const uint32_t number = BVH_NEAR_ADD(&l->larges, 1u);
	const int fits = at + shares <= OBB_SHARES && number < OBB_LARGES;

	if (number < OBB_LARGES) {
		l->large[number].entry = (uint16_t)(fits ? entry : OBB_NO_SHARE);
		LSCHED_UNROLL
		for (uint32_t k = 0; k < 6; k++)
			l->large[number].key[k] = l->large[number].half[k] = 0;
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

/* The spans of leaves, and the children of nodes; name: of the part. All threads. */
LSCHED_TASK_FN void obb_part_leaves(
	lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it, uint32_t name)
{
	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x)) {
		const uint32_t position = it.first + k, count = c->tree.leaf[position].count;

		if (!count)
			continue;
		l->span[2 * k] = k | (k + count) << OBB_END_AT;
		if (k == 0)
			continue;
		for (uint32_t j = 0; j < 2; j++)
			l->child[j][k] = c->tree.node[position].child[j];
	}
	if (lsched_thread(x) == 0 && !(name & BVH_LEAF))
		l->span[2 * (name - it.first) - 1] = it.count << OBB_END_AT;
}

/* A node that knows its span gives its children theirs. One thread. */
LSCHED_TASK_FN void obb_part_divide(obb_work *l, uint32_t first, uint32_t k, uint32_t span)
{
	const uint32_t from = span & 0xffffu, end = span >> OBB_END_AT;
	const uint32_t low = l->child[0][k], high = l->child[1][k];

	if (!(low & BVH_LEAF))
		lsched_st(&l->span[2 * (low - first) - 1], from | k << OBB_END_AT, rlx, blk);
	if (!(high & BVH_LEAF))
		lsched_st(&l->span[2 * (high - first) - 1], k | end << OBB_END_AT, rlx, blk);
	lsched_st(&l->span[2 * k - 1], span | OBB_SEEN, rlx, blk);
}

/* The spans of all nodes, in rounds: at most as many as the part has levels. All threads. */
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

/* Lists all leaves and nodes. All threads. */
LSCHED_TASK_FN void obb_part_lists(lsched_range_items *x, obb_work *l, lsched_range it)
{
	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x)) {
		if (!l->span[2 * k])
			continue;
		obb_part_list(l, 2 * k, obb_span_end(l, 2 * k) - k);
		if (k)
			obb_part_list(l, 2 * k - 1,
				obb_span_end(l, 2 * k - 1) - obb_span_first(l, 2 * k - 1));
	}
	lsched_sync_item(x);
}

#endif
