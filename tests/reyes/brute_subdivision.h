/* Catmull-Clark refinement of whole meshes, as the definition states it: the truth for the
 * conversion of subdivision meshes. */
#ifndef TESTS_REYES_BRUTE_SUBDIVISION_H
#define TESTS_REYES_BRUTE_SUBDIVISION_H

#include <stdlib.h>
#include <string.h>

#define MOST_SIDES 8
#define INFINITE   10.0

typedef struct brute_face {
	int n, v[MOST_SIDES], e[MOST_SIDES];
	int root, i, j; /* the primitive, place in it; root -1: none yet */
} brute_face;

typedef struct brute_edge {
	int v[2], f[2];
	double sharp;
} brute_edge;

typedef struct brute_vertex {
	double p[3], sharp;
} brute_vertex;

typedef struct brute_mesh {
	int vertex_count, edge_count, face_count;
	brute_vertex *v;
	brute_edge *e;
	brute_face *f;
} brute_mesh;

static inline size_t brute_room(int n)
{
	return n > 0 ? (size_t)n : 1;
}

static inline void brute_free(brute_mesh *m)
{
	free(m->v);
	free(m->e);
	free(m->f);
	memset(m, 0, sizeof(*m));
}

static inline int brute_edge_of(const brute_mesh *m, int a, int b)
{
	int e;

	for (e = 0; e < m->edge_count; e++)
		if ((m->e[e].v[0] == a && m->e[e].v[1] == b) ||
			(m->e[e].v[0] == b && m->e[e].v[1] == a))
			return e;
	return -1;
}

/* Makes the mesh without tags; boundary edges are infinitely sharp. */
static inline void brute_init(brute_mesh *m, const float *p, int vertex_count, const int *sizes,
	int face_count, const int *numbers)
{
	int f, k, c = 0, root = 0;

	memset(m, 0, sizeof(*m));
	m->vertex_count = vertex_count;
	m->face_count = face_count;
	for (f = 0; f < face_count; f++)
		c += sizes[f];
	m->v = calloc(brute_room(vertex_count), sizeof(*m->v));
	m->f = calloc(brute_room(face_count), sizeof(*m->f));
	m->e = calloc(brute_room(c), sizeof(*m->e));
	for (k = 0; k < 3 * vertex_count; k++)
		m->v[k / 3].p[k % 3] = p[k];
	for (f = 0, c = 0; f < face_count; c += sizes[f++]) {
		brute_face *a = &m->f[f];

		a->n = sizes[f];
		a->root = root;
		root += a->n == 4 ? 1 : a->n;
		for (k = 0; k < a->n; k++) {
			int from = numbers[c + k], to = numbers[c + (k + 1) % a->n];
			int e = brute_edge_of(m, from, to);

			if (e < 0) {
				e = m->edge_count++;
				m->e[e] = (brute_edge){ { from, to }, { f, -1 }, INFINITE };
			} else if (m->e[e].f[1] < 0) {
				m->e[e].f[1] = f;
				m->e[e].sharp = 0;
			} else {
				m->e[e].sharp = INFINITE;
			}
			a->v[k] = from;
			a->e[k] = e;
		}
	}
}

static inline double brute_less(double sharp)
{
	return sharp >= INFINITE ? sharp : sharp > 1 ? sharp - 1 : 0;
}

/* The sums around each vertex. */
typedef struct brute_ring {
	int edges, faces, sharp[2], fading;
	double e[3], f[3], ends[2][3], fading_sum; /* ends: sums for this level and the next */
} brute_ring;

