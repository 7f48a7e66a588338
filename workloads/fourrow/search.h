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
#include "workloads/fourrow/group.h"
#include "workloads/fourrow/table.h"

enum { FR_MISSED, FR_REACHED, FR_OPEN };

enum { FR_MAX_DEPTH = 56, FR_BARE = 11 };

/* Positions with so few more empty cells than those that are not stored are not split. */
enum { FR_WHOLE = 2 };

/* Positions that a search may visit beyond what it was allowed, and before the next look whether
 * the root is solved. */
enum { FR_OVERRUN = 1000, FR_POLL = LSCHED_LANES > 1 ? 32 : 1024 };

/* The score of a win of the player whose stone is the first after `stones`. */
LSCHED_FN int32_t fr_score(const fr_board *b, uint32_t stones)
{
	return (int32_t)(b->cells + 1 - stones) / 2;
}

/* Sorts moves: those with the most threats first, then those nearest to the middle. */
LSCHED_TASK_FN uint64_t fr_sort_moves(const fr_board *b, fr_group g, fr_position p, uint64_t moves)
{
	fr_list list = { 0, 0 };

	for (uint32_t base = 0; base < b->width; base += FR_LANES) {
		const uint64_t cell = fr_move_at(b, moves, base + g.rank);
		const uint32_t threats = fr_count(fr_wins(b, p.own | cell, p.both | cell));

		fr_add_moves(b, g, base, cell ? fr_move_score(threats) : 0, &list);
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

/* Judges a position by its stones alone, where that is possible: FR_MISSED, FR_REACHED, or FR_OPEN.
 * `threats`: fr_threats, `moves`: fr_safe_moves. */
LSCHED_TASK_FN int fr_judge_stones(const fr_ctx *c, fr_position p, uint32_t stones, int32_t score,
	uint64_t threats, uint64_t moves)
{
	const fr_board *b = &c->board;

	if (!moves && stones < b->cells)
		return -fr_score(b, stones + 1) >= score;
	if (stones + 2 >= b->cells)
		return 0 >= score;
	if (fr_score(b, stones + 2) < score) /* this player's next stone but one */
		return FR_MISSED;
	if (-fr_score(b, stones + 3) >= score)
		return FR_REACHED;
	if (score >= 0 && fr_is_followed(b, p, score, threats))
		return FR_MISSED;
	return FR_OPEN;
}

/* The same by the table. */
LSCHED_TASK_FN int fr_look_up(const fr_ctx *c, fr_position p, uint32_t stones, int32_t score)
{
	const uint32_t bounds = fr_table_bounds(fr_table_place(c, fr_table_key(c, p, stones)));

	if (bounds && fr_low(bounds) >= score)
		return FR_REACHED;
	if (bounds && fr_high(bounds) < score)
		return FR_MISSED;
	return FR_OPEN;
}

/* Judges a position without moves, where that is possible: FR_MISSED, FR_REACHED, or FR_OPEN with
 * its moves. `seen`: it is not known by its stones. */
LSCHED_TASK_FN int fr_judge(
	const fr_ctx *c, fr_position p, uint32_t stones, int32_t score, int seen, uint64_t *moves)
{
	const fr_board *b = &c->board;
	const uint64_t threats = fr_threats(b, p);
	int result = FR_OPEN;

	*moves = fr_safe_moves(b, p, threats);
	if (!seen)
		result = fr_judge_stones(c, p, stones, score, threats, *moves);
	if (result == FR_OPEN && fr_is_stored(b, stones))
		result = fr_look_up(c, p, stones, score);
	return result;
}

/* Judges the position after a move, of which the player to move has the score asked. `threats`:
 * fr_threats of it. With several lanes a group judges all moves at once, and only open ones are
 * visited. One lane looks only for a position that is enough, where it may be in the table; the
 * others are judged when they are visited, as often the first one is enough. */
LSCHED_TASK_FN int fr_judge_move(
	const fr_ctx *c, fr_position p, uint32_t stones, int32_t score, uint64_t threats)
{
	const fr_board *b = &c->board;
	const int looks = fr_is_stored(b, stones);
	int result = FR_OPEN;

	if (FR_LANES > 1)
		result =
			fr_judge_stones(c, p, stones, score, threats, fr_safe_moves(b, p, threats));
	if (result == FR_OPEN && looks)
		result = fr_look_up(c, p, stones, score);
	if (FR_LANES == 1) {
		result = result == FR_MISSED ? FR_MISSED : FR_OPEN;
		if (looks && result == FR_OPEN && score >= 0 &&
			fr_is_followed(b, p, score, threats))
			result = FR_MISSED;
	}
	return result;
}

/* Judges a position, and sorts the moves of an open one. Of those it looks whether one is known to
 * be enough, as many ways lead to a position, and most of them were not the first one. `seen`: it
 * was judged as a move. */
LSCHED_TASK_FN int fr_judge_moves(const fr_ctx *c, fr_group g, fr_position p, uint32_t stones,
	int32_t score, int seen, uint64_t *sorted)
{
	const fr_board *b = &c->board;
	const int looks = FR_LANES > 1 || fr_is_stored(b, stones + 1);
	fr_list list = { 0, 0 };
	uint64_t moves;
	int result = fr_judge(c, p, stones, score, FR_LANES > 1 && seen, &moves), open;

	result = (int)fr_from(g, (uint32_t)result, 0);
	open = result == FR_OPEN;
	for (uint32_t base = 0; base < b->width && result == FR_OPEN; base += FR_LANES) {
		const uint64_t cell = fr_move_at(b, moves, base + g.rank);
		uint64_t wins = 0;
		int below = FR_REACHED;

		if (cell && (looks || moves != cell))
			wins = fr_wins(b, p.own | cell, p.both | cell);
		if (cell)
			below = looks ? fr_judge_move(
						c, fr_play(p, cell), stones + 1, 1 - score, wins)
				      : FR_OPEN;
		if (fr_vote(g, below == FR_MISSED))
			result = FR_REACHED;
		fr_add_moves(
			b, g, base, below == FR_OPEN ? fr_move_score(fr_count(wins)) : 0, &list);
	}
	if (result == FR_OPEN && !list.moves)
		result = FR_MISSED;
	if (open && result != FR_OPEN && !g.rank && fr_is_stored(b, stones))
		fr_table_store(fr_table_place(c, fr_table_key(c, p, stones)), score, result);
	*sorted = list.moves;
	return result;
}

/* A search under way. `left` is the number of positions that may be visited before the position at
 * the top is split. */
typedef struct fr_search {
	fr_position p;
	uint32_t stones, depth;
	int32_t left;   /* below zero: more were visited */
	int32_t score;  /* asked of the position at the top; 1 - score of those one move below */
	uint32_t begun; /* a list of moves is at the top of the stack */
	uint64_t stack[FR_MAX_DEPTH]; /* moves left, and in the highest four bits the one made */
} fr_search;

/* Goes back from a judged position, of which `result` is known, to one with moves left. Returns
 * FR_OPEN, or the result at the top. */
LSCHED_TASK_FN int fr_go_back(const fr_ctx *c, fr_group g, fr_search *s, int result)
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
		if (more && !g.rank && fr_is_stored(&c->board, s->stones))
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

/* Whether as many positions were visited as allowed, and a few more to end at a position in the
 * table: what was visited below one is lost. */
LSCHED_FN int fr_is_used_up(const fr_ctx *c, const fr_search *s)
{
	return s->left <= 0 &&
	       (s->left <= -FR_OVERRUN || fr_is_stored(&c->board, s->stones + FR_WHOLE));
}

/* Visits the next position. Returns FR_OPEN, or the result at the top. */
LSCHED_TASK_FN int fr_visit(const fr_ctx *c, fr_group g, fr_search *s)
{
	uint64_t moves;
	int result;

	if (s->begun)
		fr_go_on(c, s);
	s->begun = 1;
	s->left--;
	result = fr_judge_moves(c, g, s->p, s->stones, s->depth & 1u ? 1 - s->score : s->score,
		s->depth > 0, &moves);
	s->stack[s->depth] = moves;
	return result == FR_OPEN ? FR_OPEN : fr_go_back(c, g, s, result);
}

/* Searches until a result is known, s->left is used up, FR_POLL positions were visited, or too few
 * groups of a crew go on. The caller sets p, stones, score, left, and 0 for depth and begun; or
 * continues a search. */
LSCHED_TASK_FN int fr_search_some(const fr_ctx *c, fr_group g, fr_crew crew, fr_search *s)
{
	int result = FR_OPEN, more = 1;

	for (uint32_t k = 0; fr_enough(crew, more) && k < FR_POLL; k++) {
		if (more) {
			result = fr_visit(c, g, s);
			more = result == FR_OPEN && !fr_is_used_up(c, s);
		}
	}
	return result;
}

/* The same; with constants for the usual board, as fr_subtree_of. */
LSCHED_TASK_FN int fr_search_of(const fr_ctx *c, fr_group g, fr_crew crew, fr_search *s)
{
	if (c->board.width == 7 && c->board.height == 6) {
		fr_ctx usual = *c;

		usual.board = fr_usual_board();
		return fr_search_some(&usual, g, crew, s);
	}
	return fr_search_some(c, g, crew, s);
}

#endif
