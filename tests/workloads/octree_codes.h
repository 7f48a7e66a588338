/* Particles of a test: codes that no law of `octree` makes, in place of those of a harness. */
#ifndef TESTS_WORKLOADS_OCTREE_CODES_H
#define TESTS_WORKLOADS_OCTREE_CODES_H

#include <stdlib.h>
#include <string.h>
#include "workloads/common/random.h"
#include "workloads/octree/host.h"

typedef enum octree_codes {
	OCTREE_ZEROS,    /* all in the lowest corner */
	OCTREE_ONES,     /* all in the highest one */
	OCTREE_CORNERS,  /* in both */
	OCTREE_LAST_BIT, /* equal but for the last octant */
	OCTREE_FEW,      /* seven points */
	OCTREE_DENSE,    /* a box of 16 x 16 x 16 points */
	OCTREE_CLUSTERS, /* boxes of all sizes within one another */
	OCTREE_GROUPS,   /* 62 to 67 particles that agree in 15 bits, and differ below */
	OCTREE_TWINS,    /* pairs that agree in 21, 30, 42 or 63 bits */
	OCTREE_CODES
} octree_codes;

static inline uint64_t octree_random(uint64_t seed)
{
	return wl_hash64(seed) >> 1;
}

static inline uint64_t octree_code(octree_codes kind, uint32_t i)
{
	static const uint32_t same[] = { 21, 30, 42, 63 };
	const uint64_t all = (UINT64_C(1) << 3 * OCT_LEVELS) - 1;
	const uint64_t random = octree_random(1000000 + (uint64_t)i);
	const uint64_t below = all >> same[i / 2 % 4], group = i % 2 ? i / 67 : i / 62;

	switch (kind) {
	case OCTREE_ZEROS:
		return 0;
	case OCTREE_ONES:
		return all;
	case OCTREE_CORNERS:
		return i % 3 ? all : 0;
	case OCTREE_LAST_BIT:
		return (UINT64_C(0x5a5a5a5a5a5a5a58) & all) | random % 8;
	case OCTREE_FEW:
		return octree_random(i % 7);
	case OCTREE_DENSE:
		return (UINT64_C(0x2525252525252525) >> 12 << 12) | random % 4096;
	case OCTREE_CLUSTERS:
		return random >> 3 * (i % OCT_LEVELS);
	case OCTREE_GROUPS:
		return octree_random(group) >> 48 << 48 | random >> 15 >> i % 30;
	default:
		return (octree_random(i / 2) & ~below) | (random & below);
	}
}

/* Replaces the particles, and the truth. Returns 0, or -1 without memory. */
static inline int octree_codes_fill(oct_host *h, octree_codes kind)
{
	const size_t bytes = h->o.n * sizeof(uint64_t);
	uint64_t *second = (uint64_t *)malloc(bytes + 1);

	if (!second)
		return -1;
	for (uint32_t i = 0; i < h->o.n; i++)
		h->code[i] = octree_code(kind, i);
	memcpy(h->ctx.code[OCT_INPUT], h->code, bytes);
	memcpy(h->sorted, h->code, bytes);
	oct_radix_sort(h->sorted, second, NULL, NULL, h->o.n);
	free(second);
	oct_walk(h->sorted, (uint32_t)h->o.n, h->o.bound, &h->truth, NULL, 0);
	return 0;
}

#endif
