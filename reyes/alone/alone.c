/* Memory and runs of split and dice alone. */
#include <config.h>
#include "libsched/core/say.h"
#include "reyes/alone/alone.h"
#include <stdio.h>
#include <stdlib.h>
#include "reyes/alone/parts.h"

enum { LEAST_GRIDS = 1 << 12, LEAST_PLACES = 1 << 20, TASKS_CAPACITY = 1 << 20 };

extern const lsched_program reyes_i_alone_list_cpu_program, reyes_i_alone_items_cpu_program,
	reyes_i_alone_tasks_cpu_program;
#ifdef HAVE_CUDA
extern const lsched_program reyes_i_alone_list_cuda_program, reyes_i_alone_items_cuda_program,
	reyes_i_alone_tasks_cuda_program;
#endif

const char *reyes_i_alone_form_name(reyes_i_alone_form form)
{
	static const char *const names[REYES_I_ALONE_FORMS] = { "list", "items", "tasks" };

	return (unsigned)form < REYES_I_ALONE_FORMS ? names[form] : NULL;
}

static const lsched_program *program_of(const reyes_i_alone *a, reyes_i_alone_form form)
{
	static const lsched_program *const cpu[REYES_I_ALONE_FORMS] = {
		&reyes_i_alone_list_cpu_program, &reyes_i_alone_items_cpu_program,
		&reyes_i_alone_tasks_cpu_program
	};
#ifdef HAVE_CUDA
	static const lsched_program *const cuda[REYES_I_ALONE_FORMS] = {
		&reyes_i_alone_list_cuda_program, &reyes_i_alone_items_cuda_program,
		&reyes_i_alone_tasks_cuda_program
	};

	if (a->cuda)
		return cuda[form];
#endif
	return a->replaced[form] ? a->replaced[form] : cpu[form];
}

void reyes_i_alone_replace(reyes_i_alone *a, reyes_i_alone_form form, const lsched_program *program)
{
	a->replaced[form] = program;
}

const char *reyes_i_alone_error(const reyes_i_alone *a)
{
	return a->error;
}

lsched_status reyes_i_alone_failed(reyes_i_alone *a, lsched_status st, const char *why)
{
	if (!why)
		why = lsched_last_error(a->ctx);
	if (st != LSCHED_OK)
		snprintf(a->error, sizeof(a->error), "%s", *why ? why : lsched_strstatus(st));
	return st;
}

lsched_status reyes_i_alone_cuda_failed(reyes_i_alone *a, const char *why)
{
	if (!why)
		return LSCHED_OK;
	return lsched_i_say(LSCHED_ERR_DEVICE, a->error, sizeof(a->error), "CUDA: %s", why);
}

lsched_status reyes_i_alone_reserve(reyes_i_alone *a, uint32_t grids, uint32_t places)
{
	reyes_i_alone_ctx *c = &a->c;
	lsched_status st = LSCHED_OK;

	if (grids > c->list_max) {
		st = reyes_i_memory_reserve(a->ctx, &a->grid_list, grids, sizeof(*c->list));
		c->list = a->grid_list.list;
		c->list_max = st == LSCHED_OK ? grids : 0;
	}
	if (st == LSCHED_OK && places > c->points_max) {
		st = reyes_i_memory_reserve(
			a->ctx, &a->points, places, REYES_I_ALONE_FLOATS * sizeof(float));
		c->points = a->points.list;
		c->points_max = st == LSCHED_OK ? places : 0;
	}
	return reyes_i_alone_failed(a, st, NULL);
}

lsched_status reyes_i_alone_open(reyes_i_alone **out, lsched_ctx *ctx, const reyes_i_frame *f,
	char *message, size_t message_bytes)
{
	reyes_i_alone *a = calloc(1, sizeof(*a));
	lsched_status st;

	*out = NULL;
	if (!a)
		return lsched_i_say(LSCHED_ERR_NOMEM, message, message_bytes, "out of memory");
	a->ctx = ctx;
	st = LSCHED_OK;
	if (lsched_ctx_backend(ctx) == LSCHED_BACKEND_CUDA)
		st = reyes_i_alone_cuda_failed(
			a, reyes_i_alone_cuda_open(&a->cuda, lsched_ctx_device(ctx)));
	a->c.view = reyes_i_view_of(f);
	if (st == LSCHED_OK)
		st = reyes_i_alone_failed(a,
			reyes_i_memory_write_frame(ctx, a->frame, f, REYES_I_FRESH_ALL, &a->c.view),
			NULL);
	if (st == LSCHED_OK)
		st = reyes_i_alone_failed(
			a, reyes_i_memory_reserve(ctx, &a->used, 1, sizeof(*a->c.used)), NULL);
	if (st == LSCHED_OK)
		st = reyes_i_alone_reserve(a, LEAST_GRIDS, LEAST_PLACES);
	a->c.used = a->used.list;
	if (st != LSCHED_OK) {
		snprintf(message, message_bytes, "%s", a->error);
		reyes_i_alone_close(&a);
	}
	*out = a;
	return st;
}

