/* Intra8x8 prediction against the equations of clause 8.3.2, written one sample at a time. */
#include <stdio.h>
#include <string.h>
#include "h264intra/entropy/mb_layer.h"
#include "h264intra/predict/edge8x8.h"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

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

/* ---- the clause ---- */

/* The neighbours of a block as the clause names them, p[x, -1] and p[-1, y], before the filter, and
 * p' after it; `missing` is set when a sample is read that is not available. */
typedef struct {
	int avail, missing;
	int top[16], left[8], corner;
	int ftop[16], fleft[8], fcorner;
} edges;

/* Clause 8.3.2.2: p[x, -1] of x = 8..15 are replaced by p[7, -1] if they are not available. */
static void substitute(edges *e)
{
	for (int x = 8; x < 16; x++)
		if (!(e->avail & H264I_UPRIGHT))
			e->top[x] = e->top[7];
}

/* Clause 8.3.2.2.1, equations 8-78 to 8-90. */
static void filter(edges *e)
{
	int up = e->avail & H264I_UP, left = e->avail & H264I_LEFT;
	int upleft = e->avail & H264I_UPLEFT;
	const int *t = e->top, *l = e->left, m = e->corner;

	if (up) {
		e->ftop[0] = upleft ? (m + 2 * t[0] + t[1] + 2) >> 2 : (3 * t[0] + t[1] + 2) >> 2;
		for (int x = 1; x < 15; x++)
			e->ftop[x] = (t[x - 1] + 2 * t[x] + t[x + 1] + 2) >> 2;
		e->ftop[15] = (t[14] + 3 * t[15] + 2) >> 2;
	}
	if (upleft) {
		if (!up && !left)
			e->fcorner = m;
		else if (!up)
			e->fcorner = (3 * m + l[0] + 2) >> 2;
		else if (!left)
			e->fcorner = (3 * m + t[0] + 2) >> 2;
		else
			e->fcorner = (t[0] + 2 * m + l[0] + 2) >> 2;
	}
	if (left) {
		e->fleft[0] = upleft ? (m + 2 * l[0] + l[1] + 2) >> 2 : (3 * l[0] + l[1] + 2) >> 2;
		for (int y = 1; y < 7; y++)
			e->fleft[y] = (l[y - 1] + 2 * l[y] + l[y + 1] + 2) >> 2;
		e->fleft[7] = (l[6] + 3 * l[7] + 2) >> 2;
	}
}

static int top(edges *e, int x)
{
	if (x < 0) {
		e->missing |= !(e->avail & H264I_UPLEFT);
		return e->fcorner;
	}
	e->missing |= !(e->avail & H264I_UP);
	return e->ftop[x];
}

static int left(edges *e, int y)
{
	if (y < 0)
		return top(e, -1);
	e->missing |= !(e->avail & H264I_LEFT);
	return e->fleft[y];
}

static int two(int a, int b)
{
	return (a + b + 1) >> 1;
}

static int three(int a, int b, int c)
{
	return (a + 2 * b + c + 2) >> 2;
}

static int dc8(edges *e)
{
	int t = 0, l = 0;

	for (int i = 0; i < 8; i++) {
		t += e->avail & H264I_UP ? top(e, i) : 0;
		l += e->avail & H264I_LEFT ? left(e, i) : 0;
	}
	if ((e->avail & H264I_UP) && (e->avail & H264I_LEFT))
		return (t + l + 8) >> 4;
	if (e->avail & H264I_LEFT)
		return (l + 4) >> 3;
	return e->avail & H264I_UP ? (t + 4) >> 3 : 128;
}

static int vertical_right(edges *e, int x, int y)
{
	int z = 2 * x - y;

	if (z >= 0 && z % 2 == 0)
		return two(top(e, x - (y >> 1) - 1), top(e, x - (y >> 1)));
	if (z >= 0)
		return three(
			top(e, x - (y >> 1) - 2), top(e, x - (y >> 1) - 1), top(e, x - (y >> 1)));
	if (z == -1)
		return three(left(e, 0), top(e, -1), top(e, 0));
	return three(left(e, y - 2 * x - 1), left(e, y - 2 * x - 2), left(e, y - 2 * x - 3));
}

