#include "libsched/core/sized.h"
#include "nqueens/core/error.h"
#include "nqueens/plan/cross.h"
#include "nqueens/core/board.h"

enum { SYMMETRIES = 8, FLIP_ROWS = 1, FLIP_COLS = 2, TRANSPOSE = 4 };

/* The column of the queen of each middle row, and the row of that of each middle column. */
typedef struct lines {
	uint8_t row[NQ_I_CROSS_MAX], col[NQ_I_CROSS_MAX];
} lines;

typedef struct walk {
	uint32_t n, w, first; /* the cross is rows and columns first .. first+w-1 */
	nq_i_cross_fn fn;
	void *opaque;
	uint64_t *raw;
	lines at;
	uint32_t col_of_row[NQ_MAX_N]; /* valid where the row is not in task.rows */
	int stop;
} walk;

static lines image(const walk *k, const lines *from, uint32_t w, uint32_t symmetry)
{
	const uint32_t last = k->n - 1;
	lines to = *from, swapped;

	for (uint32_t i = 0; i < w; i++) {
		const uint32_t r = symmetry & FLIP_ROWS ? w - 1 - i : i;
		const uint32_t c = symmetry & FLIP_COLS ? w - 1 - i : i;

		to.row[i] = symmetry & FLIP_COLS ? (uint8_t)(last - from->row[r]) : from->row[r];
		to.col[i] = symmetry & FLIP_ROWS ? (uint8_t)(last - from->col[c]) : from->col[c];
	}
	if (!(symmetry & TRANSPOSE))
		return to;
	swapped = to;
	for (uint32_t i = 0; i < w; i++) {
		swapped.row[i] = to.col[i];
		swapped.col[i] = to.row[i];
	}
	return swapped;
}

/* Returns the lines as one number. The innermost row and column of an odd cross are its high
 * digits, so that a placement is minimal only if they are. */
static uint64_t key_of(const lines *l, uint32_t w)
{
	uint64_t key = 0;

	if (w % 2)
		key = (uint64_t)l->row[w / 2] << 8 | l->col[w / 2];
	for (uint32_t i = 0; i < w; i++)
		if (w % 2 == 0 || i != w / 2)
			key = key << 16 | (uint64_t)l->row[i] << 8 | l->col[i];
	return key;
}

/* Returns the number of symmetries that map the lines to themselves; 0 if an image is smaller. */
static uint32_t stabiliser(const walk *k, const lines *l, uint32_t w)
{
	const uint64_t own = key_of(l, w);
	uint32_t same = 0;

	for (uint32_t s = 0; s < SYMMETRIES; s++) {
		const lines to = image(k, l, w, s);
		const uint64_t key = key_of(&to, w);

		if (key < own)
			return 0;
		same += key == own;
	}
	return same;
}

static nq_task transposed(const walk *k, const nq_task *t)
{
	nq_task m = { 0, 0, 0, nq_i_full(k->n), 0, t->weight };

	for (uint32_t row = 0; row < k->n; row++)
		if (!(t->rows >> row & 1))
			nq_i_place(&m, k->n, k->col_of_row[row], 1u << row);
	return m;
}

static void report(walk *k, const nq_task *t, uint32_t symmetries)
{
	nq_i_cross_pair p;

	p.weight = SYMMETRIES / symmetries;
	p.task = *t;
	p.task.weight = p.weight;
	p.mirrored = transposed(k, &p.task);
	k->stop = k->fn ? k->fn(k->opaque, &p) : 0;
}

static void lines_of(const walk *k, lines *l)
{
	for (uint32_t row = 0; row < k->n; row++) {
		const uint32_t col = k->col_of_row[row];

		if (row - k->first < k->w)
			l->row[row - k->first] = (uint8_t)col;
		/* the column of a row without a queen is NQ_MAX_N, outside the cross */
		if (col - k->first < k->w)
			l->col[col - k->first] = (uint8_t)row;
	}
}

/* Returns line i: rows and columns of the cross alternate, the innermost first, so that the inner
 * pair is tested early. */
static uint32_t line_at(const walk *k, uint32_t i)
{
	const uint32_t mid = k->w / 2, step = i / 2;

	if (k->w % 2 == 0)
		return k->first + step;
	return k->first + (step == 0 ? mid : step <= mid ? step - 1 : step);
}

