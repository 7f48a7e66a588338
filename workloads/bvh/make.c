/* bvh: a bounding volume hierarchy of triangles. */
#include "workloads/common/memory.h"
#include "collide/bvh/arrays.h"
#include "workloads/bvh/host.h"

#include <stdlib.h>
#include <string.h>

#define FIELD(member) WL_FIELD(bvh_options, member)

/* Of more primitives the tree by all planes takes too long. */
enum { SWEEP_MOST = 200000 };
/* Defaults, as in `params`. */
enum { PRESET_N = 100000, PRESET_SEED = 1 };

static const wl_param params[] = {
	WL_PARAM_MESH(bvh_options, input, "FILE", "read the triangles from a PLY or OBJ file"),
	{ .name = "shape",
		.unless = "input",
		.kind = WL_CHOICE,
		.field = FIELD(shape),
		.preset = "cloth",
		.choices = "cloth|sphere|tori|random|same",
		.help = "select generated triangles, without --input; same: all are equal" },
	WL_PARAM_TRIANGLES(bvh_options, n, BVH_MAX_BOXES, "100K"),
	{ .name = "leaf",
		.kind = WL_UINT,
		.field = FIELD(leaf),
		.min = 1,
		.max = BVH_MAX_LEAF,
		.preset = "4",
		.metavar = "N",
		.help = "set the most triangles of a leaf (1 to 16)" },
	{ .name = "phase",
		.kind = WL_CHOICE,
		.field = FIELD(phase),
		.preset = "build",
		.choices = "build|refit",
		.help = "select what is measured; refit: the boxes of a tree after its triangles "
			"have moved" },
	{ .name = "boxes",
		.kind = WL_CHOICE,
		.field = FIELD(boxes),
		.preset = "aabb",
		.choices = "aabb|obb",
		.help = "select axis-aligned boxes, or oriented ones beside them" },
	WL_PARAM_SEED(bvh_options, seed, "input", "generated mesh"),
	{ 0 },
};

/* Options of generated meshes have no use with a file. */
static int check_options(const void *options, char *msg, size_t n)
{
	const bvh_options *o = options;
	const char *unused = o->shape != BVH_CLOTH    ? "shape"
			     : o->n != PRESET_N       ? "triangles"
			     : o->seed != PRESET_SEED ? "seed"
						      : NULL;

	if (!o->input || !unused)
		return 0;
	return wl_fail(msg, n, "--input cannot be combined with --%s; remove one of them", unused);
}

static int prepare_oriented(wl_device *d, bvh_host *h, char *why, size_t n)
{
	obb_ctx *c = &h->obb;

	c->tree = h->ctx;
	c->triangle = h->d_triangle[h->now];
	return wl_zero(d, c->arrived, c->tree.n * sizeof(*c->arrived), why, n) ||
			       wl_zero(d, c->counts, sizeof(*c->counts), why, n) ||
			       wl_zero(d, c->box, 2 * (size_t)c->tree.n * sizeof(*c->box), why, n)
		       ? -1
		       : 0;
}

/* The result of the last execution must not remain. */
static int prepare(wl_work *w, wl_device *d, char *why, size_t n)
{
	bvh_host *h = w->host_data;
	const bvh_ctx *c = &h->ctx;

	if (wl_zero(d, c->arrived, c->n * sizeof(*c->arrived), why, n))
		return -1;
	if (c->phase == BVH_REFIT_ALL) {
		h->now = ~w->execution & 1u;
		h->ctx.box = h->d_box[h->now];
	}
	if (h->o.boxes == BVH_BOXES_OBB && prepare_oriented(d, h, why, n))
		return -1;
	if (c->phase == BVH_REFIT_ALL)
		return 0;
	return wl_zero(d, c->node, c->n * sizeof(*c->node), why, n) ||
			       wl_zero(d, c->leaf, c->n * sizeof(*c->leaf), why, n) ||
			       wl_zero(d, c->order, c->n * sizeof(*c->order), why, n)
		       ? -1
		       : 0;
}

/* Compares the oriented boxes of a tree in memory of the host; `all`: with the triangles, too. */
static int check_oriented(
	wl_device *d, bvh_host *h, const bvh_ctx *tree, int all, char *why, size_t n)
{
	const size_t bytes = 2 * (size_t)tree->n * sizeof(obb_box);
	obb_ctx c = h->obb;
	int bad = -1;

	c.tree = *tree;
	c.triangle = h->triangle[h->now];
	c.box = wl_host_copy(d, c.box, bytes, why, n);
	if (c.box)
		bad = obb_check_same(&c, h->obb_truth[h->now], why, n);
	if (!bad && all)
		bad = obb_check_boxes(&c, &h->obb_facts, why, n);
	free(c.box);
	return bad;
}

