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

/* Moves a pointer into the host's tables to the device's copy. */
static const void *moved(const reyes_i_engine *e, const reyes_i_tables *t, const void *p)
{
	return (const char *)e->memory[REYES_I_MEM_TABLES].list +
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
		st = reyes_i_memory_write(
			e->ctx, &e->memory[REYES_I_MEM_TABLES], t.memory, t.bytes, 1);
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
#define BYTES(type, name, moves) +f->name.count * sizeof(type)
	return 0 REYES_I_FRAME_ARRAYS(BYTES);
#undef BYTES
}

/* Makes room for an array of the whole picture; its list is the result, NULL after a failure. */
static void *reserve(reyes_i_engine *e, enum reyes_i_memory_number k, uint64_t count,
	size_t element_bytes, lsched_status *st)
{
	if (*st == LSCHED_OK)
		*st = reyes_i_memory_reserve(e->ctx, &e->memory[k], count, element_bytes);
	return e->memory[k].list;
}

lsched_status reyes_i_engine_load(reyes_i_engine *e, reyes_i_job *job, enum reyes_i_fresh fresh)
{
	const reyes_i_camera *c = &job->frame->camera;
	const uint64_t pixels = (uint64_t)(c->crop_x1 - c->crop_x0) * (c->crop_y1 - c->crop_y0);
	const uint64_t prims = job->frame->prims.count;
	const uint64_t bounds = prims >= BOUNDS_LEAST ? prims : 0;
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
		st = reyes_i_memory_write_frame(
			e->ctx, &e->memory[REYES_I_MEM_FRAME], job->frame, fresh, &s->view);
	if (st == LSCHED_OK)
		st = upload_tables(e, c, s);
	if (st != LSCHED_OK)
		return st;
	job->fixed = scene_bytes(job->frame) + e->memory[REYES_I_MEM_TABLES].bytes +
		     pixels * 5 * sizeof(float) + bounds * sizeof(reyes_i_bounds);
	if (job->limit && job->fixed > job->limit)
		return LSCHED_OK; /* reyes_i_render_buckets reports it */
	s->picture_x = c->crop_x0;
	s->picture_y = c->crop_y0;
	s->pitch = c->crop_x1 - c->crop_x0;
	if (bounds)
		s->bounds = reserve(e, REYES_I_MEM_BOUNDS, bounds, sizeof(*s->bounds), &st);
	s->rgba = reserve(e, REYES_I_MEM_RGBA, pixels * 4, sizeof(float), &st);
	s->z = reserve(e, REYES_I_MEM_Z, pixels, sizeof(float), &st);
	s->canvas.counters =
		reserve(e, REYES_I_MEM_COUNTERS, REYES_I_COUNTERS, sizeof(uint32_t), &st);
	s->list_count = reserve(e, REYES_I_MEM_LIST_COUNT, 1, sizeof(uint32_t), &st);
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

typedef struct array_need {
	uint64_t count;
	size_t element_bytes;
} array_need;

/* Sets what a bucket needs. n: the capacities. */
static void bucket_needs(const reyes_i_engine *e, const reyes_i_job *job,
	const reyes_i_area *bucket, const reyes_i_capacity *n,
	array_need need[REYES_I_BUCKET_ARRAY_COUNT])
{
	const uint64_t tiles = tile_count(job, bucket);
	const uint64_t samples =
		tiles * REYES_I_TILE * REYES_I_TILE * job->stage.canvas.pattern.count;
	const int stored = stores_samples(e, job), culled = culls(e, job);
#define NEED(place, number) { number, sizeof(*job->stage.place) },
	const array_need all[] = { REYES_I_BUCKET_ARRAYS(NEED) };
#undef NEED

	memcpy(need, all, sizeof(all));
}

uint64_t reyes_i_bucket_bytes(const reyes_i_engine *e, const reyes_i_job *job,
	const reyes_i_area *bucket, const reyes_i_capacity *capacity)
{
	array_need need[REYES_I_BUCKET_ARRAY_COUNT];
	uint64_t bytes = 0;

	bucket_needs(e, job, bucket, capacity, need);
	for (size_t k = 0; k < REYES_I_BUCKET_ARRAY_COUNT; k++)
		bytes += need[k].count * need[k].element_bytes;
	return bytes;
}

/* Reserves the arrays of a bucket. Those that an earlier bucket left larger are freed first if all
 * together would exceed the limit. */
static lsched_status reserve_all(
	reyes_i_engine *e, const array_need need[REYES_I_BUCKET_ARRAY_COUNT], uint64_t limit)
{
	reyes_i_memory *m = e->memory + REYES_I_MEM_BUCKET;
	lsched_status st = LSCHED_OK;
	uint64_t held = 0;

	for (size_t k = 0; k < REYES_I_BUCKET_ARRAY_COUNT; k++) {
		const uint64_t bytes = need[k].count * need[k].element_bytes;

		held += m[k].bytes > bytes ? m[k].bytes : bytes;
	}
	for (size_t k = 0; limit && held > limit && k < REYES_I_BUCKET_ARRAY_COUNT; k++)
		if (m[k].bytes > need[k].count * need[k].element_bytes)
			reyes_i_memory_free(e->ctx, &m[k]);
	for (size_t k = 0; st == LSCHED_OK && k < REYES_I_BUCKET_ARRAY_COUNT; k++)
		if (need[k].count)
			st = reyes_i_memory_reserve(
				e->ctx, &m[k], need[k].count, need[k].element_bytes);
	return st;
}

lsched_status reyes_i_reserve_bucket(
	reyes_i_engine *e, reyes_i_job *job, const reyes_i_area *bucket)
{
	const reyes_i_capacity *n = &e->capacity;
	array_need need[REYES_I_BUCKET_ARRAY_COUNT];
	reyes_i_stage *s = &job->stage;
	lsched_status st;
	size_t k = 0;

	place_canvas(job, bucket);
	bucket_needs(e, job, bucket, n, need);
	st = reserve_all(e, need, job->limit > job->fixed ? job->limit - job->fixed : 0);
#define PLACE(place, number)                                                      \
	s->place = need[k].count ? e->memory[REYES_I_MEM_BUCKET + k].list : NULL; \
	k++;
	REYES_I_BUCKET_ARRAYS(PLACE)
#undef PLACE
	s->canvas.solids = job->frame->solids.count ? s->view.solids : NULL;
	s->canvas.grids_max = n->grids;
	s->canvas.colors_max = n->colors;
	s->canvas.fragments_max = job->lists ? n->fragments : 0;
	s->list_max = n->list;
	s->points_max = e->cuda ? n->points : 0;
	s->chunks_max = e->cuda ? n->chunks : 0;
	return st;
}
