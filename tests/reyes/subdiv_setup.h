/* Set-up of the suite of subdivision: meshes with tags, comparison with refined meshes. */
#ifndef TESTS_REYES_SUBDIV_SETUP_H
#define TESTS_REYES_SUBDIV_SETUP_H

#include "tests/reyes/brute_subdivision.h"
#include "tests/reyes/lower_setup.h"

#define LEVELS     5
#define MOST_INTS  4096
#define MOST_POINT 1024

/* A mesh with its tags, in the order of reyes_i_shape. */
typedef struct mesh_case {
	int faces, vertices, corners, sizes[512], numbers[2048];
	float p[3 * MOST_POINT];
	int tags, tag_counts[16], tag_ints[64], tag_int_count, tag_float_count;
	float tag_floats[16];
	char *names[8];
	int32_t ints[MOST_INTS];
} mesh_case;

static inline void add_tag(
	mesh_case *c, const char *name, const int *ints, int n, const float *floats, int m)
{
	c->names[c->tags] = (char *)name;
	c->tag_counts[2 * c->tags] = n;
	c->tag_counts[2 * c->tags++ + 1] = m;
	if (n)
		memcpy(c->tag_ints + c->tag_int_count, ints, (size_t)n * sizeof(*ints));
	c->tag_int_count += n;
	if (m)
		memcpy(c->tag_floats + c->tag_float_count, floats, (size_t)m * sizeof(*floats));
	c->tag_float_count += m;
}

static inline void add_face(mesh_case *c, int n, const int *v)
{
	c->sizes[c->faces++] = n;
	memcpy(c->numbers + c->corners, v, (size_t)n * sizeof(*v));
	c->corners += n;
}

static inline size_t append(int32_t *to, size_t at, const int *from, int n)
{
	int i;

	for (i = 0; i < n; i++)
		to[at++] = from[i];
	return at;
}

static inline void case_shape(mesh_case *c, test_shape *t)
{
	size_t n = append(c->ints, 0, c->sizes, c->faces);

	n = append(c->ints, n, c->numbers, c->corners);
	n = append(c->ints, n, c->tag_counts, 2 * c->tags);
	n = append(c->ints, n, c->tag_ints, c->tag_int_count);
	shape_init(t, REYES_I_SHAPE_SUBDIVISION, "SubdivisionMesh");
	shape_ints(t, c->ints, n);
	t->s.counts[0] = (size_t)c->faces;
	t->s.counts[1] = (size_t)c->corners;
	t->s.counts[2] = (size_t)c->tags;
	t->s.counts[3] = (size_t)c->tag_int_count;
	t->s.counts[4] = (size_t)c->tag_float_count;
	t->s.floats = c->tag_floats;
	t->s.float_count = (size_t)c->tag_float_count;
	t->s.tags = c->names;
	t->s.tag_count = (uint32_t)c->tags;
	shape_points(t, c->p, (size_t)c->vertices);
}

static inline void add_cube(mesh_case *c)
{
	static const int v[6][4] = { { 0, 1, 3, 2 }, { 2, 3, 5, 4 }, { 4, 5, 7, 6 }, { 6, 7, 1, 0 },
		{ 1, 7, 5, 3 }, { 6, 0, 2, 4 } };
	static const float p[24] = { -1, -1, 1, 1, -1, 1, -1, 1, 1, 1, 1, 1, -1, 1, -1, 1, 1, -1,
		-1, -1, -1, 1, -1, -1 };
	int f;

	for (f = 0; f < 6; f++)
		add_face(c, 4, v[f]);
	memcpy(c->p, p, sizeof(p));
	c->vertices = 8;
}

/* A net of n x n quadrilaterals at random heights. */
static inline void add_net(mesh_case *c, int n)
{
	int i, j;

	for (j = 0; j <= n; j++)
		for (i = 0; i <= n; i++) {
			float *p = c->p + 3 * c->vertices++;

			p[0] = (float)i;
			p[1] = (float)j;
			p[2] = (float)random_unit();
		}
	for (j = 0; j < n; j++)
		for (i = 0; i < n; i++) {
			int a = j * (n + 1) + i;

			add_face(c, 4, (const int[4]){ a, a + 1, a + n + 2, a + n + 1 });
		}
}

/* A pyramid over a polygon: triangles and a face of n vertices. */
static inline void add_pyramid(mesh_case *c, int n)
{
	int base[MOST_SIDES], i;

	for (i = 0; i < n; i++) {
		double a = 6.283185307179586 * i / n;
		float *p = c->p + 3 * i;

		p[0] = (float)cos(a);
		p[1] = (float)sin(a);
		base[n - 1 - i] = i;
	}
	c->p[3 * n + 2] = 1.5f;
	c->vertices = n + 1;
	for (i = 0; i < n; i++)
		add_face(c, 3, (const int[3]){ i, (i + 1) % n, n });
	add_face(c, n, base);
}

