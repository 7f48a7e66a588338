/* What the hider writes: samples, fragments of transparent surfaces, colours of grid points. One
 * description for host and device memory. */
#ifndef REYES_HIDE_CANVAS_H
#define REYES_HIDE_CANVAS_H

#include "reyes/core/language.h"
#include "reyes/hide/pattern.h"
#include "reyes/split/item.h"

/* A sample: depth in the high word (the bits of a positive float order as the float), in the low
 * word the visible point: grid << 14 | micropolygon << 6 | u << 3 | v, with u and v in eighths of
 * the micropolygon. The nearest surface is the minimum. */
#define REYES_I_EMPTY          UINT64_C(0xffffffffffffffff)
#define REYES_I_GRIDS_MAX      (1u << 18)
#define REYES_I_ID(g, m, u, v) ((uint32_t)(g) << 14 | (uint32_t)(m) << 6 | (uint32_t)(u) << 3 | (v))

/* The first point of micropolygon m of a grid with nu micropolygons in a row, one point more: the
 * row is m / nu, and m is less than 2^12. */
LSCHED_FN uint32_t reyes_i_first_point(uint32_t m, uint32_t nu)
{
	return m + reyes_i_small_over(m, nu);
}

typedef struct reyes_i_rgba {
	float r, g, b, a;
} REYES_I_ALIGNED_16 reyes_i_rgba;

/* Flags of a fragment, then its room (room.h), then its reach in depth. */
enum reyes_i_hit_flag {
	REYES_I_HIT_RIM = 1,      /* the sample is outside of the triangle, in its growth */
	REYES_I_HIT_POSITIVE = 2, /* the triangle's area is positive */
	/* set when a sample is resolved */
	REYES_I_HIT_TWIN = 4,  /* it counts for other fragments, too, that are the same crossing */
	REYES_I_HIT_HIDDEN = 8 /* it does not count */
};
#define REYES_I_ROOM_SHIFT  4
#define REYES_I_REACH_SHIFT 15

/* A hit of a transparent surface, in a linked list of its sample. */
typedef struct reyes_i_fragment {
	uint32_t next; /* REYES_I_NONE: the last */
	float z;
	uint32_t id;
	uint32_t flags; /* REYES_I_HIT_*, room, reach */
} REYES_I_ALIGNED_16 reyes_i_fragment;

/* A grid whose colours are in memory. */
typedef struct reyes_i_placed {
	reyes_i_grid grid;
	uint32_t colors;  /* index of its first point's colour */
	uint32_t points;  /* index of its first point's raster position; kernels of stages only */
	uint32_t surface; /* reyes_i_prim.surface */
	uint32_t solid;   /* index in frame.solids of its leaf; NONE */
	uint32_t flags;   /* of the attributes */
} reyes_i_placed;

/* Passes in which a device hides a frame with occlusion culling. */
#define REYES_I_PASSES 4

enum reyes_i_counter {
	REYES_I_N_GRIDS,
	REYES_I_N_COLORS, /* colours and opacities that are stored */
	REYES_I_N_SHADED, /* points of grids */
	REYES_I_N_FRAGMENTS,
	REYES_I_N_UNUSED, /* of these fragments: reserved and not used */
	REYES_I_N_MICROPOLYGONS,
	REYES_I_N_SPLITS,
	REYES_I_N_EYE_DROPS,
	REYES_I_N_POINTS, /* raster positions of all shutter keys; kernels of stages only */
	REYES_I_N_CHUNKS, /* of 32 micropolygons; kernels of stages only */
	REYES_I_N_PASS,   /* and the next ones: chunks of the passes of occlusion culling */
	REYES_I_N_OCCLUDED = REYES_I_N_PASS + REYES_I_PASSES, /* micropolygons it dropped */
	REYES_I_N_NEAREST,  /* complement of the bits of the grids' least depth; culling only */
	REYES_I_N_FARTHEST, /* bits of the largest of the grids' least depths; culling only */
	REYES_I_N_LONG,     /* nonzero: samples have long lists; kernels of stages only */
	REYES_I_N_FULL,     /* nonzero: grids, colours, points or fragments did not fit */
	REYES_I_COUNTERS
};

typedef struct reyes_i_canvas {
	reyes_i_pattern pattern;
	/* pixels with samples: the crop window and the filter's margin */
	int32_t x0, y0;
	uint32_t width, height;
	uint32_t tiles_x, tiles_y;
	uint64_t *cells; /* as reyes_i_sample_index() orders them; NULL: no surface is opaque */
	uint32_t *heads; /* the same, of fragment lists; NULL: none */
	reyes_i_fragment *fragments;
	/* a grid's points; if it is transparent, then its points' opacities, or the one of all */
	reyes_i_rgba *colors;
	reyes_i_placed *grids;
	const reyes_i_solid *solids; /* NULL: none */
	uint32_t details;            /* nonzero: some surfaces are in a transition of detail */
	uint32_t fragments_max, colors_max, grids_max;
	uint32_t *counters; /* [REYES_I_COUNTERS] */
} reyes_i_canvas;

/* Samples are in tiles of 8 x 8 pixels, a plane for each sample number: the lanes of a warp, which
 * cover neighbouring pixels, then access neighbouring words. */
#define REYES_I_TILE 8

LSCHED_FN uint64_t reyes_i_sample_index(const reyes_i_canvas *c, int32_t x, int32_t y, uint32_t s)
{
	const uint32_t i = (uint32_t)(x - c->x0), j = (uint32_t)(y - c->y0);
	const uint32_t tile = j / REYES_I_TILE * c->tiles_x + i / REYES_I_TILE;

	return ((uint64_t)tile * c->pattern.count + s) * (REYES_I_TILE * REYES_I_TILE) +
	       j % REYES_I_TILE * REYES_I_TILE + i % REYES_I_TILE;
}

#endif
