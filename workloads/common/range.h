/* Ranges as items of grain block, and what the threads of a block do together. An algorithm that
 * splits arrays emits a range of tiles, which divides itself among the workers. Compiled for CPU
 * and GPU; a test runs the text with several threads on the CPU. */
#ifndef WORKLOADS_COMMON_RANGE_H
#define WORKLOADS_COMMON_RANGE_H

#include <libsched/items.h>

/* Elements first .. first + count - 1 of an array, or tiles of a range; `info` and `join` belong to
 * the procedure. */
typedef struct wl_range {
	uint32_t first, count, info, join;
} wl_range;
LSCHED_DECLARE_ITEMS(wl_range_items, wl_range);

/* A range divides itself into so many: LSCHED_MAX_SPAWN of the programs. */
enum { WL_SPREAD = 16 };

/* Before a loop that loads from memory: eight loads of a thread are under way at once. Only CUDA
 * compilers know the pragma. */
#ifdef __CUDA_ARCH__
#define WL_UNROLL_LOADS _Pragma("unroll 8")
#else
#define WL_UNROLL_LOADS
#endif

/* Words of wl_group_scan: one for each warp, where threads are lanes of warps. */
enum { WL_GROUP_PARTS = LSCHED_LANES > 1 ? 16 : 512 };

/* Emits the parts of a range of at least two elements. One thread. */
LSCHED_TASK_FN void wl_spread(wl_range_items *x, uint32_t proc, wl_range it)
{
	const uint32_t parts = it.count < WL_SPREAD ? it.count : (uint32_t)WL_SPREAD;

	for (uint32_t k = 0; k < parts; k++) {
		const uint32_t begin = (uint32_t)((uint64_t)it.count * k / parts);
		const uint32_t end = (uint32_t)((uint64_t)it.count * (k + 1) / parts);
		const wl_range part = { it.first + begin, end - begin, it.info, it.join };

		lsched_emit(x, proc, &part);
	}
}

/* Returns the sum of v over the threads with lower numbers; *total: over all threads. All threads
 * of the item call it. `part` is in fast memory. */
LSCHED_TASK_FN uint64_t wl_group_scan(
	wl_range_items *x, uint64_t *part, uint64_t v, uint64_t *total)
{
	const uint32_t thread = lsched_thread(x), threads = lsched_threads(x);
	uint64_t before = 0, all = 0;

	if (threads == 1) {
		*total = v;
		return 0;
	}
#if LSCHED_LANES > 1
	{
		const uint32_t lane = lsched_lane(), warps = threads / LSCHED_LANES;
		uint64_t sum = v;

		for (uint32_t k = 1; k < LSCHED_LANES; k *= 2) {
			const uint64_t other = lsched_i_shfl_up(sum, k);

			sum += lane >= k ? other : 0;
		}
		if (lane == LSCHED_LANES - 1)
			part[thread / LSCHED_LANES] = sum;
		lsched_sync_item(x);
		for (uint32_t k = 0; k < warps; k++) {
			before += k < thread / LSCHED_LANES ? part[k] : 0;
			all += part[k];
		}
		before += sum - v;
	}
#else
	part[thread] = v;
	lsched_sync_item(x);
	for (uint32_t k = 0; k < threads; k++) {
		before += k < thread ? part[k] : 0;
		all += part[k];
	}
#endif
	lsched_sync_item(x); /* before the next call writes */
	*total = all;
	return before;
}

/* Up to eight counters of 16 bits in registers: those of a thread, or sums of the threads before
 * it, so that a scan of two words places elements into eight parts. */
typedef struct wl_ways {
	uint64_t word[2];
} wl_ways;

/* Adds 1 to a counter; returns what it was. */
LSCHED_FN uint32_t wl_ways_next(wl_ways *w, uint32_t way)
{
	const uint32_t shift = 16u * (way & 3u);
	const uint64_t one = UINT64_C(1) << shift;
	const uint32_t old = (uint32_t)((way < 4 ? w->word[0] : w->word[1]) >> shift) & 0xffffu;

	if (way < 4)
		w->word[0] += one;
	else
		w->word[1] += one;
	return old;
}

LSCHED_FN uint32_t wl_ways_get(const wl_ways *w, uint32_t way)
{
	return (uint32_t)((way < 4 ? w->word[0] : w->word[1]) >> 16u * (way & 3u)) & 0xffffu;
}

/* From the counters of each thread, at most 65,535 in all: places that begin, way after way, with
 * those of the threads before. All threads of the item call it. */
LSCHED_TASK_FN void wl_ways_scan(
	wl_range_items *x, uint64_t *part, wl_ways *w, uint32_t ways, wl_ways *total)
{
	uint32_t begin = 0;

	w->word[0] = wl_group_scan(x, part, w->word[0], &total->word[0]);
	total->word[1] = 0;
	if (ways > 4)
		w->word[1] = wl_group_scan(x, part, w->word[1], &total->word[1]);
	LSCHED_UNROLL
	for (uint32_t way = 0; way < ways; way++) {
		w->word[way / 4] += (uint64_t)begin << 16u * (way & 3u);
		begin += wl_ways_get(total, way);
	}
}

#endif
