/* Paths as items. A slot of memory has a path under way, and an item its number; when the path has
 * ended, the slot takes the next one that no other has. A turn ends after so many bounces, and the
 * path continues with others that hit the same kind of surface. Compiled for CPU and GPU. */
#ifndef WORKLOADS_TRACE_BODY_H
#define WORKLOADS_TRACE_BODY_H

#include "workloads/trace/step.h"

LSCHED_FN uint32_t trc_root(const trc_ctx *c, uint32_t i, trc_item *it)
{
	(void)c;
	it->slot = i;
	it->object = 0;
	return TRC_NEW;
}

LSCHED_TASK_FN void trc_add_light(const trc_ctx *c, uint32_t pixel, const float light[3])
{
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		(void)lsched_add(&c->sum[(size_t)pixel * 4 + k], trc_fixed(light[k]), rlx, dev);
}

/* Begins the next path of a slot. Returns 0 if none is left. */
LSCHED_TASK_FN uint32_t trc_next(const trc_ctx *c, trc_path *p)
{
	const uint32_t pixels = c->width * c->height;
	uint32_t some = 1;

	if (p->count / TRC_BOUNCES) {
		p->count -= TRC_BOUNCES;
		p->sample++;
	} else {
		uint32_t take = lsched_ld(c->taken, rlx, dev), left;

		/* slots that have not begun at the end would wait for one address */
		take = take < c->takes ? lsched_add(c->taken, 1u, rlx, dev) : take;
		some = take < c->takes;
		p->pixel = take % pixels;
		p->sample = take / pixels * TRC_TAKE;
		left = c->samples - p->sample;
		p->count = ((left < TRC_TAKE ? left : (uint32_t)TRC_TAKE) - 1) * TRC_BOUNCES;
	}
	if (some)
		trc_begin(c, p);
	return some;
}

/* `mesh` as for trc_hit. One exit, so that lanes come together before each hit. */
LSCHED_TASK_FN lsched_result trc_turn(
	trc_items *x, const trc_ctx *c, uint32_t proc, trc_item it, int mesh)
{
	trc_path p = c->path[it.slot];
	uint32_t alive = proc != TRC_NEW, some = 1, goes_on = 1;

	for (uint32_t k = 0; goes_on && k < c->bounces; k++) {
		if (alive) {
			float light[3];
			uint32_t lit;

			alive = trc_scatter(c, &p, it.object, light, &lit, mesh);
			if (lit)
				trc_add_light(c, p.pixel, light);
		}
		if (!alive && (c->refill || (k == 0 && proc == TRC_NEW)))
			alive = some = trc_next(c, &p);
		goes_on = alive;
		if (goes_on)
			it.object = trc_hit(c, &p, mesh);
	}
	if (some) {
		c->path[it.slot] = p;
		lsched_emit(x,
			alive ? c->scene.surface[trc_surface_of(it.object)].kind
			      : (uint32_t)TRC_NEW,
			&it);
	}
	return LSCHED_DONE;
}

LSCHED_TASK_FN lsched_result trc_body(
	trc_items *x, const trc_ctx *c, lsched_no_local *l, uint32_t proc, trc_item it)
{
	(void)l;
	return trc_turn(x, c, proc, it, 0);
}

LSCHED_TASK_FN lsched_result trc_mesh_body(
	trc_items *x, const trc_ctx *c, lsched_no_local *l, uint32_t proc, trc_item it)
{
	(void)l;
	return trc_turn(x, c, proc, it, 1);
}

#endif

#ifdef WL_TRACE_PROGRAM /* the name, with the body WL_TRACE_BODY */
#define LSCHED_NAME           WL_TRACE_PROGRAM
#define LSCHED_CTX            trc_ctx
#define LSCHED_ITEMS          trc_items
#define LSCHED_ROOT           trc_root
#define LSCHED_BODY           WL_TRACE_BODY
#define LSCHED_PROCS          5 /* TRC_PROCS */
#define LSCHED_MAX_SPAWN      1
#define LSCHED_MIN_BATCH      32
#define LSCHED_CPU_LANES      32
#define LSCHED_MIN_BLOCKS     6
#define LSCHED_PROC_NAMES(X)  X(begin) X(diffuse) X(mirror) X(glass) X(light)
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