/* Copies the tree to the host and compares it; `all`: with all that is known. */
static int check_copy(wl_device *d, bvh_host *h, int all, char *why, size_t n)
{
	bvh_ctx c = h->ctx;
	bvh_top top;
	int bad = -1;

	if (wl_read(d, &top, c.top, sizeof(top), why, n))
		return -1;
	c.top = &top;
	c.node = wl_host_copy(d, c.node, c.n * sizeof(*c.node), why, n);
	c.leaf = wl_host_copy(d, c.leaf, c.n * sizeof(*c.leaf), why, n);
	c.order = wl_host_copy(d, c.order, c.n * sizeof(*c.order), why, n);
	if (c.node && c.leaf && c.order)
		bad = bvh_check_tree(&c, h->box[h->now], &h->facts, why, n) ||
				      bvh_check_same(&c, &h->truth, why, n)
			      ? -1
			      : 0;
	if (!bad && h->o.boxes == BVH_BOXES_OBB)
		bad = check_oriented(d, h, &c, all, why, n);
	free(c.node);
	free(c.leaf);
	free(c.order);
	return bad;
}

static int check(wl_work *w, wl_device *d, char *why, size_t n)
{
	bvh_host *h = w->host_data;
	const int bad = check_copy(d, h, w->execution == 0, why, n);

	w->operations = h->ctx.n;
	w->value = h->facts.inner;
	wl_add_fact(w, "inner nodes", h->facts.inner);
	wl_add_fact(w, "leaves", h->facts.leaves);
	wl_add_fact(w, "depth", h->facts.depth);
	wl_add_fact(w, "SAH cost", h->facts.cost);
	if (h->sweep_cost > 0 && h->ctx.phase == BVH_BUILD_ALL)
		wl_add_fact(w, "SAH cost, by that of all planes", h->facts.cost / h->sweep_cost);
	if (h->o.boxes == BVH_BOXES_OBB) {
		wl_add_fact(w, "SAH cost of oriented boxes", h->obb_facts.cost);
		wl_add_fact(w, "area of oriented nodes, by axis-aligned", h->obb_facts.area);
		wl_add_fact(w, "area of oriented leaves, by axis-aligned", h->obb_facts.leaves);
		wl_add_fact(w, "share of oriented boxes", h->obb_facts.oriented);
	}
	return bad;
}

int bvh_build_truth(wl_device *d, bvh_ctx *t, char *msg, size_t n)
{
	const size_t bytes = t->n * sizeof(bvh_record);

	t->record[0] = wl_own(d, bytes, msg, n);
	t->record[1] = t->record[0] ? wl_own(d, bytes, msg, n) : NULL;
	if (!t->record[1])
		return -1;
	memset(t->arrived, 0, t->n * sizeof(*t->arrived));
	memset(t->node, 0, t->n * sizeof(*t->node));
	memset(t->leaf, 0, t->n * sizeof(*t->leaf));
	bvh_serial_build(t);
	for (int k = 0; k < 2; k++) {
		wl_free(d, t->record[k]);
		t->record[k] = NULL;
	}
	return 0;
}

/* The tree that must come out, in memory of the host. */
static int make_truth(wl_device *d, bvh_host *h, char *msg, size_t n)
{
	const size_t count = h->ctx.n;
	bvh_ctx *t = &h->truth;

	t->box = h->box[0];
	t->n = h->ctx.n;
	t->leaf_most = h->o.leaf;
	if (!(t->node = wl_own(d, count * sizeof(*t->node), msg, n)) ||
		!(t->leaf = wl_own(d, count * sizeof(*t->leaf), msg, n)) ||
		!(t->order = wl_own(d, count * sizeof(*t->order), msg, n)) ||
		!(t->up = wl_own(d, count * sizeof(*t->up), msg, n)) ||
		!(t->leaf_up = wl_own(d, count * sizeof(*t->leaf_up), msg, n)) ||
		!(t->arrived = wl_own(d, count * sizeof(*t->arrived), msg, n)) ||
		!(t->open = wl_own(d, (count / BVH_SMALL + 1) * sizeof(*t->open), msg, n)) ||
		!(t->cell = wl_own(d, (count / 4 + 2) * sizeof(*t->cell), msg, n)) ||
		!(t->cut = wl_own(d, (count / 4 + 2) * sizeof(*t->cut), msg, n)) ||
		!(t->top = wl_own(d, sizeof(*t->top), msg, n)) || bvh_build_truth(d, t, msg, n))
		return -1;
	if (h->o.phase == BVH_BUILD_ALL && count <= SWEEP_MOST)
		h->sweep_cost = bvh_sweep_cost(h->box[0], t->n, t->leaf_most);
	if (h->sweep_cost >= 0)
		return 0;
	return wl_fail(
		msg, n, "out of memory for the tree by all planes; a smaller input takes less");
}

