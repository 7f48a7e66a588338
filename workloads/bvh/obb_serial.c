/* Oriented boxes by one CPU thread: the specification. */
#include "workloads/bvh/obb_axes.h"
#include "workloads/bvh/host.h"
#include "workloads/common/memory.h"

#include <stdlib.h>

void obb_serial_fit(const obb_ctx *c)
{
	bvh_bounds b = { { 0, 0, 0, 0, 0, 0 } };
	obb_frame f;

	for (uint32_t i = 0; i < c->tree.n; i++)
		bvh_bounds_add(&b, &c->tree.box[i]);
	c->tree.top->bounds = b;
	f = obb_make_frame(c);
	for (uint32_t i = 0; i < c->tree.n; i++)
		if (obb_is_leaf(c, i)) {
			obb_leaf_sums(c, &f, i);
			obb_climb(c, c->tree.leaf_up[i]);
		}
	for (uint32_t i = 0; i < c->tree.n; i++)
		if (obb_is_leaf(c, i)) {
			obb_fit(c, obb_at(i | BVH_LEAF));
			if (i)
				obb_fit(c, obb_at(i));
		}
}

int obb_make_truth(wl_device *d, bvh_host *h, char *msg, size_t n)
{
	const size_t count = h->ctx.n;
	obb_ctx c = { .tree = h->truth };
	int bad = -1;

	c.corners = wl_host_alloc(count * sizeof(*c.corners), msg, n);
	c.sums = wl_host_alloc(2 * count * sizeof(*c.sums), msg, n);
	c.arrived = wl_host_alloc(count * sizeof(*c.arrived), msg, n);
	if (c.corners && c.sums && c.arrived)
		bad = 0;
	for (int k = 0; k < 2 && h->triangle[k] && !bad; k++) {
		h->obb_truth[k] = wl_own(d, 2 * count * sizeof(obb_box), msg, n);
		bad = h->obb_truth[k] ? 0 : -1;
		c.box = h->obb_truth[k];
		c.tree.box = h->box[k];
		c.triangle = h->triangle[k];
		if (!bad)
			obb_serial_fit(&c);
	}
	free(c.corners);
	free(c.sums);
	free(c.arrived);
	return bad;
}
