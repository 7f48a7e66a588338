/* Memory of a frame on a backend: the scene, and the canvas of a bucket of the picture. */
#include <config.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "reyes/render/engine_state.h"
#include "reyes/render/features.h"
#include "reyes/render/tables.h"

/* Primitives from which a bucket drops those outside of it by their stored bounds. */
enum { BOUNDS_LEAST = 4096 };

/* Makes room for an array; its contents are undefined. */
static lsched_status reserve(
	reyes_i_engine *e, enum reyes_i_memory_number a, uint64_t count, size_t element_bytes)
{
	lsched_status st;

	if (count * element_bytes <= e->room[a] && e->array[a])
		return LSCHED_OK;
	lsched_mem_free(e->ctx, e->array[a]);
	e->array[a] = NULL;
	e->room[a] = 0;
	st = lsched_mem_alloc_array(e->ctx, &e->array[a], (size_t)count, element_bytes);
	if (st == LSCHED_OK)
		e->room[a] = (size_t)count * element_bytes;
	return st;
}

static lsched_status upload(reyes_i_engine *e, enum reyes_i_memory_number a, const void *from,
	size_t count, size_t element_bytes)
{
	lsched_status st = reserve(e, a, count, element_bytes);

	if (st == LSCHED_OK && count)
		st = lsched_mem_write(e->ctx, e->array[a], from, count * element_bytes);
	return st;
}

#define UPLOAD(a, name)                                                                          \
	(st == LSCHED_OK ? (st = upload(                                                         \
				    e, (a), f->name.list, f->name.count, sizeof(*f->name.list))) \
			 : st)

/* Copies the scene to the device, unless it is there already. */
static lsched_status upload_frame(
	reyes_i_engine *e, const reyes_i_frame *f, int fresh, reyes_i_view *v)
{
	lsched_status st = LSCHED_OK;

	if (fresh == REYES_I_FRESH_ALL) {
		UPLOAD(REYES_I_MEM_PRIMS, prims);
		UPLOAD(REYES_I_MEM_ATTRS, attrs);
		UPLOAD(REYES_I_MEM_SHADERS, shaders);
		UPLOAD(REYES_I_MEM_VARS, vars);
		UPLOAD(REYES_I_MEM_SOLIDS, solids);
		UPLOAD(REYES_I_MEM_WORDS, words);
		UPLOAD(REYES_I_MEM_TEXELS, texels);
	}
	if (fresh != REYES_I_FRESH_NOTHING) {
		UPLOAD(REYES_I_MEM_LIGHTS, lights);
		UPLOAD(REYES_I_MEM_TEXTURES, textures);
		UPLOAD(REYES_I_MEM_FLOATS, floats);
	}
	v->prims = e->array[REYES_I_MEM_PRIMS];
	v->attrs = e->array[REYES_I_MEM_ATTRS];
	v->shaders = e->array[REYES_I_MEM_SHADERS];
	v->lights = e->array[REYES_I_MEM_LIGHTS];
	v->vars = e->array[REYES_I_MEM_VARS];
	v->textures = e->array[REYES_I_MEM_TEXTURES];
	v->solids = e->array[REYES_I_MEM_SOLIDS];
	v->floats = e->array[REYES_I_MEM_FLOATS];
	v->words = e->array[REYES_I_MEM_WORDS];
	v->texels = e->array[REYES_I_MEM_TEXELS];
	return st;
}

/* Moves a pointer into the host's tables to the device's copy. */
static const void *moved(const reyes_i_engine *e, const reyes_i_tables *t, const void *p)
{
	return (const char *)e->array[REYES_I_MEM_TABLES] +
	       ((const char *)p - (const char *)t->memory);
}

