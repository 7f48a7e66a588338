/* Solutions that are invariant under a rotation, and from them the number of symmetry classes. */
#include <nqueens/nqueens.h>
#include "nqueens/core/error.h"
#include "nqueens/core/board.h"

/* The search places a queen on the lowest empty row together with its images under the
 * rotations. */
typedef struct rotation {
	uint32_t n;
	uint32_t orbit; /* squares of an orbit: 2 or 4 */
} rotation;

static int put(nq_task *t, uint32_t n, uint32_t row, uint32_t col)
{
	const uint32_t bit = 1u << col;

	if (!(t->rows >> row & 1) || !(nq_i_free(t, n, row) & bit))
		return 0;
	nq_i_place(t, n, row, bit);
	return 1;
}

static int put_orbit(const rotation *k, nq_task *t, uint32_t row, uint32_t col)
{
	const uint32_t last = k->n - 1;

	if (k->orbit == 2)
		return put(t, k->n, row, col) && put(t, k->n, last - row, last - col);
	return put(t, k->n, row, col) && put(t, k->n, col, last - row) &&
	       put(t, k->n, last - row, last - col) && put(t, k->n, last - col, row);
}

static uint64_t count_below(const rotation *k, const nq_task *t)
{
	uint64_t found = 0;
	uint32_t row, cols;

	if (!t->rows)
		return 1;
	row = lsched_i_lowest_bit(t->rows);
	for (cols = nq_i_free(t, k->n, row); cols; cols &= cols - 1) {
		nq_task next = *t;

		if (put_orbit(k, &next, row, lsched_i_lowest_bit(cols)))
			found += count_below(k, &next);
	}
	return found;
}

static nq_status count(uint32_t n, uint32_t size, nq_count *out)
{
	const rotation k = { n, size };
	nq_task t = { 0, 0, 0, 0, 0, 1 };

	if (!out)
		return nq_i_fail(NQ_ERR_ARG, "out is NULL");
	*out = nq_count_of(0);
	if (n < 1 || n > NQ_MAX_N)
		return nq_i_fail(NQ_ERR_ARG, "n is %u; it must be 1 to %d", n, NQ_MAX_N);
	t.rows = nq_i_full(n);
	/* a rotation maps the queen of the middle row to that row, so it is in the centre; the
	 * others form orbits of `size` */
	if (n % 2)
		put(&t, n, n / 2, n / 2);
	if ((n - n % 2) % size == 0)
		*out = nq_count_of(count_below(&k, &t));
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
	return nq_i_fail(NQ_ERR_ARG, "total cannot be the number of all solutions of %u queens", n);
}

/* Burnside's lemma: identity, two quarter turns and the half turn fix total, 2 x quarter and half
 * solutions; the reflections fix none (n > 1). */
nq_status nq_unique_count(uint32_t n, nq_count total, nq_count *out)
{
	nq_count half, quarter, sum;
	uint64_t rest;
	nq_status st;

	if (!out)
		return nq_i_fail(NQ_ERR_ARG, "out is NULL");
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
