/* Intra8x8 by rate and distortion, by one warp. The decisions are those of rd_intra8x8() in
 * cpu/mb_rd_blocks.h. */
#ifndef H264INTRA_CUDA_RD_INTRA8X8_CUH
#define H264INTRA_CUDA_RD_INTRA8X8_CUH

#include "h264intra/cuda/rd_local.cuh"

GPU_FN h264i_px *rec8(rd_local *w, int x, int y)
{
	return (h264i_px *)w->rec8_rows + (y + 1) * REC_PITCH + REC_X0 + x;
}

/* What is constant for a lane, besides lane8: of its coefficients `lane` and lane + 32 in scan
 * order. */
typedef struct rd_lane8 {
	rd_kind64 kind;
	rd_kind part; /* with CAVLC: of the four blocks of every fourth coefficient */
	int scale[2], raster[2];
	int32_t mul[2], qbits; /* of those at lane and lane + 32 in raster order */
} rd_lane8;

GPU_FN rd_lane8 rd_lane8_of(const h264i_wave_ctx *c, const h264i_qparams *q, const gpu_tables *t,
	const h264i_rates *r, int form, int lane)
{
	h264i_block_rates b = h264i_block_rates_of(r, H264I_CAT_LUMA_8X8);
	rd_lane8 k;

	k.kind.abs = b.abs;
	k.kind.weight = r->quant_luma;
	k.kind.passes = c->trellis;
	k.kind.skips = k.part.skips = form & RD_SKIPS;
	k.part.cavlc = rd_cavlc_of(c, form);
	k.part.first = 0;
	k.part.last = 16;
	k.part.abs = NULL;
	k.part.map = { 0, 0, 0, 0 };
	k.part.weight = h264i_rd_luma_weight(r, 1);
	k.part.passes = c->trellis;
#pragma unroll
	for (int i = 0; i < 2; i++) {
		int z = t->zigzag8[lane + 32 * i];

		k.kind.map[i] = h264i_map_rates_of(&b, lane + 32 * i);
		k.raster[i] = z;
		k.scale[i] = t->by_qp[q->qp].luma8.step[z];
		k.mul[i] = t->by_qp[q->qp].luma8.mul[lane + 32 * i];
	}
	k.qbits = t->by_qp[q->qp].luma8.qbits;
	return k;
}

/* The real levels of the lane's two coefficients in scan order, with their signs; e->coef has all
 * of the block. Both of a lane are loaded before either is stored, so that they take the time of
 * one. */
GPU_FN void real_levels8(mb_8x8 *e, const lane8 *k, const rd_lane8 *rk, const px8 *src,
	const px8 *pred, int real[2], int lane)
{
	const int v = lane >> 3;
	int32_t *scan = reinterpret_cast<int32_t *>(e->coef);
	int16_t *sums = reinterpret_cast<int16_t *>(&e->rows[lane & 7]) + v;
	int sum[2], c[2];
	uint4 rows;

	__syncwarp();
#pragma unroll
	for (int i = 0; i < 2; i++)
		sum[i] = forward_row(src[2 * (v + 4 * i)], pred[v + 4 * i], k->row);
	sums[0] = (int16_t)sum[0];
	sums[4] = (int16_t)sum[1];
	__syncwarp();
	rows = e->rows[lane & 7];
#pragma unroll
	for (int i = 0; i < 2; i++) {
		int x;

		c[i] = forward_column(rows, k->col[i]);
		x = (int)h264i_real_level((uint32_t)abs(c[i]), rk->mul[i], rk->qbits);
		c[i] = c[i] < 0 ? -x : x;
	}
	scan[k->zig[0]] = c[0];
	scan[k->zig[1]] = c[1];
	__syncwarp();
	real[0] = scan[lane];
	real[1] = scan[lane + 32];
	__syncwarp();
}

/* The decoded block in `out`: pred and the residual of the scaled coefficients in e->coef. Returns
 * the lane's part of the squared error against src. */
