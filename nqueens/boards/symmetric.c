/* Boards that a turn leaves as they are, and with them the count up to symmetry. */
#include <nqueens/nqueens.h>
#include "nqueens/core/error.h"
#include "nqueens/core/board.h"

/* The lowest empty row gets a queen, and with it the squares that the turns map it to. */
typedef struct turns {
	uint32_t n;
	uint32_t turns; /* squares of an orbit: 2 or 4 */
} turns;

static int put(nq_task *t, uint32_t n, uint32_t row, uint32_t col)
{
	const uint32_t bit = 1u << col;

	if (!(t->rows >> row & 1) || !(nq_i_free(t, n, row) & bit))
		return 0;
	nq_i_place(t, n, row, bit);
	return 1;
}

static int put_orbit(const turns *k, nq_task *t, uint32_t row, uint32_t col)
{
	const uint32_t last = k->n - 1;

	if (k->turns == 2)
		return put(t, k->n, row, col) && put(t, k->n, last - row, last - col);
	return put(t, k->n, row, col) && put(t, k->n, col, last - row) &&
	       put(t, k->n, last - row, last - col) && put(t, k->n, last - col, row);
}

static uint64_t go(const turns *k, const nq_task *t)
{
	uint64_t found = 0;
	uint32_t row, cols;

	if (!t->rows)
		return 1;
	row = nq_i_low_index(t->rows);
	for (cols = nq_i_free(t, k->n, row); cols; cols &= cols - 1) {
		nq_task next = *t;

		if (put_orbit(k, &next, row, nq_i_low_index(cols)))
			found += go(k, &next);
	}
	return found;
}

static nq_status count(uint32_t n, uint32_t size, nq_count *out)
{
	const turns k = { n, size };
	nq_task t = { 0, 0, 0, 0, 0, 1 };

	if (!out)
		return nq_i_fail(NQ_ERR_ARG, "no place for the count");
	*out = nq_count_of(0);
	if (n < 1 || n > NQ_MAX_N)
		return nq_i_fail(NQ_ERR_ARG, "n is %u: 1 to %d can be counted", n, NQ_MAX_N);
	t.rows = nq_i_full(n);
	/* the queen of the middle row is turned into that row, so it is in the centre; the others come in
	 * orbits of `size` */
	if (n % 2)
		put(&t, n, n / 2, n / 2);
	if ((n - n % 2) % size == 0)
		*out = nq_count_of(go(&k, &t));
	return NQ_OK;
}

nq_status nq_half_turn_count(uint32_t n, nq_count *out)
{
	return count(n, 2, out);
}

nq_status nq_quarter_turn_count(uint32_t n, nq_count *out)
{
	return count(n, 4, out);
}

static nq_status wrong_total(uint32_t n)
{
	return nq_i_fail(NQ_ERR_ARG, "the total cannot be the count of all boards of %u queens", n);
}

/* Burnside: the 8 symmetries fix T, 2 x R90, R180 and, the mirrors, no boards (n > 1). */
nq_status nq_unique_count(uint32_t n, nq_count total, nq_count *out)
{
	nq_count half, quarter, sum;
	uint64_t rest;
	nq_status st;

	if (!out)
		return nq_i_fail(NQ_ERR_ARG, "no place for the count");
	*out = nq_count_of(0);
	if (n == 1) {
		*out = nq_count_of(nq_count_cmp(total, nq_count_of(1)) == 0);
		return out->lo ? NQ_OK : wrong_total(n);
	}
	st = nq_half_turn_count(n, &half);
	if (st == NQ_OK)
		st = nq_quarter_turn_count(n, &quarter);
	if (st != NQ_OK)
		return st;
	sum = nq_count_add(total, nq_count_add(half, nq_count_mul(quarter, 2)));
	sum = nq_count_div(sum, 8, &rest);
	if (rest || nq_count_cmp(total, half) < 0)
		return wrong_total(n);
	*out = sum;
	return NQ_OK;
}
