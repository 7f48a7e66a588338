/* Counting by joining placements of board quarters, without backtracking (after Kluev).
 *
 * The board without its middle lines (odd n) is four quarters of h x h. A square of a quarter is
 * (u, v), its distances from the two centre lines, each from 0. In these coordinates the quarters
 * are images of each other, so one table serves all: for each set of rows and each set of as many
 * columns, the list of all placements that occupy exactly these lines and have no attack. With D1 =
 * row + col and D2 = col - row, both from the centre, p = u + v, q = u - v and gap = 1 (even n) or
 * 2 (odd n):
 *	NE  D1 = -q          D2 = gap + p
 *	SE  D1 = gap + p     D2 = -q
 *	SW  D1 = q           D2 = -gap - p         NE after a half turn
 *	NW  D1 = -gap - p    D2 = q                SE after a half turn
 * Adjacent quarters share only the diagonals with 1-h <= D <= h-1.
 *
 * Halves. Let R be the set of rows whose queen is in the eastern half. The eastern placements for R
 * are the compatible pairs (NE, SE) over all ways to split the columns; each is a pattern of D1 and
 * D2 bits. The western placements for the other rows are pairs (NW, SW). count(R) is the number of
 * pairs of an eastern pattern and a western placement without a common diagonal.
 *
 * Hot loop. 512 patterns are transposed into rows of bits, one row per diagonal. For each NW and
 * each SW placement the rows of its diagonals are combined by OR, through lookup tables; then each
 * compatible pair (NW, SW) takes one OR and one population count for all 512 patterns. There are
 * far more pairs than quarter placements, so nearly all work is in these two instructions.
 *
 * Symmetry, even n. The reflection north-south maps R to its image, so one of the two is counted.
 * Only eastern patterns without a queen on a main diagonal are used, and each main diagonal that
 * the western half occupies doubles the count: the reflections at the main diagonals map the two
 * halves of a diagonal onto each other. Placements without a queen on a main diagonal are also
 * counted for only one of R and its complement, which the reflection east-west maps to each other.
 * Odd n. The queens of the middle row and column, (0, x) and (y, 0) from the centre with 0 < x < y,
 * represent 8 solutions each; with one queen in the centre instead the symmetry is that of even
 * n. Boards of many rows have a division of their own: images.h. */
#ifndef NQUEENS_JOIN_JOIN_H
#define NQUEENS_JOIN_JOIN_H

#include <pthread.h>
#include <nqueens/nqueens.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	NQ_I_JOIN_MIN_N = 4,
	NQ_I_JOIN_PAYS_N = 16, /* below, backtracking is as fast or faster */
	/* Largest n of nq_i_join_fill and of what uses its lists: a quarter's diagonals have 31
	 * bits. sieve.h counts larger boards. */
	NQ_I_JOIN_FILL_MAX_N = 22,
	NQ_I_JOIN_HALF_MAX = NQ_JOIN_MAX_N / 2
};

/* A placement of a quarter in 31 bits: fields of 10 bits. Bit k-1 is diagonal D = -k (LOW) or D =
 * +k (HIGH) of the direction with -q, and D = +k of the direction with gap + p (FAR). ON_MAIN: a
 * queen with q = 0, on the main diagonal. */
enum {
	NQ_I_FIELD_BITS = 10,
	NQ_I_LOW = 0,
	NQ_I_HIGH = 10,
	NQ_I_FAR = 20,
	NQ_I_ON_MAIN = 30,
	NQ_I_FIELD_MASK = (1 << NQ_I_FIELD_BITS) - 1
};

