/* Which candidate pairs touch within the step, and when first: an item is the search of a candidate
 * (search.h), which emits itself again after some cells, so that the lanes of a warp end together.
 * Compiled for CPU and GPU. */
#ifndef COLLIDE_PAIRS_CONTACTS_H
#define COLLIDE_PAIRS_CONTACTS_H

#include "collide/pairs/pairs.h"
#include "collide/pairs/point.h"

/* Numbers of the candidates that touch, each once. */
LSCHED_DECLARE_STREAM(cont_touching, uint32_t);

/* Candidates of one kind: COL_VERTEX_FACE or COL_EDGES. */
typedef struct cont_ctx {
	/* of the meshes of col_pair.a and .b: [vertex][3], and the vertices of the primitives */
	const double *start[2], *end[2];
	const uint32_t *vertex[2];
	const col_pair *pair;
	uint32_t *time; /* [pair] in units of 2^-20 of the step; COL_NEVER: they do not touch */
	collide_contact *contact; /* [pair], then `time` is not written; or NULL */
	double tolerance;
	cont_touching touching;
	uint32_t is_edges, candidates;
} cont_ctx;

typedef struct cont_item {
	uint32_t pair;
	col_search search;
} cont_item;
LSCHED_DECLARE_ITEMS(cont_items, cont_item);

/* Cells that an item judges before it emits itself. */
enum { CONT_CELLS = 6 };

LSCHED_FN uint32_t cont_root(const cont_ctx *c, uint32_t i, cont_item *it)
{
	(void)c;
	it->pair = i;
	col_search_begin(&it->search);
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

LSCHED_TASK_FN lsched_result cont_body(
	cont_items *x, const cont_ctx *c, lsched_no_local *l, uint32_t proc, cont_item it)
{
	col_query q;

	(void)l;
	(void)proc;
	if (it.pair >= c->candidates) /* a run has at least one root */
		return LSCHED_DONE;
	cont_load(c, it.pair, &q);
	if (!col_search_run(&it.search, &q, c->tolerance, CONT_CELLS)) {
		lsched_emit(x, 0, &it);
		return LSCHED_DONE;
	}
	if (c->contact)
		col_contact_point(&it.search, &q, &c->contact[it.pair]);
	else
		c->time[it.pair] = it.search.best;
	if (it.search.best != COL_NEVER)
		(void)cont_touching_append(&c->touching, &it.pair, 1);
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
#define LSCHED_MAX_SPAWN      1
#define LSCHED_MIN_BLOCKS     4
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
