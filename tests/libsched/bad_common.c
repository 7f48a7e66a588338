/* A context, a graph and a run for the tests of bad use. */
#include <stdlib.h>
#include <string.h>
#include "tests/libsched/bad_common.h"
#include "tests/common/sched_setup.h"

bad_setting bad_place;

int bad_open(bad *b, uint32_t w, uint32_t h, const lsched_run_options *o)
{
	lsched_csr_edge e[2 * BAD_TASKS_MOST];
	lsched_run_options ro = *o;
	size_t n = 0;

	memset(b, 0, sizeof(*b));
	if (w * h > BAD_TASKS_MOST)
		return 0;
	for (uint32_t t = 0; t < w * h; t++) {
		if (t % w + 1 < w) {
			e[n].from = t;
			e[n++].to = t + 1;
		}
		if (t / w + 1 < h) {
			e[n].from = t;
			e[n++].to = t + w;
		}
	}
	if (test_open(&b->ctx, bad_place.backend, bad_place.workers) ||
		lsched_csr_from_edges(&b->g, b->ctx, w * h, e, n) != LSCHED_OK ||
		lsched_mem_alloc_array(b->ctx, (void **)&b->c.runs, w * h, 4) != LSCHED_OK)
		return 0;
	b->c.graph = *lsched_csr_get(b->g);
	b->c.gate = bad_place.gate;
	for (int k = 0; k < 3 && b->c.gate; k++) /* tasks of an earlier test may still use it */
		lsched_st(&b->c.gate[k], 0u, rlx, dev);
	if (!b->c.gate && lsched_mem_alloc_array(b->ctx, (void **)&b->c.gate, 3, 4) != LSCHED_OK)
		return 0;
	b->c.act_task = b->c.lie_task = LSCHED_NONE;
	ro.max_tasks = w * h;
	ro.overflow = LSCHED_OVERFLOW_INLINE;
	return lsched_run_create(&b->run, b->ctx, bad_place.program, &ro) == LSCHED_OK;
}

void bad_close(bad *b)
{
	lsched_run_destroy(&b->run);
	lsched_csr_destroy(&b->g);
	lsched_mem_free(b->ctx, b->c.runs);
	if (!bad_place.gate)
		lsched_mem_free(b->ctx, b->c.gate);
	lsched_close(&b->ctx);
}

lsched_status bad_once(bad *b)
{
	if (lsched_mem_zero(b->ctx, b->c.runs, (size_t)b->c.graph.tasks * 4) != LSCHED_OK ||
		lsched_run_start(b->run, &b->c, b->c.graph.tasks, NULL) != LSCHED_OK)
		return BAD_NOT_STARTED;
	return lsched_run_finish(b->run, NULL);
}

uint32_t bad_wrong(const bad *b)
{
	const uint32_t tasks = b->c.graph.tasks;
	uint32_t n = 0, runs[BAD_TASKS_MOST];

	if (lsched_mem_read(b->ctx, runs, b->c.runs, (size_t)tasks * 4) != LSCHED_OK)
		return LSCHED_NONE;
	for (uint32_t t = 0; t < tasks; t++)
		n += runs[t] != 1;
	return n;
}

int bad_good_again(bad *b)
{
	b->c.act = BAD_NOTHING;
	b->c.lie_task = LSCHED_NONE;
	for (int k = 0; k < 3; k++)
		if (bad_once(b) != LSCHED_OK || bad_wrong(b) != 0)
			return 0;
	return 1;
}
