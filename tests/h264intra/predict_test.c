/* Intra prediction against the formulas of clause 8.3, written one sample at a time. The encoder's
 * functions are static (cpu/mb_intra.h), so the test includes cpu/encode_mb.c. */
#include "h264intra/cpu/encode_mb.c"
#include "tests/common/rng.h"
#include "tests/common/testmain.h"

#include <stdio.h>

static mb_work work;
static h264i_wave_ctx wave;

static void work_init(int avail)
{
	memset(&work, 0, sizeof(work));
	memset(&wave, 0, sizeof(wave));
	h264i_i_qparams_init(&wave.q, 27, 0);
	work.c = &wave;
	work.avail = avail;
	for (unsigned i = 0; i < sizeof(work.rec_y); i++)
		work.rec_y[i] = (uint8_t)rng();
	for (int pl = 0; pl < 2; pl++) {
		for (int i = 0; i < 9; i++)
			work.top_c[pl][i] = (uint8_t)rng();
		for (int i = 0; i < 8; i++)
			work.left_c[pl][i] = (uint8_t)rng();
	}
}

/* ---- blocks ---- */

/* Clause 6.4.3: the upper left sample of 4x4 block b, by the inverse raster scans of 6.4.1. */
static int scan_x(int b)
{
	return b / 4 % 2 * 8 + b % 4 % 2 * 4;
}

static int scan_y(int b)
{
	return b / 4 / 2 * 8 + b % 4 / 2 * 4;
}

static int block_number(int x, int y)
{
	for (int b = 0; b < 16; b++)
		if (scan_x(b) == x && scan_y(b) == y)
			return b;
	return -1;
}

static void test_block_places(void)
{
	for (int b = 0; b < 16; b++) {
		CU_ASSERT_EQUAL(4 * h264i_blk_x(b), scan_x(b));
		CU_ASSERT_EQUAL(4 * h264i_blk_y(b), scan_y(b));
		CU_ASSERT_EQUAL(h264i_blk_at(h264i_blk_x(b), h264i_blk_y(b)), b);
	}
}

/* Is luma location (x, y), counted from the macroblock's corner, decoded before block b? */
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

/* The neighbours of a block as the clause names them, p[x, -1] and p[-1, y]; `missing` is set when
 * a sample is read that is marked as not available. */
typedef struct {
	int avail, missing;
	uint8_t top[8], left[4], corner;
} edges;

static int top(edges *e, int x)
{
	if (x < 0) {
		e->missing |= !(e->avail & H264I_UPLEFT);
		return e->corner;
	}
	e->missing |= !(e->avail & H264I_UP);
	/* Clause 8.3.1.2: p[x, -1] of x = 4..7 are replaced by p[3, -1]. */
	return e->top[x > 3 && !(e->avail & H264I_UPRIGHT) ? 3 : x];
}

static int left(edges *e, int y)
{
	if (y < 0)
		return top(e, -1);
	e->missing |= !(e->avail & H264I_LEFT);
	return e->left[y];
}

static int two(int a, int b)
{
	return (a + b + 1) >> 1;
}

static int three(int a, int b, int c)
{
	return (a + 2 * b + c + 2) >> 2;
}

static int dc4(edges *e)
{
	int t = 0, l = 0;

	for (int i = 0; i < 4; i++) {
		t += e->avail & H264I_UP ? top(e, i) : 0;
		l += e->avail & H264I_LEFT ? left(e, i) : 0;
	}
	if ((e->avail & H264I_UP) && (e->avail & H264I_LEFT))
		return (t + l + 4) >> 3;
	if (e->avail & H264I_LEFT)
		return (l + 2) >> 2;
	return e->avail & H264I_UP ? (t + 2) >> 2 : 128;
}

/* pred4x4L[x, y] of clauses 8.3.1.2.1 to 8.3.1.2.9. */
static int pred4x4(edges *e, int mode, int x, int y)
{
	int z;

	switch (mode) {
	case 0:
		return top(e, x);
	case 1:
		return left(e, y);
	case 2:
		return dc4(e);
	case 3:
		if (x == 3 && y == 3)
			return (top(e, 6) + 3 * top(e, 7) + 2) >> 2;
		return three(top(e, x + y), top(e, x + y + 1), top(e, x + y + 2));
	case 4:
		if (x > y)
			return three(top(e, x - y - 2), top(e, x - y - 1), top(e, x - y));
		if (x < y)
			return three(left(e, y - x - 2), left(e, y - x - 1), left(e, y - x));
		return three(top(e, 0), top(e, -1), left(e, 0));
	case 5:
		z = 2 * x - y;
		if (z >= 0 && z % 2 == 0)
			return two(top(e, x - y / 2 - 1), top(e, x - y / 2));
		if (z >= 0)
			return three(
				top(e, x - y / 2 - 2), top(e, x - y / 2 - 1), top(e, x - y / 2));
		if (z == -1)
			return three(left(e, 0), top(e, -1), top(e, 0));
		return three(left(e, y - 1), left(e, y - 2), left(e, y - 3));
	case 6:
		z = 2 * y - x;
		if (z >= 0 && z % 2 == 0)
			return two(left(e, y - x / 2 - 1), left(e, y - x / 2));
		if (z >= 0)
			return three(
				left(e, y - x / 2 - 2), left(e, y - x / 2 - 1), left(e, y - x / 2));
		if (z == -1)
			return three(left(e, 0), top(e, -1), top(e, 0));
		return three(top(e, x - 1), top(e, x - 2), top(e, x - 3));
	case 7:
		if (y % 2 == 0)
			return two(top(e, x + y / 2), top(e, x + y / 2 + 1));
		return three(top(e, x + y / 2), top(e, x + y / 2 + 1), top(e, x + y / 2 + 2));
	default:
		z = x + 2 * y;
		if (z > 5)
			return left(e, 3);
		if (z == 5)
			return (left(e, 2) + 3 * left(e, 3) + 2) >> 2;
		if (z % 2 == 0)
			return two(left(e, y + x / 2), left(e, y + x / 2 + 1));
		return three(left(e, y + x / 2), left(e, y + x / 2 + 1), left(e, y + x / 2 + 2));
	}
}

