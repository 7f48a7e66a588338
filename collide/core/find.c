/* Pairs of primitives. */
#include "collide/core/mesh.h"
#include "collide/core/sort.h"
#include "collide/pairs/front.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include "libsched/core/sized.h"

_Static_assert((int)COLLIDE_FACE_FACE == COL_FACES && (int)COLLIDE_VERTEX_FACE == COL_VERTEX_FACE &&
		       (int)COLLIDE_EDGE_EDGE == COL_EDGES,
	"one numbering");

enum { GPU_FRONT = 1 << 17, MOST_FRONT = 1 << 22, FIRST_ROOM = 1 << 16 };

static const collide_find_options default_options = { .struct_bytes =
							      sizeof(collide_find_options) };

void collide_find_options_init_sized(collide_find_options *o, size_t struct_bytes)
{
	if (o)
		lsched_i_sized_init(o, struct_bytes, sizeof(*o), &default_options);
}

/* A request: two meshes and what is paired. */
typedef struct query {
	collide_ctx *ctx;
	collide_mesh *mesh[2];
	int kind, prim[2];
	collide_find_options o;
} query;

static collide_status check(const char *name, query *q, const collide_find_options *o)
{
	collide_status st = COLLIDE_OK;

	if (!q->ctx || !q->mesh[0] || !q->mesh[1])
		return collide_i_fail(COLLIDE_ERR_ARG, "%s: an argument is NULL", name);
	if ((unsigned)q->kind >= COL_KINDS)
		return collide_i_fail(
			COLLIDE_ERR_ARG, "%s: kind %d is none of collide_kind", name, q->kind);
	if (q->mesh[0]->ctx != q->ctx || q->mesh[1]->ctx != q->ctx)
		return collide_i_fail(
			COLLIDE_ERR_ARG, "%s: a mesh belongs to another context", name);
	q->o = default_options;
	if (o)
		st = collide_i_read_sized("collide_find_options", &q->o, sizeof(q->o),
			LSCHED_I_SIZE_TO(collide_find_options, front), o);
	if (st != COLLIDE_OK)
		return st;
	if (!collide_i_memory_is_valid(q->o.memory) || (unsigned)q->o.order > COLLIDE_SORTED ||
		q->o.front > MOST_FRONT)
		return collide_i_fail(COLLIDE_ERR_ARG,
			"%s: memory %d, order %d or front %" PRIu32 " is out of range", name,
			(int)q->o.memory, (int)q->o.order, q->o.front);
	if (!(q->o.margin >= 0 && q->o.margin <= (double)FLT_MAX))
		return collide_i_fail(COLLIDE_ERR_ARG,
			"%s: margin %g is no length from 0 to the largest float", name,
			q->o.margin);
	for (int k = 0; k < 2; k++)
		q->prim[k] = collide_i_prims_of[q->kind][k];
	return COLLIDE_OK;
}

/* ---- the front ---- */

/* Copies the inner nodes of a tree to the host. Returns them, to be freed, or NULL with *st. */
static col_node *read_nodes(collide_ctx *c, const collide_i_tree *t, collide_status *st)
{
	const size_t bytes = t->bvh.n * sizeof(col_node);
	col_node *node = malloc(bytes ? bytes : 1);

	*st = node ? collide_i_read(c, node, t->bvh.node, bytes)
		   : collide_i_no_memory("the nodes of a tree", bytes);
	if (*st == COLLIDE_OK)
		return node;
	free(node);
	return NULL;
}

/* Makes the front f->items of at most f->most pairs from the given pair of roots. */
static collide_status make_front(query *q, collide_i_front *f, col_item root)
{
	const collide_i_tree *t[2] = { &q->mesh[0]->tree[q->prim[0]],
		&q->mesh[1]->tree[q->prim[1]] };
	col_front_trees trees = { .self = (uint32_t)(t[0] == t[1]) << q->kind,
		.poll = { collide_i_ended, q->ctx } };
	col_node *a, *b = NULL;
	col_item *front = NULL;
	collide_status st;
	uint64_t count = 1;

	a = read_nodes(q->ctx, t[0], &st);
	if (a && t[0] != t[1])
		b = read_nodes(q->ctx, t[1], &st);
	if (st == COLLIDE_OK) {
		trees.node[q->kind][0] = a;
		trees.node[q->kind][1] = b ? b : a;
		front = collide_i_front_make(&trees, &root, &count, f->most);
		st = collide_i_check(q->ctx);
		if (!front && st == COLLIDE_OK)
			st = collide_i_no_memory(
				"a cut through both trees", f->most * sizeof(*front));
	}
	if (st == COLLIDE_OK)
		st = collide_i_alloc(q->ctx, (void **)&f->items, count * sizeof(*front));
	if (st == COLLIDE_OK)
		st = collide_i_write(q->ctx, f->items, front, count * sizeof(*front));
	f->roots = (uint32_t)count;
	free(front);
	free(a);
	free(b);
	return st;
}

