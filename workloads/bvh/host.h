/* The workload `bvh` on the host: its options, boxes and truth; and memory of the tree, for other
 * workloads, too. */
#ifndef WORKLOADS_BVH_HOST_H
#define WORKLOADS_BVH_HOST_H

#include "collide/bvh/bvh.h"
#include "collide/bvh/programs.h"
#include "workloads/common/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of the choices of --shape. */
enum { BVH_CLOTH, BVH_SPHERE, BVH_TORI, BVH_RANDOM, BVH_SAME };

typedef struct bvh_options {
	const char *input;
	uint64_t n;
	uint32_t leaf, seed;
	int shape, phase;
} bvh_options;

/* What a tree is like. */
typedef struct bvh_facts {
	uint32_t inner, leaves, depth;
	double cost; /* sum of areas (x primitives of leaves), in areas of the root */
} bvh_facts;

typedef struct bvh_host {
	bvh_options o;
	bvh_ctx ctx;
	bvh_box *box[2];   /* of the triangles, at both positions of --phase refit */
	bvh_box *d_box[2]; /* the same in memory of the tasks */
	uint32_t now;      /* which of them the last execution had */
	bvh_ctx truth;     /* by one thread of the host, from box[0] */
	double sweep_cost; /* of a tree by all planes; 0: not known */
	bvh_facts facts;
} bvh_host;

/* Allocates the arrays of *c for a tree of c->n boxes in memory of the tasks. Returns 0, or -1 with
 * msg; bvh_release in both cases. */
int bvh_reserve(wl_device *d, bvh_ctx *c, char *msg, size_t n);
void bvh_release(wl_device *d, bvh_ctx *c);

/* Reads or makes the triangles, and their boxes. Returns 0, or -1 with msg. */
int bvh_load_boxes(bvh_host *h, char *msg, size_t n);

/* The boxes of triangles: coordinates are rounded to floats. Returns 0, or -1 with msg that names
 * what is not finite then. */
int bvh_triangle_boxes(bvh_box *box, const double *xyz, const uint32_t *index, uint32_t triangles,
	double scale, char *msg, size_t n);

/* Makes the tree by one thread, in memory of the host. */
void bvh_serial_build(const bvh_ctx *c);
/* The cost of a tree that is split at the best of all planes, without bins: from floats, with
 * sorted orders. Negative without memory; 0: not known, since it would take too long, or there is
 * no area. */
double bvh_sweep_cost(const bvh_box *box, uint32_t n, uint32_t leaf_most);

/* Compares a tree in memory of the host with its boxes, and sets what it is like. Returns 0, or -1
 * with why. */
int bvh_check_tree(const bvh_ctx *c, const bvh_box *box, bvh_facts *f, char *why, size_t n);
/* Compares the nodes of a tree with those of the truth. */
int bvh_check_same(const bvh_ctx *c, const bvh_ctx *truth, char *why, size_t n);

/* By one CPU thread; as wl_work.plain. */
int bvh_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

#ifdef HAVE_CUDA
/* By kernels, a launch for each level; as wl_work.plain. */
int bvh_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);
#endif

#ifdef __cplusplus
}
#endif
#endif
