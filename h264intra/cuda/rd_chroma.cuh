/* Chroma by rate and distortion, by one warp, a half per plane. The decisions are those of
 * rd_chroma() in cpu/mb_rd_planes.h. */
#ifndef H264INTRA_CUDA_RD_CHROMA_CUH
#define H264INTRA_CUDA_RD_CHROMA_CUH

#include "h264intra/cuda/chroma.cuh"
#include "h264intra/cuda/rd_local.cuh"

/* Chroma in one mode; the lane's part of its plane. */
typedef struct rd_planes {
	uint32_t cost;
	int mode, pattern; /* pattern: 0, 1 DC, 2 DC and AC */
	uint32_t count;    /* of AC levels: 8 bits for each block */
	int dc;            /* level of DC hl, hl < 4 */
	int any_dc;        /* of the plane */
	int32_t peak[3];   /* inside the inverse transform, by pattern */
	rd_chroma_blocks *blocks;
} rd_planes;

/* nC of AC block n of the plane whose first block is `plane`; count: of its blocks before, as in
 * rd_planes. */
GPU_FN int rd_nc_chroma(const h264i_mb *left, const h264i_mb *up, int plane, int n, uint32_t count)
{
	int a = n & 1  ? (int)(count >> 8 * (n ^ 1) & 255)
		: left ? left->total[16 + plane + (n ^ 1)]
		       : 0;
	int b = n & 2 ? (int)(count >> 8 * (n ^ 2) & 255)
		: up  ? up->total[16 + plane + (n ^ 2)]
		      : 0;

	return h264i_cavlc_nc((n & 1) || left, a, (n & 2) || up, b);
}

/* Chooses the levels of the four AC blocks of the half's plane. *dcs: the DC of block n in lane n.
 * Returns the rate of their bins. */
GPU_FN uint32_t rd_levels_ac(rd_local *w, const h264i_quant *q, const h264i_rates *r,
	const rd_lane *k, int avail, rd_planes *o, int *dcs, int lane)
{
	const int hl = lane & 15, half = lane >> 4;
	const rd_kind kind = rd_kind_of(r, k, H264I_CAT_CHROMA_AC, r->quant_chroma[half], lane);
	const h264i_mb *left = avail & H264I_LEFT ? &w->l.left : NULL;
	const h264i_mb *up = avail & H264I_UP ? &w->l.up : NULL;
	const int mul = q->mul[k->k.pos], qbits = q->qbits;
	uint32_t rate = 0, coded = 0;

	*dcs = 0;
	o->count = 0;
#pragma unroll 1
	for (int n = 0; n < H264I_CHROMA_BLOCKS; n++) {
		int before =
			n & 1 ? coded >> (n ^ 1) & 1 : h264i_coded_chroma(left, 4 * half + (n ^ 1));
		int above =
			n & 2 ? coded >> (n ^ 2) & 1 : h264i_coded_chroma(up, 4 * half + (n ^ 2));
		uint32_t context =
			k->cavlc ? (uint32_t)rd_nc_chroma(left, up, 4 * half, n, o->count)
				 : rd_flags(r->bin[H264I_CTX_CODED_BLOCK + 4 * H264I_CAT_CHROMA_AC +
						   before + 2 * above]);
		int bx = n & 1, by = n >> 1, rows[4], c, dc;
		uint32_t real;
		px4 pred[4];
		rd_levels v;

#pragma unroll
		for (int i = 0; i < 4; i++) {
			pred[i] = px4_at(rec_c(&w->l, half, 4 * bx, 4 * by + i));
			rows[i] = px4_dot(
				reinterpret_cast<const px4 *>(&w->l.src_c[half][4 * by + i])[bx],
				k->k.row, 0);
		}
		c = forward_coef(rows, pred, &k->k);
		dc = __shfl_sync(0xffffffffu, c, 0, 16);
		*dcs = hl == n ? dc : *dcs;
		real = hl ? h264i_real_level((uint32_t)abs(c), mul, qbits) : 0;
		v = half_levels(&kind, real, hl > 0, context, lane);
		o->blocks->level[n][half][hl] = (int16_t)(c < 0 ? -v.level : v.level);
		o->count |= (uint32_t)v.count << 8 * n;
		coded |= (uint32_t)(v.count != 0) << n;
		rate += v.rate;
	}
	return rate;
}

