/* Counts boards by brute force: compares each queen with all above it. */
#ifndef TESTS_NQUEENS_BRUTE_H
#define TESTS_NQUEENS_BRUTE_H

#include <stdlib.h>
#include <nqueens/nqueens.h>

typedef struct brute {
	uint32_t n;
	int toroidal;
	const nq_square *given;
	size_t given_count;
	uint32_t cols[NQ_MAX_N];
} brute;

static inline int brute_attacks(const brute *b, uint32_t r0, uint32_t c0, uint32_t r1, uint32_t c1)
{
	const uint32_t n = b->n;

	if (c0 == c1)
		return 1;
	if (b->toroidal)
		return (r0 + c0) % n == (r1 + c1) % n || (n + r0 - c0) % n == (n + r1 - c1) % n;
	return r0 + c0 == r1 + c1 || r0 + c1 == r1 + c0;
}

static inline uint64_t brute_row(brute *b, uint32_t row)
{
	uint64_t found = 0;

	if (row == b->n)
		return 1;
	for (uint32_t col = 0; col < b->n; col++) {
		int bad = 0;

		for (uint32_t r = 0; r < row; r++)
			bad |= brute_attacks(b, r, b->cols[r], row, col);
		for (size_t i = 0; i < b->given_count; i++)
			bad |= b->given[i].row == row && b->given[i].col != col;
		if (bad)
			continue;
		b->cols[row] = col;
		found += brute_row(b, row + 1);
	}
	return found;
}

static inline uint64_t brute_count(
	uint32_t n, int toroidal, const nq_square *given, size_t given_count)
{
	brute b = { n, toroidal, given, given_count, { 0 } };

	return brute_row(&b, 0);
}

#endif
