/* Ranges as items of grain block. The construction splits arrays, and emits a range of tiles, which
 * divides itself among the workers. Compiled for CPU and GPU; a test runs the text with several
 * threads on the CPU. */
#ifndef COLLIDE_BVH_ITEMS_H
#define COLLIDE_BVH_ITEMS_H

#include <libsched/group.h>

/* Elements first .. first + count - 1 of an array, or tiles of a range; `info` and `join` belong to
 * the procedure. */
typedef struct bvh_item {
	uint32_t first, count, info, join;
} bvh_item;
LSCHED_DECLARE_ITEMS(bvh_items, bvh_item);

/* A range divides itself into so many: LSCHED_MAX_SPAWN of the program. */
enum { BVH_SPREAD = 16 };

/* Before a loop that loads from memory: eight loads of a thread are under way at once. Only CUDA
 * compilers know the pragma. */
#ifdef __CUDA_ARCH__
#define BVH_UNROLL_LOADS _Pragma("unroll 8")
#else
#define BVH_UNROLL_LOADS
#endif

/* Emits the parts of a range, at most `most`. One thread. */
LSCHED_TASK_FN void bvh_spread_to(bvh_items *x, uint32_t proc, bvh_item it, uint32_t most)
{
	const uint32_t parts = it.count < most ? it.count : most;

	for (uint32_t k = 0; k < parts; k++) {
		const uint32_t begin = (uint32_t)((uint64_t)it.count * k / parts);
		const uint32_t end = (uint32_t)((uint64_t)it.count * (k + 1) / parts);
		const bvh_item part = { it.first + begin, end - begin, it.info, it.join };

		lsched_emit(x, proc, &part);
	}
}

/* The same with BVH_SPREAD parts. */
LSCHED_TASK_FN void bvh_spread(bvh_items *x, uint32_t proc, bvh_item it)
{
	bvh_spread_to(x, proc, it, BVH_SPREAD);
}

#endif
