/* Transform and quantisation at the suite's depth: levels against real arithmetic, the decoded
 * samples against clauses 8.5.10 to 8.5.13, written out. */
#include "tests/h264intra/depth_common.h"

#include <math.h>

#include "h264intra/transform/dct8x8.h"
#include "h264intra/transform/quant8x8.h"

enum { ROUNDS = 3000 };

/* normAdjust4x4 and normAdjust8x8 (clause 8.5.9). */
int depth_norm4(int m, int i, int j)
{
	static const int v[6][3] = { { 10, 16, 13 }, { 11, 18, 14 }, { 13, 20, 16 }, { 14, 23, 18 },
		{ 16, 25, 20 }, { 18, 29, 23 } };

	return v[m][i % 2 == 0 && j % 2 == 0 ? 0 : i % 2 && j % 2 ? 1 : 2];
}

int depth_norm8(int m, int i, int j)
{
	static const int v[6][6] = { { 20, 18, 32, 19, 25, 24 }, { 22, 19, 35, 21, 28, 26 },
		{ 26, 23, 42, 24, 33, 31 }, { 28, 25, 45, 26, 35, 33 }, { 32, 28, 51, 30, 40, 38 },
		{ 36, 32, 58, 34, 46, 43 } };
	int class = 5;

	if (i % 4 == 0 && j % 4 == 0)
		class = 0;
	else if (i % 2 && j % 2)
		class = 1;
	else if (i % 4 == 2 && j % 4 == 2)
		class = 2;
	else if ((i % 4 == 0 && j % 2) || (i % 2 && j % 4 == 0))
		class = 3;
	else if (i % 2 == 0 && j % 2 == 0)
		class = 4;
	return v[m][class];
}

/* Row k of the inverse transforms without rounding: what coefficient k adds to sample x. */
static double basis(int n, int k, int x)
{
	static const double four[4][4] = { { 1, 1, 1, 1 }, { 1, .5, -.5, -1 }, { 1, -1, -1, 1 },
		{ .5, -1, 1, -.5 } };
	static const double eight[8][8] = { { 1, 1, 1, 1, 1, 1, 1, 1 },
		{ 1.5, 1.25, .75, .375, -.375, -.75, -1.25, -1.5 },
		{ 1, .5, -.5, -1, -1, -.5, .5, 1 },
		{ 1.25, -.375, -1.5, -.75, .75, 1.5, .375, -1.25 }, { 1, -1, -1, 1, 1, -1, -1, 1 },
		{ .75, -1.5, .375, 1.25, -1.25, -.375, 1.5, -.75 },
		{ .5, -1, 1, -.5, -.5, 1, -1, .5 },
		{ .375, -.75, 1.25, -1.5, 1.5, -1.25, .75, -.375 } };

	return n == 4 ? four[k][x] : eight[k][x];
}

/* The real level of coefficient (i, j) of the n x n residual r, row by row. */
static double real_level(const int *r, int n, int qp, int i, int j)
{
	double sum = 0, square = 0;
	double step = n == 4 ? ldexp(depth_norm4(qp % 6, i, j), qp / 6) / 64
			     : ldexp(depth_norm8(qp % 6, i, j), qp / 6) / 256;

	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++) {
			double b = basis(n, i, y) * basis(n, j, x);

			sum += r[n * y + x] * b;
			square += b * b;
		}
	return sum / square / step;
}

/* 1: `level` is not `real`, rounded with the dead zone of 5/8, where multipliers are whole. */
static int level_wrong(int level, double real)
{
	double a = fabs(real), error = 1e-3 * a + 1e-2;

	if (level && (level < 0) != (real < 0))
		return 1;
	return abs(level) > a + .375 + error || abs(level) < a - .625 - error;
}

/* (8-338) to (8-353): one pass of the 4x4 transform. */
static void pass4(int *d, int s)
{
	int e0 = d[0] + d[2 * s], e1 = d[0] - d[2 * s];
	int e2 = (d[s] >> 1) - d[3 * s], e3 = d[s] + (d[3 * s] >> 1);

	d[0] = e0 + e3;
	d[s] = e1 + e2;
	d[2 * s] = e1 - e2;
	d[3 * s] = e0 - e3;
}

