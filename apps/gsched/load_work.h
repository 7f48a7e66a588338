/* Random numbers by hashing, and work of a given length, for all synthetic loads. Compiled for CPU
 * and GPU. */
#ifndef APPS_GSCHED_LOAD_WORK_H
#define APPS_GSCHED_LOAD_WORK_H

#include <math.h>
#include <libsched/task.h>

/* Hashes by multiplication and xor-shift; a bijection of 32-bit numbers. */
LSCHED_FN uint32_t load_hash(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352du;
	x ^= x >> 15;
	x *= 0x846ca68bu;
	return x ^ (x >> 16);
}

/* Distributions of the length of tasks, in the order of the choices of --law. */
enum { LOAD_FIXED, LOAD_UNIFORM, LOAD_PAPER };

typedef struct load_length {
	uint32_t law;
	uint32_t steps; /* the mean */
	uint32_t seed;
} load_length;

/* Returns the length of a task. FIXED: `steps`. UNIFORM: 0 to 2 x steps. PAPER: steps / 8 times 1
 * to 16 (Tzeng, Lloyd, Owens 2012, section 7: a base count times a random multiplier; the constant
 * length there is 8 times the base count). */
LSCHED_FN uint32_t load_steps(const load_length *l, uint32_t number)
{
	uint32_t r;

	if (l->law == LOAD_FIXED || l->steps == 0)
		return l->steps;
	r = load_hash(number ^ l->seed);
	if (l->law == LOAD_UNIFORM)
		return (uint32_t)((uint64_t)r * (2 * (uint64_t)l->steps + 1) >> 32);
	return l->steps / 8 * (1 + (r >> 28));
}

/* Computes x = cos(x) `steps` times in every lane, the function of the paper of 2012. The store
 * prevents the compiler from removing the loop: it cannot prove that the result is at most 1. */
LSCHED_TASK_FN void load_run(uint32_t steps, float *sink)
{
	float x = (float)lsched_lane();

	while (steps--)
		x = cosf(x);
	if (x > 100.0f)
		*sink = x;
}

#endif
