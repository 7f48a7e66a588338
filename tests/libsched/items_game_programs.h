/* Item programs of the tests: the value of a game tree by joins that return complements, with and
 * without bounds. The shape and the leaves of a tree come from a hash. A position's value is that
 * of the player to move. The file that includes this one defines ITEMS_GAME_PROGRAMS first to
 * generate the programs. */
#ifndef TESTS_LIBSCHED_ITEMS_GAME_PROGRAMS_H
#define TESTS_LIBSCHED_ITEMS_GAME_PROGRAMS_H

#include <libsched/items.h>

typedef struct game_ctx {
	uint64_t seed;
	uint32_t depth;  /* positions of this depth are leaves */
	uint32_t values; /* leaves have so many values, half of them below 2^63 */
	uint32_t bounds; /* 1: positions that cannot change the root's value are left out */
	uint32_t then;   /* 1: the root's join has a continuation */
	uint32_t *cuts;  /* positions that were left out */
} game_ctx;

typedef struct game_item {
	uint64_t name;
	uint32_t depth, join;
} game_item;
LSCHED_DECLARE_ITEMS(game_items, game_item);

LSCHED_FN uint64_t game_hash(uint64_t v)
{
	v = (v ^ v >> 31) * UINT64_C(0x9e3779b97f4a7c15);
	return v ^ v >> 29;
}

LSCHED_FN uint64_t game_child(uint64_t name, uint32_t k)
{
	return game_hash(name + k * UINT64_C(0x632be59bd9b4e019) + 1);
}

/* 0 to 4; 0: the position is a leaf. */
LSCHED_FN uint32_t game_children(const game_ctx *c, uint64_t name, uint32_t depth)
{
	if (depth >= c->depth)
		return 0;
	return depth < 3 ? 4 : (uint32_t)(name >> 40) % 5;
}

LSCHED_FN uint64_t game_leaf(const game_ctx *c, uint64_t name)
{
	return (UINT64_C(1) << 63) - c->values / 2 + (name >> 20) % c->values;
}

LSCHED_FN uint32_t game_root(const game_ctx *c, uint32_t i, game_item *it)
{
	it->name = game_hash(c->seed + i);
	it->depth = 0;
	it->join = LSCHED_JOIN_ROOT;
	return 0;
}

/* Returns whether the value of an item cannot change the root's: one of the player's joins has
 * already at least what the other player allows. `low`: joins keep minima of complements. */
LSCHED_TASK_FN int game_useless(game_items *x, uint32_t join, int low)
{
	uint64_t alpha = 0, beta = ~UINT64_C(0);

	for (int own = 1; join != LSCHED_JOIN_ROOT; own = !own) {
		const uint64_t v = low ? ~lsched_join_peek(x, join) : lsched_join_peek(x, join);

		if (own)
			alpha = v > alpha ? v : alpha;
		else
			beta = ~v < beta ? ~v : beta;
		join = lsched_join_up(x, join);
	}
	return alpha >= beta;
}

/* Procedure 1 is the continuation of the root's join. */
LSCHED_TASK_FN lsched_result game_step(
	game_items *x, const game_ctx *c, uint32_t proc, game_item it, int low)
{
	const uint32_t children = game_children(c, it.name, it.depth);
	const uint64_t flip = low ? ~UINT64_C(0) : 0;
	game_item child;

	if (proc == 1) {
		lsched_return(x, LSCHED_JOIN_ROOT, lsched_join_take(x, it.join));
		return LSCHED_DONE;
	}
	if (c->bounds && game_useless(x, it.join, low)) {
		(void)lsched_add(c->cuts, 1u, rlx, dev);
		lsched_return(x, it.join, flip);
		return LSCHED_DONE;
	}
	if (children == 0) {
		const uint64_t v = game_leaf(c, it.name) ^ flip;

		lsched_return(x, it.join, it.depth ? ~v : v);
		return LSCHED_DONE;
	}
	child = it;
	if (it.depth == 0 && c->then)
		child.join = lsched_fork_then(x, children, 1, &child, &child.join);
	else if (it.depth == 0)
		child.join = lsched_fork(x, children, it.join);
	else
		child.join = lsched_fork_not(x, children, it.join);
	child.depth++;
	for (uint32_t k = 0; k < children; k++) {
		child.name = game_child(it.name, k);
		lsched_emit(x, 0, &child);
	}
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result game_high(
	game_items *x, const game_ctx *c, lsched_no_local *l, uint32_t proc, game_item it)
{
	(void)l;
	return game_step(x, c, proc, it, 0);
}

LSCHED_TASK_FN lsched_result game_low(
	game_items *x, const game_ctx *c, lsched_no_local *l, uint32_t proc, game_item it)
{
	(void)l;
	return game_step(x, c, proc, it, 1);
}
#endif

#ifdef ITEMS_GAME_PROGRAMS
#define LSCHED_NAME      gamehigh
#define LSCHED_CTX       game_ctx
#define LSCHED_ITEMS     game_items
#define LSCHED_ROOT      game_root
#define LSCHED_BODY      game_high
#define LSCHED_PROCS     2
#define LSCHED_MAX_SPAWN 4
#define LSCHED_JOINS
#define LSCHED_REDUCE_MAX
#define LSCHED_CPU_LANES      4
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>

#define LSCHED_NAME      gamelow
#define LSCHED_CTX       game_ctx
#define LSCHED_ITEMS     game_items
#define LSCHED_ROOT      game_root
#define LSCHED_BODY      game_low
#define LSCHED_PROCS     2
#define LSCHED_MAX_SPAWN 4
#define LSCHED_JOINS
#define LSCHED_REDUCE_MIN
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate_items.h>
#endif
