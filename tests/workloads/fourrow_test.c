/* fourrow: rules on bitboards against arrays and published counts, the table, the tree with and
 * without bounds, solved boards, scores against recursion, and refused options. */
#include "tests/common/effort.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/workloads/harness.h"
#include "workloads/fourrow/host.h"
#include "workloads/fourrow/solve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const wl_type wl_fourrow_type;

static const fourrow_options defaults = {
	.board = { 7, 6 }, .plies = 7, .budget = 20000, .table = 1 << 16
};

static int ascending(const void *a, const void *b)
{
	const uint64_t v = *(const uint64_t *)a, w = *(const uint64_t *)b;

	return (v > w) - (v < w);
}

/* Writes the positions after those of `from`, each once; returns their number. */
static size_t positions_after(const fr_board *b, const uint64_t *from, size_t n, uint64_t *to)
{
	size_t made = 0, kept = 0;

	for (size_t k = 0; k < n; k++) {
		const fr_position p = fr_unpack(b, from[k]);
		uint64_t moves = fr_playable(b, p.both);

		if (fr_pack(b, p) != from[k] || fr_mirror(b, fr_mirror(b, from[k])) != from[k])
			return 0;
		if (fr_four(b, p.own ^ p.both))
			continue;
		for (; moves; moves &= moves - 1)
			to[made++] = fr_pack(b, fr_play(p, moves & (0 - moves)));
	}
	qsort(to, made, sizeof(*to), ascending);
	for (size_t k = 0; k < made; k++)
		if (k == 0 || to[k] != to[k - 1])
			to[kept++] = to[k];
	return kept;
}

/* Distinct positions, OEIS A212693. */
static void test_positions(void)
{
	static const uint32_t known[] = { 1, 7, 49, 238, 1120, 4263, 16422, 54859, 184275 };
	const fr_board b = fr_board_make(7, 6);
	const fr_position empty = { 0, 0 };
	uint64_t *level[2];
	size_t n = 1;

	for (int k = 0; k < 2; k++)
		level[k] = malloc(sizeof(uint64_t) * 7 * known[8]);
	CU_ASSERT_FATAL(level[0] && level[1]);
	level[0][0] = fr_pack(&b, empty);
	for (int ply = 1; ply <= 8; ply++) {
		n = positions_after(&b, level[(ply - 1) % 2], n, level[ply % 2]);
		CU_ASSERT_EQUAL(n, known[ply]);
	}
	free(level[0]);
	free(level[1]);
}

/* The constants of the usual board. */
static void test_usual_board(void)
{
	const fr_board a = fr_board_make(7, 6), b = fr_usual_board();

	CU_ASSERT_EQUAL(a.bottom, b.bottom);
	CU_ASSERT_EQUAL(a.all, b.all);
	CU_ASSERT_EQUAL(a.lower, b.lower);
	CU_ASSERT_EQUAL(a.order, b.order);
	CU_ASSERT_EQUAL(a.width, b.width);
	CU_ASSERT_EQUAL(a.height, b.height);
	CU_ASSERT_EQUAL(a.cells, b.cells);
}

/* Sequences of moves by arrays, as the program's tree is compared with them. */
static void test_sequences(void)
{
	static const uint64_t known[] = { 1, 7, 49, 343, 2401, 16807, 117649, 823536 };
	fr_grid g = { .width = 7, .height = 6 };
	fr_truth t;

	fr_grid_count(&g, 7, &t);
	for (int k = 0; k <= 7; k++)
		CU_ASSERT_EQUAL(t.sequences[k], known[k]);
}

/* Compares the functions of bitboards with those of arrays. */
static void check_rules(const fr_board *b, fr_grid *g)
{
	const fr_position p = fr_grid_position(b, g);
	const uint64_t wins = fr_wins(b, p.own, p.both) & fr_playable(b, p.both);
	const uint64_t safe = fr_safe_moves(b, p, fr_threats(b, p));

	CU_ASSERT_EQUAL(fr_rows(b, p), fr_grid_value(g, 0, -1, -FR_WIN, FR_WIN));
	for (uint32_t x = 0; x < g->width; x++) {
		const uint64_t cell = fr_playable(b, p.both) & fr_column(b, x);
		int allowed = 1;
		fr_position q;

		CU_ASSERT_EQUAL(cell == 0, g->filled[x] == g->height);
		if (!cell)
			continue;
		fr_grid_play(g, x);
		q = fr_play(p, cell);
		CU_ASSERT_EQUAL(fr_unplay(b, q, x).own, p.own);
		CU_ASSERT_EQUAL(fr_unplay(b, q, x).both, p.both);
		CU_ASSERT_EQUAL(fr_grid_wins(g, x), fr_four(b, q.own ^ q.both));
		CU_ASSERT_EQUAL(fr_grid_wins(g, x), (wins & cell) != 0);
		for (uint32_t y = 0; y < g->width; y++) {
			if (g->filled[y] == g->height)
				continue;
			fr_grid_play(g, y);
			allowed &= !fr_grid_wins(g, y);
			fr_grid_unplay(g, y);
		}
		CU_ASSERT_EQUAL(allowed, (safe & cell) != 0);
		fr_grid_unplay(g, x);
	}
}

