/* The 0/1 knapsack problem by branch and bound, the most promising node first. Compiled as C it
 * runs on CPU threads, by nvcc on a GPU. */
#include <stdio.h>
#include <libsched/items.h>

enum { GOODS = 40 };

typedef struct knapsack_ctx {
	uint32_t value[GOODS], weight[GOODS]; /* by value for weight, largest first */
	uint32_t *best;                       /* value of the best choice so far */
} knapsack_ctx;

typedef struct knapsack_node { /* an item: the first `level` goods are taken or left */
	uint32_t level, value, room;
	uint32_t bound; /* no choice below this node has a larger value */
} knapsack_node;
LSCHED_DECLARE_ITEMS(knapsack_items, knapsack_node);

/* What the room would hold if the last of the goods could be divided. */
LSCHED_FN uint32_t knapsack_bound(const knapsack_ctx *c, const knapsack_node *n)
{
	uint32_t room = n->room, value = n->value, k;

	for (k = n->level; k < GOODS && c->weight[k] <= room; k++) {
		room -= c->weight[k];
		value += c->value[k];
	}
	return k < GOODS ? value + room * c->value[k] / c->weight[k] : value;
}

LSCHED_FN uint32_t knapsack_root(const knapsack_ctx *c, uint32_t i, knapsack_node *n)
{
	const knapsack_node all = { 0, 0, 1000, UINT32_MAX };

	(void)c, (void)i;
	*n = all;
	return 0;
}

LSCHED_FN uint32_t knapsack_priority(const knapsack_ctx *c, uint32_t proc, const void *item)
{
	(void)c, (void)proc;
	return ((const knapsack_node *)item)->bound;
}

LSCHED_TASK_FN lsched_result knapsack_body(knapsack_items *x, const knapsack_ctx *c,
	lsched_no_local *local, uint32_t proc, knapsack_node n)
{
	const uint32_t value = c->value[n.level], weight = c->weight[n.level];

	(void)local, (void)proc;
	n.level++;
	for (uint32_t take = 0; take <= (n.room >= weight); take++) {
		knapsack_node child = n;

		child.value += take * value;
		child.room -= take * weight;
		child.bound = knapsack_bound(c, &child);
		(void)lsched_max(c->best, child.value, rlx, dev);
		if (child.level < GOODS && child.bound > lsched_ld(c->best, rlx, dev))
			lsched_emit(x, 0, &child);
	}
	return LSCHED_DONE;
}

#define LSCHED_NAME          knapsack
#define LSCHED_CTX           knapsack_ctx
#define LSCHED_ITEMS         knapsack_items
#define LSCHED_ROOT          knapsack_root
#define LSCHED_BODY          knapsack_body
#define LSCHED_ITEM_PRIORITY knapsack_priority
#include <libsched/generate_items.h>

int main(void)
{
	knapsack_ctx c = { { 0 }, { 0 }, NULL };
	uint32_t best = 0;
	lsched_array array = LSCHED_INOUT(knapsack_ctx, best, &best, 1);
	lsched_run_options o;
	lsched_once with;
	lsched_stats stats;
	char why[256];

	for (uint32_t k = 0; k < GOODS; k++) {
		c.weight[k] = 40 + k * k * 7 % 31;
		c.value[k] = (GOODS - k) * c.weight[k] / 8 + 3 * c.weight[k];
	}
	lsched_stats_init(&stats);
	lsched_run_options_init(&o);
	o.queue = LSCHED_QUEUE_PRIO;
	lsched_once_init(&with);
	with.run_options = &o;
	with.arrays = &array;
	with.array_count = 1;
	if (lsched_run_once_with(
		    &with, &LSCHED_PROGRAM(knapsack), &c, 1, &stats, why, sizeof(why)) != LSCHED_OK)
		return fprintf(stderr, "%s\n", why), 1;
	printf("value %u, from %llu nodes\n", best, (unsigned long long)stats.tasks);
	return 0;
}
