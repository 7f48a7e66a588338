/* Mode decision and coding of Intra4x4 of one macroblock by one warp: ten steps of at most two
 * blocks, a half warp per block.
 *
 * Block (bx, by) needs its left, upper left, upper and upper right neighbours, so it is coded in
 * step bx + 2 * by: at most two blocks per step (tzeng-lloyd-owens 2012, section 6 and figure 1).
 * In a step a lane processes in turn a neighbouring sample (filters), a prediction mode (SATD), a
 * coefficient (transform, quantiser) and a sample (reconstruction). The ten steps are the longest
 * chain of dependent work in the encoder, so all that does not depend on samples is read from
 * tables. */
#ifndef H264INTRA_CUDA_INTRA4X4_CUH
#define H264INTRA_CUDA_INTRA4X4_CUH

#include "h264intra/cuda/mb_local.cuh"
#include "h264intra/decide/cost.h"
#include "h264intra/entropy/mb_layer.h"

/* Addresses that a lane uses in every step. */
typedef struct edge4_lane {
	int from, from_repeat;       /* offset of its sample from the block; without UP-RIGHT */
	h264i_px *p, *f2, *f3, *f3b; /* destinations of the sample and of its filtered forms */
} edge4_lane;

/* Lanes 0..12 have P[lane]; 13 repeats the last sample, 14 and 15 the first (15 stores it as
 * F3[-1]). */
GPU_FN edge4_lane edge4_lane_of(mb_local *l, int lane)
{
	h264i_px *s = reinterpret_cast<h264i_px *>(l->edge4[lane >> 4]), *unused;
	int hl = lane & 15, k = hl > 13 ? 0 : hl > E4_H ? E4_H : hl, k2 = k > E4_D ? E4_D : k;
	int real = hl <= E4_H;
	edge4_lane r;

	unused = s + EDGE4_UNUSED + 4 * (hl & 3); /* lanes 13..15 store here, each elsewhere */
	r.from = k < E4_M ? (E4_I - k) * REC_PITCH - 1 : k - E4_A - REC_PITCH;
	r.from_repeat = k2 < E4_M ? (E4_I - k2) * REC_PITCH - 1 : k2 - E4_A - REC_PITCH;
	r.p = real ? s + EDGE4_P + hl : unused;
	r.f2 = real ? s + EDGE4_F2 + hl : unused + 1;
	r.f3 = real ? s + EDGE4_F3 + hl : hl == 15 ? s + EDGE4_F3 - 1 : unused + 2;
	r.f3b = real ? s + EDGE4_F3B + hl : unused + 3;
	return r;
}

/* Writes the edge of the half's block at `origin`: a neighbouring sample and its two filtered
 * forms. */
GPU_FN void make_edge4(const edge4_lane *k, const h264i_px *origin, uint32_t flags)
{
	int e = origin[flags & STEP_UPRIGHT ? k->from : k->from_repeat];
	int prev = __shfl_up_sync(0xffffffffu, e, 1, 16);   /* lane 0: itself */
	int next = __shfl_down_sync(0xffffffffu, e, 1, 16); /* lane 15: itself */
	int f3 = (prev + 2 * e + next + 2) >> 2;

	*k->p = (h264i_px)e;
	*k->f2 = (h264i_px)((e + next + 1) >> 1);
	*k->f3 = (h264i_px)f3;
	*k->f3b = (h264i_px)f3;
}

GPU_FN px4 edge4_row(const h264i_px *s, uint32_t row)
{
	return px4_select(px4_at(s + (row >> 16 & 255)), px4_at(s + (row >> 24)), row);
}

/* Four DC predictions. No branches: edges that are not available are masked out. */
GPU_FN px4 edge4_dc(const h264i_px *s, i4_step step)
{
	const px4 *w = reinterpret_cast<const px4 *>(s);
	/* L at 3, K J I at 4..6, A B C D at 8..11 */
	int left = px4_dot(w[1], S8X4(1, 1, 1, 0), px4_last(w[0]));
	int up = px4_dot(w[2], S8X4(1, 1, 1, 1), 0);
	int sum = (int)(step.offsets >> 18 & 1023);

	sum += left & -(int)(step.flags >> STEP_LEFT_BIT & 1);
	sum += up & -(int)(step.flags >> STEP_UP_BIT & 1);
	return px4_all(sum >> (step.offsets >> 28));
}

/* Intermediate results that depend only on the source of a block. */
typedef struct i4_source {
	int hadamard[16]; /* hadamard_rows */
	int forward[4];   /* each row times the lane's transform row */
} i4_source;

