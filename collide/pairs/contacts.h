/* Which candidate pairs touch within the step, and when first: the search of query.h as a tree of
 * items, a cell each. Cells that begin later than a contact that is known are dropped; the earliest
 * time found does not depend on the order. Compiled for CPU and GPU. */
#ifndef COLLIDE_PAIRS_CONTACTS_H
#define COLLIDE_PAIRS_CONTACTS_H

#include "collide/pairs/pairs.h"
#include "collide/pairs/query.h"

#define COL_NEVER UINT32_MAX

/* Numbers of the candidates that touch, each once. */
LSCHED_DECLARE_STREAM(cont_touching, uint32_t);

/* Candidates of one kind: COL_VERTEX_FACE or COL_EDGES. */
typedef struct cont_ctx {
	/* of the meshes of col_pair.a and .b: [vertex][3], and the vertices of the primitives */
	const double *start[2], *end[2];
	const uint32_t *vertex[2];
	const col_pair *pair;
	uint32_t *time; /* [pair] in units of 2^-20 of the step; COL_NEVER: they do not touch */
	double tolerance;
	cont_touching touching;
	uint32_t is_edges, candidates;
} cont_ctx;

typedef struct cont_item {
	uint32_t pair, code_lo, code_hi;
} cont_item;
LSCHED_DECLARE_ITEMS(cont_items, cont_item);

/* An item judges this many cells before it leaves the rest to others. */
enum { CONT_STEPS = 6 };

LSCHED_FN uint32_t cont_root(const cont_ctx *c, uint32_t i, cont_item *it)
{
	(void)c;
	it->pair = i;
	it->code_lo = (uint32_t)COL_CELL_ALL;
	it->code_hi = (uint32_t)(COL_CELL_ALL >> 32);
	return 0;
}

/* Loads vertex `from` of a mesh as number k. */
LSCHED_TASK_FN void cont_load_vertex(
	const cont_ctx *c, int mesh, uint32_t from, int k, col_query *q)
{
	for (int axis = 0; axis < 3; axis++) {
		q->start[k][axis] = c->start[mesh][(size_t)from * 3 + (uint32_t)axis];
		q->end[k][axis] = c->end[mesh][(size_t)from * 3 + (uint32_t)axis];
	}
}

LSCHED_TASK_FN void cont_load(const cont_ctx *c, uint32_t pair, col_query *q)
{
	const col_pair p = c->pair[pair];
	const int first = c->is_edges ? 2 : 1;

	q->is_edges = (int)c->is_edges;
	for (int k = 0; k < first; k++)
		cont_load_vertex(c, 0, c->vertex[0][p.a * (uint32_t)first + (uint32_t)k], k, q);
	for (int k = first; k < 4; k++)
		cont_load_vertex(c, 1,
			c->vertex[1][p.b * (uint32_t)(4 - first) + (uint32_t)(k - first)], k, q);
}

/* Lowers the time of a candidate. The first contact that is found, of which there is one, appends
 * the candidate; its time may still become less. */
LSCHED_TASK_FN void cont_touch(const cont_ctx *c, uint32_t pair, uint32_t time)
{
	uint32_t old = lsched_ld(&c->time[pair], rlx, dev);

	while (time < old) {
		if (!lsched_cas(&c->time[pair], &old, time, rlx, dev))
			continue;
		if (old == COL_NEVER)
			(void)cont_touching_append(&c->touching, &pair, 1);
		return;
	}
}

LSCHED_TASK_FN void cont_leave(cont_items *x, uint32_t pair, const col_cell *cell)
{
	const uint64_t code = col_cell_code(cell);
	const cont_item it = { pair, (uint32_t)code, (uint32_t)(code >> 32) };

	lsched_emit(x, 0, &it);
}

LSCHED_TASK_FN lsched_result cont_body(
	cont_items *x, const cont_ctx *c, lsched_no_local *l, uint32_t proc, cont_item it)
{
	col_cell cell = col_cell_decode(it.code_lo | (uint64_t)it.code_hi << 32), upper;
	col_query q;

	(void)l;
	(void)proc;
	if (it.pair >= c->candidates) /* a run has at least one root */
		return LSCHED_DONE;
	cont_load(c, it.pair, &q);
	for (int step = 0; step < CONT_STEPS; step++) {
		int parameter = 0;
		col_verdict v = COL_APART;

		if (col_cell_time(&cell) < lsched_ld(&c->time[it.pair], rlx, dev))
			v = col_judge(&q, &cell, c->tolerance, &parameter);
		if (v == COL_TOUCH)
			cont_touch(c, it.pair, col_cell_time(&cell));
		if (v != COL_SPLIT)
			return LSCHED_DONE;
		/* the newest item runs first: the lower half of time, then the upper one */
		upper = col_half(&cell, parameter, 1);
		cell = col_half(&cell, parameter, 0);
		cont_leave(x, it.pair, &upper);
	}
	cont_leave(x, it.pair, &cell);
	return LSCHED_DONE;
}

#endif

#ifdef COLLIDE_I_CONTACTS_PROGRAM
#undef COLLIDE_I_CONTACTS_PROGRAM
#define LSCHED_NAME           collide_i_contacts
#define LSCHED_CTX            cont_ctx
#define LSCHED_ITEMS          cont_items
#define LSCHED_ROOT           cont_root
#define LSCHED_BODY           cont_body
#define LSCHED_MAX_SPAWN      7
#define LSCHED_MIN_BLOCKS     4
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
