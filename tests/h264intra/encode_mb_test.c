/* The CPU's macroblock encoder: the bound of a macroblock's bits against the entropy coder, and the
 * tables of inner functions against the specification. */
#include <stdio.h>
#include "h264intra/core/qp.h"
#include "h264intra/cpu/encode_mb.h"
#include "h264intra/decide/macroblock.h"
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/order/wavefront.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/encode_common.h"

/* ---- the bound of a macroblock's bits ---- */

typedef struct {
	uint32_t blocks, nonzero, sum, max;
} load;

/* Fills level[first..last - 1] and counts the levels as the encoder does. */
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
	mb->flags = !i16 && (rng() & 1) ? H264I_MB_T8X8 : 0;
	mb->i16_mode = (uint8_t)rng_below(4);
	mb->chroma_mode = (uint8_t)rng_below(4);
	for (int b = 0; b < 16; b++) {
		uint32_t dense = rng_below(rare) ? 0 : density;

		mb->i4_mode[b] = (uint8_t)(i16 ? I4_DC : rng_below(9));
		if (mb->flags && b % 4)
			mb->i4_mode[b] = mb->i4_mode[b - 1];
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
			rng_below(8) ? &up : NULL, 1);
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

/* ---- rules of a macroblock ---- */

/* By a walk over the types in the order of preference, for all orders of four costs. */
static void test_choose_type(void)
{
	static const uint32_t costs[] = { 0, 7, 8, UINT32_MAX };

	for (int i = 0; i < 64; i++) {
		const uint32_t cost[] = { costs[i & 3], costs[i >> 2 & 3], costs[i >> 4] };
		int best = H264I_TYPE_16X16;

		for (int type = H264I_TYPE_8X8; type <= H264I_TYPE_4X4; type++)
			best = cost[type] < cost[best] ? type : best;
		CU_ASSERT_EQUAL((int)h264i_choose_type(cost[0], cost[1], cost[2]), best);
	}
}

/* ---- tables of inner functions ---- */

typedef struct {
	h264i_mb *mb;
	h264i_levels *levels;
	h264i_edge *edge;
	uint8_t *recon;
} result;

typedef struct config {
	int qp;
	uint32_t slices, disable;
	int t8x8, rd, trellis, cavlc;
} config;

static h264i_cpu_rates rates[H264I_QPS];

static void encode_picture(const test_video *v, const config *o, const h264i_dsp *dsp, result *r)
{
	uint32_t mw = (v->width + 15) / 16, mh = (v->height + 15) / 16;
	size_t mbs = (size_t)mw * mh, luma = (size_t)v->width * v->height;
	h264i_geom g = { v->width, v->height, mw, mh, o->slices };
	h264i_qparams by_qp[H264I_QPS];
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
	h264i_i_qparams_init(&by_qp[o->qp], o->qp, o->disable);
	by_qp[o->qp].syntax =
		(o->t8x8 ? H264I_SYNTAX_8X8 : 0) | (o->cavlc ? H264I_SYNTAX_CAVLC : 0);
	p.qp = (uint32_t)o->qp;
	c = h264i_wave_ctx_make(&g, by_qp);
	c.frames = 1;
	c.pic = &p;
	c.rd = o->rd;
	c.trellis = o->trellis;
	h264i_i_cpu_rates_init(&rates[o->qp], o->qp, NULL, NULL);
	for (uint32_t y = 0; y < mh; y++)
		for (uint32_t x = 0; x < mw; x++)
			h264i_i_encode_mb(dsp, &c, o->rd || o->trellis ? rates : NULL, &p, x, y);
}

static void result_free(result *r)
{
	free(r->mb);
	free(r->levels);
	free(r->edge);
	free(r->recon);
}

/* Checks the invariants of an h264i_mb (core/mb.h), and that the entropy coder can write it. */
static int promises_kept(const result *r, uint32_t mbs, int t8x8)
{
	int bad = 0;

	for (uint32_t i = 0; i < mbs; i++) {
		const h264i_mb *mb = &r->mb[i];
		int pcm = mb->type == H264I_MB_PCM, i16 = mb->type == H264I_MB_I16X16;
		int i8 = mb->flags & H264I_MB_T8X8;

		for (int b = 0; b < 16; b++) {
			bad += mb->type != H264I_MB_I4X4 && mb->i4_mode[b] != I4_DC;
			bad += i8 && mb->i4_mode[b] != mb->i4_mode[b & 12];
			bad += pcm && mb->total[b] != 16;
			bad += !pcm && mb->total[b] && !(mb->cbp >> b / 4 & 1);
		}
		bad += i16 && (mb->cbp & 15) != 0 && (mb->cbp & 15) != 15;
		bad += pcm && mb->cbp != 0x2f;
		bad += i8 && (!t8x8 || mb->type != H264I_MB_I4X4);
		if (!pcm) {
			int bits =
				h264i_mb_bits(&h264i_i_cavlc, mb, &r->levels[i], NULL, NULL, t8x8);

			bad += bits < 0 ||
			       bits > 3200 + 200; /* nC is computed without neighbours here */
		}
	}
	return bad == 0;
}

