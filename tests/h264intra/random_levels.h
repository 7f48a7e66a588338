/* Random blocks of transform coefficient levels. */
#ifndef TESTS_H264INTRA_RANDOM_LEVELS_H
#define TESTS_H264INTRA_RANDOM_LEVELS_H

#include "tests/common/rng.h"

/* Fills level[0..n - 1]; how many are nonzero, and how large, differs from call to call. */
static inline void random_levels(int16_t *level, int n)
{
	uint32_t density = 1 + rng() % 16, size = rng() % 11, i;

	for (i = 0; i < (uint32_t)n; i++) {
		int v = (int)(rng() % (2u << (rng() % (size + 1))));

		if (rng() % 3 == 0)
			v = 1;
		level[i] = (int16_t)(rng() % 16 >= density ? 0 : rng() & 1 ? v : -v);
	}
}

#endif
