/* Intra16x16 by rate and distortion, by one warp. The decisions are those of rd_intra16x16() in
 * cpu/mb_rd_planes.h. */
#ifndef H264INTRA_CUDA_RD_INTRA16X16_CUH
#define H264INTRA_CUDA_RD_INTRA16X16_CUH

#include "h264intra/cuda/intra16x16.cuh"
#include "h264intra/cuda/rd_local.cuh"

/* Predicts in `mode` to o->rec, where the steps of levels and of decoding have the samples with one
 * load, and not with a branch by the mode each. */
GPU_FN void rd_predict16(rd_local *w, rd_luma *o, const luma_borders *bd, int mode, int lane)
{
	const int x = 8 * (lane & 1), y = lane >> 1;
	const px4 low = luma_word(&w->l, bd, mode, x, y);
	const px4 high = luma_word(&w->l, bd, mode, x + 4, y);

	reinterpret_cast<px8 *>(o->rec)[lane] = px8_of(low, high);
	__syncwarp();
}

/* Chooses the levels of the AC blocks from the prediction in o->rec, in the ten steps of Intra4x4,
 * since coded_block_flag depends on the blocks to the left and above. Stores them and their totals
 * in o. *dcs: the DC of block (x, y) in lane 4 * y + x of each half. Returns the rate of the
 * bins. */
GPU_FN uint32_t rd_levels_ac16(rd_local *w, rd_luma *o, const h264i_quant *q, const h264i_rates *r,
	const rd_lane *k, int avail, int *dcs, int lane)
{
	const int hl = lane & 15, half = lane >> 4;
	const rd_kind kind = rd_kind_of(
		r, k, H264I_CAT_LUMA_AC, h264i_rd_luma_weight(r, k->cavlc != NULL), lane);
	const h264i_mb *left = avail & H264I_LEFT ? &w->l.left : NULL;
	const h264i_mb *up = avail & H264I_UP ? &w->l.up : NULL;
	int16_t(*level)[16] = reinterpret_cast<int16_t(*)[16]>(o->level);
	const int mul = q->mul[k->k.pos], qbits = q->qbits;
	uint32_t rate = 0, coded = 0;

	*dcs = 0;
#pragma unroll 1
	for (int n = 0; n < 10; n++) {
		int two = n >= 2 && n <= 7, second = half && two;
		int by = second ? n >> 1 : n < 4 ? 0 : (n - 2) >> 1;
		int bx = second ? n & 1 : n - 2 * by, b = h264i_blk_at(bx, by), c, dc, other;
		int before = bx ? coded >> h264i_blk_at(bx - 1, by) & 1
				: h264i_coded_luma(left, h264i_blk_at(3, by));
		int above = by ? coded >> h264i_blk_at(bx, by - 1) & 1
			       : h264i_coded_luma(up, h264i_blk_at(bx, 3));
		uint32_t real, context;
		px4 pred[4];
		int rows[4];
		rd_levels v;

		if (k->cavlc)
			context = (uint32_t)rd_nc_luma(w, &o->mb, avail, bx, by);
		else
			context = rd_flags(r->bin[H264I_CTX_CODED_BLOCK + 4 * H264I_CAT_LUMA_AC +
						  before + 2 * above]);
#pragma unroll
		for (int i = 0; i < 4; i++) {
			pred[i] = reinterpret_cast<const px4 *>(&o->rec[4 * by + i])[bx];
			rows[i] =
				px4_dot(reinterpret_cast<const px4 *>(&w->l.src_y[4 * by + i])[bx],
					k->k.row, 0);
		}
		c = forward_coef(rows, pred, &k->k);
		dc = __shfl_sync(0xffffffffu, c, 0, 16);
		real = hl ? h264i_real_level((uint32_t)abs(c), mul, qbits) : 0;
		v = half_levels(&kind, real, hl > 0, context, lane);
		level[b][hl] = (int16_t)(c < 0 ? -v.level : v.level);
		if (hl == 0)
			o->mb.total[b] = (uint8_t)v.count;
		rate += !half || two ? v.rate : 0;
		coded |= (uint32_t)(v.count != 0) << b;
		coded |= __shfl_xor_sync(0xffffffffu, coded, 16);
		*dcs = hl == 4 * by + bx ? dc : *dcs;
		other = __shfl_xor_sync(0xffffffffu, 4 * by + bx, 16);
		dc = __shfl_xor_sync(0xffffffffu, dc, 16);
		__syncwarp(); /* the totals are read in the next step */
		*dcs = hl == other ? dc : *dcs;
	}
	rate += __shfl_xor_sync(0xffffffffu, rate, 16);
	if (lane == 0)
		o->mb.cbp = coded ? 15 : 0;
	return coded ? rate : 0;
}

