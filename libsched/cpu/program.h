/* The end of <libsched/generate.h> for the CPU: entry points of threads and the descriptor.
 * Template text. */

#define LSCHED_I_X(SCHEME, worker, QUEUE, instance, uses_queue, scratch)                        \
	static void LSCHED_I_N(_##instance##_work)(                                             \
		const lsched_i_args *a, const void *ctx, void *local, uint32_t index)           \
	{                                                                                       \
		lsched_i_worker_private priv;                                                   \
		uint32_t words[LSCHED_I_SCRATCH_WORDS(scratch)];                                \
                                                                                                \
		LSCHED_I_RUN_INSTANCE(worker, QUEUE, uses_queue, scratch, a,                    \
			(const LSCHED_CTX *)ctx, (LSCHED_LOCAL *)local, index, &priv, words, 0) \
	}
LSCHED_I_INSTANCES(LSCHED_I_X)
#undef LSCHED_I_X

static const lsched_i_entry LSCHED_I_N(_cpu_entries)[] = {
#define LSCHED_I_X(SCHEME, worker, QUEUE, instance, uses_queue, scratch)                      \
	{ LSCHED_SCHEME_##SCHEME, LSCHED_QUEUE_##QUEUE, LSCHED_I_N(_##instance##_work), NULL, \
		(uses_queue) && LSCHED_I_##QUEUE##_ROUNDS },
	LSCHED_I_INSTANCES(LSCHED_I_X)
#undef LSCHED_I_X
};

#include "libsched/core/descriptor.h"

LSCHED_I_EXTERN_C const lsched_program LSCHED_I_N(_cpu_program);
const lsched_program LSCHED_I_N(_cpu_program) = LSCHED_I_DESCRIPTOR(
	LSCHED_BACKEND_CPU, LSCHED_I_N(_cpu_entries));
#undef LSCHED_I_KERNEL_HANDLE
#undef LSCHED_I_DESCRIPTOR
#undef LSCHED_I_OF_ITEMS
