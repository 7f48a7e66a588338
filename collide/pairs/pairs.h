/* Pairs of primitives whose boxes overlap, by walking two bounding volume hierarchies at once
 * (Lauterbach, Mo, Manocha 2009, section 4.3). An item is a pair of nodes whose boxes overlap; its
 * children are the pairs of their children that overlap, and pairs of primitives go to an output
 * stream. Self collision is the pair of a tree's root with itself. Compiled for CPU and GPU. */
#ifndef COLLIDE_PAIRS_PAIRS_H
#define COLLIDE_PAIRS_PAIRS_H

#include <collide/collide.h>
#include <math.h>
#include <libsched/items.h>
#include <libsched/stream.h>

/* What is paired. The numbers of primitives are their positions among their kind. */
enum { COL_FACES, COL_VERTEX_FACE, COL_EDGES, COL_KINDS };

typedef collide_box col_box;

/* Names of nodes: an inner node's number, or a leaf's position with COL_LEAF. */
#define COL_LEAF COLLIDE_LEAF

/* Read in units of 16 bytes. */
#define COL_ALIGNED __attribute__((aligned(16)))

/* An inner node has the boxes of its children, so that an item reads two nodes to test four pairs.
 * A leaf has a node, too, whose first child is itself; the second box is of NaN and overlaps
 * nothing, so that all nodes are opened alike. */
typedef struct COL_ALIGNED col_node {
	col_box box[2];
	uint32_t child[2];
	uint32_t pad[2];
} col_node;

/* A leaf as the construction of the tree makes it. */
typedef struct col_leaf {
	col_box box;
	uint32_t primitive;
	uint32_t pad;
} col_leaf;

/* What a pair of leaves needs, in one unit: corners beyond those of the primitive repeat the
 * first. */
typedef struct COL_ALIGNED col_corners {
	uint32_t primitive, vertex[3];
} col_corners;

/* The tree of `leaves` primitives; node 0 is its root, if it has more than one leaf. */
typedef struct col_tree {
	const col_node *node;       /* [leaves - 1], inner ones */
	const col_node *leaf_node;  /* [leaves] */
	const col_corners *corners; /* [leaves] */
	uint32_t leaves;
} col_tree;

typedef collide_pair col_pair; /* a < b of one tree; else the primitives of both trees */
LSCHED_DECLARE_STREAM(col_pairs, col_pair);

/* A pair of nodes. Bits 29 and 30 of `b` are the kind. */
typedef struct col_item {
	uint32_t a, b;
} col_item;
LSCHED_DECLARE_ITEMS(col_items, col_item);

typedef struct col_ctx {
	col_tree tree[COL_KINDS][2]; /* of self collision the same twice */
	col_pairs out[COL_KINDS];
	const col_item *front; /* root i: a cut through the pairs of nodes, see front.c */
	uint32_t self;         /* bit k: kind k pairs a tree with itself */
	uint32_t other;        /* COL_OTHER_MESH: the second trees are of another mesh; or 0 */
	float margin;          /* largest gap between the boxes of a pair */
} col_ctx;

/* Added to the vertices of the second tree, so that they are none of the first. */
#define COL_OTHER_MESH UINT32_C(0x80000000)

enum { COL_KIND_SHIFT = 29, COL_MAX_LEAVES = 1 << 29 };

LSCHED_FN uint32_t col_kind(col_item it)
{
	return it.b >> COL_KIND_SHIFT & 3u;
}

/* The node of the second tree. */
LSCHED_FN uint32_t col_node_b(col_item it)
{
	return it.b & ~(3u << COL_KIND_SHIFT);
}

LSCHED_FN col_item col_item_of(uint32_t kind, uint32_t a, uint32_t b)
{
	col_item it;

	it.a = a;
	it.b = b | kind << COL_KIND_SHIFT;
	return it;
}

/* The primitives of two leaves, in their order if both are of one tree. */
LSCHED_FN col_pair col_pair_of(uint32_t self, uint32_t a, uint32_t b)
{
	const uint32_t swap = self && a > b;
	col_pair p;

	p.a = swap ? b : a;
	p.b = swap ? a : b;
	return p;
}

LSCHED_FN uint32_t col_root_name(const col_tree *t)
{
	return t->leaves > 1 ? 0 : COL_LEAF;
}

LSCHED_FN uint32_t col_root(const col_ctx *c, uint32_t i, col_item *it)
{
	*it = c->front[i];
	return 0;
}

/* Whether the gap between two boxes is at most `margin` along each axis. Rounded differences are
 * monotone, so that boxes around these two have no larger gap; without a margin the comparison is
 * exact. */
