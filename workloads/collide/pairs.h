/* Pairs of primitives whose boxes overlap, by walking two bounding volume hierarchies at once
 * (Lauterbach, Mo, Manocha 2009, section 4.3). An item is a pair of nodes whose boxes overlap; its
 * children are the pairs of their children that overlap, and pairs of primitives go to an output
 * stream. Self collision is the pair of a tree's root with itself. Compiled for CPU and GPU. */
#ifndef WORKLOADS_COLLIDE_PAIRS_H
#define WORKLOADS_COLLIDE_PAIRS_H

#include <libsched/items.h>

/* What is paired. The numbers of primitives are their positions among their kind. */
enum { COL_FACES, COL_VERTEX_FACE, COL_EDGES, COL_KINDS };

/* A closed box. */
typedef struct col_box {
	float lo[3], hi[3];
} col_box;

/* Names of nodes: an inner node's number, or a leaf's position with COL_LEAF. */
#define COL_LEAF UINT32_C(0x80000000)

/* An inner node has the boxes of its children, so that an item reads two nodes to test four
 * pairs. */
typedef struct col_node {
	col_box box[2];
	uint32_t child[2];
	uint32_t pad[2];
} col_node;

typedef struct col_leaf {
	col_box box;
	uint32_t primitive;
	uint32_t pad;
} col_leaf;

/* The tree of `leaves` primitives; node 0 is its root. One leaf has a tree without nodes. */
typedef struct col_tree {
	const col_node *node;     /* [leaves - 1] */
	const col_leaf *leaf;     /* [leaves] */
	const uint32_t *vertex;   /* [primitive][corners] */
	uint32_t leaves, corners; /* corners: 1 vertices, 2 edges, 3 faces */
} col_tree;

typedef struct col_pair {
	uint32_t a, b; /* a < b of one tree; else the primitives of both trees */
} col_pair;

/* Pairs that did not fit are counted, but not stored. */
typedef struct col_output {
	uint64_t *count;
	col_pair *pair; /* [capacity] */
	uint64_t capacity;
} col_output;

typedef struct col_ctx {
	col_tree tree[COL_KINDS][2]; /* of self collision the same twice */
	col_output out[COL_KINDS];
	uint32_t kind[COL_KINDS]; /* of root i */
	uint32_t self;            /* bit k: kind k pairs a tree with itself */
} col_ctx;

/* A pair of nodes. Bits 29 and 30 of `b` are the kind. */
typedef struct col_item {
	uint32_t a, b;
} col_item;
LSCHED_DECLARE_ITEMS(col_items, col_item);

enum { COL_KIND_SHIFT = 29, COL_MAX_LEAVES = 1 << 29 };

LSCHED_FN uint32_t col_kind(col_item it)
{
	return it.b >> COL_KIND_SHIFT & 3u;
}

LSCHED_FN uint32_t col_root_name(const col_tree *t)
{
	return t->leaves > 1 ? 0 : COL_LEAF;
}

LSCHED_FN uint32_t col_root(const col_ctx *c, uint32_t i, col_item *it)
{
	const uint32_t kind = c->kind[i];

	it->a = col_root_name(&c->tree[kind][0]);
	it->b = col_root_name(&c->tree[kind][1]) | kind << COL_KIND_SHIFT;
	return 0;
}

LSCHED_FN int col_overlap(const col_box *a, const col_box *b)
{
	return a->lo[0] <= b->hi[0] && b->lo[0] <= a->hi[0] && a->lo[1] <= b->hi[1] &&
	       b->lo[1] <= a->hi[1] && a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
}

/* Returns nonzero if two primitives have a common vertex: they touch always. */
LSCHED_FN int col_adjacent(const col_tree *s, uint32_t a, const col_tree *t, uint32_t b)
{
	for (uint32_t i = 0; i < s->corners; i++)
		for (uint32_t j = 0; j < t->corners; j++)
			if (s->vertex[a * s->corners + i] == t->vertex[b * t->corners + j])
				return 1;
	return 0;
}

/* A CPU worker walks on from its item for some steps, and makes items of what is left then: an item
 * costs as much as two steps. It appends its pairs together, because threads that append one by one
 * wait for the counter most of the time. */
enum { COL_CPU_STEPS = 256, COL_CPU_STACK = 128, COL_CPU_PAIRS = 64 };

typedef struct col_stack {
	uint32_t n, pairs;
	col_item item[COL_CPU_STACK];
	col_pair pair[COL_CPU_PAIRS];
} col_stack;

