/* The surroundings of a face: memory, copy from the mesh, child of a refined one. */
#include <stdlib.h>
#include <string.h>
#include "reyes/geom/subdiv_local.h"

#define NONE REYES_I_NONE

void reyes_i_local_free(reyes_i_local *a)
{
	free(a->block);
	memset(a, 0, sizeof(*a));
}

/* Returns the next `bytes` of the block. */
static void *take(unsigned char *block, size_t *at, size_t bytes)
{
	void *list = block ? block + *at : NULL;

	*at += (bytes + 15) / 16 * 16;
	return list;
}

/* Divides the block among the lists; with a NULL block the result is its size. */
static size_t divide(reyes_i_local *a, unsigned char *block, size_t corners, size_t vertices,
	size_t edges, size_t channels)
{
	/* Faces and central corners: at most as many as corners. */
	const size_t value = channels * sizeof(double), word = sizeof(uint32_t);
	size_t at = 0;

	a->face_first = take(block, &at, (corners + 1) * word);
	a->corner_vertex = take(block, &at, corners * word);
	a->corner_edge = take(block, &at, corners * word);
	a->edge_vertex = take(block, &at, edges * 2 * word);
	a->edge_face = take(block, &at, edges * 2 * word);
	a->edge_sharp = take(block, &at, edges * sizeof(double));
	a->vertex_sharp = take(block, &at, vertices * sizeof(double));
	a->center = take(block, &at, vertices * word);
	a->values = take(block, &at, vertices * value);
	a->survey = take(block, &at, corners * sizeof(*a->survey));
	a->edge_sum = take(block, &at, corners * value);
	a->face_sum = take(block, &at, corners * value);
	a->vertex_point = take(block, &at, corners * value);
	a->edge_point = take(block, &at, edges * value);
	a->face_point = take(block, &at, corners * value);
	a->map_vertex = take(block, &at, corners * word);
	a->map_edge = take(block, &at, edges * word);
	a->map_face = take(block, &at, corners * word);
	a->map_half = take(block, &at, edges * 2 * word);
	a->map_inner = take(block, &at, corners * word);
	return at;
}

int reyes_i_local_reserve(reyes_i_local *a, uint32_t faces, uint32_t corners, uint32_t vertices,
	uint32_t edges, uint32_t channels)
{
	if (corners > a->rooms[0] || vertices > a->rooms[1] || edges > a->rooms[2]) {
		size_t c = 2 * (size_t)corners + 64, v = 2 * (size_t)vertices + 64;
		size_t e = 2 * (size_t)edges + 64, bytes;

		free(a->block);
		memset(a, 0, sizeof(*a));
		bytes = divide(a, NULL, c, v, e, channels);
		a->block = calloc(1, bytes);
		if (!a->block)
			return 0;
		divide(a, a->block, c, v, e, channels);
		a->rooms[0] = c;
		a->rooms[1] = v;
		a->rooms[2] = e;
	}
	a->face_count = faces;
	a->corner_count = corners;
	a->vertex_count = vertices;
	a->edge_count = edges;
	return 1;
}

static uint32_t number(uint32_t *numbers, uint32_t *list, size_t global, uint32_t *count)
{
	if (numbers[global] == NONE) {
		numbers[global] = *count;
		list[(*count)++] = (uint32_t)global;
	}
	return numbers[global];
}

/* Numbers the faces around the vertices of a face, and what belongs to them. */
static void number_surroundings(const reyes_i_mesh *m, size_t face, reyes_i_numbering *n,
	uint32_t *faces, uint32_t *corners, uint32_t *vertices, uint32_t *edges)
{
	size_t c, i;
	uint32_t f;

	*faces = *corners = *vertices = *edges = 0;
	number(n->face, n->faces, face, faces);
	for (c = m->first[face]; c < m->first[face + 1]; c++) {
		size_t v = (size_t)m->numbers[c];

		for (i = m->ring_first[v]; i < m->ring_first[v + 1]; i++)
			number(n->face, n->faces, m->face_of[m->ring[i]], faces);
	}
	for (f = 0; f < *faces; f++) {
		size_t global = n->faces[f];

		for (c = m->first[global]; c < m->first[global + 1]; c++) {
			number(n->vertex, n->vertices, (size_t)m->numbers[c], vertices);
			number(n->edge, n->edges, m->edge_of[c], edges);
		}
		*corners += (uint32_t)m->sizes[global];
	}
}

