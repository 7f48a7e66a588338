/* The nodes: the positions of a search that are split into their moves, and those moves. All
 * workers share them, each position is one node, whichever moves lead to it, and none is removed.
 * A node has the numbers of proof-number search (Allis et al. 1994): about how much is left to
 * search until the position is known to be reached, and to be missed. They lead the workers; what
 * is solved is exact. Compiled for CPU and GPU. */
#ifndef WORKLOADS_FOURROW_NODES_H
#define WORKLOADS_FOURROW_NODES_H

#include "workloads/fourrow/search.h"

/* The effort of a leaf, and one that is endless: the other number of a solved position is 0. Fields
 * of the word of a node: the question, which is not 0, whether it is split, both efforts. */
enum {
	FR_EFFORT = 16,
	FR_ENDLESS = (1 << 28) - 1,
	FR_ASKED_BITS = 7,
	FR_SPLIT_BIT = 7,
	FR_REACH_SHIFT = 8,
	FR_MISS_SHIFT = 36
};

/* Places to look at for a position; then there is no room for it. */
enum { FR_PROBES = 64 };

/* What is added to the effort of a leaf for each move of its player, and for its place in the order
 * of its parent's moves. */
enum { FR_MOVE_EFFORT = FR_EFFORT, FR_RANK_EFFORT = 2 * FR_EFFORT };

typedef struct fr_numbers {
	uint32_t reach, miss, split;
} fr_numbers;

/* Returns the node of a position, or NULL if there is no room. */
LSCHED_TASK_FN fr_node *fr_node_of(const fr_ctx *c, uint64_t position)
{
	const uint64_t mask = (UINT64_C(1) << c->node_bits) - 1;
	uint64_t v = position * UINT64_C(0x9e3779b97f4a7c15);
	fr_node *n = NULL;

	v = (v ^ v >> 32) * UINT64_C(0xd6e8feb86659fd93);
	v ^= v >> 32;
	for (uint32_t k = 0; k < FR_PROBES && !n; k++) {
		fr_node *at = c->nodes + ((v + k) & mask);
		uint64_t there = lsched_ld(&at->position, rlx, dev);

		if (!there)
			(void)lsched_cas(&at->position, &there, position, rlx, dev);
		n = !there || there == position ? at : NULL;
	}
	return n;
}

/* `asked`: the score asked of positions with as many stones as the root, or an even number more,
 * plus FR_BIAS. A node of another question counts as a leaf that was never visited. */
LSCHED_TASK_FN fr_numbers fr_node_numbers(fr_node *n, uint32_t asked)
{
	const uint64_t word = lsched_ld(&n->numbers, rlx, dev);
	fr_numbers v;

	v.reach = v.miss = FR_EFFORT;
	v.split = 0;
	if ((word & ((1u << FR_ASKED_BITS) - 1u)) != asked)
		return v;
	v.split = (uint32_t)(word >> FR_SPLIT_BIT & 1u);
	v.reach = (uint32_t)(word >> FR_REACH_SHIFT) & FR_ENDLESS;
	v.miss = (uint32_t)(word >> FR_MISS_SHIFT);
	return v;
}

/* The same in all lanes of a group. */
LSCHED_TASK_FN fr_numbers fr_group_numbers(fr_group g, fr_node *n, uint32_t asked)
{
	fr_numbers v = fr_node_numbers(n, asked);

	v.reach = fr_from(g, v.reach, 0);
	v.miss = fr_from(g, v.miss, 0);
	v.split = fr_from(g, v.split, 0);
	return v;
}

LSCHED_TASK_FN uint32_t fr_node_asked(fr_node *n)
{
	return (uint32_t)lsched_ld(&n->numbers, rlx, dev) & ((1u << FR_ASKED_BITS) - 1u);
}

LSCHED_TASK_FN void fr_node_store(fr_node *n, uint32_t asked, fr_numbers v)
{
	lsched_st(&n->numbers,
		(uint64_t)v.miss << FR_MISS_SHIFT | (uint64_t)v.reach << FR_REACH_SHIFT |
			(uint64_t)v.split << FR_SPLIT_BIT | asked,
		rlx, dev);
}

LSCHED_FN int fr_is_solved(fr_numbers v)
{
	return !v.reach || !v.miss;
}

LSCHED_FN fr_numbers fr_solved(int reached)
{
	fr_numbers v;

	v.reach = reached ? 0 : FR_ENDLESS;
	v.miss = reached ? FR_ENDLESS : 0;
	v.split = 1;
	return v;
}

/* The score asked of a position with so many stones. */
LSCHED_FN int32_t fr_asks(const fr_ctx *c, uint32_t asked, uint32_t stones)
{
	const int32_t score = (int32_t)asked - FR_BIAS;

	return (stones - c->stones) & 1u ? 1 - score : score;
}

/* Whether a position with so many stones may be split. */
LSCHED_FN int fr_may_split(const fr_board *b, uint32_t stones)
{
	return fr_is_stored(b, stones + FR_WHOLE);
}

/* The move that a worker goes on with: its position as in the table, 0 if there is none, its node,
 * workers there, its cost, which rises by FR_EFFORT with each of them, and that of the next best
 * one. */
typedef struct fr_choice {
	uint64_t key;
	fr_node *node;
	uint32_t busy, cost, second;
} fr_choice;

