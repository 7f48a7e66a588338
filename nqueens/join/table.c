/* The lists of the quarters, and the units of a join. */
#include "nqueens/join/join.h"
#include <stdlib.h>
#include "nqueens/core/board.h"
#include "nqueens/core/plan.h"

/* Walks over all placements of a quarter, first to count them, then to store them. */
typedef struct lister {
	nq_i_join *t;
	uint32_t *at_quiet, *at_touch; /* [lists] where the next one goes; NULL: count */
} lister;

uint32_t nq_i_join_pack(const nq_i_join *t, uint32_t u, uint32_t v)
{
	const uint32_t far = t->gap + u + v;
	uint32_t bits = u == v  ? 1u << NQ_I_TOUCH
			: u > v ? 1u << (NQ_I_LOW + (u - v) - 1)
				: 1u << (NQ_I_HIGH + (v - u) - 1);

	if (far <= t->field)
		bits |= 1u << (NQ_I_FAR + far - 1);
	return bits;
}

/* p, q: the quarter's own diagonals, all of them. */
static void list(lister *l, uint32_t u, uint32_t rows, uint32_t cols, uint32_t p, uint32_t q,
	uint32_t packed)
{
	nq_i_join *t = l->t;

	if (u == t->h) {
		const size_t i = t->base[rows] + t->rank[cols];

		if (!l->at_quiet) {
			t->first[i + 1]++;
			t->quiet[i] += !(packed >> NQ_I_TOUCH);
		} else if (packed >> NQ_I_TOUCH) {
			t->placements[l->at_touch[i]++] = packed;
		} else {
			t->placements[l->at_quiet[i]++] = packed;
		}
		return;
	}
	list(l, u + 1, rows, cols, p, q, packed);
	for (uint32_t v = 0; v < t->h; v++) {
		const uint32_t p_bit = 1u << (u + v), q_bit = 1u << (t->h - 1 + u - v);

		if ((cols >> v & 1) || (p & p_bit) || (q & q_bit))
			continue;
		list(l, u + 1, rows | 1u << u, cols | 1u << v, p | p_bit, q | q_bit,
			packed | nq_i_join_pack(t, u, v));
	}
}

/* Sets of a size in the order of their numbers. */
static void number_sets(nq_i_join *t)
{
	uint32_t next[NQ_I_JOIN_HALF_MAX + 2] = { 0 };
	size_t lists = 0;

	for (uint32_t s = 0; s < 1u << t->h; s++)
		t->size_at[__builtin_popcount(s) + 1]++;
	for (uint32_t k = 0; k <= t->h; k++) {
		t->size_at[k + 1] += t->size_at[k];
		next[k] = t->size_at[k];
	}
	for (uint32_t s = 0; s < 1u << t->h; s++) {
		const uint32_t k = (uint32_t)__builtin_popcount(s), place = next[k]++;

		t->sets[place] = s;
		t->rank[s] = place - t->size_at[k];
	}
	for (uint32_t s = 0; s < 1u << t->h; s++) {
		const uint32_t k = (uint32_t)__builtin_popcount(s);

		t->base[s] = lists;
		lists += t->size_at[k + 1] - t->size_at[k];
	}
}

/* How much memory a half can need: the longest list for each set of columns, paired with the longest for
 * the columns that are left, with or without one that a queen of the middle row has taken. */
static nq_status bound(nq_i_join *t)
{
	const uint32_t sets = 1u << t->h, full = sets - 1;
	uint32_t *most = (uint32_t *)calloc(sets, sizeof(*most));
	size_t pairs[NQ_I_JOIN_HALF_MAX + 1];

	if (!most)
		return NQ_ERR_NOMEM;
	for (uint32_t rows = 0; rows < sets; rows++) {
		size_t sum = 0;

		for (uint32_t cols = 0; cols < sets; cols++) {
			uint32_t n;

			if (__builtin_popcount(rows) != __builtin_popcount(cols))
				continue;
			n = nq_i_join_list(t, rows, cols).count;
			sum += n;
			if (n > most[cols])
				most[cols] = n;
			if (n > t->longest)
				t->longest = n;
		}
		if (sum > t->most_quarter)
			t->most_quarter = sum;
	}
	for (uint32_t gone = 0; gone <= t->h; gone++) {
		const uint32_t cols = gone ? full & ~(1u << (gone - 1)) : full;

		for (uint32_t k = 0; k <= t->h; k++)
			pairs[k] = 0;
		for (uint32_t c = 0; c < sets; c++)
			if (!(c & ~cols))
				pairs[__builtin_popcount(c)] += (size_t)most[c] * most[cols & ~c];
		for (uint32_t k = 0; k <= t->h; k++)
			if (pairs[k] > t->most_pairs)
				t->most_pairs = pairs[k];
	}
	free(most);
	return NQ_OK;
}

