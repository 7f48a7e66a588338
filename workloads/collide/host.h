/* The workload `collide` on the host: its options, meshes, trees and memory. */
#ifndef WORKLOADS_COLLIDE_HOST_H
#define WORKLOADS_COLLIDE_HOST_H

#include "collide/pairs/contacts.h"
#include "collide/pairs/primitives.h"
#include "collide/pairs/programs.h"
#include "workloads/common/workload.h"
#include "workloads/mesh/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In the order of the choices of --pairs; the first three are kinds of pairs. */
enum { COL_ALL = COL_KINDS };
/* Of --phase and --scene. */
enum { COL_PHASE_PAIRS, COL_PHASE_CONTACTS };
enum { COL_SCENE_CLOTH, COL_SCENE_TORI, COL_SCENE_SPHERE, COL_SCENE_RANDOM };

typedef struct col_options {
	const char *input; /* one file, or two of the same triangles, separated by a comma */
	uint64_t n;
	uint32_t seed;
	int scene, pairs, phase;
	uint64_t front;
	double tolerance;
} col_options;

/* A tree on the host, and its copies in the memory of the tasks. */
typedef struct col_host_tree {
	col_box *box; /* [primitive] */
	col_node *node;
	col_leaf *leaf;
	void *d_node, *d_leaf_node, *d_corners, *d_vertex;
} col_host_tree;

typedef struct collide {
	col_options o;
	wl_mesh start, end;
	col_prims prims[COL_PRIMS];
	col_host_tree tree[COL_PRIMS];
	col_ctx ctx;       /* of the pairs' program */
	cont_ctx contacts; /* of the contacts' program */
	uint64_t touching; /* contacts of its last execution */
	void *d_start, *d_end, *d_front;
	uint32_t roots;
	int kinds, kind[COL_KINDS]; /* to be found */
	uint64_t found[COL_KINDS];  /* pairs, by the last execution */
	/* Sums over the pairs by an independent method: number, and sum of hashes. */
	int known[COL_KINDS];
	uint64_t known_count[COL_KINDS], known_sum[COL_KINDS];
	uint32_t *first_time; /* contacts of the first execution, or NULL */
} collide;

/* Load or make the two positions of the mesh. Return 0, or -1 with msg. */
int col_load(collide *c, char *msg, size_t n);

/* Trees of the primitives that are needed, in the memory of the tasks. */
int col_make_trees(wl_device *d, collide *c, char *msg, size_t n);
void col_free_trees(wl_device *d, collide *c);

/* Make the roots: about `most` pairs of nodes, and at least the pairs of the trees' roots, in the
 * memory of the tasks. The trees must have been made. */
int col_make_front(wl_device *d, collide *c, uint64_t most, char *msg, size_t n);

/* Empties the outputs. */
int col_clear(wl_device *d, collide *c, char *msg, size_t n);

/* Reads how many elements a stream needs, and enlarges it if it was too small. Returns 1 if so, 0,
 * or -1 with msg. */
int col_enlarge(wl_device *d, lsched_stream *s, uint64_t *needed, char *msg, size_t n);

/* The same for all outputs, to c->found. */
int col_grow(wl_device *d, collide *c, char *msg, size_t n);

/* Finds the pairs outside of a measurement. */
int col_find(wl_device *d, collide *c, char *msg, size_t n);

/* Compare the results of an execution. */
int col_check_pairs(wl_work *w, wl_device *d, char *why, size_t n);
int col_check_contacts(wl_work *w, wl_device *d, char *why, size_t n);

/* The same walk without libsched, by one CPU thread. As wl_work.plain. */
int col_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

/* By a kernel: a thread for each leaf of one tree walks the other. As wl_work.plain. */
int col_plain_cuda(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n);

#ifdef __cplusplus
}
#endif
#endif
