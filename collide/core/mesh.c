#include "collide/core/mesh.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "libsched/core/sized.h"

_Static_assert((int)COLLIDE_VERTEX == COL_PRIM_VERTEX && (int)COLLIDE_EDGE == COL_PRIM_EDGE &&
		       (int)COLLIDE_FACE == COL_PRIM_FACE,
	"one numbering");

static const collide_mesh_options default_options = { .struct_bytes =
							      sizeof(collide_mesh_options) };
static const collide_positions default_positions = { .struct_bytes = sizeof(collide_positions) };

void collide_mesh_options_init_sized(collide_mesh_options *o, size_t struct_bytes)
{
	if (o)
		lsched_i_sized_init(o, struct_bytes, sizeof(*o), &default_options);
}

void collide_positions_init_sized(collide_positions *p, size_t struct_bytes)
{
	if (p)
		lsched_i_sized_init(p, struct_bytes, sizeof(*p), &default_positions);
}

/* ---- topology ---- */

/* Checks `count` corners, the first of which is number `first` of the mesh. */
static collide_status check_corners(
	const uint32_t *corner, size_t first, size_t count, uint32_t vertices)
{
	for (size_t i = 0; i < count; i++)
		if (corner[i] >= vertices)
			return collide_i_fail(COLLIDE_ERR_VALUE,
				"corner %zu of triangle %zu is vertex %" PRIu32
				"; the mesh has %" PRIu32 " vertices",
				(first + i) % 3, (first + i) / 3, corner[i], vertices);
	return COLLIDE_OK;
}

/* Returns the caller's corners in host memory, to be freed, or NULL with *st. */
static uint32_t *load_index(collide_ctx *c, const collide_mesh_options *o, collide_status *st)
{
	const size_t all = (size_t)o->triangles * 3;
	uint32_t *index = malloc(all ? all * sizeof(*index) : 1);

	*st = COLLIDE_OK;
	if (!index) {
		*st = collide_i_no_memory("the corners of triangles", all * sizeof(*index));
		return NULL;
	}
	if (o->index_memory == COLLIDE_DEVICE) {
		*st = collide_i_wait(c);
		if (*st == COLLIDE_OK)
			*st = collide_i_read(c, index, o->index, all * sizeof(*index));
	}
	for (size_t at = 0, n; *st == COLLIDE_OK && at < all; at += n) {
		n = all - at < COL_POLL_EVERY ? all - at : COL_POLL_EVERY;
		*st = collide_i_check(c);
		if (o->index_memory != COLLIDE_DEVICE)
			memcpy(index + at, o->index + at, n * sizeof(*index));
		if (*st == COLLIDE_OK)
			*st = check_corners(index + at, at, n, o->vertices);
	}
	if (*st == COLLIDE_OK)
		return index;
	free(index);
	return NULL;
}

static collide_status make_primitives(collide_mesh *m, const collide_mesh_options *o)
{
	const col_poll poll = { collide_i_ended, m->ctx };
	collide_status st;
	uint32_t *index = load_index(m->ctx, o, &st);
	int bad;

	if (!index)
		return st;
	bad = collide_i_prims_make(m->prims, o->vertices, o->triangles, index, &poll);
	st = collide_i_check(m->ctx);
	if (bad && st == COLLIDE_OK)
		st = collide_i_no_memory("edges", (uint64_t)o->triangles * 6 * sizeof(uint32_t));
	free(index);
	if (st == COLLIDE_OK && m->prims[COL_PRIM_EDGE].count > COLLIDE_MAX_PRIMITIVES)
		st = collide_i_fail(COLLIDE_ERR_UNSUPPORTED,
			"the mesh has %" PRIu32 " edges, more than %" PRIu32,
			m->prims[COL_PRIM_EDGE].count, COLLIDE_MAX_PRIMITIVES);
	for (int k = 0; k < COL_PRIMS && st == COLLIDE_OK; k++) {
		const col_prims *p = &m->prims[k];
		const size_t bytes = (size_t)p->count * p->corners * sizeof(*p->vertex);

		st = collide_i_alloc(m->ctx, (void **)&m->d_vertex[k], bytes);
		if (st == COLLIDE_OK)
			st = collide_i_write(m->ctx, m->d_vertex[k], p->vertex, bytes);
	}
	for (int k = 0; k < COL_PRIMS; k++)
		if (k != COL_PRIM_EDGE) {
			free(m->prims[k].vertex);
			m->prims[k].vertex = NULL;
		}
	return st;
}

static collide_status check_options(const collide_mesh_options *o)
{
	if (o->triangles && !o->index)
		return collide_i_fail(COLLIDE_ERR_ARG, "collide_mesh_create: index is NULL");
	if (!collide_i_memory_is_valid(o->index_memory))
		return collide_i_fail(COLLIDE_ERR_ARG,
			"collide_mesh_create: index_memory %d is none of collide_memory",
			(int)o->index_memory);
	if (o->vertices > COLLIDE_MAX_PRIMITIVES || o->triangles > COLLIDE_MAX_PRIMITIVES)
		return collide_i_fail(COLLIDE_ERR_UNSUPPORTED,
			"collide_mesh_create: %" PRIu32 " vertices, %" PRIu32
			" triangles; at most %" PRIu32 " each",
			o->vertices, o->triangles, COLLIDE_MAX_PRIMITIVES);
	return COLLIDE_OK;
}

