/* The depth test of opaque surfaces. Of surfaces at exactly the same depth the one with the smaller
 * grid order wins, because grid numbers depend on the schedule. */
#ifndef REYES_HIDE_DEPTH_H
#define REYES_HIDE_DEPTH_H

#include "reyes/core/language.h"
#include "reyes/hide/canvas.h"

/* Whether the visible point a comes before b at the same depth. */
LSCHED_FN int reyes_i_id_before(const reyes_i_canvas *c, uint32_t a, uint32_t b)
{
	const uint64_t oa = reyes_i_grid_order(&c->grids[a >> 14].grid);
	const uint64_t ob = reyes_i_grid_order(&c->grids[b >> 14].grid);

	return oa != ob ? oa < ob : (a & 0x3fffu) < (b & 0x3fffu);
}

/* Returns the cell that wins of two. */
LSCHED_FN uint64_t reyes_i_nearer(const reyes_i_canvas *c, uint64_t a, uint64_t b)
{
	if (a >> 32 != b >> 32)
		return a < b ? a : b;
	return a == b || reyes_i_id_before(c, (uint32_t)a, (uint32_t)b) ? a : b;
}

/* Resolves a tie of depths: the cell becomes the winner of its value, `a` and `b`. */
LSCHED_FN void reyes_i_depth_tie(const reyes_i_canvas *c, uint64_t *cell, uint64_t a, uint64_t b)
{
	uint64_t best;

	reyes_i_acquire();
	best = reyes_i_nearer(c, a, b);

	for (;;) {
		const uint64_t now = reyes_i_load64(cell);
		uint64_t winner;

		reyes_i_acquire();
		winner = reyes_i_nearer(c, best, now);

		if (winner == now || reyes_i_cas64(cell, now, winner))
			return;
	}
}

/* At a tie the smaller value may replace the winner for a moment: the thread that wrote it has the
 * winner's value and writes it back. */
LSCHED_FN void reyes_i_depth_test(const reyes_i_canvas *c, uint64_t *cell, uint64_t mine)
{
	const uint64_t old = reyes_i_min64(cell, mine);

	if (mine >> 32 == old >> 32 && mine != old)
		reyes_i_depth_tie(c, cell, mine, old);
}

#endif
