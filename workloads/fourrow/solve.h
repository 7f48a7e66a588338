/* The solver: items, and their programs where WL_FOURROW_PROGRAM is defined.
 *
 * FR_WALK	a worker of a search, whether a position has at least a score: best-first search on
 *		the nodes, whose leaves are searched serially. It goes down from the root of the
 *		search, at each node to the move that is the easiest to miss for the other player,
 *		where workers below a move count as effort. It searches the leaf until the budget is
 *		used, and then splits it; a worker that finds another one on a leaf splits it at
 *		once. Back on its way the numbers of the nodes are made from those of their moves.
 *		On a GPU an item has a block, in which each group of eight lanes (group.h) walks by
 *		itself. After some walks an item with the same task follows, until the root is
 *		solved
 * FR_DRIVE	the continuation of a search: narrows the bounds of the score, then finds which
 *		moves keep it, and returns both to the root */
#ifndef WORKLOADS_FOURROW_SOLVE_H
#define WORKLOADS_FOURROW_SOLVE_H

#include "workloads/fourrow/nodes.h"

enum { FR_WALK, FR_DRIVE };

/* Walks of a group in an item, and tries to choose a move before a group goes where others are. */
enum { FR_WALKS = LSCHED_LANES > 1 ? 16 : 8, FR_TRIES = 8 };

/* Steps of a walk, of FR_POLL positions at most, from one report of progress to the next. Several
 * groups may report for a worker: a lost count does not matter. */
enum { FR_REPORT = LSCHED_LANES > 1 ? 4096 : 16 };

/* info of FR_WALK: the score plus FR_BIAS that is asked of the item's position, how many workers
 * come of the item. */
enum { FR_WALKERS_SHIFT = 7 };

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

/* A worker's way from the root of the search to a node, and the search of a leaf. */
typedef struct fr_way {
	fr_node *node[FR_MAX_DEPTH + 1];
	fr_position p;
	uint32_t stones, depth, asked;
	uint32_t splits; /* the leaf may be split */
	uint64_t visited;
	fr_search s;
} fr_way;

/* Goes down to a leaf. Returns FR_OPEN, or the result of the node at which the way ends; FR_MISSED
 * too if a worker has changed it since. */
LSCHED_TASK_FN int fr_go_down(const fr_ctx *c, fr_group g, fr_way *w)
{
	fr_choice best;
	fr_numbers v;
	int first, more = 1;

	best.node = w->node[0];
	best.busy = best.cost = 0;
	best.second = ~0u;
	w->depth = 0;
	(void)fr_enter(g, &best, &first);
	while (more) {
		fr_node *n = w->node[w->depth];

		v = fr_group_numbers(g, n, w->asked);
		if (!v.split && !first && fr_may_split(&c->board, w->stones))
			v.split = (uint32_t)fr_split_node(c, g, n, w->p, w->stones, w->asked);
		more = 0;
		for (uint32_t k = 0; v.split && !fr_is_solved(v) && !more && k < FR_TRIES; k++) {
			v = fr_look(c, g, w->p, w->stones, w->asked, &best);
			if (!best.node)
				break;
			best.second = k + 1 < FR_TRIES ? best.second : ~0u;
			more = fr_enter(g, &best, &first);
		}
		if (more) {
			w->p = fr_unpack(&c->board, best.key);
			w->stones++;
			w->node[++w->depth] = best.node;
		}
	}
	return !fr_is_solved(v) && !v.split ? FR_OPEN : v.reach == 0;
}

/* Leaves the nodes of the way, and makes their numbers anew as long as they change. */
LSCHED_TASK_FN void fr_go_up(const fr_ctx *c, fr_group g, fr_way *w)
{
	int changed = 1;

	for (uint32_t k = w->depth + 1; k-- > 0;) {
		fr_node *n = w->node[k];
		const fr_numbers old = fr_group_numbers(g, n, w->asked);
		const uint32_t stones = w->stones - (w->depth - k);
		uint64_t key;
		fr_choice best;
		fr_numbers v;

		if (!g.rank)
			(void)lsched_add(&n->busy, ~0u, rlx, dev);
		if (!changed || !old.split || fr_is_solved(old))
			continue;
		key = lsched_ld(&n->position, rlx, dev);
		v = fr_look(c, g, fr_unpack(&c->board, key), stones, w->asked, &best);
		changed = v.reach != old.reach || v.miss != old.miss;
		if (changed && !g.rank)
			fr_node_store(n, w->asked, v);
		if (fr_is_solved(v) && !g.rank)
			fr_table_store(
				fr_table_place(c, key), fr_asks(c, w->asked, stones), !v.reach);
	}
}

/* The positions that may be visited before the leaf is split. */
LSCHED_FN int32_t fr_leaf_budget(const fr_ctx *c, const fr_way *w)
{
	return w->splits && c->budget < INT32_MAX ? (int32_t)c->budget : INT32_MAX;
}

LSCHED_TASK_FN void fr_begin_leaf(const fr_ctx *c, fr_way *w)
{
	w->splits = (uint32_t)fr_may_split(&c->board, w->stones);
	w->s.p = w->p;
	w->s.stones = w->stones;
	w->s.depth = w->s.begun = 0;
	w->s.score = fr_asks(c, w->asked, w->stones);
	w->s.left = fr_leaf_budget(c, w);
}

