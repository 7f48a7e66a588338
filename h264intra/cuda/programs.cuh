/* The libsched programs of the wavefront: with one warp or several (pair) per worker; by SATD with
 * Intra4x4 only or with Intra8x8 too, or by rate and distortion; with one QP for all macroblocks,
 * whose parameters are in the constant bank, or (q) with a QP for each; by rate and distortion with
 * the bits of CABAC, or (v) of CAVLC, with a QP for each macroblock in any case. */
#ifndef H264INTRA_CUDA_PROGRAMS_CUH
#define H264INTRA_CUDA_PROGRAMS_CUH

#include "h264intra/cuda/encode_mb.cuh"
#include "h264intra/cuda/rd_mb.cuh"

enum { WARPS_A_BLOCK = 4, PAIRS_A_BLOCK = 1, BLOCKS_AN_SM = 4, PAIR_BLOCKS_AN_SM = 2 };

/* The body of a program: `call`, an expression of the parameters. */
#define SINGLE_BODY(name, local, call)                                              \
	GPU_FN lsched_result name##_body(                                           \
		lsched_worker *w, const h264i_wave_ctx *c, local *l, uint32_t task) \
	{                                                                           \
		return call;                                                        \
	}

#define PAIR_BODY(name, local, call, helper_call)                                               \
	SINGLE_BODY(name, local, call)                                                          \
	GPU_FN void name##_help(                                                                \
		uint32_t pair, const h264i_wave_ctx *c, local *l, uint32_t task, uint32_t prev) \
	{                                                                                       \
		helper_call;                                                                    \
	}

SINGLE_BODY(mbenc, mb_local, encode_single(w, c, l, NULL, 0, task))
SINGLE_BODY(mbencq, mb_local, encode_single(w, c, l, NULL, 1, task))
SINGLE_BODY(mbenc8, mb_local8, encode_single(w, c, &l->l, &l->e, 0, task))
SINGLE_BODY(mbencq8, mb_local8, encode_single(w, c, &l->l, &l->e, 1, task))
SINGLE_BODY(mbrd, rd_local, rd_single(w, c, l, 0, 0, task))
SINGLE_BODY(mbrdq, rd_local, rd_single(w, c, l, 1, 0, task))
SINGLE_BODY(mbrdv, rd_local, rd_single(w, c, l, 1, RD_CAVLC, task))
PAIR_BODY(mbpair, mb_pair, encode_pair(w, c, &l->l, NULL, &l->chain, &l->other, &l->in, 0, task),
	help_pair(pair, c, &l->l, NULL, &l->other, &l->in, 0, task, prev))
PAIR_BODY(mbpairq, mb_pair, encode_pair(w, c, &l->l, NULL, &l->chain, &l->other, &l->in, 1, task),
	help_pair(pair, c, &l->l, NULL, &l->other, &l->in, 1, task, prev))
PAIR_BODY(mbpair8, mb_pair8, encode_pair(w, c, &l->l, &l->e, &l->chain, &l->other, &l->in, 0, task),
	help_pair(pair, c, &l->l, &l->e, &l->other, &l->in, 0, task, prev))
PAIR_BODY(mbpairq8, mb_pair8,
	encode_pair(w, c, &l->l, &l->e, &l->chain, &l->other, &l->in, 1, task),
	help_pair(pair, c, &l->l, &l->e, &l->other, &l->in, 1, task, prev))
PAIR_BODY(mbrdpair, rd_pair, rd_team(w, c, l, 0, RD_SKIPS, task),
	rd_help(pair, c, l, 0, RD_SKIPS, task, prev))
PAIR_BODY(mbrdpairq, rd_pair, rd_team(w, c, l, 1, RD_SKIPS, task),
	rd_help(pair, c, l, 1, RD_SKIPS, task, prev))
PAIR_BODY(mbrdpairv, rd_pair, rd_team(w, c, l, 1, RD_SKIPS | RD_CAVLC, task),
	rd_help(pair, c, l, 1, RD_SKIPS | RD_CAVLC, task, prev))

