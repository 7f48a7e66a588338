/* The tree without libsched, by one CPU thread: the specification. */
#include "collide/bvh/body.h"
#include "workloads/bvh/host.h"

#include <time.h>

/* Runs a pass of a large range: `o` has no tiles here, but one of all primitives. */
static void run_pass(const bvh_ctx *c, bvh_open *o)
{
	memset(o->bin, 0, sizeof(o->bin));
	o->left = o->right = 0;
	bvh_tile_serial(c, o, o->first, o->count);
}

static void build(const bvh_ctx *c, bvh_record *r, lsched_range it, bvh_sum *sum, bvh_places p);

/* Goes on with what a pass has made. */
static void follow(const bvh_ctx *c, bvh_record *r, bvh_open *o)
{
	const uint32_t moved = o->pass == BVH_PASS_MOVE, left = moved ? o->left : o->count;
	const uint32_t is_split = left != 0 && left != o->count, middle = o->first + left;
	const uint32_t info = bvh_info(bvh_array(o->info) ^ moved, bvh_depth(o->info) + is_split);
	const lsched_range low = { o->first, left, info, is_split ? middle << 1 : o->link };
	const lsched_range high = { middle, o->count - left, info,
		is_split ? middle << 1 | 1u : o->link };

	if (is_split)
		bvh_make_node(c, middle, o->link);
	build(c, r, low, o->bin[0], o->places[0]);
	build(c, r, high, o->bin[1], o->places[1]);
}

/* Makes the subtree of a range, which has bins if it is large. */
static void build(const bvh_ctx *c, bvh_record *r, lsched_range it, bvh_sum *sum, bvh_places p)
{
	bvh_bin bin[BVH_ALL_BINS];
	const int even = bvh_depth(it.info) >= BVH_EVEN_DEPTH;
	uint64_t best = BVH_NO_COST;
	uint32_t id = BVH_NONE;
	bvh_open o = { .first = it.first, .count = it.count, .info = it.info, .link = it.join };

	if (it.count <= BVH_ROOM) {
		bvh_serial_frames(c, r, it);
		return;
	}
	for (uint32_t k = 0; k < BVH_ALL_BINS; k++)
		bin[k] = bvh_far_load(&sum[k]);
	for (uint32_t k = 0; k < BVH_ALL_BINS; k++) {
		const uint64_t cost =
			k % BVH_BINS + 1 < BVH_BINS ? bvh_plane_cost(bin, k, even) : BVH_NO_COST;

		if (cost < best) {
			best = cost;
			id = k;
		}
	}
	bvh_next_pass(&o, bin, p, id);
	run_pass(c, &o);
	follow(c, r, &o);
}

void bvh_serial_build(const bvh_ctx *c)
{
	static _Thread_local bvh_record record[BVH_ROOM];
	const lsched_range all = { 0, c->n, bvh_info(0, 0), BVH_NONE };
	bvh_bounds b = { { 0, 0, 0, 0, 0, 0 } };
	bvh_open o = { .count = c->n, .link = BVH_NONE, .pass = BVH_PASS_FIRST };

	c->top->root = BVH_NONE;
	if (c->n <= BVH_ROOM) {
		bvh_serial_frames(c, record, all);
		return;
	}
	for (uint32_t i = 0; i < c->n; i++)
		bvh_bounds_add(&b, &c->box[i]);
	c->top->frame = bvh_make_frame(&b);
	for (uint32_t axis = 0; axis < 4; axis++)
		o.places[0].size[axis] = axis == BVH_NUMBER ? c->n : 65536;
	run_pass(c, &o);
	follow(c, record, &o);
}

int bvh_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	const bvh_host *h = w->host_data;
	const bvh_ctx *c = &h->ctx;
	struct timespec a, b;

	(void)d;
	(void)why;
	(void)n;
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (c->phase == BVH_BUILD_ALL)
		bvh_serial_build(c);
	else
		for (uint32_t i = 0; i < c->n; i++)
			bvh_refit_leaf(c, i);
	if (h->o.boxes == BVH_BOXES_OBB)
		obb_serial_fit(&h->obb);
	clock_gettime(CLOCK_MONOTONIC, &b);
	*ns = (uint64_t)((b.tv_sec - a.tv_sec) * INT64_C(1000000000) + b.tv_nsec - a.tv_nsec);
	return 0;
}