int reyes_i_local_of_face(
	const reyes_i_mesh *m, size_t face, reyes_i_numbering *n, reyes_i_local *a)
{
	uint32_t channels = m->l->channels, faces, corners, vertices, edges, i, k, at = 0;
	size_t c;
	int done;

	number_surroundings(m, face, n, &faces, &corners, &vertices, &edges);
	done = reyes_i_local_reserve(a, faces, corners, vertices, edges, channels);
	for (i = 0; i < faces && done; i++) {
		size_t global = n->faces[i];

		a->face_first[i] = at;
		for (c = m->first[global]; c < m->first[global + 1]; c++, at++) {
			a->corner_vertex[at] = n->vertex[m->numbers[c]];
			a->corner_edge[at] = n->edge[m->edge_of[c]];
		}
	}
	if (done)
		a->face_first[faces] = at;
	for (i = 0; i < vertices && done; i++) {
		a->vertex_sharp[i] = m->vertex_sharp[n->vertices[i]];
		a->center[i] = i < (uint32_t)m->sizes[face] ? i : NONE;
		memcpy(a->values + (size_t)i * channels, m->net + (size_t)n->vertices[i] * channels,
			channels * sizeof(double));
	}
	for (i = 0; i < edges && done; i++) {
		a->edge_sharp[i] = m->edge_sharp[n->edges[i]];
		for (k = 0; k < 2; k++) {
			uint32_t corner = m->edge_corner[n->edges[i]][k];

			a->edge_vertex[i][k] = n->vertex[m->edge_vertex[n->edges[i]][k]];
			a->edge_face[i][k] = corner == NONE ? NONE : n->face[m->face_of[corner]];
		}
	}
	for (i = 0; i < faces; i++)
		n->face[n->faces[i]] = NONE;
	for (i = 0; i < vertices; i++)
		n->vertex[n->vertices[i]] = NONE;
	for (i = 0; i < edges; i++)
		n->edge[n->edges[i]] = NONE;
	return done;
}

/* A child that is being made. */
typedef struct birth {
	reyes_i_local *a, *child;
	uint32_t channels;
} birth;

static uint32_t add_vertex(birth *b, uint32_t *map, const double *values, double sharp)
{
	reyes_i_local *c = b->child;

	if (*map == NONE) {
		*map = c->vertex_count++;
		memcpy(c->values + (size_t)*map * b->channels, values,
			b->channels * sizeof(*values));
		c->vertex_sharp[*map] = sharp;
		c->center[*map] = NONE;
	}
	return *map;
}

static uint32_t add_edge(birth *b, uint32_t *map, uint32_t v0, uint32_t v1, double sharp)
{
	reyes_i_local *c = b->child;
	uint32_t e = *map;

	if (e == NONE) {
		e = *map = c->edge_count++;
		c->edge_vertex[e][0] = v0;
		c->edge_vertex[e][1] = v1;
		c->edge_face[e][0] = c->face_count;
		c->edge_face[e][1] = NONE;
		c->edge_sharp[e] = sharp;
	} else if (c->edge_face[e][1] == NONE) {
		c->edge_face[e][1] = c->face_count;
	}
	return e;
}

static double after_level(double sharp)
{
	if (sharp >= REYES_I_EXTREME)
		return sharp;
	return sharp > 1 ? sharp - 1 : 0;
}

/* Adds the quarter of a face at one of its corners, which is a corner of the central face. Its
 * vertex number `place` is the vertex point. */
