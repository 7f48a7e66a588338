/* Groups: lanes that search one position together, eight of a warp on a GPU, each with a move of
 * it. All of them have the same variables, but for those of the moves. On a CPU a group is one
 * lane, which has all moves. */
#ifndef WORKLOADS_FOURROW_GROUP_H
#define WORKLOADS_FOURROW_GROUP_H

#include "workloads/fourrow/board.h"

#if LSCHED_LANES > 1
enum { FR_LANES = 8 };
#else
enum { FR_LANES = 1 };
#endif

/* `mask`: lanes of the warp; `rank`: this one's number in the group, `first`: that of rank 0. */
typedef struct fr_group {
	uint32_t mask, first, rank;
} fr_group;

/* The groups of a warp that search at the same time. They visit positions in step, as long as
 * enough of them search: the others need a leaf, and get them together. */
typedef struct fr_crew {
	uint32_t mask, enough;
} fr_crew;

#if LSCHED_LANES > 1
LSCHED_TASK_FN fr_group fr_group_here(void)
{
	fr_group g;

	g.rank = lsched_lane() % FR_LANES;
	g.first = lsched_lane() - g.rank;
	g.mask = ((1u << FR_LANES) - 1u) << g.first;
	return g;
}

/* Lanes of a warp wait for each other. Returns those with a predicate. */
LSCHED_TASK_FN uint32_t fr_meet(uint32_t mask, int predicate)
{
	return lsched_i_ballot_of(mask, predicate);
}

/* The value of lane `rank`. */
LSCHED_TASK_FN uint32_t fr_from(fr_group g, uint32_t v, uint32_t rank)
{
	return lsched_i_shfl_of(g.mask, v, g.first + rank);
}

LSCHED_TASK_FN uint64_t fr_word_from(fr_group g, uint64_t v, uint32_t rank)
{
	return lsched_i_shfl_of(g.mask, v, g.first + rank);
}
#else
LSCHED_FN fr_group fr_group_here(void)
{
	const fr_group g = { 1, 0, 0 };

	return g;
}

LSCHED_FN uint32_t fr_meet(uint32_t mask, int predicate)
{
	(void)mask;
	return predicate != 0;
}

LSCHED_FN uint32_t fr_from(fr_group g, uint32_t v, uint32_t rank)
{
	(void)g, (void)rank;
	return v;
}

LSCHED_FN uint64_t fr_word_from(fr_group g, uint64_t v, uint32_t rank)
{
	(void)g, (void)rank;
	return v;
}
#endif

/* The lanes of a group with a predicate, from bit 0 on. */
LSCHED_TASK_FN uint32_t fr_vote(fr_group g, int predicate)
{
	return fr_meet(g.mask, predicate) >> g.first & ((1u << FR_LANES) - 1u);
}

LSCHED_TASK_FN uint32_t fr_least(fr_group g, uint32_t v)
{
	for (uint32_t k = 1; k < FR_LANES; k *= 2) {
		const uint32_t other = fr_from(g, v, g.rank ^ k);

		v = other < v ? other : v;
	}
	return v;
}

LSCHED_TASK_FN uint32_t fr_total(fr_group g, uint32_t v)
{
	for (uint32_t k = 1; k < FR_LANES; k *= 2)
		v += fr_from(g, v, g.rank ^ k);
	return v;
}

#if LSCHED_LANES > 1
LSCHED_TASK_FN uint64_t fr_union(fr_group g, uint64_t v)
{
	for (uint32_t k = 1; k < FR_LANES; k *= 2)
		v |= fr_word_from(g, v, g.rank ^ k);
	return v;
}
#endif

/* The crew of lanes that come here together. */
LSCHED_TASK_FN fr_crew fr_crew_of(uint32_t mask)
{
	fr_crew w;

	w.mask = mask;
	w.enough = (lsched_popcount(mask) + 1) / 2;
	return w;
}

/* Whether enough of a crew go on. */
LSCHED_TASK_FN int fr_enough(fr_crew w, int more)
{
	const uint32_t on = fr_meet(w.mask, more);

	return FR_LANES > 1 ? lsched_popcount(on) >= w.enough : on != 0;
}

/* Moves: columns plus one, four bits each, the first one lowest, and their scores at the same
 * places, from the highest on. */
typedef struct fr_list {
	uint64_t moves, scores;
} fr_list;

/* Inserts a column behind those with at least the score, which is not 0. */
LSCHED_FN void fr_insert(fr_list *list, uint64_t column, uint64_t score)
{
	uint32_t at = 0;
	uint64_t low;

	while ((list->scores >> at & 15u) >= score)
		at += 4;
	low = (UINT64_C(1) << at) - 1;
	list->moves = (list->moves & low) | column << at | (list->moves & ~low) << 4;
	list->scores = (list->scores & low) | score << at | (list->scores & ~low) << 4;
}

/* The score of a move with so many threats. */
LSCHED_FN uint32_t fr_move_score(uint32_t threats)
{
	return threats < 14 ? threats + 1 : 15;
}

/* Adds the moves of the columns from place `base` of the order on, one of each lane: its score, 0
 * if there is none. */
LSCHED_TASK_FN void fr_add_moves(
	const fr_board *b, fr_group g, uint32_t base, uint32_t score, fr_list *list)
{
#if LSCHED_LANES > 1
	if (b->width <= FR_LANES) {
		const uint32_t key = score ? 16 * score + 15 - g.rank : 0;
		uint32_t at = 0;

		for (uint32_t k = 0; k < FR_LANES; k++)
			at += fr_from(g, key, k) > key;
		list->moves = fr_union(g, score ? (b->order >> 4 * g.rank & 15u) << 4 * at : 0);
		return;
	}
#endif
	for (uint32_t k = 0; k < FR_LANES; k++) {
		const uint32_t one = fr_from(g, score, k);

		if (one)
			fr_insert(list, b->order >> 4 * (base + k) & 15u, one);
	}
}

/* The move of this lane at place `at` of the order, or 0. */
LSCHED_FN uint64_t fr_move_at(const fr_board *b, uint64_t moves, uint32_t at)
{
	return at < b->width ? moves & fr_column(b, (uint32_t)(b->order >> 4 * at & 15u) - 1) : 0;
}

#endif
