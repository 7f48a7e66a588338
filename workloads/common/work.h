/* Work of a given length, for synthetic workloads. Compiled for CPU and GPU. */
#ifndef WORKLOADS_COMMON_WORK_H
#define WORKLOADS_COMMON_WORK_H

#include <math.h>
#include "workloads/common/random.h"

/* Distributions of the length of tasks, in the order of the choices of --law. */
enum { WL_FIXED, WL_UNIFORM, WL_PAPER };

typedef struct wl_length {
	uint32_t law;
	uint32_t steps; /* the mean */
	uint32_t seed;
} wl_length;

/* Returns the length of a task. FIXED: `steps`. UNIFORM: 0 to 2 x steps. PAPER: steps / 8 times 1
 * to 16 (Tzeng, Lloyd, Owens 2012, section 7: a base count times a random multiplier; the constant
 * length there is 8 times the base count). */
LSCHED_FN uint32_t wl_steps(const wl_length *l, uint32_t number)
{
	uint32_t r;

	if (l->law == WL_FIXED || l->steps == 0)
		return l->steps;
	r = wl_hash(number ^ l->seed);
	if (l->law == WL_UNIFORM)
		return (uint32_t)((uint64_t)r * (2 * (uint64_t)l->steps + 1) >> 32);
	return l->steps / 8 * (1 + (r >> 28));
}

/* Computes x = cos(x) `steps` times in every lane, the function of the paper of 2012. The store
 * prevents the compiler from removing the loop: it cannot prove that the result is at most 1. */
LSCHED_TASK_FN void wl_run_steps(uint32_t steps, float *sink)
{
	float x = (float)lsched_lane();

	while (steps--)
		x = cosf(x);
	if (x > 100.0f)
		*sink = x;
}

#endif
