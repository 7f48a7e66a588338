/* Intra4x4 of one macroblock by one warp: ten steps, two blocks a step, a half warp a block.
 *
 * Block (bx, by) needs its left, upper left, upper and upper right neighbours, so step bx + 2 * by
 * can do it: at most two blocks a step (tzeng-lloyd-owens 2012, section 6 and figure 1). Inside a
 * step a lane is, in turn: a neighbouring sample (filters), a prediction mode (SATD), a coefficient
 * (transform, quantiser), a sample (reconstruction). */
#ifndef H264INTRA_CUDA_INTRA4X4_CUH
#define H264INTRA_CUDA_INTRA4X4_CUH

#include "h264intra/cuda/mb_local.cuh"
#include "h264intra/cuda/tables.cuh"
#include "h264intra/decide/cost.h"
#include "h264intra/entropy/mb_layer.h"

/* Neighbouring sample hl of block (bx, by) and its two filtered forms into the half's string; the
 * lanes 13 and 14 repeat the string's end, lane 15 its beginning. */
GPU_FN void make_string(mb_local *l, const uint8_t *origin, int avail, int lane)
{
	int hl = lane & 15, k = hl, off, e, prev, next, f3;
	uint8_t *s = reinterpret_cast<uint8_t *>(l->string[lane >> 4]);
	uint32_t part, sum;

	if (hl == 15)
		k = 0;
	else if (hl > E4_H)
		k = E4_H;
	if (k > E4_D && !(avail & H264I_UPRIGHT))
		k = E4_D;
	off = k < E4_M ? (E4_I - k) * REC_PITCH - 1 : k - E4_A - REC_PITCH;
	e = origin[off];
	prev = __shfl_up_sync(0xffffffffu, e, 1, 16);
	next = __shfl_down_sync(0xffffffffu, e, 1, 16);
	part = (hl < E4_M && (avail & H264I_LEFT)) ||
			(hl >= E4_A && hl <= E4_D && (avail & H264I_UP))
		? (uint32_t)e
		: 0;
	sum = half_sum16(part, lane);
	f3 = (prev + 2 * e + next + 2) >> 2; /* prev of lane 0 is itself */
	if (hl <= E4_H) {
		s[STR_P + hl] = (uint8_t)e;
		s[STR_F2 + hl] = (uint8_t)((e + next + 1) >> 1);
		s[STR_F3 + hl] = (uint8_t)f3;
		s[STR_F3B + hl] = (uint8_t)f3;
	} else if (hl == 15) {
		int both = (avail & H264I_LEFT) && (avail & H264I_UP);

		s[STR_F3 - 1] = (uint8_t)e;
		s[STR_DC] = (uint8_t)(both ? (sum + 4) >> 3
				: avail & (H264I_LEFT | H264I_UP) ? (sum + 2) >> 2
								  : 128);
	}
}

GPU_FN uint32_t string_row(const uint8_t *s, uint32_t row)
{
	uint32_t a = *reinterpret_cast<const uint32_t *>(s + (row >> 16 & 255));
	uint32_t b = *reinterpret_cast<const uint32_t *>(s + (row >> 24));

	return __byte_perm(a, b, row & 0xffff);
}

/* Residual, levels and reconstruction of the block at `origin` in l->rec, whose prediction is in
 * pred (rows, the same in all 16 lanes) and in l->pred4[half]. A lane is coefficient, then sample,
 * hl. Returns total_coeff. `active` 0: this half only keeps step. */
GPU_FN int code_block4x4(mb_local *l, int b, uint8_t *origin, const uint32_t src[4],
	const uint32_t pred[4], const h264i_quant *q, const lane_consts *k, mb_sums *sums, int active,
	int lane)
{
	int hl = lane & 15, half = lane >> 4, level, rec;
	uint32_t any;

	level = h264i_quantise(forward_coef(src, pred, k), q->mf[k->pos], q->bias, q->qbits);
	level = active ? level : 0;
	any = __ballot_sync(0xffffffffu, level != 0);
	rec = reinterpret_cast<const uint8_t *>(&l->pred4[half])[hl];
	if (active)
		l->levels.luma[b][k->zig] = (int16_t)level;
	if (any) {
		reinterpret_cast<int32_t *>(l->coef[half])[hl] = level * q->v[k->pos];
		sums_add(sums, level);
		__syncwarp();
		rec += inverse_sample(reinterpret_cast<const int32_t *>(l->coef[half]), k);
	}
	if (active)
		origin[(hl >> 2) * REC_PITCH + (hl & 3)] = h264i_clip_u8(rec);
	return __popc(lane & 16 ? any >> 16 : any & 0xffff);
}

