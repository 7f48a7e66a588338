/* The end of <libsched/generate.h> for the CPU: entry points of threads and the descriptor.
 * Template text. */

#define LSCHED_I_WORK(SCHEME, worker, QUEUE, instance)                                  \
	static void LSCHED_I_N(_##instance##_work)(                                     \
		const lsched_i_args *a, const void *ctx, void *local, uint32_t index)   \
	{                                                                               \
		lsched_i_worker_private priv;                                           \
		uint32_t words[LSCHED_I_SCRATCH_WORDS(SCHEME, QUEUE)];                  \
		const LSCHED_I_N(_launch)                                               \
			at = { a, (const LSCHED_CTX *)ctx, &priv, words, index, 0 };    \
                                                                                        \
		LSCHED_I_RUN_INSTANCE(SCHEME, worker, QUEUE, at, (LSCHED_LOCAL *)local) \
	}
LSCHED_I_INSTANCES(LSCHED_I_WORK)

static const lsched_i_entry LSCHED_I_N(_cpu_entries)[] = {
#define LSCHED_I_ENTRY(SCHEME, worker, QUEUE, instance)                              \
	{ LSCHED_SCHEME_##SCHEME, LSCHED_QUEUE_##QUEUE,                              \
		LSCHED_I_IF_DISPATCHED(QUEUE, LSCHED_I_N(_##instance##_work)), NULL, \
		LSCHED_I_##QUEUE##_ROUNDS },
	LSCHED_I_INSTANCES(LSCHED_I_ENTRY)
};

#include "libsched/core/descriptor.h"

LSCHED_I_EXTERN_C const lsched_program LSCHED_I_N(_cpu_program);
const lsched_program LSCHED_I_N(_cpu_program) = LSCHED_I_DESCRIPTOR(
	LSCHED_BACKEND_CPU, LSCHED_I_N(_cpu_entries));
