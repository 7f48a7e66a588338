/* Mode decision and coding of Intra8x8 of one macroblock by one warp: four 8x8 blocks, one after
 * another. The decisions are those of try_intra8x8() in cpu/mb_intra8x8.h.
 *
 * Modes: four lanes per mode predict two rows each and then take two columns each of the horizontal
 * Hadamard transform, by dot products, so that the vertical one needs no other lane. DC, the ninth
 * mode, changes only the first column of the source's transform; all lanes compute it besides. The
 * forward transform has two coefficients per lane; the inverse, whose shifts do not distribute over
 * sums, has a row and then a column on each of eight lanes. */
#ifndef H264INTRA_CUDA_INTRA8X8_CUH
#define H264INTRA_CUDA_INTRA8X8_CUH

#include "h264intra/cuda/mb_local.cuh"
#include "h264intra/decide/cost.h"
#include "h264intra/predict/edge8x8.h"
#include "h264intra/transform/dct8x8.h"
#include "h264intra/transform/quant8x8.h"

/* A row of the forward transform is at most 62 times the largest sample (h264i_fdct8). */
static_assert(62 * H264I_PX_MAX < 1 << 15, "sums of rows have 16 bits");

/* Memory of Intra8x8: of a block, and of the result while Intra4x4 is tried. */
typedef struct mb_8x8 {
	px16 pred[I4_MODES][4]; /* rows of 8 samples */
	int4 coef[16];          /* scaled coefficients, then rows of the inverse */
	uint4 rows[8];          /* [frequency]: eight 16-bit sums of the rows */
	h264i_px edge[E8_EDGE];
	uint4 kept_levels[32]; /* the result */
	px16 kept_rec[16];
	uint8_t kept_mode[4], kept_total[16];
	mb_sums kept_sums[32];
	uint32_t kept_coded; /* bit b: 8x8 block b has levels */
} mb_8x8;

/* What is constant for a lane. */
typedef struct lane8 {
	uint4 places;    /* positions of its 16 samples in the edge (edge8x8.h) */
	int32_t had[2];  /* signs of its two Hadamard columns, for samples 0..3 */
	int32_t flip[2]; /* for samples 4..7: the same, or negated */
	uint2 row;       /* row lane % 8 of the forward transform as bytes */
	uint2 col[2];    /* rows lane / 8 and lane / 8 + 4 */
	int mode;        /* of its group of four lanes */
	int zig[2];      /* their zigzag indices */
	/* Not a kernel parameter: lanes read different places of it, which takes as many accesses
	 * to constants, and one to memory. */
	const h264i_quant8 *q;
} lane8;

GPU_FN int32_t negated(int32_t bytes)
{
	return (int32_t)__vneg4((unsigned)bytes);
}

GPU_FN lane8 lane8_of(const gpu_tables *t, int qp, int lane)
{
	int group = lane >> 2, part = lane & 3, k = lane & 7, v = lane >> 3;
	lane8 r;

	r.mode = group < I4_DC ? group : group + 1;
	r.places = t->places8[r.mode][part];
	for (int c = 0; c < 2; c++) {
		int column = 2 * part + c;

		r.had[c] = S8X4(1, 1, 1, 1);
		if (column & 1)
			r.had[c] = column & 2 ? S8X4(1, -1, -1, 1) : S8X4(1, -1, 1, -1);
		else if (column & 2)
			r.had[c] = S8X4(1, 1, -1, -1);
		r.flip[c] = column & 4 ? negated(r.had[c]) : r.had[c];
		r.col[c] = t->forward8[v + 4 * c];
		r.zig[c] = h264i_zigzag8_of(8 * (v + 4 * c) + k);
	}
	r.row = t->forward8[k];
	r.q = &t->by_qp[qp].luma8;
	return r;
}

