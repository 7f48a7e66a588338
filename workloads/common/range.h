/* Ranges as items of grain block. An algorithm that splits arrays emits a range of tiles, which
 * divides itself among the workers. Compiled for CPU and GPU; a test runs the text with several
 * threads on the CPU. */
#ifndef WORKLOADS_COMMON_RANGE_H
#define WORKLOADS_COMMON_RANGE_H

#include <libsched/group.h>

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

/* Emits the parts of a range, at most `most`. One thread. */
LSCHED_TASK_FN void wl_spread_to(wl_range_items *x, uint32_t proc, wl_range it, uint32_t most)
{
	const uint32_t parts = it.count < most ? it.count : most;

	for (uint32_t k = 0; k < parts; k++) {
		const uint32_t begin = (uint32_t)((uint64_t)it.count * k / parts);
		const uint32_t end = (uint32_t)((uint64_t)it.count * (k + 1) / parts);
		const wl_range part = { it.first + begin, end - begin, it.info, it.join };

		lsched_emit(x, proc, &part);
	}
}

/* The same with WL_SPREAD parts. */
LSCHED_TASK_FN void wl_spread(wl_range_items *x, uint32_t proc, wl_range it)
{
	wl_spread_to(x, proc, it, WL_SPREAD);
}

#endif
