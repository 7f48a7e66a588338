/* The solver: items, and their programs where WL_FOURROW_PROGRAM is defined.
 *
 * FR_SEARCH	whether a position has at least a score, in one lane; what takes longer than the
 *		budget is split into the position's moves. Where the score is expected to be missed,
 *		all moves are needed: an item of the first one, and an item of the others. Else one
 *		move is enough: an item of the first one, which leads on to the others when it is
 *		finished, or when all its own moves were emitted. Expectations alternate. After the
 *		last move what the table has of the moves is stored as the position's result
 * FR_DRIVE	the continuation of a search at the top: narrows the bounds of the score, then finds
 *		which moves keep it, and returns both to the root
 *
 * Joins have FR_ALL for reached and 0 for not, and hand up complements. A search whose result is
 * not needed any more, since a join above has FR_ALL, returns 0. */
#ifndef WORKLOADS_FOURROW_SOLVE_H
#define WORKLOADS_FOURROW_SOLVE_H

#include "workloads/fourrow/search.h"

#define FR_ALL (~UINT64_C(0))

enum { FR_SEARCH, FR_DRIVE };

/* info of FR_SEARCH: the score plus FR_BIAS, the move to be made next, that this item has the moves
 * that are left of a position, that this position is expected to be missed, the column plus one
 * that led to it and the move of the position above to be made after it (0: it leads on to none),
 * and how many positions above it were split. */
enum {
	FR_NEXT_SHIFT = 7,
	FR_REST = 1 << 11,
	FR_EVERY = 1 << 12,
	FR_LAST_SHIFT = 13,
	FR_ABOVE_SHIFT = 17,
	FR_SPLITS_SHIFT = 21
};

/* The first item may visit so many positions, those below it twice as many each time, up to the
 * budget: workers are idle until there are as many items. */
enum { FR_FIRST_BUDGET = 32 };

/* info of FR_DRIVE: bounds, then the column to be tried next, columns that keep the score. */
enum {
	FR_COLUMN_SHIFT = 14,
	FR_BEST_SHIFT = 18,
	FR_COLUMNS = 1 << 27, /* the score is known */
	FR_BEGIN = 1 << 28    /* there was no search yet */
};

/* The result of a run. */
LSCHED_FN uint64_t fr_answer(int32_t score, uint32_t best)
{
	return (uint64_t)(score + FR_BIAS) | (uint64_t)best << 8;
}

LSCHED_FN uint32_t fr_solve_root(const fr_ctx *c, uint32_t i, fr_item *it)
{
	(void)i;
	it->position = c->root;
	it->join = LSCHED_JOIN_ROOT;
	it->info = FR_BEGIN;
	return FR_DRIVE;
}

/* The score that a search asks for: first whether there is a win, then a loss, then the length,
 * from the longest game on by steps that double, as games of good players are long. */
LSCHED_FN int32_t fr_ask(int32_t low, int32_t high)
{
	const int32_t middle = low + (high - low + 1) / 2;

	if (low < 1 && high >= 1)
		return 1;
	if (low < 0 && high >= 0)
		return 0;
	if (low > 0)
		return 2 * low < middle ? 2 * low : middle;
	return 2 * high + 1 > middle ? 2 * high + 1 : middle;
}

LSCHED_TASK_FN int fr_solve_useless(fr_items *x, uint32_t join)
{
	for (; join != LSCHED_JOIN_ROOT; join = lsched_join_up(x, join))
		if (lsched_join_peek(x, join) == FR_ALL)
			return 1;
	return 0;
}

LSCHED_TASK_FN uint32_t fr_moves_of(uint64_t list)
{
	uint32_t n = 0;

	for (; list; list >>= 4)
		n++;
	return n;
}

/* Emits the item of move k of a position; and with FR_EVERY that of the moves after it, else the
 * item of move k leads on to them. */