/* The lane of hadamard_lanes() that has row or column i of the standard's matrix. */
GPU_FN int sylvester_index(int i)
{
	return i == 1 ? 2 : i == 2 ? 3 : i == 3 ? 1 : 0;
}

/* Transforms the DCs and chooses their levels; *dcs: the decoded DCs, in the same lanes. Returns
 * the rate of their bins. */
GPU_FN uint32_t rd_levels_dc16(rd_local *w, rd_luma *o, const h264i_quant *q, const h264i_rates *r,
	const rd_lane *k, int avail, int *dcs, int lane)
{
	const int hl = lane & 15;
	const rd_kind kind = rd_kind_of(
		r, k, H264I_CAT_LUMA_DC, h264i_rd_luma_weight(r, k->cavlc != NULL), lane);
	const h264i_mb *left = avail & H264I_LEFT ? &w->l.left : NULL;
	const h264i_mb *up = avail & H264I_UP ? &w->l.up : NULL;
	int inc = h264i_coded_dc(left, H264I_MB_DC_Y) + 2 * h264i_coded_dc(up, H264I_MB_DC_Y);
	uint32_t context =
		k->cavlc ? (uint32_t)h264i_nc_luma(&o->mb, left, up, 0)
			 : rd_flags(r->bin[H264I_CTX_CODED_BLOCK + 4 * H264I_CAT_LUMA_DC + inc]);
	/* From the lanes of the transform to those of the scan, and back. */
	int from = 4 * sylvester_index(k->raster >> 2) + sylvester_index(k->raster & 3);
	int to = h264i_zigzag_of(4 * standard_index(hl >> 2) + standard_index(hl & 3));
	int c = (hadamard_lanes(*dcs, 16, lane) + 1) >> 1, level;
	rd_levels v;

	c = __shfl_sync(0xffffffffu, c, from, 16);
	v = half_levels(&kind, h264i_real_level((uint32_t)abs(c), q->mul[0], q->qbits + 1), 1,
		context, lane);
	level = c < 0 ? -v.level : v.level;
	if (lane < 16)
		reinterpret_cast<int16_t *>(o->dc)[hl] = (int16_t)level;
	if (lane == 0)
		o->mb.flags = v.count ? H264I_MB_DC_Y : 0;
	level = __shfl_sync(0xffffffffu, level, to, 16);
	*dcs = h264i_dequant_luma_dc(hadamard_lanes(level, 16, lane), q);
	__syncwarp();
	return v.rate;
}

