/* Transforms, quantiser and SATD against the equations of the standard. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "h264intra/core/qp.h"
#include "h264intra/cpu/satd.h"
#include "h264intra/transform/dct.h"
#include "h264intra/transform/quant.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

/* ---- transforms ---- */

/* r = a * b, 4x4. */
static void multiply(int32_t r[4][4], int32_t a[4][4], int32_t b[4][4])
{
	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++) {
			r[i][j] = 0;
			for (int k = 0; k < 4; k++)
				r[i][j] += a[i][k] * b[k][j];
		}
}

/* m * x * transposed m */
static void two_sided(int32_t r[4][4], int32_t m[4][4], int32_t x[4][4])
{
	int32_t t[4][4], half[4][4];

	for (int i = 0; i < 4; i++)
		for (int j = 0; j < 4; j++)
			t[i][j] = m[j][i];
	multiply(half, m, x);
	multiply(r, half, t);
}

static void test_forward(void)
{
	int32_t core[4][4] = { { 1, 1, 1, 1 }, { 2, 1, -1, -2 }, { 1, -1, -1, 1 },
		{ 1, -2, 2, -1 } };
	int32_t hadamard[4][4] = { { 1, 1, 1, 1 }, { 1, 1, -1, -1 }, { 1, -1, -1, 1 },
		{ 1, -1, 1, -1 } }; /* equation 8-320 */
	int bad = 0;

	for (int round = 0; round < 3000; round++) {
		int32_t x[4][4], want[4][4], got[16];

		for (int i = 0; i < 16; i++)
			x[i / 4][i % 4] =
				round % 2 ? rng_around(255) : (int)rng_below(2) * 510 - 255;
		memcpy(got, x, sizeof(got));
		h264i_fdct4x4(got);
		two_sided(want, core, x);
		bad += memcmp(got, want, sizeof(got)) != 0;
		memcpy(got, x, sizeof(got));
		h264i_hadamard4x4(got);
		two_sided(want, hadamard, x);
		bad += memcmp(got, want, sizeof(got)) != 0;
		memcpy(got, x, sizeof(got));
		h264i_hadamard2x2(got);
		bad += got[0] != x[0][0] + x[0][1] + x[0][2] + x[0][3];
		bad += got[1] != x[0][0] - x[0][1] + x[0][2] - x[0][3];
		bad += got[2] != x[0][0] + x[0][1] - x[0][2] - x[0][3];
		bad += got[3] != x[0][0] - x[0][1] - x[0][2] + x[0][3];
	}
	CU_ASSERT_EQUAL(bad, 0);
}

/* The one-dimensional inverse of clause 8.5.12.2: sample n of the row or column d. */
static int32_t inverse_sample(const int32_t d[4], int n)
{
	int32_t even = n == 0 || n == 3 ? d[0] + d[2] : d[0] - d[2];
	int32_t odd = n == 0 || n == 3 ? d[1] + (d[3] >> 1) : (d[1] >> 1) - d[3];

	return n < 2 ? even + odd : even - odd;
}

static void inverse_by_clause(int32_t r[4][4], int32_t d[4][4])
{
	int32_t f[4][4];

	for (int i = 0; i < 16; i++)
		f[i / 4][i % 4] = inverse_sample(d[i / 4], i % 4);
	for (int j = 0; j < 4; j++) {
		int32_t column[4] = { f[0][j], f[1][j], f[2][j], f[3][j] };

		for (int i = 0; i < 4; i++)
			r[i][j] = (inverse_sample(column, i) + 32) >> 6;
	}
}

static void test_inverse(void)
{
	static const int limits[] = { 1, 70, 4000, 32767 };
	int bad = 0;

	for (int round = 0; round < 4000; round++) {
		int32_t d[4][4], want[4][4], got[16];

		for (int i = 0; i < 16; i++)
			d[i / 4][i % 4] = rng_around(limits[round % 4]);
		inverse_by_clause(want, d);
		memcpy(got, d, sizeof(got));
		h264i_idct4x4(got);
		bad += memcmp(got, want, sizeof(got)) != 0;
	}
	CU_ASSERT_EQUAL(bad, 0);
}

static void test_zigzag(void)
{
	static const uint8_t zigzag[16] = H264I_ZIGZAG_INIT;
	int k = 0;

	/* Figure 8-8 a: along the diagonals, upwards on the even ones. */
	for (int d = 0; d < 7; d++)
		for (int i = 0; i <= d; i++) {
			int x = d % 2 ? d - i : i, y = d - x;

			if (x > 3 || y > 3)
				continue;
			CU_ASSERT_EQUAL(zigzag[k], 4 * y + x);
			CU_ASSERT_EQUAL(h264i_zigzag_of(4 * y + x), k);
			k++;
		}
	CU_ASSERT_EQUAL(k, 16);
}

