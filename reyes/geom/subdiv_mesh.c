/* Topology of a subdivision mesh: edges and the faces around vertices. */
#include <stdlib.h>
#include <string.h>
#include "reyes/geom/subdiv_mesh.h"

int reyes_i_mesh_check(reyes_i_lowering *l, reyes_i_mesh *m)
{
	const reyes_i_shape *s = l->s;
	size_t corners = 0, i;
	int32_t largest = -1;

	memset(m, 0, sizeof(*m));
	m->l = l;
	for (i = 0; i < 4; i++)
		if (s->counts[i] > s->int_count)
			break;
	if (i < 4 || s->counts[0] + s->counts[1] + 2 * s->counts[2] + s->counts[3] > s->int_count)
		return reyes_i_drop(
			l, "it has %zu integers, %zu faces need more", s->int_count, s->counts[0]);
	if (s->counts[4] > s->float_count || s->counts[2] > s->tag_count)
		return reyes_i_drop(l, "its tags have too few arguments");
	for (i = 0; i < s->counts[0]; i++) {
		if (s->ints[i] < 0)
			return reyes_i_drop(l, "face %zu has %d vertices", i, (int)s->ints[i]);
		corners += (size_t)s->ints[i];
	}
	if (corners != s->counts[1])
		return reyes_i_drop(l,
			"the faces have %zu vertices, but there are %zu vertex numbers", corners,
			s->counts[1]);
	for (i = 0; i < corners; i++) {
		int32_t v = s->ints[s->counts[0] + i];

		if (v < 0)
			return reyes_i_drop(l, "vertex number %zu is %d", i, (int)v);
		largest = v > largest ? v : largest;
	}
	if (corners >= UINT32_MAX)
		return reyes_i_drop(l, "it has too many vertex numbers: %zu", corners);
	m->face_count = s->counts[0];
	m->corner_count = corners;
	m->vertex_count = (size_t)largest + 1;
	m->sizes = s->ints;
	m->numbers = s->ints + s->counts[0];
	return reyes_i_has_points(l, m->vertex_count);
}

static int allocate(reyes_i_mesh *m)
{
	reyes_i_lowering *l = m->l;

	m->first = reyes_i_scratch(l, m->face_count + 1, sizeof(*m->first));
	m->face_of = reyes_i_scratch(l, m->corner_count, sizeof(*m->face_of));
	m->edge_of = reyes_i_scratch(l, m->corner_count, sizeof(*m->edge_of));
	m->edge_vertex = reyes_i_scratch(l, m->corner_count, sizeof(*m->edge_vertex));
	m->edge_corner = reyes_i_scratch(l, m->corner_count, sizeof(*m->edge_corner));
	m->edge_sharp = reyes_i_scratch(l, m->corner_count, sizeof(*m->edge_sharp));
	m->edge_flags = reyes_i_scratch(l, m->corner_count, 1);
	m->vertex_flags = reyes_i_scratch(l, m->vertex_count, 1);
	m->face_flags = reyes_i_scratch(l, m->face_count, 1);
	m->edge_first = reyes_i_scratch(l, m->vertex_count + 1, sizeof(*m->edge_first));
	m->vertex_sharp = reyes_i_scratch(l, m->vertex_count, sizeof(*m->vertex_sharp));
	m->ring_first = reyes_i_scratch(l, m->vertex_count + 1, sizeof(*m->ring_first));
	m->ring = reyes_i_scratch(l, m->corner_count, sizeof(*m->ring));
	return !l->no_memory;
}

static int compare_numbers(const void *left, const void *right)
{
	int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;

	return (a > b) - (a < b);
}

/* Decides if a face has fewer than three vertices or one of them twice. */
static int is_bad_face(const int32_t *v, size_t n)
{
	int32_t sorted[REYES_I_RING_MAX];
	size_t i, k;

	if (n < 3)
		return 1;
	if (n <= 8) {
		for (i = 1; i < n; i++)
			for (k = 0; k < i; k++)
				if (v[i] == v[k])
					return 1;
		return 0;
	}
	memcpy(sorted, v, n * sizeof(*v));
	qsort(sorted, n, sizeof(*sorted), compare_numbers);
	for (i = 1; i < n; i++)
		if (sorted[i] == sorted[i - 1])
			return 1;
	return 0;
}

