/* The context of all stages: what a frame reads and writes. */
#ifndef REYES_RENDER_STAGE_H
#define REYES_RENDER_STAGE_H

#include "reyes/hide/filter.h"
#include "reyes/scene/view.h"
#include "reyes/split/decide.h"

/* What all stages read. */
typedef struct reyes_i_stage {
	reyes_i_view view; /* its camera's crop window is the part that is rendered */
	reyes_i_canvas canvas;
	reyes_i_weights weights;
	/* of the primitives; NULL: none. The first bucket stores them: has_bounds is 0 there */
	reyes_i_bounds *bounds;
	uint32_t has_bounds;
	reyes_i_grid *list; /* grids that wait for the next stage: [list_max] */
	uint32_t *list_count;
	uint32_t list_max;
	/* kernels of stages: raster positions (x, y in 1/256 pixel, bits of z, unused) and chunks
	 * of micropolygons (grid << 4 | chunk) */
	int32_t *points;
	uint32_t *chunks;
	uint32_t points_max, chunks_max;
	reyes_i_rgba *samples; /* [height][width][count] of the canvas: resolved */
	float *sample_z;       /* the same */
	/* the picture of the whole crop window: [height][pitch][4], and z [height][pitch] */
	float *rgba, *z;
	uint32_t picture_x, picture_y; /* its first pixel */
	uint32_t pitch;                /* pixels */
} reyes_i_stage;

/* The place of a pixel in the picture. */
LSCHED_FN size_t reyes_i_picture_index(const reyes_i_stage *s, uint32_t x, uint32_t y)
{
	return (size_t)(y - s->picture_y) * s->pitch + (x - s->picture_x);
}

#endif
