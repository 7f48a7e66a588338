/* Backtracking over the boards of one item of the join, to verify its count: sieve.h. It shares no
 * step with the join: it places queens on the whole board. */
#include "nqueens/core/board.h"
#include "nqueens/core/random.h"
#include "nqueens/join/sieve.h"

enum { GIVE_TRIES = 100000 };

/* The board in rows and columns from the upper left corner. */
typedef struct walker {
	const nq_i_join *t;
	const nq_i_join_item *item;
	uint32_t cols[NQ_JOIN_MAX_N]; /* columns that each row may use */
	uint64_t mains[2];            /* bits of d1 and d2 */
	uint32_t east;                /* columns of the eastern half */
	int32_t ahead;                /* of the cross */
	uint64_t sum;
} walker;

/* Returns the board's row of row u of a northern or southern quarter. */
static uint32_t row_of(const nq_i_join *t, uint32_t south, uint32_t u)
{
	return south ? t->n - t->h + u : t->h - 1 - u;
}

/* Returns the bits of a set of columns, counted from the centre. */
static uint32_t cols_of(const nq_i_join *t, uint32_t west, uint32_t set)
{
	uint32_t cols = 0;

	for (uint32_t v = 0; v < t->h; v++)
		if (set >> v & 1)
			cols |= 1u << (west ? t->h - 1 - v : t->n - t->h + v);
	return cols;
}

/* Returns the quarter of row u. */
static uint32_t quarter_of(const nq_i_join_item *item, uint32_t south, uint32_t u)
{
	const uint32_t east = (south ? item->south : item->north) >> u & 1;

	return south ? east ? NQ_I_SE : NQ_I_SW : east ? NQ_I_NE : NQ_I_NW;
}

static uint32_t given_of(const nq_i_sieve_given *given, uint32_t quarter, uint32_t u)
{
	return given ? (uint32_t)(given->quarter[quarter] >> 4 * u) & 15 : 15;
}

/* What the weight of a board depends on: the main diagonals that western queens occupy, and the
 * columns of each quarter, from the centre. */
typedef struct walked {
	uint32_t mains, cols[4];
} walked;

/* Returns the weight of a complete board: sieve.c, nq_i_sieve_item. */
static uint32_t weight_of(const walker *w, const walked *board)
{
	const nq_i_join_item *item = w->item;
	const uint32_t *order = w->t->order;

	if (item->classes)
		return item->weight * (board->mains == 0 ? item->neither : 2 * board->mains);
	if (!nq_i_image_east(order, item, nq_i_full(w->t->h), board->cols[NQ_I_NE],
		    board->cols[NQ_I_SE], w->ahead))
		return 0;
	return nq_i_image_weight(order, item, nq_i_full(w->t->h), board->cols[NQ_I_SW]);
}

/* Adds a queen in a row and a column of the board. */
static walked with_queen(const walker *w, walked board, uint32_t row, uint32_t bit)
{
	const nq_i_join *t = w->t;
	const uint32_t col = (uint32_t)__builtin_ctz(bit), south = row >= t->h;
	const int west = !(bit & w->east);
	const uint32_t quarter = south ? west ? NQ_I_SW : NQ_I_SE : west ? NQ_I_NW : NQ_I_NE;

	board.cols[quarter] |= 1u << (west ? t->h - 1 - col : col - (t->n - t->h));
	return board;
}

/* Places a queen in the row with the fewest free columns, and all others after it. */
static void walk(walker *w, const nq_task *b, const walked *board)
{
	const uint32_t n = w->t->n;
	uint32_t best = 0, best_free = 0, fewest = n + 1;

	if (!b->rows) {
		w->sum += weight_of(w, board);
		return;
	}
	for (uint32_t rows = b->rows; rows && fewest; rows &= rows - 1) {
		const uint32_t row = (uint32_t)__builtin_ctz(rows);
		const uint32_t cols = nq_i_free(b, n, row) & w->cols[row];
		const uint32_t count = (uint32_t)__builtin_popcount(cols);

		if (count < fewest) {
			fewest = count;
			best = row;
			best_free = cols;
		}
	}
	for (; best_free; best_free &= best_free - 1) {
		const uint32_t bit = best_free & (0u - best_free);
		const uint64_t d1 = (uint64_t)bit << best, d2 = (uint64_t)bit << (n - 1 - best);
		const uint32_t on_main = ((d1 & w->mains[0]) != 0) + ((d2 & w->mains[1]) != 0);
		walked more = with_queen(w, *board, best, bit);
		nq_task next = *b;

		/* such patterns are not counted */
		if (w->item->classes && on_main && (bit & w->east))
			continue;
		nq_i_place(&next, n, best, bit);
		more.mains += on_main;
		walk(w, &next, &more);
	}
}

