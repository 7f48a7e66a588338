/* The public calls that render frames and write pictures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "libsched/core/sized.h"
#include "reyes/render/engine.h"
#include "reyes/render/image.h"
#include "reyes/scene/renderer.h"
#include "reyes/shade/imager.h"

#define IMAGE_LEAST_BYTES LSCHED_I_SIZE_TO(reyes_image, camera_name)
#define STATS_LEAST_BYTES LSCHED_I_SIZE_TO(reyes_stats, device)

/* What the renderer keeps from frame to frame. */
typedef struct backend {
	reyes_i_engine *engine;
	float *rgba, *z;
	size_t pixels; /* room in these */
	reyes_image image;
	reyes_i_figures figures;
	uint64_t primitives;
	int rendered;
	uint32_t world; /* renderer.world of the frame in the engine's memory */
} backend;

static void backend_free(void *any)
{
	backend *b = any;

	reyes_i_engine_close(&b->engine);
	free(b->rgba);
	free(b->z);
	free(b);
}

static reyes_status open_backend(reyes_renderer *r, backend **out)
{
	reyes_i_engine_options o = { r->options.backend, r->options.device, r->options.threads,
		r->options.queue, r->options.memory_bytes, &r->cancelled };
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

/* Allocates the picture of the crop window. */
static reyes_status reserve_image(reyes_renderer *r, backend *b, size_t pixels)
{
	if (pixels <= b->pixels)
		return REYES_OK;
	free(b->rgba);
	free(b->z);
	b->pixels = 0;
	b->rgba = pixels < SIZE_MAX / 16 ? malloc(pixels * 16) : NULL;
	b->z = pixels < SIZE_MAX / 16 ? malloc(pixels * 4) : NULL;
	if (!b->rgba || !b->z)
		return reyes_i_fail(r, REYES_ERR_NOMEM,
			"no memory for a picture of %u x %u pixels; use a smaller one, or a crop "
			"window",
			r->frame.camera.width_px, r->frame.camera.height_px);
	b->pixels = pixels;
	return REYES_OK;
}

reyes_status reyes_render(reyes_renderer *r, reyes_image *image)
{
	static const reyes_image none;
	const reyes_i_camera *c;
	const char *why;
	char message[400];
	size_t pixels;
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
	c = &r->frame.camera;
	pixels = (size_t)(c->crop_x1 - c->crop_x0) * (c->crop_y1 - c->crop_y0);
	s = open_backend(r, &b);
	if (s == REYES_OK)
		s = reserve_image(r, b, pixels);
	if (s != REYES_OK)
		return s;
	b->rendered = 0;
	/* reyes_restart moves the backend to another renderer. */
	reyes_i_engine_set_cancelled(b->engine, &r->cancelled);
	s = reyes_i_engine_render(b->engine, &r->frame, b->world != r->world, b->rgba, b->z,
		&b->figures, message, sizeof(message));
	if (s != REYES_OK)
		return reyes_i_fail(r, s, "%s", message);
	for (size_t k = 0; !b->figures.dice_ns && k < pixels; k++) /* the device has done it */
		reyes_i_imager(c, b->rgba + 4 * k, b->rgba + 4 * k + 3);
	b->world = r->world;
	b->primitives = r->frame.prims.count;
	reyes_image_init(&b->image);
	b->image.width_px = c->crop_x1 - c->crop_x0;
	b->image.height_px = c->crop_y1 - c->crop_y0;
	b->image.x_px = c->crop_x0;
	b->image.y_px = c->crop_y0;
	b->image.full_width_px = c->width_px;
	b->image.full_height_px = c->height_px;
	b->image.rgba = b->rgba;
	b->image.z = b->z;
	b->rendered = 1;
	(void)lsched_i_sized_out(image, sizeof(b->image), IMAGE_LEAST_BYTES, &b->image);
	if (b->figures.eye_drops)
		reyes_i_log(r, REYES_LEVEL_WARN,
			"%llu pieces of primitives that cross the camera plane were dropped; "
			"increase Option \"limits\" \"eyesplits\" (now %u)",
			(unsigned long long)b->figures.eye_drops, c->eye_splits);
	return REYES_OK;
}

reyes_status reyes_get_stats(const reyes_renderer *r, reyes_stats *stats)
{
	const backend *b = r ? r->backend : NULL;
	const reyes_i_figures *g;
	reyes_stats s;

	if (!b || !stats || !b->rendered)
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

reyes_status reyes_i_render_image(reyes_renderer *r, const reyes_image **image)
{
	const backend *b = r->backend;

	*image = b && b->rendered ? &b->image : NULL;
	return *image ? REYES_OK : reyes_i_fail(r, REYES_ERR_STATE, "no frame has been rendered");
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