GPU_FN uint32_t decode8(
	mb_8x8 *e, px8 out[8], const px8 *pred, const px8 *src, int coded, int32_t *peak, int lane)
{
	const h264i_px *p = reinterpret_cast<const h264i_px *>(pred);
	const h264i_px *s = reinterpret_cast<const h264i_px *>(src);
	h264i_px *o = reinterpret_cast<h264i_px *>(out);
	uint32_t error = 0;
	int32_t w[8];

	*peak = 0;
	if (coded && lane < 8) {
		int4 a = e->coef[2 * lane], b = e->coef[2 * lane + 1];

		w[0] = a.x, w[1] = a.y, w[2] = a.z, w[3] = a.w;
		w[4] = b.x, w[5] = b.y, w[6] = b.z, w[7] = b.w;
		*peak = h264i_idct8(w, 1, h264i_peak_of(w, 8, 0));
		e->coef[2 * lane] = make_int4(w[0], w[1], w[2], w[3]);
		e->coef[2 * lane + 1] = make_int4(w[4], w[5], w[6], w[7]);
	}
	__syncwarp();
	if (lane < 8) {
#pragma unroll
		for (int y = 0; y < 8; y++)
			w[y] = coded ? reinterpret_cast<const int32_t *>(e->coef)[8 * y + lane] : 0;
		if (coded)
			*peak = h264i_idct8(w, 1, *peak);
#pragma unroll
		for (int y = 0; y < 8; y++) {
			int d;

			w[y] = h264i_clip_px(p[8 * y + lane] + ((w[y] + 32) >> 6));
			d = w[y] - s[16 * y + lane];
			error += (uint32_t)(d * d);
		}
		/* Behind all loads, which may not pass a store of samples. */
#pragma unroll
		for (int y = 0; y < 8; y++)
			o[8 * y + lane] = (h264i_px)w[y];
	}
	__syncwarp();
	return error;
}

/* A coded 8x8 block. */
typedef struct rd_block8 {
	int level[2]; /* the lane's, with their signs */
	int mode, count, buffer;
	int32_t peak;
} rd_block8;

/* What a block takes from those to the left and above: the predicted mode; with CAVLC nC of its
 * part 0, and the total of the other neighbour of the half's part 1 or 2, if there is one. */
typedef struct rd_near8 {
	int predicted, nC, total, has;
} rd_near8;

/* avail: neighbours of block b. Without branches, as the loads shall not wait for each other; what
 * is not available is read, but of no effect. */
GPU_FN rd_near8 rd_near8_of(const rd_local *w, int avail, int b, int lane)
{
	const h264i_mb *a = b & 1 ? &w->of8.mb : &w->l.left;
	const h264i_mb *above = b & 2 ? &w->of8.mb : &w->l.up;
	const int left = (avail & H264I_LEFT) != 0, up = (avail & H264I_UP) != 0;
	const int at = 4 * (b ^ 1) + 1, at_above = 4 * (b ^ 2) + 2, second = lane & 16;
	const int mode = min(a->i4_mode[at], above->i4_mode[at_above]);
	rd_near8 n;

	n.predicted = left & up ? mode : I4_DC;
	n.nC = h264i_cavlc_nc(left, a->total[at], up, above->total[at_above]);
	n.has = second ? left : up;
	n.total = second ? a->total[at + 2] : above->total[at_above + 1];
	return n;
}

/* warp_levels() with CAVLC, of the real levels in e->coef: part 0, then 1 and 2, a half each, then
 * 3, as the context of a part is that of a 4x4 block. */
GPU_FN rd_levels64 rd_parts8(const rd_kind *kind, mb_8x8 *e, const rd_near8 *near, int lane)
{
	int32_t *scan = reinterpret_cast<int32_t *>(e->coef);
	int32_t *first = scan + 4 * (lane & 15), *second = first + 1 + (lane >> 4);
	const uint32_t real2 = (uint32_t)abs(*second), real3 = (uint32_t)abs(first[3]);
	rd_levels v = half_levels(kind, (uint32_t)abs(first[0]), 1, (uint32_t)near->nC, lane);
	rd_levels64 r = { { 0, 0 }, v.rate, v.count };
	int other;

	first[0] = v.level;
	v = half_levels(
		kind, real2, 1, (uint32_t)h264i_cavlc_nc(1, v.count, near->has, near->total), lane);
	*second = v.level;
	other = __shfl_xor_sync(0xffffffffu, v.count, 16);
	r.count += v.count + other;
	r.rate += v.rate + __shfl_xor_sync(0xffffffffu, v.rate, 16);
	v = half_levels(kind, real3, 1, (uint32_t)h264i_cavlc_nc(1, v.count, 1, other), lane);
	first[3] = v.level;
	r.count += v.count;
	r.rate = r.count ? r.rate + v.rate : 0;
	__syncwarp();
	r.level[0] = scan[lane];
	r.level[1] = scan[lane + 32];
	__syncwarp();
	return r;
}

