/* Estimated rates (decide/rates.h) against the bins that the binariser makes, and quantisation by
 * rate and distortion (decide/rdoq.h) against a search of all combinations of levels. */
#include "h264intra/decide/rd.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/random_levels.h"

#include <string.h>

static const int coefficients_of[] = { 16, 15, 16, 4, 15, 64 };

/* The bits of bins in 1/256, without those of the contexts in `skip`. */
static uint32_t rate_of_bins(const h264i_rates *r, const h264i_bins *b, const int skip[3])
{
	uint32_t rate = 0;

	for (uint32_t i = 0; i < b->count; i++) {
		int ctx = b->bin[i] >> 1;

		if (skip && (ctx == skip[0] || ctx == skip[1] || ctx == skip[2]))
			continue;
		rate += ctx == H264I_BIN_BYPASS ? 256 : r->bin[ctx][b->bin[i] & 1];
	}
	return rate;
}

static void rates_follow_the_probability(void)
{
	static h264i_rates r;

	for (int qp = 0; qp < 52; qp++) {
		h264i_i_rates_init(&r, qp, NULL, NULL);
		for (int i = 0; i < H264I_CTX; i++) {
			uint32_t less = r.bin[i][0] > r.bin[i][1] ? r.bin[i][0] : r.bin[i][1];
			uint32_t more = r.bin[i][0] + r.bin[i][1] - less;

			CU_ASSERT_TRUE(less >= 256 && more <= 256 && more > 0 && less < 1500);
		}
		CU_ASSERT_TRUE(r.lambda > 0 && r.quant_luma > 0);
		CU_ASSERT_TRUE(r.quant_chroma[0] >= r.quant_luma);
		CU_ASSERT_EQUAL(r.quant_chroma[0], r.quant_chroma[1]);
	}
}

static void block_rates_are_those_of_the_bins(void)
{
	static h264i_rates r;
	uint16_t record[H264I_ITEM_BINS_MAX];

	for (int round = 0; round < 6000; round++) {
		int cat = round % 6, n = coefficients_of[cat], magnitude[64], any = 0;
		h264i_bins bins = { record, 0, H264I_ITEM_BINS_MAX };
		h264i_bin_block block = { 0 };
		h264i_block_rates br;
		int16_t level[64], stored[64];

		h264i_i_rates_init(&r, round % 52, NULL, NULL);
		br = h264i_block_rates_of(&r, cat);
		CU_ASSERT_EQUAL(br.coefficients, n);
		random_levels(level, n);
		memset(stored, 0, sizeof(stored));
		for (int i = 0; i < n; i++) {
			stored[cat == H264I_CAT_LUMA_8X8 ? 16 * (i & 3) + (i >> 2) : i] = level[i];
			magnitude[i] = level[i] < 0 ? -level[i] : level[i];
			block.nonzero |= (uint64_t)(level[i] != 0) << i;
			any |= level[i];
		}
		if (!any)
			continue;
		block.level = stored;
		block.cat = cat;
		block.coefficients = n;
		h264i_block_bins(&bins, &block);
		CU_ASSERT_EQUAL(h264i_rate_block(&br, magnitude), rate_of_bins(&r, &bins, NULL));
	}
}

/* A macroblock that may stand beside another; no levels. */
static h264i_mb random_mb(void)
{
	h264i_mb mb;

	memset(&mb, 0, sizeof(mb));
	mb.type = (uint8_t)(rng() % 2);
	mb.chroma_mode = (uint8_t)(rng() % 4);
	mb.cbp = (uint8_t)(rng() % 3 << 4 | (mb.type ? rng() % 2 * 15 : rng() % 16));
	mb.i16_mode = (uint8_t)(mb.type ? rng() % 4 : 0);
	mb.flags = (uint8_t)(mb.type ? 0 : rng() % 2);
	for (int b = 0; b < 16; b++)
		mb.i4_mode[b] = mb.type             ? I4_DC
				: mb.flags && b % 4 ? mb.i4_mode[b - 1]
						    : (uint8_t)(rng() % 9);
	return mb;
}

/* What the decisions count of a macroblock's header. */
static uint32_t header_rate(
	const h264i_rates *r, const h264i_mb *mb, const h264i_mb *left, const h264i_mb *up)
{
	uint32_t rate = h264i_rate_type(r, mb, left, up, 1) +
			h264i_rate_chroma_mode(r, mb->chroma_mode, left, up);

	if (mb->type != H264I_MB_I4X4)
		return rate;
	for (int b = 0; b < 16; b += mb->flags ? 4 : 1)
		rate += h264i_rate_mode(r, mb->i4_mode[b], h264i_predicted_mode(mb, left, up, b));
	for (int b = 0; b < 4; b++)
		rate += r->bin[h264i_cbp_luma_ctx(mb, left, up, b)][mb->cbp >> b & 1];
	return rate + h264i_rate_cbp_chroma(r, mb->cbp >> 4, left, up);
}

