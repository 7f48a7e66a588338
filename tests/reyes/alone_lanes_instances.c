/* The forms of split and dice alone with 32 lanes a worker, on threads. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
typedef int alone_lanes_left_out; /* alone_lanes_test is skipped then */
#else

#define _GNU_SOURCE
#include "tests/libsched/lanes.h"
#include <math.h>
#include <string.h>

/* What the text of reyes uses of CUDA besides. */
#define __fmul_rn(a, b)  ((a) * (b))
#define __fadd_rn(a, b)  ((a) + (b))
#define __threadfence()  __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define __ffsll(v)       __builtin_ffsll(v)
#define __fdividef(a, b) ((a) / (b))
#define atomicExch(p, v) __atomic_exchange_n((p), (v), __ATOMIC_SEQ_CST)
#define atomicMin(p, v)  (*(p) < (v) ? *(p) : (*(p) = (v))) /* unused: not atomic */

static inline uint32_t __float_as_uint(float x)
{
	uint32_t bits;

	memcpy(&bits, &x, sizeof(bits));
	return bits;
}

static inline float __uint_as_float(uint32_t bits)
{
	float x;

	memcpy(&x, &bits, sizeof(x));
	return x;
}

#define LSCHED_I_TARGET_ENTRIES "tests/libsched/lanes_program.h"
#include "reyes/alone/items_instances.h"
#include "reyes/alone/list_instances.h"
#include "reyes/alone/tasks_instances.h"

#endif
