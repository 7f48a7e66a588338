/* Division by a number known beforehand, for rules that find a task's place from its number: neither a
 * GPU nor the way between two tasks has time for a divider. C11 and CUDA. */
#ifndef LIBSCHED_DIV_H
#define LIBSCHED_DIV_H

#include <stdint.h>
#include <libsched/fn.h>

/* The reciprocal is one too small at the most, which one comparison mends. */
typedef struct sched_div {
	uint32_t d, reciprocal; /* floor(2^32 / d), at most 2^32 - 1 */
} sched_div;

/* d >= 1 */
static inline sched_div sched_div_make(uint32_t d)
{
	sched_div v;

	v.d = d;
	v.reciprocal = d > 1 ? (uint32_t)(0x100000000ull / d) : 0xffffffffu;
	return v;
}

/* n / d, exact for every n. */
SCHED_FN uint32_t sched_div_by(const sched_div *v, uint32_t n)
{
	uint32_t q = (uint32_t)((uint64_t)n * v->reciprocal >> 32);

	return q + (n - q * v->d >= v->d);
}

#endif
