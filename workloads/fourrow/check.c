/* fourrow: results against counts, published values of boards, and recursion. */
#include "workloads/fourrow/host.h"

#include <inttypes.h>

/* Sequences of moves from the empty board of 7 x 6. */
static const uint64_t sequences_7x6[FR_MAX_PLIES + 1] = { 1, 7, 49, 343, 2401, 16807, 117649,
	823536, 5673234, 39394572, 268031646, 1844590828, UINT64_C(12418296244) };

/* Boards that were solved from the first move: 1 won by the first player, -1 by the second. */
static const struct {
	uint8_t width, height;
	int8_t value;
} solved[] = { { 4, 4, 0 }, { 5, 4, 0 }, { 4, 5, 0 }, { 5, 5, 0 }, { 4, 6, 0 }, { 5, 6, 0 },
	{ 6, 5, 0 }, { 7, 4, 0 }, { 7, 5, 0 }, { 6, 4, -1 }, { 8, 4, -1 }, { 6, 6, -1 },
	{ 7, 6, 1 } };

/* Positions with more empty cells are not solved by recursion here. */
enum { RECURSION_CELLS = 14 };

static void make_truth(fr_host *h)
{
	const uint32_t plies = h->o.plies;
	fr_grid g = h->grid;

	h->truth_made = 1;
	if (h->ctx.over) {
		h->truth.sequences[0] = 1;
		h->truth.value = -FR_WIN;
	} else {
		h->truth.value = fr_grid_value(&g, plies, -1, -FR_WIN, FR_WIN);
		if (g.stones == 0 && g.width == 7 && g.height == 6)
			for (uint32_t k = 0; k <= plies; k++)
				h->truth.sequences[k] = sequences_7x6[k];
		else
			fr_grid_count(&g, plies, &h->truth);
	}
	h->sum = 0;
	for (uint32_t k = 0; k <= plies; k++)
		h->sum += h->truth.sequences[k];
}

int fr_check_plies(fr_host *h, uint64_t items, int32_t value, char *why, size_t n)
{
	if (!h->truth_made)
		make_truth(h);
	if (value != h->truth.value)
		return wl_fail(
			why, n, "the value is %" PRId32 ", not %" PRId32, value, h->truth.value);
	if (h->o.bounds ? items > h->sum : items != h->sum)
		return wl_fail(why, n, "%" PRIu64 " positions, not %" PRIu64, items, h->sum);
	return 0;
}

static int sign(int32_t v)
{
	return (v > 0) - (v < 0);
}

/* Compares score and best moves with recursion. */
static int check_by_recursion(const fr_host *h, int32_t score, uint32_t best, char *why, size_t n)
{
	const uint32_t cells = h->grid.width * h->grid.height;
	fr_grid g = h->grid;
	int32_t highest = INT32_MIN;
	uint32_t keep = 0;

	for (uint32_t x = 0; x < g.width; x++) {
		int32_t v;

		if (g.filled[x] == g.height)
			continue;
		fr_grid_play(&g, x);
		v = fr_grid_wins(&g, x) ? (int32_t)(cells + 2 - g.stones) / 2
					: -fr_grid_score(&g, -FR_WIN, FR_WIN);
		fr_grid_unplay(&g, x);
		if (v > highest)
			keep = 0;
		highest = v > highest ? v : highest;
		keep |= (uint32_t)(v == highest) << x;
	}
	if (score == highest && best == keep)
		return 0;
	return wl_fail(why, n,
		"score %" PRId32 " by moves %" PRIx32 ", not %" PRId32 " by %" PRIx32, score, best,
		highest, keep);
}

int fr_check_answer(fr_host *h, int32_t score, uint32_t best, char *why, size_t n)
{
	const uint32_t cells = h->grid.width * h->grid.height;
	const uint32_t stones = h->grid.stones;

	for (size_t k = 0; stones == 0 && k < sizeof(solved) / sizeof(solved[0]); k++)
		if (solved[k].width == h->grid.width && solved[k].height == h->grid.height &&
			solved[k].value != sign(score))
			return wl_fail(why, n, "score %" PRId32 "; this board is %s", score,
				solved[k].value ? solved[k].value > 0 ? "won by the first player"
								      : "won by the second player"
						: "a draw");
	if (!h->ctx.over && stones < cells && cells - stones <= RECURSION_CELLS)
		return check_by_recursion(h, score, best, why, n);
	return 0;
}
