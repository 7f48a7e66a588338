/* The formulas of cost_images.h: sums, products and quotients of doubles that are rounded one by
 * one, so that all machines agree. */
#include "nqueens/join/cost_images.h"
#include <stdlib.h>
#include "nqueens/core/board.h"
#include "nqueens/join/sieve.h"

/* Sets of columns: of NE, as many as patterns have them; of SW, as many as placements of NW and of
 * SW have them. */
enum { PATTERNS, NW, SW, KINDS };

enum { SUMS = NQ_I_JOIN_HALF_MAX * (NQ_I_JOIN_HALF_MAX - 1) / 2 + 1 };

struct nq_i_cost_images {
	const nq_i_join *t;
	/* [2^h] of each kind: the share of a set among those of its size, and that of the later
	 * ones */
	double *own[KINDS], *later[KINDS];
	/* share of the patterns with a set of a size whose sum is this one or more; the mean of
	 * those that the crosses of a line leave to a set of southern rows of this size and sum */
	double from_sum[NQ_I_JOIN_HALF_MAX + 1][SUMS + 1];
	double of_line[NQ_I_JOIN_HALF_MAX + 1][NQ_I_JOIN_HALF_MAX + 1][SUMS];
	uint64_t *sorted; /* [2^h] sets of a size by their places, which are above them */
};

static int compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Computes the shares of the sets of a size, of which c->sorted has `count`. */
static void add_shares(nq_i_cost_images *c, uint32_t kind, uint32_t count)
{
	const uint64_t *s = c->sorted;
	double *own = c->own[kind], *later = c->later[kind], all = 0, sum = 0;

	for (uint32_t i = 0; i < count; i++)
		all += own[(uint32_t)s[i]];
	for (uint32_t i = 0; i < count && all > 0; i++)
		own[(uint32_t)s[i]] /= all;
	for (uint32_t end = count; end > 0;) {
		uint32_t begin = end;
		double same = 0;

		/* complements have the same place */
		for (; begin > 0 && s[begin - 1] >> 32 == s[end - 1] >> 32; begin--) {
			later[(uint32_t)s[begin - 1]] = sum;
			same += own[(uint32_t)s[begin - 1]];
		}
		sum += same;
		end = begin;
	}
}

static void add_sums(nq_i_cost_images *c, uint32_t size, uint32_t count)
{
	double *from = c->from_sum[size];

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t set = (uint32_t)c->sorted[i];

		from[nq_i_sum_of(c->t->order, set)] += c->own[PATTERNS][set];
	}
	for (uint32_t s = SUMS; s-- > 0;)
		from[s] += from[s + 1];
}

/* Computes the mean shares of a line other than line 0. */
static void add_line(nq_i_cost_images *c, uint32_t line)
{
	const nq_i_join *t = c->t;
	const uint32_t first = t->line_at[line], end = t->line_at[line + 1];

	for (uint32_t size = 0; size <= t->h; size++)
		for (uint32_t sum = 0; sum < SUMS; sum++) {
			double *share = &c->of_line[line][size][sum];

			for (uint32_t i = first; i < end; i++) {
				const int32_t least = (int32_t)sum + nq_i_sieve_east_of(t, i).ahead;

				if (least <= (int32_t)SUMS)
					*share += c->from_sum[size][least < 0 ? 0 : least];
			}
			*share /= end - first;
		}
}

static void fill(nq_i_cost_images *c, const double *east, const double *west)
{
	const nq_i_join *t = c->t;
	const uint32_t full = nq_i_full(t->h);

	for (uint32_t s = 0; s <= full; s++) {
		c->own[PATTERNS][s] = east[s] * east[full & ~s];
		c->own[NW][s] = west[full & ~s];
		c->own[SW][s] = west[s];
	}
	for (uint32_t size = 0; size <= t->h; size++) {
		const uint32_t first = t->size_at[size], count = t->size_at[size + 1] - first;

		for (uint32_t i = 0; i < count; i++) {
			const uint32_t set = t->sets[first + i];

			c->sorted[i] = (uint64_t)nq_i_place_of(t->order, set) << 32 | set;
		}
		qsort(c->sorted, count, sizeof(*c->sorted), compare);
		for (uint32_t kind = 0; kind < KINDS; kind++)
			add_shares(c, kind, count);
		add_sums(c, size, count);
	}
	for (uint32_t line = 1; line < t->lines; line++)
		add_line(c, line);
}

nq_status nq_i_cost_images_create(
	nq_i_cost_images **out, const nq_i_join *t, const double *east, const double *west)
{
	nq_i_cost_images *c = (nq_i_cost_images *)calloc(1, sizeof(*c));
	int made = c != NULL;

	*out = c;
	if (!c)
		return NQ_ERR_NOMEM;
	c->t = t;
	for (uint32_t kind = 0; kind < KINDS; kind++) {
		c->own[kind] = (double *)malloc(sizeof(double) << t->h);
		c->later[kind] = (double *)malloc(sizeof(double) << t->h);
		made = made && c->own[kind] && c->later[kind];
	}
	c->sorted = (uint64_t *)malloc(sizeof(*c->sorted) << t->h);
	if (!made || !c->sorted)
		return NQ_ERR_NOMEM;
	fill(c, east, west);
	return NQ_OK;
}

void nq_i_cost_images_destroy(nq_i_cost_images *c)
{
	if (!c)
		return;
	for (uint32_t kind = 0; kind < KINDS; kind++) {
		free(c->own[kind]);
		free(c->later[kind]);
	}
	free(c->sorted);
	free(c);
}

double nq_i_cost_images_east(const nq_i_cost_images *c, const nq_i_join_item *item)
{
	switch (item->east) {
	case NQ_I_EAST_CROSS:
		return c->of_line[item->line][(uint32_t)__builtin_popcount(item->south)]
				 [nq_i_sum_of(c->t->order, item->south)];
	case NQ_I_EAST_LATER:
		return c->later[PATTERNS][item->north];
	case NQ_I_EAST_SAME:
		return c->own[PATTERNS][item->north];
	default:
		return c->own[PATTERNS][nq_i_full(c->t->h) & ~item->north];
	}
}

static double share_of(const nq_i_cost_images *c, uint32_t kind, const nq_i_join_item *item)
{
	const uint32_t full = nq_i_full(c->t->h), first = nq_i_image_first(item, full);
	const int halves = 2 * (uint32_t)__builtin_popcount(first) == c->t->h;
	double share = 0;

	if (item->weight)
		share += c->later[kind][first];
	if (item->same)
		share += c->own[kind][first];
	if (item->opposite && halves)
		share += c->own[kind][full & ~first];
	return share;
}

nq_i_cost_west nq_i_cost_images_west(const nq_i_cost_images *c, const nq_i_join_item *item)
{
	nq_i_cost_west west = { 1, 1 };

	if (item->east == NQ_I_EAST_CROSS)
		return west;
	west.nw = share_of(c, NW, item);
	west.sw = share_of(c, SW, item);
	return west;
}