collide_status collide_mesh_create(
	collide_mesh **out, collide_ctx *ctx, const collide_mesh_options *o)
{
	collide_mesh_options known = default_options;
	collide_mesh *m;
	collide_status st;
	size_t bytes;

	if (out)
		*out = NULL;
	if (!out || !ctx || !o)
		return collide_i_fail(COLLIDE_ERR_ARG, "collide_mesh_create: an argument is NULL");
	st = collide_i_read_sized("collide_mesh_options", &known, sizeof(known),
		LSCHED_I_SIZE_TO(collide_mesh_options, index_memory), o);
	if (st == COLLIDE_OK)
		st = check_options(&known);
	if (st == COLLIDE_OK)
		st = collide_i_begin(ctx);
	if (st != COLLIDE_OK)
		return st;
	m = calloc(1, sizeof(*m));
	if (!m)
		return collide_i_no_memory("a mesh", sizeof(*m));
	m->ctx = ctx;
	bytes = (size_t)known.vertices * 3 * sizeof(double);
	st = make_primitives(m, &known);
	if (st == COLLIDE_OK)
		st = collide_i_alloc(ctx, (void **)&m->d_start, bytes);
	if (st == COLLIDE_OK)
		st = collide_i_alloc(ctx, (void **)&m->d_end, bytes);
	if (st != COLLIDE_OK)
		collide_mesh_destroy(&m);
	*out = m;
	return st;
}

void collide_mesh_destroy(collide_mesh **mesh)
{
	collide_mesh *m = mesh ? *mesh : NULL;

	if (!m)
		return;
	for (int k = 0; k < COL_PRIMS; k++) {
		collide_i_tree_free(m->ctx, &m->tree[k]);
		lsched_mem_free(m->ctx->sched, m->d_vertex[k]);
	}
	lsched_mem_free(m->ctx->sched, m->d_start);
	lsched_mem_free(m->ctx->sched, m->d_end);
	collide_i_prims_free(m->prims);
	free(m);
	*mesh = NULL;
}

uint32_t collide_mesh_count(const collide_mesh *mesh, collide_primitive p)
{
	return mesh && (unsigned)p < COL_PRIMS ? mesh->prims[p].count : 0;
}

const uint32_t *collide_mesh_edges(const collide_mesh *mesh)
{
	return mesh ? mesh->prims[COL_PRIM_EDGE].vertex : NULL;
}

/* ---- positions ---- */

static size_t number_bytes(const collide_positions *p)
{
	return p->number == COLLIDE_DOUBLE ? sizeof(double) : sizeof(float);
}

static collide_status check_positions(const collide_mesh *m, const collide_positions *p)
{
	const size_t number = number_bytes(p);

	if ((unsigned)p->number > COLLIDE_DOUBLE || !collide_i_memory_is_valid(p->memory) ||
		(unsigned)p->change > COLLIDE_REBUILD)
		return collide_i_fail(COLLIDE_ERR_ARG,
			"collide_mesh_update: number %d, memory %d or change %d is out of range",
			(int)p->number, (int)p->memory, (int)p->change);
	if (m->prims[COL_PRIM_VERTEX].count && !p->start)
		return collide_i_fail(COLLIDE_ERR_ARG, "collide_mesh_update: start is NULL");
	if (p->stride_bytes % number || (p->stride_bytes && p->stride_bytes < 3 * number) ||
		p->stride_bytes > 65536)
		return collide_i_fail(COLLIDE_ERR_ARG,
			"collide_mesh_update: stride_bytes is %zu; it must be 0 or a multiple of "
			"%zu, from %zu to 65536",
			p->stride_bytes, number, 3 * number);
	if ((uintptr_t)p->start % number || (uintptr_t)p->end % number)
		return collide_i_fail(COLLIDE_ERR_ARG,
			"collide_mesh_update: start or end is not aligned to %zu bytes", number);
	return COLLIDE_OK;
}

