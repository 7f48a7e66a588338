/* The stages of a frame as programs of libsched: clear, split + dice + hide, resolve, filter. On a
 * GPU split alone is one; the others are kernels, which call the same functions. */
#ifndef REYES_RENDER_PROGRAMS_H
#define REYES_RENDER_PROGRAMS_H

#include <libsched/items.h>
#include <libsched/task.h>
#include "reyes/hide/filter_row.h"
#include "reyes/hide/hide_moving_grid.h"
#include "reyes/hide/hide_static_rows.h"
#include "reyes/render/stage.h"
#include "reyes/shade/imager.h"
#include "reyes/split/decide.h"
#include "reyes/dice/displaced.h"

/* ---- split, dice, hide ---- */

LSCHED_DECLARE_ITEMS(reyes_i_splits, reyes_i_item);

typedef struct reyes_i_local {
	reyes_i_points points;
	reyes_i_vec displaced[REYES_I_GRID_POINTS];
	reyes_i_moving_grid moving;
	uint32_t slot;
} reyes_i_local;

LSCHED_FN reyes_i_item reyes_i_whole(uint32_t prim)
{
	const reyes_i_item item = { prim, 0, 0, 0, 0, 0, 0 };

	return item;
}

LSCHED_FN uint32_t reyes_i_splits_root(const reyes_i_stage *c, uint32_t i, reyes_i_item *item)
{
	(void)c;
	*item = reyes_i_whole(i);
	return 0;
}

/* Drops a piece of a primitive, emits its parts, or appends its grid to the list, as
 * reyes_i_decide() says. */
LSCHED_TASK_FN lsched_result reyes_i_splits_body(reyes_i_splits *x, const reyes_i_stage *c,
	lsched_no_local *l, uint32_t proc, reyes_i_item item)
{
	const uint32_t whole = c->bounds && !(item.u_level | item.v_level | item.eye_splits);
	reyes_i_bounds *bounds = whole ? c->bounds + item.prim : NULL;
	uint32_t fate, parts;
	reyes_i_grid grid;

	(void)l, (void)proc;
	if (bounds && c->has_bounds && !reyes_i_visible(&c->view.camera, bounds))
		return LSCHED_DONE;
	fate = reyes_i_decide(&c->view, &item, &grid, c->has_bounds ? NULL : bounds);
	parts = reyes_i_part_count(fate);
	if (fate == REYES_I_DICE) {
		const uint32_t place = reyes_i_add32(c->list_count, 1);

		if (place < c->list_max)
			c->list[place] = grid;
		else
			(void)reyes_i_add32(&c->canvas.counters[REYES_I_N_FULL], 1);
	}
	if (fate == REYES_I_DROP_EYE)
		(void)reyes_i_add32(&c->canvas.counters[REYES_I_N_EYE_DROPS], 1);
	if (parts)
		(void)reyes_i_add32(&c->canvas.counters[REYES_I_N_SPLITS], 1);
	for (uint32_t k = 0; k < parts; k++) {
		const reyes_i_item part = reyes_i_part(&item, fate, k);

		lsched_emit(x, 0, &part);
	}
	return LSCHED_DONE;
}

/* Reserves the place of a grid and of its colours. Returns its number, or REYES_I_NONE if there is
 * no room. One thread. */
LSCHED_FN uint32_t reyes_i_place_grid(const reyes_i_stage *s, const reyes_i_grid *g)
{
	const reyes_i_canvas *c = &s->canvas;
	const reyes_i_prim *prim = s->view.prims + g->prim;
	const uint32_t flags = reyes_i_placed_flags(&s->view, prim);
	const uint32_t points = (g->nu + 1u) * (g->nv + 1u);
	const uint32_t colors = reyes_i_color_count(flags, points);
	const uint32_t slot = reyes_i_add32(&c->counters[REYES_I_N_GRIDS], 1);
	const uint32_t place = reyes_i_add32(&c->counters[REYES_I_N_COLORS], colors);
	reyes_i_placed *p = c->grids + slot;

	if (slot >= c->grids_max || place >= c->colors_max || colors > c->colors_max - place) {
		(void)reyes_i_add32(&c->counters[REYES_I_N_FULL], 1);
		return REYES_I_NONE;
	}
	p->grid = *g;
	p->colors = place;
	p->surface = prim->surface;
	p->solid = s->view.attrs[prim->attr].solid;
	p->flags = flags;
	(void)reyes_i_add32(&c->counters[REYES_I_N_SHADED], points);
	(void)reyes_i_add32(&c->counters[REYES_I_N_MICROPOLYGONS], (uint32_t)g->nu * g->nv);
	reyes_i_publish();
	return slot;
}

