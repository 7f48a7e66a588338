/* Levels: the choice from the options, x264's as a table, and the check of a finished stream. */
#include "tests/common/testmain.h"

#include "h264intra/bitstream/level.h"

#include <stdio.h>
#include <string.h>

/* One expected choice; level 0, or the requested one. */
typedef struct {
	uint32_t mb_width, mb_height, slices, fps_num, fps_den;
	int qp, asked;
	h264i_status status;
	int level;
	const char *why; /* part of the sentence; "" for none */
} choice;

static void the_chosen_level_allows_size_and_rates(void)
{
	static const choice cases[] = {
		/* by size */
		{ 11, 9, 1, 0, 1, 51, 0, H264I_OK, 10, "" },
		{ 22, 18, 1, 0, 1, 51, 0, H264I_OK, 11, "" },
		{ 120, 68, 1, 0, 0, 40, 0, H264I_OK, 40, "" },
		{ 240, 135, 1, 0, 1, 40, 0, H264I_OK, 51, "" },
		{ 480, 270, 1, 0, 1, 51, 0, H264I_OK, 60, "" },
		/* by side: level 1 allows 28 macroblocks, sqrt(8 * 99) */
		{ 28, 3, 1, 0, 1, 51, 0, H264I_OK, 10, "" },
		{ 29, 3, 1, 0, 1, 51, 0, H264I_OK, 11, "" },
		{ 1055, 132, 1, 0, 1, 51, 0, H264I_OK, 60, "" },
		{ 1056, 1, 1, 0, 1, 51, 0, H264I_ERR_LIMIT, 0, "1055 on a side, and no level" },
		{ 1, 1056, 1, 0, 1, 51, 0, H264I_ERR_LIMIT, 0, "1055 on a side, and no level" },
		{ 1055, 133, 1, 0, 1, 51, 0, H264I_ERR_LIMIT, 0, "139264 in a picture, and no" },
		{ 0x10000000, 0x10000000, 1, 60, 1, 0, 0, H264I_ERR_LIMIT, 0, "1055 on a side" },
		/* by macroblock rate, at a QP so high that bits do not matter */
		{ 80, 45, 1, 30, 1, 51, 0, H264I_OK, 31, "" },
		{ 80, 45, 1, 31, 1, 51, 0, H264I_OK, 32, "" },
		{ 120, 68, 1, 30000, 1001, 51, 0, H264I_OK, 40, "" },
		{ 120, 68, 1, 60, 1, 51, 0, H264I_OK, 42, "" },
		{ 480, 270, 1, 120, 1, 51, 0, H264I_OK, 62, "" },
		{ 480, 270, 1, 240, 1, 51, 0, H264I_OK, 62, "6.2 (macroblock rate)" },
		/* by estimated bits: 1080p30 at QP 22 is 88 Mbit/s, above level 4.2; 1080p60 176 */
		{ 120, 68, 1, 30, 1, 22, 0, H264I_OK, 50, "" },
		{ 120, 68, 1, 30, 1, 27, 0, H264I_OK, 50, "" },
		{ 120, 68, 1, 30, 1, 37, 0, H264I_OK, 41, "" },
		{ 120, 68, 1, 60, 1, 22, 0, H264I_OK, 51, "" },
		{ 120, 68, 1, 60, 1, 27, 0, H264I_OK, 50, "" },
		{ 11, 9, 1, 15, 1, 42, 0, H264I_OK, 9, "" },
		/* not above 5.2 for bits alone; size and macroblock rate lead beyond it */
		{ 120, 68, 1, 60, 1, 0, 0, H264I_OK, 52, "" },
		{ 240, 135, 1, 60, 1, 22, 0, H264I_OK, 52, "" },
		{ 240, 135, 1, 60, 1, 0, 0, H264I_OK, 52, "" },
		{ 240, 135, 1, 0, 1, 0, 0, H264I_OK, 51, "" },
		{ 240, 135, 1, 120, 1, 0, 0, H264I_OK, 60, "" },
		{ 480, 270, 1, 30, 1, 0, 0, H264I_OK, 60, "" },
		/* by bits of a picture: 99 * 2,424 do not fit level 1 */
		{ 11, 9, 1, 0, 1, 0, 0, H264I_OK, 9, "" },
		/* by slices a second: 40,500 / 22 at level 3, 108,000 / 60 at 3.1, 245,760 / 60
		 * at 4, / 24 at 4.1 */
		{ 20, 81, 73, 25, 1, 51, 0, H264I_OK, 30, "" },
		{ 20, 81, 74, 25, 1, 51, 0, H264I_OK, 32, "" },
		{ 48, 170, 136, 30, 1, 51, 0, H264I_OK, 40, "" },
		{ 48, 170, 137, 30, 1, 51, 0, H264I_OK, 41, "" },
		/* levels that were requested */
		{ 120, 68, 1, 30, 1, 27, 62, H264I_OK, 62, "" },
		{ 120, 68, 1, 30, 1, 51, 40, H264I_OK, 40, "" },
		{ 120, 68, 1, 30, 1, 27, 40, H264I_OK, 40, "level 4 (bit rate)" },
		{ 120, 68, 1, 60, 1, 51, 41, H264I_OK, 41, "level 4.1 (macroblock rate)" },
		{ 120, 68, 1, 30, 1, 27, 31, H264I_ERR_LIMIT, 0,
			"3.1 allows 3600 in a picture; level 4" },
		{ 30, 3, 1, 0, 1, 51, 9, H264I_ERR_LIMIT, 0, "1b allows 28 on a side; level 1.1" },
		{ 11, 9, 1, 15, 1, 51, 9, H264I_OK, 9, "" },
		{ 11, 9, 1, 15, 1, 51, 33, H264I_ERR_ARG, 0, "level_idc 33 is not" },
		{ 11, 9, 1, 15, 1, 51, -1, H264I_ERR_ARG, 0, "level_idc -1 is not" },
		{ 2000, 2000, 1, 15, 1, 51, 40, H264I_ERR_LIMIT, 0, "6.2 allows 1055" },
	};
	size_t i;

	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const choice *c = &cases[i];
		h264i_geom g = { 16 * c->mb_width, 16 * c->mb_height, c->mb_width, c->mb_height,
			c->slices };
		char why[200] = "x";
		int level = -1, right;
		h264i_status status = h264i_i_choose_level(
			&g, c->fps_num, c->fps_den, c->qp, 66, c->asked, &level, why, sizeof(why));

		right = status == c->status && level == c->level &&
			(*c->why ? strstr(why, c->why) != NULL : *why == '\0');
		if (!right)
			printf("\ncase %zu: status %d, level %d, \"%s\"\n", i, (int)status, level,
				why);
		CU_ASSERT(right);
	}
}

