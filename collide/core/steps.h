/* Loops over vertices, boxes, leaves and candidates as an item program: an item is a block of
 * STEP_EACH elements, whose threads share it. The jobs:
 *	STEP_POSITIONS	copies positions of floats or doubles as doubles; bounds; checks
 *	STEP_BOXES	boxes of primitives over the step
 *	STEP_BOXES_COPY	copies boxes; checks
 *	STEP_LEAVES	nodes of leaves, and their records, for the walk of pairs
 *	STEP_CANDIDATES	checks pairs
 *	STEP_NOTHING	nothing, for its place in a stream
 * A check records the least number of a bad element. Compiled for CPU and GPU. */
#ifndef COLLIDE_CORE_STEPS_H
#define COLLIDE_CORE_STEPS_H

#include <float.h>
#include "collide/bvh/group.h"
#include "collide/pairs/contacts.h"
#include "collide/pairs/swept.h"

enum { STEP_POSITIONS, STEP_BOXES, STEP_BOXES_COPY, STEP_LEAVES, STEP_CANDIDATES, STEP_NOTHING };

enum { STEP_EACH = 512 };

/* Results of a job, by atomic operations; zero at first. */
typedef struct step_state {
	uint32_t bad_key; /* complement of the least bad number; 0: none */
	bvh_bounds bounds;
} step_state;

typedef struct step_ctx {
	uint32_t job, n;
	step_state *state;
	/* POSITIONS: from[0] start, from[1] end or NULL */
	const unsigned char *from[2];
	uint64_t stride;
	uint32_t is_double;
	double *to[2];
	/* BOXES, BOXES_COPY, LEAVES */
	const bvh_box *from_box;
	const uint32_t *vertex; /* [n][corners] */
	uint32_t corners;
	const double *start, *end;
	bvh_box *box;
	const bvh_leaf *leaf;
	col_node *leaf_node;
	col_corners *record;
	/* CANDIDATES: both numbers are below these */
	const col_pair *pair;
	uint32_t most[2];
} step_ctx;

typedef struct step_item {
	uint32_t block;
} step_item;
LSCHED_DECLARE_ITEMS(step_items, step_item);

LSCHED_FN uint32_t step_root(const step_ctx *c, uint32_t i, step_item *it)
{
	(void)c;
	it->block = i;
	return 0;
}

LSCHED_TASK_FN void step_bad(const step_ctx *c, uint32_t i)
{
	bvh_far_max(&c->state->bad_key, ~i);
}

/* Returns 0 for what is no finite float, and records it. */
LSCHED_TASK_FN double step_number(const step_ctx *c, uint32_t end, uint32_t i, uint32_t axis)
{
	const unsigned char *at = c->from[end] + c->stride * i;
	const double v = c->is_double ? ((const double *)at)[axis] : ((const float *)at)[axis];

	if (v >= -(double)FLT_MAX && v <= (double)FLT_MAX)
		return v;
	step_bad(c, i);
	return 0;
}

LSCHED_TASK_FN void step_position(const step_ctx *c, uint32_t i, bvh_bounds *b)
{
	for (uint32_t end = 0; end < 2; end++) {
		bvh_box box;

		if (!c->from[end])
			continue;
		for (uint32_t axis = 0; axis < 3; axis++) {
			const double v = step_number(c, end, i, axis);

			c->to[end][(size_t)i * 3 + axis] = v;
			box.lo[axis] = box.hi[axis] = (float)v + 0.0f;
		}
		bvh_bounds_add(b, &box);
	}
}

LSCHED_TASK_FN void step_copy_box(const step_ctx *c, uint32_t i)
{
	const bvh_box from = c->from_box[i];
	int ok = 1;

	for (uint32_t axis = 0; axis < 3; axis++) {
		const float lo = from.lo[axis], hi = from.hi[axis];

		ok &= lo >= -FLT_MAX && lo <= hi && hi <= FLT_MAX;
		c->box[i].lo[axis] = lo + 0.0f; /* no negative zeros */
		c->box[i].hi[axis] = hi + 0.0f;
	}
	if (!ok)
		step_bad(c, i);
}

LSCHED_TASK_FN void step_leaf(const step_ctx *c, uint32_t i)
{
	const uint32_t primitive = c->leaf[i].primitive;

	col_leaf_entries(c->leaf[i].box, primitive, i, c->vertex + (size_t)primitive * c->corners,
		c->corners, &c->leaf_node[i], &c->record[i]);
}

LSCHED_TASK_FN void step_candidate(const step_ctx *c, uint32_t i)
{
	const col_pair p = c->pair[i];

	if (p.a >= c->most[0] || p.b >= c->most[1])
		step_bad(c, i);
}

LSCHED_TASK_FN void step_one(const step_ctx *c, uint32_t i, bvh_bounds *b)
{
	switch (c->job) {
	case STEP_POSITIONS:
		step_position(c, i, b);
		break;
	case STEP_BOXES:
		col_swept_box(c->vertex + (size_t)i * c->corners, c->corners, c->start, c->end,
			&c->box[i]);
		break;
	case STEP_BOXES_COPY:
		step_copy_box(c, i);
		break;
	case STEP_LEAVES:
		step_leaf(c, i);
		break;
	case STEP_CANDIDATES:
		step_candidate(c, i);
		break;
	default:
		break;
	}
}

LSCHED_TASK_FN lsched_result step_body(
	step_items *x, const step_ctx *c, lsched_no_local *l, uint32_t proc, step_item it)
{
	const uint32_t begin = it.block * STEP_EACH, rest = c->n - begin;
	const uint32_t count = rest < STEP_EACH ? rest : (uint32_t)STEP_EACH;
	bvh_bounds b = { { 0, 0, 0, 0, 0, 0 } };

	(void)l;
	(void)proc;
	for (uint32_t k = lsched_thread(x); k < count; k += lsched_threads(x))
		step_one(c, begin + k, &b);
	if (c->job == STEP_POSITIONS)
		for (uint32_t k = 0; k < 6; k++)
			bvh_far_max(&c->state->bounds.key[k], b.key[k]);
	return LSCHED_DONE;
}

#endif

#ifdef COLLIDE_I_STEPS_PROGRAM
#undef COLLIDE_I_STEPS_PROGRAM
#define LSCHED_NAME       collide_i_steps
#define LSCHED_CTX        step_ctx
#define LSCHED_ITEMS      step_items
#define LSCHED_ROOT       step_root
#define LSCHED_BODY       step_body
#define LSCHED_GRAIN      warp
#define LSCHED_MIN_BLOCKS 8
#include <libsched/generate_items.h>
#endif