LSCHED_FN int col_overlap(const col_box *a, const col_box *b, float margin)
{
	return a->lo[0] - b->hi[0] <= margin && b->lo[0] - a->hi[0] <= margin &&
	       a->lo[1] - b->hi[1] <= margin && b->lo[1] - a->hi[1] <= margin &&
	       a->lo[2] - b->hi[2] <= margin && b->lo[2] - a->hi[2] <= margin;
}

/* A box that overlaps nothing. */
LSCHED_FN void col_no_box(col_box *b)
{
	LSCHED_UNROLL
	for (int axis = 0; axis < 3; axis++)
		b->lo[axis] = b->hi[axis] = NAN;
}

/* Returns nonzero if two primitives have a common vertex: they touch always. `other`: as in
 * col_ctx. */
LSCHED_FN int col_adjacent(const col_corners *p, const col_corners *q, uint32_t other)
{
	int common = 0;

	LSCHED_UNROLL
	for (int i = 0; i < 3; i++)
		LSCHED_UNROLL
	for (int j = 0; j < 3; j++)
		common |= p->vertex[i] == (q->vertex[j] ^ other);
	return common;
}

LSCHED_FN const col_node *col_node_of(const col_tree *t, uint32_t name)
{
	return name & COL_LEAF ? &t->leaf_node[name & ~COL_LEAF] : &t->node[name];
}

#ifdef __CUDACC__
/* The pairs below a pair of nodes whose boxes overlap. Slot 2 i + j is child i with child j. An
 * index that is no constant would move the arrays from registers to memory. */
typedef struct col_step {
	uint32_t items, leaves; /* bits of slots: pairs of nodes; of leaves */
	uint32_t kind;
	uint32_t name_a[2], name_b[2];
} col_step;

/* Goes from a pair of nodes to those of its children's that overlap. A lane reads both nodes as a
 * whole, and tests all slots, because other lanes do. */
LSCHED_TASK_FN void col_expand(const col_ctx *c, col_item it, col_step *s)
{
	const uint32_t kind = col_kind(it), b = col_node_b(it);
	const uint32_t same = (c->self >> kind & 1u) && it.a == b;
	const col_node node_a = *col_node_of(&c->tree[kind][0], it.a);
	const col_node node_b = *col_node_of(&c->tree[kind][1], b);

	s->kind = kind;
	s->items = s->leaves = 0;
	LSCHED_UNROLL
	for (uint32_t slot = 0; slot < 4; slot++) {
		const uint32_t i = slot / 2, j = slot % 2;
		const uint32_t leaf = node_a.child[i] & node_b.child[j] & COL_LEAF;
		/* (right, left) of a node with itself is (left, right); a leaf does not meet
		 * itself, a node always */
		const uint32_t always = same && i == j && !leaf;
		const uint32_t never = same && (i > j || (i == j && leaf));

		if (never || !(always || col_overlap(&node_a.box[i], &node_b.box[j], c->margin)))
			continue;
		s->leaves |= leaf ? 1u << slot : 0;
		s->items |= leaf ? 0 : 1u << slot;
	}
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 2; k++) {
		s->name_a[k] = node_a.child[k];
		s->name_b[k] = node_b.child[k];
	}
}

/* The pairs of primitives of a step, in the same slots. */
typedef struct col_found {
	uint32_t pairs; /* bits */
	uint32_t a[2], b[2];
} col_found;

/* Selects the pairs of leaves without a common vertex. The records of all leaves are read before
 * the first is used, so that their latencies overlap. */
LSCHED_TASK_FN void col_judge_leaves(const col_ctx *c, const col_step *s, col_found *f)
{
	const col_corners *a = c->tree[s->kind][0].corners, *b = c->tree[s->kind][1].corners;
	col_corners p[2], q[2];

	f->pairs = 0;
	if (!s->leaves)
		return;
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 2; k++) {
		if (s->leaves & 3u << 2 * k)
			p[k] = a[s->name_a[k] & ~COL_LEAF];
		if (s->leaves & 5u << k)
			q[k] = b[s->name_b[k] & ~COL_LEAF];
	}
	LSCHED_UNROLL
	for (uint32_t slot = 0; slot < 4; slot++)
		if ((s->leaves >> slot & 1u) && !col_adjacent(&p[slot / 2], &q[slot % 2], c->other))
			f->pairs |= 1u << slot;
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 2; k++) {
		if (f->pairs & 3u << 2 * k)
			f->a[k] = p[k].primitive;
		if (f->pairs & 5u << k)
			f->b[k] = q[k].primitive;
	}
}

/* A lane appends the pairs of its item together, at the end, where the lanes of the warp share one
 * addition: 26 pairs each in cloth-ball. */