/* Clause 8.5.13.2: one pass of the 8x8 transform, with the names of the standard. */
static void pass8(int *in, int s)
{
	int e[8], f[8];

	e[0] = in[0] + in[4 * s];
	e[1] = -in[3 * s] + in[5 * s] - in[7 * s] - (in[7 * s] >> 1);
	e[2] = in[0] - in[4 * s];
	e[3] = in[s] + in[7 * s] - in[3 * s] - (in[3 * s] >> 1);
	e[4] = (in[2 * s] >> 1) - in[6 * s];
	e[5] = -in[s] + in[7 * s] + in[5 * s] + (in[5 * s] >> 1);
	e[6] = in[2 * s] + (in[6 * s] >> 1);
	e[7] = in[3 * s] + in[5 * s] + in[s] + (in[s] >> 1);
	f[0] = e[0] + e[6];
	f[1] = e[1] + (e[7] >> 2);
	f[2] = e[2] + e[4];
	f[3] = e[3] + (e[5] >> 2);
	f[4] = e[2] - e[4];
	f[5] = (e[3] >> 2) - e[5];
	f[6] = e[0] - e[6];
	f[7] = e[7] - (e[1] >> 2);
	for (int k = 0; k < 4; k++) {
		in[k * s] = f[2 * k] + f[7 - 2 * k];
		in[(7 - k) * s] = f[2 * k] - f[7 - 2 * k];
	}
}

/* A value with its rounding shift: the two cases of (8-336), (8-337), (8-356), (8-357). */
int depth_scaled(int level, int scale, int shift, int most)
{
	return shift >= most ? level * scale * (1 << (shift - most))
			     : (level * scale + (1 << (most - 1 - shift))) >> (most - shift);
}

/* Decodes scaled coefficients in place; returns 1 if a value has more than 8 + depth bits. */
int depth_inverse(int *d, int n, const h264i_px *pred, int *out)
{
	int most = 0;

	for (int pass = 0; pass < 3; pass++) {
		for (int i = 0; i < n * n; i++)
			most = abs(d[i]) > most ? abs(d[i]) : most;
		for (int i = 0; pass < 2 && i < n; i++)
			(n == 4 ? pass4 : pass8)(pass ? d + i : d + n * i, pass ? n : 1);
	}
	for (int i = 0; i < n * n; i++)
		out[i] = clip1(pred[i] + ((d[i] + 32) >> 6));
	return most >= 1 << (7 + DEPTH);
}

/* A source, its prediction and their difference. */
static void residual(h264i_px *src, h264i_px *pred, int *r, int n)
{
	depth_samples(src, n);
	depth_samples(pred, n);
	if (rng_below(4) == 0)
		for (int i = 0; i < n; i++) {
			src[i] = src[i] > MOST / 2 ? MOST : 0;
			pred[i] = (h264i_px)(MOST - src[i]);
		}
	for (int i = 0; i < n; i++)
		r[i] = src[i] - pred[i];
}

void depth_code4(void)
{
	static const uint8_t zigzag[16] = H264I_ZIGZAG_INIT;
	int levels_wrong = 0, wrong = 0, missed = 0;

	for (int round = 0; round < ROUNDS; round++) {
		int qp = round % QPS, r[16], d[16], want[16], exceeds = 0, beyond;
		h264i_px src[16], pred[16], rec[16];
		int16_t level[16];
		h264i_qparams q;

		h264i_i_qparams_init(&q, qp, 0);
		residual(src, pred, r, 16);
		h264i_i_dsp_scalar.code4(src, pred, &q.luma, level, rec, &exceeds);
		for (int k = 0; k < 16; k++) {
			int at = zigzag[k], scale = 16 * depth_norm4(qp % 6, at / 4, at % 4);

			levels_wrong += level_wrong(level[k], real_level(r, 4, qp, at / 4, at % 4));
			d[at] = depth_scaled(level[k], scale, qp / 6, 4);
		}
		beyond = depth_inverse(d, 4, pred, want);
		missed += beyond && !exceeds;
		for (int i = 0; i < 16; i++)
			wrong += rec[i] != want[i];
	}
	CU_ASSERT_EQUAL(levels_wrong, 0);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(missed, 0);
}

