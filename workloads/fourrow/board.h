/* Connect four on bitboards. A column of the board is height + 1 bits, of which the last is never a
 * stone, from the lowest row up; columns follow each other from the left. Compiled for CPU and
 * GPU. */
#ifndef WORKLOADS_FOURROW_BOARD_H
#define WORKLOADS_FOURROW_BOARD_H

#include <libsched/task.h>

/* Boards of at most so many columns and rows, and width x (height + 1) bits. */
enum { FR_SIDE = 9, FR_BITS = 64 };

typedef struct fr_board {
	uint64_t bottom; /* the lowest row */
	uint64_t all;    /* all cells */
	uint64_t lower;  /* of each pair of cells, from the top of a column, the lower one */
	uint64_t order;  /* columns from the middle outwards: number plus one, four bits each */
	uint32_t width, height, cells;
} fr_board;

/* Stones of the player to move, and of both. */
typedef struct fr_position {
	uint64_t own, both;
} fr_position;

LSCHED_FN fr_board fr_board_make(uint32_t width, uint32_t height)
{
	fr_board b;

	b.bottom = b.all = b.lower = b.order = 0;
	b.width = width;
	b.height = height;
	b.cells = width * height;
	for (uint32_t x = 0; x < width; x++) {
		const uint32_t column =
			x % 2 ? (width - 1) / 2 + (x + 1) / 2 : (width - 1) / 2 - x / 2;

		b.bottom |= UINT64_C(1) << x * (height + 1);
		b.order |= (uint64_t)(column + 1) << 4 * x;
		for (uint32_t y = height % 2; y < height; y += 2)
			b.lower |= UINT64_C(1) << (x * (height + 1) + y);
	}
	b.all = b.bottom * ((UINT64_C(1) << height) - 1);
	return b;
}

/* fr_board_make(7, 6). */
LSCHED_FN fr_board fr_usual_board(void)
{
	const fr_board b = { UINT64_C(0x40810204081), UINT64_C(0xfdfbf7efdfbf),
		UINT64_C(0x54a952a54a95), UINT64_C(0x1726354), 7, 6, 42 };

	return b;
}

LSCHED_FN uint64_t fr_column(const fr_board *b, uint32_t x)
{
	return ((UINT64_C(1) << b->height) - 1) << x * (b->height + 1);
}

/* The cells that stones can be put on. */
LSCHED_FN uint64_t fr_playable(const fr_board *b, uint64_t both)
{
	return (both + b->bottom) & b->all;
}

LSCHED_FN fr_position fr_play(fr_position p, uint64_t cell)
{
	fr_position next;

	next.own = p.own ^ p.both;
	next.both = p.both | cell;
	return next;
}

/* The position before the last stone of column x. */
LSCHED_FN fr_position fr_unplay(const fr_board *b, fr_position p, uint32_t x)
{
	const uint64_t above = p.both + (UINT64_C(1) << x * (b->height + 1));
	fr_position before;

	before.both = p.both ^ ((above & ~p.both) >> 1 & p.both & fr_column(b, x));
	before.own = p.own ^ before.both;
	return before;
}

/* Whether stones have four in a row. */
LSCHED_FN int fr_four(const fr_board *b, uint64_t s)
{
	const uint32_t h = b->height;
	const uint64_t v = s & s >> 1, r = s & s >> (h + 1), u = s & s >> (h + 2), d = s & s >> h;

	return ((v & v >> 2) | (r & r >> 2 * (h + 1)) | (u & u >> 2 * (h + 2)) |
		       (d & d >> 2 * h)) != 0;
}

LSCHED_FN uint64_t fr_fourth(uint64_t s, uint32_t d)
{
	const uint64_t up = s << d & s << 2 * d, down = s >> d & s >> 2 * d;

	return (up & (s << 3 * d | s >> d)) | (down & (s << d | s >> 3 * d));
}

/* The empty cells that complete four of the stones s. */
LSCHED_FN uint64_t fr_wins(const fr_board *b, uint64_t s, uint64_t both)
{
	const uint32_t h = b->height;

	return ((s << 1 & s << 2 & s << 3) | fr_fourth(s, h) | fr_fourth(s, h + 1) |
		       fr_fourth(s, h + 2)) &
	       (b->all ^ both);
}

/* The cells on which the other player completes four. */
LSCHED_FN uint64_t fr_threats(const fr_board *b, fr_position p)
{
	return fr_wins(b, p.own ^ p.both, p.both);
}

/* The moves after which the other player has no four at once, where this player has none. */
LSCHED_FN uint64_t fr_safe_moves(const fr_board *b, fr_position p, uint64_t threats)
{
	uint64_t moves = fr_playable(b, p.both);
	const uint64_t forced = moves & threats;

	if (forced) {
		if (forced & (forced - 1))
			return 0;
		moves = forced;
	}
	return moves & ~(threats >> 1);
}

/* One word for a position: the player's stones, and a bit above the highest stone of a column. */
LSCHED_FN uint64_t fr_pack(const fr_board *b, fr_position p)
{
	return p.own | (p.both + b->bottom);
}

LSCHED_FN fr_position fr_unpack(const fr_board *b, uint64_t word)
{
	fr_position p;
	uint64_t below = word >> 1 & b->all;

	for (uint32_t k = 1; k < b->height; k++)
		below |= below >> 1 & b->all;
	p.both = below;
	p.own = word & below;
	return p;
}

/* The position in a mirror. */
LSCHED_FN uint64_t fr_mirror(const fr_board *b, uint64_t word)
{
	const uint32_t bits = b->height + 1;
	const uint64_t column = (UINT64_C(2) << b->height) - 1;
	uint64_t out = 0;

	for (uint32_t x = 0; x < b->width; x++)
		out |= (word >> x * bits & column) << (b->width - 1 - x) * bits;
	return out;
}

LSCHED_FN uint32_t fr_count(uint64_t v)
{
#ifdef __CUDA_ARCH__
	return (uint32_t)__popcll(v);
#elif defined(__POPCNT__)
	return (uint32_t)__builtin_popcountll(v);
#else
	v -= v >> 1 & UINT64_C(0x5555555555555555);
	v = (v & UINT64_C(0x3333333333333333)) + (v >> 2 & UINT64_C(0x3333333333333333));
	v = (v + (v >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f);
	return (uint32_t)(v * UINT64_C(0x0101010101010101) >> 56);
#endif
}

/* Counts the rows of four cells in steps of d in which stones s have two or three and others
 * none. */
LSCHED_FN uint32_t fr_open_rows(uint64_t s, uint64_t others, uint64_t all, uint32_t d)
{
	const uint64_t s1 = s >> d, s2 = s >> 2 * d, s3 = s >> 3 * d;
	/* bit 1 of the number of stones */
	const uint64_t two = (s & s1) ^ (s2 & s3) ^ ((s ^ s1) & (s2 ^ s3));
	const uint64_t taken = others | others >> d | others >> 2 * d | others >> 3 * d;
	const uint64_t inside = all & all >> d & all >> 2 * d & all >> 3 * d;

	return fr_count(two & inside & ~taken);
}

/* The open rows of the player to move, minus those of the other player. */
LSCHED_FN int32_t fr_rows(const fr_board *b, fr_position p)
{
	const uint64_t other = p.own ^ p.both;
	const uint32_t step[4] = { 1, b->height, b->height + 1, b->height + 2 };
	int32_t sum = 0;

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 4; k++)
		sum += (int32_t)fr_open_rows(p.own, other, b->all, step[k]) -
		       (int32_t)fr_open_rows(other, p.own, b->all, step[k]);
	return sum;
}

#endif
