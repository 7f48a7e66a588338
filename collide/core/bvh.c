/* Trees of the caller's boxes. */
#include "collide/core/tree.h"

#include <inttypes.h>
#include <stdlib.h>

struct collide_bvh {
	collide_ctx *ctx;
	uint32_t leaf_most;
	collide_i_tree tree;
};

collide_status collide_bvh_create(collide_bvh **out, collide_ctx *ctx, uint32_t leaf_most)
{
	collide_bvh *b;

	if (out)
		*out = NULL;
	if (!out || !ctx)
		return collide_i_fail(COLLIDE_ERR_ARG, "collide_bvh_create: an argument is NULL");
	if (leaf_most < 1 || leaf_most > COLLIDE_MAX_LEAF)
		return collide_i_fail(COLLIDE_ERR_ARG,
			"collide_bvh_create: leaf_most is %" PRIu32 "; it must be 1 to %d",
			leaf_most, COLLIDE_MAX_LEAF);
	b = calloc(1, sizeof(*b));
	if (!b)
		return collide_i_no_memory("a tree", sizeof(*b));
	b->ctx = ctx;
	b->leaf_most = leaf_most;
	*out = b;
	return COLLIDE_OK;
}

void collide_bvh_destroy(collide_bvh **bvh)
{
	if (!bvh || !*bvh)
		return;
	collide_i_tree_free((*bvh)->ctx, &(*bvh)->tree);
	free(*bvh);
	*bvh = NULL;
}

/* Copies the caller's boxes to the tree and checks them. */
static collide_status load(
	collide_bvh *b, const collide_box *box, uint32_t n, collide_memory memory)
{
	collide_ctx *c = b->ctx;
	step_ctx k = { .job = STEP_BOXES_COPY, .n = n, .box = b->tree.box };
	const void *from;
	uint32_t bad;
	collide_status st = COLLIDE_OK;

	if (memory == COLLIDE_HOST && c->is_cuda)
		st = collide_i_grow(c, &c->input, (uint64_t)n * sizeof(*box));
	if (st == COLLIDE_OK)
		st = collide_i_input(c, box, n * sizeof(*box), memory, 0, &from);
	if (st != COLLIDE_OK)
		return st;
	k.from_box = from;
	st = collide_i_step(c, &k, &bad, NULL);
	if (st == COLLIDE_OK && bad != COLLIDE_NONE)
		st = collide_i_fail(COLLIDE_ERR_VALUE,
			"box %" PRIu32 " is not finite, or a lo exceeds its hi", bad);
	return st;
}

static collide_status check(const char *name, const collide_bvh *b, const collide_box *box,
	uint32_t n, collide_memory memory)
{
	if (!b || (n && !box))
		return collide_i_fail(COLLIDE_ERR_ARG, "%s: an argument is NULL", name);
	if (!collide_i_is_aligned(box))
		return collide_i_fail(COLLIDE_ERR_ARG, "%s: box is not aligned to 4 bytes", name);
	if (!collide_i_memory_is_valid(memory))
		return collide_i_fail(COLLIDE_ERR_ARG, "%s: memory %d is none of collide_memory",
			name, (int)memory);
	return COLLIDE_OK;
}

collide_status collide_bvh_build(
	collide_bvh *bvh, const collide_box *box, uint32_t n, collide_memory memory)
{
	collide_status st = check("collide_bvh_build", bvh, box, n, memory);

	if (st != COLLIDE_OK)
		return st;
	bvh->tree.serial = 0;
	st = collide_i_begin(bvh->ctx);
	if (st == COLLIDE_OK)
		st = collide_i_tree_reserve(bvh->ctx, &bvh->tree, n, 0);
	if (st != COLLIDE_OK)
		return st;
	bvh->tree.bvh.n = n;
	st = load(bvh, box, n, memory);
	return st == COLLIDE_OK ? collide_i_tree_build(bvh->ctx, &bvh->tree, bvh->leaf_most) : st;
}

collide_status collide_bvh_refit(
	collide_bvh *bvh, const collide_box *box, uint32_t n, collide_memory memory)
{
	collide_status st = check("collide_bvh_refit", bvh, box, n, memory);

	if (st != COLLIDE_OK)
		return st;
	if (!bvh->tree.serial || bvh->tree.bvh.n != n)
		return collide_i_fail(COLLIDE_ERR_STATE,
			"collide_bvh_refit: there is no tree of %" PRIu32 " boxes", n);
	st = collide_i_begin(bvh->ctx);
	if (st == COLLIDE_OK)
		st = load(bvh, box, n, memory);
	if (st == COLLIDE_OK)
		return collide_i_tree_refit(bvh->ctx, &bvh->tree);
	bvh->tree.serial = 0;
	return st;
}

collide_status collide_bvh_tree(const collide_bvh *bvh, collide_tree *out)
{
	collide_status st;

	collide_i_tree_view_none(out);
	if (!bvh || !out)
		return collide_i_fail(COLLIDE_ERR_ARG, "collide_bvh_tree: an argument is NULL");
	if (!bvh->tree.serial)
		return collide_i_fail(COLLIDE_ERR_STATE, "collide_bvh_tree: there is no tree");
	st = collide_i_begin(bvh->ctx);
	return st == COLLIDE_OK ? collide_i_tree_view(bvh->ctx, &bvh->tree, out) : st;
}
