/* The public calls that render frames and write pictures. */
#include <stdlib.h>
#include "libsched/core/sized.h"
#include "reyes/render/engine.h"
#include "reyes/render/image.h"
#include "reyes/scene/renderer.h"

#define IMAGE_LEAST_BYTES LSCHED_I_SIZE_TO(reyes_image, on_device)
#define STATS_LEAST_BYTES LSCHED_I_SIZE_TO(reyes_stats, device)

/* What the renderer keeps from frame to frame. */
typedef struct backend {
	reyes_i_engine *engine;
	reyes_i_output picture;
	reyes_image image;
	reyes_image host_image; /* copy of a picture on the device */
	reyes_i_figures figures;
	uint64_t primitives;
	int rendered;
	uint32_t world; /* renderer.world of the frame in the engine's memory */
	uint32_t pose;  /* renderer.pose.number of that frame */
} backend;

static void backend_free(void *any)
{
	backend *b = any;

	reyes_i_engine_close(&b->engine);
	free(b);
}

static void fill_image(reyes_image *image, const reyes_i_camera *c, const reyes_i_output *picture)
{
	reyes_image_init(image);
	image->width_px = c->crop_x1 - c->crop_x0;
	image->height_px = c->crop_y1 - c->crop_y0;
	image->x_px = c->crop_x0;
	image->y_px = c->crop_y0;
	image->full_width_px = c->width_px;
	image->full_height_px = c->height_px;
	image->rgba = picture->rgba;
	image->z = picture->z;
	image->on_device = (uint32_t)picture->on_device;
}

/* Passes a finished bucket to the caller. */
static void pass_bucket(void *user, const reyes_i_output *picture, const reyes_i_area *area)
{
	const reyes_renderer *r = user;
	const reyes_i_camera *c = &r->frame.camera;
	reyes_image image;

	fill_image(&image, c, picture);
	r->options.on_bucket(r->options.bucket_user, &image, area->x0 - c->crop_x0,
		area->y0 - c->crop_y0, area->x1 - area->x0, area->y1 - area->y0);
}

static reyes_status open_backend(reyes_renderer *r, backend **out)
{
	const reyes_options *given = &r->options;
	const reyes_i_engine_options o = { .backend = given->backend,
		.device = given->device,
		.threads = given->threads,
		.queue = given->queue,
		.memory_bytes = given->memory_bytes,
		.cancelled = &r->cancelled,
		.bucket_px = given->bucket_px,
		.trace_events = given->trace_events,
		.device_picture = given->device_picture,
		.on_bucket = given->on_bucket ? pass_bucket : NULL,
		.bucket_user = r };
	backend *b = r->backend;
	char message[400];
	reyes_status s;

	*out = b;
	if (b)
		return REYES_OK;
	b = calloc(1, sizeof(*b));
	if (!b)
		return reyes_i_no_memory(r);
	s = reyes_i_engine_open(&b->engine, &o, message, sizeof(message));
	if (s != REYES_OK) {
		free(b);
		return reyes_i_fail(r, s, "%s", message);
	}
	r->backend = b;
	r->backend_free = backend_free;
	*out = b;
	return REYES_OK;
}

static enum reyes_i_fresh freshness(const reyes_renderer *r, const backend *b)
{
	return b->world != r->world        ? REYES_I_FRESH_ALL
	       : b->pose != r->pose.number ? REYES_I_FRESH_PLACES
					   : REYES_I_FRESH_NOTHING;
}

/* Nonzero if the picture is that of the renderer's frame, with its camera. */
static int is_rendered(const reyes_renderer *r, const backend *b)
{
	return b && b->rendered && freshness(r, b) == REYES_I_FRESH_NOTHING;
}