/* ---- quantiser ---- */

/* LevelScale4x4 / 16 (equation 8-315), and the usual multipliers of H.264 encoders: 2^21 divided by
 * the scale and by the gain of the forward transform. */
static const int scale[6][3] = { { 10, 16, 13 }, { 11, 18, 14 }, { 13, 20, 16 }, { 14, 23, 18 },
	{ 16, 25, 20 }, { 18, 29, 23 } };
static const int multiplier[6][3] = { { 13107, 5243, 8066 }, { 11916, 4660, 7490 },
	{ 10082, 4194, 6554 }, { 9362, 3647, 5825 }, { 8192, 3355, 5243 }, { 7282, 2893, 4559 } };

static int class_of(int i, int j)
{
	return i % 2 == 0 && j % 2 == 0 ? 0 : i % 2 == 1 && j % 2 == 1 ? 1 : 2;
}

static void check_tables(const h264i_quant *q, int qp)
{
	CU_ASSERT_EQUAL(q->shift, qp / 6);
	CU_ASSERT_EQUAL(q->qbits, 15 + qp / 6);
	CU_ASSERT_TRUE(q->bias > 0);
	CU_ASSERT_TRUE(2 * (int64_t)q->bias <= (int64_t)1 << q->qbits);
	for (int k = 0; k < 3; k++) {
		CU_ASSERT_EQUAL(q->mf[k], multiplier[qp % 6][k]);
		CU_ASSERT_EQUAL(q->v[k], scale[qp % 6][k] << qp / 6);
	}
	for (int i = 0; i < 16; i++) {
		CU_ASSERT_EQUAL(q->mul[i], q->mf[class_of(i / 4, i % 4)]);
		CU_ASSERT_EQUAL(q->step[i], 16 * q->v[class_of(i / 4, i % 4)]);
	}
}

static void test_tables(void)
{
	static const int qpc[22] = { 29, 30, 31, 32, 32, 33, 34, 34, 35, 35, 36, 36, 37, 37, 37, 38,
		38, 38, 39, 39, 39, 39 }; /* table 8-15, from qPI = 30 on */
	int lambda = 0;

	for (int qp = 0; qp < 52; qp++) {
		int chroma = qp < 30 ? qp : qpc[qp - 30];
		h264i_qparams q;

		h264i_i_qparams_init(&q, qp, 0x155);
		CU_ASSERT_EQUAL(q.qp, qp);
		CU_ASSERT_EQUAL(q.disable, 0x155);
		CU_ASSERT_EQUAL(h264i_chroma_qp(qp, 0), chroma);
		check_tables(&q.luma, qp);
		check_tables(&q.chroma[0], chroma);
		check_tables(&q.chroma[1], chroma);
		CU_ASSERT_TRUE(q.lambda > 0 && q.lambda >= lambda);
		lambda = q.lambda;
	}
	for (int i = 0; i < 16; i++)
		CU_ASSERT_EQUAL(h264i_pos_class(i / 4, i % 4), class_of(i / 4, i % 4));
}

/* QPc of table 8-15 at a chroma_qp_index_offset; products with the lowest and the highest weights;
 * the default matrices, by position. */
