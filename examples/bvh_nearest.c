/* bvh_nearest [N]: builds a bounding volume hierarchy of N boxes (100,000 without an argument) in
 * the memory of a GPU, or of the host, copies it to the host, and finds the box that is nearest to
 * each of some points, by the tree and by all boxes. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <collide/collide.h>

enum { BOXES = 100000, MOST_BOXES = 10000000, POINTS = 100 };

/* A tree in host memory. */
typedef struct host_tree {
	uint32_t root;
	collide_node *node;
	collide_leaf *leaf;
	uint32_t *order;
	uint32_t *stack; /* an entry for each primitive: of the walk */
} host_tree;

static int failed(void)
{
	fprintf(stderr, "%s\n", collide_last_error());
	return 1;
}

static float random_float(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return (float)(*state >> 8) / (1 << 24);
}

/* Small boxes in the unit cube. */
static void make_boxes(collide_box *box, uint32_t n)
{
	uint32_t state = 1;

	for (uint32_t i = 0; i < n; i++)
		for (int k = 0; k < 3; k++) {
			box[i].lo[k] = random_float(&state);
			box[i].hi[k] = box[i].lo[k] + 0.01f * random_float(&state);
		}
}

/* Returns the squared distance between a point and a box; 0 inside. */
static float distance(const collide_box *box, const float at[3])
{
	float sum = 0;

	for (int k = 0; k < 3; k++) {
		const float below = box->lo[k] - at[k], above = at[k] - box->hi[k];
		const float d = below > 0 ? below : above > 0 ? above : 0;

		sum += d * d;
	}
	return sum;
}

/* Returns the least squared distance. A child whose box is farther than the best one found so far
 * is not visited; the nearer child is visited first. */
static float nearest(const host_tree *t, const collide_box *box, const float at[3])
{
	uint32_t *stack = t->stack, top = 0;
	float best = 1e30f;

	if (t->root != COLLIDE_NONE)
		stack[top++] = t->root;
	while (top) {
		const uint32_t name = stack[--top], p = name & ~COLLIDE_LEAF;
		const collide_node *n = &t->node[p];
		float d[2];
		int near;

		if (name & COLLIDE_LEAF) {
			for (uint32_t i = 0; i < t->leaf[p].count; i++) {
				d[0] = distance(&box[t->order[p + i]], at);
				best = d[0] < best ? d[0] : best;
			}
			continue;
		}
		d[0] = distance(&n->box[0], at);
		d[1] = distance(&n->box[1], at);
		near = d[1] < d[0];
		if (d[!near] < best)
			stack[top++] = n->child[!near];
		if (d[near] < best)
			stack[top++] = n->child[near];
	}
	return best;
}

/* Copies a tree to the host. Returns 0, or -1 without memory or after an error of the library. */
static int copy_tree(collide_ctx *ctx, const collide_tree *from, host_tree *to)
{
	const size_t n = from->primitives;

	to->root = from->root;
	to->node = malloc((n + 1) * sizeof(*to->node));
	to->leaf = malloc((n + 1) * sizeof(*to->leaf));
	to->order = malloc((n + 1) * sizeof(*to->order));
	to->stack = malloc((n + 1) * sizeof(*to->stack));
	return to->node && to->leaf && to->order && to->stack &&
			       !collide_mem_read(
				       ctx, to->node, from->node, n * sizeof(*to->node)) &&
			       !collide_mem_read(
				       ctx, to->leaf, from->leaf, n * sizeof(*to->leaf)) &&
			       !collide_mem_read(
				       ctx, to->order, from->order, n * sizeof(*to->order))
		       ? 0
		       : -1;
}

/* Compares the tree with all boxes. Returns the number of points with another distance. */
static int compare(const host_tree *t, const collide_box *box, uint32_t n)
{
	uint32_t state = 2;
	int wrong = 0;

	for (int i = 0; i < POINTS; i++) {
		const float at[3] = { random_float(&state), random_float(&state),
			random_float(&state) };
		float best = 1e30f;

		for (uint32_t k = 0; k < n; k++) {
			const float d = distance(&box[k], at);

			best = d < best ? d : best;
		}
		wrong += nearest(t, box, at) != best;
	}
	return wrong;
}

int main(int argc, char **argv)
{
	const unsigned long argument = argc > 1 ? strtoul(argv[1], NULL, 10) : BOXES;
	const uint32_t n = argument <= MOST_BOXES ? (uint32_t)argument : MOST_BOXES;
	collide_box *box = malloc(((size_t)n + 1) * sizeof(*box));
	host_tree host = { COLLIDE_NONE, NULL, NULL, NULL, NULL };
	collide_ctx *ctx = NULL;
	collide_bvh *bvh = NULL;
	collide_tree tree;
	int bad;

	if (!box)
		return 1;
	make_boxes(box, n);
	collide_tree_init(&tree);
	bad = collide_open(&ctx, NULL) || collide_bvh_create(&bvh, ctx, 4) ||
	      collide_bvh_build(bvh, box, n, COLLIDE_HOST) || collide_bvh_tree(bvh, &tree) ||
	      copy_tree(ctx, &tree, &host);
	if (bad) {
		bad = failed();
	} else {
		bad = compare(&host, box, n);
		printf("%" PRIu32 " boxes on %s: %d of %d points have another distance\n", n,
			collide_ctx_device_name(ctx), bad, POINTS);
	}
	free(host.node);
	free(host.leaf);
	free(host.order);
	free(host.stack);
	free(box);
	collide_bvh_destroy(&bvh);
	collide_close(&ctx);
	return bad != 0;
}