/* The levels of a block whose real ones are in e->coef too. */
GPU_FN rd_levels64 rd_levels8(const rd_lane8 *k, mb_8x8 *e, const rd_near8 *near, const int real[2],
	const uint16_t flag[2], int lane)
{
	const uint32_t magnitude[2] = { (uint32_t)abs(real[0]), (uint32_t)abs(real[1]) };
	const rd_levels64 none = { { 0, 0 }, 0, 0 };

	if (!k->part.cavlc)
		return warp_levels(&k->kind, magnitude, flag[0], flag[1], lane);
	if (k->part.skips &&
		!__any_sync(0xffffffffu, max(magnitude[0], magnitude[1]) >= RD_LEAST_REAL))
		return none;
	return rd_parts8(&k->part, e, near, lane);
}

/* Codes block b in the modes of the lowest keys: key is that of the lane's mode, key_dc that of DC.
 * Returns the lane's part of the lowest cost, of which the sum counts. */
GPU_FN uint32_t rd_modes8(rd_local *w, const h264i_wave_ctx *c, const h264i_qparams *q,
	const h264i_rates *r, const lane8 *k8, const rd_lane8 *k, const px8 *src, uint32_t key,
	uint32_t key_dc, const rd_near8 *near, int avail, int b, rd_block8 *best, int lane)
{
	const h264i_mb *left = avail & H264I_LEFT ? &w->l.left : NULL;
	const h264i_mb *up = avail & H264I_UP ? &w->l.up : NULL;
	/* With CABAC the bit of the pattern is the flag of the block. */
	const uint16_t *flag = r->bin[h264i_cbp_luma_ctx(&w->of8.mb, left, up, b)];
	const int modes = h264i_rd_block_modes(c->rd);
	uint32_t lowest = 0xffffffffu;

	best->buffer = 1;
	for (int n = modes; n > 0; n--) {
		uint32_t first = __reduce_min_sync(0xffffffffu, min(key, key_dc)), cost, error;
		int mode = (int)(first & 15), real[2];
		const px8 *pred = reinterpret_cast<const px8 *>(w->e.pred[mode]);
		rd_levels64 v;
		rd_block8 now;

		if (first == 0xffffffffu)
			break;
		if (mode == I4_DC)
			key_dc = 0xffffffffu;
		else if (mode == k8->mode)
			key = 0xffffffffu;
		real_levels8(&w->e, k8, k, src, pred, real, lane);
		v = rd_levels8(k, &w->e, near, real, flag, lane);
#pragma unroll
		for (int i = 0; i < 2; i++) {
			now.level[i] = real[i] < 0 ? -v.level[i] : v.level[i];
			reinterpret_cast<int32_t *>(w->e.coef)[k->raster[i]] =
				h264i_dequant8(now.level[i], k->scale[i]);
		}
		__syncwarp();
		now.mode = mode;
		now.count = v.count;
		now.buffer = best->buffer ^ 1;
		error = decode8(&w->e, w->block8[now.buffer], pred, src, v.count, &now.peak, lane);
		v.rate += h264i_rd_mode_rate(r, k->part.cavlc != NULL, mode, near->predicted);
		/* Nothing waits for the cost of a block's only mode. */
		if (modes == 1) {
			*best = now;
			return h264i_rd_cost(r, error, lane ? 0 : v.rate);
		}
		cost = h264i_rd_cost(r, __reduce_add_sync(0xffffffffu, error), v.rate);
		if (cost < lowest) {
			lowest = cost;
			*best = now;
		}
	}
	return lane ? 0 : lowest;
}

/* Stores block b in the result. */
GPU_FN void rd_keep8(rd_local *w, const rd_block8 *best, int b, int lane)
{
	rd_luma *o = &w->of8;
	int16_t(*level)[16] = reinterpret_cast<int16_t(*)[16]>(o->level);
	uint32_t any0 = __ballot_sync(0xffffffffu, best->level[0] != 0);
	uint32_t any1 = __ballot_sync(0xffffffffu, best->level[1] != 0);

#pragma unroll
	for (int i = 0; i < 2; i++)
		level[4 * b + (lane & 3)][(lane + 32 * i) >> 2] = (int16_t)best->level[i];
	if (lane < 4) {
		uint32_t part = 0x11111111u << lane;

		o->mb.total[4 * b + lane] = (uint8_t)(__popc(any0 & part) + __popc(any1 & part));
		o->mb.i4_mode[4 * b + lane] = (uint8_t)best->mode;
	}
	if (lane == 4)
		o->mb.cbp |= (uint8_t)((best->count != 0) << b);
	if (lane < 16) {
		const px4 four = reinterpret_cast<const px4 *>(w->block8[best->buffer])[lane];

		*px4_in(rec8(w, 8 * (b & 1) + 4 * (lane & 1), 8 * (b >> 1) + (lane >> 1))) = four;
	}
	__syncwarp();
}

