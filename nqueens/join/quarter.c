/* Placements of one set of rows of a quarter, and the restrictions of crosses: sieve.h. */
#include <stdlib.h>
#include "nqueens/core/board.h"
#include "nqueens/join/sieve.h"

/* ---- crosses ---- */

static uint64_t bit_of(uint32_t field, uint32_t k)
{
	return 1ull << (field + k - 1);
}

nq_i_sieve_east nq_i_sieve_east_of(const nq_i_join *t, uint32_t cross)
{
	const uint32_t x = t->x[cross], y = t->y[cross];
	nq_i_sieve_east e = { 0, 0, 0, nq_i_full(t->h), 1, 0 };

	/* a queen in the centre occupies both main diagonals */
	if (x == 0 && t->n % 2)
		e.no_ne = e.no_se = 1ull << NQ_I_SIEVE_ON_MAIN;
	if (x == 0)
		return e;
	/* D1 = x, y and D2 = x, -y are occupied */
	e.cols &= ~(1u << (x - 1));
	/* twice the sums, and x and y, of which the larger one loses a tie */
	e.ahead = y > x ? (int32_t)((y - x) / 2 + 1) : -(int32_t)((x - y) / 2);
	e.off_main = 0;
	e.no_ne =
		bit_of(NQ_I_SIEVE_HIGH, x) | bit_of(NQ_I_SIEVE_HIGH, y) | bit_of(NQ_I_SIEVE_FAR, x);
	e.no_se = bit_of(NQ_I_SIEVE_FAR, x) | bit_of(NQ_I_SIEVE_FAR, y) |
		  bit_of(NQ_I_SIEVE_HIGH, x) | bit_of(NQ_I_SIEVE_LOW, y);
	e.queen = bit_of(NQ_I_SIEVE_D1_HIGH, x) | bit_of(NQ_I_SIEVE_D2_HIGH, x);
	return e;
}

nq_i_sieve_line nq_i_sieve_line_of(const nq_i_join *t, uint32_t line)
{
	const uint32_t first = t->line_at[line], y = t->y[first];
	nq_i_sieve_line l = { 0, 0, nq_i_full(t->h), first, t->line_at[line + 1] - first };

	if (t->x[first]) {
		l.south_rows &= ~(1u << (y - 1));
		l.no_nw = bit_of(NQ_I_SIEVE_HIGH, y);
		l.no_sw = bit_of(NQ_I_SIEVE_LOW, y) | bit_of(NQ_I_SIEVE_FAR, y);
	} else if (t->n % 2) {
		/* a queen in the centre occupies both main diagonals */
		l.no_nw = l.no_sw = 1ull << NQ_I_SIEVE_ON_MAIN;
	}
	return l;
}

/* ---- placements of a set of rows ---- */

typedef struct lister {
	const nq_i_join *t;
	nq_i_quarter *q;
	uint32_t *off_at, *on_at; /* [lists] next free entry of each list; NULL: count */
} lister;

static void add(lister *l, uint32_t cols, uint64_t packed)
{
	const uint32_t i = l->t->rank[cols];

	if (l->off_at) {
		uint32_t *at = packed >> NQ_I_SIEVE_ON_MAIN ? l->on_at : l->off_at;

		l->q->placements[at[i]++] = packed;
	} else {
		l->q->first[i + 1]++;
		l->q->off_main[i] += !(packed >> NQ_I_SIEVE_ON_MAIN);
	}
}

/* Places a queen in the lowest row and all rows after it. p, q: occupied diagonals u + v, u - v. */
static void list(lister *l, uint32_t rows, uint32_t cols, uint32_t p, uint32_t q, uint64_t packed)
{
	const nq_i_join *t = l->t;
	uint32_t u, given;

	if (!rows) {
		add(l, cols, packed);
		return;
	}
	u = (uint32_t)__builtin_ctz(rows);
	given = (uint32_t)(l->q->given >> 4 * u) & 15;
	for (uint32_t v = 0; v < t->h; v++) {
		const uint32_t p_bit = 1u << (u + v), q_bit = 1u << (t->h - 1 + u - v);

		if ((cols >> v & 1) || (p & p_bit) || (q & q_bit) || (given != 15 && given != v))
			continue;
		list(l, rows & (rows - 1), cols | 1u << v, p | p_bit, q | q_bit,
			packed | nq_i_sieve_pack(t->gap, t->field, u, v));
	}
}

/* Replaces the counts by offsets and makes room. */
static nq_status make_room(nq_i_quarter *q)
{
	for (uint32_t i = 0; i < q->lists; i++)
		q->first[i + 1] += q->first[i];
	if (q->first[q->lists] <= q->room && q->placements)
		return NQ_OK;
	free(q->placements);
	q->room = (size_t)q->first[q->lists] + q->first[q->lists] / 8 + 1;
	q->placements = (uint64_t *)malloc(q->room * sizeof(*q->placements));
	return q->placements ? NQ_OK : NQ_ERR_NOMEM;
}

nq_status nq_i_quarter_make(nq_i_quarter *q, const nq_i_join *t, uint32_t rows, uint64_t given)
{
	const uint32_t size = (uint32_t)__builtin_popcount(rows);
	lister l = { t, q, NULL, NULL };
	nq_status st = NQ_ERR_NOMEM;

	free(q->first);
	free(q->off_main);
	q->rows = rows;
	q->given = given;
	q->lists = t->size_at[size + 1] - t->size_at[size];
	q->first = (uint32_t *)calloc(q->lists + 1, sizeof(*q->first));
	q->off_main = (uint32_t *)calloc(q->lists, sizeof(*q->off_main));
	l.off_at = (uint32_t *)malloc(2 * (size_t)q->lists * sizeof(*l.off_at));
	if (q->first && q->off_main && l.off_at) {
		uint32_t *const at = l.off_at;

		l.off_at = NULL;
		list(&l, rows, 0, 0, 0, 0);
		st = make_room(q);
		l.off_at = at;
		l.on_at = at + q->lists;
		for (uint32_t i = 0; st == NQ_OK && i < q->lists; i++) {
			l.off_at[i] = q->first[i];
			l.on_at[i] = q->first[i] + q->off_main[i];
		}
		if (st == NQ_OK)
			list(&l, rows, 0, 0, 0, 0);
	}
	free(l.off_at);
	if (st != NQ_OK)
		nq_i_quarter_free(q);
	return st;
}

void nq_i_quarter_free(nq_i_quarter *q)
{
	static const nq_i_quarter empty;

	free(q->first);
	free(q->off_main);
	free(q->placements);
	*q = empty;
}
