/* Distribution of latencies in a fixed amount of memory.
 *
 * One counter per step; between two powers of two there are LATENCY_STEPS equal steps. A quantile
 * is the middle of its step, so its relative error is at most 1 / (2 * LATENCY_STEPS); the maximum
 * is exact. */
#ifndef APPS_GPUINTRA_LATENCY_H
#define APPS_GPUINTRA_LATENCY_H

#include <stdint.h>

enum { LATENCY_STEP_BITS = 7, LATENCY_STEPS = 1 << LATENCY_STEP_BITS };

typedef struct latency {
	uint64_t count, max_ns;
	uint64_t counts[(64 - LATENCY_STEP_BITS + 1) * LATENCY_STEPS];
} latency;

/* All zero is empty. Values below 0 count as 0. */
void latency_add(latency *l, int64_t ns);

/* Returns the percentile (0..100) in ms; 0 without values. */
double latency_percentile_ms(const latency *l, uint32_t percent);

double latency_max_ms(const latency *l);
#endif
