/* Without libsched: the truth's reader, and all passes one after the other, by one CPU thread. */
#include "workloads/x3d/body.h"
#include "workloads/x3d/host.h"
#include "workloads/common/memory.h"

#include <string.h>

int x3d_plain_cpu(wl_work *w, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	const x3d_host *h = w->host_data;
	const uint64_t begin = wl_now_ns();
	x3d_tree t;
	int bad = x3d_serial(h->names, (const uint8_t *)h->text, h->bytes, &t);

	*ns = wl_now_ns() - begin;
	(void)d;
	if (bad)
		wl_no_memory(h->bytes, why, n);
	else
		bad = x3d_compare(&h->truth, &t, why, n);
	x3d_tree_free(&t);
	if (!bad) { /* for the check of the arrays of the context */
		x3d_passes(&h->ctx);
		while ((bad = w->again(w, d, why, n)) == 1)
			x3d_passes(&h->ctx);
	}
	return bad;
}

void x3d_passes(const x3d_ctx *c)
{
	const lsched_range_crew one = { 0, 1, 0 };
	static _Thread_local lsched_worker room;
	static _Thread_local x3d_local local;
	lsched_range_items x;

	memset(&x, 0, sizeof(x));
	lsched_range_crew_item(one, &x, &room);
	for (uint32_t pass = X3D_MAP; pass <= X3D_LINK; pass++) {
		const uint32_t count = x3d_before(&x, c, &local, pass);

		for (uint32_t k = 0; k < count; k++)
			x3d_do(&x, c, &local, pass, k);
	}
}
