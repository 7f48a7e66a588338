#include "collide/core/tree.h"

#include <inttypes.h>
#include <string.h>
#include "collide/bvh/arrays.h"
#include "libsched/core/sized.h"

_Static_assert(sizeof(collide_node) == sizeof(col_node), "one layout");
_Static_assert(offsetof(collide_node, child) == offsetof(col_node, child), "one layout");
_Static_assert(COLLIDE_MAX_PRIMITIVES == BVH_MAX_BOXES, "one limit");
_Static_assert(COLLIDE_MAX_LEAF == BVH_MAX_LEAF, "one limit");

void collide_i_tree_free(collide_ctx *c, collide_i_tree *t)
{
	if (t->has_arrays)
		collide_i_bvh_free(c->sched, &t->bvh);
	lsched_mem_free(c->sched, t->box);
	lsched_mem_free(c->sched, t->leaf_node);
	lsched_mem_free(c->sched, t->corners);
	memset(t, 0, sizeof(*t));
}

static collide_status reserve(collide_ctx *c, collide_i_tree *t, uint32_t n, int is_walked)
{
	const uint64_t room = n ? n : 1;
	collide_status st;
	lsched_status s;

	t->bvh.n = n;
	t->has_arrays = 1;
	s = collide_i_bvh_alloc(c->sched, &t->bvh);
	if (s != LSCHED_OK)
		return collide_i_sched_fail(s, lsched_last_error(c->sched));
	st = collide_i_alloc(c, (void **)&t->box, room * sizeof(*t->box));
	if (st == COLLIDE_OK && is_walked)
		st = collide_i_alloc(c, (void **)&t->leaf_node, room * sizeof(*t->leaf_node));
	if (st == COLLIDE_OK && is_walked)
		st = collide_i_alloc(c, (void **)&t->corners, room * sizeof(*t->corners));
	t->room = n;
	t->bvh.box = t->box;
	return st;
}

collide_status collide_i_tree_reserve(collide_ctx *c, collide_i_tree *t, uint32_t n, int is_walked)
{
	collide_status st;

	if (n > COLLIDE_MAX_PRIMITIVES)
		return collide_i_fail(COLLIDE_ERR_UNSUPPORTED,
			"%" PRIu32 " primitives are more than %" PRIu32, n, COLLIDE_MAX_PRIMITIVES);
	if (t->has_arrays && n <= t->room)
		return COLLIDE_OK;
	collide_i_tree_free(c, t);
	st = reserve(c, t, n, is_walked);
	if (st != COLLIDE_OK)
		collide_i_tree_free(c, t);
	return st;
}

/* Runs the program; a tree of no primitives needs none. */
static collide_status run(collide_ctx *c, collide_i_tree *t, uint32_t phase)
{
	collide_status st = COLLIDE_OK;
	int again = 1;

	t->bvh.phase = phase;
	while (st == COLLIDE_OK && again && t->bvh.n) {
		/* an execution that has failed may have left odd numbers of arrivals */
		st = collide_i_zero(c, t->bvh.arrived, t->bvh.n * sizeof(*t->bvh.arrived));
		if (st == COLLIDE_OK)
			st = collide_i_execute(c, COLLIDE_I_BVH, &t->bvh, 1, t->bvh.n, &again);
	}
	return st;
}

collide_status collide_i_tree_build(collide_ctx *c, collide_i_tree *t, uint32_t leaf_most)
{
	collide_status st;

	t->serial = 0;
	t->bvh.leaf_most = leaf_most;
	st = run(c, t, BVH_BUILD_ALL);
	if (st == COLLIDE_OK)
		t->serial = ++c->serials;
	return st;
}

collide_status collide_i_tree_refit(collide_ctx *c, collide_i_tree *t)
{
	const collide_status st = run(c, t, BVH_REFIT_ALL);

	if (st != COLLIDE_OK)
		t->serial = 0;
	return st;
}

static const collide_tree none = { .struct_bytes = sizeof(none), .root = COLLIDE_NONE };

void collide_tree_init_sized(collide_tree *t, size_t struct_bytes)
{
	if (t)
		lsched_i_sized_init(t, struct_bytes, sizeof(none), &none);
}

void collide_i_tree_view_none(collide_tree *out)
{
	if (out)
		(void)lsched_i_sized_out(
			out, sizeof(none), LSCHED_I_SIZE_TO(collide_tree, root), &none);
}

collide_status collide_i_tree_view(collide_ctx *c, const collide_i_tree *t, collide_tree *out)
{
	collide_tree tree = { sizeof(tree), t->bvh.node, t->bvh.leaf, t->bvh.order, t->bvh.n,
		COLLIDE_NONE };
	bvh_top top = { .root = BVH_NONE };
	const collide_status st =
		t->bvh.n ? collide_i_read(c, &top, t->bvh.top, sizeof(top)) : COLLIDE_OK;

	if (st != COLLIDE_OK)
		return st;
	if (top.root != BVH_NONE)
		tree.root = top.root & BVH_LEAF ? COLLIDE_LEAF : 0;
	return collide_i_write_sized(
		"collide_tree", out, sizeof(tree), LSCHED_I_SIZE_TO(collide_tree, root), &tree);
}
