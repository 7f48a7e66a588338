/* Transform, quantiser and SATD against the equations of the standard, the bound of bits against
 * the writer, and both builds of the CPU's macroblock encoder against each other. */
#include "h264intra/core/qp.h"
#include "h264intra/cpu/encode_mb.h"
#include "h264intra/cpu/satd.h"
#include "h264intra/decide/cost.h"
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/order/wavefront.h"
#include "h264intra/transform/dct.h"
#include "tests/h264intra/encode_common.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

#include <math.h>
#include <stdio.h>

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

/* LevelScale4x4 / 16 (equation 8-315) and the multipliers every H.264 encoder has, which are
 * 2^21 over that times the gain of the forward transform. */
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
		CU_ASSERT_EQUAL(h264i_chroma_qp(qp), chroma);
		check_tables(&q.luma, qp);
		check_tables(&q.chroma, chroma);
		CU_ASSERT_TRUE(q.lambda > 0 && q.lambda >= lambda);
		lambda = q.lambda;
	}
	for (int i = 0; i < 16; i++)
		CU_ASSERT_EQUAL(h264i_pos_class(i / 4, i % 4), class_of(i / 4, i % 4));
}

/* Scaling as clauses 8.5.10 to 8.5.12 print it. */
static int scale_dc16(int f, int qp)
{
	int ls = 16 * scale[qp % 6][0];

	return qp >= 36 ? f * ls * (1 << (qp / 6 - 6))
			: (f * ls + (1 << (5 - qp / 6))) >> (6 - qp / 6);
}

static int scale_dc_chroma(int f, int qp)
{
	return (f * 16 * scale[qp % 6][0] * (1 << qp / 6)) >> 5;
}

static int scale_ac(int c, int qp, int class)
{
	int ls = 16 * scale[qp % 6][class];

	return qp >= 24 ? c * ls * (1 << (qp / 6 - 4))
			: (c * ls + (1 << (3 - qp / 6))) >> (4 - qp / 6);
}

static void test_scaling(void)
{
	for (int qp = 0; qp < 52; qp++) {
		h264i_qparams q;
		int limit = 32000 >> (qp / 6), bad = 0;

		h264i_i_qparams_init(&q, qp, 0);
		for (int v = -limit; v <= limit; v += 1 + limit / 700) {
			bad += h264i_dequant_luma_dc(v, &q.luma) != scale_dc16(v, qp);
			if (qp < 40)
				bad += h264i_dequant_chroma_dc(v, &q.luma) !=
				       scale_dc_chroma(v, qp);
			for (int k = 0; k < 3; k++)
				bad += v * q.luma.v[k] != scale_ac(v, qp, k);
		}
		CU_ASSERT_EQUAL(bad, 0);
	}
}

/* The step between levels at a QP, in units of samples: 0.625 at QP 0, doubling every six. */
static double qstep(int qp)
{
	return scale[qp % 6][0] / 16.0 * (double)(1 << qp / 6);
}

