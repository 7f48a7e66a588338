/* The CPU half of generate.h: thread entry points and the descriptor. Template text. */

#define SCHED__X(SCHEME, worker, QUEUE, instance, uses_queue, scratch)                           \
	static void SCHED__N(_##instance##_work)(                                                \
		const sched__args *a, const void *ctx, void *local, uint32_t index)              \
	{                                                                                        \
		sched__desk desk;                                                                \
		uint32_t words[(scratch) ? (scratch) : 1];                                       \
		sched_worker w;                                                                  \
                                                                                                 \
		sched__begin(&w, a, index, &desk, (scratch) ? words : NULL, SCHED_QUEUE_##QUEUE, \
			SCHED__HAS_RULE);                                                        \
		w.is_items = SCHED__IS_ITEMS;                                                    \
		w.in_line = SCHED__IN_LINE;                                                      \
		if (uses_queue)                                                                  \
			sched__enter(&w);                                                        \
		SCHED__N(worker)(&w, (const SCHED_CTX *)ctx, (SCHED_LOCAL *)local);              \
		sched__exit(&w, uses_queue);                                                     \
	}
SCHED__INSTANCES(SCHED__X)
#undef SCHED__X

static const sched__entry SCHED__N(_cpu_entries)[] = {
#define SCHED__X(SCHEME, worker, QUEUE, instance, uses_queue, scratch)                    \
	{ SCHED_SCHEME_##SCHEME, SCHED_QUEUE_##QUEUE, SCHED__N(_##instance##_work), NULL, \
		SCHED__ROUNDS(uses_queue, QUEUE) },
	SCHED__INSTANCES(SCHED__X)
#undef SCHED__X
};

#include "libsched/core/descriptor.h"

extern const sched_program SCHED__N(_cpu_program);
const sched_program SCHED__N(_cpu_program) = SCHED__DESCRIPTOR(
	SCHED_BACKEND_CPU, SCHED__N(_cpu_entries));
#undef SCHED__DESCRIPTOR
#undef SCHED__OF_ITEMS
