/* What one CPU thread does with keys: sorts a small range, splits a tile. A table for each
 * instruction set; that of C is the specification of the others. */
#ifndef WORKLOADS_SORT_LEAVES_H
#define WORKLOADS_SORT_LEAVES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { SORT_LESS, SORT_GREATER, SORT_WAYS };

/* Members by the names of the procedures for keys of 4 and of 8 bytes.
 *
 * serial	Sorts the n keys at `from` into `to`. `room` has n keys, too, and is overwritten.
 *		`from` may be `to` or `room`, otherwise its keys are left as they are. A quicksort;
 *		what is deeper than `depth` is sorted by a heap, so that no input takes long.
 * count	Counts the keys below and above the pivot.
 * split	Copies the keys below the pivot to `less`, those above it to `greater`, as many as
 *		`count` has counted, and writes nothing beyond them. */
typedef struct sort_leaves {
	const char *name;
	void (*sort4_serial)(
		const uint32_t *from, uint32_t *to, uint32_t *room, size_t n, uint32_t depth);
	void (*sort4_count)(const uint32_t *from, size_t n, uint32_t pivot, uint32_t *count);
	void (*sort4_split)(const uint32_t *from, size_t n, uint32_t pivot, uint32_t *less,
		uint32_t *greater, const uint32_t *count);
	void (*sort8_serial)(
		const uint64_t *from, uint64_t *to, uint64_t *room, size_t n, uint32_t depth);
	void (*sort8_count)(const uint64_t *from, size_t n, uint64_t pivot, uint32_t *count);
	void (*sort8_split)(const uint64_t *from, size_t n, uint64_t pivot, uint64_t *less,
		uint64_t *greater, const uint32_t *count);
} sort_leaves;

/* The depth for n keys. */
static inline uint32_t sort_serial_depth(size_t n)
{
	uint32_t depth = 4;

	for (; n > 1; n /= 2)
		depth += 2;
	return depth;
}

typedef enum sort_simd { SORT_SIMD_SCALAR, SORT_SIMD_AVX2, SORT_SIMD_AVX512, SORT_SIMDS } sort_simd;

/* Returns the table of an instruction set, or NULL if this processor cannot run it. */
const sort_leaves *sort_leaves_of(sort_simd simd);

/* Returns the fastest table that this processor can run. */
const sort_leaves *sort_leaves_best(void);

extern const sort_leaves sort_leaves_avx2, sort_leaves_avx512;

#ifdef __cplusplus
}
#endif
#endif
