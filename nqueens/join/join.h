/* Counting by joining quarters of the board, without backtracking (after Kluev).
 *
 * The board without its middle lines (odd n) is four quarters of h x h. In each a square is (u, v), its
 * distance from the two centre lines, both from 0; so all four quarters are images of one, and one table
 * serves them: for each set of rows and each set of as many columns, all placements that fill exactly
 * those without attack. With D1 = row + col and D2 = col - row, both counted from the centre, p = u + v,
 * q = u - v and gap = 1 (even n) or 2 (odd n):
 *	NE  D1 = -q          D2 = gap + p
 *	SE  D1 = gap + p     D2 = -q
 *	SW  D1 = q           D2 = -gap - p         NE turned by a half turn
 *	NW  D1 = -gap - p    D2 = q                SE turned by a half turn
 * Quarters beside each other share the diagonals with 1-h <= D <= h-1 only.
 *
 * East and west. Let R be the rows whose queen is in the eastern half. The eastern placements for R are
 * pairs (NE, SE) for all ways to split the columns, each a pattern of D1 and D2; the western ones, for
 * the other rows, likewise. count(R) is the number of pairs of a pattern and a western placement that
 * share no diagonal.
 *
 * The hot loop. 512 patterns at a time are turned into rows of bits, one a diagonal. For each NW and each
 * SW placement the rows of its diagonals are ored together, by tables; then each legal pair (NW, SW)
 * costs one or and one population count for all 512 patterns. Western placements outnumber the quarters
 * they are made of, so nearly all the work is these two instructions.
 *
 * Symmetry, even n. Flipping upside down maps R to its flip: one of both is counted. Of the eastern
 * patterns only those are used that leave both main diagonals alone, and each main diagonal that the
 * western half occupies doubles the count: the mirrors at the main diagonals map the two halves of either
 * diagonal onto each other, one by one. What occupies no main diagonal at all may also be mirrored east
 * to west, which maps R to its complement: it is counted for one of the two.
 * Odd n. The queens of the middle row and column, (0, x) and (y, 0) from the centre, 0 < x < y, stand
 * for 8 boards each; or there is one queen in the centre, and then all is as for even n. */
#ifndef NQUEENS_JOIN_JOIN_H
#define NQUEENS_JOIN_JOIN_H

#include <pthread.h>
#include <nqueens/nqueens.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
	NQ_I_JOIN_MIN_N = 4,
	NQ_I_JOIN_PAYS_N = 16, /* below, walking is as fast or faster */
	NQ_I_JOIN_HALF_MAX = NQ_JOIN_MAX_N / 2
};

/* A placement of a quarter in 31 bits: fields of 10 bits, where bit k-1 is D = -k (LOW) or D = +k (HIGH)
 * of the direction that has -q, and D = +k of the direction that has gap + p (FAR); TOUCH: a queen with
 * q = 0, on the main diagonal. */
enum {
	NQ_I_FIELD_BITS = 10,
	NQ_I_LOW = 0,
	NQ_I_HIGH = 10,
	NQ_I_FAR = 20,
	NQ_I_TOUCH = 30,
	NQ_I_FIELD_MASK = (1 << NQ_I_FIELD_BITS) - 1
};

typedef struct nq_i_join {
	uint32_t n, h, gap;
	uint32_t field; /* bits of a field in use */
	uint32_t *
		sets; /* [2^h] sets of rows or columns by size, each in the order of their numbers */
	uint32_t size_at[NQ_I_JOIN_HALF_MAX + 2]; /* where the sets of a size begin */
	uint32_t *rank;                           /* [2^h] of a set among those of its size */
	size_t *base; /* [2^h] rows: where their lists begin in first, quiet */
	/* what nq_i_join_fill makes */
	pthread_mutex_t lock;
	int filled;
	uint32_t *first; /* [lists + 1] into placements */
	uint32_t *quiet; /* [lists] how many, the first ones, have no TOUCH */
	uint32_t *placements;
	uint32_t longest;    /* list */
	size_t most_quarter; /* placements of all lists of a set of rows */
	size_t most_pairs;   /* pairs of a half, before the test */
	/* odd n: the queens on the middle lines; 0 is the queen in the centre */
	uint8_t x[1 + NQ_I_JOIN_HALF_MAX * NQ_I_JOIN_HALF_MAX];
	uint8_t y[1 + NQ_I_JOIN_HALF_MAX * NQ_I_JOIN_HALF_MAX];
	uint32_t crosses;
	/* crosses with the same y, which are a line: line_at[i] to line_at[i + 1] - 1; line 0 is cross 0 */
	uint32_t lines, line_at[NQ_I_JOIN_HALF_MAX + 2];
} nq_i_join;

/* A queen on the quarter's square (u, v), as a placement. */
uint32_t nq_i_join_pack(const nq_i_join *t, uint32_t u, uint32_t v);

/* Makes sets and crosses, in microseconds. The lists stay empty. */
nq_status nq_i_join_create(nq_i_join **out, uint32_t n);

/* Polled about every millisecond; nonzero cancels. */
typedef int nq_i_join_poll_fn(void *opaque);

/* Fills the lists unless an earlier call did: 0.3 s and 35 MB at n = 20, 3 s and 300 MB at 22. The CPU
 * needs them; a device makes its own. Called by any thread. CANCELLED: poll (NULL: none) returned nonzero;
 * the lists are empty then, and a later call fills them. */
nq_status nq_i_join_fill(nq_i_join *t, nq_i_join_poll_fn *poll, void *opaque);
/* Ways to place k queens on a quarter of h x h squares, h from 2 on: what expected work hangs on. */
double nq_i_join_placements(uint32_t h, uint32_t k);
void nq_i_join_destroy(nq_i_join *t); /* NULL is fine */

typedef struct nq_i_list {
	const uint32_t *at;
	uint32_t count, quiet;
} nq_i_list;

static inline nq_i_list nq_i_join_list(const nq_i_join *t, uint32_t rows, uint32_t cols)
{
	const size_t i = t->base[rows] + t->rank[cols];
	const nq_i_list l = { t->placements + t->first[i], t->first[i + 1] - t->first[i],
		t->quiet[i] };

	return l;
}

/* What the queens on the middle lines (0, x) and (y, 0) leave to each quarter. */
typedef struct nq_i_join_cross {
	uint32_t south_rows, east_cols; /* sets of rows and columns that are free */
	uint32_t queens_east;
	uint32_t no_ne, no_se, no_sw, no_nw; /* forbidden bits of placements */
} nq_i_join_cross;

nq_i_join_cross nq_i_join_cross_of(const nq_i_join *t, uint32_t i);

/* The memory of a worker, which counts one unit at a time. t is filled; *stop (may be NULL) as in
 * nq_i_walk. */
typedef struct nq_i_joiner nq_i_joiner;
nq_status nq_i_joiner_create(nq_i_joiner **out, const nq_i_join *t, nq_simd simd, const int *stop);
void nq_i_joiner_destroy(nq_i_joiner *j);
uint64_t nq_i_join_unit(nq_i_joiner *j, const nq_unit *u);

#ifdef __cplusplus
}
#endif

#endif