/* Copies the positions to the mesh, and finds their bounds. */
static collide_status load_positions(collide_mesh *m, const collide_positions *p)
{
	const uint32_t n = m->prims[COL_PRIM_VERTEX].count;
	const size_t stride = p->stride_bytes ? p->stride_bytes : 3 * number_bytes(p);
	const size_t bytes = n ? (n - 1) * stride + 3 * number_bytes(p) : 0;
	const size_t second = (bytes + 15) / 16 * 16;
	step_ctx k = { .job = STEP_POSITIONS,
		.n = n,
		.stride = stride,
		.is_double = p->number == COLLIDE_DOUBLE,
		.to = { m->d_start, m->d_end } };
	const void *from;
	uint32_t bad;
	collide_status st = COLLIDE_OK;

	if (p->memory == COLLIDE_HOST && m->ctx->is_cuda)
		st = collide_i_grow(m->ctx, &m->ctx->input, 2 * second);
	if (st == COLLIDE_OK && n) {
		st = collide_i_input(m->ctx, p->start, bytes, p->memory, 0, &from);
		k.from[0] = from;
	}
	if (st == COLLIDE_OK && n && p->end) {
		st = collide_i_input(m->ctx, p->end, bytes, p->memory, second, &from);
		k.from[1] = from;
	}
	if (st == COLLIDE_OK)
		st = collide_i_step(m->ctx, &k, &bad, &m->bounds);
	if (st == COLLIDE_OK && bad != COLLIDE_NONE)
		st = collide_i_fail(COLLIDE_ERR_VALUE,
			"collide_mesh_update: vertex %" PRIu32
			": a coordinate is not finite, or exceeds the largest float",
			bad);
	m->end = p->end ? m->d_end : m->d_start;
	return st;
}

collide_status collide_mesh_update(collide_mesh *mesh, const collide_positions *p)
{
	collide_positions known = default_positions;
	collide_status st;

	if (!mesh || !p)
		return collide_i_fail(COLLIDE_ERR_ARG, "collide_mesh_update: an argument is NULL");
	st = collide_i_read_sized("collide_positions", &known, sizeof(known),
		LSCHED_I_SIZE_TO(collide_positions, change), p);
	if (st == COLLIDE_OK)
		st = check_positions(mesh, &known);
	if (st != COLLIDE_OK)
		return st;
	mesh->version = 0;
	st = collide_i_begin(mesh->ctx);
	if (st == COLLIDE_OK)
		st = load_positions(mesh, &known);
	if (st != COLLIDE_OK)
		return st;
	mesh->version = ++mesh->updates;
	if (known.change == COLLIDE_REBUILD)
		mesh->rebuild = mesh->version;
	return COLLIDE_OK;
}

/* ---- trees ---- */

/* The boxes of the primitives, and the tree or its boxes. */
static collide_status fit(collide_mesh *m, int prim, int is_new)
{
	const col_prims *p = &m->prims[prim];
	collide_i_tree *t = &m->tree[prim];
	step_ctx k = { .job = STEP_BOXES,
		.n = p->count,
		.vertex = m->d_vertex[prim],
		.corners = p->corners,
		.start = m->d_start,
		.end = m->end,
		.box = t->box,
		.leaf = t->bvh.leaf,
		.leaf_node = t->leaf_node,
		.record = t->corners };
	collide_status st = collide_i_step(m->ctx, &k, NULL, NULL);

	if (st == COLLIDE_OK)
		st = is_new ? collide_i_tree_build(m->ctx, t, 1) : collide_i_tree_refit(m->ctx, t);
	k.job = STEP_LEAVES;
	if (st == COLLIDE_OK)
		st = collide_i_step(m->ctx, &k, NULL, NULL);
	return st;
}

/* The walk of a tree without primitives begins at a leaf that overlaps nothing. */
static collide_status make_empty(collide_mesh *m, collide_i_tree *t)
{
	col_node none = { .child = { COL_LEAF, COL_LEAF } };

	for (int k = 0; k < 2; k++)
		col_no_box(&none.box[k]);
	t->serial = ++m->ctx->serials;
	return collide_i_write(m->ctx, t->leaf_node, &none, sizeof(none));
}

collide_status collide_i_mesh_tree(collide_mesh *m, int prim)
{
	collide_i_tree *t = &m->tree[prim];
	collide_status st;
	int is_new;

	if (!m->version)
		return collide_i_fail(COLLIDE_ERR_STATE, "a mesh has no positions");
	if (t->serial && m->fitted[prim] == m->version)
		return COLLIDE_OK;
	st = collide_i_tree_reserve(m->ctx, t, m->prims[prim].count, 1);
	if (st != COLLIDE_OK)
		return st;
	is_new = !t->serial || m->built[prim] < m->rebuild;
	m->fitted[prim] = 0;
	if (m->prims[prim].count == 0)
		st = make_empty(m, t);
	else
		st = fit(m, prim, is_new);
	if (st != COLLIDE_OK) {
		t->serial = 0;
		return st;
	}
	m->fitted[prim] = m->version;
	if (is_new)
		m->built[prim] = m->version;
	return COLLIDE_OK;
}

collide_status collide_mesh_tree(collide_mesh *mesh, collide_primitive p, collide_tree *out)
{
	collide_status st;

	collide_i_tree_view_none(out);
	if (!mesh || !out)
		return collide_i_fail(COLLIDE_ERR_ARG, "collide_mesh_tree: an argument is NULL");
	if ((unsigned)p >= COL_PRIMS)
		return collide_i_fail(COLLIDE_ERR_ARG,
			"collide_mesh_tree: primitive %d is none of collide_primitive", (int)p);
	st = collide_i_begin(mesh->ctx);
	if (st == COLLIDE_OK)
		st = collide_i_mesh_tree(mesh, (int)p);
	return st == COLLIDE_OK ? collide_i_tree_view(mesh->ctx, &mesh->tree[p], out) : st;
}
