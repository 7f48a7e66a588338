/* The workload `lod` on the host: its options, mesh, octree and truth. */
#ifndef WORKLOADS_LOD_HOST_H
#define WORKLOADS_LOD_HOST_H

#include "workloads/common/workload.h"
#include "workloads/lod/lod.h"
#include "workloads/mesh/mesh.h"
#include "workloads/octree/octree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of the choices of --scene. */
enum { LOD_SPHERE, LOD_FIELD };

typedef struct lod_options {
	const char *input, *direction;
	uint64_t n, front;
	uint32_t seed, level;
	int scene;
	double distance, pixels;
} lod_options;

/* A set of vertices or triangles: how many, and the sum of their hashes. */
typedef struct lod_sums {
	uint64_t count, sum;
} lod_sums;

enum { LOD_VERTEX_SET, LOD_TRIANGLE_SET, LOD_SETS };

typedef struct lod_host {
	lod_options o;
	wl_mesh mesh;
	/* the vertices along a space-filling curve */
	uint64_t *code;          /* [place], on the grid, ascending */
	uint32_t *at;            /* [place]: number of the vertex */
	double middle[3], scale; /* of the mesh; from its coordinates to those of the grid */
	/* the octree */
	lod_node *node;
	uint32_t *parent; /* of each cell; of the root: itself */
	lod_way *way;
	lod_vertex *vertex;
	lod_triangle *triangle;
	uint32_t cells, nodes, triangles; /* cells: nodes that are no others' `more` */
	uint64_t ways;                    /* units */
	lod_ctx ctx;
	lod_sums truth[LOD_SETS];
	uint64_t *name;            /* of each cell: its hash */
	uint64_t expanded;         /* cells */
	uint64_t needed[LOD_SETS]; /* elements of the last execution */
} lod_host;

/* The lower corner of the cell of that level around a place on the grid; of a leaf: the place. */
static inline uint64_t lod_corner(uint64_t code, uint32_t level)
{
	code &= ~oct_below(level < LOD_LEVELS ? level : (uint32_t)LOD_LEVELS);
	return oct_gather(code >> 2) | (uint64_t)oct_gather(code >> 1) << 21 |
	       (uint64_t)oct_gather(code) << 42;
}

/* Sorts the vertices of the mesh and makes the octree, in memory of the work. Returns 0, or -1 with
 * msg. */
int lod_make_tree(wl_device *d, lod_host *h, char *msg, size_t n);

/* Makes the truth from the sorted vertices, without the octree. Returns 0, or -1 with msg. */
int lod_make_truth(wl_device *d, lod_host *h, char *msg, size_t n);

/* Reads how many elements the streams need, and enlarges those that were too small. Returns 1 if
 * so, 0, or -1 with msg. As wl_work.again. */
int lod_again(wl_work *w, wl_device *d, char *msg, size_t n);

/* Compares the result of an execution. As wl_work.check. */
int lod_check(wl_work *w, wl_device *d, char *why, size_t n);

WL_PROGRAM(lod);

/* By one CPU thread: a recursion. As wl_work.plain. */
int lod_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

/* By kernels: two for each level, and scans. As wl_work.plain. */
int lod_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

/* By a CUDA graph that repeats a kernel while there are nodes. As wl_work.plain. */
int lod_graph_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

#ifdef __cplusplus
}
#endif
#endif