/* The numbers that a position has by those of its moves. */
LSCHED_FN fr_numbers fr_numbers_of(uint32_t reach, uint32_t miss)
{
	fr_numbers v;

	v.split = 1;
	v.reach = reach;
	v.miss = miss < FR_ENDLESS ? miss : FR_ENDLESS - 1;
	if (!v.reach)
		v.miss = FR_ENDLESS;
	else if (!v.miss)
		v.reach = FR_ENDLESS;
	else if (v.reach == FR_ENDLESS)
		v.reach--;
	return v;
}

/* A lane's part of fr_look: adds a move. */
LSCHED_TASK_FN void fr_look_at(const fr_ctx *c, uint64_t key, uint32_t asked, uint32_t *reach,
	uint32_t *miss, fr_choice *best)
{
	fr_node *n = fr_node_of(c, key);
	fr_numbers below;
	uint32_t cost = ~0u, busy = 0;

	below.reach = below.miss = FR_EFFORT;
	if (n) { /* always */
		below = fr_node_numbers(n, asked);
		busy = lsched_ld(&n->busy, rlx, dev);
		cost = below.reach ? below.miss + FR_EFFORT * busy : ~0u;
	}
	*reach = below.miss < *reach ? below.miss : *reach;
	*miss += below.reach;
	if (cost < best->cost) {
		best->second = best->cost;
		best->cost = cost;
		best->busy = busy;
		best->key = key;
		best->node = n;
	} else if (cost < best->second) {
		best->second = cost;
	}
}

/* The numbers of a position from those of its moves: to reach the score, one move that the other
 * player misses is enough; to miss it, all moves are needed. *best: the move that is the easiest to
 * miss, where workers below a move count as effort. */
LSCHED_TASK_FN fr_numbers fr_look(const fr_ctx *c, fr_group g, fr_position p, uint32_t stones,
	uint32_t asked, fr_choice *best)
{
	const fr_board *b = &c->board;
	const uint64_t moves = fr_safe_moves(b, p, fr_threats(b, p));
	uint32_t reach = FR_ENDLESS, miss = 0, least, from;

	best->key = 0;
	best->node = NULL;
	best->busy = 0;
	best->cost = best->second = ~0u;
	for (uint32_t x = g.rank; x < b->width; x += FR_LANES) {
		const uint64_t cell = moves & fr_column(b, x);

		if (cell)
			fr_look_at(c, fr_table_key(c, fr_play(p, cell), stones + 1), asked, &reach,
				&miss, best);
	}
	least = fr_least(g, best->cost);
	from = lsched_i_lowest_bit(fr_vote(g, best->cost == least));
	best->second = fr_least(g, g.rank == from ? best->second : best->cost);
	best->cost = least;
	best->busy = fr_from(g, best->busy, from);
	best->key = fr_word_from(g, best->key, from);
	best->node = (fr_node *)(uintptr_t)fr_word_from(g, (uintptr_t)best->node, from);
	return fr_numbers_of(fr_least(g, reach), fr_total(g, miss));
}

/* A group's worker enters a node: *first if there was none. Returns 0, and does not enter, where so
 * many came before since *best was chosen that another one costs less. */
LSCHED_TASK_FN int fr_enter(fr_group g, const fr_choice *best, int *first)
{
	uint32_t busy = 0;
	int stays;

	if (!g.rank)
		busy = lsched_add(&best->node->busy, 1u, rlx, dev);
	busy = fr_from(g, busy, 0);
	*first = !busy;
	stays = busy <= best->busy || best->cost + FR_EFFORT * (busy - best->busy) <= best->second;
	if (!stays && !g.rank)
		(void)lsched_add(&best->node->busy, ~0u, rlx, dev);
	return stays;
}

/* Makes nodes of the moves of a position. Returns 0 if there is no room. */
LSCHED_TASK_FN int fr_split_node(
	const fr_ctx *c, fr_group g, fr_node *n, fr_position p, uint32_t stones, uint32_t asked)
{
	const fr_board *b = &c->board;
	const uint64_t moves = fr_safe_moves(b, p, fr_threats(b, p));
	const uint64_t list = fr_sort_moves(b, g, p, moves);
	fr_choice best;
	fr_numbers v;
	int full = 0;

	for (uint32_t rank = g.rank; list >> 4 * rank & 15u; rank += FR_LANES) {
		const uint32_t x = (uint32_t)(list >> 4 * rank & 15u) - 1;
		const fr_position q = fr_play(p, moves & fr_column(b, x));
		fr_node *to = fr_node_of(c, fr_table_key(c, q, stones + 1));
		uint64_t next;
		int result;

		full |= !to;
		if (!to || fr_node_asked(to) == asked)
			continue;
		result = fr_judge(c, q, stones + 1, fr_asks(c, asked, stones + 1), 0, &next);
		v.reach = FR_EFFORT;
		v.miss = FR_MOVE_EFFORT * fr_count(next) + FR_RANK_EFFORT * rank;
		v.split = 0;
		fr_node_store(to, asked, result == FR_OPEN ? v : fr_solved(result));
	}
	if (fr_vote(g, full))
		return 0;
	v = fr_look(c, g, p, stones, asked, &best);
	if (!g.rank)
		fr_node_store(n, asked, v);
	return 1;
}

#endif