/* Makes random moves without a win, up to `stones`; text receives them. */
static void random_game(fr_grid *g, uint32_t stones, char *text)
{
	uint32_t tries = 0;

	while (g->stones < stones && tries++ < 1000) {
		const uint32_t x = rng_below(g->width);

		if (g->filled[x] == g->height)
			continue;
		fr_grid_play(g, x);
		if (fr_grid_wins(g, x)) {
			fr_grid_unplay(g, x);
			continue;
		}
		*text++ = (char)('1' + x);
	}
	*text = 0;
}

static void test_rules(void)
{
	for (uint32_t w = 1; w <= FR_SIDE; w++)
		for (uint32_t h = 1; h <= FR_SIDE && w * (h + 1) <= FR_BITS; h++) {
			const fr_board b = fr_board_make(w, h);

			for (uint32_t k = 0; k < 30; k++) {
				fr_grid g = { .width = w, .height = h };
				char text[FR_BITS + 1];

				random_game(&g, rng_below(w * h + 1), text);
				check_rules(&b, &g);
			}
		}
}

/* Whether follow-up holds, against the score by recursion. Adds to count[loose cells are odd in
 * number][score asked] where it decides. */
static void check_followed(const fr_board *b, fr_grid *g, uint32_t count[2][2])
{
	const fr_position p = fr_grid_position(b, g);
	const uint32_t odd = (b->cells - g->stones) % 2;
	int32_t score = 0;
	int known = 0;

	for (int32_t ask = 0; ask <= 1; ask++) {
		if (!fr_is_followed(b, p, ask, fr_threats(b, p)))
			continue;
		score = known ? score : fr_grid_score(g, -FR_WIN, FR_WIN);
		known = 1;
		CU_ASSERT(score < ask);
		count[odd][ask]++;
	}
}

static void test_followed(void)
{
	static const wl_size boards[] = { { 7, 6 }, { 6, 5 }, { 5, 4 }, { 4, 5 }, { 7, 4 },
		{ 4, 6 }, { 8, 7 } };
	uint32_t count[2][2] = { { 0 } };

	for (uint32_t k = 0; k < (TEST_SANITIZED ? 4000u : 40000u); k++) {
		const wl_size s = boards[k % (sizeof(boards) / sizeof(boards[0]))];
		const fr_board b = fr_board_make(s.width, s.height);
		fr_grid g = { .width = s.width, .height = s.height };
		char text[FR_BITS + 1];

		random_game(&g, s.width * s.height - rng_below(12), text);
		if (s.width * s.height - g.stones <= 12)
			check_followed(&b, &g, count);
	}
	for (uint32_t k = 0; k < 4; k++) {
		CU_ASSERT(count[k / 2][k % 2] >= 10);
		if (count[k / 2][k % 2] < 10)
			fprintf(stderr, "%u positions followed\n", count[k / 2][k % 2]);
	}
}

/* No two positions have the same place and tag. */
static void test_table(void)
{
	static uint64_t seen[1 << 16];
	static uint64_t table[1 << 9];
	fr_ctx c = { .table = table, .table_bits = 9 };
	const size_t n = sizeof(seen) / sizeof(seen[0]);

	c.board = fr_board_make(4, 3);
	for (size_t k = 0; k < n; k++) {
		const fr_place at = fr_table_place(&c, k);

		seen[k] = (uint64_t)(at.word - table) << 40 | at.tag >> FR_BOUNDS_BITS;
		CU_ASSERT(at.word >= table && at.word < table + 512);
	}
	qsort(seen, n, sizeof(seen[0]), ascending);
	for (size_t k = 1; k < n; k++)
		CU_ASSERT_NOT_EQUAL(seen[k], seen[k - 1]);
	for (int32_t low = -28; low <= 28; low++) {
		const fr_place at = fr_table_place(&c, 77);
		uint32_t bounds;

		*at.word = 0;
		CU_ASSERT_EQUAL(fr_table_bounds(at), 0);
		fr_table_store(at, low, FR_REACHED);
		fr_table_store(at, low + 3, FR_MISSED);
		fr_table_store(at, low - 1, FR_REACHED);
		bounds = fr_table_bounds(at);
		CU_ASSERT(fr_low(bounds) == low && fr_high(bounds) == low + 2);
		CU_ASSERT_EQUAL(fr_table_bounds(fr_table_place(&c, 78)), 0);
	}
}

