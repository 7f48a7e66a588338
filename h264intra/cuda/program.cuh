/* Template include: a libsched program of the wavefront, with the queue ring.
 *
 *	#define LSCHED_NAME  mbpair
 *	#define LSCHED_LOCAL mb_pair    scratch of a worker, `l` in the calls
 *	#define PROGRAM_BODY encode_pair(w, c, ..., task)        the body of a task
 *	#define PROGRAM_HELP help_pair(pair, c, ..., task, prev)
 *	                                optional, for workers of several warps: what the helpers
 *	                                call. Shortest time per macroblock instead of highest
 *	                                throughput, with messages (mb_message.cuh)
 *	#define LSCHED_HELPER_WARPS 2   with PROGRAM_HELP: their number
 *	#include "h264intra/cuda/program.cuh" */

#define PROGRAM_CAT_(a, b) a##b
#define PROGRAM_CAT(a, b)  PROGRAM_CAT_(a, b)
#define LSCHED_BODY        PROGRAM_CAT(LSCHED_NAME, _body)

GPU_FN lsched_result LSCHED_BODY(
	lsched_worker *w, const h264i_wave_ctx *c, LSCHED_LOCAL *l, uint32_t task)
{
	return PROGRAM_BODY;
}

#ifdef PROGRAM_HELP
#define LSCHED_HELPER          PROGRAM_CAT(LSCHED_NAME, _help)
#define LSCHED_MESSAGES        MESSAGE_WORDS
#define LSCHED_WARPS_PER_BLOCK PAIRS_A_BLOCK
#define LSCHED_MIN_BLOCKS      PAIR_BLOCKS_AN_SM

GPU_FN void LSCHED_HELPER(
	uint32_t pair, const h264i_wave_ctx *c, LSCHED_LOCAL *l, uint32_t task, uint32_t prev)
{
	PROGRAM_HELP;
}
#else
#define LSCHED_WARPS_PER_BLOCK WARPS_A_BLOCK
#define LSCHED_MIN_BLOCKS      BLOCKS_AN_SM
#endif

#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_RULE                 mbrule
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#include <libsched/generate.h>

#undef PROGRAM_BODY
#undef PROGRAM_HELP
