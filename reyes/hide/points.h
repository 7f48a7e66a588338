/* The points of a grid in a worker's memory, and the settings of the grid for the hider. */
#ifndef REYES_HIDE_POINTS_H
#define REYES_HIDE_POINTS_H

#include <libsched/task.h>
#include "reyes/hide/canvas.h"
#include "reyes/scene/view.h"
#include "reyes/split/raster.h"

/* Raster positions in 1/256 pixel and depths, at one shutter key or at two (moving surfaces). */
typedef struct reyes_i_points {
	int32_t x[2][REYES_I_GRID_POINTS], y[2][REYES_I_GRID_POINTS];
	float z[2][REYES_I_GRID_POINTS];
} reyes_i_points;

/* Fragments that a thread has reserved: next .. end - 1. */
typedef struct reyes_i_fragment_room {
	uint32_t next, end;
} reyes_i_fragment_room;

/* What the hider needs of a grid. */
typedef struct reyes_i_hidden {
	uint32_t slot; /* in canvas.grids */
	uint32_t nu, nv;
	uint32_t opaque;
	uint32_t keep; /* all hits become fragments, those behind opaque surfaces, too */
	int32_t side;  /* 0: both sides are visible; else the sign of the visible areas */
	float hither, yon;
	uint32_t perspective;
	float unit; /* 1/256 pixel in camera space, at depth 1 if perspective */
	const uint8_t *grow;
	reyes_i_fragment_room *room; /* the thread's */
	uint32_t *progress;          /* the CPU worker's, for lsched_progress(); NULL: none */
} reyes_i_hidden;

/* Called at intervals of a bounded number of samples: a grid may cover a large picture many times,
 * and a frame does not fail for slowness. */
LSCHED_FN void reyes_i_advance(const reyes_i_hidden *h)
{
#ifdef __CUDA_ARCH__
	(void)h;
#else
	if (h->progress)
		lsched_progress(h->progress);
#endif
}

/* Returns the sign that the areas of visible micropolygons have in raster space, corners in the
 * order 00, 10, 11. RISpec 3.2, "Sides": a surface of one side is invisible from its back. The area
 * has the sign of P . (dP/du x dP/dv) times that of the raster's handedness, and the front's normal
 * is opposite to P. The surfaces of solids have both sides: the back of one may bound another. */
LSCHED_FN int32_t reyes_i_visible_side(const reyes_i_camera *c, const reyes_i_placed *p)
{
	int32_t side = c->scale[0] * c->scale[1] < 0 ? 1 : -1;

	if ((p->flags & REYES_I_ATTR_TWO_SIDES) || p->solid != REYES_I_NONE)
		return 0;
	return p->flags & REYES_I_ATTR_FLIP ? -side : side;
}

LSCHED_FN void reyes_i_hidden_of(
	const reyes_i_camera *c, const reyes_i_placed *p, uint32_t slot, reyes_i_hidden *h)
{
	h->slot = slot;
	h->nu = p->grid.nu;
	h->nv = p->grid.nv;
	h->opaque = p->flags & REYES_I_ATTR_OPAQUE;
	h->keep = p->solid != REYES_I_NONE || c->depth_filter == REYES_I_DEPTH_MIDPOINT;
	h->side = reyes_i_visible_side(c, p);
	h->hither = c->hither;
	h->yon = c->yon;
	h->perspective = c->perspective;
	h->unit = 1 / (REYES_I_SUBPIXEL *
			      reyes_i_least(reyes_i_abs(c->scale[0]), reyes_i_abs(c->scale[1])));
	h->grow = p->grid.grow;
	h->room = NULL;
	h->progress = NULL;
}

/* Whether all points of a primitive have the opacity of its attributes: no variable Os, and no
 * atmosphere, which adds its own. */
LSCHED_FN uint32_t reyes_i_even_opacity(const reyes_i_view *view, const reyes_i_prim *prim)
{
	if (view->attrs[prim->attr].atmosphere != REYES_I_NONE)
		return 0;
	for (uint32_t k = 0; k < prim->var_count; k++)
		if (view->vars[prim->vars + k].name == REYES_I_VAR_OS)
			return 0;
	return 1;
}

/* Returns the flags of a primitive's attributes as the hider applies them: ribbons that face the
 * camera and disks have no back. */
LSCHED_FN uint32_t reyes_i_placed_flags(const reyes_i_view *view, const reyes_i_prim *prim)
{
	const reyes_i_attr *attr = view->attrs + prim->attr;
	const uint32_t even =
		!(attr->flags & REYES_I_ATTR_OPAQUE) && reyes_i_even_opacity(view, prim);
	const uint32_t faces_camera =
		prim->kind == REYES_I_POINT ||
		(prim->kind == REYES_I_CURVE && !(prim->flags & REYES_I_HAS_NORMALS));

	return attr->flags | (faces_camera ? REYES_I_ATTR_TWO_SIDES : 0) |
	       (even ? REYES_I_ATTR_EVEN : 0);
}

/* Returns the number of colours and opacities of a grid. */
LSCHED_FN uint32_t reyes_i_color_count(uint32_t flags, uint32_t points)
{
	return flags & REYES_I_ATTR_OPAQUE ? points
	       : flags & REYES_I_ATTR_EVEN ? points + 1
					   : 2 * points;
}

/* Rounds a limited coordinate to 1/256 pixel. */
LSCHED_FN int32_t reyes_i_rounded(float limited)
{
	const float v = limited * REYES_I_SUBPIXEL + 0.5f;
	const int32_t t = (int32_t)v;

	return t - ((float)t > v); /* floorf is a call on plain x86-64 */
}

LSCHED_FN int32_t reyes_i_to_subpixel(float x)
{
	return reyes_i_rounded(reyes_i_limited(x));
}

/* Stores the projection of point k of a grid. */
LSCHED_FN void reyes_i_place_point(
	const reyes_i_camera *c, reyes_i_points *p, uint32_t key, uint32_t k, reyes_i_vec at)
{
	/* a displaced point may come behind the camera: its samples are rejected by depth */
	const float z = c->perspective && !(at.z > 1e-6f) ? 1e-6f : at.z;
	const reyes_i_xy r = reyes_i_project(c, reyes_i_vec_of(at.x, at.y, z));

	p->x[key][k] = reyes_i_to_subpixel(r.x);
	p->y[key][k] = reyes_i_to_subpixel(r.y);
	p->z[key][k] = at.z;
}

#endif