static void test_codes(void)
{
	for (int32_t v = -FR_WIN; v <= FR_WIN; v += v < -100 || v >= 100 ? 9973 : 1) {
		CU_ASSERT_EQUAL(fr_decode(fr_encode(v)), v);
		CU_ASSERT_EQUAL(fr_decode(~fr_encode(v)), -v);
		CU_ASSERT(fr_encode(v) < ~fr_encode(-v - 1));
	}
}

/* Runs it; the workload compares the result with its truth. Returns the value. */
static uint64_t execute(const fourrow_options *o, lsched_queue queue, uint32_t workers)
{
	harness h;
	uint64_t value;
	int bad = harness_open(&h, &wl_fourrow_type, o, workers);

	bad = bad ? bad : harness_run(&h, queue, workers);
	if (bad)
		fprintf(stderr, "%ux%u, solve %s, moves %s, plies %u, %s: %s\n", o->board.width,
			o->board.height, o->solve ? o->solve : "", o->moves ? o->moves : "",
			o->plies, lsched_queue_name(queue), h.why);
	CU_ASSERT_EQUAL_FATAL(bad, 0);
	value = h.w.value;
	harness_close(&h);
	return value;
}

static void test_plies(void)
{
	for (uint32_t plies = 0; plies <= 7; plies++) {
		fourrow_options o = defaults;

		o.plies = plies;
		execute(&o, LSCHED_QUEUE_RING, 1 + plies % 3);
		for (o.serial = 1; o.serial <= plies && o.serial <= 4; o.serial++) {
			execute(&o, LSCHED_QUEUE_RING, 1 + plies % 3);
			o.bounds = !o.bounds;
		}
	}
}

static void test_bounds(void)
{
	for (uint32_t k = 0; k < (TEST_SANITIZED ? 20u : 100u); k++) {
		fourrow_options o = defaults;
		fr_grid g = { .width = 7, .height = 6 };
		char text[FR_BITS + 1];
		const lsched_queue queue = (lsched_queue)(k % 10);
		uint64_t value;

		random_game(&g, 8, text);
		o.moves = text;
		o.plies = 4 + k % 2;
		value = execute(&o, queue, 1 + k % 4);
		o.bounds = 1;
		CU_ASSERT_EQUAL(execute(&o, queue, 1 + k % 4), value);
		o.plies = 6;
		execute(&o, queue, 1 + k % 4);
	}
}

static void test_solved_boards(void)
{
	static const wl_size boards[] = { { 4, 4 }, { 5, 4 }, { 4, 5 }, { 5, 5 }, { 4, 6 },
		{ 6, 4 }, { 7, 4 }, { 5, 6 }, { 6, 5 } };
	const size_t n = sizeof(boards) / sizeof(boards[0]) - (TEST_SANITIZED ? 3 : 0);

	for (size_t k = 0; k < n; k++) {
		fourrow_options o = defaults;

		o.solve = "-";
		o.board = boards[k];
		o.table = 1 << 20;
		execute(&o, LSCHED_QUEUE_STEAL, 2);
	}
}

/* The workload solves positions with up to 14 empty cells by recursion, too. */
static void test_late_positions(void)
{
	static const wl_size boards[] = { { 7, 6 }, { 6, 7 }, { 8, 7 }, { 9, 6 }, { 5, 4 },
		{ 4, 4 }, { 7, 8 }, { 1, 9 }, { 9, 1 }, { 3, 3 } };

	for (uint32_t k = 0; k < (TEST_SANITIZED ? 50u : 400u); k++) {
		fourrow_options o = defaults;
		fr_grid g = { 0 };
		char text[FR_BITS + 1];
		uint32_t cells;

		o.board = boards[k % (sizeof(boards) / sizeof(boards[0]))];
		cells = o.board.width * o.board.height;
		g.width = o.board.width;
		g.height = o.board.height;
		random_game(&g, cells - (cells < 14 ? rng_below(cells) : rng_below(15)), text);
		o.solve = text;
		o.budget = 1 + rng_below(k % 2 ? 20 : 1000);
		o.walkers = rng_below(20);
		o.table = 1 << FR_TABLE_MIN_BITS;
		execute(&o, (lsched_queue)(k % 10), 1 + k % 3);
	}
}

