/* The formulas of cost.h. */
#include "nqueens/join/cost.h"
#include <math.h>
#include <stdlib.h>
#include "nqueens/core/board.h"
#include "nqueens/join/cost_images.h"
#include "nqueens/join/sieve.h"

enum {
	LOW_BITS = 7, /* of a set of rows: its product is that of two tables */
	BLOCK = 512   /* patterns that the loops of joiner.c count together */
};

/* Patterns of a line of an even and of an odd board, relative to h! and the product of all
 * pairs; of line 0 of an odd board relative to the other lines. Measured, n = 14 to 19. */
#define EVEN_PATTERNS 0.58
#define ODD_PATTERNS  2.1
#define ODD_LINE_0    1.15

/* Times of joiner.c, relative to a compatible western pair in one block of patterns: the row of
 * bits of a placement, and a cross. Pairs without a main diagonal are omitted where they do not
 * count. */
#define ROW_COST   9
#define CROSS_COST 1e4
#define ON_MAIN    0.42

/* Of the join of sorted patterns: a group keeps this part of the western rows for each queen. */
#define KEPT 0.6

enum { NO_LINE = 0xffffffff };

/* Up to n = 28 the costs of all units together are below 2^64. */
#define SIEVE_SCALE 0x1p-15

struct nq_i_join_cost {
	const nq_i_join *t;
	double *east; /* [2^h] product over the pairs of rows of a set, to the power 21/16 */
	double *west; /* [2^h] placements of a quarter */
	nq_i_cost_images *images; /* NULL: t has none */
	/* factor of two rows by their distance */
	double cross[2 * NQ_I_JOIN_HALF_MAX + 2];
	nq_i_join_item *items; /* [nq_i_join_items_max()] */
	uint64_t *costs;       /* of items */
	/* of a unit, its eastern and its western northern rows: the product of their pairs, and
	 * that of the factors of a southern set with them */
	struct rows {
		double alone, low[1 << LOW_BITS], high[1 << (NQ_I_JOIN_HALF_MAX - LOW_BITS)];
	} unit[2];
};

/* Returns x^(21/16). */
static double stretch(double x)
{
	const double fourth = sqrt(sqrt(x));

	return x * fourth * sqrt(sqrt(fourth));
}

static double apart(uint32_t h, uint32_t distance)
{
	return distance < h ? 1 - 2.0 * (h - distance) / (h * (h - 1.0)) : 1;
}

/* Multiplies the factors of all pairs of rows of each set. */
static void multiply_pairs(double *to, const nq_i_join *t, const double *factor)
{
	to[0] = 1;
	for (uint32_t s = 1; s < 1u << t->h; s++) {
		const uint32_t low = (uint32_t)__builtin_ctz(s);

		to[s] = to[s & (s - 1)];
		for (uint32_t rest = s & (s - 1); rest; rest &= rest - 1)
			to[s] *= factor[(uint32_t)__builtin_ctz(rest) - low];
	}
}

/* Scales the sets of a size so that they have the known number of placements together. */
static void scale_placements(double *west, const nq_i_join *t)
{
	for (uint32_t k = 0; k <= t->h; k++) {
		const double known = nq_i_join_placements(t->h, k);
		double sum = 0;

		for (uint32_t i = t->size_at[k]; i < t->size_at[k + 1]; i++)
			sum += west[t->sets[i]];
		/* 4 and 5 queens: no pair of rows is free */
		for (uint32_t i = t->size_at[k]; i < t->size_at[k + 1] && sum > 0; i++)
			west[t->sets[i]] *= known / sum;
	}
}

