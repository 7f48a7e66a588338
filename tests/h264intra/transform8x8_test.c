/* The 8x8 transform, its quantiser and SATD against the equations of the standard. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "h264intra/cpu/satd.h"
#include "h264intra/transform/dct8x8.h"
#include "h264intra/transform/quant8x8.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

/* ---- transforms ---- */

/* r = m * x * transposed m, 8x8 in raster order. */
static void two_sided(int32_t r[64], const int32_t m[8][8], const int32_t x[64])
{
	int32_t half[64];

	for (int i = 0; i < 64; i++) {
		half[i] = 0;
		for (int k = 0; k < 8; k++)
			half[i] += m[i / 8][k] * x[8 * k + i % 8];
	}
	for (int i = 0; i < 64; i++) {
		r[i] = 0;
		for (int k = 0; k < 8; k++)
			r[i] += half[i / 8 * 8 + k] * m[i % 8][k];
	}
}

/* The basis of 8.5.13 with each row scaled to its smallest whole numbers. */
static const int32_t core[8][8] = {
	{ 1, 1, 1, 1, 1, 1, 1, 1 },
	{ 12, 10, 6, 3, -3, -6, -10, -12 },
	{ 2, 1, -1, -2, -2, -1, 1, 2 },
	{ 10, -3, -12, -6, 6, 12, 3, -10 },
	{ 1, -1, -1, 1, 1, -1, -1, 1 },
	{ 6, -12, 3, 10, -10, -3, 12, -6 },
	{ 1, -2, 2, -1, -1, 2, -2, 1 },
	{ 3, -6, 10, -12, 12, -10, 6, -3 },
};

static void test_forward(void)
{
	int bad = 0;

	for (int round = 0; round < 3000; round++) {
		int32_t x[64], want[64], got[64];

		for (int i = 0; i < 64; i++)
			x[i] = round % 2 ? rng_around(255) : (int)rng_below(2) * 510 - 255;
		memcpy(got, x, sizeof(got));
		h264i_fdct8x8(got);
		two_sided(want, core, x);
		bad += memcmp(got, want, sizeof(got)) != 0;
	}
	CU_ASSERT_EQUAL(bad, 0);
}

/* The largest possible coefficient of every position fits, with the multiplier and the rounding
 * offset, into 32 bits, with any weight. */
static void test_extremes(void)
{
	int bad = 0;

	for (int k = 0; k < 64; k++) {
		int32_t d[64];

		for (int i = 0; i < 64; i++)
			d[i] = core[k / 8][i / 8] * core[k % 8][i % 8] > 0 ? 255 : -255;
		h264i_fdct8x8(d);
		for (int i = 0; i < 52 * 20; i++) {
			h264i_weights w;
			h264i_qparams q;
			double exact;

			memset(&w, 4 + i / 52, sizeof(w)); /* 16 and from 4 on */
			h264i_i_qparams_init(&q, i % 52, 0);
			h264i_i_qparams_set(&q, &w, NULL);
			exact = (double)d[k] * q.luma8.mul[k] + q.luma8.bias;
			bad += exact >= 4294967296.0;
			exact = floor(exact / (double)((int64_t)1 << q.luma8.qbits));
			bad += h264i_quantise8(d[k], k, &q.luma8) != (int)exact;
			bad += h264i_quantise8(-d[k], k, &q.luma8) != -(int)exact;
			bad += exact > 32767;
		}
	}
	CU_ASSERT_EQUAL(bad, 0);
}

/* The one-dimensional inverse of clause 8.5.13, equation by equation; every intermediate value
 * counts for the peak. */
