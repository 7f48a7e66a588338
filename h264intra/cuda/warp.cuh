/* Warp-level functions of the macroblock encoder: byte dot products, half-warp reductions, the 4x4
 * SATD and the transforms with one coefficient or sample per lane.
 *
 * Why dot products: with 8 bits a row of four samples is one 32-bit word, and a row of a 4x4
 * transform is four small constants, so one dp4a transforms a row; the source enters as the
 * accumulator of the negated prediction, and no residual is ever unpacked. */
#ifndef H264INTRA_CUDA_WARP_CUH
#define H264INTRA_CUDA_WARP_CUH

#include "h264intra/cuda/half.cuh"
#include "h264intra/cuda/samples.cuh"
#include "h264intra/transform/dct.h"
#include "h264intra/transform/quant.h"

/* Four signed bytes, first pixel in the low byte. */
#define S8X4(a, b, c, d)                                                                        \
	((int32_t)((uint32_t)((a)&255) | (uint32_t)((b)&255) << 8 | (uint32_t)((c)&255) << 16 | \
		   (uint32_t)((d)&255) << 24))

/* Minima of both halves, in all lanes. */
GPU_FN uint2 half_minima(uint32_t v, int lane)
{
	return make_uint2(__reduce_min_sync(0xffffffffu, lane & 16 ? 0xffffffffu : v),
		__reduce_min_sync(0xffffffffu, lane & 16 ? v : 0xffffffffu));
}

/* Keeps a value in a register: the compiler may not fetch it again inside a loop. */
GPU_FN int pinned(int v)
{
	asm volatile("" : "+r"(v));
	return v;
}

/* Horizontal Hadamard transform of the four source rows: h[4 * row + k]. */
GPU_FN void hadamard_rows(const px4 row[4], int h[16])
{
#pragma unroll
	for (int i = 0; i < 4; i++) {
		h[4 * i + 0] = px4_dot(row[i], S8X4(1, 1, 1, 1), 0);
		h[4 * i + 1] = px4_dot(row[i], S8X4(1, 1, -1, -1), 0);
		h[4 * i + 2] = px4_dot(row[i], S8X4(1, -1, -1, 1), 0);
		h[4 * i + 3] = px4_dot(row[i], S8X4(1, -1, 1, -1), 0);
	}
}

/* Half the sum of absolute Hadamard coefficients of source - prediction. The last butterfly is
 * replaced by |a + b| + |a - b| = 2 max(|a|, |b|). */
GPU_FN uint32_t satd4x4(const int hsrc[16], const px4 pred[4])
{
	const int32_t neg[4] = { S8X4(-1, -1, -1, -1), S8X4(-1, -1, 1, 1), S8X4(-1, 1, 1, -1),
		S8X4(-1, 1, -1, 1) };
	int sum = 0;

#pragma unroll
	for (int k = 0; k < 4; k++) {
		int t0 = px4_dot(pred[0], neg[k], hsrc[k]);
		int t1 = px4_dot(pred[1], neg[k], hsrc[4 + k]);
		int t2 = px4_dot(pred[2], neg[k], hsrc[8 + k]);
		int t3 = px4_dot(pred[3], neg[k], hsrc[12 + k]);

		sum += max(abs(t0 + t1), abs(t2 + t3));
		sum += max(abs(t0 - t1), abs(t2 - t3));
	}
	return (uint32_t)sum;
}

/* Constants of a lane that processes coefficient or sample (i, j), number 4 * i + j, of a block. */
typedef struct lane_consts {
	int32_t row, neg;   /* row j of the core transform as four bytes, and negated */
	int32_t col[4];     /* row i of the core transform */
	int32_t hs, h1, h3; /* one-dimensional inverse along the row, output j: see inverse_1d */
	int32_t vs, v1, v3; /* along the column, output i */
	int32_t zig;        /* zigzag index of this coefficient */
	int32_t pos;        /* position class for the quantiser */
} lane_consts;

GPU_FN lane_consts lane_consts_of(int hl)
{
	int i = hl >> 2, j = hl & 3;
	lane_consts k;

	k.row = j == 0   ? S8X4(1, 1, 1, 1)
		: j == 1 ? S8X4(2, 1, -1, -2)
		: j == 2 ? S8X4(1, -1, -1, 1)
			 : S8X4(1, -2, 2, -1);
	k.neg = j == 0   ? S8X4(-1, -1, -1, -1)
		: j == 1 ? S8X4(-2, -1, 1, 2)
		: j == 2 ? S8X4(-1, 1, 1, -1)
			 : S8X4(-1, 2, -2, 1);
	k.col[0] = i == 1 ? 2 : 1;
	k.col[1] = i == 0 || i == 1 ? 1 : i == 2 ? -1 : -2;
	k.col[2] = i == 0 ? 1 : i == 3 ? 2 : -1;
	k.col[3] = i == 0 || i == 2 ? 1 : i == 1 ? -2 : -1;
	k.hs = j == 1 || j == 2;
	k.h1 = j < 2 ? 1 : -1;
	k.h3 = j & 1 ? -1 : 1;
	k.vs = i == 1 || i == 2;
	k.v1 = i < 2 ? 1 : -1;
	k.v3 = i & 1 ? -1 : 1;
	k.zig = h264i_zigzag_of(hl);
	k.pos = 4 * i + j;
	return k;
}

/* Coefficient (i, j) of the block source - prediction; src: rows of the source times k->row. */
GPU_FN int forward_coef(const int src[4], const px4 pred[4], const lane_consts *k)
{
	int c = 0;

#pragma unroll
	for (int r = 0; r < 4; r++)
		c += k->col[r] * px4_dot(pred[r], k->neg, src[r]);
	return c;
}

/* One output of the inverse: w0 +- w2 +- (w1 >> s) +- (w3 >> (1 - s)); s is 1 for outputs 1 and
 * 2. */
GPU_FN int inverse_1d(int w0, int w1, int w2, int w3, int s, int k1, int k3)
{
	return w0 + (s ? -w2 : w2) + k1 * (w1 >> s) + k3 * (w3 >> (s ^ 1));
}

/* The block whose scaled coefficients are w[16], at (i, j), before rounding; *peak: see
 * h264i_idct4x4. */
GPU_FN int inverse_sum(const int32_t *w, const lane_consts *k, int32_t *peak)
{
	int v[4], sum;

#pragma unroll
	for (int r = 0; r < 4; r++) {
		int4 q = reinterpret_cast<const int4 *>(w)[r];

		v[r] = inverse_1d(q.x, q.y, q.z, q.w, k->hs, k->h1, k->h3);
		*peak = h264i_peak(*peak, v[r]);
	}
	sum = inverse_1d(v[0], v[1], v[2], v[3], k->vs, k->v1, k->v3);
	*peak = h264i_peak(*peak, sum);
	return sum;
}

GPU_FN int inverse_sample(const int32_t *w, const lane_consts *k, int32_t *peak)
{
	return (inverse_sum(w, k, peak) + 32) >> 6;
}

#endif
