/* The join for large n on the CPU: the specification of sieve.h. */
#include "nqueens/join/sieve.h"
#include <stdlib.h>
#include <string.h>
#include "nqueens/core/board.h"

enum {
	WORDS = 8, /* a block has 64 patterns per word */
	BLOCK = 64 * WORDS,
	SORTED = 1 << 18, /* patterns that are sorted together */
	KEY_BITS = 12
};

/* A block of patterns: rows of bits, one for each diagonal, and the diagonals of all patterns. */
typedef struct block {
	uint64_t diagonals[NQ_I_SIEVE_DIAGONALS][WORDS];
	uint64_t common;
} block;

typedef void block_fn(nq_i_siever *s, const block *b, uint64_t *hits);

struct nq_i_siever {
	const nq_i_join *t;
	const int *stop;
	block_fn *count;
	nq_i_quarter quarter[4];
	uint64_t *patterns, *sorted; /* [SORTED] */
	size_t pattern_count;
	const nq_i_join_item *item;
	nq_i_sieve_line line;
	/* of a split: the western placements that a block leaves; [room] */
	uint64_t *nw, *sw, *nw_diagonals, *sw_diagonals;
	uint64_t (*nw_rows)[WORDS], (*sw_rows)[WORDS];
	uint32_t room;
	nq_i_join_item *items; /* [nq_i_join_items_max()] */
};

/* Copies the placements of a split that a block leaves; side: NW or SW, split: rank of the columns
 * of NW. Returns their number. */
static uint32_t select_rows(nq_i_siever *s, const block *b, uint32_t split, uint32_t side)
{
	const nq_i_join *t = s->t;
	const nq_i_quarter *q = &s->quarter[side];
	const uint32_t size = (uint32_t)__builtin_popcount(s->quarter[NQ_I_NW].rows);
	const uint32_t cols = t->sets[t->size_at[size] + split];
	const uint32_t list = side == NQ_I_NW ? split : t->rank[nq_i_full(t->h) & ~cols];
	const uint64_t no = side == NQ_I_NW ? s->line.no_nw | nq_i_sieve_of_nw(b->common)
					    : s->line.no_sw | nq_i_sieve_of_sw(b->common);
	uint64_t *to = side == NQ_I_NW ? s->nw : s->sw;
	uint64_t *diagonals = side == NQ_I_NW ? s->nw_diagonals : s->sw_diagonals;
	uint32_t n = 0;

	for (uint32_t i = q->first[list]; i < q->first[list + 1]; i++) {
		const uint64_t p = q->placements[i];

		if (p & no)
			continue;
		diagonals[n] = side == NQ_I_NW ? nq_i_sieve_as_nw(p) : nq_i_sieve_as_sw(p);
		to[n++] = p;
	}
	return n;
}

/* Returns the weight of the pairs of a split, or 0: they are omitted. */
static uint32_t weight_of(const nq_i_siever *s, uint32_t split)
{
	const nq_i_join *t = s->t;
	const uint32_t size = (uint32_t)__builtin_popcount(s->quarter[NQ_I_NW].rows);
	const uint32_t cols = t->sets[t->size_at[size] + split];

	return nq_i_image_weight(t->order, s->item, nq_i_full(t->h), nq_i_full(t->h) & ~cols);
}

#define SIEVE_NAME count_scalar
#define SIEVE_TARGET
#include "nqueens/join/sieve_block.h"
#undef SIEVE_NAME
#undef SIEVE_TARGET
#ifdef __x86_64__
#define SIEVE_NAME   count_avx2
#define SIEVE_TARGET __attribute__((target("avx2,popcnt")))
#include "nqueens/join/sieve_block.h"
#undef SIEVE_NAME
#undef SIEVE_TARGET
#define SIEVE_NAME   count_avx512
#define SIEVE_TARGET __attribute__((target("avx512f,avx512bw,avx512vl,avx512vpopcntdq,popcnt")))
#include "nqueens/join/sieve_block.h"
#endif

/* ---- eastern patterns ---- */

/* Selects the diagonals that divide patterns best, those that half of them occupy first. */
static void choose_key(const nq_i_siever *s, uint8_t *key)
{
	uint32_t ones[NQ_I_SIEVE_DIAGONALS] = { 0 };

	for (size_t i = 0; i < s->pattern_count; i++)
		for (uint64_t d = s->patterns[i]; d; d &= d - 1)
			ones[__builtin_ctzll(d)]++;
	for (uint32_t k = 0; k < KEY_BITS; k++) {
		uint32_t best = 0;

		for (uint32_t d = 1; d < NQ_I_SIEVE_DIAGONALS; d++)
			if (ones[d] > ones[best])
				best = d;
		key[k] = (uint8_t)best;
		ones[best] = 0;
	}
}