/* Makes the tables of the hider, unless they are there already. */
static lsched_status upload_tables(reyes_i_engine *e, const reyes_i_camera *c, reyes_i_stage *s)
{
	const reyes_i_tables_key key = { c->samples_x, c->samples_y, c->jitter, c->filter,
		{ c->filter_width[0], c->filter_width[1] } };
	reyes_i_tables t;
	lsched_status st = LSCHED_OK;

	if (memcmp(&key, &e->tables_key, sizeof(key)) != 0) {
		memset(&e->tables_key, 0, sizeof(e->tables_key));
		switch (reyes_i_tables_make(&t, c, e->cancelled)) {
		case REYES_I_TABLES_NOMEM:
			return LSCHED_ERR_NOMEM;
		case REYES_I_TABLES_CANCELLED:
			return LSCHED_ERR_CANCELLED;
		default:
			break;
		}
		st = upload(e, REYES_I_MEM_TABLES, t.memory, t.bytes, 1);
		e->pattern = t.pattern;
		e->pattern.places = moved(e, &t, t.pattern.places);
		e->pattern.group_of = moved(e, &t, t.pattern.group_of);
		e->pattern.sample_of = moved(e, &t, t.pattern.sample_of);
		e->pattern.lens_cell = moved(e, &t, t.pattern.lens_cell);
		e->pattern.lens_box = moved(e, &t, t.pattern.lens_box);
		e->weights = t.weights;
		e->weights.x = moved(e, &t, t.weights.x);
		e->weights.y = moved(e, &t, t.weights.y);
		e->weights.inv_total = moved(e, &t, t.weights.inv_total);
		free(t.memory);
		if (st == LSCHED_OK)
			e->tables_key = key;
	}
	s->canvas.pattern = e->pattern;
	s->weights = e->weights;
	return st;
}

/* The limit of the options, else half of the machine's memory on the CPU, where a larger
 * reservation would end the process; a device refuses by itself. */
static uint64_t memory_limit(const reyes_i_engine *e)
{
	const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

	if (e->options.memory_bytes)
		return e->options.memory_bytes;
	return !e->cuda && pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes / 2
						       : 0;
}

static uint64_t scene_bytes(const reyes_i_frame *f)
{
	return f->prims.count * sizeof(*f->prims.list) + f->attrs.count * sizeof(*f->attrs.list) +
	       f->shaders.count * sizeof(*f->shaders.list) +
	       f->lights.count * sizeof(*f->lights.list) +
	       f->solids.count * sizeof(*f->solids.list) + f->vars.count * sizeof(*f->vars.list) +
	       f->textures.count * sizeof(*f->textures.list) +
	       f->floats.count * sizeof(*f->floats.list) + f->words.count * sizeof(*f->words.list) +
	       f->texels.count * sizeof(*f->texels.list);
}

lsched_status reyes_i_engine_load(reyes_i_engine *e, reyes_i_job *job, int fresh)
{
	const reyes_i_camera *c = &job->frame->camera;
	const uint64_t pixels = (uint64_t)(c->crop_x1 - c->crop_x0) * (c->crop_y1 - c->crop_y0);
	reyes_i_stage *s = &job->stage;
	lsched_status st = LSCHED_OK;

	job->lists = reyes_i_has_lists(job->frame);
	job->has_opaque = reyes_i_has_opaque(job->frame);
	job->moves = reyes_i_has_motion(job->frame);
	s->canvas.details = reyes_i_has_details(job->frame);
	s->mirrors = reyes_i_has_mirrors(job->frame);
	job->limit = memory_limit(e);
	s->view = reyes_i_view_of(job->frame); /* on the CPU the stages read the frame itself */
	if (e->cuda)
		st = upload_frame(e, job->frame, fresh, &s->view);
	if (st == LSCHED_OK)
		st = upload_tables(e, c, s);
	if (st != LSCHED_OK)
		return st;
	job->fixed =
		scene_bytes(job->frame) + e->room[REYES_I_MEM_TABLES] + pixels * 5 * sizeof(float);
	if (job->frame->prims.count >= BOUNDS_LEAST)
		job->fixed += job->frame->prims.count * sizeof(reyes_i_bounds);
	if (job->limit && job->fixed > job->limit)
		return LSCHED_OK; /* reyes_i_render_buckets reports it */
	s->picture_x = c->crop_x0;
	s->picture_y = c->crop_y0;
	s->pitch = c->crop_x1 - c->crop_x0;
	if (job->frame->prims.count >= BOUNDS_LEAST)
		st = reserve(
			e, REYES_I_MEM_BOUNDS, job->frame->prims.count, sizeof(reyes_i_bounds));
	if (st == LSCHED_OK)
		st = reserve(e, REYES_I_MEM_RGBA, pixels * 4, sizeof(float));
	if (st == LSCHED_OK)
		st = reserve(e, REYES_I_MEM_Z, pixels, sizeof(float));
	s->rgba = e->array[REYES_I_MEM_RGBA];
	s->z = e->array[REYES_I_MEM_Z];
	s->bounds = job->frame->prims.count >= BOUNDS_LEAST ? e->array[REYES_I_MEM_BOUNDS] : NULL;
	return st;
}