static void test_offsets_and_weights(void)
{
	h264i_weights w;
	int bad = 0;

	for (int qp = 0; qp < 52; qp++)
		for (int offset = -12; offset <= 12; offset++) {
			int at = qp + offset < 0 ? 0 : qp + offset > 51 ? 51 : qp + offset;
			const int both[2] = { offset, offset }, cr[2] = { 0, offset };
			const h264i_quant *want;
			h264i_qparams q, flat, zero;

			h264i_i_qparams_init(&flat, at, 0);
			h264i_i_qparams_init(&zero, qp, 0);
			h264i_i_qparams_init(&q, qp, 0);
			want = &flat.chroma[0];
			for (int cr_alone = 0; cr_alone < 2; cr_alone++) {
				h264i_i_qparams_set(&q, NULL, cr_alone ? cr : both);
				bad += memcmp(h264i_chroma_quant(&q, 0),
					       cr_alone ? &zero.chroma[0] : want,
					       sizeof(*want)) != 0;
				bad += memcmp(h264i_chroma_quant(&q, 1), want, sizeof(*want)) != 0;
				/* One place in memory for equal ones */
				bad += (h264i_chroma_quant(&q, 0) == h264i_chroma_quant(&q, 1)) !=
				       (!cr_alone || !offset);
			}
		}
	CU_ASSERT_EQUAL(bad, 0);
	for (int i = 0; i < 52 * 252; i++) {
		h264i_qparams q;
		double level;

		memset(&w, 4 + i / 52, sizeof(w));
		h264i_i_qparams_init(&q, i % 52, 0);
		h264i_i_qparams_set(&q, &w, NULL);
		/* 36 * 255: the largest coefficient of the forward transform */
		for (int k = 0; k < 16; k++)
			bad += 9180.0 * q.luma.mul[k] + q.luma.bias >= 4294967296.0;
		/* of the DCs after their transform: 8 * 16 * 255 */
		level = 32640.0 * q.luma.mul[0] + 2.0 * q.luma.bias;
		bad += level >= 4294967296.0 || level >= 32768 * pow(2, q.luma.qbits + 1);
		bad += h264i_quantise_dc(-32640, &q.luma) !=
		       -(int)floor(level / pow(2, q.luma.qbits + 1));
	}
	CU_ASSERT_EQUAL(bad, 0);
	h264i_i_weights_default(&w);
	/* Table 7-3 read along the scan: 6 at the DC, 13 beside and below it, 20 on the diagonal */
	CU_ASSERT(w.luma4[0] == 6 && w.luma4[1] == 13 && w.luma4[4] == 13 && w.luma4[8] == 20 &&
		  w.luma4[5] == 20 && w.luma4[2] == 20 && w.luma4[3] == 28 && w.luma4[15] == 42);
	CU_ASSERT_EQUAL(memcmp(w.luma4, w.chroma4, 16), 0);
	CU_ASSERT(w.luma8[0] == 6 && w.luma8[1] == 10 && w.luma8[9] == 11 && w.luma8[63] == 42);
	for (int k = 0; k < 64; k++) /* both matrices are symmetric */
		bad += w.luma8[k] != w.luma8[8 * (k % 8) + k / 8];
	CU_ASSERT_EQUAL(bad, 0);
}

/* Scaling by the equations of clauses 8.5.10 to 8.5.12. */
static int scale_dc16(int f, int qp, int weight)
{
	int ls = weight * scale[qp % 6][0];

	return qp >= 36 ? f * ls * (1 << (qp / 6 - 6))
			: (f * ls + (1 << (5 - qp / 6))) >> (6 - qp / 6);
}

static int scale_dc_chroma(int f, int qp, int weight)
{
	return (f * weight * scale[qp % 6][0] * (1 << qp / 6)) >> 5;
}

static int scale_ac(int c, int qp, int weight, int class)
{
	int ls = weight * scale[qp % 6][class];

	return qp >= 24 ? c * ls * (1 << (qp / 6 - 4))
			: (c * ls + (1 << (3 - qp / 6))) >> (4 - qp / 6);
}

static void test_scaling(void)
{
	for (int qp = 0; qp < 52; qp++) {
		h264i_qparams q;
		h264i_weights w;
		int limit = 32000 >> (qp / 6), bad = 0;

		memset(&w, 16, sizeof(w));
		for (int k = 0; k < 16 && qp % 2; k++)
			w.luma4[k] = (uint8_t)(4 + rng_below(252));
		limit = qp % 2 ? limit / 16 : limit;
		h264i_i_qparams_init(&q, qp, 0);
		h264i_i_qparams_set(&q, &w, NULL);
		for (int v = -limit; v <= limit; v += 1 + limit / 700) {
			bad += h264i_dequant_luma_dc(v, &q.luma) != scale_dc16(v, qp, w.luma4[0]);
			if (qp < 40)
				bad += h264i_dequant_chroma_dc(v, &q.luma) !=
				       scale_dc_chroma(v, qp, w.luma4[0]);
			for (int k = 0; k < 16; k++)
				bad += h264i_dequant(v, q.luma.step[k]) !=
				       scale_ac(v, qp, w.luma4[k], class_of(k / 4, k % 4));
		}
		CU_ASSERT_EQUAL(bad, 0);
	}
}

/* The step between levels at a QP, in units of samples: 0.625 at QP 0, doubling every six. */
static double qstep(int qp)
{
	return scale[qp % 6][0] / 16.0 * (double)(1 << qp / 6);
}

/* The quantisation error is less than one step in every coefficient of the orthonormal transform,
 * and the basis functions of one dimension sum up to at most 1.95. 1.5 is for the rounding of the
 * inverse. */
static double sample_bound(int qp)
{
	return 1.95 * 1.95 * qstep(qp) + 1.5;
}

