/* Topology of a subdivision mesh: edges, faces around vertices, sharpness by the tags. A corner is
 * a place in the list of vertex numbers; corner c of a face begins the edge to the next corner. */
#ifndef REYES_GEOM_SUBDIV_MESH_H
#define REYES_GEOM_SUBDIV_MESH_H

#include "reyes/geom/lower.h"

#define REYES_I_RING_MAX 1000 /* largest number of faces of a vertex and of vertices of a face */

enum reyes_i_face_flag {
	REYES_I_FACE_BAD = 1, /* repeats a vertex, or has fewer than 3: not a part of the mesh */
	REYES_I_FACE_HOLE = 2 /* not drawn */
};
enum reyes_i_vertex_flag {
	REYES_I_VERTEX_REGULAR = 1, /* smooth, inside, four quadrilaterals */
	REYES_I_VERTEX_BOUNDARY = 2
};
enum reyes_i_edge_flag {
	REYES_I_EDGE_BOUNDARY = 1,
	REYES_I_EDGE_BAD = 2 /* more than two faces, or two that have the same direction */
};

typedef struct reyes_i_mesh {
	reyes_i_lowering *l;
	size_t face_count, corner_count, vertex_count, edge_count;
	const int32_t *sizes, *numbers; /* vertices of each face; vertex of each corner */
	size_t *first;                  /* first corner of each face, and their number */
	uint32_t *face_of;              /* [corner] */
	uint32_t *edge_of;              /* [corner] */
	uint32_t (*edge_vertex)[2];     /* ascending numbers; edges are sorted by them */
	uint32_t (*edge_corner)[2];     /* the corners that begin it in its faces; NONE */
	double *edge_sharp;
	uint8_t *edge_flags, *vertex_flags, *face_flags;
	size_t *edge_first; /* [vertex]: first edge with that lower vertex, and their number */
	double *vertex_sharp;
	size_t *ring_first; /* [vertex] in ring, and its length */
	uint32_t *ring;     /* corners at each vertex */
	const double *net;  /* [vertex][l->channels] */
	uint32_t bad_edges, bad_faces;
} reyes_i_mesh;

/* Checks the numbers of the shape and writes the sizes; returns 0 if the shape is dropped. */
int reyes_i_mesh_check(reyes_i_lowering *l, reyes_i_mesh *m);
/* Finds edges and rings, applies the tags. m->net is not used. */
int reyes_i_mesh_build(reyes_i_mesh *m);
/* Reads the tags into sharpness and flags; writes whether and how the boundary is interpolated: 0
 * not, 1 with sharp corners, 2 with smooth ones. */
void reyes_i_mesh_tags(reyes_i_mesh *m, int *boundary);

static inline size_t reyes_i_next_corner(const reyes_i_mesh *m, size_t corner)
{
	uint32_t face = m->face_of[corner];

	return corner + 1 < m->first[face + 1] ? corner + 1 : m->first[face];
}

#endif