static void add_quarter(birth *b, uint32_t face, uint32_t corner, uint32_t place)
{
	reyes_i_local *a = b->a, *c = b->child;
	uint32_t first = a->face_first[face], last = a->face_first[face + 1] - 1;
	uint32_t before = corner == first ? last : corner - 1, k;
	uint32_t v = a->corner_vertex[corner], e = a->corner_edge[corner];
	uint32_t d = a->corner_edge[before], middle = a->center[v], n[4], s[4];
	size_t ch = b->channels;

	n[0] = add_vertex(b, &a->map_vertex[middle], a->vertex_point + middle * ch,
		after_level(a->vertex_sharp[v]));
	n[1] = add_vertex(b, &a->map_edge[e], a->edge_point + e * ch, 0);
	n[2] = add_vertex(b, &a->map_face[face], a->face_point + face * ch, 0);
	n[3] = add_vertex(b, &a->map_edge[d], a->edge_point + d * ch, 0);
	s[0] = add_edge(b, &a->map_half[2 * e + (a->edge_vertex[e][1] == v)], n[0], n[1],
		after_level(a->edge_sharp[e]));
	s[1] = add_edge(b, &a->map_inner[corner], n[1], n[2], 0);
	s[2] = add_edge(b, &a->map_inner[before], n[2], n[3], 0);
	s[3] = add_edge(b, &a->map_half[2 * d + (a->edge_vertex[d][1] == v)], n[3], n[0],
		after_level(a->edge_sharp[d]));
	c->face_first[c->face_count++] = c->corner_count;
	for (k = 0; k < 4; k++) {
		c->corner_vertex[c->corner_count + (k + place) % 4] = n[k];
		c->corner_edge[c->corner_count + (k + place) % 4] = s[k];
	}
	c->corner_count += 4;
}

/* Adds the quarters at a corner of the central face of all other faces. */
static void add_ring(birth *b, uint32_t vertex)
{
	const reyes_i_local *a = b->a;
	uint32_t f, c;

	for (f = 1; f < a->face_count; f++)
		for (c = a->face_first[f]; c < a->face_first[f + 1]; c++)
			if (a->corner_vertex[c] == vertex)
				add_quarter(b, f, c, 0);
}

/* Adds the quarter at a vertex of the face beyond an edge of the central face. */
static void add_beyond(birth *b, uint32_t edge, uint32_t vertex)
{
	const reyes_i_local *a = b->a;
	uint32_t f = a->edge_face[edge][0] == 0 ? a->edge_face[edge][1] : a->edge_face[edge][0], c;

	if (f == NONE || f == 0)
		return;
	for (c = a->face_first[f]; c < a->face_first[f + 1]; c++)
		if (a->corner_vertex[c] == vertex)
			add_quarter(b, f, c, 0);
}

int reyes_i_local_child(
	reyes_i_local *a, uint32_t corner, uint32_t place, uint32_t channels, reyes_i_local *child)
{
	birth b = { a, child, channels };
	uint32_t n = a->face_first[1], i, before = (corner + n - 1) % n;
	uint32_t faces = a->survey[corner].faces + n + 2;

	if (!reyes_i_local_reserve(child, faces, 4 * faces, 4 * faces, 4 * faces, channels))
		return 0;
	child->face_count = child->corner_count = child->vertex_count = child->edge_count = 0;
	memset(a->map_vertex, 0xff, n * sizeof(uint32_t));
	memset(a->map_edge, 0xff, a->edge_count * sizeof(uint32_t));
	memset(a->map_face, 0xff, a->face_count * sizeof(uint32_t));
	memset(a->map_half, 0xff, (size_t)2 * a->edge_count * sizeof(uint32_t));
	memset(a->map_inner, 0xff, a->corner_count * sizeof(uint32_t));
	add_quarter(&b, 0, corner, place);
	for (i = 0; i < 4; i++)
		child->center[child->corner_vertex[i]] = i;
	for (i = 0; i < n; i++)
		if (i != corner)
			add_quarter(&b, 0, i, 0);
	add_ring(&b, a->corner_vertex[corner]);
	add_beyond(&b, a->corner_edge[corner], a->corner_vertex[(corner + 1) % n]);
	add_beyond(&b, a->corner_edge[before], a->corner_vertex[before]);
	child->face_first[child->face_count] = child->corner_count;
	return 1;
}