/* Writes the edge of the block at `origin` and the prediction by DC. Returns the DC value. */
GPU_FN int make_edge8(mb_8x8 *e, const h264i_px *origin, int avail, int lane)
{
	int x = lane - E8_A, i = lane < E8_SAMPLES ? lane : E8_SAMPLES - 1, from, p, lo, hi, left,
	    up;

	if (!(avail & H264I_UPRIGHT) && x > 7)
		x = 7;
	from = i < E8_M ? (7 - i) * REC_PITCH - 1 : i == E8_M ? -REC_PITCH - 1 : x - REC_PITCH;
	if (lane >= E8_SAMPLES)
		from = -REC_PITCH;
	p = origin[from];
	lo = __shfl_up_sync(0xffffffffu, p, 1);
	hi = __shfl_down_sync(0xffffffffu, p, 1);
	lo = h264i_e8_has(i - 1, avail) ? lo : p;
	hi = h264i_e8_has(i + 1, avail) ? hi : p;
	p = (lo + 2 * p + hi + 2) >> 2;
	lo = __shfl_up_sync(0xffffffffu, p, 1);
	hi = __shfl_down_sync(0xffffffffu, p, 1);
	lo = i ? lo : p;
	hi = i < E8_SAMPLES - 1 ? hi : p;
	if (lane < E8_SAMPLES) {
		e->edge[E8_P + i] = (h264i_px)p;
		e->edge[E8_F3 + i] = (h264i_px)((lo + 2 * p + hi + 2) >> 2);
		if (i < E8_SAMPLES - 1)
			e->edge[E8_F2 + i] = (h264i_px)((p + hi + 1) >> 1);
	}
	left = (int)__reduce_add_sync(0xffffffffu, lane < E8_M ? (unsigned)p : 0);
	up = (int)__reduce_add_sync(0xffffffffu, lane >= E8_A && lane < E8_A + 8 ? (unsigned)p : 0);
	return h264i_e8_dc(avail, left, up);
}

GPU_FN px4 gather4(const h264i_px *s, uint32_t places)
{
	uint32_t a = s[places & 255], b = s[places >> 8 & 255];
	uint32_t c = s[places >> 16 & 255], d = s[places >> 24];

	return px4_of(a, b, c, d);
}

/* Predicts in all modes: two rows of its mode per lane. */
GPU_FN void predict8(mb_8x8 *e, const lane8 *k, int dc, int lane)
{
	const px4 flat = px4_all(dc);
	px4 v[4];

	__syncwarp();
	v[0] = gather4(e->edge, k->places.x);
	v[1] = gather4(e->edge, k->places.y);
	v[2] = gather4(e->edge, k->places.z);
	v[3] = gather4(e->edge, k->places.w);
	e->pred[k->mode][lane & 3] = px16_of(v[0], v[1], v[2], v[3]);
	if (lane < 4)
		e->pred[I4_DC][lane] = px16_of(flat, flat, flat, flat);
	__syncwarp();
}

/* Half the sum of the absolute values of the 8-point Hadamard transform of v. The last butterfly is
 * replaced by |a + b| + |a - b| = 2 max(|a|, |b|). */
GPU_FN uint32_t column_sum(const int v[8])
{
	int a[8], sum = 0;

#pragma unroll
	for (int i = 0; i < 4; i++) {
		a[i] = v[i] + v[i + 4];
		a[i + 4] = v[i] - v[i + 4];
	}
#pragma unroll
	for (int i = 0; i < 8; i += 4) {
		sum += max(abs(a[i] + a[i + 2]), abs(a[i + 1] + a[i + 3]));
		sum += max(abs(a[i] - a[i + 2]), abs(a[i + 1] - a[i + 3]));
	}
	return (uint32_t)sum;
}

/* The keys (cost << 4 | mode) of the block whose source is at `src`: of the lane's mode, 0xffffffff
 * if it is not allowed, and of DC, which is in all lanes. */
GPU_FN uint2 keys8(const mb_8x8 *e, const lane8 *k, const px8 *src, int dc, uint32_t allowed,
	int predicted, int lambda)
{
	int hs[2][8], t[8], first = (threadIdx.x & 3) == 0;
	uint32_t sum = 0, flat = 0, key, key_dc;

#pragma unroll
	for (int y = 0; y < 8; y++) {
		const px8 s = src[2 * y];

#pragma unroll
		for (int c = 0; c < 2; c++)
			hs[c][y] = px4_dot(s.y, k->flip[c], px4_dot(s.x, k->had[c], 0));
	}
#pragma unroll
	for (int c = 0; c < 2; c++) {
		const int32_t low = negated(k->had[c]), high = negated(k->flip[c]);

#pragma unroll
		for (int y = 0; y < 8; y++) {
			const px8 p = reinterpret_cast<const px8 *>(e->pred[k->mode])[y];

			t[y] = px4_dot(p.y, high, px4_dot(p.x, low, hs[c][y]));
		}
		sum += column_sum(t);
#pragma unroll
		for (int y = 0; y < 8; y++)
			t[y] = hs[c][y] - (first && c == 0 ? 8 * dc : 0);
		flat += column_sum(t);
	}
#pragma unroll
	for (int d = 1; d < 4; d <<= 1) {
		sum += __shfl_xor_sync(0xffffffffu, sum, d);
		flat += __shfl_xor_sync(0xffffffffu, flat, d);
	}
	key = h264i_cost(h264i_satd8_scale(2 * sum), lambda, h264i_i4_mode_bits(k->mode, predicted))
		      << 4 |
	      (uint32_t)k->mode;
	key_dc = h264i_cost(
			 h264i_satd8_scale(2 * flat), lambda, h264i_i4_mode_bits(I4_DC, predicted))
			 << 4 |
		 I4_DC;
	return make_uint2(allowed >> k->mode & 1 ? key : 0xffffffffu, key_dc);
}

