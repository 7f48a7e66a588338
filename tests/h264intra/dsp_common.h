/* Memory with guards, samples, and the tables to compare, for the suites of cpu/dsp.h. */
#ifndef TESTS_H264INTRA_DSP_COMMON_H
#define TESTS_H264INTRA_DSP_COMMON_H

#include <stdio.h>
#include <string.h>

#include "h264intra/cpu/dsp.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

enum { GUARD = 64, ROOM = 4096, ROUNDS = 4000 };

/* Results at some alignment, with guard bytes around them. */
typedef struct guarded {
	uint8_t bytes[GUARD + ROOM + GUARD];
	size_t first, size;
} guarded;

static const h264i_dsp *spec, *fast;

static inline void *guarded_init(guarded *g, size_t size, size_t align)
{
	memset(g->bytes, 0xa5, sizeof(g->bytes));
	g->first = GUARD + rng_below(16) * align;
	g->size = size;
	return g->bytes + g->first;
}

static inline int guard_broken(const guarded *g)
{
	for (size_t i = 0; i < sizeof(g->bytes); i++)
		if ((i < g->first || i >= g->first + g->size) && g->bytes[i] != 0xa5)
			return 1;
	return 0;
}

/* Samples of several kinds. */
static inline void samples(uint8_t *s, size_t n)
{
	uint32_t kind = rng_below(6), base = rng_below(256), range = 1 + rng_below(32);

	for (size_t i = 0; i < n; i++)
		switch (kind) {
		case 0:
			s[i] = (uint8_t)rng();
			break;
		case 1:
			s[i] = rng() & 1 ? 255 : 0;
			break;
		case 2:
			s[i] = (uint8_t)(i & 1 ? 255 : 0);
			break;
		case 3:
			s[i] = (uint8_t)base;
			break;
		case 4:
			s[i] = (uint8_t)(base + i * range / 8);
			break;
		default:
			s[i] = (uint8_t)(base / 2 + rng_below(range));
		}
}

/* Samples at any alignment. */
static inline const uint8_t *block(uint8_t room[], size_t n)
{
	uint8_t *s = room + rng_below(32);

	samples(s, n);
	return s;
}

/* Runs a test on every table but the specification. */
static inline void on_all(void test(void))
{
	spec = h264i_i_dsp(H264I_SIMD_SCALAR);
	for (int s = H264I_SIMD_SCALAR + 1; s < H264I_SIMDS; s++) {
		fast = h264i_i_dsp((h264i_simd)s);
		if (fast)
			test();
	}
}

#define ON_ALL(name)                 \
	static void all_##name(void) \
	{                            \
		on_all(test_##name); \
	}

#endif
