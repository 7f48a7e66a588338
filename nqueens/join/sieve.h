/* The join for large n (join.h): patterns are sorted, and each group of patterns sieves the western
 * placements.
 *
 * The lists of all sets of rows are too large from n = 24 on (n = 28: 6.5e10 placements), so a
 * *quarter* has the placements of one set of rows. An item needs four of them: NE and SE of its own
 * rows, NW and SW of the others.
 *
 * From n = 22 on an item has many patterns (n = 22: 1e4, 24: 1e5, 28: 5e6). They are sorted by the
 * diagonals that divide them best, and counted in groups. All patterns of a group occupy certain
 * diagonals; a western placement with a queen on one of them has a common diagonal with the whole
 * group and is omitted. With 8 diagonals as key a third of the placements remain at n = 24, and an
 * eighth of the pairs.
 *
 * From NQ_I_SIEVE_PAYS_N on images.h chooses the boards that are counted.
 *
 * This is text for both languages. joiner.c, which needs no sorting, counts the same units of n up
 * to 22; sieve.c counts on the CPU and is the specification for CUDA. */
#ifndef NQUEENS_JOIN_SIEVE_H
#define NQUEENS_JOIN_SIEVE_H

#include <libsched/fn.h>
#include "nqueens/join/images.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Smallest n that devices count in this way; the items of smaller boards have few patterns. */
enum { NQ_I_SIEVE_PAYS_N = 22 };

/* A placement of a quarter: fields as in join.h, but of 13 bits. */
enum {
	NQ_I_SIEVE_FIELD_BITS = 13,
	NQ_I_SIEVE_LOW = 0,
	NQ_I_SIEVE_HIGH = 13,
	NQ_I_SIEVE_FAR = 26,
	NQ_I_SIEVE_ON_MAIN = 39,
	NQ_I_SIEVE_FIELD_MASK = (1 << NQ_I_SIEVE_FIELD_BITS) - 1
};

/* A pattern, or the diagonals of a western placement. */
enum {
	NQ_I_SIEVE_D1_LOW = 0,
	NQ_I_SIEVE_D1_HIGH = 13,
	NQ_I_SIEVE_D2_LOW = 26,
	NQ_I_SIEVE_D2_HIGH = 39,
	NQ_I_SIEVE_D1_MAIN = 52,
	NQ_I_SIEVE_D2_MAIN = 53,
	NQ_I_SIEVE_DIAGONALS = 54
};

LSCHED_FN uint64_t nq_i_sieve_field(uint64_t placement, uint32_t field)
{
	return placement >> field & NQ_I_SIEVE_FIELD_MASK;
}

/* Returns the placement with a single queen on square (u, v) of the quarter. */
LSCHED_FN uint64_t nq_i_sieve_pack(uint32_t gap, uint32_t field, uint32_t u, uint32_t v)
{
	const uint32_t far = gap + u + v;
	uint64_t bits = u == v  ? 1ull << NQ_I_SIEVE_ON_MAIN
			: u > v ? 1ull << (NQ_I_SIEVE_LOW + (u - v) - 1)
				: 1ull << (NQ_I_SIEVE_HIGH + (v - u) - 1);

	if (far <= field)
		bits |= 1ull << (NQ_I_SIEVE_FAR + far - 1);
	return bits;
}

LSCHED_FN uint64_t nq_i_sieve_as_ne(uint64_t p)
{
	return nq_i_sieve_field(p, NQ_I_SIEVE_LOW) << NQ_I_SIEVE_D1_LOW |
	       nq_i_sieve_field(p, NQ_I_SIEVE_HIGH) << NQ_I_SIEVE_D1_HIGH |
	       nq_i_sieve_field(p, NQ_I_SIEVE_FAR) << NQ_I_SIEVE_D2_HIGH |
	       (p >> NQ_I_SIEVE_ON_MAIN & 1) << NQ_I_SIEVE_D1_MAIN;
}

