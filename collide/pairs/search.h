/* The search for the first contact of a candidate: its cells in one order, the lower half before
 * the upper one, so that the same cells are judged on both backends and with any number of workers.
 * A search that takes long begins again and looks at one window of time after the other, each
 * 64 times as long: a common vertex or parallel edges touch in many cells at all times, and the
 * plain order finds an earlier one of them again and again (47,000 cells where 3,000 are enough).
 * The result is the same. A search can be interrupted after each cell, and ends after
 * COL_MOST_CELLS of them: the time is then the earliest that the cells left to judge allow.
 * Compiled for CPU and GPU. */
#ifndef COLLIDE_PAIRS_SEARCH_H
#define COLLIDE_PAIRS_SEARCH_H

#include "collide/pairs/query.h"

#define COL_NEVER UINT32_MAX

/* Candidates of public meshes take 15 cells on average, and 3,000 are rare. */
enum { COL_MOST_CELLS = 1 << 16, COL_PLAIN_CELLS = 128, COL_WINDOW_LEVELS = 6 };

/* Where a search is. */
typedef struct col_search {
	uint32_t code[2];   /* col_cell_code of the cell to be judged, low and high */
	uint32_t halved[4]; /* two planes of bits: the parameter that each level halved */
	uint32_t touch[2];  /* the cell of the earliest contact so far */
	uint32_t best;      /* its time */
	uint32_t cells;     /* judged; more than COL_MOST_CELLS: the search ended early */
	uint32_t window;    /* of time, from 1; 0: all times in the plain order */
} col_search;

LSCHED_FN uint64_t col_words(const uint32_t word[2])
{
	return word[0] | (uint64_t)word[1] << 32;
}

LSCHED_FN void col_set_words(uint32_t word[2], uint64_t v)
{
	word[0] = (uint32_t)v;
	word[1] = (uint32_t)(v >> 32);
}

LSCHED_FN void col_search_begin(col_search *s)
{
	col_set_words(s->code, COL_CELL_ALL);
	col_set_words(s->touch, COL_CELL_ALL);
	s->halved[0] = s->halved[1] = s->halved[2] = s->halved[3] = 0;
	s->best = COL_NEVER;
	s->cells = s->window = 0;
}

/* Where a window ends, and where the next one begins. */
LSCHED_FN uint32_t col_window_end(uint32_t window)
{
	const uint32_t level = (window - 1) * COL_WINDOW_LEVELS;

	return window && level < COL_MAX_LEVEL ? 1u << level : COL_NEVER;
}

LSCHED_FN uint32_t col_window_begin(uint32_t window)
{
	return window < 2 ? 0 : col_window_end(window - 1);
}

/* A cell with the levels above it. */
typedef struct col_path {
	col_cell cell;
	uint64_t plane[2];
	uint32_t depth;
} col_path;

LSCHED_FN void col_go_down(col_path *p, int parameter)
{
	const uint64_t bit = UINT64_C(1) << p->depth++;

	p->plane[0] = (p->plane[0] & ~bit) | (parameter & 1 ? bit : 0);
	p->plane[1] = (p->plane[1] & ~bit) | (parameter & 2 ? bit : 0);
	p->cell = col_half(&p->cell, parameter, 0);
}

/* Goes to the next cell in the order that is not below this one. Returns 0: there is none. */
LSCHED_FN int col_go_on(col_path *p)
{
	while (p->depth) {
		const uint32_t above = p->depth - 1;
		const uint32_t k = (uint32_t)(p->plane[0] >> above & 1) |
				   (uint32_t)(p->plane[1] >> above & 1) << 1;
		const uint32_t lower = !(p->cell.at[k] & 1);

		if (lower) {
			p->cell.at[k]++;
			return 1;
		}
		p->cell.at[k] >>= 1;
		p->cell.level[k]--;
		p->depth = above;
	}
	return 0;
}

LSCHED_FN void col_search_touch(col_search *s, const col_cell *c)
{
	const uint32_t time = col_cell_time(c), begin = col_window_begin(s->window);

	if (time >= s->best || col_cell_end(c) <= begin)
		return;
	s->best = time < begin ? begin : time;
	col_set_words(s->touch, col_cell_code(c));
}

LSCHED_FN void col_path_begin(col_path *p)
{
	p->cell = col_cell_decode(COL_CELL_ALL);
	p->plane[0] = p->plane[1] = 0;
	p->depth = 0;
}

/* After a cell. `more`: there are cells in the order. Returns 0 if the search has ended, and begins
 * with the next window if nothing touches in this one or the plain order takes long. */
LSCHED_FN int col_search_next(col_search *s, col_path *p, int more)
{
	const uint32_t end = col_window_end(s->window);

	if (more ? s->window || s->cells < COL_PLAIN_CELLS : end == COL_NEVER || s->best < end)
		return more;
	s->best = col_window_end(++s->window);
	col_path_begin(p);
	return 1;
}

/* Judges at most `most` cells. Returns nonzero: s->best is the result. */
LSCHED_FN int col_search_run(col_search *s, const col_query *q, double tolerance, uint32_t most)
{
	col_path p;
	int more = 1;

	p.cell = col_cell_decode(col_words(s->code));
	p.plane[0] = col_words(s->halved);
	p.plane[1] = col_words(s->halved + 2);
	p.depth = p.cell.level[0] + p.cell.level[1] + p.cell.level[2];
	for (uint32_t i = 0; more && i < most && s->cells < COL_MOST_CELLS; i++) {
		int parameter = 0;
		col_verdict v = COL_APART;

		if (col_cell_time(&p.cell) < s->best &&
			col_cell_end(&p.cell) > col_window_begin(s->window))
			v = col_judge(q, &p.cell, tolerance, &parameter);
		s->cells++;
		if (v == COL_TOUCH)
			col_search_touch(s, &p.cell);
		if (v == COL_SPLIT)
			col_go_down(&p, parameter);
		else
			more = col_go_on(&p);
		more = col_search_next(s, &p, more);
	}
	if (more && s->cells == COL_MOST_CELLS) {
		s->cells++;
		for (; more; more = col_go_on(&p))
			col_search_touch(s, &p.cell);
	}
	col_set_words(s->code, col_cell_code(&p.cell));
	col_set_words(s->halved, p.plane[0]);
	col_set_words(s->halved + 2, p.plane[1]);
	return !more;
}
#endif
