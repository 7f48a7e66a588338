#include "tests/workloads/harness.h"

#include <stdio.h>
#include <string.h>

int harness_open(harness *h, const wl_type *type, const void *options, uint32_t workers)
{
	lsched_options o;

	memset(h, 0, sizeof(*h));
	h->type = type;
	lsched_options_init(&o);
	o.backend = LSCHED_BACKEND_CPU;
	o.workers = workers;
	if (lsched_open(&h->d.ctx, &o, h->why, sizeof(h->why)) != LSCHED_OK)
		return -1;
	h->d.backend = LSCHED_BACKEND_CPU;
	h->d.max_workers = workers;
	h->d.timeout_ms = 20000;
	return type->create(&h->w, &h->d, options, h->why, sizeof(h->why));
}

int harness_run(harness *h, lsched_queue queue, uint32_t workers)
{
	wl_work *w = &h->w;
	lsched_run_options o;
	lsched_run *run = NULL;
	lsched_stats stats;
	int again = 0, bad = -1;

	lsched_run_options_init(&o);
	o.queue = queue;
	o.max_tasks = w->tasks ? w->tasks : workers;
	o.queue_capacity = w->capacity;
	o.bin_size = w->bin_size;
	o.max_joins = w->max_joins;
	o.inline_depth = w->inline_depth;
	o.workers = workers * (h->lanes ? h->lanes : 1); /* joins for all lanes */
	o.timeout_ms = h->d.timeout_ms;
	h->why[0] = 0;
	if (lsched_run_create(&run, h->d.ctx, w->cpu, &o) != LSCHED_OK) {
		snprintf(h->why, sizeof(h->why), "%s", lsched_last_error(h->d.ctx));
		return -1;
	}
	w->facts = 0;
	w->workers = workers;
	w->stats = &stats;
	if (h->lanes && lsched_run_set_workers(run, workers) != LSCHED_OK)
		snprintf(h->why, sizeof(h->why), "%s", lsched_run_error(run));
	do {
		lsched_stats_init(&stats);
		if (w->prepare && w->prepare(w, &h->d, h->why, sizeof(h->why)))
			break;
		if (lsched_run_start(run, w->ctx, w->tasks ? w->tasks : workers, NULL) !=
				LSCHED_OK ||
			lsched_run_finish(run, &stats) != LSCHED_OK) {
			snprintf(h->why, sizeof(h->why), "%s", lsched_run_error(run));
			break;
		}
		again = w->again ? w->again(w, &h->d, h->why, sizeof(h->why)) : 0;
		if (again == 0)
			bad = w->check(w, &h->d, h->why, sizeof(h->why));
	} while (again > 0);
	lsched_run_destroy(&run);
	return bad;
}

void harness_close(harness *h)
{
	if (h->d.ctx)
		wl_destroy(h->type, &h->w, &h->d);
	lsched_close(&h->d.ctx);
}
