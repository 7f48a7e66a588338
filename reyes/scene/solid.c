/* Constructive solid geometry: SolidBegin and SolidEnd. */
#include <stdio.h>
#include <string.h>
#include <reyes/ri.h>
#include "reyes/scene/blocks.h"
#include "reyes/scene/frame_arrays.h"

/* The innermost block that is a solid, up to `count` blocks; NULL: none. */
static reyes_i_block *innermost(reyes_renderer *r, size_t count)
{
	while (count > 0) {
		reyes_i_block *b = &r->blocks[--count];

		if (b->kind == REYES_I_BLOCK_SOLID && !b->ignored)
			return b;
	}
	return NULL;
}

reyes_status reyes_solid_begin(reyes_renderer *r, const char *operation)
{
	static const char *const names[] = { "primitive", "union", "intersection", "difference" };
	reyes_i_solid *node;
	reyes_i_block *b, *outer;
	uint32_t kind = 0, index;
	char why[240];

	REYES_I_ENTER(r, "SolidBegin", REYES_I_ANYWHERE, REYES_I_ENDS);
	if (!r->in_world || r->in_object)
		return reyes_i_block_open_ignored(r, REYES_I_BLOCK_SOLID,
			"only allowed in a world block; this solid block has no effect");
	while (kind < 4 && (!operation || strcmp(operation, names[kind]) != 0))
		kind++;
	if (kind == 4) {
		snprintf(why, sizeof(why),
			"\"%.100s\" is none of primitive, union, intersection and difference; "
			"this solid block has no effect",
			operation ? operation : "");
		return reyes_i_block_open_ignored(r, REYES_I_BLOCK_SOLID, why);
	}
	if (r->solid != REYES_I_NONE && r->solid_leaf)
		return reyes_i_block_open_ignored(r, REYES_I_BLOCK_SOLID,
			"not allowed in a \"primitive\" solid; this solid block has no effect");
	if (r->solid != REYES_I_NONE) {
		const reyes_i_solid *list = r->frame.solids.list;

		if (list[list[r->solid].root].tree_nodes >= REYES_I_SOLIDS_MAX)
			return reyes_i_block_open_ignored(r, REYES_I_BLOCK_SOLID,
				"a tree of solids has at most 256 nodes; this solid block has no "
				"effect");
	}
	node = reyes_i_add(&r->frame, solids, 1, &index);
	if (!node)
		return reyes_i_no_memory(r);
	if (reyes_i_block_open(r, REYES_I_BLOCK_SOLID, REYES_I_SAVE_CTM | REYES_I_SAVE_STATE, &b) !=
		REYES_OK) {
		r->frame.solids.count--;
		return REYES_ERR_NOMEM;
	}
	outer = innermost(r, r->block_count - 1);
	node->kind = kind;
	node->parent = r->solid;
	node->place = outer ? outer->children++ : 0;
	node->root = r->solid == REYES_I_NONE ? index : r->frame.solids.list[r->solid].root;
	r->frame.solids.list[node->root].tree_nodes++;
	b->solid = r->solid;
	b->is_leaf = kind == REYES_I_SOLID_PRIMITIVE;
	r->solid = index;
	r->solid_leaf = b->is_leaf;
	return REYES_OK;
}

reyes_status reyes_solid_end(reyes_renderer *r)
{
	return reyes_i_block_close(r, "SolidEnd", REYES_I_BLOCK_SOLID);
}
