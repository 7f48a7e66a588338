/* Memory and runs of split and dice alone. */
#include <config.h>
#include "reyes/alone/alone.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	if (st != LSCHED_OK)
		snprintf(
			a->error, sizeof(a->error), "%s", why && *why ? why : lsched_strstatus(st));
	return st;
}

lsched_status reyes_i_alone_cuda_failed(reyes_i_alone *a, const char *why)
{
	if (!why)
		return LSCHED_OK;
	snprintf(a->error, sizeof(a->error), "CUDA: %s", why);
	return LSCHED_ERR_DEVICE;
}

/* Replaces an array by one with room for `count` elements. */
static lsched_status reserve(
	reyes_i_alone *a, enum reyes_i_alone_array k, size_t count, size_t element_bytes)
{
	lsched_mem_free(a->ctx, a->array[k]);
	a->array[k] = NULL;
	return reyes_i_alone_failed(a,
		lsched_mem_alloc_array(a->ctx, &a->array[k], count ? count : 1, element_bytes),
		lsched_last_error(a->ctx));
}

static lsched_status upload(reyes_i_alone *a, enum reyes_i_alone_array k, const void *from,
	size_t count, size_t element_bytes)
{
	lsched_status st = reserve(a, k, count, element_bytes);

	if (st == LSCHED_OK && count)
		st = reyes_i_alone_failed(a,
			lsched_mem_write(a->ctx, a->array[k], from, count * element_bytes),
			lsched_last_error(a->ctx));
	return st;
}

#define UPLOAD(k, name)                                                                          \
	(st == LSCHED_OK ? (st = upload(                                                         \
				    a, (k), f->name.list, f->name.count, sizeof(*f->name.list))) \
			 : st)

/* Copies what split and dice read. */
static lsched_status upload_frame(reyes_i_alone *a, const reyes_i_frame *f)
{
	reyes_i_view *v = &a->c.view;
	lsched_status st = LSCHED_OK;

	UPLOAD(REYES_I_ALONE_A_PRIMS, prims);
	UPLOAD(REYES_I_ALONE_A_ATTRS, attrs);
	UPLOAD(REYES_I_ALONE_A_SHADERS, shaders);
	UPLOAD(REYES_I_ALONE_A_LIGHTS, lights);
	UPLOAD(REYES_I_ALONE_A_FLOATS, floats);
	UPLOAD(REYES_I_ALONE_A_WORDS, words);
	memset(v, 0, sizeof(*v));
	v->prims = a->array[REYES_I_ALONE_A_PRIMS];
	v->attrs = a->array[REYES_I_ALONE_A_ATTRS];
	v->shaders = a->array[REYES_I_ALONE_A_SHADERS];
	v->lights = a->array[REYES_I_ALONE_A_LIGHTS];
	v->floats = a->array[REYES_I_ALONE_A_FLOATS];
	v->words = a->array[REYES_I_ALONE_A_WORDS];
	v->prim_count = (uint32_t)f->prims.count;
	v->surface_count = f->surface_count;
	v->camera = f->camera;
	return st;
}

/* Makes room for the results. */
lsched_status reyes_i_alone_reserve(reyes_i_alone *a, uint32_t grids, uint32_t places)
{
	lsched_status st = LSCHED_OK;

	if (grids > a->c.list_max || !a->array[REYES_I_ALONE_A_GRIDS]) {
		a->c.list_max = 0;
		st = reserve(a, REYES_I_ALONE_A_GRIDS, grids, sizeof(*a->c.list));
		a->c.list = a->array[REYES_I_ALONE_A_GRIDS];
		a->c.list_max = st == LSCHED_OK ? grids : 0;
	}
	if (st == LSCHED_OK && (places > a->c.points_max || !a->array[REYES_I_ALONE_A_POINTS])) {
		a->c.points_max = 0;
		st = reserve(
			a, REYES_I_ALONE_A_POINTS, places, REYES_I_ALONE_FLOATS * sizeof(float));
		a->c.points = a->array[REYES_I_ALONE_A_POINTS];
		a->c.points_max = st == LSCHED_OK ? places : 0;
	}
	return st;
}

lsched_status reyes_i_alone_open(reyes_i_alone **out, lsched_ctx *ctx, const reyes_i_frame *f,
	char *message, size_t message_bytes)
{
	reyes_i_alone *a = calloc(1, sizeof(*a));
	lsched_status st;

	*out = NULL;
	if (!a) {
		snprintf(message, message_bytes, "out of memory");
		return LSCHED_ERR_NOMEM;
	}
	a->ctx = ctx;
	st = LSCHED_OK;
	if (lsched_ctx_backend(ctx) == LSCHED_BACKEND_CUDA)
		st = reyes_i_alone_cuda_failed(
			a, reyes_i_alone_cuda_open(&a->cuda, lsched_ctx_device(ctx)));
	if (st == LSCHED_OK)
		st = upload_frame(a, f);
	if (st == LSCHED_OK)
		st = reserve(a, REYES_I_ALONE_A_USED, 1, sizeof(*a->c.used));
	if (st == LSCHED_OK)
		st = reyes_i_alone_reserve(a, LEAST_GRIDS, LEAST_PLACES);
	a->c.used = a->array[REYES_I_ALONE_A_USED];
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
	for (int k = 0; k < REYES_I_ALONE_ARRAYS; k++)
		lsched_mem_free(a->ctx, a->array[k]);
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
	if (o->form == REYES_I_ALONE_TASKS && prims > REYES_I_ALONE_PRIMS_MAX) {
		snprintf(a->error, sizeof(a->error),
			"the form tasks has words for %d primitives, the scene has %u; select "
			"another form or scene",
			REYES_I_ALONE_PRIMS_MAX, prims);
		return LSCHED_ERR_UNSUPPORTED;
	}
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
	return reyes_i_alone_failed(a, st, lsched_last_error(a->ctx));
}

lsched_status reyes_i_alone_read(reyes_i_alone *a, reyes_i_alone_grid **list, uint32_t *grids,
	float **points, size_t *stride)
{
	const size_t list_bytes = a->grids * sizeof(**list);
	const size_t point_bytes = (size_t)a->c.points_max * REYES_I_ALONE_FLOATS * sizeof(float);
	lsched_status st = LSCHED_OK;

	*grids = a->grids;
	if (list) {
		*list = malloc(list_bytes ? list_bytes : 1);
		st = !*list ? LSCHED_ERR_NOMEM
			    : lsched_mem_read(a->ctx, *list, a->c.list, list_bytes);
	}
	if (points && st == LSCHED_OK) {
		*stride = a->c.points_max;
		*points = malloc(point_bytes);
		st = !*points ? LSCHED_ERR_NOMEM
			      : lsched_mem_read(a->ctx, *points, a->c.points, point_bytes);
		if (st != LSCHED_OK) {
			free(*points);
			*points = NULL;
		}
	}
	if (list && st != LSCHED_OK) {
		free(*list);
		*list = NULL;
	}
	return reyes_i_alone_failed(a, st, lsched_strstatus(st));
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