static void inverse_1d(int32_t out[8], const int32_t d[8], int32_t *peak)
{
	int32_t e[8], f[8];

	e[0] = d[0] + d[4];
	e[1] = -d[3] + d[5] - d[7] - (d[7] >> 1);
	e[2] = d[0] - d[4];
	e[3] = d[1] + d[7] - d[3] - (d[3] >> 1);
	e[4] = (d[2] >> 1) - d[6];
	e[5] = -d[1] + d[7] + d[5] + (d[5] >> 1);
	e[6] = d[2] + (d[6] >> 1);
	e[7] = d[3] + d[5] + d[1] + (d[1] >> 1);
	f[0] = e[0] + e[6];
	f[1] = e[1] + (e[7] >> 2);
	f[2] = e[2] + e[4];
	f[3] = e[3] + (e[5] >> 2);
	f[4] = e[2] - e[4];
	f[5] = (e[3] >> 2) - e[5];
	f[6] = e[0] - e[6];
	f[7] = e[7] - (e[1] >> 2);
	for (int i = 0; i < 8; i++)
		out[i] = i < 4 ? f[2 * i] + f[7 - 2 * i] : f[14 - 2 * i] - f[2 * i - 7];
	for (int i = 0; i < 8; i++) {
		*peak = abs(d[i]) > *peak ? abs(d[i]) : *peak;
		*peak = abs(e[i]) > *peak ? abs(e[i]) : *peak;
		*peak = abs(f[i]) > *peak ? abs(f[i]) : *peak;
		*peak = abs(out[i]) > *peak ? abs(out[i]) : *peak;
	}
}

static int32_t inverse_by_clause(int32_t r[64], const int32_t d[64])
{
	int32_t rows[64], peak = 0;

	for (int i = 0; i < 8; i++)
		inverse_1d(rows + 8 * i, d + 8 * i, &peak);
	for (int j = 0; j < 8; j++) {
		int32_t in[8], out[8];

		for (int i = 0; i < 8; i++)
			in[i] = rows[8 * i + j];
		inverse_1d(out, in, &peak);
		for (int i = 0; i < 8; i++)
			r[8 * i + j] = (out[i] + 32) >> 6;
	}
	return peak;
}

static void test_inverse(void)
{
	static const int limits[] = { 1, 70, 4000, 32767 };
	int bad = 0, bad_peak = 0;

	for (int round = 0; round < 4000; round++) {
		int32_t d[64], want[64], got[64], peak, want_peak;
		uint32_t sparse = 1 + rng_below(16);

		for (int i = 0; i < 64; i++)
			d[i] = rng_below(sparse) ? 0 : rng_around(limits[round % 4]);
		want_peak = inverse_by_clause(want, d);
		memcpy(got, d, sizeof(got));
		peak = h264i_idct8x8(got);
		bad += memcmp(got, want, sizeof(got)) != 0;
		/* Sums inside are means of outputs up to the rounding of shifts. */
		bad_peak += peak > want_peak || peak < want_peak - 2;
	}
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT_EQUAL(bad_peak, 0);
}

static void test_zigzag(void)
{
	static const uint8_t zigzag[64] = H264I_ZIGZAG8_INIT;
	int k = 0;

	/* Figure 8-8: along the diagonals, upwards on the even ones. */
	for (int d = 0; d < 15; d++)
		for (int i = 0; i <= d; i++) {
			int x = d % 2 ? d - i : i, y = d - x;

			if (x > 7 || y > 7)
				continue;
			CU_ASSERT_EQUAL(zigzag[k], 8 * y + x);
			CU_ASSERT_EQUAL(h264i_zigzag8_of(8 * y + x), k);
			k++;
		}
	CU_ASSERT_EQUAL(k, 64);
}

/* ---- quantiser ---- */

/* Equation 8-318. */
static const int scale[6][6] = { { 20, 18, 32, 19, 25, 24 }, { 22, 19, 35, 21, 28, 26 },
	{ 26, 23, 42, 24, 33, 31 }, { 28, 25, 45, 26, 35, 33 }, { 32, 28, 51, 30, 40, 38 },
	{ 36, 32, 58, 34, 46, 43 } };

static int class_of(int i, int j)
{
	if (i % 4 == 0 && j % 4 == 0)
		return 0;
	if (i % 2 == 1 && j % 2 == 1)
		return 1;
	if (i % 4 == 2 && j % 4 == 2)
		return 2;
	if ((i % 4 == 0 && j % 2 == 1) || (i % 2 == 1 && j % 4 == 0))
		return 3;
	if ((i % 4 == 0 && j % 4 == 2) || (i % 4 == 2 && j % 4 == 0))
		return 4;
	return 5;
}

