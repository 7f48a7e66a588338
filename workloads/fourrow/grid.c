/* Positions as arrays of cells, and moves as text: what results are compared with does not share
 * the bitboards of the tasks. */
#include "workloads/fourrow/host.h"

#include <inttypes.h>
#include <string.h>

void fr_grid_play(fr_grid *g, uint32_t column)
{
	g->cell[column][g->filled[column]++] = (uint8_t)(1 + g->stones++ % 2);
}

void fr_grid_unplay(fr_grid *g, uint32_t column)
{
	g->cell[column][--g->filled[column]] = 0;
	g->stones--;
}

/* The stones of one kind next to a cell, in one direction. */
static int run(const fr_grid *g, int x, int y, int dx, int dy)
{
	const uint8_t kind = g->cell[x][y];
	int n = 0;

	for (x += dx, y += dy; x >= 0 && y >= 0 && x < (int)g->width && y < (int)g->height &&
			       g->cell[x][y] == kind;
		x += dx, y += dy)
		n++;
	return n;
}

int fr_grid_wins(const fr_grid *g, uint32_t column)
{
	static const int step[4][2] = { { 1, 0 }, { 0, 1 }, { 1, 1 }, { 1, -1 } };
	const int x = (int)column, y = g->filled[column] - 1;

	for (int k = 0; k < 4; k++) {
		const int dx = step[k][0], dy = step[k][1];

		if (run(g, x, y, dx, dy) + run(g, x, y, -dx, -dy) >= 3)
			return 1;
	}
	return 0;
}

/* Adds rows of four from a cell on with two or three stones of one player and none of the other:
 * those of the player to move, minus those of the other. */
static int32_t rows_from(const fr_grid *g, int x, int y, int dx, int dy)
{
	const int mover = 1 + (int)(g->stones % 2);
	int own = 0, other = 0;

	if (x + 3 * dx >= (int)g->width || y + 3 * dy >= (int)g->height || y + 3 * dy < 0)
		return 0;
	for (int k = 0; k < 4; k++) {
		const int kind = g->cell[x + k * dx][y + k * dy];

		own += kind == mover;
		other += kind == 3 - mover;
	}
	return (other == 0 && own >= 2 && own <= 3) - (own == 0 && other >= 2 && other <= 3);
}

static int32_t rows(const fr_grid *g)
{
	int32_t sum = 0;

	for (int x = 0; x < (int)g->width; x++)
		for (int y = 0; y < (int)g->height; y++)
			sum += rows_from(g, x, y, 1, 0) + rows_from(g, x, y, 0, 1) +
			       rows_from(g, x, y, 1, 1) + rows_from(g, x, y, 1, -1);
	return sum;
}

static void count(fr_grid *g, uint32_t depth, uint32_t plies, fr_truth *t)
{
	t->sequences[depth]++;
	if (depth == plies)
		return;
	for (uint32_t x = 0; x < g->width; x++) {
		if (g->filled[x] == g->height)
			continue;
		fr_grid_play(g, x);
		if (fr_grid_wins(g, x))
			t->sequences[depth + 1]++;
		else
			count(g, depth + 1, plies, t);
		fr_grid_unplay(g, x);
	}
}

void fr_grid_count(fr_grid *g, uint32_t plies, fr_truth *t)
{
	memset(t->sequences, 0, sizeof(t->sequences));
	count(g, 0, plies, t);
}

int32_t fr_grid_value(fr_grid *g, uint32_t plies, int last, int32_t alpha, int32_t beta)
{
	int32_t best = INT32_MIN;

	if (last >= 0 && fr_grid_wins(g, (uint32_t)last))
		return -FR_WIN;
	if (plies == 0 || g->stones == g->width * g->height)
		return rows(g);
	for (uint32_t x = 0; x < g->width && best < beta; x++) {
		int32_t v;

		if (g->filled[x] == g->height)
			continue;
		fr_grid_play(g, x);
		v = -fr_grid_value(g, plies - 1, (int)x, -beta, -(best > alpha ? best : alpha));
		fr_grid_unplay(g, x);
		best = v > best ? v : best;
	}
	return best;
}

int32_t fr_grid_score(fr_grid *g, int32_t alpha, int32_t beta)
{
	const uint32_t cells = g->width * g->height;
	int32_t best = INT32_MIN;

	if (g->stones == cells)
		return 0;
	for (uint32_t x = 0; x < g->width && best < beta; x++) {
		int32_t v;

		if (g->filled[x] == g->height)
			continue;
		fr_grid_play(g, x);
		v = fr_grid_wins(g, x) ? (int32_t)(cells + 2 - g->stones) / 2
				       : -fr_grid_score(g, -beta, -(best > alpha ? best : alpha));
		fr_grid_unplay(g, x);
		best = v > best ? v : best;
	}
	return best;
}

fr_position fr_grid_position(const fr_board *b, const fr_grid *g)
{
	fr_position p = { 0, 0 };

	for (uint32_t x = 0; x < g->width; x++)
		for (uint32_t y = 0; y < g->filled[x]; y++) {
			const uint64_t cell = UINT64_C(1) << (x * (b->height + 1) + y);

			p.both |= cell;
			if (g->cell[x][y] == 1 + g->stones % 2)
				p.own |= cell;
		}
	return p;
}

int fr_read_moves(
	const char *option, const char *text, fr_grid *g, uint32_t *over, char *msg, size_t n)
{
	*over = 0;
	if (!text || strcmp(text, "-") == 0)
		return 0;
	for (size_t k = 0; text[k]; k++) {
		const uint32_t column = (uint32_t)(unsigned char)text[k] - '1';

		if (column >= g->width)
			return wl_fail(msg, n,
				"--%s: move %zu is '%c', but columns are 1 to %" PRIu32, option,
				k + 1, text[k] >= 32 && text[k] < 127 ? text[k] : '?', g->width);
		if (*over)
			return wl_fail(msg, n,
				"--%s: the game is over after %zu moves; remove the rest", option,
				k);
		if (g->filled[column] == g->height)
			return wl_fail(msg, n,
				"--%s: move %zu is in column %" PRIu32
				", which has all its %" PRIu32 " stones",
				option, k + 1, column + 1, g->height);
		fr_grid_play(g, column);
		*over = (uint32_t)fr_grid_wins(g, column);
	}
	return 0;
}
