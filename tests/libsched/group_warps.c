/* <libsched/group.h>: the device text with several warps of 32 emulated lanes, a thread each. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
typedef int group_warps_left_out; /* sanitizers do not follow from lane to lane */
#else

#define _GNU_SOURCE
#pragma GCC diagnostic ignored "-Wunused-function" /* of lanes.h */
#include "tests/libsched/lanes_block.h"
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "tests/libsched/group_run.h"
#include "tests/libsched/group_programs.h"

typedef struct warp {
	uint32_t number, warps, seed;
	uint32_t wrong[LANES];
	group_local *l;
	pthread_barrier_t *barrier;
	pthread_t thread;
} warp;

static void run_lane(void *arg)
{
	warp *m = arg;
	lsched_worker worker;
	group_items x;

	worker.pair = 1;
	x.any.w = &worker;
	x.any.thread = m->number * LSCHED_LANES + lsched_lane();
	x.any.threads = m->warps * LSCHED_LANES;
	m->wrong[lsched_lane()] = group_wrong(&x, m->l, m->seed);
}

static void *run_warp(void *arg)
{
	warp *m = arg;

	block_barrier = m->barrier;
	lanes_run(run_lane, m);
	return NULL;
}

uint32_t group_run_warps(uint32_t warps, uint32_t seed)
{
	static warp block[GROUP_WARPS_MOST];
	static group_local local;
	pthread_barrier_t barrier;
	uint32_t wrong = 0;

	if (pthread_barrier_init(&barrier, NULL, warps))
		abort();
	for (uint32_t k = 0; k < warps; k++) {
		block[k].number = k;
		block[k].warps = warps;
		block[k].seed = seed;
		block[k].l = &local;
		block[k].barrier = &barrier;
		if (pthread_create(&block[k].thread, NULL, run_warp, &block[k]))
			abort();
	}
	for (uint32_t k = 0; k < warps; k++) {
		pthread_join(block[k].thread, NULL);
		for (uint32_t lane = 0; lane < LANES; lane++)
			wrong += block[k].wrong[lane];
	}
	pthread_barrier_destroy(&barrier);
	return wrong;
}

#endif