LSCHED_TASK_FN void fr_split(fr_items *x, const fr_ctx *c, fr_item it, uint64_t list, uint32_t k)
{
	const fr_position p = fr_unpack(&c->board, it.position);
	const uint32_t column = (uint32_t)(list >> 4 * k & 15u);
	const int32_t score = fr_low(it.info & ((1u << FR_BOUND_BITS) - 1u));
	fr_item child = it;

	child.position = fr_pack(&c->board,
		fr_play(p, fr_playable(&c->board, p.both) & fr_column(&c->board, column - 1)));
	child.info = (uint32_t)(1 - score + FR_BIAS) | ((it.info >> FR_SPLITS_SHIFT) + 1)
							       << FR_SPLITS_SHIFT;
	if (it.info & FR_EVERY) {
		it.info &= ~(15u << FR_NEXT_SHIFT);
		it.info |= (k + 1) << FR_NEXT_SHIFT | FR_REST;
		lsched_emit(x, FR_SEARCH, &it);
	} else {
		child.info |= FR_EVERY | column << FR_LAST_SHIFT | (k + 1) << FR_ABOVE_SHIFT;
	}
	lsched_emit(x, FR_SEARCH, &child);
}

/* The item of the moves left of the position above. Returns 0 if *it leads on to none. */
LSCHED_TASK_FN int fr_leads_on(const fr_ctx *c, fr_item *it, uint32_t join)
{
	const uint32_t last = it->info >> FR_LAST_SHIFT & 15u;
	const int32_t score = fr_low(it->info & ((1u << FR_BOUND_BITS) - 1u));

	if (!last)
		return 0;
	it->position = fr_pack(
		&c->board, fr_unplay(&c->board, fr_unpack(&c->board, it->position), last - 1));
	it->join = join;
	it->info = (uint32_t)(1 - score + FR_BIAS) | FR_REST |
		   (it->info >> FR_ABOVE_SHIFT & 15u) << FR_NEXT_SHIFT |
		   ((it->info >> FR_SPLITS_SHIFT) - 1) << FR_SPLITS_SHIFT;
	return 1;
}

/* Searches as long as the result is needed and the budget lasts. Returns FR_OPEN if it does not,
 * -1 if the result is not needed. */
LSCHED_TASK_FN int fr_search_item(fr_items *x, const fr_ctx *c, const fr_item *it, uint32_t stones)
{
	const uint32_t splits = it->info >> FR_SPLITS_SHIFT;
	const uint64_t early = (uint64_t)FR_FIRST_BUDGET << (splits < 32 ? splits : 32);
	int64_t budget = early < c->budget ? (int64_t)early : (int64_t)c->budget;
	uint64_t visited = 0;
	fr_search s;
	int result = FR_OPEN;

	s.p = fr_unpack(&c->board, it->position);
	s.stones = stones;
	s.depth = 0;
	s.score = fr_low(it->info & ((1u << FR_BOUND_BITS) - 1u));
	for (int begun = 0; result == FR_OPEN && budget > 0; begun = 1) {
		const int32_t most = budget < FR_POLL ? (int32_t)budget : (int32_t)FR_POLL;

		if (fr_solve_useless(x, it->join)) {
			result = -1;
			break;
		}
		s.left = most;
		result = fr_search_some(c, &s, begun);
		visited += (uint64_t)(int64_t)(most - s.left);
		budget -= most - s.left;
	}
	(void)lsched_add(c->visited, visited, rlx, dev);
	return result;
}

/* Stores the result of a position that was split, if the table has those of its moves. */
LSCHED_TASK_FN void fr_conclude(const fr_ctx *c, fr_position p, int32_t score)
{
	const uint32_t stones = fr_count(p.both);
	int result = FR_MISSED;

	if (!fr_is_stored(&c->board, stones))
		return;
	for (uint64_t left = fr_safe_moves(&c->board, p); left; left &= left - 1) {
		const fr_position q = fr_play(p, left & (0 - left));
		uint64_t moves;
		const int below = fr_judge(c, q, stones + 1, 1 - score, &moves);

		if (below == FR_OPEN)
			result = FR_OPEN;
		if (below != FR_MISSED)
			continue;
		result = FR_REACHED;
		break;
	}
	if (result != FR_OPEN)
		fr_table_store(fr_table_place(c, fr_table_key(c, p, stones)), score, result);
}