void reyes_i_alone_close(reyes_i_alone **pa)
{
	reyes_i_alone *a = *pa;

	if (!a)
		return;
	lsched_run_destroy(&a->run);
	lsched_run_destroy(&a->dice);
	reyes_i_alone_cuda_close(&a->cuda);
	for (int k = 0; k < REYES_I_FRAME_ARRAY_COUNT; k++)
		reyes_i_memory_free(a->ctx, a->frame + k);
	reyes_i_memory_free(a->ctx, &a->used);
	reyes_i_memory_free(a->ctx, &a->grid_list);
	reyes_i_memory_free(a->ctx, &a->points);
	free(a);
	*pa = NULL;
}

lsched_status reyes_i_alone_prepare(reyes_i_alone *a, const reyes_i_alone_options *o)
{
	const uint32_t prims = a->c.view.prim_count;
	lsched_run_options ro;
	lsched_status st;

	lsched_run_destroy(&a->run);
	a->o = *o;
	if (o->form == REYES_I_ALONE_TASKS && prims > REYES_I_ALONE_PRIMS_MAX)
		return lsched_i_say(LSCHED_ERR_UNSUPPORTED, a->error, sizeof(a->error),
			"the form tasks has words for %d primitives, the scene has %u; select "
			"another form or scene",
			REYES_I_ALONE_PRIMS_MAX, prims);
	lsched_run_options_init(&ro);
	ro.queue = o->queue;
	ro.overflow = o->overflow;
	ro.max_tasks = prims ? prims : 1;
	ro.workers = o->workers;
	ro.bin_size = o->bin_size;
	ro.queue_capacity = o->queue_capacity;
	if (o->form == REYES_I_ALONE_TASKS) {
		ro.never_keep = o->never_keep;
		if (!ro.queue_capacity)
			ro.queue_capacity = TASKS_CAPACITY;
		if (!ro.bin_size)
			ro.bin_size = 1024;
	} else if (!ro.bin_size) {
		ro.bin_size = 256;
	}
	a->bin_size = 2;
	while (a->bin_size < ro.bin_size)
		a->bin_size *= 2;
	st = lsched_run_create(&a->run, a->ctx, program_of(a, o->form), &ro);
	return reyes_i_alone_failed(a, st, NULL);
}

/* Copies an array to the host; *to is NULL after a failure. */
static lsched_status copied(reyes_i_alone *a, const void *from, size_t bytes, void **to)
{
	lsched_status st;

	*to = malloc(bytes ? bytes : 1);
	st = !*to ? LSCHED_ERR_NOMEM : lsched_mem_read(a->ctx, *to, from, bytes);
	if (st != LSCHED_OK) {
		free(*to);
		*to = NULL;
	}
	return reyes_i_alone_failed(a, st, "");
}

lsched_status reyes_i_alone_read(reyes_i_alone *a, reyes_i_alone_grid **list, uint32_t *grids,
	float **points, size_t *stride)
{
	const size_t point_bytes = (size_t)a->c.points_max * REYES_I_ALONE_FLOATS * sizeof(float);
	void *g = NULL, *p = NULL;
	lsched_status st = LSCHED_OK;

	*grids = a->grids;
	if (list)
		st = copied(a, a->c.list, a->grids * sizeof(**list), &g);
	if (points && st == LSCHED_OK) {
		*stride = a->c.points_max;
		st = copied(a, a->c.points, point_bytes, &p);
		*points = p;
	}
	if (list && st != LSCHED_OK) {
		free(g);
		g = NULL;
	}
	if (list)
		*list = g;
	return st;
}

lsched_status reyes_i_alone_count(reyes_i_alone *a, uint64_t *micropolygons, uint64_t *points)
{
	reyes_i_alone_grid *list;
	uint32_t grids;
	const lsched_status st = reyes_i_alone_read(a, &list, &grids, NULL, NULL);

	*micropolygons = *points = 0;
	if (st != LSCHED_OK)
		return st;
	for (uint32_t k = 0; k < grids; k++) {
		const reyes_i_grid *g = &list[k].grid;

		*micropolygons += (uint64_t)g->nu * g->nv;
		*points += (g->nu + 1u) * (g->nv + 1u);
	}
	free(list);
	return LSCHED_OK;
}
