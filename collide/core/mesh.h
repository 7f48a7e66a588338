/* A mesh: its primitives and positions in the memory of the tasks, and a tree of each kind of
 * primitives, which is made when it is needed. */
#ifndef COLLIDE_CORE_MESH_H
#define COLLIDE_CORE_MESH_H

#include "collide/core/tree.h"
#include "collide/pairs/primitives.h"

struct collide_mesh {
	collide_ctx *ctx;
	col_prims prims[COL_PRIMS];    /* on the host only the edges have a list */
	uint32_t *d_vertex[COL_PRIMS]; /* the lists in the memory of the tasks */
	double *d_start, *d_end;       /* [vertex][3] */
	const double *end;             /* d_end, or d_start of a mesh at rest */
	uint64_t version;              /* of the positions; 0: none */
	uint64_t updates;              /* calls that set positions */
	uint64_t rebuild;              /* version from which trees are made anew */
	bvh_bounds bounds;
	collide_i_tree tree[COL_PRIMS];
	uint64_t built[COL_PRIMS], fitted[COL_PRIMS]; /* versions of the trees */
};

/* Makes a tree that fits the positions. STATE: there are none. */
collide_status collide_i_mesh_tree(collide_mesh *m, int prim);
#endif
