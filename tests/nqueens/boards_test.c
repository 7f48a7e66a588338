/* Boards: given queens, the torus, symmetric boards, boards one by one, one solution. */
#include <stdlib.h>
#include <string.h>
#include <nqueens/nqueens.h>
#include "nqueens/known.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/nqueens/brute.h"
#include "tests/nqueens/setup.h"

static uint64_t solve(const nq_plan_options *po, nq_simd simd)
{
	uint64_t count = UINT64_MAX;
	nq_plan *plan = NULL;
	nq_ledger *ledger = NULL;
	nq_run_options ro;
	nq_count total;

	ro = COUNT_OPTIONS(.simd = simd, .workers = 2);
	CU_ASSERT_EQUAL(nq_plan_create(&plan, po), NQ_OK);
	if (plan && nq_ledger_create(&ledger, plan) == NQ_OK &&
		nq_run(plan, ledger, &ro, NULL) == NQ_OK &&
		nq_ledger_total(ledger, plan, &total) == NQ_OK)
		count = total.lo;
	nq_ledger_destroy(&ledger);
	nq_plan_destroy(&plan);
	return count;
}

/* ---- given queens ---- */

static int count_boards(void *opaque, uint32_t n, const uint32_t *cols)
{
	uint64_t *wrong = (uint64_t *)opaque;

	*wrong += !nq_board_ok(n, cols);
	return 0;
}

static void given_queens_have_as_many_completions_as_brute_force_counts(void)
{
	uint64_t sum = 0;

	for (int round = 0; round < 120; round++) {
		const uint32_t n = 4 + rng_below(7);
		const size_t count = 1 + rng_below(3);
		nq_square given[3];
		nq_plan_options po;
		uint64_t right, found, wrong = 0;

		for (size_t i = 0; i < count; i++) {
			given[i].row = rng_below(n);
			given[i].col = rng_below(n);
		}
		po = PLAN_OPTIONS(.n = n, .given = given, .given_count = count,
			.method = round % 3 == 0 ? NQ_METHOD_TASKS : NQ_METHOD_AUTO);
		right = brute_count(n, 0, given, count);
		CU_ASSERT_EQUAL(solve(&po, round % 2 ? NQ_SIMD_AUTO : NQ_SIMD_SCALAR), right);
		CU_ASSERT_EQUAL(
			nq_boards(n, 0, given, count, 0, count_boards, &wrong, NULL, &found),
			NQ_OK);
		CU_ASSERT_EQUAL(found, right);
		CU_ASSERT_EQUAL(wrong, 0);
		sum += right;
	}
	CU_ASSERT_TRUE(sum > 0);
}

static void given_queens_that_fill_the_board_have_one_completion(void)
{
	nq_square given[8];
	uint32_t cols[8];
	nq_plan_options po;

	CU_ASSERT_EQUAL(nq_first(8, cols), NQ_OK);
	for (uint32_t row = 0; row < 8; row++) {
		given[row].row = row;
		given[row].col = cols[row];
	}
	po = PLAN_OPTIONS(.n = 8, .given = given);
	for (po.given_count = 5; po.given_count <= 8; po.given_count++) {
		CU_ASSERT_EQUAL(solve(&po, NQ_SIMD_AUTO), brute_count(8, 0, given, po.given_count));
		po.method = NQ_METHOD_TASKS;
		CU_ASSERT_EQUAL(solve(&po, NQ_SIMD_AUTO), brute_count(8, 0, given, po.given_count));
		po.method = NQ_METHOD_AUTO;
	}
	/* the same queen twice is one queen; queens that attack each other have no completion */
	given[1] = given[0];
	po.given_count = 2;
	CU_ASSERT_EQUAL(solve(&po, NQ_SIMD_AUTO), brute_count(8, 0, given, 1));
	given[1].row++;
	CU_ASSERT_EQUAL(solve(&po, NQ_SIMD_AUTO), 0);
}

/* ---- torus ---- */

