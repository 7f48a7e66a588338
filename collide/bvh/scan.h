/* Scans over the lanes of a warp. Compiled for CPU and GPU. */
#ifndef COLLIDE_BVH_SCAN_H
#define COLLIDE_BVH_SCAN_H

#include "collide/bvh/group.h"

#if LSCHED_LANES > 1

/* The unions over the lanes below and above this one; own: in `before`. */
LSCHED_TASK_FN void bvh_lane_scan(uint32_t before[3], uint32_t behind[3])
{
	const uint32_t lane = lsched_lane();

	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++)
		behind[k] = before[k];
	LSCHED_NO_UNROLL
	for (uint32_t d = 1; d < LSCHED_LANES; d *= 2) {
		const uint32_t low = lane >= d ? lane - d : 0;
		const uint32_t high = lane + d < LSCHED_LANES ? lane + d : LSCHED_LANES - 1;

		LSCHED_UNROLL
		for (uint32_t k = 0; k < 3; k++) {
			const uint32_t a = lsched_i_shfl(before[k], low);
			const uint32_t b = lsched_i_shfl(behind[k], high);

			before[k] = bvh_max2(before[k], a);
			behind[k] = bvh_max2(behind[k], b);
		}
	}
	LSCHED_UNROLL
	for (uint32_t k = 0; k < 3; k++) {
		const uint32_t a = lsched_i_shfl_up(before[k], 1);
		const uint32_t b = lsched_i_shfl_down(behind[k], 1);

		before[k] = lane ? a : 0;
		behind[k] = lane + 1 < LSCHED_LANES ? b : 0;
	}
}

#endif
#endif
