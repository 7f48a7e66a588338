/* fourrow: options, memory, results. */
#include "workloads/common/memory.h"
#include "workloads/fourrow/host.h"
#include "workloads/fourrow/solve.h"

#include <inttypes.h>
#include <stdio.h>

#define FIELD(member) WL_FIELD(fourrow_options, member)

static const wl_param params[] = {
	{ .name = "plies",
		.letter = 'n',
		.kind = WL_UINT,
		.field = FIELD(plies),
		.max = FR_MAX_PLIES,
		.preset = "7",
		.metavar = "N",
		.help = "value the tree of N moves (0 to 12)" },
	{ .name = "serial",
		.kind = WL_UINT,
		.field = FIELD(serial),
		.max = FR_MAX_PLIES,
		.metavar = "N",
		.help = "let one lane search the last N plies of an item, without bounds (0 to "
			"--plies)" },
	{ .name = "bounds",
		.kind = WL_FLAG,
		.field = FIELD(bounds),
		.help = "leave positions out that cannot change the value of the tree" },
	{ .name = "moves",
		.kind = WL_TEXT,
		.field = FIELD(moves),
		.metavar = "MOVES",
		.help = "begin the tree after these moves: columns from 1; -: none" },
	{ .name = "solve",
		.kind = WL_TEXT,
		.field = FIELD(solve),
		.metavar = "MOVES",
		.help = "solve the position after these moves instead, to the end of the game: "
			"columns from 1; -: none" },
	{ .name = "board",
		.kind = WL_SIZE,
		.field = FIELD(board),
		.min = 1,
		.max = FR_SIDE,
		.preset = "7x6",
		.metavar = "WxH",
		.help = "set columns and rows (1 to 9 each), W x (H + 1) at most 64" },
	{ .name = "table",
		.kind = WL_COUNT,
		.field = FIELD(table),
		.max = INT64_C(1) << 34,
		.preset = "0",
		.metavar = "N",
		.help = "set the entries of the solver's table, 8 bytes each, rounded up to a "
			"power of two (1 to 17G; 0: 16M, or 64M where more than 36 cells are "
			"empty)" },
	{ .name = "budget",
		.kind = WL_UINT,
		.field = FIELD(budget),
		.max = 1000000000,
		.metavar = "N",
		.help = "split a leaf of the solver after N positions (1 to 1000000000; 0: 1000 on "
			"CUDA; on the CPU 1000000, and one thread does not split before "
			"1000000000)" },
	{ .name = "searchers",
		.kind = WL_UINT,
		.field = FIELD(walkers),
		.max = 1000000,
		.metavar = "N",
		.help = "let N items of the solver search at a time (1 to 1000000; 0: one for each "
			"block on CUDA; two for each of several threads)" },
	{ 0 },
};

/* The default of --plies, as in `params`. */
enum { PRESET_PLIES = 7 };

static int begin(const fourrow_options *o, fr_grid *g, uint32_t *over, char *msg, size_t n)
{
	const fr_grid empty = { .width = o->board.width, .height = o->board.height };

	*g = empty;
	return o->solve ? fr_read_moves("solve", o->solve, g, over, msg, n)
			: fr_read_moves("moves", o->moves, g, over, msg, n);
}

static int check_options(const void *options, char *msg, size_t n)
{
	const fourrow_options *o = options;
	const uint32_t w = o->board.width, h = o->board.height;
	uint32_t over;
	fr_grid g;

	if (w * (h + 1) > FR_BITS)
		return wl_fail(msg, n,
			"--board %" PRIu32 "x%" PRIu32 " needs %" PRIu32
			" bits; W x (H + 1) must be at most %d",
			w, h, w * (h + 1), (int)FR_BITS);
	if (!o->solve && o->serial > o->plies)
		return wl_fail(msg, n, "--serial %" PRIu32 " is more than --plies %" PRIu32,
			o->serial, o->plies);
	if (o->solve && (o->moves || o->bounds))
		return wl_fail(msg, n, "--solve cannot be combined with --%s; remove one of them",
			o->moves ? "moves" : "bounds");
	return begin(o, &g, &over, msg, n);
}