/* Transforms the DCs and chooses their levels; *dcs: the decoded DCs. Returns the rate. */
GPU_FN uint32_t rd_levels_dc(rd_local *w, const h264i_quant *q, const h264i_rates *r,
	const rd_lane *k, int avail, rd_planes *o, int *dcs, int lane)
{
	const int hl = lane & 15, mask = H264I_MB_DC_CB << (lane >> 4);
	const rd_kind kind =
		rd_kind_of(r, k, H264I_CAT_CHROMA_DC, r->quant_chroma[lane >> 4], lane);
	int inc = h264i_coded_dc(avail & H264I_LEFT ? &w->l.left : NULL, mask) +
		  2 * h264i_coded_dc(avail & H264I_UP ? &w->l.up : NULL, mask);
	uint32_t context =
		k->cavlc ? (uint32_t)-1
			 : rd_flags(r->bin[H264I_CTX_CODED_BLOCK + 4 * H264I_CAT_CHROMA_DC + inc]);
	int c = hadamard_lanes(*dcs, 4, lane);
	rd_levels v;

	v = half_levels(&kind,
		hl < 4 ? h264i_real_level((uint32_t)abs(c), q->mul[0], q->qbits + 1) : 0, hl < 4,
		context, lane);
	o->dc = c < 0 ? -v.level : v.level;
	o->any_dc = v.count != 0;
	*dcs = h264i_dequant_chroma_dc(hadamard_lanes(o->dc, 4, lane), q);
	return v.rate;
}

/* Decodes with every pattern. error[]: the squared errors of both planes. */
GPU_FN void rd_decode_chroma(rd_local *w, const rd_lane *k, int scale, int dcs, rd_planes *o,
	uint32_t error[3], int lane)
{
	const int hl = lane & 15, half = lane >> 4, x = hl & 3, y = hl >> 2;
	int32_t *coef = reinterpret_cast<int32_t *>(w->l.coef_c[half]);

	error[0] = error[1] = error[2] = 0;
	o->peak[0] = o->peak[1] = o->peak[2] = 0;
#pragma unroll 1
	for (int n = 0; n < H264I_CHROMA_BLOCKS; n++) {
		int bx = 4 * (n & 1), by = 4 * (n >> 1), v[3];
		int src = reinterpret_cast<const h264i_px *>(&w->l.src_c[half][by + y])[bx + x];
		int dc = __shfl_sync(0xffffffffu, dcs, n, 16);
		rd_block b;

		v[0] = *rec_c(&w->l, half, bx + x, by + y);
		v[1] = h264i_clip_px(v[0] + ((dc + 32) >> 6));
		b.level = o->blocks->level[n][half][hl];
		b.peak = o->peak[2];
		rd_decode_ac(coef, k, scale, v[0], dc, &b);
		o->peak[1] = h264i_peak(o->peak[1], dc);
		o->peak[2] = b.peak;
		v[2] = b.sample;
		o->blocks->samples[n][lane] = px4_of3(v[0], v[1], v[2]);
#pragma unroll
		for (int p = 0; p < 3; p++)
			error[p] += (uint32_t)((v[p] - src) * (v[p] - src));
	}
#pragma unroll
	for (int p = 0; p < 3; p++)
		error[p] = __reduce_add_sync(0xffffffffu, error[p]);
}