static int horizontal_down(edges *e, int x, int y)
{
	int z = 2 * y - x;

	if (z >= 0 && z % 2 == 0)
		return two(left(e, y - (x >> 1) - 1), left(e, y - (x >> 1)));
	if (z >= 0)
		return three(left(e, y - (x >> 1) - 2), left(e, y - (x >> 1) - 1),
			left(e, y - (x >> 1)));
	if (z == -1)
		return three(left(e, 0), top(e, -1), top(e, 0));
	return three(top(e, x - 2 * y - 1), top(e, x - 2 * y - 2), top(e, x - 2 * y - 3));
}

static int horizontal_up(edges *e, int x, int y)
{
	int z = x + 2 * y;

	if (z > 13)
		return left(e, 7);
	if (z == 13)
		return (left(e, 6) + 3 * left(e, 7) + 2) >> 2;
	if (z % 2 == 0)
		return two(left(e, y + (x >> 1)), left(e, y + (x >> 1) + 1));
	return three(left(e, y + (x >> 1)), left(e, y + (x >> 1) + 1), left(e, y + (x >> 1) + 2));
}

/* pred8x8L[x, y] of clauses 8.3.2.2.2 to 8.3.2.2.10. */
static int pred8x8(edges *e, int mode, int x, int y)
{
	switch (mode) {
	case 0:
		return top(e, x);
	case 1:
		return left(e, y);
	case 2:
		return dc8(e);
	case 3:
		if (x == 7 && y == 7)
			return (top(e, 14) + 3 * top(e, 15) + 2) >> 2;
		return three(top(e, x + y), top(e, x + y + 1), top(e, x + y + 2));
	case 4:
		if (x > y)
			return three(top(e, x - y - 2), top(e, x - y - 1), top(e, x - y));
		if (x < y)
			return three(left(e, y - x - 2), left(e, y - x - 1), left(e, y - x));
		return three(top(e, 0), top(e, -1), left(e, 0));
	case 5:
		return vertical_right(e, x, y);
	case 6:
		return horizontal_down(e, x, y);
	case 7:
		if (y % 2 == 0)
			return two(top(e, x + (y >> 1)), top(e, x + (y >> 1) + 1));
		return three(
			top(e, x + (y >> 1)), top(e, x + (y >> 1) + 1), top(e, x + (y >> 1) + 2));
	default:
		return horizontal_up(e, x, y);
	}
}

/* ---- against it ---- */

/* One block in every mode; the modes that read missing samples must be the forbidden ones. */
static int block_is_right(int avail, int extreme)
{
	uint8_t p[E8_SAMPLES], s[E8_STRING];
	edges e = { .avail = avail };
	int ok = 1;

	for (int i = 0; i < E8_SAMPLES; i++)
		p[i] = extreme ? (uint8_t)(rng() & 1 ? 255 : 0) : (uint8_t)rng();
	for (int i = 0; i < 8; i++)
		e.left[i] = p[7 - i];
	e.corner = p[8];
	for (int i = 0; i < 16; i++)
		e.top[i] = p[9 + i];
	substitute(&e);
	for (int i = 17; i < E8_SAMPLES; i++)
		p[i] = (uint8_t)e.top[i - 9];
	filter(&e);
	h264i_e8_strings(p, avail, s);
	for (int m = 0; m < I4_MODES; m++) {
		int same = 1, allowed = h264i_i4_allowed(avail) >> m & 1;

		e.missing = 0;
		for (int i = 0; i < 64; i++)
			same &= pred8x8(&e, m, i % 8, i / 8) == s[table[m][i]];
		if (e.missing == allowed || (allowed && !same)) {
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
	CU_SuiteInfo suites[] = { { "predict8x8", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