/* Dices and shades the points at key `key`, as key `to` of the local points. */
LSCHED_TASK_FN void reyes_i_dice_key(const reyes_i_canvas *c, const reyes_i_dicing *d,
	reyes_i_local *l, uint32_t key, uint32_t to, uint32_t shade)
{
	const uint32_t t = lsched_lane(), n = LSCHED_LANES;

	if (d->attr->displacement == REYES_I_NONE) {
		reyes_i_dice(d, key, to, &l->points, shade, t, n);
	} else {
		reyes_i_displace_points(d, key, to, &l->points, l->displaced, t, n);
		lsched_sync_worker();
		reyes_i_displaced_rims(d, l->displaced, c->grids[l->slot].grid.grow, t, n);
		if (shade)
			reyes_i_dice_displaced(d, l->displaced, t, n, 1);
	}
	lsched_sync_worker();
}

/* The hider for surfaces that move or that the lens blurs: each part of the shutter between two
 * keys. Key k is in place k mod 2 of the local points. */
LSCHED_TASK_FN void reyes_i_hide_parts(
	const reyes_i_stage *c, const reyes_i_dicing *d, const reyes_i_hidden *h, reyes_i_local *l)
{
	const uint32_t keys = d->prim->key_count, moves = keys > 1;

	for (uint32_t k = 0; k == 0 || k + 1 < keys; k++) {
		if (k) {
			const uint32_t t = lsched_lane(), n = LSCHED_LANES;

			for (uint32_t i = t; i < d->points; i += n) {
				l->points.x[0][i] = l->points.x[1][i];
				l->points.y[0][i] = l->points.y[1][i];
				l->points.z[0][i] = l->points.z[1][i];
			}
			lsched_sync_worker();
		}
		if (moves)
			reyes_i_dice_key(&c->canvas, d, l, k + 1, 1, 0);
		if (lsched_lane() == 0) {
			reyes_i_moving mv;

			memset(&mv, 0, sizeof(mv));
			reyes_i_moving_part(&c->view, d->prim, k, &mv);
			reyes_i_hide_moving_grid(&c->canvas, h, &mv, &l->points, moves, &l->moving);
		}
		lsched_sync_worker();
	}
}

LSCHED_TASK_FN void reyes_i_grid_body(
	const lsched_worker *w, const reyes_i_stage *c, reyes_i_local *l, const reyes_i_grid *g)
{
	reyes_i_fragment_room room = { 0, 0 };
	reyes_i_dicing d;
	reyes_i_hidden h;

	if (lsched_lane() == 0)
		l->slot = reyes_i_place_grid(c, g);
	lsched_sync_worker();
	h.slot = l->slot;
	if (h.slot == REYES_I_NONE)
		return;
	reyes_i_dicing_of(&c->view, g, c->canvas.colors + c->canvas.grids[h.slot].colors, &d);
	reyes_i_hidden_of(&c->view.camera, c->canvas.grids + h.slot, h.slot, &h);
	h.room = &room;
	h.progress = lsched_progress_word(w);
	reyes_i_dice_key(&c->canvas, &d, l, 0, 0, 1);
	if (d.prim->key_count > 1 || c->view.camera.lens > 0)
		reyes_i_hide_parts(c, &d, &h, l);
	else
		for (uint32_t m = lsched_lane(); m < d.nu * d.nv; m += LSCHED_LANES)
			reyes_i_hide_static(&c->canvas, &h, &l->points, m);
	lsched_sync_worker();
}