static void boards_on_the_torus_have_the_published_counts(void)
{
	for (uint32_t n = 1; n <= 13; n++) {
		nq_plan_options po;
		nq_count right;

		po = PLAN_OPTIONS(.n = n, .toroidal = 1);
		CU_ASSERT_EQUAL(nq_known_toroidal(n, &right), NQ_OK);
		CU_ASSERT_EQUAL(solve(&po, NQ_SIMD_AUTO), right.lo);
		if (n <= 9) {
			uint64_t found;

			CU_ASSERT_EQUAL(brute_count(n, 1, NULL, 0), right.lo);
			CU_ASSERT_EQUAL(
				nq_boards(n, 1, NULL, 0, 0, NULL, NULL, NULL, &found), NQ_OK);
			CU_ASSERT_EQUAL(found, right.lo);
		}
	}
}

/* ---- symmetry ---- */

typedef struct mirrors {
	uint64_t half, quarter, unique;
} mirrors;

/* Compares a board with its eight images. */
static int look_in_mirrors(void *opaque, uint32_t n, const uint32_t *cols)
{
	mirrors *m = (mirrors *)opaque;
	int smallest = 1;

	for (int s = 1; s < 8; s++) {
		uint32_t image[NQ_MAX_N];
		int order;

		for (uint32_t row = 0; row < n; row++) {
			uint32_t r = row, c = cols[row];

			if (s & 4) {
				r = c;
				c = row;
			}
			if (s & 1)
				r = n - 1 - r;
			if (s & 2)
				c = n - 1 - c;
			image[r] = c;
		}
		order = 0;
		for (uint32_t row = 0; row < n && !order; row++)
			order = image[row] < cols[row] ? -1 : image[row] > cols[row];
		smallest &= order >= 0;
		m->half += s == 3 && order == 0;
		m->quarter += s == 5 && order == 0;
	}
	m->unique += (uint64_t)smallest;
	return 0;
}

static void symmetric_and_unique_boards_are_those_found_by_comparing_images(void)
{
	for (uint32_t n = 1; n <= 10; n++) {
		mirrors m = { 0, 0, 0 };
		nq_count half, quarter, unique;
		uint64_t found;

		CU_ASSERT_EQUAL(
			nq_boards(n, 0, NULL, 0, 0, look_in_mirrors, &m, NULL, &found), NQ_OK);
		CU_ASSERT_EQUAL(nq_half_turn_count(n, &half), NQ_OK);
		CU_ASSERT_EQUAL(nq_quarter_turn_count(n, &quarter), NQ_OK);
		CU_ASSERT_EQUAL(half.lo, m.half);
		CU_ASSERT_EQUAL(quarter.lo, m.quarter);
		CU_ASSERT_EQUAL(nq_unique_count(n, nq_count_of(found), &unique), NQ_OK);
		CU_ASSERT_EQUAL(unique.lo, m.unique);
	}
}

static void unique_boards_have_the_published_counts_up_to_14_queens(void)
{
	for (uint32_t n = 1; n <= 14; n++) {
		nq_count total, unique, right;

		CU_ASSERT_EQUAL(nq_solve(n, NULL, &total, NULL), NQ_OK);
		CU_ASSERT_EQUAL(nq_unique_count(n, total, &unique), NQ_OK);
		CU_ASSERT_EQUAL(nq_known_unique(n, &right), NQ_OK);
		CU_ASSERT_EQUAL(nq_count_cmp(unique, right), 0);
	}
}

/* 16 and 17 are the first with many quarter turns. */
static void unique_boards_of_published_totals_have_the_published_counts(void)
{
	for (uint32_t n = 15; n <= 18; n++) {
		nq_count total, unique, right;

		CU_ASSERT_EQUAL(nq_known_count(n, &total), NQ_OK);
		CU_ASSERT_EQUAL(nq_known_unique(n, &right), NQ_OK);
		CU_ASSERT_EQUAL(nq_unique_count(n, total, &unique), NQ_OK);
		CU_ASSERT_EQUAL(nq_count_cmp(unique, right), 0);
		CU_ASSERT_EQUAL(nq_unique_count(n, nq_count_add(total, nq_count_of(1)), &unique),
			NQ_ERR_ARG);
	}
	CU_ASSERT_EQUAL(nq_known_count(28, &(nq_count){ 0, 0 }), NQ_ERR_UNSUPPORTED);
}

/* ---- classes with given queens ---- */

enum { CLASS_SHARES = 840 }; /* divisible by all sizes of classes */