/* Sets the canvas to the pixels of a bucket and the filter's margin. */
static void place_canvas(reyes_i_job *job, const reyes_i_area *bucket)
{
	const uint32_t mx = job->stage.weights.margin_x, my = job->stage.weights.margin_y;
	reyes_i_camera *camera = &job->stage.view.camera;
	reyes_i_canvas *v = &job->stage.canvas;

	camera->crop_x0 = bucket->x0;
	camera->crop_x1 = bucket->x1;
	camera->crop_y0 = bucket->y0;
	camera->crop_y1 = bucket->y1;
	v->x0 = (int32_t)bucket->x0 - (int32_t)mx;
	v->y0 = (int32_t)bucket->y0 - (int32_t)my;
	v->width = bucket->x1 - bucket->x0 + 2 * mx;
	v->height = bucket->y1 - bucket->y0 + 2 * my;
	v->tiles_x = (v->width + REYES_I_TILE - 1) / REYES_I_TILE;
	v->tiles_y = (v->height + REYES_I_TILE - 1) / REYES_I_TILE;
}

static uint64_t tile_count(const reyes_i_job *job, const reyes_i_area *bucket)
{
	const uint32_t tile = REYES_I_TILE;
	const uint64_t wide = bucket->x1 - bucket->x0 + 2 * (uint64_t)job->stage.weights.margin_x;
	const uint64_t high = bucket->y1 - bucket->y0 + 2 * (uint64_t)job->stage.weights.margin_y;

	return (wide + tile - 1) / tile * ((high + tile - 1) / tile);
}

static uint64_t sample_count(const reyes_i_job *job, const reyes_i_area *bucket)
{
	return tile_count(job, bucket) * REYES_I_TILE * REYES_I_TILE *
	       job->stage.canvas.pattern.count;
}

/* Whether the resolved samples are stored, for the filter to read. */
static int stores_samples(const reyes_i_engine *e, const reyes_i_job *job)
{
	return !e->cuda || job->lists || !reyes_i_cuda_filters_cells(e->cuda, &job->stage);
}

/* Whether a device may cull grids that are behind others. */
static int culls(const reyes_i_engine *e, const reyes_i_job *job)
{
	return e->cuda && job->has_opaque && !job->lists && !job->moves;
}

uint64_t reyes_i_bucket_bytes(const reyes_i_engine *e, const reyes_i_job *job,
	const reyes_i_area *bucket, const reyes_i_capacity *c)
{
	uint64_t sample = job->has_opaque ? sizeof(uint64_t) : 0, arrays;

	if (job->lists)
		sample += sizeof(uint32_t);
	if (stores_samples(e, job))
		sample += sizeof(reyes_i_rgba) + sizeof(float);
	arrays = c->grids * (uint64_t)sizeof(reyes_i_placed) +
		 c->colors * (uint64_t)sizeof(reyes_i_rgba) +
		 c->list * (uint64_t)sizeof(reyes_i_grid);
	if (job->lists)
		arrays += c->fragments * (uint64_t)sizeof(reyes_i_fragment);
	if (e->cuda)
		arrays += c->points * (uint64_t)(4 * sizeof(int32_t)) +
			  c->chunks * (uint64_t)sizeof(uint32_t);
	if (culls(e, job))
		arrays += c->grids * (uint64_t)(sizeof(reyes_i_box) + sizeof(uint32_t)) +
			  2 * REYES_I_BINS * sizeof(uint32_t) +
			  tile_count(job, bucket) * sizeof(uint32_t);
	return sample_count(job, bucket) * sample + arrays;
}

typedef struct array_need {
	enum reyes_i_memory_number array;
	uint64_t count;
	size_t bytes; /* of an element */
} array_need;

/* Reserves arrays. Those that an earlier bucket left larger are freed first if all together would
 * exceed the limit. */
static lsched_status reserve_all(
	reyes_i_engine *e, const array_need *need, size_t count, uint64_t limit)
{
	lsched_status st = LSCHED_OK;
	uint64_t held = 0;

	for (size_t k = 0; k < count; k++) {
		const uint64_t room = e->room[need[k].array], bytes = need[k].count * need[k].bytes;

		held += room > bytes ? room : bytes;
	}
	for (size_t k = 0; limit && held > limit && k < count; k++)
		if (e->room[need[k].array] > need[k].count * need[k].bytes) {
			lsched_mem_free(e->ctx, e->array[need[k].array]);
			e->array[need[k].array] = NULL;
			e->room[need[k].array] = 0;
		}
	for (size_t k = 0; st == LSCHED_OK && k < count; k++)
		if (need[k].count)
			st = reserve(e, need[k].array, need[k].count, need[k].bytes);
	return st;
}

