/* SubdivisionMesh: each quadrilateral, and each quarter of another face, becomes a quadtree of
 * bicubic patches. A face without a patch of its own is refined with the faces around it. */
#include <stdlib.h>
#include <string.h>
#include "reyes/geom/bezier_rows.h"
#include "reyes/geom/subdiv_corners.h"
#include "reyes/geom/subdiv_local.h"

/* Levels of refinement: until a smooth bicubic approximation, until the bilinear one, in all (a
 * finite sharpness is below 10). The first is about 1e-5 of the face from the limit surface. */
#define SMOOTH_LEVELS 6
#define SHARP_LEVELS  8
#define LEVELS        10

typedef struct builder {
	reyes_i_lowering *l;
	reyes_i_mesh mesh;
	reyes_i_numbering numbering;
	reyes_i_local level[LEVELS + 2]; /* the last is the whole of a face that is no quad */
	/* The current quadtree. */
	uint32_t *nodes;
	double *leaves; /* [leaf][16][channels] */
	size_t node_count, node_room, leaf_count, leaf_room;
	double *fitted;
	uint32_t one_leaf; /* the word of a quadtree of one leaf */
	size_t face, root;
	int spread; /* variables have four values for each root */
} builder;

static int grow(builder *b, void *list, size_t *room, size_t n, size_t element_bytes)
{
	void *old, *grown;

	if (n <= *room)
		return 1;
	memcpy(&old, list, sizeof(old));
	n = 2 * n + 64;
	grown = realloc(old, n * element_bytes);
	if (!grown) {
		b->l->no_memory = 1;
		return 0;
	}
	memcpy(list, &grown, sizeof(grown));
	*room = n;
	return 1;
}

/* Returns the place of the next leaf; NULL: no memory. */
static double *next_leaf(builder *b)
{
	size_t leaf = (size_t)16 * b->l->channels;

	if (!grow(b, &b->leaves, &b->leaf_room, b->leaf_count + 1, leaf * sizeof(double)))
		return NULL;
	return b->leaves + b->leaf_count * leaf;
}

/* Builds the quadtree's node over the central face of a level. The recursion is LEVELS deep at
 * most. */
static int build(builder *b, uint32_t node, uint32_t depth)
{
	static const uint8_t corner[4] = { 0, 1, 3, 2 };
	reyes_i_local *a = &b->level[depth];
	uint32_t channels = b->l->channels, most = SHARP_LEVELS, i, child;
	double *leaf = next_leaf(b);

	if (!leaf)
		return 0;
	reyes_i_local_survey(a, channels);
	for (i = 0; i < 4; i++)
		if (a->survey[i].semi_sharp)
			most = LEVELS;
	if (reyes_i_local_patch(a, channels, leaf)) {
		b->nodes[node] = REYES_I_LEAF | (uint32_t)b->leaf_count++;
		return 1;
	}
	if (depth >= SMOOTH_LEVELS && reyes_i_local_approximate(a, channels, b->fitted, leaf)) {
		b->nodes[node] = REYES_I_LEAF | (uint32_t)b->leaf_count++;
		return 1;
	}
	if (depth >= most) {
		reyes_i_local_limit(a, channels, leaf);
		b->nodes[node] = REYES_I_LEAF | (uint32_t)b->leaf_count++;
		return 1;
	}
	if (!grow(b, &b->nodes, &b->node_room, b->node_count + 4, sizeof(*b->nodes)))
		return 0;
	child = (uint32_t)b->node_count;
	b->nodes[node] = child;
	b->node_count += 4;
	reyes_i_local_refine(a, channels);
	for (i = 0; i < 4; i++) {
		if (!reyes_i_local_child(a, corner[i], corner[i], channels, &b->level[depth + 1])) {
			b->l->no_memory = 1;
			return 0;
		}
		if (!build(b, child + i, depth + 1))
			return 0;
	}
	return 1;
}

/* Writes the values of all channels at a point of the quadtree. */
static void tree_value(const builder *b, double u, double v, double *out)
{
	uint32_t node = b->nodes[0];

	while (!(node & REYES_I_LEAF)) {
		uint32_t x = u >= 0.5, y = v >= 0.5;

		u = 2 * u - x;
		v = 2 * v - y;
		node = b->nodes[node + x + 2 * y];
	}
	reyes_i_bezier_value(b->leaves + (size_t)16 * b->l->channels * (node & ~REYES_I_LEAF), 4, 4,
		b->l->channels, u, v, out);
}

/* Returns the Bezier values of the vertex variables. Those of a tree of several leaves are
 * interpolated at points that a neighbour interpolates as well. */
