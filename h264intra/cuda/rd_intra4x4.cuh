/* Intra4x4 by rate and distortion, by one warp, in the ten steps of cuda/intra4x4.cuh: in each the
 * modes of the lowest SATD are coded one after another. The decisions are those of rd_intra4x4() in
 * cpu/mb_rd_blocks.h. */
#ifndef H264INTRA_CUDA_RD_INTRA4X4_CUH
#define H264INTRA_CUDA_RD_INTRA4X4_CUH

#include "h264intra/cuda/intra4x4.cuh"
#include "h264intra/cuda/rd_local.cuh"

/* What coding of a block needs besides the lane's constants. */
typedef struct rd_step {
	const h264i_rates *r;
	int mul, qbits, scale, predicted;
	int modes;        /* of a block; 1: costs are those of the lanes, and their sum counts */
	uint32_t context; /* of half_levels() */
	int source;       /* the lane's sample */
	int forward[4];   /* see i4_source */
} rd_step;

/* Codes the half's block from the prediction pred of `mode`. Returns the cost, or the lane's part
 * of it. */
GPU_FN uint32_t rd_code4(rd_local *w, const rd_lane *k, const rd_kind *kind, const rd_step *s,
	const px4 pred[4], int sample, int mode, rd_block *b, int lane)
{
	int c = forward_coef(s->forward, pred, &k->k);
	uint32_t real = h264i_real_level((uint32_t)abs(c), s->mul, s->qbits), error, rate;
	rd_levels v = half_levels(kind, real, 1, s->context, lane);

	b->level = c < 0 ? -v.level : v.level;
	b->rate = v.rate;
	b->count = v.count;
	b->sample = sample;
	b->peak = 0;
	if (__any_sync(0xffffffffu, v.count))
		rd_decode4(reinterpret_cast<int32_t *>(w->l.coef[lane >> 4]), k, s->scale, sample,
			0, 0, b);
	rate = v.rate + h264i_rd_mode_rate(s->r, kind->cavlc != NULL, mode, s->predicted);
	error = (uint32_t)((s->source - b->sample) * (s->source - b->sample));
	if (s->modes == 1)
		return h264i_rd_cost(s->r, error, lane & 15 ? 0 : rate);
	return h264i_rd_cost(s->r, half_sum(error, lane), rate);
}

/* Codes the half's block in the modes of the lowest keys. pred, key: of the lane's mode; keys: the
 * lowest of each half. Returns the lowest cost; *mode, *best: of that. */
GPU_FN uint32_t rd_modes4(rd_local *w, const rd_lane *k, const rd_kind *kind, const rd_step *s,
	const px4 pred[4], uint32_t key, uint2 keys, int *mode, rd_block *best, int lane)
{
	const int hl = lane & 15, half = lane >> 4;
	uint32_t lowest = 0xffffffffu;

	for (int n = 0; n < s->modes; n++) {
		uint32_t own = half ? keys.y : keys.x, cost;
		px4 p[4], row;
		int m = (int)(own & 15);
		rd_block now;

		if ((keys.x & keys.y) == 0xffffffffu)
			break;
		if (own != 0xffffffffu && hl == m)
			key = 0xffffffffu;
#pragma unroll
		for (int i = 0; i < 4; i++)
			p[i] = px4_from_lane16(pred[i], m);
		row = hl & 8 ? (hl & 4 ? p[3] : p[2]) : (hl & 4 ? p[1] : p[0]);
		cost = rd_code4(w, k, kind, s, p, px4_get(row, hl & 3), m, &now, lane);
		/* Nothing waits for the cost of a block's only mode. */
		if (s->modes == 1) {
			lowest = cost;
			*mode = m;
			*best = now;
			break;
		}
		if (own != 0xffffffffu && cost < lowest) {
			lowest = cost;
			*mode = m;
			*best = now;
		}
		keys = half_minima(key, lane);
	}
	return lowest;
}

/* The context of the half's block at `place` of coded[][]. */
GPU_FN uint32_t rd_context4(const rd_local *w, const h264i_rates *r, int cavlc, int place)
{
	const uint8_t *coded = &w->coded[0][0] + place;
	int before = coded[-1], above = coded[-8];

	if (cavlc)
		return (uint32_t)h264i_cavlc_nc(
			before != NO_TOTAL, before, above != NO_TOTAL, above);
	return rd_flags(
		r->bin[H264I_CTX_CODED_BLOCK + 4 * H264I_CAT_LUMA_4X4 + before + 2 * above]);
}

/* What coded[][] has of block b of a neighbour. */
GPU_FN uint8_t rd_coded_of(const h264i_mb *n, int cavlc, int b)
{
	if (!cavlc)
		return (uint8_t)h264i_coded_luma(n, b);
	return n ? n->total[b] : NO_TOTAL;
}

