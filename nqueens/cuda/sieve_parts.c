/* Entries of parts of two rows: sieve_layout.h. */
#include "nqueens/cuda/sieve_parts.h"
#include <stdlib.h>
#include <string.h>
#include "nqueens/core/board.h"

/* Returns the index of the only diagonal in d, or ZERO_ROW. */
static uint32_t row_of(uint64_t d)
{
	return d ? (uint32_t)__builtin_ctzll(d) : (uint32_t)NQ_I_SIEVE_ZERO_ROW;
}

/* Returns the two diagonals of a western queen as bytes; d: they are in D1 and D2. */
static uint32_t rows_of(uint64_t d)
{
	const uint64_t d1 = ((1ull << NQ_I_SIEVE_D2_LOW) - 1) | 1ull << NQ_I_SIEVE_D1_MAIN;

	return row_of(d & d1) | row_of(d & ~d1) << 8;
}

/* Enumerates the placements of a part's rows; returns their number. to: NULL: count only. */
static uint32_t place(const nq_i_join *t, uint32_t rows, uint32_t queens, nq_i_sieve_entry e,
	uint32_t q, nq_i_sieve_entry *to)
{
	uint32_t u, n = 0;

	if (!rows) {
		if (to)
			*to = e;
		return 1;
	}
	u = (uint32_t)__builtin_ctz(rows);
	for (uint32_t v = 0; v < t->h; v++) {
		const uint32_t p_bit = 1u << (u + v), q_bit = 1u << (t->h - 1 + u - v);
		const uint64_t packed = nq_i_sieve_pack(t->gap, t->field, u, v);
		const uint32_t clear = ~(0xffffu << 16 * queens);
		nq_i_sieve_entry next = e;

		if ((e.cols >> v & 1) || (e.p & p_bit) || (q & q_bit))
			continue;
		next.packed |= packed;
		next.cols |= 1u << v;
		next.p |= p_bit;
		next.nw = (e.nw & clear) | rows_of(nq_i_sieve_as_nw(packed)) << 16 * queens;
		next.sw = (e.sw & clear) | rows_of(nq_i_sieve_as_sw(packed)) << 16 * queens;
		next.v |= v << 8 * queens;
		n += place(t, rows & (rows - 1), queens + 1, next, q | q_bit, to ? to + n : NULL);
	}
	return n;
}

/* Returns the number of entries of all parts of a set of rows. */
static uint32_t entries_of(const nq_i_sieve_parts *p, uint32_t rows)
{
	uint32_t n = 0;

	while (rows) {
		uint32_t rest = rows & (rows - 1);

		rest &= rest - (rest != 0);
		n += p->count[rows & ~rest];
		rows = rest;
	}
	return n;
}

/* Two western quarters have h rows in total. */
static void bound_entries(nq_i_sieve_parts *p, const nq_i_join *t)
{
	uint32_t most[NQ_I_JOIN_HALF_MAX + 1] = { 0 };

	for (uint32_t s = 0; s < 1u << t->h; s++) {
		const uint32_t k = (uint32_t)__builtin_popcount(s), n = entries_of(p, s);

		if (n > most[k])
			most[k] = n;
	}
	for (uint32_t k = 0; k <= t->h; k++)
		if (most[k] + most[t->h - k] > p->most_entries)
			p->most_entries = most[k] + most[t->h - k];
}

/* Counted by join/quarter.c: all sets to h = 11 (3,571), from then on those of h - 1 and h rows, as
 * the longest lists have h - 1 rows from h = 9 on. */
uint32_t nq_i_sieve_longest_list(uint32_t h)
{
	return h < 12 ? 8192 : h == 12 ? 15003 : h == 13 ? 77432 : 392804;
}

nq_status nq_i_sieve_parts_create(nq_i_sieve_parts *p, const nq_i_join *t)
{
	const uint32_t sets = 1u << t->h, zero = NQ_I_SIEVE_ZERO_ROW * 0x01010101u;
	const nq_i_sieve_entry none = { 0, 0, 0, zero, zero, 0, 0 };

	memset(p, 0, sizeof(*p));
	p->at = (uint32_t *)calloc(sets, sizeof(*p->at));
	p->count = (uint32_t *)calloc(sets, sizeof(*p->count));
	for (uint32_t s = 1; p->at && p->count && s < sets; s++) {
		if (__builtin_popcount(s) > 2)
			continue;
		p->at[s] = p->total;
		p->count[s] = place(t, s, 0, none, 0, NULL);
		p->total += p->count[s];
	}
	p->entries = (nq_i_sieve_entry *)malloc((p->total + 1) * sizeof(*p->entries));
	if (!p->at || !p->count || !p->entries) {
		nq_i_sieve_parts_destroy(p);
		return NQ_ERR_NOMEM;
	}
	for (uint32_t s = 1; s < sets; s++)
		if (p->count[s])
			place(t, s, 0, none, 0, p->entries + p->at[s]);
	bound_entries(p, t);
	return NQ_OK;
}

void nq_i_sieve_parts_destroy(nq_i_sieve_parts *p)
{
	free(p->entries);
	free(p->at);
	free(p->count);
	memset(p, 0, sizeof(*p));
}
