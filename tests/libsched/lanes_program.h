/* Replaces libsched/cuda/program.cuh in programs of emulated lanes (tests/libsched/lanes.h):
 * threads of the CPU backend as warps. Template text. */

#define LSCHED_I_X(SCHEME, worker, QUEUE, instance, uses_queue, scratch)                          \
	typedef struct LSCHED_I_N(_##instance##_call) {                                           \
		const lsched_i_args *a;                                                           \
		const LSCHED_CTX *ctx;                                                            \
		LSCHED_LOCAL *local;                                                              \
		uint32_t index;                                                                   \
		lsched_i_worker_private priv;                                                     \
		uint32_t *words;                                                                  \
	} LSCHED_I_N(_##instance##_call);                                                         \
	static void LSCHED_I_N(_##instance##_lane)(void *arg)                                     \
	{                                                                                         \
		LSCHED_I_N(_##instance##_call) *c = (LSCHED_I_N(_##instance##_call) *)arg;        \
                                                                                                  \
		LSCHED_I_RUN_INSTANCE(worker, QUEUE, uses_queue, scratch, c->a, c->ctx, c->local, \
			c->index, &c->priv, c->words, 0)                                          \
	}                                                                                         \
	static void LSCHED_I_N(_##instance##_work)(                                               \
		const lsched_i_args *a, const void *ctx, void *local, uint32_t index)             \
	{                                                                                         \
		LSCHED_I_N(_##instance##_call) c;                                                 \
                                                                                                  \
		c.a = a;                                                                          \
		c.ctx = (const LSCHED_CTX *)ctx;                                                  \
		c.local = (LSCHED_LOCAL *)local;                                                  \
		c.index = index;                                                                  \
		c.words = lanes_block_enter(a->state, index / LSCHED_WARPS_PER_BLOCK,             \
			LSCHED_WARPS_PER_BLOCK * LSCHED_I_SCRATCH_WORDS(scratch));                \
		c.words += index % LSCHED_WARPS_PER_BLOCK * LSCHED_I_SCRATCH_WORDS(scratch);      \
		lanes_run(LSCHED_I_N(_##instance##_lane), &c);                                    \
		lanes_block_leave(a->state, index / LSCHED_WARPS_PER_BLOCK);                      \
	}
LSCHED_I_INSTANCES(LSCHED_I_X)
#undef LSCHED_I_X

static const lsched_i_entry LSCHED_I_N(_lanes_entries)[] = {
#define LSCHED_I_X(SCHEME, worker, QUEUE, instance, uses_queue, scratch)                      \
	{ LSCHED_SCHEME_##SCHEME, LSCHED_QUEUE_##QUEUE, LSCHED_I_N(_##instance##_work), NULL, \
		(uses_queue) && LSCHED_I_##QUEUE##_ROUNDS },
	LSCHED_I_INSTANCES(LSCHED_I_X)
#undef LSCHED_I_X
};

#include "libsched/core/descriptor.h"

extern const lsched_program LSCHED_I_N(_lanes_program);
const lsched_program LSCHED_I_N(_lanes_program) = LSCHED_I_DESCRIPTOR(
	LSCHED_BACKEND_CPU, LSCHED_I_N(_lanes_entries));
#undef LSCHED_I_DESCRIPTOR
#undef LSCHED_I_OF_ITEMS
