/* The CPU half of generate.h: thread entry points and the descriptor. Template text. */

#define SCHED__X(SCHEME, worker, QUEUE, instance)                                        \
	static void SCHED__N(_##instance##_work)(                                        \
		const sched__args *a, const void *ctx, void *local, uint32_t index)      \
	{                                                                                \
		sched__desk desk;                                                        \
		sched_worker w;                                                          \
                                                                                         \
		sched__begin(&w, a, index, &desk, SCHED_QUEUE_##QUEUE, SCHED__HAS_RULE); \
		SCHED__N(worker)(&w, (const SCHED_CTX *)ctx, (SCHED_LOCAL *)local);      \
		sched__leave(&w);                                                        \
	}
SCHED__INSTANCES(SCHED__X)
#undef SCHED__X

static const sched__entry SCHED__N(_cpu_entries)[] = {
#define SCHED__X(SCHEME, worker, QUEUE, instance) \
	{ SCHED_SCHEME_##SCHEME, SCHED_QUEUE_##QUEUE, SCHED__N(_##instance##_work), NULL },
	SCHED__INSTANCES(SCHED__X)
#undef SCHED__X
};

#include "libsched/core/descriptor.h"

extern const sched_program SCHED__N(_cpu_program);
const sched_program SCHED__N(_cpu_program) = SCHED__DESCRIPTOR(
	SCHED_BACKEND_CPU, SCHED__N(_cpu_entries));
#undef SCHED__DESCRIPTOR
