/* Positions that are decided by follow-up: the other player answers each stone in the same column.
 * From the top of a column down, empty cells are pairs of a lower and an upper one; where their
 * number is odd, the playable cell is a loose upper one. Compiled for CPU and GPU.
 *
 * The player to move (own) gets the lower cells and the other player (follower) the upper ones, if
 * own has to begin each pair. Of two loose cells own takes one and the follower answers with the
 * other. If own has no row in such a game, own does not win; if the follower has one in it, own
 * loses. These are claimeven and baseinverse of Allis (1988), and the threat of a player that
 * zugzwang helps. */
#ifndef WORKLOADS_FOURROW_FOLLOW_H
#define WORKLOADS_FOURROW_FOLLOW_H

#include "workloads/fourrow/board.h"

/* The cells above cells t, in their columns. */
LSCHED_FN uint64_t fr_above(const fr_board *b, uint64_t t)
{
	uint64_t above = t << 1 & b->all;

	for (uint32_t k = 2; k < b->height; k++)
		above |= above << 1 & b->all;
	return above;
}

/* Whether stones s have no row, however many of the loose cells they get, or, of two, whichever. */
LSCHED_FN int fr_is_quiet(const fr_board *b, uint64_t s, uint64_t loose)
{
	const uint64_t one = loose & (0 - loose), other = loose ^ one;

	if (!fr_four(b, s | loose))
		return 1;
	if (!loose || (other & (other - 1)))
		return 0;
	return !fr_four(b, s | one) && !fr_four(b, s | other);
}

/* Whether own loses since the follower completes four on a lower cell: one above a loose cell, in
 * a column whose cells own and the follower take in turn from the loose one on. The follower
 * answers elsewhere until own has to fill this column. `even`: lower cells that own may get. */
LSCHED_FN int fr_is_squeezed(
	const fr_board *b, fr_position p, uint64_t loose, uint64_t even, uint64_t threats)
{
	const uint64_t empty = b->all ^ p.both;
	int lost = 0;

	for (uint32_t x = 0; x < b->width && !lost; x++) {
		const uint64_t column = fr_column(b, x), wins = threats & b->lower & column;
		const uint64_t below = column & ((wins & (0 - wins)) - 1);

		if (wins && (loose & column))
			lost = fr_is_quiet(b,
				p.own | (even & ~column) | (empty & ~b->lower & below),
				loose & ~column);
	}
	return lost;
}

/* Whether the player to move surely has a lower score than `score`, which is not negative: no row
 * is left for this player, or the other player follows. Cells above one on which the follower wins
 * are not reached. `threats`: fr_threats. */
LSCHED_FN int fr_is_followed(const fr_board *b, fr_position p, int32_t score, uint64_t threats)
{
	const uint64_t empty = b->all ^ p.both, other = p.own ^ p.both;
	const uint64_t loose = fr_playable(b, p.both) & ~b->lower;
	const uint64_t upper = empty & ~b->lower & ~loose;
	const uint32_t odd = fr_count(loose) & 1u;
	uint64_t even;

	if (score > 0 && !fr_four(b, p.own | empty))
		return 1;
	if (!odd && score == 0 && !fr_four(b, other | upper))
		return 0;
	if (odd && !(threats & b->lower))
		return 0;
	even = empty & b->lower & ~fr_above(b, threats & upper);
	return odd ? fr_is_squeezed(b, p, loose, even, threats)
		   : fr_is_quiet(b, p.own | even, loose);
}

#endif
