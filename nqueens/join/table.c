/* The lists of the quarter's placements (join.h). */
#include "nqueens/join/join.h"
#include <stdlib.h>
#include <time.h>
#include "nqueens/core/board.h"
#include "nqueens/join/images.h"
#include "nqueens/join/sieve.h"

enum { POLL_STEPS = 1 << 14, LOCK_POLL_NS = 1000000 };

/* Enumerates all placements of a quarter: one pass counts them, a second pass stores them. */
typedef struct lister {
	nq_i_join *t;
	uint32_t *at_off_main, *at_on_main; /* [lists] next free entry of each list; NULL: count */
	nq_i_join_poll_fn *poll;
	void *poll_opaque;
	uint32_t steps;
	int cancelled;
} lister;

uint32_t nq_i_join_pack(const nq_i_join *t, uint32_t u, uint32_t v)
{
	const uint32_t far = t->gap + u + v;
	uint32_t bits = u == v  ? 1u << NQ_I_ON_MAIN
			: u > v ? 1u << (NQ_I_LOW + (u - v) - 1)
				: 1u << (NQ_I_HIGH + (v - u) - 1);

	if (far <= t->field)
		bits |= 1u << (NQ_I_FAR + far - 1);
	return bits;
}

static void add_placement(lister *l, uint32_t rows, uint32_t cols, uint32_t packed)
{
	nq_i_join *t = l->t;
	const size_t i = t->base[rows] + t->rank[cols];

	if (!l->at_off_main) {
		t->first[i + 1]++;
		t->off_main[i] += !(packed >> NQ_I_ON_MAIN);
	} else if (packed >> NQ_I_ON_MAIN) {
		t->placements[l->at_on_main[i]++] = packed;
	} else {
		t->placements[l->at_off_main[i]++] = packed;
	}
}

/* Places or omits a queen in row u and all rows after it. p, q: occupied diagonals u +
 * v and u - v. */
static void list(lister *l, uint32_t u, uint32_t rows, uint32_t cols, uint32_t p, uint32_t q,
	uint32_t packed)
{
	const nq_i_join *t = l->t;

	if (u == t->h) {
		add_placement(l, rows, cols, packed);
		return;
	}
	if (++l->steps % POLL_STEPS == 0 && l->poll && l->poll(l->poll_opaque))
		l->cancelled = 1;
	if (l->cancelled)
		return;
	list(l, u + 1, rows, cols, p, q, packed);
	for (uint32_t v = 0; v < t->h; v++) {
		const uint32_t p_bit = 1u << (u + v), q_bit = 1u << (t->h - 1 + u - v);

		if ((cols >> v & 1) || (p & p_bit) || (q & q_bit))
			continue;
		list(l, u + 1, rows | 1u << u, cols | 1u << v, p | p_bit, q | q_bit,
			packed | nq_i_join_pack(t, u, v));
	}
}

/* Groups the sets by size, in increasing order, and assigns a list index to each set of rows. */
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

/* Determines the longest list of each set of columns, over all sets of rows. */
static void measure_lists(nq_i_join *t, uint32_t *most)
{
	const uint32_t sets = 1u << t->h;

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
}

/* Bounds the memory of a half: the longest list of each set of columns, paired with the longest
 * list of the remaining columns, with and without one column that the queen of the middle row
 * occupies. */
