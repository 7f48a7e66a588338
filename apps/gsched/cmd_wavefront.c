/* gsched wavefront: tasks with the dependencies of macroblocks. The warm-up execution checks the
 * order of the tasks, too. */
#include "apps/gsched/commands.h"
#include "apps/gsched/load_host.h"
#include "apps/gsched/loads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int prepare(
	gs_load *l, gs_device *d, uint32_t execution, uint32_t workers, char *why, size_t why_bytes)
{
	gswave_ctx *c = l->ctx;
	(void)workers;

	c->check = execution == 0;
	if (execution > 0)
		return 0;
	return host_clear(d, c->mark, (size_t)l->tasks * sizeof(*c->mark), why, why_bytes);
}

/* Checks that each task of the warm-up execution has left its mark. The task itself has checked the
 * marks of its predecessors. */
static int check(gs_load *l, gs_device *d, uint32_t execution, const lsched_stats *s, char *why,
	size_t why_bytes)
{
	const gswave_ctx *c = l->ctx;
	uint32_t *mark, missing = 0;

	(void)s;
	if (execution > 0)
		return 0;
	mark = host_copy(d, c->mark, (size_t)l->tasks * sizeof(*mark), why, why_bytes);
	if (!mark)
		return -1;
	for (uint32_t i = 0; i < l->tasks; i++)
		missing += mark[i] != c->check;
	free(mark);
	if (missing)
		snprintf(why, why_bytes, "%u of %u tasks did not run", missing, l->tasks);
	return missing ? -1 : 0;
}

static int create(gs_load *l, gs_device *d, const gs_options *o, char *msg, size_t msg_bytes)
{
	h264i_geom g;
	gswave_ctx *c = host_alloc(sizeof(*c), msg, msg_bytes);

	l->ctx = c;
	if (!c)
		return -1;
	memset(&g, 0, sizeof(g));
	g.mb_width = o->size.width;
	g.mb_height = o->size.height;
	g.slices = o->slices;
	c->order = h264i_wave_ctx_make(&g, NULL);
	c->order.frames = o->frames;
	c->length = host_length(o, load_hash(o->seed));
	l->name = "wavefront";
	l->cpu = &gswave_cpu_program;
	l->cuda = LOAD_CUDA(gswave_cuda_program);
	l->tasks = mbrule_tasks(&c->order);
	l->expected = l->tasks;
	l->uses_schemes = 1;
	l->prepare = prepare;
	l->check = check;
	c->mark = device_alloc(d, (size_t)l->tasks * sizeof(*c->mark), msg, msg_bytes);
	c->sink = c->mark ? device_alloc(d, sizeof(*c->sink), msg, msg_bytes) : NULL;
	return c->sink ? 0 : -1;
}

static void destroy(gs_load *l, gs_device *d)
{
	gswave_ctx *c = l->ctx;

	if (c) {
		device_free(d, c->mark);
		device_free(d, c->sink);
	}
	free(c);
	l->ctx = NULL;
}

const gs_load_type wavefront_load_type = { create, destroy };