/* At a QP that estimates few bits the level is the one of x264 0.164 (--preset ultrafast --profile
 * baseline --keyint 1 --qp 27, level read back by ffprobe). */
static void levels_chosen_without_bits_are_those_of_x264(void)
{
	static const struct {
		uint32_t width, height, fps;
		int level;
	} x264[] = { { 176, 144, 15, 10 }, { 176, 144, 30, 11 }, { 176, 144, 60, 12 },
		{ 352, 288, 15, 12 }, { 352, 288, 30, 13 }, { 352, 288, 50, 21 },
		{ 352, 288, 60, 30 }, { 640, 360, 15, 22 }, { 640, 360, 30, 30 },
		{ 640, 360, 60, 31 }, { 720, 576, 25, 30 }, { 720, 576, 30, 31 },
		{ 1280, 720, 30, 31 }, { 1280, 720, 60, 32 }, { 1280, 720, 120, 42 },
		{ 1920, 1080, 30, 40 }, { 1920, 1080, 60, 42 }, { 1920, 1080, 120, 51 },
		{ 1080, 1920, 60, 42 }, { 2560, 1440, 30, 50 }, { 2560, 1440, 60, 51 },
		{ 3840, 2160, 15, 51 }, { 3840, 2160, 30, 51 }, { 3840, 2160, 60, 52 },
		{ 7680, 4320, 30, 60 }, { 7680, 4320, 60, 61 } };

	for (size_t i = 0; i < sizeof(x264) / sizeof(x264[0]); i++) {
		const uint32_t w = (x264[i].width + 15) / 16, h = (x264[i].height + 15) / 16;
		const h264i_geom g = { x264[i].width, x264[i].height, w, h, 1 };
		char why[200];
		int level;

		CU_ASSERT_EQUAL(h264i_i_choose_level(
					&g, x264[i].fps, 1, 51, 66, 0, &level, why, sizeof(why)),
			H264I_OK);
		if (level != x264[i].level)
			printf("\n%ux%u at %u: level %d, x264 %d\n", g.width, g.height, x264[i].fps,
				level, x264[i].level);
		CU_ASSERT_EQUAL(level, x264[i].level);
	}
}