LSCHED_TASK_FN lsched_result reyes_i_grid_task(
	lsched_worker *w, const reyes_i_stage *c, reyes_i_local *l, uint32_t task)
{
	const reyes_i_grid g = c->list[task];

	reyes_i_grid_body(w, c, l, &g);
	return LSCHED_DONE;
}

/* ---- clear: a task is a row of tiles; resolve: samples; filter: a row of pixels ---- */

/* Samples of a row of tiles. */
LSCHED_FN uint64_t reyes_i_tile_row(const reyes_i_canvas *c)
{
	return (uint64_t)c->tiles_x * REYES_I_TILE * REYES_I_TILE * c->pattern.count;
}

LSCHED_TASK_FN lsched_result reyes_i_clear_row(
	lsched_worker *w, const reyes_i_stage *c, lsched_no_local *l, uint32_t row)
{
	const uint64_t n = reyes_i_tile_row(&c->canvas);

	(void)w, (void)l;
	for (uint64_t k = lsched_lane(); k < n; k += LSCHED_LANES) {
		if (c->canvas.cells)
			c->canvas.cells[row * n + k] = REYES_I_EMPTY;
		if (c->canvas.heads)
			c->canvas.heads[row * n + k] = REYES_I_NONE;
	}
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result reyes_i_resolve_part(
	lsched_worker *w, const reyes_i_stage *c, lsched_no_local *l, uint32_t part)
{
	const uint64_t n = c->resolve_planes * (REYES_I_TILE * REYES_I_TILE), first = part * n;
	const uint64_t all = c->canvas.tiles_y * reyes_i_tile_row(&c->canvas);
	const uint64_t end = n < all - first ? first + n : all;
	uint32_t *progress = lsched_progress_word(w);

	(void)l;
	for (uint64_t k = first + lsched_lane(); k < end; k += LSCHED_LANES) {
		const reyes_i_seen s =
			reyes_i_resolve(&c->canvas, &c->view.camera, k, REYES_I_LISTS_ALL);
		reyes_i_rgba *to = c->samples + k;

		if (k % 8 == 0 && lsched_lane() == 0)
			lsched_progress(progress);
		to->r = s.r;
		to->g = s.g;
		to->b = s.b;
		to->a = s.a;
		c->sample_z[k] = s.z;
	}
	return LSCHED_DONE;
}

/* Stores a filtered pixel, with its depth. */
LSCHED_FN void reyes_i_store_pixel(
	const reyes_i_stage *c, uint32_t x, uint32_t y, const float color[4])
{
	const size_t at = reyes_i_picture_index(c, x, y);
	float *to = c->rgba + 4 * at;

	for (int k = 0; k < 4; k++)
		to[k] = color[k];
	reyes_i_imager(&c->view.camera, to, to + 3);
	c->z[at] = reyes_i_filter_depth(
		&c->canvas, &c->view.camera, c->sample_z, (int32_t)x, (int32_t)y);
}

LSCHED_TASK_FN lsched_result reyes_i_filter_row(
	lsched_worker *w, const reyes_i_stage *c, lsched_no_local *l, uint32_t row)
{
	const reyes_i_camera *camera = &c->view.camera;
	const uint32_t run = REYES_I_FILTER_RUN, y = camera->crop_y0 + row;
	uint32_t *progress = lsched_progress_word(w);
	reyes_i_filter_pixels f;

	(void)l;
	f.y = (int32_t)y;
	for (uint32_t x = camera->crop_x0 + lsched_lane() * run; x < camera->crop_x1;
		x += run * LSCHED_LANES) {
		const uint32_t left = camera->crop_x1 - x, n = left < run ? left : run;

		f.x = (int32_t)x;
		f.n = (int32_t)n;
		if (lsched_lane() == 0)
			lsched_progress(progress);
		reyes_i_filter_run(&c->canvas, camera, &c->weights, c->samples, &f);
		for (uint32_t k = 0; k < n; k++)
			reyes_i_store_pixel(c, x + k, y, f.sum[k]);
	}
	return LSCHED_DONE;
}

#endif
