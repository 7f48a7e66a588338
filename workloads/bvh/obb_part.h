/* The boxes of a part, a subtree of at most BVH_SMALL triangles, by the threads of a block in fast
 * memory. Positions are relative to the part; its leaves and nodes have the places of obb_at(),
 * relative to that of its first leaf. Compiled for CPU and GPU.
 *
 * The triangles of a node follow one another, so its sums are differences of sums over all that
 * come before a position; only spans and bounds climb. */
#ifndef WORKLOADS_BVH_OBB_PART_H
#define WORKLOADS_BVH_OBB_PART_H

#include "collide/bvh/body.h"
#include "workloads/bvh/obb_axes.h"

enum {
	OBB_FEW = 8,   /* triangles of a node whose extents one thread finds */
	OBB_SHARE = 8, /* of those of a larger node, for each thread */
	OBB_RUN = 31,  /* positions that a thread adds up; odd: lanes are in different banks */
	OBB_RUNS = (BVH_SMALL + OBB_RUN - 1) / OBB_RUN,
	OBB_NO_SHARE = 0xffff
};
/* Shares of all large nodes, at most: a balanced tree has 400. A test sets its own number. */
#ifndef OBB_SHARES
#define OBB_SHARES 2048u
#endif

/* Positions of a node or leaf, and bounds of its corners as of obb_sums. */
typedef struct obb_span {
	uint16_t first, end;
	uint32_t word[3];
} BVH_ALIGN16 obb_span;

/* A node with more than OBB_FEW triangles. */
typedef struct obb_large {
	uint32_t key[6]; /* obb_key() of its extents */
	int16_t axis[3][3];
	uint16_t entry;
} obb_large;

typedef struct obb_work {
	lsched_group_room group;
	obb_corners corners[BVH_SMALL];
	/* of a triangle; then of those of its run up to it, which begins every OBB_RUN positions */
	int64_t product[6][OBB_RUNS * OBB_RUN];
	int32_t sum[3][OBB_RUNS * OBB_RUN];
	int64_t before[9][OBB_RUNS]; /* of a run; then of the runs before it */
	obb_span span[2 * BVH_SMALL];
	uint32_t up[BVH_SMALL];        /* of nodes, as bvh_ctx.up */
	uint32_t arrived[BVH_SMALL];   /* the first child of a node, plus 1 */
	uint16_t entry[2 * BVH_SMALL]; /* of leaves, and of nodes from the last one down */
	uint32_t leaves, nodes, larges, shares;
	obb_large large[BVH_SMALL]; /* fewer, since leaves have triangles */
	uint16_t share[OBB_SHARES]; /* number in `large` x 64 + number of the share */
} obb_work;

LSCHED_I_STATIC_ASSERT(BVH_SMALL <= 64 * OBB_SHARE && BVH_SMALL * 64 <= OBB_NO_SHARE,
	"shares of a large node have no numbers");

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

/* Rounds the corners of all triangles. All threads. */
LSCHED_TASK_FN void obb_part_corners(
	lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it)
{
	const obb_frame frame = obb_make_frame(c);

	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x)) {
		const uint32_t position = it.first + k;
		obb_sums s = { { 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0 }, 0, 0 };
		obb_corners g;

		l->arrived[k] = 0;
		l->up[k] = c->tree.up[position];
		obb_add_triangle(&s, &g, &frame, &c->triangle[c->tree.order[position]]);
		c->corners[position] = l->corners[k] = g;
		LSCHED_UNROLL
		for (uint32_t j = 0; j < 6; j++)
			l->product[j][k] = s.product[j];
		LSCHED_UNROLL
		for (uint32_t j = 0; j < 3; j++) {
			l->sum[j][k] = (int32_t)s.sum[j];
			l->span[2 * k].word[j] = s.word[j];
		}
	}
	if (lsched_thread(x) == 0)
		l->leaves = l->nodes = l->larges = l->shares = 0;
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
			l->large[number].key[k] = 0;
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

/* Gives the span of a leaf to the nodes above it, up to the one below `top`, and lists them. One
 * thread. The addition orders the spans of both children; compute-sanitizer's racecheck, which sees
 * barriers only, reports them. */
LSCHED_TASK_FN void obb_part_climb(
	obb_work *l, uint32_t first, uint32_t top, uint32_t link, uint32_t entry)
{
	obb_span s = l->span[entry];

	while (link != top) {
		const uint32_t at = (link >> 1) - first;
		const uint32_t was = lsched_add(&l->arrived[at], entry + 1, ar, blk);
		obb_span other;

		if (!was)
			return;
		other = l->span[was - 1];
		s.first = other.first < s.first ? other.first : s.first;
		s.end = other.end > s.end ? other.end : s.end;
		bvh_extend(s.word, other.word);
		entry = 2 * at - 1;
		l->span[entry] = s;
		obb_part_list(l, entry, (uint32_t)s.end - s.first);
		link = l->up[at];
	}
}