LSCHED_FN uint64_t nq_i_sieve_as_se(uint64_t p)
{
	return nq_i_sieve_field(p, NQ_I_SIEVE_LOW) << NQ_I_SIEVE_D2_LOW |
	       nq_i_sieve_field(p, NQ_I_SIEVE_HIGH) << NQ_I_SIEVE_D2_HIGH |
	       nq_i_sieve_field(p, NQ_I_SIEVE_FAR) << NQ_I_SIEVE_D1_HIGH |
	       (p >> NQ_I_SIEVE_ON_MAIN & 1) << NQ_I_SIEVE_D2_MAIN;
}

LSCHED_FN uint64_t nq_i_sieve_as_nw(uint64_t p)
{
	return nq_i_sieve_field(p, NQ_I_SIEVE_LOW) << NQ_I_SIEVE_D2_HIGH |
	       nq_i_sieve_field(p, NQ_I_SIEVE_HIGH) << NQ_I_SIEVE_D2_LOW |
	       nq_i_sieve_field(p, NQ_I_SIEVE_FAR) << NQ_I_SIEVE_D1_LOW |
	       (p >> NQ_I_SIEVE_ON_MAIN & 1) << NQ_I_SIEVE_D2_MAIN;
}

LSCHED_FN uint64_t nq_i_sieve_as_sw(uint64_t p)
{
	return nq_i_sieve_field(p, NQ_I_SIEVE_LOW) << NQ_I_SIEVE_D1_HIGH |
	       nq_i_sieve_field(p, NQ_I_SIEVE_HIGH) << NQ_I_SIEVE_D1_LOW |
	       nq_i_sieve_field(p, NQ_I_SIEVE_FAR) << NQ_I_SIEVE_D2_LOW |
	       (p >> NQ_I_SIEVE_ON_MAIN & 1) << NQ_I_SIEVE_D1_MAIN;
}

/* The inverse of as_nw and as_sw: the bits of placements that occupy one of these diagonals. */
LSCHED_FN uint64_t nq_i_sieve_of_nw(uint64_t d)
{
	return nq_i_sieve_field(d, NQ_I_SIEVE_D2_HIGH) << NQ_I_SIEVE_LOW |
	       nq_i_sieve_field(d, NQ_I_SIEVE_D2_LOW) << NQ_I_SIEVE_HIGH |
	       nq_i_sieve_field(d, NQ_I_SIEVE_D1_LOW) << NQ_I_SIEVE_FAR |
	       (d >> NQ_I_SIEVE_D2_MAIN & 1) << NQ_I_SIEVE_ON_MAIN;
}

LSCHED_FN uint64_t nq_i_sieve_of_sw(uint64_t d)
{
	return nq_i_sieve_field(d, NQ_I_SIEVE_D1_HIGH) << NQ_I_SIEVE_LOW |
	       nq_i_sieve_field(d, NQ_I_SIEVE_D1_LOW) << NQ_I_SIEVE_HIGH |
	       nq_i_sieve_field(d, NQ_I_SIEVE_D2_LOW) << NQ_I_SIEVE_FAR |
	       (d >> NQ_I_SIEVE_D1_MAIN & 1) << NQ_I_SIEVE_ON_MAIN;
}

/* As nq_i_upper and nq_i_lower of sides.h: 26 bits. */
LSCHED_FN uint32_t nq_i_sieve_upper(uint64_t p)
{
	return (uint32_t)(p >> NQ_I_SIEVE_HIGH) &
	       ((uint32_t)NQ_I_SIEVE_FIELD_MASK << NQ_I_SIEVE_FIELD_BITS | NQ_I_SIEVE_FIELD_MASK);
}

LSCHED_FN uint32_t nq_i_sieve_lower(uint64_t p)
{
	return (uint32_t)(nq_i_sieve_field(p, NQ_I_SIEVE_HIGH) << NQ_I_SIEVE_FIELD_BITS |
			  nq_i_sieve_field(p, NQ_I_SIEVE_FAR));
}