/* Statistics of `pictures` pictures of `bytes` bytes in a stream of this level. */
static h264i_stats metered(
	const h264i_geom *g, int level, uint32_t fps, uint32_t pictures, size_t bytes)
{
	h264i_level_meter m;
	h264i_stats s;

	memset(&s, 0, sizeof(s));
	h264i_i_level_meter_init(&m, g, 66, level, fps, 1);
	while (pictures--)
		h264i_i_level_meter_add(&m, bytes, fps ? 1.0 / fps : 0);
	h264i_i_level_meter_read(&m, &s);
	return s;
}

/* MaxBR and MaxCPB are 1.25 times those of the other profiles. */
static void high_has_a_quarter_more_bits(void)
{
	const h264i_geom g = { 640, 368, 40, 23, 1 };
	h264i_level_meter m;
	h264i_stats s;
	char why[200];
	int level;

	memset(&s, 0, sizeof(s));
	h264i_i_level_meter_init(&m, &g, 100, 40, 25, 1);
	for (int i = 0; i < 1000; i++) /* 25 Mbit/s */
		h264i_i_level_meter_add(&m, 125000, 0.04);
	h264i_i_level_meter_read(&m, &s);
	CU_ASSERT_FALSE(s.level_exceeded);
	CU_ASSERT_EQUAL(s.level_needed, 32);
	CU_ASSERT_EQUAL(s.level_kbit_per_s, 25000);
	CU_ASSERT_EQUAL(s.level_buffer_kbit, 31250);
	/* 920 macroblocks at 25 / s, by the estimate 509 bits each at QP 18 and 555 at QP 17: 11.7
	 * and 12.8 Mbit/s. Level 3 has 10, of High 12.5. */
	CU_ASSERT_EQUAL(h264i_i_choose_level(&g, 25, 1, 18, 77, 0, &level, why, sizeof(why)), 0);
	CU_ASSERT_EQUAL(level, 31);
	CU_ASSERT_EQUAL(h264i_i_choose_level(&g, 25, 1, 18, 100, 0, &level, why, sizeof(why)), 0);
	CU_ASSERT_EQUAL(level, 30);
	CU_ASSERT_EQUAL(h264i_i_choose_level(&g, 25, 1, 17, 100, 0, &level, why, sizeof(why)), 0);
	CU_ASSERT_EQUAL(level, 31);
}

