#include "apps/gpuintra/latency.h"

static uint32_t step_of(uint64_t ns)
{
	uint32_t shift;

	if (ns < LATENCY_STEPS)
		return (uint32_t)ns;
	shift = 63u - (uint32_t)__builtin_clzll(ns) - LATENCY_STEP_BITS;
	return (shift + 1) * LATENCY_STEPS + (uint32_t)(ns >> shift) - LATENCY_STEPS;
}

static double middle_ns(uint32_t step)
{
	uint32_t shift;

	if (step < LATENCY_STEPS)
		return step;
	shift = step / LATENCY_STEPS - 1;
	return ((double)(step % LATENCY_STEPS) + LATENCY_STEPS + (shift ? 0.5 : 0)) *
	       (double)(UINT64_C(1) << shift);
}

void latency_add(latency *l, int64_t ns)
{
	uint64_t v = ns < 0 ? 0 : (uint64_t)ns;

	l->count++;
	l->counts[step_of(v)]++;
	if (v > l->max_ns)
		l->max_ns = v;
}

double latency_percentile_ms(const latency *l, uint32_t percent)
{
	const uint32_t steps = sizeof(l->counts) / sizeof(l->counts[0]);
	uint64_t rank = l->count * percent / 100, below = 0;

	if (l->count == 0)
		return 0;
	if (rank >= l->count)
		rank = l->count - 1;
	for (uint32_t i = 0; i < steps; i++) {
		below += l->counts[i];
		if (below > rank) {
			double ns = middle_ns(i);

			return (ns < (double)l->max_ns ? ns : (double)l->max_ns) * 1e-6;
		}
	}
	return latency_max_ms(l);
}

double latency_max_ms(const latency *l)
{
	return (double)l->max_ns * 1e-6;
}
