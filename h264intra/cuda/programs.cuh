/* The libsched programs of the wavefront: with one warp or several (pair) per worker; by SATD with
 * Intra4x4 only or with Intra8x8 too, or by rate and distortion; with one QP for all macroblocks,
 * whose parameters are in the constant bank, or (q) with a QP for each; by rate and distortion with
 * the bits of CABAC, or (v) of CAVLC, with a QP for each macroblock in any case. */
#ifndef H264INTRA_CUDA_PROGRAMS_CUH
#define H264INTRA_CUDA_PROGRAMS_CUH

#include "h264intra/cuda/encode_pair.cuh"
#include "h264intra/cuda/rd_mb.cuh"

enum { WARPS_A_BLOCK = 4, PAIRS_A_BLOCK = 1, BLOCKS_AN_SM = 4, PAIR_BLOCKS_AN_SM = 2 };

#define LSCHED_NAME  mbenc
#define LSCHED_LOCAL mb_local
#define PROGRAM_BODY encode_single(w, c, l, NULL, 0, task)
#include "h264intra/cuda/program.cuh"

#define LSCHED_NAME  mbencq
#define LSCHED_LOCAL mb_local
#define PROGRAM_BODY encode_single(w, c, l, NULL, 1, task)
#include "h264intra/cuda/program.cuh"

#define LSCHED_NAME  mbenc8
#define LSCHED_LOCAL mb_local8
#define PROGRAM_BODY encode_single(w, c, &l->l, &l->e, 0, task)
#include "h264intra/cuda/program.cuh"

#define LSCHED_NAME  mbencq8
#define LSCHED_LOCAL mb_local8
#define PROGRAM_BODY encode_single(w, c, &l->l, &l->e, 1, task)
#include "h264intra/cuda/program.cuh"

#define LSCHED_NAME  mbrd
#define LSCHED_LOCAL rd_local
#define PROGRAM_BODY rd_single(w, c, l, 0, 0, task)
#include "h264intra/cuda/program.cuh"

#define LSCHED_NAME  mbrdq
#define LSCHED_LOCAL rd_local
#define PROGRAM_BODY rd_single(w, c, l, 1, 0, task)
#include "h264intra/cuda/program.cuh"

#define LSCHED_NAME  mbrdv
#define LSCHED_LOCAL rd_local
#define PROGRAM_BODY rd_single(w, c, l, 1, RD_CAVLC, task)
#include "h264intra/cuda/program.cuh"

/* Workers of several warps. */
#define PAIR_BODY(e, varies) encode_pair(w, c, &l->l, e, &l->chain, &l->other, &l->in, varies, task)
#define PAIR_HELP(e, varies) help_pair(pair, c, &l->l, e, &l->other, &l->in, varies, task, prev)

#define LSCHED_NAME         mbpair
#define LSCHED_LOCAL        mb_pair
#define LSCHED_HELPER_WARPS (PAIR_WARPS - 1)
#define PROGRAM_BODY        PAIR_BODY(NULL, 0)
#define PROGRAM_HELP        PAIR_HELP(NULL, 0)
#include "h264intra/cuda/program.cuh"

#define LSCHED_NAME         mbpairq
#define LSCHED_LOCAL        mb_pair
#define LSCHED_HELPER_WARPS (PAIR_WARPS - 1)
#define PROGRAM_BODY        PAIR_BODY(NULL, 1)
#define PROGRAM_HELP        PAIR_HELP(NULL, 1)
#include "h264intra/cuda/program.cuh"

#define LSCHED_NAME         mbpair8
#define LSCHED_LOCAL        mb_pair8
#define LSCHED_HELPER_WARPS (PAIR_WARPS - 1)
#define PROGRAM_BODY        PAIR_BODY(&l->e, 0)
#define PROGRAM_HELP        PAIR_HELP(&l->e, 0)
#include "h264intra/cuda/program.cuh"

#define LSCHED_NAME         mbpairq8
#define LSCHED_LOCAL        mb_pair8
#define LSCHED_HELPER_WARPS (PAIR_WARPS - 1)
#define PROGRAM_BODY        PAIR_BODY(&l->e, 1)
#define PROGRAM_HELP        PAIR_HELP(&l->e, 1)
#include "h264intra/cuda/program.cuh"

#define LSCHED_NAME         mbrdpair
#define LSCHED_LOCAL        rd_pair
#define LSCHED_HELPER_WARPS (RD_WARPS - 1)
#define PROGRAM_BODY        rd_team(w, c, l, 0, RD_SKIPS, task)
#define PROGRAM_HELP        rd_help(pair, c, l, 0, RD_SKIPS, task, prev)
#include "h264intra/cuda/program.cuh"

#define LSCHED_NAME         mbrdpairq
#define LSCHED_LOCAL        rd_pair
#define LSCHED_HELPER_WARPS (RD_WARPS - 1)
#define PROGRAM_BODY        rd_team(w, c, l, 1, RD_SKIPS, task)
#define PROGRAM_HELP        rd_help(pair, c, l, 1, RD_SKIPS, task, prev)
#include "h264intra/cuda/program.cuh"

#define LSCHED_NAME         mbrdpairv
#define LSCHED_LOCAL        rd_pair
#define LSCHED_HELPER_WARPS (RD_WARPS - 1)
#define PROGRAM_BODY        rd_team(w, c, l, 1, RD_SKIPS | RD_CAVLC, task)
#define PROGRAM_HELP        rd_help(pair, c, l, 1, RD_SKIPS | RD_CAVLC, task, prev)
#include "h264intra/cuda/program.cuh"

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