/* Copies the borders of the macroblock; `above`: the words of UP-RIGHT, of which the first half are
 * read. */
GPU_FN void rd_borders8(rd_local *w, uint32_t above, int lane)
{
	if (lane < 16)
		*rec8(w, -1, lane) = *rec_y(&w->l, -1, lane);
	else if (lane < 20)
		*px4_in(rec8(w, 4 * (lane & 3), -1)) = px4_at(rec_y(&w->l, 4 * (lane & 3), -1));
	else if (lane == 20)
		*rec8(w, -1, -1) = *rec_y(&w->l, -1, -1);
	if (lane < Y_WORDS / 2)
		reinterpret_cast<uint32_t *>(rec8(w, 16, -1))[lane] = above;
	__syncwarp();
}

/* Codes the four blocks in w->of8. Its cost is that of rate and distortion, or with options.rd 0
 * that by SATD. */
GPU_FN void rd_intra8x8(rd_local *w, const h264i_wave_ctx *c, const h264i_qparams *q,
	const gpu_tables *t, int form, int avail, uint32_t above, int lane)
{
	const h264i_rates *r = &c->rates[q->qp];
	const h264i_mb *left = avail & H264I_LEFT ? &w->l.left : NULL;
	const h264i_mb *up = avail & H264I_UP ? &w->l.up : NULL;
	const lane8 k8 = lane8_of(t, q->qp, lane);
	const rd_lane8 k = rd_lane8_of(c, q, t, r, form, lane);
	uint32_t cost = 0, satd = h264i_cost(0, q->lambda, H264I_I8_BASE_BITS), avails = 0;
	int32_t peak = 0;
	rd_luma *o = &w->of8;

	/* A byte for each block: outside of the loop it takes no branches. */
#pragma unroll
	for (int b = 0; b < 4; b++)
		avails |= (uint32_t)h264i_i8_avail(b, avail) << 8 * b;
	rd_borders8(w, above, lane);
	if (lane == 0) {
		o->mb.type = H264I_MB_I4X4;
		o->mb.flags = H264I_MB_T8X8;
		o->mb.i16_mode = 0;
		o->mb.cbp = 0;
	}
	__syncwarp();
#pragma unroll 1
	for (int b = 0; b < 4; b++) {
		int x = b & 1, y = b >> 1, block_avail = (int)(avails >> 8 * b & 255);
		const px8 *src = reinterpret_cast<const px8 *>(&w->l.src_y[8 * y]) + x;
		uint32_t allowed = h264i_i4_allowed(block_avail) & h264i_i4_mask(q->disable);
		const rd_near8 near = rd_near8_of(w, block_avail, b, lane);
		rd_block8 best;
		uint2 keys;
		int dc;

		dc = make_edge8(&w->e, rec8(w, 8 * x, 8 * y), block_avail, lane);
		predict8(&w->e, &k8, dc, lane);
		keys = keys8(&w->e, &k8, src, dc, allowed, near.predicted, q->lambda);
		satd += __reduce_min_sync(0xffffffffu, min(keys.x, keys.y)) >> 4;
		cost += rd_modes8(
			w, c, q, r, &k8, &k, src, keys.x, keys.y, &near, avail, b, &best, lane);
		peak = max(peak, best.peak);
		rd_keep8(w, &best, b, lane);
	}
	cost = __reduce_add_sync(0xffffffffu, cost);
	cost += h264i_rd_cost(r, 0,
		h264i_rd_type_rate(r, k.part.cavlc, &o->mb, left, up, rd_syntax(q, k.part.cavlc)));
	peak = (int32_t)__reduce_max_sync(0xffffffffu, (uint32_t)peak);
	if (lane < 16)
		o->rec[lane] = *reinterpret_cast<const px16 *>(rec8(w, 0, lane));
	if (lane < 2)
		o->dc[lane] = make_uint4(0, 0, 0, 0);
	if (lane == 0) {
		o->cost = c->rd ? cost : satd;
		o->peak = peak;
	}
	__syncwarp();
}

#endif