static nq_status bound(nq_i_join *t)
{
	const uint32_t sets = 1u << t->h, full = sets - 1;
	uint32_t *most = (uint32_t *)calloc(sets, sizeof(*most));
	size_t pairs[NQ_I_JOIN_HALF_MAX + 1];

	if (!most)
		return NQ_ERR_NOMEM;
	measure_lists(t, most);
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

/* Second pass: stores the placements, those without ON_MAIN first in each list. */
static nq_status store(lister *l, size_t lists)
{
	nq_i_join *t = l->t;
	nq_status st = NQ_ERR_NOMEM;

	t->placements = (uint32_t *)malloc((t->first[lists] + 1) * sizeof(*t->placements));
	l->at_off_main = (uint32_t *)malloc(lists * sizeof(*l->at_off_main));
	l->at_on_main = (uint32_t *)malloc(lists * sizeof(*l->at_on_main));
	if (t->placements && l->at_off_main && l->at_on_main) {
		for (size_t i = 0; i < lists; i++) {
			l->at_off_main[i] = t->first[i];
			l->at_on_main[i] = t->first[i] + t->off_main[i];
		}
		list(l, 0, 0, 0, 0, 0, 0);
		st = NQ_OK;
	}
	free(l->at_off_main);
	free(l->at_on_main);
	return st;
}

static nq_status fill(lister *l)
{
	nq_i_join *t = l->t;
	/* the set of all rows comes last and has one list */
	const size_t lists = t->base[nq_i_full(t->h)] + 1;
	nq_status st;

	t->first = (uint32_t *)calloc(lists + 1, sizeof(*t->first));
	t->off_main = (uint32_t *)calloc(lists, sizeof(*t->off_main));
	if (!t->first || !t->off_main)
		return NQ_ERR_NOMEM;
	list(l, 0, 0, 0, 0, 0, 0);
	if (l->cancelled)
		return NQ_CANCELLED;
	for (size_t i = 0; i < lists; i++)
		t->first[i + 1] += t->first[i];
	st = store(l, lists);
	if (l->cancelled)
		return NQ_CANCELLED;
	return st == NQ_OK ? bound(t) : st;
}

/* Sets near the centre are early; of those with the same sum the smaller number. */
static void order_sets(nq_i_join *t)
{
	const uint32_t full = nq_i_full(t->h);
	uint32_t place[2];

	for (uint32_t s = 0; s <= full; s++) {
		uint32_t sum[2] = { 0, 0 };

		for (uint32_t u = 0; u < t->h; u++)
			sum[s >> u & 1] += u;
		place[0] = sum[1] << NQ_I_JOIN_HALF_MAX | s;
		place[1] = sum[0] << NQ_I_JOIN_HALF_MAX | (full & ~s);
		if (2 * (uint32_t)__builtin_popcount(s) == t->h && place[1] < place[0])
			place[0] = place[1];
		t->order[s] = sum[1] << NQ_I_ORDER_BITS | place[0];
	}
}

static void list_crosses(nq_i_join *t)
{
	t->crosses = 1;
	t->x[0] = t->y[0] = 0;
	t->lines = 1;
	t->line_at[1] = 1;
	for (uint32_t y = t->by_images ? 1 : 2; t->n % 2 && y <= t->h; y++) {
		for (uint32_t x = 1; t->by_images ? x <= t->h : x < y; x++) {
			if (x == y)
				continue;
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
	free(t->off_main);
	free(t->placements);
	t->first = t->off_main = t->placements = NULL;
}

nq_status nq_i_join_create(nq_i_join **out, uint32_t n)
{
	return nq_i_join_create_by(out, n, n >= NQ_I_SIEVE_PAYS_N);
}

nq_status nq_i_join_create_by(nq_i_join **out, uint32_t n, int by_images)
{
	nq_i_join *t = (nq_i_join *)calloc(1, sizeof(*t));

	*out = NULL;
	if (!t)
		return NQ_ERR_NOMEM;
	t->n = n;
	t->h = n / 2;
	t->gap = n % 2 ? 2 : 1;
	t->field = n % 2 ? t->h : t->h - 1;
	t->most_parts = 1;
	t->by_images = by_images;
	list_crosses(t);
	t->sets = (uint32_t *)calloc((size_t)1 << t->h, sizeof(*t->sets));
	t->rank = (uint32_t *)calloc((size_t)1 << t->h, sizeof(*t->rank));
	t->base = (size_t *)calloc((size_t)1 << t->h, sizeof(*t->base));
	t->order = (uint32_t *)calloc((size_t)1 << t->h, sizeof(*t->order));
	pthread_mutex_init(&t->lock, NULL);
	if (!t->sets || !t->rank || !t->base || !t->order) {
		nq_i_join_destroy(t);
		return NQ_ERR_NOMEM;
	}
	number_sets(t);
	order_sets(t);
	*out = t;
	return NQ_OK;
}

/* Another thread that fills the lists holds the lock for seconds, so waiting for it polls, too.
 * Returns 0 if poll() cancels the wait. */
static int lock(nq_i_join *t, nq_i_join_poll_fn *poll, void *opaque)
{
	const struct timespec pause = { 0, LOCK_POLL_NS };

	while (poll && pthread_mutex_trylock(&t->lock) != 0) {
		if (poll(opaque))
			return 0;
		nanosleep(&pause, NULL);
	}
	if (!poll)
		pthread_mutex_lock(&t->lock);
	return 1;
}

nq_status nq_i_join_fill(nq_i_join *t, nq_i_join_poll_fn *poll, void *opaque)
{
	lister l = { .t = t, .poll = poll, .poll_opaque = opaque };
	nq_status st = NQ_OK;

	if (!lock(t, poll, opaque))
		return NQ_CANCELLED;
	if (!t->filled) {
		st = fill(&l);
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
	free(t->order);
	free(t->parts);
	free(t);
}

double nq_i_join_placements(uint32_t h, uint32_t k)
{
	static const uint64_t ways[NQ_I_JOIN_HALF_MAX + 1][NQ_I_JOIN_HALF_MAX + 1] = {
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
		[12] = { 1, 144, 7700, 199400, 2739386, 20609544, 84871680, 186506000, 207667564,
			107305664, 22146756, 1375368, 14200 },
		[13] = { 1, 169, 10868, 348020, 6106214, 60963094, 349093856, 1131544008,
			2008758532, 1845677332, 801778668, 141952580, 7828784, 73712 },
		[14] = { 1, 196, 14924, 579264, 12654614, 162323448, 1239869972, 5613017128,
			14752426528, 21676979904, 16777825700, 6237864648, 960059292, 46788624,
			365596 },
	};

	return (double)ways[h][k];
}