nq_status nq_i_join_cost_create(nq_i_join_cost **out, const nq_i_join *t)
{
	nq_i_join_cost *c = (nq_i_join_cost *)calloc(1, sizeof(*c));
	double alone[2 * NQ_I_JOIN_HALF_MAX + 2];

	*out = NULL;
	if (!c)
		return NQ_ERR_NOMEM;
	c->t = t;
	c->east = (double *)malloc(sizeof(*c->east) << t->h);
	c->west = (double *)malloc(sizeof(*c->west) << t->h);
	c->items = (nq_i_join_item *)malloc(nq_i_join_items_max(t) * sizeof(*c->items));
	c->costs = (uint64_t *)malloc(nq_i_join_items_max(t) * sizeof(*c->costs));
	if (!c->east || !c->west || !c->items || !c->costs) {
		nq_i_join_cost_destroy(c);
		return NQ_ERR_NOMEM;
	}
	for (uint32_t d = 0; d < 2 * NQ_I_JOIN_HALF_MAX + 2; d++) {
		alone[d] = apart(t->h, d);
		c->cross[d] = stretch(alone[d]);
	}
	multiply_pairs(c->east, t, c->cross);
	multiply_pairs(c->west, t, alone);
	scale_placements(c->west, t);
	if (t->by_images && nq_i_cost_images_create(&c->images, t, c->east, c->west) != NQ_OK) {
		nq_i_join_cost_destroy(c);
		return NQ_ERR_NOMEM;
	}
	*out = c;
	return NQ_OK;
}

void nq_i_join_cost_destroy(nq_i_join_cost *c)
{
	if (!c)
		return;
	free(c->east);
	free(c->west);
	nq_i_cost_images_destroy(c->images);
	free(c->items);
	free(c->costs);
	free(c);
}

/* Returns the factor of a row by the queens of the middle lines, (0, x) and (y, 0): the mean over
 * the crosses of a line. */
static double middle_factor(const nq_i_join *t, uint32_t line, uint32_t south, uint32_t u)
{
	const int h = (int)t->h, d = (int)u + 1;
	uint32_t attacked = 0;

	if (t->n % 2 == 0 || line == NO_LINE)
		return 1;
	for (uint32_t i = t->line_at[line]; i < t->line_at[line + 1]; i++) {
		const int x = t->x[i], y = t->y[i], far = south ? abs(d - y) : d + y;

		attacked += x + d <= h;
		attacked += x && x - d >= 1;
		attacked += x && far <= h;
	}
	return stretch(1 - (double)attacked / (t->line_at[line + 1] - t->line_at[line]) / h);
}

/* Prepares the products of southern sets with northern rows. line: NO_LINE: without the queens of
 * the middle lines. */
static void begin_rows(const nq_i_join_cost *c, struct rows *r, uint32_t line, uint32_t north)
{
	const nq_i_join *t = c->t;
	double row[NQ_I_JOIN_HALF_MAX];

	r->alone = c->east[north];
	for (uint32_t u = 0; u < t->h; u++) {
		row[u] = middle_factor(t, line, 1, u);
		for (uint32_t rest = north; rest; rest &= rest - 1)
			row[u] *= c->cross[(uint32_t)__builtin_ctz(rest) + u + t->gap];
		if (north >> u & 1)
			r->alone *= middle_factor(t, line, 0, u);
	}
	r->low[0] = r->high[0] = 1;
	for (uint32_t s = 1; s < 1u << LOW_BITS; s++) {
		const uint32_t u = (uint32_t)__builtin_ctz(s);

		r->low[s] = u < t->h ? r->low[s & (s - 1)] * row[u] : 0;
	}
	for (uint32_t s = 1; s < 1u << (NQ_I_JOIN_HALF_MAX - LOW_BITS); s++) {
		const uint32_t u = (uint32_t)__builtin_ctz(s) + LOW_BITS;

		r->high[s] = u < t->h ? r->high[s & (s - 1)] * row[u] : 0;
	}
}

/* Returns the product of the pairs of northern rows and a southern set. */
static double product(const nq_i_join_cost *c, const struct rows *r, uint32_t south)
{
	return r->alone * c->east[south] * r->low[south & ((1u << LOW_BITS) - 1)] *
	       r->high[south >> LOW_BITS];
}