/* Level 4.1: 50 Mbit/s, 62.5 Mbit. 250,000 bytes a picture are 2 Mbit, 50 Mbit/s at 25 Hz. */
static void the_buffer_of_annex_c_detects_a_stream_beyond_its_level(void)
{
	const h264i_geom g = { 1920, 1080, 120, 68, 1 };
	h264i_stats s = metered(&g, 41, 25, 10000, 250000);

	CU_ASSERT_FALSE(s.level_exceeded);
	CU_ASSERT_EQUAL(s.level_needed, 41);
	CU_ASSERT_EQUAL(s.level_kbit_per_s, 50000);
	CU_ASSERT_EQUAL(s.level_buffer_kbit, 62500);
	CU_ASSERT_DOUBLE_EQUAL(s.largest_picture_kbit, 2000, 1e-6);
	/* twice the rate: a picture adds 4 Mbit, 2 drain before the next: over after the 31st */
	s = metered(&g, 41, 25, 30, 500000);
	CU_ASSERT_FALSE(s.level_exceeded);
	s = metered(&g, 41, 25, 31, 500000);
	CU_ASSERT_TRUE(s.level_exceeded);
	CU_ASSERT_EQUAL(s.level_needed, 50);
	CU_ASSERT_DOUBLE_EQUAL(s.peak_kbit_per_s, 100000, 1e-3);
	CU_ASSERT_DOUBLE_EQUAL(s.peak_s, 31 / 25.0, 1e-9);
	/* one picture larger than the buffer, with and without a rate */
	s = metered(&g, 41, 25, 1, 62500000 / 8);
	CU_ASSERT_FALSE(s.level_exceeded);
	s = metered(&g, 41, 25, 1, 62500000 / 8 + 1);
	CU_ASSERT_TRUE(s.level_exceeded);
	s = metered(&g, 41, 0, 1000, 62500000 / 8);
	CU_ASSERT_FALSE(s.level_exceeded);
	CU_ASSERT_EQUAL(s.peak_s, 0);
	s = metered(&g, 41, 0, 1, 62500000 / 8 + 1);
	CU_ASSERT_TRUE(s.level_exceeded);
	CU_ASSERT_EQUAL(s.level_needed, 50);
	/* no packet; no level allows it; the needed level includes size and macroblock rate */
	s = metered(&g, 41, 25, 0, 0);
	CU_ASSERT_FALSE(s.level_exceeded);
	CU_ASSERT_EQUAL(s.level_needed, 40);
	s = metered(&g, 52, 60, 200, 10000000);
	CU_ASSERT_TRUE(s.level_exceeded);
	CU_ASSERT_EQUAL(s.level_needed, 0);
	s = metered(&g, 40, 60, 1, 100);
	CU_ASSERT_FALSE(s.level_exceeded);
	CU_ASSERT_EQUAL(s.level_needed, 42);
}

/* Status of a requested level; a warning counts as a refusal. */
static int allowed(int level, uint32_t mb_width, uint32_t mb_height, uint32_t slices,
	uint32_t fps_num, uint32_t fps_den, int qp)
{
	h264i_geom g = { 16 * mb_width, 16 * mb_height, mb_width, mb_height, slices };
	char why[200];
	int out;

	return h264i_i_choose_level(&g, fps_num, fps_den, qp, 66, level, &out, why, sizeof(why)) ==
		       H264I_OK &&
	       why[0] == '\0';
}