/* Appends pairs to the output of a kind. */
LSCHED_TASK_FN void col_append(const col_output *out, const col_pair *pair, uint32_t n)
{
	const uint64_t first = lsched_add(out->count, (uint64_t)n, rlx, dev);

	for (uint32_t i = 0; i < n; i++)
		if (first + i < out->capacity)
			out->pair[first + i] = pair[i];
}

/* Stores a pair of leaves, unless they are adjacent. */
LSCHED_TASK_FN void col_store(
	const col_ctx *c, col_stack *stack, uint32_t kind, uint32_t a, uint32_t b)
{
	const col_tree *s = &c->tree[kind][0], *t = &c->tree[kind][1];
	const uint32_t p = s->leaf[a & ~COL_LEAF].primitive, q = t->leaf[b & ~COL_LEAF].primitive;
	const int swap = (c->self >> kind & 1u) && p > q;
	const col_pair pair = { swap ? q : p, swap ? p : q };

	if (col_adjacent(s, p, t, q))
		return;
	if (!stack) {
		col_append(&c->out[kind], &pair, 1);
		return;
	}
	if (stack->pairs == COL_CPU_PAIRS) {
		col_append(&c->out[kind], stack->pair, stack->pairs);
		stack->pairs = 0;
	}
	stack->pair[stack->pairs++] = pair;
}

/* Two nodes whose boxes overlap: a pair of primitives, or one for the stack, without a stack an
 * item. */
LSCHED_TASK_FN void col_visit(
	col_items *x, const col_ctx *c, col_stack *stack, uint32_t kind, uint32_t a, uint32_t b)
{
	const col_item it = { a, b | kind << COL_KIND_SHIFT };

	if (a & b & COL_LEAF)
		col_store(c, stack, kind, a, b);
	else if (stack)
		stack->item[stack->n++] = it;
	else
		lsched_emit(x, 0, &it);
}

/* The boxes of a node's children, or the box of a leaf. Returns their number. */
LSCHED_TASK_FN uint32_t col_open(const col_tree *t, uint32_t node, col_box box[2], uint32_t name[2])
{
	if (node & COL_LEAF) {
		if (!t->leaves) /* an empty tree's root */
			return 0;
		box[0] = box[1] = t->leaf[node & ~COL_LEAF].box;
		name[0] = name[1] = node;
		return 1;
	}
	for (int k = 0; k < 2; k++) {
		box[k] = t->node[node].box[k];
		name[k] = t->node[node].child[k];
	}
	return 2;
}

/* Goes from a pair of nodes to those of its children's that overlap. */
LSCHED_TASK_FN void col_expand(col_items *x, const col_ctx *c, col_stack *stack, col_item it)
{
	const uint32_t kind = col_kind(it), b = it.b & ~(3u << COL_KIND_SHIFT);
	const uint32_t same = (c->self >> kind & 1u) && it.a == b;
	col_box box_a[2], box_b[2];
	uint32_t name_a[2], name_b[2];
	const uint32_t n = col_open(&c->tree[kind][0], it.a, box_a, name_a);
	const uint32_t m = col_open(&c->tree[kind][1], b, box_b, name_b);

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t j = 0; j < m; j++) {
			if (same && i > j)
				continue;     /* (right, left) is (left, right) */
			if (same && i == j) { /* a leaf does not meet itself */
				if (!(name_a[i] & COL_LEAF))
					col_visit(x, c, stack, kind, name_a[i], name_b[j]);
			} else if (col_overlap(&box_a[i], &box_b[j])) {
				col_visit(x, c, stack, kind, name_a[i], name_b[j]);
			}
		}
}

LSCHED_TASK_FN lsched_result col_body(
	col_items *x, const col_ctx *c, lsched_no_local *l, uint32_t proc, col_item it)
{
	(void)l;
	(void)proc;
#ifdef __CUDACC__
	col_expand(x, c, NULL, it);
#else
	{
		col_stack stack;

		stack.n = stack.pairs = 0;

		col_expand(x, c, &stack, it);
		for (uint32_t step = 1; stack.n && stack.n + 4 <= COL_CPU_STACK; step++) {
			if (step == COL_CPU_STEPS)
				break;
			col_expand(x, c, &stack, stack.item[--stack.n]);
		}
		col_append(&c->out[col_kind(it)], stack.pair, stack.pairs);
		for (uint32_t i = 0; i < stack.n; i++)
			lsched_emit(x, 0, &stack.item[i]);
	}
#endif
	return LSCHED_DONE;
}

#endif

#ifdef WL_COLLIDE_PROGRAM
#undef WL_COLLIDE_PROGRAM
#define LSCHED_NAME  col
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
