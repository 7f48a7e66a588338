/* The limit of a picture's bytes, against the sizes that each picture has at all QPs. */
#include "tests/common/effort.h"
#include "tests/common/testmain.h"
#include "tests/h264intra/rate_encode.h"

enum { QPS = 52, FRAMES = 2 * TEST_PATTERNS };

/* Two pictures of each pattern; noise and flat pictures are among them. */
static test_video all_patterns(void)
{
	test_video v = { 96, 64, FRAMES, NULL };
	const size_t bytes = test_frame_bytes(&v);

	v.pixels = malloc(FRAMES * bytes);
	CU_ASSERT_PTR_NOT_NULL_FATAL(v.pixels);
	for (int pattern = 0; pattern < TEST_PATTERNS; pattern++) {
		test_video part = test_video_make(v.width, v.height, 2, pattern);

		CU_ASSERT_PTR_NOT_NULL_FATAL(part.pixels);
		memcpy(v.pixels + 2 * (size_t)pattern * bytes, part.pixels, 2 * bytes);
		free(part.pixels);
	}
	return v;
}

/* The bits of all pictures at all QPs. */
typedef struct sizes {
	double bits[QPS][FRAMES];
} sizes;

static void measure(const test_video *v, h264i_options o, sizes *to)
{
	h264i_pass_picture plan[FRAMES];
	static sent s;

	memset(plan, 0, sizeof(plan));
	o.rate_mode = H264I_RATE_FRAME;
	for (int qp = 0; qp < QPS; qp++) {
		for (int n = 0; n < FRAMES; n++)
			plan[n].plan_qp = qp;
		CU_ASSERT_EQUAL_FATAL(encode_plan(v, o, plan, &s), H264I_OK);
		memcpy(to->bits[qp], s.bits, sizeof(to->bits[qp]));
	}
}

/* What is wrong with a picture of this QP and size, or NULL. */
static const char *wrong_with(
	const sizes *all, int n, int least, int qp, double bits, double cap, int over)
{
	if (bits != all->bits[qp][n] || qp < least)
		return "another size or QP";
	if (bits > cap && (!over || qp < QPS - 1))
		return "above the limit";
	if (all->bits[least][n] <= cap && bits < cap * 0.7 && bits < all->bits[least][n] * 0.7)
		return "needlessly small";
	/* The QP before may be one that was not tried, whose size is below a higher one's. */
	if (qp > least && bits <= cap && bits < 0.7 * cap && all->bits[qp - 1][n] <= cap)
		return "smaller than necessary";
	return NULL;
}

/* Encodes with limits of these parts of the sizes at options.qp, all pictures beside each other. */
static void check_limits(const test_video *v, const h264i_options *from, const sizes *all)
{
	static const double part[] = { 1.4, 0.8, 0.3, 0.1 };
	const int least = from->qp;
	static sent s;

	for (size_t k = 0; k < sizeof(part) / sizeof(part[0]); k++)
		for (int n = 0; n < FRAMES; n += 2) {
			h264i_options o = *from;
			double cap;

			o.frame_bytes_max = (uint32_t)(all->bits[least][n] * part[k] / 8);
			cap = 8.0 * o.frame_bytes_max;
			CU_ASSERT_EQUAL_FATAL(encode(v, o, &s), H264I_OK);
			for (int i = 0; i < FRAMES; i++) {
				const char *why = wrong_with(all, i, least, s.qp[i], s.bits[i], cap,
					s.stats.over_limit > 0);

				if (why)
					printf("\n  aq %d %g, qp %d, rd %d, limit %g, picture %d: "
					       "QP %d, %g bits: %s\n",
						o.aq_mode, o.aq_strength, o.qp, o.rd, cap, i,
						s.qp[i], s.bits[i], why);
				CU_ASSERT_PTR_NULL(why);
			}
		}
}

static void test_limits(void)
{
	static const struct {
		int mode;
		double strength;
	} aq[] = { { 0, 1 }, { 1, 1 }, { 1, 3 }, { 2, 1 }, { 2, 3 } };
	const size_t step = (size_t)test_effort(1, 1, 4);
	test_video v = all_patterns();

	for (int high = 0; high < 2; high++)
		for (size_t i = 0; i < sizeof(aq) / sizeof(aq[0]); i += step)
			for (int qp = 0; qp < 40; qp += 19) {
				h264i_options o = options_of(H264I_RATE_QP);
				static sizes all;

				if (high)
					h264i_options_set_preset(&o, "medium");
				o.cabac = high;
				o.qp = qp;
				o.aq_mode = aq[i].mode;
				o.aq_strength = aq[i].strength;
				measure(&v, o, &all);
				check_limits(&v, &o, &all);
			}
	free(v.pixels);
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "no picture is above its limit, or far below it without need", test_limits },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("largest pictures", tests);
}
