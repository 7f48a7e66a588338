/* Lists solutions in lexicographic order. */
#include <nqueens/nqueens.h>
#include "nqueens/core/error.h"
#include "nqueens/core/board.h"

typedef struct search {
	uint32_t n;
	int toroidal;
	uint32_t allowed[NQ_MAX_N]; /* columns of each row that the given queens do not attack */
	uint32_t cols[NQ_MAX_N];
	uint64_t most, found;
	nq_board_fn fn;
	void *opaque;
	const volatile int *cancel;
	int cancelled;
} search;

/* Places queens in row `row` and below. Returns nonzero to end the search. */
static int descend(search *k, const nq_task *t, uint32_t row)
{
	uint32_t cols;

	if (row == k->n) {
		k->found++;
		return (k->fn && k->fn(k->opaque, k->n, k->cols)) || k->found == k->most;
	}
	if (k->cancel && *k->cancel) {
		k->cancelled = 1;
		return 1;
	}
	cols = k->toroidal ? nq_i_free_toroidal(t, k->n, row) : nq_i_free(t, k->n, row);
	for (cols &= k->allowed[row]; cols; cols &= cols - 1) {
		const uint32_t bit = cols & (0u - cols);
		nq_task next = *t;

		if (k->toroidal)
			nq_i_place_toroidal(&next, k->n, row, bit);
		else
			nq_i_place(&next, k->n, row, bit);
		k->cols[row] = lsched_i_lowest_bit(bit);
		if (descend(k, &next, row + 1))
			return 1;
	}
	return 0;
}

/* Removes the squares that a given queen attacks from all other rows. */
static void add_given(search *k, nq_square s)
{
	for (uint32_t row = 0; row < k->n; row++) {
		nq_task t = { 0, 0, 0, nq_i_full(k->n), 0, 1 };

		if (row == s.row) {
			k->allowed[row] &= 1u << s.col;
			continue;
		}
		if (k->toroidal) {
			nq_i_place_toroidal(&t, k->n, s.row, 1u << s.col);
			k->allowed[row] &= nq_i_free_toroidal(&t, k->n, row);
		} else {
			nq_i_place(&t, k->n, s.row, 1u << s.col);
			k->allowed[row] &= nq_i_free(&t, k->n, row);
		}
	}
}

nq_status nq_boards(uint32_t n, int toroidal, const nq_square *given, size_t given_count,
	uint64_t most, nq_board_fn fn, void *opaque, const volatile int *cancel, uint64_t *found)
{
	search k = { .n = n,
		.toroidal = toroidal,
		.most = most,
		.fn = fn,
		.opaque = opaque,
		.cancel = cancel };
	nq_task empty = { 0, 0, 0, 0, 0, 1 };

	if (found)
		*found = 0;
	if (n < 1 || n > NQ_MAX_N || (given_count && !given))
		return nq_i_fail(NQ_ERR_ARG,
			"nq_boards: n is %u (must be 1 to %d), or given is NULL", n, NQ_MAX_N);
	for (uint32_t row = 0; row < n; row++)
		k.allowed[row] = nq_i_full(n);
	for (size_t i = 0; i < given_count; i++) {
		if (given[i].row >= n || given[i].col >= n)
			return nq_i_fail(NQ_ERR_ARG,
				"given queen %zu is in row %u, column %u; both must be below n = "
				"%u",
				i, given[i].row, given[i].col, n);
		add_given(&k, given[i]);
	}
	empty.rows = nq_i_full(n);
	descend(&k, &empty, 0);
	if (found)
		*found = k.found;
	return k.cancelled ? NQ_CANCELLED : NQ_OK;
}