static const double *vertex_values(const builder *b)
{
	static const double at[4] = { 0, 0.25, 0.75, 1 };
	const reyes_i_lowering *l = b->l;
	size_t i;

	if (b->leaf_count == 1 || l->channels == l->key_count * 3)
		return b->leaves;
	for (i = 0; i < 16; i++)
		tree_value(b, at[i % 4], at[i / 4], b->fitted + i * l->channels);
	reyes_i_fit_bicubic(b->fitted, l->channels);
	return b->fitted;
}

/* Adds the nodes to the frame; trees of one leaf share their word. */
static int emit_nodes(builder *b, reyes_i_prim *p)
{
	uint32_t *words, first;

	if (b->leaf_count == 1 && b->one_leaf != REYES_I_NONE) {
		p->data_words = b->one_leaf;
		return 1;
	}
	words = reyes_i_add(b->l->f, words, b->node_count, &first);
	if (!words)
		return 0;
	memcpy(words, b->nodes, b->node_count * sizeof(*words));
	p->data_words = first;
	if (b->leaf_count == 1)
		b->one_leaf = first;
	return 1;
}

/* Appends the quadtree as a primitive. */
static int emit_tree(builder *b)
{
	static const uint8_t corner[4] = { 0, 1, 3, 2 };
	reyes_i_lowering *l = b->l;
	const reyes_i_mesh *m = &b->mesh;
	reyes_i_corners c;
	reyes_i_prim *p;
	float *out;
	size_t leaf, i, k, d;

	p = reyes_i_emit(l, REYES_I_SUBDIVISION, (uint32_t)(48 * b->leaf_count), &out);
	if (!p || !emit_nodes(b, p))
		return 0;
	for (k = 0; k < l->key_count; k++)
		for (leaf = 0; leaf < b->leaf_count; leaf++)
			for (i = 0; i < 16; i++)
				for (d = 0; d < 3; d++)
					*out++ = (float)b->leaves[(16 * leaf + i) * l->channels +
								  3 * k + d];
	if (!reyes_i_settle(l))
		return 0;
	memset(&c, 0, sizeof(c));
	c.uniform = b->face;
	for (k = 0; k < 4; k++) {
		size_t at = m->first[b->face] + corner[k];

		c.face[k] = b->spread ? 4 * b->root + k : at;
		if (!b->spread)
			c.varying[k] = (size_t)m->numbers[at];
	}
	return reyes_i_emit_vars(l, &c, vertex_values(b));
}

/* Writes the B-spline patch of a face whose vertices are all regular, as Bezier points. */
static void regular_patch(const builder *b, size_t face, double *grid)
{
	static const uint8_t inner[4] = { 5, 6, 10, 9 };
	static const uint8_t outer[4][2] = { { 1, 2 }, { 7, 11 }, { 14, 13 }, { 8, 4 } };
	static const uint8_t diagonal[4] = { 0, 3, 15, 12 };
	const reyes_i_mesh *m = &b->mesh;
	size_t ch = b->l->channels, i, k, vertex[16];

	for (i = 0; i < 4; i++) {
		size_t c = m->first[face] + i;
		const uint32_t *pair = m->edge_corner[m->edge_of[c]];
		/* The corners of the face beyond the side, from the side's second vertex on; then
		 * those of the face beyond the edge that leads away from the first one. */
		size_t other = pair[pair[0] == c], next = reyes_i_next_corner(m, other);
		size_t third = reyes_i_next_corner(m, next);

		vertex[inner[i]] = (size_t)m->numbers[c];
		vertex[outer[i][0]] = (size_t)m->numbers[third];
		vertex[outer[i][1]] = (size_t)m->numbers[reyes_i_next_corner(m, third)];
		pair = m->edge_corner[m->edge_of[next]];
		other = pair[pair[0] == next];
		for (k = 0; k < 3; k++)
			other = reyes_i_next_corner(m, other);
		vertex[diagonal[i]] = (size_t)m->numbers[other];
	}
	for (i = 0; i < 16; i++)
		memcpy(grid + i * ch, m->net + vertex[i] * ch, ch * sizeof(*grid));
	reyes_i_b_spline_to_bezier(grid, (uint32_t)ch);
}

static int is_regular(const reyes_i_mesh *m, size_t face)
{
	size_t c;

	if (m->sizes[face] != 4)
		return 0;
	for (c = m->first[face]; c < m->first[face + 1]; c++)
		if (!(m->vertex_flags[m->numbers[c]] & REYES_I_VERTEX_REGULAR))
			return 0;
	return 1;
}

static int start_tree(builder *b)
{
	b->leaf_count = 0;
	b->node_count = 1;
	return grow(b, &b->nodes, &b->node_room, 1, sizeof(*b->nodes));
}

