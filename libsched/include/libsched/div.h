/* Division by an invariant divisor, for rules that compute a task's position from its number: a
 * hardware division is too slow on GPUs and on the critical path between two tasks. C11 and
 * CUDA. */
#ifndef LIBSCHED_DIV_H
#define LIBSCHED_DIV_H

#include <stdint.h>
#include <libsched/fn.h>

/* n / d = (n * reciprocal + add) >> (32 + shift) for every n of 32 bits; shift = floor(log2 d), so
 * that 2^(32 + shift) / d has 32 bits. The quotient rounded up is exact if its error is at most
 * 2^shift / d (Granlund and Montgomery, "Division by invariant integers using multiplication",
 * 1994); if not, the quotient rounded down is used with n + 1 (Robison, "N-bit unsigned division
 * via N-bit multiply-add", 2005). No comparison is on the critical path. */
typedef struct lsched_div {
	uint32_t d, reciprocal, add, shift;
} lsched_div;

/* d >= 1 */
static inline lsched_div lsched_div_make(uint32_t d)
{
	lsched_div v = { d, 0xffffffffu, 0xffffffffu, 0 };
	uint64_t power, rest;

	while (d >> v.shift > 1)
		v.shift++;
	power = 0x100000000ull << v.shift;
	rest = power % d;
	if (rest == 0) /* a power of two: (n + 1) (2^32 - 1) / 2^32, rounded down, is n */
		return v;
	v.reciprocal = (uint32_t)(power / d);
	v.add = v.reciprocal;
	if (d - rest <= 1u << v.shift) {
		v.reciprocal++;
		v.add = 0;
	}
	return v;
}

/* n / d, exact for every n. */
LSCHED_FN uint32_t lsched_div_by(const lsched_div *v, uint32_t n)
{
	return (uint32_t)(((uint64_t)n * v->reciprocal + v->add) >> 32) >> v->shift;
}

#endif