GPU_FN void load_i4_source(i4_source *d, const mb_local *l, i4_step step, const lane_consts *k)
{
	const h264i_px *from =
		reinterpret_cast<const h264i_px *>(l->src_y) + (step.offsets >> 10 & 255);
	px4 src[4];

#pragma unroll
	for (int i = 0; i < 4; i++) {
		src[i] = px4_at(from + 16 * i);
		d->forward[i] = px4_dot(src[i], k->row, 0);
	}
	hadamard_rows(src, d->hadamard);
}

/* Slow path: the result of h264i_idct4x4, the maximum of the lane's part of all blocks. It takes no
 * lane_consts: the address of the caller's would put them into local memory. */
static __device__ __noinline__ int32_t exact_peak(mb_local *l, int scale, int lane)
{
	const lane_consts k = lane_consts_of(lane & 15);
	int32_t peak = 0;

	for (int b = lane >> 4; b < 16; b += 2) {
		int32_t *w = reinterpret_cast<int32_t *>(l->coef[lane >> 4]);

		w[lane & 15] = h264i_dequant(l->levels.luma[b][k.zig], scale);
		peak = h264i_peak(peak, w[lane & 15]);
		__syncwarp();
		inverse_sum(w, &k, &peak);
		__syncwarp();
	}
	return peak;
}

/* The four rows of the prediction of the lane's mode. */
GPU_FN void predict_intra4x4(const h264i_px *s, uint4 rows, i4_step step, int mode, px4 pred[4])
{
	px4 dc = edge4_dc(s, step);

	pred[0] = edge4_row(s, rows.x);
	pred[1] = edge4_row(s, rows.y);
	pred[2] = edge4_row(s, rows.z);
	pred[3] = edge4_row(s, rows.w);
#pragma unroll
	for (int i = 0; i < 4; i++)
		pred[i] = mode == I4_DC ? dc : pred[i];
}

/* Predicts the half's block in the lane's mode. Returns the key of the mode: its cost and number;
 * all bits if my_mode, its bit, is not allowed in the step. predicted: the predicted mode. */
GPU_FN uint32_t mode_key4(const h264i_px *s, uint4 rows, i4_step step, const int hadamard[16],
	const h264i_qparams *q, uint32_t my_mode, int predicted, px4 pred[4], int hl)
{
	uint32_t key;

	predict_intra4x4(s, rows, step, hl, pred);
	key = h264i_cost(satd4x4(hadamard, pred), q->lambda, h264i_i4_mode_bits(hl, predicted))
		      << 4 |
	      (uint32_t)hl;
	return step.flags & my_mode ? key : 0xffffffffu;
}

/* Copies the prediction of the lane of `mode` to all lanes of its half. *place: the
 * mode of this block. Returns the lane's predicted sample. */
GPU_FN int share_prediction(mb_local *l, uint8_t *place, int mode, px4 pred[4], int lane)
{
	int hl = lane & 15, half = lane >> 4;
	px16 chosen;

	if (hl == mode)
		l->pred4[half] = px16_of(pred[0], pred[1], pred[2], pred[3]);
	*place = (uint8_t)mode;
	__syncwarp();
	chosen = l->pred4[half];
	pred[0] = chosen.x;
	pred[1] = chosen.y;
	pred[2] = chosen.z;
	pred[3] = chosen.w;
	return reinterpret_cast<const h264i_px *>(&l->pred4[half])[hl];
}

/* Stores the record of an Intra4x4 macroblock; bit b of `coded`: block b has levels. */
GPU_FN void store_intra4x4(mb_local *l, uint32_t coded, int lane)
{
	int b = lane & 15;

	if (lane < 16) {
		l->levels.luma_dc[b] = 0;
		l->mb.i4_mode[b] = l->modes[1 + h264i_blk_y(b)][1 + h264i_blk_x(b)];
	}
	if (lane == 0) {
		l->mb.type = H264I_MB_I4X4;
		l->mb.flags = 0;
		l->mb.i16_mode = 0;
		l->mb.cbp = (uint8_t)((coded & 0x000f ? 1 : 0) | (coded & 0x00f0 ? 2 : 0) |
				      (coded & 0x0f00 ? 4 : 0) | (coded & 0xf000 ? 8 : 0));
	}
}

/* Decodes the levels of the half's block. Returns what the lane adds to its predicted sample.
 * counted: the lane's level as the sums count it; largest: the largest magnitude of the lane's
 * coefficients; peak: see inverse_sample(). */
GPU_FN int decode_intra4x4(mb_local *l, const lane_consts *k, int level, int scale, int counted,
	int32_t *largest, int32_t *peak, mb_sums *sums, int lane)
{
	int32_t *w = reinterpret_cast<int32_t *>(l->coef[lane >> 4]);
	int coef = h264i_dequant(level, scale);

	w[lane & 15] = coef;
	*largest = h264i_peak(*largest, coef);
	sums_add(sums, counted);
	__syncwarp();
	return inverse_sample(w, k, peak);
}

