/* Rate control by timestamps: bit rates, buffers and two passes at a variable rate; the first
 * pictures of a stream; the report of a rate that cannot be reached. */
#include "tests/common/testmain.h"
#include "tests/h264intra/rate_encode.h"

enum { FRAMES = 80 };

/* Timestamps in milliseconds. */
typedef struct moments {
	const char *name;
	uint32_t fps; /* stated */
	int64_t pts[FRAMES];
} moments;

static moments two_a_second(void)
{
	moments m = { "2 frames/s, stated as 60", 60, { 0 } };

	for (int64_t i = 0; i < FRAMES; i++)
		m.pts[i] = 40 + 500 * i;
	return m;
}

/* A burst of 60 frames/s with jitter after 12 pictures of a second each, and again 12 of these. */
static moments burst(void)
{
	moments m = { "a burst", 25, { 0 } };
	int64_t at = -7000;

	for (uint32_t i = 0; i < FRAMES; i++) {
		m.pts[i] = at + (int64_t)(test_hash(i) % 11) - 5;
		at += i < 12 || i >= 68 ? 1000 : 16 + i % 3 / 2;
	}
	return m;
}

/* 100 frames/s and 10 frames/s in turn, without a stated rate. */
static moments in_turn(void)
{
	moments m = { "100 and 10 frames/s in turn", 0, { 0 } };

	for (uint32_t i = 1; i < FRAMES; i++)
		m.pts[i] = m.pts[i - 1] + (i / 8 % 2 ? 100 : 10);
	return m;
}

static double seconds_of(const moments *m)
{
	return (double)(m->pts[FRAMES - 1] - m->pts[0]) * 1e-3;
}

static double sum_of(const sent *s)
{
	double sum = 0;

	for (uint32_t i = 0; i < FRAMES; i++)
		sum += s->bits[i];
	return sum;
}

static h264i_options timed_options(const moments *m)
{
	h264i_options o = options_of(H264I_RATE_BITRATE);

	o.vui.fps_num = m->fps;
	o.vui.fps_den = m->fps ? 1 : 0;
	o.time_base_num = 1;
	o.time_base_den = 1000;
	return o;
}

/* The rule of Annex C by the timestamps: the buffer gains `rate` bits a second up to `size`, and
 * each picture is in it as a whole when it is removed. Returns the pictures that are not. */
static uint32_t late_by_time(const sent *s, const moments *m, double rate, double size)
{
	double level = 0.9 * size;
	uint32_t late = 0;

	for (uint32_t i = 0; i < FRAMES; i++) {
		if (i)
			level += rate * (double)(m->pts[i] - m->pts[i - 1]) * 1e-3;
		level = level < size ? level : size;
		late += s->bits[i] > level;
		level -= s->bits[i];
	}
	return late;
}

/* The bit rate is that of the file's seconds, in one pass and in two. */
static void test_rate(void)
{
	const moments all[] = { two_a_second(), in_turn() };
	test_video v = test_video_make(128, 96, FRAMES, TEST_NATURAL);
	static sent s;

	for (int n = 0; n < 2; n++) {
		h264i_options o = timed_options(&all[n]);
		double wanted;

		o.bitrate = n ? 400 : 60;
		wanted = 1000.0 * o.bitrate * seconds_of(&all[n]);
		CU_ASSERT_EQUAL_FATAL(encode_timed(&v, o, NULL, all[n].pts, &s), H264I_OK);
		CU_ASSERT_DOUBLE_EQUAL(sum_of(&s) / wanted, 1, 0.1);
		CU_ASSERT_EQUAL(s.time_ns[0], 0);
		CU_ASSERT_DOUBLE_EQUAL(
			(double)s.time_ns[FRAMES - 1], 1e9 * seconds_of(&all[n]), 1e6);
		o.width = v.width;
		o.height = v.height;
		o.qp = (int)s.stats.mean_qp;
		CU_ASSERT_DOUBLE_EQUAL(two_passes_timed(&v, o, all[n].pts, &s) / wanted, 1, 0.2);
	}
	free(v.pixels);
}