LSCHED_TASK_FN lsched_result col_body(
	col_items *x, const col_ctx *c, lsched_no_local *l, uint32_t proc, col_item it)
{
	const uint32_t kind = col_kind(it), self = c->self >> kind & 1u;
	const col_pairs *out = &c->out[kind];
	col_step s;
	col_found f;
	uint64_t at;

	(void)l;
	(void)proc;
	col_expand(c, it, &s);
	LSCHED_UNROLL
	for (uint32_t slot = 0; slot < 4; slot++)
		if (s.items >> slot & 1u) {
			const col_item next =
				col_item_of(kind, s.name_a[slot / 2], s.name_b[slot % 2]);

			lsched_emit(x, 0, &next);
		}
	col_judge_leaves(c, &s, &f);
	at = lsched_append(&out->any, lsched_popcount(f.pairs));
	LSCHED_UNROLL
	for (uint32_t slot = 0; slot < 4; slot++)
		if ((f.pairs >> slot & 1u) && at != LSCHED_NO_PLACE)
			col_pairs_elements(out)[at++] =
				col_pair_of(self, f.a[slot / 2], f.b[slot % 2]);
	return LSCHED_DONE;
}
#else
/* A CPU worker walks on from its item for some steps, and makes items of what is left then: an item
 * costs as much as two steps. It appends its pairs together, because threads that append one by one
 * wait for the counter most of the time. */
enum { COL_CPU_STEPS = 256, COL_CPU_STACK = 128, COL_CPU_PAIRS = 64 };

typedef struct col_stack {
	uint32_t n, pairs;
	col_item item[COL_CPU_STACK];
	col_pair pair[COL_CPU_PAIRS];
} col_stack;

/* Goes from a pair of nodes to those of its children's that overlap: appends up to four items and
 * pairs of primitives to arrays of *items and *pairs elements. */
static inline void col_walk_step(const col_ctx *c, col_item it, col_item *item, uint32_t *items,
	col_pair *pair, uint32_t *pairs)
{
	const uint32_t kind = col_kind(it), b = col_node_b(it), self = c->self >> kind & 1u;
	const uint32_t same = self && it.a == b;
	const col_tree *s = &c->tree[kind][0], *t = &c->tree[kind][1];
	const col_node *node_a = col_node_of(s, it.a), *node_b = col_node_of(t, b);
	const uint32_t n = it.a & COL_LEAF ? 1 : 2, m = b & COL_LEAF ? 1 : 2;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = same ? i : 0; j < m; j++) {
			const uint32_t name_a = node_a->child[i], name_b = node_b->child[j];
			const uint32_t leaf = name_a & name_b & COL_LEAF;

			/* a leaf does not meet itself, a node always */
			if (same && i == j
					? leaf
					: !col_overlap(&node_a->box[i], &node_b->box[j], c->margin))
				continue;
			if (leaf) {
				const col_corners *p = &s->corners[name_a & ~COL_LEAF];
				const col_corners *q = &t->corners[name_b & ~COL_LEAF];

				if (!col_adjacent(p, q, c->other))
					pair[(*pairs)++] =
						col_pair_of(self, p->primitive, q->primitive);
			} else {
				item[(*items)++] = col_item_of(kind, name_a, name_b);
			}
		}
}

static inline lsched_result col_body(
	col_items *x, const col_ctx *c, lsched_no_local *l, uint32_t proc, col_item it)
{
	const col_pairs *out = &c->out[col_kind(it)];
	col_stack k;

	(void)l;
	(void)proc;
	k.n = k.pairs = 0;
	col_walk_step(c, it, k.item, &k.n, k.pair, &k.pairs);
	for (uint32_t step = 1; k.n && step < COL_CPU_STEPS; step++) {
		if (k.n + 4 > COL_CPU_STACK)
			break;
		it = k.item[--k.n];
		col_walk_step(c, it, k.item, &k.n, k.pair, &k.pairs);
		if (k.pairs + 4 > COL_CPU_PAIRS) {
			(void)col_pairs_append(out, k.pair, k.pairs);
			k.pairs = 0;
		}
	}
	(void)col_pairs_append(out, k.pair, k.pairs);
	for (uint32_t i = 0; i < k.n; i++)
		lsched_emit(x, 0, &k.item[i]);
	return LSCHED_DONE;
}
#endif
#endif

#ifdef COLLIDE_I_PAIRS_PROGRAM
#undef COLLIDE_I_PAIRS_PROGRAM
#define LSCHED_NAME  collide_i_pairs
#define LSCHED_CTX   col_ctx
#define LSCHED_ITEMS col_items
#define LSCHED_ROOT  col_root
#define LSCHED_BODY  col_body
#ifdef __CUDACC__
#define LSCHED_MAX_SPAWN 4
#else
#define LSCHED_MAX_SPAWN COL_CPU_STACK
#define LSCHED_STACK     512
#endif
#define LSCHED_MIN_BLOCKS     8
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
