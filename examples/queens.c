/* Counts the placements of 12 queens. Compiled as C it runs on CPU threads, by nvcc on a GPU. */
#include <stdio.h>
#include <libsched/items.h>

typedef struct queens_ctx { /* read-only data of all items */
	uint32_t n;
} queens_ctx;

typedef struct board { /* an item: columns taken, diagonals attacked, and the join of its count */
	uint32_t cols, left, right, join;
} board;
LSCHED_DECLARE_ITEMS(queens_items, board); /* the type of the body's first argument */

LSCHED_FN uint32_t queens_root(const queens_ctx *c, uint32_t i, board *b)
{
	b->cols = b->left = b->right = c->n * i; /* there is one root, of number 0 */
	b->join = LSCHED_JOIN_ROOT;
	return 0;
}

LSCHED_TASK_FN lsched_result queens_body(
	queens_items *s, const queens_ctx *c, lsched_no_local *local, uint32_t proc, board b)
{
	const uint32_t full = (1u << c->n) - 1, open = full & ~(b.cols | b.left | b.right);

	(void)local, (void)proc;
	if (!open) { /* complete, or no square is free */
		lsched_return(s, b.join, b.cols == full);
		return LSCHED_DONE;
	}
	b.join = lsched_fork(s, lsched_popcount(open), b.join); /* sums the children's counts */
	for (uint32_t rest = open; rest; rest &= rest - 1) {
		const uint32_t bit = rest & (0u - rest);
		board next = { b.cols | bit, (b.left | bit) << 1, (b.right | bit) >> 1, b.join };

		lsched_emit(s, 0, &next);
	}
	return LSCHED_DONE;
}

#define LSCHED_NAME      queens
#define LSCHED_CTX       queens_ctx
#define LSCHED_ITEMS     queens_items
#define LSCHED_ROOT      queens_root
#define LSCHED_BODY      queens_body
#define LSCHED_MAX_SPAWN 12
#define LSCHED_JOINS
#include <libsched/generate_items.h>

int main(void)
{
	const queens_ctx c = { 12 };
	lsched_stats stats;
	char why[256];

	lsched_stats_init(&stats);
	if (lsched_run_once(&LSCHED_PROGRAM(queens), &c, 1, &stats, why, sizeof(why)) != LSCHED_OK)
		return fprintf(stderr, "%s\n", why), 1;
	printf("%llu ways, from %llu boards, in %.1f ms\n", (unsigned long long)stats.value,
		(unsigned long long)stats.tasks, (double)stats.elapsed_ns / 1e6);
	return 0;
}