static void forget(collide_ctx *c, collide_i_front *f)
{
	lsched_mem_free(c->sched, f->items);
	*f = (collide_i_front){ 0 };
}

/* The entry of these trees, new ones in place of the oldest. *is_new: it was not there. */
static collide_i_front *find_front(query *q, uint32_t most, int *is_new)
{
	collide_ctx *c = q->ctx;
	const uint64_t a = q->mesh[0]->tree[q->prim[0]].serial;
	const uint64_t b = q->mesh[1]->tree[q->prim[1]].serial;
	collide_i_front *f;

	*is_new = 0;
	for (int k = 0; k < COLLIDE_I_FRONTS; k++) {
		f = &c->front[k];
		if (f->serial[0] == a && f->serial[1] == b && f->kind == (uint32_t)q->kind &&
			f->most == most)
			return f;
	}
	*is_new = 1;
	f = &c->front[c->next_front];
	c->next_front = (c->next_front + 1) % COLLIDE_I_FRONTS;
	forget(c, f);
	f->serial[0] = a;
	f->serial[1] = b;
	f->kind = (uint32_t)q->kind;
	f->most = most;
	return f;
}

/* Sets the roots of the walk. A front pays for itself if it is used again, so that without a wish
 * the first walk of two trees begins from their roots. */
static collide_status set_front(query *q, col_ctx *k, uint32_t *roots)
{
	const uint32_t automatic = q->ctx->is_cuda ? GPU_FRONT : 1;
	const uint32_t most = q->o.front ? q->o.front : automatic;
	const col_tree *t = k->tree[q->kind];
	const col_item root =
		col_item_of((uint32_t)q->kind, col_root_name(&t[0]), col_root_name(&t[1]));
	int is_new;
	collide_i_front *f = find_front(q, most, &is_new);
	const int is_late = is_new && !q->o.front && most > 1;
	collide_i_front first = { .most = 1 };
	collide_status st = COLLIDE_OK;

	if (!f->items && !is_late)
		st = make_front(q, f, root);
	if (st != COLLIDE_OK) {
		forget(q->ctx, f);
		return st;
	}
	if (!f->items) {
		st = collide_i_write(q->ctx, q->ctx->root, &root, sizeof(root));
		first.items = q->ctx->root;
		first.roots = 1;
		f = &first;
	}
	k->front = f->items;
	*roots = f->roots;
	return st;
}

/* ---- the walk ---- */

static col_tree walked(const collide_mesh *m, int prim)
{
	const collide_i_tree *t = &m->tree[prim];
	const col_tree tree = { (const col_node *)t->bvh.node, t->leaf_node, t->corners,
		m->prims[prim].count };

	return tree;
}

/* The least float that is not less. */
static float margin_of(double margin)
{
	const float nearest = (float)margin;

	return (double)nearest < margin ? nextafterf(nearest, FLT_MAX) : nearest;
}

/* Walks the trees: pairs go to `to`, which has room for `capacity`. */
static collide_status walk(query *q, col_pair *to, uint64_t capacity, uint64_t *count)
{
	collide_ctx *c = q->ctx;
	col_ctx k = { .self = (uint32_t)(q->mesh[0] == q->mesh[1] && q->prim[0] == q->prim[1])
			      << q->kind,
		.other = q->mesh[0] == q->mesh[1] ? 0 : COL_OTHER_MESH,
		.margin = margin_of(q->o.margin) };
	lsched_stream_state now;
	collide_status st = COLLIDE_OK;
	uint32_t roots = 0;
	int again = 1;

	for (int i = 0; i < 2 && st == COLLIDE_OK; i++)
		st = collide_i_mesh_tree(q->mesh[i], q->prim[i]);
	for (int i = 0; i < 2 && st == COLLIDE_OK; i++)
		k.tree[q->kind][i] = walked(q->mesh[i], q->prim[i]);
	k.out[q->kind].any.state = c->counts;
	k.out[q->kind].any.elements = to;
	k.out[q->kind].any.capacity = capacity;
	k.out[q->kind].any.element_bytes = sizeof(*to);
	if (st == COLLIDE_OK)
		st = set_front(q, &k, &roots);
	while (st == COLLIDE_OK && again) {
		st = collide_i_zero(c, c->counts, sizeof(*c->counts));
		if (st == COLLIDE_OK)
			st = collide_i_execute(c, COLLIDE_I_PAIRS, &k, roots, 0, &again);
	}
	if (st == COLLIDE_OK)
		st = collide_i_read(c, &now, c->counts, sizeof(now));
	if (st == COLLIDE_OK)
		*count = now.count;
	return st;
}