/* The eastern half of a cross: the queen of the middle row is in the east, and its diagonals are
 * part of the patterns. */
typedef struct nq_i_sieve_east {
	uint64_t no_ne, no_se; /* attacked diagonals, as bits of placements */
	uint64_t queen;        /* bits of patterns */
	uint32_t cols;         /* free columns */
	uint32_t off_main;     /* nonzero: only patterns without a queen on a main diagonal */
	/* SE's columns have at least the sum of its rows and this number (NQ_I_EAST_CROSS) */
	int32_t ahead;
} nq_i_sieve_east;

/* The western half of a line (nq_i_join), whose crosses have the same western placements. */
typedef struct nq_i_sieve_line {
	uint64_t no_nw, no_sw;
	uint32_t south_rows;
	uint32_t first_cross, crosses;
} nq_i_sieve_line;

nq_i_sieve_east nq_i_sieve_east_of(const nq_i_join *t, uint32_t cross);
nq_i_sieve_line nq_i_sieve_line_of(const nq_i_join *t, uint32_t line);

/* Queens that are given in a quarter: 4 bits for each row u, its column, or 15: none. */
#define NQ_I_SIEVE_NONE_GIVEN UINT64_MAX

/* The placements of one set of rows. A list has its placements without ON_MAIN first. */
typedef struct nq_i_quarter {
	uint32_t rows, lists;
	uint64_t given;
	uint32_t *first;    /* [lists + 1] by the rank of the set of columns */
	uint32_t *off_main; /* [lists] number of placements without ON_MAIN */
	uint64_t *placements;
	size_t room; /* of placements */
} nq_i_quarter;

/* Makes q, whose members are zero or those of an earlier call. */
nq_status nq_i_quarter_make(nq_i_quarter *q, const nq_i_join *t, uint32_t rows, uint64_t given);
void nq_i_quarter_free(nq_i_quarter *q);

/* Counts items on the CPU; memory of one worker. *stop (may be NULL): as in nq_i_walk. */
typedef struct nq_i_siever nq_i_siever;
nq_status nq_i_siever_create(nq_i_siever **out, const nq_i_join *t, nq_simd simd, const int *stop);
void nq_i_siever_destroy(nq_i_siever *s);

/* Queens given in the quarters NE, SE, NW, SW. */
typedef struct nq_i_sieve_given {
	uint64_t quarter[4];
} nq_i_sieve_given;
enum { NQ_I_NE, NQ_I_SE, NQ_I_NW, NQ_I_SW };

/* Writes the weighted count of an item. given may be NULL. NOMEM: memory is short; CANCELLED:
 * *stop. */
nq_status nq_i_sieve_item(
	nq_i_siever *s, const nq_i_join_item *item, const nq_i_sieve_given *given, uint64_t *count);
nq_status nq_i_sieve_unit(nq_i_siever *s, const nq_unit *u, uint64_t *count);

/* An item with the queens that are given in its quarters. */
typedef struct nq_i_sieve_task {
	nq_i_join_item item;
	nq_i_sieve_given given;
} nq_i_sieve_task;

/* ---- verification by backtracking (item_walk.c) ---- */

/* Counts what nq_i_sieve_item counts, by backtracking over boards: the halves of the item's rows
 * and the given queens are fixed. */
uint64_t nq_i_item_walk(
	const nq_i_join *t, const nq_i_join_item *item, const nq_i_sieve_given *given);

/* Gives `queens` queens on random squares that the item allows and that do not attack each other.
 * Returns 0 if it found none. */
int nq_i_item_give(const nq_i_join *t, const nq_i_join_item *item, uint32_t queens,
	uint64_t *random, nq_i_sieve_given *given);

#ifdef __cplusplus
}
#endif
#endif
