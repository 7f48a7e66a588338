/* Bits of CAVLC for decisions (decide/cavlc_rates.h) against those that the coder writes, and
 * quantisation by them against a search of all combinations of levels. */
#include "h264intra/decide/rd.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/random_levels.h"

#include <string.h>

/* A kind of block with a random nC. */
static h264i_cavlc_kind random_kind(void)
{
	h264i_cavlc_kind k = { &h264i_i_cavlc, (int)rng_below(2), 16, (int)rng_below(17) };

	if (rng_below(4) == 0) {
		k.first = 0;
		k.last = 4;
		k.nC = -1;
	}
	return k;
}

static uint32_t coded_bits(const h264i_cavlc_kind *k, const int32_t magnitude[16])
{
	_Alignas(8) int16_t level[16];
	int bits;

	for (int i = 0; i < 16; i++)
		level[i] = (int16_t)magnitude[i];
	bits = h264i_cavlc_code(NULL, k->t, level, k->first, k->last, k->nC);
	return bits < 0 ? 0 : (uint32_t)bits;
}

static void bits_of_blocks_are_those_of_the_coder(void)
{
	for (int round = 0; round < 20000; round++) {
		h264i_cavlc_kind k = random_kind();
		int16_t level[16] = { 0 };
		uint32_t any = 0, larger = 0;
		int32_t magnitude[16];

		random_levels(level + k.first, k.last - k.first);
		for (int i = 0; i < 16; i++) {
			magnitude[i] = level[i] < 0 ? -level[i] : level[i];
			any |= (uint32_t)(magnitude[i] != 0) << i;
			larger |= (uint32_t)(magnitude[i] > 1) << i;
		}
		CU_ASSERT_EQUAL(h264i_cavlc_bits(&k, magnitude, any, larger, -1),
			coded_bits(&k, magnitude));
		for (int i = 0; i < 16; i++) {
			uint32_t bits;

			if (!magnitude[i])
				continue;
			bits = h264i_cavlc_bits(&k, magnitude, any, larger, i);
			magnitude[i]--;
			CU_ASSERT_EQUAL(bits, coded_bits(&k, magnitude));
			magnitude[i]++;
		}
	}
}

/* A macroblock of I_NxN or Intra16x16; no levels. */
static h264i_mb random_mb(int syntax)
{
	h264i_mb mb;

	memset(&mb, 0, sizeof(mb));
	mb.type = (uint8_t)(rng() % 2);
	mb.chroma_mode = (uint8_t)(syntax & H264I_SYNTAX_GRAY ? 0 : rng() % 4);
	mb.cbp = (uint8_t)(syntax & H264I_SYNTAX_GRAY ? 0 : rng() % 3 << 4);
	mb.cbp |= (uint8_t)(mb.type ? rng() % 2 * 15 : rng() % 16);
	mb.i16_mode = (uint8_t)(mb.type ? rng() % 4 : 0);
	mb.flags = (uint8_t)(mb.type || !(syntax & H264I_SYNTAX_8X8) ? 0 : rng() % 2);
	for (int b = 0; b < 16; b++)
		mb.i4_mode[b] = mb.type             ? I4_DC
				: mb.flags && b % 4 ? mb.i4_mode[b - 1]
						    : (uint8_t)(rng() % 9);
	return mb;
}

static void header_rates_are_those_of_the_coder(void)
{
	for (int round = 0; round < 20000; round++) {
		int syntax = (int)rng_below(4) | H264I_SYNTAX_CAVLC;
		h264i_mb mb = random_mb(syntax), a = random_mb(syntax), b = random_mb(syntax);
		const h264i_mb *left = round & 1 ? &a : NULL, *up = round & 2 ? &b : NULL;
		uint32_t rate, bits;
		h264i_levels levels;

		/* As likely. */
		mb.cbp = (uint8_t)((mb.cbp & 15) | h264i_likely_chroma(left, up) << 4);
		rate = h264i_cavlc_rate_type(&h264i_i_cavlc, &mb, left, up, syntax);
		for (int i = 0; mb.type == H264I_MB_I4X4 && i < 16; i += mb.flags ? 4 : 1)
			rate += h264i_cavlc_rate_mode(
				mb.i4_mode[i], h264i_predicted_mode(&mb, left, up, i));
		if (!(syntax & H264I_SYNTAX_GRAY))
			rate += 256 * h264i_ue_bits(mb.chroma_mode);
		bits = (uint32_t)h264i_mb_item_bits(
			&h264i_i_cavlc, &mb, &levels, left, up, syntax, H264I_ITEM_HEADER);
		CU_ASSERT_EQUAL(rate, 256 * bits);
	}
}

