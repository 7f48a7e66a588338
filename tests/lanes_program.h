/* In the place of libsched/cuda/program.cuh, for programs of emulated lanes (tests/lanes.h): threads of
 * the CPU executor as warps. Template text. */

#define SCHED__X(SCHEME, worker, QUEUE, instance, uses_queue, scratch)                  \
	typedef struct SCHED__N(_##instance##_call) {                                   \
		const sched__args *a;                                                   \
		const SCHED_CTX *ctx;                                                   \
		SCHED_LOCAL *local;                                                     \
		uint32_t index;                                                         \
		sched__desk desk;                                                       \
		uint32_t *words;                                                        \
	} SCHED__N(_##instance##_call);                                                 \
	static void SCHED__N(_##instance##_lane)(void *arg)                             \
	{                                                                               \
		SCHED__N(_##instance##_call) *c = (SCHED__N(_##instance##_call) *)arg;  \
		sched_worker w;                                                         \
                                                                                        \
		sched__begin(&w, c->a, c->index, &c->desk, (scratch) ? c->words : NULL, \
			SCHED_QUEUE_##QUEUE, SCHED__HAS_RULE);                          \
		if (uses_queue)                                                         \
			sched__enter(&w);                                               \
		SCHED__N(worker)(&w, c->ctx, c->local);                                 \
		sched__exit(&w, uses_queue);                                            \
	}                                                                               \
	static void SCHED__N(_##instance##_work)(                                       \
		const sched__args *a, const void *ctx, void *local, uint32_t index)     \
	{                                                                               \
		SCHED__N(_##instance##_call) c;                                         \
                                                                                        \
		c.a = a;                                                                \
		c.ctx = (const SCHED_CTX *)ctx;                                         \
		c.local = (SCHED_LOCAL *)local;                                         \
		c.index = index;                                                        \
		c.words = lanes_block_enter(a->state, index / SCHED_WARPS_PER_BLOCK,    \
			SCHED_WARPS_PER_BLOCK * ((scratch) ? (scratch) : 1));           \
		if ((scratch))                                                          \
			c.words += index % SCHED_WARPS_PER_BLOCK * (scratch);           \
		lanes_run(SCHED__N(_##instance##_lane), &c);                            \
		lanes_block_leave(a->state, index / SCHED_WARPS_PER_BLOCK);             \
	}
SCHED__INSTANCES(SCHED__X)
#undef SCHED__X

static const sched__entry SCHED__N(_lanes_entries)[] = {
#define SCHED__X(SCHEME, worker, QUEUE, instance, uses_queue, scratch)                    \
	{ SCHED_SCHEME_##SCHEME, SCHED_QUEUE_##QUEUE, SCHED__N(_##instance##_work), NULL, \
		SCHED__ROUNDS(uses_queue, QUEUE) },
	SCHED__INSTANCES(SCHED__X)
#undef SCHED__X
};

#include "libsched/core/descriptor.h"

extern const sched_program SCHED__N(_lanes_program);
const sched_program SCHED__N(_lanes_program) = SCHED__DESCRIPTOR(
	SCHED_BACKEND_CPU, SCHED__N(_lanes_entries));
#undef SCHED__DESCRIPTOR
