/* Contacts of candidates. */
#include "collide/core/mesh.h"
#include "collide/core/sort.h"

#include <inttypes.h>
#include <math.h>
#include "libsched/core/sized.h"

_Static_assert(COLLIDE_NEVER == COL_NEVER && COLLIDE_TIME_STEP == 1u << COL_MAX_LEVEL, "one unit");

static const collide_contact_options default_options = { .struct_bytes =
								 sizeof(collide_contact_options) };

void collide_contact_options_init_sized(collide_contact_options *o, size_t struct_bytes)
{
	if (o)
		lsched_i_sized_init(o, struct_bytes, sizeof(*o), &default_options);
}

/* 10^-6 of the largest extent of both meshes. */
static double usual_tolerance(const collide_mesh *a, const collide_mesh *b)
{
	double most = 0;

	for (int axis = 0; axis < 3; axis++) {
		uint32_t lo = a->bounds.key[axis], hi = a->bounds.key[axis + 3];

		lo = b->bounds.key[axis] > lo ? b->bounds.key[axis] : lo;
		hi = b->bounds.key[axis + 3] > hi ? b->bounds.key[axis + 3] : hi;
		most = fmax(most, (double)bvh_unkey(hi) - (double)bvh_unkey(~lo));
	}
	return 1e-6 * most;
}

/* The result of a call: times or contacts, in the caller's memory and in that of the tasks. */
typedef struct result {
	const char *name;
	int has_points;
	void *caller, *task;
	size_t bytes; /* of all elements */
} result;

static collide_status load(collide_ctx *c, const collide_contact_options *o,
	const collide_pair *pairs, uint64_t count, result *r, const col_pair **pair)
{
	const int is_copied = c->is_cuda && o->memory == COLLIDE_HOST;
	const void *from = pairs;
	collide_status st = COLLIDE_OK;

	r->bytes = count * (r->has_points ? sizeof(collide_contact) : sizeof(uint32_t));
	if (is_copied) {
		st = collide_i_grow(c, &c->input, count * sizeof(*pairs));
		if (st == COLLIDE_OK)
			st = collide_i_grow(c, &c->times, r->bytes);
		if (st == COLLIDE_OK)
			st = collide_i_input(c, pairs, count * sizeof(*pairs), o->memory, 0, &from);
	}
	*pair = from;
	r->task = is_copied ? c->times.memory : r->caller;
	return st;
}

/* Runs the search; the context is complete. */
static collide_status search(
	const char *name, collide_mesh *const mesh[2], const int *prim, cont_ctx *k)
{
	collide_ctx *c = mesh[0]->ctx;
	step_ctx check = { .job = STEP_CANDIDATES,
		.n = k->candidates,
		.pair = k->pair,
		.most = { mesh[0]->prims[prim[0]].count, mesh[1]->prims[prim[1]].count } };
	collide_status st = COLLIDE_OK;
	uint32_t bad;
	int again = 1;

	while (st == COLLIDE_OK && again) {
		st = collide_i_step(c, &check, &bad, NULL);
		if (st == COLLIDE_OK && bad != COLLIDE_NONE)
			return collide_i_fail(COLLIDE_ERR_VALUE,
				"%s: pair %" PRIu32
				" has a number that is no primitive of its mesh",
				name, bad);
		if (st == COLLIDE_OK)
			st = collide_i_zero(c, c->counts, sizeof(*c->counts));
		if (st == COLLIDE_OK)
			st = collide_i_execute(c, COLLIDE_I_CONTACTS, k, k->candidates, 0, &again);
	}
	return st;
}