static int sum_of_squares(int row)
{
	int sum = 0;

	for (int i = 0; i < 8; i++)
		sum += core[row][i] * core[row][i];
	return sum;
}

/* The multiplier is 2^qbits over what one level adds to a coefficient: the inverse of a scaled
 * level w is w / 64 of the basis function of 8.5.13, whose rows are core / scale_of_row. */
static void test_tables(void)
{
	static const int scale_of_row[8] = { 1, 8, 2, 8, 1, 8, 2, 8 };

	for (int qp = 0; qp < 52; qp++) {
		h264i_qparams q;

		h264i_i_qparams_init(&q, qp, 0);
		CU_ASSERT_TRUE(q.luma8.bias > 0);
		CU_ASSERT_TRUE(2 * (int64_t)q.luma8.bias <= (int64_t)1 << q.luma8.qbits);
		for (int k = 0; k < 64; k++) {
			int i = k / 8, j = k % 8, cls = h264i_pos_class8(i, j);
			double step = scale[qp % 6][class_of(i, j)] * (1 << qp / 6) / 4.0 / 64;
			double mf;

			step *= (double)sum_of_squares(i) * sum_of_squares(j) / scale_of_row[i] /
				scale_of_row[j];
			mf = pow(2, q.luma8.qbits) / step;
			CU_ASSERT_EQUAL(cls, class_of(i, j));
			CU_ASSERT_EQUAL(q.luma8.v[cls], scale[qp % 6][cls] << qp / 6);
			CU_ASSERT_TRUE(fabs(q.luma8.mf[cls] - mf) <= 0.5001);
			CU_ASSERT_EQUAL(q.luma8.mul[k], q.luma8.mf[cls]);
			CU_ASSERT_EQUAL(q.luma8.step[k], 16 * q.luma8.v[cls]);
		}
	}
}

static int scale_by_clause(int c, int qp, int weight, int cls)
{
	int ls = weight * scale[qp % 6][cls];

	return qp >= 36 ? c * ls * (1 << (qp / 6 - 6))
			: (c * ls + (1 << (5 - qp / 6))) >> (6 - qp / 6);
}

static void test_scaling(void)
{
	for (int qp = 0; qp < 52; qp++) {
		h264i_qparams q;
		h264i_weights w;
		int limit = 4000 >> (qp / 6), bad = 0;

		for (int k = 0; k < 64; k++)
			w.luma8[k] = (uint8_t)(qp % 2 ? 16 : 4 + rng_below(252));
		memset(w.luma4, 16, sizeof(w.luma4));
		memset(w.chroma4, 16, sizeof(w.chroma4));
		h264i_i_qparams_init(&q, qp, 0);
		h264i_i_qparams_set(&q, &w, NULL);
		for (int v = -limit; v <= limit; v += 1 + limit / 100)
			for (int k = 0; k < 64; k++)
				bad += h264i_dequant8(v, q.luma8.step[k]) !=
				       scale_by_clause(v, qp, w.luma8[k], class_of(k / 8, k % 8));
		CU_ASSERT_EQUAL(bad, 0);
	}
}

/* The step between levels in the orthonormal transform: that of 4x4 blocks within 3 %, which the
 * rounded norms differ by. */
static double qstep(int qp)
{
	return scale[qp % 6][0] / 32.0 * (double)(1 << qp / 6);
}

static void code(int32_t d[64], const h264i_quant8 *q)
{
	h264i_fdct8x8(d);
	for (int i = 0; i < 64; i++)
		d[i] = h264i_dequant8(h264i_quantise8(d[i], i, q), q->step[i]);
	h264i_idct8x8(d);
}

