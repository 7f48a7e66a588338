/* Entries of parts, and items of units: join_layout.h. */
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
		next.squares |= (u * NQ_I_JOIN_HALF_MAX + v) << 8 * queens;
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

/* ---- items: the sets of southern rows that joiner.c iterates over ---- */

static uint32_t with_symmetry(
	const nq_i_join *t, uint32_t north, nq_i_join_item item, nq_i_join_item *to)
{
	const uint32_t full = nq_i_full(t->h), other_north = full & ~north;
	const uint32_t size = t->h - (uint32_t)__builtin_popcount(north);
	uint32_t n = 0;

	for (uint32_t i = t->size_at[size]; i < t->size_at[size + 1]; i++) {
		const uint32_t south = t->sets[i], other_south = full & ~south;
		const uint32_t low = other_north < other_south ? other_north : other_south;
		const uint32_t high = other_north < other_south ? other_south : other_north;
		const int is_self = low == north && high == south;
		const int is_first = north < low || (north == low && south <= high);

		if (south < north || (t->n % 2 && !is_first))
			continue;
		item.south = (uint16_t)south;
		item.weight = south == north ? 1 : 2;
		item.neither = is_self ? 1 : is_first ? 2 : 0;
		to[n++] = item;
	}
	return n;
}

uint32_t nq_i_join_items(const nq_i_join *t, const nq_unit *u, uint32_t slot, nq_i_join_item *to)
{
	const nq_i_join_cross c = nq_i_join_cross_of(t, t->line_at[u->first]);
	const uint32_t north = u->count;
	uint32_t size = (uint32_t)__builtin_popcount(north), n = 0;
	nq_i_join_item item = { slot, (uint16_t)north, 0, (uint8_t)u->first, 8, 0, 1 };

	if (u->first == 0) {
		item.classes = 1;
		return with_symmetry(t, north, item, to);
	}
	if (size > c.queens_east)
		return 0;
	size = c.queens_east - size;
	for (uint32_t i = t->size_at[size]; i < t->size_at[size + 1]; i++) {
		if (t->sets[i] & ~c.south_rows)
			continue;
		item.south = (uint16_t)t->sets[i];
		to[n++] = item;
	}
	return n;
}

uint32_t nq_i_join_items_max(const nq_i_join *t)
{
	uint32_t most = 0;

	for (uint32_t k = 0; k <= t->h; k++)
		if (t->size_at[k + 1] - t->size_at[k] > most)
			most = t->size_at[k + 1] - t->size_at[k];
	return most;
}
