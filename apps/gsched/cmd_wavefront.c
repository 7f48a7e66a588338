/* gsched wavefront: macroblock-like tasks. The warm-up start looks at the order of the tasks, too. */
#include "apps/gsched/commands.h"
#include "apps/gsched/loads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int prepare(
	gs_load *l, gs_device *d, uint32_t start, uint32_t workers, char *why, size_t why_bytes)
{
	gswave_ctx *c = l->ctx;
	(void)workers;

	c->check = start == 0;
	if (start == 0 && device_zero(d, c->mark, (size_t)l->tasks * sizeof(*c->mark))) {
		snprintf(why, why_bytes, "memory cannot be cleared");
		return -1;
	}
	return 0;
}

/* Every task has left its mark. That each found those of its predecessors, it has seen itself. */
static int check(gs_load *l, gs_device *d, uint32_t start, const lsched_stats *s, char *why,
	size_t why_bytes)
{
	const gswave_ctx *c = l->ctx;
	uint32_t *mark, missing = 0;

	(void)s;
	if (start > 0)
		return 0;
	mark = malloc((size_t)l->tasks * sizeof(*mark));
	if (!mark || device_read(d, mark, c->mark, (size_t)l->tasks * sizeof(*mark))) {
		free(mark);
		snprintf(why, why_bytes, "the marks cannot be read");
		return -1;
	}
	for (uint32_t i = 0; i < l->tasks; i++)
		missing += mark[i] != c->check;
	free(mark);
	if (missing)
		snprintf(why, why_bytes, "%u tasks left no mark", missing);
	return missing ? -1 : 0;
}

static int create(gs_load *l, gs_device *d, const gs_options *o, char *msg, size_t msg_bytes)
{
	h264i_qparams none;
	h264i_geom g;
	gswave_ctx *c = calloc(1, sizeof(*c));

	l->ctx = c;
	if (!c) {
		snprintf(msg, msg_bytes, "out of memory");
		return -1;
	}
	memset(&none, 0, sizeof(none));
	memset(&g, 0, sizeof(g));
	g.mb_width = o->size.width;
	g.mb_height = o->size.height;
	g.slices = o->slices;
	c->order = h264i_wave_ctx_make(&g, &none);
	c->order.frames = o->frames;
	c->length.law = (uint32_t)o->law;
	c->length.steps = o->work;
	c->length.seed = load_hash(o->seed);
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

int command_wavefront(const gs_options *o, logger *log)
{
	return command_measure(GS_WAVEFRONT, &wavefront_load_type, o, log);
}