static collide_status order(query *q, col_pair *pair, uint64_t count)
{
	if (q->o.order != COLLIDE_SORTED)
		return COLLIDE_OK;
	return collide_i_sort(q->ctx, pair, count, q->mesh[0]->prims[q->prim[0]].count,
		q->mesh[1]->prims[q->prim[1]].count);
}

collide_status collide_find(collide_ctx *ctx, collide_mesh *a, collide_mesh *b, collide_kind kind,
	const collide_find_options *o, collide_pair *pairs, uint64_t capacity, uint64_t *count)
{
	query q = { ctx, { a, b }, (int)kind, { 0, 0 }, default_options };
	collide_status st;
	col_pair *to = pairs;
	int is_copied;

	if (count)
		*count = 0;
	if (!count || (capacity && !pairs))
		return collide_i_fail(COLLIDE_ERR_ARG, "collide_find: an argument is NULL");
	if (!collide_i_is_aligned(pairs))
		return collide_i_fail(
			COLLIDE_ERR_ARG, "collide_find: pairs is not aligned to 4 bytes");
	st = check("collide_find", &q, o);
	if (st != COLLIDE_OK)
		return st;
	if (capacity > UINT64_MAX / 2 / sizeof(*pairs))
		return collide_i_fail(COLLIDE_ERR_ARG,
			"collide_find: a capacity of %" PRIu64 " is too large", capacity);
	st = collide_i_begin(ctx);
	is_copied = ctx->is_cuda && q.o.memory == COLLIDE_HOST;
	if (is_copied && st == COLLIDE_OK) {
		st = collide_i_grow(ctx, &ctx->pairs, capacity * sizeof(*pairs));
		to = ctx->pairs.memory;
	}
	if (st == COLLIDE_OK)
		st = walk(&q, to, capacity, count);
	if (st == COLLIDE_OK && *count > capacity)
		return collide_i_fail(COLLIDE_ERR_ROOM,
			"collide_find: %" PRIu64 " pairs, and room for %" PRIu64, *count, capacity);
	if (st == COLLIDE_OK)
		st = order(&q, to, *count);
	if (st == COLLIDE_OK && is_copied)
		st = collide_i_read(ctx, pairs, to, *count * sizeof(*pairs));
	if (st != COLLIDE_OK)
		*count = 0;
	return st;
}

collide_status collide_find_all(collide_ctx *ctx, collide_mesh *a, collide_mesh *b,
	collide_kind kind, const collide_find_options *o, const collide_pair **pairs,
	uint64_t *count)
{
	query q = { ctx, { a, b }, (int)kind, { 0, 0 }, default_options };
	collide_status st;
	uint64_t room, found = 0;

	if (pairs)
		*pairs = NULL;
	if (count)
		*count = 0;
	if (!count || !pairs)
		return collide_i_fail(COLLIDE_ERR_ARG, "collide_find_all: an argument is NULL");
	st = check("collide_find_all", &q, o);
	if (st == COLLIDE_OK)
		st = collide_i_begin(ctx);
	room = ctx && ctx->pairs.bytes / sizeof(col_pair) > FIRST_ROOM
		       ? ctx->pairs.bytes / sizeof(col_pair)
		       : FIRST_ROOM;
	do {
		room = found > room ? found + found / 8 : room;
		if (st == COLLIDE_OK)
			st = collide_i_grow(ctx, &ctx->pairs, room * sizeof(col_pair));
		if (st == COLLIDE_OK)
			st = walk(&q, ctx->pairs.memory, room, &found);
	} while (st == COLLIDE_OK && found > room);
	if (st == COLLIDE_OK)
		st = order(&q, ctx->pairs.memory, found);
	if (st != COLLIDE_OK)
		return st;
	*pairs = ctx->pairs.memory;
	*count = found;
	return COLLIDE_OK;
}