/* Goes on with the moves that are left of a position. After the last one those of the position
 * above follow. */
LSCHED_TASK_FN void fr_solve_rest(fr_items *x, const fr_ctx *c, fr_item it)
{
	const fr_position p = fr_unpack(&c->board, it.position);
	const uint64_t list = fr_sort_moves(&c->board, p, fr_safe_moves(&c->board, p));
	const uint32_t join = it.join, above = lsched_join_up(x, join);
	uint32_t next = it.info >> FR_NEXT_SHIFT & 15u;

	if (list >> 4 * next & 15u && !fr_solve_useless(x, join)) {
		fr_split(x, c, it, list, next);
		return;
	}
	fr_conclude(c, p, fr_low(it.info & ((1u << FR_BOUND_BITS) - 1u)));
	if (fr_leads_on(c, &it, above))
		lsched_emit(x, FR_SEARCH, &it);
	for (; list >> 4 * next & 15u; next++)
		lsched_return(x, join, 0);
	lsched_return(x, join, 0);
}

LSCHED_TASK_FN lsched_result fr_solve_search(fr_items *x, const fr_ctx *c, fr_item it)
{
	if (!(it.info & FR_REST)) {
		const fr_position p = fr_unpack(&c->board, it.position);
		const int result = fr_search_item(x, c, &it, fr_count(p.both));

		if (result == FR_OPEN) {
			const uint64_t list =
				fr_sort_moves(&c->board, p, fr_safe_moves(&c->board, p));

			it.join = lsched_fork_not(x, fr_moves_of(list) + 1, it.join);
			if (it.join != LSCHED_JOIN_NONE)
				fr_split(x, c, it, list, 0);
			return LSCHED_DONE;
		}
		lsched_return(x, it.join, result == FR_MISSED ? FR_ALL : 0);
		if (!fr_leads_on(c, &it, it.join))
			return LSCHED_DONE;
	}
	fr_solve_rest(x, c, it);
	return LSCHED_DONE;
}

/* Whether a position of so many stones is expected to have the score: games are long, and of the
 * boards that were solved the first player wins those of 7 or more columns, odd in number, and 6 or
 * more rows, even in number, the second one those of 6 or more columns where both are even; others
 * are drawn. A wrong guess costs time only. */
LSCHED_FN int fr_expects(const fr_board *b, uint32_t stones, int32_t score)
{
	int32_t winner = 0; /* 1: the player to move */

	if (b->width >= 6 && b->height % 2 == 0 && (b->width % 2 == 0 || b->height >= 6))
		winner = b->width % 2 == stones % 2 ? -1 : 1;
	return score > 1 || score < 0 ? score < 0 : winner >= score;
}

/* Emits a search, after which `drive` continues. */
LSCHED_TASK_FN void fr_drive_search(
	fr_items *x, const fr_ctx *c, fr_item drive, fr_position p, int32_t score)
{
	const int expects = fr_expects(&c->board, fr_count(p.both), score);
	fr_item it;

	it.position = fr_pack(&c->board, p);
	it.info = (uint32_t)(score + FR_BIAS) | (expects ? 0 : FR_EVERY);
	it.join = lsched_fork_then(x, 1, FR_DRIVE, &drive, &drive.join);
	if (it.join != LSCHED_JOIN_NONE)
		lsched_emit(x, FR_SEARCH, &it);
}