static int number_faces(reyes_i_mesh *m)
{
	size_t f, c = 0, k;

	for (f = 0; f < m->face_count; f++) {
		size_t n = (size_t)m->sizes[f];

		if (n > REYES_I_RING_MAX)
			return reyes_i_drop(m->l,
				"face %zu has %zu vertices, at most %d are possible", f, n,
				REYES_I_RING_MAX);
		if (is_bad_face(m->numbers + c, n)) {
			m->face_flags[f] = REYES_I_FACE_BAD | REYES_I_FACE_HOLE;
			m->bad_faces++;
		}
		m->first[f] = c;
		for (k = 0; k < n; k++)
			m->face_of[c++] = (uint32_t)f;
	}
	m->first[f] = c;
	return 1;
}

/* Lists the corners at each vertex. */
static int make_rings(reyes_i_mesh *m)
{
	size_t c, v, sum = 0;

	for (c = 0; c < m->corner_count; c++)
		if (!(m->face_flags[m->face_of[c]] & REYES_I_FACE_BAD))
			m->ring_first[m->numbers[c]]++;
	for (v = 0; v <= m->vertex_count; v++) {
		size_t n = m->ring_first[v];

		if (n > REYES_I_RING_MAX)
			return reyes_i_drop(m->l,
				"vertex %zu has %zu faces, at most %d are possible", v, n,
				REYES_I_RING_MAX);
		m->ring_first[v] = sum;
		sum += n;
	}
	for (c = 0; c < m->corner_count; c++)
		if (!(m->face_flags[m->face_of[c]] & REYES_I_FACE_BAD))
			m->ring[m->ring_first[m->numbers[c]]++] = (uint32_t)c;
	for (v = m->vertex_count; v > 0; v--)
		m->ring_first[v] = m->ring_first[v - 1];
	m->ring_first[0] = 0;
	return 1;
}

