/* Tiles as items of a block: its threads have a pixel each, so that a tile is short against the
 * limit. Compiled for CPU and GPU. */
#ifndef WORKLOADS_HULL_BODY_H
#define WORKLOADS_HULL_BODY_H

#include "workloads/hull/hull.h"

typedef struct hull_local {
	uint64_t begin;
	uint32_t tile, full;
} hull_local;

/* An item is a place in the order of tiles. */
LSCHED_FN uint32_t hull_root(const hull_ctx *c, uint32_t i, uint32_t *place)
{
	(void)c;
	*place = i;
	return 0;
}

/* Under the queue prio. */
LSCHED_FN uint32_t hull_priority(const hull_ctx *c, uint32_t proc, const void *place)
{
	(void)proc;
	return c->change[c->order[*(const uint32_t *)place]];
}

/* Whether the time that is left is enough for the tile at that place and for warping all behind it,
 * which have not begun. */
LSCHED_TASK_FN uint32_t hull_in_time(
	const hull_ctx *c, uint32_t place, uint64_t begin, uint32_t workers)
{
	const uint64_t rest = (uint64_t)(c->tiles - 1 - place) * c->warp_ns / workers;
	uint64_t start = lsched_ld(&c->meter->start, rlx, dev);

	if (start == 0 && lsched_cas(&c->meter->start, &start, begin, rlx, dev))
		start = begin;
	return (begin > start ? begin - start : 0) + rest + c->full_ns <= c->limit_ns;
}

LSCHED_TASK_FN lsched_result hull_body(
	hull_items *x, const hull_ctx *c, hull_local *l, uint32_t proc, uint32_t place)
{
	const uint32_t thread = lsched_thread(x);
	uint32_t tile, full;

	(void)proc;
	if (thread == 0) {
		l->begin = lsched_now_ns();
		l->tile = c->order[place];
		l->full = c->method == HULL_CLOCK
				  ? hull_in_time(c, place, l->begin,
					    lsched_worker_count(lsched_items_worker(x)))
				  : c->method == HULL_FULL || c->change[l->tile] >= c->threshold;
	}
	lsched_sync_item(x);
	tile = l->tile;
	full = l->full;
	for (uint32_t i = thread; i < HULL_PIXELS; i += lsched_threads(x)) {
		const uint32_t pixel = hull_pixel_of(c, tile, i);

		if (pixel != LSCHED_NONE)
			c->now[pixel] = hull_pixel(c, pixel, full);
	}
	lsched_sync_item(x);
	if (thread == 0) {
		const uint64_t ns = lsched_now_ns() - l->begin;
		hull_meter *m = c->meter;

		c->done[tile] = full;
		(void)lsched_add(&m->time[full], UINT64_C(1) << 40 | ns, rlx, dev);
		if (full && ns > lsched_ld(&m->longest, rlx, dev))
			(void)lsched_max(&m->longest, ns, rlx, dev);
	}
	return LSCHED_DONE;
}

#endif

#ifdef WL_HULL_PROGRAM
#define LSCHED_NAME           hull
#define LSCHED_CTX            hull_ctx
#define LSCHED_ITEMS          hull_items
#define LSCHED_ROOT           hull_root
#define LSCHED_BODY           hull_body
#define LSCHED_LOCAL          hull_local
#define LSCHED_GRAIN          block
#define LSCHED_GROUP_WARPS    8
#define LSCHED_MIN_BLOCKS     5
#define LSCHED_MAX_SPAWN      1
#define LSCHED_ITEM_PRIORITY  hull_priority
#define LSCHED_PROC_NAMES(X)  X(tile)
#define LSCHED_PROGRAM_QUEUES LSCHED_QUEUES
#include <libsched/generate_items.h>
#endif