/* Returns the distance of p from the plane at a corner of a refined face. */
static inline double height(const brute_mesh *m, const brute_face *q, int corner, const double p[3])
{
	const double *a = m->v[q->v[corner]].p, *b = m->v[q->v[(corner + 1) % 4]].p;
	const double *d = m->v[q->v[(corner + 3) % 4]].p;
	double n[3], sum = 0, length = 0;
	int k;

	for (k = 0; k < 3; k++) {
		int x = (k + 1) % 3, y = (k + 2) % 3;

		n[k] = (b[x] - a[x]) * (d[y] - a[y]) - (b[y] - a[y]) * (d[x] - a[x]);
		sum += n[k] * (p[k] - a[k]);
		length += n[k] * n[k];
	}
	return fabs(sum) / sqrt(length);
}

/* Compares the primitives of the drawn faces with the mesh refined by some levels. Limits:
 * tolerance, of the distance; off, of the distance from the surface (0: none). */
static inline void compare_case(mesh_case *c, brute_mesh *m, const uint8_t *hidden,
	double tolerance, double off, int levels)
{
	int f, i, k, prim_of[1024], prims = 0, root = 0, of_ngon[1024];
	double worst = 0;
	test_shape t;
	lowered r;

	case_shape(c, &t);
	lowered_init(&r);
	lower(&r, &t);
	CHECK(r.status == REYES_OK && !r.errors, "%s", r.text);
	for (f = 0; f < c->faces; f++)
		for (k = 0; k < (c->sizes[f] == 4 ? 1 : c->sizes[f]); k++, root++) {
			prim_of[root] = hidden && hidden[f] ? -1 : prims++;
			of_ngon[root] = c->sizes[f] != 4;
		}
	CHECK((size_t)prims == r.f.prims.count, "%d primitives, not %zu", prims, r.f.prims.count);
	for (i = 0; i < levels; i++)
		brute_refine(m);
	brute_limit(m);
	for (f = 0; f < m->face_count; f++) {
		const brute_face *q = &m->f[f];
		double side = 1 << (levels - of_ngon[q->root]);

		if (prim_of[q->root] < 0)
			continue;
		for (k = 0; k < 4; k++) {
			double u = (q->i + (k == 1 || k == 2)) / side, v = (q->j + (k >= 2)) / side;
			double p[3], d;

			eval_prim(&r.f, &r.f.prims.list[prim_of[q->root]], 0, u, v, p);
			d = distance(p, m->v[q->v[k]].p);
			worst = d > worst ? d : worst;
			CHECK(d <= tolerance, "root %d at %g %g: distance %g", q->root, u, v, d);
			CHECK(off == 0 || height(m, q, k, p) <= off, "root %d at %g %g: height %g",
				q->root, u, v, height(m, q, k, p));
		}
	}
	CHECK(worst > 0 || tolerance == 0, "nothing is compared");
	lowered_free(&r);
}

static inline void compare(mesh_case *c, const uint8_t *hidden, double tolerance,
	void (*sharpen)(brute_mesh *m, const mesh_case *c))
{
	brute_mesh m;

	brute_init(&m, c->p, c->vertices, c->sizes, c->faces, c->numbers);
	if (sharpen)
		sharpen(&m, c);
	compare_case(c, &m, hidden, tolerance, 0, LEVELS);
	brute_free(&m);
}

/* Applies the tags crease and corner, one sharpness each. */
static inline void sharpen(brute_mesh *m, const mesh_case *c)
{
	const int *v = c->tag_ints;
	const float *s = c->tag_floats;
	int t, k;

	for (t = 0; t < c->tags; t++) {
		int n = c->tag_counts[2 * t];

		if (strcmp(c->names[t], "crease") == 0)
			for (k = 0; k + 1 < n; k++)
				m->e[brute_edge_of(m, v[k], v[k + 1])].sharp = *s;
		if (strcmp(c->names[t], "corner") == 0)
			for (k = 0; k < n; k++)
				m->v[v[k]].sharp = *s;
		v += n;
		s += c->tag_counts[2 * t + 1];
	}
}

/* Makes vertices with one face sharp, as interpolateboundary does. */
static inline void sharpen_corners(brute_mesh *m, const mesh_case *c)
{
	int f, k, v, count;

	sharpen(m, c);
	for (v = 0; v < m->vertex_count; v++) {
		for (f = 0, count = 0; f < m->face_count; f++)
			for (k = 0; k < m->f[f].n; k++)
				count += m->f[f].v[k] == v;
		if (count == 1)
			m->v[v].sharp = INFINITE;
	}
}

#endif