static inline brute_ring *brute_rings(const brute_mesh *m, double (*centre)[3])
{
	brute_ring *r = calloc(brute_room(m->vertex_count), sizeof(*r));
	int i, k, c, level;

	for (i = 0; i < m->edge_count; i++)
		for (k = 0; k < 2; k++) {
			brute_ring *a = &r[m->e[i].v[k]];
			const double *q = m->v[m->e[i].v[1 - k]].p;
			double sharp[2] = { m->e[i].sharp, brute_less(m->e[i].sharp) };

			a->edges++;
			for (level = 0; level < 2; level++)
				a->sharp[level] += sharp[level] > 0;
			for (c = 0; c < 3; c++) {
				a->e[c] += q[c];
				for (level = 0; level < 2; level++)
					a->ends[level][c] += sharp[level] > 0 ? q[c] : 0;
			}
			if (sharp[0] > 0 && sharp[1] <= 0) {
				a->fading++;
				a->fading_sum += sharp[0];
			}
		}
	for (i = 0; i < m->face_count; i++)
		for (k = 0; k < m->f[i].n; k++) {
			brute_ring *a = &r[m->f[i].v[k]];

			a->faces++;
			for (c = 0; c < 3; c++)
				a->f[c] += centre[i][c];
		}
	return r;
}

static inline void brute_vertex_point(
	const brute_vertex *v, const brute_ring *r, int level, double sharp, double out[3])
{
	double n = r->edges;
	int c;

	for (c = 0; c < 3; c++) {
		if (sharp > 0 || r->sharp[level] > 2)
			out[c] = v->p[c];
		else if (r->sharp[level] == 2)
			out[c] = 0.75 * v->p[c] + 0.125 * r->ends[level][c];
		else /* (Q + 2 R + (n - 3) S) / n */
			out[c] =
				(r->f[c] / r->faces + (r->e[c] / n + v->p[c]) + (n - 3) * v->p[c]) /
				n;
	}
}

/* Writes the points of the refined vertices. */
static inline void brute_vertices(const brute_mesh *m, brute_mesh *to)
{
	double(*centre)[3] = calloc(brute_room(m->face_count), sizeof(*centre));
	brute_ring *r;
	int i, k, c;

	for (i = 0; i < m->face_count; i++) {
		for (k = 0; k < m->f[i].n; k++)
			for (c = 0; c < 3; c++)
				centre[i][c] += m->v[m->f[i].v[k]].p[c] / m->f[i].n;
		memcpy(to->v[m->vertex_count + m->edge_count + i].p, centre[i], sizeof(centre[i]));
	}
	r = brute_rings(m, centre);
	for (i = 0; i < m->vertex_count; i++) {
		double now[3], next[3], less = brute_less(m->v[i].sharp), sum, w = 0;
		int count;

		brute_vertex_point(&m->v[i], &r[i], 0, m->v[i].sharp, now);
		brute_vertex_point(&m->v[i], &r[i], 1, less, next);
		sum = r[i].fading_sum + (less <= 0 ? m->v[i].sharp : 0);
		count = r[i].fading + (m->v[i].sharp > 0 && less <= 0);
		w = count ? sum / count : 1;
		for (c = 0; c < 3; c++)
			to->v[i].p[c] = w * now[c] + (1 - w) * next[c];
		to->v[i].sharp = less;
	}
	for (i = 0; i < m->edge_count; i++) {
		const brute_edge *e = &m->e[i];

		for (c = 0; c < 3; c++) {
			double middle = (m->v[e->v[0]].p[c] + m->v[e->v[1]].p[c]) / 2,
			       smooth = middle;
			double w = e->sharp < 1 ? e->sharp : 1;

			if (e->f[1] >= 0)
				smooth = middle / 2 + (centre[e->f[0]][c] + centre[e->f[1]][c]) / 4;
			to->v[m->vertex_count + i].p[c] = w * middle + (1 - w) * smooth;
		}
	}
	free(r);
	free(centre);
}

/* Returns the number of the half of an edge at a vertex. */
static inline int brute_half(const brute_mesh *m, int edge, int vertex)
{
	return 2 * edge + (m->e[edge].v[1] == vertex);
}

