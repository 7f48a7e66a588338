/* Ranges as items of grain block or warp: an algorithm that works on arrays emits a range of
 * elements or tiles, which divides itself among the workers.
 *
 *	LSCHED_ITEMS lsched_range_items, and in the body of a procedure TILES
 *	if (it.count > 1 && lsched_thread(x) == 0)
 *		lsched_range_spread(x, TILES, it, LSCHED_RANGE_PARTS);
 *
 * Compiled for CPU and GPU. */
#ifndef LIBSCHED_RANGE_H
#define LIBSCHED_RANGE_H

#include <libsched/group.h>

/* A range divides itself into so many parts by default: at most LSCHED_MAX_SPAWN of the program. */
enum { LSCHED_RANGE_PARTS = 16 };

/* Elements first .. first + count - 1; `info` and `join` belong to the procedure, and all parts of
 * a range have them. */
typedef struct lsched_range {
	uint32_t first, count, info, join;
} lsched_range;
LSCHED_DECLARE_ITEMS(lsched_range_items, lsched_range);

/* The threads of an item without the item, for a part of the body that is not inlined
 * (LSCHED_TASK_CALL_FN). */
typedef struct lsched_range_crew {
	uint32_t thread, threads, barrier;
} lsched_range_crew;

LSCHED_TASK_FN lsched_range_crew lsched_range_crew_of(const lsched_range_items *x)
{
	const lsched_range_crew crew = { lsched_thread(x), lsched_threads(x), x->any.w->pair };

	return crew;
}

/* In the function: an item with these threads, for lsched_thread(), lsched_threads(),
 * lsched_sync_item() and <libsched/group.h>, and for nothing else. *room belongs to it. */
LSCHED_TASK_FN void lsched_range_crew_item(
	lsched_range_crew crew, lsched_range_items *x, lsched_worker *room)
{
	room->pair = crew.barrier;
	x->any.w = room;
	x->any.thread = crew.thread;
	x->any.threads = crew.threads;
}

/* Emits the parts of a range to procedure `proc`: `most` of nearly equal size, or one for each
 * element if it has fewer; none without elements. most: 1 to LSCHED_MAX_SPAWN less what the body
 * emits otherwise. Called by one thread of the item. */
LSCHED_TASK_FN void lsched_range_spread(
	lsched_range_items *x, uint32_t proc, lsched_range it, uint32_t most)
{
	const uint32_t parts = it.count < most ? it.count : most;

	for (uint32_t k = 0; k < parts; k++) {
		const uint32_t begin = (uint32_t)((uint64_t)it.count * k / parts);
		const uint32_t end = (uint32_t)((uint64_t)it.count * (k + 1) / parts);
		const lsched_range part = { it.first + begin, end - begin, it.info, it.join };

		lsched_emit(x, proc, &part);
	}
}

#endif