static uint32_t key_of(uint64_t pattern, const uint8_t *key)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < KEY_BITS; i++)
		k = 2 * k + (uint32_t)(pattern >> key[i] & 1);
	return k;
}

static void sort_patterns(nq_i_siever *s)
{
	uint32_t at[(1 << KEY_BITS) + 1] = { 0 };
	uint8_t key[KEY_BITS];

	choose_key(s, key);
	for (size_t i = 0; i < s->pattern_count; i++)
		at[key_of(s->patterns[i], key) + 1]++;
	for (uint32_t k = 0; k < 1 << KEY_BITS; k++)
		at[k + 1] += at[k];
	for (size_t i = 0; i < s->pattern_count; i++)
		s->sorted[at[key_of(s->patterns[i], key)]++] = s->patterns[i];
}

static int stopped(const nq_i_siever *s)
{
	return s->stop && __atomic_load_n(s->stop, __ATOMIC_RELAXED);
}

/* Counts the patterns so far and removes them. Unused entries of a block are patterns of ones,
 * which have a common diagonal with each placement, because every queen has a q. */
static void flush(nq_i_siever *s, uint64_t *hits)
{
	sort_patterns(s);
	for (size_t at = 0; at < s->pattern_count && !stopped(s); at += BLOCK) {
		block b;

		memset(&b, 0, sizeof(b));
		b.common = UINT64_MAX;
		for (uint32_t i = 0; i < BLOCK; i++) {
			const uint64_t p =
				at + i < s->pattern_count ? s->sorted[at + i] : UINT64_MAX;

			b.common &= p;
			for (uint32_t d = 0; d < NQ_I_SIEVE_DIAGONALS; d++)
				b.diagonals[d][i / 64] |= (p >> d & 1) << i % 64;
		}
		s->count(s, &b, hits);
	}
	s->pattern_count = 0;
}

/* Joins one NE with all SE placements of a list. */
static void add_patterns(nq_i_siever *s, const nq_i_sieve_east *e, uint64_t ne, const uint64_t *se,
	uint32_t count, uint64_t *hits)
{
	const uint64_t mine = nq_i_sieve_as_ne(ne) | e->queen;
	const uint32_t upper = nq_i_sieve_upper(ne);

	for (uint32_t k = 0; k < count; k++) {
		if ((se[k] & e->no_se) || (upper & nq_i_sieve_lower(se[k])))
			continue;
		if (s->pattern_count == SORTED)
			flush(s, hits);
		s->patterns[s->pattern_count++] = mine | nq_i_sieve_as_se(se[k]);
	}
}

static void make_east(nq_i_siever *s, const nq_i_sieve_east *e, uint64_t *hits)
{
	const nq_i_join *t = s->t;
	const nq_i_quarter *ne = &s->quarter[NQ_I_NE], *se = &s->quarter[NQ_I_SE];
	const uint32_t size = (uint32_t)__builtin_popcount(ne->rows);

	for (uint32_t i = 0; i < ne->lists; i++) {
		const uint32_t cols = t->sets[t->size_at[size] + i];
		uint32_t k, first, count;

		if (cols & ~e->cols)
			continue;
		if (!nq_i_image_east(
			    t->order, s->item, nq_i_full(t->h), cols, e->cols & ~cols, e->ahead))
			continue;
		k = t->rank[e->cols & ~cols];
		first = se->first[k];
		count = e->off_main ? se->off_main[k] : se->first[k + 1] - first;
		for (uint32_t j = 0;
			j < (e->off_main ? ne->off_main[i] : ne->first[i + 1] - ne->first[i]);
			j++) {
			const uint64_t p = ne->placements[ne->first[i] + j];

			if (!(p & e->no_ne) && !stopped(s))
				add_patterns(s, e, p, se->placements + first, count, hits);
		}
	}
}

/* ---- items ---- */

static uint32_t longest(const nq_i_quarter *q)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < q->lists; i++)
		if (q->first[i + 1] - q->first[i] > most)
			most = q->first[i + 1] - q->first[i];
	return most;
}

static void free_split(nq_i_siever *s)
{
	free(s->nw);
	free(s->sw);
	free(s->nw_diagonals);
	free(s->sw_diagonals);
	free(s->nw_rows);
	free(s->sw_rows);
	s->nw = s->sw = s->nw_diagonals = s->sw_diagonals = NULL;
	s->nw_rows = s->sw_rows = NULL;
	s->room = 0;
}