static void test_error(void)
{
	int bad = 0;

	for (int qp = 0; qp < 52; qp++) {
		h264i_qparams q;
		double bound;

		h264i_i_qparams_init(&q, qp, 0);
		/* 5/8 of a step is the largest error of a coefficient. */
		bound = 64 * pow(0.65 * qstep(qp) + 0.75, 2);
		for (int round = 0; round < 300; round++) {
			int32_t x[64], d[64];
			double energy = 0;

			for (int i = 0; i < 64; i++)
				x[i] = rng_around(round % 4 ? 255 : 12);
			memcpy(d, x, sizeof(d));
			code(d, &q.luma8);
			for (int i = 0; i < 64; i++)
				energy += (double)(d[i] - x[i]) * (d[i] - x[i]);
			bad += !(energy <= bound);
		}
	}
	CU_ASSERT_EQUAL(bad, 0);
}

/* A flat block has only a DC; its error is that of one coefficient, 1/8 of which is a sample's. */
static void test_dc(void)
{
	int bad = 0;

	for (int qp = 0; qp < 52; qp++) {
		h264i_qparams q;

		h264i_i_qparams_init(&q, qp, 0);
		for (int flat = -255; flat <= 255; flat++) {
			int32_t d[64], c[64];

			for (int i = 0; i < 64; i++)
				d[i] = c[i] = flat;
			h264i_fdct8x8(c);
			bad += c[0] != 64 * flat;
			for (int i = 1; i < 64; i++)
				bad += c[i] != 0;
			code(d, &q.luma8);
			for (int i = 0; i < 64; i++)
				bad += !(abs(d[i] - flat) <= 0.65 * qstep(qp) / 8 + 0.75);
		}
	}
	CU_ASSERT_EQUAL(bad, 0);
}

/* ---- SATD ---- */

/* Equals the matrix product with the Hadamard matrix of order 8, the sign of (i, j) being the
 * parity of i & j. */
static void test_hadamard(void)
{
	int32_t h[8][8];
	int bad = 0;

	for (int i = 0; i < 64; i++)
		h[i / 8][i % 8] = __builtin_parity((unsigned)(i / 8 & i % 8)) ? -1 : 1;
	for (int round = 0; round < 1000; round++) {
		int32_t x[64], want[64], got[64];

		for (int i = 0; i < 64; i++)
			x[i] = round % 2 ? rng_around(255) : (int)rng_below(2) * 510 - 255;
		memcpy(got, x, sizeof(got));
		h264i_hadamard8x8(got);
		two_sided(want, h, x);
		bad += memcmp(got, want, sizeof(got)) != 0;
	}
	CU_ASSERT_EQUAL(bad, 0);
}

static void test_satd(void)
{
	int bad = 0;

	for (int round = 0; round < 20000; round++) {
		uint8_t s[64], p[64];
		uint32_t sum = 0;
		int32_t d[64];

		for (int i = 0; i < 64; i++) {
			s[i] = (uint8_t)rng();
			p[i] = round % 4 == 3 ? s[i] ^ (rng() & 1) : (uint8_t)rng();
			if (round % 4 == 1) { /* the largest differences */
				s[i] = s[i] < 128 ? 0 : 255;
				p[i] = 255 - s[i];
			} else if (round % 4 == 2) {
				s[i] = round % 8 == 2 ? 255 : 0;
				p[i] = 255 - s[i];
			}
			d[i] = s[i] - p[i];
		}
		h264i_hadamard8x8(d);
		for (int i = 0; i < 64; i++)
			sum += (uint32_t)abs(d[i]);
		bad += h264i_v16_satd8(s, p) != h264i_satd8_scale(sum);
	}
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT_EQUAL(h264i_satd8_scale(64 * 255), 14 * 255);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the forward transform is the matrix product", test_forward },
		{ "the largest coefficients are quantised without overflow", test_extremes },
		{ "the inverse transform is that of clause 8.5.13", test_inverse },
		{ "the zigzag runs along the diagonals", test_zigzag },
		{ "multipliers are the reciprocals of the steps", test_tables },
		{ "scaling is that of clause 8.5.13", test_scaling },
		{ "the error is that of the quantiser", test_error },
		{ "flat blocks have only a DC", test_dc },
		{ "the Hadamard transform is the matrix product", test_hadamard },
		{ "the vectorised SATD is the plain one", test_satd },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("transform8x8", tests);
}
