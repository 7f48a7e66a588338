/* The tree without libsched, by one CPU thread: the specification. */
#include "collide/bvh/body.h"
#include "workloads/bvh/host.h"

void bvh_serial_build(const bvh_ctx *c)
{
	static _Thread_local bvh_local local;
	const lsched_range all = { 0, c->n, bvh_info(0, 0), BVH_NONE };

	c->top->root = BVH_NONE;
	bvh_serial_range(c, &local, all);
}

int bvh_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	const bvh_host *h = w->host_data;
	const bvh_ctx *c = &h->ctx;
	const uint64_t begin = wl_now_ns();

	(void)d;
	(void)why;
	(void)n;
	if (c->phase == BVH_BUILD_ALL)
		bvh_serial_build(c);
	else
		for (uint32_t i = 0; i < c->n; i++)
			bvh_refit_leaf(c, i);
	if (h->o.boxes == BVH_BOXES_OBB)
		obb_serial_fit(&h->obb);
	*ns = wl_now_ns() - begin;
	return 0;
}