static collide_status check(const char *name, collide_ctx *ctx, collide_mesh *const mesh[2],
	int kind, const collide_contact_options *o, uint64_t count)
{
	if (mesh[0]->ctx != ctx || mesh[1]->ctx != ctx)
		return collide_i_fail(
			COLLIDE_ERR_ARG, "%s: a mesh belongs to another context", name);
	if (kind != COL_VERTEX_FACE && kind != COL_EDGES)
		return collide_i_fail(COLLIDE_ERR_UNSUPPORTED,
			"%s: kind %d; it must be VERTEX_FACE or EDGE_EDGE", name, kind);
	if (count > LSCHED_MAX_TASKS)
		return collide_i_fail(COLLIDE_ERR_UNSUPPORTED,
			"%s: %" PRIu64 " pairs are more than %u", name, count, LSCHED_MAX_TASKS);
	if (!collide_i_memory_is_valid(o->memory) || !isfinite(o->tolerance) || o->tolerance < 0)
		return collide_i_fail(COLLIDE_ERR_ARG,
			"%s: memory %d or tolerance %g is out of range", name, (int)o->memory,
			o->tolerance);
	if (!mesh[0]->version || !mesh[1]->version)
		return collide_i_fail(COLLIDE_ERR_STATE, "%s: a mesh has no positions", name);
	return COLLIDE_OK;
}

static collide_status find(collide_ctx *ctx, collide_mesh *a, collide_mesh *b, collide_kind kind,
	const collide_contact_options *o, const collide_pair *pairs, uint64_t count, result *r,
	uint64_t *touching)
{
	collide_mesh *const mesh[2] = { a, b };
	collide_contact_options known = default_options;
	lsched_stream_state now;
	cont_ctx k = { .is_edges = kind == COLLIDE_EDGE_EDGE };
	collide_status st = COLLIDE_OK;

	if (touching)
		*touching = 0;
	if (!ctx || !a || !b || (count && (!pairs || !r->caller)))
		return collide_i_fail(COLLIDE_ERR_ARG, "%s: an argument is NULL", r->name);
	if (!collide_i_is_aligned(pairs) ||
		(uintptr_t)r->caller % (r->has_points ? sizeof(double) : sizeof(uint32_t)))
		return collide_i_fail(COLLIDE_ERR_ARG,
			"%s: pairs or times is not aligned to 4 bytes, or contacts not to 8",
			r->name);
	if (o)
		st = collide_i_read_sized("collide_contact_options", &known, sizeof(known),
			LSCHED_I_SIZE_TO(collide_contact_options, tolerance), o);
	if (st == COLLIDE_OK)
		st = check(r->name, ctx, mesh, (int)kind, &known, count);
	if (st == COLLIDE_OK)
		st = collide_i_begin(ctx);
	if (st != COLLIDE_OK || count == 0)
		return st;
	st = load(ctx, &known, pairs, count, r, &k.pair);
	if (st != COLLIDE_OK)
		return st;
	for (int i = 0; i < 2; i++) {
		k.start[i] = mesh[i]->d_start;
		k.end[i] = mesh[i]->end;
		k.vertex[i] = mesh[i]->d_vertex[collide_i_prims_of[kind][i]];
	}
	k.time = r->has_points ? NULL : r->task;
	k.contact = r->has_points ? r->task : NULL;
	k.candidates = (uint32_t)count;
	k.tolerance = known.tolerance > 0 ? known.tolerance : usual_tolerance(a, b);
	k.touching.any.state = ctx->counts; /* only their number */
	st = search(r->name, mesh, collide_i_prims_of[kind], &k);
	if (st == COLLIDE_OK)
		st = collide_i_read(ctx, &now, ctx->counts, sizeof(now));
	if (st == COLLIDE_OK && r->task != r->caller)
		st = collide_i_read(ctx, r->caller, r->task, r->bytes);
	if (st == COLLIDE_OK && touching)
		*touching = now.count;
	return st;
}

collide_status collide_contacts(collide_ctx *ctx, collide_mesh *a, collide_mesh *b,
	collide_kind kind, const collide_contact_options *o, const collide_pair *pairs,
	uint64_t count, uint32_t *times, uint64_t *touching)
{
	result r = { .name = "collide_contacts", .caller = times };

	return find(ctx, a, b, kind, o, pairs, count, &r, touching);
}

collide_status collide_contact_points(collide_ctx *ctx, collide_mesh *a, collide_mesh *b,
	collide_kind kind, const collide_contact_options *o, const collide_pair *pairs,
	uint64_t count, collide_contact *contacts, uint64_t *touching)
{
	result r = { .name = "collide_contact_points", .has_points = 1, .caller = contacts };

	return find(ctx, a, b, kind, o, pairs, count, &r, touching);
}
