/* The workload `bvh` on the host: its options, boxes and truth; and memory of the tree, for other
 * workloads, too. */
#ifndef WORKLOADS_BVH_HOST_H
#define WORKLOADS_BVH_HOST_H

#include "collide/bvh/bvh.h"
#include "collide/bvh/programs.h"
#include "workloads/bvh/obb.h"
#include "workloads/common/workload.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of the choices of --shape. */
enum { BVH_CLOTH, BVH_SPHERE, BVH_TORI, BVH_RANDOM, BVH_SAME };
/* Of --boxes. */
enum { BVH_BOXES_AABB, BVH_BOXES_OBB };

typedef struct bvh_options {
	const char *input;
	uint64_t n;
	uint32_t leaf, seed;
	int shape, phase, boxes;
} bvh_options;

/* What a tree is like. */
typedef struct bvh_facts {
	uint32_t inner, leaves, depth;
	double cost; /* sum of areas (x primitives of leaves), in areas of the root */
} bvh_facts;

/* What oriented boxes are like, beside the axis-aligned ones of the same nodes and leaves. */
typedef struct obb_facts {
	double cost;     /* as bvh_facts, in areas of the axis-aligned root */
	double area;     /* sum of areas of nodes, by that of axis-aligned boxes */
	double leaves;   /* the same of leaves */
	double oriented; /* share of those that are not axis-aligned */
} obb_facts;

typedef struct bvh_host {
	bvh_options o;
	bvh_ctx ctx;
	obb_ctx obb; /* --boxes obb: arrays, in memory of the tasks; tree: copy of ctx */
	obb_triangle *triangle[2], *d_triangle[2]; /* as box, d_box */
	obb_box *obb_truth[2]; /* by one thread of the host, at both positions */
	obb_facts obb_facts;
	bvh_box *box[2];   /* of the triangles, at both positions of --phase refit */
	bvh_box *d_box[2]; /* the same in memory of the tasks */
	uint32_t now;      /* which of them the last execution had */
	bvh_ctx truth;     /* by one thread of the host, from box[0] */
	double sweep_cost; /* of a tree by all planes; 0: not known */
	bvh_facts facts;
} bvh_host;

/* Allocates the arrays of *c for a tree of c->n boxes in memory of the tasks. Returns 0, or -1 with
 * msg; collide_i_bvh_free in both cases. */
int bvh_reserve(wl_device *d, bvh_ctx *c, char *msg, size_t n);

/* Reads or makes the triangles, and their boxes. Returns 0, or -1 with msg. */
int bvh_load_boxes(wl_device *d, bvh_host *h, char *msg, size_t n);

/* The triangles of a mesh, whose boxes bvh_triangle_boxes has found to be finite. */
void obb_triangles(obb_triangle *t, const double *xyz, const uint32_t *index, uint32_t triangles,
	double scale);

/* The boxes of triangles: coordinates are rounded to floats. Returns 0, or -1 with msg that names
 * what is not finite then. */
int bvh_triangle_boxes(bvh_box *box, const double *xyz, const uint32_t *index, uint32_t triangles,
	double scale, char *msg, size_t n);

/* Makes the tree by one thread, in memory of the host. */
void bvh_serial_build(const bvh_ctx *c);
/* Makes the tree of h->truth from its boxes, which may have changed. Returns 0, or -1 with msg. */
int bvh_build_truth(wl_device *d, bvh_ctx *truth, char *msg, size_t n);
/* The cost of a tree that is split at the best of all planes, without bins: from floats, with
 * sorted orders. Negative without memory; 0: not known, since it would take too long, or there is
 * no area. */
double bvh_sweep_cost(const bvh_box *box, uint32_t n, uint32_t leaf_most);

/* Half of the area of a box, in double. */
static inline double bvh_half_area(const bvh_box *b)
{
	const double x = (double)b->hi[0] - (double)b->lo[0],
		     y = (double)b->hi[1] - (double)b->lo[1];
	const double z = (double)b->hi[2] - (double)b->lo[2];

	return x * y + y * z + z * x;
}

/* Compares a tree in memory of the host with its boxes, and sets what it is like. Returns 0, or -1
 * with why. */
int bvh_check_tree(const bvh_ctx *c, const bvh_box *box, bvh_facts *f, char *why, size_t n);
/* Compares the nodes of a tree with those of the truth. */
int bvh_check_same(const bvh_ctx *c, const bvh_ctx *truth, char *why, size_t n);

/* Allocates the arrays of *c for c->tree in memory of the tasks. Returns 0, or -1 with msg. */
int obb_reserve(wl_device *d, obb_ctx *c, char *msg, size_t n);
/* Fits the boxes of c->tree, which has its axis-aligned ones, by one thread. Needs neither c->list
 * nor c->counts. */
void obb_serial_fit(const obb_ctx *c);
/* Makes h->obb_truth from h->truth, whose boxes at the second position are not needed. Returns 0,
 * or -1 with msg. */
int obb_make_truth(wl_device *d, bvh_host *h, char *msg, size_t n);

/* Compares boxes in memory of the host with the triangles: they contain each corner and are tight,
 * their axes are unit vectors at right angles, and their areas those that another method finds.
 * c->tree, c->triangle and c->box are used. Sets what they are like. Returns 0, or -1 with why. */
int obb_check_boxes(const obb_ctx *c, obb_facts *f, char *why, size_t n);
/* Compares boxes with those of the truth. */
int obb_check_same(const obb_ctx *c, const obb_box *truth, char *why, size_t n);

WL_PROGRAM(bvh_obb);

/* By one CPU thread; as wl_work.plain. */
int bvh_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

/* By kernels, a launch for each level; as wl_work.plain. */
int bvh_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

#ifdef __cplusplus
}
#endif
#endif