typedef struct classes {
	const nq_square *given;
	size_t given_count;
	uint64_t shares, leaders; /* shares: each board 840 / size of its class */
} classes;

/* Square (r, c) under symmetry s, as a matrix: bits 0 and 1 turn the signs, bit 2 exchanges. */
static nq_square moved(uint32_t n, uint32_t s, uint32_t row, uint32_t col)
{
	const uint32_t r = s & 1 ? n - 1 - row : row, c = s & 2 ? n - 1 - col : col;

	return s & 4 ? (nq_square){ c, r } : (nq_square){ r, c };
}

static int keeps_given(uint32_t n, uint32_t s, const nq_square *given, size_t count)
{
	size_t same = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < count; k++) {
			const nq_square q = moved(n, s, given[i].row, given[i].col);

			same += q.row == given[k].row && q.col == given[k].col;
		}
	return same == count;
}

static int add_to_class(void *opaque, uint32_t n, const uint32_t *cols)
{
	classes *k = opaque;
	uint32_t seen[8][16], size = 0;

	for (uint32_t s = 0; s < 8; s++) {
		uint32_t before = 0;

		if (!keeps_given(n, s, k->given, k->given_count))
			continue;
		for (uint32_t row = 0; row < n; row++) {
			const nq_square q = moved(n, s, row, cols[row]);

			seen[size][q.row] = q.col;
		}
		while (before < size && memcmp(seen[before], seen[size], n * sizeof(**seen)) != 0)
			before++;
		size += before == size;
	}
	k->shares += CLASS_SHARES / size;
	k->leaders += nq_board_leads_class(n, k->given, k->given_count, cols) != 0;
	return 0;
}

/* Sets of given queens that every subgroup of the symmetries keeps, and others. */
static void given_queens_reduce_the_symmetry(void)
{
	static const nq_square sets[][4] = { { { 0, 0 } }, { { 0, 1 } }, { { 2, 2 } }, { { 1, 2 } },
		{ { 0, 1 }, { 6, 5 } }, { { 0, 1 }, { 7, 6 } }, { { 0, 2 }, { 2, 7 } },
		{ { 0, 3 }, { 3, 0 } }, { { 0, 1 }, { 1, 6 }, { 6, 5 }, { 5, 0 } },
		{ { 0, 2 }, { 2, 7 }, { 7, 5 }, { 5, 0 } }, { { 3, 3 }, { 0, 2 }, { 6, 4 } },
		{ { 4, 4 } }, { { 0, 0 }, { 1, 1 } } };
	static const uint8_t counts[] = { 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 3, 1, 2 };

	for (uint32_t n = 1; n <= 9; n++)
		for (size_t i = 0; i < sizeof(counts); i++) {
			classes k = { sets[i], counts[i], 0, 0 };
			nq_count unique;
			uint64_t total;
			int fits = 1;

			for (size_t q = 0; q < counts[i]; q++)
				fits &= sets[i][q].row < n && sets[i][q].col < n;
			if (!fits)
				continue;
			CU_ASSERT_EQUAL(nq_boards(n, 0, sets[i], counts[i], 0, add_to_class, &k,
						NULL, &total),
				NQ_OK);
			CU_ASSERT_EQUAL(nq_unique_count_given(
						n, sets[i], counts[i], nq_count_of(total), &unique),
				total || n > 1 ? NQ_OK : NQ_ERR_ARG);
			CU_ASSERT_EQUAL(unique.lo * CLASS_SHARES, k.shares);
			CU_ASSERT_EQUAL(unique.lo, k.leaders);
		}
}

/* ---- boards one by one ---- */

typedef struct keeper {
	uint32_t n, cols[3][NQ_MAX_N];
	size_t count, stop_at;
} keeper;

static int keep(void *opaque, uint32_t n, const uint32_t *cols)
{
	keeper *k = (keeper *)opaque;

	if (k->count < 3)
		memcpy(k->cols[k->count], cols, n * sizeof(*cols));
	k->count++;
	return k->count == k->stop_at;
}

