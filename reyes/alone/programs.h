/* Split and dice alone as programs of libsched, in three forms, the same text for CPU threads and
 * for kernels. All write each grid to a list, and positions and normals of its points to memory.
 *
 * LIST: split as in the renderer (a lane an item), which lists the grids; dicing afterwards, as a
 * kernel (reyes/alone/dice.cu) or as a program on CPU threads.
 *
 * ITEMS: one item program with two procedures: split with grain lane, dice with grain warp.
 *
 * TASKS: as Tzeng, Patney, Owens 2010: a worker (a warp, a CPU thread) executes a unit, which is
 * split, or diced at once, and every unit passes through the queue by itself, as a word of 32
 * bits. */
#ifndef REYES_ALONE_PROGRAMS_H
#define REYES_ALONE_PROGRAMS_H

#include <libsched/items.h>
#include <libsched/task.h>
#include "libsched/core/bits.h"
#include "reyes/alone/points.h"
#include "reyes/split/decide.h"

/* 2^27 grids and their points: 2^37 places. */
#define REYES_I_ALONE_SHIFT     37
#define REYES_I_ALONE_GRIDS_MAX (1u << (64 - REYES_I_ALONE_SHIFT))

/* A grid of the list, and the place of its first point. */
typedef struct reyes_i_alone_grid {
	reyes_i_grid grid;
	uint32_t first;
} reyes_i_alone_grid;

typedef struct reyes_i_alone_ctx {
	reyes_i_view view;
	uint64_t *used; /* grids << REYES_I_ALONE_SHIFT | places of points */
	reyes_i_alone_grid *list;
	float *points; /* six arrays of [points_max]: x, y, z, normal x, y, z */
	uint32_t list_max, points_max;
} reyes_i_alone_ctx;

/* Codes of a run that has failed. */
enum { REYES_I_ALONE_TOO_FINE = 1, REYES_I_ALONE_CROSSES };

/* Reserves places for a grid and its points. Returns the place of the first point, or REYES_I_NONE
 * if there is no room; *used has counted the grid in both cases, so that the host can enlarge the
 * memory. One thread. */
LSCHED_TASK_FN uint32_t reyes_i_alone_place(const reyes_i_alone_ctx *c, const reyes_i_grid *g)
{
	const uint32_t room = reyes_i_alone_room(g);
	const uint64_t used =
		lsched_add(c->used, (uint64_t)1 << REYES_I_ALONE_SHIFT | room, rlx, dev);
	const uint32_t slot = (uint32_t)(used >> REYES_I_ALONE_SHIFT);
	const uint64_t first = used & (((uint64_t)1 << REYES_I_ALONE_SHIFT) - 1);

	if (slot >= c->list_max)
		return REYES_I_NONE;
	c->list[slot].grid = *g;
	c->list[slot].first = first + room <= c->points_max ? (uint32_t)first : REYES_I_NONE;
	return c->list[slot].first;
}

/* ---- form LIST: split; dice for CPU threads ---- */

LSCHED_DECLARE_ITEMS(reyes_i_alone_splits, reyes_i_item);

LSCHED_FN reyes_i_item reyes_i_alone_whole(uint32_t prim)
{
	const reyes_i_item item = { prim, 0, 0, 0, 0, 0, 0 };

	return item;
}

LSCHED_FN uint32_t reyes_i_alone_root(const reyes_i_alone_ctx *c, uint32_t i, reyes_i_item *item)
{
	(void)c;
	*item = reyes_i_alone_whole(i);
	return 0;
}

