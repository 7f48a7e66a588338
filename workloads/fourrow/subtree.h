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

/* The value of a subtree by depth-first search; adds its positions to *visited. */
LSCHED_FN int32_t fr_subtree(const fr_board *b, fr_position p, uint32_t plies, uint64_t *visited)
{
	uint64_t frame[FR_MAX_PLIES + 1];
	int32_t best[FR_MAX_PLIES + 1], value = 0;
	uint32_t depth = 0;
	int down = 1;

	for (;;) {
		if (down) {
			++*visited;
			frame[depth] = depth == plies || fr_ends(b, p) ? 0 : b->order;
			best[depth] = frame[depth] ? -FR_WIN - 1 : fr_leaf(b, p);
		}
		down = fr_step(b, &p, &frame[depth]);
		if (down) {
			depth++;
			continue;
		}
		value = best[depth];
		if (depth == 0)
			return value;
		depth--;
		p = fr_unplay(b, p, (uint32_t)(frame[depth] >> 60) - 1);
		frame[depth] &= ~UINT64_C(0) >> 4;
		best[depth] = -value > best[depth] ? -value : best[depth];
	}
}

#endif