/* Makes room for the longest list of a western quarter. */
static nq_status make_room(nq_i_siever *s)
{
	const uint32_t a = longest(&s->quarter[NQ_I_NW]), b = longest(&s->quarter[NQ_I_SW]);
	const size_t room = (a > b ? a : b) + 1;

	if (room <= s->room)
		return NQ_OK;
	free_split(s);
	s->nw = (uint64_t *)malloc(room * sizeof(*s->nw));
	s->sw = (uint64_t *)malloc(room * sizeof(*s->sw));
	s->nw_diagonals = (uint64_t *)malloc(room * sizeof(*s->nw));
	s->sw_diagonals = (uint64_t *)malloc(room * sizeof(*s->sw));
	s->nw_rows = (uint64_t(*)[WORDS])aligned_alloc(64, room * sizeof(*s->nw_rows));
	s->sw_rows = (uint64_t(*)[WORDS])aligned_alloc(64, room * sizeof(*s->sw_rows));
	if (!s->nw || !s->sw || !s->nw_diagonals || !s->sw_diagonals || !s->nw_rows || !s->sw_rows)
		return NQ_ERR_NOMEM;
	s->room = (uint32_t)room;
	return NQ_OK;
}

static nq_status make_quarters(
	nq_i_siever *s, const nq_i_join_item *item, const nq_i_sieve_given *given)
{
	const uint32_t full = nq_i_full(s->t->h);
	const uint32_t rows[4] = { item->north, item->south, full & ~item->north,
		s->line.south_rows & ~item->south };

	for (uint32_t i = 0; i < 4; i++) {
		const uint64_t g = given ? given->quarter[i] : NQ_I_SIEVE_NONE_GIVEN;
		nq_i_quarter *q = &s->quarter[i];
		nq_status st;

		if (q->first && q->rows == rows[i] && q->given == g)
			continue;
		st = nq_i_quarter_make(q, s->t, rows[i], g);
		if (st != NQ_OK)
			return st;
	}
	return make_room(s);
}

nq_status nq_i_sieve_item(
	nq_i_siever *s, const nq_i_join_item *item, const nq_i_sieve_given *given, uint64_t *count)
{
	uint64_t hits[3] = { 0, 0, 0 };
	nq_status st;

	*count = 0;
	s->item = item;
	s->line = nq_i_sieve_line_of(s->t, item->line);
	st = make_quarters(s, item, given);
	if (st != NQ_OK)
		return st;
	s->pattern_count = 0;
	for (uint32_t i = 0; i < s->line.crosses; i++) {
		nq_i_sieve_east e = nq_i_sieve_east_of(s->t, s->line.first_cross + i);

		e.off_main = item->classes;
		make_east(s, &e, hits);
	}
	flush(s, hits);
	*count = item->classes ? item->neither * hits[0] + 2 * hits[1] + 4 * hits[2]
			       : hits[0] + hits[1] + hits[2];
	return stopped(s) ? NQ_CANCELLED : NQ_OK;
}

nq_status nq_i_sieve_unit(nq_i_siever *s, const nq_unit *u, uint64_t *count)
{
	const uint32_t n = nq_i_join_items(s->t, u, 0, s->items);
	nq_status st = NQ_OK;

	*count = 0;
	for (uint32_t i = 0; i < n && st == NQ_OK; i++) {
		uint64_t one;

		st = nq_i_sieve_item(s, &s->items[i], NULL, &one);
		*count += one;
	}
	return st;
}

/* ---- memory ---- */

static block_fn *choose_loop(nq_simd simd)
{
#ifdef __x86_64__
	if (simd == NQ_SIMD_AVX512)
		return count_avx512;
	if (simd == NQ_SIMD_AVX2)
		return count_avx2;
#else
	(void)simd;
#endif
	return count_scalar;
}

nq_status nq_i_siever_create(nq_i_siever **out, const nq_i_join *t, nq_simd simd, const int *stop)
{
	nq_i_siever *s = (nq_i_siever *)calloc(1, sizeof(*s));

	*out = NULL;
	if (!s)
		return NQ_ERR_NOMEM;
	s->t = t;
	s->stop = stop;
	s->count = choose_loop(simd);
	s->patterns = (uint64_t *)malloc(SORTED * sizeof(*s->patterns));
	s->sorted = (uint64_t *)malloc(SORTED * sizeof(*s->sorted));
	s->items = (nq_i_join_item *)malloc(nq_i_join_items_max(t) * sizeof(*s->items));
	if (!s->patterns || !s->sorted || !s->items) {
		nq_i_siever_destroy(s);
		return NQ_ERR_NOMEM;
	}
	*out = s;
	return NQ_OK;
}

void nq_i_siever_destroy(nq_i_siever *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; i < 4; i++)
		nq_i_quarter_free(&s->quarter[i]);
	free_split(s);
	free(s->patterns);
	free(s->sorted);
	free(s->items);
	free(s);
}