static void test_error(void)
{
	int bad = 0;

	for (int qp = 0; qp < 52; qp++) {
		h264i_qparams q;
		double energy_bound;

		h264i_i_qparams_init(&q, qp, 0);
		energy_bound = 16 * (qstep(qp) + 0.75) * (qstep(qp) + 0.75);
		for (int round = 0; round < 400; round++) {
			int32_t x[16], d[16];
			int worst = 0;
			double energy = 0;

			for (int i = 0; i < 16; i++)
				x[i] = rng_around(round % 4 ? 255 : 12);
			memcpy(d, x, sizeof(d));
			h264i_fdct4x4(d);
			for (int i = 0; i < 16; i++) {
				int k = h264i_pos_class(i / 4, i % 4);

				d[i] = h264i_quantise(
					       d[i], q.luma.mf[k], q.luma.bias, q.luma.qbits) *
				       q.luma.v[k];
			}
			h264i_idct4x4(d);
			for (int i = 0; i < 16; i++) {
				int e = abs(d[i] - x[i]);

				worst = e > worst ? e : worst;
				energy += e * e;
			}
			bad += !(worst <= sample_bound(qp));
			bad += !(energy <= energy_bound);
		}
	}
	CU_ASSERT_EQUAL(bad, 0);
}

/* A macroblock of flat blocks goes through the DC transform alone. */
static void test_dc_error(void)
{
	int bad = 0;

	for (int qp = 0; qp < 52; qp++) {
		h264i_qparams q;

		h264i_i_qparams_init(&q, qp, 0);
		for (int round = 0; round < 300; round++) {
			int32_t flat[16], dc[16], c[4];
			double worst = 0;

			for (int i = 0; i < 16; i++) {
				flat[i] =
					round % 3 ? rng_around(255) : (int)rng_below(2) * 510 - 255;
				dc[i] = 16 * flat[i];
			}
			memcpy(c, dc, sizeof(c));
			h264i_hadamard4x4(dc);
			for (int i = 0; i < 16; i++) {
				dc[i] = h264i_quantise_dc((dc[i] + 1) >> 1, &q.luma);
				bad += (int16_t)dc[i] != dc[i];
			}
			h264i_hadamard4x4(dc);
			for (int i = 0; i < 16; i++) {
				double got = h264i_dequant_luma_dc(dc[i], &q.luma) / 64.0;

				worst = fmax(worst, fabs(got - flat[i]));
			}
			/* Sixteen basis functions of 1/4 each; a block's DC is 4 samples high. */
			bad += !(worst <= 4 * qstep(qp) / 4 + 0.5);
			h264i_hadamard2x2(c);
			for (int i = 0; i < 4; i++)
				c[i] = h264i_quantise_dc(c[i], &q.chroma[0]);
			h264i_hadamard2x2(c);
			for (int i = 0; i < 4; i++) {
				double got = h264i_dequant_chroma_dc(c[i], &q.chroma[0]) / 64.0;
				double step = qstep(h264i_chroma_qp(qp, 0));

				bad += !(fabs(got - flat[i]) <= 2 * step / 4 + 0.5);
			}
		}
	}
	CU_ASSERT_EQUAL(bad, 0);
}

/* ---- SATD ---- */

static uint32_t plain_satd(const uint8_t *s, const uint8_t *p)
{
	int32_t h[4][4] = { { 1, 1, 1, 1 }, { 1, -1, 1, -1 }, { 1, 1, -1, -1 }, { 1, -1, -1, 1 } };
	int32_t x[4][4], r[4][4];
	uint32_t sum = 0;

	for (int i = 0; i < 16; i++)
		x[i / 4][i % 4] = s[i] - p[i];
	two_sided(r, h, x);
	for (int i = 0; i < 16; i++)
		sum += (uint32_t)abs(r[i / 4][i % 4]);
	return sum / 2;
}

static void test_satd(void)
{
	int bad = 0;

	for (int round = 0; round < 20000; round++) {
		uint8_t s[16], p[16];
		h264i_v16 vs, vp;

		for (int i = 0; i < 16; i++) {
			s[i] = (uint8_t)rng();
			p[i] = (uint8_t)rng();
			if (round % 4 == 1) { /* the largest differences */
				s[i] = s[i] < 128 ? 0 : 255;
				p[i] = 255 - s[i];
			} else if (round % 4 == 2) {
				s[i] = 255;
				p[i] = 0;
			} else if (round % 4 == 3) {
				p[i] = s[i] ^ (rng() & 1);
			}
		}
		h264i_v16_load(&vs, s);
		h264i_v16_load(&vp, p);
		bad += h264i_v16_satd(&vs, &vp) != plain_satd(s, p);
	}
	CU_ASSERT_EQUAL(bad, 0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "forward transforms are the matrix products", test_forward },
		{ "the inverse transform is that of clause 8.5.12.2", test_inverse },
		{ "the zigzag runs along the diagonals", test_zigzag },
		{ "quantiser tables are the known ones at every QP", test_tables },
		{ "chroma QP offsets and scaling matrices", test_offsets_and_weights },
		{ "scaling is that of clauses 8.5.10 to 8.5.12", test_scaling },
		{ "no sample differs by more than the quantiser step allows", test_error },
		{ "no sample of flat blocks differs by more than the step allows", test_dc_error },
		{ "the vectorised SATD is the plain one", test_satd },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("transform", tests);
}
