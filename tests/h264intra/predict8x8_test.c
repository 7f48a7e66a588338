/* Intra8x8 prediction against the equations of clause 8.3.2, written one sample at a time. */
#include <stdio.h>
#include <string.h>
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/predict/edge8x8.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/predict_clause.h"

static const uint8_t table[I4_MODES][64] = H264I_E8_TABLE_INIT;

/* ---- availability ---- */

/* Returns whether luma location (x, y), relative to the macroblock's corner, is decoded before 8x8
 * block b. */
static int decoded_before(int x, int y, int b, int mb_avail)
{
	if (y < 0 && x < 0)
		return (mb_avail & H264I_UPLEFT) != 0;
	if (y < 0)
		return (mb_avail & (x < 16 ? H264I_UP : H264I_UPRIGHT)) != 0;
	if (x < 0)
		return (mb_avail & H264I_LEFT) != 0;
	return x < 16 && y / 8 * 2 + x / 8 < b;
}

static void test_block_availability(void)
{
	for (int mb = 0; mb < 16; mb++)
		for (int b = 0; b < 4; b++) {
			int x = b % 2 * 8, y = b / 2 * 8, want = 0;

			want |= decoded_before(x - 1, y, b, mb) ? H264I_LEFT : 0;
			want |= decoded_before(x, y - 1, b, mb) ? H264I_UP : 0;
			want |= decoded_before(x + 8, y - 1, b, mb) ? H264I_UPRIGHT : 0;
			want |= decoded_before(x - 1, y - 1, b, mb) ? H264I_UPLEFT : 0;
			CU_ASSERT_EQUAL(h264i_i8_avail(b, mb), want);
		}
}

/* ---- against the clause ---- */

/* One block in every mode; the modes that read missing samples must be the forbidden ones. */
static int block_is_right(int avail, int extreme)
{
	uint8_t p[E8_SAMPLES], s[E8_EDGE];
	around a = { .avail = avail }, f;
	int ok = 1;

	for (int i = 0; i < E8_SAMPLES; i++)
		p[i] = extreme ? (uint8_t)(rng() & 1 ? 255 : 0) : (uint8_t)rng();
	/* Clause 8.3.2.2: p[x, -1] of x = 8..15 are replaced by p[7, -1]. */
	for (int i = 17; i < E8_SAMPLES && !(avail & H264I_UPRIGHT); i++)
		p[i] = p[16];
	for (int i = 0; i < 9; i++)
		a.left[i] = p[8 - i];
	for (int i = 0; i < 17; i++)
		a.top[i] = p[8 + i];
	f = filtered(&a);
	h264i_e8_edge(p, avail, s);
	for (int m = 0; m < I4_MODES; m++) {
		int same = 1, allowed = h264i_i4_allowed(avail) >> m & 1;

		read_missing = 0;
		for (int i = 0; i < 64; i++)
			same &= pred_nxn(&f, 8, m, i % 8, i / 8) == s[table[m][i]];
		if (read_missing == allowed || (allowed && !same)) {
			printf("\n  mode %d, available %#x\n", m, avail);
			ok = 0;
		}
	}
	return ok;
}

static void test_intra8x8(void)
{
	for (int round = 0; round < 400; round++)
		for (int avail = 0; avail < 16; avail++)
			CU_ASSERT_TRUE(block_is_right(avail, round % 4 == 0));
}

/* Clause 8.3.2.1, in macroblocks of both kinds: the mode of the 8x8 block next to it, or of 4x4
 * block 4 * n + 1 to the left and 4 * n + 2 above in an I4x4 macroblock. */
static int neighbour_mode(const h264i_mb *mb, int block8, int above)
{
	if (mb->flags & H264I_MB_T8X8)
		return mb->i4_mode[4 * block8];
	return mb->i4_mode[4 * block8 + (above ? 2 : 1)];
}

static void test_predicted_mode(void)
{
	for (int round = 0; round < 4000; round++) {
		h264i_mb mb[3]; /* this, left, up */
		int has_left = round & 1, has_up = round >> 1 & 1;

		memset(mb, 0, sizeof(mb));
		for (int n = 0; n < 3; n++) {
			if (n == 0 || (rng() & 1))
				mb[n].flags = H264I_MB_T8X8;
			for (int b = 0; b < 16; b++)
				mb[n].i4_mode[b] = mb[n].flags && b % 4 ? mb[n].i4_mode[b - 1]
									: (uint8_t)rng_below(9);
		}
		for (int b = 0; b < 4; b++) {
			int x = b % 2, y = b / 2, want = I4_DC;

			if ((x || has_left) && (y || has_up)) {
				int a = neighbour_mode(&mb[x ? 0 : 1], b ^ 1, 0);
				int c = neighbour_mode(&mb[y ? 0 : 2], b ^ 2, 1);

				want = a < c ? a : c;
			}
			CU_ASSERT_EQUAL(h264i_predicted_mode(&mb[0], has_left ? &mb[1] : NULL,
						has_up ? &mb[2] : NULL, 4 * b),
				want);
		}
	}
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a block's neighbours are those decoded before it", test_block_availability },
		{ "Intra8x8 modes predict the samples of clause 8.3.2", test_intra8x8 },
		{ "the predicted mode is that of clause 8.3.2.1", test_predicted_mode },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("predict8x8", tests);
}
