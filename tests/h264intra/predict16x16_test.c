/* Intra16x16 and chroma prediction against the formulas of clauses 8.3.3 and 8.3.4, written one
 * sample at a time, and the modes that an option disables. */
#include "tests/common/testmain.h"
#include "h264intra/decide/cost.h"
#include "tests/h264intra/predict_common.h"

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

/* Clause 8.3.4.1: the mean of the edges of a 4x4 block of chroma. */
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

static void check_intra16x16(const h264i_dsp *dsp)
{
	for (int round = 0; round < 400; round++) {
		uint8_t t[17], l[16], pred[16][16];
		square s = { 16, round % 16, t + 1, l };
		uint32_t allowed = h264i_i16_allowed(s.avail, 0);

		work_init(s.avail);
		if (round > 200) /* steep gradients, whose values are clipped */
			for (unsigned i = 0; i < sizeof(work.rec_y); i++)
				work.rec_y[i] = work.rec_y[i] < 128 ? 0 : 255;
		for (int i = 0; i < 17; i++)
			t[i] = PX(&work, i - 1, -1);
		for (int i = 0; i < 16; i++)
			l[i] = PX(&work, -1, i);
		for (int m = 0; m < I16_MODES; m++) {
			int wrong = 0;

			CU_ASSERT_EQUAL(
				allowed >> m & 1, allowed_by_name(s.avail, m == 0, m == 1, m == 3));
			if (!(allowed >> m & 1))
				continue;
			dsp->predict16(pred, &PX(&work, 0, 0), s.avail, m);
			for (int i = 0; i < 256; i++) {
				int x = i % 16, y = i / 16;
				int b = block_number(x / 4 * 4, y / 4 * 4);
				int want = m == 0   ? t[1 + x]
					   : m == 1 ? l[y]
					   : m == 2 ? dc16(&s)
						    : plane(&s, x, y);

				wrong += want != pred[b][y % 4 * 4 + x % 4];
			}
			CU_ASSERT_EQUAL(wrong, 0);
		}
	}
}

static void test_intra16x16(void)
{
	for (int i = 0; i < H264I_SIMDS; i++)
		if (h264i_i_dsp((h264i_simd)i))
			check_intra16x16(h264i_i_dsp((h264i_simd)i));
}

static void check_chroma(const h264i_dsp *dsp)
{
	for (int round = 0; round < 400; round++) {
		int avail = round % 16;
		uint32_t allowed = h264i_chroma_allowed(avail, 0);
		h264i_chroma_edge *edge = &work.edge_c;

		work_init(avail);
		if (round > 200) {
			for (int i = 0; i < 32; i++)
				edge->top[i / 16][i % 16] =
					edge->top[i / 16][i % 16] < 128 ? 0 : 255;
			for (int i = 0; i < 16; i++)
				edge->left[i / 8][i % 8] = edge->left[i / 8][i % 8] < 128 ? 0 : 255;
		}
		for (int pl = 0; pl < 2; pl++) {
			uint8_t pred[8][16];
			square s = { 8, avail, edge->top[pl] + 8, edge->left[pl] };

			for (int m = 0; m < IC_MODES; m++) {
				int wrong = 0;

				CU_ASSERT_EQUAL(allowed >> m & 1,
					allowed_by_name(avail, m == 2, m == 1, m == 3));
				if (!(allowed >> m & 1))
					continue;
				dsp->predict_chroma(pred, edge, avail, m);
				for (int i = 0; i < 64; i++) {
					int x = i % 8, y = i / 8, b = 4 * pl + y / 4 * 2 + x / 4;
					int want = m == 0   ? dc_chroma(&s, x, y)
						   : m == 1 ? s.l[y]
						   : m == 2 ? s.t[x]
							    : plane(&s, x, y);

					wrong += want != pred[b][y % 4 * 4 + x % 4];
				}
				CU_ASSERT_EQUAL(wrong, 0);
			}
		}
	}
}

static void test_chroma(void)
{
	for (int i = 0; i < H264I_SIMDS; i++)
		if (h264i_i_dsp((h264i_simd)i))
			check_chroma(h264i_i_dsp((h264i_simd)i));
}

/* disable_modes disables the modes that it names, except DC. */
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

int main(void)
{
	CU_TestInfo tests[] = {
		{ "Intra16x16 modes predict the samples of clause 8.3.3", test_intra16x16 },
		{ "chroma modes predict the samples of clause 8.3.4", test_chroma },
		{ "disabled modes are not allowed, DC always is", test_disabled },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("predict16x16", tests);
}