/* No picture is late by the timestamps, and streams do not depend on the frames in flight. */
static void test_buffer(void)
{
	const moments all[] = { two_a_second(), burst(), in_turn() };
	test_video v = test_video_make(128, 96, FRAMES, TEST_NATURAL);
	static sent one, other;

	for (int n = 0; n < 6; n++) {
		const moments *m = &all[n % 3];
		h264i_options o = timed_options(m);

		o.bitrate = o.vbv_maxrate = n < 3 ? 400 : 800;
		o.vbv_bufsize = o.bitrate;
		o.hrd = m->fps != 0;
		o.width = v.width;
		o.height = v.height;
		o.frames_in_flight = 1;
		CU_ASSERT_EQUAL_FATAL(encode_timed(&v, o, NULL, m->pts, &one), H264I_OK);
		o.frames_in_flight = 7;
		CU_ASSERT_EQUAL_FATAL(encode_timed(&v, o, NULL, m->pts, &other), H264I_OK);
		CU_ASSERT_EQUAL(one.hash, other.hash);
		CU_ASSERT_EQUAL(one.stats.over_limit, 0);
		CU_ASSERT_EQUAL(late_by_time(&one, m, 1e3 * o.bitrate, 1e3 * o.bitrate), 0);
		if (n % 3 == 2) /* At 1 and 2 frames/s QP 0 takes less. */
			CU_ASSERT_TRUE(sum_of(&one) > 500.0 * o.bitrate * seconds_of(m));
		(void)two_passes_timed(&v, o, m->pts, &one);
		CU_ASSERT_EQUAL(one.stats.over_limit, 0);
		CU_ASSERT_EQUAL(late_by_time(&one, m, 1e3 * o.bitrate, 1e3 * o.bitrate), 0);
	}
	free(v.pixels);
}

/* Timestamps of a constant rate give the bytes of a stream without timestamps. */
static void test_constant_rate(void)
{
	test_video v = scenes();
	static sent without, with;
	int64_t pts[FRAMES];

	for (int n = 0; n < 3; n++) {
		h264i_options o = options_of(n == 2 ? H264I_RATE_QUALITY : H264I_RATE_BITRATE);

		o.vui.fps_num = 30;
		o.bitrate = n == 2 ? 0 : 1500;
		o.vbv_maxrate = n ? 2000 : 0;
		o.vbv_bufsize = n ? 800 : 0;
		o.hrd = n == 1;
		for (int64_t i = 0; i < FRAMES; i++)
			pts[i] = 9 + (2 * 1000 * i + 30) / (2 * 30);
		CU_ASSERT_EQUAL_FATAL(encode(&v, o, &without), H264I_OK);
		o.time_base_num = 1;
		o.time_base_den = 1000;
		CU_ASSERT_EQUAL_FATAL(encode_timed(&v, o, NULL, pts, &with), H264I_OK);
		CU_ASSERT_EQUAL(with.hash, without.hash);
	}
	free(v.pixels);
}

static int warnings;

static void count_warnings(void *opaque, h264i_log_level level, const char *text)
{
	(void)opaque;
	warnings += level == H264I_LOG_WARN && strstr(text, "have QP 51") != NULL;
}

/* Pictures whose sizes cannot be predicted, noise, and slow ones: the rate after two seconds. A
 * rate that QP 51 does not reach is reported. */
static void test_first_pictures(void)
{
	static const uint32_t kbit_a_picture[] = { 30, 50, 80, 1 };
	static sent s;

	for (int n = 0; n < 8; n++) {
		test_video v = test_video_make(128, 96, n < 4 ? 50 : 20, TEST_NOISE);
		h264i_options o = options_of(H264I_RATE_BITRATE);
		double sum = 0;

		o.vui.fps_num = n < 4 ? 25 : 10;
		o.bitrate = kbit_a_picture[n % 4] * o.vui.fps_num;
		o.log = count_warnings;
		warnings = 0;
		CU_ASSERT_EQUAL_FATAL(encode(&v, o, &s), H264I_OK);
		for (uint32_t i = 0; i < v.frames; i++)
			sum += s.bits[i];
		if (n % 4 < 3)
			CU_ASSERT_DOUBLE_EQUAL(sum / (2e3 * o.bitrate), 1, 0.1);
		CU_ASSERT_EQUAL(warnings, n % 4 == 3);
		free(v.pixels);
	}
}

/* Without a rate the clock of an HRD is not known before the first timestamp. */
static void test_refused(void)
{
	const moments m = in_turn();
	h264i_options o = timed_options(&m);
	h264i_encoder *enc;
	char msg[300];

	o.width = o.height = 64;
	o.backend = H264I_BACKEND_CPU;
	o.bitrate = o.vbv_bufsize = 100;
	CU_ASSERT_EQUAL(h264i_open(&enc, &o, msg, sizeof(msg)), H264I_OK);
	h264i_close(&enc);
	o.hrd = 1;
	CU_ASSERT_EQUAL(h264i_open(&enc, &o, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "before the first timestamp"));
	o.hrd = 0;
	o.time_base_num = 0;
	CU_ASSERT_EQUAL(h264i_open(&enc, &o, msg, sizeof(msg)), H264I_ERR_ARG);
	CU_ASSERT_PTR_NOT_NULL(strstr(msg, "or timestamps"));
}

int main(void)
{
	CU_TestInfo tests[] = {
		{ "a bit rate is that of the file's seconds", test_rate },
		{ "no picture is late by the file's times", test_buffer },
		{ "timestamps of a constant rate change no byte", test_constant_rate },
		{ "the bit rate is met after two seconds", test_first_pictures },
		{ "an HRD without a clock is refused", test_refused },
		CU_TEST_INFO_NULL,
	};

	return test_run_one("rate control by times", tests);
}
