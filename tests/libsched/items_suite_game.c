/* Joins for games: values of random trees against minimax by recursion, with and without bounds. */
#include <stdlib.h>
#include "tests/libsched/items_suite.h"

/* The value of a position for the player whose move it is at the root. */
static uint64_t minimax(const game_ctx *c, uint64_t name, uint32_t depth)
{
	const uint32_t n = game_children(c, name, depth);
	uint64_t best = 0;

	if (n == 0)
		return depth % 2 ? ~game_leaf(c, name) : game_leaf(c, name);
	for (uint32_t k = 0; k < n; k++) {
		const uint64_t v = minimax(c, game_child(name, k), depth + 1);

		if (k == 0 || (depth % 2 ? v < best : v > best))
			best = v;
	}
	return best;
}

static void check_tree(const lsched_program *p, lsched_queue q, uint32_t workers, game_ctx *c)
{
	const uint64_t high = minimax(c, game_hash(c->seed), 0);
	const uint64_t truth = p == iplace.gamelow ? ~high : high;
	lsched_run_options o;
	lsched_stats s = { .struct_bytes = sizeof(s) };
	char text[512];
	lsched_status st;

	o = RUN_OPTIONS(.queue = q, .workers = workers);
	if (items_in_rounds(q)) {
		o.queue_capacity = 1u << 17;
		o.bin_size = 4096;
		o.max_joins = 1u << 17;
	}
	st = items_run_wide(p, o, c, &s, text, sizeof(text));
	CHECK(st == LSCHED_OK && s.value == truth,
		"%s, %u workers, seed %llu, bounds %u: %s, %llx, not %llx", lsched_queue_name(q),
		workers, (unsigned long long)c->seed, c->bounds, text, (unsigned long long)s.value,
		(unsigned long long)truth);
}

static void check_trees(const lsched_program *p, int queues, uint32_t bounds)
{
	uint32_t *cuts = (uint32_t *)iplace.alloc(4), cut = 0;

	CHECK(cuts, "memory");
	iplace.zero(cuts, 4);
	for (int q = 0; lsched_queue_name((lsched_queue)q) && (queues || q == 0); q++)
		for (size_t k = 0; k < iplace.worker_counts; k++)
			for (uint32_t seed = 0; seed < iplace.games; seed++) {
				/* few values are often equal, many never */
				game_ctx c = { seed * 100 + k, 2 + seed % 7,
					seed % 3 ? 2u << seed % 5 : 1u << 30, bounds, seed % 2,
					cuts };

				if (iplace.workers[k] || iplace.lanes == 1)
					check_tree(p, (lsched_queue)q, iplace.workers[k], &c);
			}
	iplace.read(&cut, cuts, 4);
	iplace.release(cuts);
	CHECK(bounds ? cut > 0 : cut == 0, "%u positions were left out", cut);
}

static void joins_that_return_complements_are_negamax(void)
{
	check_trees(iplace.gamehigh, 1, 0);
	check_trees(iplace.gamelow, 0, 0);
}

static void bounds_of_joins_change_no_value(void)
{
	check_trees(iplace.gamehigh, 1, 1);
	check_trees(iplace.gamelow, 0, 1);
}

CU_TestInfo items_game_tests[] = { { "joins that return complements are negamax",
					   joins_that_return_complements_are_negamax },
	{ "bounds of joins change no value", bounds_of_joins_change_no_value }, CU_TEST_INFO_NULL };
