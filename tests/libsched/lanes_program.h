/* Replaces libsched/cuda/program.cuh in programs of emulated lanes (tests/libsched/lanes.h):
 * threads of the CPU backend as warps. Template text. */

#define LSCHED_I_WORK(SCHEME, worker, QUEUE, instance)                                          \
	typedef struct LSCHED_I_N(_##instance##_call) {                                         \
		LSCHED_I_N(_launch) at;                                                         \
		LSCHED_LOCAL *local;                                                            \
	} LSCHED_I_N(_##instance##_call);                                                       \
	static void LSCHED_I_N(_##instance##_lane)(void *arg)                                   \
	{                                                                                       \
		const LSCHED_I_N(_##instance##_call) *c =                                       \
			(const LSCHED_I_N(_##instance##_call) *)arg;                            \
                                                                                                \
		LSCHED_I_RUN_INSTANCE(SCHEME, worker, QUEUE, c->at, c->local)                   \
	}                                                                                       \
	static void LSCHED_I_N(_##instance##_work)(                                             \
		const lsched_i_args *a, const void *ctx, void *local, uint32_t index)           \
	{                                                                                       \
		lsched_i_worker_private priv;                                                   \
		LSCHED_I_N(_##instance##_call)                                                  \
		c = {                                                                           \
			{ a, (const LSCHED_CTX *)ctx, &priv, NULL, index, 0 },                  \
			(LSCHED_LOCAL *)local,                                                  \
		};                                                                              \
                                                                                                \
		c.at.words = lanes_block_enter(a->state, index / LSCHED_WARPS_PER_BLOCK,        \
			LSCHED_WARPS_PER_BLOCK * LSCHED_I_SCRATCH_WORDS(SCHEME, QUEUE));        \
		c.at.words +=                                                                   \
			index % LSCHED_WARPS_PER_BLOCK * LSCHED_I_SCRATCH_WORDS(SCHEME, QUEUE); \
		lanes_run(LSCHED_I_N(_##instance##_lane), &c);                                  \
		lanes_block_leave(a->state, index / LSCHED_WARPS_PER_BLOCK);                    \
	}
LSCHED_I_INSTANCES(LSCHED_I_WORK)

static const lsched_i_entry LSCHED_I_N(_lanes_entries)[] = {
#define LSCHED_I_ENTRY(SCHEME, worker, QUEUE, instance)                                       \
	{ LSCHED_SCHEME_##SCHEME, LSCHED_QUEUE_##QUEUE, LSCHED_I_N(_##instance##_work), NULL, \
		LSCHED_I_##QUEUE##_ROUNDS },
	LSCHED_I_INSTANCES(LSCHED_I_ENTRY)
};

#include "libsched/core/descriptor.h"

extern const lsched_program LSCHED_I_N(_lanes_program);
const lsched_program LSCHED_I_N(_lanes_program) = LSCHED_I_DESCRIPTOR(
	LSCHED_BACKEND_CPU, LSCHED_I_N(_lanes_entries));