/* Fills lines i and on. symmetries: of the inner pair; 1: the placement is minimal; 0:
 * not known. */
static void fill(walk *k, const nq_task *t, uint32_t i, uint32_t symmetries);

static void put(
	walk *k, const nq_task *t, uint32_t i, uint32_t symmetries, uint32_t row, uint32_t col)
{
	nq_task next = *t;

	nq_i_place(&next, k->n, row, 1u << col);
	k->col_of_row[row] = col;
	fill(k, &next, i + 1, symmetries);
	k->col_of_row[row] = NQ_MAX_N;
}

static void fill(walk *k, const nq_task *t, uint32_t i, uint32_t symmetries)
{
	const uint32_t line = line_at(k, i);

	if (k->stop)
		return;
	if (i == 2 * k->w) {
		lines l = { { 0 }, { 0 } };

		lines_of(k, &l);
		if (k->raw)
			++*k->raw;
		if (symmetries != 1)
			symmetries = stabiliser(k, &l, k->w);
		if (symmetries)
			report(k, t, symmetries);
		return;
	}
	if (i == 2 && k->w % 2 && !k->raw) {
		lines all = { { 0 }, { 0 } }, inner = { { 0 }, { 0 } };

		lines_of(k, &all);
		inner.row[0] = all.row[k->w / 2];
		inner.col[0] = all.col[k->w / 2];
		symmetries = stabiliser(k, &inner, 1);
		if (!symmetries)
			return;
	}
	if (i % 2 == 0) {
		uint32_t free_cols = t->rows >> line & 1 ? nq_i_free(t, k->n, line) : 0;

		if (!(t->rows >> line & 1))
			fill(k, t, i + 1, symmetries);
		for (; free_cols; free_cols &= free_cols - 1)
			put(k, t, i, symmetries, line, lsched_i_lowest_bit(free_cols));
		return;
	}
	if (t->cols >> line & 1) {
		fill(k, t, i + 1, symmetries);
		return;
	}
	for (uint32_t row = 0; row < k->n; row++)
		if (t->rows >> row & 1 && nq_i_free(t, k->n, row) >> line & 1)
			put(k, t, i, symmetries, row, line);
}

int nq_i_cross_walk(uint32_t n, uint32_t w, nq_i_cross_fn fn, void *opaque, uint64_t *raw)
{
	walk k = { .n = n, .w = w, .first = (n - w) / 2, .fn = fn, .opaque = opaque, .raw = raw };
	const nq_task empty = { 0, 0, 0, nq_i_full(n), 0, 1 };

	for (uint32_t row = 0; row < NQ_MAX_N; row++)
		k.col_of_row[row] = NQ_MAX_N;
	fill(&k, &empty, 0, 0);
	return k.stop;
}

static int count_weight(void *opaque, const nq_i_cross_pair *p)
{
	nq_cross_counts *c = (nq_cross_counts *)opaque;

	c->canonical++;
	c->weight_8 += p->weight == 8;
	c->weight_4 += p->weight == 4;
	c->weight_2 += p->weight == 2;
	c->weight_1 += p->weight == 1;
	return 0;
}

nq_status nq_cross_count(uint32_t n, uint32_t cross, nq_cross_counts *out)
{
	const size_t least_bytes = LSCHED_I_SIZE_TO(nq_cross_counts, weight_1);
	nq_cross_counts c;
	nq_status st;

	nq_cross_counts_init(&c);
	if (!out)
		return nq_i_fail(NQ_ERR_ARG, "nq_cross_count: out is NULL");
	st = nq_i_write_sized("nq_cross_counts", out, sizeof(c), least_bytes, &c);
	if (st != NQ_OK)
		return st;
	if (n < 1 || n > NQ_MAX_N || cross < 1 || cross > NQ_I_CROSS_MAX || cross > n ||
		(n - cross) % 2)
		return nq_i_fail(NQ_ERR_ARG,
			"cross is %u for n = %u; it must be 1 to %d and as even or odd as n", cross,
			n, NQ_I_CROSS_MAX);
	nq_i_cross_walk(n, cross, count_weight, &c, &c.raw);
	return nq_i_write_sized("nq_cross_counts", out, sizeof(c), least_bytes, &c);
}