/* The lowest of them, in all lanes. */
GPU_FN uint32_t choose8(const mb_8x8 *e, const lane8 *k, const px8 *src, int dc, uint32_t allowed,
	int predicted, int lambda)
{
	uint2 keys = keys8(e, k, src, dc, allowed, predicted, lambda);

	return __reduce_min_sync(0xffffffffu, min(keys.x, keys.y));
}

/* A row of the forward transform of 8 samples. */
GPU_FN int forward_row(px8 s, px8 p, uint2 m)
{
	int sum = px4_dot(s.y, (int32_t)m.y, px4_dot(s.x, (int32_t)m.x, 0));

	return sum - px4_dot(p.y, (int32_t)m.y, px4_dot(p.x, (int32_t)m.x, 0));
}

GPU_FN int forward_column(uint4 rows, uint2 m)
{
	int sum = __dp2a_lo((int)rows.x, (int)m.x, 0);

	sum = __dp2a_hi((int)rows.y, (int)m.x, sum);
	sum = __dp2a_lo((int)rows.z, (int)m.y, sum);
	return __dp2a_hi((int)rows.w, (int)m.y, sum);
}

/* Transforms and quantises the block. Stores levels and totals; the scaled coefficients are in
 * e->coef. Returns whether there are levels; the same in all lanes. */
GPU_FN int quantise8(mb_local *l, mb_8x8 *e, const lane8 *k, const px8 *src, const px8 *pred, int b,
	mb_sums *sums, int lane)
{
	const int v = lane >> 3;
	uint32_t any = 0, blocks = 0;
	int level[2];
	uint4 rows;

#pragma unroll
	for (int i = 0; i < 2; i++)
		reinterpret_cast<int16_t *>(&e->rows[lane & 7])[v + 4 * i] =
			(int16_t)forward_row(src[2 * (v + 4 * i)], pred[v + 4 * i], k->row);
	__syncwarp();
	rows = e->rows[lane & 7];
#pragma unroll
	for (int i = 0; i < 2; i++) {
		level[i] = h264i_quantise8(forward_column(rows, k->col[i]), 32 * i + lane, k->q);
		l->levels.luma[4 * b + (k->zig[i] & 3)][k->zig[i] >> 2] = (int16_t)level[i];
		reinterpret_cast<int32_t *>(e->coef)[32 * i + lane] =
			h264i_dequant8(level[i], k->q->step[32 * i + lane]);
		sums_add(sums, level[i]);
	}
#pragma unroll
	for (int part = 0; part < 4; part++) {
		uint32_t n = 0;

#pragma unroll
		for (int i = 0; i < 2; i++)
			n += (uint32_t)__popc(__ballot_sync(
				0xffffffffu, level[i] != 0 && (k->zig[i] & 3) == part));
		if (lane == part)
			l->mb.total[4 * b + part] = (uint8_t)n;
		any |= n;
		blocks += n != 0;
	}
	sums->coded_blocks += lane < 16 ? blocks : 0;
	return any != 0;
}

/* Adds the decoded residual to the prediction. */
GPU_FN void reconstruct8(
	mb_8x8 *e, h264i_px *origin, const px8 *pred, int coded, mb_sums *sums, int lane)
{
	const h264i_px *p = reinterpret_cast<const h264i_px *>(pred);
	int32_t w[8];

	if (!coded) {
		if (lane < 16)
			*px4_in(origin + (lane >> 1) * REC_PITCH + 4 * (lane & 1)) =
				reinterpret_cast<const px4 *>(pred)[lane];
		__syncwarp();
		return;
	}
	__syncwarp();
	if (lane < 8) {
		int4 a = e->coef[2 * lane], b = e->coef[2 * lane + 1];

		w[0] = a.x, w[1] = a.y, w[2] = a.z, w[3] = a.w;
		w[4] = b.x, w[5] = b.y, w[6] = b.z, w[7] = b.w;
		sums->peak = h264i_idct8(w, 1, h264i_peak_of(w, 8, sums->peak));
		e->coef[2 * lane] = make_int4(w[0], w[1], w[2], w[3]);
		e->coef[2 * lane + 1] = make_int4(w[4], w[5], w[6], w[7]);
	}
	__syncwarp();
	if (lane < 8) {
#pragma unroll
		for (int y = 0; y < 8; y++)
			w[y] = reinterpret_cast<const int32_t *>(e->coef)[8 * y + lane];
		sums->peak = h264i_idct8(w, 1, sums->peak);
#pragma unroll
		for (int y = 0; y < 8; y++)
			origin[y * REC_PITCH + lane] =
				h264i_clip_px(p[8 * y + lane] + ((w[y] + 32) >> 6));
	}
	__syncwarp();
}