/* A level is wrong by less than a step in every coefficient of the orthonormal transform, and the
 * basis functions add up to at most 1.95 on a side. A little more for the inverse's rounding. */
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
				c[i] = h264i_quantise_dc(c[i], &q.chroma);
			h264i_hadamard2x2(c);
			for (int i = 0; i < 4; i++) {
				double got = h264i_dequant_chroma_dc(c[i], &q.chroma) / 64.0;
				double step = qstep(h264i_chroma_qp(qp));

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
			if (round % 4 == 1) { /* as far apart as there is */
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

/* ---- the bound of a macroblock's bits ---- */

typedef struct {
	uint32_t blocks, nonzero, sum, max;
} load;

/* Fills places first..last - 1 with levels and counts them as the encoder does. */
static int fill_block(int16_t *level, int first, int last, uint32_t density, int range, load *l)
{
	int n = 0;

	memset(level, 0, (size_t)last * sizeof(*level));
	for (int i = first; i < last; i++) {
		uint32_t a;

		if (rng_below(16) >= density)
			continue;
		level[i] = (int16_t)rng_around(rng_below(4) ? range : 1);
		if (rng_below(8) == 0)
			level[i] = (int16_t)(level[i] < 0 ? -range : range);
		a = (uint32_t)abs(level[i]);
		n += a != 0;
		l->sum += a;
		l->max = a > l->max ? a : l->max;
	}
	l->nonzero += (uint32_t)n;
	l->blocks += n != 0;
	return n;
}

static void random_mb(h264i_mb *mb, h264i_levels *v, uint32_t density, int range, load *l)
{
	static const uint32_t one_in[] = { 1, 2, 16, 100 };
	uint32_t rare = one_in[rng_below(4)]; /* empty blocks among the coded ones */
	int any_ac = 0, any_dc = 0, i16 = (int)rng_below(2);

	memset(mb, 0, sizeof(*mb));
	memset(v, 0, sizeof(*v));
	memset(l, 0, sizeof(*l));
	mb->type = i16 ? H264I_MB_I16X16 : H264I_MB_I4X4;
	mb->i16_mode = (uint8_t)rng_below(4);
	mb->chroma_mode = (uint8_t)rng_below(4);
	for (int b = 0; b < 16; b++) {
		uint32_t dense = rng_below(rare) ? 0 : density;

		mb->i4_mode[b] = (uint8_t)(i16 ? I4_DC : rng_below(9));
		mb->total[b] = (uint8_t)fill_block(v->luma[b], i16, 16, dense, range, l);
		if (mb->total[b])
			mb->cbp |= (uint8_t)(i16 ? 15 : 1 << b / 4);
	}
	if (i16)
		fill_block(v->luma_dc, 0, 16, density, range, l);
	for (int k = 0; k < 8; k++) {
		mb->total[16 + k] = (uint8_t)fill_block(
			v->chroma_ac[k / 4][k % 4], 1, 16, rng_below(rare) ? 0 : density, range, l);
		any_ac |= mb->total[16 + k];
	}
	for (int pl = 0; pl < 2; pl++)
		any_dc |= fill_block(v->chroma_dc[pl], 0, 4, density, range, l);
	mb->cbp |= (uint8_t)((any_ac ? 2 : any_dc ? 1 : 0) << 4);
}

static void test_bits_bound(void)
{
	static const int ranges[] = { 1, 2, 7, 8, 15, 16, 40, 300, 2000, 2063, 6500 };
	int above = 0, worst = 0, unsafe = 0;

	for (int round = 0; round < 120000; round++) {
		uint32_t density = round % 5 == 0 ? 16 : rng_below(17);
		int range = ranges[rng_below(sizeof(ranges) / sizeof(ranges[0]))], bits, bound;
		h264i_mb mb, left, up;
		h264i_levels v;
		load l;

		random_mb(&mb, &v, density, range, &l);
		memset(left.total, rng_below(2) ? 16 : (int)rng_below(17), sizeof(left.total));
		memset(up.total, rng_below(2) ? 16 : (int)rng_below(17), sizeof(up.total));
		for (int b = 0; b < 16; b++)
			left.i4_mode[b] = up.i4_mode[b] = (uint8_t)rng_below(9);
		bits = h264i_mb_bits(&h264i_i_cavlc, &mb, &v, rng_below(8) ? &left : NULL,
			rng_below(8) ? &up : NULL);
		bound = (int)h264i_bits_bound(l.blocks, l.nonzero, l.sum);
		if (bits < 0) /* a level that Baseline has no code for */
			unsafe += l.max <= H264I_LEVEL_SAFE;
		else if (bits > bound) {
			above++;
			worst = bits - bound > worst ? bits - bound : worst;
		}
	}
	if (above)
		printf("\n  above the bound: %d macroblocks, by up to %d bits\n", above, worst);
	CU_ASSERT_EQUAL(above, 0);
	CU_ASSERT_EQUAL(unsafe, 0);
}

/* ---- both builds ---- */

typedef struct {
	h264i_mb *mb;
	h264i_levels *levels;
	h264i_edge *edge;
	uint8_t *recon;
} result;

static void encode_picture(const test_video *v, int qp, uint32_t slices, uint32_t disable,
	h264i_encode_mb_fn encode_mb, result *r)
{
	uint32_t mw = (v->width + 15) / 16, mh = (v->height + 15) / 16;
	size_t mbs = (size_t)mw * mh, luma = (size_t)v->width * v->height;
	h264i_geom g = { v->width, v->height, mw, mh, slices };
	h264i_qparams q;
	h264i_picture p;
	h264i_wave_ctx c;

	r->mb = calloc(mbs, sizeof(*r->mb));
	r->levels = calloc(mbs, sizeof(*r->levels));
	r->edge = calloc(mbs, sizeof(*r->edge));
	r->recon = calloc(mbs, 384);
	CU_ASSERT_FATAL(r->mb && r->levels && r->edge && r->recon);
	memset(&p, 0, sizeof(p));
	p.mb = r->mb;
	p.levels = r->levels;
	p.edge = r->edge;
	p.chroma_step = 1;
	for (int i = 0; i < 3; i++) {
		p.src[i] = v->pixels + (i ? luma : 0) + (i == 2 ? luma / 4 : 0);
		p.src_pitch[i] = v->width >> (i > 0);
		p.recon[i] = r->recon + (i ? mbs * 256 : 0) + (i == 2 ? mbs * 64 : 0);
		p.recon_pitch[i] = mw * 16 >> (i > 0);
	}
	h264i_i_qparams_init(&q, qp, disable);
	c = h264i_wave_ctx_make(&g, &q);
	c.frames = 1;
	c.pic = &p;
	for (uint32_t y = 0; y < mh; y++)
		for (uint32_t x = 0; x < mw; x++)
			encode_mb(&c, &p, x, y);
}

static void result_free(result *r)
{
	free(r->mb);
	free(r->levels);
	free(r->edge);
	free(r->recon);
}

/* Checks the invariants of an h264i_mb (core/mb.h), and that the entropy coder can write it. */
static int promises_kept(const result *r, uint32_t mbs)
{
	int bad = 0;

	for (uint32_t i = 0; i < mbs; i++) {
		const h264i_mb *mb = &r->mb[i];
		int pcm = mb->type == H264I_MB_PCM, i16 = mb->type == H264I_MB_I16X16;

		for (int b = 0; b < 16; b++) {
			bad += mb->type != H264I_MB_I4X4 && mb->i4_mode[b] != I4_DC;
			bad += pcm && mb->total[b] != 16;
			bad += !pcm && mb->total[b] && !(mb->cbp >> b / 4 & 1);
		}
		bad += i16 && (mb->cbp & 15) != 0 && (mb->cbp & 15) != 15;
		bad += pcm && mb->cbp != 0x2f;
		if (!pcm) {
			int bits = h264i_mb_bits(&h264i_i_cavlc, mb, &r->levels[i], NULL, NULL);

			bad += bits < 0 || bits > 3200 + 200; /* nC differs a little here */
		}
	}
	return bad == 0;
}

/* The picture encoded by `fast` is the one encoded by the specification. */
static void compare_builds(
	const test_video *v, int qp, uint32_t slices, uint32_t disable, h264i_encode_mb_fn fast)
{
	uint32_t mbs = (v->width + 15) / 16 * ((v->height + 15) / 16);
	result a, b;

	encode_picture(v, qp, slices, disable, h264i_i_encode_mb_scalar, &a);
	encode_picture(v, qp, slices, disable, fast, &b);
	CU_ASSERT_EQUAL(memcmp(a.mb, b.mb, mbs * sizeof(*a.mb)), 0);
	CU_ASSERT_EQUAL(memcmp(a.levels, b.levels, mbs * sizeof(*a.levels)), 0);
	CU_ASSERT_EQUAL(memcmp(a.edge, b.edge, mbs * sizeof(*a.edge)), 0);
	CU_ASSERT_EQUAL(memcmp(a.recon, b.recon, (size_t)mbs * 384), 0);
	CU_ASSERT_TRUE(promises_kept(&a, mbs));
	result_free(&a);
	result_free(&b);
}

static void test_builds(void)
{
	static const uint32_t sizes[][2] = { { 16, 16 }, { 18, 34 }, { 176, 80 }, { 66, 130 } };
	static const int qps[] = { 0, 3, 10, 20, 27, 36, 44, 51 };

	for (int pattern = 0; pattern < TEST_PATTERNS; pattern++)
		for (unsigned s = 0; s < 4; s++) {
			test_video v = test_video_make(sizes[s][0], sizes[s][1], 1, pattern);

			CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
			for (unsigned i = 0; i < 8; i++) {
				uint32_t slices = 1 + i % ((v.height + 15) / 16);
				uint32_t disable = i < 4 ? 0 : rng() & 0x1ffff;

				compare_builds(
					&v, qps[i], slices, disable, h264i_i_encode_mb_vector);
				if (h264i_i_encode_mb_best() != h264i_i_encode_mb_vector)
					compare_builds(&v, qps[i], slices, disable,
						h264i_i_encode_mb_best());
			}
			free(v.pixels);
		}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "forward transforms are the matrix products", test_forward },
		{ "the inverse transform is that of clause 8.5.12.2", test_inverse },
		{ "the zigzag runs along the diagonals", test_zigzag },
		{ "quantiser tables are the known ones at every QP", test_tables },
		{ "scaling is that of clauses 8.5.10 to 8.5.12", test_scaling },
		{ "no sample is off by more than the step allows", test_error },
		{ "nor through the DC transforms", test_dc_error },
		{ "the vectorised SATD is the plain one", test_satd },
		{ "the bound of bits holds for every macroblock", test_bits_bound },
		{ "the vector builds encode as the specification does", test_builds },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "transform", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