/* One block in every mode; the modes that read missing samples must be the forbidden ones. */
static int block_is_right(int b, int avail)
{
	int x0 = scan_x(b), y0 = scan_y(b), ok = 1;
	uint8_t s[E4_BYTES];
	edges e = { .avail = avail };

	for (int i = 0; i < 8; i++)
		e.top[i] = PX(&work, x0 + i, y0 - 1);
	for (int i = 0; i < 4; i++)
		e.left[i] = PX(&work, x0 - 1, y0 + i);
	e.corner = PX(&work, x0 - 1, y0 - 1);
	edge_string(&work, b, avail, s);
	for (int m = 0; m < I4_MODES; m++) {
		int same = 1, allowed = h264i_i4_allowed(avail) >> m & 1;

		e.missing = 0;
		for (int i = 0; i < 16; i++)
			same &= pred4x4(&e, m, i % 4, i / 4) == s[e4_table[m][i]];
		if (e.missing == allowed || (allowed && !same)) {
			printf("\n  mode %d of block %d, available %#x\n", m, b, avail);
			ok = 0;
		}
	}
	return ok;
}

static void test_intra4x4(void)
{
	for (int round = 0; round < 60; round++) {
		work_init(15);
		for (int b = 0; b < 16; b++)
			for (int avail = 0; avail < 16; avail++)
				CU_ASSERT_TRUE(block_is_right(b, avail));
	}
}

/* ---- Intra16x16 and chroma ---- */

static int clip1(int v)
{
	return v < 0 ? 0 : v > 255 ? 255 : v;
}

/* A square of n x n samples with its neighbours: t[-1] is the corner. */
typedef struct {
	int n, avail;
	const uint8_t *t, *l;
} square;

static int corner_or_left(const square *s, int y)
{
	return y < 0 ? s->t[-1] : s->l[y];
}

/* Clauses 8.3.3.4 and 8.3.4.4. */
static int plane(const square *s, int x, int y)
{
	int half = s->n / 2, h = 0, v = 0, a, b, c;

	for (int i = 0; i < half; i++) {
		h += (i + 1) * (s->t[half + i] - s->t[half - 2 - i]);
		v += (i + 1) * (s->l[half + i] - corner_or_left(s, half - 2 - i));
	}
	a = 16 * (s->l[s->n - 1] + s->t[s->n - 1]);
	b = ((s->n == 16 ? 5 : 34) * h + 32) >> 6;
	c = ((s->n == 16 ? 5 : 34) * v + 32) >> 6;
	return clip1((a + b * (x - (half - 1)) + c * (y - (half - 1)) + 16) >> 5);
}

static int mean(const uint8_t *a, const uint8_t *b, int n)
{
	int sum = 0, count = (a != NULL) * n + (b != NULL) * n;

	for (int i = 0; i < n; i++)
		sum += (a ? a[i] : 0) + (b ? b[i] : 0);
	return count ? (sum + count / 2) / count : 128;
}

static int dc16(const square *s)
{
	return mean(s->avail & H264I_UP ? s->t : NULL, s->avail & H264I_LEFT ? s->l : NULL, 16);
}

/* Clause 8.3.4.1: which edges a 4x4 block of chroma is averaged from. */
static int dc_chroma(const square *s, int x, int y)
{
	const uint8_t *t = s->avail & H264I_UP ? s->t + x / 4 * 4 : NULL;
	const uint8_t *l = s->avail & H264I_LEFT ? s->l + y / 4 * 4 : NULL;

	if (x >= 4 && y < 4)
		return t ? mean(t, NULL, 4) : mean(NULL, l, 4);
	if (x < 4 && y >= 4)
		return l ? mean(NULL, l, 4) : mean(t, NULL, 4);
	return mean(t, l, 4);
}

