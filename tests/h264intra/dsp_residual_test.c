/* The tables of inner functions (cpu/dsp.h) against the scalar one, as dsp_test.c: residual coding,
 * and levels by rate and distortion. */
#include "tests/h264intra/dsp_common.h"

static h264i_qparams random_params(void)
{
	h264i_qparams q;

	h264i_i_qparams_init(&q, (int)rng_below(H264I_QPS), 0);
	return q;
}

static void test_quantise(void)
{
	int bad = 0, broken = 0;

	for (int round = 0; round < ROUNDS; round++) {
		uint8_t room_a[128], room_b[128], rec_a[16], *rec_b;
		const uint8_t *src = block(room_a, 64), *pred = block(room_b, 64);
		int exceeds_a = 0, exceeds_b = 0;
		h264i_qparams q = random_params();
		const h264i_quant *of = rng() & 1 ? &q.luma : &q.chroma[0];
		int apart = (int)(rng() & 1), want;
		int16_t a[64], *b;
		int32_t real_a[64], *real_b, dc_a, dc_b;
		guarded out, rec_out;

		want = spec->quantise4(src, pred, of, apart, a, &dc_a);
		b = guarded_init(&out, 32, 2);
		bad += want != fast->quantise4(src, pred, of, apart, b, &dc_b);
		bad += dc_a != dc_b || memcmp(a, b, 32) != 0;
		broken += guard_broken(&out);

		want = spec->code4(src, pred, of, a, rec_a, &exceeds_a);
		b = guarded_init(&out, 32, 2);
		rec_b = guarded_init(&rec_out, 16, 1);
		bad += want != fast->code4(src, pred, of, b, rec_b, &exceeds_b);
		bad += exceeds_a != exceeds_b || memcmp(a, b, 32) || memcmp(rec_a, rec_b, 16);
		broken += guard_broken(&out) || guard_broken(&rec_out);

		want = spec->quantise8(src, pred, &q.luma8, a);
		b = guarded_init(&out, 128, 2);
		bad += want != fast->quantise8(src, pred, &q.luma8, b) || memcmp(a, b, 128);
		broken += guard_broken(&out);

		spec->real4(src, pred, of, real_a, &dc_a);
		real_b = guarded_init(&out, 64, 4);
		fast->real4(src, pred, of, real_b, &dc_b);
		bad += dc_a != dc_b || memcmp(real_a, real_b, 64) != 0;
		broken += guard_broken(&out);

		spec->real8(src, pred, &q.luma8, real_a);
		real_b = guarded_init(&out, 256, 4);
		fast->real8(src, pred, &q.luma8, real_b);
		bad += memcmp(real_a, real_b, 256) != 0;
		broken += guard_broken(&out);
	}
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT_EQUAL(broken, 0);
}

/* Levels from few and small ones to all and as large as a stream can have, at most `most`. */
static void random_levels_of(int16_t *level, int n, int most)
{
	static const int limits[] = { 1, 2, 5, 40, 400, 2063, 6500, 32767 };
	uint32_t one_in = 1 + rng_below(12);
	int limit = limits[rng_below(8)];

	limit = limit < most ? limit : most;
	for (int i = 0; i < n; i++)
		level[i] = rng_below(one_in) ? 0 : (int16_t)rng_around(limit);
}

static void test_reconstruct(void)
{
	int bad = 0, broken = 0, exceeds[2] = { 0, 0 };

	for (int round = 0; round < 4 * ROUNDS; round++) {
		uint8_t room[128], a[64], *b;
		const uint8_t *pred = block(room, 64);
		h264i_qparams q = random_params();
		const h264i_quant *of = rng() & 1 ? &q.luma : &q.chroma[0];
		int apart = (int)(rng() & 1), want;
		int32_t dc = rng_around(rng() & 1 ? 2000 : 70000);
		int16_t level[64];
		guarded out;

		/* products with 16 times the largest of the 8x8 constants have 32 bits */
		random_levels_of(level, 64, INT32_MAX / 16 / q.luma8.v[2] - 1);
		want = spec->reconstruct4(level, of, apart, dc, pred, a);
		b = guarded_init(&out, 16, 1);
		bad += want != fast->reconstruct4(level, of, apart, dc, pred, b);
		bad += memcmp(a, b, 16) != 0;
		broken += guard_broken(&out);
		exceeds[want]++;

		want = spec->reconstruct8(level, &q.luma8, pred, a);
		b = guarded_init(&out, 64, 1);
		bad += want != fast->reconstruct8(level, &q.luma8, pred, b);
		bad += memcmp(a, b, 64) != 0;
		broken += guard_broken(&out);
	}
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT_EQUAL(broken, 0);
	CU_ASSERT_TRUE(exceeds[0] > ROUNDS / 2 && exceeds[1] > ROUNDS / 2);
}

static void test_divide_and_sums(void)
{
	int bad = 0, broken = 0;

	for (int round = 0; round < ROUNDS; round++) {
		uint8_t total_a[4], *total_b, room_a[512], room_b[512];
		int16_t level[20 * 16], part_a[4][16], *part_b;
		int blocks = (int)rng_below(21), n = 16 << rng_below(5);
		h264i_level_sums s = { rng_below(9), rng_below(9), rng_below(9), rng_below(9) };
		h264i_level_sums t = s;
		guarded out, totals;
		const uint8_t *x = block(room_a, 256), *y = block(room_b, 256);

		random_levels_of(level, 20 * 16, INT16_MAX);
		spec->divide8(level, part_a, total_a);
		part_b = guarded_init(&out, 128, 2);
		total_b = guarded_init(&totals, 4, 1);
		fast->divide8(level, (int16_t(*)[16])part_b, total_b);
		bad += memcmp(part_a, part_b, 128) != 0 || memcmp(total_a, total_b, 4) != 0;
		broken += guard_broken(&out) || guard_broken(&totals);

		spec->sum_levels(level, blocks, &s);
		fast->sum_levels(level, blocks, &t);
		bad += memcmp(&s, &t, sizeof(s)) != 0;
		bad += spec->squared_error(x, y, n) != fast->squared_error(x, y, n);
	}
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT_EQUAL(broken, 0);
}