/* Makes the tree whose boxes are to be computed again. */
static int build_first(wl_work *w, wl_device *d, bvh_host *h, char *msg, size_t n)
{
	lsched_run_options o;

	lsched_run_options_init(&o);
	o.max_tasks = 1;
	o.queue_capacity = w->capacity;
	o.max_joins = w->max_joins;
	return wl_run_once(d, wl_is_cuda(d) ? w->cuda : w->cpu, &o, &h->ctx, 1, msg, n);
}

static int make_oriented(wl_device *d, bvh_host *h, char *msg, size_t n)
{
	const size_t bytes = h->ctx.n * sizeof(obb_triangle);

	h->obb.tree = h->ctx;
	for (int k = 0; k < 2 && h->triangle[k]; k++) {
		h->d_triangle[k] = wl_alloc(d, bytes, msg, n);
		if (!h->d_triangle[k] ||
			wl_write(d, h->d_triangle[k], h->triangle[k], bytes, msg, n))
			return -1;
	}
	return obb_reserve(d, &h->obb, msg, n) || obb_make_truth(d, h, msg, n) ? -1 : 0;
}

static int make_memory(wl_device *d, bvh_host *h, char *msg, size_t n)
{
	const size_t bytes = h->ctx.n * sizeof(bvh_box);

	if (bvh_reserve(d, &h->ctx, msg, n))
		return -1;
	for (int k = 0; k < 2 && h->box[k]; k++) {
		h->d_box[k] = wl_alloc(d, bytes, msg, n);
		if (!h->d_box[k] || wl_write(d, h->d_box[k], h->box[k], bytes, msg, n))
			return -1;
	}
	h->ctx.box = h->d_box[0];
	if (wl_zero(d, h->ctx.arrived, h->ctx.n * sizeof(uint32_t), msg, n))
		return -1;
	return h->o.boxes == BVH_BOXES_OBB ? make_oriented(d, h, msg, n) : 0;
}

static int create(wl_work *w, wl_device *d, const void *options, char *msg, size_t n)
{
	bvh_host *h = wl_own(d, sizeof(*h), msg, n);

	w->host_data = h;
	if (!h)
		return -1;
	h->o = *(const bvh_options *)options;
	if (bvh_load_boxes(d, h, msg, n) || make_truth(d, h, msg, n) || make_memory(d, h, msg, n))
		return -1;
	WL_SET_PROGRAM(w, collide_i_bvh);
	w->ctx = &h->ctx;
	w->tasks = 1;
	w->items = 1;
	w->expected = WL_TASKS_UNKNOWN;
	w->capacity = (1u << 16) + h->ctx.n / 32;
	w->max_joins = h->ctx.n / BVH_BLOCK + 64 * d->max_workers;
	w->prepare = prepare;
	w->check = check;
	w->plain = wl_is_cuda(d) ? WL_CUDA(bvh_plain_cuda) : bvh_plain_cpu;
	if (h->o.phase == BVH_REFIT_ALL) {
		if (build_first(w, d, h, msg, n))
			return -1;
		h->ctx.phase = BVH_REFIT_ALL;
	}
	if (h->o.boxes == BVH_BOXES_OBB) {
		WL_SET_PROGRAM(w, bvh_obb);
		w->ctx = &h->obb;
		/* all parts at once, with --never-keep a chunk of 32 items each */
		w->capacity += h->ctx.n / 4;
	}
	return 0;
}

static void destroy(wl_work *w, wl_device *d)
{
	bvh_host *h = w->host_data;

	if (h)
		collide_i_bvh_free(d->ctx, &h->ctx);
}

static const char *const cases[] = { "-n 0", "--shape random -n 1", "-n 2", "--shape random -n 33",
	"--shape tori -n 4096 --leaf 1", "--shape random -n 4097", "--shape same -n 9000",
	"-n 30000", "--shape sphere -n 131073", "--shape sphere -n 50000 --leaf 1",
	"--shape tori -n 20000 --phase refit", "--boxes obb -n 0", "--boxes obb -n 2 --leaf 1",
	"--boxes obb --shape tori -n 30000", "--boxes obb --shape same -n 9000",
	"--boxes obb -n 20000 --phase refit", NULL };

const wl_type wl_bvh_type = {
	.name = "bvh",
	.summary =
		"Builds a bounding volume hierarchy of triangles.\n"
		"The construction of Lauterbach, Mo and Manocha, \"Work distribution methods on\n"
		"GPUs\" (2009), section 4.1, by the surface area heuristic.",
	.example = "--shape sphere -n 1M --queue block,abp,compact,balance",
	.unit = "triangles",
	.queues = "ring",
	.cases = cases,
	.accepts = WL_OVERFLOW | WL_NEVER_KEEP | WL_PLAIN,
	.params = params,
	.options_bytes = sizeof(bvh_options),
	.check_options = check_options,
	.create = create,
	.destroy = destroy,
};
