/* The pairs without libsched, by one CPU thread: the walk with a stack. */
#include "workloads/collide/host.h"

/* A walk to the depth of both trees leaves at most three pairs a level on the stack. */
enum { STACK = 4 * 256 };

typedef struct walker {
	const collide *c;
	int kind;
	col_item stack[STACK];
	uint32_t depth;
	uint64_t found;
} walker;

static void walk(const wl_device *d, walker *w)
{
	const col_ctx *c = &w->c->ctx;
	const col_pairs *out = &c->out[w->kind];
	const uint32_t a = col_root_name(&c->tree[w->kind][0]);
	const uint32_t b = col_root_name(&c->tree[w->kind][1]);

	w->stack[w->depth++] = col_item_of((uint32_t)w->kind, a, b);
	for (uint32_t step = 0; w->depth && w->depth + 4 <= STACK; step++) {
		const col_item it = w->stack[--w->depth];
		col_pair pair[4];
		uint32_t pairs = 0;

		if (step % 4096 == 0 && wl_stopped(d))
			return;
		col_walk_step(c, it, w->stack, &w->depth, pair, &pairs);
		for (uint32_t k = 0; k < pairs; k++, w->found++)
			if (w->found < out->any.capacity)
				col_pairs_elements(out)[w->found] = pair[k];
	}
}

int col_plain_cpu(wl_work *work, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	collide *c = work->host_data;
	uint64_t begin;

	do {
		begin = wl_now_ns();
		for (int i = 0; i < c->kinds; i++) {
			walker w = { .c = c, .kind = c->kind[i] };

			walk(d, &w);
			if (wl_stopped(d))
				return WL_STOPPED;
			if (w.depth)
				return wl_fail(why, n, "the trees are too deep for the stack");
			c->ctx.out[w.kind].any.state->count = w.found;
		}
		*ns = wl_now_ns() - begin;
	} while (col_grow(d, c, why, n) > 0);
	return 0;
}