/* Codes both planes from the prediction in rec_c, with the pattern of the lowest cost. */
GPU_FN void rd_code_chroma(rd_local *w, const h264i_wave_ctx *c, const h264i_qparams *q,
	const rd_lane *k, int avail, rd_planes *o, int lane)
{
	const h264i_rates *r = &c->rates[q->qp];
	const h264i_mb *left = avail & H264I_LEFT ? &w->l.left : NULL;
	const h264i_mb *up = avail & H264I_UP ? &w->l.up : NULL;
	const h264i_quant *quant = h264i_chroma_quant(q, lane >> 4);
	uint32_t rate[3], error[3];
	int any[3] = { 1, 0, 0 }, dcs;

	rate[0] = 0;
	rate[2] = rd_levels_ac(w, quant, r, k, avail, o, &dcs, lane);
	rate[1] = rd_levels_dc(w, quant, r, k, avail, o, &dcs, lane);
	rate[1] += __shfl_xor_sync(0xffffffffu, rate[1], 16);
	rate[2] += __shfl_xor_sync(0xffffffffu, rate[2], 16) + rate[1];
	any[1] = __any_sync(0xffffffffu, o->any_dc);
	any[2] = __any_sync(0xffffffffu, o->count != 0);
	rd_decode_chroma(w, k, quant->step[k->k.pos], dcs, o, error, lane);
	o->cost = 0xffffffffu;
#pragma unroll
	for (int p = 0; p < 3; p++) {
		uint32_t cost = h264i_rd_cost(r, error[p],
			rate[p] + h264i_rd_chroma_rate(r, k->cavlc, o->mode, p, left, up,
					  rd_syntax(q, k->cavlc)));

		if (any[p] && cost < o->cost) {
			o->cost = cost;
			o->pattern = p;
		}
	}
}

/* Stores the result as do_chroma() does. */
GPU_FN void rd_store_chroma(mb_local *l, const rd_planes *o, int lane)
{
	const int hl = lane & 15, half = lane >> 4;
	uint32_t any = __ballot_sync(0xffffffffu, o->pattern && hl < 4 && o->dc != 0);
	mb_sums sums;

	sums_clear(&sums);
	sums.coded_blocks = half_bits(any, lane) != 0;
#pragma unroll 1
	for (int n = 0; n < H264I_CHROMA_BLOCKS; n++) {
		int level = o->pattern == 2 ? o->blocks->level[n][half][hl] : 0;
		int count = o->pattern == 2 ? (int)(o->count >> 8 * n & 255) : 0;

		l->levels.chroma_ac[half][n][hl] = (int16_t)level;
		sums_add(&sums, level);
		sums.coded_blocks += count != 0;
		if (hl == 0)
			l->chroma.total[4 * half + n] = (uint8_t)count;
		*rec_c(l, half, 4 * (n & 1) + (hl & 3), 4 * (n >> 1) + (hl >> 2)) =
			(h264i_px)px4_get(o->blocks->samples[n][lane], o->pattern);
	}
	if (hl < 4) {
		int level = o->pattern ? o->dc : 0;

		l->levels.chroma_dc[half][hl] = (int16_t)level;
		sums_add(&sums, level);
	}
	sums.peak = o->peak[o->pattern];
	store_chroma(l, o->mode, o->pattern, any, &sums, lane);
	__syncwarp();
}

/* Chooses mode and pattern and codes both planes. */
GPU_FN void rd_chroma(rd_local *w, const h264i_wave_ctx *c, const h264i_qparams *q,
	const rd_lane *k, int avail, int lane)
{
	h264i_plane plane = chroma_plane_of(&w->l, lane >> 2 & 1, lane);
	int dc = chroma_dc_of(&w->l, lane >> 2 & 1, lane & 3, avail);
	uint32_t key = key_of_chroma(&w->l, q, avail, dc, &plane, lane);
	rd_planes best, now;

	best.cost = 0xffffffffu;
	now.blocks = &w->chroma[0];
#pragma unroll 1
	for (int n = 0; n < h264i_rd_plane_modes(c->rd); n++) {
		uint32_t first = __reduce_min_sync(0xffffffffu, key);

		if (first == 0xffffffffu)
			break;
		key = key == first ? 0xffffffffu : key;
		now.mode = (int)(first & 15);
		__syncwarp();
		write_chroma(&w->l, now.mode, dc, &plane, lane);
		rd_code_chroma(w, c, q, k, avail, &now, lane);
		if (now.cost < best.cost) {
			best = now;
			now.blocks = &w->chroma[best.blocks == &w->chroma[0]];
		}
	}
	__syncwarp();
	rd_store_chroma(&w->l, &best, lane);
}

#endif