/* Real levels of a block: mostly small, some just beside a decision, few large. */
static void random_real(int32_t real[64])
{
	static const int limits[] = { 100, 200, 400, 1000, 6000, 100000, 1500000 };
	int limit = limits[rng_below(7)];
	uint32_t one_in = 1 + rng_below(8), end = 1 + rng_below(64);

	for (uint32_t i = 0; i < 64; i++) {
		real[i] = i > end && rng_below(one_in) ? rng_around(127) : rng_around(limit);
		if (rng_below(8) == 0)
			real[i] =
				(rng() & 1 ? 1 : -1) * (128 * (int)rng_below(9) - (int)(rng() & 1));
	}
}

static void test_choose(void)
{
	int bad = 0, broken = 0, coded = 0;

	for (int round = 0; round < 4 * ROUNDS; round++) {
		int cat = (int)rng_below(H264I_CATS), passes = (int)rng_below(3), want;
		int n = cat == H264I_CAT_LUMA_8X8 ? 64 : 16;
		uint16_t flag[2] = { (uint16_t)rng_below(2000), (uint16_t)rng_below(2000) };
		h264i_scan_rates scan;
		uint32_t rate_a = 0, rate_b = 1;
		h264i_rates rates;
		int16_t a[64], *b;
		int32_t real[64], weight;
		guarded out;

		h264i_i_rates_init(&rates, (int)rng_below(H264I_QPS), NULL, NULL);
		h264i_i_scan_rates_init(&scan, &rates, cat);
		weight = rng() & 1 ? rates.quant_luma : rates.quant_chroma[0];
		random_real(real);
		want = spec->choose(&scan, real, flag, weight, passes, a, &rate_a);
		b = guarded_init(&out, (size_t)n * 2, 2);
		bad += want != fast->choose(&scan, real, flag, weight, passes, b, &rate_b);
		bad += rate_a != rate_b || memcmp(a, b, (size_t)n * 2) != 0;
		broken += guard_broken(&out);
		coded += want != 0;
	}
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT_EQUAL(broken, 0);
	CU_ASSERT_TRUE(coded > ROUNDS);
}

static void test_choose_cavlc(void)
{
	int bad = 0, broken = 0, coded = 0;

	for (int round = 0; round < 4 * ROUNDS; round++) {
		h264i_cavlc_kind k = { &h264i_i_cavlc, (int)rng_below(2), 16, (int)rng_below(17) };
		int passes = (int)rng_below(3), want;
		uint32_t rate_a = 0, rate_b = 1;
		int32_t real[64], weight = 1 + (int32_t)rng_below(2000);
		int16_t a[16], *b;
		guarded out;

		if (rng_below(4) == 0)
			k = (h264i_cavlc_kind){ &h264i_i_cavlc, 0, 4, -1 };
		random_real(real);
		want = spec->choose_cavlc(&k, real, weight, passes, a, &rate_a);
		b = guarded_init(&out, sizeof(a), 2);
		bad += want != fast->choose_cavlc(&k, real, weight, passes, b, &rate_b);
		bad += rate_a != rate_b || memcmp(a, b, sizeof(a)) != 0;
		broken += guard_broken(&out);
		coded += want != 0;
	}
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT_EQUAL(broken, 0);
	CU_ASSERT_TRUE(coded > ROUNDS);
}

static void test_detail(void)
{
	int bad = 0, broken = 0;

	for (int round = 0; round < ROUNDS; round++) {
		uint8_t room[18 * 64 + 32];
		size_t pitch = 17 + rng_below(47);
		const uint8_t *src = block(room, 18 * 64) + pitch + 1;
		int has_left = (int)(rng() & 1), has_up = (int)(rng() & 1);
		uint32_t a[4][H264I_DETAIL_COUNTS], (*b)[H264I_DETAIL_COUNTS];
		guarded out;

		b = guarded_init(&out, sizeof(a), 4);
		memset(a, 0, sizeof(a));
		memset(b, 0, sizeof(a));
		spec->detail(src, pitch, has_left, has_up, a);
		fast->detail(src, pitch, has_left, has_up, b);
		for (int n = 0; n < H264I_DETAIL_COUNTS; n++)
			bad += a[0][n] + a[1][n] + a[2][n] + a[3][n] !=
			       b[0][n] + b[1][n] + b[2][n] + b[3][n];
		broken += guard_broken(&out);
	}
	CU_ASSERT_EQUAL(bad, 0);
	CU_ASSERT_EQUAL(broken, 0);
}

ON_ALL(detail)
ON_ALL(quantise)
ON_ALL(reconstruct)
ON_ALL(divide_and_sums)
ON_ALL(choose)
ON_ALL(choose_cavlc)

int main(void)
{
	CU_TestInfo tests[] = {
		{ "detail for rate control", all_detail },
		{ "quantised and real levels", all_quantise },
		{ "reconstruction", all_reconstruct },
		{ "parts, sums and squared errors", all_divide_and_sums },
		{ "levels by rate and distortion", all_choose },
		{ "levels by the bits of CAVLC", all_choose_cavlc },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("dsp_residual", tests);
}
