/* The tree of N moves: items, and their programs where WL_FOURROW_PROGRAM is defined. */
#ifndef WORKLOADS_FOURROW_PLIES_H
#define WORKLOADS_FOURROW_PLIES_H

#include "workloads/fourrow/subtree.h"

LSCHED_FN uint32_t fr_plies_root(const fr_ctx *c, uint32_t i, fr_item *it)
{
	(void)i;
	it->position = c->root;
	it->join = LSCHED_JOIN_ROOT;
	it->info = 0;
	return 0;
}

/* Returns whether an item cannot change the root's value: of the joins above it those of one player
 * have a value that the other player does not allow. */
LSCHED_TASK_FN int fr_plies_useless(fr_items *x, uint32_t join)
{
	uint64_t alpha = 0, beta = ~UINT64_C(0);

	for (int own = 1; join != LSCHED_JOIN_ROOT; own = !own) {
		const uint64_t v = lsched_join_peek(x, join);

		if (own)
			alpha = v > alpha ? v : alpha;
		else
			beta = ~v < beta ? ~v : beta;
		join = lsched_join_up(x, join);
	}
	return alpha >= beta;
}

/* Returns the value of a position at which items end; adds the positions below it. */
LSCHED_TASK_FN int32_t fr_plies_leaf(const fr_ctx *c, fr_position p)
{
	uint64_t visited = 0;
	int32_t value;

	if (c->serial == 0)
		return fr_leaf(&c->board, p);
	value = fr_subtree_of(&c->board, p, c->serial, &visited);
	if (visited > 1)
		(void)lsched_add(c->visited, visited - 1, rlx, dev);
	return value;
}

LSCHED_TASK_FN lsched_result fr_plies_body(
	fr_items *x, const fr_ctx *c, lsched_no_local *l, uint32_t proc, fr_item it)
{
	const fr_position p = fr_unpack(&c->board, it.position);
	uint64_t moves = fr_playable(&c->board, p.both);
	fr_item child;

	(void)l;
	(void)proc;
	if (c->bounds && it.info && fr_plies_useless(x, it.join)) {
		lsched_return(x, it.join, 0);
		return LSCHED_DONE;
	}
	if (it.info + c->serial == c->plies || fr_ends(&c->board, p)) {
		const uint64_t v = fr_encode(fr_plies_leaf(c, p));

		lsched_return(x, it.join, it.info ? ~v : v);
		return LSCHED_DONE;
	}
	child.join = it.info ? lsched_fork_not(x, fr_count(moves), it.join)
			     : lsched_fork(x, fr_count(moves), it.join);
	child.info = it.info + 1;
	/* from the edges to the middle: the last one runs first */
	for (uint32_t k = c->board.width; k--;) {
		const uint32_t column = (uint32_t)(c->board.order >> 4 * k & 15u) - 1;
		const uint64_t cell = moves & fr_column(&c->board, column);

		if (!cell)
			continue;
		child.position = fr_pack(&c->board, fr_play(p, cell));
		lsched_emit(x, 0, &child);
	}
	return LSCHED_DONE;
}

#endif

#ifdef WL_FOURROW_PROGRAM
#define LSCHED_NAME      fourrow_plies
#define LSCHED_CTX       fr_ctx
#define LSCHED_ITEMS     fr_items
#define LSCHED_ROOT      fr_plies_root
#define LSCHED_BODY      fr_plies_body
#define LSCHED_MAX_SPAWN 9
#define LSCHED_JOINS
#define LSCHED_REDUCE_MAX
#define LSCHED_MIN_BLOCKS     6
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