/* The picture encoded with `fast` is the one encoded by the specification. */
static void compare_tables(const test_video *v, const config *o, const h264i_dsp *fast)
{
	uint32_t mbs = (v->width + 15) / 16 * ((v->height + 15) / 16);
	result a, b;

	encode_picture(v, o, h264i_i_dsp(H264I_SIMD_SCALAR), &a);
	encode_picture(v, o, fast, &b);
	CU_ASSERT_EQUAL(memcmp(a.mb, b.mb, mbs * sizeof(*a.mb)), 0);
	CU_ASSERT_EQUAL(memcmp(a.levels, b.levels, mbs * sizeof(*a.levels)), 0);
	CU_ASSERT_EQUAL(memcmp(a.edge, b.edge, mbs * sizeof(*a.edge)), 0);
	CU_ASSERT_EQUAL(memcmp(a.recon, b.recon, (size_t)mbs * 384), 0);
	CU_ASSERT_TRUE(promises_kept(&a, mbs, o->t8x8));
	result_free(&a);
	result_free(&b);
}

/* The types of all macroblocks of a picture, as bits. */
static int coded_types(const test_video *v, const config *o)
{
	result r;
	int mbs = (int)((v->width + 15) / 16 * ((v->height + 15) / 16)), types = 0;

	encode_picture(v, o, h264i_i_dsp(H264I_SIMD_SCALAR), &r);
	for (int i = 0; i < mbs; i++)
		if (r.mb[i].type != H264I_MB_PCM)
			types |= 1 << (r.mb[i].type == H264I_MB_I16X16   ? H264I_TYPE_16X16
					 : r.mb[i].flags & H264I_MB_T8X8 ? H264I_TYPE_8X8
									 : H264I_TYPE_4X4);
	result_free(&r);
	return types;
}

/* Each type is coded where it is allowed, and only there, with every kind of decisions. */
static void test_allowed_types(void)
{
	static const uint32_t disable[] = { 0, H264I_DISABLE_I4_ALL, H264I_DISABLE_I16_ALL };

	for (int i = 0; i < 12; i++) {
		config o = { .qp = 27,
			.slices = 1,
			.disable = disable[i % 3],
			.t8x8 = i / 3 & 1,
			.rd = i / 6,
			.trellis = i / 6 };
		int allowed = (i % 3 != 2) << H264I_TYPE_16X16 | o.t8x8 << H264I_TYPE_8X8 |
			      (i % 3 != 1) << H264I_TYPE_4X4;
		int types = 0;

		for (int pattern = 0; pattern < TEST_PATTERNS; pattern++) {
			test_video v = test_video_make(176, 80, 1, pattern);

			CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
			types |= coded_types(&v, &o);
			free(v.pixels);
		}
		CU_ASSERT_EQUAL(types, allowed);
	}
}

/* Without and with rate-distortion optimisation of several depths. */
static void test_tables(void)
{
	static const uint32_t sizes[][2] = { { 16, 16 }, { 18, 34 }, { 176, 80 }, { 66, 130 } };
	static const int qps[] = { 0, 3, 10, 20, 27, 36, 44, 51 }, rds[] = { 0, 0, 1, 3, 9 };

	for (int pattern = 0; pattern < TEST_PATTERNS; pattern++)
		for (unsigned s = 0; s < 4; s++) {
			test_video v = test_video_make(sizes[s][0], sizes[s][1], 1, pattern);

			CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
			for (unsigned i = 0; i < 8; i++) {
				config o = { .qp = qps[i],
					.slices = 1 + i % ((v.height + 15) / 16) };

				o.disable = i < 4 ? 0 : rng() & 0x1ffff;
				o.rd = rds[rng_below(5)];
				o.trellis = o.rd ? (int)rng_below(3) : (int)(rng() & 1);
				o.cavlc = (int)(rng() & 1);
				for (o.t8x8 = 0; o.t8x8 < 2; o.t8x8++)
					for (int t = H264I_SIMD_SCALAR + 1; t < H264I_SIMDS; t++)
						if (h264i_i_dsp((h264i_simd)t))
							compare_tables(
								&v, &o, h264i_i_dsp((h264i_simd)t));
			}
			free(v.pixels);
		}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "the bound of bits holds for every macroblock", test_bits_bound },
		{ "of equal costs the first type is chosen", test_choose_type },
		{ "macroblocks have all allowed types and no others", test_allowed_types },
		{ "all tables of functions encode as the specification does", test_tables },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("encode_mb", tests);
}