/* Sets the borders of coded[][] to what LEFT and UP say; all lanes. */
GPU_FN void rd_coded_borders(rd_local *w, int avail, int cavlc, int lane)
{
	const h264i_mb *left = avail & H264I_LEFT ? &w->l.left : NULL;
	const h264i_mb *up = avail & H264I_UP ? &w->l.up : NULL;

	if (lane < 4)
		w->coded[0][1 + lane] = rd_coded_of(up, cavlc, h264i_blk_at(lane, 3));
	else if (lane < 8)
		w->coded[1 + (lane & 3)][0] = rd_coded_of(left, cavlc, h264i_blk_at(3, lane & 3));
	__syncwarp();
}

/* Cost of what the blocks do not have, and the record of the macroblock. coded: bit b: block b has
 * levels. Returns the cost less what is saved. */
GPU_FN uint32_t rd_finish4(rd_local *w, const h264i_cavlc_tables *cavlc, const h264i_qparams *q,
	const h264i_rates *r, int avail, uint32_t cost, int lane)
{
	mb_local *l = &w->l;
	const h264i_mb *left = avail & H264I_LEFT ? &l->left : NULL;
	const h264i_mb *up = avail & H264I_UP ? &l->up : NULL;
	uint32_t coded = __ballot_sync(0xffffffffu, l->mb.total[lane & 15] != 0) & 0xffff;
	uint32_t saved, rate;

	store_intra4x4(l, coded, lane);
	__syncwarp();
	saved = __reduce_add_sync(0xffffffffu,
		lane < 16 && !(l->mb.cbp >> (lane >> 2) & 1) ? w->zero_rate[lane] : 0u);
	rate = h264i_rd_type_rate(r, cavlc, &l->mb, left, up, rd_syntax(q, cavlc));
	return cost + h264i_rd_cost(r, 0, rate) - h264i_rd_cost(r, 0, saved);
}

/* Slow path: the largest magnitude inside the inverse transforms. */
static __device__ __noinline__ int32_t rd_exact_peak(mb_local *l, int scale, int lane)
{
	const lane_consts k = rd_consts_of(lane);
	const int raster = rd_raster_of(lane);
	int32_t peak = 0;

	for (int b = lane >> 4; b < 16; b += 2) {
		int32_t *w = reinterpret_cast<int32_t *>(l->coef[lane >> 4]);

		w[raster] = h264i_dequant(l->levels.luma[b][lane & 15], scale);
		peak = h264i_peak(peak, w[raster]);
		__syncwarp();
		inverse_sum(w, &k, &peak);
		__syncwarp();
	}
	return peak;
}

/* Returns the largest magnitude inside the inverse transforms, if it may be above the limit, else
 * 0. largest: the largest magnitude of the lane's coefficients, see finish_intra4x4(). */
GPU_FN int32_t rd_peak4(mb_local *l, int32_t largest, int scale, int lane)
{
	if (!__any_sync(0xffffffffu, half_sum((uint32_t)largest, lane) > H264I_IDCT_PEAK))
		return 0;
	return (int32_t)__reduce_max_sync(0xffffffffu, (uint32_t)rd_exact_peak(l, scale, lane));
}

/* edge4_lane_of(); skips: RD_SKIPS, where the compiler may not compute it anew in each step, for
 * the registers that it saves. */
GPU_FN edge4_lane rd_edge4_lane(mb_local *l, int skips, int lane)
{
	h264i_px *base = reinterpret_cast<h264i_px *>(l);
	edge4_lane s = edge4_lane_of(l, lane);

	if (skips) {
		s.from = pinned(s.from);
		s.from_repeat = pinned(s.from_repeat);
		s.p = base + pinned((int)(s.p - base));
		s.f2 = base + pinned((int)(s.f2 - base));
		s.f3 = base + pinned((int)(s.f3 - base));
		s.f3b = base + pinned((int)(s.f3b - base));
	}
	return s;
}

/* Sets what is the same in all blocks of a macroblock; pos: of the lane's coefficient. */
GPU_FN void rd_step_of(rd_step *s, const h264i_rates *r, const h264i_qparams *q, int rd, int pos)
{
	s->r = r;
	s->modes = h264i_rd_block_modes(rd);
	s->mul = q->luma.mul[pos];
	s->qbits = q->luma.qbits;
	s->scale = q->luma.step[pos];
}

