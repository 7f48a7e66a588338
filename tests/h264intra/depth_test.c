/* The texts that depend on the format of samples (core/format.h), at the depth that this program is
 * compiled for, against plain loops from the equations of ITU-T H.264. */
#include "tests/h264intra/depth_common.h"

#include <math.h>

#include "h264intra/bitstream/bits.h"
#include "h264intra/core/qp.h"
#include "h264intra/core/source.h"
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/entropy/qp_delta.h"
#include "h264intra/filter/sse.h"
#include "h264intra/transform/aq.h"
#include "tests/common/testmain.h"

/* Clauses 7.4.5 and 8.5.8. */
static void qps_have_the_offset_of_the_depth(void)
{
	static const int qpc[] = { 29, 30, 31, 32, 32, 33, 34, 34, 35, 35, 36, 36, 37, 37, 37, 38,
		38, 38, 39, 39, 39, 39 };
	h264i_mb pcm = { .type = H264I_MB_PCM, .qp = 3 };
	int wrong = 0;

	CU_ASSERT_EQUAL(H264I_QPS, QPS);
	CU_ASSERT_EQUAL(h264i_filter_qp(&pcm), OFFSET); /* qPp is 0 (8.7.2.2) */
	for (int qp = -OFFSET; qp <= 51; qp++)
		for (int offset = -12; offset <= 12; offset++) {
			int index = clip3(-OFFSET, 51, qp + offset);
			int want = index < 30 ? index : qpc[index - 30];

			wrong += h264i_chroma_qp(qp + OFFSET, offset) != want + OFFSET;
		}
	for (int before = -OFFSET; before <= 51; before++)
		for (int qp = -OFFSET; qp <= 51; qp++) {
			int d = h264i_qp_delta(qp + OFFSET, before + OFFSET);

			wrong += d < -(26 + OFFSET / 2) || d > 25 + OFFSET / 2;
			/* (7-37) */
			wrong += (before + d + 52 + 2 * OFFSET) % (52 + OFFSET) - OFFSET != qp;
		}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void pcm_samples_have_all_their_bits(void)
{
	h264i_px samples[H264I_PCM_PX];
	uint32_t word[H264I_PCM_BYTES / 4 + 2];
	uint8_t put[H264I_PCM_BYTES + 8], packed[H264I_PCM_BYTES];
	h264i_bits out;
	int wrong = 0;

	CU_ASSERT_EQUAL(h264i_pcm_bytes(0), (256 + 2 * 64) * DEPTH / 8);
	CU_ASSERT_EQUAL(h264i_pcm_bytes(H264I_SYNTAX_GRAY), 256 * DEPTH / 8);
	for (int i = 0; i < H264I_PCM_PX; i++)
		samples[i] = (h264i_px)rng_below(MOST + 1);
	h264i_bits_init(&out, word, 1, H264I_PCM_BYTES / 4 + 2);
	h264i_bits_put(&out, 5, 3);
	h264i_pcm_put(&out, samples, H264I_PCM_PX);
	h264i_bits_flush(&out);
	CU_ASSERT_EQUAL(h264i_bits_position(&out), 8 + 8 * H264I_PCM_BYTES);
	h264i_i_bits_to_bytes(put, word, 1 + H264I_PCM_BYTES);
	h264i_pcm_pack(samples, H264I_PCM_PX, packed);
	CU_ASSERT_EQUAL(memcmp(put + 1, packed, H264I_PCM_BYTES), 0);
	for (int i = 0; i < 8 * H264I_PCM_BYTES; i++)
		wrong += (packed[i / 8] >> (7 - i % 8) & 1) !=
			 (samples[i / DEPTH] >> (DEPTH - 1 - i % DEPTH) & 1);
	CU_ASSERT_EQUAL(wrong, 0);
}

/* Chroma of NV12, whose macroblocks cross both edges. */
static void samples_beyond_the_edge_are_the_last(void)
{
	enum { W = 21, H = 19, CW = 11, CH = 10 };
	static h264i_px y[W * H], c[2 * CW * CH];
	const h264i_geom g = { W, H, 2, 2, 1 };
	h264i_picture p;
	int wrong = 0;

	memset(&p, 0, sizeof(p));
	for (int i = 0; i < W * H; i++)
		y[i] = (h264i_px)rng_below(MOST + 1);
	for (int i = 0; i < 2 * CW * CH; i++)
		c[i] = (h264i_px)rng_below(MOST + 1);
	p.src[0] = y;
	p.src[1] = c;
	p.src[2] = c + 1;
	p.src_pitch[0] = W;
	p.src_pitch[1] = p.src_pitch[2] = 2 * CW;
	p.chroma_step = 2;
	for (uint32_t at = 0; at < 4; at++) {
		h264i_px block[256];

		for (uint32_t k = 0; k < 3; k++) {
			h264i_src s = h264i_src_of(&g, &p, k);
			int n = k ? 8 : 16;

			h264i_src_mb(&s, at & 1, at >> 1, block);
			for (int i = 0; i < n * n; i++) {
				int sx = clip3(0, k ? CW - 1 : W - 1, (int)(at & 1) * n + i % n);
				int sy = clip3(0, k ? CH - 1 : H - 1, (int)(at >> 1) * n + i / n);

				wrong += block[i] != (k ? c[2 * CW * sy + 2 * sx + (int)k - 1]
							: y[W * sy + sx]);
			}
		}
		CU_ASSERT_EQUAL(h264i_src_holds(&g, at & 1, at >> 1), at == 0);
	}
	CU_ASSERT_EQUAL(wrong, 0);
}

static void sums_of_squares_do_not_overflow(void)
{
	enum { WIDTH = 65535 };
	static h264i_px white[WIDTH], black[WIDTH];
	const h264i_samples a = { white, 0, 1 }, b = { black, 0, 1 };
	const uint32_t sum = 256u * MOST;
	uint32_t half = 128u * MOST;

	for (int i = 0; i < WIDTH; i++)
		white[i] = MOST;
	CU_ASSERT_EQUAL(h264i_i_sse_rows(&a, &b, WIDTH, 0, 3), 3 * (uint64_t)WIDTH * MOST * MOST);
	CU_ASSERT_EQUAL(h264i_i_dsp_scalar.squared_error(white, black, 256), sum * MOST);
	/* All samples equal: 0; half of them white: 256 * (MOST / 2)^2. */
	CU_ASSERT_EQUAL(h264i_deviation(sum * MOST, sum, 8), 0);
	CU_ASSERT_EQUAL(h264i_deviation(half * MOST, half, 8), 64u * MOST * MOST);
}

static void adaptive_quantisation_is_that_of_8_bits(void)
{
	const h264i_aq aq = { 1, 65536 };

	for (int round = 0; round < 200; round++) {
		uint32_t energy = 1 + rng_below(1 << 20), more = energy << 2 * (DEPTH - 8);
		double want = 1.0397 * (log2(energy) - 14.427), root = pow(energy + 1., .125);

		CU_ASSERT_TRUE(fabs(h264i_aq_offset(&aq, more) / 65536. - want) < .01);
		CU_ASSERT_TRUE(fabs(h264i_aq_root(more) / 65536. - root) < .001 * root);
	}
}

static void costs_are_those_of_8_bits(void)
{
	h264i_rates rates, eight;

	for (int qp = 0; qp < 52; qp++) {
		h264i_i_rates_init(&rates, qp + OFFSET, NULL, NULL);
		eight = rates;
		/* 64 * 0.6 * 2^((qp - 12) / 3) */
		CU_ASSERT_TRUE(fabs(eight.lambda - 38.4 * pow(2, (qp - 12) / 3.)) < .51);
		CU_ASSERT_EQUAL(
			h264i_rd_cost(&rates, 7 << 2 * (DEPTH - 8), 256), 64 * 7 + rates.lambda);
	}
	/* The largest error and a macroblock of 4,096 bits at the highest QP. */
	CU_ASSERT_EQUAL(h264i_rd_cost(&rates, 256u * MOST * MOST, 4096 * 256),
		(256u * MOST * MOST << (6 - 2 * (DEPTH - 8))) + 4096 * rates.lambda);
	CU_ASSERT_TRUE((256.0 * MOST * MOST) * (1 << (6 - 2 * (DEPTH - 8))) < 4294967296.0);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "Intra4x4 is that of clause 8.3.1", depth_predict4 },
		{ "Intra8x8 is that of clause 8.3.2", depth_predict8 },
		{ "Intra16x16 is that of clause 8.3.3", depth_predict16 },
		{ "chroma is predicted as in clause 8.3.4", depth_predict_chroma },
		{ "4x4 blocks are coded as in clause 8.5.12", depth_code4 },
		{ "8x8 blocks are coded as in clause 8.5.13", depth_code8 },
		{ "blocks of DCs are coded as in clauses 8.5.10 and 8.5.11", depth_dc },
		{ "the inverse transform has 8 + depth bits", depth_peak },
		{ "lines are filtered as in clause 8.7", depth_filter_line },
		{ "both orders of the filter agree", depth_filter_picture },
		{ "macroblocks are decoded to their reconstruction", depth_encode },
		{ "QPs have the offset of the depth", qps_have_the_offset_of_the_depth },
		{ "PCM samples have all their bits", pcm_samples_have_all_their_bits },
		{ "samples beyond the edge are the last", samples_beyond_the_edge_are_the_last },
		{ "sums of squares do not overflow", sums_of_squares_do_not_overflow },
		{ "adaptive quantisation is that of 8 bits",
			adaptive_quantisation_is_that_of_8_bits },
		{ "costs are those of 8 bits", costs_are_those_of_8_bits },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("depth", tests);
}
