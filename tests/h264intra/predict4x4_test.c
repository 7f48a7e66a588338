/* Numbers and neighbours of 4x4 blocks, and Intra4x4 prediction against the formulas of clause
 * 8.3.1, written one sample at a time. */
#include <stdio.h>
#include "tests/common/testmain.h"
#include "tests/h264intra/predict_clause.h"
#include "tests/h264intra/predict_common.h"

static void test_block_places(void)
{
	for (int b = 0; b < 16; b++) {
		CU_ASSERT_EQUAL(4 * h264i_blk_x(b), scan_x(b));
		CU_ASSERT_EQUAL(4 * h264i_blk_y(b), scan_y(b));
		CU_ASSERT_EQUAL(h264i_blk_at(h264i_blk_x(b), h264i_blk_y(b)), b);
	}
}

/* Returns whether luma location (x, y), relative to the macroblock's corner, is decoded before
 * block b. */
static int decoded_before(int x, int y, int b, int mb_avail)
{
	if (y < 0 && x < 0)
		return (mb_avail & H264I_UPLEFT) != 0;
	if (y < 0)
		return (mb_avail & (x < 16 ? H264I_UP : H264I_UPRIGHT)) != 0;
	if (x < 0)
		return (mb_avail & H264I_LEFT) != 0;
	return x < 16 && block_number(x / 4 * 4, y / 4 * 4) < b;
}

static void test_block_availability(void)
{
	for (int mb = 0; mb < 16; mb++)
		for (int b = 0; b < 16; b++) {
			int x = scan_x(b), y = scan_y(b), want = 0, got = h264i_i4_avail(b, mb);

			want |= decoded_before(x - 1, y, b, mb) ? H264I_LEFT : 0;
			want |= decoded_before(x, y - 1, b, mb) ? H264I_UP : 0;
			want |= decoded_before(x + 4, y - 1, b, mb) ? H264I_UPRIGHT : 0;
			want |= decoded_before(x - 1, y - 1, b, mb) ? H264I_UPLEFT : 0;
			CU_ASSERT_EQUAL(got, want);
			if (got != want)
				printf("\n  block %d of %#x: %#x, should be %#x\n", b, mb, got,
					want);
		}
}

/* ---- Intra4x4 ---- */

/* One block in every mode; the modes that read missing samples must be the forbidden ones. */
static int block_is_right(const h264i_dsp *dsp, int b, int avail)
{
	int x0 = scan_x(b), y0 = scan_y(b), ok = 1;
	h264i_candidates cand = { avail, h264i_i4_allowed(avail), 0, 1 };
	uint8_t src[16] = { 0 }, pred[I4_MODES][16];
	uint32_t key[H264I_KEYS];
	around p = around_block(&PX(&work, x0, y0), H264I_REC_PITCH, 4, avail);

	dsp->decide4(src, &PX(&work, x0, y0), &cand, pred, key);
	for (int m = 0; m < I4_MODES; m++) {
		int same = 1, allowed = h264i_i4_allowed(avail) >> m & 1;

		read_missing = 0;
		for (int i = 0; i < 16; i++)
			same &= pred_nxn(&p, 4, m, i % 4, i / 4) == pred[m][i];
		if (read_missing == allowed || (allowed && !same)) {
			printf("\n  %s: mode %d of block %d, available %#x\n", dsp->name, m, b,
				avail);
			ok = 0;
		}
	}
	return ok;
}

static void test_intra4x4(void)
{
	for (int round = 0; round < 60; round++)
		for (int i = 0; i < H264I_SIMDS; i++) {
			const h264i_dsp *dsp = h264i_i_dsp((h264i_simd)i);

			work_init(15);
			for (int b = 0; dsp && b < 16; b++)
				for (int avail = 0; avail < 16; avail++)
					CU_ASSERT_TRUE(block_is_right(dsp, b, avail));
		}
}

/* The modes that H264I_DISABLE_UPRIGHT leaves out are those whose prediction depends on samples of
 * the macroblock to the upper right. */
static void test_upright_modes(void)
{
	const h264i_dsp *dsp = h264i_i_dsp(H264I_SIMD_SCALAR);
	uint32_t depends[16][16] = { { 0 } };

	for (int round = 0; round < 20; round++)
		for (int i = 0; i < 256; i++) {
			const int b = i & 15, avail = h264i_i4_avail(b, i >> 4);
			h264i_candidates cand = { avail, h264i_i4_allowed(avail), 0, 1 };
			uint8_t src[16] = { 0 }, pred[2][I4_MODES][16];
			uint32_t key[H264I_KEYS];

			work_init(15);
			for (int k = 0; k < 2; k++) {
				dsp->decide4(
					src, &PX(&work, scan_x(b), scan_y(b)), &cand, pred[k], key);
				for (int x = 16; x < 20; x++)
					PX(&work, x, -1) ^= 0x55;
			}
			for (int m = 0; m < I4_MODES; m++)
				if (cand.allowed >> m & 1 &&
					memcmp(pred[0][m], pred[1][m], 16) != 0)
					depends[i >> 4][b] |= 1u << m;
		}
	for (int i = 0; i < 256; i++) {
		const int b = i & 15, avail = i >> 4;
		const uint32_t left_out = h264i_i4_upright(b, avail, H264I_DISABLE_UPRIGHT) &
					  h264i_i4_allowed(h264i_i4_avail(b, avail));

		CU_ASSERT_EQUAL(left_out, depends[avail][b]);
		CU_ASSERT_EQUAL(h264i_i4_upright(b, avail, ~H264I_DISABLE_UPRIGHT), 0);
	}
	CU_ASSERT_TRUE(depends[15][5] != 0);
}

/* Clause 8.3.1.1: the smaller of both neighbours' modes, DC where one is missing. */
static void test_predicted_mode(void)
{
	for (int round = 0; round < 2000; round++) {
		h264i_mb mb[3]; /* this, left, up */
		int has_left = round & 1, has_up = round >> 1 & 1;

		for (int i = 0; i < 48; i++)
			mb[i / 16].i4_mode[i % 16] = (uint8_t)rng_below(9);
		for (int b = 0; b < 16; b++) {
			int x = scan_x(b), y = scan_y(b), want = I4_DC;

			if ((x || has_left) && (y || has_up)) {
				int a = x ? mb[0].i4_mode[block_number(x - 4, y)]
					  : mb[1].i4_mode[block_number(12, y)];
				int c = y ? mb[0].i4_mode[block_number(x, y - 4)]
					  : mb[2].i4_mode[block_number(x, 12)];

				want = a < c ? a : c;
			}
			CU_ASSERT_EQUAL(h264i_predicted_mode(&mb[0], has_left ? &mb[1] : NULL,
						has_up ? &mb[2] : NULL, b),
				want);
		}
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "block numbers have the positions of figure 6-10", test_block_places },
		{ "a block's neighbours are those decoded before it", test_block_availability },
		{ "Intra4x4 modes predict the samples of clause 8.3.1.2", test_intra4x4 },
		{ "modes that read the macroblock to the upper right", test_upright_modes },
		{ "the predicted mode is the smaller of both neighbours'", test_predicted_mode },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("predict4x4", tests);
}