static int is_free(const nq_i_join *t, const nq_task *b, uint32_t row, uint32_t bit)
{
	return (nq_i_free(b, t->n, row) & bit) && (b->rows >> row & 1);
}

/* Places the queens of the middle lines of a cross; returns 0 if there is none of them (even n). */
static void place_cross(const nq_i_join *t, uint32_t cross, nq_task *b)
{
	const uint32_t x = t->x[cross], y = t->y[cross];

	if (t->n % 2 == 0)
		return;
	nq_i_place(b, t->n, t->h, 1u << (t->h + x));
	if (x)
		nq_i_place(b, t->n, t->h + y, 1u << t->h);
}

uint64_t nq_i_item_walk(
	const nq_i_join *t, const nq_i_join_item *item, const nq_i_sieve_given *given)
{
	const nq_i_sieve_line line = nq_i_sieve_line_of(t, item->line);
	const walked nothing = { 0, { 0, 0, 0, 0 } };
	walker w = { .t = t, .item = item, .east = cols_of(t, 0, nq_i_full(t->h)) };

	w.mains[0] = w.mains[1] = 1ull << (t->n - 1);
	for (uint32_t south = 0; south < 2; south++)
		for (uint32_t u = 0; u < t->h; u++) {
			const uint32_t q = quarter_of(item, south, u), v = given_of(given, q, u);

			w.cols[row_of(t, south, u)] = cols_of(t, q == NQ_I_NW || q == NQ_I_SW,
				v == 15 ? nq_i_full(t->h) : 1u << v);
		}
	for (uint32_t i = 0; i < line.crosses; i++) {
		nq_task b = { 0, 0, 0, nq_i_full(t->n), 0, 1 };

		place_cross(t, line.first_cross + i, &b);
		w.ahead = nq_i_sieve_east_of(t, line.first_cross + i).ahead;
		walk(&w, &b, &nothing);
	}
	return w.sum;
}

/* Returns the columns of a quarter that the item's patterns may occupy. */
static uint32_t cols_of_item(const nq_i_join *t, const nq_i_join_item *item, uint32_t quarter)
{
	const uint32_t full = nq_i_full(t->h);
	const uint32_t ne = item->east == NQ_I_EAST_SAME ? item->north : full & ~item->north;

	if (item->east < NQ_I_EAST_SAME)
		return full;
	return quarter == NQ_I_NE ? ne : quarter == NQ_I_SE ? full & ~ne : full;
}

/* Tries once; returns the number of queens. */
static uint32_t try_to_give(const nq_i_join *t, const nq_i_join_item *item, uint32_t queens,
	uint64_t *random, nq_i_sieve_given *given)
{
	const nq_i_sieve_line line = nq_i_sieve_line_of(t, item->line);
	nq_task b = { 0, 0, 0, nq_i_full(t->n), 0, 1 };
	uint32_t n = 0;

	for (uint32_t q = 0; q < 4; q++)
		given->quarter[q] = NQ_I_SIEVE_NONE_GIVEN;
	place_cross(t, line.first_cross + (uint32_t)nq_i_random_below(random, line.crosses), &b);
	for (uint32_t tries = 0; tries < 4 * t->n && n < queens; tries++) {
		const uint32_t south = (uint32_t)nq_i_random_below(random, 2);
		const uint32_t u = (uint32_t)nq_i_random_below(random, t->h);
		const uint32_t v = (uint32_t)nq_i_random_below(random, t->h);
		const uint32_t q = quarter_of(item, south, u), row = row_of(t, south, u);
		const uint32_t bit = cols_of(t, q == NQ_I_NW || q == NQ_I_SW, 1u << v);

		if (!is_free(t, &b, row, bit) || !(cols_of_item(t, item, q) >> v & 1))
			continue;
		nq_i_place(&b, t->n, row, bit);
		given->quarter[q] &= ~(15ull << 4 * u);
		given->quarter[q] |= (uint64_t)v << 4 * u;
		n++;
	}
	return n;
}

int nq_i_item_give(const nq_i_join *t, const nq_i_join_item *item, uint32_t queens,
	uint64_t *random, nq_i_sieve_given *given)
{
	for (uint32_t i = 0; i < GIVE_TRIES; i++)
		if (try_to_give(t, item, queens, random, given) == queens)
			return 1;
	return 0;
}