static nq_status fill(nq_i_join *t, size_t lists)
{
	lister l = { t, NULL, NULL };

	list(&l, 0, 0, 0, 0, 0, 0);
	for (size_t i = 0; i < lists; i++)
		t->first[i + 1] += t->first[i];
	t->placements = (uint32_t *)malloc((t->first[lists] + 1) * sizeof(*t->placements));
	l.at_quiet = (uint32_t *)malloc(lists * sizeof(*l.at_quiet));
	l.at_touch = (uint32_t *)malloc(lists * sizeof(*l.at_touch));
	if (t->placements && l.at_quiet && l.at_touch) {
		for (size_t i = 0; i < lists; i++) {
			l.at_quiet[i] = t->first[i];
			l.at_touch[i] = t->first[i] + t->quiet[i];
		}
		list(&l, 0, 0, 0, 0, 0, 0);
	}
	free(l.at_quiet);
	free(l.at_touch);
	return t->placements && l.at_quiet && l.at_touch ? bound(t) : NQ_ERR_NOMEM;
}

static void list_crosses(nq_i_join *t)
{
	t->crosses = 1;
	t->x[0] = t->y[0] = 0;
	t->lines = 1;
	t->line_at[1] = 1;
	for (uint32_t y = 2; t->n % 2 && y <= t->h; y++) {
		for (uint32_t x = 1; x < y; x++) {
			t->x[t->crosses] = (uint8_t)x;
			t->y[t->crosses] = (uint8_t)y;
			t->crosses++;
		}
		t->line_at[++t->lines] = t->crosses;
	}
}

static void free_lists(nq_i_join *t)
{
	free(t->first);
	free(t->quiet);
	free(t->placements);
	t->first = t->quiet = t->placements = NULL;
}

nq_status nq_i_join_create(nq_i_join **out, uint32_t n)
{
	nq_i_join *t = (nq_i_join *)calloc(1, sizeof(*t));

	*out = NULL;
	if (!t)
		return NQ_ERR_NOMEM;
	t->n = n;
	t->h = n / 2;
	t->gap = n % 2 ? 2 : 1;
	t->field = n % 2 ? t->h : t->h - 1;
	list_crosses(t);
	t->sets = (uint32_t *)calloc((size_t)1 << t->h, sizeof(*t->sets));
	t->rank = (uint32_t *)calloc((size_t)1 << t->h, sizeof(*t->rank));
	t->base = (size_t *)calloc((size_t)1 << t->h, sizeof(*t->base));
	if (!t->sets || !t->rank || !t->base) {
		free(t->sets);
		free(t->rank);
		free(t->base);
		free(t);
		return NQ_ERR_NOMEM;
	}
	number_sets(t);
	pthread_mutex_init(&t->lock, NULL);
	*out = t;
	return NQ_OK;
}

nq_status nq_i_join_fill(nq_i_join *t)
{
	/* the set of all rows comes last and has one list */
	const size_t lists = t->base[nq_i_full(t->h)] + 1;
	nq_status st = NQ_OK;

	pthread_mutex_lock(&t->lock);
	if (!t->filled) {
		t->first = (uint32_t *)calloc(lists + 1, sizeof(*t->first));
		t->quiet = (uint32_t *)calloc(lists, sizeof(*t->quiet));
		st = t->first && t->quiet ? fill(t, lists) : NQ_ERR_NOMEM;
		t->filled = st == NQ_OK;
		if (!t->filled)
			free_lists(t);
	}
	pthread_mutex_unlock(&t->lock);
	return st;
}

void nq_i_join_destroy(nq_i_join *t)
{
	if (!t)
		return;
	pthread_mutex_destroy(&t->lock);
	free_lists(t);
	free(t->sets);
	free(t->rank);
	free(t->base);
	free(t);
}

/* ---- units ---- */

