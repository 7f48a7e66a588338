/* A text that is read by all passes of `x3d` and by the reader of one thread. */
#ifndef TESTS_WORKLOADS_X3D_TEXT_H
#define TESTS_WORKLOADS_X3D_TEXT_H

#include <stdio.h>
#include <string.h>
#include "workloads/common/memory.h"
#include "workloads/x3d/host.h"

typedef struct x3d_text {
	wl_device d;
	x3d_host *h; /* of the last text */
	int tasks;   /* the passes are run as tasks, else by the calling thread */
	char why[256];
} x3d_text;

static inline int x3d_text_open(x3d_text *x, uint32_t workers)
{
	lsched_options o;

	memset(x, 0, sizeof(*x));
	lsched_options_init(&o);
	o.backend = LSCHED_BACKEND_CPU;
	o.workers = workers;
	x->d.backend = LSCHED_BACKEND_CPU;
	x->d.max_workers = workers;
	return lsched_open(&x->d.ctx, &o, x->why, sizeof(x->why)) == LSCHED_OK ? 0 : -1;
}

/* Releases the last text. */
static inline void x3d_text_free(x3d_text *x)
{
	const wl_type type = { .name = "x3d" };
	wl_work w = { .host_data = NULL };

	if (x->h)
		x3d_tree_free(&x->h->truth);
	x->h = NULL;
	wl_destroy(&type, &w, &x->d);
}

/* Executes the passes, again where arrays were too small. Returns 0, or -1 with x->why. */
static inline int x3d_text_run(x3d_text *x)
{
	wl_work w = { .host_data = x->h };
	lsched_run_options o;
	int again = x3d_make_memory(x->h, &x->d, x->why, sizeof(x->why));

	lsched_run_options_init(&o);
	o.max_tasks = again ? 1 : x3d_roots(&x->h->ctx);
	o.queue_capacity = 1 << 14;
	o.max_joins = 64;
	for (again = again ? -1 : 1; again == 1;
		again = x3d_again(&w, &x->d, x->why, sizeof(x->why))) {
		if (x3d_prepare(&w, &x->d, x->why, sizeof(x->why)))
			return -1;
		if (!x->tasks)
			x3d_passes(&x->h->ctx);
		else if (wl_run_once(&x->d, &x3d_cpu_program, &o, &x->h->ctx, o.max_tasks, x->why,
				 sizeof(x->why)))
			return -1;
	}
	return again;
}

/* Reads a text both ways: x->h->truth is the result. Returns 0 if the passes refuse it, too, or
 * have the same result; else -1 with x->why. *error: X3D_OK, or what they refuse. */
static inline int x3d_text_read(x3d_text *x, const void *text, size_t bytes, uint32_t *error)
{
	x3d_host *h;
	uint32_t begin;
	const x3d_state *state;
	x3d_tree t;

	*error = X3D_OK;
	x3d_text_free(x);
	x->h = h = wl_own(&x->d, sizeof(*h), x->why, sizeof(x->why));
	if (!h)
		return -1;
	h->bytes = (uint32_t)bytes;
	h->text = wl_own(&x->d, bytes + 2 * X3D_PAD, x->why, sizeof(x->why));
	if (!h->text)
		return -1;
	if (bytes)
		memcpy(h->text, text, bytes);
	x3d_make_names(h->names);
	if (x3d_serial(h->names, (const uint8_t *)h->text, h->bytes, &h->truth))
		return wl_no_memory(bytes, x->why, sizeof(x->why));
	*error = x3d_prolog((const uint8_t *)h->text, h->bytes, &begin);
	if (*error != X3D_OK)
		return *error == h->truth.error ? 0 : -1;
	h->ctx.begin = begin;
	if (x3d_text_run(x))
		return -1;
	state = h->ctx.state;
	if (state->error || h->truth.error != X3D_OK) {
		*error = state->error ? (uint32_t)~state->error & 255u : (uint32_t)X3D_OK;
		return state->error && h->truth.error != X3D_OK
			       ? 0
			       : wl_fail(x->why, sizeof(x->why), "error %u, not %u", *error,
					 h->truth.error);
	}
	t = (x3d_tree){ h->ctx.node, h->ctx.attribute, h->ctx.floats, h->ctx.ints, { 0 }, 0, 0 };
	memcpy(t.count, state->count, sizeof(t.count));
	return x3d_compare(&h->truth, &t, x->why, sizeof(x->why));
}

static inline void x3d_text_close(x3d_text *x)
{
	x3d_text_free(x);
	lsched_close(&x->d.ctx);
}

#endif