static void boards_come_in_lexicographic_order(void)
{
	static const uint32_t first[3][8] = { { 0, 4, 7, 5, 2, 6, 1, 3 },
		{ 0, 5, 7, 2, 6, 3, 1, 4 }, { 0, 6, 3, 5, 7, 1, 4, 2 } };
	keeper k = { 8, { { 0 } }, 0, 0 };
	uint64_t found;

	CU_ASSERT_EQUAL(nq_boards(8, 0, NULL, 0, 3, keep, &k, NULL, &found), NQ_OK);
	CU_ASSERT_EQUAL(found, 3);
	CU_ASSERT_EQUAL(k.count, 3);
	for (int i = 0; i < 3; i++)
		CU_ASSERT_EQUAL(memcmp(k.cols[i], first[i], sizeof(first[i])), 0);
	k.count = 0;
	k.stop_at = 2;
	CU_ASSERT_EQUAL(nq_boards(8, 0, NULL, 0, 0, keep, &k, NULL, &found), NQ_OK);
	CU_ASSERT_EQUAL(found, 2);
	CU_ASSERT_EQUAL(nq_boards(33, 0, NULL, 0, 0, NULL, NULL, NULL, &found), NQ_ERR_ARG);
}

/* Raises a flag at the second board. */
typedef struct flag {
	volatile int up;
	uint64_t boards;
} flag;

static int raise_flag(void *opaque, uint32_t n, const uint32_t *cols)
{
	flag *f = (flag *)opaque;

	(void)n;
	(void)cols;
	f->up = ++f->boards == 2;
	return 0;
}

static void the_search_for_boards_can_be_cancelled(void)
{
	flag f = { 0, 0 };
	uint64_t found;

	CU_ASSERT_EQUAL(nq_boards(8, 0, NULL, 0, 0, raise_flag, &f, &f.up, &found), NQ_CANCELLED);
	CU_ASSERT_EQUAL(found, 2);
	CU_ASSERT_EQUAL(f.boards, 2);
	/* also before the first board: this torus has none, and the full search would last years */
	CU_ASSERT_EQUAL(nq_boards(30, 1, NULL, 0, 0, NULL, NULL, &f.up, &found), NQ_CANCELLED);
	CU_ASSERT_EQUAL(found, 0);
}

static void one_solution_is_constructed_for_boards_of_any_size(void)
{
	uint32_t *cols = (uint32_t *)malloc(1000001 * sizeof(*cols));

	CU_ASSERT_PTR_NOT_NULL_FATAL(cols);
	for (uint32_t n = 1; n <= 200; n++) {
		const nq_status st = nq_first(n, cols);

		CU_ASSERT_EQUAL(st, n == 2 || n == 3 ? NQ_ERR_UNSUPPORTED : NQ_OK);
		CU_ASSERT_EQUAL(nq_board_ok(n, cols), st == NQ_OK);
	}
	for (uint32_t n = 999995; n <= 1000001; n++) {
		CU_ASSERT_EQUAL(nq_first(n, cols), NQ_OK);
		CU_ASSERT_TRUE(nq_board_ok(n, cols));
		cols[n / 2] = cols[n / 3];
		CU_ASSERT_FALSE(nq_board_ok(n, cols));
	}
	CU_ASSERT_EQUAL(nq_first(0, cols), NQ_ERR_ARG);
	cols[0] = 1;
	CU_ASSERT_FALSE(nq_board_ok(1, cols));
	free(cols);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "given queens have as many completions as brute force counts",
			given_queens_have_as_many_completions_as_brute_force_counts },
		{ "given queens that fill the board have one completion",
			given_queens_that_fill_the_board_have_one_completion },
		{ "boards on the torus have the published counts",
			boards_on_the_torus_have_the_published_counts },
		{ "symmetric and unique boards are those found by comparing images",
			symmetric_and_unique_boards_are_those_found_by_comparing_images },
		{ "unique boards have the published counts up to 14 queens",
			unique_boards_have_the_published_counts_up_to_14_queens },
		{ "unique boards of published totals have the published counts",
			unique_boards_of_published_totals_have_the_published_counts },
		{ "given queens reduce the symmetry", given_queens_reduce_the_symmetry },
		{ "boards come in lexicographic order", boards_come_in_lexicographic_order },
		{ "the search for boards can be cancelled",
			the_search_for_boards_can_be_cancelled },
		{ "one solution is constructed for boards of any size",
			one_solution_is_constructed_for_boards_of_any_size },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("boards", tests);
}
