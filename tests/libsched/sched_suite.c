/* What the suites of libsched share: the graph and its checks, queues and schemes, memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/common/host_memory.h"
#include "tests/libsched/sched_suite.h"

suite_place place;

int suite_way(uint32_t way, lsched_run_options *o)
{
	lsched_run_options_init(o);
	if (way < LSCHED_QUEUE_COUNT) {
		o->scheme = LSCHED_SCHEME_DYNAMIC;
		o->queue = (lsched_queue)way;
		return 1;
	}
	o->scheme = way == LSCHED_QUEUE_COUNT       ? LSCHED_SCHEME_STATIC
		    : way == LSCHED_QUEUE_COUNT + 1 ? LSCHED_SCHEME_EPOCH
						    : LSCHED_SCHEME_SYNC;
	return way <= LSCHED_QUEUE_COUNT + 2;
}

int suite_queue(uint32_t q, lsched_run_options *o)
{
	return suite_way(q, o) && o->scheme == LSCHED_SCHEME_DYNAMIC;
}

int suite_leaves_out(size_t k)
{
	return place.scale > 4 && !test_full() && k % 2;
}

const char *suite_way_name(const lsched_run_options *o)
{
	return o->scheme == LSCHED_SCHEME_DYNAMIC ? lsched_queue_name(o->queue)
						  : lsched_scheme_name(o->scheme);
}

int suite_refused(lsched_status st, const char *text)
{
	return st == LSCHED_ERR_ARG && strstr(text, "resident") != NULL;
}

uint32_t suite_roots(const lsched_run_options *o, uint32_t roots)
{
	return lsched_i_queue_has((uint32_t)o->queue, LSCHED_I_CAP_SORTED) ? 0 : roots;
}

int graph_open(graph *g, uint32_t w, uint32_t h, uint32_t slices, uint32_t frames)
{
	memset(g, 0, sizeof(*g));
	g->c.w = w;
	g->c.h = h;
	g->c.slices = slices;
	g->c.frames = frames;
	g->c.fail_task = g->c.hang_task = g->c.mute_task = LSCHED_NONE;
	g->tasks = w * h * frames;
	g->c.value = (uint32_t *)place.alloc((size_t)g->tasks * place.lanes * 4);
	g->c.runs = (uint32_t *)place.alloc((size_t)g->tasks * 4);
	g->c.sink = (uint32_t *)place.alloc(3 * 4);
	graph_renew(g);
	return g->c.value && g->c.runs && g->c.sink;
}

void graph_close(graph *g)
{
	place.release(g->c.value);
	place.release(g->c.runs);
	place.release(g->c.sink);
}

void graph_run_close(lsched_run **run, graph *g)
{
	lsched_run_destroy(run);
	graph_close(g);
}

void graph_renew(graph *g)
{
	g->c.salt += 100000;
	place.zero(g->c.runs, (size_t)g->tasks * 4);
}

uint32_t graph_wrong(const graph *g)
{
	const size_t lanes = place.lanes;
	uint32_t *value = (uint32_t *)malloc(g->tasks * lanes * 4),
		 *runs = (uint32_t *)malloc(g->tasks * 4);
	uint32_t wrong = 0;

	if (!value || !runs) {
		free(value);
		free(runs);
		return g->tasks;
	}
	place.read(value, g->c.value, g->tasks * lanes * 4);
	place.read(runs, g->c.runs, (size_t)g->tasks * 4);
	for (uint32_t t = 0; t < g->tasks; t++) {
		int bad = runs[t] != 1;

		for (size_t k = 0; k < lanes; k++)
			bad |= value[t * lanes + k] != graph_value(&g->c, t);
		wrong += (uint32_t)bad;
	}
	free(value);
	free(runs);
	return wrong;
}

void *suite_stream(const lsched_run_options *o, uint32_t i)
{
	if (o->scheme == LSCHED_SCHEME_DYNAMIC &&
		lsched_i_queue_has((uint32_t)o->queue, LSCHED_I_CAP_ROUNDS))
		return NULL;
	return place.stream(i);
}

lsched_status graph_once(
	graph *g, const lsched_run_options *o, lsched_stats *s, char *text, size_t bytes)
{
	lsched_run_options ro = *o;
	lsched_run *run;
	lsched_status st;

	if (ro.max_tasks == 0)
		ro.max_tasks = g->tasks;
	st = lsched_run_create(&run, place.ctx, place.graph, &ro);
	if (text && bytes)
		snprintf(text, bytes, "%s", st ? lsched_last_error(place.ctx) : "");
	if (st)
		return st;
	st = lsched_run_start(run, &g->c, g->tasks, suite_stream(&ro, 0));
	if (st == LSCHED_OK)
		st = lsched_run_finish(run, s);
	if (text && bytes)
		snprintf(text, bytes, "%s", lsched_run_error(run));
	lsched_run_destroy(&run);
	return st;
}

static void *default_stream(uint32_t i)
{
	(void)i;
	return NULL;
}

void suite_use_host_memory(void)
{
	place.alloc = host_alloc;
	place.release = free;
	place.zero = host_zero;
	place.read = host_read;
	place.stream = default_stream;
}

static void *context_alloc(size_t bytes)
{
	void *p = NULL;

	(void)lsched_mem_alloc(place.ctx, &p, bytes);
	return p;
}

static void context_release(void *p)
{
	lsched_mem_free(place.ctx, p);
}

static void context_zero(void *p, size_t bytes)
{
	(void)lsched_mem_zero(place.ctx, p, bytes);
}

static void context_read(void *to, const void *from, size_t bytes)
{
	(void)lsched_mem_read(place.ctx, to, from, bytes);
}

void suite_use_context_memory(void)
{
	place.alloc = context_alloc;
	place.release = context_release;
	place.zero = context_zero;
	place.read = context_read;
	place.stream = default_stream;
}

int suite_run(CU_SuiteInfo *suites, const uint32_t *workers, size_t worker_counts)
{
	int rc;

	place.workers = workers;
	place.worker_counts = worker_counts;
	rc = test_run(suites);
	lsched_close(&place.ctx);
	return rc;
}
