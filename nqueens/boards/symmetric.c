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

/* The given queens are invariant under the rotations, too. */
static nq_status count(
	uint32_t n, uint32_t size, const nq_square *given, size_t given_count, nq_count *out)
{
	const rotation k = { n, size };
	nq_task t = { 0, 0, 0, 0, 0, 1 };
	int fits = 1;

	if (!out)
		return nq_i_fail(NQ_ERR_ARG, "out is NULL");
	*out = nq_count_of(0);
	if (n < 1 || n > NQ_MAX_N)
		return nq_i_fail(NQ_ERR_ARG, "n is %u; it must be 1 to %d", n, NQ_MAX_N);
	t.rows = nq_i_full(n);
	for (size_t i = 0; i < given_count; i++)
		fits = fits && put(&t, n, given[i].row, given[i].col);
	/* a rotation maps the queen of the middle row to that row, so it is in the centre; the
	 * others form orbits of `size` */
	if (n % 2 && t.rows >> n / 2 & 1)
		fits = fits && put(&t, n, n / 2, n / 2);
	if (fits && (n - n % 2) % size == 0)
		*out = nq_count_of(count_below(&k, &t));
	return NQ_OK;
}

nq_status nq_half_turn_count(uint32_t n, nq_count *out)
{
	return count(n, 2, NULL, 0, out);
}

nq_status nq_quarter_turn_count(uint32_t n, nq_count *out)
{
	return count(n, 4, NULL, 0, out);
}

/* ---- classes ---- */

/* The symmetries of the square: s % 4 quarter turns, after a reflection if s > 3. */
enum { SYMMETRIES = 8 };

static nq_square image(uint32_t n, uint32_t s, nq_square q)
{
	if (s > 3)
		q.col = n - 1 - q.col;
	for (; s & 3; s--)
		q = (nq_square){ q.col, n - 1 - q.row };
	return q;
}

/* Returns the symmetries that map the given queens to each other, as bits. */
static uint32_t kept_symmetries(uint32_t n, const nq_square *given, size_t given_count)
{
	uint32_t kept = 0;

	for (uint32_t s = 0; s < SYMMETRIES; s++) {
		size_t same = 0;

		for (size_t i = 0; i < given_count; i++) {
			const nq_square q = image(n, s, given[i]);
			size_t k = 0;

			while (k < given_count && (given[k].row != q.row || given[k].col != q.col))
				k++;
			same += k < given_count;
		}
		kept |= (uint32_t)(same == given_count) << s;
	}
	return kept;
}

int nq_board_leads_class(
	uint32_t n, const nq_square *given, size_t given_count, const uint32_t *cols)
{
	const uint32_t kept = kept_symmetries(n, given, given_count);
	uint32_t other[NQ_MAX_N];

	if (n < 1 || n > NQ_MAX_N || !cols)
		return 0;
	for (uint32_t s = 1; s < SYMMETRIES; s++) {
		uint32_t row = 0;

		if (!(kept >> s & 1))
			continue;
		for (uint32_t i = 0; i < n; i++) {
			const nq_square q = image(n, s, (nq_square){ i, cols[i] });

			other[q.row] = q.col;
		}
		while (row < n && other[row] == cols[row])
			row++;
		if (row < n && other[row] < cols[row])
			return 0;
	}
	return 1;
}

static nq_status wrong_total(uint32_t n)
{
	return nq_i_fail(NQ_ERR_ARG, "total cannot be the number of all solutions of %u queens", n);
}

nq_status nq_unique_count(uint32_t n, nq_count total, nq_count *out)
{
	return nq_unique_count_given(n, NULL, 0, total, out);
}

/* Burnside's lemma, over the symmetries that map the given queens to each other: the identity, a
 * quarter turn and the half turn fix total, quarter and half solutions; the reflections fix none
 * (n > 1). */
nq_status nq_unique_count_given(
	uint32_t n, const nq_square *given, size_t given_count, nq_count total, nq_count *out)
{
	const uint32_t kept = given || !given_count ? kept_symmetries(n, given, given_count) : 0;
	nq_count half = nq_count_of(0), quarter = nq_count_of(0);
	uint64_t rest, order = 0;
	nq_status st = NQ_OK;

	if (!out)
		return nq_i_fail(NQ_ERR_ARG, "out is NULL");
	*out = nq_count_of(0);
	if (!kept)
		return nq_i_fail(NQ_ERR_ARG, "given is NULL");
	for (size_t i = 0; i < given_count; i++)
		if (given[i].row >= n || given[i].col >= n)
			return nq_i_fail(NQ_ERR_ARG, "a given queen is not on the board");
	for (uint32_t s = 0; s < SYMMETRIES; s++)
		order += kept >> s & 1;
	if (n == 1) {
		*out = nq_count_of(nq_count_cmp(total, nq_count_of(1)) == 0);
		return out->lo ? NQ_OK : wrong_total(n);
	}
	if (n > NQ_MAX_N || kept >> 2 & 1)
		st = count(n, 2, given, given_count, &half);
	if (st == NQ_OK && (kept >> 1 & 1))
		st = count(n, 4, given, given_count, &quarter);
	if (st != NQ_OK)
		return st;
	if (nq_count_cmp(total, half) < 0)
		return wrong_total(n);
	total = nq_count_add(total, nq_count_add(half, nq_count_mul(quarter, 2)));
	total = nq_count_div(total, order, &rest);
	if (rest)
		return wrong_total(n);
	*out = total;
	return NQ_OK;
}