/* The spans of all leaves and nodes, and lists of them. All threads. */
LSCHED_TASK_FN void obb_part_spans(
	lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it)
{
	for (uint32_t k = lsched_thread(x); k < it.count; k += lsched_threads(x)) {
		const uint32_t position = it.first + k, count = c->tree.leaf[position].count;
		obb_span *s = &l->span[2 * k];

		if (!count)
			continue;
		s->first = (uint16_t)k;
		s->end = (uint16_t)(k + count);
		for (uint32_t j = 1; j < count; j++)
			bvh_extend(s->word, s[2 * j].word);
		obb_part_list(l, 2 * k, count);
		obb_part_climb(l, it.first, it.join, c->tree.leaf_up[position], 2 * k);
	}
}

/* The sums of a leaf or node, when those before each run are known. */
LSCHED_TASK_FN obb_sums obb_part_sums(const obb_work *l, uint32_t entry)
{
	const obb_span *span = &l->span[entry];
	const uint32_t last = span->end - 1u, last_run = last / OBB_RUN;
	obb_sums s = { { 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 }, { 0, 0, 0 }, span->first, span->end };

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 6; k++)
		s.product[k] = l->product[k][last] + l->before[k][last_run];
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		s.sum[k] = l->sum[k][last] + l->before[k + 6][last_run];
		s.word[k] = span->word[k];
	}
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

/* The axes of all leaves and nodes, and the boxes of small ones. All threads. */
LSCHED_TASK_FN void obb_part_axes(
	lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it)
{
	const uint32_t leaves = l->leaves, few = leaves + l->nodes, all = few + l->larges;

	LSCHED_NO_UNROLL
	for (uint32_t k = lsched_thread(x); k < all; k += lsched_threads(x)) {
		const uint32_t entry = k < leaves ? l->entry[k]
				       : k < few  ? l->entry[2 * BVH_SMALL - 1 - (k - leaves)]
						  : l->large[k - few].entry;
		const obb_sums s = obb_part_sums(l, entry);
		obb_extent e = obb_no_extent();
		int32_t axis[3][3];

		obb_axes(&s, axis);
		if (k >= few) {
			obb_store_axes(l->large[k - few].axis, axis);
			continue;
		}
		LSCHED_NO_UNROLL
		for (uint32_t i = s.first; i < s.end; i++)
			obb_extend(&e, axis, &l->corners[i]);
		c->box[2 * it.first + entry] = obb_finish(s.word, axis, e);
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
		obb_large *large;
		const obb_span *span;
		uint32_t step;

		if (share == OBB_NO_SHARE)
			continue;
		large = &l->large[share / 64];
		span = &l->span[large->entry];
		step = obb_shares_of((uint32_t)span->end - span->first);
		obb_load_axes(axis, large->axis);
		e = obb_no_extent();
		/* neighbouring threads have neighbouring triangles */
		LSCHED_NO_UNROLL
		for (uint32_t i = span->first + share % 64; i < span->end; i += step)
			obb_extend(&e, axis, &l->corners[i]);
		LSCHED_UNROLL
		for (uint32_t j = 0; j < 6; j++)
			BVH_NEAR_MAX(&large->key[j], obb_key(&e, j));
	}
	lsched_sync_item(x);
	for (uint32_t k = lsched_thread(x); k < l->larges; k += lsched_threads(x)) {
		const obb_large *large = &l->large[k];

		obb_load_axes(axis, large->axis);
		LSCHED_UNROLL
		for (uint32_t j = 0; j < 6; j++)
			obb_set_key(&e, j, large->key[j]);
		c->box[2 * it.first + large->entry] =
			obb_finish(l->span[large->entry].word, axis, e);
	}
}

/* Before a barrier: what sums need. All threads. Afterwards obb_part_boxes(). */
LSCHED_TASK_FN void obb_part_prepare(
	lsched_range_items *x, const obb_ctx *c, obb_work *l, lsched_range it)
{
	const uint32_t runs = (it.count + OBB_RUN - 1) / OBB_RUN;

	obb_part_corners(x, c, l, it);
	lsched_sync_item(x);
	for (uint32_t k = lsched_thread(x); k < 9 * runs; k += lsched_threads(x))
		obb_part_run(l, k / runs, k % runs, it.count);
	obb_part_spans(x, c, l, it);
	lsched_sync_item(x);
	for (uint32_t k = lsched_thread(x); k < 9; k += lsched_threads(x)) {
		int64_t sum = 0;

		for (uint32_t run = 0; run < runs; run++) {
			const int64_t own = l->before[k][run];

			l->before[k][run] = sum;
			sum += own;
		}
	}
	lsched_sync_item(x);
}

#endif
