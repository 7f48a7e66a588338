/* The macroblock of a worker in shared memory while its types are compared by rate and distortion:
 * each type has a result and scratch of its own, so that several warps can work on one each. */
#ifndef H264INTRA_CUDA_RD_LOCAL_CUH
#define H264INTRA_CUDA_RD_LOCAL_CUH

#include "h264intra/cuda/intra8x8.cuh"
#include "h264intra/cuda/rd_levels.cuh"

/* Luma coded in one type. */
typedef struct rd_luma {
	uint4 level[32], dc[2]; /* h264i_levels.luma and luma_dc */
	px16 rec[16];           /* rows */
	h264i_mb mb;            /* type, i16_mode, flags, the luma part of cbp, i4_mode, total */
	uint32_t cost;          /* 0xffffffff: not coded */
	int32_t peak;
} rd_luma;

/* Chroma coded in one mode: levels and samples of block n of plane p. */
typedef struct rd_chroma_blocks {
	int16_t level[H264I_CHROMA_BLOCKS][2][16];
	px4 samples[H264I_CHROMA_BLOCKS][32]; /* predicted, with the DC, decoded */
} rd_chroma_blocks;

typedef struct rd_local {
	mb_local l;
	mb_8x8 e;
	rd_luma best16, now16, of8;
	/* The reconstruction of Intra8x8 with the borders of l.rec_rows. */
	px16 rec8_rows[17 * REC_PITCH / 16];
	rd_chroma_blocks chroma[2]; /* the best so far and another one */
	int4 coef16[2][4];          /* Intra16x16: scaled coefficients of each half */
	px8 block8[2][8];           /* decoded 8x8 blocks: the best so far and another one */
	/* Intra4x4: like l.modes; with CABAC 1: the block has levels, with CAVLC how many, or
	 * NO_TOTAL. */
	uint8_t coded[5][8];
	uint16_t zero_rate[16]; /* Intra4x4: the rate of its flag, if a block has none */
} rd_local;

enum { NO_TOTAL = 255 }; /* in coded[][]: the neighbour is not available */

/* What is a constant of each program, by bits.
 *
 * RD_CAVLC: the macroblocks are coded with CAVLC. In programs of both coders the kernels with CABAC
 * would spill twice as many registers.
 *
 * RD_SKIPS: blocks without levels skip the choice of levels, for a shorter chain of a macroblock.
 * With 16 warps a multiprocessor, which are bound by fetching instructions, skipping costs frames:
 * 930 instead of 1,240 of 1080p a second (preset medium, H100). Warps that take the same steps in
 * the same time share what they fetch. */
enum { RD_CAVLC = 1, RD_SKIPS = 2 };

/* The tables of CAVLC, NULL with CABAC. */
GPU_FN const h264i_cavlc_tables *rd_cavlc_of(const h264i_wave_ctx *c, int form)
{
	const gpu_tables *t = reinterpret_cast<const gpu_tables *>(c->backend);

	return form & RD_CAVLC ? &t->cavlc.code : NULL;
}

/* Syntax of the macroblocks. The coder is a constant, so that a kernel has the rates of one coder
 * only. */
GPU_FN int rd_syntax(const h264i_qparams *q, const h264i_cavlc_tables *cavlc)
{
	return cavlc ? q->syntax | H264I_SYNTAX_CAVLC : q->syntax & ~H264I_SYNTAX_CAVLC;
}

/* What is the same for all blocks of 4x4: a lane has coefficient hl in scan order and sample hl in
 * raster order. */
typedef struct rd_lane {
	lane_consts k;                   /* of the coefficient; hs .. v3 of the sample */
	int raster;                      /* place of the coefficient in the block */
	int passes;                      /* options.trellis */
	int skips;                       /* RD_SKIPS */
	const h264i_cavlc_tables *cavlc; /* NULL: CABAC */
} rd_lane;

GPU_FN int rd_raster_of(int lane)
{
	return (int)(0xfeb7adc963258410ull >> 4 * (lane & 15) & 15); /* table 8-12 */
}

GPU_FN lane_consts rd_consts_of(int lane)
{
	lane_consts sample = lane_consts_of(lane & 15), k = lane_consts_of(rd_raster_of(lane));

	k.hs = sample.hs;
	k.h1 = sample.h1;
	k.h3 = sample.h3;
	k.vs = sample.vs;
	k.v1 = sample.v1;
	k.v3 = sample.v3;
	return k;
}

GPU_FN rd_lane rd_lane_of(const h264i_wave_ctx *c, int form, int lane)
{
	rd_lane r;

	r.k = rd_consts_of(lane);
	r.raster = rd_raster_of(lane);
	r.passes = c->trellis;
	r.skips = form & RD_SKIPS;
	r.cavlc = rd_cavlc_of(c, form);
	return r;
}

GPU_FN rd_kind rd_kind_of(const h264i_rates *r, const rd_lane *k, int cat, int weight, int lane)
{
	h264i_block_rates b = h264i_block_rates_of(r, cat);
	int i = (lane & 15) - (b.coefficients == 15);
	rd_kind kind;

	kind.cavlc = k->cavlc;
	kind.first = b.coefficients == 15;
	kind.last = b.coefficients == 4 ? 4 : 16;
	kind.abs = b.abs;
	kind.map = h264i_map_rates_of(&b, i < 0 ? 0 : i < b.coefficients ? i : b.coefficients - 1);
	kind.weight = weight;
	kind.passes = k->passes;
	kind.skips = k->skips;
	return kind;
}

/* h264i_nc_luma() of block (x, y) of mb. Without branches, as the loads shall not wait for each
 * other; what is not available is read, but of no effect. */
GPU_FN int rd_nc_luma(const rd_local *w, const h264i_mb *mb, int avail, int x, int y)
{
	const h264i_mb *left = x ? mb : &w->l.left, *up = y ? mb : &w->l.up;

	return h264i_cavlc_nc(x || avail & H264I_LEFT, left->total[h264i_blk_at((x - 1) & 3, y)],
		y || avail & H264I_UP, up->total[h264i_blk_at(x, (y - 1) & 3)]);
}

/* A coded 4x4 block of the half warp. */
typedef struct rd_block {
	int level;  /* the lane's, with its sign */
	int sample; /* decoded */
	uint32_t rate;
	int count;
	int32_t peak;
} rd_block;

/* Decodes the levels of a block; sample: the lane's predicted one; dc: the DC, decoded already, of
 * kinds without it. */
GPU_FN void rd_decode4(
	int32_t *coef, const rd_lane *k, int scale, int sample, int has_dc, int dc, rd_block *b)
{
	__syncwarp();
	dc = has_dc && k->raster == 0 ? dc : h264i_dequant(b->level, scale);
	coef[k->raster] = dc;
	b->peak = h264i_peak(b->peak, dc);
	__syncwarp();
	b->sample = h264i_clip_px(sample + inverse_sample(coef, &k->k, &b->peak));
}

/* As rd_decode4 for kinds without a DC, of a block whose levels may all be 0. */
GPU_FN void rd_decode_ac(
	int32_t *coef, const rd_lane *k, int scale, int sample, int dc, rd_block *b)
{
	if (__any_sync(0xffffffffu, b->level)) {
		rd_decode4(coef, k, scale, sample, 1, dc, b);
	} else {
		b->peak = h264i_peak(b->peak, dc);
		b->sample = h264i_clip_px(sample + ((dc + 32) >> 6));
	}
}

#endif