/* The first bounds of the position; returns the answer, if it is one without a search, or 0. */
LSCHED_TASK_FN uint64_t fr_drive_begin(
	const fr_ctx *c, fr_position p, uint32_t stones, int32_t *low, int32_t *high)
{
	const fr_board *b = &c->board;
	const uint64_t wins = fr_wins(b, p.own, p.both) & fr_playable(b, p.both);
	uint32_t best = 0;

	*low = -fr_score(b, stones + 1);
	*high = fr_score(b, stones + 2);
	if (c->over)
		return fr_answer(-fr_score(b, stones - 1), 0);
	if (stones == b->cells)
		return fr_answer(0, 0);
	for (uint32_t k = 0; k < b->width; k++)
		best |= (uint32_t)((wins & fr_column(b, k)) != 0) << k;
	return wins ? fr_answer(fr_score(b, stones), best) : 0;
}

/* Tries the columns from *column on: those whose value is known without a search add to *best.
 * Returns 1 with the position after a move that has to be searched. */
LSCHED_TASK_FN int fr_drive_column(const fr_ctx *c, fr_position p, uint32_t stones, int32_t score,
	uint32_t *column, uint32_t *best, fr_position *child)
{
	const fr_board *b = &c->board;

	for (; *column < b->width; ++*column) {
		const uint64_t cell = fr_playable(b, p.both) & fr_column(b, *column);
		int32_t value = 0;

		if (!cell)
			continue;
		*child = fr_play(p, cell);
		if (fr_wins(b, child->own, child->both) & fr_playable(b, child->both))
			value = -fr_score(b, stones + 1);
		else if (stones + 1 < b->cells)
			return 1;
		*best |= (uint32_t)(value == score) << *column;
	}
	return 0;
}

LSCHED_TASK_FN lsched_result fr_solve_drive(fr_items *x, const fr_ctx *c, fr_item it)
{
	const fr_position p = fr_unpack(&c->board, it.position);
	const uint32_t stones = fr_count(p.both);
	uint32_t column = it.info >> FR_COLUMN_SHIFT & 15u, best = it.info >> FR_BEST_SHIFT & 511u;
	int32_t low = fr_low(it.info & ((1u << FR_BOUNDS_BITS) - 1u));
	int32_t high = fr_high(it.info & ((1u << FR_BOUNDS_BITS) - 1u));
	uint64_t answer = 0;
	fr_position child;

	if (it.info & FR_BEGIN) {
		answer = fr_drive_begin(c, p, stones, &low, &high);
	} else {
		const int reached = lsched_join_take(x, it.join) == 0;

		if (it.info & FR_COLUMNS)
			best |= (uint32_t)!reached << column++;
		else if (reached)
			low = fr_ask(low, high);
		else
			high = fr_ask(low, high) - 1;
	}
	it.info &= FR_COLUMNS;
	if (!answer && low < high) {
		it.info |= fr_bounds(low, high);
		fr_drive_search(x, c, it, p, fr_ask(low, high));
		return LSCHED_DONE;
	}
	if (!answer && fr_drive_column(c, p, stones, low, &column, &best, &child)) {
		it.info = FR_COLUMNS | fr_bounds(low, high) | column << FR_COLUMN_SHIFT |
			  best << FR_BEST_SHIFT;
		fr_drive_search(x, c, it, child, 1 - low);
		return LSCHED_DONE;
	}
	lsched_return(x, LSCHED_JOIN_ROOT, answer ? answer : fr_answer(low, best));
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result fr_solve_body(
	fr_items *x, const fr_ctx *c, lsched_no_local *l, uint32_t proc, fr_item it)
{
	(void)l;
	return proc == FR_SEARCH ? fr_solve_search(x, c, it) : fr_solve_drive(x, c, it);
}

#endif

#ifdef WL_FOURROW_PROGRAM
#define LSCHED_NAME      fourrow_solve
#define LSCHED_CTX       fr_ctx
#define LSCHED_ITEMS     fr_items
#define LSCHED_ROOT      fr_solve_root
#define LSCHED_BODY      fr_solve_body
#define LSCHED_PROCS     2
#define LSCHED_MAX_SPAWN 2
#define LSCHED_JOINS
#define LSCHED_REDUCE_MAX
#define LSCHED_MIN_BLOCKS     6
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