#define LSCHED_NAME                 mbenc
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                mb_local
#define LSCHED_BODY                 mbenc_body
#define LSCHED_RULE                 mbrule
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#define LSCHED_WARPS_PER_BLOCK      WARPS_A_BLOCK
#define LSCHED_MIN_BLOCKS           BLOCKS_AN_SM
#include <libsched/generate.h>

#define LSCHED_NAME                 mbencq
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                mb_local
#define LSCHED_BODY                 mbencq_body
#define LSCHED_RULE                 mbrule
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#define LSCHED_WARPS_PER_BLOCK      WARPS_A_BLOCK
#define LSCHED_MIN_BLOCKS           BLOCKS_AN_SM
#include <libsched/generate.h>

#define LSCHED_NAME                 mbenc8
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                mb_local8
#define LSCHED_BODY                 mbenc8_body
#define LSCHED_RULE                 mbrule
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#define LSCHED_WARPS_PER_BLOCK      WARPS_A_BLOCK
#define LSCHED_MIN_BLOCKS           BLOCKS_AN_SM
#include <libsched/generate.h>

#define LSCHED_NAME                 mbencq8
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                mb_local8
#define LSCHED_BODY                 mbencq8_body
#define LSCHED_RULE                 mbrule
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#define LSCHED_WARPS_PER_BLOCK      WARPS_A_BLOCK
#define LSCHED_MIN_BLOCKS           BLOCKS_AN_SM
#include <libsched/generate.h>

#define LSCHED_NAME                 mbrd
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                rd_local
#define LSCHED_BODY                 mbrd_body
#define LSCHED_RULE                 mbrule
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#define LSCHED_WARPS_PER_BLOCK      WARPS_A_BLOCK
#define LSCHED_MIN_BLOCKS           BLOCKS_AN_SM
#include <libsched/generate.h>

#define LSCHED_NAME                 mbrdq
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                rd_local
#define LSCHED_BODY                 mbrdq_body
#define LSCHED_RULE                 mbrule
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#define LSCHED_WARPS_PER_BLOCK      WARPS_A_BLOCK
#define LSCHED_MIN_BLOCKS           BLOCKS_AN_SM
#include <libsched/generate.h>

#define LSCHED_NAME                 mbrdv
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                rd_local
#define LSCHED_BODY                 mbrdv_body
#define LSCHED_RULE                 mbrule
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#define LSCHED_WARPS_PER_BLOCK      WARPS_A_BLOCK
#define LSCHED_MIN_BLOCKS           BLOCKS_AN_SM
#include <libsched/generate.h>

/* Several warps per worker: shortest time per macroblock instead of highest throughput, with
 * messages (mb_message.cuh). */
#define LSCHED_NAME                 mbpair
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                mb_pair
#define LSCHED_BODY                 mbpair_body
#define LSCHED_HELPER               mbpair_help
#define LSCHED_HELPER_WARPS         (PAIR_WARPS - 1)
#define LSCHED_RULE                 mbrule
#define LSCHED_MESSAGES             MESSAGE_WORDS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#define LSCHED_WARPS_PER_BLOCK      PAIRS_A_BLOCK
#define LSCHED_MIN_BLOCKS           PAIR_BLOCKS_AN_SM
#include <libsched/generate.h>

#define LSCHED_NAME                 mbpairq
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                mb_pair
#define LSCHED_BODY                 mbpairq_body
#define LSCHED_HELPER               mbpairq_help
#define LSCHED_HELPER_WARPS         (PAIR_WARPS - 1)
#define LSCHED_RULE                 mbrule
#define LSCHED_MESSAGES             MESSAGE_WORDS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#define LSCHED_WARPS_PER_BLOCK      PAIRS_A_BLOCK
#define LSCHED_MIN_BLOCKS           PAIR_BLOCKS_AN_SM
#include <libsched/generate.h>