/* The same on the command line: options of the tree have no use for the solver, nor the reverse. */
static int check_command(const void *options, char *msg, size_t n)
{
	const fourrow_options *o = options;
	const char *unused = o->solve && o->plies != PRESET_PLIES ? "plies"
			     : o->solve && o->serial              ? "serial"
								  : NULL;
	const char *solver = o->solve     ? NULL
			     : o->table   ? "table"
			     : o->budget  ? "budget"
			     : o->walkers ? "searchers"
					  : NULL;

	if (check_options(options, msg, n))
		return -1;
	if (unused)
		snprintf(
			msg, n, "--solve cannot be combined with --%s; remove one of them", unused);
	else if (solver)
		snprintf(msg, n, "--%s needs --solve; add it, or remove --%s", solver, solver);
	return unused || solver ? -1 : 0;
}

static int prepare(wl_work *w, wl_device *d, char *why, size_t n)
{
	fr_host *h = w->host_data;
	fr_ctx *c = &h->ctx;
	const uint32_t workers = w->workers;
	const int cuda = wl_is_cuda(d);

	c->walkers = h->o.walkers ? h->o.walkers : cuda || workers == 1 ? workers : 2 * workers;
	c->budget = h->o.budget ? h->o.budget : cuda ? 1000 : c->walkers > 1 ? 1000000 : 1000000000;
	return wl_zero(d, c->visited, sizeof(uint64_t), why, n) ||
			       wl_zero(d, c->nodes, sizeof(fr_node) << c->node_bits, why, n) ||
			       wl_zero(d, c->table, sizeof(uint64_t) << c->table_bits, why, n)
		       ? -1
		       : 0;
}

static int prepare_plies(wl_work *w, wl_device *d, char *why, size_t n)
{
	const fr_host *h = w->host_data;

	return wl_zero(d, h->ctx.visited, sizeof(uint64_t), why, n);
}

static int check_plies(wl_work *w, wl_device *d, char *why, size_t n)
{
	const lsched_stats *stats = w->stats;
	fr_host *h = w->host_data;
	const int32_t value = stats ? fr_decode(stats->value) : h->plain_value;
	uint64_t items = stats ? stats->tasks : h->plain_sum, serial = 0;

	if (stats && wl_read(d, &serial, h->ctx.visited, sizeof(serial), why, n))
		return -1;
	items += serial;
	if (fr_check_plies(h, items, value, why, n))
		return -1;
	w->value = fr_encode(value);
	w->operations = items;
	wl_add_fact(w, "value", value);
	if (h->o.bounds)
		wl_add_fact(w, "positions", (double)items);
	else
		wl_add_fact(w, "sequences of all moves", (double)h->truth.sequences[h->o.plies]);
	return 0;
}

/* The stones on the board when a game with this score is over. */
static uint32_t last_stone(const fr_host *h, int32_t score)
{
	const uint32_t cells = h->ctx.board.cells, stones = h->ctx.stones;
	const uint32_t left = (uint32_t)(score < 0 ? -score : score);
	uint32_t end = cells + 2 - 2 * left;

	if (score == 0)
		return cells;
	/* the winner's stones are every second one */
	return (end - stones) % 2 == (score > 0) ? end : end - 1;
}

static int check_solve(wl_work *w, wl_device *d, char *why, size_t n)
{
	fr_host *h = w->host_data;
	const uint64_t value = w->stats->value;
	const int32_t score = (int32_t)(value & 255u) - FR_BIAS;
	const uint32_t best = (uint32_t)(value >> 8);
	double columns = 0;

	if (wl_read(d, &w->operations, h->ctx.visited, sizeof(uint64_t), why, n))
		return -1;
	if (h->solved && h->answer != value)
		return wl_fail(
			why, n, "the result %" PRIx64 " was %" PRIx64 " before", value, h->answer);
	if (!h->solved && fr_check_answer(h, score, best, why, n))
		return -1;
	h->solved = 1;
	h->answer = w->value = value;
	for (uint32_t k = 0; k < h->ctx.board.width; k++)
		if (best >> k & 1u)
			columns = 10 * columns + k + 1;
	wl_add_fact(w, "value (1 win, -1 loss)", (score > 0) - (score < 0));
	wl_add_fact(w, "moves to the end", last_stone(h, score) - h->ctx.stones);
	if (best) /* none: the game is over */
		wl_add_fact(w, "best columns", columns);
	return 0;
}

/* Entries of the table for each node, as a power of two. */
enum { FR_NODES_SHIFT = 3 };