/* Sets what the half's block of a step has of its own: predicted mode, context and source. */
GPU_FN void rd_step_set(
	rd_step *s, const rd_local *w, const i4_source *src, int cavlc, i4_step step, int hl)
{
	const int at = (int)(step.flags >> STEP_PLACE & 63);
	const uint8_t *place = &w->l.modes[0][0] + at;
	const int left = place[-1], up = place[-8];

	s->predicted = predicted_mode(left, up);
	s->context = rd_context4(w, s->r, cavlc, at);
	s->source = reinterpret_cast<const h264i_px *>(
		w->l.src_y)[(step.offsets >> 10 & 255) + 16 * (hl >> 2) + (hl & 3)];
#pragma unroll
	for (int i = 0; i < 4; i++)
		s->forward[i] = src->forward[i];
}

/* Stores what the next blocks and the record need of the half's block of a step, coded in `mode`;
 * a lane of each half. */
GPU_FN void rd_store4(rd_local *w, int cavlc, int at, int b, int mode, const rd_block *best)
{
	(&w->l.modes[0][0])[at] = (uint8_t)mode;
	(&w->coded[0][0])[at] = (uint8_t)(cavlc ? best->count : best->count != 0);
	w->l.mb.total[b] = (uint8_t)best->count;
	w->zero_rate[b] = (uint16_t)(best->count ? 0 : best->rate);
}

/* Codes the sixteen blocks in l.levels and l.rec_rows. Returns the cost of rate and distortion, or
 * with options.rd 0 that by SATD; *peak: the largest magnitude inside the inverse transforms, if it
 * is above the limit. */
GPU_FN uint32_t rd_intra4x4(rd_local *w, const h264i_wave_ctx *c, const h264i_qparams *q,
	const gpu_tables *t, const rd_lane *k, int avail, int32_t *peak, int lane)
{
	const int hl = lane & 15, half = lane >> 4;
	const h264i_rates *r = &c->rates[q->qp];
	mb_local *l = &w->l;
	const rd_kind kind = rd_kind_of(
		r, k, H264I_CAT_LUMA_4X4, h264i_rd_luma_weight(r, k->cavlc != NULL), lane);
	const h264i_px *edge = reinterpret_cast<const h264i_px *>(l->edge4[half]);
	const edge4_lane sl = rd_edge4_lane(l, k->skips, lane);
	const uint4 rows = t->mode_rows[hl];
	const uint32_t my_mode = h264i_i4_mask(q->disable) & 0x1ff & 1u << hl;
	uint32_t cost = 0, satd = 0;
	int32_t largest = 0;
	i4_step step = l->steps[half][0];
	i4_source src;
	rd_step s;

	rd_step_of(&s, r, q, c->rd, k->k.pos);
	rd_coded_borders(w, avail, k->cavlc != NULL, lane);
	if (k->skips)
		load_i4_source(&src, l, step, &k->k);
#pragma unroll 1
	for (int n = 0; n < 10; n++) {
		int at = (int)(step.flags >> STEP_PLACE & 63),
		    b = (int)(step.flags >> STEP_BLOCK & 15);
		int counts = !half || (n >= 2 && n <= 7), mode = I4_DC;
		h264i_px *origin = rec_y(l, 0, 0) + (step.offsets & 1023);
		uint32_t key, lowest;
		px4 pred[4];
		uint2 keys;
		rd_block best;

		if (!k->skips)
			load_i4_source(&src, l, step, &k->k);
		make_edge4(&sl, origin, step.flags);
		rd_step_set(&s, w, &src, k->cavlc != NULL, step, hl);
		__syncwarp();
		key = mode_key4(edge, rows, step, src.hadamard, q, my_mode, s.predicted, pred, hl);
		keys = half_minima(key, lane);
		step = l->steps[half][n < 9 ? n + 1 : n];
		/* Hides the latency of the minima, but takes registers from there on. */
		if (k->skips)
			load_i4_source(&src, l, step, &k->k);
		satd += counts ? (half ? keys.y : keys.x) >> 4 : 0;
		lowest = rd_modes4(w, k, &kind, &s, pred, key, keys, &mode, &best, lane);
		cost += counts && (s.modes == 1 || !hl) ? lowest : 0;
		l->levels.luma[b][hl] = (int16_t)best.level;
		largest = h264i_peak(largest, h264i_dequant(best.level, s.scale));
		origin[(hl >> 2) * REC_PITCH + (hl & 3)] = (h264i_px)best.sample;
		if (hl == 0)
			rd_store4(w, k->cavlc != NULL, at, b, mode, &best);
		__syncwarp();
	}
	cost = __reduce_add_sync(0xffffffffu, cost);
	satd += __shfl_xor_sync(0xffffffffu, satd, 16);
	cost = rd_finish4(w, k->cavlc, q, r, avail, cost, lane);
	*peak = rd_peak4(l, largest, s.scale, lane);
	return c->rd ? cost : satd + h264i_cost(0, q->lambda, H264I_I4_BASE_BITS);
}

#endif