/* Returns the factor from products of pairs to patterns of a line. */
static double patterns_of(const nq_i_join *t, uint32_t line)
{
	const uint32_t crosses = t->line_at[line + 1] - t->line_at[line];
	double all = t->n % 2 ? ODD_PATTERNS : EVEN_PATTERNS;

	for (uint32_t k = 2; k <= t->h; k++)
		all *= k;
	if (t->n % 2 == 0)
		return all;
	return line == 0 ? all * ODD_LINE_0 : all * crosses / t->h;
}

/* Returns the expected look-ups of a western row of so many queens: it is omitted if one of them is
 * on a common diagonal of a group; else it has one for each two. */
static double row_cost(uint32_t queens)
{
	double kept = (queens + 1) / 2;

	for (uint32_t i = 0; i < queens; i++)
		kept *= KEPT;
	return kept;
}

/* Returns the cost of an item that images.h chooses: few western pairs remain for a pattern, and
 * most time goes to their rows of bits. patterns: of all images. Each product is rounded alone,
 * because some compilers contract a product and a sum. */
static uint64_t sieve_cost(
	const nq_i_join_cost *c, const nq_i_join_item *item, uint32_t other_south, double patterns)
{
	const uint32_t other_north = nq_i_full(c->t->h) & ~item->north;
	const uint32_t a = (uint32_t)__builtin_popcount(other_north);
	const uint32_t b = (uint32_t)__builtin_popcount(other_south);
	const double scaled = patterns * nq_i_cost_images_east(c->images, item) * SIEVE_SCALE;
	const nq_i_cost_west west = nq_i_cost_images_west(c->images, item);

	return (uint64_t)(scaled * c->west[other_north] * west.nw * row_cost(a)) +
	       (uint64_t)(scaled * c->west[other_south] * west.sw * row_cost(b));
}

/* Returns the cost of an item of a smaller board: joiner.c makes the rows of bits of all western
 * placements and counts the compatible pairs for each block of patterns of a cross. */
static double pairs_cost(
	const nq_i_join_cost *c, const nq_i_join_item *item, uint32_t other_south, double patterns)
{
	const nq_i_join *t = c->t;
	const uint32_t other_north = nq_i_full(t->h) & ~item->north;
	const double crosses = t->line_at[item->line + 1] - t->line_at[item->line];
	const double blocks = patterns / BLOCK, all_blocks = blocks + crosses / 2;
	const double rows = c->west[other_north] + c->west[other_south];
	double pairs = ODD_PATTERNS * product(c, &c->unit[1], other_south);

	for (uint32_t k = 2; k <= t->h; k++)
		pairs *= k;
	if (item->classes && !item->neither)
		pairs *= ON_MAIN;
	return pairs * blocks + ROW_COST * rows * all_blocks + CROSS_COST * crosses;
}

uint32_t nq_i_join_cost_items(
	nq_i_join_cost *c, const nq_unit *u, const nq_i_join_item **items, uint64_t costs[])
{
	const nq_i_join *t = c->t;
	const uint32_t line = nq_i_join_line_of(t, u), full = nq_i_full(t->h);
	const uint32_t south_rows = nq_i_sieve_line_of(t, line).south_rows;
	const uint32_t n = nq_i_join_items(t, u, 0, c->items), north = full & ~u->count;
	const int sieve = t->by_images;
	const double scale = patterns_of(t, line);

	begin_rows(c, &c->unit[0], line, u->count);
	if (!sieve)
		begin_rows(c, &c->unit[1], NO_LINE, north);
	for (uint32_t i = 0; i < n; i++) {
		const uint32_t east = c->items[i].south, south = south_rows & ~east;
		const double patterns = scale * product(c, &c->unit[0], east);

		costs[i] = sieve ? sieve_cost(c, &c->items[i], south, patterns)
				 : (uint64_t)pairs_cost(c, &c->items[i], south, patterns);
	}
	*items = c->items;
	return n;
}

uint64_t nq_i_join_cost_of(nq_i_join_cost *c, const nq_unit *u)
{
	const nq_i_join_item *items;
	const uint32_t n = nq_i_join_cost_items(c, u, &items, c->costs);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < n; i++)
		sum += c->costs[i];
	return sum;
}
