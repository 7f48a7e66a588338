/* One solution by construction, and the check of a solution. */
#include <stdlib.h>
#include <string.h>
#include <nqueens/nqueens.h>
#include "nqueens/core/error.h"

/* Pauls 1874 in the order of Hoffman, Loessi and Moore (1969), columns from 1: the even columns,
 * then the odd ones. This is a solution unless n mod 6 is 2 or 3. For 2 the odd columns are 3, 1,
 * 7, 9, .., n-1, 5; for 3 the even ones are 4, 6, .., n-1, 2 and the odd ones 5, 7, .., n, 1, 3. */
nq_status nq_first(uint32_t n, uint32_t *cols)
{
	const uint32_t rest = n % 6;
	uint64_t col;
	uint32_t row = 0;

	if (!cols || n == 0)
		return nq_i_fail(NQ_ERR_ARG, "nq_first: n is 0 or cols is NULL");
	if (n == 2 || n == 3) {
		memset(cols, 0, n * sizeof(*cols));
		return nq_i_fail(NQ_ERR_UNSUPPORTED, "%u queens have no solution", n);
	}
	for (col = rest == 3 ? 4 : 2; col <= n; col += 2)
		cols[row++] = (uint32_t)col - 1;
	if (rest == 3)
		cols[row++] = 1;
	if (rest == 2) {
		cols[row++] = 2;
		cols[row++] = 0;
	}
	for (col = rest == 2 ? 7 : rest == 3 ? 5 : 1; col <= n; col += 2)
		cols[row++] = (uint32_t)col - 1;
	if (rest == 2)
		cols[row++] = 4;
	if (rest == 3) {
		cols[row++] = 0;
		cols[row++] = 2;
	}
	return NQ_OK;
}

int nq_board_ok(uint32_t n, const uint32_t *cols)
{
	/* one byte per column and diagonal: bit 0 columns, bits 1 and 2 the two directions */
	uint8_t *seen = cols && n ? (uint8_t *)calloc((size_t)n * 2, 1) : NULL;
	int ok = seen != NULL;

	for (uint32_t row = 0; ok && row < n; row++) {
		const size_t col = cols[row];
		uint8_t *column, *sum, *difference;

		if (col >= n)
			break;
		column = &seen[col];
		sum = &seen[row + col];
		difference = &seen[(size_t)n - 1 - row + col];
		if ((*column & 1) || (*sum & 2) || (*difference & 4))
			break;
		*column |= 1;
		*sum |= 2;
		*difference |= 4;
		ok = row + 1 < n ? 1 : 2;
	}
	free(seen);
	return ok == 2;
}
