/* The workloads `spawn` and `recurse`: a tree whose tasks become known while it runs.
 *
 * spawn is the synthetic work generator of Tzeng, Patney, Owens 2010, section 4.1: with probability
 * p a unit of work spawns m units, of which its processor keeps one and enqueues m - 1; else it
 * spawns nothing. recurse is the generic recursion kernel of Lauterbach, Mo, Manocha 2009, section
 * 4.4: a unit executes w steps of work and spawns t units, unless a random number is below the
 * termination probability p. Both are the same tree: a node has `children` children with a given
 * probability, and none at the last level.
 *
 * The random numbers are hashes of the node and the seed, so that the tree is the same for every
 * schedule and the host can walk it, too. An item is {level: 8 bits, name: 24 bits}. Root k is item
 * k; the name of a child is a hash of its parent's item and its number. Two nodes of a level may
 * have the same name and then the same descendants; counts stay correct. The level bounds the depth
 * of the tree.
 *
 * Compiled for CPU and GPU. */
#ifndef WORKLOADS_TREE_TREE_H
#define WORKLOADS_TREE_TREE_H

#include "workloads/common/work.h"

enum { GSTREE_NAME_BITS = 24, GSTREE_MAX_LEVEL = 254 };

/* What each worker stores. */
enum {
	GSTREE_SUM,             /* [32]: sum of the weights of the nodes of each lane */
	GSTREE_WORK_TICKS = 32, /* the rest only with gstree_ctx.timed: ticks of the work; */
	GSTREE_FIRST_NS,        /* two clocks before its first task and after its last one, */
	GSTREE_FIRST_TICKS,     /* which give the nanoseconds of a tick */
	GSTREE_LAST_NS,
	GSTREE_LAST_TICKS,
	GSTREE_WORDS = 48
};

typedef struct gstree_ctx {
	uint64_t threshold; /* a node whose 32-bit hash is below has children */
	uint32_t children;
	uint32_t last_level;
	uint32_t seed;
	wl_length length;
	uint32_t timed;  /* 1: measure the time of the work itself */
	uint64_t *words; /* [worker][GSTREE_WORDS] */
	float *sink;
} gstree_ctx;

LSCHED_FN uint32_t gstree_children(const gstree_ctx *c, uint32_t item)
{
	if (item >> GSTREE_NAME_BITS >= c->last_level)
		return 0;
	return wl_hash(item ^ c->seed) < c->threshold ? c->children : 0;
}

LSCHED_FN uint32_t gstree_child(const gstree_ctx *c, uint32_t item, uint32_t k)
{
	const uint32_t name = wl_hash(wl_hash(item + c->seed) + 0x9e3779b9u * (k + 1));

	return ((item >> GSTREE_NAME_BITS) + 1) << GSTREE_NAME_BITS |
	       (name & ((1u << GSTREE_NAME_BITS) - 1));
}

/* Returns the weight of a node. The sum of the weights and the number of nodes identify a set of
 * nodes. */
LSCHED_FN uint64_t gstree_weight(uint32_t item)
{
	return (uint64_t)wl_hash(item + 0x51ed270bu) + 1;
}

/* Measure the work of a task, in lane 0. begin returns the argument of end. */
LSCHED_TASK_FN uint64_t gstree_begin(uint64_t *words)
{
	const uint64_t ticks = lsched_i_ticks();

	if (words[GSTREE_FIRST_NS] == 0) {
		words[GSTREE_FIRST_NS] = lsched_now_ns();
		words[GSTREE_FIRST_TICKS] = ticks;
	}
	return ticks;
}

LSCHED_TASK_FN void gstree_end(uint64_t *words, uint64_t begin_ticks)
{
	const uint64_t ticks = lsched_i_ticks();

	words[GSTREE_WORK_TICKS] += ticks - begin_ticks;
	words[GSTREE_LAST_NS] = lsched_now_ns();
	words[GSTREE_LAST_TICKS] = ticks;
}

LSCHED_TASK_FN lsched_result gstree_body(
	lsched_worker *w, const gstree_ctx *c, lsched_no_local *l, uint32_t item)
{
	uint64_t *words = c->words + (size_t)lsched_worker_index(w) * GSTREE_WORDS;
	const uint32_t n = gstree_children(c, item);
	uint64_t begin = 0;

	(void)l;
	if (lsched_lane() == 0)
		words[GSTREE_SUM] += gstree_weight(item);
	if (c->timed && lsched_lane() == 0)
		begin = gstree_begin(words);
	wl_run_steps(wl_steps(&c->length, item), c->sink);
	if (c->timed && lsched_lane() == 0)
		gstree_end(words, begin);
	for (uint32_t base = 0; base < n; base += LSCHED_LANES) {
		const uint32_t k = base + lsched_lane();

		lsched_spawn_lanes(w, gstree_child(c, item, k), k < n);
	}
	return LSCHED_DONE;
}

#endif

#ifdef WL_TREE_PROGRAM
#undef WL_TREE_PROGRAM
#define LSCHED_NAME           gstree
#define LSCHED_CTX            gstree_ctx
#define LSCHED_BODY           gstree_body
#define LSCHED_MIN_BLOCKS     8
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate.h>
#endif
