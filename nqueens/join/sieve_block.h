/* Template text: the hot loop of sieve.c for 512 patterns, in plain C; the compiler vectorises it.
 *
 * Includer: SIEVE_NAME and SIEVE_TARGET (function attribute). */
#define SIEVE_CAT_(a, b) a##b
#define SIEVE_CAT(a, b)  SIEVE_CAT_(a, b)

/* Writes for each placement the patterns with a common diagonal, as rows of bits. */
SIEVE_TARGET static void SIEVE_CAT(SIEVE_NAME, _rows)(
	uint64_t (*to)[WORDS], const uint64_t *diagonals_of, uint32_t count, const block *b)
{
	for (uint32_t i = 0; i < count; i++) {
		uint64_t row[WORDS] = { 0 };

		for (uint64_t d = diagonals_of[i]; d; d &= d - 1) {
			const uint64_t *one = b->diagonals[__builtin_ctzll(d)];

			for (uint32_t w = 0; w < WORDS; w++)
				row[w] |= one[w];
		}
		memcpy(to[i], row, sizeof(row));
	}
}

/* Adds the patterns without a common diagonal of each compatible pair of a split, times the weight,
 * by the number of main diagonals that the pair occupies. */
SIEVE_TARGET static void SIEVE_CAT(SIEVE_NAME, _pairs)(
	const nq_i_siever *s, uint32_t nw_count, uint32_t sw_count, uint32_t weight, uint64_t *hits)
{
	for (uint32_t i = 0; i < nw_count; i++) {
		const uint32_t upper = nq_i_sieve_upper(s->nw[i]);
		const uint32_t mains = (uint32_t)(s->nw[i] >> NQ_I_SIEVE_ON_MAIN & 1);
		const uint64_t *a = s->nw_rows[i];

		for (uint32_t k = 0; k < sw_count; k++) {
			const uint64_t *b = s->sw_rows[k];
			uint64_t ones = 0;

			if (upper & nq_i_sieve_lower(s->sw[k]))
				continue;
			for (uint32_t w = 0; w < WORDS; w++)
				ones += (uint64_t)__builtin_popcountll(~(a[w] | b[w]));
			hits[mains + (s->sw[k] >> NQ_I_SIEVE_ON_MAIN & 1)] += weight * ones;
		}
	}
}

SIEVE_TARGET static void SIEVE_NAME(nq_i_siever *s, const block *b, uint64_t *hits)
{
	for (uint32_t i = 0; i < s->quarter[NQ_I_NW].lists; i++) {
		const uint32_t weight = weight_of(s, i);
		const uint32_t nw_count = weight ? select_rows(s, b, i, NQ_I_NW) : 0;
		const uint32_t sw_count = nw_count ? select_rows(s, b, i, NQ_I_SW) : 0;

		if (!sw_count)
			continue;
		SIEVE_CAT(SIEVE_NAME, _rows)(s->nw_rows, s->nw_diagonals, nw_count, b);
		SIEVE_CAT(SIEVE_NAME, _rows)(s->sw_rows, s->sw_diagonals, sw_count, b);
		SIEVE_CAT(SIEVE_NAME, _pairs)(s, nw_count, sw_count, weight, hits);
	}
}

#undef SIEVE_CAT
#undef SIEVE_CAT_