static void header_rates_are_those_of_the_bins(void)
{
	static h264i_rates r;
	/* What mb_type says of chroma is the same in all modes, and the terminate bin is free. */
	static const int skip[3] = { H264I_CTX_MB_TYPE + 4, H264I_CTX_MB_TYPE + 5,
		H264I_CTX_TERMINATE };
	uint16_t record[256];

	for (int round = 0; round < 5000; round++) {
		h264i_mb mb = random_mb(), a = random_mb(), b = random_mb();
		const h264i_mb *left = round & 1 ? &a : NULL, *up = round & 2 ? &b : NULL;
		h264i_bins bins = { record, 0, 256 };

		h264i_i_rates_init(&r, round % 52, NULL, NULL);
		for (int part = 0; part < H264I_HEADER_PARTS; part++)
			h264i_mb_header_bins(&bins, &mb, left, up, left, 1, part);
		CU_ASSERT_EQUAL(header_rate(&r, &mb, left, up), rate_of_bins(&r, &bins, skip));
	}
}

/* Squared error and bits of levels, in the unit of rdoq.h. */
static int64_t cost_of(const h264i_block_rates *br, const uint32_t real[], const int level[],
	const uint16_t flag[2], int32_t weight)
{
	int64_t error = 0;
	int any = 0;

	for (int i = 0; i < br->coefficients; i++) {
		int64_t d = (int64_t)real[i] - 256 * level[i];

		error += d * d;
		any |= level[i];
	}
	return error +
	       ((int64_t)(any ? flag[1] + h264i_rate_block(br, level) : flag[0]) * weight >> 4);
}

/* The lowest cost of all levels that are the nearest, the one below or 0. */
static int64_t lowest_cost(
	const h264i_block_rates *br, const uint32_t real[], const uint16_t flag[2], int32_t weight)
{
	int place[16], places = 0, level[16] = { 0 }, combinations = 1;
	int64_t best = INT64_MAX;

	for (int i = 0; i < br->coefficients; i++)
		if (real[i] >= 128) {
			place[places++] = i;
			combinations *= 3;
		}
	for (int c = 0; c < combinations; c++) {
		int64_t cost;

		for (int k = 0, rest = c; k < places; k++, rest /= 3) {
			int nearest = (int)((real[place[k]] + 128) >> 8);

			level[place[k]] = rest % 3 == 0 ? 0 : nearest - (rest % 3 - 1);
		}
		cost = cost_of(br, real, level, flag, weight);
		best = cost < best ? cost : best;
	}
	return best;
}

/* Sums over blocks with at most eight coefficients above half a step: the excess over the lowest
 * cost of plain quantisation, of one pass and of two. */
static void passes_come_close_to_the_lowest_cost(void)
{
	static const uint16_t flag[2] = { 200, 320 };
	static h264i_rates r;
	int64_t plain = 0, one = 0, two = 0, low = 0;

	for (int round = 0; round < 1500; round++) {
		int cat = round % 5, large = 0, level[16];
		uint32_t real[16];
		h264i_block_rates br;
		int32_t weight;

		h264i_i_rates_init(&r, 18 + round % 24, NULL, NULL);
		br = h264i_block_rates_of(&r, cat);
		weight = cat < 3 ? r.quant_luma : r.quant_chroma[0];
		for (int i = 0; i < br.coefficients; i++) {
			real[i] = rng() % (1500u >> (i / 2 < 4 ? i / 2 : 4));
			large += real[i] >= 128;
			real[i] = large > 8 ? real[i] % 128 : real[i];
			level[i] = h264i_plain_level(real[i]);
		}
		low += lowest_cost(&br, real, flag, weight);
		plain += cost_of(&br, real, level, flag, weight);
		h264i_quantise_pass(&br, real, level, flag, weight);
		one += cost_of(&br, real, level, flag, weight);
		h264i_quantise_pass(&br, real, level, flag, weight);
		two += cost_of(&br, real, level, flag, weight);
	}
	printf(" (above the lowest cost: plain %.2f %%, one pass %.2f %%, two %.2f %%) ",
		100.0 * (double)(plain - low) / (double)low,
		100.0 * (double)(one - low) / (double)low,
		100.0 * (double)(two - low) / (double)low);
	CU_ASSERT_TRUE(one >= low && two >= low);
	CU_ASSERT_TRUE(5 * (one - low) < plain - low && 5 * (two - low) < plain - low);
}

static void large_levels_stay(void)
{
	static const uint16_t flag[2] = { 1, 3000 };
	static h264i_rates r;

	for (int qp = 0; qp < 52; qp++)
		for (int i = 0; i < 64; i++) {
			uint32_t real[64] = { 0 };
			int level[64] = { 0 };
			h264i_block_rates br;

			h264i_i_rates_init(&r, qp, NULL, NULL);
			br = h264i_block_rates_of(&r, H264I_CAT_LUMA_8X8);
			real[i] = i % 2 ? 2063 * 256 : 5 * 256;
			level[i] = h264i_plain_level(real[i]);
			h264i_quantise_pass(&br, real, level, flag, r.quant_luma);
			CU_ASSERT_TRUE(level[i] >= (int)(real[i] >> 8) - 1);
		}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "rates are those of probabilities", rates_follow_the_probability },
		{ "rates of blocks are those of their bins", block_rates_are_those_of_the_bins },
		{ "rates of headers are those of their bins", header_rates_are_those_of_the_bins },
		{ "passes come close to the lowest cost", passes_come_close_to_the_lowest_cost },
		{ "large levels stay", large_levels_stay },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("rate-distortion quantisation", tests);
}
