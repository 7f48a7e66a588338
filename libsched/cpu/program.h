/* The CPU half of generate.h: thread entry points and the descriptor. Template text. */

#define LSCHED_I_X(SCHEME, worker, QUEUE, instance, uses_queue, scratch)                \
	static void LSCHED_I_N(_##instance##_work)(                                     \
		const lsched_i_args *a, const void *ctx, void *local, uint32_t index)   \
	{                                                                               \
		lsched_i_desk desk;                                                     \
		uint32_t words[(scratch) ? (scratch) : 1];                              \
		lsched_worker w;                                                        \
                                                                                        \
		lsched_i_begin(&w, a, index, &desk, (scratch) ? words : NULL,           \
			LSCHED_QUEUE_##QUEUE, LSCHED_I_HAS_RULE);                       \
		w.is_items = LSCHED_I_IS_ITEMS;                                         \
		w.in_line = LSCHED_I_IN_LINE;                                           \
		if (uses_queue)                                                         \
			lsched_i_enter(&w);                                             \
		LSCHED_I_N(worker)(&w, (const LSCHED_CTX *)ctx, (LSCHED_LOCAL *)local); \
		lsched_i_exit(&w, uses_queue);                                          \
	}
LSCHED_I_INSTANCES(LSCHED_I_X)
#undef LSCHED_I_X

static const lsched_i_entry LSCHED_I_N(_cpu_entries)[] = {
#define LSCHED_I_X(SCHEME, worker, QUEUE, instance, uses_queue, scratch)                      \
	{ LSCHED_SCHEME_##SCHEME, LSCHED_QUEUE_##QUEUE, LSCHED_I_N(_##instance##_work), NULL, \
		LSCHED_I_ROUNDS(uses_queue, QUEUE) },
	LSCHED_I_INSTANCES(LSCHED_I_X)
#undef LSCHED_I_X
};

#include "libsched/core/descriptor.h"

extern const lsched_program LSCHED_I_N(_cpu_program);
const lsched_program LSCHED_I_N(_cpu_program) = LSCHED_I_DESCRIPTOR(
	LSCHED_BACKEND_CPU, LSCHED_I_N(_cpu_entries));
#undef LSCHED_I_KERNEL_HANDLE
#undef LSCHED_I_DESCRIPTOR
#undef LSCHED_I_OF_ITEMS