double nq_i_join_placements(uint32_t h, uint32_t k)
{
	static const uint32_t ways[NQ_I_JOIN_HALF_MAX + 1][NQ_I_JOIN_HALF_MAX + 1] = {
		[2] = { 1, 4 },
		[3] = { 1, 9, 8 },
		[4] = { 1, 16, 44, 24, 2 },
		[5] = { 1, 25, 140, 204, 82, 10 },
		[6] = { 1, 36, 340, 1024, 982, 248, 4 },
		[7] = { 1, 49, 700, 3628, 7002, 4618, 832, 40 },
		[8] = { 1, 64, 1288, 10320, 34568, 46736, 22708, 3192, 92 },
		[9] = { 1, 81, 2184, 25096, 131248, 310496, 312956, 119180, 13848, 352 },
		[10] = { 1, 100, 3480, 54400, 412596, 1535440, 2716096, 2119176, 636524, 56832,
			724 },
		[11] = { 1, 121, 5280, 107880, 1123832, 6110256, 17117832, 23636352, 14803480,
			3634976, 264544, 2680 },
	};

	return ways[h][k];
}

/* Mean lengths of lists by the size of their sets. */
static void mean_lengths(const nq_i_join *t, double *mean)
{
	for (uint32_t k = 0; k <= t->h; k++) {
		const double sets = t->size_at[k + 1] - t->size_at[k];

		mean[k] = nq_i_join_placements(t->h, k) / sets / sets;
	}
}

static double sets_of(const nq_i_join *t, uint32_t size)
{
	return t->size_at[size + 1] - t->size_at[size];
}

/* Patterns times western pairs of one set of rows, were all lists of mean length: `north` and `south` rows
 * of the eastern half. */
static double mean_tests(const nq_i_join *t, const double *mean, uint32_t north, uint32_t south)
{
	const double east = sets_of(t, north) * mean[north] * mean[south];
	const double west = sets_of(t, north) * mean[t->h - north] * mean[t->h - south];

	return east * west;
}

/* The southern sets that a unit goes over, times the tests of each and the crosses. */
static double unit_tests(const nq_i_join *t, const double *mean, const nq_unit *u)
{
	const uint32_t crosses = t->line_at[u->first + 1] - t->line_at[u->first];
	const uint32_t north = (uint32_t)__builtin_popcount(u->count);
	uint32_t south = t->h - north, sets = 0;

	if (u->first == 0) {
		for (uint32_t i = t->size_at[south]; i < t->size_at[south + 1]; i++)
			sets += t->sets[i] >= u->count;
		return sets * mean_tests(t, mean, north, south);
	}
	if (north == t->h)
		return 0;
	south--;
	/* one row of h is taken */
	return crosses * sets_of(t, south) * (t->h - south) / t->h *
	       mean_tests(t, mean, north, south);
}

static nq_status expect_work(nq_plan *p)
{
	const double finest = 1e6; /* of the costliest unit */
	double mean[NQ_I_JOIN_HALF_MAX + 1], most = 1;

	p->work = (uint32_t *)malloc(p->unit_count * sizeof(*p->work));
	if (!p->work)
		return NQ_ERR_NOMEM;
	mean_lengths(p->join, mean);
	for (size_t i = 0; i < p->unit_count; i++) {
		const double tests = unit_tests(p->join, mean, &p->units[i]);

		most = tests > most ? tests : most;
	}
	for (size_t i = 0; i < p->unit_count; i++)
		p->work[i] =
			(uint32_t)(finest * unit_tests(p->join, mean, &p->units[i]) / most) + 1;
	return NQ_OK;
}

nq_status nq_i_plan_join(nq_plan *p)
{
	const nq_status st = nq_i_join_create(&p->join, p->n);
	uint32_t sets;

	if (st != NQ_OK)
		return st;
	sets = 1u << p->join->h;
	p->unit_count = (size_t)p->join->lines * sets;
	p->units = (nq_unit *)calloc(p->unit_count, sizeof(*p->units));
	if (!p->units)
		return NQ_ERR_NOMEM;
	for (size_t i = 0; i < p->unit_count; i++) {
		p->units[i].first = (uint32_t)(i / sets);
		p->units[i].count = (uint32_t)(i % sets);
		p->units[i].weight = 1;
	}
	return expect_work(p);
}
