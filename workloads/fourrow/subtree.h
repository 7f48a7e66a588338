/* The tree of N moves, or a part of it, in one lane: depth first, without bounds. Compiled for CPU
 * and GPU. */
#ifndef WORKLOADS_FOURROW_SUBTREE_H
#define WORKLOADS_FOURROW_SUBTREE_H

#include "workloads/fourrow/fourrow.h"

enum { FR_MAX_PLIES = 12 };

/* Returns whether the tree ends at a position. */
LSCHED_FN int fr_ends(const fr_board *b, fr_position p)
{
	return fr_four(b, p.own ^ p.both) || !fr_playable(b, p.both);
}

/* Steps to the next child of the position at `depth`; returns 0 if there is none left. */
LSCHED_FN int fr_step(const fr_board *b, fr_position *p, uint64_t *frame)
{
	uint64_t list = *frame, cell = 0, column = 0;

	for (; list && !cell; list >>= 4) {
		column = list & 15u;
		cell = fr_playable(b, p->both) & fr_column(b, (uint32_t)column - 1);
	}
	if (!cell)
		return 0;
	*frame = list | column << 60;
	*p = fr_play(*p, cell);
	return 1;
}

/* The value of a position that does not end the tree and whose children are its leaves; adds them
 * to *visited. The lanes of a warp go through the columns together. */
LSCHED_FN int32_t fr_children(const fr_board *b, fr_position p, uint64_t *visited)
{
	const uint64_t moves = fr_playable(b, p.both);
	int32_t best = -FR_WIN - 1;

	LSCHED_NO_UNROLL
	for (uint32_t x = 0; x < b->width; x++) {
		const uint64_t cell = moves & fr_column(b, x);
		int32_t value;

		if (!cell)
			continue;
		++*visited;
		value = -fr_leaf(b, fr_play(p, cell));
		best = value > best ? value : best;
	}
	return best;
}

/* The value of a subtree by depth-first search; adds its positions to *visited. In each step every
 * lane of a warp has a position to value, most often one whose children are leaves. */
LSCHED_FN int32_t fr_subtree(const fr_board *b, fr_position p, uint32_t plies, uint64_t *visited)
{
	uint64_t frame[FR_MAX_PLIES + 1];
	int32_t best[FR_MAX_PLIES + 1];
	uint32_t depth = 0;
	int more = 1;

	while (more) {
		const int ends = depth == plies || fr_ends(b, p);

		++*visited;
		frame[depth] = ends || depth + 1 == plies ? 0 : b->order;
		best[depth] = ends           ? fr_leaf(b, p)
			      : frame[depth] ? -FR_WIN - 1
					     : fr_children(b, p, visited);
		/* One exit of the loop, so that the lanes go on together. */
		while (!(more = fr_step(b, &p, &frame[depth])) && depth) {
			const int32_t value = best[depth--];

			p = fr_unplay(b, p, (uint32_t)(frame[depth] >> 60) - 1);
			frame[depth] &= ~UINT64_C(0) >> 4;
			best[depth] = -value > best[depth] ? -value : best[depth];
		}
		depth++;
	}
	return best[0];
}

/* The same; with constants for the usual board, as shifts by constants are shorter on a GPU. */
LSCHED_FN int32_t fr_subtree_of(const fr_board *b, fr_position p, uint32_t plies, uint64_t *visited)
{
	if (b->width == 7 && b->height == 6) {
		const fr_board usual = fr_usual_board();

		return fr_subtree(&usual, p, plies, visited);
	}
	return fr_subtree(b, p, plies, visited);
}

#endif
