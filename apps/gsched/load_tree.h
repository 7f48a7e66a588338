/* The load of `gsched spawn` and `gsched recurse`: a tree of tasks that only running it tells.
 *
 * spawn is the synthetic work generator of Tzeng, Patney, Owens 2010, section 4.1: with probability p
 * a unit of work makes m units, of which its processor keeps one and pushes m - 1, else it leaves the
 * system. recurse is the generic recursion kernel of Lauterbach, Mo, Manocha 2009, section 4.4: a unit
 * does w steps of work and, unless a random number falls below the termination probability p, makes t.
 * Both are one tree: a node has `children` children with a certain chance, and none at the last level.
 *
 * The random numbers are hashes of the node and the seed, so the tree is the same for every schedule
 * and the host can walk it too. An item is {level: 8 bits, name: 24 bits}; root k is item k, a child's
 * name is a hash of its parent's item and its number. Nodes of one level may share a name: then they
 * have the same offspring, which spoils no count. The level keeps the tree from being endless.
 *
 * The same text for the CPU and the GPU. */
#ifndef APPS_GSCHED_LOAD_TREE_H
#define APPS_GSCHED_LOAD_TREE_H

#include "apps/gsched/load_work.h"

enum { GSTREE_NAME_BITS = 24, GSTREE_MAX_LEVEL = 254, GSTREE_SUM_STRIDE = 16 };

typedef struct gstree_ctx {
	uint64_t chance; /* of 2^32 nodes so many have children */
	uint32_t children;
	uint32_t last_level;
	uint32_t seed;
	load_length length;
	uint64_t *sum; /* [worker][GSTREE_SUM_STRIDE]: a line each; 0: the nodes' hashes added up */
	float *sink;
} gstree_ctx;

SCHED_FN uint32_t gstree_children(const gstree_ctx *c, uint32_t item)
{
	if (item >> GSTREE_NAME_BITS >= c->last_level)
		return 0;
	return load_hash(item ^ c->seed) < c->chance ? c->children : 0;
}

SCHED_FN uint32_t gstree_child(const gstree_ctx *c, uint32_t item, uint32_t k)
{
	const uint32_t name = load_hash(load_hash(item + c->seed) + 0x9e3779b9u * (k + 1));

	return ((item >> GSTREE_NAME_BITS) + 1) << GSTREE_NAME_BITS |
	       (name & ((1u << GSTREE_NAME_BITS) - 1));
}

/* What a node adds to the sum: with the count, enough to tell one set of nodes from another. */
SCHED_FN uint64_t gstree_weight(uint32_t item)
{
	return (uint64_t)load_hash(item + 0x51ed270bu) + 1;
}

SCHED_TASK_FN sched_result gstree_body(
	sched_worker *w, const gstree_ctx *c, sched_no_local *l, uint32_t item)
{
	const uint32_t n = gstree_children(c, item);

	(void)l;
	if (sched_lane() == 0)
		c->sum[sched_worker_index(w) * GSTREE_SUM_STRIDE] += gstree_weight(item);
	load_run(load_steps(&c->length, item), c->sink);
	for (uint32_t base = 0; base < n; base += SCHED_LANES) {
		const uint32_t k = base + sched_lane();

		sched_spawn_lanes(w, gstree_child(c, item, k), k < n);
	}
	return SCHED_DONE;
}

#endif

#ifdef LOAD_PROGRAM
#define SCHED_NAME       gstree
#define SCHED_CTX        gstree_ctx
#define SCHED_BODY       gstree_body
#define SCHED_MIN_BLOCKS 8
#include <libsched/generate.h>
#endif