LSCHED_TASK_FN lsched_result reyes_i_alone_split(reyes_i_alone_splits *x,
	const reyes_i_alone_ctx *c, lsched_no_local *l, uint32_t proc, reyes_i_item item)
{
	reyes_i_grid grid;
	const uint32_t fate = reyes_i_decide(&c->view, &item, &grid, NULL);
	const uint32_t parts = reyes_i_part_count(fate);

	(void)l, (void)proc;
	if (fate == REYES_I_DICE)
		(void)reyes_i_alone_place(c, &grid);
	for (uint32_t k = 0; k < parts; k++) {
		const reyes_i_item part = reyes_i_part(&item, fate, k);

		lsched_emit(x, 0, &part);
	}
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result reyes_i_alone_dice(
	lsched_worker *w, const reyes_i_alone_ctx *c, reyes_i_alone_scratch *s, uint32_t task)
{
	const reyes_i_alone_grid *g = c->list + task;
	reyes_i_dicing d;

	(void)w;
	reyes_i_dicing_of(&c->view, &g->grid, NULL, &d);
	reyes_i_alone_columns(&d, s, lsched_lane(), LSCHED_LANES);
	lsched_sync_worker();
	if (g->first != REYES_I_NONE)
		reyes_i_alone_points(
			&d, s, c->points, c->points_max, g->first, lsched_lane(), LSCHED_LANES);
	lsched_sync_worker();
	return LSCHED_DONE;
}

/* ---- form ITEMS ---- */

#define REYES_I_ALONE_PROCEDURES(Y, P)                      \
	Y(P, split, lane, reyes_i_item, reyes_i_alone_item, \
		LSCHED_TO(split, 4) LSCHED_TO(dice, 1))     \
	Y(P, dice, warp, reyes_i_grid, reyes_i_alone_grid_item, 0)
LSCHED_DECLARE_PROCEDURES(reyes_i_alone_both, REYES_I_ALONE_PROCEDURES);

LSCHED_TASK_FN void reyes_i_alone_both_root(
	reyes_i_alone_both *x, const reyes_i_alone_ctx *c, uint32_t i)
{
	const reyes_i_item item = reyes_i_alone_whole(i);

	(void)c;
	lsched_emit_to(x, split, &item);
}

LSCHED_TASK_FN lsched_result reyes_i_alone_item(reyes_i_alone_both *x, const reyes_i_alone_ctx *c,
	reyes_i_alone_scratch *s, reyes_i_item item)
{
	reyes_i_grid grid;
	const uint32_t fate = reyes_i_decide(&c->view, &item, &grid, NULL);
	const uint32_t parts = reyes_i_part_count(fate);

	(void)s;
	if (fate == REYES_I_DICE)
		lsched_emit_to(x, dice, &grid);
	for (uint32_t k = 0; k < parts; k++) {
		const reyes_i_item part = reyes_i_part(&item, fate, k);

		lsched_emit_to(x, split, &part);
	}
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result reyes_i_alone_grid_item(reyes_i_alone_both *x,
	const reyes_i_alone_ctx *c, reyes_i_alone_scratch *s, reyes_i_grid grid)
{
	const uint32_t t = lsched_thread(x), n = lsched_threads(x);
	reyes_i_dicing d;

	if (t == 0)
		s->first = reyes_i_alone_place(c, &grid);
	reyes_i_dicing_of(&c->view, &grid, NULL, &d);
	reyes_i_alone_columns(&d, s, t, n);
	lsched_sync_item(x);
	if (s->first != REYES_I_NONE)
		reyes_i_alone_points(&d, s, c->points, c->points_max, s->first, t, n);
	lsched_sync_item(x);
	return LSCHED_DONE;
}

/* ---- form TASKS ---- */

/* A unit as a word: primitive (10 bits), then for u and for v the position below a leading one bit,
 * whose place is the level (11 bits each). The lowest bit of both is inverted, so that the word of
 * a whole primitive is its number. All bits set is no unit. There is no room for eye_splits, so
 * that what crosses the camera plane is halved until there is no word. */
#define REYES_I_ALONE_PRIMS_MAX 1023
#define REYES_I_ALONE_LEVELS    10

LSCHED_FN uint32_t reyes_i_alone_part_bits(uint32_t level, uint32_t position)
{
	return (1u << level | position) ^ 1u;
}

LSCHED_FN uint32_t reyes_i_alone_word(const reyes_i_item *item)
{
	return item->prim | reyes_i_alone_part_bits(item->u_level, item->u) << 10 |
	       reyes_i_alone_part_bits(item->v_level, item->v) << 21;
}

LSCHED_FN reyes_i_item reyes_i_alone_unit(uint32_t word)
{
	const uint32_t u = (word >> 10 & 2047u) ^ 1u, v = word >> 21 ^ 1u;
	reyes_i_item item = reyes_i_alone_whole(word & 1023u);

	item.u_level = (uint8_t)(31 - lsched_i_leading_zeros(u));
	item.v_level = (uint8_t)(31 - lsched_i_leading_zeros(v));
	item.u = (uint16_t)(u ^ 1u << item.u_level);
	item.v = (uint16_t)(v ^ 1u << item.v_level);
	return item;
}

/* Enqueues the parts of a unit. Returns 0, or an error if a part has no word. */
LSCHED_TASK_FN uint32_t reyes_i_alone_spawn(
	lsched_worker *w, const reyes_i_item *item, uint32_t fate, uint32_t parts)
{
	if (item->u_level + (fate != REYES_I_SPLIT_V) > REYES_I_ALONE_LEVELS ||
		item->v_level + (fate != REYES_I_SPLIT_U) > REYES_I_ALONE_LEVELS)
		return item->eye_splits ? REYES_I_ALONE_CROSSES : REYES_I_ALONE_TOO_FINE;
	for (uint32_t base = 0; base < parts; base += LSCHED_LANES) {
		const uint32_t k = base + lsched_lane();
		const reyes_i_item part = reyes_i_part(item, fate, k < parts ? k : 0);

		lsched_spawn_lanes(w, reyes_i_alone_word(&part), k < parts);
	}
	return 0;
}

LSCHED_TASK_FN lsched_result reyes_i_alone_task(
	lsched_worker *w, const reyes_i_alone_ctx *c, reyes_i_alone_scratch *s, uint32_t word)
{
	reyes_i_item item = reyes_i_alone_unit(word);
	reyes_i_grid grid;
	const uint32_t fate = reyes_i_decide(&c->view, &item, &grid, NULL);
	const uint32_t parts = reyes_i_part_count(fate);
	const uint32_t error = parts ? reyes_i_alone_spawn(w, &item, fate, parts) : 0;
	reyes_i_dicing d;

	if (error)
		return lsched_fail(w, error);
	if (fate != REYES_I_DICE)
		return LSCHED_DONE;
	if (lsched_lane() == 0)
		s->first = reyes_i_alone_place(c, &grid);
	reyes_i_dicing_of(&c->view, &grid, NULL, &d);
	reyes_i_alone_columns(&d, s, lsched_lane(), LSCHED_LANES);
	lsched_sync_worker();
	if (s->first != REYES_I_NONE)
		reyes_i_alone_points(
			&d, s, c->points, c->points_max, s->first, lsched_lane(), LSCHED_LANES);
	lsched_sync_worker();
	return LSCHED_DONE;
}

#endif