static int compare_pairs(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

static void sort_pairs(uint64_t *list, size_t n)
{
	size_t i, k;

	if (n > 32) {
		qsort(list, n, sizeof(*list), compare_pairs);
		return;
	}
	for (i = 1; i < n; i++) {
		uint64_t x = list[i];

		for (k = i; k > 0 && list[k - 1] > x; k--)
			list[k] = list[k - 1];
		list[k] = x;
	}
}

/* Makes one edge of the corners in list, which have the same two vertices. */
static void add_edge(reyes_i_mesh *m, uint32_t low, const uint64_t *list, size_t n)
{
	uint32_t e = (uint32_t)m->edge_count++;
	size_t k;

	m->edge_vertex[e][0] = low;
	m->edge_vertex[e][1] = (uint32_t)(list[0] >> 32);
	m->edge_corner[e][1] = REYES_I_NONE;
	for (k = 0; k < n; k++) {
		uint32_t c = (uint32_t)list[k];

		if (k < 2)
			m->edge_corner[e][k] = c;
		m->edge_of[c] = e;
	}
	if (n == 1)
		m->edge_flags[e] = REYES_I_EDGE_BOUNDARY;
	else if (n > 2 || m->numbers[m->edge_corner[e][0]] == m->numbers[m->edge_corner[e][1]])
		m->edge_flags[e] = REYES_I_EDGE_BAD;
	if (m->edge_flags[e])
		m->edge_sharp[e] = REYES_I_EXTREME;
	m->bad_edges += (m->edge_flags[e] & REYES_I_EDGE_BAD) != 0;
}

/* Finds the edges: sorts the corners by the two vertices of their edges. */
static int make_edges(reyes_i_mesh *m)
{
	uint64_t *pairs = reyes_i_scratch(m->l, m->corner_count, sizeof(*pairs));
	size_t *at = reyes_i_scratch(m->l, m->vertex_count + 1, sizeof(*at));
	size_t c, v, sum = 0, i, k;

	if (!pairs || !at)
		return 0;
	for (c = 0; c < m->corner_count; c++) {
		int32_t a = m->numbers[c], b = m->numbers[reyes_i_next_corner(m, c)];

		if (!(m->face_flags[m->face_of[c]] & REYES_I_FACE_BAD))
			at[a < b ? a : b]++;
	}
	for (v = 0; v <= m->vertex_count; v++) {
		size_t n = at[v];

		at[v] = sum;
		sum += n;
	}
	for (c = 0; c < m->corner_count; c++) {
		int32_t a = m->numbers[c], b = m->numbers[reyes_i_next_corner(m, c)];

		if (!(m->face_flags[m->face_of[c]] & REYES_I_FACE_BAD))
			pairs[at[a < b ? a : b]++] = (uint64_t)(a < b ? b : a) << 32 | c;
	}
	for (v = 0, i = 0; v < m->vertex_count; v++) {
		m->edge_first[v] = m->edge_count;
		sort_pairs(pairs + i, at[v] - i);
		for (; i < at[v]; i = k) {
			for (k = i + 1; k < at[v] && pairs[k] >> 32 == pairs[i] >> 32; k++)
				;
			add_edge(m, (uint32_t)v, pairs + i, k - i);
		}
	}
	m->edge_first[v] = m->edge_count;
	return 1;
}

/* Marks vertices at boundaries, makes them sharp corners if they have one face, drops the faces at
 * a boundary that is not interpolated. */
static void apply_boundary(reyes_i_mesh *m, int boundary)
{
	size_t e, v, c;

	for (e = 0; e < m->edge_count; e++)
		if (m->edge_flags[e] & REYES_I_EDGE_BOUNDARY) {
			m->vertex_flags[m->edge_vertex[e][0]] |= REYES_I_VERTEX_BOUNDARY;
			m->vertex_flags[m->edge_vertex[e][1]] |= REYES_I_VERTEX_BOUNDARY;
		}
	if (!boundary)
		for (c = 0; c < m->corner_count; c++)
			if (m->vertex_flags[m->numbers[c]] & REYES_I_VERTEX_BOUNDARY)
				m->face_flags[m->face_of[c]] |= REYES_I_FACE_HOLE;
	if (boundary == 1)
		for (v = 0; v < m->vertex_count; v++)
			if ((m->vertex_flags[v] & REYES_I_VERTEX_BOUNDARY) &&
				m->ring_first[v + 1] - m->ring_first[v] == 1)
				m->vertex_sharp[v] = REYES_I_EXTREME;
}

/* Marks the vertices around which the surface is a bicubic B-spline. */
static void mark_regular(reyes_i_mesh *m)
{
	size_t v, i, e;

	for (v = 0; v < m->vertex_count; v++) {
		size_t a = m->ring_first[v], n = m->ring_first[v + 1] - a;
		int regular = n == 4 && m->vertex_sharp[v] <= 0;

		for (i = 0; i < n && regular; i++)
			regular = m->sizes[m->face_of[m->ring[a + i]]] == 4;
		if (regular)
			m->vertex_flags[v] |= REYES_I_VERTEX_REGULAR;
	}
	for (e = 0; e < m->edge_count; e++)
		if (m->edge_sharp[e] > 0)
			for (i = 0; i < 2; i++)
				m->vertex_flags[m->edge_vertex[e][i]] &=
					(uint8_t)~REYES_I_VERTEX_REGULAR;
}

int reyes_i_mesh_build(reyes_i_mesh *m)
{
	int boundary;

	if (!allocate(m) || !number_faces(m) || !make_rings(m) || !make_edges(m))
		return 0;
	if (m->bad_faces)
		reyes_i_defect(m->l, REYES_LEVEL_WARN,
			"%u faces have fewer than 3 vertices, one of them twice, or one that does "
			"not exist, and are not drawn",
			(unsigned)m->bad_faces);
	if (m->bad_edges)
		reyes_i_defect(m->l, REYES_LEVEL_WARN,
			"%u edges have more than two faces, or faces of different directions, and "
			"become creases",
			(unsigned)m->bad_edges);
	reyes_i_mesh_tags(m, &boundary);
	apply_boundary(m, boundary);
	mark_regular(m);
	return 1;
}