/* Decodes the levels in o to o->rec, which has the prediction. Returns the squared error. */
GPU_FN uint32_t rd_decode16(rd_local *w, rd_luma *o, const rd_lane *k, int scale, int dcs, int lane)
{
	const int hl = lane & 15, half = lane >> 4, y = hl >> 2;
	const int16_t(*level)[16] = reinterpret_cast<const int16_t(*)[16]>(o->level);
	int32_t *coef = reinterpret_cast<int32_t *>(w->coef16[half]);
	uint32_t error = 0;
	int32_t peak = 0;

#pragma unroll 1
	for (int pass = 0; pass < 8; pass++) {
		int bx = 2 * (pass & 1) + half, by = pass >> 1, d;
		int dc = __shfl_sync(0xffffffffu, dcs, 4 * by + bx);
		h264i_px *sample =
			reinterpret_cast<h264i_px *>(&o->rec[4 * by + y]) + 4 * bx + (hl & 3);
		rd_block b;

		b.level = level[h264i_blk_at(bx, by)][hl];
		b.peak = peak;
		rd_decode_ac(coef, k, scale, *sample, dc, &b);
		peak = b.peak;
		*sample = (h264i_px)b.sample;
		d = b.sample -
		    reinterpret_cast<const h264i_px *>(&w->l.src_y[4 * by + y])[4 * bx + (hl & 3)];
		error += (uint32_t)(d * d);
	}
	peak = (int32_t)__reduce_max_sync(0xffffffffu, (uint32_t)peak);
	if (lane == 0)
		o->peak = peak;
	return __reduce_add_sync(0xffffffffu, error);
}

/* Codes the macroblock in o with `mode`. */
GPU_FN void rd_code16(rd_local *w, rd_luma *o, const h264i_wave_ctx *c, const h264i_qparams *qp,
	const luma_borders *bd, int mode, const rd_lane *k, int avail, int lane)
{
	const h264i_quant *q = &qp->luma;
	const h264i_rates *r = &c->rates[qp->qp];
	uint32_t rate, error;
	int dcs;

	__syncwarp();
	if (lane < 16)
		o->mb.i4_mode[lane] = I4_DC;
	if (lane == 0) {
		o->mb.type = H264I_MB_I16X16;
		o->mb.i16_mode = (uint8_t)mode;
	}
	rd_predict16(w, o, bd, mode, lane);
	rate = rd_levels_ac16(w, o, q, r, k, avail, &dcs, lane);
	rate += rd_levels_dc16(w, o, q, r, k, avail, &dcs, lane);
	error = rd_decode16(w, o, k, q->step[k->k.pos], dcs, lane);
	rate += h264i_rd_type_rate(r, k->cavlc, &o->mb, avail & H264I_LEFT ? &w->l.left : NULL,
		avail & H264I_UP ? &w->l.up : NULL, qp->syntax);
	if (lane == 0)
		o->cost = h264i_rd_cost(r, error, rate);
	__syncwarp();
}

/* Codes the macroblock in w->best16 in the modes of the lowest keys by SATD. Its cost is that of
 * rate and distortion, or with options.rd 0 that by SATD. */
GPU_FN void rd_intra16x16(rd_local *w, const h264i_wave_ctx *c, const h264i_qparams *q,
	const rd_lane *k, int avail, int lane)
{
	luma_borders bd = luma_borders_of(&w->l, avail, lane);
	uint32_t keys[I16_MODES], satd;

	keys16(&w->l, q, &bd, avail, keys, lane);
	satd = min(min(keys[0], keys[1]), min(keys[2], keys[3]));
#pragma unroll 1
	for (int n = 0; n < h264i_rd_plane_modes(c->rd); n++) {
		uint32_t first = min(min(keys[0], keys[1]), min(keys[2], keys[3]));
		rd_luma *o = n ? &w->now16 : &w->best16;

		if (first == 0xffffffffu)
			break;
#pragma unroll
		for (int m = 0; m < I16_MODES; m++)
			keys[m] = keys[m] == first ? 0xffffffffu : keys[m];
		rd_code16(w, o, c, q, &bd, (int)(first & 15), k, avail, lane);

		const int better = n && w->now16.cost < w->best16.cost;

		__syncwarp(); /* all lanes have read the costs, one of which the copy writes */
		if (better) {
			const uint4 *from = reinterpret_cast<const uint4 *>(&w->now16);

			for (int i = lane; i < (int)(sizeof(rd_luma) / 16); i += 32)
				reinterpret_cast<uint4 *>(&w->best16)[i] = from[i];
		}
		__syncwarp();
	}
	if (lane == 0 && !c->rd)
		w->best16.cost = satd >> 4;
	__syncwarp();
}

#endif