/* Appends the primitives of a face. */
static int emit_face(builder *b)
{
	const reyes_i_mesh *m = &b->mesh;
	uint32_t n = (uint32_t)m->sizes[b->face], i, channels = b->l->channels;
	reyes_i_local *whole = &b->level[n == 4 ? 0 : LEVELS + 1];

	if (is_regular(m, b->face)) {
		double *leaf;

		if (!start_tree(b) || !(leaf = next_leaf(b)))
			return 0;
		regular_patch(b, b->face, leaf);
		b->nodes[0] = REYES_I_LEAF | (uint32_t)b->leaf_count++;
		return emit_tree(b);
	}
	if (!reyes_i_local_of_face(m, b->face, &b->numbering, whole)) {
		b->l->no_memory = 1;
		return 0;
	}
	if (n == 4)
		return start_tree(b) && build(b, 0, 0) && emit_tree(b);
	reyes_i_local_survey(whole, channels);
	reyes_i_local_refine(whole, channels);
	for (i = 0; i < n; i++, b->root++) {
		if (!reyes_i_local_child(whole, i, 0, channels, &b->level[0])) {
			b->l->no_memory = 1;
			return 0;
		}
		if (!start_tree(b) || !build(b, 0, 0) || !emit_tree(b))
			return 0;
	}
	b->root--;
	return 1;
}

static int make_numbering(builder *b)
{
	const reyes_i_mesh *m = &b->mesh;
	reyes_i_numbering *n = &b->numbering;

	n->face = reyes_i_scratch(b->l, m->face_count, sizeof(uint32_t));
	n->faces = reyes_i_scratch(b->l, m->face_count, sizeof(uint32_t));
	n->vertex = reyes_i_scratch(b->l, m->vertex_count, sizeof(uint32_t));
	n->vertices = reyes_i_scratch(b->l, m->vertex_count, sizeof(uint32_t));
	n->edge = reyes_i_scratch(b->l, m->edge_count, sizeof(uint32_t));
	n->edges = reyes_i_scratch(b->l, m->edge_count, sizeof(uint32_t));
	b->fitted = reyes_i_scratch(b->l, 16, b->l->channels * sizeof(double));
	if (b->l->no_memory)
		return 0;
	memset(n->face, 0xff, m->face_count * sizeof(uint32_t));
	memset(n->vertex, 0xff, m->vertex_count * sizeof(uint32_t));
	memset(n->edge, 0xff, m->edge_count * sizeof(uint32_t));
	return 1;
}

/* Appends all faces that are drawn. */
static int emit_faces(builder *b)
{
	const reyes_i_mesh *m = &b->mesh;

	for (b->face = 0; b->face < m->face_count; b->face++, b->root++) {
		if (m->face_flags[b->face] & REYES_I_FACE_HOLE) {
			/* emit_tree counts the quarters of a face in the same way. */
			if (m->sizes[b->face] != 4)
				b->root += (size_t)m->sizes[b->face] - 1;
			continue;
		}
		if (!emit_face(b))
			return 0;
	}
	return 1;
}

int reyes_i_lower_subdivision(reyes_i_lowering *l)
{
	builder *b = reyes_i_scratch(l, 1, sizeof(*b));
	reyes_i_needs needs;
	int done, i;

	if (!b || !reyes_i_mesh_check(l, &b->mesh))
		return 0;
	b->l = l;
	b->one_leaf = REYES_I_NONE;
	needs = (reyes_i_needs){ { 1, b->mesh.face_count, b->mesh.vertex_count,
		b->mesh.vertex_count, b->mesh.corner_count, b->mesh.corner_count } };
	if (!reyes_i_read_vars(l, &needs))
		return 0;
	b->mesh.net = reyes_i_make_net(l, b->mesh.vertex_count, 0);
	if (!b->mesh.net || !reyes_i_mesh_build(&b->mesh))
		return 0;
	if (l->s->loop_scheme == REYES_I_SCHEME_BILINEAR)
		return reyes_i_emit_bilinear_mesh(&b->mesh);
	if (!reyes_i_spread_corners(&b->mesh, 0, &b->spread))
		return 0;
	if (l->s->loop_scheme == REYES_I_SCHEME_LOOP)
		reyes_i_defect(l, REYES_LEVEL_WARN,
			"the scheme \"loop\" is replaced by \"catmull-clark\"");
	done = make_numbering(b) && emit_faces(b);
	for (i = 0; i < LEVELS + 2; i++)
		reyes_i_local_free(&b->level[i]);
	free(b->nodes);
	free(b->leaves);
	return done;
}