static inline void brute_refine(brute_mesh *m)
{
	brute_mesh to = { 0 };
	int i, k, c, corners = 0, at = 0, face = 0;

	for (i = 0; i < m->face_count; i++)
		corners += m->f[i].n;
	to.vertex_count = m->vertex_count + m->edge_count + m->face_count;
	to.edge_count = 2 * m->edge_count + corners;
	to.face_count = corners;
	to.v = calloc(brute_room(to.vertex_count), sizeof(*to.v));
	to.e = calloc(brute_room(to.edge_count), sizeof(*to.e));
	to.f = calloc(brute_room(corners), sizeof(*to.f));
	brute_vertices(m, &to);
	for (i = 0; i < to.edge_count; i++)
		to.e[i].f[0] = to.e[i].f[1] = -1;
	for (i = 0; i < 2 * m->edge_count; i++) {
		to.e[i].v[0] = m->e[i / 2].v[i % 2];
		to.e[i].v[1] = m->vertex_count + i / 2;
		to.e[i].sharp = brute_less(m->e[i / 2].sharp);
	}
	for (i = 0; i < m->face_count; at += m->f[i++].n) {
		const brute_face *f = &m->f[i];

		for (k = 0; k < f->n; k++, face++) {
			brute_face *q = &to.f[face];
			int before = (k + f->n - 1) % f->n, place = f->n == 4 ? k : 0;
			int v[4] = { f->v[k], m->vertex_count + f->e[k],
				m->vertex_count + m->edge_count + i,
				m->vertex_count + f->e[before] };
			int e[4] = { brute_half(m, f->e[k], f->v[k]), 2 * m->edge_count + at + k,
				2 * m->edge_count + at + before,
				brute_half(m, f->e[before], f->v[k]) };

			q->n = 4;
			q->root = f->n == 4 ? f->root : f->root + k;
			q->i = f->n == 4 ? 2 * f->i + (k == 1 || k == 2) : 0;
			q->j = f->n == 4 ? 2 * f->j + (k >= 2) : 0;
			to.e[e[1]].v[0] = v[1];
			to.e[e[1]].v[1] = v[2];
			for (c = 0; c < 4; c++) {
				q->v[(c + place) % 4] = v[c];
				q->e[(c + place) % 4] = e[c];
				to.e[e[c]].f[to.e[e[c]].f[0] >= 0] = face;
			}
		}
	}
	brute_free(m);
	*m = to;
}

/* Replaces the vertices by their limit positions; all faces are quadrilaterals. */
static inline void brute_limit(brute_mesh *m)
{
	double(*centre)[3] = calloc(brute_room(m->face_count), sizeof(*centre));
	brute_ring *r;
	int i, k, c;

	for (i = 0; i < m->face_count; i++)
		for (k = 0; k < 4; k++)
			for (c = 0; c < 3; c++)
				centre[i][c] += m->v[m->f[i].v[k]].p[c];
	r = brute_rings(m, centre);
	for (i = 0; i < m->vertex_count; i++) {
		double n = r[i].edges, *p = m->v[i].p;

		for (c = 0; c < 3; c++) {
			/* The sum of all corners counts v n times and each neighbour twice. */
			double diagonal = r[i].f[c] - n * p[c] - 2 * r[i].e[c];

			if (m->v[i].sharp > 0 || r[i].sharp[0] > 2)
				continue;
			if (r[i].sharp[0] == 2)
				r[i].f[c] = (4 * p[c] + r[i].ends[0][c]) / 6;
			else
				r[i].f[c] =
					(n * n * p[c] + 4 * r[i].e[c] + diagonal) / (n * (n + 5));
		}
	}
	for (i = 0; i < m->vertex_count; i++)
		if (!(m->v[i].sharp > 0 || r[i].sharp[0] > 2))
			memcpy(m->v[i].p, r[i].f, sizeof(r[i].f));
	free(r);
	free(centre);
}

#endif