/* The end of try_intra4x4(): peak, coded blocks, record. largest: the largest magnitude of the
 * lane's coefficients. Returns 1. */
GPU_FN int finish_intra4x4(mb_local *l, mb_sums *sums, int32_t largest, int scale, int lane)
{
	uint32_t coded;

	/* No value of the inverse transform exceeds the sum of the magnitudes of a block, nor that
	 * of the largest magnitude of all blocks at each position: the exact peak is needed only
	 * above. */
	if (__any_sync(0xffffffffu, half_sum((uint32_t)largest, lane) > H264I_IDCT_PEAK))
		sums->peak = exact_peak(l, scale, lane);
	coded = __ballot_sync(0xffffffffu, l->mb.total[lane & 15] != 0) & 0xffff;

	sums->coded_blocks += lane & 16 ? 0 : (uint32_t)__popc(coded);
	store_intra4x4(l, coded, lane);
	return 1;
}

/* Codes the sixteen blocks. Returns 0 when the cost reaches own_limit or that of Intra16x16, whose
 * key is in l->key16; levels and reconstruction are then incomplete. The helper warp may write the
 * key at any time: each step reads it only to stop early, and the caller compares *total_cost after
 * a barrier. (This is the one race that compute-sanitizer's racecheck reports; no result depends on
 * it.) The decisions are those of try_intra4x4 in cpu/mb_intra.h; only the order of independent
 * blocks differs, on which the sum of costs does not depend. In a step with one block both halves
 * code it and store the same values at the same addresses, which avoids a branch. */
GPU_FN int try_intra4x4(mb_local *l, const h264i_qparams *q, const gpu_tables *t,
	const lane_consts *k, uint32_t own_limit, mb_sums *sums, uint32_t *total_cost, int lane)
{
	const int hl = lane & 15, half = lane >> 4;
	const int mf = pinned(q->luma.mul[k->pos]), scale = pinned(q->luma.step[k->pos]);
	const h264i_px *s = reinterpret_cast<const h264i_px *>(l->edge4[half]);
	h264i_px *rec = rec_y(l, 0, 0);
	uint8_t *modes = &l->modes[0][0];
	const edge4_lane sl = edge4_lane_of(l, lane);
	const uint4 rows = t->mode_rows[hl];
	const uint32_t my_mode = h264i_i4_mask(q->disable) & 0x1ff & 1u << hl;
	const int at = (hl >> 2) * REC_PITCH + (hl & 3);
	int32_t largest = 0, unused = 0;
	uint32_t cost = h264i_cost(0, q->lambda, H264I_I4_BASE_BITS);
	i4_step step = l->steps[half][0];
	i4_source src;

	load_i4_source(&src, l, step, k);
#pragma unroll 1
	for (int n = 0; n < 10; n++) {
		h264i_px *origin = rec + (step.offsets & 1023);
		uint8_t *place = modes + (step.flags >> STEP_PLACE & 63);
		int b = (int)(step.flags >> STEP_BLOCK & 15), two = n >= 2 && n <= 7;
		int left = place[-1], up = place[-8], pm, mode, level, sample;
		uint32_t limit = *reinterpret_cast<volatile uint32_t *>(&l->key16);
		int forward[4];
		uint32_t key, any;
		px4 pred[4];
		uint2 best;

		make_edge4(&sl, origin, step.flags);
		pm = predicted_mode(left, up);
		__syncwarp();
#pragma unroll
		for (int i = 0; i < 4; i++)
			forward[i] = src.forward[i];
		key = mode_key4(s, rows, step, src.hadamard, q, my_mode, pm, pred, hl);
		best = half_minima(key, lane);
		step = l->steps[half][n < 9 ? n + 1 : n];
		load_i4_source(&src, l, step, k); /* hides the latency of the minima */
		cost += (best.x >> 4) + (two ? best.y >> 4 : 0);
		*total_cost = cost;
		if (__any_sync(0xffffffffu, cost >= min(limit >> 4, own_limit)))
			return 0;
		mode = (int)((half ? best.y : best.x) & 15);
		sample = share_prediction(l, place, mode, pred, lane);
		level = h264i_quantise(
			forward_coef(forward, pred, k), mf, q->luma.bias, q->luma.qbits);
		l->levels.luma[b][k->zig] = (int16_t)level;
		any = __ballot_sync(0xffffffffu, level != 0);
		l->mb.total[b] = (uint8_t)__popc(half ? any >> 16 : any & 0xffff);
		if (any)
			sample += decode_intra4x4(l, k, level, scale, half && !two ? 0 : level,
				&largest, &unused, sums, lane);
		origin[at] = h264i_clip_px(sample);
		__syncwarp();
	}

	return finish_intra4x4(l, sums, largest, scale, lane);
}

#endif