/* Codes the macroblock as Intra8x8. Returns the cost, or 0xffffffff when it reaches that of
 * Intra16x16 in l->key16; levels and reconstruction are then incomplete. The helper of a pair may
 * write l->key16 at any time, as in try_intra4x4(). */
GPU_FN uint32_t try_intra8x8(mb_local *l, mb_8x8 *e, const h264i_qparams *q, const gpu_tables *t,
	int mb_avail, mb_sums *sums, int lane)
{
	const lane8 k = lane8_of(t, q->qp, lane);
	uint32_t cost = h264i_cost(0, q->lambda, H264I_I8_BASE_BITS), coded = 0;

#pragma unroll 1
	for (int b = 0; b < 4; b++) {
		int x = b & 1, y = b >> 1, avail = h264i_i8_avail(b, mb_avail), has, dc, mode;
		h264i_px *origin = rec_y(l, 8 * x, 8 * y);
		uint8_t *place = &l->modes[1 + 2 * y][1 + 2 * x];
		const px8 *src = reinterpret_cast<const px8 *>(&l->src_y[8 * y]) + x, *pred;
		uint32_t limit = *reinterpret_cast<volatile uint32_t *>(&l->key16);
		uint32_t allowed = h264i_i4_allowed(avail) & h264i_i4_mask(q->disable), best;
		int left = place[-1], up = place[-8];
		int predicted = predicted_mode(left, up);

		dc = make_edge8(e, origin, avail, lane);
		predict8(e, &k, dc, lane);
		best = choose8(e, &k, src, dc, allowed, predicted, q->lambda);
		mode = (int)(best & 15);
		cost += best >> 4;
		if (__any_sync(0xffffffffu, cost >= limit >> 4))
			return 0xffffffffu;
		if (lane < 4)
			place[(lane & 1) + 8 * (lane >> 1)] = (uint8_t)mode;
		pred = reinterpret_cast<const px8 *>(e->pred[mode]);
		has = quantise8(l, e, &k, src, pred, b, sums, lane);
		coded |= (uint32_t)has << b;
		reconstruct8(e, origin, pred, has, sums, lane);
	}
	if (lane < 4)
		e->kept_mode[lane] = l->modes[1 + 2 * (lane >> 1)][1 + 2 * (lane & 1)];
	if (lane == 0)
		e->kept_coded = coded;
	__syncwarp();
	return cost;
}

/* Keeps the result of try_intra8x8() while Intra4x4 is tried. */
GPU_FN void keep_intra8x8(mb_local *l, mb_8x8 *e, const mb_sums *sums, int lane)
{
	e->kept_levels[lane] = reinterpret_cast<const uint4 *>(&l->levels)[lane];
	if (lane < 16) {
		e->kept_rec[lane] = *reinterpret_cast<const px16 *>(rec_y(l, 0, lane));
		e->kept_total[lane] = l->mb.total[lane];
	}
	e->kept_sums[lane] = *sums;
	__syncwarp();
}

/* Makes it the result of the macroblock. */
GPU_FN void restore_intra8x8(mb_local *l, const mb_8x8 *e, mb_sums *sums, int lane)
{
	__syncwarp();
	reinterpret_cast<uint4 *>(&l->levels)[lane] = e->kept_levels[lane];
	if (lane < 16) {
		*reinterpret_cast<px16 *>(rec_y(l, 0, lane)) = e->kept_rec[lane];
		l->mb.total[lane] = e->kept_total[lane];
		l->mb.i4_mode[lane] = e->kept_mode[lane >> 2];
		l->levels.luma_dc[lane] = 0;
	}
	if (lane == 0) {
		l->mb.type = H264I_MB_I4X4;
		l->mb.flags = H264I_MB_T8X8;
		l->mb.i16_mode = 0;
		l->mb.cbp = (uint8_t)e->kept_coded;
	}
	*sums = e->kept_sums[lane];
	__syncwarp();
}

#endif
