/* A face of a subdivision mesh with the faces around its vertices, and its refinement by the
 * Catmull-Clark rules: only the face's own corners have all their edges and faces here. */
#ifndef REYES_GEOM_SUBDIV_LOCAL_H
#define REYES_GEOM_SUBDIV_LOCAL_H

#include "reyes/geom/subdiv_mesh.h"

enum reyes_i_rule { REYES_I_SMOOTH, REYES_I_CREASE, REYES_I_CORNER };

/* The surroundings of a corner of the central face. */
typedef struct reyes_i_survey {
	uint32_t edges, faces;
	uint32_t sharp, child_sharp;     /* edges that are sharp now and after one refinement */
	uint32_t ends[2], child_ends[2]; /* the other vertices of two of them */
	double fading;                   /* sum of the sharpnesses that end with this level */
	uint32_t fading_count;
	uint8_t semi_sharp, other_faces; /* a finite sharpness; faces with another size than 4 */
	uint8_t rule, child_rule;        /* enum reyes_i_rule */
} reyes_i_survey;

/* All lists are indexed by local numbers; face 0 is the central one. Corner c of a face begins
 * edge corner_edge[c]. */
typedef struct reyes_i_local {
	uint32_t face_count, corner_count, vertex_count, edge_count;
	uint32_t *face_first; /* and the number of corners */
	uint32_t *corner_vertex, *corner_edge;
	uint32_t (*edge_vertex)[2], (*edge_face)[2]; /* faces: NONE if there is none */
	double *edge_sharp, *vertex_sharp;
	uint32_t *center; /* [vertex]: its corner of the central face; NONE */
	double *values;   /* [vertex][channels] */
	/* Of the corners of the central face. */
	reyes_i_survey *survey;
	double *edge_sum, *face_sum; /* [corner][channels] */
	/* After reyes_i_local_refine: the values of the next level. */
	double *vertex_point, *edge_point, *face_point; /* of central corners, edges, faces */
	/* Numbers in the child: of vertex points, edge points, face points, half edges, edges
	 * inside of a face; NONE. */
	uint32_t *map_vertex, *map_edge, *map_face, *map_half, *map_inner;
	void *block; /* all lists */
	size_t rooms[3];
} reyes_i_local;

/* Makes room for lists of the given lengths and sets the counts. Returns 0: no memory. */
int reyes_i_local_reserve(reyes_i_local *a, uint32_t faces, uint32_t corners, uint32_t vertices,
	uint32_t edges, uint32_t channels);
void reyes_i_local_free(reyes_i_local *a);

/* Numbers of faces, vertices, edges of the mesh in the local lists; all NONE between calls. */
typedef struct reyes_i_numbering {
	uint32_t *face, *vertex, *edge;
	uint32_t *faces, *vertices, *edges; /* the numbered ones */
} reyes_i_numbering;

/* Copies the surroundings of a face of the mesh. Returns 0: no memory. */
int reyes_i_local_of_face(
	const reyes_i_mesh *m, size_t face, reyes_i_numbering *numbers, reyes_i_local *a);

/* Counts edges, faces and sharpness at the corners of the central face. */
void reyes_i_local_survey(reyes_i_local *a, uint32_t channels);
/* Computes the vertex, edge and face points that the children need; after the survey. */
void reyes_i_local_refine(reyes_i_local *a, uint32_t channels);
/* Makes the surroundings of the child at a corner of the central face. Its vertex number `place`
 * (0..3) is the corner's vertex point. Returns 0: no memory. */
int reyes_i_local_child(
	reyes_i_local *a, uint32_t corner, uint32_t place, uint32_t channels, reyes_i_local *child);

/* Writes the 16 Bezier points of the central face if its limit surface is one bicubic patch;
 * returns 0 if it is not. */
int reyes_i_local_patch(const reyes_i_local *a, uint32_t channels, double *bezier);
/* Writes a bicubic patch that has the limit positions of the corners and meets its neighbours, if
 * all is smooth; returns 0 if it is not. grid: room for 16 points. */
int reyes_i_local_approximate(
	const reyes_i_local *a, uint32_t channels, double *grid, double *bezier);
/* Writes the limit positions of the corners as a bilinear patch in Bezier form. */
void reyes_i_local_limit(const reyes_i_local *a, uint32_t channels, double *bezier);
/* Converts a uniform bicubic B-spline patch to Bezier form; 16 points, u first; in place. */
void reyes_i_b_spline_to_bezier(double *points, uint32_t channels);

#endif