#define LSCHED_NAME                 mbpair8
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                mb_pair8
#define LSCHED_BODY                 mbpair8_body
#define LSCHED_HELPER               mbpair8_help
#define LSCHED_HELPER_WARPS         (PAIR_WARPS - 1)
#define LSCHED_RULE                 mbrule
#define LSCHED_MESSAGES             MESSAGE_WORDS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#define LSCHED_WARPS_PER_BLOCK      PAIRS_A_BLOCK
#define LSCHED_MIN_BLOCKS           PAIR_BLOCKS_AN_SM
#include <libsched/generate.h>

#define LSCHED_NAME                 mbpairq8
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                mb_pair8
#define LSCHED_BODY                 mbpairq8_body
#define LSCHED_HELPER               mbpairq8_help
#define LSCHED_HELPER_WARPS         (PAIR_WARPS - 1)
#define LSCHED_RULE                 mbrule
#define LSCHED_MESSAGES             MESSAGE_WORDS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#define LSCHED_WARPS_PER_BLOCK      PAIRS_A_BLOCK
#define LSCHED_MIN_BLOCKS           PAIR_BLOCKS_AN_SM
#include <libsched/generate.h>

#define LSCHED_NAME                 mbrdpair
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                rd_pair
#define LSCHED_BODY                 mbrdpair_body
#define LSCHED_HELPER               mbrdpair_help
#define LSCHED_HELPER_WARPS         (RD_WARPS - 1)
#define LSCHED_RULE                 mbrule
#define LSCHED_MESSAGES             MESSAGE_WORDS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#define LSCHED_WARPS_PER_BLOCK      PAIRS_A_BLOCK
#define LSCHED_MIN_BLOCKS           PAIR_BLOCKS_AN_SM
#include <libsched/generate.h>

#define LSCHED_NAME                 mbrdpairq
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                rd_pair
#define LSCHED_BODY                 mbrdpairq_body
#define LSCHED_HELPER               mbrdpairq_help
#define LSCHED_HELPER_WARPS         (RD_WARPS - 1)
#define LSCHED_RULE                 mbrule
#define LSCHED_MESSAGES             MESSAGE_WORDS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#define LSCHED_WARPS_PER_BLOCK      PAIRS_A_BLOCK
#define LSCHED_MIN_BLOCKS           PAIR_BLOCKS_AN_SM
#include <libsched/generate.h>

#define LSCHED_NAME                 mbrdpairv
#define LSCHED_CTX                  h264i_wave_ctx
#define LSCHED_LOCAL                rd_pair
#define LSCHED_BODY                 mbrdpairv_body
#define LSCHED_HELPER               mbrdpairv_help
#define LSCHED_HELPER_WARPS         (RD_WARPS - 1)
#define LSCHED_RULE                 mbrule
#define LSCHED_MESSAGES             MESSAGE_WORDS
#define LSCHED_PROGRAM_QUEUES(Y, X) Y(X, RING, ring)
#define LSCHED_WARPS_PER_BLOCK      PAIRS_A_BLOCK
#define LSCHED_MIN_BLOCKS           PAIR_BLOCKS_AN_SM
#include <libsched/generate.h>

/* kind: decisions by SATD without (0) and with Intra8x8 (1), by rate and distortion with the bits
 * of CABAC (2) and of CAVLC (3). */
static const lsched_program *program_of(int kind, int qp_varies, int pairs)
{
	static const lsched_program *const program[4][2][2] = {
		{ { &mbenc_cuda_program, &mbpair_cuda_program },
			{ &mbencq_cuda_program, &mbpairq_cuda_program } },
		{ { &mbenc8_cuda_program, &mbpair8_cuda_program },
			{ &mbencq8_cuda_program, &mbpairq8_cuda_program } },
		{ { &mbrd_cuda_program, &mbrdpair_cuda_program },
			{ &mbrdq_cuda_program, &mbrdpairq_cuda_program } },
		{ { &mbrdv_cuda_program, &mbrdpairv_cuda_program },
			{ &mbrdv_cuda_program, &mbrdpairv_cuda_program } },
	};

	return program[kind][!!qp_varies][!!pairs];
}

#endif