void depth_code8(void)
{
	static const uint8_t zigzag[64] = H264I_ZIGZAG8_INIT;
	int levels_wrong = 0, wrong = 0, missed = 0;

	for (int round = 0; round < ROUNDS; round++) {
		int qp = round % QPS, r[64], d[64], want[64], exceeds, beyond;
		h264i_px src[64], pred[64], rec[64];
		int16_t level[64];
		h264i_qparams q;

		h264i_i_qparams_init(&q, qp, 0);
		residual(src, pred, r, 64);
		h264i_i_dsp_scalar.quantise8(src, pred, &q.luma8, level);
		exceeds = h264i_i_dsp_scalar.reconstruct8(level, &q.luma8, pred, rec);
		for (int k = 0; k < 64; k++) {
			int at = zigzag[k], scale = 16 * depth_norm8(qp % 6, at / 8, at % 8);

			levels_wrong += level_wrong(level[k], real_level(r, 8, qp, at / 8, at % 8));
			d[at] = depth_scaled(level[k], scale, qp / 6, 6);
		}
		beyond = depth_inverse(d, 8, pred, want);
		missed += beyond && !exceeds;
		for (int i = 0; i < 64; i++)
			wrong += rec[i] != want[i];
	}
	CU_ASSERT_EQUAL(levels_wrong, 0);
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(missed, 0);
}

/* DCs of Intra16x16 and of chroma: the largest are quantised without overflow, and both are scaled
 * as clauses 8.5.10 and 8.5.11.2 say. */
void depth_dc(void)
{
	int wrong = 0, levels_wrong = 0;

	for (int qp = 0; qp < QPS; qp++) {
		int scale = 16 * depth_norm4(qp % 6, 0, 0), s = qp / 6;
		h264i_qparams q;

		h264i_i_qparams_init(&q, qp, 0);
		for (int round = 0; round < 200; round++) {
			int dc = rng_around(round ? 16 * 8 * MOST : 0), level, f;

			dc = round == 1 ? 16 * 8 * MOST : round == 2 ? -16 * 8 * MOST : dc;
			level = h264i_quantise_dc(dc, &q.luma);
			/* A quarter of the coefficient is the level of 4x4 blocks. */
			levels_wrong +=
				level_wrong(level, dc * 2 / ldexp(depth_norm4(qp % 6, 0, 0), s));
			f = rng_around(1 + (8 * 16 * 4 * MOST >> s) / 10);
			wrong += h264i_dequant_luma_dc(f, &q.luma) != depth_scaled(f, scale, s, 6);
			q.chroma[0] = q.luma;
			wrong += h264i_dequant_chroma_dc(f, &q.chroma[0]) !=
				 f * scale * (1 << s) >> 5;
		}
	}
	CU_ASSERT_EQUAL(wrong, 0);
	CU_ASSERT_EQUAL(levels_wrong, 0);
}

/* The limit of the inverse transform is at 8 + depth bits. */
void depth_peak(void)
{
	const int limit = 1 << (7 + DEPTH);
	int32_t w[16] = { 0 };

	CU_ASSERT_EQUAL(H264I_IDCT_PEAK, limit - 1 - 32);
	w[0] = limit - 33;
	CU_ASSERT_FALSE(h264i_idct4x4(w) > H264I_IDCT_PEAK);
	memset(w, 0, sizeof(w));
	w[0] = limit - 32;
	CU_ASSERT_TRUE(h264i_idct4x4(w) > H264I_IDCT_PEAK);
	CU_ASSERT_EQUAL(h264i_clip_px(MOST + 1), MOST);
	CU_ASSERT_EQUAL(h264i_clip_px(-1), 0);
}