typedef struct nq_i_join {
	uint32_t n, h, gap;
	uint32_t field; /* bits of a field in use */
	/* Nonzero: images.h chooses the boards that are counted; [2^h] the order of sets. */
	int by_images;
	uint32_t *order;
	/* Units of each line by the set of northern rows: of even n from 22 on several, so that
	 * they have equal costs. NULL: one. plan/join_units.c sets both. */
	uint16_t *parts; /* [2^h] */
	uint32_t most_parts;
	/* [2^h] sets of rows or columns, sorted by size, then value; those of size k begin at
	 * size_at[k]. */
	uint32_t *sets;
	uint32_t size_at[NQ_I_JOIN_HALF_MAX + 2];
	uint32_t *rank; /* [2^h] index of a set among those of its size */
	size_t *base;   /* [2^h] rows: index of their lists in first and off_main */
	/* Made by nq_i_join_fill. A list has its placements without ON_MAIN first. */
	pthread_mutex_t lock;
	int filled;
	uint32_t *first;    /* [lists + 1] begin of each list in placements */
	uint32_t *off_main; /* [lists] number of placements without ON_MAIN */
	uint32_t *placements;
	uint32_t longest;    /* length of a list */
	size_t most_quarter; /* bound: placements of all lists of a set of rows */
	size_t most_pairs;   /* bound: pairs of a half, compatible or not */
	/* Odd n: the queens on the middle lines, a cross; cross 0: one queen in the centre. */
	uint8_t x[1 + NQ_I_JOIN_HALF_MAX * NQ_I_JOIN_HALF_MAX];
	uint8_t y[1 + NQ_I_JOIN_HALF_MAX * NQ_I_JOIN_HALF_MAX];
	uint32_t crosses;
	/* A line: the crosses line_at[i] .. line_at[i + 1] - 1, which have the same y; line 0 is
	 * cross 0. x < y, but for by_images. */
	uint32_t lines, line_at[NQ_I_JOIN_HALF_MAX + 2];
} nq_i_join;

static inline uint32_t nq_i_join_part_count(const nq_i_join *t, uint32_t north)
{
	return t->parts ? t->parts[north] : 1;
}

/* The line of a unit, and its part of the southern sets of rows: those with an index of part modulo
 * nq_i_join_part_count(). */
static inline uint32_t nq_i_join_line_of(const nq_i_join *t, const nq_unit *u)
{
	return u->first % t->lines;
}

static inline uint32_t nq_i_join_part_of(const nq_i_join *t, const nq_unit *u)
{
	return u->first / t->lines;
}

/* Returns the placement with a single queen on square (u, v) of the quarter. */
uint32_t nq_i_join_pack(const nq_i_join *t, uint32_t u, uint32_t v);

/* Makes sets and crosses, in microseconds. The lists stay empty. The second one: by_images as given
 * instead of by n. */
nq_status nq_i_join_create(nq_i_join **out, uint32_t n);
nq_status nq_i_join_create_by(nq_i_join **out, uint32_t n, int by_images);

/* Polled about every millisecond; nonzero cancels. */
typedef int nq_i_join_poll_fn(void *opaque);

/* Fills the lists unless an earlier call did: 0.3 s and 35 MB at n = 20, 3 s and 300 MB at 22. The
 * CPU needs them; a device makes its own. Called by any thread. CANCELLED: poll (NULL: none)
 * returned nonzero; the lists are empty then, and a later call fills them. */
nq_status nq_i_join_fill(nq_i_join *t, nq_i_join_poll_fn *poll, void *opaque);
/* Returns the number of placements of k queens on a quarter of h x h squares, h: 2 or more. The
 * expected work of units follows from it. */
double nq_i_join_placements(uint32_t h, uint32_t k);
void nq_i_join_destroy(nq_i_join *t); /* t may be NULL */

typedef struct nq_i_list {
	const uint32_t *at;
	uint32_t count, off_main;
} nq_i_list;

static inline nq_i_list nq_i_join_list(const nq_i_join *t, uint32_t rows, uint32_t cols)
{
	const size_t i = t->base[rows] + t->rank[cols];
	const nq_i_list l = { t->placements + t->first[i], t->first[i + 1] - t->first[i],
		t->off_main[i] };

	return l;
}

/* The restrictions of the quarters by the queens (0, x) and (y, 0) of the middle lines. */
typedef struct nq_i_join_cross {
	uint32_t south_rows, east_cols; /* free rows, free columns */
	uint32_t queens_east;
	uint32_t no_ne, no_se, no_sw, no_nw; /* attacked diagonals, as bits of placements */
} nq_i_join_cross;

nq_i_join_cross nq_i_join_cross_of(const nq_i_join *t, uint32_t i);

/* The memory of a worker, which counts one unit at a time. t is filled; *stop (may be
 * NULL) as in nq_i_walk. */
typedef struct nq_i_joiner nq_i_joiner;
nq_status nq_i_joiner_create(nq_i_joiner **out, const nq_i_join *t, nq_simd simd, const int *stop);
void nq_i_joiner_destroy(nq_i_joiner *j);
uint64_t nq_i_join_unit(nq_i_joiner *j, const nq_unit *u);

#ifdef __cplusplus
}
#endif

#endif
