/* The pairs without libsched, by one CPU thread: the walk with a stack. */
#include "workloads/collide/host.h"

#include <stdio.h>
#include <time.h>

/* A walk to the depth of both trees leaves at most three pairs a level on the stack. */
enum { STACK = 4 * 256 };

typedef struct walker {
	const collide *c;
	int kind;
	col_item stack[STACK];
	uint32_t depth;
	uint64_t found;
} walker;

static void store(walker *w, uint32_t a, uint32_t b)
{
	const col_ctx *c = &w->c->ctx;
	const col_tree *s = &c->tree[w->kind][0], *t = &c->tree[w->kind][1];
	const uint32_t p = s->leaf[a & ~COL_LEAF].primitive, q = t->leaf[b & ~COL_LEAF].primitive;
	const int swap = (c->self >> w->kind & 1u) && p > q;

	if (col_adjacent(s, p, t, q))
		return;
	if (w->found < c->out[w->kind].capacity)
		c->out[w->kind].pair[w->found] = (col_pair){ swap ? q : p, swap ? p : q };
	w->found++;
}

static void visit(walker *w, uint32_t a, uint32_t b)
{
	if (a & b & COL_LEAF)
		store(w, a, b);
	else
		w->stack[w->depth++] = (col_item){ a, b };
}

static void walk(walker *w)
{
	const col_ctx *c = &w->c->ctx;
	const col_tree *s = &c->tree[w->kind][0], *t = &c->tree[w->kind][1];
	const int self = c->self >> w->kind & 1;

	w->stack[w->depth++] = (col_item){ col_root_name(s), col_root_name(t) };
	while (w->depth && w->depth + 4 <= STACK) {
		const col_item it = w->stack[--w->depth];
		const int same = self && it.a == it.b;
		col_box box_a[2], box_b[2];
		uint32_t name_a[2], name_b[2];
		const uint32_t n = col_open(s, it.a, box_a, name_a);
		const uint32_t m = col_open(t, it.b, box_b, name_b);

		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = same ? i : 0; j < m; j++)
				if (same && i == j) {
					if (!(name_a[i] & COL_LEAF))
						visit(w, name_a[i], name_b[j]);
				} else if (col_overlap(&box_a[i], &box_b[j])) {
					visit(w, name_a[i], name_b[j]);
				}
	}
}

int col_plain_cpu(wl_work *work, wl_device *d, uint64_t *ns, char *why, size_t n)
{
	collide *c = work->host_data;
	struct timespec a, b;

	do {
		clock_gettime(CLOCK_MONOTONIC, &a);
		for (int i = 0; i < c->kinds; i++) {
			walker w = { .c = c, .kind = c->kind[i] };

			walk(&w);
			if (w.depth) {
				snprintf(why, n, "the trees are too deep for the stack");
				return -1;
			}
			*c->ctx.out[w.kind].count = w.found;
		}
		clock_gettime(CLOCK_MONOTONIC, &b);
	} while (col_grow(d, c, why, n) > 0);
	*ns = (uint64_t)((b.tv_sec - a.tv_sec) * INT64_C(1000000000) + b.tv_nsec - a.tv_nsec);
	return 0;
}
