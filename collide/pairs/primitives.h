/* The primitives of a triangle mesh, vertices, edges and faces, and their boxes in a time step. */
#ifndef COLLIDE_PAIRS_PRIMITIVES_H
#define COLLIDE_PAIRS_PRIMITIVES_H

#include "collide/pairs/pairs.h"

enum { COL_PRIM_VERTEX, COL_PRIM_EDGE, COL_PRIM_FACE, COL_PRIMS };

/* The primitives of both trees of a kind of pairs. */
extern const int collide_i_prims_of[COL_KINDS][2];

/* What host code with long loops polls once in COL_POLL_EVERY steps: nonzero ends it early. */
typedef struct col_poll {
	int (*ended)(void *of); /* NULL: never */
	void *of;
} col_poll;

enum { COL_POLL_EVERY = 1 << 15 };

static inline int col_poll_ended(const col_poll *p)
{
	return p->ended && p->ended(p->of);
}

/* One kind of primitives. */
typedef struct col_prims {
	uint32_t count, corners; /* 1, 2 or 3 vertices each */
	uint32_t *vertex;        /* [count][corners] */
} col_prims;

/* Makes the primitives of `faces` triangles. Edges are sorted by their larger, then their smaller
 * vertex; faces keep their order. Vertices without a face take part. Returns 0, or -1 without
 * memory or ended by the poll. collide_i_prims_free() in both cases. */
int collide_i_prims_make(col_prims p[COL_PRIMS], uint32_t vertices, uint32_t faces,
	const uint32_t *index, const col_poll *poll);
void collide_i_prims_free(col_prims p[COL_PRIMS]);

/* The box of a primitive over a time step: col_swept_box(). */
void collide_i_prims_box(
	const col_prims *p, uint32_t i, const double *start, const double *end, col_box *out);
#endif
