/* The context of all stages: what a frame reads and writes. */
#ifndef REYES_RENDER_STAGE_H
#define REYES_RENDER_STAGE_H

#include "reyes/hide/filter.h"
#include "reyes/scene/view.h"
#include "reyes/split/decide.h"

/* The tiles of the canvas that a grid touches, and the bits of its least depth, at least 0. A side
 * of a picture has at most 65,536 pixels. */
typedef struct reyes_i_box {
	uint16_t x0, x1, y0, y1; /* x0 <= x <= x1 */
	uint32_t z, micropolygons;
} REYES_I_ALIGNED_16 reyes_i_box;

/* Bins of depth. */
#define REYES_I_BIN_BITS 10
#define REYES_I_BINS     (1u << REYES_I_BIN_BITS)

/* Memory of occlusion culling; kernels of stages only. */
typedef struct reyes_i_culling {
	reyes_i_box *boxes; /* [canvas.grids_max]; NULL: grids are not culled */
	uint32_t *order;    /* the same: grids, the nearest first */
	uint32_t *bins;     /* [2][REYES_I_BINS] */
	uint32_t *farthest; /* [tiles_y][tiles_x]: bits of the largest depth of a tile's samples */
} reyes_i_culling;

/* What all stages read. */
typedef struct reyes_i_stage {
	reyes_i_view view; /* its camera's crop window is the part that is rendered */
	reyes_i_canvas canvas;
	reyes_i_weights weights;
	uint32_t mirrors; /* nonzero: surfaces may have environment maps */
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
	reyes_i_culling culling;
	uint64_t resolve_planes; /* of a task on CPU threads: samples in planes of tiles */
	reyes_i_rgba *samples;   /* [height][width][count] of the canvas: resolved */
	float *sample_z;         /* the same */
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