reyes_status reyes_render(reyes_renderer *r, reyes_image *image)
{
	static const reyes_image none;
	const char *why;
	char message[400];
	backend *b;
	reyes_status s;

	if (!r || !image)
		return REYES_ERR_ARG;
	why = lsched_i_sized_out(image, sizeof(none), IMAGE_LEAST_BYTES, &none);
	if (why)
		return reyes_i_fail(r, REYES_ERR_ARG, "reyes_image %s", why);
	if (!r->frame_ready)
		return reyes_i_fail(
			r, REYES_ERR_STATE, "no frame is complete: WorldEnd is missing");
	s = open_backend(r, &b);
	if (s != REYES_OK)
		return s;
	b->rendered = 0;
	/* reyes_restart moves the backend to another renderer. */
	reyes_i_engine_set_renderer(b->engine, &r->cancelled, r);
	s = reyes_i_engine_render(b->engine, reyes_i_frame_now(r), freshness(r, b), &b->picture,
		&b->figures, message, sizeof(message));
	if (s != REYES_OK)
		return reyes_i_fail(r, s, "%s", message);
	b->world = r->world;
	b->pose = r->pose.number;
	b->primitives = r->frame.prims.count;
	fill_image(&b->image, &r->frame.camera, &b->picture);
	b->rendered = 1;
	(void)lsched_i_sized_out(image, sizeof(b->image), IMAGE_LEAST_BYTES, &b->image);
	if (b->figures.eye_drops)
		reyes_i_log(r, REYES_LEVEL_WARN,
			"%llu pieces of primitives that cross the camera plane were dropped; "
			"increase Option \"limits\" \"eyesplits\" (now %u, at most 32)",
			(unsigned long long)b->figures.eye_drops, r->frame.camera.eye_splits);
	return REYES_OK;
}

reyes_status reyes_get_stats(const reyes_renderer *r, reyes_stats *stats)
{
	const backend *b = r ? r->backend : NULL;
	const reyes_i_figures *g;
	reyes_stats s;

	if (!stats || !r || !is_rendered(r, b))
		return REYES_ERR_STATE;
	g = &b->figures;
	reyes_stats_init(&s);
	s.primitives = b->primitives;
	s.splits = g->splits;
	s.grids = g->grids;
	s.micropolygons = g->micropolygons;
	s.points = g->points;
	s.fragments = g->fragments;
	s.eye_drops = g->eye_drops;
	s.occluded = g->occluded;
	s.buckets = g->buckets;
	s.steals = g->steals;
	s.donated = g->donated;
	s.queue_high_water = g->queue_high_water;
	s.workers = g->workers;
	s.upload_ns = g->upload_ns;
	s.clear_ns = g->clear_ns;
	s.split_ns = g->split_ns;
	s.dice_ns = g->dice_ns;
	s.hide_ns = g->hide_ns;
	s.resolve_ns = g->resolve_ns;
	s.filter_ns = g->filter_ns;
	s.total_ns = g->total_ns;
	s.device = reyes_i_engine_device(b->engine);
	return lsched_i_sized_out(stats, sizeof(s), STATS_LEAST_BYTES, &s) ? REYES_ERR_ARG
									   : REYES_OK;
}

size_t reyes_trace_runs(reyes_renderer *r, struct lsched_run **runs, size_t room)
{
	const backend *b = r ? r->backend : NULL;

	return r && is_rendered(r, b) ? reyes_i_engine_runs(b->engine, runs, room) : 0;
}

reyes_status reyes_i_render_image(reyes_renderer *r, const reyes_image **image)
{
	backend *b = r->backend;
	char message[400];
	reyes_status s;

	*image = NULL;
	if (!is_rendered(r, b))
		return reyes_i_fail(r, REYES_ERR_STATE, "the frame has not been rendered");
	if (b->picture.on_device) {
		reyes_i_output host = b->picture;

		s = reyes_i_engine_fetch(b->engine, &r->frame, &host, message, sizeof(message));
		if (s != REYES_OK)
			return reyes_i_fail(r, s, "%s", message);
		fill_image(&b->host_image, &r->frame.camera, &host);
		*image = &b->host_image;
		return REYES_OK;
	}
	*image = &b->image;
	return REYES_OK;
}

void reyes_cancel(reyes_renderer *r)
{
	backend *b;

	if (!r)
		return;
	atomic_store(&r->cancelled, 1);
	b = r->backend;
	if (b)
		reyes_i_engine_cancel(b->engine);
}

void reyes_resume(reyes_renderer *r)
{
	if (r)
		atomic_store(&r->cancelled, 0);
}

float reyes_progress(const reyes_renderer *r)
{
	const backend *b = r ? r->backend : NULL;

	return b ? reyes_i_engine_progress(b->engine) : 0;
}
