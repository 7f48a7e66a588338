/* Entries of parts: join_layout.h. */
#include "nqueens/cuda/join_parts.h"
#include <stdlib.h>
#include <string.h>
#include "nqueens/core/board.h"

/* Enumerates the placements of a part's rows; returns their number. to: NULL: count only. */
static uint32_t place(const nq_i_join *t, uint32_t rows, uint32_t queens, nq_i_entry e, uint32_t q,
	nq_i_entry *to)
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
		nq_i_entry next = e;

		if ((e.cols >> v & 1) || (e.p & p_bit) || (q & q_bit))
			continue;
		next.packed |= nq_i_join_pack(t, u, v);
		next.cols |= 1u << v;
		next.p |= p_bit;
		next.squares &= ~(0xffu << 8 * queens);
		next.squares |= (u * NQ_I_PART_HALF_MAX + v) << 8 * queens;
		n += place(t, rows & (rows - 1), queens + 1, next, q | q_bit, to ? to + n : NULL);
	}
	return n;
}

static uint32_t first_part(uint32_t rows)
{
	uint32_t rest = rows;

	for (uint32_t i = 0; i < NQ_I_PART_ROWS; i++)
		rest &= rest - (rest != 0);
	return rows & ~rest;
}

nq_status nq_i_join_parts_create(nq_i_join_parts *p, const nq_i_join *t)
{
	const uint32_t sets = 1u << t->h;
	const nq_i_entry none = { 0, 0, 0, NQ_I_NO_SQUARE * 0x01010101u };

	memset(p, 0, sizeof(*p));
	p->at = (uint32_t *)calloc(sets, sizeof(*p->at));
	p->count = (uint32_t *)calloc(sets, sizeof(*p->count));
	p->size = (uint32_t *)calloc(sets, sizeof(*p->size));
	for (uint32_t s = 1; p->at && p->count && s < sets; s++) {
		if (__builtin_popcount(s) > NQ_I_PART_ROWS)
			continue;
		p->at[s] = p->total;
		p->count[s] = place(t, s, 0, none, 0, NULL);
		p->total += p->count[s];
	}
	p->entries = (nq_i_entry *)malloc((p->total + 1) * sizeof(*p->entries));
	if (!p->at || !p->count || !p->size || !p->entries) {
		nq_i_join_parts_destroy(p);
		return NQ_ERR_NOMEM;
	}
	for (uint32_t s = 1; s < sets; s++) {
		uint32_t part;

		if (p->count[s])
			place(t, s, 0, none, 0, p->entries + p->at[s]);
		for (uint32_t rest = s; rest; rest &= ~part) {
			part = first_part(rest);
			p->size[s] += p->count[part];
		}
	}
	return NQ_OK;
}

void nq_i_join_parts_destroy(nq_i_join_parts *p)
{
	free(p->entries);
	free(p->at);
	free(p->count);
	free(p->size);
	memset(p, 0, sizeof(*p));
}
