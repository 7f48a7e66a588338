/* The serial search: whether a position has at least a score, by alpha-beta with an empty window,
 * so that a position is either reached (true) or not. A stack of move lists takes the place of
 * recursion. Compiled for CPU and GPU.
 *
 * The score of a position for the player to move: 0 draw; s > 0: this player wins with the s-th
 * last of its stones; s < 0: the other one does. Positions of a search are such that the player to
 * move has no fourth stone to put down: only moves are made that leave the other player none. */
#ifndef WORKLOADS_FOURROW_SEARCH_H
#define WORKLOADS_FOURROW_SEARCH_H

#include "workloads/fourrow/follow.h"
#include "workloads/fourrow/table.h"

enum { FR_MISSED, FR_REACHED, FR_OPEN };

enum { FR_MAX_DEPTH = 56, FR_BARE = 11 };

/* Positions with so few more empty cells than those that are not stored are not split. */
enum { FR_WHOLE = 2 };

/* Positions that a search may visit beyond what it was allowed. */
enum { FR_OVERRUN = 1000 };

/* The score of a win of the player whose stone is the first after `stones`. */
LSCHED_FN int32_t fr_score(const fr_board *b, uint32_t stones)
{
	return (int32_t)(b->cells + 1 - stones) / 2;
}

/* Moves: columns plus one, four bits each, the first one lowest, and their scores at the same
 * places, from the highest on. */
typedef struct fr_list {
	uint64_t moves, scores;
} fr_list;

/* Inserts a column behind those with at least as many threats. A score is not 0. */
LSCHED_FN void fr_insert(fr_list *list, uint64_t column, uint32_t threats)
{
	const uint64_t score = threats < 14 ? threats + 1 : 15;
	uint32_t at = 0;
	uint64_t low;

	while ((list->scores >> at & 15u) >= score)
		at += 4;
	low = (UINT64_C(1) << at) - 1;
	list->moves = (list->moves & low) | column << at | (list->moves & ~low) << 4;
	list->scores = (list->scores & low) | score << at | (list->scores & ~low) << 4;
}

/* Sorts moves: those with the most threats first, then those nearest to the middle. */
LSCHED_FN uint64_t fr_sort_moves(const fr_board *b, fr_position p, uint64_t moves)
{
	fr_list list = { 0, 0 };

	for (uint64_t order = b->order; order; order >>= 4) {
		const uint64_t cell = moves & fr_column(b, (uint32_t)(order & 15u) - 1);

		if (cell)
			fr_insert(&list, order & 15u,
				fr_count(fr_wins(b, p.own | cell, p.both | cell)));
	}
	return list.moves;
}

/* Whether positions with so many stones are in the table. Most positions are close to the end, and
 * cheaper to search than to look up: one CPU thread solves 6 x 6 in 4.7 s instead of 8.1. */
LSCHED_FN int fr_is_stored(const fr_board *b, uint32_t stones)
{
	return stones + FR_BARE <= b->cells;
}

/* The word of a position in the table: of it or its mirror image. */
LSCHED_FN uint64_t fr_table_key(const fr_ctx *c, fr_position p, uint32_t stones)
{
	const uint64_t word = fr_pack(&c->board, p);
	uint64_t mirror;

	if (stones > c->board.cells / 3) /* there equal positions become rare */
		return word;
	mirror = fr_mirror(&c->board, word);
	return mirror < word ? mirror : word;
}

/* Judges a position without moves, where that is possible: FR_MISSED, FR_REACHED, or FR_OPEN with
 * its moves. */
LSCHED_TASK_FN int fr_judge(
	const fr_ctx *c, fr_position p, uint32_t stones, int32_t score, uint64_t *moves)
{
	const fr_board *b = &c->board;
	const uint64_t threats = fr_threats(b, p);
	uint32_t bounds;

	*moves = fr_safe_moves(b, p, threats);
	if (!*moves && stones < b->cells)
		return -fr_score(b, stones + 1) >= score;
	if (stones + 2 >= b->cells)
		return 0 >= score;
	if (fr_score(b, stones + 2) < score) /* this player's next stone but one */
		return FR_MISSED;
	if (-fr_score(b, stones + 3) >= score)
		return FR_REACHED;
	if (score >= 0 && fr_is_followed(b, p, score, threats))
		return FR_MISSED;
	if (!fr_is_stored(b, stones))
		return FR_OPEN;
	bounds = fr_table_bounds(fr_table_place(c, fr_table_key(c, p, stones)));
	if (bounds && fr_low(bounds) >= score)
		return FR_REACHED;
	if (bounds && fr_high(bounds) < score)
		return FR_MISSED;
	return FR_OPEN;
}

/* Whether the player to move surely has a lower score than `score`: by the table, or by follow-up.
 * `threats`: fr_threats. */