/* All sixteen blocks; 0 when the cost reached `limit` (levels and reconstruction are then void).
 * Same decisions as the CPU's try_intra4x4, block by block; only the order of independent blocks
 * differs, and the sum of costs does not depend on it. */
GPU_FN int try_intra4x4(mb_local *l, const h264i_qparams *q, const gpu_tables *t, int mb_avail,
	uint32_t limit, const lane_consts *k, mb_sums *sums, int lane)
{
	int hl = lane & 15, half = lane >> 4, cbp = 0;
	const uint8_t *s = reinterpret_cast<const uint8_t *>(l->string[half]);
	uint4 rows = t->mode_rows[hl];
	uint32_t mask = h264i_i4_mask(q->disable), cost = 0;
	uint32_t base = h264i_cost(0, q->lambda, H264I_I4_BASE_BITS);
	const h264i_mb *left = mb_avail & H264I_LEFT ? &l->left : NULL;
	const h264i_mb *up = mb_avail & H264I_UP ? &l->up : NULL;

	for (int step = 0; step < 10; step++) {
		/* The first half walks row 0, then the right ends of rows 1..3; the second half
		 * follows in the left ends. Where there is one block, both halves hold it. */
		int by0 = step < 4 ? 0 : (step - 2) >> 1, bx0 = step - 2 * by0;
		int by1 = step >> 1, bx1 = step & 1, two = step >= 2 && step <= 7;
		int bx = half && two ? bx1 : bx0, by = half && two ? by1 : by0;
		int b = h264i_blk_at(bx, by), active = !half || two, n, mode;
		int avail = h264i_i4_avail(b, mb_avail);
		uint8_t *origin = rec_y(l, 4 * bx, 4 * by);
		uint32_t src[4], pred[4], key;
		int hsrc[16];
		uint4 chosen;

		make_string(l, origin, avail, lane);
#pragma unroll
		for (int i = 0; i < 4; i++)
			src[i] = reinterpret_cast<const uint32_t *>(&l->src_y[4 * by + i])[bx];
		hadamard_rows(src, hsrc);
		int pm = h264i_predicted_mode(&l->mb, left, up, b);
		__syncwarp();
		pred[0] = string_row(s, rows.x);
		pred[1] = string_row(s, rows.y);
		pred[2] = string_row(s, rows.z);
		pred[3] = string_row(s, rows.w);
		key = h264i_cost(satd4x4(hsrc, pred), q->lambda, h264i_i4_mode_bits(hl, pm)) << 4 |
			(uint32_t)hl;
		if (!(h264i_i4_allowed(avail) & mask & 1u << hl))
			key = 0xffffffffu;
		key = half_min(key, lane);
		mode = (int)(key & 15);
		if (active)
			cost += key >> 4;
		if (cost + __shfl_xor_sync(0xffffffffu, cost, 16) + base >= limit)
			return 0;
		if (hl == mode) {
			l->pred4[half] = make_uint4(pred[0], pred[1], pred[2], pred[3]);
			if (active)
				l->mb.i4_mode[b] = (uint8_t)mode;
		}
		__syncwarp();
		chosen = l->pred4[half];
		pred[0] = chosen.x;
		pred[1] = chosen.y;
		pred[2] = chosen.z;
		pred[3] = chosen.w;
		n = code_block4x4(l, b, origin, src, pred, &q->luma, k, sums, active, lane);
		if (active) {
			sums->coded_blocks += n != 0;
			cbp |= (n != 0) << (b >> 2);
			if (hl == 0)
				l->mb.total[b] = (uint8_t)n;
		}
		__syncwarp();
	}
	cbp |= __shfl_xor_sync(0xffffffffu, cbp, 16);
	if (lane < 16)
		l->levels.luma_dc[lane] = 0;
	if (lane == 0) {
		l->mb.type = H264I_MB_I4X4;
		l->mb.i16_mode = 0;
		l->mb.cbp = (uint8_t)cbp;
	}
	return 1;
}

#endif