/* Searches on in the leaf at the end of the way. Returns whether that is over. */
LSCHED_TASK_FN int fr_search_leaf(const fr_ctx *c, fr_group g, fr_crew crew, fr_way *w)
{
	fr_node *n = w->node[w->depth];
	const int32_t left = w->s.left;
	const int result = fr_search_of(c, g, crew, &w->s);

	w->visited += (uint64_t)((int64_t)left - w->s.left);
	if (result != FR_OPEN) {
		if (!g.rank)
			fr_node_store(n, w->asked, fr_solved(result));
		return 1;
	}
	if (fr_is_used_up(c, &w->s)) {
		if (w->splits && fr_split_node(c, g, n, w->p, w->stones, w->asked))
			return 1;
		/* without room for its moves the search goes on to its end */
		w->splits = 0;
		w->s.left = fr_leaf_budget(c, w);
	}
	return fr_is_solved(fr_group_numbers(g, w->node[0], w->asked));
}

/* Walks of the groups of a warp, or of a CPU thread, until the root is solved, or for a while. A
 * leaf that is not split can take any time, so its steps are reported as progress. Returns the
 * numbers of the root. */
LSCHED_TASK_CALL_FN fr_numbers fr_walk(const fr_ctx *c, uint32_t *cancelled, uint32_t *progress,
	uint64_t root, uint32_t stones, uint32_t asked)
{
	const fr_group g = fr_group_here();
	uint32_t walks = 0, steps = 0, together = lsched_ballot(1);
	int more = 1, on = 0; /* a leaf */
	fr_numbers v;
	fr_way w;

	w.asked = asked;
	w.node[0] = fr_node_of(c, root);
	w.visited = 0;
	/* In a step the groups of a warp without a leaf get one, and then all search. */
	while (more) {
		if (!on) {
			w.p = fr_unpack(&c->board, root);
			w.stones = stones;
			walks++;
			on = fr_go_down(c, g, &w) == FR_OPEN;
			if (on)
				fr_begin_leaf(c, &w);
		}
		{
			const fr_crew crew = fr_crew_of(fr_meet(together, on));

			if (!on || fr_search_leaf(c, g, crew, &w)) {
				fr_go_up(c, g, &w);
				on = 0;
			}
		}
		if (++steps % FR_REPORT == 0 && !g.rank)
			lsched_progress(progress);
		v = fr_group_numbers(g, w.node[0], asked);
		more = on || (walks < FR_WALKS && !fr_is_solved(v));
		more = more && !fr_from(g, lsched_ld(cancelled, rlx, dev), 0);
		together = fr_meet(together, more);
	}
	if (w.visited && !g.rank)
		(void)lsched_add(c->visited, w.visited, rlx, dev);
	lsched_sync_worker();
	return v;
}

/* A worker of a search, or two items of half the workers each. Items of a block, since libsched
 * passes those on one by one, at once, to all idle workers: items of a warp wait in chunks for the
 * long ones before them, and 2 to 60 % of the workers had one. */
LSCHED_TASK_FN lsched_result fr_solve_walk(fr_items *x, const fr_ctx *c, fr_item it)
{
	const uint32_t workers = it.info >> FR_WALKERS_SHIFT;
	const uint32_t score = it.info & ((1u << FR_WALKERS_SHIFT) - 1u);
	const fr_position p = fr_unpack(&c->board, it.position);
	const uint32_t stones = fr_count(p.both);
	const int leads = !lsched_thread(x);
	fr_numbers v;

	if (workers > 1 && leads) {
		it.info = score | workers / 2 << FR_WALKERS_SHIFT;
		lsched_emit(x, FR_WALK, &it);
		it.info = score | (workers - workers / 2) << FR_WALKERS_SHIFT;
		lsched_emit(x, FR_WALK, &it);
	}
	if (workers > 1)
		return LSCHED_DONE;
	v = fr_walk(c, lsched_cancel_flag(lsched_items_worker(x)),
		lsched_progress_word(lsched_items_worker(x)), fr_table_key(c, p, stones), stones,
		(stones - c->stones) & 1u ? 1 + 2 * FR_BIAS - score : score);
	if (leads && fr_is_solved(v))
		lsched_return(x, it.join, !v.reach);
	else if (leads)
		lsched_emit(x, FR_WALK, &it);
	return LSCHED_DONE;
}

/* Emits a search, after which `drive` continues. */
LSCHED_TASK_FN void fr_drive_search(
	fr_items *x, const fr_ctx *c, fr_item drive, fr_position p, int32_t score)
{
	fr_item it;

	it.position = fr_pack(&c->board, p);
	it.info = (uint32_t)(score + FR_BIAS) | c->walkers << FR_WALKERS_SHIFT;
	it.join = lsched_fork_then(x, c->walkers, FR_DRIVE, &drive, &drive.join);
	if (it.join != LSCHED_JOIN_NONE)
		lsched_emit(x, FR_WALK, &it);
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
		const int reached = lsched_join_take(x, it.join) != 0;

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
	if (proc == FR_WALK)
		return fr_solve_walk(x, c, it);
	return lsched_thread(x) ? LSCHED_DONE : fr_solve_drive(x, c, it);
}

#endif

#ifdef WL_FOURROW_PROGRAM
#define LSCHED_NAME        fourrow_solve
#define LSCHED_CTX         fr_ctx
#define LSCHED_ITEMS       fr_items
#define LSCHED_ROOT        fr_solve_root
#define LSCHED_BODY        fr_solve_body
#define LSCHED_GRAIN       block
#define LSCHED_GROUP_WARPS 4
#define LSCHED_PROCS       2
#define LSCHED_MAX_SPAWN   2
#define LSCHED_JOINS
#define LSCHED_REDUCE_MAX
#define LSCHED_MIN_BLOCKS     4
#define LSCHED_PROC_NAMES(X)  X(walk) X(drive)
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