LSCHED_TASK_FN int fr_is_missed(
	const fr_ctx *c, fr_position p, uint32_t stones, int32_t score, uint64_t threats)
{
	const uint32_t bounds = fr_table_bounds(fr_table_place(c, fr_table_key(c, p, stones)));

	return (bounds && fr_high(bounds) < score) ||
	       (score >= 0 && fr_is_followed(&c->board, p, score, threats));
}

/* Judges a position, and sorts the moves of an open one. Of those it looks whether one is known to
 * be enough, as many ways lead to a position, and most of them were not the first one. */
LSCHED_TASK_FN int fr_judge_moves(
	const fr_ctx *c, fr_position p, uint32_t stones, int32_t score, uint64_t *sorted)
{
	const fr_board *b = &c->board;
	const int looks = fr_is_stored(b, stones + 1);
	fr_list list = { 0, 0 };
	uint64_t moves;
	int result = fr_judge(c, p, stones, score, &moves), open = result == FR_OPEN;

	for (uint64_t order = open ? b->order : 0; order && result == FR_OPEN; order >>= 4) {
		const uint64_t cell = moves & fr_column(b, (uint32_t)(order & 15u) - 1);
		uint64_t wins;

		if (!cell)
			continue;
		wins = looks || moves != cell ? fr_wins(b, p.own | cell, p.both | cell) : 0;
		if (looks && fr_is_missed(c, fr_play(p, cell), stones + 1, 1 - score, wins))
			result = FR_REACHED;
		fr_insert(&list, order & 15u, fr_count(wins));
	}
	if (open && result == FR_REACHED)
		fr_table_store(fr_table_place(c, fr_table_key(c, p, stones)), score, FR_REACHED);
	*sorted = list.moves;
	return result;
}

/* A search under way. `left` is the number of positions that may be visited. */
typedef struct fr_search {
	fr_position p;
	uint32_t stones, depth;
	int32_t left;  /* below zero: more were visited */
	int32_t score; /* asked of the position at the top; 1 - score of those one move below */
	uint64_t stack[FR_MAX_DEPTH]; /* moves left, and in the highest four bits the one made */
} fr_search;

/* Goes back from a judged position, of which `result` is known, to one with moves left. Returns
 * FR_OPEN, or the result at the top. */
LSCHED_TASK_FN int fr_go_back(const fr_ctx *c, fr_search *s, int result)
{
	int more = s->depth > 0;

	while (more) {
		const uint64_t frame = s->stack[--s->depth];
		const int32_t score = s->depth & 1u ? 1 - s->score : s->score;

		s->p = fr_unplay(&c->board, s->p, (uint32_t)(frame >> 60) - 1);
		s->stones--;
		s->stack[s->depth] = frame & ~UINT64_C(0) >> 4;
		more = result == FR_MISSED || !s->stack[s->depth];
		result = more ? !result : FR_OPEN; /* reached, if a position below is not */
		if (more && fr_is_stored(&c->board, s->stones))
			fr_table_store(
				fr_table_place(c, fr_table_key(c, s->p, s->stones)), score, result);
		more = more && s->depth;
	}
	return result;
}

/* Makes the first move of the list at the top of the stack. */
LSCHED_TASK_FN void fr_go_on(const fr_ctx *c, fr_search *s)
{
	const uint64_t list = s->stack[s->depth], column = list & 15u;

	s->stack[s->depth++] = list >> 4 | column << 60;
	s->p = fr_play(s->p,
		fr_playable(&c->board, s->p.both) & fr_column(&c->board, (uint32_t)column - 1));
	s->stones++;
}

/* Searches until a result is known or s->left positions were visited, and a few more to end at a
 * position in the table: what was visited below one is lost. The caller sets p, stones, score, and
 * depth 0 with FR_OPEN; `begun`: or continues a search. */
LSCHED_TASK_FN int fr_search_some(const fr_ctx *c, fr_search *s, int begun)
{
	int result = FR_OPEN, more = 1;

	if (begun)
		fr_go_on(c, s);
	while (more) {
		uint64_t moves;

		result = fr_judge_moves(
			c, s->p, s->stones, s->depth & 1u ? 1 - s->score : s->score, &moves);
		s->left--;
		s->stack[s->depth] = moves;
		if (result != FR_OPEN)
			result = fr_go_back(c, s, result);
		more = result == FR_OPEN &&
		       (s->left > 0 || (s->left > -FR_OVERRUN &&
					       !fr_is_stored(&c->board, s->stones + FR_WHOLE)));
		if (more)
			fr_go_on(c, s);
	}
	return result;
}

/* The same; with constants for the usual board, as fr_subtree_of. */
LSCHED_TASK_FN int fr_search_of(const fr_ctx *c, fr_search *s, int begun)
{
	if (c->board.width == 7 && c->board.height == 6) {
		fr_ctx usual = *c;

		usual.board = fr_usual_board();
		return fr_search_some(&usual, s, begun);
	}
	return fr_search_some(c, s, begun);
}

#endif