static void test_same_answer(void)
{
	fourrow_options o = defaults;
	uint64_t value;

	o.solve = "3";
	o.board = (wl_size){ 5, 5 };
	value = execute(&o, LSCHED_QUEUE_RING, 1);
	for (uint32_t k = 0; k < (TEST_SANITIZED ? 10u : 40u); k++) {
		o.budget = k % 4 ? 10u << k % 10 : 1000000;
		o.walkers = k % 3 * 11;
		o.table = UINT64_C(1) << (FR_TABLE_MIN_BITS + k % 3);
		CU_ASSERT_EQUAL(execute(&o, (lsched_queue)(k % 10), 1 + k % 7), value);
	}
}

/* One worker always visits the same positions. Their number is what the table, the proofs and the
 * order of moves save: 5.2 M without follow-up of loose cells. */
static void test_few_positions(void)
{
	fourrow_options o = defaults;
	uint64_t visited[2] = { 0, 0 };

	o.budget = 0;
	o.solve = "-";
	o.board = (wl_size){ 6, TEST_SANITIZED ? 4 : 5 };
	o.table = 1 << 24;
	for (int k = 0; k < 2; k++) {
		harness h;
		int bad = harness_open(&h, &wl_fourrow_type, &o, 1);

		bad = bad ? bad : harness_run(&h, LSCHED_QUEUE_RING, 1);
		CU_ASSERT_EQUAL(bad, 0);
		visited[k] = bad ? 0 : h.w.operations;
		harness_close(&h);
	}
	CU_ASSERT_EQUAL(visited[0], visited[1]);
	CU_ASSERT(visited[0] > 0 && visited[0] < 2000000);
	if (visited[0] >= 2000000)
		fprintf(stderr, "%" PRIu64 " positions\n", visited[0]);
}

static void refused(const fourrow_options *o, const char *text)
{
	char msg[256] = "";

	CU_ASSERT_EQUAL(wl_fourrow_type.check_options(o, msg, sizeof(msg)), -1);
	if (!strstr(msg, text))
		fprintf(stderr, "'%s' lacks '%s'\n", msg, text);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, text));
}

static void test_options(void)
{
	fourrow_options o = defaults;
	char msg[256] = "";

	o.solve = "4444441";
	CU_ASSERT_EQUAL(wl_fourrow_type.check_options(&o, msg, sizeof(msg)), 0);
	o.solve = "44444441";
	refused(&o, "move 7 is in column 4, which has all its 6 stones");
	o.solve = "12121212";
	refused(&o, "the game is over after 7 moves");
	o.solve = "1280";
	refused(&o, "move 3 is '8', but columns are 1 to 7");
	o.solve = "1\n";
	refused(&o, "move 2 is '?'");
	o.solve = "--";
	refused(&o, "move 1 is '-'");
	o.solve = "";
	o.bounds = 1;
	refused(&o, "--solve cannot be combined with --bounds");
	o.solve = NULL;
	o.moves = "0";
	refused(&o, "--moves: move 1 is '0'");
	o.moves = NULL;
	o.serial = 8;
	refused(&o, "--serial 8 is more than --plies 7");
	o.serial = 0;
	o.board = (wl_size){ 8, 8 };
	refused(&o, "--board 8x8 needs 72 bits; W x (H + 1) must be at most 64");
}

int main(void)
{
	CU_TestInfo tests[] = { { "distinct positions are as published", test_positions },
		{ "the usual board has its constants", test_usual_board },
		{ "sequences of moves are as published", test_sequences },
		{ "rules on bitboards are those on arrays", test_rules },
		{ "no position that is followed has a better score", test_followed },
		{ "no position is taken for another", test_table },
		{ "complements of values are their negatives", test_codes },
		{ "trees have the sequences and the value of recursion", test_plies },
		{ "bounds change no value", test_bounds },
		{ "boards are solved as published", test_solved_boards },
		{ "scores are those of recursion", test_late_positions },
		{ "no schedule and no table changes an answer", test_same_answer },
		{ "a board needs few positions", test_few_positions },
		{ "wrong moves and boards are refused", test_options }, CU_TEST_INFO_NULL };

	return test_run_one("fourrow", tests);
}