static int allowed_by_name(int avail, int is_v, int is_h, int is_plane)
{
	int all = H264I_LEFT | H264I_UP | H264I_UPLEFT;

	return is_v       ? (avail & H264I_UP) != 0
	       : is_h     ? (avail & H264I_LEFT) != 0
	       : is_plane ? (avail & all) == all
			  : 1;
}

static void test_intra16x16(void)
{
	for (int round = 0; round < 400; round++) {
		uint8_t t[17], l[16];
		square s = { 16, round % 16, t + 1, l };
		uint32_t allowed = h264i_i16_allowed(s.avail, 0);

		work_init(s.avail);
		if (round > 200) /* steep ones, which clip */
			for (unsigned i = 0; i < sizeof(work.rec_y); i++)
				work.rec_y[i] = work.rec_y[i] < 128 ? 0 : 255;
		for (int i = 0; i < 17; i++)
			t[i] = PX(&work, i - 1, -1);
		for (int i = 0; i < 16; i++)
			l[i] = PX(&work, -1, i);
		judge_intra16x16(&work);
		for (int m = 0; m < I16_MODES; m++) {
			int wrong = 0;

			CU_ASSERT_EQUAL(
				allowed >> m & 1, allowed_by_name(s.avail, m == 0, m == 1, m == 3));
			if (!(allowed >> m & 1))
				continue;
			for (int i = 0; i < 256; i++) {
				int x = i % 16, y = i / 16;
				int b = block_number(x / 4 * 4, y / 4 * 4);
				int want = m == 0   ? t[1 + x]
					   : m == 1 ? l[y]
					   : m == 2 ? dc16(&s)
						    : plane(&s, x, y);

				wrong += want != work.pred16[m][b][y % 4 * 4 + x % 4];
			}
			CU_ASSERT_EQUAL(wrong, 0);
		}
	}
}

static void test_chroma(void)
{
	for (int round = 0; round < 400; round++) {
		int avail = round % 16;
		uint32_t allowed = h264i_chroma_allowed(avail, 0);

		work_init(avail);
		if (round > 200) {
			for (int i = 0; i < 18; i++)
				work.top_c[i / 9][i % 9] = work.top_c[i / 9][i % 9] < 128 ? 0 : 255;
			for (int i = 0; i < 16; i++)
				work.left_c[i / 8][i % 8] =
					work.left_c[i / 8][i % 8] < 128 ? 0 : 255;
		}
		predict_chroma(&work, allowed);
		for (int pl = 0; pl < 2; pl++) {
			square s = { 8, avail, work.top_c[pl] + 1, work.left_c[pl] };

			for (int m = 0; m < IC_MODES; m++) {
				int wrong = 0;

				CU_ASSERT_EQUAL(allowed >> m & 1,
					allowed_by_name(avail, m == 2, m == 1, m == 3));
				if (!(allowed >> m & 1))
					continue;
				for (int i = 0; i < 64; i++) {
					int x = i % 8, y = i / 8, b = 4 * pl + y / 4 * 2 + x / 4;
					int want = m == 0   ? dc_chroma(&s, x, y)
						   : m == 1 ? s.l[y]
						   : m == 2 ? s.t[x]
							    : plane(&s, x, y);

					wrong += want != work.pred_c[m][b][y % 4 * 4 + x % 4];
				}
				CU_ASSERT_EQUAL(wrong, 0);
			}
		}
	}
}

/* disable_modes takes away what it names, and never DC. */
static void test_disabled(void)
{
	for (int bit = 0; bit < 17; bit++) {
		uint32_t d = 1u << bit;

		CU_ASSERT_EQUAL(h264i_i4_allowed(15) & h264i_i4_mask(d),
			0x1ffu & ~(bit < 9 && bit != I4_DC ? d : 0));
		CU_ASSERT_EQUAL(h264i_i16_allowed(15, d),
			15u & ~(bit >= 9 && bit < 13 && bit != 9 + I16_DC ? d >> 9 : 0));
		CU_ASSERT_EQUAL(h264i_chroma_allowed(15, d),
			15u & ~(bit >= 13 && bit != 13 + IC_DC ? d >> 13 : 0));
	}
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
		{ "block numbers stand where figure 6-10 has them", test_block_places },
		{ "a block's neighbours are those decoded before it", test_block_availability },
		{ "Intra4x4 modes give the samples of clause 8.3.1.2", test_intra4x4 },
		{ "Intra16x16 modes give the samples of clause 8.3.3", test_intra16x16 },
		{ "chroma modes give the samples of clause 8.3.4", test_chroma },
		{ "disabled modes are gone and DC stays", test_disabled },
		{ "the predicted mode is the smaller of both neighbours'", test_predicted_mode },
		CU_TEST_INFO_NULL,
	};
	CU_SuiteInfo suites[] = { { "predict", NULL, NULL, NULL, NULL, tests },
		CU_SUITE_INFO_NULL };

	return test_run(suites);
}
