/* The result of `bvh`: its structure, its boxes against those of the primitives, and its nodes
 * against the truth. */
#include "workloads/bvh/host.h"
#include "workloads/common/memory.h"

#include <inttypes.h>
#include <stdlib.h>

/* A node or leaf to be looked at: the positions that it must have, and its box as its parent has it
 * (NULL: the root). */
typedef struct visit {
	uint32_t name, first, end, depth;
	const bvh_box *box;
} visit;

static int equal(const bvh_box *a, const bvh_box *b)
{
	for (int k = 0; k < 3; k++)
		if (a->lo[k] != b->lo[k] || a->hi[k] != b->hi[k])
			return 0;
	return 1;
}

/* The leaf's primitives ascend, are not in another leaf, and fill its box. */
static int check_leaf(const bvh_ctx *c, const bvh_box *box, const visit *v, unsigned char *seen,
	char *why, size_t n)
{
	const uint32_t first = v->name & ~BVH_LEAF, count = v->end - v->first;
	const bvh_leaf *leaf = &c->leaf[v->first];
	bvh_box all = { { 0 }, { 0 } };

	if (!count || first != v->first || leaf->count != count || count > c->leaf_most)
		return wl_fail(why, n,
			"the leaf at position %" PRIu32 " has %" PRIu32
			" primitives; positions %" PRIu32 " to %" PRIu32 " were left for it",
			first, leaf->count, v->first, v->end - 1);
	for (uint32_t i = v->first; i < v->end; i++) {
		const uint32_t number = c->order[i];

		if (number >= c->n || seen[number]++ ||
			(i > v->first && number < c->order[i - 1]) ||
			(i > v->first && c->leaf[i].count))
			return wl_fail(why, n,
				"primitive %" PRIu32 " at position %" PRIu32 " is wrong", number,
				i);
		if (i == v->first)
			all = box[number];
		bvh_box_extend(&all, &box[number]);
	}
	if (leaf->primitive == c->order[first] && equal(&all, &leaf->box) &&
		(!v->box || equal(&all, v->box)))
		return 0;
	return wl_fail(why, n, "the box of the leaf at position %" PRIu32 " is wrong", first);
}

/* The node is between its positions, and its box is that of its children. */
static int check_node(const bvh_ctx *c, const visit *v, char *why, size_t n)
{
	const bvh_node *node;
	bvh_box all;

	if (v->name <= v->first || v->name >= v->end)
		return wl_fail(why, n,
			"node %" PRIu32 " does not split positions %" PRIu32 " to %" PRIu32,
			v->name, v->first, v->end - 1);
	node = &c->node[v->name];
	all = node->box[0];
	bvh_box_extend(&all, &node->box[1]);
	if (v->depth > BVH_MAX_DEPTH || (v->box && !equal(&all, v->box)))
		return wl_fail(why, n,
			"node %" PRIu32 " has another box than its parent has for it, or is at "
			"depth %" PRIu32,
			v->name, v->depth);
	return 0;
}

static int walk(const bvh_ctx *c, const bvh_box *box, bvh_facts *f, visit *stack,
	unsigned char *seen, char *why, size_t n)
{
	uint32_t depth = 0;

	stack[depth++] = (visit){ c->top->root, 0, c->n, 0, NULL };
	while (depth) {
		const visit v = stack[--depth];
		const bvh_node *node = &c->node[v.name];

		f->depth = v.depth > f->depth ? v.depth : f->depth;
		if (v.name & BVH_LEAF) {
			if (check_leaf(c, box, &v, seen, why, n))
				return -1;
			f->leaves++;
			f->cost += bvh_half_area(&c->leaf[v.first].box) * (v.end - v.first);
			continue;
		}
		if (check_node(c, &v, why, n))
			return -1;
		f->inner++;
		if (v.box)
			f->cost += bvh_half_area(v.box);
		stack[depth++] =
			(visit){ node->child[1], v.name, v.end, v.depth + 1, &node->box[1] };
		stack[depth++] =
			(visit){ node->child[0], v.first, v.name, v.depth + 1, &node->box[0] };
	}
	return 0;
}

int bvh_check_tree(const bvh_ctx *c, const bvh_box *box, bvh_facts *f, char *why, size_t n)
{
	unsigned char *seen;
	visit *stack;
	int bad;

	memset(f, 0, sizeof(*f));
	if (c->n == 0) {
		if (c->top->root == BVH_NONE)
			return 0;
		return wl_fail(why, n, "the tree of no primitives has a root");
	}
	seen = calloc(1, c->n);
	stack = malloc((2 * BVH_MAX_DEPTH + 4) * sizeof(*stack));
	if (!seen || !stack) {
		free(seen);
		free(stack);
		return wl_no_memory(c->n, why, n);
	}
	bad = walk(c, box, f, stack, seen, why, n);
	free(seen);
	free(stack);
	if (!bad && !(c->top->root & BVH_LEAF)) {
		const bvh_node *root = &c->node[c->top->root];
		bvh_box all = root->box[0];

		bvh_box_extend(&all, &root->box[1]);
		f->cost = bvh_half_area(&all) > 0 ? f->cost / bvh_half_area(&all) + 1 : 0;
		if (memcmp(root, &c->node[0], offsetof(bvh_node, pad)) != 0)
			return wl_fail(why, n, "node 0 is not the root");
	} else if (!bad) {
		f->cost = c->n;
	}
	return bad;
}

int bvh_check_same(const bvh_ctx *c, const bvh_ctx *truth, char *why, size_t n)
{
	uint32_t bad = c->n;

	if (c->top->root != truth->top->root)
		return wl_fail(why, n, "the root is %" PRIu32 ", not %" PRIu32, c->top->root,
			truth->top->root);
	for (uint32_t i = 0; i < c->n && bad == c->n; i++) {
		const bvh_node *a = &c->node[i], *b = &truth->node[i];

		if (c->order[i] != truth->order[i] || c->leaf[i].count != truth->leaf[i].count ||
			a->child[0] != b->child[0] || a->child[1] != b->child[1])
			bad = i;
	}
	if (bad == c->n)
		return 0;
	return wl_fail(why, n,
		"position %" PRIu32 " has primitive %" PRIu32 ", not %" PRIu32
		", or node or leaf %" PRIu32 " is another one",
		bad, c->order[bad], truth->order[bad], bad);
}