static void likely_patterns_are_those_of_the_neighbours(void)
{
	h264i_mb left = { .cbp = 2 | 1 << 4 }, up = { .cbp = 8 | 2 << 4 };

	CU_ASSERT_EQUAL(h264i_likely_chroma(NULL, NULL), 0);
	CU_ASSERT_EQUAL(h264i_likely_chroma(&left, NULL), 1);
	CU_ASSERT_EQUAL(h264i_likely_chroma(&left, &up), 2);
	CU_ASSERT_EQUAL(h264i_likely_luma(NULL, NULL), 15);
	CU_ASSERT_EQUAL(h264i_likely_luma(&left, NULL), 3); /* block 1 is beside 0, then 1 */
	CU_ASSERT_EQUAL(h264i_likely_luma(NULL, &up), 10);  /* block 3 is above 1, then 3 */
	left.cbp = 13;
	CU_ASSERT_EQUAL(h264i_likely_luma(&left, &up), 14);
}

/* Squared error and bits of levels, in the unit of rdoq.h. */
static int64_t cost_of(
	const h264i_cavlc_kind *k, const uint32_t real[16], const int32_t level[16], int32_t weight)
{
	int64_t error = 0;

	for (int i = k->first; i < k->last; i++) {
		int64_t d = (int64_t)real[i] - 256 * level[i];

		error += d * d;
	}
	return error + ((int64_t)coded_bits(k, level) * 256 * weight >> 4);
}

/* The lowest cost of all levels that are the nearest, the one below or 0. */
static int64_t lowest_cost(const h264i_cavlc_kind *k, const uint32_t real[16], int32_t weight)
{
	int place[16], places = 0, combinations = 1;
	int32_t level[16] = { 0 };
	int64_t best = INT64_MAX;

	for (int i = k->first; i < k->last; i++)
		if (real[i] >= 128) {
			place[places++] = i;
			combinations *= 3;
		}
	for (int c = 0; c < combinations; c++) {
		int64_t cost;

		for (int n = 0, rest = c; n < places; n++, rest /= 3) {
			int nearest = (int)((real[place[n]] + 128) >> 8);

			level[place[n]] = rest % 3 == 0 ? 0 : nearest - (rest % 3 - 1);
		}
		cost = cost_of(k, real, level, weight);
		best = cost < best ? cost : best;
	}
	return best;
}

/* Sums over blocks with at most eight coefficients above half a step. */
static void steps_come_close_to_the_lowest_cost(void)
{
	int64_t plain = 0, low = 0, after[2] = { 0, 0 };
	static h264i_rates r;

	h264i_i_rates_init(&r, 27, NULL, NULL);
	for (int round = 0; round < 1500; round++) {
		int32_t weight = h264i_rd_luma_weight(&r, 1);
		h264i_cavlc_kind k = random_kind();
		uint32_t real[16] = { 0 };
		h264i_cavlc_levels b;
		int large = 0;

		for (int i = k.first; i < k.last; i++) {
			real[i] = rng() % (1500u >> (i / 2 < 4 ? i / 2 : 4));
			large += real[i] >= 128;
			real[i] = large > 8 ? real[i] % 128 : real[i];
		}
		low += lowest_cost(&k, real, weight);
		for (int passes = 0; passes < 3; passes++) {
			int64_t cost;

			h264i_cavlc_quantise(&k, real, &b, weight, passes);
			CU_ASSERT_EQUAL(b.bits, coded_bits(&k, b.level));
			cost = cost_of(&k, real, b.level, weight);
			*(passes ? &after[passes - 1] : &plain) += cost;
		}
	}
	printf(" (above the lowest cost: plain %.2f %%, one pass %.2f %%, two %.2f %%) ",
		100.0 * (double)(plain - low) / (double)low,
		100.0 * (double)(after[0] - low) / (double)low,
		100.0 * (double)(after[1] - low) / (double)low);
	CU_ASSERT_TRUE(after[0] >= low && after[1] >= low && after[1] <= after[0]);
	CU_ASSERT_TRUE(2 * (after[0] - low) < plain - low && 4 * (after[1] - low) < plain - low);
}

static void large_levels_stay(void)
{
	static const int offset[2] = { 12, -12 };
	static h264i_rates r;

	for (int qp = 0; qp < 52; qp++)
		for (int i = 0; i < 16; i++) {
			h264i_cavlc_kind k = { &h264i_i_cavlc, 0, 16, 0 };
			uint32_t real[16] = { 0 };
			h264i_cavlc_levels b;

			h264i_i_rates_init(&r, qp, NULL, offset);
			real[i] = i % 2 ? 2063 * 256 : 32 * 256;
			h264i_cavlc_quantise(&k, real, &b, 4 * r.quant_chroma[0], 2);
			CU_ASSERT_TRUE(b.level[i] >= (int)(real[i] >> 8) - 1);
		}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "bits of blocks are those of the coder", bits_of_blocks_are_those_of_the_coder },
		{ "rates of headers are those of the coder", header_rates_are_those_of_the_coder },
		{ "likely patterns are those of the neighbours",
			likely_patterns_are_those_of_the_neighbours },
		{ "steps come close to the lowest cost", steps_come_close_to_the_lowest_cost },
		{ "large levels stay", large_levels_stay },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("rates of CAVLC", tests);
}