lsched_status reyes_i_reserve_bucket(
	reyes_i_engine *e, reyes_i_job *job, const reyes_i_area *bucket)
{
	const reyes_i_capacity *n = &e->capacity;
	const uint64_t samples = sample_count(job, bucket), stored = stores_samples(e, job);
	const uint32_t culled = culls(e, job);
	const array_need need[] = { { REYES_I_MEM_CELLS, job->has_opaque ? samples : 0,
					    sizeof(uint64_t) },
		{ REYES_I_MEM_HEADS, job->lists ? samples : 0, sizeof(uint32_t) },
		{ REYES_I_MEM_FRAGMENTS, job->lists ? n->fragments : 0, sizeof(reyes_i_fragment) },
		{ REYES_I_MEM_COLORS, n->colors, sizeof(reyes_i_rgba) },
		{ REYES_I_MEM_GRIDS, n->grids, sizeof(reyes_i_placed) },
		{ REYES_I_MEM_COUNTERS, REYES_I_COUNTERS, sizeof(uint32_t) },
		{ REYES_I_MEM_SAMPLES, stored ? samples : 0, sizeof(reyes_i_rgba) },
		{ REYES_I_MEM_SAMPLE_Z, stored ? samples : 0, sizeof(float) },
		{ REYES_I_MEM_LIST, n->list, sizeof(reyes_i_grid) },
		{ REYES_I_MEM_LIST_COUNT, 1, sizeof(uint32_t) },
		{ REYES_I_MEM_POINTS, e->cuda ? n->points : 0, 4 * sizeof(int32_t) },
		{ REYES_I_MEM_CHUNKS, e->cuda ? n->chunks : 0, sizeof(uint32_t) },
		{ REYES_I_MEM_BOXES, culled ? n->grids : 0, sizeof(reyes_i_box) },
		{ REYES_I_MEM_ORDER, culled ? n->grids : 0, sizeof(uint32_t) },
		{ REYES_I_MEM_BINS, culled ? 2 * REYES_I_BINS : 0, sizeof(uint32_t) },
		{ REYES_I_MEM_FARTHEST, culled ? tile_count(job, bucket) : 0, sizeof(uint32_t) } };
	reyes_i_stage *s = &job->stage;
	reyes_i_canvas *v = &s->canvas;
	lsched_status st;

	place_canvas(job, bucket);
	st = reserve_all(e, need, sizeof(need) / sizeof(need[0]),
		job->limit > job->fixed ? job->limit - job->fixed : 0);
	v->cells = job->has_opaque ? e->array[REYES_I_MEM_CELLS] : NULL;
	v->heads = job->lists ? e->array[REYES_I_MEM_HEADS] : NULL;
	v->fragments = e->array[REYES_I_MEM_FRAGMENTS];
	v->colors = e->array[REYES_I_MEM_COLORS];
	v->grids = e->array[REYES_I_MEM_GRIDS];
	v->solids = job->frame->solids.count ? s->view.solids : NULL;
	v->counters = e->array[REYES_I_MEM_COUNTERS];
	v->grids_max = n->grids;
	v->colors_max = n->colors;
	v->fragments_max = job->lists ? n->fragments : 0;
	s->samples = e->array[REYES_I_MEM_SAMPLES];
	s->sample_z = e->array[REYES_I_MEM_SAMPLE_Z];
	s->list = e->array[REYES_I_MEM_LIST];
	s->list_count = e->array[REYES_I_MEM_LIST_COUNT];
	s->list_max = n->list;
	s->points = e->array[REYES_I_MEM_POINTS];
	s->points_max = e->cuda ? n->points : 0;
	s->chunks = e->array[REYES_I_MEM_CHUNKS];
	s->chunks_max = e->cuda ? n->chunks : 0;
	s->culling.boxes = culled ? e->array[REYES_I_MEM_BOXES] : NULL;
	s->culling.order = e->array[REYES_I_MEM_ORDER];
	s->culling.bins = e->array[REYES_I_MEM_BINS];
	s->culling.farthest = e->array[REYES_I_MEM_FARTHEST];
	return st;
}
