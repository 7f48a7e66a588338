/* spawn and recurse: trees. The host walks the tree first, to compare the number of its nodes and
 * the sum of their weights with the result of the tasks. */
#include "workloads/common/memory.h"
#include "workloads/tree/options.h"
#include "workloads/tree/tree_items.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

WL_PROGRAM(gstree);
WL_PROGRAM(gslane);
WL_PROGRAM(gswarp);

/* A larger tree is refused as endless. The host walks this many nodes in seconds. */
#define MAX_NODES UINT64_C(400000000)

/* Default limits of deques, in items: a GPU has thousands of workers with one each. */
enum { MAX_BIN_CUDA = 4096, MAX_BIN_CPU = 1 << 20, MAX_INLINE_DEPTH = 1 << 14 };

typedef struct tree_facts {
	uint64_t nodes, sum;
	uint32_t deepest;
} tree_facts;

/* Walks the tree depth first and fills in *t. The stack holds at most `children` - 1 siblings per
 * level, and the current node. Returns 0, or -1 without memory. */
static int walk(const gstree_ctx *c, uint32_t roots, tree_facts *t)
{
	const size_t nodes = (size_t)(GSTREE_MAX_LEVEL + 1) * c->children + 1;
	uint32_t *stack = malloc(nodes * sizeof(*stack));

	memset(t, 0, sizeof(*t));
	if (!stack)
		return -1;
	for (uint32_t root = 0; root < roots && t->nodes <= MAX_NODES; root++) {
		size_t n = 0;

		stack[n++] = root;
		while (n && t->nodes <= MAX_NODES) {
			const uint32_t item = stack[--n], children = gstree_children(c, item);

			t->nodes++;
			t->sum += gstree_weight(item);
			if (item >> GSTREE_NAME_BITS > t->deepest)
				t->deepest = item >> GSTREE_NAME_BITS;
			for (uint32_t k = 0; k < children; k++)
				stack[n++] = gstree_child(c, item, k);
		}
	}
	free(stack);
	return 0;
}

static size_t words_bytes(const wl_device *d)
{
	return (size_t)d->max_workers * GSTREE_WORDS * sizeof(uint64_t);
}

static int prepare(wl_work *l, wl_device *d, char *why, size_t why_bytes)
{
	gstree_ctx *c = l->ctx;

	if (wl_check_workers(d, l->workers, why, why_bytes))
		return -1;
	return wl_zero(d, c->words, words_bytes(d), why, why_bytes);
}

/* Returns the time that one worker has spent in the work of its tasks. */
static uint64_t work_ns(const uint64_t *w)
{
	const uint64_t ticks = w[GSTREE_LAST_TICKS] - w[GSTREE_FIRST_TICKS];
	const uint64_t ns = w[GSTREE_LAST_NS] - w[GSTREE_FIRST_NS];

	/* The clocks did not advance between the tasks: count a tick as a nanosecond. */
	if (ticks == 0 || ns == 0)
		return w[GSTREE_WORK_TICKS];
	return (uint64_t)((double)w[GSTREE_WORK_TICKS] * ((double)ns / (double)ticks));
}

static int check(wl_work *l, wl_device *d, char *why, size_t why_bytes)
{
	const uint32_t workers = l->stats->workers;
	const gstree_ctx *c = l->ctx;
	const tree_facts *t = l->host_data;
	uint64_t *words = wl_host_copy(d, c->words, words_bytes(d), why, why_bytes), sum = 0;

	if (!words)
		return -1;
	for (uint32_t k = 0; k < workers; k++)
		for (uint32_t lane = 0; lane < 32; lane++)
			sum += words[(size_t)k * GSTREE_WORDS + GSTREE_SUM + lane];
	for (uint32_t k = 0; c->timed && k < workers; k++)
		l->work_ns[k] = work_ns(words + (size_t)k * GSTREE_WORDS);
	free(words);
	if (sum == t->sum)
		return 0;
	return wl_fail(why, why_bytes,
		"the tasks are not those of the tree: their sum is %" PRIu64 ", not %" PRIu64, sum,
		t->sum);
}

static uint32_t power_of_two(uint64_t n, uint32_t most)
{
	uint32_t v = 2;

	while (v < n && v < most)
		v *= 2;
	return v;
}

/* Selects the program of --grain, and default capacities that hold the whole tree, up to limits.
 * Most queues carry few items of an item program, but relaunch and compact carry whole levels of
 * the tree. */
static void choose_program(wl_work *l, const wl_device *d, const tree_options *o, uint64_t nodes)
{
	const uint32_t most_bin = wl_is_cuda(d) ? (uint32_t)MAX_BIN_CUDA : (uint32_t)MAX_BIN_CPU;

	l->items = o->grain != TREE_GRAIN_TASK;
	l->capacity = power_of_two(l->items ? 4 * nodes + 65536 : nodes, 1u << 28);
	l->bin_size = power_of_two(l->items ? nodes / 8 + 256 : nodes, most_bin);
	if (o->grain == TREE_GRAIN_LANE)
		WL_SET_PROGRAM(l, gslane);
	else if (o->grain == TREE_GRAIN_WARP)
		WL_SET_PROGRAM(l, gswarp);
	else
		WL_SET_PROGRAM(l, gstree);
}

int tree_create(wl_work *l, wl_device *d, const tree_options *o, double probability, char *msg,
	size_t msg_bytes)
{
	gstree_ctx *c = wl_own(d, sizeof(*c), msg, msg_bytes);
	tree_facts *t = c ? wl_own(d, sizeof(*t), msg, msg_bytes) : NULL;

	l->ctx = c;
	l->host_data = t;
	if (!t)
		return -1;
	c->threshold = (uint64_t)(probability * 4294967296.0);
	c->children = o->children;
	c->last_level = o->levels;
	c->seed = wl_hash(o->length.seed);
	c->length = wl_length_make(&o->length, 0x5bd1e995u);
	if (walk(c, o->initial, t))
		return wl_fail(msg, msg_bytes,
			"out of memory for the walk of the tree; a smaller tree takes less");
	if (t->nodes > MAX_NODES)
		return wl_fail(msg, msg_bytes,
			"the tree has more than %" PRIu64
			" tasks; change --probability, or set a smaller --spawn or --levels",
			MAX_NODES);
	choose_program(l, d, o, t->nodes);
	/* Depth first a worker holds the siblings of each node on its path. */
	l->inline_depth =
		power_of_two((uint64_t)c->children * (t->deepest + 1) + 32, MAX_INLINE_DEPTH);
	l->tasks = o->initial;
	l->expected = t->nodes;
	l->prepare = prepare;
	l->check = check;
	c->timed = o->time_work != 0;
	if (c->timed)
		l->work_ns = wl_own(d, d->max_workers * sizeof(*l->work_ns), msg, msg_bytes);
	if (c->timed && !l->work_ns)
		return -1;
	c->words = wl_alloc(d, words_bytes(d), msg, msg_bytes);
	c->sink = c->words ? wl_alloc(d, sizeof(*c->sink), msg, msg_bytes) : NULL;
	return c->sink ? 0 : -1;
}