static void every_level_has_the_limits_of_table_a_1(void)
{
	/* level_idc, MaxMBPS, MaxFS, MaxBR, and SliceRate of table A-4 */
	static const uint32_t limits[][5] = { { 10, 1485, 99, 64, 0 }, { 9, 1485, 99, 128, 0 },
		{ 11, 3000, 396, 192, 0 }, { 12, 6000, 396, 384, 0 }, { 13, 11880, 396, 768, 0 },
		{ 20, 11880, 396, 2000, 0 }, { 21, 19800, 792, 4000, 0 },
		{ 22, 20250, 1620, 4000, 0 }, { 30, 40500, 1620, 10000, 22 },
		{ 31, 108000, 3600, 14000, 60 }, { 32, 216000, 5120, 20000, 60 },
		{ 40, 245760, 8192, 20000, 60 }, { 41, 245760, 8192, 50000, 24 },
		{ 42, 522240, 8704, 50000, 24 }, { 50, 589824, 22080, 135000, 24 },
		{ 51, 983040, 36864, 240000, 24 }, { 52, 2073600, 36864, 240000, 24 },
		{ 60, 4177920, 139264, 240000, 24 }, { 61, 8355840, 139264, 480000, 24 },
		{ 62, 16711680, 139264, 800000, 24 } };
	const uint32_t mb_bits = h264i_i_level_mb_bits(0);
	size_t i;

	for (i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		const uint32_t *l = limits[i];
		int level = (int)l[0];
		uint32_t side = 1;

		while ((side + 1) * (side + 1) <= l[2])
			side++;
		while (l[2] % side)
			side--;
		CU_ASSERT(allowed(level, side, l[2] / side, 1, 0, 0, 51));
		CU_ASSERT_FALSE(allowed(level, side, l[2] / side + 1, 1, 0, 0, 51));
		/* one macroblock a picture */
		CU_ASSERT(allowed(level, 1, 1, 0, l[1], 1, 51));
		CU_ASSERT_FALSE(allowed(level, 1, 1, 0, l[1] + 1, 1, 51));
		CU_ASSERT(allowed(level, 1, 1, 0, 1000 * l[3], mb_bits, 0));
		CU_ASSERT_FALSE(allowed(level, 1, 1, 0, 1000 * l[3] + 1, mb_bits, 0));
		/* one picture a second */
		CU_ASSERT(allowed(level, 1, 1, l[4] ? l[1] / l[4] : 100000, 1, 1, 51));
		if (l[4])
			CU_ASSERT_FALSE(allowed(level, 1, 1, l[1] / l[4] + 1, 1, 1, 51));
	}
}

static void bits_estimated_for_a_macroblock_double_every_eight_qp(void)
{
	int qp;

	CU_ASSERT_EQUAL(h264i_i_level_mb_bits(22), 360);
	for (qp = 0; qp < 51; qp++) {
		uint32_t a = h264i_i_level_mb_bits(qp), b = h264i_i_level_mb_bits(qp + 1);

		CU_ASSERT(a <= 3200 && b < a && b > 0);
		if (qp + 8 < 52)
			CU_ASSERT_EQUAL(h264i_i_level_mb_bits(qp + 8), a / 2);
	}
}

static void reasons_are_truncated_to_the_buffer(void)
{
	h264i_geom g = { 32000, 32000, 2000, 2000, 1 };
	char why[24];
	int level;

	memset(why, '#', sizeof(why));
	CU_ASSERT_EQUAL(
		h264i_i_choose_level(&g, 0, 0, 30, 66, 0, &level, why, 10), H264I_ERR_LIMIT);
	CU_ASSERT_EQUAL(strlen(why), 9);
	CU_ASSERT_EQUAL(why[10], '#');
}

int main(void)
{
	CU_TestInfo level[] = { { "the chosen level allows size and rates",
					the_chosen_level_allows_size_and_rates },
		{ "levels chosen without bits are those of x264",
			levels_chosen_without_bits_are_those_of_x264 },
		{ "every level has the limits of table A-1",
			every_level_has_the_limits_of_table_a_1 },
		{ "bits estimated for a macroblock double every eight QP",
			bits_estimated_for_a_macroblock_double_every_eight_qp },
		{ "reasons are truncated to the buffer", reasons_are_truncated_to_the_buffer },
		{ "High has a quarter more bits", high_has_a_quarter_more_bits },
		{ "the buffer of Annex C detects a stream beyond its level",
			the_buffer_of_annex_c_detects_a_stream_beyond_its_level },
		CU_TEST_INFO_NULL };
	CU_SuiteInfo suites[] = { TEST_SUITE("level", level), CU_SUITE_INFO_NULL };

	return test_run(suites);
}
