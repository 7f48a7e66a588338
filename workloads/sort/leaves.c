/* Choice of the table of leaves, and the table in C. */
#include "workloads/sort/leaves.h"

#include <string.h>

#define SORT_KEY  uint32_t
#define SORT_N(x) sort4##x
#include "workloads/sort/serial.h"
#undef SORT_KEY
#undef SORT_N
#define SORT_KEY  uint64_t
#define SORT_N(x) sort8##x
#include "workloads/sort/serial.h"

static const sort_leaves scalar = { "scalar", sort4_serial, sort4_count, sort4_split, sort8_serial,
	sort8_count, sort8_split };

const sort_leaves *sort_leaves_of(sort_simd simd)
{
	switch (simd) {
	case SORT_SIMD_SCALAR:
		return &scalar;
#ifdef __x86_64__
	case SORT_SIMD_AVX2:
		if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt"))
			return &sort_leaves_avx2;
		return NULL;
	case SORT_SIMD_AVX512:
		if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
			__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("popcnt"))
			return &sort_leaves_avx512;
		return NULL;
#endif
	default:
		return NULL;
	}
}

const sort_leaves *sort_leaves_best(void)
{
	for (int s = SORT_SIMDS - 1; s > 0; s--)
		if (sort_leaves_of((sort_simd)s))
			return sort_leaves_of((sort_simd)s);
	return &scalar;
}