static int make_table(wl_device *d, fr_host *h, char *msg, size_t n)
{
	const fr_board *b = &h->ctx.board;
	const uint64_t fitting = UINT64_C(1) << (b->cells - h->ctx.stones > 36 ? 26 : 24);
	const uint64_t words = h->o.table ? h->o.table : fitting;

	while (h->ctx.table_bits < b->width * (b->height + 1) &&
		(h->ctx.table_bits < FR_TABLE_MIN_BITS || UINT64_C(1) << h->ctx.table_bits < words))
		h->ctx.table_bits++;
	h->ctx.node_bits = h->ctx.table_bits > FR_TABLE_MIN_BITS
				   ? h->ctx.table_bits - FR_NODES_SHIFT
				   : FR_TABLE_MIN_BITS - FR_NODES_SHIFT;
	h->ctx.table = wl_alloc(d, sizeof(uint64_t) << h->ctx.table_bits, msg, n);
	h->ctx.nodes = wl_alloc(d, sizeof(fr_node) << h->ctx.node_bits, msg, n);
	return h->ctx.table && h->ctx.nodes ? 0 : -1;
}

static void make_plies(wl_work *w, const fr_host *h, wl_device *d)
{
	uint64_t inner = 1, all = 1;

	for (uint32_t k = 0; k < h->o.plies - h->o.serial && all < 1u << 22; k++) {
		inner = all;
		all *= h->ctx.board.width;
	}
	WL_SET_PROGRAM(w, fourrow_plies);
	w->capacity = (1u << 16) + (uint32_t)(2 * all);
	w->max_joins = 2048 * d->max_workers + (uint32_t)(2 * inner);
	w->bin_size = 4096;
	w->prepare = prepare_plies;
	w->check = check_plies;
	if (!wl_is_cuda(d))
		w->plain = fr_plain_cpu;
	else if (!h->o.bounds)
		w->plain = WL_CUDA(fr_plain_cuda);
}

static int create(wl_work *w, wl_device *d, const void *options, char *msg, size_t n)
{
	fr_host *h = wl_own(d, sizeof(*h), msg, n);
	fr_ctx *c;

	w->host_data = h;
	if (!h || check_options(options, msg, n))
		return -1;
	h->o = *(const fourrow_options *)options;
	c = &h->ctx;
	c->board = fr_board_make(h->o.board.width, h->o.board.height);
	if (begin(&h->o, &h->grid, &c->over, msg, n))
		return -1;
	c->root = fr_pack(&c->board, fr_grid_position(&c->board, &h->grid));
	c->stones = h->grid.stones;
	c->plies = h->o.plies;
	c->bounds = (uint32_t)h->o.bounds;
	c->serial = h->o.serial;
	c->visited = wl_alloc(d, sizeof(uint64_t), msg, n);
	if (!c->visited)
		return -1;
	w->ctx = c;
	w->tasks = 1;
	w->items = 1;
	w->expected = WL_TASKS_UNKNOWN;
	if (!h->o.solve) {
		make_plies(w, h, d);
		return 0;
	}
	WL_SET_PROGRAM(w, fourrow_solve);
	w->capacity = 1u << 20;
	w->once = 1;
	w->prepare = prepare;
	w->check = check_solve;
	return make_table(d, h, msg, n);
}

static const char *const cases[] = { "-n 0", "-n 1", "-n 2 --moves 1122", "-n 5", "-n 6 --serial 3",
	"-n 6 --bounds", "-n 3 --moves 4444443", "-n 9 --board 1x9", "-n 8 --board 3x2",
	"-n 5 --board 9x6 --bounds", "-n 4 --moves 1212121",
	"--solve - --board 4x4 --table 1 --budget 50 --searchers 9", "--solve - --board 3x3",
	"--solve 1212121", "--solve 444444333333222222 --budget 100 --table 64K", NULL };

const wl_type wl_fourrow_type = {
	.name = "fourrow",
	.summary = "Values positions of the game connect four.\n"
		   "The four-in-a-row of Cederman and Tsigas, \"Dynamic load balancing using\n"
		   "work-stealing\" (GPU Computing Gems, 2011), section 35.4.1, and a solver.",
	.example = "--plies 7 --queue abp,relaunch",
	.unit = "positions",
	.queues = "ring",
	.repeat = "0",
	.cases = cases,
	.accepts = WL_OVERFLOW | WL_NEVER_KEEP | WL_PLAIN,
	.params = params,
	.options_bytes = sizeof(fourrow_options),
	.check_options = check_command,
	.create = create,
};
